package mapdir_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// BenchmarkExtract measures making all files of a large map one after the other; the program makes them on all cores.
func BenchmarkExtract(b *testing.B) {
	for _, name := range []string{"ddnet_ddnet/data/maps7/Tutorial.map", "jxsl13_twmap/testdata/Castle_Echos.map"} {
		b.Run(filepath.Base(name), func(b *testing.B) {
			data := judge.Read(b, filepath.Join(tests.Corpus(b, "teeworlds"), name))
			for b.Loop() {
				m, err := twmap.Decode(data)
				if err != nil {
					b.Fatal(err)
				}
				folder := mapdir.Open(m)
				err = fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
					if err == nil && !d.IsDir() {
						_, err = fs.ReadFile(folder, path)
					}
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

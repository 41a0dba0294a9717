package mapdir_test

import (
	"io/fs"
	"testing"

	"trowel.example/internal/limits/parallel"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// TestConcurrentFiles tests that all files of a folder, including the sidecar, may be made concurrently.
func TestConcurrentFiles(t *testing.T) {
	m, err := twmap.Decode(encode(t, sample()))
	if err != nil {
		t.Fatal(err)
	}
	folder := mapdir.Open(m)
	var names []string
	err = fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	parallel.Each(len(names), func(i int) {
		if _, err := fs.ReadFile(folder, names[i]); err != nil {
			t.Error(err)
		}
	})
}

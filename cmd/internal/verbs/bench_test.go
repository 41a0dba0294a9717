package verbs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// BenchmarkExtract extracts maps as separate processes: trowel extracts all parts, map_extract the images and
// sounds.
func BenchmarkExtract(b *testing.B) {
	dir := judge.Dir(b)
	tool := filepath.Join(dir, "trowel")
	if out, err := exec.Command("go", "build", "-o", tool, "trowel.example/cmd/trowel").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	maps := filepath.Join(tests.Corpus(b, "teeworlds"))
	for _, name := range []string{"ddnet_ddnet/data/maps7/Tutorial.map", "ddnet_ddnet/data/maps/LearnToPlay.map",
		"ddnet_ddnet/data/maps/Sunny Side Up.map", "jxsl13_twmap/testdata/Castle_Echos.map"} {
		data := judge.Read(b, filepath.Join(maps, name))
		judge.Write(b, filepath.Join(dir, "x.map"), data)
		runs := 0
		run := func(b *testing.B, program string, args ...string) {
			for b.Loop() {
				runs++
				to := "to" + strconv.Itoa(runs)
				if program != tool {
					if err := os.Mkdir(filepath.Join(dir, to), 0o777); err != nil {
						b.Fatal(err)
					}
				}
				cmd := exec.Command(program, append(args, to)...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
			}
			for ; runs > 0; runs-- {
				if err := os.RemoveAll(filepath.Join(dir, "to"+strconv.Itoa(runs))); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.Run(filepath.Base(name)+"/trowel", func(b *testing.B) { run(b, tool, "-q", "extract", "x.map", "-o") })
		b.Run(filepath.Base(name)+"/map_extract", func(b *testing.B) { run(b, judge.Find(b, "map_extract"), "x.map") })
	}
}

package verbs

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// TestClosed tests that verbs close the files that they could open when a part of a file or store is damaged: on Windows, no other
// program could replace or remove them.
func TestClosed(t *testing.T) {
	if len(tests.OpenFiles()) == 0 {
		t.Skip("this system does not list open files")
	}
	samples := samplesDir(t)
	t.Chdir(t.TempDir())
	for _, line := range []string{
		"pack -q " + filepath.Join(samples, "burrow") + " -o burrow.map", "pack -q " + filepath.Join(samples, "ember") + " -o ember.MOD",
		"convert -q ember.MOD --to torchlight-pak -o ember.PAK", "pack -q " + filepath.Join(samples, "hollow") + " -o hollow",
		"convert -q hollow --to leveldb -o level", "backup -q hollow repo", "convert -q hollow --to mts --box 0,0,0:3,3,3 -o a.mts",
		"convert -q hollow --to worldedit --box 0,0,0:3,3,3 -o a.we", "manifest -q hollow -o hollow.manifest", "extract -q burrow.map",
	} {
		if got := here(games, strings.Fields(line)...); got.code != exitFine {
			t.Fatal(line, got)
		}
	}
	var files []string
	if err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && !strings.HasPrefix(path, "burrow/") {
			files = append(files, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	before := tests.OpenFiles()
	share := tests.Of(t, 6, 1)
	for i, path := range append(files, filepath.Join("burrow", "map.json")) {
		data := judge.Read(t, path)
		judge.Write(t, path, data[:len(data)/2])
		top, _, _ := strings.Cut(filepath.ToSlash(path), "/")
		for k, line := range []string{
			"info X", "ls X", "check X", "dump X", "hash -q X", "extract X -o out", "pack X -o out", "diff X hollow", "search dirt X",
			"restore X -o out", "restore X --into level --dry-run", "backup X copy", "manifest X -o out", "repair X -o out", "render X -o out.png",
			"convert X --to leveldb -o out", "edit hollow -o out -- place X 0,0,0", "edit X -o out -- set default:dirt --area 0,0,0:0,0,0",
			"find X -- node default:dirt", "find X -- tele 1", "find X -- key LEVEL",
		} {
			if (i+k)%share != 0 {
				continue
			}
			here(games, strings.Fields(strings.ReplaceAll(line, "X", top))...)
			for _, open := range tests.OpenFiles() {
				if !slices.Contains(before, open) {
					t.Fatalf("%s, of which %s ends early: left open: %s", strings.ReplaceAll(line, "X", top), path, open)
				}
			}
			for _, made := range []string{"out", "out.png", "copy"} {
				if err := os.RemoveAll(made); err != nil {
					t.Fatal(err)
				}
			}
		}
		judge.Write(t, path, data)
	}
}

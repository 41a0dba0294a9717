package worlddir

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// realWorlds returns the folders of worlds in the corpus whose databases are files.
func realWorlds(t testing.TB) (dir string, names []string) {
	t.Helper()
	dir = tests.Corpus(t, "minetest")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && RecognizeWorld(path) {
			name, _ := filepath.Rel(dir, path)
			settings, err := world.ReadWorldMT(path)
			if err != nil {
				return err
			}
			if backend := world.FindBackends(path, settings).Map; backend != mapdb.Postgres && backend != mapdb.RedisDB &&
				!strings.HasPrefix(name, "testdata") {
				names = append(names, name)
			}
			return fs.SkipDir
		}
		return err
	})
	if err != nil || len(names) < 10 {
		t.Fatalf("%d worlds, %v", len(names), err)
	}
	return dir, names
}

// TestCorpusWorlds extracts every real world to disk and packs it again. The content must be identical, and
// byte-identical where that is promised.
func TestCorpusWorlds(t *testing.T) {
	dir, names := realWorlds(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			w := openWorld(t, filepath.Join(dir, name))
			folder := extract(t, Open(t.Context(), w, Options{Exact: true}))
			if !Recognize(os.DirFS(folder)) {
				t.Error("the folder is not recognised")
			}
			if RecognizeWorld(folder) {
				t.Error("the folder is recognised as a world")
			}
			again, report := build(t, os.DirFS(folder), BuildOptions{})
			sameWorld(t, w, again, true)
			t.Logf("%+v", *report)
		})
	}
}

// TestCorpusClean tests that blocks of version 29 keep their content without the sidecar.
func TestCorpusClean(t *testing.T) {
	dir, _ := realWorlds(t)
	w := openWorld(t, filepath.Join(dir, "generated/v29-sqlite"))
	folder := extract(t, Open(t.Context(), w,
		Options{Area: &mapdb.Area{Min: mapdb.Pos{X: -2, Y: -2, Z: -2}, Max: mapdb.Pos{X: 2, Y: 2, Z: 2}}}))
	if err := os.Remove(filepath.Join(folder, tree.Sidecar)); err != nil {
		t.Fatal(err)
	}
	again, report := build(t, os.DirFS(folder), BuildOptions{})
	if report.Blocks != 125 {
		t.Errorf("%d blocks in the area", report.Blocks)
	}
	for block, err := range again.Map.Blocks(t.Context(), mapdb.All()) {
		if err != nil {
			t.Fatal(err)
		}
		was, err := w.Map.Get(t.Context(), block.Pos)
		if err != nil {
			t.Fatal(err)
		}
		if !sameContent(t, was, block.Data) {
			t.Errorf("%v is another block", block.Pos)
		}
	}
}

// sameContent reports whether two blocks have the same content, ignoring compression.
func sameContent(t testing.TB, a, b []byte) bool {
	t.Helper()
	var fresh [2][]byte
	for i, data := range [][]byte{a, b} {
		block, err := mapblock.Decode(data)
		if err != nil {
			return bytes.Equal(a, b)
		}
		if fresh[i], err = block.EncodeFresh(); err != nil {
			t.Fatal(err)
		}
	}
	return bytes.Equal(fresh[0], fresh[1])
}

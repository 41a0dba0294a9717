package mapdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"trowel/internal/corpus"
	"trowel/internal/tree"
	"trowel/teeworlds/twmap"
)

// load makes all files of a folder, as extracting it does.
func load(t *testing.T, fsys fs.FS) fstest.MapFS {
	t.Helper()
	files := make(fstest.MapFS)
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, path)
		files[path] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Every map of the corpus, taken apart and put together, gives the same bytes.
// Without the sidecar it gives a map with the same folder.
func TestCorpusFolders(t *testing.T) {
	maps, originals := 0, 0
	for _, path := range corpus.Files(t, "teeworlds", ".map") {
		name := filepath.Base(path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := twmap.Decode(data)
		if errors.Is(err, twmap.ErrNoVersion) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		maps++
		files := load(t, Open(m))
		var side sidecar
		if err := json.Unmarshal(files[tree.Sidecar].Data, &side); err != nil {
			t.Fatal(err)
		}
		if side.File != nil && side.File.Original != nil {
			originals++
			t.Logf("%s: the sidecar keeps the whole file", name)
		}
		back, err := Read(files, func(file, msg string) { t.Errorf("%s: warning: %s: %s", name, file, msg) })
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if out, err := back.Encode(); err != nil || !bytes.Equal(out, data) {
			t.Errorf("%s: packs to other bytes, %v", name, err)
		}

		delete(files, tree.Sidecar)
		clean, err := Read(files, nil)
		if err != nil {
			t.Errorf("%s: without sidecar: %v", name, err)
			continue
		}
		out, err := clean.Encode()
		if err != nil {
			t.Errorf("%s: without sidecar: %v", name, err)
			continue
		}
		again, err := twmap.Decode(out)
		if err != nil {
			t.Errorf("%s: without sidecar: %v", name, err)
			continue
		}
		for path, want := range files {
			if path == tree.Sidecar {
				continue
			}
			if got, err := fs.ReadFile(Open(again), path); err != nil || !bytes.Equal(got, want.Data) {
				t.Errorf("%s: without sidecar: %s differs, %v", name, path, err)
			}
		}
	}
	t.Logf("%d maps, the sidecar keeps the whole file of %d", maps, originals)
}

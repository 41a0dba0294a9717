package mapdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/twmap"
)

// load reads all files of a folder, as extracting it does.
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

// TestCorpusFolders tests that every map of the corpus, extracted and rebuilt, gives identical bytes, and that it
// gives a clean map with the same folder without the sidecar.
func TestCorpusFolders(t *testing.T) {
	var maps, originals atomic.Int32
	t.Run("maps", func(t *testing.T) {
		for _, path := range tests.CorpusFiles(t, "teeworlds", ".map") {
			t.Run(filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				data := judge.Read(t, path)
				m, err := twmap.Decode(data)
				if errors.Is(err, twmap.ErrNoVersion) {
					t.Skip("not a current map: package mapfile tests it")
				}
				if err != nil {
					t.Fatal(err)
				}
				maps.Add(1)
				if checkMapFolder(t, m, data) {
					originals.Add(1)
				}
			})
		}
	})
	t.Logf("%d maps, the sidecar keeps the whole file of %d", maps.Load(), originals.Load())
}

// checkMapFolder reports whether the sidecar keeps the whole file.
func checkMapFolder(t *testing.T, m *twmap.Map, data []byte) bool {
	files := load(t, Open(m))
	var side sidecar
	if err := json.Unmarshal(files[tree.Sidecar].Data, &side); err != nil {
		t.Fatal(err)
	}
	back, err := Read(files, func(file, msg string) { t.Errorf("warning: %s: %s", file, msg) })
	if err != nil {
		t.Fatal(err)
	}
	if out, err := back.Encode(); err != nil || !bytes.Equal(out, data) {
		t.Errorf("packs to other bytes, %v", err)
	}

	delete(files, tree.Sidecar)
	clean, err := Read(files, nil)
	if err != nil {
		t.Fatalf("without sidecar: %v", err)
	}
	out, err := clean.Encode()
	if err != nil {
		t.Fatalf("without sidecar: %v", err)
	}
	again, err := twmap.Decode(out)
	if err != nil {
		t.Fatalf("without sidecar: %v", err)
	}
	folder := Open(again)
	for path, want := range files {
		if strings.HasSuffix(path, ".png") { // compared below: comparing pixels is faster than PNG
			continue
		}
		got, err := fs.ReadFile(folder, path)
		short := false
		if layer := files[strings.TrimSuffix(strings.TrimSuffix(path, ".txt"), ".json")+".json"]; layer != nil {
			short = bytes.Contains(layer.Data, []byte(`"cells"`)) // building fills the missing cells
		}
		if err != nil || !bytes.Equal(got, want.Data) && !short {
			t.Errorf("without sidecar: %s differs, %v", path, err)
		}
	}
	for i, im := range again.Images {
		got, _ := im.Picture()
		if want, _ := m.Images[i].Picture(); (got == nil) != (want == nil) || got != nil && !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("without sidecar: image %s differs", im.Name)
		}
	}
	return side.File != nil && side.File.Original != nil
}

package site_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/cmd/internal/site"
)

// archive writes an archive with files, as a release has it, and returns its name.
func archive(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(len(name)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "page.tar.gz")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestArchive tests the page in an archive: it is written with a list of the files next to it, and the folder is a page as well.
func TestArchive(t *testing.T) {
	p, err := site.OpenPage(archive(t, "page/index.html", "page/trowel.wasm.gz", "page/files.json", "page/page/app.js"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, site.Files, "maps"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, site.Files, "maps", "ä #.map"), []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Write(dir, []string{"maps"}); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "page", "app.js")); err != nil || string(data) != "page/page/app.js" {
		t.Errorf("app.js is %q, %v", data, err)
	}
	var list struct {
		Files []struct {
			Path string
			Size int
		}
		Names []string
	}
	data, err := os.ReadFile(filepath.Join(dir, site.List))
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil || len(list.Files) != 1 || list.Files[0].Path != "maps/ä #.map" || list.Files[0].Size != 5 || len(list.Names) != 1 {
		t.Errorf("the list is %s, %v", data, err)
	}
	if again, err := site.OpenPage(dir); err != nil || len(again) != len(p) {
		t.Errorf("the written page has %d files, not %d: %v", len(again), len(p), err)
	}
	if err := p.Owns(dir); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if p.Owns(dir) == nil {
		t.Error("a folder with a foreign file counts as a page")
	}
}

// TestNoPage tests archives that are not a page.
func TestNoPage(t *testing.T) {
	for _, name := range []string{
		archive(t),
		archive(t, "page/index.html", "page/trowel.wasm.gz"),
		archive(t, "page/index.html", "page/trowel.wasm.gz", "page/files.json", "page/../../evil"),
		archive(t, "index.html", "trowel.wasm.gz", "files.json"),
		t.TempDir(),
		"site_test.go",
	} {
		if _, err := site.OpenPage(name); !errors.Is(err, site.ErrNoPage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package moddir_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
)

// clean is a folder without its sidecar.
type clean struct{ fs.FS }

func (c clean) Open(name string) (fs.File, error) {
	if name == tree.Sidecar {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return c.FS.Open(name)
}

func openMod(t testing.TB, data []byte, o moddir.Options) fs.FS {
	t.Helper()
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return moddir.Open(m, o)
}

func build(t testing.TB, fsys fs.FS, o moddir.BuildOptions) []byte {
	t.Helper()
	var out tests.Memory
	if _, _, err := moddir.Build(context.Background(), &out, fsys, o); err != nil {
		t.Fatal(err)
	}
	return out.Data
}

// corpusMods returns the paths of the mods of the corpus.
func corpusMods(t testing.TB) []string {
	t.Helper()
	return append(tests.CorpusFiles(t, "torchlight", ".MOD"), tests.CorpusFiles(t, "torchlight", ".mod")...)
}

// caseName returns a short name of a file of the corpus.
func caseName(path string) string {
	return filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
}

// extract writes a folder to disk and returns its path.
func extract(t *testing.T, fsys fs.FS) string {
	t.Helper()
	dir := t.TempDir()
	for name, f := range onDisk(t, fsys) {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, at, f.Data)
		if err := os.Chtimes(at, f.ModTime, f.ModTime); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestCorpusFolders extracts each mod to a folder on disk and rebuilds it: with the sidecar byte for byte, and without
// it with at least the same folder.
func TestCorpusFolders(t *testing.T) {
	mods := corpusMods(t)
	var bytesSame, folderSame, files, kept atomic.Int64
	t.Run("mods", func(t *testing.T) {
		for _, path := range mods {
			t.Run(caseName(path), func(t *testing.T) {
				t.Parallel()
				data := judge.Read(t, path)
				dir := extract(t, openMod(t, data, moddir.Options{}))
				fsys := os.DirFS(dir)
				if again := build(t, fsys, moddir.BuildOptions{}); !bytes.Equal(again, data) {
					t.Errorf("built again: %d bytes became %d other ones", len(data), len(again))
				} else {
					bytesSame.Add(1)
				}
				var side struct{ Files map[string]any }
				text, err := os.ReadFile(filepath.Join(dir, tree.Sidecar))
				if err == nil {
					err = json.Unmarshal(text, &side)
				}
				if err != nil {
					t.Fatal(err)
				}
				files.Add(int64(len(listing(t, fsys)) - 2))
				kept.Add(int64(len(side.Files)))
				if err := os.Remove(filepath.Join(dir, tree.Sidecar)); err != nil {
					t.Fatal(err)
				}
				sameFolder(t, fsys, openMod(t, build(t, fsys, moddir.BuildOptions{}), moddir.Options{}))
				if !t.Failed() {
					folderSame.Add(1)
				}
			})
		}
	})
	t.Logf("%d of %d mods are identical again, %d the same folder without the sidecar; of %d files it knew something about %d",
		bytesSame.Load(), len(mods), folderSame.Load(), files.Load(), kept.Load())
}

// sameFolder reports where two folders differ, ignoring their sidecars.
func sameFolder(t *testing.T, a, b fs.FS) {
	t.Helper()
	want, got := contents(t, a), contents(t, b)
	for name, content := range want {
		if other, ok := got[name]; !ok {
			t.Errorf("%s is gone", name)
		} else if other != content {
			t.Errorf("%s differs", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is new", name)
		}
	}
}

func contents(t *testing.T, fsys fs.FS) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == tree.Sidecar {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

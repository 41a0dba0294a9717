package moddir_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"trowel/internal/corpus"
	"trowel/internal/tree"
	"trowel/torchlight/mod"
	"trowel/torchlight/moddir"
)

// memory is a target in memory.
type memory struct{ data []byte }

func (m *memory) WriteAt(b []byte, at int64) (int, error) {
	if more := int(at) + len(b) - len(m.data); more > 0 {
		m.data = append(m.data, make([]byte, more)...)
	}
	return copy(m.data[at:], b), nil
}

func (m *memory) ReadAt(b []byte, at int64) (int, error) {
	return bytes.NewReader(m.data).ReadAt(b, at)
}

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
	var out memory
	if _, _, err := moddir.Build(&out, fsys, o); err != nil {
		t.Fatal(err)
	}
	return out.data
}

// TestCorpusFolders takes each mod apart and builds it again: the same bytes
// with the sidecar, and without it at least the same folder.
func TestCorpusFolders(t *testing.T) {
	mods := append(corpus.Files(t, "torchlight", ".MOD"), corpus.Files(t, "torchlight", ".mod")...)
	for _, path := range mods {
		t.Run(filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			fsys := openMod(t, data, moddir.Options{})
			if again := build(t, fsys, moddir.BuildOptions{}); !bytes.Equal(again, data) {
				t.Errorf("built again: %d bytes became %d other ones", len(data), len(again))
			}
			side, err := fs.ReadFile(fsys, tree.Sidecar)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes, sidecar %d", len(data), len(side))
			second := openMod(t, build(t, clean{fsys}, moddir.BuildOptions{}), moddir.Options{})
			sameFolder(t, fsys, second)
		})
	}
}

// sameFolder reports where two folders differ, their sidecars not counted.
func sameFolder(t *testing.T, a, b fs.FS) {
	t.Helper()
	want, got := contents(t, a), contents(t, b)
	for name, content := range want {
		if other, ok := got[name]; !ok {
			t.Errorf("%s is gone", name)
		} else if other != content {
			t.Errorf("%s is another one", name)
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

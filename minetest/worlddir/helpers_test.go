package worlddir

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/limits/parallel"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

func openWorld(t testing.TB, dir string) *World {
	t.Helper()
	w, err := OpenWorld(t.Context(), dir, Opening{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// extract writes a tree to disk as the tool does: several files at a time, and last the files that are then generated
// faster.
func extract(t testing.TB, fsys fs.FS) string {
	t.Helper()
	dir := t.TempDir()
	var files []string
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			files = append(files, name)
			return err
		}
		return os.MkdirAll(filepath.Join(dir, filepath.FromSlash(name)), 0o777)
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(files, func(a, b string) int {
		last := func(name string) int {
			if name == ".trowel.json" {
				return 1
			}
			return 0
		}
		return last(a) - last(b)
	})
	parallel.Each(len(files), func(i int) {
		data, err := fs.ReadFile(fsys, files[i])
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.FromSlash(files[i])), data, 0o666)
		}
		if err != nil {
			t.Error(err)
		}
	})
	return dir
}

// build builds a world from a tree and opens it.
func build(t testing.TB, fsys fs.FS, o BuildOptions) (*World, *Report) {
	t.Helper()
	dst := filepath.Join(t.TempDir(), "world")
	report, err := Build(t.Context(), dst, fsys, o)
	if err != nil {
		t.Fatal(err)
	}
	return openWorld(t, dst), report
}

// sameWorld fails unless two worlds are equal. If exact is set, blocks must be byte-identical.
func sameWorld(t testing.TB, want, got *World, exact bool) {
	t.Helper()
	n := 0
	for block, err := range want.Map.Blocks(t.Context(), mapdb.All()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		data, err := got.Map.Get(t.Context(), block.Pos)
		if err != nil {
			t.Errorf("%v: %v", block.Pos, err)
		} else if same := bytes.Equal(data, block.Data); !same && (exact || !sameContent(t, data, block.Data)) {
			t.Errorf("%v has become another block", block.Pos)
		}
	}
	if count, err := got.Map.Count(t.Context()); err != nil || count != int64(n) {
		t.Errorf("%d blocks, %v: want %d", count, err, n)
	}
	if want.Backends.Map == got.Backends.Map && mapdb.SchemaOf(want.Map) != mapdb.SchemaOf(got.Map) {
		t.Errorf("schema %v, want %v", mapdb.SchemaOf(got.Map), mapdb.SchemaOf(want.Map))
	}
	sameStore(t, "players", want.Players, got.Players, func(p *world.Player) any {
		text, err := p.Append(nil)
		return []any{string(text), err == nil, p.Created, p.Modified}
	})
	sameStore(t, "auth", want.Auth, got.Auth, func(a *world.Account) any {
		return []any{a.Name, string(a.Password), append([]string{}, a.Privileges...), a.LastLogin}
	})
	sameStore(t, "storage", want.Storage, got.Storage, func(m *world.ModData) any { return []any{m.Mod, m.Entries} })
	if a, b := otherFiles(t, want), otherFiles(t, got); !cmp.Equal(a, b) {
		t.Errorf("other files: %s", cmp.Diff(a, b))
	}
}

func sameStore[T any](t testing.TB, name string, want, got world.Store[T], describe func(T) any) {
	t.Helper()
	all := func(s world.Store[T]) map[string]any {
		m := make(map[string]any)
		for name, err := range s.Names(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			thing, err := s.Get(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			m[name] = describe(thing)
		}
		return m
	}
	if diff := cmp.Diff(all(want), all(got)); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}

// otherFiles returns the files of a world that are not databases, and the databases that are text files.
func otherFiles(t testing.TB, w *World) map[string]string {
	t.Helper()
	files := make(map[string]string)
	hidden := w.databases()
	err := filepath.WalkDir(w.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(w.Dir, path)
		text := name == "auth.txt" || name == "players" || name == "mod_storage"
		switch {
		case hidden[name] && !text && d.IsDir():
			return fs.SkipDir
		case d.IsDir() || hidden[name] && !text || transient(filepath.Base(filepath.Dir(path)), d.Name()):
			return nil
		}
		data, err := os.ReadFile(path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

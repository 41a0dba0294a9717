package worlddir

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"testing"

	"trowel/minetest/internal/worldtest"
	"trowel/minetest/mapdb"
)

// noListing is a store of which nobody asks what is in it.
type noListing struct {
	mapdb.DB
	t *testing.T
}

func (n noListing) Positions(context.Context, mapdb.Area) iter.Seq2[mapdb.Pos, error] {
	n.t.Error("all positions are read")
	return func(func(mapdb.Pos, error) bool) {}
}

// One block is read by its position, however many there are.
func TestSingleBlock(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 30, 28)
	w, err := OpenWorld(t.Context(), dir, Opening{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var all []string
	err = fs.WalkDir(Open(w, Options{}), blocksDir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all = append(all, name)
		}
		return err
	})
	if err != nil || len(all) != 30 {
		t.Fatalf("%d files, %v", len(all), err)
	}
	want, err := fs.ReadFile(Open(w, Options{}), all[7])
	if err != nil {
		t.Fatal(err)
	}
	w.Map = noListing{w.Map, t}
	fsys := Open(w, Options{})
	if got, err := fs.ReadFile(fsys, all[7]); err != nil || string(got) != string(want) {
		t.Errorf("%v, %s", err, got)
	}
	if st, err := fs.Stat(fsys, all[8]); err != nil || st.IsDir() {
		t.Error(err)
	}
	for _, name := range []string{"blocks/z2000/y0/0,0,2000.txt"} {
		if _, err := fs.Stat(fsys, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

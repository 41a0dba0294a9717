package worldedit_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

func open(t *testing.T, dir string) *worldedit.World {
	t.Helper()
	w, err := worldedit.Open(context.Background(), dir, worldedit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// TestSaved saves an edit in each way and tests that the results are equal.
func TestSaved(t *testing.T) {
	ctx := context.Background()
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 96)
	before := worldtest.BlocksOf(t, dir)
	w := open(t, dir)
	counts := new(worldedit.Counts)
	everywhere := worldedit.Region{Box: worldedit.Everywhere}
	if err := w.Do(ctx, worldedit.Replace(everywhere, worldedit.Names{"default:co*"}, "test:new",
		worldedit.Setting{KeepParam2: true, Counts: counts})); err != nil {
		t.Fatal(err)
	}
	want := worldtest.All(t, w)
	nodes, names := int64(0), 0
	for p, data := range before {
		is, err := mapblock.Decode([]byte(want[p]))
		if err != nil {
			t.Fatal(err)
		}
		was, err := mapblock.Decode([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		old, new := was.Nodes(), is.Nodes()
		for i := range mapblock.NodeCount {
			name := old.At(i)
			if name == "default:cobble" {
				name = "test:new"
				nodes++
			}
			if new.At(i) != name {
				t.Fatalf("%v: node %d is %s, want %s", p, i, new.At(i), name)
			}
		}
		if want[p] == data {
			names++
		} else if is.Version != was.Version && (is.Version != max(21, was.Version) || was.Version >= 21) {
			t.Errorf("%v: version %d became %d", p, was.Version, is.Version)
		}
	}
	if nodes == 0 || counts.Nodes.Load() != nodes {
		t.Errorf("%d nodes, counted %d", nodes, counts.Nodes.Load())
	}

	copy := filepath.Join(t.TempDir(), "copy")
	if _, err := w.Copy(ctx, copy, "x", worldcopy.Options{}); err != nil {
		t.Fatal(err)
	}
	same(t, worldtest.BlocksOf(t, copy), want)
	same(t, worldtest.BlocksOf(t, dir), before)
	backup, err := w.InPlace(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, worldtest.BlocksOf(t, dir), want)
	if err := worldbackup.Restore(ctx, dir, backup, worldbackup.Options{}); err != nil {
		t.Fatal(err)
	}
	same(t, worldtest.BlocksOf(t, dir), before)

	// Concurrent changes are not overwritten.
	w = open(t, dir)
	if err := w.Do(ctx, worldedit.Replace(everywhere, worldedit.Names{"default:stone"}, "test:new", worldedit.Setting{})); err != nil {
		t.Fatal(err)
	}
	list, err := w.Changed()
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	if err := mapdb.Edit(ctx, dir, mapdb.Config{Backend: mapdb.SQLite}, list[:1],
		func(mapdb.Pos, []byte) ([]byte, error) { return worldtest.Block(7, 28), nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := w.InPlace(ctx, ""); !errors.Is(err, worldedit.ErrChanged) {
		t.Errorf("a block that has changed: %v", err)
	}
	if kept, _ := filepath.Glob(dir + ".backup-*"); len(kept) != 1 || kept[0] != backup {
		t.Errorf("a run that changed nothing leaves its backup: %v", kept)
	}
}

// TestWidths tests that a block with ids of one byte is changed like any other.
func TestWidths(t *testing.T) {
	for version := 21; version <= mapblock.Newest; version++ {
		for _, width := range worldtest.Widths(version) {
			data := worldtest.BlockOf(24, version, width)
			dir := worldtest.WorldOf(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, func(yield func(mapdb.Block, error) bool) {
				yield(mapdb.Block{Data: data}, nil)
			})
			w := open(t, dir)
			if err := w.Do(t.Context(), worldedit.Replace(worldedit.Region{Box: worldedit.Everywhere},
				worldedit.Names{"default:stone"}, "test:new", worldedit.Setting{KeepParam2: true})); err != nil {
				t.Fatal(err)
			}
			was, err1 := mapblock.Decode(data)
			is, err2 := mapblock.Decode([]byte(worldtest.All(t, w)[mapdb.Pos{}]))
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			old, new, changed := was.Nodes(), is.Nodes(), 0
			for i := range mapblock.NodeCount {
				name := old.At(i)
				if name == "default:stone" {
					name = "test:new"
					changed++
				}
				if got := new.At(i); got != name && !(name == "" && version < 24 && got == "unknown:id_2057") || new.Param2[i] != old.Param2[i] {
					t.Fatalf("version %d, %d bytes: node %d is %q with %d, want %q with %d", version, width, i, got, new.Param2[i], name, old.Param2[i])
				}
			}
			if changed == 0 {
				t.Errorf("version %d, %d bytes: nothing to change", version, width)
			}
		}
	}
}

func same(t *testing.T, got, want map[mapdb.Pos]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d blocks, want %d", len(got), len(want))
	}
	for p, data := range want {
		if got[p] != data {
			t.Errorf("%v: another block", p)
		}
	}
}

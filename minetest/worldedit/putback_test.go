package worldedit_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldedit"
)

// TestPutBack tests what TestModel does not see: objects, counts, damaged blocks, and that a repetition changes nothing.
func TestPutBack(t *testing.T) {
	ctx := context.Background()
	at := func(x int16) mapdb.Pos { return mapdb.Pos{X: x} }
	older, memory := mapdb.NewMemory(), []mapdb.Block{
		{Pos: at(0), Data: worldtest.Block(12, 29)}, // with objects, metadata and a timer
		{Pos: at(1), Data: worldtest.Block(24, 29)},
		{Pos: at(2), Data: []byte("damaged")},
		{Pos: at(4), Data: notGenerated(t, 12)},
	}
	if err := older.Store(ctx, memory); err != nil {
		t.Fatal(err)
	}
	w := open(t, storedWorld(t, mapdb.Config{Backend: mapdb.SQLite}, []mapdb.Block{
		{Pos: at(0), Data: worldtest.Block(3, 28)},
		{Pos: at(2), Data: worldtest.Block(3, 28)},
		{Pos: at(3), Data: worldtest.Block(3, 28)}, // not in the older state
		{Pos: at(4), Data: worldtest.Block(3, 28)}, // there, but not generated
	}))
	counts := new(worldedit.Counts)
	var lost []string
	region := worldedit.Region{Box: worldedit.Box{Min: worldedit.Vec{0, 0, 0}, Max: worldedit.Vec{100, 15, 15}}}
	note := func(err error) { lost = append(lost, err.Error()) }
	step := worldedit.PutBack(older, region, worldedit.PutBackOptions{Counts: counts, Lost: note})
	if err := w.Do(ctx, step); err != nil {
		t.Fatal(err)
	}
	if len(lost) != 1 || !strings.Contains(lost[0], "version") {
		t.Errorf("lost: %q", lost)
	}
	if want := []string{"blocks that the older state lacks or has not generated, unchanged: 2"}; !slices.Equal(counts.Notes(), want) {
		t.Errorf("notes: %q", counts.Notes())
	}
	objects := func(x int16) int {
		data, err := w.Get(ctx, at(x))
		if err != nil {
			t.Fatal(err)
		}
		b, err := mapblock.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		return len(b.Objects.List)
	}
	if counts.Blocks.Load() != 1 || objects(0) != 0 || objects(1) != 1 {
		t.Errorf("%d blocks created; objects %d and %d", counts.Blocks.Load(), objects(0), objects(1))
	}
	if changed, err := w.Changed(); err != nil || len(changed) != 2 {
		t.Errorf("changed: %v %v", changed, err)
	}
	again := new(worldedit.Counts)
	if err := w.Do(ctx, worldedit.PutBack(older, region, worldedit.PutBackOptions{Counts: again})); err != nil || again.Changed() {
		t.Errorf("again: %v, changed %v", err, again.Changed())
	}
}

// TestPutBackMissing tests that only blocks that the world lacks or has not generated are put back.
func TestPutBackMissing(t *testing.T) {
	ctx := context.Background()
	at := func(x int16) mapdb.Pos { return mapdb.Pos{X: x} }
	older, now := mapdb.NewMemory(), mapdb.NewMemory()
	var all []mapdb.Block
	for x := range int16(4) {
		all = append(all, mapdb.Block{Pos: at(x), Data: worldtest.Block(24, 29)})
	}
	there := []mapdb.Block{
		{Pos: at(0), Data: worldtest.Block(3, 28)}, {Pos: at(1), Data: notGenerated(t, 12)}, {Pos: at(3), Data: []byte("damaged")},
	}
	if err := errors.Join(older.Store(ctx, all), now.Store(ctx, there)); err != nil {
		t.Fatal(err)
	}
	o := worldedit.PutBackOptions{Missing: true, Counts: new(worldedit.Counts)}
	region := worldedit.Region{Box: worldedit.Everywhere}
	w := open(t, storedWorld(t, mapdb.Config{Backend: mapdb.SQLite}, there))
	if err := w.Do(ctx, worldedit.PutBack(older, region, o)); err != nil {
		t.Fatal(err)
	}
	if changed, err := w.Changed(); err != nil || o.Counts.Blocks.Load() != 2 || !slices.Equal(changed, []mapdb.Pos{at(1), at(2)}) {
		t.Errorf("%v, %v, %d blocks", changed, err, o.Counts.Blocks.Load())
	}
	var planned []mapdb.Pos
	for p, err := range worldedit.Older(ctx, older, now, region, o, func(b *worldedit.Block, _ *worldedit.Mask) mapdb.Pos { return b.Pos }) {
		if planned = append(planned, p); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(planned, []mapdb.Pos{at(1), at(2)}) {
		t.Errorf("planned: %v", planned)
	}
}

// TestOverlayDamaged tests that damaged blocks of the other world are reported, in whole blocks and in parts.
func TestOverlayDamaged(t *testing.T) {
	ctx := context.Background()
	at := func(x int16) mapdb.Pos { return mapdb.Pos{X: x} }
	other := open(t, storedWorld(t, mapdb.Config{Backend: mapdb.SQLite}, []mapdb.Block{
		{Pos: at(0), Data: worldtest.Block(12, 29)}, {Pos: at(1), Data: []byte("damaged")},
	}))
	for _, by := range []worldedit.Vec{{0, 0, 0}, {1, 0, 0}} {
		var found []check.Finding
		dir := storedWorld(t, mapdb.Config{Backend: mapdb.SQLite}, []mapdb.Block{
			{Pos: at(0), Data: worldtest.Block(3, 28)}, {Pos: at(1), Data: worldtest.Block(3, 28)}, {Pos: at(2), Data: worldtest.Block(3, 28)},
		})
		w, err := worldedit.Open(ctx, dir, worldedit.Options{Scratch: t.TempDir(), Sink: func(f check.Finding) { found = append(found, f) }})
		if err != nil {
			t.Fatal(err)
		}
		region := worldedit.Region{Box: worldedit.Box{Min: worldedit.Vec{0, 0, 0}, Max: worldedit.Vec{31, 15, 15}}}
		if err := w.Do(ctx, worldedit.Overlay(other, region, by, worldedit.Setting{})); err != nil {
			t.Fatal(err)
		}
		if len(found) != 1 || found[0].ID != "mt-edit-damaged" {
			t.Errorf("moved by %v: %d findings: %v", by, len(found), found)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// notGenerated returns a block that the map generator has not finished.
func notGenerated(t *testing.T, i int) []byte {
	t.Helper()
	b, err := mapblock.Decode(worldtest.Block(i, 29))
	if err != nil {
		t.Fatal(err)
	}
	b.Flags |= mapblock.NotGenerated
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

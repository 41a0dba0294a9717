package minetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/tests"
	"trowel.example/internal/values/merge3"
	"trowel.example/minetest/internal/worldmerge"
	"trowel.example/minetest/internal/worldsteps"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

// cell is a place at which one of two users works: 8 nodes wide, so that each block contains several.
type cell [3]int

func (c cell) box(r *rand.Rand) string {
	low := [3]int{c[0]*8 + r.IntN(3), c[1]*8 + r.IntN(3), c[2]*8 + r.IntN(3)}
	return fmt.Sprintf("%d,%d,%d:%d,%d,%d", low[0], low[1], low[2], low[0]+1+r.IntN(2), low[1]+1+r.IntN(2), low[2]+1+r.IntN(2))
}

// command returns an operation that stays within a cell, and uses keys that no other operation uses.
func (c cell) command(r *rand.Rand, n int) string {
	box := " --box " + c.box(r)
	return [...]string{
		"set default:cobble" + box,
		"set default:meselamp" + box,
		"replace * default:brick" + box,
		"replace-inverse default:stone default:glass" + box,
		"mix default:stone=2 default:clay=1" + box,
		"set-param2 3" + box,
		"flip y" + box,
		"copy 2,2,2" + box,
		"move 0,3,1" + box,
		"stack 1,0,1 2" + box,
		"set-metadata owner ann --where node=default:*" + box,
		"delete-metadata" + box,
		"delete-timers" + box,
		"delete-objects *" + box,
		"replace-items default:dirt test:item --new-name" + box,
		fmt.Sprintf("set-storage pig key%d value", n),
		fmt.Sprintf("set-storage mod%d key value", n),
	}[r.IntN(17)]
}

// said describes the contents of a world, independent of the encoding.
func said(t *testing.T, w *worldedit.World) map[string]string {
	t.Helper()
	ctx := context.Background()
	all := make(map[string]string)
	for b, err := range w.Blocks(ctx, mapdb.All()) {
		if err != nil {
			t.Fatal(err)
		}
		block, err := mapblock.Decode(b.Data)
		if err == nil && block.Version != mapblock.Newest { // old versions store the same content differently
			block, _, err = block.Convert(mapblock.Newest, mapblock.ConvertOptions{Drop: true})
		}
		if err != nil {
			t.Fatal(err)
		}
		var s strings.Builder
		nodes := block.Nodes()
		for i := range mapblock.NodeCount {
			fmt.Fprintln(&s, i, nodes.At(i), nodes.Param2[i])
		}
		for _, m := range block.Metadata.List {
			slices.SortFunc(m.Vars, func(x, y mapblock.Var) int { return strings.Compare(x.Key, y.Key) })
			fmt.Fprintln(&s, m.Pos, m.Vars, string(m.Inventory))
		}
		slices.SortFunc(block.Timers.List, func(x, y mapblock.Timer) int { return int(x.Pos) - int(y.Pos) })
		fmt.Fprintln(&s, block.Timers.List, block.Objects.List)
		all[fmt.Sprint(b.Pos)] = s.String()
	}
	storage, err := w.Storage(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for mod, err := range storage.Names(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		m, err := storage.Get(ctx, mod)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range m.Entries {
			all[mod+" "+string(e.Key)] = string(e.Value)
		}
	}
	return all
}

// TestMergeOfEdits tests that merging two edits of one world in separate places gives the same as one edit after the
// other, without a conflict.
func TestMergeOfEdits(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	ctx := context.Background()
	r := rand.New(rand.NewPCG(12, 1))
	open := func(dir string, commands []string) *worldedit.World {
		t.Helper()
		job := &format.Job{Reports: format.Reports{OnLack: func(*fault.NameError) error { return nil }}}
		steps, err := format.ParseSteps(job, worldEditing.Commands, strings.Fields(strings.Join(commands, " then ")))
		if err != nil {
			t.Fatal(err)
		}
		e, err := worldsteps.Perform(ctx, job, &format.Source{Dir: dir, Path: dir}, steps, "")
		if err != nil {
			t.Fatalf("%q: %v", commands, err)
		}
		return e.World
	}
	for round := range tests.Of(t, 6, 25) { // with 300 it takes a minute
		base := t.TempDir()
		versions := []int{23, 24, 25, 27, 28, 29} // older versions can store the same metadata in several ways
		worldtest.World(t, base, mapdb.Config{Backend: mapdb.SQLite}, 3, versions[round%len(versions)])
		first := worldtest.Pos(0)
		var cells []cell
		for i := range 6 * 2 * 2 {
			cells = append(cells, cell{int(first.X)*2 + i%6, int(first.Y)*2 + i/6%2, int(first.Z)*2 + i/12})
		}
		r.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		var sides [2][]string
		for n := range 2 + r.IntN(8) {
			sides[n%2] = append(sides[n%2], cells[n].command(r, n))
		}
		dirs := [2]string{}
		for i, commands := range sides {
			w := open(base, commands)
			dirs[i] = filepath.Join(t.TempDir(), "side")
			backend := []string{"", "leveldb"}[r.IntN(2)]
			if _, err := w.Copy(ctx, dirs[i], "side", worldcopy.Options{Map: backend}); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		both := open(base, append(slices.Clone(sides[0]), sides[1]...))
		merged, err := worldedit.Open(ctx, dirs[0], worldedit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		was, err1 := merged.OpenOther(ctx, base)
		theirs, err2 := merged.OpenOther(ctx, dirs[1])
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		_, conflicts, err := worldmerge.Merge(ctx, was, merged, theirs, merge3.Options{})
		if err = errors.Join(err, was.Close(), theirs.Close()); err != nil || len(conflicts) > 0 {
			t.Fatalf("%q: %v, %v", sides, conflicts, err)
		}
		got, want := said(t, merged), said(t, both)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if got[name] != want[name] {
				t.Fatalf("%q: %s is\n%s", sides, name, firstDifference(got[name], want[name]))
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%q: %d things, want %d", sides, len(got), len(want))
		}
		if err := merged.Close(); err != nil {
			t.Error(err)
		}
		if err := both.Close(); err != nil {
			t.Error(err)
		}
		for _, dir := range append(dirs[:], base) {
			os.RemoveAll(dir)
		}
	}
}

func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d: %s\nwant %s", i, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}

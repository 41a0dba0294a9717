package worldadmin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
)

// gridOf returns the grid of map chunks of a world that is being edited, and the settings of its map generator.
func gridOf(w *worldedit.World) (Grid, *world.Settings, error) {
	text, err := w.ReadFile("map_meta.txt")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Grid{}, nil, err
	}
	s := world.ParseSettings(text, world.MapMetaEnd)
	grid, err := GridOf(s)
	return grid, s, err
}

// Selection is a part of a world: the intersection of a box and, if Radius is set, a cylinder around a center.
type Selection struct {
	Box    worldedit.Box
	Center [2]int // x and z in nodes
	Radius int    // maximum horizontal distance from Center in nodes, at any height; 0 for any distance
}

// touches reports whether any node of a chunk is in the selection, and whether all nodes are.
func (s *Selection) touches(g Grid, c Chunk) (touches, within bool) {
	low, high := g.Nodes(c)
	touches, within = true, true
	for i := range low {
		least, most := max(low[i], worldedit.MinNode), min(high[i], worldedit.MaxNode)
		touches = touches && least <= s.Box.Max[i] && most >= s.Box.Min[i]
		within = within && least >= s.Box.Min[i] && most <= s.Box.Max[i]
	}
	if s.Radius > 0 {
		var near, far int
		for i, axis := range []int{0, 2} {
			from, to := low[axis]-s.Center[i], high[axis]-s.Center[i]
			if from > 0 {
				near += from * from
			} else if to < 0 {
				near += to * to
			}
			far += max(from*from, to*to)
		}
		touches = touches && near <= s.Radius*s.Radius
		within = within && far <= s.Radius*s.Radius
	}
	return touches, touches && within
}

// Chunks is a step that deletes map chunks. The map generator generates deleted chunks again when a player comes
// near.
type Chunks struct {
	Selection
	Single   bool   // delete single blocks instead of map chunks
	Outside  bool   // delete the chunks outside of the selection
	Touching bool   // also delete chunks of which only a part is in the selection, or outside
	Again    bool   // fail if the map generator would not generate the same chunks again
	Export   string // the folder of a new world that receives the deleted blocks; "" for none
	All      bool   // allow the step to delete everything
	Counts   *worldedit.Counts
}

// Step returns the step.
func (o Chunks) Step() worldedit.Step {
	return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) error {
		grid, settings, err := gridOf(w)
		if err != nil {
			return err
		}
		if o.Single {
			grid = Grid{1, 1, 1}
		}
		if o.Again {
			if err := makesAgain(settings); err != nil {
				return err
			}
		}
		chosen := make(map[Chunk]bool)
		return deleteBlocks(ctx, w, deletion{
			matches: func(p mapdb.Pos) bool {
				c := grid.Containing(p)
				gone, known := chosen[c]
				if !known {
					touches, within := o.touches(grid, c)
					switch {
					case o.Outside == o.Touching: // outside and touching: not all of the chunk is in the selection
						gone = within != o.Outside
					default:
						gone = touches != o.Outside
					}
					chosen[c] = gone
				}
				return gone
			},
			grid: grid, single: o.Single, export: o.Export, all: o.All, counts: o.Counts,
		})
	})
}

// makesAgain returns an error if the map generator cannot regenerate what it generated.
func makesAgain(s *world.Settings) error {
	name, _ := s.Get("mg_name")
	seed, ok := s.Get("seed")
	switch {
	case name == "singlenode":
		return errors.New("map_meta.txt: the map generator singlenode generates only air, and would not regenerate deleted chunks")
	case !ok || seed == "":
		return errors.New("map_meta.txt: the seed is missing: the map generator would generate other land")
	}
	return nil
}

// deletion describes the blocks to delete.
type deletion struct {
	matches func(mapdb.Pos) bool // whether a block is deleted; not for concurrent use
	grid    Grid
	single  bool // the chunks of grid are single blocks
	export  string
	all     bool
	counts  *worldedit.Counts
}

// deleteBlocks deletes blocks after checking that deleting them is allowed.
func deleteBlocks(ctx context.Context, w *worldedit.World, d deletion) error {
	if d.export != "" {
		if _, err := os.Lstat(d.export); err == nil {
			return fmt.Errorf("%s: %w", d.export, fs.ErrExist)
		}
	}
	var list []mapdb.Pos
	chunks := make(map[Chunk]bool)
	stay := int64(0)
	for p, err := range w.Positions(ctx, mapdb.All()) {
		var row *mapdb.RowError
		switch {
		case errors.As(err, &row): // a damaged row is kept
			stay++
		case err != nil:
			return err
		case d.matches(p):
			list = append(list, p)
			chunks[d.grid.Containing(p)] = true
		default:
			stay++
		}
	}
	if len(list) == 0 {
		return nil
	}
	if stay == 0 && !d.all {
		return fmt.Errorf("all %s: %w", words.Count(len(list), "block"), ErrAll)
	}
	var at []check.Place
	if len(chunks) <= fewPlaces {
		for c := range chunks {
			p := d.grid.Blocks(c).Min
			at = append(at, place.Block(p.X, p.Y, p.Z))
		}
		slices.SortFunc(at, func(a, b check.Place) int {
			p, _ := a.(place.Node).BlockPos()
			q, _ := b.(place.Node).BlockPos()
			return slices.Compare(p[:], q[:])
		})
	}
	if d.single {
		noteChange(d.counts, "map", "blocks deleted", int64(len(list)), "blocks", at...)
	} else {
		noteChange(d.counts, "map", "blocks deleted", int64(len(list)), "blocks")
		noteChange(d.counts, "map", "map chunks deleted", int64(len(chunks)), "map chunks", at...)
	}
	if d.export != "" {
		w.AddPart(export(w, d.export, list))
		noteChange(d.counts, "map", "blocks exported to "+d.export, int64(len(list)), "blocks")
	}
	slices.SortFunc(list, func(a, b mapdb.Pos) int { return int(a.Key() - b.Key()) })
	gone := func(b mapdb.Block) bool {
		_, found := slices.BinarySearchFunc(list, b.Pos, func(a, b mapdb.Pos) int { return int(a.Key() - b.Key()) })
		return found
	}
	return w.Do(ctx, worldedit.Delete(mapdb.All(), gone))
}

// export creates a separate world with the blocks of list as they were before all steps.
func export(w *worldedit.World, dst string, list []mapdb.Pos) worldedit.Part {
	done := false
	write := func(ctx context.Context) error {
		if done {
			return nil
		}
		if err := wholefile.MkdirAll(filepath.Dir(dst), 0o755); err != nil {
			return err
		}
		out, err := output.New(dst, output.Options{})
		if err != nil {
			return err
		}
		defer out.Discard()
		part, err := out.Dir()
		if err != nil {
			return err
		}
		settings := world.ParseSettings([]byte("backend = "+mapdb.SQLite+"\n"), "")
		if old, err := world.ReadWorldMT(w.Dir); err == nil && old.GameID() != "" {
			if err := settings.Set("gameid", old.GameID()); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(part, "world.mt"), settings.Append(nil), 0o644); err != nil {
			return err
		}
		for _, name := range []string{"map_meta.txt", "env_meta.txt"} {
			text, err := w.ReadFile(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(part, name), text, 0o644)
			}
			if err != nil {
				return err
			}
		}
		db, err := mapdb.Create(ctx, part, mapdb.Config{Backend: mapdb.SQLite})
		if err != nil {
			return err
		}
		_, err = mapdb.Load(ctx, db, mapdb.Fetch(ctx, w.Base(), list))
		if err = errors.Join(err, db.Close()); err == nil {
			err = out.Commit()
		}
		done = err == nil
		return err
	}
	return worldedit.Part{
		Keep:  func(ctx context.Context, _ worldedit.Keeper) error { return write(ctx) },
		Apply: func(ctx context.Context, _ string, _ *world.Settings) error { return write(ctx) },
	}
}

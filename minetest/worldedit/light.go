package worldedit

import (
	"bufio"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"trowel.example/minetest/mapdb"
)

// LightList is the file of a world that lists the blocks whose light may be wrong, one x,y,z
// a line. The mod contrib/minetest/trowel_light has the game mend it.
const LightList = "trowel_light.txt"

// Touched goes through the positions of the blocks in which nodes are others than in the
// world, in the order of keys: near these the light may be wrong. Blocks that were deleted are
// not among them: the map generator makes them again, with the light around them.
func (w *World) Touched() iter.Seq2[mapdb.Pos, error] {
	return func(yield func(mapdb.Pos, error) bool) {
		for _, e := range w.scratch.index {
			r, err := w.scratch.head(e.offset)
			p, _ := mapdb.PosOfKey(e.key)
			if err != nil || r.nodes && !r.deleted {
				if !yield(p, err) || err != nil {
					return
				}
			}
		}
	}
}

// ListLight has the touched blocks added to the [LightList] of the world that is written, and
// returns how many they are.
func (w *World) ListLight() (n int, err error) {
	for _, err := range w.Touched() {
		if err != nil {
			return 0, err
		}
		n++
	}
	if n > 0 {
		w.AddPart(Part{
			Keep:  func(Keeper) error { return nil },
			Apply: func(_ context.Context, dir string) error { return w.writeLight(filepath.Join(dir, LightList)) },
		})
	}
	return n, nil
}

func (w *World) writeLight(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	for p, err := range w.Touched() {
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%d,%d,%d\n", p.X, p.Y, p.Z)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return f.Sync()
}

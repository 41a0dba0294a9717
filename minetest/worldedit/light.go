package worldedit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// LightList is the file of a world that lists the blocks whose light may be wrong, one x,y,z per line. The mod
// contrib/minetest/trowel_light makes the game recompute their light.
const LightList = "trowel_light.txt"

// Touched yields the positions of the blocks with changed nodes, in the order of keys. The light in and near these
// blocks may be wrong. Deleted blocks are not included: the map generator regenerates them, with the light around
// them.
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

// ListLight adds the touched blocks to the [LightList] of the world that is written, and returns their number.
func (w *World) ListLight() (n int, err error) {
	for _, err := range w.Touched() {
		if err != nil {
			return 0, err
		}
		n++
	}
	if n > 0 {
		w.AddPart(Part{
			Keep:  func(_ context.Context, b Keeper) error { return b.Store([]string{LightList}) },
			Apply: w.writeLight,
			early: true, // a run that is killed after the blocks were written could not list them any more
		})
	}
	return n, nil
}

// writeLight writes the list of this world, with the touched blocks added, to dir. It always reads the list of this
// world, even if dir is another folder, so that repeating it gives the same result.
func (w *World) writeLight(_ context.Context, dir string, _ *world.Settings) error {
	in, out := io.Pipe()
	defer in.Close()
	go func() {
		b := bufio.NewWriter(out)
		for p, err := range w.Touched() {
			if err == nil {
				_, err = fmt.Fprintf(b, "%d,%d,%d\n", p.X, p.Y, p.Z)
			}
			if err != nil {
				_ = out.CloseWithError(err)
				return
			}
		}
		_ = out.CloseWithError(b.Flush())
	}()
	list := io.Reader(in)
	old, _, err := regular.Open(filepath.Join(w.Dir, LightList))
	switch {
	case err == nil:
		defer old.Close()
		list = io.MultiReader(closeAtEnd{old}, strings.NewReader("\n"), in) // an empty line has no meaning
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return wholefile.Write(filepath.Join(dir, LightList), list, 0o644)
}

// closeAtEnd closes a file as soon as it is read: Windows cannot replace open files.
type closeAtEnd struct{ f *os.File }

func (c closeAtEnd) Read(p []byte) (int, error) {
	n, err := c.f.Read(p)
	if err == io.EOF {
		_ = c.f.Close()
	}
	return n, err
}

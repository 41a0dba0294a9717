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

	"trowel.example/internal/regular"
	"trowel.example/internal/wholefile"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
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
			Keep:  func(b Keeper) error { return b.Store([]string{LightList}) },
			Apply: w.writeLight,
			early: true, // a run that is killed behind the blocks would not know them any more
		})
	}
	return n, nil
}

// writeLight makes the list of a world that of this one, with what is touched. It is read here
// even if it is written elsewhere: so it is the same when it is done again.
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
		list = io.MultiReader(closeAtEnd{old}, strings.NewReader("\n"), in) // an empty line lists nothing
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return wholefile.Write(filepath.Join(dir, LightList), list, 0o644)
}

// closeAtEnd closes a file as soon as it is read: Windows replaces no file that is open.
type closeAtEnd struct{ f *os.File }

func (c closeAtEnd) Read(p []byte) (int, error) {
	n, err := c.f.Read(p)
	if err == io.EOF {
		_ = c.f.Close()
	}
	return n, err
}

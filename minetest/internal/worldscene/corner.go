package worldscene

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/textured"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddraw"
)

const usualCorner = "south-west"

var optionCorner = format.Option{Name: "corner", For: format.ForScene, Drawing: format.Drawing{Title: "Corner", Views: []string{viewIso}},
	Choices: []string{usualCorner, "south-east", "north-east", "north-west"},
	Help:    "the `corner` from which it looks; all but south-west (the default) require textures"}

// isoFrom returns the isometric view from a corner.
func isoFrom(corner string) *textured.Flat {
	f := &textured.Flat{Right: [3]float64{1, 0, -1}, Down: [3]float64{-.5, -1, -.5}, Near: [3]int{-1, 1, -1}, Shift: [2]float64{1, 2}}
	turns := 0
	for i, c := range optionCorner.Choices {
		if c == corner {
			turns = i
		}
	}
	for range turns { // by a right angle, against the clock seen from above
		for _, v := range []*[3]float64{&f.Right, &f.Down} {
			v[0], v[2] = -v[2], v[0]
		}
		f.Near[0], f.Near[2] = -f.Near[2], f.Near[0]
	}
	return f
}

// cornerMap is an isometric picture from another corner than the usual one, which is always drawn with textures.
type cornerMap struct {
	view   *textured.Flat
	places *worlddraw.Places
	db     mapdb.DB
	extent worlddraw.Box
}

// rectOf returns the part of the picture, in units, that a box of nodes takes.
func rectOf(f *textured.Flat, low, high [3]int) (r format.Rect) {
	r.Min, r.Max = f.Shift, f.Shift
	for a := range low {
		for i, step := range [2]float64{f.Right[a], f.Down[a]} {
			p, q := step*float64(low[a]), step*float64(high[a]+1)
			r.Min[i], r.Max[i] = r.Min[i]+min(p, q), r.Max[i]+max(p, q)
		}
	}
	return r
}

// Within calls do for the blocks that may be visible in a part of the picture, until it returns an error.
func (c *cornerMap) Within(ctx context.Context, r image.Rectangle, at worlddraw.Scaled, do func(mapdb.Pos) error) error {
	place := func(x, y int) [2]float64 {
		return [2]float64{at.Origin[0] + float64(x)/at.Scale, at.Origin[1] + float64(y)/at.Scale}
	}
	low, high := place(r.Min.X, r.Min.Y), place(r.Max.X, r.Max.Y)
	const side = mapblock.Side
	box := c.extent
	for z := box.Min[2] >> 4; z <= box.Max[2]>>4; z++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		// The columns of the row whose blocks are between the left and the right side.
		row := rectOf(c.view, [3]int{0, 0, z * side}, [3]int{side - 1, 0, z*side + side - 1})
		step := c.view.Right[0] * side
		first, last := (low[0]-row.Max[0])/step, (high[0]-row.Min[0])/step
		from, to := max(int(math.Floor(min(first, last))), box.Min[0]>>4), min(int(math.Ceil(max(first, last))), box.Max[0]>>4)
		for _, p := range c.places.InRow(z, from, to) {
			b := boxOfBlock(p)
			o := rectOf(c.view, b.Min, b.Max)
			if o.Max[0] <= low[0] || o.Min[0] >= high[0] || o.Max[1] <= low[1] || o.Min[1] >= high[1] {
				continue
			}
			if err := do(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// RenderScaled draws nothing: there are no textures.
func (c *cornerMap) RenderScaled(context.Context, *image.RGBA, worlddraw.Scaled) error {
	return fmt.Errorf("--%s: only pictures with textures are drawn from other corners than %s", optionCorner.Name, usualCorner)
}

// Cover draws nothing.
func (c *cornerMap) Cover(context.Context, *image.RGBA, worlddraw.Scaled) error { return nil }

// Fingerprint hashes the blocks that may be visible in a part of the picture.
func (c *cornerMap) Fingerprint(ctx context.Context, h io.Writer, r image.Rectangle, at worlddraw.Scaled) (some bool, err error) {
	err = c.Within(ctx, r, at, func(p mapdb.Pos) error {
		data, err := c.db.Get(ctx, p)
		var row *mapdb.RowError
		if errors.Is(err, mapdb.ErrNotFound) {
			return nil
		} else if err != nil && !errors.As(err, &row) {
			return err
		}
		some = true
		fmt.Fprintln(h, p, len(data), err)
		_, err = h.Write(data)
		return err
	})
	return some, err
}

// Shows reports whether a part of the picture contains a block.
func (c *cornerMap) Shows(ctx context.Context, r image.Rectangle, at worlddraw.Scaled) (bool, error) {
	found := errors.New("found")
	err := c.Within(ctx, r, at, func(mapdb.Pos) error { return found })
	if err == found {
		return true, nil
	}
	return false, err
}

// Hidden returns nothing: textures need no colours.
func (c *cornerMap) Hidden() map[string]int64 { return nil }

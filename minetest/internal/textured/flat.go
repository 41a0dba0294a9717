package textured

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"

	"trowel.example/internal/picture/raster"
	"trowel.example/minetest/internal/nodemesh"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// Flat is a view from infinitely far away. The node at x,y,z is the cube from there to x+1,y+1,z+1.
type Flat struct {
	Right, Down [3]float64 // what a step along x, y and z adds to the place in the picture, in its units: multiples of 1/2
	Shift       [2]float64 // the place of 0,0,0
	Near        [3]int     // the direction to the eye

	Low, High [3]int // the box of nodes that are drawn, both corners inclusive
	Depth     int    // nodes are darker the farther they are from the top of the box, as far as this; 0: they are not

	Daylight  float64 // 0 at midnight to 1 at noon
	FullLight bool    // all nodes are in daylight, without shadows

	// Lacks, if it is not nil, is called with the files that could not be used, among those of the nodes in and near a part
	// that is not empty.
	Lacks func(name string, err error)
}

// Blocks are the blocks of a world.
type Blocks interface {
	// In returns the positions of the blocks in a part of a picture, in which a unit is scale pixels, in any order. It may return others.
	In(ctx context.Context, r image.Rectangle, scale int) ([]mapdb.Pos, error)
	// Nodes returns the nodes of a block, or nil if it is not there. They are drawn, or decide how others are drawn.
	Nodes(ctx context.Context, pos mapdb.Pos, drawn bool) (*mapblock.Nodes, error)
}

const (
	blockSide = mapblock.Side
	margin    = 2 // the nodes around a block that its faces depend on
	reach     = 2 // nodes that faces stick out of their node
	piece     = 8 // the edge of the cubes of nodes that are drawn or left out as a whole
	tileSide  = 2048
	grain     = 256 // parts of a pixel, see package raster
)

// Reach returns the pixels on which a rectangle depends in a picture in which a unit is scale pixels.
func (f *Flat) Reach(r image.Rectangle, scale float64) image.Rectangle {
	return r.Inset(-int(math.Ceil((margin + reach) * scale * max(f.width(f.Right), f.width(f.Down)))))
}

// width returns the width of a node along one axis of the picture.
func (f *Flat) width(axis [3]float64) float64 {
	return math.Abs(axis[0]) + math.Abs(axis[1]) + math.Abs(axis[2])
}

// Draw draws the nodes over a part of a picture, in which a unit is scale pixels, an even number. No pixel depends on the choice of the
// part.
func (f *Flat) Draw(ctx context.Context, dst *image.RGBA, scale int, g *Game, blocks Blocks) error {
	r := dst.Rect
	for y := r.Min.Y; y < r.Max.Y; y += tileSide {
		for x := r.Min.X; x < r.Max.X; x += tileSide {
			tile := image.Rect(x, y, x+tileSide, y+tileSide).Intersect(r)
			if err := f.tile(ctx, dst.SubImage(tile).(*image.RGBA), scale, g, blocks); err != nil {
				return err
			}
		}
	}
	return nil
}

// tile draws a tile of a picture.
func (f *Flat) tile(ctx context.Context, dst *image.RGBA, scale int, g *Game, blocks Blocks) error {
	all, err := blocks.In(ctx, f.Reach(dst.Rect, float64(scale)), scale)
	if err != nil || len(all) == 0 {
		return err
	}
	base := dst.Rect.Min
	img := &image.RGBA{Pix: dst.Pix, Stride: dst.Stride, Rect: dst.Rect.Sub(base)} // small coordinates are exact
	v := g.NewVolume([3]int{}, [3]int{blockSide + 2*margin, blockSide + 2*margin, blockSide + 2*margin})
	v.Open()
	v.Limit(f.Low, f.High)
	v.FullLight = f.FullLight
	v.Eye = f.Near
	p := &sheet{Flat: f, scale: float64(scale), base: base, daylight: v.Daylight(f.Daylight)}
	d := newDrawing(ctx, p, raster.NewCanvas(img), g)
	within := func(low, high [3]int) bool {
		r, _ := p.outline(low, high)
		return r.In(img.Rect)
	}
	partly := func(node [3]int) bool {
		r, _ := p.outline(node, node)
		return r.Overlaps(img.Rect)
	}
	v.Hidden = func(node [3]int) bool {
		r, depth := p.project(node, node, 0)
		return d.canvas.Hides(r, depth)
	}
	slices.SortFunc(all, func(a, b mapdb.Pos) int {
		return cmp.Or(cmp.Compare(f.near(start(b)), f.near(start(a))), cmp.Compare(a.Key(), b.Key()))
	})
	for _, pos := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		low := start(pos)
		high := [3]int{low[0] + blockSide - 1, low[1] + blockSide - 1, low[2] + blockSide - 1}
		if !p.shows(d.canvas, low, high) {
			continue
		}
		nodes, err := blocks.Nodes(ctx, pos, true)
		if err != nil {
			return err
		}
		if nodes == nil || len(nodes.Names) == 1 && nodes.Names[0] == mapblock.Air {
			continue
		}
		if err := around(ctx, v, pos, blocks); err != nil {
			return err
		}
		p.move(v.Origin)
		for _, c := range f.pieces(low) {
			low, high := c, [3]int{c[0] + piece - 1, c[1] + piece - 1, c[2] + piece - 1}
			p.clip(dst.Rect, &low, &high)
			if p.shows(d.canvas, low, high) {
				if v.Shows = nil; !within(low, high) {
					v.Shows = partly
				}
				v.Faces(low, high, d.face)
			}
			if d.err != nil {
				return in(d.err, "block %d,%d,%d", pos.X, pos.Y, pos.Z)
			}
		}
	}
	err = d.finish()
	if f.Lacks != nil && d.canvas.Pixels > 0 {
		g.lack(v.Files(), f.Lacks)
	}
	return err
}

func start(pos mapdb.Pos) [3]int {
	return [3]int{int(pos.X) * blockSide, int(pos.Y) * blockSide, int(pos.Z) * blockSide}
}

// near returns how near a node is.
func (f *Flat) near(p [3]int) int { return f.Near[0]*p[0] + f.Near[1]*p[1] + f.Near[2]*p[2] }

// pieces returns the pieces of a block, the nearest first.
func (f *Flat) pieces(low [3]int) (all [8][3]int) {
	for i := range all {
		all[i] = [3]int{low[0] + i&1*piece, low[1] + i>>1&1*piece, low[2] + i>>2*piece}
	}
	slices.SortStableFunc(all[:], func(a, b [3]int) int { return cmp.Compare(f.near(b), f.near(a)) })
	return all
}

// around loads a block and the nodes around it.
func around(ctx context.Context, v *nodemesh.Volume, pos mapdb.Pos, blocks Blocks) error {
	low := start(pos)
	v.Move([3]int{low[0] - margin, low[1] - margin, low[2] - margin})
	for z := int(pos.Z) - 1; z <= int(pos.Z)+1; z++ {
		for y := int(pos.Y) - 1; y <= int(pos.Y)+1; y++ {
			for x := int(pos.X) - 1; x <= int(pos.X)+1; x++ {
				at := mapdb.Pos{X: int16(x), Y: int16(y), Z: int16(z)}
				if !at.Valid() {
					continue
				}
				nodes, err := blocks.Nodes(ctx, at, false)
				if err != nil {
					return err
				}
				if nodes != nil {
					v.SetBlock(at, nodes)
				}
			}
		}
	}
	return nil
}

// sheet is the projection of a [Flat] to the pixels of a part of a picture.
type sheet struct {
	*Flat
	scale    float64
	base     image.Point // of the part
	daylight nodemesh.Daylight

	origin [3]int // of the volume
	x, y   float64
	depth  int
}

// move prepares for a volume.
func (s *sheet) move(origin [3]int) {
	s.origin = origin
	s.x, s.y = s.pixel([3]float64{float64(origin[0]) + .5, float64(origin[1]) + .5, float64(origin[2]) + .5})
	s.depth = s.near(origin)
}

// pixel returns the place of a point.
func (s *sheet) pixel(p [3]float64) (x, y float64) {
	return (dot(s.Right, p)+s.Shift[0])*s.scale - float64(s.base.X), (dot(s.Down, p)+s.Shift[1])*s.scale - float64(s.base.Y)
}

func (s *sheet) vertex(v *nodemesh.Vertex) raster.Vertex {
	p := [3]float64{float64(v.Pos[0]), float64(v.Pos[1]), float64(v.Pos[2])}
	exact := func(at float64) float64 { return math.Round(at*s.scale*grain) / grain }
	rgb := s.daylight.Color(v.Color)
	c := [3]float32{float32(rgb[0]), float32(rgb[1]), float32(rgb[2])}
	if s.Depth > 0 {
		away := float32(s.High[1]-s.origin[1]) - v.Pos[1]
		for i := range c {
			c[i] *= max(0, min(1, 1-.75*away/float32(s.Depth)))
		}
	}
	return raster.Vertex{X: float32(s.x + exact(dot(s.Right, p))), Y: float32(s.y + exact(dot(s.Down, p))), W: 1,
		Z: float32(float64(s.depth) - s.distanceOf(p)), U: v.UV[0], V: v.UV[1], Color: c}
}

func (s *sheet) distanceOf(p [3]float64) float64 {
	return -float64(s.Near[0])*p[0] - float64(s.Near[1])*p[1] - float64(s.Near[2])*p[2]
}

func (s *sheet) distance(p [3]float64) float32 { return float32(s.distanceOf(p) - float64(s.depth)) }

// shows reports whether nodes of a box may be visible.
func (s *sheet) shows(c *raster.Canvas, low, high [3]int) bool {
	for a := range low {
		low[a], high[a] = max(low[a], s.Low[a]), min(high[a], s.High[a])
		if low[a] > high[a] {
			return false
		}
	}
	r, depth := s.outline(low, high)
	return r.Overlaps(c.Image.Rect) && !c.Hides(r, depth)
}

// outline returns the pixels of a box of nodes with what sticks out, and the nearest depth.
func (s *sheet) outline(low, high [3]int) (image.Rectangle, float32) {
	return s.project(low, high, reach)
}

// project returns the pixels of a box of nodes, which is larger by some nodes on each side, and the nearest depth.
func (s *sheet) project(low, high [3]int, larger int) (image.Rectangle, float32) {
	var from, to [2]float64
	nearest := 0.0
	for a := range low {
		l, h := float64(low[a]-larger), float64(high[a]+1+larger)
		for i, step := range [2]float64{s.Right[a], s.Down[a]} {
			from[i] += min(step*l, step*h)
			to[i] += max(step*l, step*h)
		}
		nearest += max(float64(s.Near[a])*l, float64(s.Near[a])*h)
	}
	at := func(p [2]float64, round func(float64) float64) image.Point {
		return image.Pt(int(round((p[0]+s.Shift[0])*s.scale)), int(round((p[1]+s.Shift[1])*s.scale))).Sub(s.base)
	}
	return image.Rectangle{Min: at(from, math.Floor), Max: at(to, math.Ceil)}, float32(nearest)
}

// clip reduces a box to the nodes that may be in a part of the picture, for views along an axis.
func (s *sheet) clip(r image.Rectangle, low, high *[3]int) {
	for i, axis := range [2][3]float64{s.Right, s.Down} {
		from, to := [2]int{r.Min.X, r.Min.Y}[i], [2]int{r.Max.X, r.Max.Y}[i]
		for a, step := range axis {
			if math.Abs(step) != s.width(axis) {
				continue
			}
			l, h := (float64(from)/s.scale-s.Shift[i])/step, (float64(to)/s.scale-s.Shift[i])/step
			low[a], high[a] = max(low[a], int(math.Floor(min(l, h)))-reach), min(high[a], int(math.Ceil(max(l, h)))+reach)
		}
	}
	for a := range low {
		low[a], high[a] = max(low[a], s.Low[a]), min(high[a], s.High[a])
	}
}

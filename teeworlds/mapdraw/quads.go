package mapdraw

import (
	"image"
	"math"

	"trowel.example/teeworlds/twmap"
)

// drawQuads draws a layer of quads.
func (c *canvas) drawQuads(f *frame, l *layer) (err error) {
	c.with(l, func(content *content) {
		var t texture
		if l.picture != nil {
			t = c.textureOf(l.picture)
		}
		quads := c.cut.quads(l.at, content.quads)
		for i := c.firstSeen(f, t, quads); i < len(quads) && err == nil; i++ {
			err = c.drawQuad(f, t, &quads[i])
		}
	})
	return err
}

// firstSeen returns the index of the last quad that hides all before it.
func (c *canvas) firstSeen(f *frame, t texture, quads []twmap.Quad) int {
	if t != nil {
		return 0
	}
	for i := len(quads) - 1; i > 0; i-- {
		q := &quads[i]
		if q.Colors[0].A&q.Colors[1].A&q.Colors[2].A&q.Colors[3].A&255 != 255 {
			continue
		}
		if corners, seen := c.quad(f, q); seen && hides(corners, f.Rectangle) {
			return i
		}
	}
	return 0
}

// hides reports whether a quad without texture is opaque and covers an area.
func hides(corners [4]vertex, area image.Rectangle) bool {
	around := [4]vertex{corners[0], corners[1], corners[3], corners[2]}
	turn := 0.0
	for i, a := range around {
		if a.color[3] != 1 {
			return false
		}
		b := around[(i+1)%4]
		dx, dy := b.x-a.x, b.y-a.y
		length := math.Hypot(dx, dy)
		for _, p := range [4]image.Point{area.Min, {area.Max.X, area.Min.Y}, area.Max, {area.Min.X, area.Max.Y}} {
			side := ((float64(p.X)-a.x)*dy - (float64(p.Y)-a.y)*dx) / length
			if turn == 0 {
				turn = side
			}
			if !(side*turn > 0 && math.Abs(side) > 1) { // at least a pixel from every edge, on the same side of all
				return false
			}
		}
	}
	return true
}

// vertex is a corner of a quad: its position in the picture, its texture coordinates (1 is the width or height), and
// its colour.
type vertex struct {
	x, y, u, v float64
	color      [4]float64
}

func units(n int32) float64 { return float64(n) / 1024 }

func (c *canvas) drawQuad(f *frame, t texture, q *twmap.Quad) error {
	corners, seen := c.quad(f, q)
	if !seen {
		return c.effort.spend(1)
	}
	n := drawTriangle(c.dst, f.Rectangle, t, corners[0], corners[1], corners[3])
	return c.effort.spend(n + drawTriangle(c.dst, f.Rectangle, t, corners[0], corners[3], corners[2]))
}

// quad returns the corners of a quad, and false if the quad is invisible.
func (c *canvas) quad(f *frame, q *twmap.Quad) (corners [4]vertex, seen bool) {
	color := [4]float64{1, 1, 1, 1}
	c.envelopes.apply(color[:], q.ColorEnv, q.ColorEnvOffset)
	// Unlike tiles, quads are not dimmed by entities: the client that made the reference pictures does the same, but
	// not the latest client.
	if !(color[3] > 0) {
		return corners, false
	}
	if q.Colors[0].A|q.Colors[1].A|q.Colors[2].A|q.Colors[3].A == 0 {
		return corners, false
	}
	places := c.envelopes.corners(q)
	if !f.touches(places) {
		return corners, false
	}
	for i, at := range places {
		corners[i] = vertex{x: (at[0] - f.left) / f.step, y: (at[1] - f.top) / f.step, u: units(q.Texture[i].X), v: units(q.Texture[i].Y)}
		for j, v := range [4]int32{q.Colors[i].R, q.Colors[i].G, q.Colors[i].B, q.Colors[i].A} {
			corners[i].color[j] = float64(uint8(v)) / 255 * color[j] // the game keeps a byte of it
		}
	}
	return corners, true
}

// touches reports whether the area between the corners may overlap the picture.
func (f *frame) touches(c [4][2]float64) bool {
	within := func(d, from, to int, start float64) bool {
		least, most := min(c[0][d], c[1][d], c[2][d], c[3][d]), max(c[0][d], c[1][d], c[2][d], c[3][d])
		return !((most-start)/f.step < float64(from-1) || (least-start)/f.step > float64(to+1))
	}
	return within(0, f.Min.X, f.Max.X, f.left) && within(1, f.Min.Y, f.Max.Y, f.top)
}

// corners returns the positions of the corners of a quad.
func (e *envelopes) corners(q *twmap.Quad) (all [4][2]float64) {
	var move [3]float64
	e.apply(move[:], q.PosEnv, q.PosEnvOffset)
	sin, cos := math.Sincos(move[2] * math.Pi / 180)
	px, py := units(q.Pivot.X), units(q.Pivot.Y)
	for i := range all {
		x, y := units(q.Points[i].X), units(q.Points[i].Y)
		if move[2] != 0 {
			dx, dy := x-px, y-py
			x, y = dx*cos-dy*sin+px, dx*sin+dy*cos+py
		}
		all[i] = [2]float64{x + move[0], y + move[1]}
	}
	return all
}

// slope is a value that is linear over a triangle: its value at the first corner, and its change per pixel to the
// right and down.
type slope struct{ at, x, y float64 }

func (s slope) value(dx, dy float64) float64 { return s.at + dx*s.x + dy*s.y }

// drawTriangle draws the pixels of area whose middles are in a triangle. Pixels on the common edge of two triangles
// belong to exactly one of them. It returns the effort: the number of pixels and rows.
func drawTriangle(dst *image.RGBA, area image.Rectangle, tex texture, a, b, c vertex) (drawn int) {
	top, bottom := pixelFrom(min(a.y, b.y, c.y)), pixelFrom(max(a.y, b.y, c.y))
	top, bottom = max(top, area.Min.Y), min(bottom, area.Max.Y)
	if top >= bottom || pixelFrom(max(a.x, b.x, c.x)) <= area.Min.X || pixelFrom(min(a.x, b.x, c.x)) >= area.Max.X {
		return 0
	}
	abx, aby, acx, acy := b.x-a.x, b.y-a.y, c.x-a.x, c.y-a.y
	double := abx*acy - acx*aby // twice its area
	slopeOf := func(a, b, c float64) slope {
		ab, ac := b-a, c-a
		return slope{a, (ab*acy - ac*aby) / double, (abx*ac - acx*ab) / double}
	}
	s := span{u: slopeOf(a.u, b.u, c.u), v: slopeOf(a.v, b.v, c.v), tex: tex}
	for i := range s.color {
		s.color[i] = slopeOf(a.color[i], b.color[i], c.color[i])
		if math.IsNaN(s.color[i].x) || math.IsInf(s.color[i].x, 0) || math.IsNaN(s.color[i].y) || math.IsInf(s.color[i].y, 0) {
			return 0 // its area is zero
		}
	}
	if !s.prepare() {
		return 0
	}
	edges := [3]edge{newEdge(a, b), newEdge(b, c), newEdge(c, a)}
	for y := top; y < bottom; y++ {
		middle := float64(y) + 0.5
		left, right := math.Inf(1), math.Inf(-1)
		for _, e := range edges {
			if e.y0 <= middle && middle < e.y1 {
				x := e.x0 + (middle-e.y0)*e.slope
				left, right = min(left, x), max(right, x)
			}
		}
		begin, end := pixelFrom(left), pixelFrom(right)
		from, to := max(begin, area.Min.X), min(end, area.Max.X)
		if from < to {
			s.draw(dst.Pix[dst.PixOffset(from, y):], begin, from, to, float64(begin)+0.5-a.x, middle-a.y)
			drawn += to - from
		}
	}
	return drawn + bottom - top
}

// pixelFrom returns the first pixel whose middle is at or after a position.
func pixelFrom(at float64) int {
	return int(math.Ceil(min(max(at-0.5, -farAway), farAway)))
}

// edge is a side of a triangle, from its upper end. It is identical in both triangles that share it, so that there is
// no gap or overlap between them.
type edge struct{ x0, y0, y1, slope float64 }

func newEdge(a, b vertex) edge {
	if b.y < a.y {
		a, b = b, a
	}
	return edge{a.x, a.y, b.y, (b.x - a.x) / (b.y - a.y)} // no pixel row crosses a horizontal edge
}

// span draws the pixels of a triangle row by row. Its values advance from pixel to pixel as integers, from the first
// pixel of the row in the triangle, whichever pixels are drawn.
type span struct {
	u, v   slope
	color  [4]slope
	tex    texture
	detail detail
	levels [2]level     // the sizes of the texture
	halves [2][2]uint64 // half of a texel of each size, across and down, where 1<<64 is the whole texture
	rows   [2]texelRow  // of each size

	du, dv    uint64 // 1<<64 is the whole texture: overflow repeats it
	dcolor    [4]int64
	flat      bool // the colour is the same everywhere
	flatTint  tint
	flatShade shade // if there is no texture either
}

// colorBits is the number of additional bits for interpolated colours, compared to tints.
const colorBits = 24

// maxColor exceeds every colour that an envelope can produce, and is small enough to avoid overflow.
const maxColor = 1 << 22

// prepare computes the values that are the same in all rows, and reports whether anything is to be drawn.
func (s *span) prepare() bool {
	s.flat = true
	for i, c := range s.color {
		s.dcolor[i] = int64(min(max(c.x*(one<<colorBits), -math.MaxInt64/4), math.MaxInt64/4))
		s.flat = s.flat && c.x == 0 && c.y == 0
	}
	if s.flat {
		s.flatTint = newTint([4]float64{s.color[0].at, s.color[1].at, s.color[2].at, s.color[3].at})
		if s.flatTint[3] == 0 {
			return false
		}
		s.flatShade = s.flatTint.of(whiteShade)
	}
	if s.tex == nil {
		return true
	}
	w, h := float64(s.tex[0].w), float64(s.tex[0].h)
	texels := max(math.Hypot(s.u.x*w, s.v.x*h), math.Hypot(s.u.y*w, s.v.y*h))
	if math.IsNaN(texels) || math.IsInf(texels, 0) {
		return false
	}
	s.detail = detailOf(texels, len(s.tex))
	s.du, s.dv = turns(s.u.x), turns(s.v.x)
	s.levels = [2]level{s.tex[s.detail.level], s.tex[min(s.detail.level+1, len(s.tex)-1)]}
	for i, l := range s.levels {
		s.halves[i] = [2]uint64{(1 << 63) / uint64(l.w), (1 << 63) / uint64(l.h)}
		s.rows[i].n = uint64(l.w)
	}
	return true
}

// turns returns the fractional part of a number, in units of 1/(1<<64).
func turns(v float64) uint64 {
	v -= math.Floor(v)
	return uint64(v*(1<<53)) << 11
}

// draw draws the pixels between from and to in a row. The first pixel of the row in the triangle is begin, at the
// distance dx, dy from the first corner.
func (s *span) draw(dst []byte, begin, from, to int, dx, dy float64) {
	if s.tex == nil && s.flat {
		fill(dst, to-from, s.flatShade)
		return
	}
	skipped := from - begin
	u, v := turns(s.u.value(dx, dy))+uint64(skipped)*s.du, turns(s.v.value(dx, dy))+uint64(skipped)*s.dv
	t := s.flatTint
	var color [4]int64
	if !s.flat {
		for i, c := range s.color {
			at := min(max(c.value(dx, dy), -maxColor), maxColor)
			color[i] = int64(at*(one<<colorBits)) + int64(skipped)*s.dcolor[i]
		}
	}
	for x := range to - from {
		sample := whiteShade
		if s.tex != nil {
			if s.dv != 0 || x == 0 {
				s.seek(v)
			}
			sample = s.sample(u)
			u, v = u+s.du, v+s.dv
		}
		if !s.flat {
			for i := range t {
				t[i] = min(max(color[i]>>colorBits, 0), maxTint)
				color[i] += s.dcolor[i]
			}
		}
		if s.flat && t == noTint {
			blend(dst[4*x:4*x+4], sample)
		} else {
			blend(dst[4*x:4*x+4], t.of(sample))
		}
	}
}

// seek selects the rows of texels for a height in the texture.
func (s *span) seek(v uint64) {
	s.levels[0].row(&s.rows[0], v-s.halves[0][1])
	if s.detail.weight != 0 {
		s.levels[1].row(&s.rows[1], v-s.halves[1][1])
	}
}

// sample returns the shade of the texture at a position in the rows that seek selected.
func (s *span) sample(u uint64) shade {
	a, x := s.rows[0].repeated(u - s.halves[0][0])
	if s.detail.weight == 0 {
		return mixed(a, x, s.rows[0].weight)
	}
	b, x2 := s.rows[1].repeated(u - s.halves[1][0])
	return mixed2(a, b, x, s.rows[0].weight, x2, s.rows[1].weight, s.detail.weight)
}

// texelRow holds two rows of n texels, and the weight of the second.
type texelRow struct {
	top, bottom []byte
	n           uint64
	weight      uint64
}

// repeated returns the texels around a position, which is counted from the middle of the first, and the weight of those on
// the right.
func (r *texelRow) repeated(u uint64) (square, uint64) {
	first, second, weight := repeated(u, r.n)
	return square{texel(r.top, 4*first), texel(r.top, 4*second), texel(r.bottom, 4*first), texel(r.bottom, 4*second)}, weight
}

// row selects the rows around a height, in units of 1/(1<<64) of the level, which repeats.
func (l *level) row(r *texelRow, v uint64) {
	first, second, weight := repeated(v, uint64(l.h))
	r.top, r.bottom, r.weight = l.pix[first*l.stride:], l.pix[second*l.stride:], weight
}

// repeated returns the two of n texels around a position, which is counted from the middle of the first, and the weight of
// the second.
func repeated(at, n uint64) (first, second int, weight uint64) {
	texels := (at >> 32) * n
	first, weight = int(texels>>32), texels>>(32-weightBits)&(weightOne-1)
	if second = first + 1; second == int(n) {
		second = 0
	}
	return first, second, weight
}

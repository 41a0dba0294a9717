package mapdraw

import (
	"context"
	"image"
	"math"
	"slices"
	"weak"

	"trowel.example/teeworlds/twmap"
)

// drawTiles draws a layer of tiles or entities.
func (c *canvas) drawTiles(ctx context.Context, f *frame, l *layer) (err error) {
	color := c.color(l)
	if !(color[3] > 0) {
		return nil
	}
	c.with(l, func(content *content) {
		for i := range content.strata {
			if err = c.effort.spend(f.Dx() * f.Dy()); err != nil {
				return
			}
			s := &content.strata[i]
			sheet, tint := s.sheet(c, l), newTint(color)
			if c.picture.Film && c.keeps && c.cut == nil && sheet != nil {
				c.drawStill(ctx, f, s, sheet, tint)
			} else {
				newTiling(c, f, s, sheet, tint).draw(ctx)
			}
		}
	})
	return err
}

// color returns the factors for the colours of a layer of tiles.
func (c *canvas) color(l *layer) [4]float64 {
	color := [4]float64{1, 1, 1, 1}
	if c.cut != nil && c.cut.plain {
		return color
	}
	if t := l.tiles; !l.entities() {
		c.envelopes.apply(color[:], t.ColorEnv, t.ColorEnvOffset)
		for i, v := range [4]int32{t.Color.R, t.Color.G, t.Color.B, t.Color.A} {
			color[i] *= float64(v) / 255
		}
	}
	color[3] *= c.opacity(l)
	return color
}

// layerSheet returns the picture of a layer.
func (c *canvas) layerSheet(l *layer) *sheet {
	if l.picture == nil {
		return nil
	}
	return c.sheetOf(l.picture, TileSize/c.frame(l.at.group).step)
}

// tiling is a stratum during drawing.
type tiling struct {
	dst    *image.RGBA
	area   image.Rectangle
	s      *stratum
	sheet  *sheet // nil: tiles have a plain colour
	tint   tint
	tinted bool
	flat   shade

	cols, rows []along // the pixels of the area, from left to right and from top to bottom
	detail     detail
	scaled     *scaledSheet // nil: scaled cells differ by position
	xs, ys     [2][]step    // reused memory, like line
	line       []shade
	still      *still // not nil: receives what is drawn
}

// along is the position of a pixel on a line of tiles.
type along struct {
	tile int     // number of the tile, which may be outside of the layer
	at   float64 // position in the tile, 0 to 1
	nth  int     // the number of pixels before it in the tile, if that is the same in all tiles
}

func newTiling(c *canvas, f *frame, s *stratum, sheet *sheet, tint tint) *tiling {
	t := &tiling{dst: c.dst, area: f.Rectangle, s: s, sheet: sheet, tint: tint, tinted: tint != noTint, flat: tint.of(whiteShade)}
	size := TileSize / f.step // pixels per tile
	var even bool
	var phase [2]float64
	t.cols, phase[0], even = pixels(f.Min.X, f.Max.X, f.left/f.step, size)
	t.rows, phase[1], _ = pixels(f.Min.Y, f.Max.Y, f.top/f.step, size)
	if sheet != nil {
		t.detail = sheet.detail(size)
		if even && size <= maxScaledSide {
			t.scaled = c.scaled.sheet(scaledKey{weak.Make(sheet), int(math.Round(size)), phase})
		}
	}
	return t
}

// pixels returns the positions of the pixels from min to max on a line of tiles that begin at -start, with everything
// in pixels. If size is an integer, all tiles have the same pixels, and phase is the offset of the first of them in
// its pixel.
func pixels(min, max int, start, size float64) (list []along, phase float64, even bool) {
	list = make([]along, max-min)
	whole := math.Round(size)
	if even = whole >= 1 && math.Abs(size-whole) < 1e-9*whole && math.Abs(start) < farAway; !even {
		for i := range list {
			at := (float64(min+i) + 0.5 + start) / size
			tile := math.Floor(at)
			list[i] = along{tile: int(math.Max(-farAway, math.Min(tile, farAway))), at: math.Min(math.Max(at-tile, 0), 1)}
		}
		return list, 0, false
	}
	first := math.Floor(start + 0.5)
	phase = start + 0.5 - first // of the middle of a pixel, 0 to 1
	// Positions that differ by less than this result from the same numbers with other rounding errors.
	const grain = 1 << 20
	phase = math.Round(phase*grain) / grain
	n := int(whole)
	for i := range list {
		pixel := min + i + int(first)
		tile := floorDiv(pixel, n)
		nth := pixel - tile*n
		list[i] = along{tile, math.Min((float64(nth)+phase)/whole, 1), nth}
	}
	return list, phase, true
}

// farAway exceeds the coordinates of all tiles, and is small enough for exact arithmetic.
const farAway = 1 << 40

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// stretch is a run of pixels of a line in the same tile. The tile may be outside of the layer.
type stretch struct{ tile, from, to int }

// stretches divides a line into the tiles that contain its pixels. Those from inside to outside are in the layer,
// which has n tiles.
func stretches(line []along, n int) (list []stretch, inside, outside int) {
	for from := 0; from < len(line); {
		tile := line[from].tile
		to := from + 1
		for to < len(line) && line[to].tile == tile {
			to++
		}
		if tile < 0 {
			inside++
		}
		if tile < n {
			outside = len(list) + 1
		}
		list = append(list, stretch{inLayer(tile, n), from, to})
		from = to
	}
	return list, min(inside, len(list)), outside
}

// inLayer returns the tile of n that is drawn for a tile number: beyond the edge it is the tile at the edge.
func inLayer(tile, n int) int { return min(max(tile, 0), n-1) }

// draw draws tile by tile.
func (t *tiling) draw(ctx context.Context) {
	cols, left, right := stretches(t.cols, t.s.w)
	rows, top, bottom := stretches(t.rows, t.s.h)
	blank := func(y int) bool {
		return !t.s.any(cols[0].tile, y, cols[len(cols)-1].tile+1, y+1)
	}
	// The area beyond the edge is usually empty, and may be most of a picture.
	if top > 0 && blank(0) {
		rows, bottom = rows[top:], max(bottom-top, 0)
	}
	if bottom < len(rows) && blank(t.s.h-1) {
		rows = rows[:bottom]
	}
	for _, y := range rows {
		if ctx.Err() != nil {
			return
		}
		row := t.s.cells[y.tile*t.s.w:][:t.s.w]
		inRow := cols
		if row[t.s.w-1].id() == 0 {
			inRow = inRow[:right]
		}
		if row[0].id() == 0 {
			inRow = inRow[min(left, len(inRow)):]
		}
		for _, x := range inRow {
			if cell := row[x.tile]; cell.id() != 0 {
				t.tile(cell, x.from, x.to, y.from, y.to)
			}
		}
	}
}

// tile draws a part of a tile; pixels are counted from the top left of the area.
func (t *tiling) tile(c cell, x0, x1, y0, y1 int) {
	switch {
	case t.sheet == nil:
		for y := y0; y < y1; y++ {
			fill(t.dst.Pix[t.dst.PixOffset(t.area.Min.X+x0, t.area.Min.Y+y):], x1-x0, t.flat)
		}
	case t.sheet.empty[c.id()]:
	case t.scaled != nil:
		ready := t.scaled.cell(t, c)
		for y := y0; y < y1; y++ {
			t.lay(x0, y, ready[t.rows[y].nth*t.scaled.side+t.cols[x0].nth:][:x1-x0])
		}
	default:
		t.steps(c, t.cols[x0:x1], t.rows[y0:y1])
		t.line = slices.Grow(t.line[:0], x1-x0)[:x1-x0]
		for y := y0; y < y1; y++ {
			t.sample(t.line, c, y-y0)
			if t.still != nil {
				t.still.add(x0, y, t.line)
			}
			t.lay(x0, y, t.line)
		}
	}
}

// lay draws a line of shades over the picture.
func (t *tiling) lay(x, y int, line []shade) {
	dst := t.dst.Pix[t.dst.PixOffset(t.area.Min.X+x, t.area.Min.Y+y):][:4*len(line)]
	if t.tinted {
		for i, s := range line {
			blend(dst[4*i:4*i+4], t.tint.of(s))
		}
		return
	}
	for i, s := range line {
		blend(dst[4*i:4*i+4], s)
	}
}

// fill draws a shade over n pixels.
func fill(dst []byte, n int, s shade) {
	for x := range n {
		blend(dst[4*x:4*x+4], s)
	}
}

// step holds the two texels around a row or column of pixels, as offsets in bytes; weight is that of the second.
type step struct {
	first, second int
	weight        uint64
}

// steps computes the texels for the rows and columns of a tile.
func (t *tiling) steps(c cell, cols, rows []along) {
	flags := c.flags()
	for i := range t.levels() {
		l := &t.sheet.levels[t.detail.level+i]
		t.xs[i], t.ys[i] = t.xs[i][:0], t.ys[i][:0]
		// A rotated tile runs from left to right where its picture runs upwards. The tile is first flipped, then
		// rotated, so the inverse starts with the rotation.
		across, down := axis{l.w, 4, flags&twmap.FlipX != 0}, axis{l.h, l.stride, flags&twmap.FlipY != 0}
		if flags&twmap.Rotate != 0 {
			across, down = axis{l.h, l.stride, flags&twmap.FlipY == 0}, axis{l.w, 4, flags&twmap.FlipX != 0}
		}
		for _, p := range cols {
			t.xs[i] = append(t.xs[i], across.step(p.at))
		}
		for _, p := range rows {
			t.ys[i] = append(t.ys[i], down.step(p.at))
		}
	}
}

// levels returns the number of sizes of the picture that are mixed.
func (t *tiling) levels() int {
	if t.detail.weight == 0 {
		return 1
	}
	return 2
}

// axis is a side of a cell: its number of texels, their distance in bytes, and whether the direction is reversed.
type axis struct {
	texels, apart int
	back          bool
}

func (a axis) step(at float64) step {
	if a.back {
		at = 1 - at
	}
	at = at*float64(a.texels) - 0.5
	first := math.Floor(at)
	weight := uint64(math.Round((at - first) * weightOne))
	i := int(first)
	if weight == weightOne {
		i, weight = i+1, 0
	}
	clamp := func(i int) int { return min(max(i, 0), a.texels-1) * a.apart }
	return step{clamp(i), clamp(i + 1), weight}
}

// sample computes the shades of a row of a tile.
func (t *tiling) sample(line []shade, c cell, y int) {
	r, xs := t.row(0, c, y), t.xs[0][:len(line)]
	if t.detail.weight == 0 {
		for i := range line {
			line[i] = mixed(r.texels(&xs[i]), xs[i].weight, r.weight)
		}
		return
	}
	r2, xs2 := t.row(1, c, y), t.xs[1][:len(line)]
	for i := range line {
		a, b := r.texels(&xs[i]), r2.texels(&xs2[i])
		line[i] = mixed2(a, b, xs[i].weight, r.weight, xs2[i].weight, r2.weight, t.detail.weight)
	}
}

// row returns the texels around a row of pixels of a tile.
func (t *tiling) row(i int, c cell, y int) texelRow {
	l := &t.sheet.levels[t.detail.level+i]
	pix, s := l.pix[l.cell(c.id()):], &t.ys[i][y]
	return texelRow{top: pix[s.first:], bottom: pix[s.second:], weight: s.weight}
}

func (r *texelRow) texels(s *step) square {
	return square{texel(r.top, s.first), texel(r.top, s.second), texel(r.bottom, s.first), texel(r.bottom, s.second)}
}

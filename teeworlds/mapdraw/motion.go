package mapdraw

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"trowel.example/fault"
	"trowel.example/teeworlds/twmap"
)

// Motion is a picture at every time: parts from back to front, which are still or follow curves. A part of triangles is
// drawn like quads of a map, see docs/rendering.md.
type Motion struct {
	Parts    []MotionPart
	Blocks   []MotionBlock // of all parts, in their order
	Corners  []MotionCorner
	Textures []MotionTexture
	Curves   []MotionCurve
	Moves    []Move
}

// MotionPart consists of blocks, or of triangles with the same texture, which are visible inside rectangles that do not
// overlap. Blocks of a part with a Move are tinted by its colour; the Move of other blocks is -1. The Texture is -1 for
// triangles without one.
type MotionPart struct {
	Blocks, Corners int // numbers of them; three corners are a triangle
	Texture, Move   int
	Clips           []image.Rectangle
}

// MotionBlockSide is the side of a block in pixels.
const MotionBlockSide = 32

// MotionBlock is a square of a still picture, with premultiplied alpha. Its left top is at X*MotionBlockSide and
// Y*MotionBlockSide; blocks at the right and the lower edge extend beyond the picture.
type MotionBlock struct {
	X, Y int
	Pix  []byte
}

// MotionCorner is a corner of a triangle in pixels of the picture, before it is moved. It turns around its pivot.
type MotionCorner struct {
	X, Y, PivotX, PivotY float32
	U, V                 float32 // 1 is the width or the height of the texture, which repeats
	Color                [4]uint8
	Move                 int
}

// MotionTexture is a picture whose colours are not multiplied by alpha, in all sizes, each half of the previous one.
type MotionTexture struct {
	Width, Height int
	Levels        [][]byte
}

// Move is the movement and colour at a time: Place has the distances to the right and down, which are multiplied by
// Scale, and the angle in degrees, clockwise; Color has the factors of red, green, blue and alpha, which are multiplied
// by Tint.
type Move struct {
	Place, Color MotionUse
	Scale        float64
	Tint         [4]float64
}

// MotionUse is a curve that starts Offset milliseconds earlier. The Curve is -1 for no movement, and for the factor 1.
type MotionUse struct {
	Curve  int
	Offset float64
}

// Limits of a motion, beyond which pictures are better.
const (
	maxMotionCorners = 6 * 20000
	maxMotionMoves   = 4096
	maxMotionBlocks  = 1 << 14
	maxMotionTexels  = 1 << 24
	maxMotionCover   = 64 // times that moving triangles cover the picture
	maxMotionSide    = 4096
)

var errMotion = fmt.Errorf("too much moves here to be drawn as triangles: %w", fault.ErrLimit)

// place is the position of a layer in the map, or of a quad in it.
type place struct{ group, layer, quad int }

// cut selects what a canvas draws: from a place up to another.
type cut struct {
	from, to place
	plain    bool // layers of tiles have no colour
}

func (c *cut) reaches(at place) bool {
	before := func(a, b place) bool {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.layer, b.layer)) < 0
	}
	return c == nil || !before(at, c.from) && (before(at, c.to) || !before(c.to, at) && c.to.quad > 0)
}

// quads returns the selected quads of a layer.
func (c *cut) quads(at place, all []twmap.Quad) []twmap.Quad {
	if c == nil {
		return all
	}
	from, to := 0, len(all)
	if c.from.group == at.group && c.from.layer == at.layer {
		from = min(c.from.quad, to)
	}
	if c.to.group == at.group && c.to.layer == at.layer {
		to = min(c.to.quad, to)
	}
	return all[from:max(from, to)]
}

// mover is a layer, or the part of a layer, that moves in a picture.
type mover struct {
	part     MotionPart
	from, to place
	reach    []bool          // by block
	clip     image.Rectangle // of its group
}

// motion is a Motion being made.
type motion struct {
	*Motion
	c        *canvas
	size     image.Point // in blocks
	movers   []mover
	moves    map[Move]int
	curves   map[curveKey]int
	textures map[*picture]int
	texels   int
	pieces   int
	cover    float64
	stack    [][]stacked // by block: from back to front
	kept     int
}

// stacked is a block of a part, counted from the still part in front of a mover (2n+2) or from a mover (2n+1).
type stacked struct {
	part   int
	opaque bool
	block  MotionBlock
}

// Motion returns the picture of a size at every time; its Time is ignored. An error that wraps [fault.ErrLimit] means
// that the picture is too complex for this.
func (r *Renderer) Motion(ctx context.Context, size image.Point, background color.NRGBA, p Picture) (*Motion, error) {
	if !p.ok() || size.X <= 0 || size.Y <= 0 || size.X > maxMotionSide || size.Y > maxMotionSide {
		return nil, fmt.Errorf("a picture too far away, too large or too small: %.4g x %.4g units", p.Camera.Width, p.Camera.Height)
	}
	dst := image.NewRGBA(image.Rectangle{Max: size})
	p.Time = 0
	c := &canvas{Renderer: r, dst: dst, picture: p, envelopes: r.at(0)}
	c.loadDrawn(ctx)
	halvings := p.halvings()
	if err := c.begin(ctx, halvings); err != nil {
		return nil, err
	}
	side := MotionBlockSide
	m := &motion{Motion: new(Motion), c: c, size: image.Pt((size.X+side-1)/side, (size.Y+side-1)/side),
		moves: make(map[Move]int), curves: make(map[curveKey]int), textures: make(map[*picture]int)}
	m.stack = make([][]stacked, m.size.X*m.size.Y)
	if err := c.each(ctx, m.find); err != nil {
		return nil, err
	}
	drawCut := func(dst *image.RGBA, cut *cut) error {
		part := canvas{Renderer: r, dst: dst, picture: p, envelopes: c.envelopes, effort: c.effort, cut: cut}
		if halvings > 0 {
			return part.drawMean(ctx, halvings)
		}
		return part.draw(ctx)
	}
	draw.Draw(dst, dst.Rect, image.NewUniform(background), image.Point{}, draw.Src)
	from := place{}
	for i := range m.movers {
		v := &m.movers[i]
		if err := drawCut(dst, &cut{from: from, to: v.from}); err != nil {
			return nil, err
		}
		from = v.to
		if v.part.Corners == 0 { // a layer of tiles
			plain := image.NewRGBA(dst.Rect)
			if err := drawCut(plain, &cut{from: v.from, to: v.to, plain: true}); err != nil {
				return nil, err
			}
			v.reach = make([]bool, len(m.stack))
			for b := range m.stack {
				v.reach[b] = !m.blank(plain, b)
			}
			if err := m.flush(dst, 2*i, v.reach); err != nil {
				return nil, err
			}
			if err := m.flush(plain, 2*i+1, v.reach); err != nil {
				return nil, err
			}
			continue
		}
		if err := m.flush(dst, 2*i, v.reach); err != nil {
			return nil, err
		}
	}
	if err := drawCut(dst, &cut{from: from, to: place{group: math.MaxInt}}); err != nil {
		return nil, err
	}
	if err := m.flush(dst, 2*len(m.movers), nil); err != nil {
		return nil, err
	}
	m.collect()
	return m.Motion, nil
}

// rect returns the pixels of a block.
func (m *motion) rect(block int) image.Rectangle {
	at := image.Pt(block%m.size.X, block/m.size.X).Mul(MotionBlockSide)
	return image.Rectangle{Min: at, Max: at.Add(image.Pt(MotionBlockSide, MotionBlockSide))}
}

// blank reports whether a block of a picture is transparent.
func (m *motion) blank(p *image.RGBA, block int) bool {
	r := m.rect(block).Intersect(p.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := p.Pix[p.PixOffset(r.Min.X, y):][:4*r.Dx()]
		for x := 3; x < len(row); x += 4 {
			if row[x] != 0 {
				return false
			}
		}
	}
	return true
}

// flush moves the blocks of a picture that something in front of it can reach (nil: all) to a part, and clears them.
func (m *motion) flush(p *image.RGBA, part int, reach []bool) error {
	for b := range m.stack {
		if reach != nil && !reach[b] || m.blank(p, b) {
			continue
		}
		r := m.rect(b)
		seen := r.Intersect(p.Rect)
		block, opaque := MotionBlock{b % m.size.X, b / m.size.X, make([]byte, 4*MotionBlockSide*MotionBlockSide)}, part%2 == 0
		for y := range seen.Dy() {
			row := p.Pix[p.PixOffset(seen.Min.X, seen.Min.Y+y):][:4*seen.Dx()]
			copy(block.Pix[4*MotionBlockSide*y:], row)
			for x := 3; x < len(row); x += 4 {
				opaque = opaque && row[x] == 255
			}
			clear(row)
		}
		if opaque { // it hides what is behind it
			m.kept -= len(m.stack[b])
			m.stack[b] = nil
		}
		m.stack[b] = append(m.stack[b], stacked{part, opaque, block})
		if m.kept++; m.kept > maxMotionBlocks {
			return errMotion
		}
	}
	return nil
}

// collect makes the parts. Parts without blocks and triangles are omitted.
func (m *motion) collect() {
	by := make([][]MotionBlock, 2*len(m.movers)+1)
	for _, list := range m.stack {
		for _, s := range list {
			by[s.part] = append(by[s.part], s.block)
		}
	}
	for i, blocks := range by {
		part := MotionPart{Texture: -1, Move: -1}
		if i%2 == 1 {
			part = m.movers[i/2].part
			part.Clips = m.clips(i)
		}
		part.Blocks = len(blocks)
		if part.Blocks+part.Corners > 0 {
			m.Parts, m.Blocks = append(m.Parts, part), append(m.Blocks, blocks...)
		}
	}
}

// find adds the movers of a layer.
func (m *motion) find(f *frame, l *layer) (err error) {
	end := place{l.at.group, l.at.layer + 1, 0}
	switch {
	case l.tiles != nil && !l.entities():
		t := l.tiles
		use := m.use(t.ColorEnv, t.ColorEnvOffset, true)
		if use.Curve < 0 {
			return nil
		}
		move := Move{Place: MotionUse{Curve: -1}, Color: use, Scale: 1}
		for i, v := range [4]int32{t.Color.R, t.Color.G, t.Color.B, t.Color.A} {
			move.Tint[i] = float64(v) / 255
		}
		move.Tint[3] *= m.c.opacity(l)
		m.movers = append(m.movers, mover{part: MotionPart{Texture: -1, Move: m.move(move)}, from: l.at, to: end})
	case l.quads != nil:
		m.c.with(l, func(content *content) { err = m.findQuads(f, l, content.quads) })
	case l.sounds != nil:
		m.c.with(l, func(content *content) {
			for i := range content.sources {
				if s := &content.sources[i]; m.use(s.PosEnv, s.PosEnvOffset, false).Curve >= 0 {
					err = errMotion
				}
			}
		})
	}
	return err
}

// findQuads adds the moving quads of a layer, with the quads between them.
func (m *motion) findQuads(f *frame, l *layer, quads []twmap.Quad) error {
	v := mover{part: MotionPart{Texture: -1, Move: -1}, reach: make([]bool, len(m.stack)), clip: f.Rectangle}
	first, last := -1, -1
	for i := range quads {
		q := &quads[i]
		if q.Colors[0].A|q.Colors[1].A|q.Colors[2].A|q.Colors[3].A == 0 {
			continue
		}
		place, tint := m.use(q.PosEnv, q.PosEnvOffset, false), m.use(q.ColorEnv, q.ColorEnvOffset, true)
		if place.Curve < 0 && tint.Curve < 0 || m.bounds(f, q, place).Empty() {
			continue
		}
		if last = i; first < 0 {
			first = i
		}
	}
	if first < 0 {
		return nil
	}
	var t texture
	if l.picture != nil {
		t = m.c.textureOf(l.picture)
	}
	for i := first; i <= last; i++ {
		q := &quads[i]
		place := m.use(q.PosEnv, q.PosEnvOffset, false)
		around := m.bounds(f, q, place)
		if around.Empty() {
			continue
		}
		for y := around.Min.Y / MotionBlockSide; y*MotionBlockSide < around.Max.Y; y++ {
			for x := around.Min.X / MotionBlockSide; x*MotionBlockSide < around.Max.X; x++ {
				v.reach[y*m.size.X+x] = true
			}
		}
		if err := m.add(f, q, place); err != nil {
			return err
		}
		v.part.Corners += 6
	}
	if t != nil {
		var err error
		if v.part.Texture, err = m.texture(l.picture, t); err != nil {
			return err
		}
	}
	v.from, v.to = l.at, l.at
	v.from.quad, v.to.quad = first, last+1
	m.movers = append(m.movers, v)
	return nil
}

// bounds returns the pixels that a quad can reach.
func (m *motion) bounds(f *frame, q *twmap.Quad, use MotionUse) image.Rectangle {
	var corners [4][2]float64
	var least, most [3]float64
	if use.Curve >= 0 {
		px, py, radius := units(q.Pivot.X), units(q.Pivot.Y), 0.0
		least, most = m.Curves[use.Curve].placeBounds()
		for i, p := range q.Points[:4] {
			corners[i] = [2]float64{units(p.X), units(p.Y)}
			radius = max(radius, math.Hypot(units(p.X)-px, units(p.Y)-py))
		}
		if least[2] != 0 || most[2] != 0 {
			corners = [4][2]float64{{px - radius, py - radius}, {px + radius, py - radius},
				{px - radius, py + radius}, {px + radius, py + radius}}
		}
	} else {
		corners = m.c.envelopes.corners(q)
	}
	var r [4]int
	for d, start := range [2]float64{f.left, f.top} {
		low := min(corners[0][d], corners[1][d], corners[2][d], corners[3][d]) + least[d]
		high := max(corners[0][d], corners[1][d], corners[2][d], corners[3][d]) + most[d]
		r[d], r[2+d] = pixelFrom((low-start)/f.step)-1, pixelFrom((high-start)/f.step)+1
	}
	return image.Rectangle{Min: image.Pt(r[0], r[1]), Max: image.Pt(r[2], r[3])}.Intersect(f.Rectangle)
}

// add adds the corners of a quad.
func (m *motion) add(f *frame, q *twmap.Quad, use MotionUse) error {
	move := Move{Place: use, Color: m.use(q.ColorEnv, q.ColorEnvOffset, true), Scale: 1 / f.step, Tint: [4]float64{1, 1, 1, 1}}
	if move.Color.Curve < 0 {
		m.c.envelopes.apply(move.Tint[:], q.ColorEnv, q.ColorEnvOffset)
	}
	var places [4][2]float64
	for i, p := range q.Points[:4] {
		places[i] = [2]float64{units(p.X), units(p.Y)}
	}
	if use.Curve < 0 {
		places = m.c.envelopes.corners(q)
	}
	x := func(v float64) float32 { return float32((v - f.left) / f.step) }
	y := func(v float64) float32 { return float32((v - f.top) / f.step) }
	number := m.move(move)
	for _, i := range [6]int{0, 1, 3, 0, 3, 2} {
		c := q.Colors[i]
		m.Corners = append(m.Corners, MotionCorner{x(places[i][0]), y(places[i][1]), x(units(q.Pivot.X)), y(units(q.Pivot.Y)),
			float32(units(q.Texture[i].X)), float32(units(q.Texture[i].Y)), [4]uint8{uint8(c.R), uint8(c.G), uint8(c.B), uint8(c.A)}, number})
	}
	area := math.Abs((places[3][0]-places[0][0])*(places[2][1]-places[1][1])-(places[3][1]-places[0][1])*(places[2][0]-places[1][0])) / 2
	pixels := float64(m.c.dst.Rect.Dx()) * float64(m.c.dst.Rect.Dy())
	m.cover += min(area/f.step/f.step/pixels, 1)
	if len(m.Corners) > maxMotionCorners || len(m.Moves) > maxMotionMoves || m.pieces > maxPieces || m.cover > maxMotionCover {
		return errMotion
	}
	return nil
}

func (m *motion) move(v Move) int {
	n, ok := m.moves[v]
	if !ok {
		n = len(m.Moves)
		m.moves[v] = n
		m.Moves = append(m.Moves, v)
	}
	return n
}

// texture adds a texture, without the sizes that are too large for graphics cards.
func (m *motion) texture(p *picture, t texture) (int, error) {
	if n, ok := m.textures[p]; ok {
		return n, nil
	}
	for t[0].w > maxMotionSide || t[0].h > maxMotionSide {
		t = t[1:]
	}
	out := MotionTexture{Width: t[0].w, Height: t[0].h}
	for _, l := range t {
		out.Levels = append(out.Levels, l.pix)
		m.texels += l.w * l.h
	}
	if m.texels > maxMotionTexels {
		return 0, errMotion
	}
	m.textures[p] = len(m.Textures)
	m.Textures = append(m.Textures, out)
	return len(m.Textures) - 1, nil
}

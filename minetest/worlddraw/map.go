package worlddraw

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"maps"
	"math"
	"slices"
	"sync"

	"trowel.example/minetest/mapdb"
)

// Map is the picture of a world in one view, with one pixel for each node. It is safe for concurrent use.
// [New] makes a Map; the zero value is not usable.
type Map struct {
	o      Options
	frame  frame
	box    Box // of nodes, in u, v and d
	source source

	mu      sync.Mutex
	idle    []*painter // painters that have cached the colours of many nodes and blocks
	cells   map[[2]int]*drawn
	order   [][2]int                         // keys of cells, the oldest first
	counted map[int]*[coordCount / 64]uint64 // by row, the columns whose pixels are counted in hidden
	hidden  map[string]int64
	bad     map[[2]int]bool // the columns that contain errors
	shown   bool
}

// drawn is a cell that is cached or being drawn.
type drawn struct {
	ready chan struct{} // closed when drawing has ended
	cell  *cell         // nil if drawing has failed
	lacks lacks
}

// maxCells returns the maximum number of cached cells, of 2 KiB each: a few rows of the world.
func (m *Map) maxCells() int {
	b := &m.source.index.box
	return max(2<<10, 4*(b.Max[0]-b.Min[0]))
}

// New reads the positions of the blocks of a store. It draws nothing yet.
func New(ctx context.Context, db mapdb.DB, o Options) (*Map, error) {
	if _, ok := frames[o.View]; !ok {
		return nil, fmt.Errorf("no view %q (see --list)", o.View)
	}
	p, err := ReadPlaces(ctx, db, o.Box, o.Lost)
	if err != nil {
		return nil, err
	}
	return p.Map(o)
}

// Map returns the picture of the blocks at the positions. It reads no blocks yet.
func (p *Places) Map(o Options) (*Map, error) {
	f, ok := frames[o.View]
	if !ok {
		return nil, fmt.Errorf("no view %q (see --list)", o.View)
	}
	if o.Lost == nil {
		o.Lost = func(error) {}
	}
	m := &Map{o: o, frame: f, cells: make(map[[2]int]*drawn), hidden: make(map[string]int64), bad: make(map[[2]int]bool),
		counted: make(map[int]*[coordCount / 64]uint64)}
	m.o.Box = o.Box.nodes()
	m.box = f.box(m.o.Box)
	if o.Depth > 0 {
		m.box.Max[2] = min(m.box.Max[2], m.box.Min[2]+o.Depth-1)
	}
	m.source = source{db: p.db, frame: &m.frame, way: wayOf(p.db, &m.frame), lost: o.Lost,
		index: newWindow(p.index(o.View), m.box.blocks(), p.rows), bound: new(mapdb.Bound)}
	return m, nil
}

// Bounds returns the rectangle of all blocks, in pixels. The coordinates are those of nodes: x and -1-z from above.
// It is empty if there are no blocks.
func (m *Map) Bounds() image.Rectangle {
	b := m.source.index.box
	if !m.source.index.any {
		return image.Rectangle{}
	}
	return image.Rect(b.Min[0]*side, b.Min[1]*side, (b.Max[0]+1)*side, (b.Max[1]+1)*side)
}

// Extent returns the bounding box of the existing blocks, in nodes. Its Min is greater than its Max if there are
// none.
func (m *Map) Extent() Box { return m.source.index.extent(&m.frame) }

// Hidden returns, by name, the number of pixels in which nodes without a colour were skipped, in all blocks drawn so
// far. Blocks that were only read for the relief of others are not counted, so the numbers of adjacent pictures can
// be added. Nodes behind other nodes of this kind count 0.
func (m *Map) Hidden() map[string]int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	hidden := make(map[string]int64, len(m.hidden))
	maps.Copy(hidden, m.hidden)
	return hidden
}

// Shown reports whether an opaque node, or one that is treated as opaque, was visible in anything drawn so far.
func (m *Map) Shown() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.shown
}

// row returns the existing cells of a row from column u0 to u1. It draws cells that are not cached, and waits for
// cells that other goroutines are drawing. Columns before own are only needed for the relief.
func (m *Map) row(ctx context.Context, v, u0, u1, own int) (map[int]*cell, error) {
	if !m.source.index.row(v) {
		return nil, nil
	}
	us := m.source.index.among(v, u0, u1)
	for {
		found := make(map[int]*drawn)
		var mine []int
		m.mu.Lock()
		for _, u := range us {
			d := m.cells[[2]int{u, v}]
			if d == nil {
				d = &drawn{ready: make(chan struct{})}
				m.keep([2]int{u, v}, d)
				mine = append(mine, u)
			}
			found[u] = d
		}
		m.mu.Unlock()
		if err := m.drawAll(ctx, v, mine, found); err != nil {
			return nil, err
		}
		cells, failed := make(map[int]*cell, len(found)), false
		for u, d := range found {
			select {
			case <-d.ready:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			failed = failed || d.cell == nil // drawing by another goroutine failed, maybe because its context ended
			if cells[u] = d.cell; u >= own && d.cell != nil {
				m.count(u, v, d.lacks.hidden)
				d.lacks.note(ctx, [3]int{u, v, 0})
			}
		}
		if !failed {
			return cells, nil
		}
	}
}

// keep caches a cell, replacing the oldest one.
func (m *Map) keep(at [2]int, d *drawn) {
	m.cells[at] = d
	m.order = append(m.order, at)
	if len(m.order) > m.maxCells() {
		delete(m.cells, m.order[0])
		m.order = m.order[1:]
	}
}

// drawAll draws cells for found, and marks all of them as ready, even after an error.
func (m *Map) drawAll(ctx context.Context, v int, us []int, found map[int]*drawn) error {
	if len(us) == 0 {
		return nil
	}
	p := m.painter()
	begun := make(map[int]*canvas)
	defer func() {
		m.mu.Lock()
		for _, u := range us {
			if d := found[u]; d.cell == nil {
				delete(m.cells, [2]int{u, v})
				close(d.ready)
			}
		}
		m.mu.Unlock()
	}()
	err := m.source.columns(ctx, v, us, firstBlocks, func(c column, last bool) bool {
		on := begun[c.u]
		if on == nil {
			on = begin()
			begun[c.u] = on
		}
		enough := p.draw(on, c)
		if enough || last {
			d := found[c.u]
			d.cell, d.lacks = p.finish(on), on.lacks
			m.report(on, [2]int{c.u, c.v})
			close(d.ready)
			delete(begun, c.u)
		}
		return enough
	})
	p.canvas = nil
	m.mu.Lock()
	m.idle = append(m.idle, p)
	m.mu.Unlock()
	return err
}

func (m *Map) painter() *painter {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.idle); n > 0 {
		p := m.idle[n-1]
		m.idle = m.idle[:n-1]
		return p
	}
	return newPainter(&m.o, &m.frame, m.box)
}

// report reports the errors of a column, once even if it is drawn several times.
func (m *Map) report(p *canvas, at [2]int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shown = m.shown || p.left < side*side
	if len(p.lost) == 0 || m.bad[at] {
		return
	}
	m.bad[at] = true
	for _, err := range p.lost {
		m.o.Lost(err)
	}
}

// count counts the pixels of a column in which nodes are skipped, once even if it is drawn several times.
func (m *Map) count(u, v int, unseen map[string]int64) {
	if len(unseen) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	row := m.counted[v]
	if row == nil {
		row = new([coordCount / 64]uint64)
		m.counted[v] = row
	}
	if i := u - mapdb.MinCoord; row[i/64]&(1<<(i%64)) != 0 {
		return
	} else {
		row[i/64] |= 1 << (i % 64)
	}
	for name, n := range unseen {
		m.hidden[name] += n
	}
}

// Render draws the pixels of dst over its contents.
func (m *Map) Render(ctx context.Context, dst *image.RGBA) error {
	return m.each(ctx, dst.Rect, func(u, v int, px *pixel, relief int) {
		c := px.color
		at := dst.Pix[dst.PixOffset(u, v):][:4:4]
		if c.A < 255 {
			blend(at, c)
			return
		}
		if m.o.Tints && px.height != noNode {
			c = tintOf(int(px.height))
		}
		if relief != 0 {
			c.R, c.G, c.B = shade(c.R, relief), shade(c.G, relief), shade(c.B, relief)
		}
		at[0], at[1], at[2], at[3] = c.R, c.G, c.B, 255
	})
}

// each calls do for all pixels of a rectangle that show something, with the value that the relief adds to each
// channel.
func (m *Map) each(ctx context.Context, r image.Rectangle, do func(u, v int, px *pixel, relief int)) error {
	if r.Empty() || !m.source.index.any {
		return nil
	}
	box := m.source.index.box
	u0, u1 := floorDiv(r.Min.X, side), floorDiv(r.Max.X-1, side)
	v0, v1 := max(floorDiv(r.Min.Y, side), box.Min[1]), min(floorDiv(r.Max.Y-1, side), box.Max[1])
	left := u0
	if r.Min.X == u0*side && !m.o.Flat {
		left--
	}
	width := (u1 - left + 1) * side
	above := make([]int16, width) // heights of the row of pixels above
	for i := range above {
		above[i] = noNode
	}
	load := func(line []int16, cells map[int]*cell, y int) {
		for u := left; u <= u1; u++ {
			c := cells[u]
			for x := range side {
				if c == nil {
					line[(u-left)*side+x] = noNode
				} else {
					line[(u-left)*side+x] = c[y*side+x].height
				}
			}
		}
	}
	if v, ok := m.above(v0); ok && !m.o.Flat && (r.Min.Y <= v0*side || !m.source.index.row(v0)) {
		cells, err := m.row(ctx, v, left, u1, math.MaxInt)
		if err != nil {
			return err
		}
		load(above, cells, side-1)
	}
	heights := make([]int16, width)
	for v := v0; v <= v1; v++ {
		cells, err := m.row(ctx, v, left, u1, u0)
		if err != nil {
			return err
		}
		if cells == nil {
			if m.o.Gaps {
				load(above, nil, 0)
			}
			continue
		}
		from, to := max(0, r.Min.Y-v*side), min(side, r.Max.Y-v*side)
		if !m.o.Flat && from > 0 {
			load(above, cells, from-1)
		}
		for y := from; y < to; y++ {
			load(heights, cells, y)
			for u := u0; u <= u1; u++ {
				c := cells[u]
				if c == nil {
					continue
				}
				for x := max(0, r.Min.X-u*side); x < min(side, r.Max.X-u*side); x++ {
					px := &c[y*side+x]
					if px.color.A == 0 {
						continue
					}
					relief := 0
					if i := (u-left)*side + x; !m.o.Flat && i > 0 {
						relief = m.relief(px, heights[i-1], above[i])
					}
					do(u*side+x, v*side+y, px, relief)
				}
			}
			heights, above = above, heights
		}
	}
	return nil
}

// above returns the row of blocks whose relief continues in a row: the row above it or, without Gaps, the next one
// above that contains blocks.
func (m *Map) above(v int) (int, bool) {
	if m.o.Gaps {
		return v - 1, true
	}
	return m.source.index.before(v)
}

// relief returns what minetestmapper adds to each channel of a pixel, depending on how much higher it is than the
// pixels to the left and above.
func (m *Map) relief(px *pixel, left, above int16) int {
	if px.height == noNode || left == noNode || above == noNode {
		return 0
	}
	d := (2*int(px.height) - int(left) - int(above)) * 12
	if m.o.Alpha {
		t := min(float32(float32(px.thick)*1.2), 255)
		d = int(float32(float32(d) * float32(1-float32(t/255))))
	}
	return min(d, 36)
}

// tint is the colour of a height.
type tint struct {
	y     int
	color color.NRGBA
}

// tints are close to each other where most land is.
var tints = []tint{
	{-64, color.NRGBA{8, 48, 107, 255}}, {-8, color.NRGBA{33, 113, 181, 255}}, {1, color.NRGBA{140, 190, 225, 255}}, // the sea
	{2, color.NRGBA{226, 217, 160, 255}}, {4, color.NRGBA{158, 200, 120, 255}}, {12, color.NRGBA{96, 160, 84, 255}},
	{24, color.NRGBA{190, 196, 100, 255}}, {45, color.NRGBA{214, 174, 92, 255}}, {80, color.NRGBA{172, 112, 62, 255}},
	{130, color.NRGBA{128, 84, 66, 255}}, {190, color.NRGBA{156, 148, 142, 255}}, {250, color.NRGBA{255, 255, 255, 255}},
}

// tintOf returns the colour of a height: between two tints it is mixed from both.
func tintOf(y int) color.NRGBA {
	i := slices.IndexFunc(tints, func(t tint) bool { return t.y >= y })
	switch {
	case i < 0:
		return tints[len(tints)-1].color
	case i == 0:
		return tints[0].color
	}
	a, b := tints[i-1], tints[i]
	mix := func(from, to uint8) uint8 { return uint8(int(from) + (int(to)-int(from))*(y-a.y)/(b.y-a.y)) }
	return color.NRGBA{mix(a.color.R, b.color.R), mix(a.color.G, b.color.G), mix(a.color.B, b.color.B), 255}
}

func shade(c uint8, by int) uint8 { return uint8(max(0, min(255, int(c)+by))) }

// blend draws a colour that is not opaque over a pixel with premultiplied alpha. Over an opaque pixel it gives the
// result of the library gd, which has 128 steps of alpha.
func blend(at []uint8, c color.NRGBA) {
	const steps = 127
	through := (255 - int(c.A)) * steps / 255
	if through == steps {
		return
	}
	for i, ch := range []uint8{c.R, c.G, c.B} {
		at[i] = uint8((int(ch)*(steps-through) + int(at[i])*through) / steps)
	}
	at[3] = uint8((255*(steps-through) + int(at[3])*through) / steps)
}

// SeaLevel is the value that [Map.Heights] draws for y = 0.
const SeaLevel = -math.MinInt16

// Heights draws the heights of the visible nodes: [SeaLevel] is y = 0, and 0 means nothing. In side views, nodes nearer
// to the eye have greater heights.
func (m *Map) Heights(ctx context.Context, dst *image.Gray16) error {
	return m.each(ctx, dst.Rect, func(u, v int, px *pixel, _ int) {
		if px.height != noNode {
			dst.SetGray16(u, v, color.Gray16{Y: uint16(int(px.height) - math.MinInt16)})
		}
	})
}

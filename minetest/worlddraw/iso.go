package worlddraw

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"maps"
	"math"
	"sync"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodecolor"
)

// Iso is an isometric picture of a world: nodes are cubes that show their top, the side towards lower x, and the side
// towards lower z. x increases to the right and upwards, z to the left and upwards. An Iso can draw any rectangle of
// the picture, and is safe for concurrent use.
//
// The cubes behind a pixel are on a line in the direction (1,-1,1), which passes through one face after the other. So
// a picture is drawn by following these lines from the eye until they reach something opaque. Blocks behind that are
// not read.
type Iso struct {
	o      Options
	db     mapdb.DB
	box    Box // bounding box of the nodes
	has    *window
	frame  frame
	blocks sync.Pool // unused painters

	diagonals *[diagonalCount]diagonal

	mu     sync.Mutex
	cache  map[mapdb.Pos]*isoBlock
	order  []mapdb.Pos
	hidden map[string]int64
}

// isoBlock is a block with the colours of its nodes.
type isoBlock struct {
	ready  chan struct{}
	err    error
	colors []nodecolor.Color          // the first is that of invisible nodes
	nodes  [mapblock.NodeCount]uint16 // indexes of colors
	empty  bool
	lacks  lacks
}

// maxIsoBlocks is the maximum number of cached blocks, which take about 50 MiB.
const maxIsoBlocks = 6 << 10

// The faces of a cube.
const (
	noFace = iota
	topFace
	leftFace  // towards lower x
	rightFace // towards lower z
)

// faceLight is the brightness of the faces, of 255.
var faceLight = [4]int{topFace: 255, leftFace: 208, rightFace: 164}

// A cube is the image of a node in a size: a face or noFace for each pixel, row by row.
type cube struct {
	half  int // half of its width and height, in pixels
	faces [][]uint8
}

var cubes = [2]cube{
	newCube(2, []int{0, 0}, []int{1, 1}),
	newCube(4, []int{1, 1, 0, 0}, []int{2, 2, 3, 3}),
}

// newCube returns a cube. Its top begins and ends, in each column of the left half, at the rows in from and to.
func newCube(half int, from, to []int) cube {
	c := cube{half: half, faces: make([][]uint8, to[half-1]+half)}
	for y := range c.faces {
		c.faces[y] = make([]uint8, 2*half)
		for x := range 2 * half {
			column, face := x, uint8(leftFace)
			if x >= half {
				column, face = 2*half-1-x, rightFace
			}
			switch {
			case from[column] <= y && y < to[column]:
				c.faces[y][x] = topFace
			case to[column] <= y && y < to[column]+half:
				c.faces[y][x] = face
			}
		}
	}
	return c
}

// NewIso reads the positions of the blocks of a store. It uses the options Colors, Box, Alpha and Lost.
func NewIso(ctx context.Context, db mapdb.DB, o Options) (*Iso, error) {
	p, err := ReadPlaces(ctx, db, o.Box, o.Lost)
	if err != nil {
		return nil, err
	}
	return p.Iso(o)
}

// Iso is [NewIso] for positions that are already read.
func (p *Places) Iso(o Options) (*Iso, error) {
	o.View, o.Depth = Top, 0
	m, err := p.Map(o)
	if err != nil {
		return nil, err
	}
	s := &Iso{o: m.o, db: p.db, frame: m.frame, has: m.source.index, diagonals: diagonals(m.source.index, &m.frame),
		cache: make(map[mapdb.Pos]*isoBlock), hidden: make(map[string]int64)}
	s.box = m.Extent()
	for i := range s.box.Min {
		s.box.Min[i], s.box.Max[i] = max(s.box.Min[i], o.Box.Min[i]), min(s.box.Max[i], o.Box.Max[i])
	}
	s.blocks.New = func() any { return newPainter(&s.o, &s.frame, m.box) }
	return s, nil
}

// cubeFor returns the cube for a picture in which half the width of a node is scale pixels.
func cubeFor(scale float64) *cube {
	if scale <= 2 {
		return &cubes[0]
	}
	return &cubes[1]
}

// IsoBounds returns the rectangle of the picture that shows a box of nodes. The unit is half the width of a cube; u
// is x-z, v is -y-(x+z)/2.
func IsoBounds(b Box) (low, high [2]float64) {
	low = [2]float64{float64(b.Min[0] - b.Max[2]), -float64(b.Max[1]) - float64(b.Max[0]+b.Max[2])/2}
	high = [2]float64{float64(b.Max[0]-b.Min[2]) + 2, -float64(b.Min[1]) - float64(b.Min[0]+b.Min[2])/2 + 2}
	return low, high
}

// RenderScaled draws a part of the picture in which half the width of a cube is at.Scale pixels. The pixels of dst
// must contain the background, which must be a single colour.
func (s *Iso) RenderScaled(ctx context.Context, dst *image.RGBA, at Scaled) error {
	c := cubeFor(at.Scale)
	half := float64(c.half)
	own := Scaled{[2]float64{at.Origin[0] * half, at.Origin[1] * half}, at.Scale / half}
	shows := func(r image.Rectangle) bool { return s.shows(r, c) }
	return Scale(dst, own, shows, func(img *image.RGBA) error { return s.render(ctx, img, c) })
}

// stripWidth is the width in pixels of the vertical strips that are drawn one after the other, so that few blocks are
// needed at a time.
const stripWidth = 256

// A line represents the cubes behind a pixel whose depths have the same remainder modulo 3. They differ by multiples
// of (1,-1,1) and show the same face.
type line struct {
	x, y int // z is 0
	face uint8
}

func (s *Iso) render(ctx context.Context, dst *image.RGBA, c *cube) error {
	if s.box.Min[0] > s.box.Max[0] {
		return nil
	}
	t := &tracer{s: s, ctx: ctx}
	type key [3]line
	for x0 := dst.Rect.Min.X; x0 < dst.Rect.Max.X; x0 += stripWidth {
		known := make(map[key]nodecolor.Color)
		var empty [stripWidth]bool
		for i := range empty {
			x := x0 + i
			empty[i] = !s.shows(image.Rect(x, dst.Rect.Min.Y, x+1, dst.Rect.Max.Y), c)
		}
		for py := dst.Rect.Min.Y; py < dst.Rect.Max.Y; py++ {
			if err := ctx.Err(); err != nil { // there may be no blocks to read, which would check the context
				return err
			}
			for px := x0; px < min(x0+stripWidth, dst.Rect.Max.X); px++ {
				if empty[px-x0] {
					continue
				}
				k := key(c.lines(px, py))
				color, ok := known[k]
				if !ok {
					var err error
					if color, err = t.trace(k); err != nil {
						return err
					}
					known[k] = color
				}
				if color.A > 0 {
					blendOver(dst.Pix[dst.PixOffset(px, py):][:4:4], color)
				}
			}
			if len(known) > 1<<16 {
				clear(known)
			}
		}
	}
	return nil
}

// blendOver draws a colour with non-premultiplied alpha over a pixel.
func blendOver(at []uint8, c nodecolor.Color) {
	a := int(c.A)
	for i, ch := range []uint8{c.R, c.G, c.B} {
		at[i] = uint8((int(ch)*a + int(at[i])*(255-a)) / 255)
	}
	at[3] = uint8(a + int(at[3])*(255-a)/255)
}

// lines returns the three lines of a pixel, by the remainder of their depths.
func (c *cube) lines(px, py int) (all [3]line) {
	for _, x := range [2]int{floorDiv(px, c.half), floorDiv(px, c.half) - 1} {
		ox := px - x*c.half
		// The top of a cube is at -x*half/2 - y*half.
		below := py + x*c.half/2
		for y := floorDiv(-below, c.half); ; y++ {
			oy := below + y*c.half
			if oy >= len(c.faces) {
				break
			}
			if oy < 0 {
				continue
			}
			if face := c.faces[oy][ox]; face != noFace {
				all[modulo(x-y, 3)] = line{x, y, face}
			}
		}
	}
	return all
}

func modulo(n, m int) int { return (n%m + m) % m }

// A tracer follows lines.
type tracer struct {
	s     *Iso
	ctx   context.Context
	at    mapdb.Pos // position of the current block
	block *isoBlock
	hit   func(pos [3]int) // receives the first visible node; may be nil
}

// trace follows lines until they reach something opaque, and returns the visible colour.
func (t *tracer) trace(lines [3]line) (nodecolor.Color, error) {
	b := &t.s.box
	first, last := 1<<30, -1<<30
	low, high := near(min(lines[0].x, lines[1].x, lines[2].x), max(lines[0].x, lines[1].x, lines[2].x))
	for _, l := range lines {
		k0 := max(b.Min[0]-l.x, l.y-b.Max[1], b.Min[2])
		k1 := min(b.Max[0]-l.x, l.y-b.Min[1], b.Max[2])
		if k0 <= k1 {
			first, last = min(first, l.x-l.y+3*k0), max(last, l.x-l.y+3*k1)
		}
	}
	var sum [3]int // colours weighted by their visible share, of 255*255
	left := 255    // the share of light that still passes, of 255
	var before nodecolor.Color
	for depth := first; depth <= last; depth++ {
		l := lines[modulo(depth, 3)]
		k := (depth - l.x + l.y) / 3
		x, y, z := l.x+k, l.y-k, k
		if x < b.Min[0] || x > b.Max[0] || y < b.Min[1] || y > b.Max[1] || z < b.Min[2] || z > b.Max[2] {
			before = nodecolor.Color{}
			continue
		}
		pos := mapdb.Pos{X: int16(x >> 4), Y: int16(y >> 4), Z: int16(z >> 4)}
		if t.block == nil || pos != t.at {
			block, err := t.s.blockAt(t.ctx, pos)
			if err != nil {
				return nodecolor.Color{}, err
			}
			t.at, t.block = pos, block
			block.lacks.note(t.ctx, [3]int{int(pos.X), int(pos.Y), int(pos.Z)})
		}
		if t.block.empty {
			before = nodecolor.Color{}
			// All three lines stay in the block for as many steps of 3 as this one, minus one.
			n := min(15-x&15, y&15, 15-z&15)
			if t.block == noBlock { // Skip a long distance without blocks.
				to := t.s.next(low, high, z)
				if to == math.MaxInt {
					break
				}
				n = max(n, to-z-1)
			}
			if n > 1 {
				depth += 3 * (n - 1)
			}
			continue
		}
		c := t.block.colors[t.block.nodes[mapblock.Index(x&15, y&15, z&15)]]
		if c.A == 0 || c == before { // there is no visible face between two equal nodes
			if c.A == 0 {
				before = c
			}
			continue
		}
		before = c
		if t.hit != nil {
			t.hit([3]int{x, y, z})
			break
		}
		alpha := int(c.A)
		if !t.s.o.Alpha {
			alpha = 255
		}
		f := faceLight[l.face]
		for i, ch := range []uint8{c.R, c.G, c.B} {
			sum[i] += int(ch) * f / 255 * left * alpha / 255
		}
		left = left * (255 - alpha) / 255
		if left < 4 {
			left = 0
			break
		}
	}
	seen := 255 - left
	if seen == 0 {
		return nodecolor.Color{}, nil
	}
	part := func(v int) uint8 { return uint8(min(255, v/seen)) }
	return nodecolor.Color{R: part(sum[0]), G: part(sum[1]), B: part(sum[2]), A: uint8(seen)}, nil
}

var noBlock = &isoBlock{empty: true}

// blockAt returns a block from the cache, or reads it.
func (s *Iso) blockAt(ctx context.Context, pos mapdb.Pos) (*isoBlock, error) {
	at := s.frame.in(coords(pos))
	if !s.has.at(at) {
		return noBlock, nil
	}
	s.mu.Lock()
	b := s.cache[pos]
	mine := b == nil
	if mine {
		b = &isoBlock{ready: make(chan struct{})}
		s.cache[pos] = b
		s.order = append(s.order, pos)
		if len(s.order) > maxIsoBlocks {
			delete(s.cache, s.order[0])
			s.order = s.order[1:]
		}
	}
	s.mu.Unlock()
	if !mine {
		select {
		case <-b.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if b.err != nil && ctx.Err() == nil {
			return s.blockAt(ctx, pos) // the context of another caller has ended
		}
		return b, b.err
	}
	defer close(b.ready)
	b.err = errors.New("not read")
	b.err = s.read(ctx, pos, b)
	if b.err != nil {
		s.mu.Lock()
		delete(s.cache, pos)
		s.mu.Unlock()
	}
	return b, b.err
}

// read reads a block. A block that cannot be read is treated as empty and reported.
func (s *Iso) read(ctx context.Context, pos mapdb.Pos, b *isoBlock) error {
	b.empty = true
	data, err := s.db.Get(ctx, pos)
	var row *mapdb.RowError
	switch {
	case errors.Is(err, mapdb.ErrNotFound):
		return nil
	case errors.As(err, &row):
		b.lacks.lost = []error{err}
		s.o.Lost(err)
		return nil
	case err != nil:
		return err
	}
	p := s.blocks.Get().(*painter)
	defer s.blocks.Put(p)
	p.canvas = new(canvas)
	some, err := p.decode(data)
	defer p.forget()
	b.lacks = p.lacks
	if err != nil {
		b.lacks.lost = []error{&BlockError{pos, err}}
		s.o.Lost(b.lacks.lost[0])
		return nil
	}
	if !some {
		return nil
	}
	b.colors = []nodecolor.Color{{}}
	type kind struct {
		look   *look
		param2 uint8
	}
	places := make(map[kind]uint16)
	for i, id := range p.ids {
		l := p.of[id]
		if l == nil || l.kind != seen {
			if l != nil && l.kind == unknown {
				b.lacks.hide(l.name, 0)
			}
			continue
		}
		k := kind{look: l}
		if l.palette != nil {
			k.param2 = p.block.Param2[i]
		}
		place, ok := places[k]
		if !ok {
			place = uint16(len(b.colors))
			places[k] = place
			c := l.color
			if l.palette != nil {
				c = l.palette[k.param2]
			}
			b.colors = append(b.colors, c)
		}
		b.nodes[i] = place
		b.empty = false
	}
	s.mu.Lock()
	maps.Copy(s.hidden, b.lacks.hidden)
	s.mu.Unlock()
	return nil
}

// Fingerprint is [Map.Fingerprint] for an isometric picture: it hashes all blocks that may be visible in the part.
func (s *Iso) Fingerprint(ctx context.Context, h io.Writer, r image.Rectangle, at Scaled) (some bool, err error) {
	err = s.Within(ctx, r, at, func(p mapdb.Pos) error {
		data, err := s.db.Get(ctx, p)
		if errors.Is(err, mapdb.ErrNotFound) {
			return nil
		}
		if _, ok := errors.AsType[*mapdb.RowError](err); ok {
			some = true // the picture lacks the block
			fmt.Fprintln(h, err)
			return nil
		}
		if err != nil {
			return err
		}
		some = true
		fmt.Fprintln(h, p, len(data))
		_, _ = h.Write(data)
		return nil
	})
	return some, err
}

// Within calls do for the blocks whose cubes may be visible in a part of a picture, until it returns an error.
func (s *Iso) Within(ctx context.Context, r image.Rectangle, at Scaled, do func(mapdb.Pos) error) error {
	low, high := at.place(r.Min), at.place(r.Max)
	return s.piles(ctx, at, r, func(all []mapdb.Pos, _, _ [2]float64) error {
		for _, p := range all {
			c := [3]int{int(p.X) * side, int(p.Y) * side, int(p.Z) * side}
			from, to := IsoBounds(Box{c, [3]int{c[0] + side - 1, c[1] + side - 1, c[2] + side - 1}})
			if to[1] <= low[1] || from[1] >= high[1] {
				continue
			}
			if err := do(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// Hidden returns the names of the nodes without a colour that were found, with their numbers.
func (s *Iso) Hidden() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	hidden := make(map[string]int64, len(s.hidden))
	maps.Copy(hidden, s.hidden)
	return hidden
}

package worlddraw

import (
	"fmt"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodecolor"
)

// A cell is the picture of a column of blocks: 16 by 16 pixels, row by row.
type cell [side * side]pixel

// A look is the appearance of nodes of a name.
type look struct {
	name    string
	kind    kind
	color   nodecolor.Color
	palette *[256]nodecolor.Color
	noted   *cell // the last cell that recorded the name as hidden
	guessed bool
}

type kind uint8

const (
	nothing kind = iota // air, or a colour that is never drawn
	unknown             // without a colour
	seen
)

// A painter draws columns, one after the other.
type painter struct {
	o     *Options
	box   Box // of nodes, in u, v and d
	frame *frame
	start int
	step  [3]int
	looks map[string]*look
	block mapblock.Block
	of    [1 << 16]*look // by id, for the current block
	ids   [mapblock.NodeCount]uint16
	plain map[string]uniform // blocks that consist of one kind of node, as most blocks do

	*canvas // of the current column
}

// A canvas is the state of a column that is being drawn.
type canvas struct {
	out    *cell
	color  [side * side]nodecolor.Color // so far, if alpha is drawn
	light  [side * side]uint8           // param1 of the last node that was passed
	hidden [side * side]*look           // the first node without a colour
	left   int                          // number of pixels that are not opaque yet
	done   [side * side]bool
	lacks
}

func newPainter(o *Options, f *frame, box Box) *painter {
	p := &painter{o: o, frame: f, box: box, looks: make(map[string]*look), plain: make(map[string]uniform)}
	p.start, p.step = f.steps()
	return p
}

// look returns the appearance of a node.
func (p *painter) look(name string) *look {
	l := p.looks[name]
	if l != nil {
		return l
	}
	l = &look{name: name}
	p.looks[name] = l
	if name == mapblock.Air || name == mapblock.Ignore || name == "" {
		return l
	}
	c, ok := p.o.Colors.Color(name)
	switch {
	case !ok:
		l.kind = unknown
	case c.A > 0:
		l.kind, l.color = seen, c
		if g, ok := p.o.Colors.(guesser); ok {
			l.guessed = g.Guesses(name)
		}
		if painted, ok := p.o.Colors.(Painted); ok {
			l.palette = painted.Palette(name)
		}
	}
	return l
}

// begin returns a canvas for a column.
func begin() *canvas {
	c := &canvas{out: new(cell), left: side * side}
	for i := range c.out {
		c.out[i].height = noNode
	}
	for i := range c.light {
		c.light[i] = 0x0f
	}
	return c
}

// draw draws blocks of a column behind those that are already drawn, and reports whether everything is opaque.
func (p *painter) draw(on *canvas, c column) (enough bool) {
	p.canvas = on
	p.lost = append(p.lost, c.lost...)
	for _, b := range c.blocks {
		if p.left == 0 {
			break
		}
		at := p.frame.out([3]int{c.u, c.v, b.d})
		if err := p.drawBlock(p.out, [3]int{c.u, c.v, b.d}, b.data); err != nil {
			p.lost = append(p.lost, &BlockError{mapdb.Pos{X: int16(at[0]), Y: int16(at[1]), Z: int16(at[2])}, err})
		}
	}
	return p.left == 0
}

// finish completes the drawing of a column.
func (p *painter) finish(on *canvas) *cell {
	p.canvas = on
	for i, done := range p.done {
		if !done && p.o.Alpha {
			m := p.color[i]
			p.out[i].color, p.out[i].thick = m.NRGBA(), m.T
		}
		if l := p.hidden[i]; l != nil {
			p.hide(l.name, 1)
		}
	}
	return p.out
}

// BlockError is an error about a block that cannot be read.
type BlockError struct {
	Pos mapdb.Pos
	Err error
}

func (e *BlockError) Error() string {
	return fmt.Sprintf("block %d,%d,%d: %v", e.Pos.X, e.Pos.Y, e.Pos.Z, e.Err)
}

func (e *BlockError) Unwrap() error { return e.Err }

// uniform is a block that consists of one kind of node.
type uniform struct {
	look           *look
	param1, param2 uint8
}

// Limits of the cache of uniform blocks. Almost all of them take less than maxPlainBytes.
const (
	maxPlain      = 4096
	maxPlainBytes = 512
)

// repeat makes a uniform block the current block.
func (p *painter) repeat(u uniform) {
	b := &p.block
	b.Names = append(b.Names[:0], mapblock.NameID{})
	p.of[0] = u.look
	p.ids = [mapblock.NodeCount]uint16{}
	for i := range p.ids {
		b.Param1[i], b.Param2[i] = u.param1, u.param2
	}
}

// learn caches a block if it is uniform.
func (p *painter) learn(data []byte) {
	b := &p.block
	if len(data) > maxPlainBytes || len(p.plain) >= maxPlain {
		return
	}
	for i := range p.ids {
		if p.ids[i] != p.ids[0] || b.Param1[i] != b.Param1[0] || b.Param2[i] != b.Param2[0] {
			return
		}
	}
	if l := p.of[p.ids[0]]; l != nil {
		p.plain[string(data)] = uniform{l, b.Param1[0], b.Param2[0]}
	}
}

// decode decodes a block and determines the appearance of its nodes. It reports whether any node is visible.
func (p *painter) decode(data []byte) (some bool, err error) {
	b := &p.block
	if u, ok := p.plain[string(data)]; ok {
		if u.look.guessed {
			p.guess(u.look.name)
		}
		if some = u.look.kind != nothing; some || p.o.Light != Full {
			p.repeat(u)
		} else {
			b.Names = b.Names[:0]
		}
		return some, nil
	}
	if err := b.DecodeNodes(data); err != nil {
		return false, err
	}
	if b.Version <= 21 {
		n := b.Nodes()
		p.ids, b.Param1, b.Param2 = n.Name, n.Param1, n.Param2
		b.Names = b.Names[:0]
		for i, name := range n.Names {
			b.Names = append(b.Names, mapblock.NameID{ID: uint16(i), Name: name})
		}
	}
	for _, n := range b.Names {
		l := p.look(n.Name)
		p.of[n.ID] = l
		some = some || l.kind != nothing
		if l.guessed {
			p.guess(l.name)
		}
	}
	switch {
	case b.Version <= 21:
	case b.ContentWidth != 1:
		p.ids = b.Param0
	default:
		for i := range p.ids {
			p.ids[i], b.Param2[i] = b.ID(i)
		}
	}
	p.learn(data)
	return some, nil
}

// forget releases the current block.
func (p *painter) forget() {
	for _, n := range p.block.Names {
		p.of[n.ID] = nil
	}
}

// drawBlock draws a block behind what is already drawn of the column.
func (p *painter) drawBlock(out *cell, at [3]int, data []byte) error {
	some, err := p.decode(data)
	defer p.forget()
	if err != nil || !some && p.o.Light == Full {
		return err
	}
	var low, high [3]int // the nodes of the block that are in the box
	for i := range at {
		low[i], high[i] = max(0, p.box.Min[i]-at[i]*side), min(side-1, p.box.Max[i]-at[i]*side)
	}
	for v := low[1]; v <= high[1]; v++ {
		for u := low[0]; u <= high[0]; u++ {
			if !p.done[v*side+u] {
				p.drawPixel(out, v*side+u, p.start+u*p.step[0]+v*p.step[1], low[2], high[2], at[2]*side)
			}
		}
	}
	return nil
}

// drawPixel draws the nodes of a block that are behind a pixel: those from the index on, at each step of d from low
// to high.
func (p *painter) drawPixel(out *cell, i, index, low, high, d0 int) {
	px := &out[i]
	for d := low; d <= high; d++ {
		at := index + d*p.step[2]
		l := p.of[p.ids[at]]
		if l == nil || l.kind == nothing {
			p.light[i] = p.block.Param1[at]
			continue
		}
		if l.kind == unknown {
			if p.hidden[i] == nil {
				p.hidden[i] = l
			} else if l.noted != out {
				l.noted = out
				p.hide(l.name, 0)
			}
			continue
		}
		c := l.color
		if l.palette != nil {
			c = l.palette[p.block.Param2[at]]
		}
		if p.o.Depth > 0 {
			away := d0 + d - p.box.Min[2]
			if away >= p.o.Depth {
				p.done[i] = true
				p.left--
				return
			}
			c = dimmed(c, 255-191*away/p.o.Depth)
		}
		if p.o.Light != Full {
			c = lit(c, p.light[i], p.o.Light)
		}
		if p.o.Alpha {
			t := c.T
			if p.color[i].A != 0 {
				c = mix(p.color[i], c)
			}
			if c.A < 255 {
				c.T = uint8((int(p.color[i].T) + int(t)) / 2)
				p.color[i] = c
				p.light[i] = p.block.Param1[at]
				continue
			}
			px.thick = p.color[i].T
		}
		px.color = c.NRGBA()
		px.color.A = 255
		px.height = int16(-1 - d0 - d)
		p.done[i] = true
		p.left--
		return
	}
}

// mix returns the colour of b seen through a, as minetestmapper computes it: in 32 bits, and truncated. The
// conversions prevent the compiler from fusing operations.
func mix(a, b nodecolor.Color) nodecolor.Color {
	a1, a2 := float32(a.A)/255, float32(b.A)/255
	rest := float32(a2 * float32(1-a1))
	one := func(a, b uint8) uint8 {
		return uint8(float32(float32(a1*float32(a)) + float32(rest*float32(b))))
	}
	return nodecolor.Color{R: one(a.R, b.R), G: one(a.G, b.G), B: one(a.B, b.B), A: uint8(float32(255 * float32(a1+rest)))}
}

// lit returns a colour in the light of param1, which is never completely dark.
func lit(c nodecolor.Color, param1 uint8, light Light) nodecolor.Color {
	level := param1 & 15
	if light == Night {
		level = param1 >> 4
	}
	return dimmed(c, brightness[level])
}

// dimmed returns a colour with its brightness multiplied by f/255.
func dimmed(c nodecolor.Color, f int) nodecolor.Color {
	c.R, c.G, c.B = uint8(int(c.R)*f/255), uint8(int(c.G)*f/255), uint8(int(c.B)*f/255)
	return c
}

// brightness is the brightness of the 16 levels of light, of 255: each level is a seventh darker than the next one,
// with a minimum that can be distinguished from black.
var brightness = func() (of [16]int) {
	f := 255.0
	for i := 15; i >= 0; i-- {
		of[i] = max(int(f), 30)
		f *= 6.0 / 7
	}
	return of
}()

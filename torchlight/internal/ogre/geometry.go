package ogre

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// elementWidth returns the number of values of four bytes in an element of a type, and whether they are bytes instead of
// numbers. It returns 0 for unknown types.
func elementWidth(kind uint16) (count int, isBytes bool) {
	switch kind {
	case 0, 1, 2, 3: // one to four numbers
		return int(kind) + 1, false
	case 4, 9, 10, 11: // colours in several orders, and four bytes
		return 1, true
	}
	return 0, false
}

// columns returns the values in a vertex of a buffer, or nil if the declaration does not describe every byte of it
// exactly once.
func (g *Geometry) columns(b *Buffer) []column {
	columns, problem := g.describe(b)
	if problem != "" {
		return nil
	}
	return columns
}

// maxElements is the greatest number of elements of a declaration that is read. Real ones have five.
const maxElements = 256

// describe is columns that returns what is wrong.
func (g *Geometry) describe(b *Buffer) (columns []column, problem string) {
	if g.Declaration == nil {
		return nil, "the geometry has no declaration"
	}
	if n := len(g.Declaration.Elements); n > maxElements {
		return nil, fmt.Sprintf("the declaration has %d elements, expected at most %d", n, maxElements)
	}
	var own []Element
	for _, e := range g.Declaration.Elements {
		if e.Source == b.Bind {
			own = append(own, e)
		}
	}
	slices.SortStableFunc(own, func(a, b Element) int { return int(a.Offset) - int(b.Offset) })
	at := 0
	for _, e := range own {
		n, isBytes := elementWidth(e.Type)
		switch {
		case n == 0:
			return nil, fmt.Sprintf("an element has the unknown type %d", e.Type)
		case int(e.Offset) != at:
			return nil, fmt.Sprintf("an element is at %d of a vertex, expected %d", e.Offset, at)
		}
		columns = append(columns, column{n, isBytes})
		at += 4 * n
	}
	if at != int(b.Stride) {
		return nil, fmt.Sprintf("the elements of buffer %d have %d bytes, a vertex has %d", b.Bind, at, b.Stride)
	}
	return columns, ""
}

// Element returns the first element with a semantic and an index, or nil.
func (g *Geometry) Element(semantic, index uint16) *Element {
	if g.Declaration == nil {
		return nil
	}
	for i, e := range g.Declaration.Elements {
		if e.Semantic == semantic && e.Index == index {
			return &g.Declaration.Elements[i]
		}
	}
	return nil
}

// Floats returns the numbers of an element, width of them for each vertex. It returns nil if the geometry has no such
// element, or it does not consist of numbers, or its buffer is missing or too small.
func (g *Geometry) Floats(semantic, index uint16) (values []float32, width int) {
	e := g.Element(semantic, index)
	if e == nil {
		return nil, 0
	}
	n, isBytes := elementWidth(e.Type)
	for i := range g.Buffers {
		b := &g.Buffers[i]
		if b.Bind != e.Source {
			continue
		}
		if n == 0 || isBytes || int(e.Offset)+4*n > int(b.Stride) || int64(len(b.Data)) != int64(b.Stride)*int64(g.Count) {
			return nil, 0
		}
		values = make([]float32, 0, int(g.Count)*n)
		for v := range int(g.Count) {
			for k := range n {
				at := v*int(b.Stride) + int(e.Offset) + 4*k
				values = append(values, math.Float32frombits(binary.LittleEndian.Uint32(b.Data[at:])))
			}
		}
		return values, n
	}
	return nil, 0
}

// geometryOf returns the geometry of a part, or nil if the mesh lacks it.
func (m *Mesh) geometryOf(s *SubMesh) *Geometry {
	if s.Shared {
		return m.Shared
	}
	return s.Geometry
}

// Colors returns the colours of vertices: red, green, blue and alpha. It returns nil if the geometry has none, or if they
// are all the same, or only transparent black and white: exporters write such colours without a meaning.
func (g *Geometry) Colors() [][4]uint8 {
	e := g.Element(Diffuse, 0)
	if e == nil {
		return nil
	}
	order := [4]int{2, 1, 0, 3} // of 10, a word with alpha in its highest byte
	switch e.Type {
	case 4, 10:
	case 9, 11:
		order = [4]int{0, 1, 2, 3}
	default:
		return nil
	}
	i := slices.IndexFunc(g.Buffers, func(b Buffer) bool { return b.Bind == e.Source })
	if i < 0 {
		return nil
	}
	b := &g.Buffers[i]
	if int(e.Offset)+4 > int(b.Stride) || int64(len(b.Data)) != int64(b.Stride)*int64(g.Count) {
		return nil
	}
	colors := make([][4]uint8, g.Count)
	some, varied := false, false
	for v := range colors {
		from := b.Data[v*int(b.Stride)+int(e.Offset):][:4]
		for k, at := range order {
			colors[v][k] = from[at]
		}
		c := colors[v]
		some = some || c != [4]uint8{} && c != [4]uint8{255, 255, 255, 255}
		varied = varied || c != colors[0]
	}
	if !some || !varied {
		return nil
	}
	return colors
}

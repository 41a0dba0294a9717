package worldedit

import (
	"bytes"
	"math/bits"
	"slices"
	"sync"

	"trowel.example/internal/bytes/zframe"
	"trowel.example/internal/text/glob"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// Vec is a position in the world, or a distance: x, y and z in nodes.
type Vec [3]int

// The range of node coordinates in each direction.
const (
	MinNode = mapdb.MinCoord * mapblock.Side
	MaxNode = mapdb.MaxCoord*mapblock.Side + mapblock.Side - 1
)

// Add returns the sum.
func (v Vec) Add(o Vec) Vec { return Vec{v[0] + o[0], v[1] + o[1], v[2] + o[2]} }

// Sub returns the difference.
func (v Vec) Sub(o Vec) Vec { return Vec{v[0] - o[0], v[1] - o[1], v[2] - o[2]} }

// Block returns the position of the block that contains a node, and the index of the node in it. The position may be
// outside of the world.
func (v Vec) Block() (p mapdb.Pos, index int) {
	return mapdb.Pos{X: int16(v[0] >> 4), Y: int16(v[1] >> 4), Z: int16(v[2] >> 4)}, mapblock.Index(v[0]&15, v[1]&15, v[2]&15)
}

// A Box is the box of nodes from Min to Max, both inclusive.
type Box struct{ Min, Max Vec }

// Everywhere contains all nodes.
var Everywhere = Box{Vec{MinNode, MinNode, MinNode}, Vec{MaxNode, MaxNode, MaxNode}}

// BoxOf returns the box with two given corners.
func BoxOf(a, b Vec) (x Box) {
	for i := range a {
		x.Min[i], x.Max[i] = min(a[i], b[i]), max(a[i], b[i])
	}
	return x
}

// BoxOfBlocks returns the nodes of an area of blocks.
func BoxOfBlocks(a mapdb.Area) Box {
	of := func(p mapdb.Pos, add int) Vec {
		return Vec{int(p.X)*mapblock.Side + add, int(p.Y)*mapblock.Side + add, int(p.Z)*mapblock.Side + add}
	}
	return Box{of(a.Min, 0), of(a.Max, mapblock.Side-1)}
}

// Contains reports whether a node is in the box.
func (x Box) Contains(v Vec) bool {
	for i := range v {
		if v[i] < x.Min[i] || v[i] > x.Max[i] {
			return false
		}
	}
	return true
}

// Empty reports whether the box contains no node.
func (x Box) Empty() bool {
	return x.Min[0] > x.Max[0] || x.Min[1] > x.Max[1] || x.Min[2] > x.Max[2]
}

// Intersect returns the intersection of two boxes.
func (x Box) Intersect(o Box) Box {
	for i := range x.Min {
		x.Min[i], x.Max[i] = max(x.Min[i], o.Min[i]), min(x.Max[i], o.Max[i])
	}
	return x
}

// extend returns the smallest box that contains two boxes.
func (x Box) extend(o Box) Box {
	for i := range x.Min {
		x.Min[i], x.Max[i] = min(x.Min[i], o.Min[i]), max(x.Max[i], o.Max[i])
	}
	return x
}

// Size returns the number of nodes along each axis.
func (x Box) Size() Vec { return x.Max.Sub(x.Min).Add(Vec{1, 1, 1}) }

// Move returns the box moved by a distance.
func (x Box) Move(by Vec) Box { return Box{x.Min.Add(by), x.Max.Add(by)} }

// Area returns the blocks that contain nodes of the box.
func (x Box) Area() mapdb.Area {
	if x = x.Intersect(Everywhere); x.Empty() {
		return mapdb.Area{Min: mapdb.Pos{X: 1}} // an empty area
	}
	min, _ := x.Min.Block()
	max, _ := x.Max.Block()
	return mapdb.Area{Min: min, Max: max}
}

// A Region is the set of nodes that a step applies to.
type Region struct {
	Box Box
	// In reports whether a node of the box belongs to the region; nil means all nodes of the box.
	In func(v Vec) bool
	// Invert selects the nodes outside of Box and In instead.
	Invert bool
	// Where contains additional conditions, which are not inverted.
	Where Where
}

// Area returns the blocks that can contain nodes of the region.
func (r *Region) Area() mapdb.Area {
	if r.Invert {
		return mapdb.All()
	}
	return r.Box.Area()
}

// Where selects nodes by their properties. The zero value selects all nodes.
type Where struct {
	Names Names             // names of nodes; nil means any
	Meta  map[string]string // values of metadata, with the wildcards * and ?
}

// Names are patterns of node names, in which * matches any text and ? matches one character.
type Names []string

// Match returns a function that reports whether one of the patterns matches a name.
func (n Names) Match() func(name string) bool { return glob.Text(n...) }

// may returns a value of [Each.May] for steps that apply to nodes with these names. Versions 21 to 28 store names
// uncompressed, and version 29 is inflated for the search. A block that cannot be inflated may contain any name.
func (n Names) may() func(mapdb.Pos, []byte) bool {
	var words [][]byte
	for _, name := range n {
		word := glob.Literal(name)
		if word == "" {
			return nil
		}
		words = append(words, []byte(word))
	}
	contains := func(data []byte) bool {
		return slices.ContainsFunc(words, func(word []byte) bool { return bytes.Contains(data, word) })
	}
	return func(_ mapdb.Pos, data []byte) bool {
		switch {
		case len(data) == 0 || data[0] < 21 || data[0] > 29:
			return true
		case data[0] < 29:
			return contains(data)
		}
		buf := inflated.Get().(*[]byte)
		defer inflated.Put(buf)
		content, _, err := zframe.Decode(*buf, data[1:], cap(*buf))
		return err != nil || contains(content)
	}
}

// inflated holds buffers for blocks of version 29. Blocks that do not fit into them are always decoded.
var inflated = sync.Pool{New: func() any {
	buf := make([]byte, 0, 128<<10)
	return &buf
}}

// A Mask is a set of nodes of a block, by index.
type Mask [mapblock.NodeCount / 64]uint64

// Has reports whether a node is in the set.
func (m *Mask) Has(index int) bool { return m[index>>6]>>(index&63)&1 != 0 }

// Set adds a node to the set.
func (m *Mask) Set(index int) { m[index>>6] |= 1 << (index & 63) }

// Clear removes a node from the set.
func (m *Mask) Clear(index int) { m[index>>6] &^= 1 << (index & 63) }

// Count returns the number of nodes in the set.
func (m *Mask) Count() (n int) {
	for _, word := range m {
		n += bits.OnesCount64(word)
	}
	return n
}

// All yields the nodes in the set in the order of their indexes.
func (m *Mask) All(yield func(index int) bool) {
	for i, word := range m {
		for ; word != 0; word &= word - 1 {
			if !yield(i<<6 + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}

// Selector returns a function that returns the nodes of a block that are in the region, and whether there are any.
// The function is safe for concurrent use.
func (r Region) Selector() func(b *Block) (m Mask, any bool) {
	var match func(string) bool
	if r.Where.Names != nil {
		match = r.Where.Names.Match()
	}
	in := r.inside()
	meta := make(map[string]func(string) bool)
	for key, value := range r.Where.Meta {
		meta[key] = glob.Text(value)
	}
	return func(b *Block) (m Mask, any bool) {
		origin := b.Origin()
		whole := Box{origin, origin.Add(Vec{15, 15, 15})}
		if !r.Invert && r.Box.Intersect(whole).Empty() {
			return m, false
		}
		if len(meta) > 0 {
			for i := range b.Metadata.List {
				if e := &b.Metadata.List[i]; int(e.Pos) < mapblock.NodeCount && hasMeta(e, meta) {
					m.Set(int(e.Pos))
				}
			}
		} else {
			m = all
		}
		if match != nil {
			ids := b.Select(match)
			if ids == nil {
				return Mask{}, false
			}
			b.keep(&m, ids)
		}
		if inside := r.Box.Contains(whole.Min) && r.Box.Contains(whole.Max); !inside || r.In != nil || r.Invert {
			for i := range m.All {
				x, y, z := mapblock.Coordinates(i)
				if !in(origin.Add(Vec{x, y, z})) {
					m.Clear(i)
				}
			}
		}
		return m, m != Mask{}
	}
}

// inside returns a function that reports whether a position is in the region, regardless of the node.
func (r Region) inside() func(v Vec) bool {
	return func(v Vec) bool { return (r.Box.Contains(v) && (r.In == nil || r.In(v))) != r.Invert }
}

// all is the set of all nodes of a block.
var all = func() (m Mask) {
	for i := range m {
		m[i] = ^uint64(0)
	}
	return m
}()

// hasMeta reports whether metadata has the requested values.
func hasMeta(e *mapblock.NodeMeta, want map[string]func(string) bool) bool {
	for key, value := range want {
		if !slices.ContainsFunc(e.Vars, func(v mapblock.Var) bool { return v.Key == key && value(v.Value) }) {
			return false
		}
	}
	return true
}

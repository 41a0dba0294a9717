package worldedit

import (
	"bytes"
	"math/bits"
	"slices"

	"trowel.example/internal/glob"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// Vec is a place in the world or the way from one to another: x, y and z in nodes.
type Vec [3]int

// The nodes that a world can have, in each direction.
const (
	MinNode = mapdb.MinCoord * mapblock.Side
	MaxNode = mapdb.MaxCoord*mapblock.Side + mapblock.Side - 1
)

// Add returns the sum.
func (v Vec) Add(o Vec) Vec { return Vec{v[0] + o[0], v[1] + o[1], v[2] + o[2]} }

// Sub returns the difference.
func (v Vec) Sub(o Vec) Vec { return Vec{v[0] - o[0], v[1] - o[1], v[2] - o[2]} }

// Block returns the position of the block that a node is in, and its index there. The block
// can be one that no world has.
func (v Vec) Block() (p mapdb.Pos, index int) {
	return mapdb.Pos{X: int16(v[0] >> 4), Y: int16(v[1] >> 4), Z: int16(v[2] >> 4)}, mapblock.Index(v[0]&15, v[1]&15, v[2]&15)
}

// A Box is the nodes from Min to Max, both of them in it.
type Box struct{ Min, Max Vec }

// Everywhere is all nodes.
var Everywhere = Box{Vec{MinNode, MinNode, MinNode}, Vec{MaxNode, MaxNode, MaxNode}}

// BoxOf returns the box that has two corners.
func BoxOf(a, b Vec) (x Box) {
	for i := range a {
		x.Min[i], x.Max[i] = min(a[i], b[i]), max(a[i], b[i])
	}
	return x
}

// BoxOfBlocks returns the nodes of blocks.
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

// Empty reports whether there is no node in the box.
func (x Box) Empty() bool {
	return x.Min[0] > x.Max[0] || x.Min[1] > x.Max[1] || x.Min[2] > x.Max[2]
}

// Intersect returns what is in both boxes.
func (x Box) Intersect(o Box) Box {
	for i := range x.Min {
		x.Min[i], x.Max[i] = max(x.Min[i], o.Min[i]), min(x.Max[i], o.Max[i])
	}
	return x
}

// Size returns the number of nodes along each axis.
func (x Box) Size() Vec { return x.Max.Sub(x.Min).Add(Vec{1, 1, 1}) }

// Move returns the box somewhere else.
func (x Box) Move(by Vec) Box { return Box{x.Min.Add(by), x.Max.Add(by)} }

// Area returns the blocks that have nodes of the box.
func (x Box) Area() mapdb.Area {
	if x = x.Intersect(Everywhere); x.Empty() {
		return mapdb.Area{Min: mapdb.Pos{X: 1}} // of nothing
	}
	min, _ := x.Min.Block()
	max, _ := x.Max.Block()
	return mapdb.Area{Min: min, Max: max}
}

// A Region is the nodes that a step is about.
type Region struct {
	Box Box
	// In reports whether a node of the box belongs to the region; nil: all do.
	In func(v Vec) bool
	// Invert makes the region what it otherwise is not.
	Invert bool
	// Where is what nodes have to be besides, in the region or out of it.
	Where Where
}

// Area returns the blocks in which the region can have nodes.
func (r *Region) Area() mapdb.Area {
	if r.Invert {
		return mapdb.All()
	}
	return r.Box.Area()
}

// Where says what the nodes are that a step is about. The zero value is for all.
type Where struct {
	Names Names             // their names; nil: any
	Meta  map[string]string // values of their metadata, with * and ? for whatever there is
}

// Names are names of nodes, in which * stands for any letters, or none, and ? for one.
type Names []string

// Match returns a function that reports whether a name is one of the names.
func (n Names) Match() func(name string) bool { return glob.Text(n...) }

// may returns what [Each.May] is for steps about nodes with some names: versions 21 to 28
// have them uncompressed.
func (n Names) may() func(mapdb.Pos, []byte) bool {
	var words [][]byte
	for _, name := range n {
		word := glob.Literal(name)
		if word == "" {
			return nil
		}
		words = append(words, []byte(word))
	}
	return func(_ mapdb.Pos, data []byte) bool {
		if len(data) == 0 || data[0] < 21 || data[0] > 28 {
			return true
		}
		for _, word := range words {
			if bytes.Contains(data, word) {
				return true
			}
		}
		return false
	}
}

// A Mask is a set of nodes of a block, by their index.
type Mask [mapblock.NodeCount / 64]uint64

// Has reports whether a node is in the set.
func (m *Mask) Has(index int) bool { return m[index>>6]>>(index&63)&1 != 0 }

// Set puts a node into the set.
func (m *Mask) Set(index int) { m[index>>6] |= 1 << (index & 63) }

// Clear takes a node out of the set.
func (m *Mask) Clear(index int) { m[index>>6] &^= 1 << (index & 63) }

// Count returns how many nodes are in the set.
func (m *Mask) Count() (n int) {
	for _, word := range m {
		n += bits.OnesCount64(word)
	}
	return n
}

// All goes through the set in the order of indexes.
func (m *Mask) All(yield func(index int) bool) {
	for i, word := range m {
		for ; word != 0; word &= word - 1 {
			if !yield(i<<6 + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}

// Selector returns a function that returns the nodes of a block that are in the region, and
// whether there are any. It may be called by several goroutines.
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
		its := Box{origin, origin.Add(Vec{15, 15, 15})}
		if !r.Invert && r.Box.Intersect(its).Empty() {
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
		if inside := r.Box.Contains(its.Min) && r.Box.Contains(its.Max); !inside || r.In != nil || r.Invert {
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

// inside returns a function that reports whether a place is in the region, whatever node is
// there.
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

// hasMeta reports whether metadata have the values that are asked for.
func hasMeta(e *mapblock.NodeMeta, want map[string]func(string) bool) bool {
	for key, value := range want {
		if !slices.ContainsFunc(e.Vars, func(v mapblock.Var) bool { return v.Key == key && value(v.Value) }) {
			return false
		}
	}
	return true
}

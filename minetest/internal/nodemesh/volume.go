package nodemesh

import (
	"math"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// Volume is a box of nodes. The zero value is not useful: see [NewVolume].
//
// Faces depend on the nodes around them: on all that touch them, and for a rooted plant on those up to two nodes above.
type Volume struct {
	Origin [3]int // positions of vertices are relative to it

	// FullLight draws all nodes in daylight, without shadows.
	FullLight bool

	// Eye is the direction to an eye that is infinitely far away. Faces that it cannot see are left out, and upright plants,
	// torches and fire lie flat below an eye straight above, which would see their edges. The zero value is an eye anywhere.
	Eye [3]int

	// Unlit gives vertices the colours of their tiles alone, without light and shadows.
	Unlit bool

	// Shows reports whether faces of a node are wanted. Nil: they always are.
	Shows func(p [3]int) bool

	// Hidden reports whether all faces of a node are hidden that do not stick out of its cube. Nil: none are known to be.
	Hidden func(p [3]int) bool

	looks *Looks
	min   [3]int
	size  [3]int
	cells []cell
	unset cell // a node that is not loaded
	kinds []*look
	index map[string]uint16

	low, high [3]int // the limits of SetBlock, both inclusive
}

// cell is a node. The kind 0 is a node that is not loaded.
type cell struct {
	kind           uint16
	param1, param2 uint8
}

// NewVolume returns a box of nodes that are not loaded.
func (l *Looks) NewVolume(min, size [3]int) *Volume {
	return &Volume{Origin: min, looks: l, min: min, size: size, cells: make([]cell, size[0]*size[1]*size[2]),
		kinds: []*look{l.of("ignore")}, index: make(map[string]uint16),
		low: [3]int{math.MinInt, math.MinInt, math.MinInt}, high: [3]int{math.MaxInt - 1, math.MaxInt - 1, math.MaxInt - 1}}
}

// Limit makes [Volume.SetBlock] leave out nodes outside of a box, both corners inclusive.
func (v *Volume) Limit(low, high [3]int) { v.low, v.high = low, high }

// Move moves the volume to other nodes, none of which is loaded.
func (v *Volume) Move(min [3]int) {
	v.Origin, v.min = min, min
	clear(v.cells)
}

// cellAt returns the index of a position in cells, or -1 if it is outside of the volume.
func (v *Volume) cellAt(p [3]int) int {
	x, y, z := p[0]-v.min[0], p[1]-v.min[1], p[2]-v.min[2]
	if uint(x) >= uint(v.size[0]) || uint(y) >= uint(v.size[1]) || uint(z) >= uint(v.size[2]) {
		return -1
	}
	return (z*v.size[1]+y)*v.size[0] + x
}

// inside reports whether all neighbours of a position are in the volume.
func (v *Volume) inside(p [3]int) bool {
	for a := range p {
		if at := p[a] - v.min[a]; at < 1 || at > v.size[a]-2 {
			return false
		}
	}
	return true
}

// at returns the node at a position, and its appearance.
func (v *Volume) at(p [3]int) (cell, *look) {
	c := v.unset
	if i := v.cellAt(p); i >= 0 && v.cells[i].kind != 0 {
		c = v.cells[i]
	}
	return c, v.kinds[c.kind]
}

// Open makes air in daylight of the nodes that are not loaded, so that the sides of what is loaded can be seen.
func (v *Volume) Open() {
	v.unset, v.kinds[0] = cell{param1: 15}, v.looks.of("air")
}

func (v *Volume) kind(name string) uint16 {
	if name == "ignore" {
		return 0
	}
	i, known := v.index[name]
	if !known {
		if len(v.kinds) > math.MaxUint16 {
			return 0
		}
		i = uint16(len(v.kinds))
		v.kinds = append(v.kinds, v.looks.of(name))
		v.index[name] = i
	}
	return i
}

// Files returns the names of the models and the texture strings of all nodes that have been set, with repetitions.
func (v *Volume) Files() (all []string) {
	for _, k := range v.kinds {
		all = append(all, k.files...)
	}
	return all
}

// Set sets a node. Positions outside of the volume are ignored.
func (v *Volume) Set(p [3]int, name string, param1, param2 uint8) {
	if i := v.cellAt(p); i >= 0 {
		v.cells[i] = cell{v.kind(name), param1, param2}
	}
}

// SetBlock sets those nodes of a block that are in the volume.
func (v *Volume) SetBlock(pos mapdb.Pos, nodes *mapblock.Nodes) {
	const side = mapblock.Side
	start := [3]int{int(pos.X) * side, int(pos.Y) * side, int(pos.Z) * side}
	var low, high [3]int
	for a := range 3 {
		low[a], high[a] = max(start[a], v.min[a], v.low[a]), min(start[a]+side, v.min[a]+v.size[a], v.high[a]+1)
	}
	kinds := make([]uint16, len(nodes.Names))
	for i, name := range nodes.Names {
		kinds[i] = v.kind(name)
	}
	count := high[0] - low[0]
	if count <= 0 {
		return
	}
	for z := low[2]; z < high[2]; z++ {
		for y := low[1]; y < high[1]; y++ {
			from := mapblock.Index(low[0]-start[0], y-start[1], z-start[2])
			names, param1, param2 := nodes.Name[from:][:count], nodes.Param1[from:][:count], nodes.Param2[from:][:count]
			row := v.cells[v.cellAt([3]int{low[0], y, z}):][:count]
			for i := range row {
				row[i] = cell{kinds[names[i]], param1[i], param2[i]}
			}
		}
	}
}

func add(p, q [3]int) [3]int { return [3]int{p[0] + q[0], p[1] + q[1], p[2] + q[2]} }

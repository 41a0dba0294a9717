package schematic

import (
	"math/rand/v2"

	"trowel.example/minetest/turn"
)

// Placing describes how a schematic is placed.
type Placing struct {
	Quarters int    // number of turns by 90 degrees about y, as in the engine
	Force    bool   // all nodes replace existing ones
	Seed     uint64 // seed for probabilities

	// ParamType2 returns the paramtype2 of a node by name. If it is nil, no param2 is turned.
	ParamType2 func(name string) string
}

// Placed is a node to be placed.
type Placed struct {
	Index  int // in the schematic
	Name   string
	Param2 uint8
	Exact  bool // param2 was turned with the node, or needs no turning
	Force  bool // replaces any existing node; otherwise only air and missing nodes
}

// Placement is the set of nodes that a schematic places in a world. It is safe for concurrent use.
type Placement struct {
	Origin, Size [3]int // of the occupied box, relative to the position of placing

	s     *Schematic
	force bool
	m     turn.Motion
	back  turn.Motion
	kinds []string
	rows  []int    // the slice at each height
	out   []uint64 // a bit for each node that is not placed
}

// Place determines which nodes a schematic places, as the engine does: slice by slice, where a slice left out by
// chance takes no space, and node by node. The nodes of a .we file replace any existing node, as in WorldEdit.
func (s *Schematic) Place(p Placing) *Placement {
	chance := rand.New(rand.NewPCG(p.Seed, 0))
	happens := func(prob uint8) bool { return prob == Always || int(prob) > chance.IntN(Always)+1 }
	l := &Placement{
		Origin: s.Origin, s: s, force: p.Force || s.Form == WorldEdit,
		m: turn.Turn(turn.Y, p.Quarters), back: turn.Turn(turn.Y, -p.Quarters),
		kinds: make([]string, len(s.Names)), out: make([]uint64, (len(s.Name)+63)/64),
	}
	for i, name := range s.Names {
		if p.ParamType2 != nil {
			l.kinds[i] = p.ParamType2(name)
		}
	}
	for y := range s.Size[1] {
		if !happens(s.slice(y)) {
			continue
		}
		l.rows = append(l.rows, y)
		for z := range s.Size[2] {
			for x := range s.Size[0] {
				i := s.Index(x, y, z)
				if !happens(s.Prob[i]) || s.Form != MTS && s.At(i) == ignore {
					l.out[i>>6] |= 1 << (i & 63)
				}
			}
		}
	}
	l.Size = l.m.Size([3]int{s.Size[0], len(l.rows), s.Size[2]})
	return l
}

// At returns the node placed at a position, relative to the corner of the box with the least coordinates.
func (l *Placement) At(x, y, z int) (n Placed, placed bool) {
	from := l.back.In(l.Size, [3]int{x, y, z})
	i := l.s.Index(from[0], l.rows[y], from[2])
	if l.out[i>>6]>>(i&63)&1 != 0 {
		return n, false
	}
	n = Placed{Index: i, Name: l.s.At(i), Param2: l.s.Param2[i], Exact: true, Force: l.force || l.s.forced(i)}
	if n.Name == ignore { // ignore in a file
		n.Name = "air"
	}
	if l.m != turn.None {
		n.Param2, n.Exact = l.m.Param2(l.kinds[l.s.Name[i]], n.Param2)
	}
	return n, true
}

// All yields all placed nodes, with positions relative to the corner of the box with the least coordinates.
func (l *Placement) All(yield func(at [3]int, n Placed) bool) {
	for y := range l.Size[1] {
		for z := range l.Size[2] {
			for x := range l.Size[0] {
				if n, ok := l.At(x, y, z); ok && !yield([3]int{x, y, z}, n) {
					return
				}
			}
		}
	}
}

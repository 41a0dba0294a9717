package schematic

import (
	"fmt"
	"math/rand/v2"

	"trowel.example/minetest/turn"
)

// Convert returns a schematic in the newest version of another form, and what that form cannot
// hold, a line for each kind of thing.
func (s *Schematic) Convert(to Form) (c *Schematic, lost []string) {
	c = s.Clone()
	c.Form, c.Version = to, to.Newest()
	lose := func(n int, what string) {
		if n > 0 {
			lost = append(lost, fmt.Sprintf(what, n))
		}
	}
	if to == WorldEdit {
		slices, nodes, forced := 0, 0, 0
		for y := range s.Size[1] {
			if s.slice(y) != Always {
				slices++
			}
		}
		for i, p := range s.Prob {
			if p != Always && p != Never {
				nodes, c.Prob[i] = nodes+1, Always
			}
			if s.forced(i) {
				forced++
			}
		}
		lose(slices, "the probabilities of %d slices: all of them are placed")
		lose(nodes, "the probabilities of %d nodes: all of them are placed")
		lose(forced, "that %d nodes replace what is there: WorldEdit replaces it anyway")
		c.Slices, c.Force = nil, nil
		return c, lost
	}
	lose(len(s.Meta), "the metadata of %d nodes")
	if s.Origin != [3]int{} {
		lost = append(lost, fmt.Sprintf("that it begins at %d,%d,%d", s.Origin[0], s.Origin[1], s.Origin[2]))
	}
	c.Meta, c.Param1, c.Origin, c.Header = nil, nil, [3]int{}, ""
	if s.Form == WorldEdit {
		c.Tidy()
	}
	return c, lost
}

// Placing says how a schematic is placed.
type Placing struct {
	Quarters int    // how often it is turned by 90 degrees about y, as the engine does
	Force    bool   // all nodes replace what is there
	Seed     uint64 // of what is left to chance

	// ParamType2 returns the paramtype2 of a node by its name. Nil: no param2 is turned.
	ParamType2 func(name string) string
}

// Placed is a node that is to be placed.
type Placed struct {
	At     [3]int // from the corner with the least coordinates of the whole
	Name   string
	Param1 uint8
	Param2 uint8
	Exact  bool  // param2 was turned with the node, or does not turn
	Force  bool  // it replaces whatever is there; else only air and what is not there
	Meta   *Meta // nil: the node has none
}

// TurnedSize returns the size of what a schematic becomes in the world.
func (p Placing) TurnedSize(s *Schematic) [3]int {
	return turn.Turn(turn.Y, p.Quarters).Size(s.Size)
}

// Place goes through the nodes that a schematic puts into a world, as the engine does: slice by
// slice, of which one that chance leaves out takes no room. What comes of a .we replaces
// whatever is there, as WorldEdit has it.
func (s *Schematic) Place(p Placing) func(yield func(Placed) bool) {
	return func(yield func(Placed) bool) {
		chance := rand.New(rand.NewPCG(p.Seed, 0))
		happens := func(prob uint8) bool { return prob == Always || int(prob) > chance.IntN(Always)+1 }
		m := turn.Turn(turn.Y, p.Quarters)
		kinds := make([]string, len(s.Names))
		for i, name := range s.Names {
			if p.ParamType2 != nil {
				kinds[i] = p.ParamType2(name)
			}
		}
		size := m.Size(s.Size)
		back := turn.Turn(turn.Y, -p.Quarters)
		up := 0
		for y := range s.Size[1] {
			if !happens(s.slice(y)) {
				continue
			}
			for z := range size[2] {
				for x := range size[0] {
					from := back.In(size, [3]int{x, y, z})
					i := s.Index(from[0], from[1], from[2])
					name := s.At(i)
					if name == ignore {
						if s.Form != MTS {
							continue
						}
						name = "air"
					}
					if !happens(s.Prob[i]) {
						continue
					}
					n := Placed{
						At: [3]int{s.Origin[0] + x, s.Origin[1] + up, s.Origin[2] + z}, Name: name, Param1: s.light(i), Param2: s.Param2[i], Exact: true,
						Force: p.Force || s.forced(i) || s.Form == WorldEdit, Meta: s.MetaOf(i),
					}
					if m != turn.None {
						n.Param2, n.Exact = m.Param2(kinds[s.Name[i]], n.Param2)
					}
					if !yield(n) {
						return
					}
				}
			}
			up++
		}
	}
}

package schematic

import (
	"fmt"

	"trowel.example/internal/text/words"
)

// Convert returns the schematic in the newest version of another form, and one line for each kind of data that this
// form cannot hold.
func (s *Schematic) Convert(to Form) (c *Schematic, lost []string) {
	c = s.Clone()
	c.Form, c.Version = to, to.Newest()
	lose := func(n int, what, unit string) {
		if n > 0 {
			lost = append(lost, fmt.Sprintf(what, words.Count(n, unit)))
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
		lose(slices, "the probabilities of %s: all are placed", "slice")
		lose(nodes, "the probabilities of %s: all are placed", "node")
		lose(forced, "the force of %s: in a WorldEdit file all nodes replace existing nodes", "node")
		c.Slices, c.Force = nil, nil
		return c, lost
	}
	lose(len(s.Meta), "the metadata of %s", "node")
	if s.Origin != [3]int{} {
		lost = append(lost, fmt.Sprintf("the origin at %d,%d,%d", s.Origin[0], s.Origin[1], s.Origin[2]))
	}
	c.Meta, c.Param1, c.Origin, c.Header = nil, nil, [3]int{}, ""
	if s.Form == WorldEdit {
		c.Tidy()
	}
	return c, lost
}

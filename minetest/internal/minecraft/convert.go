package minecraft

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trowel.example/internal/text/words"
	"trowel.example/minetest/schematic"
)

// Unknown is a kind of block that a table does not have.
type Unknown struct {
	Name  string
	Count int
}

// Convert returns the schematic of the engine, with the nodes of a table. Blocks that it does not have become the node unknown, and are
// returned, the most frequent first. North stays north: z has the other direction there.
func (s *Schematic) Convert(t Table, unknown string) (*schematic.Schematic, []Unknown, error) {
	c, err := schematic.New(schematic.MTS, s.Size)
	if err != nil {
		return nil, nil, err
	}
	c.Names = nil
	id := c.Namer()
	type node struct {
		name   uint16
		param2 uint8
		prob   uint8
	}
	nodes := make([]node, len(s.States))
	missing := make([]bool, len(s.States))
	for i, state := range s.States {
		name, param2, placed, known := t.Node(state)
		missing[i] = !known
		n := node{param2: param2, prob: schematic.Always}
		switch {
		case !known:
			name = unknown
		case !placed:
			name, n.prob = "air", schematic.Never
		}
		if n.name, err = id(name); err != nil {
			return nil, nil, err
		}
		nodes[i] = n
	}
	counts := make(map[string]int)
	for i, state := range s.State {
		x, z, y := i%s.Size[0], i/s.Size[0]%s.Size[2], i/s.Size[0]/s.Size[2]
		to := c.Index(x, y, s.Size[2]-1-z)
		n := nodes[state]
		c.Name[to], c.Param2[to], c.Prob[to] = n.name, n.param2, n.prob
		if missing[state] {
			counts[s.States[state].Name]++
		}
	}
	c.Tidy()
	var list []Unknown
	for name, n := range counts {
		list = append(list, Unknown{name, n})
	}
	slices.SortFunc(list, func(a, b Unknown) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Name, b.Name)) })
	return c, list, nil
}

// Names returns a table with exactly the blocks of the schematic: the node of each by another table, or the node unknown. Comments have
// the number of blocks.
func (s *Schematic) Names(t Table, unknown string) string {
	counts := make([]int, len(s.States))
	for _, i := range s.State {
		counts[i]++
	}
	lines := make(map[string]string)
	for i, state := range s.States {
		name, param2, placed, known := t.Node(state)
		node, comment := name, ""
		switch {
		case !known:
			node, comment = unknown, ", unknown"
		case !placed:
			node = "-"
		case param2 != 0:
			node += fmt.Sprintf(" %d", param2)
		}
		text := state.String()
		if again, ok := parseState(text); !ok || strings.ContainsAny(text, "*?|# \t\r\n") || again.String() != text {
			text = fmt.Sprintf("# %q", text) // no row can name it
		}
		if counts[i] > 0 {
			lines[text] = fmt.Sprintf("%s = %s # %s%s\n", text, node, words.Thousands(int64(counts[i])), comment)
		}
	}
	text := "# The first row that matches a block counts. A row without properties is for all blocks of its name.\n"
	for _, key := range slices.Sorted(maps.Keys(lines)) {
		text += lines[key]
	}
	return text
}

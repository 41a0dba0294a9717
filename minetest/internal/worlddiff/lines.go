package worlddiff

import (
	"fmt"
	"strings"

	"trowel.example/internal/text/words"
)

// maxLines is the maximum number of changes of each kind that are listed.
const maxLines = 100

// Summary describes differences in words.
type Summary struct {
	lines  []string
	counts map[[2]string]int // by part and change
	nodes  int
	saved  int // blocks that differ only in the time or way they were saved
	more   int
}

// Add adds a change.
func (s *Summary) Add(c *Change) {
	if s.counts == nil {
		s.counts = make(map[[2]string]int)
	}
	if c.Part == Block && c.Change == Changed && c.Unread == "" && c.Nodes+c.Objects+c.Light+len(c.Metadata)+len(c.Timers) == 0 {
		s.saved++
		return
	}
	s.nodes += c.Nodes
	key := [2]string{c.Part, c.Change}
	if s.counts[key]++; s.counts[key] > maxLines {
		s.more++
		return
	}
	s.lines = append(s.lines, c.String())
}

// String describes the change in one line, with its path.
func (c *Change) String() string { return c.Path + ": " + c.text() }

// text describes the change in one line.
func (c *Change) text() string {
	if c.Change != Changed {
		return c.Change
	}
	var all []string
	printCount := func(n int, one, many string) {
		switch {
		case n == 1:
			all = append(all, "1 "+one)
		case n > 1:
			all = append(all, fmt.Sprintf("%d %s", n, many))
		}
	}
	if c.Unread != "" {
		all = append(all, c.Unread)
	}
	printCount(c.Nodes, "node", "nodes")
	if c.Nodes > 0 {
		var kinds []string
		for i, k := range c.Kinds {
			if i == 3 {
				kinds = append(kinds, "...")
				break
			}
			kinds = append(kinds, fmt.Sprintf("%s -> %s %d", k.Old, k.New, k.Count))
		}
		all[len(all)-1] += " (" + strings.Join(kinds, ", ") + ")"
	}
	printCount(len(c.Metadata), "node with different metadata", "nodes with different metadata")
	printCount(len(c.Timers), "timer", "timers")
	printCount(c.Objects, "object", "objects")
	if c.Nodes == 0 {
		printCount(c.Light, "node with different light", "nodes with different light")
	}
	if c.Part != Block {
		for i, f := range c.Fields {
			if i == 8 {
				all = append(all, words.Count(len(c.Fields)-i, "more value"))
				break
			}
			all = append(all, f.text())
		}
	}
	if len(all) == 0 {
		return Changed
	}
	return strings.Join(all, "; ")
}

func (f *Field) text() string {
	short := func(s *string) string {
		if runes := []rune(*s); len(runes) > 60 {
			return string(runes[:57]) + "..."
		}
		return *s
	}
	switch {
	case f.Old == nil && f.New == nil:
		return f.Name + " changed"
	case f.Old == nil:
		return f.Name + " added: " + short(f.New)
	case f.New == nil:
		return f.Name + " removed: " + short(f.Old)
	}
	return fmt.Sprintf("%s %s -> %s", f.Name, short(f.Old), short(f.New))
}

// Lines returns the descriptions of the changes, the first maxLines of each kind, and the totals.
func (s *Summary) Lines() []string {
	lines := s.lines
	if s.more > 0 {
		lines = append(lines, fmt.Sprintf("... and %d more (--json lists all)", s.more))
	}
	if s.saved > 0 {
		lines = append(lines, fmt.Sprintf("blocks saved again with the same content: %d", s.saved))
	}
	if n := s.counts; n[[2]string{Block, Added}]+n[[2]string{Block, Removed}]+n[[2]string{Block, Changed}] > 1 {
		lines = append(lines, fmt.Sprintf("blocks: %d added, %d removed, %d changed with %s",
			n[[2]string{Block, Added}], n[[2]string{Block, Removed}], n[[2]string{Block, Changed}], words.Count(s.nodes, "node")))
	}
	return lines
}

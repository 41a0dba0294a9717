package worldcheck

import (
	"fmt"

	"trowel/check"
	"trowel/minetest/mapdb"
	"trowel/minetest/worldmap"
)

// warned is for how many blocks a kind of warning is told.
const warned = 10

// summary passes findings about blocks on, and counts those that would repeat.
type summary struct {
	sink  check.Sink
	kinds map[string]*tally
	order []*tally // of the first finding of each kind
}

// tally counts the findings of a kind.
type tally struct {
	first        check.Finding // its path tells the block
	last         mapdb.Pos
	blocks, told int
}

func newSummary(sink check.Sink) *summary {
	return &summary{sink: sink, kinds: make(map[string]*tally)}
}

// add takes a finding about a row. Without a position, nothing is known of where
// it belongs.
func (s *summary) add(p *mapdb.Pos, f check.Finding) {
	if p == nil {
		s.sink(f)
		return
	}
	f.Path = worldmap.Place(*p, f.Path)
	if f.Severity == check.Error {
		s.sink(f)
		return
	}
	t := s.kinds[f.ID]
	if t == nil {
		t = &tally{first: f}
		s.kinds[f.ID], s.order = t, append(s.order, t)
	}
	if t.blocks == 0 || t.last != *p {
		t.blocks++
		t.last = *p
		if f.Severity == check.Warning && t.blocks <= warned {
			t.told = t.blocks
		}
	}
	if f.Severity == check.Warning && t.blocks <= warned {
		s.sink(f)
	}
}

// end tells what was counted.
func (s *summary) end() {
	for _, t := range s.order {
		f := t.first
		switch more := t.blocks - t.told; {
		case more == 0:
			continue
		case t.told > 0:
			f.Path, f.Offset, f.Message = "map", -1, fmt.Sprintf("%d more blocks have the same", more)
		case t.blocks > 1:
			f.Message += fmt.Sprintf(", and likewise in %d more blocks", t.blocks-1)
		}
		s.sink(f)
	}
}

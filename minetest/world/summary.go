package world

import (
	"fmt"
	"strings"

	"trowel.example/check"
)

// different is how many different warnings of a kind are told.
const different = 10

// Gather makes of the findings of all slabs of a world, which are put into it in their order,
// those of the world: what repeats is told as one, and what is wrong with the file is told
// once. It tells errors at once, and the others at the end.
func Gather(sink check.Sink) (put check.Sink, end func()) {
	s := &summary{sink: sink, told: make(map[string]bool), known: make(map[[2]string]*tally), kinds: make(map[string]int)}
	return s.add, s.end
}

// summary passes errors about blocks on, and puts together what repeats.
type summary struct {
	sink  check.Sink
	told  map[string]bool      // what is told of the database
	pages []check.Finding      // of it, which are told at the end
	known map[[2]string]*tally // by kind and message
	kinds map[string]int       // how many tallies of a kind there are
	order []*tally             // of the first finding of each
}

// tally is findings that are told as one.
type tally struct {
	first  check.Finding // its path tells the block
	rest   bool          // the first is one of many different ones
	blocks int
	last   string // of the blocks
	at     []check.Place
}

// add takes a finding: about a block, if its path says so.
func (s *summary) add(f check.Finding) {
	if f.Path == pathMap {
		text := f.Verbose()
		if s.told[text] {
			return
		}
		if s.told[text] = true; f.ID == foundMapPages.ID {
			s.pages = append(s.pages, f)
			return
		}
	}
	block, _, _ := strings.Cut(f.Path, ":")
	if f.Severity == check.Error || !strings.HasPrefix(block, "block ") {
		s.sink(f)
		return
	}
	t := s.tally(f)
	if t.last != block {
		t.blocks++
		t.last = block
	}
	t.at = append(t.at, f.At...)
}

// tally returns where a finding is counted.
func (s *summary) tally(f check.Finding) *tally {
	key := [2]string{f.ID, f.Message}
	rest := f.Severity == check.Warning && s.kinds[f.ID] >= different
	if f.Severity == check.Info || rest && s.known[key] == nil {
		key[1] = ""
	}
	t := s.known[key]
	if t == nil {
		t = &tally{first: f, rest: rest}
		s.known[key], s.order = t, append(s.order, t)
		s.kinds[f.ID]++
	}
	return t
}

// end tells what was found.
func (s *summary) end() {
	for _, f := range s.pages {
		s.sink(f)
	}
	for _, t := range s.order {
		f := t.first
		f.At = t.at
		switch more := t.blocks - 1; {
		case t.rest:
			f.Path, f.Offset, f.Message = pathMap, -1, fmt.Sprintf("%d more blocks have others of this kind", t.blocks)
		case more > 0:
			f.Message += fmt.Sprintf(", and likewise in %d more blocks", more)
		}
		s.sink(f)
	}
}

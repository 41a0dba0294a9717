package world

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/place"
)

// different is how many different warnings of a kind are told.
const different = 10

// summary passes errors about blocks on, and puts together what repeats.
type summary struct {
	sink  check.Sink
	known map[[2]string]*tally // by kind and message
	kinds map[string]int       // how many tallies of a kind there are
	order []*tally             // of the first finding of each
}

// tally is findings that are told as one.
type tally struct {
	first  check.Finding // its path tells the block
	rest   bool          // the first is one of many different ones
	blocks int
	last   mapdb.Pos
	at     []check.Place
}

func newSummary(sink check.Sink) *summary {
	return &summary{sink: sink, known: make(map[[2]string]*tally), kinds: make(map[string]int)}
}

// add takes a finding about a row. Without a position, nothing is known of where
// it belongs.
func (s *summary) add(p *mapdb.Pos, f check.Finding) {
	if p == nil {
		s.sink(f)
		return
	}
	f = place.InWorld(f, p.X, p.Y, p.Z)
	if f.Severity == check.Error {
		s.sink(f)
		return
	}
	t := s.tally(f)
	if t.blocks == 0 || t.last != *p {
		t.blocks++
		t.last = *p
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
	for _, t := range s.order {
		f := t.first
		f.At = t.at
		switch more := t.blocks - 1; {
		case t.rest:
			f.Path, f.Offset, f.Message = "map", -1, fmt.Sprintf("%d more blocks have others of this kind", t.blocks)
		case more > 0:
			f.Message += fmt.Sprintf(", and likewise in %d more blocks", more)
		}
		s.sink(f)
	}
}

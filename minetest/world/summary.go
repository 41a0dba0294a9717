package world

import (
	"fmt"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
)

// different is the number of different warnings of a kind that are reported.
const different = 10

// Gather combines the findings of all slabs of a world into the findings of the world. The findings must be passed to
// put in the order of the slabs. Repeated findings are reported as one, and problems of the file once. Errors are
// passed to sink immediately, other findings when end is called.
func Gather(sink check.Sink) (put check.Sink, end func()) {
	s := &summary{sink: sink, reported: make(map[string]bool), known: make(map[[2]string]*occurrences), kinds: make(map[string]int)}
	return s.add, s.end
}

// summary passes on errors about blocks and combines repeated findings.
type summary struct {
	sink     check.Sink
	reported map[string]bool            // findings about the database that are already reported
	pages    []check.Finding            // findings about damaged pages, reported at the end
	known    map[[2]string]*occurrences // by kind and message
	kinds    map[string]int             // number of tallies of a kind
	order    []*occurrences             // in the order of their first findings
}

// occurrences is a group of findings that are reported as one.
type occurrences struct {
	first  check.Finding // its path contains the block
	rest   bool          // whether the findings differ
	blocks int
	last   string // the last block
	at     []check.Place
}

// add adds a finding. It is about a block if its path begins with the block.
func (s *summary) add(f check.Finding) {
	if f.Path == pathMap {
		text := f.Verbose()
		if s.reported[text] {
			return
		}
		if s.reported[text] = true; f.ID == foundMapPages.ID {
			s.pages = append(s.pages, f)
			return
		}
	}
	block, _, _ := strings.Cut(f.Path, ":")
	if f.Severity == check.Error || !strings.HasPrefix(block, "block ") {
		s.sink(f)
		return
	}
	t := s.occurrencesOf(f)
	if t.last != block {
		t.blocks++
		t.last = block
	}
	t.at = append(t.at, f.At...)
}

// occurrencesOf returns the group that a finding belongs to.
func (s *summary) occurrencesOf(f check.Finding) *occurrences {
	key := [2]string{f.ID, f.Message}
	rest := f.Severity == check.Warning && s.kinds[f.ID] >= different
	if f.Severity == check.Info || rest && s.known[key] == nil {
		key[1] = ""
	}
	t := s.known[key]
	if t == nil {
		t = &occurrences{first: f, rest: rest}
		s.known[key], s.order = t, append(s.order, t)
		s.kinds[f.ID]++
	}
	return t
}

// end reports the combined findings.
func (s *summary) end() {
	for _, f := range s.pages {
		s.sink(f)
	}
	for _, t := range s.order {
		f := t.first
		f.At = t.at
		switch more := t.blocks - 1; {
		case t.rest:
			f.Path, f.Offset, f.Message = pathMap, -1, "others of this kind in "+words.Count(t.blocks, "more block")
		case more > 0:
			f.Message += fmt.Sprintf(", and likewise in %s", words.Count(more, "more block"))
		}
		s.sink(f)
	}
}

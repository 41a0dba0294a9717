package mapmerge

import (
	"trowel.example/check"
	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/twmap"
)

// three holds what the three maps have of something.
type three[T any] struct{ b, o, t T }

func (v three[T]) sides() [3]T { return [3]T{v.b, v.o, v.t} }

// list is a list of parts of one kind in three maps. A part has the same number in all of them, and in the merged
// map: the index of its triple.
type list[T any] struct {
	three[[]*T]
	kind    twmap.PartKind
	triples []triple // starts with the parts of base
	order   []int    // of the merged map
}

// triple holds the positions of a part in the lists of base, ours and theirs; -1 where it is missing.
type triple = three[int]

// matches hold for each part of ours and theirs its index in base, or -1 for new parts; and for each new part of
// theirs the index of the matching part of ours.
type matches struct{ ours, theirs, both []int }

// newList joins the parts of three lists. same reports whether matching new parts of ours and theirs are the same.
func newList[T any](kind twmap.PartKind, lists three[[]*T], match matches, same func(o, t *T) bool) *list[T] {
	l := &list[T]{three: lists, kind: kind, triples: make([]triple, len(lists.b))}
	for i := range l.triples {
		l.triples[i] = triple{i, -1, -1}
	}
	of := make(map[int]int)
	for o, b := range match.ours {
		if b >= 0 {
			l.triples[b].o = o
			continue
		}
		of[o] = len(l.triples)
		l.triples = append(l.triples, triple{-1, o, -1})
	}
	for t, b := range match.theirs {
		if b >= 0 {
			l.triples[b].t = t
			continue
		}
		o := match.both[t]
		if i, known := of[o]; known && l.triples[i].t < 0 && same(l.o[o], l.t[t]) {
			l.triples[i].t = t
			continue
		}
		l.triples = append(l.triples, triple{-1, -1, t})
	}
	return l
}

func at[T any](list []*T, i int) *T {
	if i < 0 {
		return nil
	}
	return list[i]
}

// versions returns the versions of a part, nil where it is missing.
func (l *list[T]) versions(i int) (b, o, t *T) {
	tr := l.triples[i]
	return at(l.b, tr.b), at(l.o, tr.o), at(l.t, tr.t)
}

// part returns the part of the merged map, or of the side that has it.
func (l *list[T]) part(i int) *T {
	b, o, t := l.versions(i)
	switch {
	case o != nil:
		return o
	case t != nil:
		return t
	}
	return b
}

// sort sets the merged order of the parts that stay, and returns these parts.
func (l *list[T]) sort(m *merger, what string, stays []bool) []*T {
	ids := three[[]int]{make([]int, len(l.b)), make([]int, len(l.o)), make([]int, len(l.t))}
	for i, tr := range l.triples {
		for side, at := range tr.sides() {
			if at >= 0 {
				ids.sides()[side][at] = i
			}
		}
	}
	l.order = order(m, what, ids, func(i int) bool { return stays[i] })
	parts := make([]*T, len(l.order))
	for at, i := range l.order {
		parts[at] = l.part(i)
	}
	return parts
}

// merge merges the list; both merges a part that both sides have into that of ours.
func (l *list[T]) merge(m *merger, equal func(a, b *T) bool, both func(b, o, t *T)) []*T {
	stays := make([]bool, len(l.triples))
	for i := range l.triples {
		b, o, t := l.versions(i)
		if b != nil && o != nil && t != nil {
			both(b, o, t)
		}
		stays[i] = partStays(m, b, o, t, equal)
	}
	return l.sort(m, string(l.kind)+"s", stays)
}

// partStays decides whether the merged map keeps a part, and reports why.
func partStays[T comparable](m *merger, b, o, t T, equal func(x, y T) bool) bool {
	return stays(b, o, t, equal, func(what string) {
		if what == added {
			m.took(t, added)
		} else {
			m.took(b, removed)
		}
	}, func(what string) merge3.Side { return m.conflict(b, check.Conflict{What: what}) })
}

const added, removed = "added", "removed"

// stays decides whether the merged map keeps an item, which is zero where a side lacks it: an item that one side
// removed and the other did not change is removed. It calls took with added or removed.
func stays[T comparable](b, o, t T, equal func(x, y T) bool, took func(what string), conflict func(what string) merge3.Side) bool {
	var none T
	if o != none && t != none {
		return true
	}
	side := merge3.Pick(b, o, t, merge3.Item(equal), func() {
		if t == none {
			took(removed)
		} else {
			took(added)
		}
	}, func() merge3.Side {
		if o == none {
			return conflict("ours removed it, and theirs changed it")
		}
		return conflict("ours changed it, and theirs removed it")
	})
	return merge3.Of(side, o, t) != none
}

// order returns the merged order of a list, see [merge3.Order].
func order[T comparable](m *merger, what string, ids three[[]T], stays func(T) bool) []T {
	return merge3.Order(ids.b, ids.o, ids.t, stays, func() { m.took(nil, "the order of the %s", what) }, func() merge3.Side {
		return m.conflict(nil, check.Conflict{What: "both moved one of the " + what + " in different ways"})
	})
}

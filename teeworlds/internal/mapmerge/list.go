package mapmerge

import (
	"slices"

	"trowel.example/internal/values/inorder"
	"trowel.example/teeworlds/twmap"
)

// list is a list of parts of one kind in three maps. A part has the same number in all of them, and in the merged
// map: the index of its triple.
type list[T any] struct {
	kind    twmap.PartKind
	b, o, t []*T
	triples []triple // starts with the parts of base
	order   []int    // of the merged map
}

// triple holds the positions of a part in the lists of base, ours and theirs; -1 where it is missing.
type triple struct{ b, o, t int }

// newList joins the parts of three lists. ours and theirs hold, for each part, its index in base, or -1 for new
// parts. both matches new parts of theirs with those of ours; same reports whether they are the same.
func newList[T any](kind twmap.PartKind, b, o, t []*T, ours, theirs, both []int, same func(o, t int) bool) *list[T] {
	l := &list[T]{kind: kind, b: b, o: o, t: t, triples: make([]triple, len(b))}
	for i := range l.triples {
		l.triples[i] = triple{i, -1, -1}
	}
	of := make(map[int]int)
	for o, b := range ours {
		if b >= 0 {
			l.triples[b].o = o
			continue
		}
		of[o] = len(l.triples)
		l.triples = append(l.triples, triple{-1, o, -1})
	}
	for t, b := range theirs {
		if b >= 0 {
			l.triples[b].t = t
			continue
		}
		if i, known := of[both[t]]; known && l.triples[i].t < 0 && same(both[t], t) {
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

// part returns the part of the merged map, or of the side that has it.
func (l *list[T]) part(i int) *T {
	t := l.triples[i]
	switch {
	case t.o >= 0:
		return l.o[t.o]
	case t.t >= 0:
		return l.t[t.t]
	}
	return l.b[t.b]
}

// ids returns the numbers of the parts of a side, in its order.
func (l *list[T]) ids(of func(triple) int) []int {
	n := 0
	for _, t := range l.triples {
		n = max(n, of(t)+1)
	}
	ids := make([]int, n)
	for i, t := range l.triples {
		if at := of(t); at >= 0 {
			ids[at] = i
		}
	}
	return ids
}

// merge merges the list; both merges a part that both sides have into that of ours.
func (l *list[T]) merge(m *merger, equal func(a, b *T) bool, both func(b, o, t *T)) []*T {
	stays := make(map[int]bool)
	for i, tr := range l.triples {
		b, o, t := at(l.b, tr.b), at(l.o, tr.o), at(l.t, tr.t)
		if b != nil && o != nil && t != nil {
			both(b, o, t)
		}
		var pb, po, pt any
		if b != nil {
			pb = b
		}
		if o != nil {
			po = o
		}
		if t != nil {
			pt = t
		}
		stays[i] = m.stays(pb, po, pt, func() bool { return equal(b, o) }, func() bool { return equal(b, t) })
	}
	l.order = m.order(string(l.kind)+"s", l.ids(func(t triple) int { return t.b }), l.ids(func(t triple) int { return t.o }), l.ids(func(t triple) int { return t.t }), stays)
	parts := make([]*T, len(l.order))
	for at, i := range l.order {
		parts[at] = l.part(i)
	}
	return parts
}

// stays decides whether the merged map keeps a part, which is nil where a side lacks it: a part that one side removed
// and the other did not change is removed.
func (m *merger) stays(b, o, t any, oursSame, theirsSame func() bool) bool {
	switch {
	case o != nil && t != nil:
		return true
	case b == nil && t != nil:
		m.took(t, "added")
		return true
	case b == nil:
		return o != nil
	case o == nil && t == nil:
		return false
	case o != nil && oursSame():
		m.took(b, "removed")
		return false
	case o != nil:
		return m.conflict(b, nil, "ours changed it, and theirs removed it", nil, nil, nil) == "ours"
	case theirsSame():
		return false
	}
	return m.conflict(b, nil, "ours removed it, and theirs changed it", nil, nil, nil) == "theirs"
}

// order returns the merged order of a list. Kept elements have the order of ours; those that theirs moved or added
// are inserted after their predecessor in theirs.
func (m *merger) order(what string, b, o, t []int, stays map[int]bool) []int {
	only := func(list []int) []int {
		return slices.DeleteFunc(slices.Clone(list), func(i int) bool { return !stays[i] })
	}
	common := func(list, with []int) []int {
		in := make(map[int]bool)
		for _, i := range with {
			in[i] = true
		}
		return slices.DeleteFunc(slices.Clone(list), func(i int) bool { return !in[i] })
	}
	result, all := slices.Clone(o), t // removed elements serve as landmarks until the end
	b, o, t = only(b), only(o), only(t)
	movedOurs, movedTheirs := moved(common(b, o), common(o, b)), moved(common(b, t), common(t, b))
	inOurs, inBase := make(map[int]bool), make(map[int]bool)
	for _, i := range o {
		inOurs[i] = true
	}
	for _, i := range b {
		inBase[i] = true
	}
	agreed := slices.Equal(common(o, t), common(t, o))
	took := false
	for at, i := range all {
		if !stays[i] || inOurs[i] && !movedTheirs[i] {
			continue
		}
		if inOurs[i] {
			if movedOurs[i] && (agreed || m.conflict(nil, nil, "both moved one of the "+what+" in different ways", nil, nil, nil) == "ours") {
				continue
			}
			result = slices.DeleteFunc(result, func(j int) bool { return i == j })
		}
		place := 0
		for before := at - 1; before >= 0 && place == 0; before-- {
			place = slices.Index(result, all[before]) + 1
		}
		for !movedTheirs[i] && place < len(result) && !inBase[result[place]] && inOurs[result[place]] {
			place++ // after those that ours added there
		}
		result = slices.Insert(result, place, i)
		took = took || movedTheirs[i]
	}
	if took {
		m.took(nil, "the order of the %s", what)
	}
	return only(result)
}

// moved returns the smallest set of elements that must be moved to get from one order to another of the same
// elements.
func moved(old, new []int) map[int]bool {
	place := make(map[int]int)
	for at, i := range old {
		place[i] = at
	}
	places := make([]int, len(new))
	for j, i := range new {
		places[j] = place[i]
	}
	is := make(map[int]bool)
	for j, in := range inorder.Longest(places) {
		if !in {
			is[new[j]] = true
		}
	}
	return is
}

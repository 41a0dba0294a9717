package mapedit

import (
	"fmt"
	"slices"

	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

// reorder reorders the parts of a kind that others refer to: order lists their old numbers, and parts that it lacks
// are removed. References are updated; those to removed parts become none.
func (e *Editor) reorder(kind twmap.PartKind, order []int) error {
	have := numberOf(e.m, kind)
	to := make([]int, have)
	for i := range to {
		to[i] = -1
	}
	for is, was := range order {
		to[was] = is
	}
	_, err := Renumber(e.m, kind, func(i int) int {
		if i < have {
			return to[i]
		}
		return i - have + len(order) // a dangling reference stays dangling
	})
	if err != nil {
		return err
	}
	switch kind {
	case twmap.PartImage:
		e.m.Images = pick(e.m.Images, order)
	case twmap.PartSound:
		e.m.Sounds = pick(e.m.Sounds, order)
	case twmap.PartEnvelope:
		e.m.Envelopes = pick(e.m.Envelopes, order)
	}
	return nil
}

func pick[T any](list []T, order []int) []T {
	picked := make([]T, len(order))
	for i, n := range order {
		picked[i] = list[n]
	}
	return picked
}

// without returns the numbers below n, in order, except those in gone.
func without(n int, gone []int) []int {
	var order []int
	for i := range n {
		if !slices.Contains(gone, i) {
			order = append(order, i)
		}
	}
	return order
}

// withMoved returns the numbers below n with one of them moved; to is counted without it.
func withMoved(n, from, to int) []int {
	return slices.Insert(without(n, []int{from}), to, from)
}

// inRange returns an error if there is no part with that number.
func inRange(what twmap.PartKind, i, n int) error {
	if i < 0 || i >= n {
		return fmt.Errorf("no %s %d: the map has %d", what, i, n)
	}
	return nil
}

func allInRange(what twmap.PartKind, list []int, n int) error {
	for _, i := range list {
		if err := inRange(what, i, n); err != nil {
			return err
		}
	}
	return nil
}

// settle changes dangling references to none, before parts are added.
func (e *Editor) settle(kind twmap.PartKind) error {
	n, err := DropDangling(e.m, kind)
	e.reportChange(nil, n, "references", "references to %ss that do not exist set to none", kind)
	return err
}

// unused returns the numbers of the parts without references.
func (e *Editor) unused(kind twmap.PartKind) []int {
	used := make([]bool, numberOf(e.m, kind))
	for r := range Refs(e.m) {
		if r.To == kind && !r.Idle && r.Number < len(used) {
			used[r.Number] = true
		}
	}
	var list []int
	for i, is := range used {
		if !is {
			list = append(list, i)
		}
	}
	return list
}

// remove removes parts, and reports for each of them what happens to its users.
func (e *Editor) remove(kind twmap.PartKind, list []int, part func(i int) any) error {
	n := numberOf(e.m, kind)
	if err := allInRange(kind, list, n); err != nil {
		return err
	}
	users := make(map[int]int)
	for r := range Refs(e.m) {
		if r.To == kind && !r.Idle {
			users[r.Number]++
		}
	}
	type leaving struct {
		part  any
		users int
	}
	var gone []leaving
	for i := range n {
		if slices.Contains(list, i) {
			gone = append(gone, leaving{part(i), users[i]})
		}
	}
	if err := e.reorder(kind, without(n, list)); err != nil {
		return err
	}
	for _, g := range gone {
		if g.users == 0 {
			e.reportChange(g.part, 1, "", "removed")
		} else {
			e.reportChange(g.part, 1, "", "removed; %s to it set to none", words.Count(g.users, "reference"))
		}
	}
	return nil
}

// move moves a part to another position in its list.
func (e *Editor) move(kind twmap.PartKind, from, to int, part any) error {
	n := numberOf(e.m, kind)
	if err := allInRange(kind, []int{from, to}, n); err != nil || from == to {
		return err
	}
	if err := e.reorder(kind, withMoved(n, from, to)); err != nil {
		return err
	}
	e.reportChange(part, 1, "", "moved from %d to %d", from, to)
	return nil
}

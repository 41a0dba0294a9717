// Package merge3 merges the changes of two sides to a common base: of a value, of a store of items with keys, of a
// set, and of the order of a list.
//
// All of it follows one rule. A change of one side is taken from that side, and equal changes of both sides are taken
// once. If both sides changed something in different ways, that is a conflict: the caller reports it, and returns the
// side whose version is taken.
package merge3

import "fmt"

// Side is one of the two versions that are merged.
type Side int

// The sides of a merge.
const (
	Ours Side = iota
	Theirs
)

func (s Side) String() string {
	if s == Theirs {
		return "theirs"
	}
	return "ours"
}

// ParseSide returns the side with the given name. An empty name means Ours.
func ParseSide(name string) (Side, error) {
	switch name {
	case "", Ours.String():
		return Ours, nil
	case Theirs.String():
		return Theirs, nil
	}
	return Ours, fmt.Errorf("expected ours or theirs, not %q", name)
}

// Of returns the version of the side.
func Of[T any](s Side, ours, theirs T) T {
	if s == Theirs {
		return theirs
	}
	return ours
}

// Compare returns the side that changed a value, Ours if none or both did, and reports whether both sides changed it
// in different ways.
func Compare[T any](base, ours, theirs T, equal func(x, y T) bool) (side Side, both bool) {
	switch {
	case equal(base, theirs) || equal(ours, theirs):
		return Ours, false
	case equal(base, ours):
		return Theirs, false
	}
	return Ours, true
}

// Pick returns the side whose version of a value is taken. If only theirs changed the value, Pick calls took, which
// may be nil, and returns Theirs. If both sides changed it in different ways, it returns the result of conflict.
// Otherwise it returns Ours.
func Pick[T any](base, ours, theirs T, equal func(x, y T) bool, took func(), conflict func() Side) Side {
	side, both := Compare(base, ours, theirs, equal)
	if both {
		return conflict()
	}
	if side == Theirs && took != nil {
		took()
	}
	return side
}

// Value returns the merged version of a value, see [Pick].
func Value[T comparable](base, ours, theirs T, took func(), conflict func() Side) T {
	return Of(Pick(base, ours, theirs, func(x, y T) bool { return x == y }, took, conflict), ours, theirs)
}

// Count returns how often a merged set with repeated elements has an element. If both sides added, or removed, the
// element, the larger change is taken, because it contains the smaller one.
func Count(base, ours, theirs int) int {
	o, t := ours-base, theirs-base
	switch {
	case o > 0 && t > 0:
		return base + max(o, t)
	case o < 0 && t < 0:
		return base + min(o, t)
	}
	return base + o + t
}

// Item makes the comparison of items that a version may lack, which is the zero value, from one of existing items.
func Item[T comparable](equal func(x, y T) bool) func(x, y T) bool {
	var none T
	return func(x, y T) bool { return x == y || x != none && y != none && equal(x, y) }
}

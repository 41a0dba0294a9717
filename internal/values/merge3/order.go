package merge3

import "slices"

// Order returns the merged order of lists of distinct items. The result has the items for which stays is true; each
// of them is in ours or theirs. They have the order of ours, except that items that theirs moved or added are after
// their predecessors in theirs. Order calls took, which may be nil, if it takes moves from theirs, and conflict for
// each item that both sides moved, in different ways.
func Order[T comparable](base, ours, theirs []T, stays func(T) bool, took func(), conflict func() Side) []T {
	b, o, t := Filter(base, stays), Filter(ours, stays), Filter(theirs, stays)
	inBase, inOurs, inTheirs := Has(b), Has(o), Has(t)
	movedOurs, movedTheirs := moved(Filter(b, inOurs), Filter(o, inBase)), moved(Filter(b, inTheirs), Filter(t, inBase))
	agreed := slices.Equal(Filter(o, inTheirs), Filter(t, inOurs))
	result := slices.Clone(ours) // removed items serve as landmarks until the end
	taken := false
	for at, v := range theirs {
		if !stays(v) || inOurs(v) && !movedTheirs(v) {
			continue
		}
		if inOurs(v) {
			if movedOurs(v) && (agreed || conflict() == Ours) {
				continue
			}
			result = slices.DeleteFunc(result, func(x T) bool { return x == v })
		}
		result = slices.Insert(result, Place(result, theirs[:at], func(x T) bool { return !movedTheirs(v) && !inBase(x) && inOurs(x) }), v)
		taken = taken || movedTheirs(v)
	}
	if taken && took != nil {
		took()
	}
	return Filter(result, stays)
}

// moved returns whether an item belongs to the smallest set of items that must be moved to get from one order to
// another of the same items.
func moved[T comparable](old, new []T) func(T) bool {
	place := make(map[T]int, len(old))
	for at, v := range old {
		place[v] = at
	}
	places := make([]int, len(new))
	for i, v := range new {
		places[i] = place[v]
	}
	var all []T
	for i, in := range InOrder(places) {
		if !in {
			all = append(all, new[i])
		}
	}
	return Has(all)
}

// Place returns the index in list at which an item of theirs is inserted: after the last of the items before it in
// theirs that the list has, and after the items following there that ours added.
func Place[T comparable](list, before []T, added func(T) bool) int {
	at := 0
	for i := len(before) - 1; i >= 0 && at == 0; i-- {
		at = slices.Index(list, before[i]) + 1
	}
	for at < len(list) && added(list[at]) {
		at++
	}
	return at
}

// Arrange gives those items of list that order has the order in which order has them, and leaves all others in place.
func Arrange[T comparable](list, order []T) {
	in, next := Has(order), 0
	for i, v := range list {
		if in(v) {
			list[i] = order[next]
			next++
		}
	}
}

// Filter returns the items of a list that keep accepts.
func Filter[T any](list []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool { return !keep(v) })
}

// Has returns a function that reports whether an item is in a list.
func Has[T comparable](list []T) func(T) bool {
	in := make(map[T]bool, len(list))
	for _, v := range list {
		in[v] = true
	}
	return func(v T) bool { return in[v] }
}

// InOrder reports for each number of a list whether it belongs to the longest increasing subsequence: the others moved. It ignores
// numbers below 0. The numbers must be distinct.
func InOrder(list []int) []bool {
	var ends, at []int // the smallest end of an increasing subsequence of each length, and its index
	before := make([]int, len(list))
	for j, n := range list {
		if n < 0 {
			continue
		}
		length, _ := slices.BinarySearch(ends, n)
		if length == len(ends) {
			ends, at = append(ends, n), append(at, j)
		}
		ends[length], at[length] = n, j
		before[j] = -1
		if length > 0 {
			before[j] = at[length-1]
		}
	}
	in := make([]bool, len(list))
	if len(at) > 0 {
		for j := at[len(at)-1]; j >= 0; j = before[j] {
			in[j] = true
		}
	}
	return in
}

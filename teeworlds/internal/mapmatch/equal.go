package mapmatch

import "slices"

// joinEqual joins things with the same key that are not joined yet; nil is not a key. If several have the same key,
// neighbours of joined things are joined first: those after, then those before a joined pair. The others are joined
// with the nearest to their expected position, which assumes no changes since the last joined pair.
func joinEqual(old, new []any, to, from []int) {
	join := func(i, j int) bool {
		if i < 0 || i >= len(old) || from[i] >= 0 || new[j] == nil || old[i] != new[j] {
			return false
		}
		from[i], to[j] = j, i
		return true
	}
	const nowhere = -2
	last := -1
	for j := range new {
		if to[j] >= 0 {
			last = to[j]
		} else if last == nowhere || !join(last+1, j) {
			last = nowhere
		} else {
			last++
		}
	}
	last = len(old)
	for j := len(new) - 1; j >= 0; j-- {
		if to[j] >= 0 {
			last = to[j]
		} else if last == nowhere || !join(last-1, j) {
			last = nowhere
		} else {
			last--
		}
	}
	left := make(map[any]*free)
	for i, key := range old {
		if key != nil && from[i] < 0 {
			if left[key] == nil {
				left[key] = &free{}
			}
			left[key].list = append(left[key].list, i)
		}
	}
	shift := 0 // difference between the old and the new index of the last joined pair
	for j, key := range new {
		if to[j] >= 0 {
			shift = to[j] - j
			continue
		}
		if key == nil || left[key] == nil {
			continue
		}
		if i, ok := left[key].take(j + shift); ok {
			join(i, j)
		}
	}
}

// free is a list of ascending numbers of which the nearest to another is taken, in almost constant time.
type free struct {
	list         []int
	above, below []int // where the next number that is left may be, above and below each place of the list and the place itself, plus 1
}

// take takes the number that is the nearest to n: the smaller one of two.
func (f *free) take(n int) (int, bool) {
	if f.above == nil {
		f.above, f.below = make([]int, len(f.list)+2), make([]int, len(f.list)+2)
		for i := range f.above {
			f.above[i], f.below[i] = i, i
		}
	}
	at, _ := slices.BinarySearch(f.list, n)
	high, low := next(f.above, at+1)-1, next(f.below, at)-1
	if high == len(f.list) && low < 0 {
		return 0, false
	}
	if high == len(f.list) || low >= 0 && n-f.list[low] <= f.list[high]-n {
		high = low
	}
	f.above[high+1], f.below[high+1] = high+2, high
	return f.list[high], true
}

// next follows a list of places to the first that leads to itself.
func next(to []int, at int) int {
	for to[at] != at {
		to[at] = to[to[at]]
		at = to[at]
	}
	return at
}

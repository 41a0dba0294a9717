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
	left := make(map[any][]int)
	for i, key := range old {
		if key != nil && from[i] < 0 {
			left[key] = append(left[key], i)
		}
	}
	shift := 0 // difference between the old and the new index of the last joined pair
	for j, key := range new {
		if to[j] >= 0 {
			shift = to[j] - j
			continue
		}
		free := left[key]
		if key == nil || len(free) == 0 {
			continue
		}
		at, _ := slices.BinarySearch(free, j+shift)
		if at == len(free) || at > 0 && j+shift-free[at-1] <= free[at]-j-shift {
			at--
		}
		join(free[at], j)
		left[key] = slices.Delete(free, at, at+1)
	}
}

package format

import (
	"cmp"
	"slices"
)

// JoinRects returns fewer rectangles, each with its left, top, right and bottom, that cover the same area: it joins neighboring
// cells in a row, then adjacent rows of equal extent. It reorders list and may return a part of it.
func JoinRects(list [][4]float64) [][4]float64 {
	for axis := range 2 {
		lo, hi, from, to := 1-axis, 3-axis, axis, 2+axis
		slices.SortFunc(list, func(a, b [4]float64) int {
			return cmp.Or(cmp.Compare(a[lo], b[lo]), cmp.Compare(a[hi], b[hi]), cmp.Compare(a[from], b[from]), cmp.Compare(a[to], b[to]))
		})
		out := list[:0]
		for _, r := range list {
			if n := len(out) - 1; n >= 0 && out[n][lo] == r[lo] && out[n][hi] == r[hi] && r[from] <= out[n][to] {
				out[n][to] = max(out[n][to], r[to])
			} else {
				out = append(out, r)
			}
		}
		list = out
	}
	return list
}

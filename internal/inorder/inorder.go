// Package inorder finds what of a list stayed in order, so that the rest is what was moved.
package inorder

import "slices"

// Longest reports for each number of a list whether it belongs to the longest part of the list
// that rises. Numbers below 0 do not count. No number may be there twice.
func Longest(list []int) []bool {
	var ends, at []int // the least end of a rising part of each length, and where it stands
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

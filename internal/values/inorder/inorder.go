// Package inorder finds the longest run of items that kept their order, so that the other items are those that moved.
package inorder

import "slices"

// Longest reports for each number of a list whether it belongs to the longest increasing subsequence. It ignores
// numbers below 0. The numbers must be distinct.
func Longest(list []int) []bool {
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

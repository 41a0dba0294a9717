package treediff

import (
	"fmt"
	"slices"
	"strings"

	"trowel.example/internal/values/merge3"
)

// The texts of Trowel are often rows of tiles, many of them identical. An anchored diff, which relies on lines
// that occur once, finds no anchors there and shows a whole layer for two changed tiles. So the lines between
// the anchors are compared with the greedy algorithm of Myers, in windows of bounded cost: the time is linear
// in the size of the texts, times a constant.

// window is the number of differences after which the search accepts the best path found so far. It limits the
// cost of each line.
const window = 500

// shownAround is the number of unchanged lines shown around differences.
const shownAround = 3

// unified returns the differences of two texts in the unified format, or "" if there are none.
func unified(oldName, newName string, oldText, newText []byte) string {
	a, b := lines(oldText), lines(newText)
	var out strings.Builder
	for _, h := range hunks(match(a, b), len(b)) {
		if out.Len() == 0 {
			fmt.Fprintf(&out, "--- %s\n+++ %s\n", oldName, newName)
		}
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", place(h.a0, h.a1), place(h.b0, h.b1))
		h.write(&out, a, b)
	}
	return out.String()
}

// lines splits a text into lines. A last line without a line end is marked as diff marks it.
func lines(text []byte) []string {
	list := slices.Collect(strings.Lines(string(text)))
	if n := len(list); n > 0 && !strings.HasSuffix(list[n-1], "\n") {
		list[n-1] += "\n\\ No newline at end of file\n"
	}
	return list
}

// place formats the range of lines from start up to end, counted from 1.
func place(start, end int) string {
	count := end - start
	if count > 0 {
		start++
	}
	return fmt.Sprintf("%d,%d", start, count)
}

// match returns, for each line of a, the index of the matching line of b, or -1.
func match(a, b []string) []int {
	m := &matcher{pairs: make([]int, len(a))}
	for i := range m.pairs {
		m.pairs[i] = -1
	}
	numbers := make(map[string]int)
	number := func(text []string) []int {
		list := make([]int, len(text))
		for i, line := range text {
			n, ok := numbers[line]
			if !ok {
				n = len(numbers)
				numbers[line] = n
			}
			list[i] = n
		}
		return list
	}
	m.a, m.b = number(a), number(b)
	start, endA, endB := m.trim(0, 0, len(a), len(b))
	if m.inPlace(start, start, endA, endB) {
		return m.pairs
	}
	i, j := start, start
	for _, p := range m.anchors(start, endA, endB, len(numbers)) {
		m.between(i, j, p[0], p[1])
		m.pairs[p[0]] = p[1]
		i, j = p[0]+1, p[1]+1
	}
	m.between(i, j, endA, endB)
	return m.pairs
}

// matcher compares lines by number: equal lines have equal numbers.
type matcher struct {
	a, b  []int
	pairs []int
}

// trim pairs the equal lines at both ends of two ranges. It returns the number of pairs at the start, and the
// ends of the remaining ranges.
func (m *matcher) trim(i, j, endA, endB int) (n, restA, restB int) {
	for i+n < endA && j+n < endB && m.a[i+n] == m.b[j+n] {
		m.pairs[i+n] = j + n
		n++
	}
	for endA > i+n && endB > j+n && m.a[endA-1] == m.b[endB-1] {
		endA, endB = endA-1, endB-1
		m.pairs[endA] = endB
	}
	return n, endA, endB
}

// inPlace pairs the lines at equal positions, if the ranges have equal length and few lines differ, and reports
// whether it did. The height of a layer does not change with its tiles, so no row has moved, even if another
// diff would be as short.
func (m *matcher) inPlace(i, j, endA, endB int) bool {
	if endA-i != endB-j {
		return false
	}
	differ := 0
	for n := range endA - i {
		if m.a[i+n] != m.b[j+n] {
			differ++
		}
	}
	if differ > (endA-i)/8 {
		return false
	}
	for n := range endA - i {
		if m.a[i+n] == m.b[j+n] {
			m.pairs[i+n] = j + n
		}
	}
	return true
}

// anchors returns the longest sequence of pairs, ordered in both texts, of lines that occur once in each text.
func (m *matcher) anchors(start, endA, endB, numbers int) [][2]int {
	count := make([]struct{ a, b, at int }, numbers)
	for _, n := range m.a[start:endA] {
		count[n].a++
	}
	for j, n := range m.b[start:endB] {
		count[n].b++
		count[n].at = start + j
	}
	var pairs [][2]int
	var places []int // of the pairs, in the second text
	for i, n := range m.a[start:endA] {
		if c := count[n]; c.a == 1 && c.b == 1 {
			pairs, places = append(pairs, [2]int{start + i, c.at}), append(places, c.at)
		}
	}
	var run [][2]int
	for p, in := range merge3.InOrder(places) {
		if in {
			run = append(run, pairs[p])
		}
	}
	return run
}

// between pairs the lines of two ranges, one window at a time.
func (m *matcher) between(i, j, endA, endB int) {
	n, endA, endB := m.trim(i, j, endA, endB)
	i, j = i+n, j+n
	if m.inPlace(i, j, endA, endB) {
		return
	}
	for i < endA && j < endB {
		x, y := m.greedy(i, j, endA-i, endB-j)
		i, j = i+x, j+y
	}
}

// greedy finds the shortest path from the start of two ranges of n and m lines to their ends, or as far as a
// window reaches. It pairs the lines on the path and returns the end of the path. Diagonal k has the points
// with x-y = k; after d differences, row[d][k+d] is the largest x on it, or -1 if there is none.
func (m *matcher) greedy(i, j, n, count int) (x, y int) {
	var rows [][]int
	best, bestK := 0, 0
search:
	for d := 0; d <= window; d++ {
		row := make([]int, 2*d+1)
		rows = append(rows, row)
		best = -1
		for k := -d; k <= d; k += 2 {
			x, _ := step(rows, d, k, n, count)
			if x >= 0 {
				for x < n && x-k < count && m.a[i+x] == m.b[j+x-k] {
					x++
				}
				if 2*x-k > best {
					best, bestK = 2*x-k, k
				}
			}
			row[k+d] = x
			if x == n && x-k == count {
				bestK = k
				break search
			}
		}
	}
	k := bestK
	d := len(rows) - 1
	x = rows[d][k+d]
	y = x - k
	for end := x; d >= 0; d-- {
		start, from := step(rows, d, k, n, count)
		for ; end > start; end-- {
			m.pairs[i+end-1] = j + end - 1 - k
		}
		k = from
		if d > 0 {
			end = rows[d-1][k+d-1]
		}
	}
	return x, y
}

// step returns the point where the d-th difference enters diagonal k, and the previous diagonal.
func step(rows [][]int, d, k, n, count int) (x, from int) {
	if d == 0 {
		return 0, 0
	}
	x = -1
	last := rows[d-1]
	if k < d-1 { // a line of b is added
		if at := last[k+1+d-1]; at >= 0 && at-k <= count {
			x, from = at, k+1
		}
	}
	if k > -d+1 { // a line of a is removed
		if at := last[k-1+d-1]; at >= 0 && at+1 <= n && at+1 > x {
			x, from = at+1, k-1
		}
	}
	return x, from
}

// hunk is a range of different lines with its shownAround.
type hunk struct {
	a0, a1, b0, b1 int
	pairs          []int
}

// hunks returns the ranges of different lines.
func hunks(pairs []int, lenB int) []hunk {
	var list []hunk
	i, j := 0, 0
	for i < len(pairs) || j < lenB {
		if i < len(pairs) && pairs[i] == j {
			i, j = i+1, j+1
			continue
		}
		a0, b0 := i, j
		for i < len(pairs) && pairs[i] < 0 {
			i++
		}
		if j = lenB; i < len(pairs) {
			j = pairs[i]
		}
		before := min(shownAround, a0, b0)
		h := hunk{a0 - before, i, b0 - before, j, pairs}
		if n := len(list); n > 0 && h.a0 <= list[n-1].a1+shownAround {
			list[n-1].a1, list[n-1].b1 = i, j
		} else {
			list = append(list, h)
		}
	}
	for n := range list {
		h := &list[n]
		after := min(shownAround, len(pairs)-h.a1, lenB-h.b1)
		h.a1, h.b1 = h.a1+after, h.b1+after
	}
	return list
}

func (h hunk) write(out *strings.Builder, a, b []string) {
	for i, j := h.a0, h.b0; i < h.a1 || j < h.b1; {
		switch {
		case i < h.a1 && h.pairs[i] < 0:
			out.WriteString("-" + a[i])
			i++
		case j < h.b1 && (i == h.a1 || h.pairs[i] != j):
			out.WriteString("+" + b[j])
			j++
		default:
			out.WriteString(" " + a[i])
			i, j = i+1, j+1
		}
	}
}

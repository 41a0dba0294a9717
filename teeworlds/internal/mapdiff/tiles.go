package mapdiff

import (
	"hash/maphash"
	"slices"

	"trowel.example/teeworlds/internal/tiletext"
	"trowel.example/teeworlds/twmap"
)

// Area is a rectangle of tiles, in columns and rows of the new map.
type Area struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// tiles compares the cells of two versions of a layer.
func (c *comparison) tiles(a, b *twmap.TileLayer, report func(Change) error) error {
	a, b = a.Clone(), b.Clone() // their cells are released with them
	switch b.Kind() {
	case twmap.KindTele:
		return compareGrids(a.Teles(), b.Teles(), report)
	case twmap.KindSpeedup:
		return compareGrids(a.Speedups(), b.Speedups(), report)
	case twmap.KindSwitch:
		return compareGrids(a.Switches(), b.Switches(), report)
	case twmap.KindTune:
		return compareGrids(a.Tunes(), b.Tunes(), report)
	}
	return compareGrids(a.Tiles(), b.Tiles(), report)
}

// grids holds two versions of the cells of a layer, and the old index of each row and column of the new version: -1
// for new ones.
type grids[T twmap.Cell] struct {
	a, b       *twmap.Grid[T]
	rows, cols []int
}

// present returns a grid with the existing cells of another one. A broken layer may state any size.
func present[T twmap.Cell](g *twmap.Grid[T]) *twmap.Grid[T] {
	cells, _ := g.Cells()
	if len(cells) >= g.Width()*g.Height() {
		return g
	}
	width := max(1, min(g.Width(), len(cells)))
	return twmap.NewGridOf(width, max(1, (len(cells)+width-1)/width), cells)
}

// bare returns a grid in which all empty cells are air: editors leave flags in cells with the number 0, which are
// irrelevant for alignment.
func bare[T twmap.Cell](g *twmap.Grid[T]) *twmap.Grid[T] {
	cells, _ := g.Cells()
	var kept []T
	clean := func(i int, air bool) {
		var nothing T
		if air && cells[i] != nothing {
			if kept == nil {
				kept = slices.Clone(cells)
			}
			kept[i] = nothing
		}
	}
	switch all := any(cells).(type) {
	case []twmap.Tile:
		for i := range all {
			clean(i, all[i].ID == 0)
		}
	case []twmap.TeleTile:
		for i := range all {
			clean(i, all[i].ID == 0)
		}
	case []twmap.SpeedupTile:
		for i := range all {
			clean(i, all[i].ID == 0)
		}
	case []twmap.SwitchTile:
		for i := range all {
			clean(i, all[i].ID == 0)
		}
	case []twmap.TuneTile:
		for i := range all {
			clean(i, all[i].ID == 0)
		}
	}
	if kept == nil {
		return g
	}
	return twmap.NewGridOf(g.Width(), g.Height(), kept)
}

func compareGrids[T twmap.Cell](a, b *twmap.Grid[T], report func(Change) error) error {
	g := &grids[T]{a: present(a), b: present(b)}
	same := a.Width() == b.Width() && a.Height() == b.Height()
	if cellsA, errA := a.Cells(); same && errA == nil {
		if cellsB, errB := b.Cells(); errB == nil && slices.Equal(cellsA, cellsB) {
			return nil
		}
	}
	bare := &grids[T]{a: bare(g.a), b: bare(g.b)}
	changes := bare.align()
	g.rows, g.cols = bare.rows, bare.cols
	for _, change := range changes {
		if err := report(change); err != nil {
			return err
		}
	}
	return g.areas(func(area Area, old, new T) error {
		return report(Change{Kind: Tiles, Old: CellText(old), New: CellText(new), Area: &area, rows: g.rows, cols: g.cols})
	})
}

// CellText returns the text of a cell as in the text of a layer, and "air" for air.
func CellText[T twmap.Cell](cell T) string {
	var air T
	if cell == air {
		return "air"
	}
	return tiletext.FormatCell(cell)
}

// align finds where rows and columns were inserted or removed, or whether everything was shifted, and returns the
// changes. Of all explanations it chooses the one with the fewest cells that differ or are missing.
func (g *grids[T]) align() []Change {
	g.rows, g.cols = identity(g.b.Height(), g.a.Height(), 0), identity(g.b.Width(), g.a.Width(), 0)
	if g.a.Width() == g.b.Width() && g.a.Height() == g.b.Height() {
		if dx, dy, ok := g.shift(); ok {
			return []Change{{Kind: Shifted, By: []int{dx, dy}}}
		}
		return nil
	}
	type way struct{ rows, cols []int }
	var ways []way
	for _, from := range []int{0, g.a.Width() - g.b.Width()} { // the columns may be aligned at the right
		rows := g.splitRows(identity(g.b.Width(), g.a.Width(), from))
		ways = append(ways, way{rows, g.splitColumns(rows)})
	}
	moved := func(at place) {
		ways = append(ways, way{identity(g.b.Height(), g.a.Height(), -at.y), identity(g.b.Width(), g.a.Width(), -at.x)})
	}
	if at, ok := g.vote(); ok { // removed or added on all sides
		moved(at)
	}
	if at, ok := g.fit(); ok {
		moved(at)
	}
	least := -1
	for _, w := range ways {
		if cost := g.cost(w.rows, w.cols); least < 0 || cost < least {
			least, g.rows, g.cols = cost, w.rows, w.cols
		}
	}
	var changes []Change
	if g.a.Height() != g.b.Height() || !slices.Equal(g.rows, identity(g.b.Height(), g.a.Height(), 0)) {
		changes = append(changes, Change{Kind: Resized, Field: "height", Old: g.a.Height(), New: g.b.Height(),
			At: cuts("row", g.a.Height(), g.rows)})
	}
	if g.a.Width() != g.b.Width() || !slices.Equal(g.cols, identity(g.b.Width(), g.a.Width(), 0)) {
		changes = append(changes, Change{Kind: Resized, Field: "width", Old: g.a.Width(), New: g.b.Width(),
			At: cuts("column", g.a.Width(), g.cols)})
	}
	return changes
}

// cuts returns the insertions and removals among n old rows or columns.
func cuts(unit string, n int, list []int) []Cut {
	var all []Cut
	old := 0
	for new := 0; new <= len(list); {
		next := n
		if new < len(list) {
			next = list[new]
		}
		if next < 0 {
			from := new
			for new < len(list) && list[new] < 0 {
				new++
			}
			all = append(all, Cut{Unit: unit, Number: new - from, From: from, Added: true, First: from == 0, Last: new == len(list)})
			continue
		}
		if next > old {
			all = append(all, Cut{Unit: unit, Number: next - old, From: old, First: old == 0, Last: next == n})
		}
		old = next + 1
		new++
	}
	return all
}

// identity returns count numbers from first on, with -1 for those outside 0 to n-1.
func identity(count, n, first int) []int {
	list := make([]int, count)
	for i := range list {
		if list[i] = first + i; list[i] < 0 || list[i] >= n {
			list[i] = -1
		}
	}
	return list
}

// split returns the old index of each of b elements, given a old ones, if all insertions or removals are at one
// position, the cheapest. cost returns the difference between two elements; the old one may be -1.
func split(a, b int, cost func(old, new int) int) []int {
	n, d := min(a, b), b-a
	// before[i] is the cost of the first i elements at the front, behind[i] that of the elements from i on at the
	// back, inserted[i] that of new elements at i.
	before, behind, inserted := make([]int, n+1), make([]int, n+1), make([]int, n+1)
	for i := range n {
		before[i+1] = before[i] + cost(i, i)
	}
	for i := n - 1; i >= 0; i-- {
		behind[i] = behind[i+1] + cost(a-n+i, b-n+i)
	}
	if d > 0 {
		sum := make([]int, b+1)
		for i := range b {
			sum[i+1] = sum[i] + cost(-1, i)
		}
		for i := range inserted {
			inserted[i] = sum[i+d] - sum[i]
		}
	}
	total := func(i int) int { return before[i] + behind[i] + inserted[i] }
	at := n // of equal costs the end is preferred, then the front
	for _, i := range append([]int{0}, identity(n, n, 0)...) {
		if total(i) < total(at) {
			at = i
		}
	}
	list := make([]int, b)
	for i := range list {
		switch {
		case i < at:
			list[i] = i
		case i < at+d:
			list[i] = -1
		default:
			list[i] = i - d
		}
	}
	return list
}

// splitRows finds the rows that were inserted or removed, for given columns.
func (g *grids[T]) splitRows(cols []int) []int {
	return split(g.a.Height(), g.b.Height(), func(old, new int) int { return g.rowCost(old, new, cols) })
}

func (g *grids[T]) rowCost(old, new int, cols []int) int {
	rowA, rowB := rowOf(g.a, old), rowOf(g.b, new)
	var air T
	cost := 0
	for x, cell := range rowB {
		was := air
		if from := cols[x]; from >= 0 && from < len(rowA) {
			was = rowA[from]
		}
		if cell != was {
			cost++
		}
	}
	return cost
}

// rowOf returns the existing cells of a row.
func rowOf[T twmap.Cell](g *twmap.Grid[T], y int) []T {
	cells, _ := g.Cells()
	if y < 0 || y*g.Width() >= len(cells) {
		return nil
	}
	return cells[y*g.Width() : min((y+1)*g.Width(), len(cells))]
}

// splitColumns is splitRows for columns, for given rows.
func (g *grids[T]) splitColumns(rows []int) []int {
	a, b := g.a.Width(), g.b.Width()
	n := min(a, b)
	var air T
	front, back, fresh := make([]int, b), make([]int, b), make([]int, b)
	for y, row := range g.b.Rows() {
		old := rowOf(g.a, rows[y])
		is := func(x, from int) int {
			was := air
			if from < len(old) {
				was = old[from]
			}
			if row[x] != was {
				return 1
			}
			return 0
		}
		for x := range row {
			if x < n {
				front[x] += is(x, x)
			}
			if x >= b-n {
				back[x] += is(x, x-b+a)
			}
			if row[x] != air {
				fresh[x]++
			}
		}
	}
	return split(a, b, func(old, new int) int {
		switch {
		case old < 0:
			return fresh[new]
		case old == new:
			return front[new]
		}
		return back[new]
	})
}

// cost returns the number of cells that differ or are missing.
func (g *grids[T]) cost(rows, cols []int) int {
	var air T
	cost := 0
	cells, _ := g.a.Cells()
	for _, cell := range cells {
		if cell != air {
			cost++
		}
	}
	for y := range g.b.Height() {
		cost += g.rowCost(rows[y], y, cols)
		old := rowOf(g.a, rows[y])
		for _, from := range cols {
			if from >= 0 && from < len(old) && old[from] != air {
				cost--
			}
		}
	}
	return cost
}

// shift reports whether all cells were moved, and how far.
func (g *grids[T]) shift() (dx, dy int, ok bool) {
	const few = 32 // up to this number, cells are reported one by one
	before := g.cost(g.rows, g.cols)
	if before < few {
		return 0, 0, false
	}
	at, ok := g.vote()
	if !ok || at == (place{}) {
		return 0, 0, false
	}
	rows, cols := identity(g.b.Height(), g.a.Height(), -at.y), identity(g.b.Width(), g.a.Width(), -at.x)
	if g.cost(rows, cols) > before/2 {
		return 0, 0, false
	}
	g.rows, g.cols = rows, cols
	return at.x, at.y, true
}

type place struct{ x, y int }

// fit returns the position at which the smaller grid fits best into the larger one, unless there are too many
// positions: cells added on a side need not be air. It compares cells that differ from the previous one, which are
// the most significant.
func (g *grids[T]) fit() (place, bool) {
	const samples, places = 1 << 10, 1 << 12
	dx, dy := g.b.Width()-g.a.Width(), g.b.Height()-g.a.Height()
	if (abs(dx)+1)*(abs(dy)+1) > places {
		return place{}, false
	}
	var edges []place
	for y, row := range g.a.Rows() {
		for x := 1; x < len(row); x++ {
			if row[x] != row[x-1] {
				edges = append(edges, place{x, y})
			}
		}
	}
	if len(edges) == 0 {
		return place{}, false
	}
	step := max(1, len(edges)/samples)
	var best place
	most := -1
	for y := min(0, dy); y <= max(0, dy); y++ {
		for x := min(0, dx); x <= max(0, dx); x++ {
			n := 0
			for i := 0; i < len(edges); i += step {
				if at := edges[i]; g.b.At(at.x+x, at.y+y) == g.a.At(at.x, at.y) {
					n++
				}
			}
			if n > most {
				most, best = n, place{x, y}
			}
		}
	}
	return best, true
}

func abs(n int) int { return max(n, -n) }

// vote returns the most common distance between the old and new positions of rows. It compares unique rows only, from
// their first to their last cell that is not air.
func (g *grids[T]) vote() (place, bool) {
	seed := maphash.MakeSeed()
	trimmed := func(row []T) (uint64, int, bool) {
		var air T
		first, last := 0, len(row)
		for first < last && row[first] == air {
			first++
		}
		for last > first && row[last-1] == air {
			last--
		}
		var h maphash.Hash
		h.SetSeed(seed)
		for _, cell := range row[first:last] {
			maphash.WriteComparable(&h, cell)
		}
		return h.Sum64(), first, last > first
	}
	olds := make(map[uint64]place)
	for y, row := range g.a.Rows() {
		if h, x, ok := trimmed(row); ok {
			if _, twice := olds[h]; twice {
				olds[h] = place{-1, -1}
			} else {
				olds[h] = place{x, y}
			}
		}
	}
	votes := make(map[place]int)
	var best place
	for y, row := range g.b.Rows() {
		h, x, ok := trimmed(row)
		was, known := olds[h]
		if !ok || !known || was.x < 0 {
			continue
		}
		to := place{x - was.x, y - was.y}
		if votes[to]++; votes[to] > votes[best] {
			best = to
		}
	}
	return best, votes[best] > 0
}

// areas calls yield for the rectangles in which a cell was replaced by another, from the top: runs of a row, joined
// with equal runs directly below.
func (g *grids[T]) areas(yield func(area Area, old, new T) error) error {
	type run struct {
		x, width int
		old, new T
	}
	open, next := make(map[run]int), make(map[run]int) // the row in which each run begins
	var closed []run
	end := func(y int) error {
		for _, r := range closed {
			if err := yield(Area{r.x, open[r], r.width, y - open[r]}, r.old, r.new); err != nil {
				return err
			}
		}
		return nil
	}
	for y := 0; y <= g.b.Height(); y++ {
		clear(next)
		if y < g.b.Height() {
			row, old := rowOf(g.b, y), rowOf(g.a, g.rows[y])
			at := func(x int) (was, is T) {
				if x < len(row) {
					is = row[x]
				}
				if from := g.cols[x]; from >= 0 && from < len(old) {
					was = old[from]
				}
				return was, is
			}
			for x := 0; x < g.b.Width(); {
				r := run{x: x, width: 1}
				r.old, r.new = at(x)
				x++
				if r.old == r.new {
					continue
				}
				for x < g.b.Width() {
					if was, is := at(x); was != r.old || is != r.new {
						break
					}
					x++
					r.width++
				}
				next[r] = y
			}
		}
		closed = closed[:0]
		for r, from := range open {
			if _, goesOn := next[r]; goesOn {
				next[r] = from
			} else {
				closed = append(closed, r)
			}
		}
		slices.SortFunc(closed, func(a, b run) int { return a.x - b.x })
		if err := end(y); err != nil {
			return err
		}
		open, next = next, open
	}
	return nil
}

// Align returns, for each row and column of a newer version of a layer, its index in the old version, or -1 for new
// ones, as Compare finds them: rows and columns that were inserted or removed, or a shift of everything. The layers
// have the same kind. Cells that cannot be read count as air.
//
// If the cells are inconclusive and the size has changed, the old layer begins at column x and row y of the new one:
// for example the position of another layer of the same map.
func Align(old, new *twmap.TileLayer, x, y int) (rows, cols []int) {
	old, new = old.Clone(), new.Clone() // their cells are released with them
	at := place{x, y}
	switch new.Kind() {
	case twmap.KindTele:
		return alignGrids(old.Teles(), new.Teles(), at)
	case twmap.KindSpeedup:
		return alignGrids(old.Speedups(), new.Speedups(), at)
	case twmap.KindSwitch:
		return alignGrids(old.Switches(), new.Switches(), at)
	case twmap.KindTune:
		return alignGrids(old.Tunes(), new.Tunes(), at)
	}
	return alignGrids(old.Tiles(), new.Tiles(), at)
}

func alignGrids[T twmap.Cell](a, b *twmap.Grid[T], at place) (rows, cols []int) {
	g := &grids[T]{a: bare(present(a)), b: bare(present(b))}
	g.align()
	if g.a.Width() == g.b.Width() && g.a.Height() == g.b.Height() {
		return g.rows, g.cols
	}
	rows, cols = identity(g.b.Height(), g.a.Height(), -at.y), identity(g.b.Width(), g.a.Width(), -at.x)
	if g.cost(rows, cols) <= g.cost(g.rows, g.cols) {
		return rows, cols
	}
	return g.rows, g.cols
}

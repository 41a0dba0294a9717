package sheet

import (
	"cmp"
	"image"
	"slices"
)

// Shelves places pictures of some sizes on square sheets, the tallest first. It returns the number of the sheet and the place of
// each, and the height that the last sheet uses. No picture may be larger than a sheet.
func Shelves(sizes []image.Point, side int) (sheets []int, places []image.Rectangle, height int) {
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b].Y, sizes[a].Y) })
	sheets, places = make([]int, len(sizes)), make([]image.Rectangle, len(sizes))
	at, shelf, sheet := image.Point{}, 0, 0
	for _, i := range order {
		if at.X+sizes[i].X > side {
			at, shelf = image.Pt(0, at.Y+shelf), 0
		}
		if at.Y+sizes[i].Y > side {
			at, shelf, sheet = image.Point{}, 0, sheet+1
		}
		sheets[i], places[i] = sheet, image.Rectangle{at, at.Add(sizes[i])}
		at.X, shelf = at.X+sizes[i].X, max(shelf, sizes[i].Y)
	}
	return sheets, places, at.Y + shelf
}

package mapdraw

import (
	"strconv"
	"sync"

	"trowel.example/internal/limits/parallel"
)

// Sheets whose cell n contains the number n: in the full height of the cell, in its upper and in its lower half. Each
// is made when it is first needed.
var (
	numberSheet      = sync.OnceValue(func() *sheet { return newNumbers(32, 46) })
	numberSheetAbove = sync.OnceValue(func() *sheet { return newNumbers(17, 27) })
	numberSheetBelow = sync.OnceValue(func() *sheet { return newNumbers(47, 27) })
)

// newNumbers returns a sheet of numbers of a size, with their middle at height y.
func newNumbers(y, size float64) *sheet {
	all := newSigns()
	parallel.Each(256, func(n int) {
		if n > 0 {
			newPen(all, n).text(white, dark, strconv.Itoa(n), 32, y, size, 58)
		}
	})
	return newSheet(all)
}

// arrowSheet is a sheet whose cell n+1 contains an arrow to the right, rotated by n degrees.
var arrowSheet = sync.OnceValue(func() *sheet {
	all := newSigns()
	for n := range 90 {
		p := newPen(all, n+1).turned(float64(n))
		p.arrow(0x000000a0, 17, 4, 32, 62, 32)
		p.arrow(0xffd24aff, 11, 7, 32, 58, 32)
	}
	return newSheet(all)
})

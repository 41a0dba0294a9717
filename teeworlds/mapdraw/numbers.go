package mapdraw

import (
	"strconv"
	"sync"
)

// numberSheets are sheets whose cell n has the number n: as large as the cell, in its upper
// and in its lower half.
var numberSheets = sync.OnceValue(func() (sheets [3]*sheet) {
	for i, place := range [3]struct{ y, size float64 }{{32, 46}, {17, 27}, {47, 27}} {
		all := newSigns()
		for n := 1; n < 256; n++ {
			newPen(all, n).text(white, dark, strconv.Itoa(n), 32, place.y, place.size, 58)
		}
		sheets[i] = newSheet(all)
	}
	return sheets
})

// arrowSheet is a sheet whose cell n+1 has an arrow to the right, turned by n degrees.
var arrowSheet = sync.OnceValue(func() *sheet {
	all := newSigns()
	for n := range 90 {
		p := newPen(all, n+1).turned(float64(n))
		p.arrow(0x000000a0, 17, 4, 32, 62, 32)
		p.arrow(0xffd24aff, 11, 7, 32, 58, 32)
	}
	return newSheet(all)
})

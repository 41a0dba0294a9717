package modedit

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/text"
)

// differences collects by how much the values of a key change. Several goroutines may use it.
type differences struct {
	mu   sync.Mutex
	list []float64
}

// add adds a change of a value. Values that are not numbers are skipped.
func (d *differences) add(p *text.Property, now string) {
	was, err := numberOf(p)
	if err != nil {
		return
	}
	is, err := numberOf(&text.Property{Type: p.Type, Value: now})
	if err != nil {
		return
	}
	by, _ := is.Sub(is, was).Float64()
	if math.IsInf(by, 0) {
		return
	}
	if single := float64(float32(by)); p.Type == text.Float {
		by = single
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = append(d.list, by)
}

// mostBins is the greatest number of bins of a histogram.
const mostBins = 10

// change returns the summary of the changes of a key, and whether several numbers change.
func (d *differences) change(key string) (check.Change, bool) {
	slices.Sort(d.list)
	changed := 0
	for _, by := range d.list {
		if by != 0 {
			changed++
		}
	}
	if changed < 2 { // the change itself says it all
		return check.Change{}, false
	}
	n := len(d.list)
	c := check.Change{Count: int64(n), Unit: "values", Histogram: bins(d.list)}
	c.What = fmt.Sprintf("%s: %s change, by %.6g to %.6g, median %.6g", key, words.Thousands(int64(changed)),
		d.list[0], d.list[n-1], d.list[n/2])
	if d.list[0] == d.list[n-1] {
		c.What = fmt.Sprintf("%s: %s change, each by %.6g", key, words.Thousands(int64(changed)), d.list[0])
	}
	return c, true
}

// bins returns the histogram of sorted numbers: a bin for each number if they are few, otherwise bins of equal width,
// which is 1, 2 or 5 times a power of ten.
func bins(sorted []float64) []check.Bin {
	var list []check.Bin
	for _, v := range sorted {
		if n := len(list); n > 0 && list[n-1].From == v {
			list[n-1].Count++
		} else if list = append(list, check.Bin{From: v, To: v, Count: 1}); n == mostBins {
			break
		}
	}
	if len(list) <= mostBins {
		return list
	}
	least, greatest := sorted[0], sorted[len(sorted)-1]
	span := greatest/mostBins - least/mostBins
	unit := math.Pow(10, math.Floor(math.Log10(span)))
	width := unit
	for _, by := range []float64{2, 5, 10} {
		if width < span {
			width = unit * by
		}
	}
	first := math.Floor(least / width)
	list = make([]check.Bin, max(1, min(int(math.Ceil(greatest/width-first)), mostBins+1)))
	for i := range list {
		list[i].From, list[i].To = (first+float64(i))*width, (first+float64(i+1))*width
	}
	for _, v := range sorted {
		list[min(int(math.Floor(v/width)-first), len(list)-1)].Count++
	}
	return list
}

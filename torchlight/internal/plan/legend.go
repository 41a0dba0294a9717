package plan

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strings"

	"trowel.example/torchlight/mpp"
)

// drawLegend adds a legend to the right of the plan and enlarges the plan accordingly.
func (b *builder) drawLegend() {
	ink, grey := color.NRGBA{A: 220}, color.NRGBA{A: 130}
	size, line := 2*b.unit, 2.8*b.unit
	x, y := b.Max[0]+2*b.unit, b.Min[1]+line
	row := func(text string, c color.NRGBA) {
		b.legend = append(b.legend, shape{form: writing, at: [2]float64{x + 2*b.unit, y}, r: size, text: text, fill: c})
		y += line
	}
	if b.Path != "" {
		row(short(b.Path[strings.LastIndexAny(b.Path, `/\`)+1:], 40), ink)
	}
	count := make(map[string]int)
	sample := make(map[string]*Mark)
	for i := range b.Marks {
		kind := b.Marks[i].Kind()
		count[kind]++
		sample[kind] = &b.Marks[i]
	}
	for _, kind := range mostFirst(count) {
		b.legend = append(b.legend, shape{form: disc, at: [2]float64{x + b.unit/2, y - 0.35*size}, r: 0.7 * b.unit,
			fill: opaque(sample[kind].look().color, 255)})
		row(fmt.Sprintf("%s: %d", kind, count[kind]), ink)
	}
	if len(b.grids) > 0 {
		for _, cell := range [2]byte{mpp.Walkable, mpp.Wall} {
			b.legend = append(b.legend, shape{form: box, at: [2]float64{x + b.unit/2, y - 0.35*size}, u: [2]float64{0.7 * b.unit, 0},
				v: [2]float64{0, 0.7 * b.unit}, fill: cellColor(cell), stroke: grey, width: b.unit / 8})
			row(mpp.Meaning(cell), ink)
		}
	}
	if len(b.unplaced) > 0 {
		row("without a position:", grey)
	}
	for _, kind := range mostFirst(b.unplaced) {
		row(fmt.Sprintf("%s: %d", kind, b.unplaced[kind]), grey)
	}
	if len(b.Marks)+len(b.grids) > 0 {
		length := math.Pow(10, math.Floor(math.Log10(30*b.unit))) // at most a third of the plan
		y += line / 2
		b.legend = append(b.legend, shape{form: stroke, at: [2]float64{x, y}, u: [2]float64{length, 0}, stroke: ink, width: b.unit / 3})
		y += line
		row(fmt.Sprintf("%s units; x to the right, z up", number(length)), ink)
	}
	e := extent{b.Min, b.Max}
	for i := range b.legend {
		b.legend[i].extend(&e)
	}
	b.Min, b.Max = e.min, plus(e.max, [2]float64{b.unit, b.unit})
}

// mostFirst returns the keys by descending count.
func mostFirst(count map[string]int) []string {
	return slices.SortedFunc(maps.Keys(count), func(a, c string) int { return cmp.Or(cmp.Compare(count[c], count[a]), cmp.Compare(a, c)) })
}

package mapdraw

import (
	"image"
	"math"

	"trowel.example/teeworlds/twmap"
)

// Palette returns a picture of the tiles of a layer, by the number of its group and its number in the group: 16 x 16 cells of
// the same size, of which cell n shows tile n without flags, numbers and the colour of the layer. A speedup points to the
// right. Palette returns nil for layers without tiles or without pictures of them.
func (r *Renderer) Palette(group, number int) *image.NRGBA {
	l := r.layers[group][number]
	if l.tiles == nil {
		return nil
	}
	c := &canvas{Renderer: r}
	var from *sheet
	cells := make(map[int]int) // numbers of tiles whose picture is in another cell
	switch l.tiles.Kind() {
	case twmap.KindTiles:
		if l.picture != nil {
			from = c.sheetOf(l.picture, math.Inf(1))
		}
	case twmap.KindGame, twmap.KindFront, twmap.KindTele:
		from = c.entities(l)
	case twmap.KindSwitch:
		from = c.switches(l)
		cells[int(twmap.TileSwitchTimedOpen)] = switchTimedOpenCell
	case twmap.KindSpeedup:
		from = c.arrows(l)
		cells[int(twmap.TileSpeedupOld)], cells[int(twmap.TileSpeedup)] = 1, 1
	case twmap.KindTune:
		from = c.tunes(l)
		cells[int(twmap.TileTune)] = 1
	}
	if from == nil {
		return nil
	}
	top := &from.levels[0]
	to := level{top.w, top.h, 4 * top.w * cellsInRow, make([]byte, 4*top.w*top.h*cellsInRow*cellsInRow)}
	only := len(cells) > 1 || l.tiles.Kind() == twmap.KindTune // the other cells of these pictures are not of tiles
	for id := range 256 {
		cell, moved := cells[id]
		switch {
		case moved:
		case only || id == switchTimedOpenCell && l.tiles.Kind() == twmap.KindSwitch:
			continue
		default:
			cell = id
		}
		for y := range top.h {
			copy(to.pix[to.cell(id)+y*to.stride:][:4*top.w], top.pix[top.cell(cell)+y*top.stride:])
		}
	}
	return &image.NRGBA{Pix: to.pix, Stride: to.stride, Rect: image.Rect(0, 0, top.w*cellsInRow, top.h*cellsInRow)}
}

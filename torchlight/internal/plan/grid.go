package plan

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math"

	"trowel.example/torchlight/internal/sheet"
	"trowel.example/torchlight/mpp"
)

// grid is the pathing grid of a layout or of a layout that it links to.
type grid struct {
	cells *mpp.File
	at    [2]float64 // position of the corner of the first cell
	x, z  [2]float64 // the sides of a cell
	back  [4]float64 // converts a position relative to at into cells
}

// grid adds the grid of a layout, if there is one.
func (b *builder) grid(f frame, path string) {
	if b.Grid == nil || path == "" {
		return
	}
	cells, err := b.Grid(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			b.lose("grid", path, "%v", err)
		}
		return
	}
	if cells.Width == 0 || cells.Height == 0 {
		return
	}
	if b.cells += len(cells.Cells); len(b.grids) >= maxGrids || b.cells > maxCells {
		b.lose("limit", "grids", "only %d grids with %d cells are drawn", maxGrids, maxCells)
		return
	}
	first, side := cells.World()
	corner := f.inside(frame{at: [3]float64{first[0], 0, first[1]}})
	w, h := side[0], side[1]
	g := grid{cells: cells, at: project(corner.at), x: times(project(f.x), w), z: times(project(f.z), h)}
	det := g.x[0]*g.z[1] - g.x[1]*g.z[0]
	far := plus(g.at, plus(times(g.x, float64(cells.Width)), times(g.z, float64(cells.Height))))
	if !drawable(g.at[0], g.at[1], far[0], far[1], w, h) || !(math.Abs(det) > 1e-9) {
		b.omit("grid", path, "invalid size or position")
		return
	}
	g.back = [4]float64{g.z[1] / det, -g.z[0] / det, -g.x[1] / det, g.x[0] / det}
	b.grids = append(b.grids, g)
}

func (g *grid) extend(e *extent) {
	w, h := float64(g.cells.Width), float64(g.cells.Height)
	for _, k := range [4][2]float64{{0, 0}, {w, 0}, {0, h}, {w, h}} {
		e.add(plus(g.at, plus(times(g.x, k[0]), times(g.z, k[1]))), 0)
	}
}

// place returns the column and row of the cell at a position, or false outside of the grid.
func (g *grid) place(p [2]float64) (column, row int, inside bool) {
	x, y := p[0]-g.at[0], p[1]-g.at[1]
	i, j := math.Floor(x*g.back[0]+y*g.back[1]), math.Floor(x*g.back[2]+y*g.back[3])
	if !(i >= 0 && j >= 0 && i < float64(g.cells.Width) && j < float64(g.cells.Height)) {
		return 0, 0, false
	}
	return int(i), int(j), true
}

// cell returns the cell at a position, or false outside of the grid.
func (g *grid) cell(p [2]float64) (cell byte, inside bool) {
	i, j, inside := g.place(p)
	if !inside {
		return mpp.Outside, false
	}
	return g.cells.Cells[j*g.cells.Width+i], true
}

// isBlocked reports whether a position is within a grid and not walkable.
func (b *builder) isBlocked(p [2]float64) bool {
	some := false
	for i := range b.grids {
		cell, inside := b.grids[i].cell(p)
		if inside && cell == mpp.Walkable {
			return false
		}
		some = some || inside
	}
	return some
}

// The colors of cells.
var (
	ground = color.NRGBA{255, 255, 255, 255}
	wall   = color.NRGBA{196, 188, 176, 255}
	odd    = color.NRGBA{240, 140, 140, 255} // a value that the editor does not write
)

func cellColor(cell byte) color.NRGBA {
	switch cell {
	case mpp.Walkable:
		return ground
	case mpp.Wall:
		return wall
	case mpp.Outside:
		return color.NRGBA{}
	}
	return odd
}

func (c canvas) grid(g *grid) {
	e := nowhere
	g.extend(&e)
	r := c.pixels(e)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			cell, inside := g.cell([2]float64{c.origin[0] + (float64(x)+0.5)/c.scale, c.origin[1] + (float64(y)+0.5)/c.scale})
			if inside {
				sheet.Blend(c.Pix[c.PixOffset(x, y):], cellColor(cell), 1)
			}
		}
	}
}

// png returns the grid as a PNG, with the first row at the top.
func (g *grid) png() ([]byte, error) {
	m := image.NewPaletted(image.Rect(0, 0, g.cells.Width, g.cells.Height), nil)
	for i, cell := range [4]byte{mpp.Walkable, mpp.Wall, mpp.Outside, 2} {
		m.Palette = append(m.Palette, cellColor(cell))
		for k, v := range g.cells.Cells {
			if v == cell || i == 3 && v > mpp.Wall && v != mpp.Outside {
				m.Pix[k] = uint8(i)
			}
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, m)
	return b.Bytes(), err
}

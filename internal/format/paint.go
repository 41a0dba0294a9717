package format

import (
	"context"
	"image"
	"image/color"
)

// Painting describes layers of cells, which a viewer can paint by the command [Editing.Draw].
//
// A cell is written as text: the number of its tile, the letters of its flags, and after a colon its numbers, separated by
// slashes, such as 24r:7/5. An empty cell is a dot. In a row, cells are separated by spaces, *N after a cell repeats it, and
// _ leaves a cell as it is. Scenes may use further characters in cells: a viewer passes them on.
type Painting struct {
	// Canvases returns the layers that can be painted, from back to front.
	Canvases func() []Canvas
	// Cells returns the cells of a layer in a box, row by row. Cells outside of the layer are _.
	Cells func(ctx context.Context, layer string, box image.Rectangle) ([]string, error)
	// Palette returns a picture of the tiles of a layer, 16 x 16 of the same size, each without flags and numbers. Nil: the
	// tiles have no pictures.
	Palette func(layer string) (*image.NRGBA, error)
	// Turned returns a block of cells of a layer after it was mirrored left to right, or not, and then rotated clockwise by a
	// number of quarters. Rows that are too short continue with _.
	Turned func(layer string, rows []string, mirrored bool, quarters int) ([]string, error)
}

// Canvas is a layer of cells.
type Canvas struct {
	Layer         string     // the name of the [Layer] in the first view without a [View.Frame]
	Kind          string     // for people, such as "tele"
	Options       []string   // of [Editing.Draw], which select the layer
	Any           string     // the option of [Editing.Draw] that allows tiles without a name; "" if it always does
	Width, Height int        // in cells
	Origin, Cell  [2]float64 // the corner of the first cell in that view, and the size of a cell, in units
	Color         string     // #rrggbbaa: of tiles without pictures, and a factor for the colours of others
	Flags         []CellFlag
	Numbers       []CellNumber
	Tiles         []string // 256 names, "" for a tile without a meaning in the layer; nil: all tiles have their number only
}

// CellFlag is a flag of cells.
type CellFlag struct {
	Letter string // x mirrors the picture left to right, y top to bottom, and r then rotates it clockwise; others do not change it
	Title  string // for people
}

// CellNumber is a number of cells.
type CellNumber struct {
	Name        string // stable
	Title       string // for people
	Least, Most int
	Usual       int
	Angle       bool // it rotates the picture, in degrees clockwise
}

// Action is a step of [Editing.Commands] for a part.
type Action struct {
	Part  string   // the name of a [Layer] or of its group; "": the whole file
	Title string   // for people, such as "Rename"
	Words []string // the step
	Asks  bool     // the user completes the step in a form
}

// Shaping describes layers of shapes, which a viewer can move and colour by the commands [Editing.Move] and
// [Editing.Tint]. Their arguments are the layer, the distance or the colour, and the numbers of shapes.
type Shaping struct {
	// Outlines returns the layers of shapes, from back to front.
	Outlines func() []Outline
	// Shapes returns the shapes of a layer, from back to front, at the start of the animation.
	Shapes func(layer string) ([]Shape, error)
}

// Outline is a layer of shapes.
type Outline struct {
	Layer  string  // the name of the [Layer] in the first view without a [View.Frame]
	Word   string  // the argument that names it
	Unit   float64 // lengths of the command in a unit of that view
	Shapes int     // their number
}

// Shape is a polygon.
type Shape struct {
	Corners [][2]float64 // in units of the view, around it
	Color   color.NRGBA  // of its first corner
}

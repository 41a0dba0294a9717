package mapops

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"path/filepath"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Art are the options of operations that add a picture.
type Art struct {
	PNG
	GroupName
}

// GroupName is the option for the group of a picture.
type GroupName struct {
	Name string `option:"name" help:"the name of the group (default: that of the {file})"`
}

// of returns the name of the group for a picture in a file.
func (o GroupName) of(file string) string {
	file = filepath.Base(file)
	return cmp.Or(o.Name, strings.TrimSuffix(file, filepath.Ext(file)))
}

// AddTileArt adds a picture as tiles.
func AddTileArt(e *Editor, o Art) error {
	p, err := mapdraw.ReadPNG(o.File)
	if err != nil {
		return err
	}
	return e.AddTileArt(o.of(o.File), p)
}

// QuadArt are the options of quad-art.
type QuadArt struct {
	Art
	ImagePixel int  `option:"image-pixel" default:"1"`
	QuadPixel  int  `option:"quad-pixel" default:"4"`
	NoOptimize bool `option:"no-optimize" help:"make a quad for each pixel, instead of one for many of the same colour"`
	OnePivot   bool `option:"one-pivot" help:"put all pivots at one position, so that all quads rotate together"`
	Placing
}

// Describe describes the options.
func (QuadArt) Describe(o *format.Option) {
	o.Explain("image-pixel", "how many `pixels` of the picture, in each direction, become one quad; 0: as many as possible without loss")
	o.Explain("quad-pixel", "the size of a quad, in `pixels` of the map; a tile has 32; 0: the value of --image-pixel")
	o.Explain("layer", helpQuadLayer)
}

// Placing are the options for the place of quads.
type Placing struct {
	Pattern string `option:"layer" names:"layer"`
	X       int    `option:"x" default:"0" help:"the left edge, in {tiles}"`
	Y       int    `option:"y" default:"0" help:"the top edge, in {tiles}"`
}

const helpQuadLayer = "add the quads to this `layer`: a path such as Tree/Lights, or numbers such as 3/1"

// Describe describes the options.
func (Placing) Describe(o *format.Option) {
	o.Explain("layer", helpQuadLayer+" (default: a new group)")
}

// AddQuadArt adds a picture as quads.
func AddQuadArt(e *Editor, o QuadArt) error {
	p, err := mapdraw.ReadPNG(o.File)
	if err != nil {
		return err
	}
	art := mapedit.QuadArt{ImagePixel: o.ImagePixel, QuadPixel: o.QuadPixel, Optimize: !o.NoOptimize, OnePivot: o.OnePivot}
	if o.Pattern == "" {
		return e.AddQuadArt(o.of(o.File), o.X, o.Y, p, art)
	}
	layer, err := LayerArg{o.Pattern}.selectOne(e)
	if err != nil {
		return err
	}
	return e.AddQuadArtTo(layer, o.X, o.Y, p, art)
}

// Quads are the options of operations on quads.
type Quads struct {
	LayerArg
	QuadArgs
}

// QuadArgs are quads of a layer.
type QuadArgs struct {
	Quads []int `arg:"quad" help:"the numbers of quads, from 0 (default: all of the layer)"`
}

// Each calls do with each quad layer and the numbers of its quads.
func (o QuadArgs) Each(e *Editor, in LayerArg, do func(at mapedit.LayerAt, list []int) error) error {
	layers, err := in.findQuads(e)
	if err != nil {
		return err
	}
	if o.Quads != nil && len(layers) > 1 {
		return in.tooMany(layers)
	}
	for _, at := range layers {
		if err := do(at, o.Quads); err != nil {
			return err
		}
	}
	return nil
}

// findQuads returns the quad layers among those that the argument selects.
func (o LayerArg) findQuads(e *Editor) (list []mapedit.LayerAt, err error) {
	layers, err := o.Select(e)
	for _, at := range layers {
		if _, ok := e.Map().Groups[at.Group].Layers[at.Layer].(*twmap.QuadLayer); ok {
			list = append(list, at)
		}
	}
	if list == nil && err == nil {
		err = &fault.NameError{Kind: "quad layer", Name: o.Pattern}
	}
	return list, err
}

func (o LayerArg) tooMany(layers []mapedit.LayerAt) error {
	return fmt.Errorf("%q names %s: expected one, because quads are selected by number", o.Pattern, words.Count(len(layers), "quad layer"))
}

// MovedQuads are the options of move-quads.
type MovedQuads struct {
	LayerArg
	By []float64 `arg:"by" help:"x,y in pixels; a tile has 32"`
	QuadArgs
}

// MoveQuads moves quads.
func MoveQuads(e *Editor, o MovedQuads) error {
	by, err := fixed("BY", o.By)
	if err != nil {
		return err
	}
	return o.Each(e, o.LayerArg, func(at mapedit.LayerAt, list []int) error { return e.MoveQuads(at, list, by) })
}

// ColoredQuads are the options of color-quads.
type ColoredQuads struct {
	LayerArg
	Color color.NRGBA `arg:"color" help:"such as #ff8000 or #ffffff80"`
	QuadArgs
	Corners []int `option:"corner" help:"only this {corner}: 0 top left, 1 top right, 2 bottom left, 3 bottom right"`
}

// ColorQuads colours quads.
func ColorQuads(e *Editor, o ColoredQuads) error {
	c := twmap.Color{R: int32(o.Color.R), G: int32(o.Color.G), B: int32(o.Color.B), A: int32(o.Color.A)}
	return o.Each(e, o.LayerArg, func(at mapedit.LayerAt, list []int) error { return e.ColorQuads(at, list, c, o.Corners) })
}

// Slicing are the options of slice-quad.
type Slicing struct {
	LayerArg
	Quad    int         `arg:"quad" help:"its number in the layer, from 0"`
	Corners [][]float64 `arg:"corner" help:"four positions in the quad, around the piece, in pixels; a tile has 32"`
}

// SliceQuad adds a piece of a quad.
func SliceQuad(e *Editor, o Slicing) error {
	layers, err := o.findQuads(e)
	if err != nil {
		return err
	}
	if len(o.Corners) != 4 {
		return fmt.Errorf("expected four corners, not %d", len(o.Corners))
	}
	if len(layers) > 1 {
		return o.tooMany(layers)
	}
	var corners [4]twmap.Point
	for i, p := range o.Corners {
		if len(p) != 2 {
			return errors.New("expected two numbers for a corner")
		}
		if corners[i], err = fixed("CORNER", p); err != nil {
			return err
		}
	}
	return e.SliceQuad(layers[0], o.Quad, corners)
}

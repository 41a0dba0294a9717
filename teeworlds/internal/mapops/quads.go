package mapops

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"path/filepath"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Art are the options of operations that add a picture.
type Art struct {
	File string `option:"file"`
	Name string `option:"name"`
}

// name returns the name of the group for the picture.
func (o Art) name() string {
	file := filepath.Base(o.File)
	return cmp.Or(o.Name, strings.TrimSuffix(file, filepath.Ext(file)))
}

// AddTileArt adds a picture as tiles.
func AddTileArt(e *Editor, o Art) error {
	p, err := mapdraw.ReadPNG(o.File)
	if err != nil {
		return err
	}
	return e.AddTileArt(o.name(), p)
}

// QuadArt are the options of quad-art.
type QuadArt struct {
	Art
	LayerArg
	ImagePixel int  `option:"image-pixel"`
	QuadPixel  int  `option:"quad-pixel"`
	NoOptimize bool `option:"no-optimize"`
	OnePivot   bool `option:"one-pivot"`
	X          int  `option:"x"`
	Y          int  `option:"y"`
}

// AddQuadArt adds a picture as quads.
func AddQuadArt(e *Editor, o QuadArt) error {
	p, err := mapdraw.ReadPNG(o.File)
	if err != nil {
		return err
	}
	art := mapedit.QuadArt{ImagePixel: o.ImagePixel, QuadPixel: o.QuadPixel, Optimize: !o.NoOptimize, OnePivot: o.OnePivot}
	if o.Pattern == "" {
		return e.AddQuadArt(o.name(), p, art)
	}
	layer, err := o.SelectOne(e)
	if err != nil {
		return err
	}
	return e.AddQuadArtTo(layer, o.X, o.Y, p, art)
}

// Quads are the options of operations on quads.
type Quads struct {
	LayerArg
	Quads []int `option:"quad"`
}

// Each calls do with each quad layer and the numbers of its quads.
func (o Quads) Each(e *Editor, do func(at mapedit.LayerAt, list []int) error) error {
	layers, err := o.findQuads(e)
	if err != nil {
		return err
	}
	if o.Quads != nil && len(layers) > 1 {
		return o.tooMany(layers)
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
	Quads
	By []float64 `option:"by"`
}

// MoveQuads moves quads.
func MoveQuads(e *Editor, o MovedQuads) error {
	by, err := fixed("BY", o.By)
	if err != nil {
		return err
	}
	return o.Each(e, func(at mapedit.LayerAt, list []int) error { return e.MoveQuads(at, list, by) })
}

// ColoredQuads are the options of color-quads.
type ColoredQuads struct {
	Quads
	Color   color.NRGBA `option:"color"`
	Corners []int       `option:"corner"`
}

// ColorQuads colours quads.
func ColorQuads(e *Editor, o ColoredQuads) error {
	c := twmap.Color{R: int32(o.Color.R), G: int32(o.Color.G), B: int32(o.Color.B), A: int32(o.Color.A)}
	return o.Each(e, func(at mapedit.LayerAt, list []int) error { return e.ColorQuads(at, list, c, o.Corners) })
}

// Slicing are the options of slice-quad.
type Slicing struct {
	LayerArg
	Quad    int         `option:"quad"`
	Corners [][]float64 `option:"corner"`
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

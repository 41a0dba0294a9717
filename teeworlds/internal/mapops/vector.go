//go:build !js

package mapops

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/picture/outline"
	"trowel.example/internal/picture/svg"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Outlines are divided into quads whose corners are at whole numbers of this unit, in pixels of 22.10 fixed-point. It is
// coarser than the coordinates of maps, so that corners that should have the same height do.
const (
	vectorUnit = 16
	perPixel   = 1024 / vectorUnit
)

// Division are the options for the division of outlines into quads.
type Division struct {
	Tolerance float64 `option:"tolerance" default:"0.1" help:"how far the edges of quads may be from curves, in {pixels} of the map"`
	Most      int     `option:"most-quads" default:"2000" help:"fail for more than this {number} of quads"`
}

// check returns an error for values outside of their ranges.
func (o Division) check(at Placing) error {
	switch {
	case o.Tolerance < 0.01 || o.Tolerance > 100:
		return fmt.Errorf("--tolerance: %g: expected 0.01 to 100 pixels", o.Tolerance)
	case o.Most < 1 || o.Most > 1<<20:
		return fmt.Errorf("--most-quads: %d: expected 1 to %d", o.Most, 1<<20)
	case max(at.X, -at.X, at.Y, -at.Y) > maxPlace/32:
		return fmt.Errorf("expected a place from %d to %d, not %d,%d", -maxPlace/32, maxPlace/32, at.X, at.Y)
	}
	return nil
}

// add adds quads in the units of outlines, relative to the place, to the layer or to a new group.
func (o Placing) add(e *Editor, name string, divided []outline.Quad, pivot outline.Point) error {
	quads := make([]twmap.Quad, len(divided))
	for i, d := range divided {
		q := twmap.NewQuad(0, 0, 0, 0)
		for j, p := range d.Corners {
			q.Points[j], q.Colors[j] = o.at(float64(p.X), float64(p.Y)), mapColor(d.Color)
		}
		q.Pivot = o.at(pivot.X, pivot.Y)
		quads[i] = q
	}
	return o.addQuads(e, name, quads, -1)
}

// at returns a point in the units of outlines as a point of the map.
func (o Placing) at(x, y float64) twmap.Point {
	unit := func(v float64, tiles int) int32 { return int32(math.Round(v*vectorUnit)) + int32(tiles)*32*1024 }
	return twmap.Point{X: unit(x, o.X), Y: unit(y, o.Y)}
}

func mapColor(c color.NRGBA) twmap.Color {
	return twmap.Color{R: int32(c.R), G: int32(c.G), B: int32(c.B), A: int32(c.A)}
}

// addQuads adds quads that show an image to the layer or to a new group.
func (o Placing) addQuads(e *Editor, name string, quads []twmap.Quad, image int) error {
	if len(quads) == 0 {
		return errors.New("the picture shows nothing")
	}
	var layer mapedit.LayerAt
	var err error
	if o.Pattern == "" {
		layer, err = addFront(e, name, twmap.NewQuadLayer())
	} else {
		layer, err = LayerArg{o.Pattern}.selectOne(e)
	}
	if err != nil {
		return err
	}
	return e.AddQuads(layer, quads, image)
}

// addFront adds a group with a layer in front of all others.
func addFront(e *Editor, name string, l twmap.Layer) (mapedit.LayerAt, error) {
	name = mapedit.ShortName(name)
	if err := e.AddGroup(-1, name); err != nil {
		return mapedit.LayerAt{}, err
	}
	l.Base().Name = name
	return e.AddLayer(mapedit.LayerAt{Group: len(e.Map().Groups) - 1}, l)
}

func (o Division) limits() outline.Limits { return outline.Limits{Quads: o.Most, Work: outline.Work} }

// explain adds to the error of a division what the user can do.
func (o Division) explain(err error) error {
	switch {
	case errors.Is(err, outline.ErrQuads):
		return fmt.Errorf("more than %s: a larger --tolerance makes fewer, --most-quads allows more", words.Count(o.Most, "quad"))
	case errors.Is(err, outline.ErrWork):
		return fmt.Errorf("%w: a larger --tolerance makes them simpler", err)
	}
	return err
}

// SVG are the options of svg-quads.
type SVG struct {
	File string `arg:"file,input" help:"a picture, SVG"`
	GroupName
	Scale float64     `option:"scale" default:"1" help:"the {size} of a pixel of the picture in the map; a tile has 32 pixels"`
	Color color.NRGBA `option:"color" default:"#000000" help:"the colour of what has currentColor, such as #ff8000"`
	Division
	Placing
}

// AddSVG adds the shapes of an SVG picture as quads.
func AddSVG(e *Editor, o SVG) error {
	if err := o.check(o.Placing); err != nil {
		return err
	}
	if !(o.Scale >= 0.001 && o.Scale <= 1000) {
		return fmt.Errorf("--scale: %g: expected 0.001 to 1000", o.Scale)
	}
	data, err := regular.ReadFile(o.File, effort.ScriptFile)
	if err != nil {
		return err
	}
	p, err := svg.Read(data, svg.Options{Scale: o.Scale * perPixel, Tolerance: o.Tolerance * perPixel, Color: o.Color})
	if err != nil {
		return fmt.Errorf("%s: %w", o.File, err)
	}
	for _, l := range p.LeftOut {
		e.Job.Warn(o.File, "line %d: left out: %s (%s)", l.Line, l.What, words.Count(l.Count, "time"))
	}
	quads, err := p.Quads(o.limits())
	if err != nil {
		return fmt.Errorf("%s: %w", o.File, o.explain(err))
	}
	return o.add(e, o.of(o.File), quads, outline.Point{X: p.Width / 2, Y: p.Height / 2})
}

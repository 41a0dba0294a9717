package teeworlds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

var (
	optionArtName = format.Option{Name: "name", Help: "what the group is called (default: as the `file`)"}

	argQuads = format.Option{Name: "quad", List: true, Type: format.Integer, Help: "the numbers of quads, from 0 (default: all of the layer)"}
)

var artCommands = []mapCommand{
	command("Art", "tile-art", "Add a picture as tiles: one for each pixel, in a group of its own",
		opts{argPNG}, opts{optionArtName}, "tile-art logo.png",
		func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
			p, err := mapdraw.ReadPNG(job.Value("file"))
			if err != nil {
				return err
			}
			return e.AddTileArt(artName(job), p)
		}),
	command("Art", "quad-art", "Add a picture as quads: in a group of its own, or to a layer",
		opts{argPNG}, opts{
			optionArtName,
			{Name: "image-pixel", Type: format.Integer, Default: "1", Help: "how many `pixels` of the picture, in each direction, are one; 0: as many as lose nothing"},
			{Name: "quad-pixel", Type: format.Integer, Default: "4", Help: "how large one becomes, in `pixels` of the map, of which a tile has 32; 0: as --image-pixel"},
			{Name: "no-optimize", Bool: true, Help: "make a quad for each pixel, not one for many of a colour"},
			{Name: "one-pivot", Bool: true, Help: "put all pivots at one place, so that all turn together"},
			{Name: "layer", Names: kindLayer, Help: "add the quads to this `layer`: a path such as Tree/Lights, or numbers such as 3/1"},
			{Name: "x", Type: format.Integer, Default: "0", Help: "where its left is in the layer, in `tiles`"},
			{Name: "y", Type: format.Integer, Default: "0", Help: "where its top is in the layer, in `tiles`"},
		}, "quad-art logo.png --quad-pixel 8 --layer Back/Lights --x 40 --y 12", addQuadArt),
}

func artName(job *format.Job) string {
	file := filepath.Base(job.Value("file"))
	return cmp.Or(job.Value(optionArtName.Name), strings.TrimSuffix(file, filepath.Ext(file)))
}

func addQuadArt(_ context.Context, e *mapedit.Editor, job *format.Job) error {
	p, err := mapdraw.ReadPNG(job.Value("file"))
	if err != nil {
		return err
	}
	o := mapedit.QuadArt{
		ImagePixel: job.Integer("image-pixel"), QuadPixel: job.Integer("quad-pixel"),
		Optimize: !job.On("no-optimize"), OnePivot: job.On("one-pivot"),
	}
	if job.Value("layer") == "" {
		return e.AddQuadArt(artName(job), p, o)
	}
	layer, err := layerOf(e, job)
	if err != nil {
		return err
	}
	return e.AddQuadArtTo(layer, job.Integer("x"), job.Integer("y"), p, o)
}

var quadCommands = []mapCommand{
	ofQuads("align-quads", "Align quads as the editor does: corners but the first lose what they have beyond 1000/1024 pixels", (*mapedit.Editor).AlignQuads),
	ofQuads("square-quads", "Make quads the rectangles that their corners lie in", (*mapedit.Editor).SquareQuads),
	ofQuads("aspect-quads", "Make quads rectangles with the aspect ratio of their image", (*mapedit.Editor).AspectQuads),
	ofQuads("center-pivots", "Put the pivots of quads into their middle", (*mapedit.Editor).CenterPivots),
	command("Quads", "slice-quad", "Add the piece of a quad that lies between four corners",
		opts{
			{Name: "layer", Help: argLayer.Help},
			{Name: "quad", Type: format.Integer, Help: "its number in the layer, from 0"},
			{Name: "corner", List: true, Type: format.Place, Help: "four places in the quad, going around the piece, in pixels, of which a tile has 32"},
		}, nil, "slice-quad Back/Lights 2 64,64 96,64 96,128 64,128", sliceQuad),
}

// ofQuads returns a command that calls do with a layer and the numbers of its quads.
func ofQuads(name, title string, do func(e *mapedit.Editor, at mapedit.LayerAt, list []int) error) mapCommand {
	return command("Quads", name, title, opts{{Name: "layer", Help: argLayer.Help}, argQuads}, nil, name+" Back/Lights 0 3",
		func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
			layers, err := quadLayers(e, job)
			if err != nil {
				return err
			}
			var list []int
			for _, word := range job.List(argQuads.Name) {
				i, _ := strconv.Atoi(word) // already validated
				list = append(list, i)
			}
			if list != nil && len(layers) > 1 {
				return fmt.Errorf("%q names %d layers of quads: expected one for quads that have numbers", job.Value("layer"), len(layers))
			}
			for _, at := range layers {
				if err := do(e, at, list); err != nil {
					return err
				}
			}
			return nil
		})
}

// quadLayers returns the quad layers among those that the argument selects.
func quadLayers(e *mapedit.Editor, job *format.Job) (list []mapedit.LayerAt, err error) {
	layers, err := layersOf(e, job)
	for _, at := range layers {
		if _, is := e.Map().Groups[at.Group].Layers[at.Layer].(*twmap.QuadLayer); is {
			list = append(list, at)
		}
	}
	if list == nil && err == nil {
		err = &fault.NameError{Kind: "layer of quads", Name: job.Value("layer")}
	}
	return list, err
}

func sliceQuad(_ context.Context, e *mapedit.Editor, job *format.Job) error {
	layers, err := quadLayers(e, job)
	if err != nil {
		return err
	}
	words := job.List("corner")
	if len(words) != 4 {
		return fmt.Errorf("%d corners: expected four", len(words))
	}
	if len(layers) > 1 {
		return fmt.Errorf("%q names %d layers of quads: expected one", job.Value("layer"), len(layers))
	}
	var corners [4]twmap.Point
	for i, word := range words {
		p, _ := format.ParsePlace(word) // already validated
		if len(p) != 2 {
			return errors.New("a corner has two numbers")
		}
		for _, v := range p {
			if v < -1<<21 || v >= 1<<21 {
				return fmt.Errorf("%s is outside of what a map can tell", word)
			}
		}
		corners[i] = twmap.Point{X: int32(p[0] * 1024), Y: int32(p[1] * 1024)}
	}
	return e.SliceQuad(layers[0], job.Integer("quad"), corners)
}

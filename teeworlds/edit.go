package teeworlds

import (
	"context"
	"reflect"
	"slices"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapops"
	"trowel.example/teeworlds/internal/mapquery"
	"trowel.example/teeworlds/mapedit"
)

// mapEditing holds all edit operations for maps, in the order of the help.
var mapEditing = mapops.Editing(slices.Concat(
	mapOperations,
	tileOperations,
	layerOperations,
	imageOperations,
	soundOperations,
	envelopeOperations,
	automapOperations,
	artOperations,
	vectorOperations,
	quadOperations,
	settingOperations,
	[]operation{{Command: format.ApplyCommand, Do: mapops.Apply}},
))

type (
	operation = mapops.Operation
	editor    = mapops.Editor
	opts      = []format.Option
)

// declare binds a command to the function that performs it, and to T, the struct of its arguments and options.
func declare[T any](c format.Command, do func(ctx context.Context, e *editor, o T) error) operation {
	c.Fields = reflect.TypeFor[T]()
	return operation{Command: c, Do: func(ctx context.Context, e *editor) error { return do(ctx, e, format.Values[T](e.Job)) }}
}

// onMap declares an operation on the whole map.
func onMap[T any](c format.Command, do func(e *editor, o T) error) operation {
	return declare(c, func(_ context.Context, e *editor, o T) error { return do(e, o) })
}

// plain declares an operation without arguments and options.
func plain(c format.Command, do func(e *mapedit.Editor) error) operation {
	return onMap(c, func(e *editor, _ struct{}) error { return do(e.Editor) })
}

// always returns do as a function for plain.
func always(do func(e *mapedit.Editor)) func(*mapedit.Editor) error {
	return func(e *mapedit.Editor) error { do(e); return nil }
}

// onLayers declares an operation on the layers that T selects.
func onLayers[T interface {
	Select(*editor) ([]mapedit.LayerAt, error)
}](c format.Command, do func(e *editor, list []mapedit.LayerAt, o T) error) operation {
	return onMap(c, func(e *editor, o T) error {
		list, err := o.Select(e)
		if err != nil {
			return err
		}
		return do(e, list, o)
	})
}

// onTiles declares an operation on the tiles in an area of the layers that T selects.
func onTiles[T interface {
	Select(*editor) ([]mapedit.LayerAt, error)
	Area() (*mapedit.Area, error)
}](c format.Command, do func(e *editor, list []mapedit.LayerAt, area *mapedit.Area, o T) error) operation {
	return onLayers(c, func(e *editor, list []mapedit.LayerAt, o T) error {
		area, err := o.Area()
		if err != nil {
			return err
		}
		return do(e, list, area, o)
	})
}

// onParts declares an operation on the parts whose numbers T finds.
func onParts[T interface{ Numbers(*editor) ([]int, error) }](
	c format.Command, do func(e *editor, list []int, o T) error,
) operation {
	return onMap(c, func(e *editor, o T) error {
		list, err := o.Numbers(e)
		if err != nil {
			return err
		}
		return do(e, list, o)
	})
}

// onPart declares an operation on the part whose number T finds.
func onPart[T interface{ Number(*editor) (int, error) }](c format.Command, do func(e *editor, i int, o T) error) operation {
	return onMap(c, func(e *editor, o T) error {
		i, err := o.Number(e)
		if err != nil {
			return err
		}
		return do(e, i, o)
	})
}

// The headings of operations in the help.
const (
	headingMap       = "Map"
	headingTiles     = "Tiles"
	headingLayers    = "Layers and groups"
	headingImages    = "Images"
	headingSounds    = "Sounds"
	headingEnvelopes = "Envelopes"
	headingAutomap   = "Automapper"
	headingArt       = "Art"
	headingQuads     = "Quads"
	headingSettings  = "Settings"
)

const layerHelp = "a path such as Tree/Leaves, with * and ?; a kind: tiles, quads, sounds, physics, game, front and so on; " +
	"numbers such as 3/1; several separated by commas, with - before those to exclude"

// Arguments and options of several operations.
var (
	argLayer   = format.Option{Name: "layer", Names: mapquery.KindLayer, Help: layerHelp}
	argLayers  = format.Option{Name: "layer", Names: mapquery.KindLayer, List: true, Some: true, Help: layerHelp}
	argName    = format.Option{Name: "name", Help: "the new name"}
	argTo      = format.Option{Name: "to", Type: format.Integer, Help: "the new number, from 0"}
	argPNG     = format.Option{Name: "file", Input: true, Help: "a picture, PNG"}
	optionArea = format.Option{Name: "area", Help: "only the tiles in `x1,y1:x2,y2`, two opposite corners in any order"}

	optionLayers = format.Option{Name: "layer", Names: mapquery.KindLayer, List: true, Help: "only in this `layer`: " + layerHelp}
	optionNot    = format.Option{Name: "not", Bool: true, Help: "in all layers except those of --layer"}

	yesNo = []string{"true", "false"}
)

// ofCommand returns an option of a scene as an option of a command.
func ofCommand(o format.Option) format.Option {
	o.For = 0
	return o
}

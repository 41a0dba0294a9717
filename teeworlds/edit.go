package teeworlds

import (
	"context"
	"slices"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapops"
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
	[]*format.Command{format.ApplyCommand(mapops.Do(mapops.Apply))},
))

type editor = mapops.Editor

// declare binds a command to the function that performs it, and to T, the struct of its arguments and options.
func declare[T any](c format.Command, do func(ctx context.Context, e *editor, o T) error) *format.Command {
	return format.Declare[T](c, mapops.Do(func(ctx context.Context, e *editor) error { return do(ctx, e, format.Values[T](e.Job)) }))
}

// onMap declares an operation on the whole map.
func onMap[T any](c format.Command, do func(e *editor, o T) error) *format.Command {
	return declare(c, func(_ context.Context, e *editor, o T) error { return do(e, o) })
}

// plain declares an operation without arguments and options.
func plain(c format.Command, do func(e *mapedit.Editor) error) *format.Command {
	return onMap(c, func(e *editor, _ struct{}) error { return do(e.Editor) })
}

// always returns do as a function for plain.
func always(do func(e *mapedit.Editor)) func(*mapedit.Editor) error {
	return func(e *mapedit.Editor) error { do(e); return nil }
}

// onLayers declares an operation on the layers that T selects.
func onLayers[T interface {
	Select(*editor) ([]mapedit.LayerAt, error)
}](c format.Command, do func(e *editor, list []mapedit.LayerAt, o T) error) *format.Command {
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
}](c format.Command, do func(e *editor, list []mapedit.LayerAt, area *mapedit.Area, o T) error) *format.Command {
	return onLayers(c, func(e *editor, list []mapedit.LayerAt, o T) error {
		area, err := o.Area()
		if err != nil {
			return err
		}
		mapops.WarnClipped(e, list, area)
		return do(e, list, area, o)
	})
}

// onParts declares an operation on the parts whose numbers T finds.
func onParts[T interface{ Numbers(*editor) ([]int, error) }](
	c format.Command, do func(e *editor, list []int, o T) error,
) *format.Command {
	return onMap(c, func(e *editor, o T) error {
		list, err := o.Numbers(e)
		if err != nil {
			return err
		}
		return do(e, list, o)
	})
}

// onPart declares an operation on the part whose number T finds.
func onPart[T interface{ Number(*editor) (int, error) }](c format.Command, do func(e *editor, i int, o T) error) *format.Command {
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

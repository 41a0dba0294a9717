package teeworlds

import (
	"context"
	"reflect"
	"slices"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapquery"
	"trowel.example/teeworlds/mapedit"
)

// query binds a query to the functions that answer it, and to T, the struct of its arguments and options. lacks
// returns an error for each part in the query that the map does not have; nil if it names no parts.
func query[T any](
	c format.Command, find func(ctx context.Context, q *mapquery.Query, o T) error, lacks func(o T, e *mapedit.Editor) error,
) mapquery.Declared {
	c.Fields = reflect.TypeFor[T]()
	d := mapquery.Declared{Command: c, Find: func(ctx context.Context, q *mapquery.Query, job *format.Job) error {
		return find(ctx, q, format.Values[T](job))
	}}
	if lacks != nil {
		d.Lacks = func(e *mapedit.Editor, job *format.Job) error { return lacks(format.Values[T](job), e) }
	}
	return d
}

// patternOf returns the argument of a query for parts of a kind.
func patternOf(kind string) format.Option {
	return format.Option{Name: "name", Names: kind, Default: "*", Help: "a name with * and ?, ignoring case, or a number, from 0"}
}

const headingParts = "Parts"

var (
	argFound = format.Option{Name: "number", List: true, Help: "numbers, 0 to 255; none means any"}

	optionFlags = format.Option{Name: "flags",
		Help: "only tiles with exactly these flags: `words` of xflip, yflip, rotate and opaque, separated by commas, or none"}
)

var mapFinder = mapquery.Finder([]mapquery.Declared{
	query(format.Command{Name: "tile", Title: "Tiles of any layer, by number or by meaning", Heading: headingTiles,
		Long: "A name is the meaning of a tile in a physics layer, such as freeze or hookable, and finds tiles of physics layers " +
			"only. Air is found by its number, 0. A turret, door or other entity that a switch controls is a tile of the switch " +
			"layer: tile '*plasma*' --layer switch.",
		Args: opts{{Name: "tile", Names: mapquery.KindTile, List: true,
			Help: "numbers, 0 to 255, or names with * and ?; none means any except air"}},
		Options: opts{optionLayers, optionNot, optionArea, optionFlags, {Name: "with", List: true,
			Help: "only tiles with a tile of another layer in the same column and row: `layer` as in --layer, for any tile except " +
				"air, or LAYER:TILE, as in switch:freeze; may be given several times"}},
		Example: "tile freeze --layer game --with switch:freeze"},
		mapquery.Tiles, mapquery.TilesQuery.Lacks),
	query(format.Command{Name: "tele", Title: "Teleporters and checkpoints, by number", Heading: headingTiles,
		Args: opts{argFound}, Options: opts{optionArea}, Example: "tele 5"},
		mapquery.Teles, mapquery.NumbersQuery.LacksTeles),
	query(format.Command{Name: "switch", Title: "Switches, and the tiles they control, by number", Heading: headingTiles,
		Args: opts{argFound}, Options: opts{optionArea, optionFlags}, Example: "switch 3"},
		mapquery.Switches, mapquery.SwitchQuery.Lacks),
	query(format.Command{Name: "tune", Title: "Tiles of tune zones, by number", Heading: headingTiles,
		Args: opts{argFound}, Options: opts{optionArea}, Example: "tune 1 2"},
		mapquery.Tunes, mapquery.NumbersQuery.LacksTunes),
	query(format.Command{Name: "speedup", Title: "Speedups, with force and angle", Heading: headingTiles,
		Options: opts{
			optionArea,
			{Name: "force", Type: format.Integer, Help: "only speedups with this force"},
			{Name: "angle", Type: format.Integer, Help: "only speedups with this angle in `degrees`"},
		},
		Example: "speedup --force 255"},
		mapquery.Speedups, nil),
	query(format.Command{Name: "next-free", Title: "The next numbers that no tile has", Heading: headingTiles,
		Long: "Numbers that a setting uses, such as tune_zone 3, are not free.",
		Args: opts{
			{Name: "of", Choices: argNumbers.Choices, Help: "the kind of numbers"},
			{Name: "numbers", Type: format.Integer, Default: "1", Help: "how many"},
		},
		Example: "next-free tele"},
		mapquery.Free, nil),
	query(format.Command{Name: "layer", Title: "Layers, with their sizes and images", Heading: headingParts,
		Options: opts{optionLayers, optionNot}, Example: "layer --layer 'Tree/*'"},
		mapquery.Layers, mapquery.LayersQuery.Lacks),
	query(format.Command{Name: "image", Title: "Users of an image", Heading: headingParts,
		Long: "For an unused image, the result is the image. The pictures of external images are found as for drawing the map. " +
			"The hash is that of the size and the pixels of the picture, and equal for identical pictures.",
		Args: opts{patternOf(mapquery.KindImage)},
		Options: slices.Concat(opts{
			{Name: "same-as", Input: true, Help: "only images with the same size and pixels as this `picture`, a PNG"},
			{Name: "near", Input: true, Help: "only images that look like this `picture`, a PNG: scaled to 64 x 64 pixels, the mean " +
				"difference of a channel is at most 4 of 255, where one of them is visible"},
		}, optionsMapres),
		Example: "image --same-as grass_dark.png"},
		mapquery.Images, mapquery.ImageQuery.Lacks),
	query(format.Command{Name: "envelope", Title: "Users of an envelope", Heading: headingParts,
		Long: "For an unused envelope, the result is the envelope.", Args: opts{patternOf(mapquery.KindEnvelope)}, Example: "envelope 3"},
		mapquery.Envelopes, mapquery.PartQuery.LacksEnvelopes),
	query(format.Command{Name: "sound", Title: "Users of a sound", Heading: headingParts,
		Long: "For an unused sound, the result is the sound.", Args: opts{patternOf(mapquery.KindSound)}, Example: "sound 'rain*'"},
		mapquery.Sounds, mapquery.PartQuery.LacksSounds),
	query(format.Command{Name: "quad", Title: "Quads, with position and size in tiles", Heading: headingParts,
		Options: opts{
			optionLayers, optionNot,
			{Name: "area", Help: "only quads whose pivot is in the tiles of `x1,y1:x2,y2`"},
			{Name: "image", Names: mapquery.KindImage, Help: "only quads of the image with this `name`, ignoring case"},
		},
		Example: "quad --image sun"},
		mapquery.Quads, mapquery.QuadQuery.Lacks),
	query(format.Command{Name: "setting", Title: "Settings that contain a text", Heading: headingParts,
		Args:    opts{{Name: "text", Names: mapquery.KindSetting, List: true, Help: "words in the line, ignoring case; none means any line"}},
		Example: "setting tune_zone 3"},
		mapquery.Settings, nil),
})

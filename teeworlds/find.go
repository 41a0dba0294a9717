package teeworlds

import (
	"context"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapquery"
	"trowel.example/teeworlds/mapedit"
)

// query binds a query to the functions that answer it, and to T, the struct of its arguments and options. lacks
// returns an error for each part in the query that the map does not have; nil if it names no parts.
func query[T any](
	c format.Command, find func(ctx context.Context, q *mapquery.Query, o T) error, lacks func(o T, e *mapedit.Editor) error,
) *format.Command {
	d := mapquery.Do{Find: func(ctx context.Context, q *mapquery.Query, job *format.Job) error {
		return find(ctx, q, format.Values[T](job))
	}}
	if lacks != nil {
		d.Lacks = func(e *mapedit.Editor, job *format.Job) error { return lacks(format.Values[T](job), e) }
	}
	return format.Declare[T](c, d)
}

const headingParts = "Parts"

var mapFinder = mapquery.Finder([]*format.Command{
	query(format.Command{Name: "tile", Title: "Tiles of any layer, by number or by meaning", Heading: headingTiles,
		Long: "A name is the meaning of a tile in a physics layer, such as freeze or hookable, and finds tiles of physics layers " +
			"only. Air is found by its number, 0. A turret, door or other entity that a switch controls is a tile of the switch " +
			"layer: tile '*plasma*' --layer switch.",
		Example: "tile freeze --layer game --with switch:freeze"},
		mapquery.Tiles, mapquery.TilesQuery.Lacks),
	query(format.Command{Name: "tele", Title: "Teleporters and checkpoints, by number", Heading: headingTiles,
		Example: "tele 5"},
		mapquery.Teles, mapquery.NumbersQuery.LacksTeles),
	query(format.Command{Name: "switch", Title: "Switches, and the tiles they control, by number", Heading: headingTiles,
		Example: "switch 3"},
		mapquery.Switches, mapquery.SwitchQuery.Lacks),
	query(format.Command{Name: "tune", Title: "Tiles of tune zones, by number", Heading: headingTiles,
		Example: "tune 1 2"},
		mapquery.Tunes, mapquery.NumbersQuery.LacksTunes),
	query(format.Command{Name: "speedup", Title: "Speedups, with force and angle", Heading: headingTiles,
		Example: "speedup --force 255"},
		mapquery.Speedups, nil),
	query(format.Command{Name: "next-free", Title: "The next numbers that no tile has", Heading: headingTiles,
		Long:    "Numbers that a setting uses, such as tune_zone 3, are not free.",
		Example: "next-free tele"},
		mapquery.Free, nil),
	query(format.Command{Name: "layer", Title: "Layers, with their sizes and images", Heading: headingParts,
		Example: "layer --layer 'Tree/*'"},
		mapquery.Layers, mapquery.LayersQuery.Lacks),
	query(format.Command{Name: "image", Title: "Users of an image", Heading: headingParts,
		Long: "For an unused image, the result is the image. The pictures of external images are found as for drawing the map. " +
			"The hash is that of the size and the pixels of the picture, and equal for identical pictures.",
		Example: "image --same-as grass_dark.png"},
		mapquery.Images, mapquery.ImageQuery.Lacks),
	query(format.Command{Name: "envelope", Title: "Users of an envelope", Heading: headingParts,
		Long: "For an unused envelope, the result is the envelope.", Example: "envelope 3"},
		mapquery.Envelopes, mapquery.EnvelopeQuery.LacksEnvelopes),
	query(format.Command{Name: "sound", Title: "Users of a sound", Heading: headingParts,
		Long: "For an unused sound, the result is the sound.", Example: "sound 'rain*'"},
		mapquery.Sounds, mapquery.SoundQuery.LacksSounds),
	query(format.Command{Name: "quad", Title: "Quads, with position and size in tiles", Heading: headingParts,
		Example: "quad --image sun"},
		mapquery.Quads, mapquery.QuadQuery.Lacks),
	query(format.Command{Name: "setting", Title: "Settings that contain a text", Heading: headingParts,
		Example: "setting tune_zone 3"},
		mapquery.Settings, nil),
})

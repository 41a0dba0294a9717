package teeworlds

import (
	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapops"
	"trowel.example/teeworlds/mapedit"
)

var artOperations = []*format.Command{
	onMap(format.Command{Name: "tile-art", Title: "Add a picture as tiles, one for each pixel, in a new group", Heading: headingArt,
		Example: "tile-art logo.png"}, mapops.AddTileArt),
	onMap(format.Command{Name: "quad-art", Title: "Add a picture as quads, in a new group or to a layer", Heading: headingArt,
		Example: "quad-art logo.png --quad-pixel 8 --layer Back/Lights --x 40 --y 12"}, mapops.AddQuadArt),
}

var quadOperations = []*format.Command{
	onQuads("align-quads", "Align quads as the editor does: corners after the first lose their fraction of a pixel above 1000/1024",
		(*mapedit.Editor).AlignQuads),
	onQuads("square-quads", "Make quads the bounding rectangles of their corners", (*mapedit.Editor).SquareQuads),
	onQuads("aspect-quads", "Make quads rectangles with the aspect ratio of their image", (*mapedit.Editor).AspectQuads),
	onQuads("center-pivots", "Move the pivots of quads to their centres", (*mapedit.Editor).CenterPivots),
	onMap(format.Command{Name: mapops.MoveName, Title: "Move quads with their pivots", Heading: headingQuads,
		Example: "move-quads Back/Lights -32,16 0 3"}, mapops.MoveQuads),
	onMap(format.Command{Name: mapops.ColorName, Title: "Give quads, or some corners of them, a colour", Heading: headingQuads,
		Example: "color-quads Back/Lights '#ffd000' 0 3"}, mapops.ColorQuads),
	onMap(format.Command{Name: "slice-quad", Title: "Add the piece of a quad between four corners", Heading: headingQuads,
		Example: "slice-quad Back/Lights 2 64,64 96,64 96,128 64,128"}, mapops.SliceQuad),
}

// onQuads declares an operation on quads of a layer.
func onQuads(name, title string, do func(e *mapedit.Editor, at mapedit.LayerAt, list []int) error) *format.Command {
	return onMap(format.Command{Name: name, Title: title, Heading: headingQuads,
		Example: name + " Back/Lights 0 3"},
		func(e *editor, o mapops.Quads) error {
			return o.Each(e, o.LayerArg, func(at mapedit.LayerAt, list []int) error { return do(e.Editor, at, list) })
		})
}

var automapOperations = []*format.Command{
	declare(format.Command{Name: "automap", Title: "Draw layers by the rules for their images", Heading: headingAutomap,
		Long: `Each layer with a configuration of rules is drawn by it, as by the button Automap of DDNet's
editor: the same seed gives the same tiles. --layer and --config draw other layers, or use other
rules. A layer with seed 0 gets a random seed, which is reported: with --seed and that number,
the result is the same. Rules are files .rules of DDNet, or .json of Teeworlds 0.7. With --physics,
physics layers are drawn, too: by the only file of --rules, or by one named game, front, tele, speedup,
switch or tune. Their tiles keep numbers, delays and other fields; those of new tiles are 0.`,
		Example: "automap --layer 'Tiles/*' --config Default --seed 7"}, mapops.Automap),
	onLayers(format.Command{Name: "set-automapper", Title: "Set the rules by which the editor draws layers", Heading: headingAutomap,
		Example: "set-automapper Tiles/Ground Default --seed 42 --automatic"}, mapops.SetAutomapper),
	onLayers(format.Command{Name: "clear-automapper", Title: "Remove the automapper of layers", Heading: headingAutomap,
		Example: "clear-automapper --layer 'Tiles/*'"}, mapops.ClearAutomappers),
}

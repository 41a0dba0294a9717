package teeworlds

import (
	"trowel.example/internal/format"
	"trowel.example/teeworlds/automap"
	"trowel.example/teeworlds/internal/mapops"
	"trowel.example/teeworlds/internal/mapquery"
	"trowel.example/teeworlds/mapedit"
)

var optionArtName = format.Option{Name: "name", Help: "the name of the group (default: that of the `file`)"}

var artOperations = []operation{
	onMap(format.Command{Name: "tile-art", Title: "Add a picture as tiles, one for each pixel, in a new group", Heading: headingArt,
		Args: opts{argPNG}, Options: opts{optionArtName}, Example: "tile-art logo.png"}, mapops.AddTileArt),
	onMap(format.Command{Name: "quad-art", Title: "Add a picture as quads, in a new group or to a layer", Heading: headingArt,
		Args: opts{argPNG},
		Options: opts{
			optionArtName,
			{Name: "image-pixel", Type: format.Integer, Default: "1",
				Help: "how many `pixels` of the picture, in each direction, become one quad; 0: as many as possible without loss"},
			{Name: "quad-pixel", Type: format.Integer, Default: "4",
				Help: "the size of a quad, in `pixels` of the map; a tile has 32; 0: the value of --image-pixel"},
			{Name: "no-optimize", Bool: true, Help: "make a quad for each pixel, instead of one for many of the same colour"},
			{Name: "one-pivot", Bool: true, Help: "put all pivots at one position, so that all quads rotate together"},
			{Name: "layer", Names: mapquery.KindLayer, Help: "add the quads to this `layer`: a path such as Tree/Lights, or numbers such as 3/1"},
			{Name: "x", Type: format.Integer, Default: "0", Help: "the left edge in the layer, in `tiles`"},
			{Name: "y", Type: format.Integer, Default: "0", Help: "the top edge in the layer, in `tiles`"},
		},
		Example: "quad-art logo.png --quad-pixel 8 --layer Back/Lights --x 40 --y 12"}, mapops.AddQuadArt),
}

var quadOperations = []operation{
	onQuads("align-quads", "Align quads as the editor does: corners after the first lose their fraction of a pixel above 1000/1024",
		(*mapedit.Editor).AlignQuads),
	onQuads("square-quads", "Make quads the bounding rectangles of their corners", (*mapedit.Editor).SquareQuads),
	onQuads("aspect-quads", "Make quads rectangles with the aspect ratio of their image", (*mapedit.Editor).AspectQuads),
	onQuads("center-pivots", "Move the pivots of quads to their centres", (*mapedit.Editor).CenterPivots),
	onMap(format.Command{Name: mapops.MoveName, Title: "Move quads with their pivots", Heading: headingQuads,
		Args:    opts{argLayer, {Name: "by", Type: format.Place, Help: "x,y in pixels; a tile has 32"}, argQuads},
		Example: "move-quads Back/Lights -32,16 0 3"}, mapops.MoveQuads),
	onMap(format.Command{Name: mapops.ColorName, Title: "Give quads, or some corners of them, a colour", Heading: headingQuads,
		Args: opts{argLayer, {Name: "color", Type: format.Color, Help: "such as #ff8000 or #ffffff80"}, argQuads},
		Options: opts{{Name: "corner", List: true, Type: format.Integer,
			Help: "only this `corner`: 0 top left, 1 top right, 2 bottom left, 3 bottom right"}},
		Example: "color-quads Back/Lights '#ffd000' 0 3"}, mapops.ColorQuads),
	onMap(format.Command{Name: "slice-quad", Title: "Add the piece of a quad between four corners", Heading: headingQuads,
		Args: opts{
			argLayer,
			{Name: "quad", Type: format.Integer, Help: "its number in the layer, from 0"},
			{Name: "corner", List: true, Type: format.Place, Help: "four positions in the quad, around the piece, in pixels; a tile has 32"},
		},
		Example: "slice-quad Back/Lights 2 64,64 96,64 96,128 64,128"}, mapops.SliceQuad),
}

var argQuads = format.Option{Name: "quad", List: true, Type: format.Integer,
	Help: "the numbers of quads, from 0 (default: all of the layer)"}

// onQuads declares an operation on quads of a layer.
func onQuads(name, title string, do func(e *mapedit.Editor, at mapedit.LayerAt, list []int) error) operation {
	return onMap(format.Command{Name: name, Title: title, Heading: headingQuads,
		Args:    opts{argLayer, argQuads},
		Example: name + " Back/Lights 0 3"},
		func(e *editor, o mapops.Quads) error {
			return o.Each(e, func(at mapedit.LayerAt, list []int) error { return do(e.Editor, at, list) })
		})
}

var (
	optionRules = format.Option{Name: "rules", List: true, Input: true,
		Help: "a `file` of rules for the image of its name, a folder of such files, or the data folder of a game " +
			"(default: next to the map, and in the folders of the games)"}
	optionSeed = format.Option{Name: "seed", Type: format.Integer,
		Help: "the `number` from which random choices are made, 0 to 1000000000; 0 chooses one"}
	argConfig = format.Option{Name: "config", Help: "a configuration of the rules: its name, or its number from 0"}
)

var automapOperations = []operation{
	declare(format.Command{Name: "automap", Title: "Draw layers by the rules for their images", Heading: headingAutomap,
		Long: `Each layer with a configuration of rules is drawn by it, as by the button Automap of DDNet's
editor: the same seed gives the same tiles. --layer and --config draw other layers, or use other
rules. A layer with seed 0 gets a random seed, which is reported: with --seed and that number,
the result is the same. Rules are files .rules of DDNet, or .json of Teeworlds 0.7. With --physics,
physics layers are drawn, too: by the only file of --rules, or by one named game, front, tele, speedup,
switch or tune. Their tiles keep numbers, delays and other fields; those of new tiles are 0.`,
		Options: opts{
			optionLayers, optionNot,
			{Name: "config", Help: "use this `configuration` of the rules: its name, or its number from 0 (default: that of the layer)"},
			optionSeed, optionRules,
			{Name: "reference", Choices: automap.References(), Default: "none",
				Help: "start from `tiles` of the game layer instead of those of the layer"},
			{Name: "physics", Bool: true, Help: "also draw physics layers that --layer names, which changes how the map is played"},
			{Name: "amount", Type: format.Integer, Default: "50", Help: "how many doodads rules of Teeworlds 0.7 draw: `1 to 100`"},
			{Name: "store", Bool: true, Help: "store configuration and seed in the map"},
		},
		Example: "automap --layer 'Tiles/*' --config Default --seed 7"}, mapops.Automap),
	onLayers(format.Command{Name: "set-automapper", Title: "Set the rules by which the editor draws layers", Heading: headingAutomap,
		Args:    opts{argLayer, argConfig},
		Options: opts{optionSeed, optionRules, {Name: "automatic", Bool: true, Help: "the editor draws again after each change"}},
		Example: "set-automapper Tiles/Ground Default --seed 42 --automatic"}, mapops.SetAutomapper),
	onLayers(format.Command{Name: "clear-automapper", Title: "Remove the automapper of layers", Heading: headingAutomap,
		Options: opts{optionLayers, optionNot}, Example: "clear-automapper --layer 'Tiles/*'"}, mapops.ClearAutomappers),
}

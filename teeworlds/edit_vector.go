//go:build !js

package teeworlds

import (
	"trowel.example/internal/format"
	"trowel.example/internal/picture/typeface"
	"trowel.example/teeworlds/internal/mapops"
	"trowel.example/teeworlds/internal/mapquery"
)

var (
	optionX = format.Option{Name: "x", Type: format.Integer, Default: "0", Help: "the left edge, in `tiles`"}
	optionY = format.Option{Name: "y", Type: format.Integer, Default: "0", Help: "the top edge, in `tiles`"}

	argLines    = format.Option{Name: "line", List: true, Some: true, Help: "the text of a line"}
	optionFont  = format.Option{Name: "font", Input: true, Help: "a `file` with a font: TrueType or OpenType (default: a font of Go)"}
	optionAlign = format.Option{Name: "align", Choices: []string{"left", "center", "right"}, Default: "left",
		Help: "what is at --x of each line"}
	optionTextFor = format.Option{Name: "name", Help: "the `name` of the group (default: the text)"}

	optionTolerance = format.Option{Name: "tolerance", Type: format.Number, Default: "0.1",
		Help: "how far the edges of quads may be from curves, in `pixels` of the map"}
	optionMostQuads = format.Option{Name: "most-quads", Type: format.Integer, Default: "2000",
		Help: "fail for more than this `number` of quads"}
	optionQuadLayer = format.Option{Name: "layer", Names: mapquery.KindLayer,
		Help: "add the quads to this `layer`: a path such as Tree/Lights, or numbers such as 3/1 (default: a new group)"}
)

// vectorOperations draw with outlines. The page in the browser does without the fonts and the reader that they need.
var vectorOperations = []operation{
	onMap(format.Command{Name: "svg-quads", Title: "Add the shapes of an SVG picture as quads without an image", Heading: headingArt,
		Long: "Paths, basic shapes, lines, transforms, flat colours and opacity are drawn; everything else, such as gradients, texts and " +
			"filters, is left out and named. All pivots are in the middle of the picture, so that an envelope moves it as a whole. The " +
			"game draws the edges of quads without smoothing, unless the player has switched it on.",
		Args: opts{{Name: "file", Input: true, Help: "a picture, SVG"}},
		Options: opts{
			optionArtName,
			{Name: "scale", Type: format.Number, Default: "1", Help: "the `size` of a pixel of the picture in the map; a tile has 32 pixels"},
			{Name: "color", Type: format.Color, Default: "#000000", Help: "the colour of what has currentColor, such as #ff8000"},
			optionTolerance, optionMostQuads, optionQuadLayer, optionX, optionY,
		},
		Example: "svg-quads logo.svg --scale 2 --x 40 --y 12"}, mapops.AddSVG),
	onMap(format.Command{Name: "text-quads", Title: "Write text in quads, one for each letter", Heading: headingArt,
		Long: "The quads show an image with the letters of the font, which is added to the map once. Their numbers are those of the letters, " +
			"so that color-quads and move-quads change single letters. With --outlines the letters are made of quads without an image, which " +
			"are sharp in any size. Letters are set from left to right.",
		Args: opts{argLines},
		Options: opts{
			{Name: "size", Type: format.Number, Default: "32", Help: "the size of the font, in `pixels` of the map; a tile has 32"},
			{Name: "color", Type: format.Color, Default: "#ffffff", Help: "the colour of the text, such as #ff8000"},
			optionFont, optionFace("regular"), optionAlign,
			{Name: "letter-spacing", Type: format.Number, Default: "0", Help: "`pixels` that are added between letters"},
			{Name: "line-spacing", Type: format.Number, Default: "0", Help: "`pixels` that are added between lines"},
			{Name: "outlines", Bool: true, Help: "fill the outlines of the letters with quads instead"},
			optionTolerance, optionMostQuads, optionTextFor, optionQuadLayer, optionX, optionY,
		},
		Example: "text-quads 'Part 2' 'Mind the gap' --size 64 --align center --x 40 --y 12"}, mapops.AddTextQuads),
	onMap(format.Command{Name: "text-tiles", Title: "Write text in tiles, one for each letter", Heading: headingArt,
		Long: "The tiles are those of an image with the letters of the font, which is added to the map once. The letters A to Z and digits " +
			"are where the text mode of DDNet's editor expects them.",
		Args: opts{argLines},
		Options: opts{
			{Name: "color", Type: format.Color, Help: "the colour of a new layer, such as #ff8000 (default: white)"},
			optionFont, optionFace("mono-bold"), optionAlign,
			{Name: "line-spacing", Type: format.Integer, Default: "0", Help: "empty rows between lines"},
			optionTextFor,
			{Name: "layer", Names: mapquery.KindLayer,
				Help: "write into this `layer`, which shows the image: a path such as Signs/Text, or numbers such as 3/1 (default: a new group)"},
			{Name: "x", Type: format.Integer, Default: "1", Help: "the column of the text, from 0; the first column of a layer repeats to the left"},
			{Name: "y", Type: format.Integer, Default: "1", Help: "the row of the first line, from 0; the first row repeats to the top"},
		},
		Example: "text-tiles 'PART 2' --color '#ffd000' --x 40 --y 12"}, mapops.AddTextTiles),
}

// optionFace returns the option that chooses a font of Go.
func optionFace(usual string) format.Option {
	return format.Option{Name: "face", Choices: typeface.GoFonts(), Default: usual,
		Help: "the font of Go, which has Latin, Greek and Cyrillic letters"}
}

//go:build !js

package teeworlds

import (
	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapops"
)

// vectorOperations draw with outlines. The page in the browser does without the fonts and the reader that they need.
var vectorOperations = []*format.Command{
	onMap(format.Command{Name: "svg-quads", Title: "Add the shapes of an SVG picture as quads without an image", Heading: headingArt,
		Long: "Paths, basic shapes, lines, transforms, flat colours and opacity are drawn; everything else, such as gradients, texts and " +
			"filters, is left out and named. All pivots are in the middle of the picture, so that an envelope moves it as a whole. The " +
			"game draws the edges of quads without smoothing, unless the player has switched it on.",
		Example: "svg-quads logo.svg --scale 2 --x 40 --y 12"}, mapops.AddSVG),
	onMap(format.Command{Name: "text-quads", Title: "Write text in quads, one for each letter", Heading: headingArt,
		Long: "The quads show an image with the letters of the font, which is added to the map once. Their numbers are those of the letters, " +
			"so that color-quads and move-quads change single letters. With --outlines the letters are made of quads without an image, which " +
			"are sharp in any size. Letters are set from left to right.",
		Example: "text-quads 'Part 2' 'Mind the gap' --size 64 --align center --x 40 --y 12"}, mapops.AddTextQuads),
	onMap(format.Command{Name: "text-tiles", Title: "Write text in tiles, one for each letter", Heading: headingArt,
		Long: "The tiles are those of an image with the letters of the font, which is added to the map once. The letters A to Z and digits " +
			"are where the text mode of DDNet's editor expects them.",
		Example: "text-tiles 'PART 2' --color '#ffd000' --x 40 --y 12"}, mapops.AddTextTiles),
}

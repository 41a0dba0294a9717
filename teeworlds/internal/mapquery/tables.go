//go:build !js

package mapquery

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"image"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/internal/mapfile"
	"trowel.example/teeworlds/twmap"
)

// The tables of maps.

// mapRow describes a map, or a datafile that is not a map.
type mapRow struct {
	size int64 // of the file
	file *datafile.File
	m    *twmap.Map // nil: not a map
}

var tableMaps = format.NewTable("teeworlds_maps", "A map.", func(r *format.Rows, v mapRow) {
	file, m, isMap := cmp.Or(v.file, new(datafile.File)), cmp.Or(v.m, new(twmap.Map)), v.m != nil
	id := file.Identity()
	r.Col("size", format.IntCell(v.size), "The size of the file in bytes.")
	r.Col("sha256", format.TextCell(id.SHA256), "The SHA-256 of the file in hexadecimal, by which DDNet identifies a map.")
	r.Col("crc32", format.TextCell(id.CRC32), "The CRC-32 of the file in hexadecimal, by which older games identify a map.")
	r.Col("datafile_version", format.IntCell(file.Version), "The version of the container, 3 or 4.")
	r.Col("items", format.IntCell(len(file.Items)), "The number of items in the container.")
	r.Col("data", format.IntCell(len(file.Data)), "The number of data blocks in the container.")
	r.Col("inflated_size", format.IntCell(mapfile.InflatedSize(file)), "The bytes of all data blocks once inflated, as the file states them.")
	r.Col("version", format.IntCell(m.Version).If(isMap),
		"The version of the map; null for a datafile that is not a map of 2008 or later; all following columns are null, too.")
	r.Col("flavor", format.TextCell(m.Flavor()).If(isMap), "The game that it was made for: DDNet, Teeworlds 0.7, or Teeworlds 0.6 and older.")
	info := cmp.Or(m.Info, new(twmap.Info))
	text := func(name, value, help string) { r.Col(name, format.TextCell(value).If(m.Info != nil), help) }
	text("author", info.Author, "The author; null if the map has no information about itself, as the next three.")
	text("map_version", info.MapVersion, "The version of the map, as its author names it.")
	text("credits", info.Credits, "The credits.")
	text("license", info.License, "The license.")
	game := m.Physics(twmap.KindGame)
	size := cmp.Or(game, new(twmap.TileLayer))
	r.Col("width", format.IntCell(size.Width()).If(game != nil), "The width of the game layer in tiles; null without a game layer.")
	r.Col("height", format.IntCell(size.Height()).If(game != nil), "The height of the game layer in tiles; null without a game layer.")
	for kind := twmap.KindFront; kind <= twmap.KindTune; kind++ {
		r.Col("has_"+kind.String(), format.BoolCell(m.Physics(kind) != nil).If(isMap), "It has a "+kind.String()+" layer.")
	}
	n := mapfile.AmountsOf(m)
	count := func(name string, n int, help string) { r.Col(name, format.IntCell(n).If(isMap), help) }
	count("groups", len(m.Groups), "The number of groups.")
	count("tile_layers", n.TileLayers, "The number of tile layers.")
	count("quad_layers", n.QuadLayers, "The number of quad layers.")
	count("sound_layers", n.SoundLayers, "The number of sound layers.")
	count("quads", n.Quads, "The number of quads in all layers.")
	count("sources", n.Sources, "The number of sound sources in all layers.")
	count("images", len(m.Images), "The number of images.")
	count("sounds", len(m.Sounds), "The number of sounds.")
	count("envelopes", len(m.Envelopes), "The number of envelopes.")
	count("envelope_points", n.Points, "The number of points of all envelopes.")
	count("settings", len(info.Settings), "The number of settings.")
	count("unknown_items", len(m.Extras), "The number of unknown items.")
})

// part is a part of a map with its number, from 0.
type part[T any] struct {
	number int
	of     *T
	uses   int // of an image, a sound or an envelope
}

// Columns that several tables have.

func groupNumber(r *format.Rows, n int) {
	r.Col("group_number", format.IntCell(n), "The number of the group, from 0.")
}
func number(r *format.Rows, n int) {
	r.Col("number", format.IntCell(n), "Its number, from 0, in the order of the file.")
}

func uses(r *format.Rows, n int) {
	r.Col("uses", format.IntCell(n), "The number of layers, quads and sources that use it.")
}

func storedSize(r *format.Rows, n int) {
	r.Col("stored_size", format.IntCell(n), "Its size in the file in bytes, compressed; 0 if it is not in the file.")
}

// noPart is the part of places in declarations.
var noPart = new(twmap.Part)

func inLayer(r *format.Rows, at twmap.Place) {
	part := cmp.Or(at.Part, noPart)
	groupNumber(r, cmp.Or(part.Group, noPart).Number)
	r.Col("layer_number", format.IntCell(part.Number), "The number of the layer in its group, from 0.")
}

func kindOf(r *format.Rows, kind twmap.Kind) {
	r.Col("kind", format.TextCell(kind.String()), "The kind of the layer, as in teeworlds_layers.")
}

func atTile(r *format.Rows, at twmap.Place) {
	r.Col("x", format.IntCell(at.X), "The column of the tile, from 0 at the left.")
	r.Col("y", format.IntCell(at.Y), "The row of the tile, from 0 at the top.")
}

func tileID(r *format.Rows, id uint8) {
	r.Col("tile", format.IntCell(id), "The number of the tile, 0 to 255: its position in the image, or its function.")
}

func tileFlags(r *format.Rows, flags twmap.TileFlags) {
	r.Col("flags", format.IntCell(flags),
		"The orientation of the tile: the sum of 1 (flipped left to right), 2 (top to bottom), 4 (opaque) and 8 (rotated).")
}

func nameInAny(r *format.Rows, kind twmap.Kind, id uint8) {
	r.Col("name", format.TextCell(twmap.TileName(kind, id)).If(kind != twmap.KindTiles), "The function of the tile; null in a design layer.")
}

// physicsTile adds the columns of every tile of a physics layer, and numberedTile those of one with a number.
func physicsTile(r *format.Rows, t Tile) {
	inLayer(r, t.At)
	atTile(r, t.At)
	tileID(r, t.ID)
}

func numberedTile(r *format.Rows, t Tile, help string) {
	physicsTile(r, t)
	r.Col("name", format.TextCell(t.Name()), "The function of the tile.")
	r.Col("number", format.IntCell(t.Number), help)
}

var tableGroups = format.NewTable("teeworlds_groups", "A group of layers.", func(r *format.Rows, v part[twmap.Group]) {
	g := cmp.Or(v.of, new(twmap.Group))
	zoom, clip := cmp.Or(g.ParallaxZoom, new(twmap.ParallaxZoom)), cmp.Or(g.Clip, new(twmap.Clip))
	clipped := g.Clip != nil
	groupNumber(r, v.number)
	r.Col("name", format.TextCell(g.Name), "Its name, which may be empty.")
	r.Col("version", format.IntCell(g.Version), "The version of its item, 1 to 3.")
	r.Col("offset_x", format.IntCell(g.OffsetX), "Its offset to the left, in pixels; a tile has 32.")
	r.Col("offset_y", format.IntCell(g.OffsetY), "Its offset to the top, in pixels.")
	r.Col("parallax_x", format.IntCell(g.ParallaxX),
		"How far it follows the camera to the side, in percent: 100 moves with the game, 0 stays in place on the screen.")
	r.Col("parallax_y", format.IntCell(g.ParallaxY), "How far it follows the camera up and down, in percent.")
	r.Col("parallax_zoom", format.IntCell(zoom.Percent).If(g.ParallaxZoom != nil),
		"How far it follows the zoom of the camera, in percent; null if the map does not contain it.")
	r.Col("clip_x", format.IntCell(clip.X).If(clipped),
		"The left of the rectangle outside of which it is not drawn, in pixels; null if it is not clipped, as the next three.")
	r.Col("clip_y", format.IntCell(clip.Y).If(clipped), "The top of that rectangle.")
	r.Col("clip_width", format.IntCell(clip.Width).If(clipped), "The width of that rectangle.")
	r.Col("clip_height", format.IntCell(clip.Height).If(clipped), "The height of that rectangle.")
	r.Col("layers", format.IntCell(len(g.Layers)), "The number of its layers.")
})

// reference returns the cell for the number of a part; null for none.
func reference[T int | int32](n T) format.Cell { return format.IntCell(n).If(n >= 0) }

// layerRow describes a layer.
type layerRow struct {
	Layer
	of twmap.Layer
}

var tableLayers = format.NewTable("teeworlds_layers", "A layer.", func(r *format.Rows, v layerRow) {
	layer, at := cmp.Or[twmap.Layer](v.of, new(twmap.TileLayer)), cmp.Or(v.At.Part, noPart)
	base, version, picture, sound := layer.Base(), format.IntCell(0).If(false), -1, -1
	tiles, isTiles := layer.(*twmap.TileLayer)
	if !isTiles {
		tiles = &twmap.TileLayer{ColorEnv: -1}
	}
	auto := cmp.Or(tiles.AutoMapper, new(twmap.AutoMapper))
	mapped := tiles.AutoMapper != nil
	switch l := layer.(type) {
	case *twmap.TileLayer:
		version, picture = format.IntCell(l.Version).If(true), l.Image
	case *twmap.QuadLayer:
		version, picture = format.IntCell(l.Version).If(true), l.Image
	case *twmap.SoundLayer:
		version, sound = format.IntCell(l.Version).If(true), l.Sound
	}
	r.Col("group_number", format.IntCell(cmp.Or(at.Group, noPart).Number).If(at.Group != nil),
		"The number of the group, from 0; null for a layer without a group, which the game ignores.")
	r.Col("layer_number", format.IntCell(at.Number), "The number of the layer in its group, or among the layers without a group, from 0.")
	r.Col("name", format.TextCell(base.Name), "Its name, which may be empty.")
	r.Col("path", format.TextCell(v.Path), "Its path in `find`: its file in the folder of the map, without extension.")
	r.Col("kind", format.TextCell(v.Kind), "Its kind: tiles, quads or sounds; game, front, tele, speedup, switch or tune for "+
		"physics layers, and infclass entities or infclass zones; unknown for an unknown type.")
	r.Col("detail", format.BoolCell(base.Flags&twmap.Detail != 0), "Players with the low detail setting do not see it.")
	r.Col("flags", format.IntCell(base.Flags), "All its flags; 1 is detail.")
	r.Col("version", version, "The version of its item; null for an unknown type.")
	r.Col("width", format.IntCell(v.Width).If(isTiles), "Its width in tiles; null for other layers than tile layers, as the next.")
	r.Col("height", format.IntCell(v.Height).If(isTiles), "Its height in tiles.")
	r.Col("things", format.IntCell(v.Things), "The number of its quads or sound sources; 0 for tiles.")
	r.Col("image_number", reference(picture), "The number of its image; null for none.")
	r.Col("sound_number", reference(sound), "The number of its sound; null for none.")
	r.Col("uses", format.TextCell(v.Uses), "The name of its image or sound; empty for none, and for a missing one.")
	r.Col("red", format.IntCell(tiles.Color.R).If(isTiles),
		"The red of its colour, usually 0 to 255; null for other layers than tile layers, as all following columns.")
	r.Col("green", format.IntCell(tiles.Color.G).If(isTiles), "The green of its colour.")
	r.Col("blue", format.IntCell(tiles.Color.B).If(isTiles), "The blue of its colour.")
	r.Col("alpha", format.IntCell(tiles.Color.A).If(isTiles), "The opacity of its colour: 0 is invisible, 255 is opaque.")
	r.Col("color_envelope", reference(tiles.ColorEnv), "The number of the envelope of its colour; null for none.")
	r.Col("color_envelope_offset", format.IntCell(tiles.ColorEnvOffset).If(isTiles), "How many milliseconds that envelope is ahead.")
	r.Col("automapper_config", format.IntCell(auto.Config).If(mapped),
		"The number of the rules by which the editor draws it; -1 for none; null without an automapper, as the next two.")
	r.Col("automapper_seed", format.IntCell(auto.Seed).If(mapped),
		"The seed of the automapper's random choices; 0: a different one at each run.")
	r.Col("automapper_automatic", format.BoolCell(auto.Automatic).If(mapped), "The automapper runs after each change.")
	r.Col("stored_size", format.IntCell(tiles.StoredSize()).If(isTiles), "The size of its tiles in the file in bytes, compressed.")
})

var tableTiles = format.NewTable("teeworlds_tiles", "The number of identical tiles in a layer of a group, including air.",
	func(r *format.Rows, c Count) {
		inLayer(r, c.At)
		kindOf(r, c.Kind)
		tileID(r, c.ID)
		tileFlags(r, c.Flags)
		nameInAny(r, c.Kind, c.ID)
		r.Col("tiles", format.IntCell(c.Tiles), "The number of these tiles.")
	})

var tableTeles = format.NewTable("teeworlds_teles", "A teleporter or checkpoint: a tile of a tele layer.",
	func(r *format.Rows, t Tile) {
		numberedTile(r, t, "The number that connects entries to exits, 0 to 255.")
	})

var tableSwitches = format.NewTable("teeworlds_switches", "A switch, or a tile that it controls: a tile of a switch layer.",
	func(r *format.Rows, t Tile) {
		numberedTile(r, t, "The number that connects switches to doors, lasers and other tiles, 0 to 255.")
		tileFlags(r, t.Flags)
		r.Col("delay", format.IntCell(t.Delay), "The time in seconds, 0 to 255.")
	})

var tableSpeedups = format.NewTable("teeworlds_speedups", "A speedup: a tile of a speedup layer.", func(r *format.Rows, t Tile) {
	physicsTile(r, t)
	r.Col("force", format.IntCell(t.Force), "The force, 0 to 255.")
	r.Col("max_speed", format.IntCell(t.MaxSpeed), "The maximum speed, 0 to 255; 0: no limit.")
	r.Col("angle", format.IntCell(t.Angle), "The direction in degrees, clockwise; 0 is to the right.")
})

var tableTunes = format.NewTable("teeworlds_tunes", "A tile of a tune zone.",
	func(r *format.Rows, t Tile) { numberedTile(r, t, "The number of the zone, 0 to 255.") })

var tablePositions = format.NewTable("teeworlds_positions",
	"A tile that --positions selects. There is no such table without the option.", func(r *format.Rows, t Tile) {
		inLayer(r, t.At)
		kindOf(r, t.Kind)
		atTile(r, t.At)
		tileID(r, t.ID)
		tileFlags(r, t.Flags)
		nameInAny(r, t.Kind, t.ID)
		r.Col("number", format.IntCell(t.Number).If(t.HasNumber()),
			"The number of a teleporter, a switch or a tune zone, 0 to 255; null in other layers.")
	}).Only(format.OptionPositions)

var tableSettings = format.NewTable("teeworlds_settings", "A server setting of a map.", func(r *format.Rows, s Setting) {
	number(r, cmp.Or(s.At.Part, noPart).Number)
	words := append(strings.Fields(s.Line), "")
	r.Col("command", format.TextCell(strings.ToLower(words[0])), "The first word, in lower case: the name of the setting.")
	r.Col("setting", format.TextCell(s.Line), "The whole line.")
})

// sumCell returns the cell of an optional column with the SHA-256 of data.
func sumCell(data []byte) format.Cell {
	return format.TextCell(fmt.Sprintf("%x", sha256.Sum256(data))).If(true)
}

var tableImages = format.NewTable("teeworlds_images", "An image of a map.", func(r *format.Rows, v part[twmap.Image]) {
	im := cmp.Or(v.of, new(twmap.Image))
	sum := format.TextCell("").If(false)
	if im.HasPicture() {
		im.Look(func(p *image.NRGBA, err error) {
			if err == nil { // otherwise the map reports it
				sum = sumCell(p.Pix[:4*p.Rect.Dx()*p.Rect.Dy()])
			}
		})
	}
	number(r, v.number)
	r.Col("name", format.TextCell(im.Name), "Its name; the game finds external images by it.")
	r.Col("external", format.BoolCell(im.External()), "It is not in the map; the game provides it.")
	r.Col("version", format.IntCell(im.Version), "The version of its item; 2 in maps of Teeworlds 0.7.")
	r.Col("width", format.IntCell(im.Width()), "Its width in pixels, as the map states.")
	r.Col("height", format.IntCell(im.Height()), "Its height in pixels, as the map states.")
	storedSize(r, im.StoredSize())
	r.Col("sha256", sum, "The SHA-256, in hexadecimal, of its pixels as red, green, blue and alpha, a byte each, row by row; null if they "+
		"are not in the map, or cannot be read.")
	uses(r, v.uses)
})

var tableSounds = format.NewTable("teeworlds_sounds", "A sound of a map.", func(r *format.Rows, v part[twmap.Sound]) {
	s := cmp.Or(v.of, new(twmap.Sound))
	size, sum := format.IntCell(0).If(false), format.TextCell("").If(false)
	if opus, err := s.Opus(); err == nil && s.HasOpus() {
		size, sum = format.IntCell(len(opus)).If(true), sumCell(opus)
	}
	number(r, v.number)
	r.Col("name", format.TextCell(s.Name), "Its name.")
	r.Col("external", format.BoolCell(s.External()), "It is not in the map; no game accepts that.")
	r.Col("size", size,
		"The size of the sound, an Opus file, in bytes; null if they are not in the map, or cannot be read, as the next.")
	r.Col("sha256", sum, "The SHA-256 of the sound in hexadecimal.")
	storedSize(r, s.StoredSize())
	uses(r, v.uses)
})

var tableEnvelopes = format.NewTable("teeworlds_envelopes", "An envelope, which changes values over time.",
	func(r *format.Rows, v part[twmap.Envelope]) {
		e := cmp.Or(v.of, new(twmap.Envelope))
		number(r, v.number)
		r.Col("name", format.TextCell(e.Name), "Its name, which may be empty.")
		r.Col("version", format.IntCell(e.Version), "The version of its item.")
		r.Col("channels", format.IntCell(e.Channels), "The number of its values: 1 is a sound's volume, 3 a position, 4 a colour.")
		r.Col("synchronized", format.BoolCell(e.Synchronized), "It uses the server's clock, not the player's.")
		r.Col("points", format.IntCell(len(e.Points)), "The number of its points.")
		r.Col("duration", format.IntCell(e.Duration()), "The time of its last point in milliseconds.")
		uses(r, v.uses)
	})

var tableFindings = format.FindingTable("teeworlds_findings")

var views = []format.TableView{
	{Name: "teeworlds_authors", Title: "An author, with the number of maps, and their sizes together.",
		Tables: []string{"teeworlds_maps"}, SQL: `
		SELECT author, count(*) AS maps, sum(size) AS size, sum(tile_layers) AS tile_layers, sum(quads) AS quads
		FROM teeworlds_maps WHERE author IS NOT NULL AND author <> '' GROUP BY author`},
	{Name: "teeworlds_tile_names", Title: "How many tiles of each function a map has, in physics layers.",
		Tables: []string{"teeworlds_tiles", "teeworlds_maps"}, SQL: `
		SELECT t.file, m.author, t.kind, t.name, sum(t.tiles) AS tiles
		FROM teeworlds_tiles t LEFT JOIN teeworlds_maps m ON m.file = t.file
		WHERE t.name IS NOT NULL GROUP BY t.file, m.author, t.kind, t.name`},
	{Name: "teeworlds_image_maps", Title: "Which map uses which image, how often.",
		Tables: []string{"teeworlds_images", "teeworlds_maps"}, SQL: `
		SELECT i.name AS image, i.file, m.author, i.external, i.uses, i.sha256
		FROM teeworlds_images i LEFT JOIN teeworlds_maps m ON m.file = i.file`},
}

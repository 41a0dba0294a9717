package maprows

import (
	"trowel.example/internal/checking"
	"trowel.example/internal/format"
)

// The tables of maps.

// Columns that several tables have.
var (
	columnGroup = format.Column{Name: "group_number", Type: format.ColumnInt, Help: "The number of the group, from 0."}
	columnLayer = format.Column{Name: "layer_number", Type: format.ColumnInt, Help: "The number of the layer in its group, from 0."}
	columnX     = format.Column{Name: "x", Type: format.ColumnInt, Help: "The column of the tile, from 0 at the left."}
	columnY     = format.Column{Name: "y", Type: format.ColumnInt, Help: "The row of the tile, from 0 at the top."}
	columnTile  = format.Column{Name: "tile", Type: format.ColumnInt,
		Help: "The number of the tile, 0 to 255: its position in the image, or its function."}
	columnTileName  = format.Column{Name: "name", Type: format.ColumnText, Help: "The function of the tile."}
	columnTileFlags = format.Column{Name: "flags", Type: format.ColumnInt,
		Help: "The orientation of the tile: the sum of 1 (flipped left to right), 2 (top to bottom), 4 (opaque) and 8 " +
			"(rotated)."}
	columnPart       = format.Column{Name: "number", Type: format.ColumnInt, Help: "Its number, from 0, in the order of the file."}
	columnStoredSize = format.Column{Name: "stored_size", Type: format.ColumnInt,
		Help: "Its size in the file in bytes, compressed; 0 if it is not in the file."}
	columnUses = format.Column{Name: "uses", Type: format.ColumnInt, Help: "The number of layers, quads and sources that use it."}
)

var tableMaps = &format.Table{Name: "teeworlds_maps", Title: "A map.", Columns: []format.Column{
	{Name: "size", Type: format.ColumnInt, Help: "The size of the file in bytes."},
	{Name: "sha256", Type: format.ColumnText, Help: "The SHA-256 of the file in hexadecimal, by which DDNet identifies a map."},
	{Name: "crc32", Type: format.ColumnText, Help: "The CRC-32 of the file in hexadecimal, by which older games identify a map."},
	{Name: "datafile_version", Type: format.ColumnInt, Help: "The version of the container, 3 or 4."},
	{Name: "items", Type: format.ColumnInt, Help: "The number of items in the container."},
	{Name: "data", Type: format.ColumnInt, Help: "The number of data blocks in the container."},
	{Name: "inflated_size", Type: format.ColumnInt, Help: "The bytes of all data blocks once inflated, as the file states them."},
	{Name: "version", Type: format.ColumnInt, Optional: true,
		Help: "The version of the map; null for a datafile that is not a map of 2008 or later; all following columns are " +
			"null, too."},
	{Name: "flavor", Type: format.ColumnText, Optional: true,
		Help: "The game that it was made for: DDNet, Teeworlds 0.7, or Teeworlds 0.6 and older."},
	{Name: "author", Type: format.ColumnText, Optional: true,
		Help: "The author; null if the map has no information about itself, as the next three."},
	{Name: "map_version", Type: format.ColumnText, Optional: true, Help: "The version of the map, as its author names it."},
	{Name: "credits", Type: format.ColumnText, Optional: true, Help: "The credits."},
	{Name: "license", Type: format.ColumnText, Optional: true, Help: "The license."},
	{Name: "width", Type: format.ColumnInt, Optional: true, Help: "The width of the game layer in tiles; null without a game layer."},
	{Name: "height", Type: format.ColumnInt, Optional: true, Help: "The height of the game layer in tiles; null without a game layer."},
	{Name: "has_front", Type: format.ColumnBool, Optional: true, Help: "It has a front layer."},
	{Name: "has_tele", Type: format.ColumnBool, Optional: true, Help: "It has a tele layer."},
	{Name: "has_speedup", Type: format.ColumnBool, Optional: true, Help: "It has a speedup layer."},
	{Name: "has_switch", Type: format.ColumnBool, Optional: true, Help: "It has a switch layer."},
	{Name: "has_tune", Type: format.ColumnBool, Optional: true, Help: "It has a tune layer."},
	{Name: "groups", Type: format.ColumnInt, Optional: true, Help: "The number of groups."},
	{Name: "tile_layers", Type: format.ColumnInt, Optional: true, Help: "The number of tile layers."},
	{Name: "quad_layers", Type: format.ColumnInt, Optional: true, Help: "The number of quad layers."},
	{Name: "sound_layers", Type: format.ColumnInt, Optional: true, Help: "The number of sound layers."},
	{Name: "quads", Type: format.ColumnInt, Optional: true, Help: "The number of quads in all layers."},
	{Name: "sources", Type: format.ColumnInt, Optional: true, Help: "The number of sound sources in all layers."},
	{Name: "images", Type: format.ColumnInt, Optional: true, Help: "The number of images."},
	{Name: "sounds", Type: format.ColumnInt, Optional: true, Help: "The number of sounds."},
	{Name: "envelopes", Type: format.ColumnInt, Optional: true, Help: "The number of envelopes."},
	{Name: "envelope_points", Type: format.ColumnInt, Optional: true, Help: "The number of points of all envelopes."},
	{Name: "settings", Type: format.ColumnInt, Optional: true, Help: "The number of settings."},
	{Name: "unknown_items", Type: format.ColumnInt, Optional: true, Help: "The number of unknown items."},
}}

var tableGroups = &format.Table{Name: "teeworlds_groups", Title: "A group of layers.", Columns: []format.Column{
	columnGroup,
	{Name: "name", Type: format.ColumnText, Help: "Its name, which may be empty."},
	{Name: "version", Type: format.ColumnInt, Help: "The version of its item, 1 to 3."},
	{Name: "offset_x", Type: format.ColumnInt, Help: "Its offset to the left, in pixels; a tile has 32."},
	{Name: "offset_y", Type: format.ColumnInt, Help: "Its offset to the top, in pixels."},
	{Name: "parallax_x", Type: format.ColumnInt,
		Help: "How far it follows the camera to the side, in percent: 100 moves with the game, 0 stays in place on the " +
			"screen."},
	{Name: "parallax_y", Type: format.ColumnInt, Help: "How far it follows the camera up and down, in percent."},
	{Name: "parallax_zoom", Type: format.ColumnInt, Optional: true,
		Help: "How far it follows the zoom of the camera, in percent; null if the map does not contain it."},
	{Name: "clip_x", Type: format.ColumnInt, Optional: true,
		Help: "The left of the rectangle outside of which it is not drawn, in pixels; null if it is not clipped, as the " +
			"next three."},
	{Name: "clip_y", Type: format.ColumnInt, Optional: true, Help: "The top of that rectangle."},
	{Name: "clip_width", Type: format.ColumnInt, Optional: true, Help: "The width of that rectangle."},
	{Name: "clip_height", Type: format.ColumnInt, Optional: true, Help: "The height of that rectangle."},
	{Name: "layers", Type: format.ColumnInt, Help: "The number of its layers."},
}}

var tableLayers = &format.Table{Name: "teeworlds_layers", Title: "A layer.", Columns: []format.Column{
	{Name: "group_number", Type: format.ColumnInt, Optional: true,
		Help: "The number of the group, from 0; null for a layer without a group, which the game ignores."},
	{Name: "layer_number", Type: format.ColumnInt, Help: "The number of the layer in its group, or among the layers without a group, from 0."},
	{Name: "name", Type: format.ColumnText, Help: "Its name, which may be empty."},
	{Name: "path", Type: format.ColumnText, Help: "Its path in `find`: its file in the folder of the map, without extension."},
	{Name: "kind", Type: format.ColumnText,
		Help: "Its kind: tiles, quads or sounds; game, front, tele, speedup, switch or tune for physics layers, and " +
			"infclass entities or infclass zones; unknown for an unknown type."},
	{Name: "detail", Type: format.ColumnBool, Help: "Players with the low detail setting do not see it."},
	{Name: "flags", Type: format.ColumnInt, Help: "All its flags; 1 is detail."},
	{Name: "version", Type: format.ColumnInt, Optional: true, Help: "The version of its item; null for an unknown type."},
	{Name: "width", Type: format.ColumnInt, Optional: true, Help: "Its width in tiles; null for other layers than tile layers, as the next."},
	{Name: "height", Type: format.ColumnInt, Optional: true, Help: "Its height in tiles."},
	{Name: "things", Type: format.ColumnInt, Help: "The number of its quads or sound sources; 0 for tiles."},
	{Name: "image_number", Type: format.ColumnInt, Optional: true, Help: "The number of its image; null for none."},
	{Name: "sound_number", Type: format.ColumnInt, Optional: true, Help: "The number of its sound; null for none."},
	{Name: "uses", Type: format.ColumnText, Help: "The name of its image or sound; empty for none, and for a missing one."},
	{Name: "red", Type: format.ColumnInt, Optional: true,
		Help: "The red of its colour, usually 0 to 255; null for other layers than tile layers, as all following columns."},
	{Name: "green", Type: format.ColumnInt, Optional: true, Help: "The green of its colour."},
	{Name: "blue", Type: format.ColumnInt, Optional: true, Help: "The blue of its colour."},
	{Name: "alpha", Type: format.ColumnInt, Optional: true, Help: "The opacity of its colour: 0 is invisible, 255 is opaque."},
	{Name: "color_envelope", Type: format.ColumnInt, Optional: true, Help: "The number of the envelope of its colour; null for none."},
	{Name: "color_envelope_offset", Type: format.ColumnInt, Optional: true, Help: "How many milliseconds that envelope is ahead."},
	{Name: "automapper_config", Type: format.ColumnInt, Optional: true,
		Help: "The number of the rules by which the editor draws it; -1 for none; null without an automapper, as the next " +
			"two."},
	{Name: "automapper_seed", Type: format.ColumnInt, Optional: true,
		Help: "The seed of the automapper's random choices; 0: a different one at each run."},
	{Name: "automapper_automatic", Type: format.ColumnBool, Optional: true, Help: "The automapper runs after each change."},
	{Name: "stored_size", Type: format.ColumnInt, Optional: true, Help: "The size of its tiles in the file in bytes, compressed."},
}}

var tableTiles = &format.Table{Name: "teeworlds_tiles",
	Title: "The number of identical tiles in a layer of a group, including air.", Columns: []format.Column{
		columnGroup, columnLayer,
		{Name: "kind", Type: format.ColumnText, Help: "The kind of the layer, as in teeworlds_layers."},
		columnTile, columnTileFlags,
		{Name: "name", Type: format.ColumnText, Optional: true, Help: "The function of the tile; null in a design layer."},
		{Name: "tiles", Type: format.ColumnInt, Help: "The number of these tiles."},
	}}

var tableTeles = &format.Table{Name: "teeworlds_teles", Title: "A teleporter or checkpoint: a tile of a tele layer.",
	Columns: []format.Column{
		columnGroup, columnLayer, columnX, columnY, columnTile, columnTileName,
		{Name: "number", Type: format.ColumnInt, Help: "The number that connects entries to exits, 0 to 255."},
	}}

var tableSwitches = &format.Table{Name: "teeworlds_switches",
	Title: "A switch, or a tile that it controls: a tile of a switch layer.", Columns: []format.Column{
		columnGroup, columnLayer, columnX, columnY, columnTile, columnTileName,
		{Name: "number", Type: format.ColumnInt, Help: "The number that connects switches to doors, lasers and other tiles, 0 to 255."},
		columnTileFlags,
		{Name: "delay", Type: format.ColumnInt, Help: "The time in seconds, 0 to 255."},
	}}

var tableSpeedups = &format.Table{Name: "teeworlds_speedups", Title: "A speedup: a tile of a speedup layer.", Columns: []format.Column{
	columnGroup, columnLayer, columnX, columnY, columnTile,
	{Name: "force", Type: format.ColumnInt, Help: "The force, 0 to 255."},
	{Name: "max_speed", Type: format.ColumnInt, Help: "The maximum speed, 0 to 255; 0: no limit."},
	{Name: "angle", Type: format.ColumnInt, Help: "The direction in degrees, clockwise; 0 is to the right."},
}}

var tableTunes = &format.Table{Name: "teeworlds_tunes", Title: "A tile of a tune zone.", Columns: []format.Column{
	columnGroup, columnLayer, columnX, columnY, columnTile, columnTileName,
	{Name: "number", Type: format.ColumnInt, Help: "The number of the zone, 0 to 255."},
}}

var tablePositions = &format.Table{Name: "teeworlds_positions", Option: format.OptionPositions.Name,
	Title: "A tile that --positions selects. There is no such table without the option.", Columns: []format.Column{
		columnGroup, columnLayer,
		{Name: "kind", Type: format.ColumnText, Help: "The kind of the layer, as in teeworlds_layers."},
		columnX, columnY, columnTile, columnTileFlags,
		{Name: "name", Type: format.ColumnText, Optional: true, Help: "The function of the tile; null in a design layer."},
		{Name: "number", Type: format.ColumnInt, Optional: true,
			Help: "The number of a teleporter, a switch or a tune zone, 0 to 255; null in other layers."},
	}}

var tableSettings = &format.Table{Name: "teeworlds_settings", Title: "A server setting of a map.", Columns: []format.Column{
	columnPart,
	{Name: "command", Type: format.ColumnText, Help: "The first word, in lower case: the name of the setting."},
	{Name: "setting", Type: format.ColumnText, Help: "The whole line."},
}}

var tableImages = &format.Table{Name: "teeworlds_images", Title: "An image of a map.", Columns: []format.Column{
	columnPart,
	{Name: "name", Type: format.ColumnText, Help: "Its name; the game finds external images by it."},
	{Name: "external", Type: format.ColumnBool, Help: "It is not in the map; the game provides it."},
	{Name: "version", Type: format.ColumnInt, Help: "The version of its item; 2 in maps of Teeworlds 0.7."},
	{Name: "width", Type: format.ColumnInt, Help: "Its width in pixels, as the map states."},
	{Name: "height", Type: format.ColumnInt, Help: "Its height in pixels, as the map states."},
	columnStoredSize,
	{Name: "sha256", Type: format.ColumnText, Optional: true,
		Help: "The SHA-256, in hexadecimal, of its pixels as red, green, blue and alpha, a byte each, row by row; null if " +
			"they are not in the map, or cannot be read."},
	columnUses,
}}

var tableSounds = &format.Table{Name: "teeworlds_sounds", Title: "A sound of a map.", Columns: []format.Column{
	columnPart,
	{Name: "name", Type: format.ColumnText, Help: "Its name."},
	{Name: "external", Type: format.ColumnBool, Help: "It is not in the map; no game accepts that."},
	{Name: "size", Type: format.ColumnInt, Optional: true,
		Help: "The size of the sound, an Opus file, in bytes; null if they are not in the map, or cannot be read, as the " +
			"next."},
	{Name: "sha256", Type: format.ColumnText, Optional: true, Help: "The SHA-256 of the sound in hexadecimal."},
	columnStoredSize, columnUses,
}}

var tableEnvelopes = &format.Table{Name: "teeworlds_envelopes", Title: "An envelope, which changes values over time.",
	Columns: []format.Column{
		columnPart,
		{Name: "name", Type: format.ColumnText, Help: "Its name, which may be empty."},
		{Name: "version", Type: format.ColumnInt, Help: "The version of its item."},
		{Name: "channels", Type: format.ColumnInt, Help: "The number of its values: 1 is a sound's volume, 3 a position, 4 a colour."},
		{Name: "synchronized", Type: format.ColumnBool, Help: "It uses the server's clock, not the player's."},
		{Name: "points", Type: format.ColumnInt, Help: "The number of its points."},
		{Name: "duration", Type: format.ColumnInt, Help: "The time of its last point in milliseconds."},
		columnUses,
	}}

var tableFindings = checking.Table("teeworlds_findings")

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

package maprows

import (
	"trowel.example/internal/checking"
	"trowel.example/internal/format"
)

// The tables of maps.

// Columns that several tables have.
var (
	columnGroup      = format.Column{Name: "group_number", Type: format.ColumnInt, Help: "The number of the group, from 0."}
	columnLayer      = format.Column{Name: "layer_number", Type: format.ColumnInt, Help: "The number of the layer in its group, from 0."}
	columnX          = format.Column{Name: "x", Type: format.ColumnInt, Help: "The column of the tile, from 0 at the left."}
	columnY          = format.Column{Name: "y", Type: format.ColumnInt, Help: "The row of the tile, from 0 at the top."}
	columnTile       = format.Column{Name: "tile", Type: format.ColumnInt, Help: "What the tile is, 0 to 255: its place in the image, or what it does."}
	columnTileName   = format.Column{Name: "name", Type: format.ColumnText, Help: "What the tile does."}
	columnTileFlags  = format.Column{Name: "flags", Type: format.ColumnInt, Help: "How the tile is turned: the sum of 1 (flipped left to right), 2 (top to bottom), 4 (opaque) and 8 (rotated)."}
	columnPart       = format.Column{Name: "number", Type: format.ColumnInt, Help: "Its number, from 0, in the order of the file."}
	columnStoredSize = format.Column{Name: "stored_size", Type: format.ColumnInt, Help: "The bytes that it takes in the file, compressed; 0 for what is not in it."}
	columnUses       = format.Column{Name: "uses", Type: format.ColumnInt, Help: "How many layers, quads and sources use it."}
)

var tableMaps = &format.Table{Name: "teeworlds_maps", Title: "A map.", Columns: []format.Column{
	{Name: "size", Type: format.ColumnInt, Help: "The size of the file in bytes."},
	{Name: "sha256", Type: format.ColumnText, Help: "The SHA-256 of the file in hexadecimal, by which DDNet knows a map."},
	{Name: "crc32", Type: format.ColumnText, Help: "The CRC-32 of the file in hexadecimal, by which older games know a map."},
	{Name: "datafile_version", Type: format.ColumnInt, Help: "The version of the container, 3 or 4."},
	{Name: "items", Type: format.ColumnInt, Help: "The number of items in the container."},
	{Name: "data", Type: format.ColumnInt, Help: "The number of data blocks in the container."},
	{Name: "inflated_size", Type: format.ColumnInt, Help: "The bytes of all data blocks once inflated, as the file states them."},
	{Name: "version", Type: format.ColumnInt, Optional: true, Help: "The version of the map; null for a datafile that is no map of 2008 or later. So are then all columns that follow."},
	{Name: "flavor", Type: format.ColumnText, Optional: true, Help: "The game that it was made for: DDNet, Teeworlds 0.7, or Teeworlds 0.6 and older."},
	{Name: "author", Type: format.ColumnText, Optional: true, Help: "Who made it, as the map says; null if it says nothing of itself, as the next three."},
	{Name: "map_version", Type: format.ColumnText, Optional: true, Help: "Which version of the map it is."},
	{Name: "credits", Type: format.ColumnText, Optional: true, Help: "Who else had a part in it."},
	{Name: "license", Type: format.ColumnText, Optional: true, Help: "What may be done with it."},
	{Name: "width", Type: format.ColumnInt, Optional: true, Help: "The width of the game layer in tiles; null if there is none."},
	{Name: "height", Type: format.ColumnInt, Optional: true, Help: "The height of the game layer in tiles; null if there is none."},
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
	{Name: "unknown_items", Type: format.ColumnInt, Optional: true, Help: "The number of items that nobody knows."},
}}

var tableGroups = &format.Table{Name: "teeworlds_groups", Title: "A group of layers.", Columns: []format.Column{
	columnGroup,
	{Name: "name", Type: format.ColumnText, Help: "Its name, which may be empty."},
	{Name: "version", Type: format.ColumnInt, Help: "The version of its item, 1 to 3."},
	{Name: "offset_x", Type: format.ColumnInt, Help: "How far it stands to the left, in pixels; 32 are a tile."},
	{Name: "offset_y", Type: format.ColumnInt, Help: "How far it stands to the top, in pixels."},
	{Name: "parallax_x", Type: format.ColumnInt, Help: "How far it follows the camera to the side, in percent: 100 moves with the game, 0 stands still on the screen."},
	{Name: "parallax_y", Type: format.ColumnInt, Help: "How far it follows the camera up and down, in percent."},
	{Name: "parallax_zoom", Type: format.ColumnInt, Optional: true, Help: "How far it follows the zoom of the camera, in percent; null where the map does not say it."},
	{Name: "clip_x", Type: format.ColumnInt, Optional: true, Help: "The left of the rectangle outside of which it is not drawn, in pixels; null if it is not clipped, as the next three."},
	{Name: "clip_y", Type: format.ColumnInt, Optional: true, Help: "The top of that rectangle."},
	{Name: "clip_width", Type: format.ColumnInt, Optional: true, Help: "The width of that rectangle."},
	{Name: "clip_height", Type: format.ColumnInt, Optional: true, Help: "The height of that rectangle."},
	{Name: "layers", Type: format.ColumnInt, Help: "The number of its layers."},
}}

var tableLayers = &format.Table{Name: "teeworlds_layers", Title: "A layer.", Columns: []format.Column{
	{Name: "group_number", Type: format.ColumnInt, Optional: true, Help: "The number of the group, from 0; null for a layer that belongs to none, which the game does not see."},
	{Name: "layer_number", Type: format.ColumnInt, Help: "The number of the layer in its group, or among those without one, from 0."},
	{Name: "name", Type: format.ColumnText, Help: "Its name, which may be empty."},
	{Name: "path", Type: format.ColumnText, Help: "What `find` calls it: its file in the folder of the map, without extension."},
	{Name: "kind", Type: format.ColumnText, Help: "What it is of: tiles, quads or sounds; game, front, tele, speedup, switch or tune for tiles that make the game, and infclass entities or infclass zones; unknown for a type that nobody knows."},
	{Name: "detail", Type: format.ColumnBool, Help: "Players with the low detail setting do not see it."},
	{Name: "flags", Type: format.ColumnInt, Help: "All its flags; 1 is detail."},
	{Name: "version", Type: format.ColumnInt, Optional: true, Help: "The version of its item; null for one of an unknown type."},
	{Name: "width", Type: format.ColumnInt, Optional: true, Help: "Its width in tiles; null for other layers than those of tiles, as the next."},
	{Name: "height", Type: format.ColumnInt, Optional: true, Help: "Its height in tiles."},
	{Name: "things", Type: format.ColumnInt, Help: "The number of its quads or sound sources; 0 for tiles."},
	{Name: "image_number", Type: format.ColumnInt, Optional: true, Help: "The number of its image; null for none."},
	{Name: "sound_number", Type: format.ColumnInt, Optional: true, Help: "The number of its sound; null for none."},
	{Name: "uses", Type: format.ColumnText, Help: "The name of its image or sound; empty for none, and for one that is not there."},
	{Name: "red", Type: format.ColumnInt, Optional: true, Help: "The red of its colour, usually 0 to 255; null for other layers than those of tiles, as all that follows."},
	{Name: "green", Type: format.ColumnInt, Optional: true, Help: "The green of its colour."},
	{Name: "blue", Type: format.ColumnInt, Optional: true, Help: "The blue of its colour."},
	{Name: "alpha", Type: format.ColumnInt, Optional: true, Help: "How opaque its colour is: 0 is not to be seen, 255 is opaque."},
	{Name: "color_envelope", Type: format.ColumnInt, Optional: true, Help: "The number of the envelope of its colour; null for none."},
	{Name: "color_envelope_offset", Type: format.ColumnInt, Optional: true, Help: "How far that envelope is ahead, in milliseconds."},
	{Name: "automapper_config", Type: format.ColumnInt, Optional: true, Help: "The number of the rules that the editor draws it by; null if it has no automapper, as the next two. -1 is none."},
	{Name: "automapper_seed", Type: format.ColumnInt, Optional: true, Help: "The seed of the automapper's random choices; 0: another at each run."},
	{Name: "automapper_automatic", Type: format.ColumnBool, Optional: true, Help: "The automapper runs after each change."},
	{Name: "stored_size", Type: format.ColumnInt, Optional: true, Help: "The bytes that its tiles take in the file, compressed."},
}}

var tableTiles = &format.Table{Name: "teeworlds_tiles", Title: "How many tiles of a layer of a group are the same, air too.", Columns: []format.Column{
	columnGroup, columnLayer,
	{Name: "kind", Type: format.ColumnText, Help: "The kind of the layer, as in teeworlds_layers."},
	columnTile, columnTileFlags,
	{Name: "name", Type: format.ColumnText, Optional: true, Help: "What the tile does; null in a layer that is to be seen only."},
	{Name: "tiles", Type: format.ColumnInt, Help: "How many there are."},
}}

var tableTeles = &format.Table{Name: "teeworlds_teles", Title: "A teleporter or checkpoint: a tile of a tele layer.", Columns: []format.Column{
	columnGroup, columnLayer, columnX, columnY, columnTile, columnTileName,
	{Name: "number", Type: format.ColumnInt, Help: "What ties entries to exits, 0 to 255."},
}}

var tableSwitches = &format.Table{Name: "teeworlds_switches", Title: "A switch, or what it switches: a tile of a switch layer.", Columns: []format.Column{
	columnGroup, columnLayer, columnX, columnY, columnTile, columnTileName,
	{Name: "number", Type: format.ColumnInt, Help: "What ties switches to doors, lasers and the like, 0 to 255."},
	columnTileFlags,
	{Name: "delay", Type: format.ColumnInt, Help: "For how many seconds, 0 to 255."},
}}

var tableSpeedups = &format.Table{Name: "teeworlds_speedups", Title: "An arrow that pushes: a tile of a speedup layer.", Columns: []format.Column{
	columnGroup, columnLayer, columnX, columnY, columnTile,
	{Name: "force", Type: format.ColumnInt, Help: "How strongly, 0 to 255."},
	{Name: "max_speed", Type: format.ColumnInt, Help: "Up to which speed, 0 to 255; 0: any."},
	{Name: "angle", Type: format.ColumnInt, Help: "Where to, in degrees, clockwise; 0 is to the right."},
}}

var tableTunes = &format.Table{Name: "teeworlds_tunes", Title: "A tile of a tune zone.", Columns: []format.Column{
	columnGroup, columnLayer, columnX, columnY, columnTile, columnTileName,
	{Name: "number", Type: format.ColumnInt, Help: "The number of the zone, 0 to 255."},
}}

var tableSettings = &format.Table{Name: "teeworlds_settings", Title: "A setting of the server that a map brings.", Columns: []format.Column{
	columnPart,
	{Name: "command", Type: format.ColumnText, Help: "The first word, in lower case: which setting it is."},
	{Name: "setting", Type: format.ColumnText, Help: "The whole line."},
}}

var tableImages = &format.Table{Name: "teeworlds_images", Title: "An image of a map.", Columns: []format.Column{
	columnPart,
	{Name: "name", Type: format.ColumnText, Help: "Its name; one that is external is known to the game by it."},
	{Name: "external", Type: format.ColumnBool, Help: "It is not in the map: the game has it."},
	{Name: "version", Type: format.ColumnInt, Help: "The version of its item; 2 in maps of Teeworlds 0.7."},
	{Name: "width", Type: format.ColumnInt, Help: "Its width in pixels, as the map says."},
	{Name: "height", Type: format.ColumnInt, Help: "Its height in pixels, as the map says."},
	columnStoredSize,
	{Name: "sha256", Type: format.ColumnText, Optional: true, Help: "The SHA-256, in hexadecimal, of its pixels as red, green, blue and alpha, a byte each, row by row; null if they are not in the map, or cannot be read."},
	columnUses,
}}

var tableSounds = &format.Table{Name: "teeworlds_sounds", Title: "A sound of a map.", Columns: []format.Column{
	columnPart,
	{Name: "name", Type: format.ColumnText, Help: "Its name."},
	{Name: "external", Type: format.ColumnBool, Help: "It is not in the map, which no game takes."},
	{Name: "size", Type: format.ColumnInt, Optional: true, Help: "The bytes of the sound, an Opus file; null if they are not in the map, or cannot be read, as the next."},
	{Name: "sha256", Type: format.ColumnText, Optional: true, Help: "The SHA-256 of these bytes in hexadecimal."},
	columnStoredSize, columnUses,
}}

var tableEnvelopes = &format.Table{Name: "teeworlds_envelopes", Title: "An envelope, which moves a value over time.", Columns: []format.Column{
	columnPart,
	{Name: "name", Type: format.ColumnText, Help: "Its name, which may be empty."},
	{Name: "version", Type: format.ColumnInt, Help: "The version of its item."},
	{Name: "channels", Type: format.ColumnInt, Help: "How many values it moves: 1 is a sound's volume, 3 a position, 4 a colour."},
	{Name: "synchronized", Type: format.ColumnBool, Help: "It runs on the clock of the server, not on that of the player."},
	{Name: "points", Type: format.ColumnInt, Help: "The number of its points."},
	{Name: "duration", Type: format.ColumnInt, Help: "The time of its last point in milliseconds."},
	columnUses,
}}

var tableFindings = checking.Table("teeworlds_findings")

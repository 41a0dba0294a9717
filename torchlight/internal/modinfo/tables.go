package modinfo

import (
	"trowel.example/internal/checking"
	"trowel.example/internal/format"
)

// The tables of mods and archives, and of single files.
var (
	ModTables  = []*format.Table{tableMods, tableRequired, tableFiles, tableKeys, tableGUIDs, tableReferences, tableIcons, Findings}
	FileTables = []*format.Table{tableFiles, tableKeys, tableGUIDs, tableReferences, tableIcons, Findings}
)

// Columns that several tables share.
var (
	columnPath   = format.Column{Name: "path", Type: format.ColumnText, Help: "The path of the file in the game."}
	columnNode   = format.Column{Name: "node", Type: format.ColumnText, Optional: true, Help: "The way to its node: names with points between them, with [2] behind the second of a name; null in files that have none."}
	columnObject = format.Column{Name: "object", Type: format.ColumnInt, Optional: true, Help: "The id of the object of a layout that it belongs to; null for none."}
	columnKey    = format.Column{Name: "key", Type: format.ColumnText, Help: "The name of the key."}
)

var tableMods = &format.Table{Name: "torchlight_mods", Title: "A mod, or an archive without a header.", Columns: []format.Column{
	{Name: "size", Type: format.ColumnInt, Help: "The size of the file in bytes."},
	{Name: "sha256", Type: format.ColumnText, Help: "The SHA-256 of the file in hexadecimal."},
	{Name: "header_version", Type: format.ColumnInt, Optional: true, Help: "The version of the header, 1 to 4; null for a .PAK, which has none. So are then all columns up to game_version."},
	{Name: "title", Type: format.ColumnText, Optional: true, Help: "What it is called."},
	{Name: "author", Type: format.ColumnText, Optional: true, Help: "Who made it."},
	{Name: "description", Type: format.ColumnText, Optional: true, Help: "What it does."},
	{Name: "website", Type: format.ColumnText, Optional: true, Help: "Its page."},
	{Name: "download_url", Type: format.ColumnText, Optional: true, Help: "Where it can be had."},
	{Name: "mod_id", Type: format.ColumnInt, Optional: true, Help: "The number by which the game and saved games know it."},
	{Name: "mod_version", Type: format.ColumnInt, Optional: true, Help: "The version of the mod, one more than in its MOD.DAT."},
	{Name: "flags", Type: format.ColumnInt, Optional: true, Help: "Flags that nobody knows; 0 in all known mods."},
	{Name: "game_version", Type: format.ColumnText, Optional: true, Help: "The version of the game that built it; null in a header before version 4."},
	{Name: "manifest_version", Type: format.ColumnInt, Help: "The version of the list of files, 0 to 2."},
	{Name: "files", Type: format.ColumnInt, Help: "The number of its files, without those that it removes."},
	{Name: "removed_files", Type: format.ColumnInt, Help: "The number of files that it takes away from the game."},
	{Name: "inflated_size", Type: format.ColumnInt, Help: "The bytes of all files once inflated, as the list says."},
}}

var tableRequired = &format.Table{Name: "torchlight_required", Title: "A mod that another needs.", Columns: []format.Column{
	{Name: "number", Type: format.ColumnInt, Help: "Its number in the list, from 0."},
	{Name: "mod_id", Type: format.ColumnInt, Help: "The number of the mod that is needed."},
	{Name: "name", Type: format.ColumnText, Help: "What it is called."},
	{Name: "version", Type: format.ColumnInt, Help: "Its version; 0 in a header of version 1, which has none."},
}}

var tableFiles = &format.Table{Name: "torchlight_files", Title: "A file of a mod, or one that it removes; or a file that stands alone.", Columns: []format.Column{
	columnPath,
	{Name: "type", Type: format.ColumnText, Help: "What it is, as the list says: DAT, LAYOUT, DDS, sound and so on."},
	{Name: "removed", Type: format.ColumnBool, Help: "The mod takes it away from the game; it has no content."},
	{Name: "duplicate", Type: format.ColumnBool, Help: "An earlier file has the same path, and the game finds that."},
	{Name: "size", Type: format.ColumnInt, Help: "The bytes of its content, as the list says."},
	{Name: "compressed", Type: format.ColumnInt, Optional: true, Help: "The bytes of its content as it is stored, compressed; 0 if it is not compressed, null if it has no block that is there as a whole."},
	{Name: "crc32", Type: format.ColumnText, Help: "The CRC-32 of its content in hexadecimal, as the list says."},
	{Name: "sha256", Type: format.ColumnText, Optional: true, Help: "The SHA-256 of its content in hexadecimal; null if it has none, or it cannot be read."},
	{Name: "modified", Type: format.ColumnTime, Optional: true, Help: "When it was changed last; null if nothing tells, and for times beyond the year 9999."},
}}

var tableKeys = &format.Table{Name: "torchlight_keys", Title: "A key of a data file or of a layout, compiled or as text, with its value.", Columns: []format.Column{
	columnPath, columnNode, columnObject, columnKey,
	{Name: "type", Type: format.ColumnText, Help: "The type of the value: STRING, INTEGER, FLOAT and so on."},
	{Name: "value", Type: format.ColumnText, Help: "The value, as the text form of the file has it."},
}}

var tableGUIDs = &format.Table{Name: "torchlight_guids", Title: "A number that a unit, a skill, a room piece or the like has: a key UNIT_GUID, UNIQUE_GUID or GUID.", Columns: []format.Column{
	columnPath, columnNode, columnObject, columnKey,
	{Name: "guid", Type: format.ColumnInt, Help: "The number."},
	{Name: "name", Type: format.ColumnText, Optional: true, Help: "The key NAME beside it; null if there is none."},
}}

var tableReferences = &format.Table{Name: "torchlight_references", Title: "A value of a data file or layout, or a word of a material or image set, that is the path of a file.", Columns: []format.Column{
	columnPath, columnNode, columnObject,
	{Name: "line", Type: format.ColumnInt, Optional: true, Help: "The line of a material or image set, from 1; null in a data file or layout."},
	columnKey,
	{Name: "value", Type: format.ColumnText, Help: "The path, as it stands there."},
	{Name: "target", Type: format.ColumnText, Help: "The path as the game looks it up: in capitals, with slashes."},
}}

var tableIcons = &format.Table{Name: "torchlight_icons", Title: "A sprite of an image set, by which icons are named.", Columns: []format.Column{
	columnPath,
	{Name: "set_name", Type: format.ColumnText, Help: "The name of the image set."},
	{Name: "image", Type: format.ColumnText, Help: "The path of its picture, as it stands there."},
	{Name: "name", Type: format.ColumnText, Help: "The name of the sprite."},
	{Name: "x", Type: format.ColumnInt, Help: "Its left in the picture, in pixels."},
	{Name: "y", Type: format.ColumnInt, Help: "Its top in the picture, in pixels."},
	{Name: "width", Type: format.ColumnInt, Help: "Its width in pixels."},
	{Name: "height", Type: format.ColumnInt, Help: "Its height in pixels."},
	{Name: "line", Type: format.ColumnInt, Help: "The line where it stands, from 1."},
}}

var Findings = checking.Table("torchlight_findings")

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
	columnPath = format.Column{Name: "path", Type: format.ColumnText, Help: "The path of the file in the game."}
	columnNode = format.Column{Name: "node", Type: format.ColumnText, Optional: true,
		Help: "The way to the node: names separated by points, with [2] after the second node of a name; null in files " +
			"without nodes."}
	columnObject = format.Column{Name: "object", Type: format.ColumnInt, Optional: true,
		Help: "The id of the layout object that contains the key; null if there is none."}
	columnKey = format.Column{Name: "key", Type: format.ColumnText, Help: "The name of the key."}
)

var tableMods = &format.Table{Name: "torchlight_mods", Title: "A mod, or an archive without a header.", Columns: []format.Column{
	{Name: "size", Type: format.ColumnInt, Help: "The size of the file in bytes."},
	{Name: "sha256", Type: format.ColumnText, Help: "The SHA-256 of the file in hexadecimal."},
	{Name: "header_version", Type: format.ColumnInt, Optional: true,
		Help: "The version of the header, 1 to 4. A .PAK has no header: this column and all columns up to game_version " +
			"are null."},
	{Name: "title", Type: format.ColumnText, Optional: true, Help: "The title."},
	{Name: "author", Type: format.ColumnText, Optional: true, Help: "The author."},
	{Name: "description", Type: format.ColumnText, Optional: true, Help: "The description."},
	{Name: "website", Type: format.ColumnText, Optional: true, Help: "The web page."},
	{Name: "download_url", Type: format.ColumnText, Optional: true, Help: "The address of the download."},
	{Name: "mod_id", Type: format.ColumnInt, Optional: true, Help: "The number that identifies the mod in the game and in saved games."},
	{Name: "mod_version", Type: format.ColumnInt, Optional: true, Help: "The version of the mod, one more than in MOD.DAT."},
	{Name: "flags", Type: format.ColumnInt, Optional: true, Help: "Flags of unknown meaning; 0 in all known mods."},
	{Name: "game_version", Type: format.ColumnText, Optional: true,
		Help: "The version of the game that built it; null in a header before version 4."},
	{Name: "manifest_version", Type: format.ColumnInt, Help: "The version of the list of files, 0 to 2."},
	{Name: "files", Type: format.ColumnInt, Help: "The number of files, without the removed files."},
	{Name: "removed_files", Type: format.ColumnInt, Help: "The number of files that the mod removes from the game."},
	{Name: "inflated_size", Type: format.ColumnInt, Help: "The inflated size of all files in bytes, as in the list."},
}}

var tableRequired = &format.Table{Name: "torchlight_required", Title: "A mod that another mod requires.", Columns: []format.Column{
	{Name: "number", Type: format.ColumnInt, Help: "The number in the list, from 0."},
	{Name: "mod_id", Type: format.ColumnInt, Help: "The id of the required mod."},
	{Name: "name", Type: format.ColumnText, Help: "The name of the required mod."},
	{Name: "version", Type: format.ColumnInt, Help: "The version of the required mod; 0 in a header of version 1, which " +
		"does not contain it."},
}}

var tableFiles = &format.Table{Name: "torchlight_files",
	Title: "A file of a mod, a file that a mod removes, or a single file.", Columns: []format.Column{
		columnPath,
		{Name: "type", Type: format.ColumnText, Help: "The type, as in the list: DAT, LAYOUT, DDS, sound and so on."},
		{Name: "removed", Type: format.ColumnBool, Help: "The mod removes the file from the game; the file has no content."},
		{Name: "duplicate", Type: format.ColumnBool, Help: "An earlier file has the same path, and the game uses that file."},
		{Name: "size", Type: format.ColumnInt, Help: "The size of the content in bytes, as in the list."},
		{Name: "compressed", Type: format.ColumnInt, Optional: true,
			Help: "The size of the compressed content in bytes; 0 if the content is not compressed, null if its block is " +
				"missing or incomplete."},
		{Name: "crc32", Type: format.ColumnText, Help: "The CRC-32 of the content in hexadecimal, as in the list."},
		{Name: "sha256", Type: format.ColumnText, Optional: true,
			Help: "The SHA-256 of the content in hexadecimal; null if there is no content or it cannot be read."},
		{Name: "modified", Type: format.ColumnTime, Optional: true,
			Help: "The time of the last change; null if unknown, and for times after the year 9999."},
	}}

var tableKeys = &format.Table{Name: "torchlight_keys",
	Title: "A key of a data file or of a layout, compiled or as text, with its value.", Columns: []format.Column{
		columnPath, columnNode, columnObject, columnKey,
		{Name: "type", Type: format.ColumnText, Help: "The type of the value: STRING, INTEGER, FLOAT and so on."},
		{Name: "value", Type: format.ColumnText, Help: "The value, as in the text form of the file."},
	}}

var tableGUIDs = &format.Table{Name: "torchlight_guids",
	Title: "The GUID of a unit, a skill, a room piece or a similar thing: a key UNIT_GUID, " +
		"UNIQUE_GUID or GUID.", Columns: []format.Column{
		columnPath, columnNode, columnObject, columnKey,
		{Name: "guid", Type: format.ColumnInt, Help: "The GUID."},
		{Name: "name", Type: format.ColumnText, Optional: true, Help: "The key NAME in the same node; null if there is none."},
	}}

var tableReferences = &format.Table{Name: "torchlight_references",
	Title: "A value of a data file or layout, or a word of a material or image set, that is the path " +
		"of a file.", Columns: []format.Column{
		columnPath, columnNode, columnObject,
		{Name: "line", Type: format.ColumnInt, Optional: true,
			Help: "The line of a material or image set, from 1; null in a data file or layout."},
		columnKey,
		{Name: "value", Type: format.ColumnText, Help: "The path, as in the file."},
		{Name: "target", Type: format.ColumnText, Help: "The path in the form that the game uses: upper case, with slashes."},
	}}

var tableIcons = &format.Table{Name: "torchlight_icons",
	Title: "A sprite of an image set; icons refer to sprites by name.", Columns: []format.Column{
		columnPath,
		{Name: "set_name", Type: format.ColumnText, Help: "The name of the image set."},
		{Name: "image", Type: format.ColumnText, Help: "The path of the picture, as in the file."},
		{Name: "name", Type: format.ColumnText, Help: "The name of the sprite."},
		{Name: "x", Type: format.ColumnInt, Help: "The left edge in the picture, in pixels."},
		{Name: "y", Type: format.ColumnInt, Help: "The top edge in the picture, in pixels."},
		{Name: "width", Type: format.ColumnInt, Help: "The width in pixels."},
		{Name: "height", Type: format.ColumnInt, Help: "The height in pixels."},
		{Name: "line", Type: format.ColumnInt, Help: "The line in the file, from 1."},
	}}

var Findings = checking.Table("torchlight_findings")

// Views are queries over the tables.
var Views = []format.TableView{
	{Name: "torchlight_authors", Title: "An author of mods, with the number of mods and their sizes together.",
		Tables: []string{"torchlight_mods"}, SQL: `
		SELECT author, count(*) AS mods, sum(size) AS size, sum(files) AS files FROM torchlight_mods
		WHERE author IS NOT NULL AND author <> '' GROUP BY author`},
	{Name: "torchlight_requirements", Title: "Which mod requires which other mod, and the file that has it; null if none of the files has.",
		Tables: []string{"torchlight_required", "torchlight_mods"}, SQL: `
		SELECT r.file, m.title, r.mod_id AS required_id, r.name AS required_name, r.version AS required_version, o.file AS required_file
		FROM torchlight_required r LEFT JOIN torchlight_mods m ON m.file = r.file LEFT JOIN torchlight_mods o ON o.mod_id = r.mod_id`},
	{Name: "torchlight_elsewhere", Title: "A reference of a mod to a file that is not in the mod: the game has it, another mod, or none.",
		Tables: []string{"torchlight_references", "torchlight_files"}, SQL: `
		SELECT r.file, r.path, r.key, r.target FROM torchlight_references r
		LEFT JOIN torchlight_files f ON f.file = r.file AND f.path = r.target WHERE f.path IS NULL`},
}

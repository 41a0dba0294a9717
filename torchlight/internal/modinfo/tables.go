package modinfo

import (
	"cmp"
	"encoding/hex"
	"fmt"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

// The tables of mods and archives, and of single files.
var (
	ModTables  = append([]*format.Table{&tableMods.Table, &tableRequired.Table}, FileTables...)
	FileTables = []*format.Table{&tableFiles.Table, &tableKeys.Table, &tableGUIDs.Table, &tableReferences.Table, &tableIcons.Table,
		&Findings.Table}
)

// modRow describes a mod.
type modRow struct {
	size     int64 // of the file
	sum      []byte
	header   *mod.Header // nil: an archive without a header
	manifest uint16      // version
	amounts
}

// sumCell returns the cell of a checksum.
func sumCell(sum []byte) format.Cell { return format.TextCell(hex.EncodeToString(sum)) }

var tableMods = format.NewTable("torchlight_mods", "A mod, or an archive without a header.", func(r *format.Rows, v modRow) {
	h, has := cmp.Or(v.header, new(mod.Header)), v.header != nil
	r.Col("size", format.IntCell(v.size), "The size of the file in bytes.")
	r.Col("sha256", sumCell(v.sum), "The SHA-256 of the file in hexadecimal.")
	r.Col("header_version", format.IntCell(h.Version).If(has), "The version of the header, 1 to 4. A .PAK has no header: "+
		"this column and all columns up to game_version are null.")
	r.Col("title", format.TextCell(h.Title).If(has), "The title.")
	r.Col("author", format.TextCell(h.Author).If(has), "The author.")
	r.Col("description", format.TextCell(h.Description).If(has), "The description.")
	r.Col("website", format.TextCell(h.Website).If(has), "The web page.")
	r.Col("download_url", format.TextCell(h.DownloadURL).If(has), "The address of the download.")
	r.Col("mod_id", format.IntCell(h.ID).If(has), "The number that identifies the mod in the game and in saved games.")
	r.Col("mod_version", format.IntCell(h.ModVersion).If(has), "The version of the mod, one more than in MOD.DAT.")
	r.Col("flags", format.IntCell(h.Flags).If(has), "Flags of unknown meaning; 0 in all known mods.")
	r.Col("game_version", format.TextCell(h.Game.String()).If(h.Version >= 4),
		"The version of the game that built it; null in a header before version 4.")
	r.Col("manifest_version", format.IntCell(v.manifest), "The version of the list of files, 0 to 2.")
	r.Col("files", format.IntCell(v.files), "The number of files, without the removed files.")
	r.Col("removed_files", format.IntCell(v.removed), "The number of files that the mod removes from the game.")
	r.Col("inflated_size", format.IntCell(v.inflated), "The inflated size of all files in bytes, as in the list.")
})

// requiredRow is a required mod with its number, from 0.
type requiredRow struct {
	number int
	mod.Required
}

var tableRequired = format.NewTable("torchlight_required", "A mod that another mod requires.", func(r *format.Rows, v requiredRow) {
	r.Col("number", format.IntCell(v.number), "The number in the list, from 0.")
	r.Col("mod_id", format.IntCell(v.ID), "The id of the required mod.")
	r.Col("name", format.TextCell(v.Name), "The name of the required mod.")
	r.Col("version", format.IntCell(v.Version), "The version of the required mod; 0 in a header of version 1, which does not contain it.")
})

func pathOf(r *format.Rows, path string) {
	r.Col("path", format.TextCell(path), "The path of the file in the game.")
}

// fileRow describes a file.
type fileRow struct {
	pak.File
	compressed int    // -1: unknown
	sum        []byte // of the content; nil: unknown
	err        error  // of reading it
}

var tableFiles = format.NewTable("torchlight_files", "A file of a mod, a file that a mod removes, or a single file.",
	func(r *format.Rows, f fileRow) {
		record := cmp.Or(f.Record, new(pak.Record))
		modified := record.Time.Time()
		pathOf(r, f.Path)
		r.Col("type", format.TextCell(record.Type.String()), "The type, as in the list: DAT, LAYOUT, DDS, sound and so on.")
		r.Col("removed", format.BoolCell(record.Removed()), "The mod removes the file from the game; the file has no content.")
		r.Col("duplicate", format.BoolCell(f.Duplicate), "An earlier file has the same path, and the game uses that file.")
		r.Col("size", format.IntCell(record.Size), "The size of the content in bytes, as in the list.")
		r.Col("compressed", format.IntCell(f.compressed).If(f.compressed >= 0), "The size of the compressed content in bytes; 0 if the "+
			"content is not compressed, null if its block is missing or incomplete.")
		r.Col("crc32", format.TextCell(fmt.Sprintf("%08x", record.CRC32)), "The CRC-32 of the content in hexadecimal, as in the list.")
		r.Col("sha256", sumCell(f.sum).If(f.sum != nil),
			"The SHA-256 of the content in hexadecimal; null if there is no content or it cannot be read.")
		r.Col("modified", format.TimeCell(modified).If(record.Time != 0 && modified.Year() <= 9999),
			"The time of the last change; null if unknown, and for times after the year 9999.")
	})

// inNode adds the columns with the file, the node and the object of a key.
func inNode(r *format.Rows, k Key) {
	place, is := k.At.(text.Place)
	pathOf(r, k.File)
	r.Col("node", format.TextCell(place.Node).If(is),
		"The way to the node: names separated by points, with [2] after the second node of a name; null in files without nodes.")
	r.Col("object", format.IntCell(place.Object).If(place.Object != 0),
		"The id of the layout object that contains the key; null if there is none.")
}

func keyOf(r *format.Rows, k Key) {
	r.Col("key", format.TextCell(k.Key), "The name of the key.")
}

var tableKeys = format.NewTable("torchlight_keys", "A key of a data file or of a layout, compiled or as text, with its value.",
	func(r *format.Rows, k Key) {
		inNode(r, k)
		keyOf(r, k)
		r.Col("type", format.TextCell(k.Type.String()), "The type of the value: STRING, INTEGER, FLOAT and so on.")
		r.Col("value", format.TextCell(k.Value), "The value, as in the text form of the file.")
	})

// guidRow is a key with a GUID, and the name in its node.
type guidRow struct {
	Key
	name  string
	named bool
}

var tableGUIDs = format.NewTable("torchlight_guids", "The GUID of a unit, a skill, a room piece or a similar thing: a key UNIT_GUID, "+
	"UNIQUE_GUID or GUID.", func(r *format.Rows, v guidRow) {
	inNode(r, v.Key)
	keyOf(r, v.Key)
	guid, _ := guidOf(v.Type, v.Key.Key, v.Value)
	r.Col("guid", format.IntCell(guid), "The GUID.")
	r.Col("name", format.TextCell(v.name).If(v.named), "The key NAME in the same node; null if there is none.")
})

var tableReferences = format.NewTable("torchlight_references", "A value of a data file or layout, or a word of a material or image set, "+
	"that is the path of a file.", func(r *format.Rows, k Key) {
	inNode(r, k)
	line, is := k.At.(check.Line)
	r.Col("line", format.IntCell(line.Line).If(is), "The line of a material or image set, from 1; null in a data file or layout.")
	keyOf(r, k)
	target, _ := Target(k.Value)
	r.Col("value", format.TextCell(k.Value), "The path, as in the file.")
	r.Col("target", format.TextCell(target), "The path in the form that the game uses: upper case, with slashes.")
})

// iconRow is a sprite of an image set.
type iconRow struct {
	path string
	set  imageset.Set
	imageset.Sprite
}

var tableIcons = format.NewTable("torchlight_icons", "A sprite of an image set; icons refer to sprites by name.",
	func(r *format.Rows, v iconRow) {
		pathOf(r, v.path)
		r.Col("set_name", format.TextCell(v.set.Name), "The name of the image set.")
		r.Col("image", format.TextCell(v.set.File), "The path of the picture, as in the file.")
		r.Col("name", format.TextCell(v.Name), "The name of the sprite.")
		r.Col("x", format.IntCell(v.Rect.Min.X), "The left edge in the picture, in pixels.")
		r.Col("y", format.IntCell(v.Rect.Min.Y), "The top edge in the picture, in pixels.")
		r.Col("width", format.IntCell(v.Rect.Dx()), "The width in pixels.")
		r.Col("height", format.IntCell(v.Rect.Dy()), "The height in pixels.")
		r.Col("line", format.IntCell(v.Line), "The line in the file, from 1.")
	})

var Findings = format.FindingTable("torchlight_findings")

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

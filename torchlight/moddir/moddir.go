// Package moddir implements the folder of a mod of Torchlight II. It is the folder that GUTS, the game's editor, works
// on.
//
//	MOD.DAT                       the contents of the mod's header, as text
//	MEDIA/SKILLS/LEAP/LEAP.DAT    a data file, as text
//	MEDIA/SKILLS/LEAP/LEAP.LAYOUT a layout, as text
//	MEDIA/SKILLS.RAW.json         a table, as JSON
//	MEDIA/LEVELSETS/A.MPP.pgm     a pathing grid, as a picture
//	MEDIA/MODELS/WOLF.MESH        any other file, unchanged; a mesh or skeleton is text only with Options.Models
//	.trowel.json                  data that is needed only to rebuild identical bytes
//
// In the archive the data files, layouts, tables and grids are compiled. Compiled files that cannot be read are
// unchanged in the folder. When a folder is built, files in their editable form are compiled, and compiled files are
// packed unchanged. FOO.DAT.BINDAT, which GUTS writes next to FOO.DAT, is used if FOO.DAT is missing.
//
// The archive of the game itself, a .PAK with a .PAK.MAN, has the same kind of folder without MOD.DAT.
package moddir

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"path"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/text/forms"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

// Options control how a folder is created and read.
type Options struct {
	Names  *hash.Names     // nil for the known names
	Floats text.FloatStyle // number format of data files and layouts
	Raw    bool            // keep compiled files unchanged
	Models bool            // present meshes and skeletons as text
	Like   *Like           // an earlier folder whose names and texts are kept where they are equivalent, or nil

	Sprites   bool                       // add the sprites of image sets, each as a PNG
	OnSprites func(at string, why error) // receives image sets whose sprites are unavailable; may be nil

	// Warn receives warnings; it may be nil. If it is nil, a value of a source that a compiled file cannot hold exactly
	// is an error.
	Warn func(path, message string)

	formOnly bool   // the residue is not needed
	at       string // path in the folder of the source that is being compiled
}

func (o *Options) warn(path, message string) {
	if o.Warn != nil {
		o.Warn(path, message)
	}
}

// problems returns a function that receives the problems of a source, or nil if Warn is nil.
func (o *Options) problems(name string) func(*text.Error) {
	if o.Warn == nil {
		return nil
	}
	return func(e *text.Error) { o.Warn(check.Line{Path: cmp.Or(o.at, name), Line: e.Line}.String(), e.Problem()) }
}

// lenient returns options with which problems of sources are ignored.
func (o *Options) lenient() *Options {
	quiet := *o
	quiet.Warn = func(string, string) {}
	return &quiet
}

func (o *Options) names() *hash.Names {
	if o.Names == nil {
		return hash.Known()
	}
	return o.Names
}

// sidecar is the content of .trowel.json.
type sidecar struct {
	Format  string                 // format of the folder of a single file
	Archive bool                   // the folder is that of an archive, with or without a header
	Header  *mod.HeaderResidue     // everything about the header that MOD.DAT does not contain
	Mod     *mod.Residue           // residue of a mod and its archive
	Pak     *pak.Residue           // residue of an archive without a header
	Files   map[string]fileResidue // by path in the folder
	Sprites map[string]uint32      // CRC-32 of sprites, by path in the folder
}

// fileResidue holds everything about a compiled file that its editable form does not contain. It applies only to the
// unedited form.
type fileResidue struct {
	Path    pak.ResidueName `json:"path,omitempty"`    // path in the archive, if it does not follow from the path in the folder
	CRC32   uint32          `json:"crc,omitempty"`     // CRC-32 of the form
	AsIs    bool            `json:"asIs,omitempty"`    // the file must not be compiled, although it could be
	Residue json.RawMessage `json:"residue,omitempty"` // residue of the package for the file's format
}

func readSidecar(fsys fs.FS) (*sidecar, error) {
	s := new(sidecar)
	if err := forms.ReadSidecar(fsys, s); err != nil {
		return nil, err
	}
	return s, nil
}

// The entries at the top of the folder; their names may be in any case.
const (
	modDat   = "MOD.DAT"
	mediaDir = "MEDIA"
)

// Recognize reports whether a folder is the folder of a mod.
func Recognize(fsys fs.FS) bool {
	return findEntry(fsys, modDat, false) != "" && (findEntry(fsys, mediaDir, true) != "" || isArchive(fsys))
}

// RecognizePak reports whether a folder is the folder of an archive without a header. Many folders, such as the root of
// a system, contain a folder called media. So the folder must contain files that only the game has.
func RecognizePak(fsys fs.FS) bool {
	return findEntry(fsys, modDat, false) == "" && (isArchive(fsys) || hasOwn(fsys, findEntry(fsys, mediaDir, true)))
}

// isArchive reports whether a folder has a sidecar that describes an archive, which may have no files.
func isArchive(fsys fs.FS) bool {
	side, err := readSidecar(fsys)
	return err == nil && side.Archive
}

// hasOwn reports whether a folder contains a file whose name is specific to the game. It stops after a fixed number of
// files: a larger folder is a disk and not a mod.
func hasOwn(fsys fs.FS, dir string) bool {
	if dir == "" {
		return false
	}
	const most = 100_000
	seen, found := 0, false
	_ = fs.WalkDir(fsys, dir, func(at string, d fs.DirEntry, err error) error {
		seen++
		switch {
		case seen > most:
			return fs.SkipAll
		case err != nil:
			return fs.SkipDir
		case d.IsDir():
			if litter(d.Name()) {
				return fs.SkipDir
			}
		case isOwn(at):
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// isOwn reports whether a path has an extension that few programs except the game use.
func isOwn(at string) bool {
	name, _ := archivePath(at)
	switch pak.TypeOf(name) {
	case pak.TypePNG, pak.TypeJPEG, pak.TypeSound, pak.TypeFontFile, pak.TypeUnknown:
		return strings.EqualFold(path.Ext(name), ADM)
	}
	return true
}

// FileName returns the file name of the mod according to MOD.DAT, without extension. It returns "" if MOD.DAT has no
// name, or the name is not valid for a file.
func FileName(fsys fs.FS) string {
	data, err := fs.ReadFile(fsys, findEntry(fsys, modDat, false))
	if err != nil {
		return ""
	}
	file, err := text.Parse(data)
	if err != nil {
		return ""
	}
	name, _ := file.Root.Get("MOD_FILE_NAME")
	if len(name) > 4 && strings.EqualFold(name[len(name)-4:], ".MOD") {
		name = name[:len(name)-4]
	}
	if name == "" || strings.ContainsAny(name, `/\`) || safename.Escape(name) != name {
		return ""
	}
	return name
}

// findEntry returns the name of a file or folder at the top, ignoring case, or "".
func findEntry(fsys fs.FS, name string, dir bool) string {
	list, _ := fs.ReadDir(fsys, ".")
	for _, e := range list {
		if e.IsDir() == dir && strings.EqualFold(e.Name(), name) {
			return e.Name()
		}
	}
	return ""
}

// inMedia reports whether a path in the folder or in the archive is below MEDIA.
func inMedia(at string) bool {
	top, _, deeper := strings.Cut(at, "/")
	return deeper && strings.EqualFold(top, mediaDir)
}

// extension returns the extension of a path in upper case, with its period.
func extension(name string) string { return strings.ToUpper(path.Ext(name)) }

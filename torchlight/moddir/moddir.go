// Package moddir is the folder of a mod of Torchlight II: the very folder on
// which GUTS, the game's editor, works.
//
//	MOD.DAT                       what the header of the mod says, as text
//	MEDIA/SKILLS/LEAP/LEAP.DAT    a data file, as text
//	MEDIA/SKILLS/LEAP/LEAP.LAYOUT a layout, as text
//	MEDIA/SKILLS.RAW.json         a table, as JSON
//	MEDIA/LEVELSETS/A.MPP.pgm     a pathing grid, as a picture
//	MEDIA/MODELS/WOLF.MESH        any other file, as it is
//	.trowel.json                  what only matters for giving back the same bytes
//
// In the archive the data files, layouts, tables and grids are compiled. One
// that cannot be read stands in the folder as it is, compiled. Going back, what
// is in its form for people is compiled, and what is compiled already is taken
// as it is; FOO.DAT.BINDAT, as GUTS leaves it beside FOO.DAT, stands in for a
// FOO.DAT that is not there.
//
// The archive of the game itself, a .PAK with a .PAK.MAN, has the same folder
// without MOD.DAT.
package moddir

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"path"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/forms"
	"trowel.example/internal/safename"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

// Options are how a folder is shown and read.
type Options struct {
	Names  *hash.Names     // nil: those that are known
	Floats text.FloatStyle // of data files and layouts
	Raw    bool            // compiled files as they are
	Like   *Like           // of a folder whose names and texts are kept where they say the same; nil: none

	Sprites   bool                       // the sprites of image sets, too, each as a PNG
	OnSprites func(at string, why error) // hears of image sets whose sprites are not to be had; nil: nobody

	// Warn hears of what should perhaps be otherwise; nil: nobody. A value that a compiled file
	// cannot hold as its source says it is an error where Warn is nil.
	Warn func(path, message string)

	formOnly bool   // what the form does not say is not wanted
	at       string // of the source that is compiled, in its folder
}

func (o *Options) warn(path, message string) {
	if o.Warn != nil {
		o.Warn(path, message)
	}
}

// problems returns what hears of the problems of a source; nil if nobody does.
func (o *Options) problems(name string) func(*text.Error) {
	if o.Warn == nil {
		return nil
	}
	return func(e *text.Error) { o.Warn(check.Line{Path: cmp.Or(o.at, name), Line: e.Line}.String(), e.Problem()) }
}

// lenient returns options with which problems of sources are no errors, and nobody hears of them.
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
	Format  string                 // of the folder of a single file
	Archive bool                   // it is the folder of an archive, with or without a header
	Header  *mod.HeaderResidue     // what MOD.DAT does not say
	Mod     *mod.Residue           // of a mod, with its archive
	Pak     *pak.Residue           // of an archive without a header
	Files   map[string]fileResidue // by their paths in the folder
	Sprites map[string]uint32      // CRC32 of sprites, by their paths in the folder
}

// fileResidue is what a compiled file has that its form for people does not say.
// It counts as long as nobody edited that form.
type fileResidue struct {
	Path    pak.ResidueName `json:"path,omitempty"`    // in the archive, if it does not follow from that in the folder
	CRC32   uint32          `json:"crc,omitempty"`     // of the form
	AsIs    bool            `json:"asIs,omitempty"`    // the file is not to be compiled, although it could be
	Residue json.RawMessage `json:"residue,omitempty"` // of the package of its format
}

func readSidecar(fsys fs.FS) (*sidecar, error) {
	s := new(sidecar)
	if err := forms.ReadSidecar(fsys, s); err != nil {
		return nil, err
	}
	return s, nil
}

// The entries of the folder itself, in any case.
const (
	modDat   = "MOD.DAT"
	mediaDir = "MEDIA"
)

// Recognize reports whether a folder is that of a mod.
func Recognize(fsys fs.FS) bool {
	return findEntry(fsys, modDat, false) != "" && (findEntry(fsys, mediaDir, true) != "" || isArchive(fsys))
}

// RecognizePak reports whether a folder is that of an archive without a header. Many a
// folder has one that is called media, the root of a system is one of them, so that there
// have to be files in it that nothing but the game has.
func RecognizePak(fsys fs.FS) bool {
	return findEntry(fsys, modDat, false) == "" && (isArchive(fsys) || hasOwn(fsys, findEntry(fsys, mediaDir, true)))
}

// isArchive reports whether a folder has a sidecar that speaks of an archive, which may
// have no files.
func isArchive(fsys fs.FS) bool {
	side, err := readSidecar(fsys)
	return err == nil && side.Archive
}

// hasOwn reports whether a folder has a file that by its name is the game's own. It looks
// at so many only: what has to be looked at for longer is a disk and not a mod.
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

// isOwn reports whether a path is that of a file which the game has and few others.
func isOwn(at string) bool {
	name, _ := archivePath(at)
	switch pak.TypeOf(name) {
	case pak.TypePNG, pak.TypeJPEG, pak.TypeSound, pak.TypeFontFile, pak.TypeUnknown:
		return strings.EqualFold(path.Ext(name), ADM)
	}
	return true
}

// FileName returns what MOD.DAT says the file of the mod is called, without extension;
// "" if it does not say, or no file can be called that.
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

// findEntry returns the name of a file or folder at the top, in any case; "" for none.
func findEntry(fsys fs.FS, name string, dir bool) string {
	list, _ := fs.ReadDir(fsys, ".")
	for _, e := range list {
		if e.IsDir() == dir && strings.EqualFold(e.Name(), name) {
			return e.Name()
		}
	}
	return ""
}

// inMedia reports whether a path, of the folder or of the archive, is below MEDIA.
func inMedia(at string) bool {
	top, _, deeper := strings.Cut(at, "/")
	return deeper && strings.EqualFold(top, mediaDir)
}

// extension returns the extension of a path in upper case, with its dot.
func extension(name string) string { return strings.ToUpper(path.Ext(name)) }

package moddir

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"trowel.example/fault"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/limits/parallel"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

// source is a file of the folder that becomes a file of the archive.
type source struct {
	at   string // path in the folder
	path string // path in the archive
	form *form  // nil if the file is packed unchanged
	twin bool   // the file was compiled by GUTS; it is used only if its source is missing
	kept *fileResidue
	info fs.FileInfo

	read, compiled atomic.Bool // whether it was requested, and whether it was in its editable form
	warned         atomic.Bool // its problems are already reported
}

// folder is the folder of a mod after its files were listed.
type folder struct {
	fsys    fs.FS
	side    *sidecar
	known   map[string]bool // folders with files that are in the sidecar
	sources []*source       // in the order of their paths in the archive
	left    []string        // files that do not belong to a mod
	drafts  []string        // pictures that have another form next to them
	twins   [][2]*source
	same    map[string][]string    // for the path of a source, the paths of identical files
	clashes []SourceError          // files that are left out because another file has the same path in the archive
	sprites map[string][]spriteSet // by the paths of their pictures in the archive

	standIns bool // replace sources that cannot be compiled
}

// collect lists the files that belong to the archive, and drafts only if all is set. It calls warn for files that
// compete for one path in the archive.
func collect(fsys fs.FS, all bool, warn func(at, message string)) (*folder, error) {
	side, err := readSidecar(fsys)
	if err != nil {
		return nil, err
	}
	f := &folder{fsys: fsys, side: side, known: side.knownFolders()}
	chosen := make(map[string]*source)
	err = fs.WalkDir(fsys, ".", func(at string, d fs.DirEntry, err error) error {
		if err != nil || at == "." {
			return err
		}
		if !f.belongs(at, d.IsDir()) {
			if at != tree.Sidecar && at != spritesDir && !strings.EqualFold(at, modDat) {
				f.left = append(f.left, at)
			}
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			if !d.IsDir() {
				f.left = append(f.left, at)
			}
			return nil
		}
		s, err := f.source(at, d)
		if err != nil {
			return err
		}
		return f.choose(chosen, s, warn)
	})
	if err != nil {
		return nil, err
	}
	for _, s := range chosen {
		if f.isDraft(s, chosen) {
			f.drafts = append(f.drafts, s.at)
			if !all {
				continue
			}
		}
		f.sources = append(f.sources, s)
	}
	slices.Sort(f.drafts)
	slices.SortFunc(f.sources, func(a, b *source) int { return strings.Compare(a.path, b.path) })
	return f, f.findSprites()
}

// isDraft reports whether a file is a .PNG with a .DDS next to it that was made from it. GUTS does not pack these. A
// file that was in the original archive, according to the sidecar, is not a draft.
func (f *folder) isDraft(s *source, chosen map[string]*source) bool {
	name, isPNG := strings.CutSuffix(s.path, ".PNG")
	return isPNG && chosen[name+".DDS"] != nil && !f.side.has(s.path)
}

// has reports whether the archive that the sidecar describes had a file.
func (s *sidecar) has(name string) bool {
	residue := s.Pak
	if s.Mod != nil {
		residue = s.Mod.Archive
	}
	return residue != nil && residue.Has(name)
}

// belongs reports whether a file belongs to the archive, or whether a folder may contain such files. These are the
// files below MEDIA except leftovers of systems and editors, and the files in the sidecar.
func (f *folder) belongs(at string, dir bool) bool {
	if _, known := f.side.Files[at]; known || dir && f.known[at] {
		return true
	}
	return (inMedia(at) || dir && strings.EqualFold(at, mediaDir)) && !litter(path.Base(at))
}

// litter reports whether a file or folder has a name that operating systems and editors use for their own files.
func litter(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") ||
		strings.EqualFold(name, "Thumbs.db") || strings.EqualFold(name, "desktop.ini")
}

// ordinary reports whether the path of a file in the folder shows that it belongs to the archive.
func ordinary(at string) bool {
	return inMedia(at) && !slices.ContainsFunc(strings.Split(at, "/"), litter)
}

// knownFolders returns the folders of the files in a sidecar.
func (s *sidecar) knownFolders() map[string]bool {
	known := make(map[string]bool)
	for at := range s.Files {
		if strings.Count(at, "/") <= maxDepth { // folders are never deeper
			addFolders(known, at)
		}
	}
	return known
}

// source returns the source for a file of the folder.
func (f *folder) source(at string, d fs.DirEntry) (*source, error) {
	info, err := d.Info()
	if err != nil {
		return nil, err
	}
	s := &source{at: at, info: info}
	if kept, ok := f.side.Files[at]; ok {
		s.kept = &kept
	}
	if s.kept != nil && s.kept.Path != "" {
		s.path = string(s.kept.Path)
		s.form = formOf(s.path)
		return s, nil
	}
	s.path, s.twin = archivePath(at)
	s.form = formOf(s.path)
	return s, nil
}

// archivePath returns the path in the archive of a file of the folder, and whether GUTS compiled the file.
func archivePath(at string) (name string, twin bool) {
	name = strings.ToUpper(safename.FromTreePath(at))
	ext := path.Ext(name)
	short := strings.TrimSuffix(name, ext)
	switch f := formOf(short); {
	case f == nil || ext == "":
	case strings.EqualFold(ext, f.suffix):
		return short, false
	case ext == f.compiled:
		return short, true
	}
	return name, false
}

// GamePath returns the path in the game, in upper case, of a file in the folder of a mod.
func GamePath(at string) string {
	name, _ := archivePath(at)
	return name
}

// maxDepth is the greatest depth of a file in the folder. Names in archives can have tens of thousands of slashes, but
// no file system supports such folders.
const maxDepth = 100

// treePath returns the path in the folder of a file of the archive, whose form must exist. It reverses archivePath.
// Names that the folder uses itself are escaped, and so are slashes beyond maxDepth.
func treePath(name string, raw bool) string {
	at := safename.TreePath(name)
	if top, _, _ := strings.Cut(at, "/"); strings.EqualFold(top, modDat) || strings.EqualFold(top, tree.Sidecar) {
		at = escapeDot(at)
	}
	if elems := strings.SplitN(at, "/", maxDepth); len(elems) == maxDepth {
		elems[maxDepth-1] = strings.ReplaceAll(elems[maxDepth-1], "/", "%2F")
		at = strings.Join(elems, "/")
	}
	if f := formOf(name); f != nil && !raw {
		at += f.suffix
	}
	return at
}

// escapeDot returns another form of a path, which is converted back to the same path.
func escapeDot(at string) string { return strings.Replace(at, ".", "%2E", 1) }

// choose adds a file of the folder. If two files have the same path in the archive, a source takes precedence over its
// compiled form, and the newer file over the older. Files whose names differ only in case are accepted if their
// contents are identical; other pairs are errors.
func (f *folder) choose(chosen map[string]*source, s *source, warn func(at, message string)) error {
	other := chosen[s.path]
	if other == nil {
		chosen[s.path] = s
		return nil
	}
	switch {
	case s.twin != other.twin:
		if s.twin {
			s, other = other, s
		}
		chosen[s.path] = s
		f.twins = append(f.twins, [2]*source{s, other})
		return nil
	case s.form != nil && s.form.suffix != "" && !strings.EqualFold(s.at, other.at):
		if other.info.ModTime().After(s.info.ModTime()) {
			s, other = other, s
		}
		chosen[s.path] = s
		warn(other.at, fmt.Sprintf("left out: %s is a newer form of the same file", s.at))
		return nil
	}
	clash := SourceError{s.at, fmt.Errorf("has the path %s in the game, and so has %s", s.path, other.at)}
	if !strings.EqualFold(s.at, other.at) {
		f.clashes = append(f.clashes, clash)
		return nil
	}
	a, err := fs.ReadFile(f.fsys, s.at)
	if err != nil {
		return err
	}
	b, err := fs.ReadFile(f.fsys, other.at)
	switch {
	case err != nil:
		return err
	case bytes.Equal(a, b):
		if f.same == nil {
			f.same = make(map[string][]string)
		}
		f.same[other.at] = append(f.same[other.at], s.at)
	default:
		f.clashes = append(f.clashes, clash)
	}
	return nil
}

// clash returns the error of files that compete for one path in the archive, or nil if there are none.
func (f *folder) clash() error {
	if len(f.clashes) == 0 {
		return nil
	}
	return &SourcesError{f.clashes}
}

// content returns the content that a file has in the archive.
func (f *folder) content(s *source, o *Options) ([]byte, error) {
	s.read.Store(true)
	data, err := fs.ReadFile(f.fsys, s.at)
	if err == nil && s.form == nil {
		return f.assemble(s, data)
	}
	if err != nil || s.twin {
		return data, err
	}
	var residue json.RawMessage
	var lost []string
	switch {
	case s.kept == nil:
	case s.kept.CRC32 != crc32.ChecksumIEEE(data):
		residue, lost = editedResidue(s.kept.Residue)
	case s.kept.AsIs:
		return data, nil
	default:
		residue = s.kept.Residue
	}
	own := *o
	own.at = s.at
	if s.warned.Swap(true) && o.Warn != nil {
		own = *own.lenient()
	}
	if !s.form.isText(data) {
		if !s.form.reads(data, s.path) {
			own.warn(s.at, "is packed unchanged, but the game cannot read it: it is neither a source nor compiled")
		}
		return data, nil
	}
	if lost != nil {
		own.warn(s.at, "has been edited; data that its text cannot contain is lost: "+strings.Join(lost, ", "))
	}
	s.compiled.Store(true)
	out, err := s.form.compile(data, residue, s.path, &own)
	if err == nil && s.form != admForm && !f.side.Archive {
		err = ofTorchlight1(data)
	}
	if err != nil {
		if out, ok := s.form.standIn(s.path, o); ok && f.standIns {
			return out, nil
		}
		return nil, fmt.Errorf("%s: %w", s.at, &compileError{err})
	}
	return out, nil
}

// ofTorchlight1 returns the error of a source with the type BOOLEAN, which exists only in Torchlight I.
func ofTorchlight1(data []byte) error {
	const tag = "<BOOLEAN>"
	wide := make([]byte, 0, 2*len(tag))
	for _, c := range []byte(tag) {
		wide = append(wide, c, 0)
	}
	at := max(bytes.Index(data, []byte(tag)), bytes.Index(data, wide))
	if at < 0 {
		return nil
	}
	return &text.Error{Line: 1 + bytes.Count(data[:at], []byte("\n")), Want: "a type of Torchlight II, such as BOOL",
		Got: "BOOLEAN, a type of Torchlight I", Err: fault.ErrVersion}
}

// sign1 returns the path of a file that exists only in mods of Torchlight I, or "" if there is none. Extracted archives
// are not examined, because they may have any files.
func (f *folder) sign1() string {
	if f.side.Archive {
		return ""
	}
	for _, s := range f.sources {
		switch name := path.Base(s.path); {
		case extension(s.path) == ADM, extension(s.path) == ".CMP", strings.HasPrefix(name, "MASSFILE.DAT"),
			strings.HasPrefix(name, "MASTERRESOURCEUNITS.DAT"):
			return s.at
		}
	}
	return ""
}

// compileError is the error of a source that cannot be compiled.
type compileError struct{ error }

func (e *compileError) Unwrap() error { return e.error }

// drop leaves out the sources that pass the filter is. It calls the filter on all cores.
func (f *folder) drop(is func(s *source) bool) {
	isBroken := make([]bool, len(f.sources))
	parallel.Each(len(f.sources), func(i int) { isBroken[i] = is(f.sources[i]) })
	i := -1
	f.sources = slices.DeleteFunc(f.sources, func(*source) bool {
		i++
		return isBroken[i]
	})
}

// dropUnreadable leaves out the sources that cannot be compiled, except those that have a replacement.
func (f *folder) dropUnreadable(o *Options) {
	f.standIns = true
	f.drop(func(s *source) bool {
		if s.form == nil || s.form == dataForm || s.form == layoutForm {
			return false
		}
		_, err := f.content(s, o)
		return err != nil
	})
}

// newFiles returns the files for the archive.
func (f *folder) newFiles(o *Options) []pak.NewFile {
	files := make([]pak.NewFile, len(f.sources))
	for i, s := range f.sources {
		files[i] = pak.NewFile{
			Path:    s.path,
			Time:    pak.FiletimeOf(s.info.ModTime()),
			Content: func() ([]byte, error) { return f.content(s, o) },
		}
	}
	return files
}

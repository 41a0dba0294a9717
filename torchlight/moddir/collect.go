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
	"trowel.example/internal/parallel"
	"trowel.example/internal/safename"
	"trowel.example/internal/tree"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

// source is a file of the folder that goes into the archive.
type source struct {
	at   string // its path in the folder
	path string // its path in the archive
	form *form  // nil: it is taken as it is
	twin bool   // it is what GUTS compiled, of a file that is not there
	kept *fileResidue
	info fs.FileInfo

	read, compiled atomic.Bool // it was asked for; it was in the form for people
	warned         atomic.Bool // its problems were told
}

// folder is a folder of a mod, read.
type folder struct {
	fsys    fs.FS
	side    *sidecar
	known   map[string]bool // folders that have files of which the sidecar knows
	sources []*source       // in the order of their paths in the archive
	left    []string        // what does not belong to a mod
	drafts  []string        // pictures of which others were made that stand beside them
	twins   [][2]*source
	same    map[string][]string    // paths of files that are the same as one of the sources, by its path
	clashes []SourceError          // files that are left out because another has their path in the archive
	sprites map[string][]spriteSet // by the paths of their pictures in the archive

	standIns bool // take something in place of sources that cannot be compiled
}

// collect finds what belongs to the archive, drafts only if all is wanted. Warn hears of
// files of which only one can.
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

// isDraft reports whether a file is a .PNG of which a .DDS was made, which stands beside it:
// GUTS does not pack these. If the sidecar knows the archive, one that was in it is none.
func (f *folder) isDraft(s *source, chosen map[string]*source) bool {
	name, isPNG := strings.CutSuffix(s.path, ".PNG")
	return isPNG && chosen[name+".DDS"] != nil && !f.side.has(s.path)
}

// has reports whether the archive of which the sidecar speaks had a file.
func (s *sidecar) has(name string) bool {
	residue := s.Pak
	if s.Mod != nil {
		residue = s.Mod.Archive
	}
	return residue != nil && residue.Has(name)
}

// belongs reports whether a file belongs to the archive, or a folder may have
// some that do: what is below MEDIA and is not what systems and editors leave
// behind, and what the sidecar knows.
func (f *folder) belongs(at string, dir bool) bool {
	if _, known := f.side.Files[at]; known || dir && f.known[at] {
		return true
	}
	return (inMedia(at) || dir && strings.EqualFold(at, mediaDir)) && !litter(path.Base(at))
}

// litter reports whether a file or folder is one that systems and editors leave behind.
func litter(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") ||
		strings.EqualFold(name, "Thumbs.db") || strings.EqualFold(name, "desktop.ini")
}

// ordinary reports whether a file of the folder belongs to the archive by its path.
func ordinary(at string) bool {
	return inMedia(at) && !slices.ContainsFunc(strings.Split(at, "/"), litter)
}

// knownFolders returns the folders of the files that a sidecar knows.
func (s *sidecar) knownFolders() map[string]bool {
	known := make(map[string]bool)
	for at := range s.Files {
		if strings.Count(at, "/") <= maxDepth { // no folder is deeper
			addFolders(known, at)
		}
	}
	return known
}

// source returns what a file of the folder is in the archive.
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

// archivePath returns the path in the archive of a file of the folder, and
// whether the file is one that GUTS compiled.
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

// GamePath returns the path in the game of a file in the folder of a mod, in capitals.
func GamePath(at string) string {
	name, _ := archivePath(at)
	return name
}

// maxDepth is how deep a file can stand in the folder. Names of archives can
// have tens of thousands of slashes, and no system such folders.
const maxDepth = 100

// treePath is the way back, for a file whose form is known to be there. What
// the folder has names for itself is escaped, and so are slashes beyond
// maxDepth.
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

// escapeDot gives a path another form, which comes back to the same one.
func escapeDot(at string) string { return strings.Replace(at, ".", "%2E", 1) }

// choose enters a file of the folder. Of two that are the same one in the
// archive, a source goes before what was made of it, and else the newer one. Of two whose names
// differ in case and whose contents are the same either does; others clash.
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
		warn(other.at, fmt.Sprintf("left out: %s stands for the same file and is newer", s.at))
		return nil
	}
	clash := SourceError{s.at, fmt.Errorf("is %s to the game, and so is %s", s.path, other.at)}
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

// clash returns the error of files of which only one can be in the archive; nil if there are none.
func (f *folder) clash() error {
	if len(f.clashes) == 0 {
		return nil
	}
	return &SourcesError{f.clashes}
}

// content returns the content of a file as it is in the archive.
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
	switch {
	case s.kept == nil:
	case s.kept.CRC32 != crc32.ChecksumIEEE(data):
		residue = editedResidue(s.kept.Residue)
	case s.kept.AsIs:
		return data, nil
	default:
		residue = s.kept.Residue
	}
	its := *o
	its.at = s.at
	if s.warned.Swap(true) && o.Warn != nil {
		its = *its.lenient()
	}
	if !s.form.is(data) {
		if !s.form.reads(data, s.path) {
			its.warn(s.at, "is packed as it is, and the game cannot read it: it is neither a source nor compiled")
		}
		return data, nil
	}
	s.compiled.Store(true)
	out, err := s.form.compile(data, residue, s.path, &its)
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

// ofTorchlight1 returns the error of a source with the type BOOLEAN, which only Torchlight I has.
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
	return &text.Error{Line: 1 + bytes.Count(data[:at], []byte("\n")), Want: "a type of Torchlight II, such as BOOL", Got: "BOOLEAN, which is one of Torchlight I", Err: fault.ErrVersion}
}

// sign1 returns the path of a file that only mods of Torchlight I have; "" if there is none. An
// archive that was taken apart may have anything.
func (f *folder) sign1() string {
	if f.side.Archive {
		return ""
	}
	for _, s := range f.sources {
		switch name := path.Base(s.path); {
		case extension(s.path) == ADM, extension(s.path) == ".CMP", strings.HasPrefix(name, "MASSFILE.DAT"), strings.HasPrefix(name, "MASTERRESOURCEUNITS.DAT"):
			return s.at
		}
	}
	return ""
}

// compileError is the error of a source that cannot be compiled.
type compileError struct{ error }

func (e *compileError) Unwrap() error { return e.error }

// drop leaves out the sources of which a function says so, which is called on all cores.
func (f *folder) drop(is func(s *source) bool) {
	isBroken := make([]bool, len(f.sources))
	parallel.Each(len(f.sources), func(i int) { isBroken[i] = is(f.sources[i]) })
	i := -1
	f.sources = slices.DeleteFunc(f.sources, func(*source) bool {
		i++
		return isBroken[i]
	})
}

// dropUnreadable leaves out the sources that cannot be compiled, but those that something
// can stand in for.
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

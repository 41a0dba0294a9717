package moddir

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"trowel.example/check"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/internal/tables"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

// BuildOptions control how an archive is built from a folder.
type BuildOptions struct {
	Options
	All    bool    // include pictures that have another form next to them, which is normally packed instead
	Tables bool    // build the tables, replacing existing ones
	Base   Sources // the game's files, for tables; may be nil
	NewID  bool    // give an ID to a mod without one, made from its title and author

	// Checking builds an archive for Check only: readable content replaces each unreadable source, and there are no
	// warnings about what Check reports.
	Checking bool

	// KeepGoing receives each file that is left out because it cannot be read or compiled. If it is nil, these files
	// are errors.
	KeepGoing func(SourceError)
}

// Report is the result of Build.
type Report struct {
	Compiled int      // number of files that were compiled
	AsIs     int      // number of files that were packed unchanged
	Removed  int      // number of files that the mod removes
	Tables   []string // the tables that were built, with their number of records
	Left     []string // files and folders that were left out
}

// Build builds a mod from a folder and returns its size in bytes.
func Build(ctx context.Context, target pak.Target, fsys fs.FS, o BuildOptions) (*Report, int64, error) {
	f, err := o.collect(fsys)
	if err != nil {
		return nil, 0, err
	}
	header, err := f.header()
	var bad *SourceError
	if o.Checking && errors.As(err, &bad) {
		header, err = mod.NewHeader(), nil
	}
	if err != nil {
		return nil, 0, f.explain(err, &o)
	}
	switch {
	case header.ID != 0:
	case o.NewID:
		sum := sha256.Sum256([]byte(header.Title + "\n" + header.Author))
		header.ID = max(1, int64(binary.LittleEndian.Uint64(sum[:])&math.MaxInt64))
	default:
		o.warn(modDat, "has no MOD_ID (--new-id makes one)")
	}
	files, report, err := f.files(&o)
	if err != nil {
		return nil, 0, err
	}
	size, err := mod.Write(ctx, target, header, files, f.side.Mod)
	err = f.explain(err, &o)
	report.Removed = len(header.Removed)
	f.count(report)
	return report, size, err
}

// BuildPak builds an archive and its manifest from a folder.
func BuildPak(ctx context.Context, archive pak.Target, manifest io.Writer, fsys fs.FS, o BuildOptions) (*Report, error) {
	f, err := o.collect(fsys)
	if err != nil {
		return nil, err
	}
	files, report, err := f.files(&o)
	if err != nil {
		return nil, err
	}
	removed := f.removed()
	man, _, err := pak.Write(ctx, archive, append(files, removed...), f.side.Pak)
	if err != nil {
		return nil, f.explain(err, &o)
	}
	data, err := man.Encode()
	if err == nil {
		_, err = manifest.Write(data)
	}
	report.Removed = len(removed)
	f.count(report)
	return report, err
}

// A SourcesError has the errors of all sources that cannot be compiled. Its zero value is not an error.
type SourcesError struct{ Errors []SourceError }

// SourceError is the error of one source.
type SourceError struct {
	At  string // path of the source in the folder
	Err error  // see [text.AllErrors]
}

func (e *SourceError) Error() string { return fmt.Sprintf("%s: %v", e.At, e.Err) }
func (e *SourceError) Unwrap() error { return e.Err }

// Problems returns a message for each broken line of the source, with its place.
func (e *SourceError) Problems() []string {
	var all []string
	for _, line := range text.AllErrors(e.Err) {
		all = append(all, check.Line{Path: e.At, Line: line.Line, Column: line.Column}.String()+": "+line.Problem())
	}
	if all == nil {
		all = []string{e.Error()}
	}
	return all
}

// Problems returns a message for each broken line of all sources.
func (e *SourcesError) Problems() []string {
	var all []string
	for i := range e.Errors {
		all = append(all, e.Errors[i].Problems()...)
	}
	return all
}

func (e *SourcesError) Error() string {
	s := e.Errors[0].Error()
	if n := len(e.Errors) - 1; n > 0 {
		s += "; and " + words.Count(n, "more file") + " cannot be packed"
	}
	return s
}

func (e *SourcesError) Unwrap() error { return e.Errors[0].Err }

// explain replaces err by the errors of all sources that cannot be packed. It returns nil if err is nil.
func (f *folder) explain(err error, o *BuildOptions) error {
	if err == nil {
		return nil
	}
	all := new(SourcesError)
	var first *SourceError
	if errors.As(err, &first) {
		all.Errors = append(all.Errors, *first)
	}
	if o.KeepGoing == nil {
		all.Errors = append(all.Errors, f.clashes...)
	}
	errs := make([]error, len(f.sources))
	parallel.Each(len(f.sources), func(i int) { _, errs[i] = f.content(f.sources[i], &o.Options) })
	for i, err := range errs {
		var e *compileError
		if errors.As(err, &e) {
			all.Errors = append(all.Errors, SourceError{f.sources[i].at, e.error})
		}
	}
	if len(all.Errors) == 0 {
		return err
	}
	return all
}

// dropBroken leaves out the files that cannot be packed, and reports each.
func (f *folder) dropBroken(o *BuildOptions) {
	for _, e := range f.clashes {
		o.KeepGoing(e)
	}
	var mu sync.Mutex
	var broken []SourceError
	f.drop(func(s *source) bool {
		_, err := f.content(s, &o.Options)
		if err == nil {
			return false
		}
		var e *compileError
		if errors.As(err, &e) {
			err = e.error
		}
		mu.Lock()
		defer mu.Unlock()
		broken = append(broken, SourceError{s.at, err})
		return true
	})
	slices.SortFunc(broken, func(a, b SourceError) int { return strings.Compare(a.At, b.At) })
	for _, e := range broken {
		o.KeepGoing(e)
	}
}

// standIn returns content that replaces an unreadable source: an empty file of the same kind. It returns false for
// other kinds.
func (f *form) standIn(name string, o *Options) ([]byte, bool) {
	source := "[UNREADABLE]\n<BOOL>DONTCREATE:true\n[/UNREADABLE]"
	switch f {
	case layoutForm:
		source = "[Layout]\n[OBJECTS]\n[/OBJECTS]\n[/Layout]"
	case dataForm, admForm:
	default:
		return nil, false
	}
	data, err := f.compile([]byte(source), nil, name, o)
	return data, err == nil
}

// removed returns the files that an archive without a header removes. Only the sidecar lists them. Files that are in
// the folder are not removed.
func (f *folder) removed() []pak.NewFile {
	if f.side.Pak == nil {
		return nil
	}
	have := make(map[string]bool)
	for _, s := range f.sources {
		have[s.path] = true
	}
	var files []pak.NewFile
	for _, section := range f.side.Pak.Sections {
		dir := string(section.Name)
		if dir != "" && !strings.HasSuffix(dir, "/") {
			dir += "/"
		}
		for _, record := range section.Records {
			at := dir + record.Name
			if record.Kind == pak.ResidueRemoved && !have[at] {
				have[at] = true
				files = append(files, pak.NewFile{Path: at, Removed: true})
			}
		}
	}
	return files
}

func (o *BuildOptions) collect(fsys fs.FS) (*folder, error) {
	if o.Checking {
		o.Options = *o.lenient() // the check of the folder reports these problems
	}
	f, err := collect(fsys, o.All, o.warn)
	if err != nil {
		return nil, err
	}
	if at := f.sign1(); at != "" && !o.Checking {
		return nil, &SourcesError{[]SourceError{{at, errTorchlight1}}}
	}
	if len(f.drafts) > 0 && !o.All {
		more := ""
		if n := len(f.drafts) - 1; n > 0 {
			more = ", and " + words.Count(n, "more file")
		}
		o.warn(f.drafts[0], "is left out"+more+": the game uses the .DDS next to it (--all packs both)")
	}
	return f, nil
}

// errTorchlight1 is the error of a file that shows that the mod is of another game.
var errTorchlight1 = errors.New("this file is from Torchlight I, whose mods are folders: Torchlight II does not read " +
	"them, and Torchlight I does not read archives of Torchlight II (`trowel convert FOLDER --to torchlight-2` ports a mod)")

// header reads MOD.DAT.
func (f *folder) header() (*mod.Header, error) {
	name := findEntry(f.fsys, modDat, false)
	if name == "" {
		return nil, fmt.Errorf("%s: %w: a mod needs this file, which contains its name", modDat, fs.ErrNotExist)
	}
	data, err := fs.ReadFile(f.fsys, name)
	if err != nil {
		return nil, err
	}
	header, err := headerOf(data, f.side.Header)
	if err != nil {
		return nil, &SourceError{name, err}
	}
	return header, nil
}

// HeaderOf returns the header that the MOD.DAT in data describes.
func HeaderOf(data []byte) (*mod.Header, error) { return headerOf(data, nil) }

func headerOf(data []byte, residue *mod.HeaderResidue) (*mod.Header, error) {
	file, err := text.Parse(data)
	if err != nil {
		return nil, err
	}
	return mod.HeaderOf(file.Root, residue)
}

// ModDat returns the MOD.DAT of a header.
func ModDat(h *mod.Header) []byte { return text.Format(h.ModDat()) }

// files returns the files for the archive, with the tables if o requests them.
func (f *folder) files(o *BuildOptions) ([]pak.NewFile, *Report, error) {
	switch {
	case o.Checking:
		f.dropUnreadable(&o.Options)
	case o.KeepGoing != nil:
		f.dropBroken(o)
	case f.clashes != nil:
		return nil, nil, f.explain(f.clash(), o)
	}
	files := f.newFiles(&o.Options)
	report := &Report{Left: f.left}
	if !o.Tables {
		if !o.Checking {
			f.missTables(o.warn)
		}
		return files, report, nil
	}
	built, findings := tables.Build(f.trees(&o.Options, false), o.Base)
	for _, found := range findings {
		if found.Severity > check.Info && !o.Checking {
			o.warn(found.Path, found.Message)
		}
	}
	files = slices.DeleteFunc(files, func(file pak.NewFile) bool { return isTable(file.Path) })
	for _, name := range slices.Sorted(maps.Keys(built)) {
		data, err := raw.Encode(built[name])
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		files = append(files, pak.NewFile{Path: name, Time: f.newest(), Content: func() ([]byte, error) { return data, nil }})
		report.Tables = append(report.Tables, fmt.Sprintf("%s (%d)", strings.TrimPrefix(name, "MEDIA/"), built[name].Len()))
	}
	return files, report, nil
}

// tableOf gives the table for the files of one form in a folder.
var tableOf = []struct {
	folder string
	form   *form
	table  string
}{
	{"MEDIA/AFFIXES/", dataForm, "MEDIA/AFFIXES.RAW"},
	{"MEDIA/MISSILES/", layoutForm, "MEDIA/MISSILES.RAW"},
	{"MEDIA/LEVELSETS/", dataForm, "MEDIA/ROOMPIECES.RAW"},
	{"MEDIA/SKILLS/", dataForm, "MEDIA/SKILLS.RAW"},
	{"MEDIA/TRIGGERABLES/", dataForm, "MEDIA/TRIGGERABLES.RAW"},
	{"MEDIA/UI/", layoutForm, "MEDIA/UI.RAW"},
	{"MEDIA/UNITS/", dataForm, "MEDIA/UNITDATA.RAW"},
}

// missTables warns of missing tables.
func (f *folder) missTables(warn func(at, message string)) {
	for _, t := range tableOf {
		has := func(match func(path string) bool) bool {
			return slices.ContainsFunc(f.sources, func(s *source) bool { return match(s.path) })
		}
		if has(func(path string) bool { return path == t.table }) || !has(func(path string) bool {
			return strings.HasPrefix(path, t.folder) && formOf(path) == t.form
		}) {
			continue
		}
		warn(t.table, "is missing, so the game lacks the files in "+t.folder+" (--tables builds it)")
	}
}

// isTable reports whether a file of an archive is one of the tables that can be built.
func isTable(name string) bool { return formOf(name) == tableForm }

// newest returns the time of the latest change of a file. Tables get this time, because they are built from the files.
func (f *folder) newest() pak.Filetime {
	var t pak.Filetime
	for _, s := range f.sources {
		t = max(t, pak.FiletimeOf(s.info.ModTime()))
	}
	return t
}

// count counts the sources for the report.
func (f *folder) count(r *Report) {
	for _, s := range f.sources {
		switch {
		case s.compiled.Load():
			r.Compiled++
		case s.read.Load():
			r.AsIs++
		}
	}
}

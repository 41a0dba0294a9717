package torchlight

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"trowel.example/internal/format"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/limits/parallel"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/internal/picture"
	"trowel.example/torchlight/internal/tables"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

var (
	optionNames   = format.Option{Name: "names", Input: true, Help: "a `file` with more names, one on each line, for what compiled files have only the hash of"}
	optionGUTS    = format.Option{Name: "guts", Bool: true, Help: "write all numbers with six digits, as GUTS does, also where two then look the same (extract writes six where it is clear which number is meant)"}
	optionRaw     = format.Option{Name: "raw", Bool: true, For: format.ForTree, Help: "leave compiled files as they are"}
	optionSprites = format.Option{Name: "sprites", Bool: true, For: format.ForTree, Help: "cut the sprites of image sets out, each as a PNG in the folder SPRITES; those that are changed there go back into the picture when the mod is packed"}
	optionTables  = format.Option{Name: "tables", Bool: true, For: format.ForBuild | format.ForCheck, Help: "build the .RAW tables from the sources"}
	optionAll     = format.Option{Name: "all", Bool: true, For: format.ForBuild | format.ForCheck, Help: "pack each .PNG that has a .DDS of the same name beside it, too"}
	optionBase    = format.Option{Name: "base", For: format.ForBuild | format.ForCheck | format.ForScene, Input: true, Help: "the `path` of the game's own files, folder or archive, that units are based on"}
)

// optionSceneBase is optionBase for the scenes of single files.
var optionSceneBase = format.Option{Name: optionBase.Name, For: format.ForScene, Input: true, Help: optionBase.Help}

var torchlightMod = &format.Format{
	Name:       torchlightModName,
	Title:      "Torchlight II mod",
	Extensions: []string{".MOD"},
	Doc:        "docs/formats/torchlight-archive.md",
	Recognize:  isMod,

	RecognizeTree: moddir.Recognize,
	FileName:      moddir.FileName,
	Takes:         "a MOD.DAT and a folder MEDIA",
	Open:          openModFile,
	Build: func(_ context.Context, job *format.Job, fsys fs.FS, out format.Output) error {
		return buildArchive(job, fsys, func(fsys fs.FS, o moddir.BuildOptions) (*moddir.Report, error) {
			part, err := out.Create("")
			if err != nil {
				return nil, err
			}
			report, _, err := moddir.Build(part, fsys, o)
			return report, err
		})
	},
	CheckTree:   checkModTree,
	Dump:        dumpArchive,
	Scene:       openArchiveScene,
	HasScene:    hasScene,
	Editing:     modEditing,
	Finder:      modFinder,
	Census:      modCensus,
	Merging:     archiveMerging,
	Repair:      modRepair,
	Conversions: modConversions,
	Kinds:       archiveKinds,
	Options:     archiveOptions,
}

var torchlightPak = &format.Format{
	Name:       torchlightPakName,
	Title:      "Torchlight II archive (.PAK with .PAK.MAN)",
	Extensions: []string{".PAK", ".PAK.MAN"},
	Doc:        "docs/formats/torchlight-archive.md",
	Recognize: func(src *format.Source) bool {
		head := src.Head(maxModHead)
		if _, isList := format.CutExtension(src.Name, ".MAN"); isList {
			return pak.RecognizeManifest(head)
		}
		return pak.Sniff(head, src.Size) == pak.KindTorchlight
	},
	PartOf: func(name string) (string, bool) {
		archive, isList := format.CutExtension(name, ".MAN")
		_, isPak := format.CutExtension(archive, ".PAK")
		return archive, isList && isPak
	},

	RecognizeTree: moddir.RecognizePak,
	Open:          openPakFile,
	Build: func(_ context.Context, job *format.Job, fsys fs.FS, out format.Output) error {
		return buildArchive(job, fsys, func(fsys fs.FS, o moddir.BuildOptions) (*moddir.Report, error) {
			part, err := out.Create("")
			if err != nil {
				return nil, err
			}
			manifest, err := out.Create(".MAN")
			if err != nil {
				return nil, err
			}
			return moddir.BuildPak(part, manifest, fsys, o)
		})
	},
	CheckTree:   checkModTree,
	Dump:        dumpArchive,
	Scene:       openArchiveScene,
	HasScene:    hasScene,
	Editing:     modEditing,
	Finder:      modFinder,
	Census:      pakCensus,
	Merging:     archiveMerging,
	Repair:      modRepair,
	Conversions: pakConversions,
	Kinds:       archiveKinds,
	Options:     archiveOptions,
}

const maxModHead = 4096

const (
	torchlightModName = "torchlight-mod"
	torchlightPakName = "torchlight-pak"
)

var (
	archiveOptions = []format.Option{optionNames, optionGUTS, optionRaw, optionSprites, optionLike, optionTables, optionAll, optionBase, format.OptionClean}
	archiveKinds   = slices.Concat(pak.Catalog.Kinds(), mod.Catalog.Kinds(), moddir.Catalog.Kinds(), dat.Catalog.Kinds(), layout.Catalog.Kinds(),
		raw.Catalog.Kinds(), mpp.Catalog.Kinds(), tables.Catalog.Kinds(), text.Catalog.Kinds(),
		picture.Catalog.Kinds(), imageset.Catalog.Kinds(), modedit.Catalog.Kinds())
)

// isMod reports whether a file is a mod. A mod begins with a version and offsets, and other files may begin the same
// way. So a file without the extension .MOD must be valid as a whole.
func isMod(src *format.Source) bool {
	if !mod.Recognize(src.Head(maxModHead)) {
		return false
	}
	if src.HasExtension(".MOD") {
		return true
	}
	m, _ := mod.Open(src, src.Size)
	return m != nil
}

func openModFile(_ context.Context, job *format.Job, src *format.Source) (format.File, error) {
	m, err := openMod(job, src)
	if err != nil {
		return nil, err
	}
	a, err := newArchive(job, m.Archive, m)
	if err != nil {
		return nil, err // without this check the result would be an interface that holds a nil pointer
	}
	return a, nil
}

func openPakFile(_ context.Context, job *format.Job, src *format.Source) (format.File, error) {
	r, closer, err := openPak(job, src)
	if err != nil {
		return nil, err
	}
	a, err := newArchive(job, r, nil)
	if err != nil {
		closer.Close()
		return nil, err
	}
	a.closes(closer)
	return a, nil
}

// saved describes what can be saved from an archive that is cut off.
func saved(r *pak.Reader, unnamed int) string {
	named := len(r.Files()) - unnamed - r.Absent()
	return fmt.Sprintf("%d files are there with their names, and %d without, in %s", named, unnamed, pak.LostDir)
}

// cutOff returns the error of operations that need a complete archive.
func cutOff(src *format.Source) error {
	return fmt.Errorf("%s: is cut off: `trowel extract -k` saves what is there, and `trowel pack` makes an archive of that", src.Path)
}

// loseDamaged reads all files of an archive whose blocks are about to be copied to another archive, and reports the
// files that cannot be read.
func loseDamaged(job *format.Job, src *format.Source, r *pak.Reader) {
	files := r.Files()
	errs := make([]error, len(files))
	parallel.Each(len(files), func(i int) {
		if !files[i].Removed() {
			_, errs[i] = files[i].Content()
		}
	})
	for _, err := range errs {
		if err != nil {
			job.Lose(src.Path, "%v", err)
		}
	}
}

// openMod opens a mod, or what can be salvaged of a mod that is cut off.
func openMod(job *format.Job, src *format.Source) (*mod.Mod, error) {
	m, err := mod.Open(src, src.Size)
	if m != nil && err != nil {
		job.Lose(src.Path, "%d of %d files are not there, or not as a whole", m.Archive.Absent(), len(m.Archive.Files()))
		return m, nil
	}
	if cut := (*mod.CutError)(nil); errors.As(err, &cut) && cut.Part != "header" {
		var unnamed int
		if m, unnamed, err = mod.Salvage(src, src.Size, cut, moddir.ExtensionOf); err == nil {
			job.Lose(src.Path, "%v; %s", cut, saved(m.Archive, unnamed))
		}
	}
	if err != nil {
		return nil, fault.InFile(err, src.Path)
	}
	return m, nil
}

// openPak opens an archive by its .PAK or by its .PAK.MAN. The closer closes the other file of the two.
func openPak(job *format.Job, src *format.Source) (*pak.Reader, io.Closer, error) {
	archive, list := src, src
	var other *format.Source
	var err error
	if short, isList := format.CutExtension(src.Name, ".MAN"); isList {
		other, err = src.Beside(short)
		archive = other
	} else if err = pak.Sniff(src.Head(maxModHead), src.Size).Supported(); err == nil {
		other, err = src.Neighbor(".MAN")
		list = other
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: an archive is two files, the .PAK and the .PAK.MAN that lists what is in it", err)
	}
	if err != nil {
		return nil, nil, err
	}
	data, err := list.ReadUpTo(pak.MaxManifest)
	if err != nil {
		return nil, other, errors.Join(err, other.Close())
	}
	manifest, err := pak.DecodeManifest(data)
	if errors.Is(err, fault.ErrShort) {
		r, unnamed, err := pak.Salvage(archive, archive.Size, data, moddir.ExtensionOf)
		if err != nil {
			other.Close()
			return nil, nil, fault.InFile(err, archive.Path)
		}
		job.Lose(list.Path, "the list is cut off or damaged; %s", saved(r, unnamed))
		return r, other, nil
	}
	if err != nil {
		other.Close()
		return nil, nil, fault.InFile(err, list.Path)
	}
	r, err := pak.NewReader(archive, archive.Size, manifest)
	if r == nil {
		other.Close()
		return nil, nil, fault.InFile(err, archive.Path)
	}
	if n := r.Absent(); n > 0 {
		job.Lose(archive.Path, "the archive is cut off: of %d files %d are not there, or not as a whole", len(r.Files()), n)
	}
	return r, other, nil
}

// archive is an open mod, or an archive without a header.
type archive struct {
	reader  *pak.Reader
	mod     *mod.Mod // nil for an archive without a header
	options moddir.Options
	base    string

	mu      sync.Mutex
	closers []io.Closer // files to close together with the archive
}

func newArchive(job *format.Job, r *pak.Reader, m *mod.Mod) (*archive, error) {
	o, err := modOptions(job)
	if err != nil {
		return nil, err
	}
	return &archive{reader: r, mod: m, options: o, base: optionBase.Value(job)}, nil
}

func (a *archive) Tree(_ context.Context, job *format.Job) (fs.FS, error) {
	o := a.options
	o.Sprites = optionSprites.On(job)
	like, closer, err := likeOf(job)
	if err != nil {
		return nil, err
	}
	o.Like = like
	a.closes(closer)
	o.OnSprites = func(at string, why error) { job.Warn(at, "its sprites are not cut out: %v", why) }
	if a.mod != nil {
		return moddir.Open(a.mod, o), nil
	}
	return moddir.OpenPak(a.reader, o), nil
}

func (a *archive) Locate(ctx context.Context, tree fs.FS, places []check.Place, want func(string) bool) ([]check.Line, error) {
	return moddir.Locate(ctx, tree, places, want)
}

// closes makes Close close c too; c may be nil.
func (a *archive) closes(c io.Closer) {
	if c != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.closers = append(a.closers, c)
	}
}

func (a *archive) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var err error
	for _, c := range a.closers {
		err = errors.Join(err, c.Close())
	}
	a.closers = nil
	return err
}

func (a *archive) Check(ctx context.Context, job *format.Job, sink check.Sink) error {
	base, closer, err := openBase(job, a.base, a.options)
	if err != nil {
		return err
	}
	defer closer.Close()
	o := moddir.CheckOptions{Options: a.options, Base: base, Sources: job.Checking, OnProgress: job.Report}
	if a.mod != nil {
		moddir.CheckMod(a.mod, o, sink)
	} else {
		moddir.CheckPak(a.reader, o, sink)
	}
	return ctx.Err()
}

func (a *archive) Info(_ context.Context, _ *format.Job) (format.Info, error) {
	info := format.Info{Format: torchlightPakName}
	if a.mod != nil {
		info.Format = torchlightModName
		h := a.mod.Header
		for _, t := range []struct{ key, label, value string }{
			{"title", "title", h.Title}, {"author", "author", h.Author}, {"description", "description", h.Description},
			{"website", "website", h.Website}, {"downloadURL", "download", h.DownloadURL},
		} {
			if t.value != "" {
				info.Add(t.key, t.label, t.value)
			}
		}
		info.Add("modID", "mod id", strconv.FormatInt(h.ID, 10))
		info.Add("modVersion", "mod version", int(h.ModVersion))
		if h.Version >= 4 {
			info.Add("gameVersion", "game version", h.Game.String())
		}
		info.Add("headerVersion", "header version", int(h.Version))
		var required []string
		for _, r := range h.Required {
			required = append(required, fmt.Sprintf("%s (%d)", r.Name, r.ID))
		}
		if len(required) > 0 {
			info.Add("requiredMods", "required mods", required)
		}
	}
	manifest := a.reader.Manifest()
	info.Add("manifestVersion", "manifest version", int(manifest.Version))
	n := amountsOf(a.reader)
	info.Add("files", "files", n.files)
	kinds := slices.Sorted(maps.Keys(n.types))
	var types []format.InfoField
	for _, k := range kinds {
		types = append(types, format.Fact(k, k, n.types[k]))
	}
	info.Add("types", "of these", types)
	info.Add("removedFiles", "files it removes", n.removed)
	info.Add("inflatedSize", "inflated size (bytes)", n.size)
	return info, nil
}

// amounts are the totals of an archive.
type amounts struct {
	files, removed int
	size           int64          // in bytes, inflated
	types          map[string]int // number of files of each type
}

func amountsOf(r *pak.Reader) amounts {
	n := amounts{types: make(map[string]int)}
	for _, f := range r.Files() {
		if f.Removed() {
			n.removed++
			continue
		}
		n.files++
		n.size += int64(f.Record.Size)
		n.types[f.Record.Type.String()]++
	}
	return n
}

// modOptions returns the options that the user gave.
func modOptions(job *format.Job) (moddir.Options, error) {
	o := moddir.Options{Raw: optionRaw.On(job), Floats: floatStyle(job), Warn: func(path, message string) { job.Warn(path, "%s", message) }}
	names, err := readNames(optionNames.Value(job))
	if err == nil && names != nil {
		o.Names = hash.Known().With(names...)
	}
	return o, err
}

// buildArchive builds an archive from a folder and reports the result.
func buildArchive(job *format.Job, fsys fs.FS, build func(fs.FS, moddir.BuildOptions) (*moddir.Report, error)) error {
	o, err := modOptions(job)
	if err != nil {
		return err
	}
	base, closer, err := openBase(job, optionBase.Value(job), o)
	if err != nil {
		return err
	}
	defer closer.Close()
	bo := moddir.BuildOptions{Options: o, Checking: job.Checking, All: optionAll.On(job), Tables: optionTables.On(job), Base: base}
	left := 0
	if job.KeepGoing {
		bo.KeepGoing = func(e moddir.SourceError) {
			left++
			for _, message := range tellSource(e) {
				job.Lose("", "%s", message)
			}
		}
	}
	report, err := build(job.Clean(fsys), bo)
	var bad *moddir.SourcesError
	if errors.As(err, &bad) {
		return tellSources(job, bad)
	}
	if err != nil {
		return err
	}
	done := fmt.Sprintf("compiled %d files, took %d as they are", report.Compiled, report.AsIs)
	if report.Removed > 0 {
		done += fmt.Sprintf(", noted %d to be removed from the game", report.Removed)
	}
	if left > 0 {
		done += fmt.Sprintf(", left out %d broken", left)
	}
	job.Tell("%s", done)
	if len(report.Tables) > 0 {
		job.Tell("built tables: %s", strings.Join(report.Tables, ", "))
	}
	if len(report.Left) > 0 {
		job.Tell("left out: %s", strings.Join(report.Left, ", "))
	}
	return nil
}

// tellSource returns the problems of each line of a source that cannot be packed.
func tellSource(e moddir.SourceError) []string {
	var all []string
	for _, line := range text.AllErrors(e.Err) {
		all = append(all, check.Line{Path: e.At, Line: line.Line, Column: line.Column}.String()+": "+line.Problem())
	}
	if all == nil {
		all = []string{e.Error()}
	}
	return all
}

// tellSources reports every line that prevents a source from being packed.
func tellSources(job *format.Job, bad *moddir.SourcesError) error {
	var all []string
	for _, e := range bad.Errors {
		all = append(all, tellSource(e)...)
	}
	if len(all) == 1 {
		return errors.New(all[0])
	}
	for _, message := range all {
		job.Lose("", "%s", message)
	}
	return fmt.Errorf("nothing was made, because of %d errors; --keep-going leaves out what is broken, `edit -- repair-tags` mends tags", len(all))
}

// openBase opens the game's files: a folder or an archive.
func openBase(job *format.Job, name string, o moddir.Options) (moddir.Files, io.Closer, error) {
	if name == "" {
		return nil, io.NopCloser(nil), nil
	}
	src, err := format.OpenSource(name)
	if err != nil {
		return nil, nil, err
	}
	if src.IsDir() {
		sources, err := moddir.SourcesOf(os.DirFS(name), o)
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return sources, io.NopCloser(nil), err
	}
	if isMod(src) {
		m, err := openMod(job, src)
		if err != nil {
			return nil, nil, errors.Join(err, src.Close())
		}
		return moddir.SourcesOfArchive(m.Archive, o), src, nil
	}
	r, other, err := openPak(job, src)
	if err != nil {
		return nil, nil, errors.Join(err, src.Close())
	}
	return moddir.SourcesOfArchive(r, o), closeBoth{src, other}, nil
}

type closeBoth struct{ a, b io.Closer }

func (c closeBoth) Close() error { return errors.Join(c.a.Close(), c.b.Close()) }

// checkModTree reports findings that only the folder shows.
func checkModTree(_ context.Context, job *format.Job, fsys fs.FS, sink check.Sink) error {
	o, err := modOptions(job)
	if err != nil {
		return err
	}
	return moddir.CheckFolder(fsys, o, sink)
}

// dumpArchive reports the fields of an archive, or of the file in it that path names.
func dumpArchive(_ context.Context, job *format.Job, src *format.Source, path string, t trace.Tracer) error {
	var reader *pak.Reader
	whole := isMod(src)
	if whole {
		if m, _ := mod.Open(src, src.Size); m != nil {
			reader = m.Archive
		}
	} else {
		r, other, err := openPak(job, src)
		if err != nil {
			return err
		}
		defer other.Close()
		reader = r
	}
	if reader != nil && path != "" {
		f := reader.Find(path)
		if f == nil {
			f = reader.Find(moddir.GamePath(path)) // path is a path in the tree
		}
		if f != nil && !f.Removed() {
			return moddir.DumpFile(f, format.Inside(path, t))
		}
	}
	if whole {
		return mod.Dump(src, src.Size, t)
	}
	if _, isList := format.CutExtension(src.Name, ".MAN"); isList {
		data, err := src.ReadUpTo(pak.MaxManifest)
		if err != nil {
			return err
		}
		return pak.DumpManifest(data, t)
	}
	return pak.Dump(src, src.Size, 0, reader.Manifest(), t)
}

// gamePath returns the path in the game of a file on disk, as far as the names of its folders show it.
func gamePath(src *format.Source) string {
	full, err := filepath.Abs(src.Path)
	if err != nil || src.Path == "-" {
		return src.Name
	}
	full = filepath.ToSlash(full)
	if i := strings.LastIndex(strings.ToUpper(full), "/MEDIA/"); i >= 0 {
		return full[i+1:]
	}
	return src.Name
}

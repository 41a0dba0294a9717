package torchlight

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/internal/modinfo"
	"trowel.example/torchlight/internal/modscene"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/internal/picture"
	"trowel.example/torchlight/internal/tables"
	"trowel.example/torchlight/internal/translation"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

var (
	optionNames = format.Option{Name: "names", Access: format.Access{Input: true},
		Help: "a `file` with additional names, one on each line, for names of which compiled files contain " +
			"only the hash"}
	optionGUTS = format.Option{Name: "guts", Type: format.Bool,
		Help: "write all numbers with six digits, as GUTS does, even if two numbers then look the same (default: six " +
			"digits where they identify the number)"}
	optionRaw     = format.Option{Name: "raw", Type: format.Bool, For: format.ForTree, Help: "keep compiled files unchanged"}
	optionModels  = format.Option{Name: "models", Type: format.Bool, For: format.ForTree, Help: "show meshes and skeletons as text"}
	optionSprites = format.Option{Name: "sprites", Type: format.Bool, For: format.ForTree,
		Help: "extract the sprites of image sets, each as a PNG in the folder SPRITES; pack puts changed sprites back " +
			"into the picture"}
	optionLike = format.Option{Name: "like", For: format.ForTree,
		Help: "keep the names, and the equivalent texts, of an `earlier` file or folder (default: the folder that is replaced)"}
	optionTables = format.Option{Name: "tables", Type: format.Bool, For: format.ForBuild | format.ForCheck,
		Help: "build the .RAW tables from the sources"}
	optionNewID = format.Option{Name: "new-id", Type: format.Bool, For: format.ForBuild,
		Help: "give an ID to a mod without MOD_ID, made from its title and author"}
	optionAll = format.Option{Name: "all", Type: format.Bool, For: format.ForBuild | format.ForCheck,
		Help: "also pack each .PNG that has a .DDS of the same name next to it"}
	optionBase = format.Option{Name: "base", For: format.ForBuild | format.ForCheck | format.ForScene, Access: format.Access{Input: true},
		Help: "the `path` of the game's own files, a folder or an archive, on which units are based"}
)

// optionWith names the mods of a list that come after the checked mod.
var optionWith = format.Option{Name: "with", For: format.ForCheck, Access: format.Access{Input: true}, List: true,
	Help: "the `path` of a mod that the game loads after this one; check reports the files that it replaces"}

// optionSceneBase is optionBase for the scenes of single files.
var optionSceneBase = format.Option{Name: optionBase.Name, For: format.ForScene, Access: format.Access{Input: true}, Help: optionBase.Help}

var torchlightMod = &format.Format{
	Name:        torchlightModName,
	Title:       "Torchlight II mod",
	Doc:         "docs/formats/torchlight-archive.md",
	Recognition: format.Recognition{Extensions: []string{".MOD"}, Recognize: modsource.IsMod},
	Building: format.Building{
		RecognizeTree: moddir.Recognize,
		FileName:      moddir.FileName,
		Takes:         "a MOD.DAT and a folder MEDIA",
		Build: func(ctx context.Context, job *format.Job, fsys fs.FS, out format.Output) error {
			return buildArchive(job, fsys, func(fsys fs.FS, o moddir.BuildOptions) (*moddir.Report, error) {
				part, err := out.Create("")
				if err != nil {
					return nil, err
				}
				report, _, err := moddir.Build(ctx, part, fsys, o)
				return report, err
			})
		},
		CheckTree: checkModTree,
		New:       newMod,
	},
	Open:        openModFile,
	Dump:        modsource.Dump,
	Scene:       openArchiveScene,
	HasScene:    modscene.Has,
	Editing:     modEditing,
	Finder:      modFinder,
	Names:       namesBy(findInArchive),
	Census:      archiveCensus(openModFile),
	Merging:     archiveMerging,
	Authoring:   modAuthoring,
	Repair:      modRepair,
	Conversions: modConversions,
	Kinds:       archiveKinds,
	Options:     archiveOptions,
}

var torchlightPak = &format.Format{
	Name:  torchlightPakName,
	Title: "Torchlight II archive (.PAK with .PAK.MAN)",
	Doc:   "docs/formats/torchlight-archive.md",
	Recognition: format.Recognition{
		Extensions: []string{".PAK", ".PAK.MAN"},
		Recognize: func(src *format.Source) bool {
			head := src.Head(modsource.MaxHead)
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
	},
	Building: format.Building{
		RecognizeTree: moddir.RecognizePak,
		Build: func(ctx context.Context, job *format.Job, fsys fs.FS, out format.Output) error {
			return buildArchive(job, fsys, func(fsys fs.FS, o moddir.BuildOptions) (*moddir.Report, error) {
				part, err := out.Create("")
				if err != nil {
					return nil, err
				}
				manifest, err := out.Create(".MAN")
				if err != nil {
					return nil, err
				}
				return moddir.BuildPak(ctx, part, manifest, fsys, o)
			})
		},
		CheckTree: checkModTree,
	},
	Open:        openPakFile,
	Dump:        modsource.Dump,
	Scene:       openArchiveScene,
	HasScene:    modscene.Has,
	Editing:     modEditing,
	Finder:      modFinder,
	Names:       namesBy(findInArchive),
	Census:      archiveCensus(openPakFile),
	Merging:     archiveMerging,
	Authoring:   modAuthoring,
	Repair:      modRepair,
	Conversions: pakConversions,
	Kinds:       archiveKinds,
	Options:     archiveOptions,
}

const (
	torchlightModName = "torchlight-mod"
	torchlightPakName = "torchlight-pak"
)

var (
	archiveOptions = slices.Concat([]format.Option{optionNames, optionGUTS, optionRaw, optionModels, optionSprites, optionLike, optionTables,
		optionNewID, optionAll, optionBase, optionWith, format.OptionClean}, cardOptions, modelOptions)
	archiveKinds = slices.Concat(pak.Catalog.Kinds(), mod.Catalog.Kinds(), moddir.Catalog.Kinds(),
		dat.Catalog.Kinds(), layout.Catalog.Kinds(),
		raw.Catalog.Kinds(), mpp.Catalog.Kinds(), tables.Catalog.Kinds(), text.Catalog.Kinds(),
		picture.Catalog.Kinds(), ogre.Catalog.Kinds(), ogre.ScriptCatalog.Kinds(), ogre.AnimationCatalog.Kinds(),
		translation.Catalog.Kinds(),
		imageset.Catalog.Kinds(), modedit.Catalog.Kinds())
)

// archive is an open mod, or an archive without a header.
type archive struct {
	reader  *pak.Reader
	mod     *mod.Mod // nil for an archive without a header
	options moddir.Options
	base    string
	with    []string // mods that the game loads later

	mu      sync.Mutex
	closers []io.Closer // files to close together with the archive
}

func openModFile(_ context.Context, job *format.Job, src *format.Source) (format.File, error) {
	m, err := modsource.OpenMod(job, src)
	if err != nil {
		return nil, err
	}
	return newArchive(job, m.Archive, m, nil)
}

func openPakFile(_ context.Context, job *format.Job, src *format.Source) (format.File, error) {
	r, other, err := modsource.OpenPak(job, src)
	if err != nil {
		return nil, err
	}
	return newArchive(job, r, nil, other)
}

// newArchive returns an open archive that closes other, which may be nil.
func newArchive(job *format.Job, r *pak.Reader, m *mod.Mod, other io.Closer) (format.File, error) {
	o, err := modOptions(job)
	a := &archive{reader: r, mod: m, options: o, base: optionBase.Value(job), with: optionWith.Values(job)}
	a.closes(other)
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func (a *archive) Tree(_ context.Context, job *format.Job) (fs.FS, error) {
	o := a.options
	o.Sprites = optionSprites.On(job)
	like, closer, err := modsource.OpenLike(optionLike.Value(job), job)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", optionLike.Name, err)
	}
	o.Like = like
	a.closes(closer)
	o.OnSprites = func(at string, why error) {
		const what = "its sprites are not extracted: %v"
		if errors.Is(why, effort.ErrMet) {
			job.Miss(at, what, why)
		} else {
			job.Warn(at, what, why)
		}
	}
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
	base, closer, err := modsource.OpenBase(job, a.base, a.options)
	if err != nil {
		return err
	}
	defer closer.Close()
	o := moddir.CheckOptions{Options: a.options, Base: base, Sources: job.Checking, OnProgress: job.Report}
	for _, name := range a.with {
		m, err := modsource.Open(job, name, a.options)
		if err != nil {
			return err
		}
		defer m.Close()
		h, err := m.Header()
		if err != nil {
			return err
		}
		other := moddir.Other{Name: filepath.Base(name), Files: m.Files}
		if h != nil {
			other.Removed = h.Removed
		}
		o.With = append(o.With, other)
	}
	if a.mod != nil {
		moddir.CheckMod(a.mod, o, sink)
	} else {
		moddir.CheckPak(a.reader, o, sink)
	}
	return ctx.Err()
}

func (a *archive) Info(_ context.Context, _ *format.Job) (format.Info, error) {
	name := torchlightPakName
	if a.mod != nil {
		name = torchlightModName
	}
	return format.Info{Format: name, Fields: modinfo.OfArchive(a.reader, a.mod)}, nil
}

// modOptions returns the options that the user gave.
func modOptions(job *format.Job) (moddir.Options, error) {
	o := moddir.Options{Raw: optionRaw.On(job), Models: optionModels.On(job), Floats: floatStyle(job),
		Warn: func(path, message string) { job.Warn(path, "%s", message) }}
	names, err := modsource.ReadNames(optionNames.Value(job))
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
	base, closer, err := modsource.OpenBase(job, optionBase.Value(job), o)
	if err != nil {
		return err
	}
	defer closer.Close()
	bo := moddir.BuildOptions{Options: o, Checking: job.Checking, All: optionAll.On(job), Tables: optionTables.On(job), Base: base,
		NewID: optionNewID.On(job)}
	left := 0
	if job.KeepGoing {
		bo.KeepGoing = func(e moddir.SourceError) {
			left++
			loseAll(job, e.Problems())
		}
	}
	report, err := build(job.Clean(fsys), bo)
	var bad *moddir.SourcesError
	if errors.As(err, &bad) {
		problems := bad.Problems()
		if len(problems) == 1 {
			return errors.New(problems[0])
		}
		loseAll(job, problems)
		return fmt.Errorf("nothing was built: correct %s (--keep-going leaves out broken files, `edit -- repair-tags` "+
			"repairs tags)", words.Count(len(problems), "error"))
	}
	if err != nil {
		return err
	}
	done := fmt.Sprintf("compiled %s, copied %d unchanged", words.Count(report.Compiled, "file"), report.AsIs)
	if report.Removed > 0 {
		done += fmt.Sprintf(", listed %d to remove from the game", report.Removed)
	}
	if left > 0 {
		done += fmt.Sprintf(", left out %d broken", left)
	}
	job.Done("%s", done)
	if len(report.Tables) > 0 {
		job.Done("built tables: %s", strings.Join(report.Tables, ", "))
	}
	if len(report.Left) > 0 {
		job.Done("left out: %s", strings.Join(report.Left, ", "))
	}
	return nil
}

func loseAll(job *format.Job, problems []string) {
	for _, p := range problems {
		job.Lose("", "%s", p)
	}
}

// checkModTree reports findings that only the folder shows.
func checkModTree(_ context.Context, job *format.Job, fsys fs.FS, sink check.Sink) error {
	o, err := modOptions(job)
	if err != nil {
		return err
	}
	return moddir.CheckFolder(fsys, o, sink)
}

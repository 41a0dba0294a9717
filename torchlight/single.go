package torchlight

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/internal/modinfo"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/internal/translation"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

// dataKinds are the findings about data files.
var dataKinds = slices.Concat(dat.Catalog.Kinds(), ogre.AnimationCatalog.Kinds(), translation.Catalog.Kinds())

// The formats of single files of a mod.

var (
	torchlightData = compiledFormat("torchlight-dat", "Torchlight II data file, compiled", "docs/formats/torchlight-dat.md",
		[]string{".BINDAT"}, dataKinds, modinfo.OfData)
	torchlightADM = compiledFormat("torchlight-adm", "Torchlight data file or layout, compiled", "docs/formats/torchlight-dat.md",
		[]string{moddir.ADM}, dataKinds, modinfo.OfData)
	torchlightLayout = compiledFormat(torchlightLayoutName, "Torchlight II layout, compiled", "docs/formats/torchlight-layout.md",
		[]string{".BINLAYOUT"}, layout.Catalog.Kinds(), modinfo.OfLayout)
	torchlightRaw = compiledFormat("torchlight-raw", "Torchlight II table", "docs/formats/torchlight-tables.md",
		[]string{".RAW"}, raw.Catalog.Kinds(), modinfo.OfTable)
	torchlightGrid = compiledFormat("torchlight-mpp", "Torchlight II pathing grid", "docs/formats/torchlight-tables.md",
		[]string{".MPP"}, mpp.Catalog.Kinds(), modinfo.OfGrid)
)

// compiledFormat returns the format of a kind of single compiled files.
func compiledFormat(name, title, doc string, extensions []string, kinds []*check.Kind,
	info func([]byte, string) ([]format.InfoField, error)) *format.Format {
	f := &format.Format{Name: name, Title: title, Doc: doc, Recognition: format.Recognition{Extensions: extensions}, Kinds: kinds,
		Options: []format.Option{optionNames, optionGUTS, format.OptionClean}}
	f.Recognize = func(src *format.Source) bool {
		// The first bytes are not conclusive: the whole file must be valid.
		if src.Size > effort.TextFile.Limit(0) || !moddir.MayBeCompiled(src.Head(modsource.MaxHead), src.Name) {
			return false
		}
		data, err := src.ReadUpTo(effort.TextFile)
		return err == nil && moddir.CompiledFormat(data, src.Name) == name
	}
	f.RecognizeTree = func(fsys fs.FS) bool { return moddir.RecognizeSingle(fsys) == name }
	f.Open = func(_ context.Context, job *format.Job, src *format.Source) (format.File, error) {
		data, err := src.ReadUpTo(effort.TextFile)
		if err != nil {
			return nil, err
		}
		o, err := modOptions(job)
		if err != nil {
			return nil, err
		}
		return &compiledFile{f, src, data, o, info}, nil
	}
	f.Build = func(_ context.Context, job *format.Job, fsys fs.FS, out format.Output) error {
		o, err := modOptions(job)
		if err != nil {
			return err
		}
		data, err := moddir.BuildSingle(job.Clean(fsys), o)
		if err != nil {
			return err
		}
		return format.Write(out, data)
	}
	f.Dump = func(_ context.Context, _ *format.Job, src *format.Source, _ string, t trace.Tracer) error {
		data, err := src.ReadUpTo(effort.TextFile)
		if err != nil {
			return err
		}
		return moddir.Dump(data, modsource.GamePath(src), t)
	}
	f.Conversions = []format.Conversion{{
		To: "source", Title: "the editable form: text, JSON or a picture", Extension: ".txt",
		Rename: moddir.FormName, Usual: true,
		Convert: func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
			return convertSingle(job, src, out, moddir.Decompile)
		},
	}}
	switch name {
	case "torchlight-dat", "torchlight-adm", torchlightLayoutName:
		f.Editing, f.Finder, f.Merging = singleEditing, singleFinder, singleMerging
		f.Census = singleCensus(f.Open)
	}
	if name == "torchlight-dat" {
		f.Repair = singleRepair
		f.Kinds = slices.Concat(f.Kinds, modedit.Catalog.Kinds())
	}
	switch name {
	case "torchlight-dat", "torchlight-adm":
		f.Scene = openScene
		f.Options = slices.Concat(f.Options, []format.Option{optionSceneBase}, modelOptions)
		f.Conversions = append(append(f.Conversions, modelConversion), textConversions(openSingle)...)
	case "torchlight-mpp", torchlightLayoutName:
		f.Scene = openScene
		f.Options = append(f.Options, optionSceneBase)
	}
	return f
}

const (
	torchlightLayoutName = "torchlight-layout"
	torchlightSourceName = "torchlight-source"
	torchlightAssetName  = "torchlight-asset"
)

func convertSingle(job *format.Job, src *format.Source, out format.Output,
	convert func([]byte, string, moddir.Options) ([]byte, error)) error {
	data, err := src.ReadUpTo(effort.TextFile)
	if err != nil {
		return err
	}
	o, err := modOptions(job)
	if err != nil {
		return err
	}
	made, err := convert(data, modsource.GamePath(src), o)
	if err != nil {
		return fault.InFile(err, src.Path)
	}
	return format.Write(out, made)
}

// compiledFile is an open compiled file.
type compiledFile struct {
	format  *format.Format
	src     *format.Source
	data    []byte
	options moddir.Options
	info    func(data []byte, name string) ([]format.InfoField, error)
}

func (f *compiledFile) Tree(_ context.Context, job *format.Job) (fs.FS, error) {
	t, err := moddir.OpenSingle(f.data, modsource.GamePath(f.src), f.format.Name, f.options)
	return t, fault.InFile(err, f.src.Path)
}

func (f *compiledFile) Info(_ context.Context, _ *format.Job) (format.Info, error) {
	fields, err := f.info(f.data, modsource.GamePath(f.src))
	return format.Info{Format: f.format.Name, Fields: fields}, fault.InFile(err, f.src.Path)
}

func (f *compiledFile) Check(_ context.Context, _ *format.Job, sink check.Sink) error {
	moddir.CheckSingle(f.data, modsource.GamePath(f.src), f.options, sink)
	return nil
}

func (f *compiledFile) Locate(ctx context.Context, tree fs.FS, places []check.Place, want func(string) bool) ([]check.Line, error) {
	return moddir.Locate(ctx, tree, places, want)
}

func (f *compiledFile) Close() error { return nil }

// torchlightSource is the editable form of a compiled file.
var torchlightSource = &format.Format{
	Name:   torchlightSourceName,
	Title:  "Torchlight II source file",
	Common: true,
	Doc:    "docs/formats/torchlight-dat.md",
	Recognition: format.Recognition{
		Extensions: []string{".RAW.json", ".MPP.pgm", ".mesh.txt", ".skeleton.txt"},
		Recognize:  func(src *format.Source) bool { return text.Recognize(src.Head(modsource.MaxHead)) },
	},
	Scene:   openScene,
	Editing: singleEditing,
	Finder:  singleFinder,
	Names:   namesBy(findInSingle),
	Merging: singleMerging,
	Repair:  singleRepair,
	Census:  singleCensus(openSourceFile),
	Open:    openSourceFile,
	Building: format.Building{
		RecognizeTree: func(fsys fs.FS) bool { return moddir.RecognizeSingle(fsys) == torchlightSourceName },
		Build:         format.BuildOf(moddir.BuildAsIs),
	},
	Conversions: append([]format.Conversion{{
		To: "compiled", Title: "the compiled form that the game reads: .BINDAT, .BINLAYOUT, .RAW, .MPP, .MESH or .SKELETON", Extension: ".BINDAT",
		Rename: moddir.CompiledName, Usual: true,
		Convert: func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
			return convertSingle(job, src, out, moddir.Compile)
		},
	}, {
		To: torchlightADM.Name, Title: "the compiled form that the first Torchlight reads: .ADM", Extension: moddir.ADM,
		Rename: func(name string) string { return name + moddir.ADM },
		Convert: func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
			return convertSingle(job, src, out, func(content []byte, name string, o moddir.Options) ([]byte, error) {
				return moddir.Compile(content, name+moddir.ADM, o)
			})
		},
	}, modelConversion}, textConversions(openSingle)...),
	Kinds: slices.Concat(moddir.Catalog.Kinds(), text.Catalog.Kinds(), layout.Catalog.Kinds(), ogre.Catalog.Kinds(),
		ogre.AnimationCatalog.Kinds(),
		translation.Catalog.Kinds(), modedit.Catalog.Kinds()),
	Options: append([]format.Option{optionNames, optionSceneBase}, modelOptions...),
}

func openSourceFile(_ context.Context, job *format.Job, src *format.Source) (format.File, error) {
	data, err := src.ReadUpTo(effort.TextFile)
	if err != nil {
		return nil, err
	}
	o, err := modOptions(job)
	return &sourceFile{src, data, o}, err
}

// sourceFile is an open source file. Its tree contains only the file itself.
type sourceFile struct {
	src     *format.Source
	data    []byte
	options moddir.Options
}

func (f *sourceFile) Tree(_ context.Context, _ *format.Job) (fs.FS, error) {
	return moddir.OpenAsIs(f.data, f.src.Name, torchlightSourceName), nil
}

func (f *sourceFile) Info(_ context.Context, _ *format.Job) (format.Info, error) {
	fields, err := modinfo.OfSource(f.data)
	return format.Info{Format: torchlightSourceName, Fields: fields}, fault.InFile(err, f.src.Path)
}

func (f *sourceFile) Check(_ context.Context, _ *format.Job, sink check.Sink) error {
	moddir.CheckForm(f.data, modsource.GamePath(f.src), f.options, sink)
	return nil
}

func (f *sourceFile) Locate(ctx context.Context, tree fs.FS, places []check.Place, want func(string) bool) ([]check.Line, error) {
	return moddir.Locate(ctx, tree, places, want)
}

func (f *sourceFile) Close() error { return nil }

// torchlightAsset is any other file of a mod whose format is partly known.
var torchlightAsset = &format.Format{
	Name:   torchlightAssetName,
	Title:  "sound",
	Common: true, // there is little to report about them
	Doc:    "docs/formats/torchlight-tables.md",
	Recognition: format.Recognition{
		Extensions: []string{".wav", ".ogg"},
		Recognize: func(src *format.Source) bool {
			if src.IsDir() {
				return false
			}
			_, known := modinfo.PictureInfo(src.Name, src.Head(modsource.MaxHead))
			return known
		},
	},
	Building: format.Building{
		RecognizeTree: func(fsys fs.FS) bool { return moddir.RecognizeSingle(fsys) == torchlightAssetName },
		Build:         format.BuildOf(moddir.BuildAsIs),
	},
	Open: func(_ context.Context, _ *format.Job, src *format.Source) (format.File, error) {
		return &asIsFile{src, torchlightAssetName}, nil
	},
}

// asIsFile is an open file whose tree contains only the file itself.
type asIsFile struct {
	src    *format.Source
	format string // its format's name
}

func (f *asIsFile) Tree(_ context.Context, _ *format.Job) (fs.FS, error) {
	data, err := f.src.ReadUpTo(effort.TextFile)
	return moddir.OpenAsIs(data, f.src.Name, f.format), err
}

func (f *asIsFile) Info(context.Context, *format.Job) (format.Info, error) {
	info := format.Info{Format: f.format}
	data, err := f.src.ReadUpTo(effort.TextFile)
	if err != nil {
		return info, err
	}
	if info.Fields, err = modinfo.OfAsset(f.src.Name, data); err != nil {
		err = fmt.Errorf("%s: %w", f.src.Path, err)
	}
	return info, err
}

func (f *asIsFile) Check(context.Context, *format.Job, check.Sink) error { return nil }
func (f *asIsFile) Close() error                                         { return nil }

func (f *asIsFile) Locate(ctx context.Context, tree fs.FS, places []check.Place, want func(string) bool) ([]check.Line, error) {
	return moddir.Locate(ctx, tree, places, want)
}

package torchlight

import (
	"context"
	"io/fs"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/modinfo"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/moddir"
)

// Single files of models.

const (
	torchlightModelName    = "torchlight-model"
	torchlightMaterialName = "torchlight-material"
)

// torchlightModel is a mesh or a skeleton. Its first bytes are conclusive, so that damaged ones are reported.
var torchlightModel = func() *format.Format {
	f := compiledFormat(torchlightModelName, "OGRE mesh or skeleton", "docs/formats/torchlight-models.md",
		[]string{".mesh", ".skeleton"}, ogre.Catalog.Kinds(), modinfo.OfModel)
	f.Recognize = func(src *format.Source) bool { return !src.IsDir() && ogre.Recognize(src.Head(modsource.MaxHead)) }
	return f
}()

// torchlightMaterial is a material script, a text.
var torchlightMaterial = &format.Format{
	Name:       torchlightMaterialName,
	Title:      "OGRE material script",
	Extensions: []string{".material"},
	Common:     true,
	Doc:        "docs/formats/torchlight-models.md",
	Recognize: func(src *format.Source) bool {
		return !src.IsDir() && src.HasExtension(".material")
	},
	RecognizeTree: func(fsys fs.FS) bool { return moddir.RecognizeSingle(fsys) == torchlightMaterialName },
	Build:         format.BuildOf(moddir.BuildAsIs),
	Open: func(_ context.Context, _ *format.Job, src *format.Source) (format.File, error) {
		return &materialFile{asIsFile{src, torchlightMaterialName}}, nil
	},
	Kinds: ogre.ScriptCatalog.Kinds(),
}

// materialFile is an open material script.
type materialFile struct{ asIsFile }

func (f *materialFile) Info(context.Context, *format.Job) (format.Info, error) {
	info := format.Info{Format: f.format}
	data, err := f.src.ReadUpTo(modsource.MaxSize)
	if err == nil {
		info.Fields, err = modinfo.OfMaterials(data)
	}
	return info, fault.InFile(err, f.src.Path)
}

func (f *materialFile) Check(_ context.Context, _ *format.Job, sink check.Sink) error {
	data, err := f.src.ReadUpTo(modsource.MaxSize)
	if err == nil {
		ogre.CheckScript(data, sink)
	}
	return err
}

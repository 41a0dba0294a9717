package torchlight

import (
	"context"
	"io/fs"
	"path"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/picture/gltf"
	"trowel.example/torchlight/internal/modinfo"
	"trowel.example/torchlight/internal/modscene"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/moddir"
)

// Single files of models.

const (
	torchlightModelName    = "torchlight-model"
	torchlightMaterialName = "torchlight-material"
)

// optionAnim names animations of models, for pictures and for conversions.
var (
	optionAnim  = format.Option{Name: "anim", For: format.ForScene, List: true, Help: helpAnim}
	optionAnims = format.Option{Name: optionAnim.Name, List: true, Help: helpAnim}
)

const helpAnim = "the `name` of an animation of a mesh, or none; may be given several times for --to glb (default: all; for pictures the " +
	"first that begins with IDLE, else the first)"

// modelConversion makes a glTF model of a mesh.
var modelConversion = format.Conversion{
	To: "glb", Title: "a glTF model of a mesh, with its textures, skeleton and animations", Extension: ".glb",
	Options: []format.Option{optionAnims, optionEditBase},
	Rename:  func(name string) string { return strings.TrimSuffix(name, path.Ext(name)) + ".glb" },
	Convert: func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
		base, closer, err := modsource.OpenBase(job, optionBase.Value(job), moddir.Options{})
		if err != nil {
			return err
		}
		defer closer.Close()
		m, lacks, err := modscene.Model(src, base, optionAnims.Values(job))
		if err != nil {
			return err
		}
		for _, l := range lacks {
			job.Warn(src.Path, "%s %s: %s", l.Kind, l.Name, l.What)
		}
		w, err := out.Create("")
		if err != nil {
			return err
		}
		return gltf.Write(w, m)
	},
}

// torchlightModel is a mesh or a skeleton. Its first bytes are conclusive, so that damaged ones are reported.
var torchlightModel = func() *format.Format {
	f := compiledFormat(torchlightModelName, "OGRE mesh or skeleton", "docs/formats/torchlight-models.md",
		[]string{".mesh", ".skeleton"}, ogre.Catalog.Kinds(), modinfo.OfModel)
	f.Recognize = func(src *format.Source) bool { return !src.IsDir() && ogre.Recognize(src.Head(modsource.MaxHead)) }
	f.Scene = openScene
	f.Options = append(f.Options, optionSceneBase, optionAnim)
	f.Conversions = append(f.Conversions, modelConversion)
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

package torchlight

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
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

// The options of models, for pictures and for conversions.
var (
	optionAnim = format.Option{Name: modscene.AnimOption, For: format.ForScene,
		Drawing: format.Drawing{Title: "Animation", Chosen: true}, List: true, Help: helpAnim}
	optionAnims = format.Option{Name: optionAnim.Name, List: true, Help: helpAnim}
	optionMesh  = format.Option{Name: modscene.MeshOption, For: format.ForScene, Drawing: format.Drawing{Chosen: true}, Help: helpMesh}
	optionOther = format.Option{Name: optionMesh.Name, Help: helpMesh}
	optionUnit  = format.Option{Name: "unit", Help: "the `path` of a unit (.DAT) or a mesh (.MESH) in the mod"}
)

const (
	helpAnim = "the `name` of an animation of a model, or none; may be given several times for --to glb (default: all; for pictures the " +
		"first that begins with IDLE, else the first)"
	helpMesh = "the `name` of another mesh of a unit, one of its MESHFILES (default: its MESHFILE)"
)

// modelOptions are the options of scenes of models.
var modelOptions = []format.Option{optionAnim, optionMesh}

const modelTitle = "a glTF model with its textures, skeleton and animations"

// modelConversion makes a glTF model of a mesh or a unit.
var modelConversion = format.Conversion{
	To: "glb", Title: modelTitle, Extension: ".glb",
	Options: []format.Option{optionAnims, optionOther, optionEditBase},
	Rename: func(name string) string {
		for _, extension := range []string{moddir.ADM, ".BINDAT", ".txt"} {
			name, _ = format.CutExtension(name, extension)
		}
		return strings.TrimSuffix(name, path.Ext(name)) + ".glb"
	},
	Convert: func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
		base, closer, err := modsource.OpenBase(job, optionBase.Value(job), moddir.Options{})
		if err != nil {
			return err
		}
		defer closer.Close()
		m, lacks, err := modscene.Model(src, base, optionAnims.Values(job), modscene.Options{Mesh: optionOther.Value(job)})
		return writeModel(job, src.Path, m, lacks, out, err)
	},
}

// modModelConversion makes a glTF model of a mesh or a unit of a mod.
var modModelConversion = format.Conversion{
	To: modelConversion.To, Title: modelTitle + ", of a mesh or unit of the mod", Extension: modelConversion.Extension,
	Options: append([]format.Option{optionUnit}, modelConversion.Options...),
	Convert: func(ctx context.Context, job *format.Job, src *format.Source, out format.Output) error {
		at := optionUnit.Value(job)
		if at == "" {
			return fmt.Errorf("choose a unit or a mesh of the mod with --%s (`trowel ls` lists the files)", optionUnit.Name)
		}
		a, closer, err := openArchive(ctx, job, src)
		if err != nil {
			return err
		}
		defer closer.Close()
		m, lacks, err := a.Model(at, optionAnims.Values(job), modscene.Options{Mesh: optionOther.Value(job)})
		return writeModel(job, at, m, lacks, out, err)
	},
}

// writeModel writes a model, and reports what it lacks.
func writeModel(job *format.Job, name string, m *gltf.Model, lacks []format.Missing, out format.Output, err error) error {
	if err != nil {
		return err
	}
	for _, l := range lacks {
		report := job.Warn
		if l.Loss {
			report = job.Miss
		}
		report(name, "%s %s: %s", l.Kind, l.Name, l.What)
	}
	w, err := out.Create("")
	if err != nil {
		return err
	}
	return gltf.Write(w, m)
}

// torchlightModel is a mesh or a skeleton. Its first bytes are conclusive, so that damaged ones are reported.
var torchlightModel = func() *format.Format {
	f := compiledFormat(torchlightModelName, "Torchlight II mesh or skeleton", "docs/formats/torchlight-models.md",
		[]string{".mesh", ".skeleton"}, ogre.Catalog.Kinds(), modinfo.OfModel)
	f.Recognize = func(src *format.Source) bool { return !src.IsDir() && ogre.Recognize(src.Head(modsource.MaxHead)) }
	f.Scene = openScene
	f.Options = slices.Concat(f.Options, []format.Option{optionSceneBase}, modelOptions)
	f.Conversions = append(f.Conversions, modelConversion)
	return f
}()

// torchlightMaterial is a material script, a text.
var torchlightMaterial = &format.Format{
	Name:   torchlightMaterialName,
	Title:  "Torchlight II material script",
	Common: true,
	Doc:    "docs/formats/torchlight-models.md",
	Recognition: format.Recognition{
		Extensions: []string{".material"},
		Recognize: func(src *format.Source) bool {
			return !src.IsDir() && src.HasExtension(".material")
		},
	},
	Building: format.Building{
		RecognizeTree: func(fsys fs.FS) bool { return moddir.RecognizeSingle(fsys) == torchlightMaterialName },
		Build:         format.BuildOf(moddir.BuildAsIs),
	},
	Open: func(_ context.Context, _ *format.Job, src *format.Source) (format.File, error) {
		return &materialFile{asIsFile{src, torchlightMaterialName}}, nil
	},
	Kinds: ogre.ScriptCatalog.Kinds(),
}

// materialFile is an open material script.
type materialFile struct{ asIsFile }

func (f *materialFile) Info(context.Context, *format.Job) (format.Info, error) {
	info := format.Info{Format: f.format}
	data, err := f.src.ReadUpTo(effort.TextFile)
	if err == nil {
		info.Fields, err = modinfo.OfMaterials(data)
	}
	return info, fault.InFile(err, f.src.Path)
}

func (f *materialFile) Check(_ context.Context, _ *format.Job, sink check.Sink) error {
	data, err := f.src.ReadUpTo(effort.TextFile)
	if err == nil {
		ogre.CheckScript(data, sink)
	}
	return err
}

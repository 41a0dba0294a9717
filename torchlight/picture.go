package torchlight

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/picture/pixel"
	"trowel.example/torchlight/dds"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/internal/modscene"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/internal/picture"
	"trowel.example/torchlight/moddir"
	"trowel.example/trace"
)

// Single pictures.

var (
	optionCodec = format.Option{Name: "codec", Choices: []string{"plain", "dxt1", "dxt3", "dxt5"},
		Help: "how a .DDS stores pixels: plain, which is lossless, or in blocks as dxt1, dxt3 or dxt5 (default: like " +
			"the .DDS from which the .PNG was made, otherwise plain)"}
	optionFresh = format.Option{Name: "fresh-header", Type: format.Bool,
		Help: "write a new header of a .DDS, not the header of the .DDS from which the .PNG was made"}
	optionRLE = format.Option{Name: "rle", Type: format.Bool, Help: "write a .TGA with run lengths, which is smaller"}

	codecs = map[string]dds.Format{"plain": dds.Plain, "dxt1": dds.DXT1, "dxt3": dds.DXT3, "dxt5": dds.DXT5}
)

var (
	torchlightDDS  = pictureFormat("torchlight-dds", "DirectDraw surface", picture.DDS, []string{".dds"}, toPNG, toTGA)
	torchlightTGA  = pictureFormat("torchlight-tga", "Targa picture", picture.TGA, []string{".tga"}, toPNG, toDDS)
	torchlightPNG  = pictureFormat("torchlight-png", "PNG picture", picture.PNG, []string{".png"}, toDDS, toTGA)
	torchlightJPEG = pictureFormat("torchlight-jpeg", "JPEG picture", picture.JPEG, []string{".jpg", ".jpeg"}, toPNG, toDDS, toTGA)
)

var (
	toPNG = pictureConversion(picture.PNG, "a PNG, which preserves the header of a .DDS for the conversion back", ".png")
	toDDS = pictureConversion(picture.DDS, "a .DDS, as the game reads it: with all pixels, or in blocks by --codec",
		".dds", optionCodec, optionFresh)
	toTGA = pictureConversion(picture.TGA, "a .TGA", ".tga", optionRLE)
)

// pictureFormat returns the format of a kind of pictures. The first conversion is the usual one.
func pictureFormat(name, title string, kind picture.Kind, extensions []string, conversions ...format.Conversion) *format.Format {
	conversions[0].Usual = true
	return &format.Format{
		Name: name, Title: title,
		Doc:    "docs/formats/torchlight-pictures.md",
		Common: kind == picture.PNG || kind == picture.JPEG,
		Recognition: format.Recognition{
			Extensions: extensions,
			Recognize: func(src *format.Source) bool {
				return !src.IsDir() && picture.KindOf(src.Name, src.Head(modsource.MaxHead)) == kind
			},
		},
		Building: format.Building{
			RecognizeTree: func(fsys fs.FS) bool { return moddir.RecognizeSingle(fsys) == name },
			Build:         format.BuildOf(moddir.BuildAsIs),
		},
		Open: func(_ context.Context, _ *format.Job, src *format.Source) (format.File, error) {
			return &pictureFile{asIsFile{src, name}, picture.Check}, nil
		},
		Dump: func(_ context.Context, _ *format.Job, src *format.Source, _ string, t trace.Tracer) error {
			data, err := src.ReadUpTo(effort.TextFile)
			if err != nil {
				return err
			}
			return picture.Dump(src.Name, data, t)
		},
		Scene:       openScene,
		Kinds:       picture.Catalog.Kinds(),
		Conversions: conversions,
	}
}

// pictureFile is an open file with a check; its tree contains only the file itself.
type pictureFile struct {
	asIsFile
	check func(name string, data []byte, sink check.Sink)
}

func (f *pictureFile) Check(_ context.Context, _ *format.Job, sink check.Sink) error {
	data, err := f.src.ReadUpTo(effort.TextFile)
	if err == nil {
		f.check(f.src.Name, data, sink)
	}
	return err
}

func pictureConversion(to picture.Kind, title, extension string, options ...format.Option) format.Conversion {
	return format.Conversion{
		To: string(to), Title: title, Extension: extension, Options: options,
		Rename: func(name string) string {
			if i := strings.LastIndexByte(name, '.'); i > 0 {
				name = name[:i]
			}
			return name + extension
		},
		Convert: func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
			data, err := src.ReadUpTo(effort.TextFile)
			if err != nil {
				return err
			}
			o := picture.Options{RLE: optionRLE.On(job), Fresh: optionFresh.On(job)}
			if codec, ok := codecs[optionCodec.Value(job)]; ok {
				o.Codec = &codec
			}
			made, err := picture.Convert(src.Name, data, to, o)
			if err != nil {
				return fault.InFile(err, src.Path)
			}
			if made.Left != "" {
				job.Warn(src.Path, "left out: %s", made.Left)
			}
			if made.Lossy {
				what := "DXT blocks cannot represent all colours"
				if made.Like != nil {
					what = fmt.Sprintf("the format is %v again, like the .DDS from which the .PNG was made", made.Like.Format)
				}
				job.Warn(src.Path, "some pixels have changed: %s (--%s plain is lossless)", what, optionCodec.Name)
			}
			return format.Write(out, made.Data)
		},
	}
}

// torchlightImageSet is a list of sprites.
var torchlightImageSet = &format.Format{
	Name: torchlightImageSetName, Title: "CEGUI image set",
	Common: true,
	Doc:    "docs/formats/torchlight-pictures.md",
	Recognition: format.Recognition{
		Extensions: []string{".imageset"},
		Recognize: func(src *format.Source) bool {
			return !src.IsDir() && src.HasExtension(".imageset") && imageset.Recognize(src.Head(modsource.MaxHead))
		},
	},
	Building: format.Building{
		RecognizeTree: func(fsys fs.FS) bool { return moddir.RecognizeSingle(fsys) == torchlightImageSetName },
		Build:         format.BuildOf(moddir.BuildAsIs),
	},
	Open:        openImageSet,
	Census:      singleCensus(openImageSet),
	Scene:       openScene,
	Kinds:       imageset.Catalog.Kinds(),
	Conversions: []format.Conversion{toSprites},
}

// toSprites cuts the picture of an image set into its sprites.
var toSprites = format.Conversion{
	To: string(picture.PNG), Title: "a folder with each sprite as a PNG, from which `edit -- add-icons` makes an image set again",
	Folder: true, Options: []format.Option{optionEditBase},
	Rename: func(name string) string { return strings.TrimSuffix(name, path.Ext(name)) },
	Convert: func(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
		base, closer, err := modsource.OpenBase(job, optionEditBase.Value(job), moddir.Options{})
		if err != nil {
			return err
		}
		defer closer.Close()
		set, sheet, err := modscene.Sheet(src, base)
		if set == nil {
			return err
		}
		if err != nil {
			job.Lose(src.Path, "%v", err)
		}
		dir, err := out.Dir()
		if err != nil {
			return err
		}
		return writeSprites(job, src, set, sheet, dir)
	},
}

// writeSprites writes the sprites of an image set to an empty folder. Sprites outside of the picture are reported as lost.
func writeSprites(job *format.Job, src *format.Source, set *imageset.Set, sheet *image.NRGBA, dir string) error {
	have := make(map[string]bool)
	for _, sprite := range set.Sprites {
		name := safename.Escape(sprite.Name)
		key := safename.Fold(name)
		cut := sprite.Cut(sheet)
		switch {
		case have[key]: // the game uses one of them
			job.Warn(src.Path, "line %d: left out a second sprite with the name %q", sprite.Line, sprite.Name)
			continue
		case sprite.Name == "":
			job.Warn(src.Path, "line %d: left out a sprite without a name", sprite.Line)
			continue
		case sprite.Rect.Empty():
			job.Warn(src.Path, "line %d: left out the sprite %q, which has no pixels", sprite.Line, sprite.Name)
			continue
		case cut.Rect.Empty():
			job.Lose(src.Path, "line %d: the sprite %q is outside of the picture: it is %s, and the picture has %d x %d pixels",
				sprite.Line, sprite.Name, sprite.Rect, sheet.Rect.Dx(), sheet.Rect.Dy())
			continue
		case cut.Rect.Size() != sprite.Rect.Size():
			job.Warn(src.Path, "line %d: the sprite %q is cut at the edge of the picture: it is %s, and the picture has %d x %d pixels",
				sprite.Line, sprite.Name, sprite.Rect, sheet.Rect.Dx(), sheet.Rect.Dy())
		case name != sprite.Name:
			job.Warn(src.Path, "the sprite %q is in %s.png, because not all systems allow its name for files", sprite.Name, name)
		}
		have[key] = true
		var b bytes.Buffer
		if err := png.Encode(&b, pixel.NRGBA(cut)); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+".png"), b.Bytes(), 0o666); err != nil {
			return err
		}
	}
	if len(set.Sprites) == 0 {
		return fmt.Errorf("%s: the image set has no sprites", src.Path)
	}
	return nil
}

func openImageSet(_ context.Context, _ *format.Job, src *format.Source) (format.File, error) {
	return &pictureFile{asIsFile{src, torchlightImageSetName},
		func(_ string, data []byte, sink check.Sink) { imageset.Check(data, sink) }}, nil
}

const torchlightImageSetName = "torchlight-imageset"

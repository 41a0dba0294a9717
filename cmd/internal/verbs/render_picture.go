package verbs

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
	"trowel.example/internal/picture/pixel"
)

// picture is one picture that a verb draws.
type picture struct {
	*report
	asked *askedPicture
	game  *service.File
	job   *format.Job
	scene *format.Scene
	view  format.View
	look  format.Look
	name  string // name of the drawn file
}

// The kinds of picture files, which are also their extensions.
var pictureKinds = []string{"png", "apng", "svg", "y4m"}

// kind returns the kind of file to write.
func (p *picture) kind(name string) (string, error) {
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	moving := len(p.asked.times) == 2
	as := p.asked.Format
	for _, k := range pictureKinds {
		switch {
		case as == k, as == "" && ext == k, as == "" && name == "-" && k == "png":
			if k == "png" && moving && framePattern(name) == "" {
				k = "apng"
			}
			if name != "-" && k != ext && !slices.Contains(pictureKinds, ext) {
				return k, p.notOfGame(name)
			}
			return k, nil
		}
	}
	list := strings.Join(pictureKinds, ", ")
	if as != "" {
		return "", wording.DidYouMean(fmt.Errorf("unknown format of pictures %q", as), as, pictureKinds, "--format can be %s", list)
	}
	return "", wording.Hint(fmt.Errorf("%s: the name has no extension of a picture", name),
		"use --format, which can be %s, or another extension", list)
}

// notOfGame returns an error if the picture has the extension of a game file.
func (p *picture) notOfGame(name string) error {
	for _, f := range p.Formats {
		for _, e := range f.Extensions {
			if _, ok := service.CutSuffixFold(name, e); ok && e != "" {
				return wording.Hint(fmt.Errorf("%s: %s is the extension of a %s, and this is a picture", name, e, f.Title),
					"-o with another name, such as %s.png", name[:len(name)-len(e)])
			}
		}
	}
	return nil
}

// draw draws a picture, or several frames.
func (p *picture) draw(ctx context.Context, name string) error {
	kind, err := p.kind(name)
	if err != nil {
		return err
	}
	moving := len(p.asked.times) == 2
	p.extra = terminal.Object{{"picture", lookAsJSON(p.view, p.look)}}
	switch {
	case kind == "svg" && moving, !moving && (kind == "y4m" || kind == "apng"):
		return wording.Hint(fmt.Errorf("%s does not fit", kind), "a range such as --time 0..10 makes an animation, which needs apng or y4m")
	case moving && framePattern(name) != "":
		return p.drawFrames(ctx, name)
	}
	if kind == "y4m" && name == "-" { // a temporary file with all frames would be large
		p.output = name
		return p.finish(p.writeY4M(ctx, p.out), name)
	}
	err = p.write(ctx, name, p.pictureOptions(ctx, filepath.Ext(name)), func(out format.Output) error {
		w, err := out.Create("")
		if err != nil {
			return err
		}
		switch kind {
		case "svg":
			if p.view.SVG == nil {
				return wording.Hint(errors.New("this view cannot be drawn in lines"), "-o with another name, such as %s.png",
					strings.TrimSuffix(name, filepath.Ext(name)))
			}
			return p.view.SVG(ctx, w, p.look, p.background())
		case "y4m":
			return p.writeY4M(ctx, w)
		case "apng":
			return p.writeAPNG(ctx, w)
		}
		return p.writePNG(ctx, w, p.look)
	})
	return p.finish(err, name)
}

// finish reports the result of drawing.
func (p *picture) finish(err error, name string) error {
	p.reportMissing(p.scene.Missing())
	if err != nil {
		return err
	}
	if name != "-" {
		p.sayMade("drew "+p.name+" as", "draw "+p.name+" as", name, false)
		p.hintRedirected(p.asked.Output != "")
	}
	return nil
}

// pictureOptions returns output options that allow a picture to replace only a picture of the same kind.
func (p *picture) pictureOptions(ctx context.Context, ext string) output.Options {
	return output.Options{
		Replace: p.asked.Force,
		Replaces: func(path string) error {
			if _, ok := service.CutSuffixFold(path, ext); !ok || ext == "" {
				return fmt.Errorf("%w: not a picture", output.ErrKind)
			}
			return nil
		},
		Reads:  func() []string { return append(p.Inputs(), p.game.Reads()...) },
		Others: func() fs.FileMode { return service.OthersOf(p.game.ShownPaths()) },
	}
}

func (p *picture) background() color.NRGBA {
	if p.asked.background != nil {
		return *p.asked.background
	}
	return p.view.Background
}

// writePNG writes one picture.
func (p *picture) writePNG(ctx context.Context, w io.Writer, look format.Look) error {
	kind := pixel.RGBA
	if p.background().A == 0xff {
		kind = pixel.RGB
	}
	gray := p.view.RenderGray16 != nil
	if gray {
		kind = pixel.Gray16
	}
	png, err := pixel.NewPNG(w, look.Size, kind)
	if err != nil {
		return err
	}
	rows := 0
	drew := func(n int) {
		rows += n
		p.job.Report("rows drawn:", rows, look.Size.Y)
	}
	if gray {
		err = format.DrawGray16(ctx, p.view, look, func(band *image.Gray16) error {
			defer drew(band.Rect.Dy())
			return png.AddGray16(band)
		})
	} else {
		err = format.Draw(ctx, p.view, look, p.background(), func(band *image.RGBA) error {
			defer drew(band.Rect.Dy())
			return png.Add(band)
		})
	}
	if err == nil {
		err = png.Close()
	}
	return err
}

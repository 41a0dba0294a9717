package verbs

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"io"
	"math"
	"path/filepath"
	"regexp"

	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/picture/pixel"
	"trowel.example/internal/text/words"
)

const (
	maxFrames      = 1 << 20
	maxFramePixels = 1 << 26 // of a frame that is held in memory as a whole
)

var frameNumber = regexp.MustCompile(`%0?[0-9]?d`)

// framePattern returns the part of a name that is replaced by the frame number, or "" if there is none.
func framePattern(name string) string { return frameNumber.FindString(filepath.Base(name)) }

// frames returns the number of frames.
func (p *picture) frames() (int, error) {
	times := p.asked.times
	n := math.Ceil((times[1]-times[0])*p.asked.Rate - 1e-6)
	if n > maxFrames {
		return 0, fmt.Errorf("%.0f frames are too many: the limit is %d", n, maxFrames)
	}
	return int(n), nil
}

// frame returns the look of a frame.
func (p *picture) frame(i int) format.Look {
	look := p.look
	look.Film = true
	look.Time = seconds(p.asked.times[0] + float64(i)/p.asked.Rate)
	return look
}

// drawFrames draws each frame to a separate file.
func (p *picture) drawFrames(ctx context.Context, name string) error {
	n, err := p.frames()
	if err != nil {
		return err
	}
	pattern := framePattern(name)
	if dir := filepath.Dir(name); !p.DryRun {
		if err := wholefile.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	opts := p.pictureOptions(ctx, filepath.Ext(name))
	place := frameNumber.FindStringIndex(filepath.Base(name))
	base := filepath.Base(name)
	for i := 0; i < n && err == nil; i++ {
		file := filepath.Join(filepath.Dir(name), base[:place[0]]+fmt.Sprintf(pattern, i)+base[place[1]:])
		err = p.write(ctx, file, opts, func(out format.Output) error {
			w, err := out.Create("")
			if err != nil {
				return err
			}
			return p.writePNG(ctx, w, p.frame(i))
		})
		p.job.Report("pictures drawn:", i+1, n)
	}
	p.output = name
	p.reportMissing(p.scene.Missing())
	if err != nil {
		return err
	}
	p.printDone("drew", "draw", "%s as %s in %s, %s bytes", p.name, wording.Count(n, "picture"), name, words.Thousands(p.bytes))
	return nil
}

// eachFrame draws the frames one after another, each on all cores, while emit receives the one before.
func (p *picture) eachFrame(ctx context.Context, start func(n int) error, emit func(*image.RGBA) error) error {
	n, err := p.frames()
	if err != nil {
		return err
	}
	size := p.look.Size
	if size.X > maxFramePixels/size.Y {
		return fmt.Errorf("%d x %d pixels are too many for an animation: choose a smaller --size", size.X, size.Y)
	}
	if err := start(n); err != nil {
		return err
	}
	both := [2]*image.RGBA{image.NewRGBA(image.Rectangle{Max: size}), image.NewRGBA(image.Rectangle{Max: size})}
	for i := range n + 1 {
		var drawn, emitted error
		parallel.Each(2, func(k int) {
			switch {
			case k == 0 && i < n:
				drawn = p.drawFrame(ctx, both[i%2], i)
			case k == 1 && i > 0:
				emitted = emit(both[(i+1)%2])
			}
		})
		if err := cmp.Or(emitted, drawn); err != nil {
			return err
		}
		if i > 0 {
			p.job.Report("pictures drawn:", i, n)
		}
	}
	return nil
}

// drawFrame draws a frame.
func (p *picture) drawFrame(ctx context.Context, whole *image.RGBA, i int) error {
	return format.Draw(ctx, p.view, p.frame(i), p.background(), func(band *image.RGBA) error {
		for y := band.Rect.Min.Y; y < band.Rect.Max.Y; y++ {
			copy(whole.Pix[y*whole.Stride:][:whole.Stride], band.Pix[band.PixOffset(band.Rect.Min.X, y):])
		}
		return nil
	})
}

// writeAPNG writes an animated PNG that repeats forever.
func (p *picture) writeAPNG(ctx context.Context, w io.Writer) error {
	kind := pixel.RGBA
	if p.background().A == 0xff {
		kind = pixel.RGB
	}
	var png *pixel.APNG
	err := p.eachFrame(ctx, func(n int) (err error) {
		png, err = pixel.NewAPNG(w, p.look.Size, kind, n, p.asked.Rate)
		return err
	}, func(frame *image.RGBA) error { return png.Add(frame) })
	if err != nil {
		return err
	}
	return png.Close()
}

// writeY4M writes the frames as YUV4MPEG2.
func (p *picture) writeY4M(ctx context.Context, w io.Writer) error {
	video := pixel.NewY4M(w, p.look.Size, p.asked.Rate)
	return p.eachFrame(ctx, func(int) error { return nil }, video.Add)
}

package mapdraw_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

// render draws the pixels of a rectangle over the game's background.
func render(t testing.TB, r *mapdraw.Renderer, rect image.Rectangle, p mapdraw.Picture) *image.RGBA {
	dst := image.NewRGBA(rect)
	draw.Draw(dst, dst.Rect, image.NewUniform(mapdraw.Background), image.Point{}, draw.Src)
	if err := r.Render(context.Background(), dst, p); err != nil {
		t.Error(err)
	}
	return dst
}

// fit returns a picture of a camera whose larger side has the given number of pixels, and its size.
func fit(c mapdraw.Camera, side int) (mapdraw.Picture, image.Rectangle) {
	w := max(1, int(float64(side)*min(1, c.Width/c.Height)))
	h := max(1, int(float64(side)*min(1, c.Height/c.Width)))
	return c.At(w), image.Rect(0, 0, w, h)
}

// TestCorpus tests that each map can be drawn, with identical bytes each time, and that missing parts are reported.
// It also tests that a map looks the same in the format of Teeworlds 0.7.
func TestCorpus(t *testing.T) {
	dir := tests.Corpus(t, "teeworlds")
	files := tests.CorpusFiles(t, "teeworlds", ".map")
	o := mapdraw.Options{Mapres: []string{filepath.Join(dir, "mapres/ddnet_ddnet/data/mapres")}}
	parallel.Each(len(files), func(i int) {
		data, err := os.ReadFile(files[i])
		if err != nil {
			t.Error(err)
			return
		}
		m, err := twmap.Decode(data)
		old := errors.Is(err, twmap.ErrNoVersion)
		if old { // a map of 2007
			var f *datafile.File
			if f, err = datafile.Decode(data); err == nil {
				m, err = twmap.Import2007(f)
			}
		}
		if err != nil {
			t.Errorf("%s: %v", files[i], err)
			return
		}
		r, err := mapdraw.New(m, o)
		if err != nil {
			t.Errorf("%s: %v", files[i], err)
			return
		}
		p, rect := fit(mapdraw.Whole(m), 300)
		first := render(t, r, rect, p)
		if old && !slices.ContainsFunc(first.Pix, func(c byte) bool { return c != 128 && c != 255 }) {
			t.Errorf("%s: nothing is to be seen", files[i])
		}
		for _, miss := range r.Missing() {
			t.Logf("%s: %+v", filepath.Base(files[i]), miss)
		}
		if out := os.Getenv("MAPDRAW_OUT"); out != "" {
			var b bytes.Buffer
			png.Encode(&b, first)
			os.WriteFile(filepath.Join(out, "all-"+filepath.Base(files[i])+".png"), b.Bytes(), 0o666)
		}
		if i%8 != 0 {
			return // the rest takes long
		}
		again, err := mapdraw.New(m, o)
		if err != nil {
			t.Error(err)
			return
		}
		if second := render(t, again, rect, p); !bytes.Equal(first.Pix, second.Pix) {
			t.Errorf("%s: drawn again it has other bytes", files[i])
		}
		m.To07()
		new, err := m.Encode()
		if err != nil {
			return // the map cannot be encoded
		}
		m07, err := twmap.Decode(new)
		if err != nil {
			t.Errorf("%s: %v", files[i], err)
			return
		}
		r07, _ := mapdraw.New(m07, o)
		if other := render(t, r07, rect, p); !bytes.Equal(first.Pix, other.Pix) && !strings.Contains(m.Flavor(), "0.7") {
			t.Errorf("%s: looks different in the form of 0.7", files[i])
		}
	})
}

// TestSeams tests that no pixel depends on the part of a picture that it is drawn with.
func TestSeams(t *testing.T) {
	dir := tests.Corpus(t, "teeworlds")
	for _, name := range []string{"Kobra@2014-03-29-21367b.map", "coverage.map", "dm8.map"} {
		m := readMap(t, filepath.Join(dir, filepath.FromSlash(maps+name)))
		r, err := mapdraw.New(m, mapdraw.Options{Entities: 30, Mapres: []string{filepath.Join(dir, "mapres/ddnet_ddnet/data/mapres")}})
		if err != nil {
			t.Fatal(err)
		}
		seams(t, name, r, mapdraw.NewCamera(700, 800, 1.7, image.Pt(500, 300)).At(500), image.Rect(0, 0, 500, 300))
		c := mapdraw.Whole(m)
		for _, scale := range []float64{1, 0.25, 1.0 / 32, 0.021} {
			p := c.At(1)
			p.Scale = scale
			size := image.Pt(min(400, int(c.Width*scale)), min(400, int(c.Height*scale)))
			seams(t, name, r, p, image.Rectangle{image.Pt(-20, -30), size})
		}
	}
}

func seams(t *testing.T, name string, r *mapdraw.Renderer, p mapdraw.Picture, rect image.Rectangle) {
	whole := render(t, r, rect, p)
	parts := image.NewRGBA(rect)
	draw.Draw(parts, rect, image.NewUniform(color.Black), image.Point{}, draw.Src)
	for y := rect.Min.Y; y < rect.Max.Y; y += 37 {
		for x := rect.Min.X; x < rect.Max.X; x += 53 {
			part := render(t, r, image.Rect(x, y, x+53, y+37).Intersect(rect), p)
			draw.Draw(parts, part.Rect, part, part.Rect.Min, draw.Src)
		}
	}
	if !bytes.Equal(whole.Pix, parts.Pix) {
		for i := range whole.Pix {
			if whole.Pix[i] != parts.Pix[i] {
				t.Errorf("%s at %v: the pixel %v depends on its part", name, p.Scale, image.Pt(i/4%rect.Dx(), i/4/rect.Dx()).Add(rect.Min))
				return
			}
		}
	}
}

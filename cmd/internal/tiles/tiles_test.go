package tiles

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"trowel.example/cmd/internal/work"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
)

// field is a scene on both sides of 0. Each cell has the color of its position, except for an empty strip.
type field struct {
	bounds format.Rect
	ends   context.CancelFunc // called by the second tile if not nil
	calls  *atomic.Int64
}

func (f field) scene() *format.Scene {
	return &format.Scene{Missing: f.Missing, Views: []format.View{{Name: "field", Bounds: f.bounds, Scale: 1, Axes: [2]string{"x", "-z"},
		Background: color.NRGBA{9, 9, 9, 255}, Render: f.Render}}}
}

func (f field) Render(ctx context.Context, dst *image.RGBA, look format.Look) error {
	if f.calls.Add(1) == 2 && f.ends != nil {
		f.ends()
	}
	format.MissedOf(ctx).Add(format.Missing{Kind: "color", Name: "drawn", Count: 1, Adds: true},
		format.Missing{Kind: "layer", Name: "a part", Count: 1})
	for y := dst.Rect.Min.Y; y < dst.Rect.Max.Y; y++ {
		for x := dst.Rect.Min.X; x < dst.Rect.Max.X; x++ {
			at := [2]float64{float64(x)/look.Scale + look.Origin[0], float64(y)/look.Scale + look.Origin[1]}
			in := at[0] >= f.bounds.Min[0] && at[1] >= f.bounds.Min[1] && at[0] < f.bounds.Max[0] && at[1] < f.bounds.Max[1]
			if in && (x < -256 || x >= 0) {
				dst.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y), uint8(x >> 8), 255})
			}
		}
	}
	return ctx.Err()
}

func (f field) Missing() []format.Missing {
	return []format.Missing{{Kind: "color", Name: "drawn", Count: f.calls.Load(), Adds: true}, {Kind: "layer", Name: "whole", Count: 7}}
}

// pyramidOf returns the pyramid of a field in a folder.
func pyramidOf(t *testing.T, dir string, f field) *Pyramid {
	t.Helper()
	f.calls = new(atomic.Int64)
	scene := f.scene()
	view := scene.Views[0]
	return &Pyramid{Scene: scene, View: view, Scale: 1, Background: view.Background, File: "field", Title: "</title><script>",
		Open: func() (*output.Collection, error) {
			return output.OpenCollection(dir, output.Options{})
		}}
}

func drawField(t *testing.T, ctx context.Context, dir string, f field) (made Made, err error) {
	t.Helper()
	p := pyramidOf(t, dir, f)
	defer func() {
		if p.folder != nil {
			p.folder.Close()
		}
	}()
	if err := work.Of(p).Here(ctx); err != nil {
		return p.Made(), err
	}
	return p.Finish(ctx)
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".png") {
			rel, _ := filepath.Rel(dir, path)
			list = append(list, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestPyramid(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tiles")
	f := field{bounds: format.Rect{Min: [2]float64{-600, -10}, Max: [2]float64{300, 200}}}
	made, err := drawField(t, context.Background(), dir, f)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"0/-1/-1.png", "0/-1/0.png", "0/-2/-1.png", "0/-2/0.png", "0/-3/-1.png", "0/-3/0.png", "0/0/-1.png",
		"0/0/0.png", "0/1/-1.png", "0/1/0.png",
		"1/-1/-1.png", "1/-1/0.png", "1/-2/-1.png", "1/-2/0.png", "1/0/-1.png", "1/0/0.png", "2/-1/-1.png", "2/-1/0.png",
		"2/0/-1.png", "2/0/0.png"}
	// Includes blank tiles with missing data.
	if got := names(t, dir); !slices.Equal(got, want) || made.Levels != 3 || made.Drawn != 20 {
		t.Errorf("%+v %q", made, got)
	}
	m := read(t, dir, "0/-3/0.png")
	if got := m.At(255, 7); color.RGBAModel.Convert(got) != (color.RGBA{255, 7, 253, 255}) { // pixel -513,7
		t.Errorf("%v", got)
	}
	// Level 1 has the means of level 0, and background for missing tiles.
	m = read(t, dir, "1/-1/0.png")
	if got := color.RGBAModel.Convert(m.At(200, 3)); got != (color.RGBA{9, 9, 9, 255}) {
		t.Errorf("%v where nothing is", got)
	}
	// Mean of -492,6 and three more pixels: 20.5, 6.5.
	if got := color.RGBAModel.Convert(m.At(10, 3)); got != (color.RGBA{21, 7, 254, 255}) {
		t.Errorf("%v is no mean", got)
	}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil || bytes.Contains(page, []byte("<title></title><script>")) || !bytes.Contains(page, []byte(`"signs":[1,-1]`)) {
		t.Errorf("%v\n%s", err, page)
	}

	// If the scene grows to the left, existing tiles keep their names and are not rewritten.
	f.bounds.Min[0] = -1000
	made, err = drawField(t, context.Background(), dir, f)
	if err != nil || made.Removed != 0 || slices.Contains(made.Changed, "0/-2/0.png") || !slices.Contains(made.Changed, "0/-4/0.png") {
		t.Errorf("%+v %v", made, err)
	}
}

// TestPyramidResumes tests that an interrupted run is continued by the next one.
func TestPyramidResumes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tiles")
	f := field{bounds: format.Rect{Max: [2]float64{2000, 2000}}}
	ctx, cancel := context.WithCancel(context.Background())
	f.ends = cancel
	first, err := drawField(t, ctx, dir, f)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	f.ends = nil
	second, err := drawField(t, context.Background(), dir, f)
	if err != nil || first.Drawn+second.Drawn != 64+16+4+1 || second.Kept != first.Drawn {
		t.Errorf("%+v, then %+v, %v", first, second, err)
	}
}

func TestPyramidTooLarge(t *testing.T) {
	for _, far := range []float64{1e6, 1e12} {
		if _, err := drawField(t, context.Background(), filepath.Join(t.TempDir(), "tiles"),
			field{bounds: format.Rect{Max: [2]float64{far, far}}}); err == nil {
			t.Errorf("a pyramid of %g x %g pixels", far, far)
		}
	}
}

func read(t *testing.T, dir, name string) image.Image {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

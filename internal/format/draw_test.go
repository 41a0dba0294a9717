package format_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"math"
	"runtime"
	"testing"

	"trowel.example/internal/format"
)

// gradient is a scene whose pixels encode their positions.
type gradient struct {
	grain float64
	fail  image.Point // drawing this pixel fails, unless it is (0,0)
}

var errPixel = errors.New("a pixel that nobody can draw")

func (g gradient) view() format.View {
	return format.View{Name: "only", Bounds: format.Rect{Min: [2]float64{-7, -9}, Max: [2]float64{3000, 5000}}, Scale: 1, Grain: g.grain,
		Render: g.Render, RenderGray16: g.RenderGray16}
}

func (g gradient) Render(_ context.Context, dst *image.RGBA, look format.Look) error {
	if g.fail != (image.Point{}) && g.fail.In(dst.Rect) {
		return errPixel
	}
	for y := dst.Rect.Min.Y; y < dst.Rect.Max.Y; y++ {
		for x := dst.Rect.Min.X; x < dst.Rect.Max.X; x++ {
			if x%3 > 0 { // else it is background
				dst.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y), uint8(look.Origin[0]), 255})
			}
		}
	}
	return nil
}

func (g gradient) RenderGray16(_ context.Context, dst *image.Gray16, _ format.Look) error {
	for y := dst.Rect.Min.Y; y < dst.Rect.Max.Y; y++ {
		for x := dst.Rect.Min.X; x < dst.Rect.Max.X; x++ {
			if x%3 > 0 {
				dst.SetGray16(x, y, color.Gray16{uint16(x + y)})
			}
		}
	}
	return nil
}

// TestBands tests that bands cover the whole picture from top to bottom, are not too large, and have edges at
// multiples of the grain where possible.
func TestBands(t *testing.T) {
	for _, grain := range []float64{0, 0.1, 1, 16, 1e6} {
		for _, scale := range []float64{0.01, 1, 3.7, 64} {
			for _, size := range []image.Point{{1, 1}, {1280, 720}, {1 << 20, 100}, {3, 1 << 20}, {65536, 3000}} {
				for _, origin := range []float64{-9, 0, 100.5} {
					v := format.View{Grain: grain, Bounds: format.Rect{Min: [2]float64{-7, -9}}}
					look := format.Look{Scale: scale, Size: size, Origin: [2]float64{0, origin}}
					y, off := 0, 0
					for i, b := range v.Bands(look) {
						if b.Min.Y != y || b.Min.X != 0 || b.Max.X != size.X || b.Empty() || b.Dx()*b.Dy() > 1<<24 {
							t.Fatalf("grain %v, scale %v, size %v: band %d is %v", grain, scale, size, i, b)
						}
						if y = b.Max.Y; y < size.Y && grain > 0 {
							if at := ((origin+9)*scale + float64(y)) / (grain * scale); math.Abs(at-math.Round(at))*grain*scale > 1 {
								off++
							}
						}
					}
					if y != size.Y {
						t.Errorf("%v: bands end at %d", size, y)
					}
					if g := grain * scale; off > 0 && g >= 1 && g == math.Round(g) && g*float64(size.X) <= 1<<24 {
						t.Errorf("grain %v, scale %v, size %v: %d edges lie badly", grain, scale, size, off)
					}
				}
			}
		}
	}
}

// TestDraw tests that a picture does not depend on the number of cores, and equals one drawn in a single call.
func TestDraw(t *testing.T) {
	for _, grain := range []float64{0, 16, 1000} {
		scene := gradient{grain: grain}.view()
		look := format.Look{Origin: [2]float64{5, 6}, Scale: 1, Size: image.Pt(600, 1801)}
		background := color.NRGBA{9, 8, 7, 255}
		want := image.NewRGBA(image.Rectangle{Max: look.Size})
		for i := 0; i < len(want.Pix); i += 4 {
			copy(want.Pix[i:], []byte{9, 8, 7, 255})
		}
		_ = scene.Render(context.Background(), want, look)
		want16 := image.NewGray16(want.Rect)
		_ = scene.RenderGray16(context.Background(), want16, look)
		for _, cores := range []int{1, 2, 7} {
			before := runtime.GOMAXPROCS(cores)
			var got, got16 []byte
			err := format.Draw(context.Background(), scene, look, background, func(band *image.RGBA) error {
				got = append(got, band.Pix[:4*band.Rect.Dx()*band.Rect.Dy()]...)
				return nil
			})
			err16 := format.DrawGray16(context.Background(), scene, look, func(band *image.Gray16) error {
				got16 = append(got16, band.Pix[:2*band.Rect.Dx()*band.Rect.Dy()]...)
				return nil
			})
			runtime.GOMAXPROCS(before)
			if err != nil || err16 != nil || !bytes.Equal(got, want.Pix) || !bytes.Equal(got16, want16.Pix) {
				t.Errorf("grain %v, %d cores: another picture (%v, %v)", grain, cores, err, err16)
			}
		}
	}
}

func TestDrawEnds(t *testing.T) {
	look := format.Look{Scale: 1, Size: image.Pt(1500, 1801)}
	take := func(*image.RGBA) error { return nil }
	failing := gradient{fail: image.Pt(700, 1000)}.view()
	if err := format.Draw(context.Background(), failing, look, color.NRGBA{}, take); !errors.Is(err, errPixel) {
		t.Error(err)
	}
	if err := format.Draw(context.Background(), gradient{}.view(), look, color.NRGBA{},
		func(*image.RGBA) error { return errPixel }); !errors.Is(err, errPixel) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := format.Draw(ctx, gradient{}.view(), look, color.NRGBA{}, take); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

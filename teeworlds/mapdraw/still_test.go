package mapdraw

import (
	"bytes"
	"image"
	"math/rand/v2"
	"testing"
	"time"
)

// TestFilm compares pictures of films with the same pictures alone, in two parts.
func TestFilm(t *testing.T) {
	m := movingMap(rand.New(rand.NewPCG(1, 1)))
	film, err := New(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := film.With(Options{Entities: 50})
	if err != nil {
		t.Fatal(err)
	}
	size := image.Pt(300, 200)
	p := NewCamera(300, 200, 1, size).At(size.X)
	for i := range 4 {
		p.Time = time.Duration(i) * 300 * time.Millisecond
		for _, r := range []*Renderer{film, other} {
			alone, err := r.With(r.o)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []image.Rectangle{image.Rect(0, 0, size.X, 90), image.Rect(0, 90, size.X, size.Y)} {
				is, want := image.NewRGBA(part), image.NewRGBA(part)
				p.Film = true
				if err := r.Render(t.Context(), is, p); err != nil {
					t.Fatal(err)
				}
				p.Film = false
				if err := alone.Render(t.Context(), want, p); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(is.Pix, want.Pix) {
					t.Errorf("picture %d, part %v, entities %d: differs from the picture alone", i, part, r.o.Entities)
				}
			}
		}
	}
	kept := 0
	film.stills.parts.Range(func(_, part any) bool {
		kept += len(part.(*still).shades)
		return true
	})
	if kept == 0 || film.stills.size.Load() < int64(8*kept) {
		t.Errorf("%d shades are kept, %d bytes are counted", kept, film.stills.size.Load())
	}
}

package mapdraw_test

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"trowel.example/internal/testing/judge"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

var update = flag.Bool("update", false, "write the pictures in testdata again; then check them")

// sample returns the sample map of the repository.
func sample(t testing.TB) *twmap.Map {
	t.Helper()
	m, err := mapdir.Read(os.DirFS("../../samples/burrow"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestGolden compares pictures of the sample with those in testdata, which were checked by eye.
func TestGolden(t *testing.T) {
	camera := mapdraw.NewCamera(32*45, 32*22, 0.7, image.Pt(320, 180)).At(320)
	camera.Time = 2500 * time.Millisecond
	whole := mapdraw.Whole(sample(t)).At(360)
	sounds := whole
	sounds.Draws = func(group, layer int) bool { return true }
	for _, c := range []struct {
		name    string
		o       mapdraw.Options
		picture mapdraw.Picture
		size    image.Point
	}{
		{"whole", mapdraw.Options{}, whole, image.Pt(360, 240)},
		{"camera", mapdraw.Options{Checker: true}, camera, image.Pt(320, 180)},
		{"entities", mapdraw.Options{Entities: 100}, whole, image.Pt(360, 240)},
		{"everything", mapdraw.Options{Entities: 40}, sounds, image.Pt(360, 240)},
	} {
		r, err := mapdraw.New(sample(t), c.o)
		if err != nil {
			t.Fatal(err)
		}
		got := render(t, r, image.Rectangle{Max: c.size}, c.picture)
		if c.o.Entities < 100 {
			if missing := r.Missing(); len(missing) > 0 {
				t.Errorf("%s: missing %+v", c.name, missing)
			}
		}
		file := filepath.Join("testdata", c.name+".png")
		if *update {
			var b bytes.Buffer
			if err := png.Encode(&b, got); err != nil {
				t.Fatal(err)
			}
			judge.Write(t, file, b.Bytes())
		}
		want := readPNG(t, file)
		if want.Rect != got.Rect {
			t.Errorf("%s: %v", c.name, want.Rect)
			continue
		}
		differ := 0
		for i := range want.Pix {
			if d := int(want.Pix[i]) - int(got.Pix[i]); d < -1 || d > 1 { // other machines may round differently
				differ++
			}
		}
		if differ > len(want.Pix)/5000 {
			t.Errorf("%s: %d of %d bytes differ", c.name, differ, len(want.Pix))
		}
	}
}

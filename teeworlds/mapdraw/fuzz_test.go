package mapdraw

import (
	"errors"
	"image"
	"testing"
	"time"

	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

// FuzzRender draws every decodable map from several positions.
func FuzzRender(f *testing.F) {
	add := func(m *twmap.Map) {
		data, err := m.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, int32(3), int32(0))
		f.Add(data, int32(-1000), int32(-500))
	}
	add(entityMap())
	m := tilesOf([]uint8{1, 2, 3}, twmap.NewImage("a", quarters()), twmap.NewImage("b", plain(20, image.White)),
		twmap.NewExternalImage("c", 9, 9))
	q := twmap.NewQuad(0, 0, 64, 64)
	q.PosEnv, q.ColorEnv = 0, 1
	l := twmap.NewQuadLayer(q)
	l.Image = 1
	m.Groups[1].Layers = append(m.Groups[1].Layers, l, twmap.NewSoundLayer(twmap.NewSoundSource(1, 2, 30)))
	m.Groups[1].Clip = &twmap.Clip{X: 1, Y: 1, Width: 50, Height: 30}
	m.Groups[1].ParallaxX = 30
	m.Envelopes = []*twmap.Envelope{
		twmap.NewEnvelope("", 3, twmap.EnvPoint{Curve: twmap.CurveBezier, Out: [4]twmap.Tangent{{DX: 5, DY: 9}}},
			twmap.EnvPoint{Time: 500, Values: [4]int32{1024, 0, 90 * 1024}}),
		twmap.NewEnvelope("", 4, twmap.EnvPoint{Values: [4]int32{1024, 500, 1024, 900}}),
	}
	add(m)
	m.To07()
	add(m)
	f.Fuzz(func(t *testing.T, data []byte, zoom, ms int32) {
		m, err := twmap.Salvage(data)
		if errors.Is(err, twmap.ErrNoVersion) {
			f, _ := datafile.Salvage(data)
			m, err = twmap.Import2007(f)
		}
		if err != nil {
			return
		}
		r, err := New(m, Options{Entities: 50, EntitiesImage: quarters()})
		if err != nil {
			t.Fatal(err)
		}
		z := float64(zoom)
		if z <= 0 {
			z = 1 / (1 - z)
		}
		for _, c := range []Camera{Whole(m), NewCamera(z*100, -z, z, image.Pt(40, 30))} {
			p := c.At(40)
			p.Time = time.Duration(ms) * time.Millisecond
			p.Draws = func(int, int) bool { return true }
			whole := image.NewRGBA(image.Rect(0, 0, 40, 30))
			if err := r.Render(t.Context(), whole, p); err != nil && p.ok() {
				t.Fatal(err)
			}
			part := image.NewRGBA(image.Rect(11, 7, 24, 19))
			if err := r.Render(t.Context(), part, p); err != nil && p.ok() {
				t.Fatal(err)
			}
			for y := part.Rect.Min.Y; y < part.Rect.Max.Y; y++ {
				for x := part.Rect.Min.X; x < part.Rect.Max.X; x++ {
					if whole.RGBAAt(x, y) != part.RGBAAt(x, y) {
						t.Fatalf("the pixel %d,%d depends on the part that it is drawn with", x, y)
					}
				}
			}
		}
		r.Missing()
	})
}

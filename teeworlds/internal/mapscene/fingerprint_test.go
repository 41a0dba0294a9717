package mapscene

import (
	"bytes"
	"context"
	"image"
	"math/rand/v2"
	"testing"
	"time"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

// change makes a change to a map that may be visible in a picture of the map.
func change(r *rand.Rand, m *twmap.Map) string {
	g := m.Groups[r.IntN(len(m.Groups))]
	switch l := g.Layers[r.IntN(len(g.Layers))].(type) {
	case *twmap.TileLayer:
		x, y := r.IntN(l.Width()), r.IntN(l.Height())
		id, n := uint8(r.IntN(256)), uint8(r.IntN(4))
		switch l.Kind() {
		case twmap.KindTele:
			l.Teles().Set(x, y, twmap.TeleTile{Number: n, ID: id})
		case twmap.KindSpeedup:
			l.Speedups().Set(x, y, twmap.SpeedupTile{Force: n, MaxSpeed: 2 * n, ID: 28, Angle: int16(n) * 90})
		case twmap.KindSwitch:
			l.Switches().Set(x, y, twmap.SwitchTile{Number: n, ID: 24, Delay: n + 1})
		case twmap.KindTune:
			l.Tunes().Set(x, y, twmap.TuneTile{Number: n, ID: 68})
		default:
			if l.Kind() == twmap.KindTiles && r.IntN(6) == 0 {
				l.Color.G = r.Int32N(256)
				return "colour of a layer"
			}
			l.Tiles().Set(x, y, twmap.Tile{ID: id, Flags: twmap.TileFlags(r.IntN(16))})
		}
		return "tile of a " + l.Kind().String() + " layer"
	case *twmap.QuadLayer:
		old, _ := l.Quads()
		quads := append([]twmap.Quad{}, old...)
		if len(quads) == 0 || r.IntN(4) == 0 {
			l.SetQuads(append(quads, twmap.NewQuad(r.Int32N(400), r.Int32N(400), 90, 90)))
			return "new quad"
		}
		q := &quads[r.IntN(len(quads))]
		switch r.IntN(4) {
		case 0:
			q.Points[r.IntN(4)].Y += r.Int32N(999) << 8
		case 1:
			q.Colors[r.IntN(4)].R = r.Int32N(256)
		case 2:
			q.Texture[r.IntN(4)].X += 300
		default:
			q.PosEnvOffset += 77
		}
		l.SetQuads(quads)
		return "quad"
	case *twmap.SoundLayer:
		sources, _ := l.Sources()
		sources = append([]twmap.SoundSource{}, sources...)
		sources[0].Falloff = r.Int32N(256)
		sources[0].Position.X += 9 << 10
		l.SetSources(sources)
		return "source"
	}
	return ""
}

// changeRest changes something other than a layer.
func changeRest(r *rand.Rand, m *twmap.Map) string {
	switch r.IntN(4) {
	case 0:
		p, _ := m.Images[0].Picture()
		p = &image.NRGBA{Pix: bytes.Clone(p.Pix), Stride: p.Stride, Rect: p.Rect}
		p.Pix[4*r.IntN(256)] ^= 99
		m.Images[0] = twmap.NewImage(m.Images[0].Name, p)
		return "image"
	case 1:
		m.Envelopes[0].Points[r.IntN(4)].Values[r.IntN(3)] += 99 << 10
		return "envelope"
	case 2:
		g := m.Groups[1+r.IntN(3)]
		g.OffsetX += 7
		g.ParallaxX--
		return "group"
	}
	g := m.Groups[1+r.IntN(3)]
	g.Clip = &twmap.Clip{X: 10, Y: 10, Width: r.Int32N(400), Height: r.Int32N(300)}
	return "clip"
}

// TestFingerprint tests that each tile of a pyramid that looks different has another fingerprint, and that a tile
// without a fingerprint is empty.
func TestFingerprint(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	const side = 64
	r := rand.New(rand.NewPCG(7, 8))
	same, other, needless, blank := 0, 0, 0, 0
	scene := func(m *twmap.Map, values map[string]string) *format.Scene {
		data, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		s, err := Open(context.Background(), &format.Job{Values: values}, format.NewSource("my.map", data), "")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	rounds := tests.Of(t, 25, 60)
	for range rounds {
		m := randomMap(r)
		values := map[string]string{"entities": []string{"0", "30", "100"}[r.IntN(3)]}
		old := scene(m, values)
		what := ""
		if r.IntN(3) == 0 {
			what = changeRest(r, m)
		} else {
			what = change(r, m)
		}
		now := scene(m, values)
		view := old.Views[0]
		look := format.Look{View: view.Name, Scale: []float64{16, 5, 1, 0.5}[r.IntN(4)], Time: time.Duration(r.IntN(2)) * 700 * time.Millisecond}
		if r.IntN(3) == 0 {
			look.Layers = []string{} // all layers
			for _, l := range view.Layers {
				look.Layers = append(look.Layers, l.Name)
			}
		}
		// Names of layers may depend on their contents, so the same layers are selected again.
		lookNow := look
		if look.Layers != nil {
			lookNow.Layers = nil
			for _, l := range now.Views[0].Layers {
				lookNow.Layers = append(lookNow.Layers, l.Name)
			}
		}
		for y := -1; float64(y*side) < view.Bounds.Dy()*look.Scale; y++ {
			for x := -1; float64(x*side) < view.Bounds.Dx()*look.Scale; x++ {
				part := image.Rect(x*side, y*side, x*side+side, y*side+side)
				a, b := image.NewRGBA(part), image.NewRGBA(part)
				if err := viewOf(old, look.View).Render(t.Context(), a, look); err != nil {
					t.Fatal(err)
				}
				if err := viewOf(now, lookNow.View).Render(t.Context(), b, lookNow); err != nil {
					t.Fatal(err)
				}
				sumA, errA := viewOf(old, look.View).Fingerprint(t.Context(), look, part)
				sumB, errB := viewOf(now, lookNow.View).Fingerprint(t.Context(), lookNow, part)
				if errA != nil || errB != nil {
					t.Fatal(errA, errB)
				}
				differs := !bytes.Equal(a.Pix, b.Pix)
				switch {
				case differs && sumA == sumB:
					t.Fatalf("%s: %v looks different at %g", what, part, look.Scale)
				case differs:
					other++
				case sumA != sumB:
					needless++
				default:
					same++
				}
				if sumA == [32]byte{} {
					blank++
					if bytes.ContainsFunc(a.Pix, func(r rune) bool { return r != 0 }) {
						t.Fatalf("%v of nothing has something in it", part)
					}
				}
			}
		}
	}
	t.Logf("%d tiles look different, %d have another fingerprint all the same, %d are the same, %d blank", other, needless, same, blank)
	if other < rounds*5/6 || same < 5*needless || blank == 0 {
		t.Errorf("%d tiles look different, %d have another fingerprint all the same, %d are the same, %d blank", other, needless, same, blank)
	}
}

// TestFingerprintOfOneTile tests that one tile of a layer changes only the fingerprints of the parts that show it.
func TestFingerprintOfOneTile(t *testing.T) {
	m := twmap.New(200, 100)
	for i, layers := range []int{1, 2} {
		for range layers {
			l := twmap.NewTileLayer(twmap.KindTiles, 200, 100)
			for j := range 200 * 100 {
				l.Tiles().Set(j%200, j/200, twmap.Tile{ID: uint8(1 + (j+i)%200)})
			}
			m.Groups = append(m.Groups, twmap.NewGroup("", l))
		}
	}
	prints := func() map[image.Point][32]byte {
		data, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), new(format.Job), format.NewSource("my.map", data), "")
		if err != nil {
			t.Fatal(err)
		}
		all := make(map[image.Point][32]byte)
		for i := range 100 {
			at := image.Pt(i%10, i/10)
			part := image.Rectangle{Min: at.Mul(256), Max: at.Mul(256).Add(image.Pt(256, 256))}
			if all[at], err = viewOf(s, "").Fingerprint(t.Context(), format.Look{Scale: mapdraw.TileSize}, part); err != nil {
				t.Fatal(err)
			}
		}
		return all
	}
	before := prints()
	if again := prints(); before[image.Pt(3, 3)] != again[image.Pt(3, 3)] || before[image.Pt(3, 3)] == before[image.Pt(3, 4)] {
		t.Fatal("a fingerprint is not one")
	}
	m.Groups[2].Layers[0].(*twmap.TileLayer).Tiles().Set(20, 33, twmap.Tile{ID: 250})
	for at, sum := range prints() {
		if (sum != before[at]) != (at == image.Pt(2, 4)) {
			t.Errorf("the part %v: changed %v", at, sum != before[at])
		}
	}
}

// TestSceneWith tests that options can be changed without reading the map again, and that the reports of missing
// parts stay the same.
func TestSceneWith(t *testing.T) {
	s, err := openTestScene(t, map[string]string{})
	if err != nil {
		t.Fatal(err)
	}
	look, part := format.Look{Scale: 8}, image.Rect(0, 0, 80, 40)
	draw := func(s *format.Scene) []byte {
		dst := image.NewRGBA(part)
		if err := viewOf(s, look.View).Render(t.Context(), dst, look); err != nil {
			t.Fatal(err)
		}
		return dst.Pix
	}
	draw(s)
	for i, values := range []map[string]string{{}, {"entities": "100"}, {"entities": "30", "missing": "checker"},
		{"mapres": t.TempDir(), "at": "3,4", "zoom": "2"}} {
		job := &format.Job{Values: values}
		with, err := s.With(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := openTestScene(t, values)
		if err != nil {
			t.Fatal(err)
		}
		look.View = "map"
		if !bytes.Equal(draw(with), draw(fresh)) {
			t.Errorf("%v: looks different", values)
		}
		if a, b := with.Missing(), fresh.Missing(); len(a) != len(b) || len(a) > 0 && a[0] != b[0] {
			t.Errorf("%v: %v is missing, want %v", values, a, b)
		}
		a, _ := viewOf(with, look.View).Fingerprint(t.Context(), look, part)
		b, _ := viewOf(fresh, look.View).Fingerprint(t.Context(), look, part)
		c, _ := viewOf(s, look.View).Fingerprint(t.Context(), look, part)
		if a != b || (a == c) != (i == 0 || i == 3) {
			t.Errorf("%v: fingerprints %x, %x, %x", values, a[:4], b[:4], c[:4])
		}
		if a, b := with.Views[0].Name, fresh.Views[0].Name; a != b {
			t.Errorf("%v: the view %s is first, want %s", values, a, b)
		}
	}
	if _, err := s.With(t.Context(), &format.Job{Values: map[string]string{"entities": "101"}}); err == nil {
		t.Error("more than all")
	}
}

package mapdraw

import (
	"context"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/twmap"
)

// movingMap returns a map with all kinds of curves, negative offsets, a clip, parallax, and layers of tiles whose colour
// changes.
func movingMap(r *rand.Rand) *twmap.Map {
	m := twmap.New(30, 20)
	im := image.NewNRGBA(image.Rect(0, 0, 128, 128))
	for i := range im.Pix {
		im.Pix[i] = uint8(128 + 100*math.Sin(float64(i/4%128)/5+float64(i/512)/9+float64(i%4)))
	}
	m.Images = []*twmap.Image{twmap.NewImage("waves", im)}
	for curve := range twmap.Curve(7) {
		for _, channels := range []twmap.Channels{3, 4} {
			e := &twmap.Envelope{Channels: channels}
			for i := range int32(4) {
				p := twmap.EnvPoint{Time: i * (700 + 100*int32(curve)), Curve: curve}
				for j := range p.Values {
					if p.Values[j] = r.Int32N(1200); channels == 3 {
						p.Values[j] = r.Int32N(200<<10) - 100<<10
					}
					p.Out[j] = twmap.Tangent{DX: r.Int32N(500), DY: r.Int32N(400) - 200}
					p.In[j] = twmap.Tangent{DX: -r.Int32N(500), DY: r.Int32N(400) - 200}
				}
				e.Points = append(e.Points, p)
			}
			m.Envelopes = append(m.Envelopes, e)
		}
	}
	quads := func(n int) *twmap.QuadLayer {
		var list []twmap.Quad
		for range n {
			q := twmap.NewQuad(r.Int32N(900), r.Int32N(600), 40+r.Int32N(200), 40+r.Int32N(200))
			q.PosEnv, q.PosEnvOffset = 2*r.Int32N(8)-2, r.Int32N(4000)-2000
			q.ColorEnv, q.ColorEnvOffset = 2*r.Int32N(8)-1, r.Int32N(4000)-2000
			for i := range q.Colors {
				q.Colors[i].R, q.Colors[i].A = r.Int32N(256), 100+r.Int32N(156)
			}
			q.Texture[3].X += 700
			list = append(list, q)
		}
		l := twmap.NewQuadLayer()
		l.SetQuads(list)
		return l
	}
	tiles := func() *twmap.TileLayer {
		l := twmap.NewTileLayer(twmap.KindTiles, 30, 20)
		l.Image, l.Color = 0, twmap.Color{R: 200, G: 255, B: 90, A: 220}
		for range 150 {
			l.Tiles().Set(r.IntN(30), r.IntN(20), twmap.Tile{ID: uint8(r.IntN(256)), Flags: twmap.TileFlags(r.IntN(16))})
		}
		return l
	}
	plain, glow, textured := quads(6), tiles(), quads(12)
	glow.ColorEnv, glow.ColorEnvOffset = 9, 300
	textured.Image = 0
	back := twmap.NewGroup("Back", plain, tiles(), textured)
	back.ParallaxX, back.ParallaxY, back.OffsetX = 60, 80, 30
	clipped := quads(8)
	clipped.Image = 0
	front := twmap.NewGroup("Front", glow, clipped, tiles())
	front.Clip = &twmap.Clip{X: 200, Y: 90, Width: 500, Height: 400}
	m.Groups = append([]*twmap.Group{back}, append(m.Groups, front)...)
	return m
}

// at draws a motion at a time with the drawing of this package.
func (m *Motion) at(size image.Point, ms float64) *image.RGBA {
	dst := image.NewRGBA(image.Rectangle{Max: size})
	block, corner := 0, 0
	for _, p := range m.Parts {
		t := noTint
		if p.Move >= 0 {
			_, t = m.state(p.Move, ms)
		}
		for _, b := range m.Blocks[block : block+p.Blocks] {
			for y := range MotionBlockSide {
				for x := range MotionBlockSide {
					at := image.Pt(b.X*MotionBlockSide+x, b.Y*MotionBlockSide+y)
					px := b.Pix[4*(y*MotionBlockSide+x):][:4]
					if px[3] == 0 || !at.In(dst.Rect) {
						continue
					}
					var s shade
					for i := range 4 {
						v := uint64(px[i]) << 8
						if i < 3 {
							v = min(v*255/uint64(px[3]), fullLane)
						}
						s |= shade(v << (16 * i))
					}
					blend(dst.Pix[dst.PixOffset(at.X, at.Y):][:4], t.of(s))
				}
			}
		}
		block += p.Blocks
		var tex texture
		if p.Texture >= 0 {
			w, h := m.Textures[p.Texture].Width, m.Textures[p.Texture].Height
			for _, l := range m.Textures[p.Texture].Levels {
				tex = append(tex, level{w, h, 4 * w, l})
				w, h = max(w/2, 1), max(h/2, 1)
			}
		}
		for i := corner; i < corner+p.Corners; i += 3 {
			var v [3]vertex
			for j, c := range m.Corners[i : i+3] {
				place, tint := m.state(c.Move, ms)
				sin, cos := math.Sincos(place[2] * math.Pi / 180)
				dx, dy := float64(c.X-c.PivotX), float64(c.Y-c.PivotY)
				x, y := dx*cos-dy*sin+float64(c.PivotX), dx*sin+dy*cos+float64(c.PivotY)
				v[j] = vertex{x: x + place[0], y: y + place[1], u: float64(c.U), v: float64(c.V)}
				for k := range 4 {
					v[j].color[k] = float64(c.Color[k]) / 255 * float64(tint[k]) / one
				}
			}
			for _, clip := range p.Clips {
				drawTriangle(dst, clip, tex, v[0], v[1], v[2])
			}
		}
		corner += p.Corners
	}
	return dst
}

// state returns the place, in pixels and degrees, and the tint of a move.
func (m *Motion) state(i int, ms float64) (place [3]float64, t tint) {
	v := &m.Moves[i]
	if u := v.Place; u.Curve >= 0 {
		all := m.Curves[u.Curve].At(ms + u.Offset)
		place = [3]float64{all[0] * v.Scale, all[1] * v.Scale, all[2]}
	}
	color := v.Tint
	if u := v.Color; u.Curve >= 0 {
		for i, f := range m.Curves[u.Curve].At(ms + u.Offset) {
			color[i] *= f
		}
	}
	return place, newTint(color)
}

// differs compares a motion with pictures at 20 times, and returns the largest mean difference of the channels.
func differs(t *testing.T, m *twmap.Map, o Options, size image.Point, p Picture) (worst float64, motion *Motion) {
	t.Helper()
	r, err := New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	motion, err = r.Motion(t.Context(), size, Background, p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		p.Time = time.Duration(i) * 337 * time.Millisecond
		want := image.NewRGBA(image.Rectangle{Max: size})
		for i := range want.Pix {
			want.Pix[i] = 128 + 127*uint8(i%4/3)
		}
		if err := r.Render(context.Background(), want, p); err != nil {
			t.Fatal(err)
		}
		got, sum := motion.at(size, float64(p.Time.Milliseconds())), 0
		for i := range got.Pix {
			sum += max(int(got.Pix[i])-int(want.Pix[i]), int(want.Pix[i])-int(got.Pix[i]))
		}
		worst = max(worst, float64(sum)/float64(len(got.Pix))*4/3)
	}
	return worst, motion
}

// TestMotion tests that a motion shows the picture at every time, in different views, with entities and without.
func TestMotion(t *testing.T) {
	tests.NotRaced(t, "draws hundreds of pictures, one at a time")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 4 {
		m := movingMap(r)
		whole := Whole(m)
		size := image.Pt(400, 300)
		near, far := whole.Part(-5, 7.5, 0.43), whole.Part(-400, -400, 0.05)
		near.Mean, far.Mean = true, true
		for name, p := range map[string]Picture{
			"whole": near, "far": far,
			"camera": NewCamera(400, 300, 0.9, size).At(size.X),
		} {
			worst, motion := differs(t, m, Options{Entities: i * 20}, size, p)
			t.Logf("%s: %.3f, %d parts, %d blocks, %d corners", name, worst, len(motion.Parts), len(motion.Blocks), len(motion.Corners))
			if worst > 1 || len(motion.Corners) == 0 {
				t.Errorf("map %d, %s: a mean difference of %.2f with %d parts", i, name, worst, len(motion.Parts))
			}
		}
	}
}

// TestMotionCorpus tests the same with maps of the corpus. The mean difference is at most 0.03, and 0.6 in LearnToPlay: several
// translucent layers there cover the whole picture in front of moving clouds. A motion rounds them to bytes together, a picture
// one after the other, so most pixels differ by 1.
func TestMotionCorpus(t *testing.T) {
	if !tests.Long(t) {
		t.Skip("long")
	}
	dir := tests.Corpus(t, "teeworlds")
	maps := []string{"ddnet_ddnet/data/themes/newyear.map", "ddnet_ddnet/data/maps/LearnToPlay.map"}
	if os.Getenv("TROWEL_TILES") != "" {
		maps = append(maps, "jxsl13_twmap/testdata/Castle_Echos.map", "teeworlds_teeworlds-maps/dm3.map",
			"teeworlds_teeworlds-maps/dm8.map", "teeworlds_teeworlds-maps/ctf2.map", "teeworlds_teeworlds-maps/dm1.map",
			"ddnet_ddnet/data/themes/winter_night.map", "ddnet_ddnet/data/themes/autumn_day.map", "ddnet_ddnet/data/maps/Tsunami.map",
			"ddnet_ddnet/data/maps/Tutorial.map", "infclass_teeworlds-infclassR/data/maps/infc_provence.map")
	}
	for _, name := range maps {
		data := judge.Read(t, filepath.Join(dir, filepath.FromSlash(name)))
		m, err := twmap.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		size, whole := image.Pt(800, 600), Whole(m)
		o := Options{Mapres: []string{filepath.Join(dir, "mapres")}}
		for view, p := range map[string]Picture{"map": whole.At(800), "camera": NewCamera(whole.X, whole.Y, 1, size).At(800)} {
			p.Mean = view == "map"
			worst, motion := differs(t, m, o, size, p)
			t.Logf("%s %s: %.3f, %d parts, %d blocks, %d triangles, %d curves", strings.TrimSuffix(filepath.Base(name), ".map"), view, worst,
				len(motion.Parts), len(motion.Blocks), len(motion.Corners)/3, len(motion.Curves))
			if worst > 1 {
				t.Errorf("%s %s: %.2f", name, view, worst)
			}
		}
	}
}

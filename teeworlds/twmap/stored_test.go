package twmap_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"trowel.example/teeworlds/twmap"
)

// What was changed, and what is not there, is not in the file.
func TestStoredNowhere(t *testing.T) {
	m := decode(t, encode(t, everything()))
	game := m.Physics(twmap.KindGame)
	if at := game.Stored(3, 9); at.Len != 4 || at.Offset != (9*20+3)*4 {
		t.Errorf("the tile 3,9 is stored at %v", at)
	}
	for _, p := range [][2]int{{-1, 0}, {0, -1}, {20, 0}, {0, 10}} {
		if at := game.Stored(p[0], p[1]); at != (twmap.Stored{}) {
			t.Errorf("the tile %v is stored at %v", p, at)
		}
	}
	quads, sounds := m.Groups[1].Layers[1].(*twmap.QuadLayer), m.Groups[1].Layers[2].(*twmap.SoundLayer)
	if quads.Stored(0).Len != 152 || sounds.Stored(1).Len != 52 || quads.Stored(1).Len != 0 || sounds.Stored(-1).Len != 0 {
		t.Errorf("%v %v %v %v", quads.Stored(0), sounds.Stored(1), quads.Stored(1), sounds.Stored(-1))
	}
	game.Tiles().Set(0, 0, twmap.Tile{ID: 1})
	quads.SetQuads(nil)
	sounds.SetSources(nil)
	if game.Stored(3, 9).Len != 0 || quads.Stored(0).Len != 0 || sounds.Stored(0).Len != 0 || everything().Physics(twmap.KindGame).Stored(0, 0).Len != 0 {
		t.Error("something is stored that was changed")
	}
}

// Of each tile that the game knows there is something to say.
func TestTileDoes(t *testing.T) {
	for kind := twmap.KindGame; kind <= twmap.KindTune; kind++ {
		for id := range 256 {
			does := twmap.TileDoes(kind, uint8(id))
			if valid := twmap.ValidTile(kind, uint8(id)) && id != 0; valid && (does == "" || strings.HasPrefix(does, "nothing")) || id == 0 && does != "" {
				t.Errorf("%v %d (%s) does %q", kind, id, twmap.TileName(kind, uint8(id)), does)
			}
		}
	}
	if does := twmap.TileDoes(twmap.KindGame, 200); does != "gives the grenade launcher" {
		t.Errorf("%q", does)
	}
	if does := twmap.TileDoes(twmap.KindSwitch, 200); does != "gives the grenade launcher, while the switch is on" {
		t.Errorf("%q", does)
	}
	if does := twmap.TileDoes(twmap.KindTele, 1); does != "nothing in DDNet" {
		t.Errorf("%q", does)
	}
}

// Samples are what Eval says, at times that rise, and between them is nothing that they do not
// show, but for curves.
func TestSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		e := twmap.NewEnvelope("", twmap.ChannelsColor)
		at := int32(0)
		for range r.IntN(8) {
			p := twmap.EnvPoint{Time: at, Curve: twmap.Curve(r.IntN(7))}
			for i := range p.Values {
				p.Values[i] = r.Int32N(2048)
				p.Out[i], p.In[i] = twmap.Tangent{DX: r.Int32N(500), DY: r.Int32N(500)}, twmap.Tangent{DX: -r.Int32N(500)}
			}
			e.Points = append(e.Points, p)
			at += r.Int32N(3) * 400
		}
		samples := e.Samples()
		if (len(samples) > 0) != (len(e.Points) > 0) {
			t.Fatalf("%d samples of %d points", len(samples), len(e.Points))
		}
		for i, s := range samples {
			if i > 0 && s.Time <= samples[i-1].Time {
				t.Fatalf("%v comes after %v", s.Time, samples[i-1].Time)
			}
			if s.Time >= float64(e.Duration()) {
				continue // where it starts again
			}
			want := e.Eval(s.Time)
			for c := range want {
				if math.Abs(want[c]-s.Values[c]) > 0.02 { // right before a jump it is that of the jump
					t.Fatalf("%v at %v: %v, want %v", e.Points, s.Time, s.Values, want)
				}
			}
			if i+1 == len(samples) || samples[i+1].Time-s.Time < 0.01 { // which is where it jumps
				continue
			}
			middle := (s.Time + samples[i+1].Time) / 2
			for _, p := range slices.Backward(e.Points) { // of several at one time the last counts
				if float64(p.Time) > middle {
					continue
				}
				if want, got := e.Eval(middle)[0], (s.Values[0]+samples[i+1].Values[0])/2; p.Curve <= twmap.CurveLinear && math.Abs(want-got) > 0.02 {
					t.Fatalf("%v at %v: %v, want %v", e.Points, middle, got, want)
				}
				break
			}
		}
	}
	long := twmap.NewEnvelope("", twmap.ChannelsSound)
	for i := range int32(100000) {
		long.Points = append(long.Points, twmap.EnvPoint{Time: i})
	}
	if n := len(long.Samples()); n > 5000 {
		t.Errorf("%d samples", n)
	}
	for _, times := range [][]int32{{5, 3, 9}, {-7, -9}, {math.MaxInt32, math.MinInt32, 0}} {
		odd := twmap.NewEnvelope("", twmap.ChannelsSound)
		for _, at := range times {
			odd.Points = append(odd.Points, twmap.EnvPoint{Time: at, Curve: twmap.CurveBezier})
		}
		odd.Samples()
	}
}

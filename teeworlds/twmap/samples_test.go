package twmap_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trowel.example/teeworlds/twmap"
)

// TestSamples tests that samples are equal to Eval at increasing times, and that linear interpolation between them is
// exact except for curves.
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
				continue // where the envelope restarts
			}
			want := e.Eval(s.Time)
			for c := range want {
				if math.Abs(want[c]-s.Values[c]) > 0.02 { // right before a jump the value is that of the jump
					t.Fatalf("%v at %v: %v, want %v", e.Points, s.Time, s.Values, want)
				}
			}
			if i+1 == len(samples) || samples[i+1].Time-s.Time < 0.01 { // here the value jumps
				continue
			}
			middle := (s.Time + samples[i+1].Time) / 2
			for _, p := range slices.Backward(e.Points) { // the last of several points at one time applies
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

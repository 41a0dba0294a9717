package mapdraw

import (
	"math"
	"slices"

	"trowel.example/teeworlds/twmap"
)

// MotionCurve holds values over time in milliseconds. The time is first reduced to its remainder by Period, with the
// sign of the time, or to 0 if Period is 0.
type MotionCurve struct {
	Period float64
	Pieces []MotionPiece // in the order of their times
}

// MotionPiece is a part of a curve, up to the next piece. At the time t each value is c[0] + a*(c[1] + a*(c[2] +
// a*c[3])), where a is (t-Start)/Length.
type MotionPiece struct {
	Start, Length float64
	Values        [4][4]float64
}

// At returns the values at a time, which are 0 if there are no pieces.
func (c *MotionCurve) At(ms float64) (v [4]float64) {
	if len(c.Pieces) == 0 {
		return v
	}
	if ms = math.Mod(ms, c.Period); math.IsNaN(ms) {
		ms = 0
	}
	i, _ := slices.BinarySearchFunc(c.Pieces, ms, func(p MotionPiece, ms float64) int {
		if p.Start <= ms {
			return -1
		}
		return 1
	})
	p := &c.Pieces[max(i-1, 0)]
	a := (ms - p.Start) / p.Length
	for j, k := range p.Values {
		v[j] = k[0] + a*(k[1]+a*(k[2]+a*k[3]))
	}
	return v
}

// curveKey identifies a use of an envelope: as a place or a colour, and whether times before its start are used.
type curveKey struct {
	env           *twmap.Envelope
	color, before bool
}

// Bezier curves are divided into this many pieces. Curves with more than maxPieces pieces in all are not drawn in motion.
const (
	bezierPieces = 24
	maxPieces    = 1 << 14
)

// use returns the use of an envelope. Its curve is -1 if the values never change.
func (m *motion) use(index, offset int32, color bool) MotionUse {
	list := m.c.envelopes.list
	if index < 0 || int(index) >= len(list) || len(list[index].Points) == 0 || list[index].Channels <= 0 {
		return MotionUse{Curve: -1}
	}
	key := curveKey{list[index], color, offset < 0}
	n, ok := m.curves[key]
	if !ok {
		n = -1
		if c := newCurve(key); c.changes() {
			m.pieces += len(c.Pieces)
			n = len(m.Curves)
			m.Curves = append(m.Curves, *c)
		}
		m.curves[key] = n
	}
	if n < 0 {
		return MotionUse{Curve: -1}
	}
	return MotionUse{n, float64(offset)}
}

// newCurve converts an envelope. Each piece is the cubic curve through four values of the envelope, which is exact for
// all but Bezier curves.
func newCurve(key curveKey) *MotionCurve {
	e := key.env
	c := &MotionCurve{Period: max(float64(e.Duration()), 0)}
	breaks := []float64{0, c.Period}
	if key.before {
		breaks = append(breaks, -c.Period)
	}
	bezier := make(map[float64]bool)
	for _, p := range e.Points {
		if t := float64(p.Time); t > -c.Period && t < c.Period && (t >= 0 || key.before) {
			bezier[t] = bezier[t] || p.Curve == twmap.CurveBezier
			breaks = append(breaks, t)
		}
	}
	slices.Sort(breaks)
	breaks = slices.Compact(breaks)
	if c.Period == 0 {
		c.Pieces = []MotionPiece{fit(key, 0, 1)}
	}
	for i := range breaks[1:] {
		n := 1
		if bezier[breaks[i]] {
			n = bezierPieces
		}
		for k := range n {
			step := (breaks[i+1] - breaks[i]) / float64(n)
			c.Pieces = append(c.Pieces, fit(key, breaks[i]+step*float64(k), step))
		}
	}
	return c
}

// fit returns the cubic piece through four values of an envelope.
func fit(key curveKey, start, length float64) MotionPiece {
	p := MotionPiece{Start: start, Length: length}
	var at [4][4]float64
	for i, a := range [4]float64{0.125, 0.375, 0.625, 0.875} {
		at[i] = key.env.Eval(start + a*length)
	}
	for j := range 4 {
		if n := int(key.env.Channels); j >= n || !key.color && j == 3 {
			if key.color {
				p.Values[j][0] = 1
			}
			continue
		}
		v := [4]float64{at[0][j], at[1][j], at[2][j], at[3][j]}
		// Newton's form in s = 4a - 1/2, where the values are at 0, 1, 2 and 3.
		d1, d2, d3 := v[1]-v[0], (v[2]-2*v[1]+v[0])/2, (v[3]-3*v[2]+3*v[1]-v[0])/6
		k := [4]float64{v[0], d1 - d2 + 2*d3, d2 - 3*d3, d3} // powers of s
		const h = -0.5
		p.Values[j] = [4]float64{k[0] + h*(k[1]+h*(k[2]+h*k[3])), 4 * (k[1] + h*(2*k[2]+3*h*k[3])), 16 * (k[2] + 3*h*k[3]), 64 * k[3]}
		for i, c := range p.Values[j][1:] {
			if math.Abs(c) < 1e-9*max(1, math.Abs(v[0])) {
				p.Values[j][1+i] = 0 // rounding
			}
		}
	}
	return p
}

// changes reports whether any value differs between two times.
func (c *MotionCurve) changes() bool {
	for i := range c.Pieces {
		for j, k := range c.Pieces[i].Values {
			if k[1] != 0 || k[2] != 0 || k[3] != 0 || math.Abs(k[0]-c.Pieces[0].Values[j][0]) > 1e-9*max(1, math.Abs(k[0])) {
				return true
			}
		}
	}
	return false
}

// placeBounds returns the least and greatest values of a place.
func (c *MotionCurve) placeBounds() (least, most [3]float64) {
	for d := range 3 {
		least[d], most[d] = math.Inf(1), math.Inf(-1)
		for i := range c.Pieces {
			k := &c.Pieces[i].Values[d]
			// A curve is between its Bezier points.
			for _, v := range [4]float64{k[0], k[0] + k[1]/3, k[0] + (2*k[1]+k[2])/3, k[0] + k[1] + k[2] + k[3]} {
				least[d], most[d] = min(least[d], v), max(most[d], v)
			}
		}
	}
	return least, most
}

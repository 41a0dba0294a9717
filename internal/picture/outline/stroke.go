package outline

import "math"

// Cap is the form of the ends of a line.
type Cap int

// The forms of ends.
const (
	ButtCap Cap = iota
	RoundCap
	SquareCap
)

// Join is the form of the corners of a line.
type Join int

// The forms of corners.
const (
	MiterJoin Join = iota
	RoundJoin
	BevelJoin
)

// Stroke describes how a line is drawn.
type Stroke struct {
	Width  float64
	Cap    Cap
	Join   Join
	Miter  float64   // the length of a pointed corner, in widths, beyond which it is cut off
	Dashes []float64 // lengths of dashes and gaps, in turn; nil for a line without gaps
	Offset float64   // where in the dashes the line begins
}

// Turn returns the largest angle between two lines of a curve for [Pen], so that corners of the outline of a curve are at most
// tolerance away from it.
func (s Stroke) Turn(tolerance float64) float64 {
	return max(2*math.Acos(max(1-tolerance/max(s.Width/2, tolerance), 0)), 0.05)
}

// Outline returns the outline of a line, which encloses it by the rule NonZero. Round forms are at most tolerance away from
// their lines. left is the number of points that may still be drawn; others are left out.
func (s Stroke) Outline(p Path, tolerance float64, left *int) Path {
	if s.Width <= 0 {
		return nil
	}
	w := stroker{Stroke: s, half: s.Width / 2, tolerance: tolerance, left: left}
	for _, c := range p {
		c.Points = distinct(c)
		for _, d := range s.dashed(c, left) {
			if *left > 0 {
				w.contour(d)
			}
		}
	}
	return w.to
}

// distinct returns the points of a contour without those that repeat the one before.
func distinct(c Contour) []Point {
	var list []Point
	for _, q := range c.Points {
		if len(list) == 0 || list[len(list)-1].minus(q).length() > 1e-9 {
			list = append(list, q)
		}
	}
	for c.Closed && len(list) > 1 && list[0].minus(list[len(list)-1]).length() <= 1e-9 {
		list = list[:len(list)-1]
	}
	return list
}

// dashed returns the dashes of a contour.
func (s Stroke) dashed(c Contour, left *int) []Contour {
	sum := 0.
	for _, d := range s.Dashes {
		sum += d
	}
	if sum <= 0 || len(c.Points) < 2 {
		return []Contour{c}
	}
	at := math.Mod(s.Offset, sum*2)
	if at < 0 {
		at += sum * 2
	}
	n := 0 // of the current dash or gap; an odd list is repeated
	for d := s.Dashes[0]; at > d || at == d && d > 0; d = s.Dashes[n%len(s.Dashes)] {
		at -= s.Dashes[n%len(s.Dashes)]
		n++
	}
	points := c.Points
	if c.Closed {
		points = append(points[:len(points):len(points)], points[0])
	}
	rest := max(s.Dashes[n%len(s.Dashes)]-at, 0)
	var list []Contour
	if n%2 == 0 {
		list = append(list, Contour{Points: points[:1:1]})
	}
	for i := 1; i < len(points); i++ {
		from, to := points[i-1], points[i]
		length := to.minus(from).length()
		done := 0.
		dot := func() bool { // one at the very end
			return i == len(points)-1 && n%2 == 1 && s.Dashes[(n+1)%len(s.Dashes)] == 0 && length-done > rest-1e-9
		}
		for (length-done > rest || dot()) && *left > 0 {
			done += rest
			at := between(from, to, done/length)
			if n%2 == 0 {
				last := &list[len(list)-1]
				last.Points = append(last.Points, at)
			} else {
				list = append(list, Contour{Points: []Point{at}})
			}
			n++
			*left--
			rest = s.Dashes[n%len(s.Dashes)]
		}
		rest -= length - done
		if n%2 == 0 {
			last := &list[len(list)-1]
			last.Points = append(last.Points, to)
		}
	}
	for i := range list {
		list[i].Points = distinct(list[i])
	}
	return list
}

// stroker collects the outline of a line.
type stroker struct {
	Stroke
	half, tolerance float64
	to              Path
	left            *int // points that may still be drawn
}

// contour adds the outline of a contour without repeated points.
func (w *stroker) contour(c Contour) {
	p := c.Points
	switch {
	case len(p) == 0:
	case len(p) == 1:
		w.dot(p[0])
	case c.Closed && len(p) > 2:
		w.to = append(w.to, Contour{w.side(p, true), true}, Contour{w.side(reversed(p), true), true})
	default:
		if c.Closed {
			p = append(p[:2:2], p[0])
		}
		there := w.side(p, false)
		there = append(there, w.end(p[len(p)-2], p[len(p)-1])...)
		back := w.side(reversed(p), false)
		there = append(append(there, back...), w.end(p[1], p[0])...)
		w.to = append(w.to, Contour{there, true})
	}
}

func reversed(p []Point) []Point {
	r := make([]Point, len(p))
	for i, q := range p {
		r[len(p)-1-i] = q
	}
	return r
}

// dot adds the outline of a line without length.
func (w *stroker) dot(at Point) {
	h := w.half
	switch w.Cap {
	case RoundCap:
		pen := Pen{Tolerance: w.tolerance}
		pen.Move(at.plus(Point{h, 0}))
		pen.Ellipse(at, h, h, 0, 0, 2*math.Pi, &pen.path[0].Points[0])
		w.to = append(w.to, Contour{pen.path[0].Points, true})
	case SquareCap:
		w.to = append(w.to, Contour{[]Point{{at.X - h, at.Y - h}, {at.X + h, at.Y - h}, {at.X + h, at.Y + h}, {at.X - h, at.Y + h}}, true})
	}
}

// end returns the points of the end of a line that comes from a point, without the two corners beside the end.
func (w *stroker) end(from, to Point) []Point {
	d := from.toward(to).times(w.half)
	switch w.Cap {
	case RoundCap:
		list := w.round(to, d.left(), math.Pi)
		*w.left -= len(list)
		return list
	case SquareCap:
		return []Point{to.plus(d.left()).plus(d), to.minus(d.left()).plus(d)}
	}
	return nil
}

// round returns the points of an arc around a middle, without its ends, from a radius through an angle.
func (w *stroker) round(middle, radius Point, through float64) (list []Point) {
	n := steps(w.half, through, w.tolerance)
	for i := 1; i < n; i++ {
		list = append(list, middle.plus(radius.turned(through*float64(i)/float64(n))))
	}
	return list
}

// side returns the line to the left of a line, from its begin to its end, or around.
func (w *stroker) side(p []Point, around bool) (list []Point) {
	n := len(p)
	if !around {
		list = append(list, p[0].plus(p[0].toward(p[1]).left().times(w.half)))
	}
	for i := range p {
		if (around || i > 0 && i < n-1) && *w.left > 0 {
			corner := w.corner(p[(i+n-1)%n], p[i], p[(i+1)%n])
			*w.left -= len(corner)
			list = append(list, corner...)
		}
	}
	if !around {
		list = append(list, p[n-1].plus(p[n-2].toward(p[n-1]).left().times(w.half)))
	}
	return list
}

// corner returns the points to the left of the corner at a point.
func (w *stroker) corner(before, at, after Point) []Point {
	in, out := before.toward(at), at.toward(after)
	a, b := in.left().times(w.half), out.left().times(w.half)
	cos, turn := in.dot(out), in.cross(out) // turn > 0: to the right, so that the left is outside
	halfCos := math.Sqrt(max(1+cos, 0) / 2) // of half of the angle between the directions
	tip := func() Point { return at.plus(a.plus(b).times(1 / (1 + cos))) }
	if turn < 0 { // the left is inside: the lines cross, unless they are too short
		reach := w.half * math.Sqrt(max(1-cos, 0)) / math.Sqrt(max(1+cos, 1e-12))
		if reach <= min(at.minus(before).length(), after.minus(at).length()) {
			return []Point{tip()}
		}
		return []Point{at.plus(a), at, at.plus(b)}
	}
	switch {
	case halfCos > 0 && w.half*(1/halfCos-1) <= w.tolerance, // a curve
		w.Join == MiterJoin && halfCos > 0 && 1/halfCos <= w.Miter:
		return []Point{tip()}
	case w.Join == RoundJoin:
		list := append([]Point{at.plus(a)}, w.round(at, a, math.Atan2(turn, cos))...)
		return append(list, at.plus(b))
	}
	return []Point{at.plus(a), at.plus(b)}
}

// Package outline makes outlines of lines and curves, strokes them, and divides what they enclose into quadrilaterals.
// Letters of fonts become outlines, or sheets of letters.
package outline

import "math"

// Point is a position or a distance.
type Point struct{ X, Y float64 }

func (p Point) plus(q Point) Point    { return Point{p.X + q.X, p.Y + q.Y} }
func (p Point) minus(q Point) Point   { return Point{p.X - q.X, p.Y - q.Y} }
func (p Point) times(f float64) Point { return Point{p.X * f, p.Y * f} }
func (p Point) dot(q Point) float64   { return p.X*q.X + p.Y*q.Y }
func (p Point) cross(q Point) float64 { return p.X*q.Y - p.Y*q.X }
func (p Point) length() float64       { return math.Hypot(p.X, p.Y) }
func (p Point) left() Point           { return Point{p.Y, -p.X} } // turned by 90 degrees, as seen with y down
func (p Point) turned(a float64) Point {
	s, c := math.Sincos(a)
	return Point{p.X*c - p.Y*s, p.X*s + p.Y*c}
}
func (p Point) toward(q Point) Point      { d := q.minus(p); return d.times(1 / d.length()) }
func between(p, q Point, t float64) Point { return Point{p.X + (q.X-p.X)*t, p.Y + (q.Y-p.Y)*t} }

// Matrix maps x, y to [0]x + [2]y + [4], [1]x + [3]y + [5].
type Matrix [6]float64

// Identity maps each point to itself.
var Identity = Matrix{1, 0, 0, 1, 0, 0}

// Times returns the matrix that maps by n first and then by m.
func (m Matrix) Times(n Matrix) Matrix {
	return Matrix{
		m[0]*n[0] + m[2]*n[1], m[1]*n[0] + m[3]*n[1],
		m[0]*n[2] + m[2]*n[3], m[1]*n[2] + m[3]*n[3],
		m[0]*n[4] + m[2]*n[5] + m[4], m[1]*n[4] + m[3]*n[5] + m[5],
	}
}

// Map maps a point.
func (m Matrix) Map(p Point) Point {
	return Point{m[0]*p.X + m[2]*p.Y + m[4], m[1]*p.X + m[3]*p.Y + m[5]}
}

// Stretch returns the largest factor by which the matrix changes a distance.
func (m Matrix) Stretch() float64 {
	a, b, c, d := m[0], m[1], m[2], m[3]
	sum, det := a*a+b*b+c*c+d*d, a*d-b*c
	return math.Sqrt((sum + math.Sqrt(max(sum*sum-4*det*det, 0))) / 2)
}

// Contour is a line through points. The area of a contour is enclosed also if the line is not closed.
type Contour struct {
	Points []Point
	Closed bool // the last point is connected to the first
}

// Path is a number of contours.
type Path []Contour

// Mapped returns the path after m.
func (p Path) Mapped(m Matrix) Path {
	to := make(Path, len(p))
	for i, c := range p {
		to[i] = Contour{make([]Point, len(c.Points)), c.Closed}
		for j, q := range c.Points {
			to[i].Points[j] = m.Map(q)
		}
	}
	return to
}

// Pen draws a path. Curves become lines that are at most Tolerance away from them.
type Pen struct {
	Tolerance float64
	Turn      float64 // the largest angle between two lines of a curve, in radians; 0: any, see [Stroke.Turn]
	Left      *int    // the number of points that may still be drawn, others are left out; nil: any
	path      Path
	at        Point // the current point
	open      bool  // at belongs to the last contour
}

// maxParts limits the number of lines for one curve.
const maxParts = 256

// At returns the current point.
func (p *Pen) At() Point { return p.at }

// Path returns what was drawn.
func (p *Pen) Path() Path { return p.path }

// Move begins a contour at a point.
func (p *Pen) Move(to Point) {
	if p.may() {
		p.path = append(p.path, Contour{Points: []Point{to}})
		p.at, p.open = to, true
	}
}

// may reports whether one more point may be drawn.
func (p *Pen) may() bool {
	if p.Left == nil {
		return true
	}
	*p.Left--
	return *p.Left >= 0
}

// Line draws a line to a point.
func (p *Pen) Line(to Point) {
	if !p.open {
		p.Move(p.at)
	}
	if !p.may() {
		return
	}
	c := &p.path[len(p.path)-1]
	c.Points = append(c.Points, to)
	p.at = to
}

// Quad draws a quadratic Bézier curve to a point.
func (p *Pen) Quad(c, to Point) {
	from := p.at
	p.curve(2*from.minus(c.times(2)).plus(to).length(), func(t float64) Point {
		return between(between(from, c, t), between(c, to, t), t)
	})
}

// Cube draws a cubic Bézier curve to a point.
func (p *Pen) Cube(c, d, to Point) {
	from := p.at
	p.curve(6*max(from.minus(c.times(2)).plus(d).length(), c.minus(d.times(2)).plus(to).length()), func(t float64) Point {
		a, b, e := between(from, c, t), between(c, d, t), between(d, to, t)
		return between(between(a, b, t), between(b, e, t), t)
	})
}

// curve draws a curve from 0 to 1, whose second derivative is at most a length.
func (p *Pen) curve(second float64, at func(t float64) Point) {
	n := min(max(int(math.Ceil(math.Sqrt(second/8/p.Tolerance))), 1), maxParts)
	for i := range n {
		p.piece(float64(i)/float64(n), float64(i+1)/float64(n), 5, at)
	}
}

// piece draws a piece of a curve: halves of it, if its direction changes too much.
func (p *Pen) piece(from, to float64, depth int, at func(t float64) Point) {
	if p.Turn > 0 && depth > 0 {
		const near = 1e-4
		a, b := at(min(from+near, 1)).minus(at(from)), at(to).minus(at(max(to-near, 0)))
		if math.Abs(math.Atan2(a.cross(b), a.dot(b))) > p.Turn {
			middle := (from + to) / 2
			p.piece(from, middle, depth-1, at)
			p.piece(middle, to, depth-1, at)
			return
		}
	}
	p.Line(at(to))
}

// Close closes the current contour. The next one begins at its first point.
func (p *Pen) Close() {
	if p.open {
		c := &p.path[len(p.path)-1]
		c.Closed = true
		p.at, p.open = c.Points[0], false
	}
}

// steps returns the number of lines for an arc with a radius, through an angle.
func steps(radius, angle, tolerance float64) int {
	step := 2 * math.Acos(max(1-tolerance/max(radius, tolerance), 0))
	return min(max(int(math.Ceil(math.Abs(angle)/step)), 1), maxParts)
}

// Ellipse draws an arc around a middle, from an angle through another, in radians clockwise as seen with y down. It ends
// exactly at to, if to is not nil.
func (p *Pen) Ellipse(middle Point, rx, ry, turn, from, through float64, to *Point) {
	n := steps(max(rx, ry), through, p.Tolerance)
	if p.Turn > 0 {
		n = min(max(n, int(math.Ceil(math.Abs(through)/p.Turn*max(rx, ry)/min(rx, ry)))), maxParts)
	}
	if math.Abs(through) > 6.28 {
		n = (n + 3) / 4 * 4 // opposite points have the same height
	}
	for i := 1; i <= n; i++ {
		s, c := math.Sincos(from + through*float64(i)/float64(n))
		at := middle.plus(Point{rx * c, ry * s}.turned(turn))
		if i == n && to != nil {
			at = *to
		}
		p.Line(at)
	}
}

// Arc draws an elliptical arc to a point, as the command A of SVG: with two radii, a rotation in degrees, the larger arc or
// the smaller one, and clockwise, as seen with y down, or not.
func (p *Pen) Arc(rx, ry, rotation float64, large, clockwise bool, to Point) {
	from := p.at
	rx, ry = math.Abs(rx), math.Abs(ry)
	if from == to {
		return
	}
	if rx == 0 || ry == 0 {
		p.Line(to)
		return
	}
	turn := rotation / 180 * math.Pi
	half := from.minus(to).times(0.5).turned(-turn)
	if over := half.X*half.X/(rx*rx) + half.Y*half.Y/(ry*ry); over > 1 {
		rx, ry = rx*math.Sqrt(over), ry*math.Sqrt(over)
	}
	d := rx*rx*half.Y*half.Y + ry*ry*half.X*half.X
	f := math.Sqrt(max(rx*rx*ry*ry-d, 0) / d)
	if large == clockwise {
		f = -f
	}
	c := Point{f * rx * half.Y / ry, -f * ry * half.X / rx}
	middle := c.turned(turn).plus(between(from, to, 0.5))
	a := math.Atan2((half.Y-c.Y)/ry, (half.X-c.X)/rx)
	b := math.Atan2((-half.Y-c.Y)/ry, (-half.X-c.X)/rx)
	through := b - a
	if clockwise && through < 0 {
		through += 2 * math.Pi
	} else if !clockwise && through > 0 {
		through -= 2 * math.Pi
	}
	p.Ellipse(middle, rx, ry, turn, a, through, &to)
}

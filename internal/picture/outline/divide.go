package outline

import (
	"cmp"
	"errors"
	"image"
	"image/color"
	"math"
	"slices"
)

// Rule decides what a path encloses.
type Rule int

// The rules: a point is enclosed if the path runs around it a number of times that is not 0, or that is odd.
const (
	NonZero Rule = iota
	EvenOdd
)

// Area is what a path encloses.
type Area struct {
	Path Path
	Rule Rule
}

// Quad is a quadrilateral of one colour: top left, top right, bottom left and bottom right. Its top and its bottom are
// horizontal; one of them may be a point.
type Quad struct {
	Corners [4]image.Point
	Color   color.NRGBA
}

// The errors of [Divide].
var (
	ErrQuads = errors.New("too many quads")
	ErrWork  = errors.New("the outlines are too complex")
)

// Limits is what several calls of [Divide] may still do together.
type Limits struct {
	Quads int // that are made
	Work  int // edges that are visited, in all bands between the ends and crossings of edges
}

// Work is a usual limit: a second, or a few.
const Work = 1 << 25

// Divide divides areas into quads that do not overlap. paint returns the colour of the points that are in some of the
// areas; nothing is made where it is transparent. Coordinates become whole numbers. Divide fails with ErrQuads or ErrWork
// beyond the limits.
func Divide(areas []Area, paint func(inside []bool) color.NRGBA, limits *Limits) ([]Quad, error) {
	d := divider{areas: areas, paint: paint, limits: limits, winding: make([]int, len(areas)), inside: make([]bool, len(areas))}
	heights := d.edgesOf()
	next := 0
	var active []*edge
	for i := 0; i+1 < len(heights); i++ {
		y, end := heights[i], heights[i+1]
		active = slices.DeleteFunc(active, func(e *edge) bool { return e.y1 <= y })
		for ; next < len(d.edges) && d.edges[next].y0 <= y; next++ {
			active = append(active, d.edges[next])
		}
		if err := d.band(active, y, end); err != nil {
			return nil, err
		}
	}
	if len(heights) > 0 {
		d.close(nil, heights[len(heights)-1])
	}
	if limits.Quads < 0 {
		return nil, ErrQuads
	}
	return d.quads, nil
}

// edge is a line that goes down.
type edge struct {
	x0, x1 float64
	y0, y1 int
	way    int // 1 if the path goes down, -1 if it goes up
	area   int
	at     float64 // the place in the current order
}

// x returns where the edge is at a height.
func (e *edge) x(y float64) float64 {
	if y >= float64(e.y1) {
		return e.x1
	}
	return e.x0 + (e.x1-e.x0)*(y-float64(e.y0))/float64(e.y1-e.y0)
}

// span is a part of a band of one colour, between two edges. It began at a height.
type span struct {
	left, right *edge
	color       color.NRGBA
	top         int
}

type divider struct {
	areas   []Area
	paint   func(inside []bool) color.NRGBA
	edges   []*edge // from top to bottom
	winding []int
	inside  []bool
	open    []span
	quads   []Quad
	limits  *Limits
}

// edgesOf makes the edges, and returns the heights at which they begin and end.
func (d *divider) edgesOf() (heights []int) {
	for i, a := range d.areas {
		for _, c := range a.Path {
			n := len(c.Points)
			for j, p := range c.Points {
				q := c.Points[(j+1)%n]
				e := &edge{x0: math.Round(p.X), x1: math.Round(q.X), y0: int(math.Round(p.Y)), y1: int(math.Round(q.Y)), way: 1, area: i}
				if e.y0 > e.y1 {
					e.x0, e.x1, e.y0, e.y1, e.way = e.x1, e.x0, e.y1, e.y0, -1
				}
				if e.y0 < e.y1 {
					d.edges = append(d.edges, e)
					heights = append(heights, e.y0, e.y1)
				}
			}
		}
	}
	slices.SortStableFunc(d.edges, func(a, b *edge) int { return a.y0 - b.y0 })
	slices.Sort(heights)
	return slices.Compact(heights)
}

// band divides a band in which no edge begins or ends. It is cut where edges cross.
func (d *divider) band(active []*edge, y, end int) error {
	for y < end {
		if d.limits.Work -= len(active) * (1 + len(d.areas)/8); d.limits.Work < 0 {
			return ErrWork
		}
		to := end
		order(active, float64(y), float64(end))
		for i := 1; i < len(active); i++ {
			a, b := active[i-1], active[i]
			if before, after := b.x(float64(y))-a.x(float64(y)), b.x(float64(end))-a.x(float64(end)); after < -0.5 {
				cross := float64(y) + float64(end-y)*before/(before-after)
				to = min(to, max(int(math.Round(cross)), y+1))
			}
		}
		if to < end {
			order(active, float64(y+to)/2, float64(to))
		}
		d.spans(active, y, to)
		if d.limits.Quads < 0 {
			return ErrQuads
		}
		y = to
	}
	return nil
}

// order sorts edges from left to right at a height, and those that meet there by their place at another height.
func order(edges []*edge, y, then float64) {
	for _, e := range edges {
		e.at = e.x(y)
	}
	slices.SortStableFunc(edges, func(a, b *edge) int {
		if c := cmp.Compare(a.at, b.at); c != 0 {
			return c
		}
		return cmp.Compare(a.x(then), b.x(then))
	})
}

// spans finds the spans between ordered edges, from a height to another.
func (d *divider) spans(active []*edge, y, end int) {
	clear(d.winding)
	clear(d.inside)
	var now []span
	middle := float64(y+end) / 2
	current := span{top: y}
	for _, e := range active {
		d.winding[e.area] += e.way
		w := d.winding[e.area]
		d.inside[e.area] = w != 0 && (d.areas[e.area].Rule == NonZero || w%2 != 0)
		c := d.paint(d.inside)
		if c == current.color {
			continue
		}
		if current.right = e; current.color.A > 0 && current.left.x(middle) < e.x(middle) {
			now = append(now, current)
		}
		current = span{left: e, color: c, top: y}
	}
	d.close(now, y)
}

// close makes quads of the open spans that do not continue in others, which become the open ones.
func (d *divider) close(now []span, y int) {
	type sides struct {
		left, right *edge
		color       color.NRGBA
	}
	at := make(map[sides]int, len(now))
	for i, s := range now {
		at[sides{s.left, s.right, s.color}] = i
	}
	for _, s := range d.open {
		if i, continues := at[sides{s.left, s.right, s.color}]; continues {
			now[i].top = s.top
			continue
		}
		corner := func(e *edge, y int) image.Point { return image.Pt(int(math.Round(e.x(float64(y)))), y) }
		q := Quad{[4]image.Point{corner(s.left, s.top), corner(s.right, s.top), corner(s.left, y), corner(s.right, y)}, s.color}
		q.Corners[1].X, q.Corners[3].X = max(q.Corners[0].X, q.Corners[1].X), max(q.Corners[2].X, q.Corners[3].X)
		if q.Corners[0].X < q.Corners[1].X || q.Corners[2].X < q.Corners[3].X {
			d.quads = append(d.quads, q)
			d.limits.Quads--
		}
	}
	d.open = now
}

// Clipped returns what a path encloses in a rectangle.
func (p Path) Clipped(left, top, right, bottom float64) Path {
	var to Path
	for _, c := range p {
		points := c.Points
		for _, side := range []func(q Point) float64{
			func(q Point) float64 { return q.X - left }, func(q Point) float64 { return right - q.X },
			func(q Point) float64 { return q.Y - top }, func(q Point) float64 { return bottom - q.Y },
		} {
			var kept []Point
			for i, q := range points {
				before := points[(i+len(points)-1)%len(points)]
				a, b := side(before), side(q)
				if a < 0 != (b < 0) {
					kept = append(kept, between(before, q, a/(a-b)))
				}
				if b >= 0 {
					kept = append(kept, q)
				}
			}
			points = kept
		}
		if len(points) > 2 {
			to = append(to, Contour{points, true})
		}
	}
	return to
}

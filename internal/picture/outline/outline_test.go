package outline

import (
	"errors"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"
)

func polygon(xy ...float64) Contour {
	c := Contour{Closed: true}
	for i := 0; i < len(xy); i += 2 {
		c.Points = append(c.Points, Point{xy[i], xy[i+1]})
	}
	return c
}

var ink = color.NRGBA{A: 255}

func divided(t *testing.T, a Area) []Quad {
	t.Helper()
	quads, err := Divide([]Area{a}, func(in []bool) color.NRGBA {
		if in[0] {
			return ink
		}
		return color.NRGBA{}
	}, &Limits{1000, Work})
	if err != nil {
		t.Fatal(err)
	}
	return quads
}

// sizeOf returns the area of quads.
func sizeOf(quads []Quad) (sum float64) {
	for _, q := range quads {
		sum += float64(q.Corners[1].X-q.Corners[0].X+q.Corners[3].X-q.Corners[2].X) / 2 * float64(q.Corners[2].Y-q.Corners[0].Y)
	}
	return sum
}

// winding returns how many times a path runs around a point.
func winding(p Path, x, y float64) (n int) {
	for _, c := range p {
		for i, a := range c.Points {
			b := c.Points[(i+1)%len(c.Points)]
			if (a.Y <= y) != (b.Y <= y) && a.X+(b.X-a.X)*(y-a.Y)/(b.Y-a.Y) > x {
				if n++; a.Y > y {
					n -= 2
				}
			}
		}
	}
	return n
}

func (q Quad) contains(x, y float64) bool {
	top, bottom := float64(q.Corners[0].Y), float64(q.Corners[2].Y)
	if y < top || y >= bottom {
		return false
	}
	at := func(a, b image.Point) float64 {
		return float64(a.X) + float64(b.X-a.X)*(y-top)/(bottom-top)
	}
	return x >= at(q.Corners[0], q.Corners[2]) && x < at(q.Corners[1], q.Corners[3])
}

// distance returns the distance of a point to the lines of a path.
func distance(p Path, at Point) float64 {
	least := math.Inf(1)
	for _, c := range p {
		for i, a := range c.Points {
			b := c.Points[(i+1)%len(c.Points)]
			if i == len(c.Points)-1 && !c.Closed {
				b = a
			}
			d := b.minus(a)
			s := 0.
			if l := d.dot(d); l > 0 {
				s = min(max(at.minus(a).dot(d)/l, 0), 1)
			}
			least = min(least, at.minus(between(a, b, s)).length())
		}
	}
	return least
}

func TestDivide(t *testing.T) {
	square := polygon(0, 0, 100, 0, 100, 100, 0, 100)
	hole := polygon(20, 20, 80, 20, 80, 80, 20, 80)
	back := polygon(20, 20, 20, 80, 80, 80, 80, 20)
	star := polygon(0, 40, 100, 40, 20, 100, 50, 0, 80, 100)
	for _, c := range []struct {
		name  string
		area  Area
		quads int
		size  float64
	}{
		{"square", Area{Path{square}, NonZero}, 1, 10000},
		{"two in the same direction", Area{Path{square, hole}, NonZero}, 1, 10000},
		{"a hole", Area{Path{square, back}, NonZero}, 4, 6400},
		{"even-odd", Area{Path{square, hole}, EvenOdd}, 4, 6400},
		{"triangle", Area{Path{polygon(0, 0, 50, 100, 100, 0)}, NonZero}, 1, 5000},
		{"a line", Area{Path{polygon(0, 0, 50, 100)}, NonZero}, 0, 0},
		{"star", Area{Path{star}, NonZero}, 5, 0},
		{"star, even-odd", Area{Path{star}, EvenOdd}, 7, 0},
		{"nothing", Area{}, 0, 0},
	} {
		quads := divided(t, c.area)
		if len(quads) != c.quads || c.size > 0 && sizeOf(quads) != c.size {
			t.Errorf("%s: %d quads with an area of %g: %v", c.name, len(quads), sizeOf(quads), quads)
		}
	}
}

// TestDivideRandom tests that quads cover exactly what paths enclose, and do not overlap.
func TestDivideRandom(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0))
		var p Path
		for range 1 + r.IntN(3) {
			c := Contour{Closed: true}
			for range 3 + r.IntN(8) {
				c.Points = append(c.Points, Point{float64(r.IntN(1000)), float64(r.IntN(1000))})
			}
			p = append(p, c)
		}
		rule := Rule(seed % 2)
		quads := divided(t, Area{p, rule})
		for range 300 {
			at := Point{r.Float64() * 1000, r.Float64() * 1000}
			if distance(p, at) < 3 {
				continue
			}
			n := winding(p, at.X, at.Y)
			want := 0
			if n != 0 && (rule == NonZero || n%2 != 0) {
				want = 1
			}
			got := 0
			for _, q := range quads {
				if q.contains(at.X, at.Y) {
					got++
				}
			}
			if got != want {
				t.Fatalf("seed %d: %d quads at %v, want %d: %v", seed, got, at, want, p)
			}
		}
	}
}

// TestDivideColors tests that areas that are divided together have one colour at each point.
func TestDivideColors(t *testing.T) {
	areas := []Area{{Path{polygon(0, 0, 60, 0, 60, 60, 0, 60)}, NonZero}, {Path{polygon(30, 30, 90, 30, 90, 90, 30, 90)}, NonZero}}
	quads, err := Divide(areas, func(in []bool) (c color.NRGBA) {
		for i, in := range in {
			if in {
				c.A += uint8(100 << i)
			}
		}
		return c
	}, &Limits{100, Work})
	sizes := make(map[uint8]float64)
	for _, q := range quads {
		sizes[q.Color.A] += sizeOf([]Quad{q})
	}
	if err != nil || len(sizes) != 3 || sizes[100] != 2700 || sizes[200] != 2700 || sizes[44] != 900 {
		t.Errorf("%v, %v", sizes, err)
	}
}

func TestDivideLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	c := Contour{Closed: true}
	for range 4000 {
		c.Points = append(c.Points, Point{float64(r.IntN(1 << 20)), float64(r.IntN(1 << 20))})
	}
	paint := func(in []bool) color.NRGBA { return color.NRGBA{A: 255 * uint8(min(len(in), 1))} }
	if _, err := Divide([]Area{{Path{c}, EvenOdd}}, paint, &Limits{1 << 30, 1 << 20}); !errors.Is(err, ErrWork) {
		t.Errorf("%v", err)
	}
	if _, err := Divide([]Area{{Path{polygon(0, 0, 9, 0, 4, 9), polygon(20, 0, 29, 0, 24, 9)}, NonZero}}, func(in []bool) color.NRGBA {
		if in[0] {
			return ink
		}
		return color.NRGBA{}
	}, &Limits{1, Work}); !errors.Is(err, ErrQuads) {
		t.Errorf("%v", err)
	}
}

// TestStroke tests that round lines enclose what is near to them, also where curves are tight and lines cross.
func TestStroke(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		at := func() Point { return Point{r.Float64() * 1000, r.Float64() * 1000} }
		width := 20 + r.Float64()*200
		s := Stroke{Width: width, Cap: RoundCap, Join: RoundJoin}
		pen := Pen{Tolerance: 0.5, Turn: s.Turn(0.5)}
		pen.Move(at())
		for range 1 + r.IntN(4) {
			switch r.IntN(3) {
			case 0:
				pen.Line(at())
			case 1:
				pen.Quad(at(), at())
			case 2:
				pen.Cube(at(), at(), at())
			}
		}
		if seed%3 == 0 {
			pen.Close()
		}
		left := 1 << 20
		p := s.Outline(pen.Path(), 0.5, &left)
		for range 400 {
			q := Point{r.Float64()*1400 - 200, r.Float64()*1400 - 200}
			d := distance(pen.Path(), q) - width/2
			if in := winding(p, q.X, q.Y) != 0; math.Abs(d) > 2 && in != (d < 0) {
				t.Fatalf("seed %d: %v is %.1f outside of the line, enclosed: %t", seed, q, d, in)
			}
		}
	}
}

func TestStrokeForms(t *testing.T) {
	line := Path{{Points: []Point{{0, 0}, {100, 0}}}}
	corner := Path{{Points: []Point{{0, 0}, {100, 0}, {100, 100}}}}
	dot := Path{{Points: []Point{{50, 50}, {50, 50}}}}
	for _, c := range []struct {
		name string
		s    Stroke
		p    Path
		size float64
	}{
		{"butt", Stroke{Width: 20}, line, 2000},
		{"square", Stroke{Width: 20, Cap: SquareCap}, line, 2400},
		{"round", Stroke{Width: 20, Cap: RoundCap}, line, 2000 + math.Pi*100},
		{"miter", Stroke{Width: 20, Miter: 4}, corner, 4000},
		{"beyond the limit", Stroke{Width: 20, Miter: 1.4}, corner, 3950},
		{"bevel", Stroke{Width: 20, Join: BevelJoin}, corner, 3950},
		{"round corner", Stroke{Width: 20, Join: RoundJoin}, corner, 3900 + math.Pi*25},
		{"dashes", Stroke{Width: 20, Dashes: []float64{30, 20}}, line, 1200},
		{"moved dashes", Stroke{Width: 20, Dashes: []float64{30, 10}, Offset: 35}, line, 1500},
		{"moved back", Stroke{Width: 20, Dashes: []float64{30, 10}, Offset: -15}, line, 1400},
		{"an odd number", Stroke{Width: 20, Dashes: []float64{10}}, line, 1000},
		{"a corner in a dash", Stroke{Width: 20, Miter: 4, Dashes: []float64{150, 1000}}, corner, 3000},
		{"no line", Stroke{}, line, 0},
		{"a dot without ends", Stroke{Width: 20}, dot, 0},
		{"a square dot", Stroke{Width: 20, Cap: SquareCap}, dot, 400},
		{"a round dot", Stroke{Width: 20, Cap: RoundCap}, dot, math.Pi * 100},
		{"dots", Stroke{Width: 20, Cap: SquareCap, Dashes: []float64{0, 50}}, line, 1200},
		{"around", Stroke{Width: 20, Miter: 4}, Path{polygon(0, 0, 100, 0, 100, 100, 0, 100)}, 120*120 - 80*80},
	} {
		left := 10000
		p := c.s.Outline(c.p, 0.01, &left).Mapped(Matrix{64, 0, 0, 64, 0, 0})
		if got := sizeOf(divided(t, Area{p, NonZero})) / 64 / 64; math.Abs(got-c.size) > 0.5+c.size/1000 {
			t.Errorf("%s: an area of %.1f, want %.1f", c.name, got, c.size)
		}
	}
	left := 3
	square := polygon(0, 0, 9, 0, 9, 9, 0, 9)
	if p := (Stroke{Width: 9}).Outline(Path{square, square}, 1, &left); len(p) != 2 || len(p[0].Points)+len(p[1].Points) > 6 {
		t.Errorf("%v, although nothing was left", p)
	}
}

func TestArcs(t *testing.T) {
	for _, c := range []struct {
		large, clockwise bool
		middle           Point
		length           float64
	}{
		{false, true, Point{0, 100}, 0.5}, {true, true, Point{100, 0}, 1.5},
		{false, false, Point{100, 0}, 0.5}, {true, false, Point{0, 100}, 1.5},
	} {
		p := Pen{Tolerance: 0.1}
		p.Move(Point{0, 0})
		p.Arc(100, 100, 0, c.large, c.clockwise, Point{100, 100})
		length := 0.
		points := p.Path()[0].Points
		for i, q := range points {
			if d := q.minus(c.middle).length(); math.Abs(d-100) > 1e-6 {
				t.Errorf("%+v: %v is %g from the middle", c, q, d)
			}
			if i > 0 {
				length += q.minus(points[i-1]).length()
				if d := between(q, points[i-1], 0.5).minus(c.middle).length(); d < 99.89 {
					t.Errorf("%+v: a line is %g from the circle", c, 100-d)
				}
			}
		}
		if math.Abs(length-c.length*math.Pi*100) > 1 {
			t.Errorf("%+v: %g long", c, length)
		}
	}
	p := Pen{Tolerance: 0.1}
	p.Move(Point{0, 0})
	p.Arc(1, 2, 30, false, true, Point{100, 0}) // too small: it grows
	p.Arc(0, 2, 30, false, true, Point{0, 0})   // a line
	p.Arc(9, 9, 0, false, true, Point{0, 0})    // nothing
	last := p.Path()[0].Points
	if len(last) < 10 || last[len(last)-1] != (Point{0, 0}) || last[len(last)-2] != (Point{100, 0}) {
		t.Errorf("%v", last)
	}
}

func TestCurves(t *testing.T) {
	at := func(t float64) Point { // a cubic curve
		u := 1 - t
		return Point{3*u*u*t*0 + 3*u*t*t*100 + t*t*t*100, 3*u*u*t*100 + 3*u*t*t*100}
	}
	left := 6
	for _, p := range []*Pen{{Tolerance: 0.5}, {Tolerance: 0.5, Turn: 0.1}, {Tolerance: 0.5, Left: &left}} {
		p.Move(Point{})
		p.Cube(Point{0, 100}, Point{100, 100}, Point{100, 0})
		most := 0.
		for i := range 1000 {
			most = max(most, distance(p.Path(), at(float64(i)/1000)))
		}
		n := len(p.Path()[0].Points)
		if p.Left == nil && most > 0.5 || p.Left != nil && n != 6 || p.Turn > 0 && n < 32 {
			t.Errorf("%+v: %g from the curve", p, most)
		}
	}
}

// TestClipped tests that a path keeps what it encloses in a rectangle, and has nothing outside of it.
func TestClipped(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		c := Contour{}
		for range 3 + r.IntN(8) {
			c.Points = append(c.Points, Point{r.Float64() * 100, r.Float64() * 100})
		}
		p := Path{c}
		clipped := p.Clipped(30, 20, 70, 80)
		for range 100 {
			x, y := r.Float64()*100, r.Float64()*100
			want := winding(p, x, y)
			if x < 30 || y < 20 || x > 70 || y > 80 {
				want = 0
			}
			if got := winding(clipped, x, y); got != want {
				t.Fatalf("seed %d: %d around %g,%g, want %d", seed, got, x, y, want)
			}
		}
	}
}

func TestMatrix(t *testing.T) {
	m := Matrix{2, 0, 0, 3, 10, 20}.Times(Matrix{0, 1, -1, 0, 1, 0}) // turned, then stretched
	if got := m.Map(Point{5, 7}); got != (Point{2*(-7+1) + 10, 3*5 + 20}) {
		t.Errorf("%v", got)
	}
	if s := m.Stretch(); math.Abs(s-3) > 1e-9 {
		t.Errorf("%g", s)
	}
}

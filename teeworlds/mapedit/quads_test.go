package mapedit

import (
	"context"
	"image"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

func points(v ...int32) (p [4]twmap.Point) {
	for i := range p {
		p[i] = twmap.Point{X: v[2*i], Y: v[2*i+1]}
	}
	return p
}

// quadsMap returns a map with an image, whose group 1 has a layer of quads.
func quadsMap(quads ...twmap.Quad) (*twmap.Map, *twmap.QuadLayer) {
	m := twmap.New(20, 20)
	m.Images = append(m.Images, twmap.NewImage("picture", image.NewNRGBA(image.Rect(0, 0, 30, 20))))
	l := twmap.NewQuadLayer(quads...)
	l.Name, l.Image = "Quads", 0
	m.Groups = append(m.Groups, twmap.NewGroup("Back", l))
	return m, l
}

func TestQuads(t *testing.T) {
	odd := twmap.NewQuad(0, 0, 1, 1)
	odd.Points = points(1999, -1999, 3001, -2999, -999, 999, 16777217, -16778999)
	odd.Pivot = twmap.Point{X: 7, Y: 7}
	far := twmap.NewQuad(0, 0, 1, 1)
	far.Points = points(math.MaxInt32, math.MinInt32, math.MinInt32, 0, 0, math.MaxInt32, 5, 5)
	for _, c := range []struct {
		name   string
		do     func(*Editor, LayerAt, []int) error
		quad   twmap.Quad
		points [4]twmap.Point
		pivot  twmap.Point
	}{
		{"align", (*Editor).AlignQuads, odd, points(1999, -1999, 3000, -2000, 0, 0, 16777000, -16779000), odd.Pivot},
		{"align far away", (*Editor).AlignQuads, far, points(math.MaxInt32, math.MinInt32, -2147483008, 0, 0, 2147483008, 0, 0), far.Pivot},
		{"square", (*Editor).SquareQuads, odd, points(-999, -16778999, 16777217, -16778999, -999, 999, 16777217, 999), odd.Pivot},
		{"aspect", (*Editor).AspectQuads, odd, points(-999, -16778999, 16777217, -16778999, -999, -16778999+16778216*20/30,
			16777217, -16778999+16778216*20/30), odd.Pivot},
		{"pivot", (*Editor).CenterPivots, odd, odd.Points, twmap.Point{X: -999 + 16778216/2, Y: -16778999 + 16779998/2}},
		{"pivot far away", (*Editor).CenterPivots, far, far.Points, twmap.Point{X: -1, Y: -1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			other := twmap.NewQuad(5, 6, 7, 8)
			m, l := quadsMap(other, c.quad)
			var changes []check.Change
			e := New(m, func(c check.Change) { changes = append(changes, c) })
			if err := c.do(e, LayerAt{1, 0}, []int{1}); err != nil {
				t.Fatal(err)
			}
			want := c.quad
			want.Points, want.Pivot = c.points, c.pivot
			got, _ := l.Quads()
			if got[0] != other || got[1] != want {
				t.Errorf("%v\nwant %v", got[1], want)
			}
			if len(changes) != 1 || changes[0].Path != "groups/Back/Quads" || changes[0].Count != 1 ||
				len(changes[0].At) != 1 || changes[0].At[0].String() != "quad 1" {
				t.Errorf("%+v", changes)
			}
			if err := c.do(e, LayerAt{1, 0}, []int{1}); err != nil || len(changes) != 1 {
				t.Errorf("once more: %v, %+v", err, changes[1:])
			}
		})
	}
}

// TestMoveAndColorQuads tests that only the chosen quads are moved, with their pivots, and only the chosen corners coloured.
func TestMoveAndColorQuads(t *testing.T) {
	m, l := quadsMap(twmap.NewQuad(0, 0, 10, 10), twmap.NewQuad(5, 6, 7, 8), twmap.NewQuad(1, 1, 2, 2))
	old, _ := l.Quads()
	n := int64(0)
	e := New(m, func(c check.Change) { n += c.Count })
	red := twmap.Color{R: 255, A: 128}
	if err := e.MoveQuads(LayerAt{1, 0}, []int{1}, twmap.Point{X: 10, Y: -7}); err != nil {
		t.Fatal(err)
	}
	if err := e.ColorQuads(LayerAt{1, 0}, []int{2}, red, []int{0, 3}); err != nil {
		t.Fatal(err)
	}
	want := append([]twmap.Quad{}, old...)
	for i, p := range want[1].Points {
		want[1].Points[i] = twmap.Point{X: p.X + 10, Y: p.Y - 7}
	}
	want[1].Pivot = twmap.Point{X: want[1].Pivot.X + 10, Y: want[1].Pivot.Y - 7}
	want[2].Colors[0], want[2].Colors[3] = red, red
	if got, _ := l.Quads(); !reflect.DeepEqual(got, want) || n != 2 {
		t.Errorf("%v, %d changes, want %v", got, n, want)
	}
	if err := e.ColorQuads(LayerAt{1, 0}, nil, red, nil); err != nil {
		t.Fatal(err)
	}
	if got, _ := l.Quads(); got[0].Colors != [4]twmap.Color{red, red, red, red} || n != 5 {
		t.Errorf("%v, %d changes", got, n)
	}
}

func TestQuadsRefused(t *testing.T) {
	tall := twmap.NewQuad(0, 0, 1, 1)
	tall.Points = points(math.MinInt32, 0, math.MaxInt32, 0, 0, 0, 0, 0)
	m, l := quadsMap(twmap.NewQuad(0, 0, 10, 10), tall)
	e := New(m, func(c check.Change) { t.Errorf("%+v", c) })
	at := LayerAt{1, 0}
	for want, err := range map[string]error{
		"groups/Game/Game has no quads": e.AlignQuads(LayerAt{0, 0}, nil),
		"would exceed the coordinates":  e.MoveQuads(LayerAt{1, 0}, nil, twmap.Point{X: math.MaxInt32}),
		"corner":                        e.ColorQuads(LayerAt{1, 0}, nil, twmap.White, []int{4}),
		"no group 5":                    e.SquareQuads(LayerAt{5, 0}, nil),
		"groups/Back/Quads: no quad 2":  e.CenterPivots(at, []int{0, 2}),
		"groups/Back/Quads: quad 1 would exceed the coordinates of a map": e.AspectQuads(at, nil),
		"groups/Back/Quads: no quad -1":                                   e.SliceQuad(at, -1, points(0, 0, 1, 0, 1, 1, 0, 1)),
		"groups/Back/Quads: quad 0: 10.0009765625,0 is not in it":         e.SliceQuad(at, 0, points(0, 0, 10241, 0, 1, 1, 0, 1)),
		"groups/Back/Quads: quad 0: the piece has no area":                e.SliceQuad(at, 0, points(5, 0, 5, 1, 5, 2, 5, 3)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	l.Image = -1
	if err := e.AspectQuads(at, []int{0}); err == nil {
		t.Error("the aspect ratio of no image")
	}
}

// drawn draws the layers of the map's last group on a black background, with one pixel per pixel of the map.
func drawn(t *testing.T, m *twmap.Map, w, h int) *image.RGBA {
	t.Helper()
	r, err := mapdraw.New(m, mapdraw.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := 3; i < len(dst.Pix); i += 4 {
		dst.Pix[i] = 255
	}
	last := len(m.Groups) - 1
	p := mapdraw.Whole(m).At(w)
	p.Left, p.Top, p.Scale = 0, 0, 1
	p.Draws = func(group, _ int) bool { return group == last }
	if err := r.Render(context.Background(), dst, p); err != nil {
		t.Fatal(err)
	}
	if missing := r.Missing(); len(missing) > 0 {
		t.Fatal(missing)
	}
	return dst
}

// TestSlice tests that drawn pieces of quads show what the quad shows there.
func TestSlice(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	smooth := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for i := range smooth.Pix {
		x, y := i/4%64, i/4/64
		smooth.Pix[i] = [4]byte{byte(3 * x), byte(3 * y), byte(x + y), 255}[i%4]
	}
	const side = 400
	shown := 0
	for n := range 60 {
		// A parallelogram, over which all values are linear, or a quad of any shape with the piece in one of its
		// triangles.
		form := func(scale float64) [4][2]float64 {
			v := func() [2]float64 {
				return [2]float64{scale * (0.5 + random.Float64()), scale * (0.5 + random.Float64())}
			}
			a, b := v(), v()
			o := [2]float64{scale / 2 * random.Float64(), scale / 2 * random.Float64()}
			right, down := [2]float64{o[0] + a[0], o[1] + a[1]/8}, [2]float64{o[0] + b[0]/8, o[1] + b[1]}
			return [4][2]float64{o, right, down, {right[0] + down[0] - o[0], right[1] + down[1] - o[1]}}
		}
		q := twmap.NewQuad(0, 0, 1, 1)
		place, texture, red := form(150), form(400), form(80)
		if n%2 == 1 {
			place[3][0] += 60
			texture[3][1] += 100
			red[3][0] += 50
		}
		for i := range 4 {
			q.Points[i] = twmap.Point{X: int32(place[i][0] * 1024), Y: int32(place[i][1] * 1024)}
			q.Texture[i] = twmap.Point{X: int32(texture[i][0]), Y: int32(texture[i][1])}
			q.Colors[i] = twmap.Color{R: int32(red[i][0]), G: 255, B: int32(red[i][1]), A: 255}
		}
		inside := func(a, b float64) twmap.Point { // a and b run along the sides at corner 0
			third := 2
			if n%2 == 0 {
				third = 1
			}
			o, v, w := place[0], place[third], place[3-third]
			if n%2 == 1 {
				w = place[3]
			}
			at := func(i int) int32 { return int32((o[i] + a*(v[i]-o[i]) + b*(w[i]-o[i])) * 1024) }
			return twmap.Point{X: at(0), Y: at(1)}
		}
		k := 0.95
		if n%2 == 1 {
			k = 0.45 // their sum is less than 1
		}
		small := func() float64 { return k * (0.05 + 0.2*random.Float64()) }
		large := func() float64 { return k * (0.75 + 0.25*random.Float64()) }
		corners := [4]twmap.Point{inside(small(), small()), inside(large(), small()), inside(large(), large()), inside(small(), large())}

		m, l := quadsMap(q)
		m.Images[0] = twmap.NewImage("smooth", smooth)
		whole := drawn(t, m, side, side)
		e := New(m, nil)
		if err := e.SliceQuad(LayerAt{1, 0}, 0, corners); err != nil {
			t.Fatalf("%v: %v", q.Points, err)
		}
		quads, _ := l.Quads()
		if len(quads) != 2 || quads[0] != q || quads[1].PosEnv != -1 || quads[1].ColorEnv != -1 {
			t.Fatalf("%+v", quads)
		}
		l.SetQuads(quads[1:])
		piece := drawn(t, m, side, side)
		for i := 0; i < len(piece.Pix); i += 4 {
			if piece.Pix[i+1] == 0 && piece.Pix[i+2] == 0 && piece.Pix[i] == 0 {
				continue // outside the piece
			}
			shown++
			for j := range 3 {
				if d := int(piece.Pix[i+j]) - int(whole.Pix[i+j]); d < -4 || d > 4 {
					t.Fatalf("%d: at %d,%d %v, was %v\n%+v", n, i/4%side, i/4/side, piece.Pix[i:i+3], whole.Pix[i:i+3], q)
				}
			}
		}
	}
	if shown < 100000 {
		t.Errorf("only %d pixels were compared", shown)
	}
}

// TestSliceOrder tests that the corners of a piece may be given in an order that is not convex, and in either
// direction.
func TestSliceOrder(t *testing.T) {
	m, l := quadsMap(twmap.NewQuad(0, 0, 100, 100))
	e := New(m, nil)
	at := func(v ...int32) [4]twmap.Point {
		for i := range v {
			v[i] *= 1024
		}
		return points(v...)
	}
	for _, c := range []struct{ corners, points, texture [4]twmap.Point }{
		{at(10, 10, 60, 10, 60, 60, 10, 60), at(10, 10, 60, 10, 10, 60, 60, 60), points(102, 102, 614, 102, 102, 614, 614, 614)},
		{at(10, 10, 90, 10, 30, 30, 10, 90), at(10, 10, 90, 10, 10, 90, 30, 30), points(102, 102, 922, 102, 102, 922, 307, 307)},
		// The other diagonal would leave the piece.
		{at(90, 10, 30, 30, 10, 90, 10, 10), at(10, 10, 10, 90, 90, 10, 30, 30), points(102, 102, 102, 922, 922, 102, 307, 307)},
	} {
		if err := e.SliceQuad(LayerAt{1, 0}, 0, c.corners); err != nil {
			t.Fatal(err)
		}
		quads, _ := l.Quads()
		got := quads[len(quads)-1]
		if got.Points != c.points || got.Texture != c.texture {
			t.Errorf("%v %v, want %v %v", got.Points, got.Texture, c.points, c.texture)
		}
		if !reflect.DeepEqual(got.Colors, [4]twmap.Color{twmap.White, twmap.White, twmap.White, twmap.White}) {
			t.Errorf("%v", got.Colors)
		}
	}
}

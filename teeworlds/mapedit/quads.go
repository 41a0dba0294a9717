package mapedit

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"trowel.example/check"
	"trowel.example/teeworlds/twmap"
)

// quads returns a layer with its quads.
func (e *Editor) quads(at LayerAt) (*twmap.QuadLayer, []twmap.Quad, error) {
	l, err := e.layerAt(at)
	if err != nil {
		return nil, nil, err
	}
	layer, ok := l.(*twmap.QuadLayer)
	if !ok {
		return nil, nil, fmt.Errorf("%s has no quads", e.Path(l))
	}
	list, err := layer.Quads()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", e.Path(l), err)
	}
	return layer, list, nil
}

// changeQuads changes quads of a layer: those with the numbers in list, or all if list is nil.
func (e *Editor) changeQuads(at LayerAt, list []int, what string, change func(*twmap.Quad)) error {
	layer, old, err := e.quads(at)
	if err != nil {
		return err
	}
	if err := allInRange("quad", list, len(old)); err != nil {
		return fmt.Errorf("%s: %w", e.Path(layer), err)
	}
	quads := slices.Clone(old)
	changed := 0
	var places []check.Place
	for i := range quads {
		if list != nil && !slices.Contains(list, i) {
			continue
		}
		if change(&quads[i]); quads[i] != old[i] {
			if changed++; changed <= maxPlaces {
				places = append(places, e.part(at).Thing(twmap.ThingQuad, i))
			}
		}
	}
	if changed == 0 {
		return nil
	}
	if changed > maxPlaces {
		places = nil
	}
	layer.SetQuads(quads)
	e.reportChangeAt(places, layer, changed, "quads", "%s", what)
	return nil
}

// AddQuads adds quads in front of those of a layer that shows an image, or none if image is -1. A layer without quads gets
// the image.
func (e *Editor) AddQuads(at LayerAt, quads []twmap.Quad, image int) error {
	layer, old, err := e.quads(at)
	switch {
	case err != nil:
		return err
	case image < -1 || image >= len(e.m.Images):
		return inRange(twmap.PartImage, image, len(e.m.Images))
	case len(old) > 0 && layer.Image != image:
		return fmt.Errorf("%s shows %s: expected a layer that shows %s", e.Path(layer), e.imageName(layer.Image), e.imageName(image))
	}
	layer.Image = image
	layer.SetQuads(append(slices.Clip(old), quads...))
	e.reportChange(layer, len(quads), "quads", "added")
	return nil
}

// AlignQuads does what Align in DDNet's editor does: it truncates the coordinates of all corners except the first to
// a multiple of 1000/1024 of a pixel, towards 0. Like all methods for quads, it changes the quads with the numbers in
// list, or all if list is nil.
func (e *Editor) AlignQuads(at LayerAt, list []int) error {
	return e.changeQuads(at, list, "aligned", func(q *twmap.Quad) {
		for i := 1; i < len(q.Points); i++ {
			q.Points[i] = twmap.Point{X: aligned(q.Points[i].X), Y: aligned(q.Points[i].Y)}
		}
	})
}

// aligned computes with 32-bit floats, like the editor.
func aligned(v int32) int32 {
	return int32(1000 * float32(int32(float32(v)/1000)))
}

// SquareQuads replaces quads by their bounding rectangles.
func (e *Editor) SquareQuads(at LayerAt, list []int) error {
	return e.changeQuads(at, list, "squared", func(q *twmap.Quad) {
		setRectangle(q, boxOf(q.Points[:]))
	})
}

// box is a rectangle given by two corners.
type box struct{ left, top, right, bottom int32 }

func boxOf(points []twmap.Point) box {
	b := box{points[0].X, points[0].Y, points[0].X, points[0].Y}
	for _, p := range points[1:] {
		b.left, b.right = min(b.left, p.X), max(b.right, p.X)
		b.top, b.bottom = min(b.top, p.Y), max(b.bottom, p.Y)
	}
	return b
}

func setRectangle(q *twmap.Quad, b box) {
	q.Points = [4]twmap.Point{{X: b.left, Y: b.top}, {X: b.right, Y: b.top}, {X: b.left, Y: b.bottom}, {X: b.right, Y: b.bottom}}
}

// AspectQuads changes quads to rectangles with the aspect ratio of the image of their layer, keeping the width and
// the top of their bounding rectangle. It fails if the layer has no image, if the map states a width or height of
// 0 for the image, or if a quad would be too high.
func (e *Editor) AspectQuads(at LayerAt, list []int) error {
	layer, quads, err := e.quads(at)
	switch {
	case err != nil:
		return err
	case layer.Image < 0 || layer.Image >= len(e.m.Images):
		return fmt.Errorf("%s has no image", e.Path(layer))
	}
	im := e.m.Images[layer.Image]
	w, h := int64(im.Width()), int64(im.Height())
	if w <= 0 || h <= 0 {
		return fmt.Errorf("the image %q has %d x %d pixels", im.Name, w, h)
	}
	bottom := func(b box) int64 { return int64(b.top) + (int64(b.right)-int64(b.left))*h/w }
	for i := range quads {
		if (list == nil || slices.Contains(list, i)) && bottom(boxOf(quads[i].Points[:])) > math.MaxInt32 {
			return fmt.Errorf("%s: quad %d would exceed the coordinates of a map", e.Path(layer), i)
		}
	}
	return e.changeQuads(at, list, "took the aspect ratio of the image", func(q *twmap.Quad) {
		b := boxOf(q.Points[:])
		b.bottom = int32(bottom(b))
		setRectangle(q, b)
	})
}

// MoveQuads moves quads with their pivots by a distance. It fails if a quad would exceed the coordinates of a map.
func (e *Editor) MoveQuads(at LayerAt, list []int, by twmap.Point) error {
	layer, quads, err := e.quads(at)
	if err != nil {
		return err
	}
	for i, q := range quads {
		for _, p := range append(q.Points[:], q.Pivot) {
			x, y := int64(p.X)+int64(by.X), int64(p.Y)+int64(by.Y)
			if (list == nil || slices.Contains(list, i)) && (x != int64(int32(x)) || y != int64(int32(y))) {
				return fmt.Errorf("%s: quad %d would exceed the coordinates of a map", e.Path(layer), i)
			}
		}
	}
	return e.changeQuads(at, list, "moved", func(q *twmap.Quad) {
		for i := range q.Points {
			q.Points[i] = twmap.Point{X: q.Points[i].X + by.X, Y: q.Points[i].Y + by.Y}
		}
		q.Pivot = twmap.Point{X: q.Pivot.X + by.X, Y: q.Pivot.Y + by.Y}
	})
}

// ColorQuads gives corners of quads a colour: those with the numbers in corners, or all if corners is nil. The corners are, from
// 0, top left, top right, bottom left and bottom right.
func (e *Editor) ColorQuads(at LayerAt, list []int, c twmap.Color, corners []int) error {
	if err := allInRange("corner", corners, len(twmap.Quad{}.Colors)); err != nil {
		return err
	}
	return e.changeQuads(at, list, "coloured", func(q *twmap.Quad) {
		for i := range q.Colors {
			if corners == nil || slices.Contains(corners, i) {
				q.Colors[i] = c
			}
		}
	})
}

// CenterPivots moves the pivots of quads to the middle of their bounding rectangles.
func (e *Editor) CenterPivots(at LayerAt, list []int) error {
	return e.changeQuads(at, list, "pivots in the middle", func(q *twmap.Quad) {
		b := boxOf(q.Points[:])
		q.Pivot = twmap.Point{X: middle(b.left, b.right), Y: middle(b.top, b.bottom)}
	})
}

func middle(from, to int32) int32 { return int32(int64(from) + (int64(to)-int64(from))/2) }

// SliceQuad adds a quad to a layer that shows a piece of another quad, like the knife of DDNet's editor: its four
// corners, given in order around the piece in 1/1024 pixels, must be inside the other quad. It gets the colours and
// texture coordinates of the other quad at its corners, and no envelopes. The other quad stays unchanged.
func (e *Editor) SliceQuad(at LayerAt, quad int, corners [4]twmap.Point) error {
	layer, old, err := e.quads(at)
	if err != nil {
		return err
	}
	if err := inRange("quad", quad, len(old)); err != nil {
		return fmt.Errorf("%s: %w", e.Path(layer), err)
	}
	piece, err := slice(&old[quad], corners)
	if err != nil {
		return fmt.Errorf("%s: quad %d: %w", e.Path(layer), quad, err)
	}
	layer.SetQuads(append(slices.Clip(old), piece))
	e.reportChangeAt([]check.Place{e.part(at).Thing(twmap.ThingQuad, len(old))}, layer, 1, "", "a piece of quad %d added", quad)
	return nil
}

// slice returns the piece of a quad between four corners.
func slice(q *twmap.Quad, corners [4]twmap.Point) (twmap.Quad, error) {
	var c [4]place
	for i, p := range corners {
		c[i] = placeOf(p)
	}
	if c[3].in(c[0], c[1], c[2]) || c[1].in(c[0], c[2], c[3]) { // not convex: use the other diagonal
		c[0], c[1], c[2], c[3] = c[3], c[2], c[1], c[0]
		corners[0], corners[1], corners[2], corners[3] = corners[3], corners[2], corners[1], corners[0]
	}
	c[2], c[3] = c[3], c[2]
	corners[2], corners[3] = corners[3], corners[2]

	var p [4]place
	for i := range p {
		p[i] = placeOf(q.Points[i])
	}
	piece := twmap.NewQuad(0, 0, 0, 0)
	piece.Points = corners
	for i, at := range c {
		third := 1 // a quad is drawn as two triangles, divided by the diagonal from 0 to 3
		switch {
		case at.in(p[0], p[2], p[3]):
			third = 2
		case !at.in(p[0], p[1], p[3]):
			return piece, fmt.Errorf("%g,%g is not in it", at.x/1024, at.y/1024)
		}
		all := area(p[0], p[3], p[third])
		w0, w3, w := area(at, p[3], p[third])/all, area(at, p[third], p[0])/all, area(at, p[0], p[3])/all
		mix := func(a, b, c int32) int32 {
			return int32(math.Round(float64(a)*w0 + float64(b)*w3 + float64(c)*w))
		}
		a, b, t := q.Colors[0], q.Colors[3], q.Colors[third]
		piece.Colors[i] = twmap.Color{R: mix(a.R, b.R, t.R), G: mix(a.G, b.G, t.G), B: mix(a.B, b.B, t.B), A: mix(a.A, b.A, t.A)}
		u, v, s := q.Texture[0], q.Texture[3], q.Texture[third]
		piece.Texture[i] = twmap.Point{X: mix(u.X, v.X, s.X), Y: mix(u.Y, v.Y, s.Y)}
	}
	half := func(a, b int32) int32 { return int32((int64(a) + int64(b)) / 2) }
	r := corners
	piece.Pivot = twmap.Point{
		X: half(half(r[0].X, r[3].X), half(r[1].X, r[2].X)),
		Y: half(half(r[0].Y, r[3].Y), half(r[1].Y, r[2].Y)),
	}
	if b := boxOf(corners[:]); b.left == b.right || b.top == b.bottom {
		return piece, errors.New("the piece has no area")
	}
	return piece, nil
}

// place is a point in the plane.
type place struct{ x, y float64 }

func placeOf(p twmap.Point) place { return place{float64(p.X), float64(p.Y)} }

// area returns the area of a triangle.
func area(a, b, c place) float64 {
	return math.Abs((b.x-a.x)*(c.y-a.y)-(c.x-a.x)*(b.y-a.y)) / 2
}

// in reports whether a point is in a triangle, including its sides.
func (p place) in(a, b, c place) bool {
	all := area(a, b, c)
	return all > 0 && area(p, a, b)+area(p, b, c)+area(p, c, a)-all <= all*1e-6
}

package mapdraw

import (
	"math"
	"time"

	"trowel.example/teeworlds/twmap"
)

// Placing maps the units of a group to those of the camera's map. Each group has its own units, and the mapping
// depends on the camera.
type Placing struct {
	left, top float64 // the corner of the view, in the map
	x, y      float64 // the same corner in the group
	size      float64 // size of a unit of the map, in units of the group
	clip      *twmap.Clip
	seen      bool // a part of the clip is in the view
}

// Placing returns the placing of a group for a camera.
func (r *Renderer) Placing(c Camera, group int) Placing {
	g := r.m.Groups[group]
	px, py := float64(g.ParallaxX), float64(g.ParallaxY)
	ox, oy, clip := float64(g.OffsetX), float64(g.OffsetY), g.Clip
	if r.isGame[group] { // the game forces this group to move with the game
		px, py, ox, oy, clip = 100, 100, 0, 0, nil
	}
	size := groupSize(max(px, py), c.zoom())
	return Placing{
		left: c.X - c.Width/2, top: c.Y - c.Height/2,
		// The view fills the same rectangle of the picture in every group.
		x: ox + c.X*px/100 - c.Width*size/2, y: oy + c.Y*py/100 - c.Height*size/2,
		size: size,
		clip: clip, seen: clip == nil || c.sees(clip),
	}
}

// In converts a point of the map to the point of the group that is shown there.
func (p Placing) In(x, y float64) (gx, gy float64) {
	return p.x + (x-p.left)*p.size, p.y + (y-p.top)*p.size
}

// Out converts a point of the group to the point of the map where it is shown.
func (p Placing) Out(gx, gy float64) (x, y float64) {
	return p.left + (gx-p.x)/p.size, p.top + (gy-p.y)/p.size
}

// Clipped reports whether the clip of the group hides it at a point of the map.
func (p Placing) Clipped(x, y float64) bool {
	c := p.clip
	return c != nil && !(p.seen && x >= float64(c.X) && y >= float64(c.Y) && x < float64(c.X)+float64(c.Width) &&
		y < float64(c.Y)+float64(c.Height))
}

// Shape is an area of a group: a polygon or a circle.
type Shape struct {
	Corners [4][2]float64 // in the order of [twmap.Quad.Points]
	Radius  float64       // of a circle in the middle of the corners; 0: a polygon
}

// Contains reports whether a point of the group is in the drawn shape.
func (s *Shape) Contains(x, y float64) bool {
	c := &s.Corners
	if s.Radius > 0 {
		return math.Hypot(x-(c[0][0]+c[3][0])/2, y-(c[0][1]+c[3][1])/2) <= s.Radius
	}
	return inTriangle(x, y, c[0], c[1], c[3]) || inTriangle(x, y, c[0], c[3], c[2])
}

func inTriangle(x, y float64, a, b, c [2]float64) bool {
	side := func(p, q [2]float64) float64 { return (q[0]-p[0])*(y-p[1]) - (q[1]-p[1])*(x-p[0]) }
	ab, bc, ca := side(a, b), side(b, c), side(c, a)
	return ab >= 0 && bc >= 0 && ca >= 0 && ab+bc+ca > 0 || ab <= 0 && bc <= 0 && ca <= 0 && ab+bc+ca < 0
}

// Quad returns the area of a quad at a time.
func (r *Renderer) Quad(q *twmap.Quad, at time.Duration) Shape {
	e := r.at(at)
	return Shape{Corners: e.corners(q)}
}

// Source returns the areas of a sound source at a time: of its sign, and the area in which it is heard.
func (r *Renderer) Source(s *twmap.SoundSource, at time.Duration) (sign, heard Shape) {
	e := r.at(at)
	x, y := e.source(s)
	box := func(w, h float64) Shape {
		return Shape{Corners: [4][2]float64{{x - w/2, y - h/2}, {x + w/2, y - h/2}, {x - w/2, y + h/2}, {x + w/2, y + h/2}}}
	}
	sign = box(TileSize, TileSize)
	switch radius := float64(s.Width); s.Shape {
	case twmap.ShapeCircle:
		heard = box(2*radius, 2*radius)
		heard.Radius = max(radius, 0)
	case twmap.ShapeRectangle:
		heard = box(units(s.Width), units(s.Height))
	default:
		heard = sign
	}
	return sign, heard
}

// at returns the envelopes at a time.
func (r *Renderer) at(t time.Duration) envelopes {
	return envelopes{list: r.m.Envelopes, ms: float64(t) / float64(time.Millisecond)}
}

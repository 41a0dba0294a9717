package mapdraw

import (
	"math"
	"time"

	"trowel.example/teeworlds/twmap"
)

// Placing is where a camera shows a group: each group has units of its own, which lie on
// those of the map, of which the camera is, in a way that depends on the camera.
type Placing struct {
	left, top float64 // of what the camera shows, in the map
	x, y      float64 // the same in the group
	size      float64 // of the map's unit in the group
	clip      *twmap.Clip
	seen      bool // something of the clip is in what the camera shows
}

// Placing returns where a camera shows a group.
func (r *Renderer) Placing(c Camera, group int) Placing {
	g := r.m.Groups[group]
	px, py := float64(g.ParallaxX), float64(g.ParallaxY)
	ox, oy, clip := float64(g.OffsetX), float64(g.OffsetY), g.Clip
	if r.isGame[group] { // the game sees to it that this one moves with the game
		px, py, ox, oy, clip = 100, 100, 0, 0, nil
	}
	size := groupSize(max(px, py), c.zoom())
	return Placing{
		left: c.X - c.Width/2, top: c.Y - c.Height/2,
		// What the camera shows fills the same rectangle of the picture in every group.
		x: ox + c.X*px/100 - c.Width*size/2, y: oy + c.Y*py/100 - c.Height*size/2,
		size: size,
		clip: clip, seen: clip == nil || c.sees(clip),
	}
}

// In returns which place of the group is shown at a place of the map.
func (p Placing) In(x, y float64) (gx, gy float64) {
	return p.x + (x-p.left)*p.size, p.y + (y-p.top)*p.size
}

// Out returns at which place of the map a place of the group is shown.
func (p Placing) Out(gx, gy float64) (x, y float64) {
	return p.left + (gx-p.x)/p.size, p.top + (gy-p.y)/p.size
}

// Clipped reports whether the group is not shown at a place of the map because of its clip.
func (p Placing) Clipped(x, y float64) bool {
	c := p.clip
	return c != nil && !(p.seen && x >= float64(c.X) && y >= float64(c.Y) && x < float64(c.X)+float64(c.Width) && y < float64(c.Y)+float64(c.Height))
}

// Shape is a place of a group, as a polygon around it, or a circle.
type Shape struct {
	Corners [4][2]float64 // as those of [twmap.Quad.Points]
	Radius  float64       // of the circle in the middle of the corners; 0: it is none
}

// Contains reports whether a place of the group is in the shape, as it is drawn.
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

// Quad returns where a quad is at a time.
func (r *Renderer) Quad(q *twmap.Quad, at time.Duration) Shape {
	e := r.at(at)
	return Shape{Corners: e.corners(q)}
}

// Source returns where a sound source is at a time: its sign, and the area in which it is
// heard.
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

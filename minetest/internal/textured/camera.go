package textured

import (
	"context"
	"image"
	"math"

	"trowel.example/internal/picture/raster"
	"trowel.example/minetest/internal/nodemesh"
)

// Camera is the view of a player.
type Camera struct {
	Eye        [3]float64 // in nodes
	Yaw, Pitch float64    // degrees: yaw 0 looks north and positive values turn to the left; positive pitches look down
	Fov        float64    // degrees that the picture spans from top to bottom: more than 0 and less than 180
	Daylight   float64    // 0 at midnight to 1 at noon
}

// near is the distance from which nodes can be seen, in nodes.
const near = .1

// lens projects places of a volume into a part of a picture.
type lens struct {
	eye                  [3]float64
	right, up, forward   [3]float64
	scale                float64 // pixels at a distance of one node
	x, y                 float64 // of the middle of the picture
	daylight             nodemesh.Daylight
	left, top, low, high float64 // of the part, at a distance of one node
}

// lens returns the projection for the pixels of r in a picture.
func (c *Camera) lens(v *nodemesh.Volume, r image.Rectangle, p Picture) *lens {
	sinY, cosY := math.Sincos(c.Yaw * math.Pi / 180)
	sinP, cosP := math.Sincos(c.Pitch * math.Pi / 180)
	l := &lens{
		right: [3]float64{cosY, 0, sinY}, up: [3]float64{-sinY * sinP, cosP, cosY * sinP},
		forward: [3]float64{-sinY * cosP, -sinP, cosY * cosP}, scale: p.Height / 2 / math.Tan(c.Fov*math.Pi/360),
		x: p.Middle[0], y: p.Middle[1], daylight: v.Daylight(c.Daylight),
	}
	for i := range l.eye {
		l.eye[i] = c.Eye[i] - float64(v.Origin[i])
	}
	l.left, l.high = (float64(r.Min.X)-l.x)/l.scale, (float64(r.Max.X)-l.x)/l.scale
	l.top, l.low = (l.y-float64(r.Min.Y))/l.scale, (l.y-float64(r.Max.Y))/l.scale
	return l
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// from returns the place of a point relative to the eye: to the right, up and forward.
func (l *lens) from(p [3]float64) [3]float64 {
	for i := range p {
		p[i] -= l.eye[i]
	}
	return [3]float64{dot(p, l.right), dot(p, l.up), dot(p, l.forward)}
}

func (l *lens) vertex(v *nodemesh.Vertex) raster.Vertex {
	p := l.from([3]float64{float64(v.Pos[0]), float64(v.Pos[1]), float64(v.Pos[2])})
	rgb := l.daylight.Color(v.Color)
	return raster.Vertex{X: float32(p[0]*l.scale + l.x*p[2]), Y: float32(l.y*p[2] - p[1]*l.scale), Z: 1, W: float32(p[2]),
		U: v.UV[0], V: v.UV[1], Color: [3]float32{float32(rgb[0]), float32(rgb[1]), float32(rgb[2])}}
}

// distance returns the distance of a place from the eye, squared.
func (l *lens) distance(p [3]float64) float32 {
	p = l.from(p)
	return float32(dot(p, p))
}

// sees reports whether a ball may be in the picture.
func (l *lens) sees(center [3]float64, radius float64) bool {
	p := l.from(center)
	if p[2] < near-radius {
		return false
	}
	beside := func(side, at float64) bool { // whether the ball is beyond a plane through the eye
		return side > radius*math.Hypot(1, at)
	}
	return !beside(l.left*p[2]-p[0], l.left) && !beside(p[0]-l.high*p[2], l.high) &&
		!beside(p[1]-l.top*p[2], l.top) && !beside(l.low*p[2]-p[1], l.low)
}

// part is the edge of the cubes of nodes that are drawn or left out as a whole.
const part = 8

// Picture is a picture of a camera, of which dst may be a part.
type Picture struct {
	Middle [2]float64 // in pixels
	Height float64    // pixels from top to bottom
}

// Draw draws the nodes of a box of a volume, both corners inclusive, over a part of a picture.
func (c *Camera) Draw(ctx context.Context, dst *image.RGBA, p Picture, g *Game, v *nodemesh.Volume, low, high [3]int) error {
	l := c.lens(v, dst.Rect, p)
	canvas := raster.NewCanvas(dst)
	canvas.Near = near
	d := newDrawing(ctx, l, canvas, g)
	for z := low[2]; z <= high[2]; z += part {
		if err := ctx.Err(); err != nil {
			return err
		}
		for y := low[1]; y <= high[1]; y += part {
			for x := low[0]; x <= high[0]; x += part {
				var middle [3]float64
				for i, from := range [3]int{x, y, z} {
					middle[i] = float64(from-v.Origin[i]) + (part-1)/2.
				}
				if !l.sees(middle, part) { // with nodes that stick out
					continue
				}
				v.Faces([3]int{x, y, z}, [3]int{min(x+part-1, high[0]), min(y+part-1, high[1]), min(z+part-1, high[2])}, d.face)
				if d.err != nil {
					return in(d.err, "node %d,%d,%d", x, y, z)
				}
			}
		}
	}
	return d.finish()
}

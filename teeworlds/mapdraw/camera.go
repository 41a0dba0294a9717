package mapdraw

import (
	"image"
	"math"

	"trowel.example/teeworlds/twmap"
)

// Camera is the rectangle of the map that a picture shows, like the game's camera. A group with another parallax
// shows another rectangle, which depends on the middle and the size of the camera, even if only a part of the
// camera's view becomes a picture.
type Camera struct {
	X, Y          float64 // its middle, in units
	Width, Height float64 // size of the view, in units
}

// NewCamera returns the camera of the game at a position, for a picture of a size in pixels. Zoom 1 is the usual one;
// a larger zoom shows more of the map.
func NewCamera(x, y, zoom float64, size image.Point) Camera {
	w, h := screen(float64(size.X) / float64(size.Y))
	return Camera{x, y, w * zoom, h * zoom}
}

// Whole returns a camera that shows the whole game layer, or an area of the size of the largest layer in a map
// without game layer.
func Whole(m *twmap.Map) Camera {
	w, h := 0, 0
	if game := m.Physics(twmap.KindGame); game != nil {
		w, h = game.Width(), game.Height()
	} else {
		for _, l := range m.Layers() {
			if t, ok := l.(*twmap.TileLayer); ok {
				w, h = max(w, t.Width()), max(h, t.Height())
			}
		}
	}
	width, height := float64(max(w, 1))*TileSize, float64(max(h, 1))*TileSize
	return Camera{width / 2, height / 2, width, height}
}

// The game shows about the same area of a map on every screen, with a limited width and height.
const (
	screenArea = 1150 * 1000
	maxWidth   = 1500
	maxHeight  = 1050
)

// screen returns the size of the view at zoom 1, in units, on a screen whose width is aspect times its height.
func screen(aspect float64) (w, h float64) {
	h = math.Sqrt(screenArea) / math.Sqrt(aspect)
	w = h * aspect
	if w > maxWidth {
		w, h = maxWidth, maxWidth/aspect
	}
	if h > maxHeight {
		w, h = maxHeight*aspect, maxHeight
	}
	return w, h
}

// zoom returns the zoom of the game's camera that has a view of this size.
func (c Camera) zoom() float64 {
	w, _ := screen(c.Width / c.Height)
	return c.Width / w
}

// maxPlace exceeds the coordinates of every map; pictures farther away are rejected.
const maxPlace = 1 << 32

// ok reports whether the picture can be drawn.
func (p Picture) ok() bool {
	for _, v := range []float64{p.Camera.Width, p.Camera.Height, p.Scale} {
		if !(v >= 1.0/maxPlace && v <= maxPlace) {
			return false
		}
	}
	for _, v := range []float64{p.Camera.X, p.Camera.Y, p.Left, p.Top} {
		if !(math.Abs(v) <= maxPlace) {
			return false
		}
	}
	return true
}

// frame is the position of a group in a picture: pixel X begins at left + X*step, in units.
type frame struct {
	image.Rectangle // the pixels to draw
	left, top       float64
	step            float64
}

// frame returns the position of a group in the picture.
func (c *canvas) frame(number int) *frame {
	p, at := c.picture, c.Placing(c.picture.Camera, number)
	f := &frame{Rectangle: c.dst.Rect, step: at.size / p.Scale}
	f.left, f.top = at.In(p.Left, p.Top)
	if at.clip != nil {
		f.Rectangle = f.Intersect(p.clip(at.clip))
	}
	return f
}

// groupSize returns the size of a group's rectangle relative to the view of the camera: a group with a parallax of
// 100 zooms with the game, one with a parallax of 0 does not zoom.
func groupSize(parallax, zoom float64) float64 {
	parallax = min(max(parallax, 0), 100)
	if parallax == 100 {
		return 1
	}
	return (parallax*(zoom-1) + 100) / 100 / zoom
}

// clip returns the pixels inside a clip. A clip is in the units of the game group, whatever group it applies to, and
// is cut only at the edges of the camera's view.
func (p Picture) clip(clip *twmap.Clip) image.Rectangle {
	if !p.Camera.sees(clip) {
		return image.Rectangle{}
	}
	pixel := func(units, from float64) int {
		return int(min(max(math.Round((units-from)*p.Scale), -farAway), farAway))
	}
	return image.Rectangle{ // not image.Rect, which would swap the sides of a negative width
		image.Pt(pixel(float64(clip.X), p.Left), pixel(float64(clip.Y), p.Top)),
		image.Pt(pixel(float64(clip.X)+float64(clip.Width), p.Left), pixel(float64(clip.Y)+float64(clip.Height), p.Top)),
	}
}

// sees reports whether a part of a clip is in the camera's view.
func (c Camera) sees(clip *twmap.Clip) bool {
	left, top := float64(clip.X)-(c.X-c.Width/2), float64(clip.Y)-(c.Y-c.Height/2)
	right, bottom := left+float64(clip.Width), top+float64(clip.Height)
	return right >= 0 && left <= c.Width && bottom >= 0 && top <= c.Height
}

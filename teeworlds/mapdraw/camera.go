package mapdraw

import (
	"image"
	"math"

	"trowel.example/teeworlds/twmap"
)

// Camera is the rectangle of the map that a picture shows, as the game's camera does. A
// group that does not move with the game shows another one: it depends on where the middle
// of the camera is and on how much it shows, even if only a part of it becomes a picture.
type Camera struct {
	X, Y          float64 // its middle, in units
	Width, Height float64 // of what it shows, in units
}

// NewCamera returns the camera of the game over a place, for a picture of a size in pixels.
// A zoom of 1 is the usual one, a larger one shows more.
func NewCamera(x, y, zoom float64, size image.Point) Camera {
	w, h := screen(float64(size.X) / float64(size.Y))
	return Camera{x, y, w * zoom, h * zoom}
}

// Whole returns a camera that shows the whole game layer; where a map has none, all that
// is as large as its largest layer.
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

// The game shows about as much of a map on every screen, and never more than so much.
const (
	screenArea = 1150 * 1000
	maxWidth   = 1500
	maxHeight  = 1050
)

// screen returns what the game shows at zoom 1 on a screen that is aspect times as wide as
// high, in units.
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

// zoom returns the zoom of the game's camera that shows as much.
func (c Camera) zoom() float64 {
	w, _ := screen(c.Width / c.Height)
	return c.Width / w
}

// maxPlace is beyond every place of a map; pictures reach no farther.
const maxPlace = 1 << 32

// ok reports whether a picture can be drawn.
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

// frame is how a group stands in a picture: the pixel X begins at left + X*step, in units.
type frame struct {
	image.Rectangle // the pixels that are to be drawn
	left, top       float64
	step            float64
}

// frame returns how a group stands in the picture.
func (c *canvas) frame(number int) *frame {
	p, at := c.picture, c.Placing(c.picture.Camera, number)
	f := &frame{Rectangle: c.dst.Rect, step: at.size / p.Scale}
	f.left, f.top = at.In(p.Left, p.Top)
	if at.clip != nil {
		f.Rectangle = f.Intersect(p.clip(at.clip))
	}
	return f
}

// groupSize returns how much larger than what the camera shows a group's rectangle is: a
// group that moves with the game zooms with it, one that stands still does not.
func groupSize(parallax, zoom float64) float64 {
	parallax = min(max(parallax, 0), 100)
	if parallax == 100 {
		return 1
	}
	return (parallax*(zoom-1) + 100) / 100 / zoom
}

// clip returns the pixels that a clip leaves. It is in the units of the game group, whatever
// group it is for, and cut at the camera's edges only.
func (p Picture) clip(clip *twmap.Clip) image.Rectangle {
	if !p.Camera.sees(clip) {
		return image.Rectangle{}
	}
	pixel := func(units, from float64) int {
		return int(min(max(math.Round((units-from)*p.Scale), -farAway), farAway))
	}
	return image.Rectangle{ // not image.Rect, which would turn one of negative width
		image.Pt(pixel(float64(clip.X), p.Left), pixel(float64(clip.Y), p.Top)),
		image.Pt(pixel(float64(clip.X)+float64(clip.Width), p.Left), pixel(float64(clip.Y)+float64(clip.Height), p.Top)),
	}
}

// sees reports whether something of a clip is in what the camera shows.
func (c Camera) sees(clip *twmap.Clip) bool {
	left, top := float64(clip.X)-(c.X-c.Width/2), float64(clip.Y)-(c.Y-c.Height/2)
	right, bottom := left+float64(clip.Width), top+float64(clip.Height)
	return right >= 0 && left <= c.Width && bottom >= 0 && top <= c.Height
}

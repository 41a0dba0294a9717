package worlddraw

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"

	"trowel.example/minetest/mapdb"
)

// Scaled is the position and scale of a picture of a map: pixel (x,y) is the square of 1/Scale nodes that begins at
// Origin + (x,y)/Scale.
type Scaled struct {
	Origin [2]float64
	Scale  float64
}

// tileSide is the maximum side length in nodes of a picture that is drawn at once before it is scaled down.
const tileSide = 2048

// span returns the range of nodes that a pixel shows, along an axis; a single node if nodes are larger than pixels.
func (s Scaled) span(axis, pixel int) (from, to int) {
	if s.Scale >= 1 {
		n := int(math.Floor(s.Origin[axis] + (float64(pixel)+0.5)/s.Scale))
		return n, n + 1
	}
	from = int(math.Floor(s.Origin[axis] + float64(pixel)/s.Scale))
	to = int(math.Floor(s.Origin[axis] + float64(pixel+1)/s.Scale))
	return from, max(to, from+1)
}

// nodes returns the nodes that a rectangle of pixels shows.
func (s Scaled) nodes(r image.Rectangle) image.Rectangle {
	var n image.Rectangle
	n.Min.X, _ = s.span(0, r.Min.X)
	n.Min.Y, _ = s.span(1, r.Min.Y)
	_, n.Max.X = s.span(0, r.Max.X-1)
	_, n.Max.Y = s.span(1, r.Max.Y-1)
	return n
}

// parts calls do for the parts of a rectangle, each with few enough nodes.
func (s Scaled) parts(r image.Rectangle, do func(image.Rectangle) error) error {
	step := max(1, int(tileSide*min(s.Scale, 1)))
	for y := r.Min.Y; y < r.Max.Y; y += step {
		for x := r.Min.X; x < r.Max.X; x += step {
			if err := do(image.Rect(x, y, min(x+step, r.Max.X), min(y+step, r.Max.Y))); err != nil {
				return err
			}
		}
	}
	return nil
}

// RenderScaled is [Map.Render] for a picture with another scale: nodes are squares, or pixels are the mean of several
// nodes. The pixels of dst must contain the background, which must be a single colour.
func (m *Map) RenderScaled(ctx context.Context, dst *image.RGBA, s Scaled) error {
	return Scale(dst, s, m.shows, func(img *image.RGBA) error { return m.Render(ctx, img) })
}

// shows reports whether a rectangle of nodes contains blocks.
func (m *Map) shows(r image.Rectangle) bool {
	index := m.source.index
	if !index.any {
		return false
	}
	u0, v0, u1, v1 := index.columns(r)
	for v := v0; v <= v1; v++ {
		if len(index.among(v, u0, u1)) > 0 {
			return true
		}
	}
	return false
}

// Scale draws a picture with any scale, using a function that draws it with one pixel for each node, as
// [Map.RenderScaled] does. It skips parts for which shows returns false, because worlds can have blocks that are far
// away from all others.
func Scale(dst *image.RGBA, s Scaled, shows func(image.Rectangle) bool, render func(*image.RGBA) error) error {
	if dst.Rect.Empty() {
		return nil
	}
	if s.Scale == 1 && s.Origin[0] == math.Floor(s.Origin[0]) && s.Origin[1] == math.Floor(s.Origin[1]) {
		return render(&image.RGBA{Pix: dst.Pix, Stride: dst.Stride, Rect: dst.Rect.Add(image.Pt(int(s.Origin[0]), int(s.Origin[1])))})
	}
	at := dst.Pix[dst.PixOffset(dst.Rect.Min.X, dst.Rect.Min.Y):]
	background := color.RGBA{at[0], at[1], at[2], at[3]}
	return s.parts(dst.Rect, func(part image.Rectangle) error {
		nodes := s.nodes(part)
		if !shows(nodes) {
			return nil
		}
		img := image.NewRGBA(nodes)
		for i := 0; i < len(img.Pix); i += 4 {
			img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = background.R, background.G, background.B, background.A
		}
		if err := render(img); err != nil {
			return err
		}
		for y := part.Min.Y; y < part.Max.Y; y++ {
			row := dst.Pix[dst.PixOffset(part.Min.X, y):][:4*part.Dx()]
			v0, v1 := s.span(1, y)
			if v, _ := s.span(1, y-1); v == v0 && y > part.Min.Y { // the same nodes as in the row above
				copy(row, dst.Pix[dst.PixOffset(part.Min.X, y-1):])
				continue
			}
			for x := part.Min.X; x < part.Max.X; x++ {
				u0, u1 := s.span(0, x)
				if s.Scale >= 1 {
					copy(row[4*(x-part.Min.X):][:4], img.Pix[img.PixOffset(u0, v0):])
				} else {
					dst.SetRGBA(x, y, meanOf(img, image.Rect(u0, v0, u1, v1)))
				}
			}
		}
		return nil
	})
}

func meanOf(img *image.RGBA, part image.Rectangle) color.RGBA {
	var r, g, b, a int
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for row := img.Pix[img.PixOffset(part.Min.X, y):][:4*part.Dx()]; len(row) >= 4; row = row[4:] {
			r, g, b, a = r+int(row[0]), g+int(row[1]), b+int(row[2]), a+int(row[3])
		}
	}
	n := part.Dx() * part.Dy()
	return color.RGBA{uint8(r / n), uint8(g / n), uint8(b / n), uint8(a / n)}
}

// HeightsScaled is [Map.Heights] for a picture with another scale. A pixel that shows several nodes has the greatest
// height.
func (m *Map) HeightsScaled(ctx context.Context, dst *image.Gray16, s Scaled) error {
	if dst.Rect.Empty() {
		return nil
	}
	return s.parts(dst.Rect, func(part image.Rectangle) error {
		nodes := s.nodes(part)
		if !m.shows(nodes) {
			return nil
		}
		img := image.NewGray16(nodes)
		if err := m.Heights(ctx, img); err != nil {
			return err
		}
		for y := part.Min.Y; y < part.Max.Y; y++ {
			v0, v1 := s.span(1, y)
			for x := part.Min.X; x < part.Max.X; x++ {
				u0, u1 := s.span(0, x)
				most := uint16(0)
				for v := v0; v < v1; v++ {
					for u := u0; u < u1; u++ {
						most = max(most, img.Gray16At(u, v).Y)
					}
				}
				dst.SetGray16(x, y, color.Gray16{Y: most})
			}
		}
		return nil
	})
}

// Within calls do for the blocks in a part of a picture, including those that are hidden behind others, until it returns an error.
func (m *Map) Within(_ context.Context, r image.Rectangle, s Scaled, do func(mapdb.Pos) error) (err error) {
	n := s.nodes(r)
	if !m.shows(n) {
		return nil
	}
	index := m.source.index
	u0, v0, u1, v1 := index.columns(n)
	for v := v0; v <= v1; v++ {
		for _, u := range index.among(v, u0, u1) {
			index.column(u, v, func(low, high int) {
				for d := low; d <= high && err == nil; d++ {
					p := m.frame.out([3]int{u, v, d})
					err = do(mapdb.Pos{X: int16(p[0]), Y: int16(p[1]), Z: int16(p[2])})
				}
			})
		}
	}
	return err
}

// Fingerprint hashes the blocks that determine the appearance of a part of a picture, including those that are hidden
// behind others. It reports whether the part shows any blocks; if not, it reads none.
func (m *Map) Fingerprint(ctx context.Context, h io.Writer, r image.Rectangle, s Scaled) (some bool, err error) {
	n := s.nodes(r)
	if !m.shows(n) {
		return false, nil
	}
	index := m.source.index
	u0, v0, u1, v1 := m.around(n)
	var number [12]byte
	put := func(at int, v int) {
		number[at], number[at+1], number[at+2], number[at+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	}
	for v := v0; v <= v1; v++ {
		if !index.row(v) {
			continue
		}
		if v > v0 && !m.o.Flat && !index.row(v-1) {
			put(0, v)
			_, _ = h.Write(number[:4]) // a gap in the relief, which disappears if there is a block anywhere in it
		}
		if err := m.source.columns(ctx, v, index.among(v, u0, u1), coordCount, func(c column, _ bool) bool {
			for _, b := range c.blocks {
				put(0, c.u)
				put(4, c.v)
				put(8, b.d)
				_, _ = h.Write(number[:])
				put(0, len(b.data))
				_, _ = h.Write(number[:4])
				_, _ = h.Write(b.data)
			}
			for _, err := range c.lost {
				fmt.Fprintln(h, err)
			}
			return false
		}); err != nil {
			return true, err
		}
	}
	return true, nil
}

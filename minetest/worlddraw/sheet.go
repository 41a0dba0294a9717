package worlddraw

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strconv"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// Sheet is a map from above in the format of minetestmapper: several pixels for a node, with scales at the edges, the
// origin and the players. It can be drawn part by part.
type Sheet struct {
	Map        *Map
	Area       image.Rectangle // of the map, in complete blocks
	Zoom       int             // pixels of a node along an edge
	Background color.NRGBA

	Scales     Edges
	ScaleColor color.NRGBA

	Origin      bool
	OriginColor color.NRGBA

	Players     []Player
	PlayerColor color.NRGBA
}

// Edges is a set of edges.
type Edges struct{ Top, Bottom, Left, Right bool }

const (
	scaleWidth = 40 // pixels of a scale
	scaleStep  = 4  // blocks between its marks
)

// corner returns the position of the map on the sheet.
func (s *Sheet) corner() (p image.Point) {
	if s.Scales.Left {
		p.X = scaleWidth
	}
	if s.Scales.Top {
		p.Y = scaleWidth
	}
	return p
}

// Size returns the size of the sheet in pixels.
func (s *Sheet) Size() image.Point {
	p := s.corner().Add(s.Area.Size().Mul(s.Zoom))
	if s.Scales.Right {
		p.X += scaleWidth
	}
	if s.Scales.Bottom {
		p.Y += scaleWidth
	}
	return p
}

// Render draws a part of the sheet, with its background.
func (s *Sheet) Render(ctx context.Context, dst *image.RGBA) error {
	draw.Draw(dst, dst.Rect, image.NewUniform(s.Background), image.Point{}, draw.Src)
	corner := s.corner()
	part := dst.Rect.Sub(corner).Intersect(image.Rectangle{Max: s.Area.Size().Mul(s.Zoom)})
	if s.Zoom == 1 && !part.Empty() {
		at := part.Add(corner)
		img := &image.RGBA{Pix: dst.Pix[dst.PixOffset(at.Min.X, at.Min.Y):], Stride: dst.Stride, Rect: part.Add(s.Area.Min)}
		if err := s.Map.Render(ctx, img); err != nil {
			return err
		}
	} else if !part.Empty() {
		nodes := image.Rect(part.Min.X/s.Zoom, part.Min.Y/s.Zoom, (part.Max.X-1)/s.Zoom+1, (part.Max.Y-1)/s.Zoom+1).Add(s.Area.Min)
		img := image.NewRGBA(nodes)
		draw.Draw(img, nodes, image.NewUniform(s.Background), image.Point{}, draw.Src)
		if err := s.Map.Render(ctx, img); err != nil {
			return err
		}
		enlarge(dst, part.Add(corner), img, func(x int) int { return (x-corner.X)/s.Zoom + s.Area.Min.X },
			func(y int) int { return (y-corner.Y)/s.Zoom + s.Area.Min.Y })
	}
	s.scales(dst)
	if at := image.Pt(0, -1); s.Origin &&
		(image.Rectangle{Max: s.Area.Size()}).Add(s.Area.Min).Overlaps(image.Rectangle{at, at.Add(image.Pt(1, 1))}) {
		circle(dst, s.at(0, 0), 12, s.OriginColor)
	}
	for _, p := range s.Players {
		x, z := int(p.X), int(p.Z) // truncated
		at := s.at(x, z)
		fill(dst, image.Rect(at.X-1, at.Y, at.X+2, at.Y+1), s.PlayerColor)
		fill(dst, image.Rect(at.X, at.Y-1, at.X+1, at.Y+2), s.PlayerColor)
		text(dst, at.Add(image.Pt(2, 0)), p.Name, s.PlayerColor)
	}
	return nil
}

// Has reports whether a player is on the sheet, and between two heights.
func (s *Sheet) Has(p Player, low, high int) bool {
	a := s.Area
	return p.X >= float64(a.Min.X) && p.X < float64(a.Max.X) && p.Z >= float64(-a.Max.Y) && p.Z < float64(-a.Min.Y) &&
		p.Y >= float64(low) && p.Y <= float64(high)
}

// enlarge fills a part of dst with pixels of src. The functions x and y return the source coordinates.
func enlarge(dst *image.RGBA, part image.Rectangle, src *image.RGBA, x, y func(int) int) {
	for py := part.Min.Y; py < part.Max.Y; py++ {
		to, sy := dst.PixOffset(part.Min.X, py), y(py)
		if py > part.Min.Y && sy == y(py-1) {
			copy(dst.Pix[to:to+4*part.Dx()], dst.Pix[dst.PixOffset(part.Min.X, py-1):])
			continue
		}
		for px := part.Min.X; px < part.Max.X; px++ {
			from := src.PixOffset(x(px), sy)
			copy(dst.Pix[to:to+4], src.Pix[from:from+4])
			to += 4
		}
	}
}

// at returns the pixel of a position, which is below the node with the same z.
func (s *Sheet) at(x, z int) image.Point {
	return s.corner().Add(image.Pt(x-s.Area.Min.X, -z-s.Area.Min.Y).Mul(s.Zoom))
}

func (s *Sheet) scales(dst *image.RGBA) {
	corner, size := s.corner(), s.Area.Size().Mul(s.Zoom)
	x0, x1 := s.Area.Min.X/side, s.Area.Max.X/side-1
	z0, z1 := -s.Area.Max.Y/side, -s.Area.Min.Y/side-1
	across := func(y, letterX, letterY int) {
		text(dst, image.Pt(letterX, letterY), "X", s.ScaleColor)
		for i := x0 / scaleStep * scaleStep; i <= x1; i += scaleStep {
			if at := s.at(i*side, 0).X; at >= 0 {
				text(dst, image.Pt(at+2, y), strconv.Itoa(i*side), s.ScaleColor)
				fill(dst, image.Rect(at, y, at+1, y+scaleWidth), s.ScaleColor)
			}
		}
	}
	down := func(x, letterX, letterY int) {
		text(dst, image.Pt(letterX, letterY), "Z", s.ScaleColor)
		for i := z1 / scaleStep * scaleStep; i >= z0; i -= scaleStep {
			if at := s.at(0, i*side+1).Y; at >= 0 {
				text(dst, image.Pt(x+2, at), strconv.Itoa(i*side), s.ScaleColor)
				fill(dst, image.Rect(x, at, x+scaleWidth, at+1), s.ScaleColor)
			}
		}
	}
	end := corner.Add(size)
	if s.Scales.Top {
		across(0, 24, 0)
	}
	if s.Scales.Left {
		down(0, 2, 24)
	}
	if s.Scales.Bottom {
		across(end.Y, end.X-32, end.Y+scaleWidth-12)
	}
	if s.Scales.Right {
		down(end.X, end.X+scaleWidth-10, end.Y-36)
	}
}

func fill(dst *image.RGBA, r image.Rectangle, c color.NRGBA) {
	draw.Draw(dst, r.Intersect(dst.Rect), image.NewUniform(c), image.Point{}, draw.Src)
}

// text draws a text with its top left corner at a position.
func text(dst *image.RGBA, at image.Point, s string, c color.NRGBA) {
	face := basicfont.Face7x13
	if r := image.Rect(at.X, at.Y, at.X+face.Advance*len(s), at.Y+face.Height); !r.Overlaps(dst.Rect) {
		return
	}
	d := font.Drawer{Dst: dst, Src: image.NewUniform(c), Face: face, Dot: fixed.P(at.X, at.Y+face.Ascent)}
	d.DrawString(s)
}

// circle draws a circle with a diameter of a few pixels, as the library gd does: one point for each degree, with its
// position truncated towards the center.
func circle(dst *image.RGBA, at image.Point, diameter int, c color.NRGBA) {
	for degree := range 360 {
		sin, cos := math.Sincos(float64(degree) * math.Pi / 180)
		x, y := int(math.Round(cos*1024)), int(math.Round(sin*1024))
		p := at.Add(image.Pt(x*diameter/2048, y*diameter/2048))
		if p.In(dst.Rect) {
			dst.Set(p.X, p.Y, c)
		}
	}
}

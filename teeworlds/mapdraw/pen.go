package mapdraw

import (
	"image"
	"image/color"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// signSide is the side of a cell in generated sheets, in pixels.
const signSide = 64

// newSigns returns an empty sheet for signs.
func newSigns() *image.NRGBA {
	return image.NewNRGBA(image.Rect(0, 0, cellsInRow*signSide, cellsInRow*signSide))
}

// pen draws into a cell of a sheet. Its coordinates range from 0,0 to 64,64. It can rotate its drawing around the
// middle.
type pen struct {
	sheet    *image.NRGBA
	cell     int
	sin, cos float64
}

func newPen(sheet *image.NRGBA, cell int) *pen { return &pen{sheet, cell, 0, 1} }

// turned returns a pen whose drawing is rotated clockwise by some degrees.
func (p *pen) turned(degrees float64) *pen {
	q := *p
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	q.sin, q.cos = p.sin*cos+p.cos*sin, p.cos*cos-p.sin*sin
	return &q
}

func (p *pen) at(x, y float64) (float32, float32) {
	x, y = x-signSide/2, y-signSide/2
	return float32(x*p.cos - y*p.sin + signSide/2), float32(x*p.sin + y*p.cos + signSide/2)
}

// rgba converts a colour 0xrrggbbaa.
func rgba(v uint32) color.NRGBA {
	return color.NRGBA{uint8(v >> 24), uint8(v >> 16), uint8(v >> 8), uint8(v)}
}

// lay blends a colour over the cell through a mask.
func (p *pen) lay(c uint32, mask *image.Alpha) {
	over := rgba(c)
	left, top := p.cell%cellsInRow*signSide, p.cell/cellsInRow*signSide
	for y := range signSide {
		for x := range signSide {
			covered := mask.Pix[y*mask.Stride+x]
			if covered == 0 {
				continue
			}
			a := float64(covered) / 255 * float64(over.A) / 255
			d := p.sheet.Pix[p.sheet.PixOffset(left+x, top+y):][:4]
			under := float64(d[3]) / 255 * (1 - a)
			mix := func(o, u uint8) uint8 {
				return uint8(math.Round((float64(o)*a + float64(u)*under) / (a + under)))
			}
			d[0], d[1], d[2], d[3] = mix(over.R, d[0]), mix(over.G, d[1]), mix(over.B, d[2]), uint8(math.Round(255*(a+under)))
		}
	}
}

// poly fills a polygon of x, y, x, y, ...
func (p *pen) poly(c uint32, points ...float64) {
	r := vector.NewRasterizer(signSide, signSide)
	for i := 0; i < len(points); i += 2 {
		if x, y := p.at(points[i], points[i+1]); i == 0 {
			r.MoveTo(x, y)
		} else {
			r.LineTo(x, y)
		}
	}
	r.ClosePath()
	mask := image.NewAlpha(image.Rect(0, 0, signSide, signSide))
	r.Draw(mask, mask.Rect, image.Opaque, image.Point{})
	p.lay(c, mask)
}

func (p *pen) rect(c uint32, x, y, w, h float64) { p.poly(c, x, y, x+w, y, x+w, y+h, x, y+h) }

// arc returns points of a circle, between two angles in degrees.
func arc(x, y, r, from, to float64) (points []float64) {
	for i := range 49 {
		sin, cos := math.Sincos((from + (to-from)*float64(i)/48) * math.Pi / 180)
		points = append(points, x+r*cos, y+r*sin)
	}
	return points
}

func (p *pen) disc(c uint32, x, y, r float64) { p.poly(c, arc(x, y, r, 0, 360)...) }

// bow draws a part of a ring.
func (p *pen) bow(c uint32, x, y, r, width, from, to float64) {
	p.poly(c, append(arc(x, y, r+width/2, from, to), arc(x, y, r-width/2, to, from)...)...)
}

func (p *pen) ring(c uint32, x, y, r, width float64) { p.bow(c, x, y, r, width, 0, 360) }

// line draws a line through points.
func (p *pen) line(c uint32, width float64, points ...float64) {
	for i := 0; i+3 < len(points); i += 2 {
		x0, y0, x1, y1 := points[i], points[i+1], points[i+2], points[i+3]
		length := math.Hypot(x1-x0, y1-y0)
		nx, ny := (y0-y1)/length*width/2, (x1-x0)/length*width/2
		p.poly(c, x0+nx, y0+ny, x1+nx, y1+ny, x1-nx, y1-ny, x0-nx, y0-ny)
	}
}

// arrow draws an arrow from one point to another.
func (p *pen) arrow(c uint32, width, x0, y0, x1, y1 float64) {
	length := math.Hypot(x1-x0, y1-y0)
	ux, uy := (x1-x0)/length, (y1-y0)/length
	head := 2.2 * width
	bx, by := x1-ux*head, y1-uy*head
	p.line(c, width, x0, y0, bx, by)
	p.poly(c, x1, y1, bx-uy*head*0.75, by+ux*head*0.75, bx+uy*head*0.75, by-ux*head*0.75)
}

var bold = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(gobold.TTF)
	if err != nil {
		panic(err) // the font is embedded in the program
	}
	return f
})

// text writes a text around a point, in a colour with an outline in another. Its height is size, or less if it would
// be wider than width.
func (p *pen) text(c, outline uint32, text string, x, y, size, width float64) {
	measure := func(size float64) (font.Face, fixed.Rectangle26_6) {
		face, err := opentype.NewFace(bold(), &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
		if err != nil {
			panic(err)
		}
		bounds, _ := font.BoundString(face, text)
		return face, bounds
	}
	face, b := measure(size)
	if w := float64(b.Max.X-b.Min.X) / 64; w > width {
		face, b = measure(size * width / w)
	}
	mask := image.NewAlpha(image.Rect(0, 0, signSide, signSide))
	draw := func(dx, dy float64) {
		d := font.Drawer{Dst: mask, Src: image.Opaque, Face: face, Dot: fixed.Point26_6{
			X: fixed.Int26_6((x+dx)*64) - (b.Min.X+b.Max.X)/2,
			Y: fixed.Int26_6((y+dy)*64) - (b.Min.Y+b.Max.Y)/2,
		}}
		d.DrawString(text)
	}
	if outline&0xff != 0 {
		for i := range 8 {
			sin, cos := math.Sincos(float64(i) * math.Pi / 4)
			draw(2*cos, 2*sin)
		}
		p.lay(outline, mask)
		clear(mask.Pix)
	}
	draw(0, 0)
	p.lay(c, mask)
}

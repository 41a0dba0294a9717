package plan

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"io"
	"slices"
	"strings"
)

// Background is the usual background color of plans.
var Background = color.NRGBA{241, 238, 231, 255}

// Picture selects the part of a plan to draw.
type Picture struct {
	Origin [2]float64              // top left corner, in units
	Scale  float64                 // pixels per unit
	Shown  func(layer string) bool // nil for all layers
}

func (p Picture) layers(all []Layer) []bool {
	shown := make([]bool, len(all))
	for i, l := range all {
		shown[i] = p.Shown == nil || p.Shown(l.Name)
	}
	return shown
}

// Render draws the pixels of dst.Rect over its contents. The pixel (0,0) is at the top left of the picture.
func (p *Plan) Render(ctx context.Context, dst *image.RGBA, pic Picture) error {
	c := canvas{dst, pic.Origin, pic.Scale}
	area := c.area(dst.Rect)
	shown := pic.layers(p.Layers)
	if shown[0] {
		for i := range p.grids {
			c.grid(&p.grids[i])
		}
	}
	for i := range p.Marks {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if m := &p.Marks[i]; shown[m.layer] && m.reach.meets(area) {
			for k := range m.shapes {
				c.draw(&m.shapes[k])
			}
		}
	}
	if shown[len(shown)-1] {
		for i := range p.legend {
			c.draw(&p.legend[i])
		}
	}
	return ctx.Err()
}

// area returns the part of the plan that some pixels show, with a margin of one pixel.
func (c canvas) area(r image.Rectangle) extent {
	at := func(x, y int) [2]float64 {
		return [2]float64{c.origin[0] + float64(x)/c.scale, c.origin[1] + float64(y)/c.scale}
	}
	return extent{at(r.Min.X-1, r.Min.Y-1), at(r.Max.X+1, r.Max.Y+1)}
}

// SVG writes a picture with a size in pixels as SVG. Each layer is a group with a title, and so is each object, with
// the class "mark" and a class for its kind. If the alpha of the background is 0, none is drawn.
func (p *Plan) SVG(ctx context.Context, w io.Writer, pic Picture, size image.Point, background color.NRGBA) error {
	area := canvas{origin: pic.Origin, scale: pic.Scale}.area(image.Rectangle{Max: size})
	shown := pic.layers(p.Layers)
	s := svg{Writer: bufio.NewWriter(w)}
	fmt.Fprintf(s, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="%s %s %s %s" font-family="sans-serif">`+"\n",
		size.X, size.Y, number(pic.Origin[0]), number(pic.Origin[1]), number(float64(size.X)/pic.Scale), number(float64(size.Y)/pic.Scale))
	if background.A > 0 {
		fmt.Fprintf(s, `<rect x="%s" y="%s" width="100%%" height="100%%"%s/>`+"\n", number(pic.Origin[0]),
			number(pic.Origin[1]), paint("fill", background))
	}
	if shown[0] && len(p.grids) > 0 {
		s.open("layer", p.Layers[0])
		for i := range p.grids {
			if err := s.grid(&p.grids[i]); err != nil {
				return err
			}
		}
		s.WriteString("</g>\n")
	}
	layer := -1
	for i := range p.Marks {
		m := &p.Marks[i]
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !shown[m.layer] || !m.reach.meets(area) {
			continue
		}
		if m.layer != layer {
			if layer >= 0 {
				s.WriteString("</g>\n")
			}
			layer = m.layer
			s.open("layer", p.Layers[layer])
		}
		fmt.Fprintf(s, `<g class="mark k%d"><title>`, m.Object.Descriptor)
		s.text(m.Title())
		s.WriteString("</title>")
		for k := range m.shapes {
			s.shape(&m.shapes[k])
		}
		s.WriteString("</g>\n")
	}
	if layer >= 0 {
		s.WriteString("</g>\n")
	}
	if last := len(shown) - 1; shown[last] {
		s.open("layer", p.Layers[last])
		for i := range p.legend {
			s.shape(&p.legend[i])
			s.WriteByte('\n')
		}
		s.WriteString("</g>\n")
	}
	s.WriteString("</svg>\n")
	return s.Flush()
}

type svg struct{ *bufio.Writer }

// text writes a text and escapes it.
func (s svg) text(text string) { xml.EscapeText(s, []byte(text)) } // Flush returns its error

func (s svg) open(class string, l Layer) {
	fmt.Fprintf(s, `<g class="%s"><title>`, class)
	s.text(strings.TrimSuffix(l.Name+": "+l.Title, ": "))
	s.WriteString("</title>\n")
}

func paint(name string, c color.NRGBA) string {
	if c.A == 0 {
		return fmt.Sprintf(` %s="none"`, name)
	}
	p := fmt.Sprintf(` %s="#%02x%02x%02x"`, name, c.R, c.G, c.B)
	if c.A < 255 {
		p += fmt.Sprintf(` %s-opacity="%.2f"`, name, float64(c.A)/255)
	}
	return p
}

func (s svg) shape(a *shape) {
	style := paint("fill", a.fill)
	if a.form != writing && a.stroke.A > 0 {
		style += paint("stroke", a.stroke) + ` stroke-width="` + number(a.width) + `"`
	}
	at := func(p [2]float64) string { return number(p[0]) + "," + number(p[1]) }
	switch a.form {
	case disc:
		fmt.Fprintf(s, `<circle cx="%s" cy="%s" r="%s"%s/>`, number(a.at[0]), number(a.at[1]), number(a.r), style)
	case stroke:
		fmt.Fprintf(s, `<path d="M%sL%s"%s/>`, at(a.at), at(plus(a.at, a.u)), style)
	case box:
		var corners []string
		for _, k := range [4][2]float64{{1, 1}, {1, -1}, {-1, -1}, {-1, 1}} {
			corners = append(corners, at(plus(a.at, plus(times(a.u, k[0]), times(a.v, k[1])))))
		}
		fmt.Fprintf(s, `<path d="M%sZ"%s/>`, strings.Join(corners, "L"), style)
	case writing:
		fmt.Fprintf(s, `<text x="%s" y="%s" font-size="%s"%s>`, number(a.at[0]), number(a.at[1]), number(a.r), style)
		s.text(a.text)
		s.WriteString("</text>")
	}
}

func (s svg) grid(g *grid) error {
	data, err := g.png()
	if err != nil {
		return err
	}
	var m []string
	for _, v := range slices.Concat(g.x[:], g.z[:], g.at[:]) {
		m = append(m, number(v))
	}
	fmt.Fprintf(s, `<image width="%d" height="%d" transform="matrix(%s)" style="image-rendering:pixelated" href="data:image/png;base64,`,
		g.cells.Width, g.cells.Height, strings.Join(m, " "))
	e := base64.NewEncoder(base64.StdEncoding, s)
	e.Write(data)
	e.Close()
	s.WriteString("\"/>\n")
	return nil
}

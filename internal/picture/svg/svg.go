// Package svg reads SVG pictures as areas of one colour each: paths, basic shapes, lines as outlines, transforms, flat
// colours and opacity. It names everything else, which it leaves out.
package svg

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/picture/outline"
)

// Options specify how a picture is read.
type Options struct {
	Scale     float64     // units for one pixel of the picture, more than 0
	Tolerance float64     // how far lines may be from curves, in units, more than 0
	Color     color.NRGBA // the meaning of currentColor where the picture has no colour
}

// Picture is what an SVG shows: the rectangle from 0,0 to Width,Height, in units.
type Picture struct {
	Width, Height float64
	Parts         []part    // from back to front
	LeftOut       []LeftOut // in the order of the file
}

// part is an area of one colour, or parts that are shown together with an opacity.
type part struct {
	Area    outline.Area
	Color   color.NRGBA
	Parts   []part  // for a group, which has no area
	Opacity float64 // of a group
}

// LeftOut is something that the picture has and that is not read.
type LeftOut struct {
	What  string
	Line  int // the first line that has it, from 1
	Count int
}

const (
	maxName  = 100     // bytes of the name of an entity
	maxValue = 1 << 24 // of a coordinate, in units
)

// reader reads a picture.
type reader struct {
	Options
	picture Picture
	data    []byte
	decoder *xml.Decoder
	points  int        // that may still be drawn
	view    [2]float64 // the size to which percentages refer
	line    int        // of the element
	began   bool
}

// Read reads a picture. Errors wrap those of package fault, and have the offset in data.
func Read(data []byte, o Options) (*Picture, error) {
	r := &reader{Options: o, data: data, points: int(effort.OutlinePoints.Limit(0)), decoder: xml.NewDecoder(bytes.NewReader(data))}
	r.decoder.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		if strings.EqualFold(charset, "iso-8859-1") || strings.EqualFold(charset, "us-ascii") {
			return latin1{in}, nil
		}
		return nil, fmt.Errorf("unknown encoding %q", charset)
	}
	err := r.document()
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		err = fmt.Errorf("%w: line %d: %s", fault.ErrFormat, syntax.Line, syntax.Msg)
	}
	if err != nil {
		if !errors.Is(err, fault.ErrFormat) && !errors.Is(err, fault.ErrLimit) { // of the reader of XML
			err = fmt.Errorf("%w: %w", fault.ErrFormat, err)
		}
		if met, ok := errors.AsType[*fault.Error](err); ok { // of a budget
			met.Path = "entities"
			return nil, met
		}
		return nil, &fault.Error{Offset: r.decoder.InputOffset(), Err: err}
	}
	return &r.picture, nil
}

// latin1 reads text in which a byte is a character.
type latin1 struct{ io.Reader }

func (l latin1) Read(p []byte) (int, error) {
	half := make([]byte, max(len(p)/2, 1))
	n, err := l.Reader.Read(half)
	at := 0
	for _, b := range half[:n] {
		at += copy(p[at:], string(rune(b)))
	}
	return at, err
}

// document reads the file.
func (r *reader) document() error {
	for {
		token, err := r.decoder.Token()
		if err == io.EOF && r.began {
			return nil
		}
		if err == io.EOF {
			return fmt.Errorf("%w: expected an element svg", fault.ErrFormat)
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.Directive:
			if err := r.entities(string(t)); err != nil {
				return err
			}
		case xml.StartElement:
			if t.Name.Local != "svg" {
				return fmt.Errorf("%w: expected an element svg, not %s", fault.ErrFormat, t.Name.Local)
			}
			r.began = true
			if err := r.root(t); err != nil {
				return err
			}
		}
	}
}

// entities reads the entities that a document type declares. It returns an error if their texts are too long, for all of
// their uses.
func (r *reader) entities(directive string) error {
	if len(r.decoder.Entity) > 0 {
		return nil // a file has one document type
	}
	r.decoder.Entity = make(map[string]string)
	for _, declared := range strings.Split(directive, "<!ENTITY")[1:] {
		name, rest, _ := strings.Cut(strings.TrimSpace(declared), " ")
		if rest = strings.TrimSpace(rest); rest != "" {
			if value, _, closed := strings.Cut(rest[1:], rest[:1]); closed && len(name) < maxName {
				r.decoder.Entity[name] = value
			}
		}
	}
	all := int64(0)
	for i, c := range r.data {
		if c == '&' && len(r.decoder.Entity) > 0 {
			name := r.data[i+1 : min(len(r.data), i+1+maxName)]
			all += int64(len(r.decoder.Entity[string(name[:max(bytes.IndexByte(name, ';'), 0)])]))
		}
	}
	return effort.Entities.Start(int64(len(r.data))).Spend(all)
}

// leave names something that is left out.
func (r *reader) leave(what string, args ...any) {
	what = fmt.Sprintf(what, args...)
	if i := slices.IndexFunc(r.picture.LeftOut, func(l LeftOut) bool { return l.What == what }); i >= 0 {
		r.picture.LeftOut[i].Count++
	} else if len(r.picture.LeftOut) < 100 {
		r.picture.LeftOut = append(r.picture.LeftOut, LeftOut{what, r.line, 1})
	}
}

// root reads the element svg.
func (r *reader) root(t xml.StartElement) error {
	r.line, _ = r.decoder.InputPos()
	a := attributes(t)
	view := r.numbers(a, "viewBox")
	if len(view) != 4 || view[2] <= 0 || view[3] <= 0 {
		view = nil
	}
	w, h := 100., 100. // the usual size of a picture that has none
	if view != nil {
		w, h = view[2], view[3]
	}
	r.view = [2]float64{w, h}
	width, hasW := r.length(a, "width", 0)
	height, hasH := r.length(a, "height", 1)
	switch {
	case hasW && hasH:
		w, h = width, height
	case hasW:
		w, h = width, h*width/w
	case hasH:
		w, h = w*height/h, height
	}
	if w <= 0 || h <= 0 || w*r.Scale > maxValue || h*r.Scale > maxValue {
		return fmt.Errorf("%w: the picture has %g x %g pixels", fault.ErrFormat, w, h)
	}
	r.picture.Width, r.picture.Height = w*r.Scale, h*r.Scale
	base := outline.Matrix{r.Scale, 0, 0, r.Scale, 0, 0}
	if r.view = [2]float64{w, h}; view != nil {
		base = base.Times(r.fitted(a["preserveAspectRatio"], w, h, view))
		r.view = [2]float64{view[2], view[3]}
	}
	s := usual(r.Color)
	s.matrix = base
	s.read(r, a)
	parts, err := r.children(s, 1)
	if err != nil {
		return err
	}
	r.picture.Parts = grouped(parts, s.opacity)
	return nil
}

// fitted returns the matrix that puts the view into a picture.
func (r *reader) fitted(how string, w, h float64, view []float64) outline.Matrix {
	sx, sy := w/view[2], h/view[3]
	words := strings.Fields(how)
	if len(words) == 0 {
		words = []string{"xMidYMid"}
	}
	if words[0] != "none" {
		sx = min(sx, sy)
		if len(words) > 1 && words[1] == "slice" {
			sx = max(w/view[2], h/view[3])
		}
		sy = sx
	}
	share := func(least, most string) float64 {
		switch {
		case strings.Contains(words[0], least):
			return 0
		case strings.Contains(words[0], most):
			return 1
		}
		return 0.5
	}
	return outline.Matrix{sx, 0, 0, sy,
		(w-view[2]*sx)*share("xMin", "xMax") - view[0]*sx, (h-view[3]*sy)*share("YMin", "YMax") - view[1]*sy}
}

const namespace = "http://www.w3.org/2000/svg"

// children reads the elements in an element, up to its end.
func (r *reader) children(s style, depth int) (parts []part, err error) {
	if err := effort.SVGDepth.Check("", int64(depth)); err != nil {
		return nil, err
	}
	for {
		token, err := r.decoder.Token()
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.EndElement:
			return parts, nil
		case xml.StartElement:
			r.line, _ = r.decoder.InputPos()
			more, err := r.element(t, s, depth)
			if err != nil {
				return nil, err
			}
			parts = append(parts, more...)
		}
	}
}

// element reads an element, up to its end.
func (r *reader) element(t xml.StartElement, s style, depth int) ([]part, error) {
	name := t.Name.Local
	if t.Name.Space != namespace && t.Name.Space != "" {
		return nil, r.decoder.Skip() // of an editor
	}
	a := attributes(t)
	switch name {
	case "g", "a":
		if s.read(r, a); !s.shown {
			return nil, r.decoder.Skip()
		}
		parts, err := r.children(s, depth+1)
		return grouped(parts, s.opacity), err
	case "title", "desc", "metadata", "defs", "symbol", "clipPath", "mask", "filter", "marker", "pattern", "linearGradient", "radialGradient":
		return nil, r.decoder.Skip() // not shown, except where others refer to it
	case "style", "script", "animate", "animateTransform", "animateMotion", "set":
		r.leave("<%s>", name)
		return nil, r.decoder.Skip()
	}
	if s.read(r, a); !s.shown {
		return nil, r.decoder.Skip()
	}
	pen := &outline.Pen{Tolerance: r.Tolerance / max(s.matrix.Stretch(), 1e-9), Left: &r.points}
	if s.line.painted {
		pen.Turn = s.stroke.Turn(pen.Tolerance)
	}
	if known := r.draw(pen, name, a); !known {
		r.leave("<%.40s>", name)
		return nil, r.decoder.Skip()
	}
	parts, err := r.paint(pen, s)
	if err != nil {
		return nil, err
	}
	return grouped(parts, s.opacity), r.decoder.Skip()
}

// grouped returns parts with an opacity.
func grouped(parts []part, opacity float64) []part {
	switch {
	case len(parts) == 0 || opacity >= 1:
		return parts
	case opacity <= 0:
		return nil
	}
	return []part{{Parts: parts, Opacity: opacity}}
}

// paint returns the parts of a drawn element: its area, and its line.
func (r *reader) paint(pen *outline.Pen, s style) (parts []part, err error) {
	add := func(p outline.Path, rule outline.Rule, c color.NRGBA, opacity float64) {
		c.A = uint8(float64(c.A)*opacity + 0.5)
		p = p.Mapped(s.matrix)
		for _, c := range p {
			for _, q := range c.Points {
				if !(max(q.X, -q.X, q.Y, -q.Y) <= maxValue) { // not a number, too
					r.leave("an element with coordinates beyond %d", maxValue)
					return
				}
			}
		}
		if p = p.Clipped(0, 0, r.picture.Width, r.picture.Height); c.A > 0 && len(p) > 0 {
			parts = append(parts, part{Area: outline.Area{Path: p, Rule: rule}, Color: c})
		}
	}
	if !s.visible {
		return nil, nil
	}
	if s.fill.painted {
		add(pen.Path(), s.rule, s.fill.color(s), s.fillOpacity)
	}
	if s.line.painted {
		add(s.stroke.Outline(pen.Path(), pen.Tolerance, &r.points), outline.NonZero, s.line.color(s), s.lineOpacity)
	}
	if r.points <= 0 {
		err = effort.OutlinePoints.More()
	}
	return parts, err
}

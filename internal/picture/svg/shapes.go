package svg

import (
	"encoding/xml"
	"math"
	"strings"

	"trowel.example/internal/picture/outline"
)

// attributes returns the attributes of an element by name.
func attributes(t xml.StartElement) map[string]string {
	a := make(map[string]string)
	for _, at := range t.Attr {
		if at.Name.Space == "" {
			a[at.Name.Local] = at.Value
		}
	}
	return a
}

// draw draws an element, and reports whether it is a path or a basic shape.
func (r *reader) draw(p *outline.Pen, name string, a map[string]string) bool {
	get := func(name string, axis int) float64 {
		v, _ := r.length(a, name, axis)
		return v
	}
	switch name {
	case "path":
		if rest := drawPath(p, a["d"]); rest != "" {
			r.leave("path data from %.20q on", rest)
		}
	case "rect":
		r.rect(p, a, get("x", 0), get("y", 1), get("width", 0), get("height", 1))
	case "circle", "ellipse":
		rx, hasX := r.length(a, "rx", 0)
		ry, hasY := r.length(a, "ry", 1)
		if name == "circle" {
			rx, hasX = r.length(a, "r", 2)
		}
		if !hasX {
			rx = ry
		}
		if !hasY || name == "circle" {
			ry = rx
		}
		if rx > 0 && ry > 0 {
			middle := outline.Point{X: get("cx", 0), Y: get("cy", 1)}
			start := outline.Point{X: middle.X + rx, Y: middle.Y}
			p.Move(start)
			p.Ellipse(middle, rx, ry, 0, 0, 2*math.Pi, &start)
			p.Close()
		}
	case "line":
		p.Move(outline.Point{X: get("x1", 0), Y: get("y1", 1)})
		p.Line(outline.Point{X: get("x2", 0), Y: get("y2", 1)})
	case "polyline", "polygon":
		list := r.numbers(a, "points")
		for i := 0; i+1 < len(list); i += 2 {
			if at := (outline.Point{X: list[i], Y: list[i+1]}); i == 0 {
				p.Move(at)
			} else {
				p.Line(at)
			}
		}
		if name == "polygon" {
			p.Close()
		}
	default:
		return false
	}
	return true
}

// rect draws a rectangle, with round corners if rx or ry is given.
func (r *reader) rect(p *outline.Pen, a map[string]string, x, y, w, h float64) {
	if w <= 0 || h <= 0 {
		return
	}
	rx, hasX := r.length(a, "rx", 0)
	ry, hasY := r.length(a, "ry", 1)
	if !hasX {
		rx = ry
	}
	if !hasY {
		ry = rx
	}
	rx, ry = min(max(rx, 0), w/2), min(max(ry, 0), h/2)
	at := func(x, y float64) outline.Point { return outline.Point{X: x, Y: y} }
	if rx == 0 || ry == 0 {
		p.Move(at(x, y))
		p.Line(at(x+w, y))
		p.Line(at(x+w, y+h))
		p.Line(at(x, y+h))
		p.Close()
		return
	}
	p.Move(at(x+rx, y))
	p.Line(at(x+w-rx, y))
	p.Arc(rx, ry, 0, false, true, at(x+w, y+ry))
	p.Line(at(x+w, y+h-ry))
	p.Arc(rx, ry, 0, false, true, at(x+w-rx, y+h))
	p.Line(at(x+rx, y+h))
	p.Arc(rx, ry, 0, false, true, at(x, y+h-ry))
	p.Line(at(x, y+ry))
	p.Arc(rx, ry, 0, false, true, at(x+rx, y))
	p.Close()
}

// arguments are the numbers of arguments of the commands of a path.
var arguments = map[byte]int{'M': 2, 'L': 2, 'H': 1, 'V': 1, 'C': 6, 'S': 4, 'Q': 4, 'T': 2, 'A': 7, 'Z': 0}

// drawPath draws the data of a path. It returns the rest that is not valid.
func drawPath(p *outline.Pen, data string) (rest string) {
	s := scanner{text: data}
	var control outline.Point // of the curve before
	var before byte
	for s.space(); s.text != ""; s.space() {
		start := s.text
		letter := s.text[0]
		command := letter &^ 0x20
		n, known := arguments[command]
		if !known || before == 0 && command != 'M' {
			return start
		}
		s.text = s.text[1:]
		for repeated := false; ; repeated = true {
			values, ok := s.arguments(command, n)
			if !ok {
				if repeated && s.ended {
					break
				}
				return start
			}
			if repeated && command == 'M' {
				command = 'L'
			}
			control = drawCommand(p, command, letter&0x20 != 0, values, control, before)
			before = command
			if n == 0 {
				break
			}
			start = s.text
		}
	}
	return ""
}

// drawCommand draws one command. control is the control point of the command before; it returns that of this one.
func drawCommand(p *outline.Pen, command byte, relative bool, v []float64, control outline.Point, before byte) outline.Point {
	at := p.At()
	point := func(i int) outline.Point {
		if q := (outline.Point{X: v[i], Y: v[i+1]}); !relative {
			return q
		}
		return outline.Point{X: at.X + v[i], Y: at.Y + v[i+1]}
	}
	mirrored := at
	if strings.IndexByte("CS", before) >= 0 && command == 'S' || strings.IndexByte("QT", before) >= 0 && command == 'T' {
		mirrored = outline.Point{X: 2*at.X - control.X, Y: 2*at.Y - control.Y}
	}
	switch command {
	case 'M':
		p.Move(point(0))
	case 'L':
		p.Line(point(0))
	case 'H':
		v = append(v, at.Y)
		if relative {
			v[1] = 0
		}
		p.Line(point(0))
	case 'V':
		v = []float64{at.X, v[0]}
		if relative {
			v[0] = 0
		}
		p.Line(point(0))
	case 'C':
		control = point(2)
		p.Cube(point(0), control, point(4))
	case 'S':
		control = point(0)
		p.Cube(mirrored, control, point(2))
	case 'Q':
		control = point(0)
		p.Quad(control, point(2))
	case 'T':
		control = mirrored
		p.Quad(control, point(0))
	case 'A':
		p.Arc(v[0], v[1], v[2], v[3] != 0, v[4] != 0, point(5))
	case 'Z':
		p.Close()
	}
	return control
}

// arguments reads the arguments of a command.
func (s *scanner) arguments(command byte, n int) ([]float64, bool) {
	var list [7]float64
	for i := range n {
		s.separator()
		ok := true
		if command == 'A' && (i == 3 || i == 4) {
			list[i], ok = s.flag()
		} else {
			list[i], ok = s.number()
		}
		if !ok {
			s.ended = i == 0
			return nil, false
		}
	}
	return list[:n], true
}

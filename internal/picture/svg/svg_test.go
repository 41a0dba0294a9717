package svg

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/picture/outline"
	"trowel.example/internal/testing/judge"
)

var usualOptions = Options{Scale: 1, Tolerance: 0.1, Color: color.NRGBA{1, 2, 3, 255}}

// svgOf returns a picture of 100 x 100 pixels with elements.
func svgOf(elements string) []byte {
	return []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">` + elements + `</svg>`)
}

// described returns the rectangles around the parts of a picture, with their colours.
func described(parts []part) string {
	var list []string
	for _, p := range parts {
		if p.Parts != nil {
			list = append(list, fmt.Sprintf("%g(%s)", p.Opacity, described(p.Parts)))
			continue
		}
		left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
		for _, c := range p.Area.Path {
			for _, q := range c.Points {
				left, top, right, bottom = min(left, q.X), min(top, q.Y), max(right, q.X), max(bottom, q.Y)
			}
		}
		c := p.Color
		list = append(list, fmt.Sprintf("%.4g,%.4g:%.4g,%.4g #%02x%02x%02x%02x", left, top, right, bottom, c.R, c.G, c.B, c.A))
	}
	return strings.Join(list, " ")
}

// TestRead tests where elements are and which colours they have.
func TestRead(t *testing.T) {
	const rect = `<rect x="10" y="20" width="30" height="40" `
	for _, c := range []struct{ elements, want string }{
		{rect + `/>`, "10,20:40,60 #000000ff"},
		{rect + `fill="none"/>`, ""},
		{rect + `fill="red" stroke="blue" stroke-width="4"/>`, "10,20:40,60 #ff0000ff 8,18:42,62 #0000ffff"},
		{rect + `fill="currentColor" fill-opacity="50%"/>`, "10,20:40,60 #01020380"},
		{`<g color="#0f0" fill="currentColor">` + rect + `/></g>`, "10,20:40,60 #00ff00ff"},
		{rect + `opacity="0.5"/>`, "0.5(10,20:40,60 #000000ff)"},
		{`<g opacity=".5" fill="red">` + rect + `/>` + rect + `fill="lime"/></g>`, "0.5(10,20:40,60 #ff0000ff 10,20:40,60 #00ff00ff)"},
		{rect + `style="opacity:0"/>`, ""},
		{rect + `transform="translate(5) scale(2)"/>`, "25,40:85,100 #000000ff"}, // the rest is outside of the picture
		{rect + `transform="rotate(90 10 20)"/>`, "0,20:10,50 #000000ff"},
		{`<g transform="translate(1,2)"><g transform="matrix(1 0 0 2 0 0)">` + rect + `/></g></g>`, "11,42:41,100 #000000ff"},
		{`<circle cx="50" cy="50" r="10%"/>`, "40,40:60,60 #000000ff"},
		{`<ellipse cx="50" cy="50" ry="20"/>`, "30,30:70,70 #000000ff"},
		{`<line x1="10" y1="10" x2="50" y2="10" stroke="red" stroke-width="2mm"/>`, "10,6.22:50,13.78 #ff0000ff"},
		{`<polygon points="1,2 30 4-5.5.5e1"/>`, "0,2:30,4.845 #000000ff"},
		{`<path d="m10 10h20v20h-20zm5 5l1 1"/>`, "10,10:30,30 #000000ff"},
		{`<path d="M1 1L50 50" />`, ""},
		{`<g display="none">` + rect + `/></g>`, ""},
		{`<g visibility="hidden">` + rect + `/>` + rect + `visibility="visible"/></g>`, "10,20:40,60 #000000ff"},
		{`<defs>` + rect + `/></defs><symbol>` + rect + `/></symbol><title>A</title>`, ""},
		{`<circle cx="150" cy="50" r="20"/>`, ""},
		{rect + `stroke="#fff" stroke-width="0"/>`, "10,20:40,60 #000000ff"},
	} {
		p, err := Read(svgOf(c.elements), usualOptions)
		if err != nil {
			t.Errorf("%s: %v", c.elements, err)
			continue
		}
		if got := described(p.Parts); got != c.want || p.LeftOut != nil {
			t.Errorf("%s: %s, want %s; left out: %v", c.elements, got, c.want, p.LeftOut)
		}
	}
}

// TestView tests the size of a picture, and where its view is.
func TestView(t *testing.T) {
	for _, c := range []struct{ attributes, want string }{
		{``, "100 x 100: 0,0:10,10"},
		{`viewBox="0 0 20 40"`, "20 x 40: 0,0:10,10"},
		{`viewBox="0 0 20 40" width="80"`, "80 x 160: 0,0:40,40"},
		{`viewBox="0 0 20 40" height="80px"`, "40 x 80: 0,0:20,20"},
		{`viewBox="0 0 20 20" height="1in" width="192"`, "192 x 96: 48,0:96,48"},
		{`viewBox="0 0 20 20" height="20" width="40" preserveAspectRatio="xMaxYMin"`, "40 x 20: 20,0:30,10"},
		{`viewBox="0 0 20 20" height="20" width="40" preserveAspectRatio="none"`, "40 x 20: 0,0:20,10"},
		{`viewBox="0 0 20 20" height="20" width="40" preserveAspectRatio="xMidYMin slice"`, "40 x 20: 0,0:20,20"},
		{`viewBox="-5 -5 20 20" width="200%"`, "40 x 40: 10,10:30,30"},
	} {
		p, err := Read([]byte(`<svg `+c.attributes+`><rect width="10" height="10"/></svg>`), usualOptions)
		if err != nil {
			t.Errorf("%s: %v", c.attributes, err)
			continue
		}
		where, _, _ := strings.Cut(described(p.Parts), " ")
		if got := fmt.Sprintf("%g x %g: %s", p.Width, p.Height, where); got != c.want {
			t.Errorf("%s: %s, want %s", c.attributes, got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	deep := strings.Repeat("<g>", 300) + strings.Repeat("</g>", 300)
	curves := `<path d="M0 0` + strings.Repeat("c1e5 0 0 1e5 9 9", 2000) + `"/>`
	for _, c := range []struct {
		data, want string
		is         error
	}{
		{"", "expected an element svg", fault.ErrFormat},
		{"<html></html>", "expected an element svg, not html", fault.ErrFormat},
		{"<svg>", "line 1: unexpected EOF", fault.ErrFormat},
		{"<svg><g></svg>", "line 1: element <g> closed by </svg>", fault.ErrFormat},
		{"<svg width='1e9' height='5'/>", "1e+09 x 5 pixels", fault.ErrFormat},
		{"<svg width='-1' height='5'/>", "-1 x 5 pixels", fault.ErrFormat},
		{string(svgOf(deep)), "at most 200 nested elements", fault.ErrLimit},
		{string(svgOf(curves)), "262,144 points", fault.ErrLimit},
		{string(svgOf(`<path d="M0 0h1e6" stroke="red" stroke-dasharray="1e-3"/>`)), "262,144 points", fault.ErrLimit},
		{"<?xml version='1.0' encoding='koi8-r'?><svg/>", `unknown encoding "koi8-r"`, fault.ErrFormat},
	} {
		_, err := Read([]byte(c.data), usualOptions)
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, c.is) {
			t.Errorf("%.40s: %v", c.data, err)
		}
	}
	if _, err := Read([]byte("<?xml version='1.0' encoding='ISO-8859-1'?><svg><title>\xfc</title></svg>"), usualOptions); err != nil {
		t.Error(err)
	}
}

// TestLeftOut tests that everything that is not drawn is named, once for each kind.
func TestLeftOut(t *testing.T) {
	data := judge.Read(t, "testdata/leftout.svg")
	p, err := Read(data, usualOptions)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range p.LeftOut {
		got = append(got, fmt.Sprintf("%d: %s (%d)", l.Line, l.What, l.Count))
	}
	want := `2: <style> (1)
4: the class of an element (1)
4: a fill that is not a colour (2)
5: the property clip-path (1)
6: the transform "turn(3)" (1)
6: the fill "chartreus" (1)
7: <use> (2)
9: <text> (1)
10: <image> (1)
11: <svg> (1)
12: the property mix-blend-mode (1)
12: the length stroke-width="3em" (1)
12: the length ="x" (1)
12: the dashes "1 x" (1)
12: path data from "X3 3" on (1)
13: an element with coordinates beyond 16777216 (1)`
	if got := strings.Join(got, "\n"); got != want {
		t.Errorf("left out:\n%s", got)
	}
}

// TestOpacity tests the colours of a group with an opacity, whose parts overlap.
func TestOpacity(t *testing.T) {
	p, err := Read(svgOf(`<g opacity="0.5"><rect width="20" height="10" fill="red"/>
		<rect x="10" width="20" height="10" fill="blue" fill-opacity=".5"/></g>`), usualOptions)
	if err != nil {
		t.Fatal(err)
	}
	quads, err := p.Quads(outline.Limits{Quads: 3, Work: outline.Work})
	var got []string
	for _, q := range quads {
		got = append(got, fmt.Sprintf("%v-%v %v", q.Corners[0], q.Corners[3], q.Color))
	}
	want := "(0,0)-(10,10) {255 0 0 128} (10,0)-(20,10) {127 0 128 128} (20,0)-(30,10) {0 0 255 64}"
	if got := strings.Join(got, " "); err != nil || got != want {
		t.Errorf("%s, want %s, %v", got, want, err)
	}
	if _, err := p.Quads(outline.Limits{Quads: 2, Work: outline.Work}); !errors.Is(err, outline.ErrQuads) {
		t.Errorf("%v", err)
	}
}

// FuzzRead tests that quads of any picture are inside of it, and that limits hold.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.svg")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds")
	}
	for _, file := range files {
		data := judge.Read(f, file)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read(data, Options{Scale: 64, Tolerance: 10})
		if err != nil {
			if errors.Is(err, fault.ErrFormat) || errors.Is(err, fault.ErrLimit) {
				return
			}
			t.Fatal(err)
		}
		quads, err := p.Quads(outline.Limits{Quads: 500, Work: 1 << 20})
		if err != nil && !errors.Is(err, outline.ErrQuads) && !errors.Is(err, outline.ErrWork) {
			t.Fatal(err)
		}
		for _, q := range quads {
			for _, c := range q.Corners {
				if c.X < 0 || c.Y < 0 || float64(c.X) > p.Width+1 || float64(c.Y) > p.Height+1 {
					t.Fatalf("%v is outside of %g x %g", q, p.Width, p.Height)
				}
			}
			if q.Corners[0].Y >= q.Corners[2].Y || q.Color.A == 0 {
				t.Fatalf("%v shows nothing", q)
			}
		}
	})
}

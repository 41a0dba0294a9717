package plan_test

import (
	"bytes"
	"encoding/xml"
	"flag"
	"image"
	"image/draw"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/internal/plan"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/text"
)

var look = flag.String("look", "", "a folder to draw the plans of the corpus with a grid into")

// files returns options that read the files of a mod.
func files(m *mod.Mod, path string) plan.Options {
	content := func(path string) ([]byte, error) {
		f := m.Archive.Find(path)
		if f == nil || f.Removed() {
			return nil, fs.ErrNotExist
		}
		return f.Content()
	}
	return plan.Options{
		Path: path,
		Layout: func(path string) (*layout.File, error) {
			data, err := content(path)
			if err != nil {
				return nil, err
			}
			return layout.Decode(data)
		},
		Grid: func(path string) (*mpp.File, error) {
			data, err := content(strings.TrimSuffix(path, ".LAYOUT") + ".MPP")
			if err != nil {
				return nil, err
			}
			return mpp.Decode(data)
		},
	}
}

// TestCorpus tests that every layout of the corpus has a plan, and that all of its objects with a position have a mark
// in its SVG, which must be XML.
func TestCorpus(t *testing.T) {
	c := counts{T: t, seen: make(map[string]bool)}
	for _, name := range append(tests.CorpusFiles(t, "torchlight", ".MOD"), tests.CorpusFiles(t, "torchlight", ".mod")...) {
		data := judge.Read(t, name)
		m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range m.Archive.Files() {
			if file.Removed() || !strings.HasSuffix(file.Path, ".LAYOUT") {
				continue
			}
			content, err := file.Content()
			if err != nil {
				t.Fatal(err)
			}
			c.plan(filepath.Base(name)+": "+file.Path, content, files(m, file.Path))
		}
	}
	for _, ext := range []string{".BINLAYOUT", ".LAYOUT", ".layout"} {
		for _, name := range tests.CorpusFiles(t, "torchlight", ext) {
			content := judge.Read(t, name)
			c.plan(name, content, plan.Options{Path: filepath.Base(name)})
		}
	}
	t.Logf("%d plans with %d objects, %d more of links, %d with a grid", len(c.seen), c.own, c.linked, c.grids)
	if c.own == 0 || c.grids == 0 || c.linked == 0 {
		t.Error("the corpus lacks layouts, links or grids")
	}
}

type counts struct {
	*testing.T
	seen               map[string]bool
	own, linked, grids int
}

// plan draws the plan of a layout, once for each content.
func (c *counts) plan(name string, content []byte, o plan.Options) {
	if c.seen[string(content)] {
		return
	}
	c.seen[string(content)] = true
	f, err := layout.Decode(content)
	if text.Recognize(content) {
		var file *text.File
		if file, err = text.Parse(content); err == nil {
			f, err = layout.FromText(file.Root, func(text.Item, *text.Error) {})
		}
	}
	if err != nil {
		c.Errorf("%s: %v", name, err)
		return
	}
	p := plan.New(f, o)
	svg := []byte(svgOf(c, p, nil))
	marks, inLinks, own, with := 0, 0, 0, 0
	for _, title := range titles(c.T, svg) {
		if strings.Contains(title, "\nin ") {
			inLinks++
		} else {
			marks++
		}
	}
	drawn := make(map[*layout.Object]bool)
	for _, m := range p.Marks {
		drawn[m.Object] = true
		if m.File == "" {
			own++
		}
	}
	for obj := range f.All() {
		if stated(obj) {
			with++
			if !drawn[obj] {
				c.Errorf("%s: %q is not on the plan", name, obj.Title())
			}
		}
	}
	if marks != own || own < with || inLinks != len(p.Marks)-own {
		c.Errorf("%s: of %d objects with a position %d are on the plan, %d of %d marks in the SVG", name, with, own, marks, len(p.Marks))
	}
	for _, l := range p.Left {
		if l.Kind != "layout" {
			c.Errorf("%s: %v", name, l)
		}
	}
	c.own, c.linked = c.own+own, c.linked+inLinks
	if o.Grid == nil {
		return
	}
	if _, err := o.Grid(o.Path); err == nil {
		c.grids++
		if *look != "" {
			draws(c.T, p, filepath.Join(*look, filepath.Base(o.Path)), svg)
		}
	}
}

// stated reports whether an object has a POSITION.
func stated(o *layout.Object) bool {
	d := layout.DescriptorOf(o.Descriptor)
	for _, p := range o.Properties {
		if i := d.Property(p.Code); i != nil && i.Name == "POSITION" {
			return true
		}
	}
	return false
}

func size(p *plan.Plan, scale float64) image.Point {
	return image.Pt(int((p.Max[0]-p.Min[0])*scale)+1, int((p.Max[1]-p.Min[1])*scale)+1)
}

// titles returns the titles of the marks in an SVG.
func titles(t *testing.T, svg []byte) (list []string) {
	d := xml.NewDecoder(bytes.NewReader(svg))
	inMark := false
	for {
		token, err := d.Token()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if e.Name.Local == "title" && inMark {
			var s string
			if err := d.DecodeElement(&s, &e); err != nil {
				t.Fatal(err)
			}
			list = append(list, s)
		}
		inMark = e.Name.Local == "g" && len(e.Attr) > 0 && strings.HasPrefix(e.Attr[0].Value, "mark ")
	}
}

func render(t testing.TB, p *plan.Plan, scale float64) *image.RGBA {
	m := image.NewRGBA(image.Rectangle{Max: size(p, scale)})
	draw.Draw(m, m.Rect, image.NewUniform(plan.Background), image.Point{}, draw.Src)
	if err := p.Render(t.Context(), m, plan.Picture{Origin: p.Min, Scale: scale}); err != nil {
		t.Fatal(err)
	}
	return m
}

func draws(t *testing.T, p *plan.Plan, name string, svg []byte) {
	var b bytes.Buffer
	if err := png.Encode(&b, render(t, p, 8)); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(name+".png", b.Bytes(), 0o644)
	os.WriteFile(name+".svg", svg, 0o644)
}

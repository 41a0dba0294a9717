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

	"trowel.example/internal/corpus"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/plan"
)

var look = flag.String("look", "", "a folder to draw the plans of the corpus with a grid into")

// files gives out those of a mod.
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

// Every layout of the corpus has a plan, and all of its objects with a position have a mark
// in its SVG, which is XML.
func TestCorpus(t *testing.T) {
	plans, all, linked, grids := 0, 0, 0, 0
	seen := make(map[string]bool)
	for _, name := range append(corpus.Files(t, "torchlight", ".MOD"), corpus.Files(t, "torchlight", ".mod")...) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
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
			if seen[string(content)] {
				continue
			}
			seen[string(content)] = true
			f, err := layout.Decode(content)
			if err != nil {
				t.Fatal(err)
			}
			o := files(m, file.Path)
			p := plan.New(f, o)
			plans++
			var svg bytes.Buffer
			if err := p.SVG(t.Context(), &svg, plan.Picture{Origin: p.Min, Scale: 4}, size(p, 4), plan.Background); err != nil {
				t.Fatal(err)
			}
			marks, inLinks := 0, 0
			for _, title := range titles(t, svg.Bytes()) {
				if strings.Contains(title, "\nin ") {
					inLinks++
				} else {
					marks++
				}
			}
			with := 0
			for obj := range f.All() {
				if stated(obj) {
					with++
				}
			}
			own := 0
			for _, m := range p.Marks {
				if m.File == "" {
					own++
				}
			}
			if marks != own || own < with || inLinks != len(p.Marks)-own {
				t.Errorf("%s: %s: of %d objects with a position %d are on the plan, %d of %d marks in the SVG", filepath.Base(name), file.Path, with, own, marks, len(p.Marks))
			}
			for _, l := range p.Left {
				if l.Kind != "layout" {
					t.Errorf("%s: %v", file.Path, l)
				}
			}
			all, linked = all+own, linked+inLinks
			if _, err := o.Grid(file.Path); err == nil {
				grids++
				if *look != "" {
					draws(t, p, filepath.Join(*look, filepath.Base(file.Path)), svg.Bytes())
				}
			}
		}
	}
	t.Logf("%d plans with %d objects, %d more of links, %d with a grid", plans, all, linked, grids)
	if plans == 0 || grids == 0 || linked == 0 {
		t.Error("the corpus lacks layouts, links or grids")
	}
}

// stated reports whether an object states a position.
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

// titles returns those of the marks in an SVG.
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

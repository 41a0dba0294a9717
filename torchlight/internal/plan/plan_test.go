package plan_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"trowel.example/torchlight/internal/plan"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/text"
)

// object returns an object as text. Properties are "KEY:value"; their types are guessed.
func object(kind string, id int, properties string, children ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[BASEOBJECT]\n[PROPERTIES]\n<STRING>DESCRIPTOR:%s\n<STRING>NAME:%s %d\n<INTEGER64>ID:%d\n", kind, kind, id, id)
	for line := range strings.FieldsFuncSeq(properties, func(r rune) bool { return r == ';' }) {
		kind := "FLOAT"
		for _, name := range []string{"LAYOUT FILE", "MONSTER", "SHAPE", "CHOICE", "TYPE", "GUID", "VISUAL", "MESH OVERRIDE", "FILE"} {
			if strings.HasPrefix(line, name+":") {
				kind = "STRING"
			}
		}
		fmt.Fprintf(&b, "<%s>%s\n", kind, line)
	}
	fmt.Fprintf(&b, "[/PROPERTIES]\n[CHILDREN]\n%s[/CHILDREN]\n[/BASEOBJECT]\n", strings.Join(children, ""))
	return b.String()
}

func parse(t testing.TB, objects ...string) *layout.File {
	file, err := text.Parse([]byte("[Layout]\n[OBJECTS]\n" + strings.Join(objects, "") + "[/OBJECTS]\n[/Layout]\n"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := layout.FromText(file.Root, func(text.Item, *text.Error) {})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func at(x, y, z float64) string {
	return fmt.Sprintf("POSITIONX:%g;POSITIONY:%g;POSITIONZ:%g;", x, y, z)
}

func svgOf(t testing.TB, p *plan.Plan, shown func(string) bool) string {
	var b bytes.Buffer
	if err := p.SVG(t.Context(), &b, plan.Picture{Origin: p.Min, Scale: 4, Shown: shown}, size(p, 4), plan.Background); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLinks tests that links are followed with position, rotation and scale, and that x points right and z up.
func TestLinks(t *testing.T) {
	inner := parse(t, object("Monster", 7, at(1, 0, 2)))
	quarter := "FORWARDX:1;FORWARDY:0;FORWARDZ:0;RIGHTX:0;RIGHTY:0;RIGHTZ:-1;" // the inner z axis is the x axis of the world
	f := parse(t,
		object("Layout Link", 1, at(10, 0, 20)+"LAYOUT FILE:media/inner.layout;"),
		object("Layout Link", 2, at(10, 0, 20)+quarter+"X:2;Z:3;LAYOUT FILE:media\\inner.layout;"),
		object("Layout Link", 3, at(0, 0, 0)+"YAW:90;LAYOUT FILE:MEDIA/INNER.LAYOUT;"),
		object("Layout Link", 4, at(0, 0, 0)+"LAYOUT FILE:MEDIA/OTHER.LAYOUT;"))
	p := plan.New(f, plan.Options{Path: "MEDIA/OUTER.LAYOUT", Layout: func(path string) (*layout.File, error) {
		if path == "MEDIA/INNER.LAYOUT" {
			return inner, nil
		}
		return nil, fs.ErrNotExist
	}})
	var places [][2]float64
	for _, m := range p.Marks {
		if m.File != "" {
			places = append(places, [2]float64{math.Round(m.At[0]*1e6) / 1e6, math.Round(m.At[1]*1e6) / 1e6})
		}
	}
	want := [][2]float64{{11, -22}, {16, -18}, {2, 1}}
	if fmt.Sprint(places) != fmt.Sprint(want) {
		t.Errorf("objects of links are at %v, not at %v", places, want)
	}
	if len(p.Left) != 1 || p.Left[0].Kind != "layout" || p.Left[0].Name != "MEDIA/OTHER.LAYOUT" {
		t.Errorf("left: %v", p.Left)
	}
	if svg := svgOf(t, p, nil); !strings.Contains(svg, ">OTHER.LAYOUT</text>") {
		t.Error("no box with the name of what is not there")
	}
}

// TestEndlessLinks tests that following links of layouts that contain themselves, or ever more links, ends with a
// report.
func TestEndlessLinks(t *testing.T) {
	var many []string
	for i := range 50 {
		many = append(many, object("Layout Link", i, at(float64(i), 0, 0)+"LAYOUT FILE:MEDIA/A.LAYOUT;"))
	}
	self := parse(t, many...)
	calls := 0
	p := plan.New(self, plan.Options{Path: "media/a.layout", Layout: func(string) (*layout.File, error) { calls++; return self, nil }})
	if len(p.Marks) != 50 || calls != 0 || len(p.Left) != 1 || p.Left[0].Kind != "limit" || p.Left[0].Count != 50 {
		t.Errorf("%d marks, %d calls, left %v", len(p.Marks), calls, p.Left)
	}
	// Levels with fifty links each to the next level.
	level := 0
	p = plan.New(self, plan.Options{Layout: func(string) (*layout.File, error) {
		level++
		next := make([]string, 50)
		for i := range next {
			next[i] = object("Layout Link", i, at(float64(i), 0, 0)+fmt.Sprintf("LAYOUT FILE:%d.LAYOUT;", level))
		}
		return parse(t, next...), nil
	}})
	if n := len(p.Marks); n < plan.MaxObjects || n > plan.MaxObjects+100*plan.MaxLinks {
		t.Errorf("%d marks", n)
	}
}

// TestUnplacedLinks tests that objects of linked layouts count even if they are not drawn.
func TestUnplacedLinks(t *testing.T) {
	empty := parse(t, object("Group", 1, ""))
	inner := &layout.File{Objects: slices.Repeat(empty.Objects, 5000)}
	link := parse(t, object("Layout Link", 1, at(1, 2, 3)+"LAYOUT FILE:B.LAYOUT;"))
	follow := func(string) (*layout.File, error) { return inner, nil }
	p := plan.New(&layout.File{Objects: slices.Repeat(link.Objects, 1000)}, plan.Options{Layout: follow})
	if len(p.Left) != 1 || p.Left[0].Kind != "limit" || p.Left[0].Count != 1000-210 || !p.Left[0].Loss ||
		!strings.Contains(p.Left[0].Why, "at most 1,048,576 objects of linked layouts") {
		t.Errorf("left %v", p.Left)
	}
}

// TestTooMany tests that of too many objects, groups and reports only a limited number is kept.
func TestTooMany(t *testing.T) {
	one := parse(t, object("Monster", 1, at(1, 2, 3)))
	p := plan.New(&layout.File{Objects: slices.Repeat(one.Objects, plan.MaxObjects+5)}, plan.Options{})
	if len(p.Marks) != plan.MaxObjects || len(p.Left) != 1 || p.Left[0].Count != 5 {
		t.Errorf("%d marks, left %v", len(p.Marks), p.Left)
	}
	wide := parse(t, object("Sound", 1, at(1, 2, 3)+"RADIUS:1000;"))
	small := &mpp.File{Width: 1, Height: 1, SizeX: 1, SizeZ: 1, Cells: []byte{0}}
	p = plan.New(&layout.File{Objects: slices.Repeat(wide.Objects, 5000)}, plan.Options{})
	if len(p.Left) != 1 || p.Left[0].Name != "areas" || p.Left[0].Count != 5000-4096 {
		t.Errorf("of wide objects: left %v", p.Left)
	}
	link := parse(t, object("Layout Link", 1, at(1, 2, 3)+"LAYOUT FILE:B.LAYOUT;"))
	p = plan.New(&layout.File{Objects: slices.Repeat(link.Objects, 300)}, plan.Options{
		Layout: func(string) (*layout.File, error) { return one, nil },
		Grid:   func(string) (*mpp.File, error) { return small, nil },
	})
	if len(p.Left) != 1 || p.Left[0].Name != "grids" || p.Left[0].Count != 300-256 {
		t.Errorf("of grids: left %v", p.Left)
	}
	f := new(layout.File)
	f.Groups = new(layout.Group)
	far := parse(t, object("Monster", 1, at(1e30, 0, 0))).Objects[0]
	for i := range plan.MaxLayers + 500 {
		g, o := *far, *far
		g.Descriptor, g.ID, o.ID = layout.DescriptorNamed("Group").Code, 7, int64(i)
		g.Children, g.Properties = []*layout.Object{&o}, nil
		f.Objects = append(f.Objects, &g)
		f.Groups.Children = append(f.Groups.Children, &layout.Group{Object: &g})
	}
	p = plan.New(f, plan.Options{})
	names := make(map[string]bool)
	for _, l := range p.Layers {
		names[l.Name] = true
	}
	if len(p.Layers) != plan.MaxLayers+1 || len(names) != len(p.Layers) || len(p.Left) > 1001 {
		t.Errorf("%d layers of %d names, %d complaints", len(p.Layers), len(names), len(p.Left))
	}
}

// Numbers that poison replaces by values that no text can represent.
const (
	nan      = 12345
	infinite = 54321
)

func poison(f *layout.File) {
	for o := range f.All() {
		for _, p := range o.Properties {
			for i := 0; i+4 <= len(p.Data); i += 4 {
				switch math.Float32frombits(binary.LittleEndian.Uint32(p.Data[i:])) {
				case nan:
					binary.LittleEndian.PutUint32(p.Data[i:], math.Float32bits(float32(math.NaN())))
				case infinite:
					binary.LittleEndian.PutUint32(p.Data[i:], math.Float32bits(float32(math.Inf(1))))
				}
			}
		}
	}
}

// TestBadNumbers tests that objects with invalid positions are left out and reported, and that others are drawn as
// usual.
func TestBadNumbers(t *testing.T) {
	f := parse(t, object("Monster", 1, at(1, 2, 3)), object("Monster", 2, at(1e38, 0, 0)), object("Monster", 3, at(nan, 0, 0)),
		object("Sound", 4, at(0, 0, 0)+"RADIUS:1e30;"),
		object("Player Box Trigger", 5, at(0, 0, 0)+"DIMENSIONSX:-1;DIMENSIONSY:1;DIMENSIONSZ:54321;"),
		object("Room Piece", 6, at(0, 0, 0)+"FORWARDX:0;FORWARDY:0;FORWARDZ:0;RIGHTX:12345;RIGHTY:0;RIGHTZ:0;X:1e38;Z:12345;"),
		object("Unit Spawner", 7, at(0, 0, 0)+"SHAPE:Angle;MAX RADIUS:3;ANGLE:12345;"))
	poison(f)
	p := plan.New(f, plan.Options{})
	kinds := make(map[string]int)
	for _, l := range p.Left {
		kinds[l.Kind]++
	}
	if kinds["position"] != 2 || kinds["size"] != 3 || len(p.Marks)+kinds["position"] != 7 {
		t.Errorf("%d marks, left %v", len(p.Marks), p.Left)
	}
	svg := svgOf(t, p, nil)
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error("the SVG has numbers that are not")
	}
	render(t, p, 4)
	if p.Max[0]-p.Min[0] > 1000 {
		t.Errorf("the plan reaches from %v to %v", p.Min, p.Max)
	}
}

// TestLayers tests that groups are layers whose titles state how the groups choose, and that single objects that a
// group chooses from are layers, too.
func TestLayers(t *testing.T) {
	f := parse(t,
		object("Group", 1, "CHOICE:Weight;", object("Group", 2, "", object("Monster", 3, at(0, 0, 0))), object("Monster", 4, at(1, 0, 0))),
		object("Group", 5, "", object("Monster", 6, at(2, 0, 0))), object("Monster", 7, at(3, 0, 0)))
	p := plan.New(f, plan.Options{})
	var names []string
	for _, l := range p.Layers {
		names = append(names, l.Name)
	}
	want := "grid objects groups/Group 1 groups/Group 1/Group 2 groups/Group 1/Monster 4 groups/Group 5 legend"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("the layers are %s, not %s", got, want)
	}
	only := svgOf(t, p, func(layer string) bool { return layer == "groups/Group 1/Group 2" })
	if got := titles(t, []byte(only)); len(got) != 1 || !strings.Contains(got[0], "id 3") {
		t.Errorf("the layer has %q", got)
	}
	if all := svgOf(t, p, nil); strings.Count(all, "chosen, 1 of 2 by Weight") != 2 ||
		!strings.Contains(p.Layers[2].Title, "chooses 1 of 2 by Weight") {
		t.Error("the layers do not say how they are chosen")
	}
}

// TestHostileNames tests that texts of the file are escaped in the SVG.
func TestHostileNames(t *testing.T) {
	const evil = `</title><script>alert("x")</script>]]>&amp` + "\x01\u202e"
	f := parse(t, object("Group", 1, "", object("Layout Link", 2, at(0, 0, 0)+"LAYOUT FILE:"+evil+";")))
	f.Objects[0].Name, f.Objects[0].Children[0].Name = evil, evil
	svg := svgOf(t, plan.New(f, plan.Options{Path: "MEDIA/" + evil}), nil)
	got := titles(t, []byte(svg))
	if len(got) != 1 || !strings.Contains(got[0], `<script>`) || strings.Contains(svg, "<script") {
		t.Errorf("titles %q", got)
	}
}

// TestParts tests that a pixel is the same in any part of the picture.
func TestParts(t *testing.T) {
	f := parse(t, object("Room Piece", 1, at(3, 0, 4)+"FORWARDX:0.6;FORWARDY:0;FORWARDZ:0.8;RIGHTX:0.8;RIGHTY:0;RIGHTZ:-0.6;"),
		object("Sound", 2, at(-3, 0, 1)+"RADIUS:5.3;"), object("Layout Link", 3, at(0.1, 0, 0.7)+"LAYOUT FILE:A.LAYOUT;"),
		object("Unit Spawner", 4, at(5, 0, -5)+"SHAPE:Angle;MAX RADIUS:4;MIN RADIUS:1;ANGLE:60;ANGLE OFFSET:20;"))
	p := plan.New(f, plan.Options{Path: "A.LAYOUT", Grid: func(string) (*mpp.File, error) {
		return &mpp.File{Width: 7, Height: 5, OffsetX: 3, OffsetZ: 2, SizeX: 5, SizeZ: 4,
			Cells: bytes.Repeat([]byte{0, 1, 255, 0, 7}, 7)}, nil
	}})
	const scale = 23.7
	whole := render(t, p, scale)
	for _, r := range []image.Rectangle{image.Rect(0, 0, 50, 60), image.Rect(33, 57, 190, 211), image.Rect(100, 3, 400, 101)} {
		part := image.NewRGBA(r)
		for i := range part.Pix {
			part.Pix[i] = []byte{plan.Background.R, plan.Background.G, plan.Background.B, 255}[i%4]
		}
		if err := p.Render(t.Context(), part, plan.Picture{Origin: p.Min, Scale: scale}); err != nil {
			t.Fatal(err)
		}
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				if part.RGBAAt(x, y) != whole.RGBAAt(x, y) {
					t.Fatalf("%v: the pixel %d,%d is %v, not %v", r, x, y, part.RGBAAt(x, y), whole.RGBAAt(x, y))
				}
			}
		}
	}
}

// TestGrid tests that the first row of a grid is the southern one, and that its offset gives the position of its
// corner.
func TestGrid(t *testing.T) {
	f := parse(t, object("Monster", 1, at(0.5, 0, 0.5)), object("Monster", 2, at(1.5, 0, 0.5)))
	p := plan.New(f, plan.Options{Path: "A.LAYOUT", Grid: func(string) (*mpp.File, error) {
		return &mpp.File{Width: 2, Height: 2, OffsetX: 0, OffsetZ: 0, SizeX: 2, SizeZ: 2, Cells: []byte{0, 1, 255, 255}}, nil
	}})
	only := func(layer string) bool { return layer == plan.GridLayer }
	m := image.NewRGBA(image.Rect(0, 0, 4, 4))
	if err := p.Render(t.Context(), m, plan.Picture{Origin: [2]float64{-1, -3}, Scale: 1, Shown: only}); err != nil {
		t.Fatal(err)
	}
	ground, wall := m.RGBAAt(1, 2), m.RGBAAt(2, 2)
	if ground.R != 255 || wall.A != 255 || wall == ground || m.RGBAAt(1, 1).A != 0 {
		t.Errorf("ground is %v, a wall %v, outside %v", ground, wall, m.RGBAAt(1, 1))
	}
	if svg := svgOf(t, p, nil); strings.Count(svg, "players cannot walk") != 1 || !strings.Contains(svg, "data:image/png;base64,") {
		t.Error("the SVG does not report the monster in a wall, or has no grid")
	}
}

// TestNothing tests that a layout without any positions has a plan with a legend.
func TestNothing(t *testing.T) {
	for _, f := range []*layout.File{{}, parse(t, object("Timeline", 1, ""), object("Group", 2, ""))} {
		p := plan.New(f, plan.Options{})
		if len(p.Marks) != 0 || !(p.Max[0] > p.Min[0] && p.Max[1] > p.Min[1]) {
			t.Errorf("%d marks, from %v to %v", len(p.Marks), p.Min, p.Max)
		}
		render(t, p, 4)
	}
}

// TestMeshes tests that room pieces and models cover the rectangles of their meshes: with position, turn and scale, also
// in linked layouts.
func TestMeshes(t *testing.T) {
	quarter := "FORWARDX:1;FORWARDY:0;FORWARDZ:0;RIGHTX:0;RIGHTY:0;RIGHTZ:-1;"
	inner := parse(t, object("Room Piece", 9, at(1, 0, 0)+"GUID:-7;"))
	f := parse(t,
		object("Room Piece", 1, at(10, 0, 20)+"GUID:-7;"),
		object("Room Piece", 2, at(10, 0, 20)+quarter+"GUID:-7;X:2;Z:3;"),
		object("Room Piece", 3, at(0, 0, 0)+"GUID:-7;VISUAL:1;"),
		object("Room Piece", 4, at(0, 0, 0)+"GUID:8;MESH OVERRIDE:media/WIDE.mesh;VISUAL:4;"),
		object("Room Piece", 5, at(0, 0, 0)+"GUID:8;"),
		object("Room Piece", 6, at(0, 0, 0)+"GUID:none;"),
		object("Generic Model", 7, at(0, 0, 0)+"FILE:media\\wide.mesh;SCALE X:0.5;X:9;"),
		object("Layout Link", 8, at(100, 0, 0)+"X:2;LAYOUT FILE:MEDIA/INNER.LAYOUT;"),
		object("Room Piece", 10, at(0, 0, 0)+"GUID:-7;VISUAL:2;"),
		object("Room Piece", 11, at(0, 0, 0)+"GUID:-7;SCALE:1e30;"))
	reads := make(map[string]int)
	p := plan.New(f, plan.Options{
		Layout: func(string) (*layout.File, error) { return inner, nil },
		Piece: func(guid int64) ([]string, error) {
			if guid != -7 {
				return nil, fs.ErrNotExist
			}
			return []string{"media/a.mesh", "media/wide.mesh", "media/bad.mesh"}, nil
		},
		Bounds: func(path string) (low, high [3]float64, err error) {
			reads[path]++
			switch path {
			case "MEDIA/A.MESH":
				return [3]float64{-1, 0, 0}, [3]float64{1, 5, 4}, nil
			case "MEDIA/WIDE.MESH":
				return [3]float64{-10, 0, -1}, [3]float64{10, 0, 1}, nil
			}
			return low, high, fmt.Errorf("it is damaged")
		},
	})
	want := map[int64][4]float64{ // least x and z, greatest x and z
		1: {9, 20, 11, 24}, 2: {10, 18, 22, 22}, 3: {-10, -1, 10, 1}, 4: {-10, -1, 10, 1}, 7: {-5, -1, 5, 1}, 9: {100, 0, 104, 4},
	}
	for i := range p.Marks {
		m := &p.Marks[i]
		expected, known := want[m.Object.ID]
		if path, size := m.Mesh(); known != (path != "") || known && size[0] <= 0 {
			t.Errorf("%s: mesh %q of the size %v", m.Name(), path, size)
		}
		low, high := m.Bounds()
		got := [4]float64{low[0], -high[1], high[0], -low[1]}
		for k := range got {
			if known && math.Abs(got[k]-expected[k]) > .1 { // half of a line's width
				t.Errorf("%s covers %v, want %v", m.Name(), got, expected)
				break
			}
		}
	}
	for i := range p.Marks[1:] {
		before, _ := p.Marks[i].Mesh()
		if after, _ := p.Marks[i+1].Mesh(); before == "" && after != "" {
			t.Errorf("%s covers %s", p.Marks[i+1].Name(), p.Marks[i].Name())
		}
	}
	var left []string
	for _, l := range p.Left {
		left = append(left, fmt.Sprintf("%s %s %d", l.Kind, l.Name, l.Count))
	}
	got := strings.Join(left, ", ")
	if got != "mesh media/bad.mesh 1, mesh room pieces and models 1, size Room Piece \"Room Piece 11\", id 11 1" {
		t.Errorf("left: %s", got)
	}
	if len(reads) != 3 || reads["MEDIA/A.MESH"] != 1 || reads["MEDIA/WIDE.MESH"] != 1 {
		t.Errorf("read %v", reads)
	}
}

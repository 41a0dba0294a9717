package torchlight_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf16"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/picture/pixel"
	"trowel.example/internal/picture/tga"
	"trowel.example/internal/testing/tests"
	_ "trowel.example/torchlight"
	"trowel.example/torchlight/dds"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

// opened is an open file and its format.
type opened struct {
	testing.TB
	*format.Format
	*format.Source
	file format.File
	tree fs.FS
}

func open(t testing.TB, name string) *opened {
	t.Helper()
	src, err := format.OpenSource(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	f, err := format.Registered().Formats().Find(src)
	if err != nil {
		t.Fatal(err)
	}
	file, err := f.Open(t.Context(), new(format.Job), src)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	tree, err := file.Tree(t.Context(), new(format.Job))
	if err != nil {
		t.Fatal(err)
	}
	return &opened{t, f, src, file, tree}
}

func (o *opened) inspector(at string) *format.Scene {
	o.Helper()
	scene, err := o.Scene(context.Background(), new(format.Job), o.Source, at)
	if err != nil {
		o.Fatal(err)
	}
	o.Cleanup(func() { scene.Close() })
	return scene
}

// lines returns the lines of a text in the tree, as cat prints them.
func (o *opened) lines(at string) []string {
	o.Helper()
	data, err := fs.ReadFile(o.tree, at)
	if err != nil {
		o.Fatal(err)
	}
	if len(data) > 2 && data[0] == 0xff && data[1] == 0xfe {
		var units []uint16
		for i := 2; i+1 < len(data); i += 2 {
			units = append(units, uint16(data[i])|uint16(data[i+1])<<8)
		}
		data = []byte(string(utf16.Decode(units)))
	}
	return strings.Split(string(data), "\n")
}

// fields returns the fields of a dump by their offsets.
func (o *opened) fields(path string) map[int64][]trace.Field {
	fields := make(map[int64][]trace.Field)
	if err := o.Dump(context.Background(), new(format.Job), o.Source, path,
		func(f trace.Field) { fields[f.Offset] = append(fields[f.Offset], f) }); err != nil {
		o.Fatal(err)
	}
	return fields
}

// realMods returns mods of the corpus. The corpus has many similar versions of most mods, so only every fifth is
// returned, and all in folders called HEAD.
func realMods(t *testing.T) (names []string) {
	for i, name := range append(tests.CorpusFiles(t, "torchlight", ".MOD"), tests.CorpusFiles(t, "torchlight", ".mod")...) {
		if i%5 == 0 || strings.Contains(filepath.ToSlash(name), "/HEAD/") {
			names = append(names, name)
		}
	}
	return names
}

// buildMod builds a mod from a folder and returns its path.
func buildMod(t testing.TB, files map[string]string) string {
	t.Helper()
	fsys := fstest.MapFS{"MOD.DAT": {Data: []byte("[MOD]\n<STRING>NAME:x\n<INTEGER64>MOD_ID:5\n<INTEGER>VERSION:1\n[/MOD]\n")}}
	for name, content := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(content)}
	}
	name := filepath.Join(t.TempDir(), "X.MOD")
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, _, err := moddir.Build(context.Background(),
		out, fsys, moddir.BuildOptions{Options: moddir.Options{Warn: func(string, string) {}}}); err != nil {
		t.Fatal(err)
	}
	return name
}

func object(kind string, id int, properties string, children ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[BASEOBJECT]\n[PROPERTIES]\n<STRING>DESCRIPTOR:%s\n<STRING>NAME:%s %d\n<INTEGER64>ID:%d\n"+
		"%s[/PROPERTIES]\n[CHILDREN]\n%s[/CHILDREN]\n"+
		"[/BASEOBJECT]\n", kind, kind, id, id, properties, strings.Join(children, ""))
	return b.String()
}

func layoutOf(objects ...string) string {
	return "[Layout]\n[OBJECTS]\n" + strings.Join(objects, "") + "[/OBJECTS]\n[/Layout]\n"
}

func position(x, y, z float64) string {
	return fmt.Sprintf("<FLOAT>POSITIONX:%g\n<FLOAT>POSITIONY:%g\n<FLOAT>POSITIONZ:%g\n", x, y, z)
}

const timeline = "<FLOAT>DURATION:2\n[TIMELINEDATA]\n<INTEGER64>ID:4\n[TIMELINEOBJECT]\n<INTEGER64>OBJECTID:2\n" +
	"[TIMELINEOBJECTPROPERTY]\n<STRING>OBJECTPROPERTYNAME:POSITION\n" +
	"[TIMELINEPOINT]\n<FLOAT>TIMEPERCENT:0\n<STRING>INTERPOLATION:Linear\n<STRING>VALUE:1,2,3\n[/TIMELINEPOINT]\n" +
	"[TIMELINEPOINT]\n<FLOAT>TIMEPERCENT:1\n<STRING>INTERPOLATION:Linear\n<STRING>VALUE:4,5,6\n[/TIMELINEPOINT]\n" +
	"[/TIMELINEOBJECTPROPERTY]\n[/TIMELINEOBJECT]\n[/TIMELINEDATA]\n"

// outer has a group with a node and a timeline that moves it, and links to inner twice.
var (
	inner = layoutOf(object("Monster", 7, position(1, 0, 1)))
	outer = layoutOf(
		object("Group", 1, position(0, 0, 0), object("Property Node", 2, position(10, 3, 20)+"<FLOAT>RADIUS:50\n"),
			object("Timeline", 4, timeline)),
		object("Layout Link", 5, position(40, 0, 40)+"<STRING>LAYOUT FILE:media/inner.layout\n"),
		object("Layout Link", 6, position(80, 0, 40)+"<STRING>LAYOUT FILE:MEDIA/INNER.LAYOUT\n"))
)

// look returns the complete first view of a scene, at a scale in pixels per unit.
func look(s *format.Scene, scale float64) format.Look {
	v := s.Views[0]
	return format.Look{View: v.Name, Origin: v.Bounds.Min, Scale: scale}
}

func inspect(t testing.TB, s *format.Scene, look format.Look, x, y float64) []format.Thing {
	t.Helper()
	things, err := viewOf(s, look.View).Inspect(t.Context(), look, [2]float64{x, y})
	if err != nil {
		t.Fatal(err)
	}
	return things
}

func factOf(fields []format.InfoField, key string) any {
	for _, f := range fields {
		if f.Key == key {
			return f.Value
		}
	}
	return nil
}

func TestInspectPlan(t *testing.T) {
	mod := open(t, buildMod(t, map[string]string{"MEDIA/OUTER.LAYOUT": outer, "MEDIA/INNER.LAYOUT": inner}))
	s := mod.inspector("MEDIA/OUTER.LAYOUT")
	at := look(s, 10)
	node := inspect(t, s, at, 10.05, -20)[0]
	if node.Title != `Property Node "Property Node 2"` || node.Place != (text.Place{Path: "MEDIA/OUTER.LAYOUT", Object: 2}) {
		t.Errorf("%+v", node)
	}
	if factOf(node.Facts, "position") != "10, 3, 20" || factOf(factOf(node.Facts, "properties").([]format.InfoField), "RADIUS") != "50" {
		t.Errorf("%+v", node.Facts)
	}
	if len(node.Links) != 1 || node.Links[0].Title != `parent: Group "Group 1"` || node.Links[0].At != [2]float64{0, 0} {
		t.Errorf("%+v", node.Links) // the timeline has no link target
	}
	curve, _ := factOf(node.Facts, "curve").(format.Curve)
	if len(curve.Lines) != 3 || curve.Lines[2].Name != "z" || !slices.Equal(curve.Lines[2].Values, []float64{3, 6}) ||
		!slices.Equal(curve.Points, []time.Duration{0, 2 * time.Second}) {
		t.Errorf("%+v", curve)
	}
	// Where only the node's radius reaches, the node is listed after the objects at that point.
	if things := inspect(t, s, at, 41, -41); things[0].Title != `Monster "Monster 7"` ||
		things[0].Line.Path != "MEDIA/INNER.LAYOUT" ||
		things[0].Place != (text.Place{Path: "MEDIA/INNER.LAYOUT", Object: 7}) {
		t.Errorf("%+v", things)
	} else if last := things[len(things)-1]; last.Title != node.Title {
		t.Errorf("%+v", last)
	}
	hidden := at
	hidden.Layers = []string{}
	for _, thing := range inspect(t, s, hidden, 10, -20) {
		if thing.Layer == "" {
			t.Errorf("%+v", thing)
		}
	}
	for _, odd := range []float64{math.NaN(), math.Inf(1), -1e300} {
		if things := inspect(t, s, at, odd, 0); things != nil {
			t.Errorf("at %v: %v", odd, things)
		}
	}
	if things := inspect(t, s, format.Look{}, 0, 0); things != nil {
		t.Error("something is in a picture of no size")
	}
	for _, c := range []struct {
		place check.Place
		want  bool
		x, y  float64
	}{
		{text.Place{Path: "MEDIA/OUTER.LAYOUT", Object: 2}, true, 10, -20},
		{text.Place{Path: "MEDIA/INNER.LAYOUT", Object: 7}, true, 61, -41}, // the middle of both
		{text.Place{Path: "MEDIA/OUTER.LAYOUT", Object: 99}, false, 0, 0},
		{text.Place{Path: "MEDIA/OTHER.LAYOUT", Object: 2}, false, 0, 0},
		{node.Line, true, 10, -20},
		{check.Line{Path: node.Line.Path, Line: node.Line.Line + 2}, true, 10, -20},
		{check.Line{Path: node.Line.Path, Line: 1}, false, 0, 0},
		{check.Span{}, false, 0, 0},
	} {
		r, ok := viewOf(s, "plan").Where(t.Context(), c.place)
		if x, y := (r.Min[0]+r.Max[0])/2, (r.Min[1]+r.Max[1])/2; ok != c.want || ok && math.Hypot(x-c.x, y-c.y) > 0.2 {
			t.Errorf("%v is at %v, %v: %v", c.place, x, y, ok)
		}
	}
	if r, ok := viewOf(s, "plan").Where(t.Context(), check.File("MEDIA/OUTER.LAYOUT")); !ok || r != s.Views[0].Bounds {
		t.Errorf("the file is at %v", r)
	}
}

// TestInspectLines tests that the line and the bytes of each object agree with the tree and with dump: in a mod, in a
// single compiled file, and in a text.
func TestInspectLines(t *testing.T) {
	mod := buildMod(t, map[string]string{"MEDIA/OUTER.LAYOUT": outer, "MEDIA/INNER.LAYOUT": inner})
	dir := t.TempDir()
	compiled, err := moddir.Compile([]byte(outer), "OUTER.LAYOUT", moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "A.LAYOUT.BINLAYOUT"), compiled, 0o600)
	os.WriteFile(filepath.Join(dir, "B.LAYOUT"), []byte(strings.ReplaceAll("// a comment\n"+outer, "[CHILDREN]", "\n[CHILDREN]")), 0o600)
	for _, c := range []struct {
		o    *opened
		at   string
		want int
	}{{open(t, mod), "MEDIA/OUTER.LAYOUT", 5}, {open(t, filepath.Join(dir, "A.LAYOUT.BINLAYOUT")), "", 4},
		{open(t, filepath.Join(dir, "B.LAYOUT")), "", 4}} {
		if told := checkLines(t, c.o, c.at); told != c.want {
			t.Errorf("%s: %d objects were found, want %d", c.o.Source.Name, told, c.want)
		}
	}
}

func checkLines(t *testing.T, o *opened, at string) (told int) {
	const steps = 8
	s := o.inspector(at)
	bounds := s.Views[0].Bounds
	look := look(s, 2*steps/max(bounds.Dx(), bounds.Dy()))
	dumps := make(map[string]map[int64][]trace.Field)
	texts := make(map[string][]string)
	seen := make(map[check.Place]bool)
	for i := range steps {
		for k := range steps {
			for _, thing := range inspect(t, s, look, bounds.Min[0]+(float64(i)+0.5)*bounds.Dx()/steps,
				bounds.Min[1]+(float64(k)+0.5)*bounds.Dy()/steps) {
				place, ok := thing.Place.(text.Place)
				if !ok || seen[place] {
					continue
				}
				seen[place] = true
				if thing.Line.Line > 0 {
					lines := texts[thing.Line.Path]
					if lines == nil {
						lines = o.lines(thing.Line.Path)
						texts[thing.Line.Path] = lines
					}
					rest := strings.Join(lines[thing.Line.Line-1:min(len(lines), thing.Line.Line+4)], "\n")
					if !strings.Contains(lines[thing.Line.Line-1], "[PROPERTIES]") ||
						!strings.Contains(rest, fmt.Sprintf("ID:%d", place.Object)) {
						t.Fatalf("%s: line %v: %q", thing.Title, thing.Line, rest)
					}
					told++
				}
				if b := thing.Bytes; b.Len > 0 {
					if dumps[b.Path] == nil {
						dumps[b.Path] = o.fields(b.Path)
					}
					if f := dumps[b.Path][b.Offset]; len(f) == 0 || f[0].Space != b.Space || fmt.Sprint(f[0].Value) != fmt.Sprint(b.Len) {
						t.Fatalf("%s: %+v: %+v", thing.Title, b, f)
					}
					if f := dumps[b.Path][b.Offset+5]; len(f) == 0 || fmt.Sprint(f[0].Value) != fmt.Sprint(place.Object) {
						t.Fatalf("%s: %+v: its id is %+v", thing.Title, b, f)
					}
				}
			}
		}
	}
	return told
}

// TestInspectCorpus tests that the reported facts about layouts of real mods are right and that nothing panics.
func TestInspectCorpus(t *testing.T) {
	told, seen := 0, make(map[string]bool)
	for _, name := range realMods(t) {
		mod := open(t, name)
		fs.WalkDir(mod.tree, ".", func(at string, d fs.DirEntry, err error) error {
			if !strings.HasSuffix(at, ".LAYOUT") {
				return err
			}
			data, err := fs.ReadFile(mod.tree, at)
			if !seen[string(data)] {
				seen[string(data)] = true
				told += checkLines(t, mod, at)
			}
			return err
		})
	}
	if told == 0 {
		t.Error("no object was found")
	}
	t.Logf("%d objects of %d layouts", told, len(seen))
}

// TestInspectPicture tests pictures of all kinds whose files have a byte for each pixel, or a block.
func TestInspectPicture(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		m.SetNRGBA(i%8, i/8, color.NRGBA{uint8(i), uint8(2 * i), uint8(3 * i), 255})
	}
	encoded := func(data []byte, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	set := "<Imageset Name=\"icons\" Imagefile=\"media/ui/a.dds\">\n<Image Name=\"left\" XPos=\"0\" YPos=\"0\" " +
		"Width=\"4\" Height=\"8\"/>\n<Image Name=\"&lt;b>\" XPos=\"2\" YPos=\"2\" Width=\"2\" Height=\"2\"/>\n" +
		"</Imageset>\n"
	mod := open(t, buildMod(t, map[string]string{
		"MEDIA/UI/A.DDS": encoded(dds.Encode(m, dds.Plain)), "MEDIA/UI/B.DDS": encoded(dds.Encode(m, dds.DXT5)),
		"MEDIA/UI/C.TGA": encoded(tga.Encode(m, tga.Plain)),
		"MEDIA/UI/D.TGA": encoded(tga.Encode(m, tga.RunLengths)), "MEDIA/UI/A.IMAGESET": set,
	}))
	for name, want := range map[string]func(x, y int) string{
		"A.DDS": func(x, y int) string {
			return string([]byte{uint8(3 * (8*y + x)), uint8(2 * (8*y + x)), uint8(8*y + x), 255})
		},
		"B.DDS": nil,
		"C.TGA": func(x, y int) string {
			return string([]byte{uint8(3 * (8*y + x)), uint8(2 * (8*y + x)), uint8(8*y + x)})
		},
		"D.TGA": nil,
	} {
		s := mod.inspector("MEDIA/UI/" + name)
		data, _ := fs.ReadFile(mod.tree, "MEDIA/UI/"+name)
		for i := range 64 {
			x, y := i%8, i/8
			things := inspect(t, s, look(s, 1), float64(x)+0.5, float64(y)+0.5)
			pixel := things[len(things)-1]
			if pixel.Title != fmt.Sprintf("pixel %d, %d", x, y) || name != "B.DDS" && factOf(pixel.Facts, "color") != m.NRGBAAt(x, y) {
				t.Fatalf("%s: %+v", name, pixel)
			}
			b := pixel.Bytes
			switch {
			case want != nil && string(data[b.Offset:b.Offset+b.Len]) != want(x, y):
				t.Errorf("%s: pixel %d, %d is at %+v", name, x, y, b)
			case name == "B.DDS" && (b.Offset != int64(128+16*(y/4*2+x/4)) || b.Len != 16), name == "D.TGA" && b.Len != 0:
				t.Errorf("%s: pixel %d, %d is at %+v", name, x, y, b)
			}
		}
		if inspect(t, s, look(s, 1), 8, 3) != nil || inspect(t, s, look(s, 1), math.NaN(), 3) != nil {
			t.Errorf("%s: something is beside it", name)
		}
		if r, ok := viewOf(s, "").Where(t.Context(), check.File("MEDIA/UI/"+name)); !ok || r != s.Views[0].Bounds {
			t.Errorf("%s is at %v", name, r)
		}
	}

	// A single picture has the image sets in its folder; a picture in memory has none.
	dir := t.TempDir()
	plain := encoded(dds.Encode(m, dds.Plain))
	if os.WriteFile(filepath.Join(dir, "a.dds"), []byte(plain), 0o600) != nil ||
		os.WriteFile(filepath.Join(dir, "other.imageset"), []byte(set), 0o600) != nil {
		t.Fatal("no room")
	}
	alone := open(t, filepath.Join(dir, "a.dds")).inspector("")
	if things := inspect(t, alone, look(alone, 1), 3, 3); len(things) != 3 || things[1].Title != `sprite "<b>"` {
		t.Errorf("%+v", things)
	}
	dump := open(t, filepath.Join(dir, "a.dds"))
	dump.Source = format.NewSource(dump.Path, []byte(plain))
	if memory := dump.inspector(""); memory.Views[0].Layers != nil {
		t.Error("a picture in memory has neighbours")
	}

	s := mod.inspector("MEDIA/UI/A.DDS")
	things := inspect(t, s, look(s, 1), 3, 3)
	if len(things) != 3 || things[1].Title != `sprite "<b>"` ||
		things[1].Line != (check.Line{Path: "MEDIA/UI/A.IMAGESET", Line: 3}) ||
		factOf(things[1].Facts, "position") != "2, 2" {
		t.Errorf("%+v", things)
	}
	if !strings.Contains(mod.lines(things[1].Line.Path)[things[1].Line.Line-1], `"&lt;b>"`) {
		t.Error("the line is not that of the sprite")
	}
	want := format.Rect{Min: [2]float64{2, 2}, Max: [2]float64{4, 4}}
	if r, ok := viewOf(s, "picture").Where(t.Context(), things[1].Place); !ok || r != want {
		t.Errorf("the sprite is at %v", r)
	}
	if v := s.Views[0]; len(v.Layers) != 2 || v.Layers[1].Name != "sprites" || v.Layers[1].Shown {
		t.Errorf("%+v", v.Layers)
	}
	if v := mod.inspector("MEDIA/UI/B.DDS").Views[0]; v.Layers != nil {
		t.Errorf("%+v", v.Layers)
	}
	// The outlines are drawn at the sprites, whatever part of the view is drawn.
	at := format.Look{Scale: 4, Size: image.Pt(32, 32), Layers: []string{"sprites"}}
	whole := image.NewRGBA(image.Rect(0, 0, 32, 32))
	if err := viewOf(s, at.View).Render(t.Context(), whole, at); err != nil {
		t.Fatal(err)
	}
	for _, part := range []image.Rectangle{image.Rect(0, 0, 9, 32), image.Rect(9, 0, 32, 10), image.Rect(9, 10, 32, 32)} {
		dst := image.NewRGBA(part)
		if err := viewOf(s, at.View).Render(t.Context(), dst, at); err != nil ||
			!bytes.Equal(pixel.NRGBA(dst).Pix, pixel.NRGBA(whole.SubImage(part)).Pix) {
			t.Errorf("the part %v differs: %v", part, err)
		}
	}
	if whole.RGBAAt(8, 12).A != 255 || whole.RGBAAt(11, 12).A != 0 || whole.RGBAAt(20, 12).A != 0 {
		t.Error("the sprite at 2,2 to 4,4 has no outline, or more than that")
	}

	s = mod.inspector("MEDIA/UI/A.IMAGESET")
	r, ok := viewOf(s, "contact").Where(t.Context(), things[1].Place)
	if !ok {
		t.Fatal("the sprite is not on the contact sheet")
	}
	if things := inspect(t, s, look(s, 1), r.Min[0]+1.5, r.Min[1]+0.5); len(things) != 2 ||
		things[0].Title != `sprite "<b>"` || things[1].Title != "pixel 3, 2" {
		t.Errorf("%+v", things)
	}
	if things := inspect(t, s, look(s, 1), r.Min[0]+1.5, r.Min[1]+6); len(things) != 1 {
		t.Errorf("%+v", things)
	}
	if things := inspect(t, s, format.Look{View: "sheet", Scale: 1}, 0, 0); len(things) != 2 {
		t.Errorf("%+v", things)
	}
	if r, ok := viewOf(s, "sheet").Where(t.Context(), things[1].Place); !ok || r != want {
		t.Errorf("the sprite is at %v", r)
	}
}

func TestInspectGrid(t *testing.T) {
	grid := &mpp.File{Width: 3, Height: 2, SizeX: 1.2, SizeZ: 0.8, OffsetX: 0.6, Cells: []byte{0, 1, 255, 0, 7, 0}}
	data, err := grid.Encode()
	if err != nil {
		t.Fatal(err)
	}
	mod := open(t, buildMod(t, map[string]string{"MEDIA/A.MPP": string(data)}))
	s := mod.inspector("MEDIA/A.MPP.pgm")
	fields := mod.fields("MEDIA/A.MPP")
	for z := range 2 {
		for x := range 3 {
			thing := inspect(t, s, look(s, 1), float64(x)+0.5, -0.5-float64(z))[0]
			if value := grid.Cells[3*z+x]; factOf(thing.Facts, "value") != int(value) ||
				thing.Title != mpp.Meaning(value) || data[thing.Bytes.Offset] != value || thing.Bytes.Len != 1 {
				t.Errorf("%d, %d: %+v", x, z, thing)
			}
			if r, ok := viewOf(s, "grid").Where(t.Context(), thing.Place); !ok || r.Min != [2]float64{float64(x), float64(-1 - z)} {
				t.Errorf("%v is at %v", thing.Place, r)
			}
		}
	}
	if factOf(inspect(t, s, look(s, 1), 1, -1)[0].Facts, "world") != "0, 0.2" {
		t.Errorf("%+v", inspect(t, s, look(s, 1), 1, -1)[0])
	}
	if tree := mod.fields("MEDIA/A.MPP.pgm"); len(fields[24]) == 0 || len(tree[24]) == 0 {
		t.Errorf("%+v, %+v", fields, tree)
	}
	found := check.Collect(func(sink check.Sink) { mpp.Check(data, sink) })
	if len(found) != 1 || len(found[0].At) != 1 || found[0].At[0] != (text.Place{Node: "cells[4]"}) {
		t.Errorf("%+v", found)
	}
}

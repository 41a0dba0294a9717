package torchlight_test

import (
	"context"
	"fmt"
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
	"trowel.example/format"
	"trowel.example/internal/corpus"
	"trowel.example/torchlight"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

// opened is a file with its format, as a verb has it.
type opened struct {
	testing.TB
	*format.Format
	*format.Source
	tree fs.FS
}

func open(t testing.TB, name string) *opened {
	t.Helper()
	src, err := format.OpenSource(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	f, err := format.Set(torchlight.Game.Formats).Find(src)
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
	return &opened{t, f, src, tree}
}

func (o *opened) inspector(at string) format.Inspector {
	o.Helper()
	scene, err := o.Scene(context.Background(), new(format.Job), o.Source, at)
	if err != nil {
		o.Fatal(err)
	}
	o.Cleanup(func() { scene.Close() })
	return scene.(format.Inspector)
}

// lines returns the lines of a text of the tree, as cat prints them.
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
	if err := o.Dump(context.Background(), new(format.Job), o.Source, path, func(f trace.Field) { fields[f.Offset] = append(fields[f.Offset], f) }); err != nil {
		o.Fatal(err)
	}
	return fields
}

// buildMod makes a mod of a folder.
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
	if _, _, err := moddir.Build(out, fsys, moddir.BuildOptions{Warn: func(string, string) {}}); err != nil {
		t.Fatal(err)
	}
	return name
}

func object(kind string, id int, properties string, children ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[BASEOBJECT]\n[PROPERTIES]\n<STRING>DESCRIPTOR:%s\n<STRING>NAME:%s %d\n<INTEGER64>ID:%d\n%s[/PROPERTIES]\n[CHILDREN]\n%s[/CHILDREN]\n[/BASEOBJECT]\n", kind, kind, id, id, properties, strings.Join(children, ""))
	return b.String()
}

func layoutOf(objects ...string) string {
	return "[Layout]\n[OBJECTS]\n" + strings.Join(objects, "") + "[/OBJECTS]\n[/Layout]\n"
}

func position(x, y, z float64) string {
	return fmt.Sprintf("<FLOAT>POSITIONX:%g\n<FLOAT>POSITIONY:%g\n<FLOAT>POSITIONZ:%g\n", x, y, z)
}

const timeline = "<FLOAT>DURATION:2\n[TIMELINEDATA]\n<INTEGER64>ID:4\n[TIMELINEOBJECT]\n<INTEGER64>OBJECTID:2\n[TIMELINEOBJECTPROPERTY]\n<STRING>OBJECTPROPERTYNAME:POSITION\n" +
	"[TIMELINEPOINT]\n<FLOAT>TIMEPERCENT:0\n<STRING>INTERPOLATION:Linear\n<STRING>VALUE:1,2,3\n[/TIMELINEPOINT]\n[TIMELINEPOINT]\n<FLOAT>TIMEPERCENT:1\n<STRING>INTERPOLATION:Linear\n<STRING>VALUE:4,5,6\n[/TIMELINEPOINT]\n" +
	"[/TIMELINEOBJECTPROPERTY]\n[/TIMELINEOBJECT]\n[/TIMELINEDATA]\n"

// outer has a group with a node and a timeline that moves it, and links to inner twice.
var (
	inner = layoutOf(object("Monster", 7, position(1, 0, 1)))
	outer = layoutOf(
		object("Group", 1, position(0, 0, 0), object("Property Node", 2, position(10, 3, 20)+"<FLOAT>RADIUS:50\n"), object("Timeline", 4, timeline)),
		object("Layout Link", 5, position(40, 0, 40)+"<STRING>LAYOUT FILE:media/inner.layout\n"),
		object("Layout Link", 6, position(80, 0, 40)+"<STRING>LAYOUT FILE:MEDIA/INNER.LAYOUT\n"))
)

// look is the whole of the first view of a scene, with some pixels for a unit.
func look(s format.Scene, scale float64) format.Look {
	v := s.Views()[0]
	return format.Look{View: v.Name, Origin: v.Bounds.Min, Scale: scale}
}

func inspect(t testing.TB, s format.Inspector, look format.Look, x, y float64) []format.Thing {
	t.Helper()
	things, err := s.Inspect(t.Context(), look, [2]float64{x, y})
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
	if node.Title != `Property Node "Property Node 2", id 2` || node.Place != (text.Place{Path: "MEDIA/OUTER.LAYOUT", Object: 2}) {
		t.Errorf("%+v", node)
	}
	if factOf(node.Facts, "position") != "10, 3, 20" || factOf(factOf(node.Facts, "properties").([]format.InfoField), "RADIUS") != "50" {
		t.Errorf("%+v", node.Facts)
	}
	if len(node.Links) != 1 || node.Links[0].Title != `around it: Group "Group 1", id 1` || node.Links[0].At != [2]float64{0, 0} {
		t.Errorf("%+v", node.Links) // the timeline has no place to go to
	}
	curve, _ := factOf(node.Facts, "curve").(format.Curve)
	if len(curve.Lines) != 3 || curve.Lines[2].Name != "z" || !slices.Equal(curve.Lines[2].Values, []float64{3, 6}) || !slices.Equal(curve.Points, []time.Duration{0, 2 * time.Second}) {
		t.Errorf("%+v", curve)
	}
	// Where it only reaches, it stands behind what is there itself.
	if things := inspect(t, s, at, 41, -41); things[0].Title != `Monster "Monster 7", id 7` || things[0].Line.Path != "MEDIA/INNER.LAYOUT" || things[0].Place != (text.Place{Path: "MEDIA/INNER.LAYOUT", Object: 7}) {
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
		r, ok := s.Where("plan", c.place)
		if x, y := (r.Min[0]+r.Max[0])/2, (r.Min[1]+r.Max[1])/2; ok != c.want || ok && math.Hypot(x-c.x, y-c.y) > 0.2 {
			t.Errorf("%v is at %v, %v: %v", c.place, x, y, ok)
		}
	}
	if r, ok := s.Where("plan", check.File("MEDIA/OUTER.LAYOUT")); !ok || r != s.Views()[0].Bounds {
		t.Errorf("the file is at %v", r)
	}
	if _, ok := s.Where("other", node.Place); ok {
		t.Error("it has a view that it has not")
	}
}

// The line and the bytes of each object are those of the tree and of dump: in a mod, compiled
// alone, and as a text.
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
	}{{open(t, mod), "MEDIA/OUTER.LAYOUT", 5}, {open(t, filepath.Join(dir, "A.LAYOUT.BINLAYOUT")), "", 4}, {open(t, filepath.Join(dir, "B.LAYOUT")), "", 4}} {
		if told := checkLines(t, c.o, c.at); told != c.want {
			t.Errorf("%s: %d objects were found, want %d", c.o.Source.Name, told, c.want)
		}
	}
}

func checkLines(t *testing.T, o *opened, at string) (told int) {
	const steps = 25
	s := o.inspector(at)
	bounds := s.Views()[0].Bounds
	look := look(s, 2*steps/max(bounds.Dx(), bounds.Dy()))
	dumps := make(map[string]map[int64][]trace.Field)
	texts := make(map[string][]string)
	seen := make(map[check.Place]bool)
	for i := range steps {
		for k := range steps {
			for _, thing := range inspect(t, s, look, bounds.Min[0]+(float64(i)+0.5)*bounds.Dx()/steps, bounds.Min[1]+(float64(k)+0.5)*bounds.Dy()/steps) {
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
					if !strings.Contains(lines[thing.Line.Line-1], "[PROPERTIES]") || !strings.Contains(rest, fmt.Sprintf("ID:%d", place.Object)) {
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

// What is told of the layouts of real mods is so, and nothing panics.
func TestInspectCorpus(t *testing.T) {
	told, seen := 0, make(map[string]bool)
	for _, name := range append(corpus.Files(t, "torchlight", ".MOD"), corpus.Files(t, "torchlight", ".mod")...) {
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

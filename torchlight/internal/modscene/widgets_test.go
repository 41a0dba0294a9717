package modscene

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/text"
)

// parse returns the layout of some objects as text.
func parse(tb testing.TB, objects string) *layout.File {
	tb.Helper()
	file, err := text.Parse([]byte("[UI]\n[OBJECTS]\n" + objects + "[/OBJECTS]\n[/UI]\n"))
	if err != nil {
		tb.Fatal(err)
	}
	f, err := layout.FromText(file.Root, func(item text.Item, err *text.Error) { tb.Fatal(err) })
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// object returns an object as text. Properties have their types: "FLOAT WIDTH:3".
func object(kind, name string, id int, properties string, children ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[BASEOBJECT]\n[PROPERTIES]\n<STRING>DESCRIPTOR:%s\n<STRING>NAME:%s\n<INTEGER64>ID:%d\n<INTEGER64>PARENTID:-1\n",
		kind, name, id)
	for p := range strings.SplitSeq(properties, ", ") {
		if before, after, ok := strings.Cut(p, " "); ok {
			fmt.Fprintf(&b, "<%s>%s\n", before, after)
		}
	}
	return b.String() + "[/PROPERTIES]\n[CHILDREN]\n" + strings.Join(children, "") + "[/CHILDREN]\n[/BASEOBJECT]\n"
}

// TestRectangles tests sizes, places, the order of drawing, and layers.
func TestRectangles(t *testing.T) {
	f := parse(t, object("Window", "main", 1, "FLOAT WIDTH:400, FLOAT HEIGHT:300, STRING VERTICAL:BOTTOM, FLOAT OFFSET X:10",
		object("Group", "group", 2, "",
			object("Image", "middle", 3, "FLOAT WIDTH:40, FLOAT HEIGHT:20, STRING HORIZONTAL:CENTER, STRING VERTICAL:CENTER, "+
				"FLOAT OFFSET Y:-5, STRING IMAGE:star")),
		object("Window", "tab 1", 4, "FLOAT WIDTH:0, FLOAT HEIGHT:-20, FLOAT SCALE WIDTH:0.5, FLOAT SCALE HEIGHT:1",
			object("Image", "at a quarter", 5, "FLOAT WIDTH:8, FLOAT HEIGHT:8, FLOAT PERCENT X:0.25")),
		object("Window", "tab 2", 6, "FLOAT WIDTH:0, FLOAT HEIGHT:-20, FLOAT SCALE WIDTH:0.5, FLOAT SCALE HEIGHT:1, "+
			"BOOL VISIBLE:false"),
		object("Button", "button", 7, "FLOAT WIDTH:26, FLOAT HEIGHT:26, INTEGER SORT OFFSET:1000, STRING NORMAL:on",
			object("Image", "frame", 8, "FLOAT WIDTH:38, FLOAT HEIGHT:38, INTEGER SORT OFFSET:-1100"))))
	m := newMenu(f)
	var got []string
	for _, w := range m.Widgets {
		got = append(got, fmt.Sprintf("%s %v %s", w.Title(), w.Rect, m.Layers[w.Layer].Name))
	}
	want := `main [10 468 400 300] menu
middle [190 603 40 20] menu
tab 1 [10 468 200 280] tab 1
at a quarter [60 468 8 8] tab 1
tab 2 [10 468 200 280] tab 2
frame [10 468 38 38] menu
button [10 468 26 26] menu`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("%s\nwant\n%s", s, want)
	}
	if got, want := fmt.Sprint(m.Layers), "[{menu true -1} {tab 1 true -1} {tab 2 false 1}]"; got != want {
		t.Errorf("layers %s, want %s", got, want)
	}
	if got := m.Bounds(); got != (menuRect{10, 468, 400, 300}) {
		t.Errorf("bounds %v", got)
	}
	if a, b := m.Widgets[1].Image(), m.Widgets[6].Image(); a != "star" || b != "on" {
		t.Errorf("images %q and %q", a, b)
	}
}

// TestArea tests that the sum of the areas that are drawn is limited.
func TestArea(t *testing.T) {
	var list []string
	for i := range 100 {
		list = append(list, object("Image", "a", i+1, "FLOAT WIDTH:4096, FLOAT HEIGHT:4096, STRING IMAGE:star"))
	}
	if m := newMenu(parse(t, strings.Join(list, ""))); len(m.Widgets) != 16 || m.Left != 84 {
		t.Errorf("%d widgets, %d left out", len(m.Widgets), m.Left)
	}
}

// FuzzNew tests that the rectangles of any layout are bounded.
func FuzzNew(f *testing.F) {
	for _, objects := range []string{
		object("Window", "a", 1, "FLOAT WIDTH:4, FLOAT HEIGHT:3, BOOL VISIBLE:false",
			object("Text", "b", 2, "FLOAT WIDTH:1, INTEGER SORT OFFSET:-2")),
		object("Window", "a", 1, "FLOAT WIDTH:1e30, FLOAT SCALE HEIGHT:1e30", object("Image", "", 2, "FLOAT SCALE WIDTH:1e30")),
		object("Group", "a", 1, "", object("Button", "b", 2, "FLOAT WIDTH:1"), object("Button", "b", 3, "FLOAT WIDTH:1, BOOL VISIBLE:false")),
	} {
		data, err := parse(f, objects).Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := layout.Decode(data)
		if err != nil {
			return
		}
		m := newMenu(l)
		if len(m.Layers) == 0 || len(m.Layers) > 300 {
			t.Errorf("%d layers", len(m.Layers))
		}
		for _, w := range m.Widgets {
			if w.Layer < 0 || w.Layer >= len(m.Layers) {
				t.Errorf("layer %d", w.Layer)
			}
			for _, v := range w.Rect {
				if !(math.Abs(v) < 1<<17) {
					t.Errorf("rectangle %v", w.Rect)
				}
			}
			w.Image()
		}
		for _, v := range m.Bounds() {
			if !(math.Abs(v) < 1<<17) {
				t.Errorf("bounds %v", m.Bounds())
			}
		}
	})
}

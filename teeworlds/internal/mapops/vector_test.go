package mapops

import (
	"bytes"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/gomono"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// vectorTest is an edited map, with the warnings that were printed.
type vectorTest struct {
	*Editor
	warned []string
}

func newVectorTest() *vectorTest {
	v := &vectorTest{}
	job := &format.Job{Reports: format.Reports{OnWarn: func(_, text string) { v.warned = append(v.warned, text) }}}
	v.Editor = &Editor{mapedit.New(twmap.New(40, 20), nil), job}
	return v
}

// quads returns the quads of the layer in front.
func (v *vectorTest) quads(t *testing.T) (*twmap.QuadLayer, []twmap.Quad) {
	t.Helper()
	groups := v.Map().Groups
	layer, ok := groups[len(groups)-1].Layers[0].(*twmap.QuadLayer)
	if !ok {
		t.Fatal("the layer has no quads")
	}
	quads, err := layer.Quads()
	if err != nil {
		t.Fatal(err)
	}
	return layer, quads
}

var usualDivision = Division{Tolerance: 0.1, Most: 500}

func TestAddSVG(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logo of all.svg")
	const text = `<svg width="20" height="10"><rect x="5" width="10" height="10" fill="#ff800080"/><text>A</text><text>B</text></svg>`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	v := newVectorTest()
	o := SVG{File: path, Division: usualDivision, Scale: 2}
	o.X, o.Y = 3, -1
	if err := AddSVG(v.Editor, o); err != nil {
		t.Fatal(err)
	}
	layer, quads := v.quads(t)
	const tile, pixel = 32 * 1024, 1024
	q := quads[0]
	point := func(x, y int32) twmap.Point { return twmap.Point{X: 3*tile + x*pixel, Y: -tile + y*pixel} }
	if len(quads) != 1 || layer.Name != "logo of all" || layer.Image != -1 || q.Points[0] != point(10, 0) ||
		q.Points[3] != point(30, 20) || q.Pivot != point(20, 10) ||
		q.Colors[2] != (twmap.Color{R: 255, G: 128, A: 128}) || q.PosEnv != -1 {
		t.Errorf("%+v in the layer %q", quads, layer.Name)
	}
	if got := strings.Join(v.warned, "; "); got != "line 1: left out: <text> (2 times)" {
		t.Errorf("warned: %s", got)
	}
	o.Pattern = "logo of all/*"
	if err := AddSVG(v.Editor, o); err != nil {
		t.Error(err)
	}
	if _, quads := v.quads(t); len(quads) != 2 {
		t.Errorf("%d quads", len(quads))
	}
	for _, c := range []struct {
		change func(o *SVG)
		text   string
		want   string
	}{
		{func(o *SVG) { o.Scale = 0 }, text, "expected 0.001 to 1000"},
		{func(o *SVG) { o.Scale = 1000 }, strings.Replace(text, "20", "2000", 1), "2000 x 10 pixels"},
		{func(o *SVG) { o.Tolerance = 0 }, text, "expected 0.01 to 100"},
		{func(o *SVG) { o.Most = 0 }, text, "--most-quads"},
		{func(o *SVG) { o.Y = 1 << 30 }, text, "expected a place"},
		{func(o *SVG) { o.Pattern = "game" }, text, "has no quads"},
		{func(*SVG) {}, "<svg/>", "the picture shows nothing"},
		{func(*SVG) {}, "<svg><g></svg>", "element <g> closed by </svg>"},
		{func(o *SVG) { o.Most = 1 }, `<svg><path d="M0 0L9 4L0 9L4 4"/></svg>`, "more than 1 quad: a larger --tolerance makes fewer"},
	} {
		v := newVectorTest()
		o := SVG{File: path, Division: usualDivision, Scale: 2}
		c.change(&o)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := AddSVG(v.Editor, o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

func usualText(lines ...string) TextQuads {
	return TextQuads{Text: Text{Lines: lines, Face: "mono"}, Division: usualDivision, Size: 100, Color: color.NRGBA{255, 0, 0, 255}}
}

func TestAddTextQuads(t *testing.T) {
	v := newVectorTest()
	o := usualText("ab c", "d")
	o.Align, o.LineSpacing, o.LetterSpacing = "right", 7, 10
	if err := AddTextQuads(v.Editor, o); err != nil {
		t.Fatal(err)
	}
	layer, quads := v.quads(t)
	if im := v.Map().Images[layer.Image]; im.Name != "font_go_mono" || im.Width() != 1024 || len(quads) != 4 {
		t.Fatalf("%d quads with the image %q", len(quads), im.Name)
	}
	middle := func(i int) (x, y int) { return int(quads[i].Pivot.X) / 1024, int(quads[i].Pivot.Y) / 1024 }
	// The letters of this font are 60 pixels wide, and lines 116 pixels high.
	for i, want := range []int{-240, -170, -30, -30} {
		if x, y := middle(i); x < want-5 || x > want+5 || y < 40 || y > 250 || i == 3 && y < 150 {
			t.Errorf("letter %d is at %d,%d, want %d", i, x, y, want)
		}
	}
	red := twmap.Color{R: 255, A: 255}
	if a, c := quads[0].Texture[0], quads[2].Texture[3]; a == c || a.X < 0 || c.X > 1024 || quads[0].Colors[0] != red {
		t.Errorf("%+v", quads[0])
	}
	o.Pattern, o.Lines = "ab c d/*", []string{"x"}
	if err := AddTextQuads(v.Editor, o); err != nil {
		t.Error(err)
	}
	if _, quads := v.quads(t); len(quads) != 5 || len(v.Map().Images) != 1 {
		t.Errorf("%d quads, %d images", len(quads), len(v.Map().Images))
	}
	o.Face = "bold"
	err := AddTextQuads(v.Editor, o)
	if err == nil || !strings.Contains(err.Error(), "shows images/font_go_mono: expected a layer that shows images/font_go_bold") {
		t.Errorf("%v", err)
	}
	o = usualText("Il")
	o.Outlines = true
	if err := AddTextQuads(v.Editor, o); err != nil {
		t.Fatal(err)
	}
	if layer, quads := v.quads(t); layer.Image != -1 || len(quads) < 4 {
		t.Errorf("%d quads with the image %d", len(quads), layer.Image)
	}
}

func TestTextErrors(t *testing.T) {
	font := filepath.Join(t.TempDir(), "a.ttf")
	if err := os.WriteFile(font, gomono.TTF[:1000], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change func(o *TextQuads)
		want   string
	}{
		{func(o *TextQuads) { o.Lines = []string{"  ", ""} }, "the text is empty"},
		{func(o *TextQuads) { o.Lines = []string{"a\tb"} }, "without control characters"},
		{func(o *TextQuads) { o.Lines = []string{"\xff"} }, "without control characters"},
		{func(o *TextQuads) { o.Lines = []string{strings.Repeat("a", 10001)} }, "at most 10,000 characters"},
		{func(o *TextQuads) { o.Lines = []string{"漢字"} }, `the font has no letters for "漢字"`},
		{func(o *TextQuads) { o.Font = font }, font},
		{func(o *TextQuads) { o.Font = "nowhere.ttf" }, "nowhere.ttf"},
		{func(o *TextQuads) { o.Size = 0.5 }, "--size"},
		{func(o *TextQuads) { o.Size, o.Lines = 10000, []string{strings.Repeat("a", 200)} }, "exceed the coordinates"},
		{func(o *TextQuads) { o.LineSpacing = 2000 }, "spacings of at most 1000"},
		{func(o *TextQuads) { o.Most = 1 }, "more than 1 quad"},
		{func(o *TextQuads) { o.Most, o.Outlines = 5, true }, "more than 5 quads"},
		{func(o *TextQuads) { o.Pattern = "game" }, "has no quads"},
	} {
		v, o := newVectorTest(), usualText("ab")
		c.change(&o)
		if err := AddTextQuads(v.Editor, o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func TestAddTextTiles(t *testing.T) {
	v := newVectorTest()
	tiles := func(l twmap.Layer, x, y, n int) string {
		var ids []string
		for i := range n {
			ids = append(ids, fmt.Sprint(l.(*twmap.TileLayer).Tiles().At(x+i, y).ID))
		}
		return strings.Join(ids, " ")
	}
	o := TextTiles{Text: Text{Lines: []string{"AB 10", "Z"}, Face: "mono", Align: "center"}, X: 10, Y: 4, LineSpacing: 1,
		Color: &color.NRGBA{1, 2, 3, 255}}
	if err := AddTextTiles(v.Editor, o); err != nil {
		t.Fatal(err)
	}
	l := v.Map().Groups[1].Layers[0].(*twmap.TileLayer)
	if got := tiles(l, 7, 4, 7) + ", " + tiles(l, 7, 6, 7); got != "0 1 2 0 54 63 0, 0 0 0 26 0 0 0" || l.Width() != 40 || l.Height() != 20 ||
		l.Color != (twmap.Color{R: 1, G: 2, B: 3, A: 255}) || v.Map().Images[l.Image].Name != "font_go_mono" {
		t.Errorf("%s in %d x %d tiles", got, l.Width(), l.Height())
	}
	o.Pattern, o.Color, o.Align, o.X, o.Y = "AB 10 Z/*", nil, "left", 38, 0
	o.Lines = []string{"YX"}
	if err := AddTextTiles(v.Editor, o); err != nil || tiles(l, 38, 0, 2) != "25 24" {
		t.Errorf("%s, %v", tiles(l, 38, 0, 2), err)
	}
	font := filepath.Join(t.TempDir(), "my.own.ttf")
	if err := os.WriteFile(font, bytes.Clone(gomono.TTF), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change func(o *TextTiles)
		want   string
	}{
		{func(o *TextTiles) { o.X = 39 }, "the text takes 41 x 1 tiles: the layer has 40 x 20"},
		{func(o *TextTiles) { o.X = -1 }, "outside of the layer"},
		{func(o *TextTiles) { o.Face = "bold" }, `does not show the image "font_go_bold"`},
		{func(o *TextTiles) { o.Font = font }, `does not show the image "font_my.own"`},
		{func(o *TextTiles) { o.Color = &color.NRGBA{} }, "--color is for a new layer"},
		{func(o *TextTiles) { o.LineSpacing = -1 }, "a spacing of 0 to 1000"},
		{func(o *TextTiles) { o.Pattern, o.X, o.Y = "", 60000, 60000 }, "60003 x 60002 tiles"},
		{func(o *TextTiles) { o.Pattern, o.X = "", 200000 }, "200003"},
	} {
		o := o
		c.change(&o)
		if err := AddTextTiles(v.Editor, o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	o.Pattern, o.X, o.Y, o.Font = "", 45, 2, font
	if err := AddTextTiles(v.Editor, o); err != nil {
		t.Fatal(err)
	}
	groups := v.Map().Groups
	if l := groups[len(groups)-1].Layers[0].(*twmap.TileLayer); l.Width() != 48 || l.Height() != 20 || tiles(l, 45, 2, 3) != "25 24 0" {
		t.Errorf("%s in %d x %d tiles: the edge belongs empty", tiles(l, 45, 2, 3), l.Width(), l.Height())
	}
	if _, err := v.Map().Encode(); err != nil {
		t.Error(err)
	}
}

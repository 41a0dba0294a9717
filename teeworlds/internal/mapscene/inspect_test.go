package mapscene

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/internal/mapfile"
	"trowel.example/teeworlds/internal/tiletext"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
	"trowel.example/trace"
)

// randomMap returns a map with layers of all kinds, filled randomly, in groups with various parallax and offsets. The
// tiles use a picture whose 256 cells are one pixel each, in unique colours.
func randomMap(r *rand.Rand) *twmap.Map {
	width, height := 3+r.IntN(30), 2+r.IntN(20)
	m := twmap.New(width, height)
	m.Info.Settings = []string{"tune_zone 3 gravity 0", "switch_open 2", "sv_hit 1"}
	palette := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	for i := range 256 {
		palette.SetNRGBA(i%16, i/16, color.NRGBA{uint8(i), uint8(255 - i), uint8(i * 37), 255})
	}
	m.Images = []*twmap.Image{twmap.NewImage("palette", palette)}
	m.Sounds = []*twmap.Sound{twmap.NewSound("wind", []byte("OggS"))}
	move := twmap.NewEnvelope("move", twmap.ChannelsPosition)
	for i := range 4 {
		move.Points = append(move.Points, twmap.EnvPoint{Time: int32(i * 500), Curve: twmap.Curve(i + 2),
			Values: [4]int32{r.Int32N(99) << 10, r.Int32N(99) << 10, r.Int32N(360) << 10}})
	}
	m.Envelopes = []*twmap.Envelope{move, twmap.NewEnvelope("glow", twmap.ChannelsColor,
		twmap.EnvPoint{Values: [4]int32{1024, 1024, 1024, 1024}})}
	for kind := twmap.KindFront; kind <= twmap.KindTune; kind++ {
		m.Groups[0].Layers = append(m.Groups[0].Layers, twmap.NewTileLayer(kind, width, height))
	}
	for range 3 {
		g := twmap.NewGroup("", twmap.NewTileLayer(twmap.KindTiles, 1+r.IntN(40), 1+r.IntN(30)),
			twmap.NewTileLayer(twmap.KindTiles, 1+r.IntN(40), 1+r.IntN(30)))
		if r.IntN(2) == 0 {
			g.ParallaxX, g.ParallaxY = r.Int32N(160)-20, r.Int32N(160)-20
			g.OffsetX, g.OffsetY = r.Int32N(200)-100, r.Int32N(200)-100
		}
		if r.IntN(3) == 0 {
			g.Clip = &twmap.Clip{X: r.Int32N(200), Y: r.Int32N(200), Width: r.Int32N(500), Height: r.Int32N(500)}
		}
		quads := twmap.NewQuadLayer()
		list := make([]twmap.Quad, r.IntN(9))
		for i := range list {
			list[i] = twmap.NewQuad(r.Int32N(900)-100, r.Int32N(600)-100, r.Int32N(300), r.Int32N(300))
			list[i].PosEnv, list[i].ColorEnv = r.Int32N(2)-1, r.Int32N(3)-1
			list[i].Points[r.IntN(4)].X += r.Int32N(99) << 10
		}
		quads.SetQuads(list)
		source := twmap.NewSoundSource(r.Int32N(900), r.Int32N(600), r.Int32N(200))
		box := source
		box.Shape, box.Width, box.Height = twmap.ShapeRectangle, r.Int32N(200)<<10, r.Int32N(200)<<10
		sounds := twmap.NewSoundLayer(source, box)
		sounds.Sound = 0
		g.Layers = append(g.Layers, quads, sounds)
		m.Groups = append(m.Groups, g)
	}
	for _, l := range m.Layers() {
		l, ok := l.(*twmap.TileLayer)
		if !ok {
			continue
		}
		if l.Kind() == twmap.KindTiles {
			l.Image = 0
			if r.IntN(2) == 0 {
				l.Version = 4
			}
		}
		for i := range l.Width() * l.Height() {
			x, y := i%l.Width(), i/l.Width()
			id, n := uint8(r.IntN(256)*r.IntN(2)), uint8(r.IntN(4))
			switch l.Kind() {
			case twmap.KindTele:
				l.Teles().Set(x, y, twmap.TeleTile{Number: n, ID: []uint8{0, 10, 26, 27, 29, 30, 31}[r.IntN(7)]})
			case twmap.KindSpeedup:
				l.Speedups().Set(x, y, twmap.SpeedupTile{Force: n, MaxSpeed: 2 * n, ID: id, Angle: int16(n) * 90})
			case twmap.KindSwitch:
				l.Switches().Set(x, y, twmap.SwitchTile{Number: n, ID: []uint8{0, 9, 22, 24, 25, 240}[r.IntN(6)],
					Flags: twmap.TileFlags(n) & 11, Delay: n + 1})
			case twmap.KindTune:
				l.Tunes().Set(x, y, twmap.TuneTile{Number: n, ID: id})
			default:
				if r.IntN(3) > 0 { // runs, for the compressed form
					l.Tiles().Set(x, y, l.Tiles().At(x-1, y))
				} else {
					l.Tiles().Set(x, y, twmap.Tile{ID: id, Flags: twmap.TileFlags(r.IntN(16))})
				}
			}
		}
	}
	return m
}

// opened is a map with everything that can be inspected.
type opened struct {
	*format.Scene
	m     *twmap.Map
	tree  fs.FS
	bytes map[string][]byte // the result of Dump, by space
	lines map[string][]string
}

func openAll(t *testing.T, data []byte) *opened {
	t.Helper()
	src := format.NewSource("my.map", data)
	job := &format.Job{Values: map[string]string{}}
	s, err := Open(t.Context(), job, src, "")
	if err != nil {
		t.Fatal(err)
	}
	f, err := mapfile.Open(t.Context(), job, src)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mapfile.Decode(job, src)
	if err != nil {
		t.Fatal(err)
	}
	o := &opened{Scene: s, m: m, bytes: make(map[string][]byte), lines: make(map[string][]string)}
	if o.tree, err = f.Tree(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	mapfile.Dump(t.Context(), job, src, "", func(f trace.Field) {
		if f.Space == "" {
			return
		}
		if int64(len(f.Bytes)) != f.Len {
			t.Fatalf("%s.%s: %d bytes of %d", f.Space, f.Path, len(f.Bytes), f.Len)
		}
		all := o.bytes[f.Space]
		all = append(all, make([]byte, max(0, int(f.Offset+f.Len)-len(all)))...)
		copy(all[f.Offset:], f.Bytes)
		o.bytes[f.Space] = all
	})
	return o
}

// line returns a line of a file of the tree.
func (o *opened) line(t *testing.T, l check.Line) string {
	t.Helper()
	if o.lines[l.Path] == nil {
		data, err := fs.ReadFile(o.tree, l.Path)
		if err != nil {
			t.Fatal(err)
		}
		o.lines[l.Path] = strings.Split(string(data), "\n")
	}
	return o.lines[l.Path][l.Line-1]
}

// fact returns a fact of a thing.
func fact(thing format.Thing, key string) any {
	if i := slices.IndexFunc(thing.Facts, func(f format.InfoField) bool { return f.Key == key }); i >= 0 {
		return thing.Facts[i].Value
	}
	return nil
}

// verify tests that the description of a thing is correct.
func (o *opened) verify(t *testing.T, thing format.Thing) {
	t.Helper()
	place := thing.Place.(twmap.Place)
	layer := o.m.LayerAt(place.Part)
	stored := o.bytes[thing.Bytes.Space]
	if thing.Bytes.Len == 0 || thing.Bytes.Offset+thing.Bytes.Len > int64(len(stored)) {
		t.Fatalf("%s: bytes %+v of %d", thing.Title, thing.Bytes, len(stored))
	}
	stored = stored[thing.Bytes.Offset:][:thing.Bytes.Len]
	line := o.line(t, thing.Line)
	if l, ok := layer.(*twmap.TileLayer); ok {
		want := fact(thing, "cell").(string)
		text := strings.Fields(line)[place.X]
		if text != want || !strings.HasPrefix(line[thing.Line.Column-1:], want) {
			t.Fatalf("%s: %+v is %q, want %q", thing.Title, thing.Line, text, want)
		}
		if got := storedText(l, stored); got != want {
			t.Fatalf("%s %v: the bytes %x are %q, want %q", thing.Title, place, stored, got, want)
		}
	} else if len(stored) != 152 && len(stored) != 52 || !strings.HasPrefix(line, "    {") ||
		o.line(t, check.Line{Path: thing.Line.Path,
			Line: thing.Line.Line - int(place.Index) - 1})[:4] != `  "`+map[bool]string{true: "q",
			false: "s"}[len(stored) == 152] {
		t.Fatalf("%s: %+v is %q, %d bytes", thing.Title, thing.Line, line, len(stored))
	}
	// The line leads back to the place, as does the place itself.
	at, ok := viewOf(o.Scene, "map").Where(t.Context(), place)
	other, ok2 := viewOf(o.Scene, "map").Where(t.Context(), thing.Line)
	if !ok || !ok2 || at != other {
		t.Fatalf("%s: at %v, %v; its line at %v, %v", thing.Title, at, ok, other, ok2)
	}
}

// storedText returns the stored bytes of a tile as the text in the tree.
func storedText(l *twmap.TileLayer, b []byte) string {
	switch l.Kind() {
	case twmap.KindTele:
		return tiletext.FormatCell(twmap.TeleTile{Number: b[0], ID: b[1]})
	case twmap.KindTune:
		return tiletext.FormatCell(twmap.TuneTile{Number: b[0], ID: b[1]})
	case twmap.KindSwitch:
		return tiletext.FormatCell(twmap.SwitchTile{Number: b[0], ID: b[1], Flags: twmap.TileFlags(b[2]), Delay: b[3]})
	case twmap.KindSpeedup:
		return tiletext.FormatCell(twmap.SpeedupTile{Force: b[0], MaxSpeed: b[1], ID: b[2], Padding: b[3], Angle: int16(b[4]) | int16(b[5])<<8})
	}
	tile := twmap.Tile{ID: b[0], Flags: twmap.TileFlags(b[1]), Skip: b[2], Reserved: b[3]}
	if l.Version >= 4 && l.Kind() <= twmap.KindFront {
		tile.Skip = 0
	}
	return tiletext.FormatCell(tile)
}

// TestInspect tests that the description of each place matches the line of the tree and the bytes of the file that it
// names.
func TestInspect(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	reported := make(map[string]int)
	try := func(data []byte, points int) {
		o := openAll(t, data)
		b := o.Views[0].Bounds
		for range points {
			at := [2]float64{b.Min[0] + r.Float64()*b.Dx(), b.Min[1] + r.Float64()*b.Dy()}
			look := format.Look{View: "map", Scale: 64, Time: time.Duration(r.IntN(2000)) * time.Millisecond}
			things, err := viewOf(o.Scene, look.View).Inspect(t.Context(), look, at)
			if err != nil {
				t.Fatal(err)
			}
			for _, thing := range things {
				reported[strings.Fields(thing.Title[strings.Index(thing.Title, ": ")+2:])[0]]++
				if fact(thing, "error") == nil && !strings.Contains(thing.Title, "more behind") {
					o.verify(t, thing)
				}
			}
		}
	}
	for range 20 {
		data, err := randomMap(r).Encode()
		if err != nil {
			t.Fatal(err)
		}
		try(data, 40)
	}
	burrow, err := mapdir.Read(os.DirFS("../../../samples/burrow"), nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := burrow.Encode()
	if err != nil {
		t.Fatal(err)
	}
	try(data, 100)
	for _, name := range corpusMaps(t, 12) {
		data := judge.Read(t, name)
		if _, err := twmap.Decode(data); err == nil {
			try(data, 10)
		}
	}
	for _, what := range []string{"tile", "tele", "speedup", "timed", "tune", "quad", "source"} {
		if reported[what] == 0 {
			t.Errorf("no %s in %v", what, reported)
		}
	}
}

// corpusMaps returns every nth map of the corpus, if the corpus is available.
func corpusMaps(t *testing.T, n int) (some []string) {
	if os.Getenv("TROWEL_CORPUS") == "" {
		return nil
	}
	for i, name := range tests.CorpusFiles(t, "teeworlds", ".map") {
		if i%n == 0 {
			some = append(some, name)
		}
	}
	return some
}

// TestInspectIsWhatIsDrawn tests that the described tile is the one drawn at the pixel, in both views and for any
// placing of the group.
func TestInspectIsWhatIsDrawn(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	seen := 0
	for range 12 {
		m := randomMap(r)
		data, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		o := openAll(t, data)
		for range 60 {
			view := o.Views[r.IntN(2)]
			look := format.Look{View: view.Name, Scale: []float64{64, 32, 5, 2.1}[r.IntN(4)], Origin: view.Bounds.Min, Size: image.Pt(400, 300)}
			if view.Frame != nil {
				f := view.Frame(look.Size)
				look.Origin, look.Scale = f.Min, float64(look.Size.X)/f.Dx()
			}
			g := 1 + r.IntN(3)
			layer := view.Layers[6+(g-1)*4+r.IntN(2)]
			look.Layers = []string{layer.Name}
			pixel := image.Pt(r.IntN(400), r.IntN(300))
			dst := image.NewRGBA(image.Rectangle{Min: pixel, Max: pixel.Add(image.Pt(1, 1))})
			if err := viewOf(o.Scene, look.View).Render(t.Context(), dst, look); err != nil {
				t.Fatal(err)
			}
			middle := [2]float64{look.Origin[0] + (float64(pixel.X)+0.5)/look.Scale, look.Origin[1] + (float64(pixel.Y)+0.5)/look.Scale}
			things, err := viewOf(o.Scene, look.View).Inspect(t.Context(), look, middle)
			if err != nil {
				t.Fatal(err)
			}
			got := -1
			if len(things) > 0 && things[0].Layer == layer.Name && fact(things[0], "clipped") == nil {
				got = fact(things[0], "tile").(int)
			}
			want := color.RGBA{}
			if got > 0 {
				want = color.RGBA{uint8(got), uint8(255 - got), uint8(got * 37), 255}
				seen++
			}
			if c := dst.RGBAAt(pixel.X, pixel.Y); c != want {
				t.Fatalf("%s: %v is tile %d, drawn as %v", layer.Name, middle, got, c)
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d tiles were seen", seen)
	}
}

// TestInspectLinks tests that a tele links to its partners, and a switch to everything that it switches, and neither
// to other tiles.
func TestInspectLinks(t *testing.T) {
	m := twmap.New(40, 20)
	tele, switches := twmap.NewTileLayer(twmap.KindTele, 40, 20), twmap.NewTileLayer(twmap.KindSwitch, 40, 20)
	m.Groups[0].Layers = append(m.Groups[0].Layers, tele, switches)
	for x, c := range []twmap.TeleTile{{Number: 5, ID: 26}, {Number: 5, ID: 10}, {Number: 5, ID: 14}, {Number: 5, ID: 15},
		{Number: 5, ID: 27}, {Number: 6, ID: 27}, {Number: 5, ID: 29}, {Number: 5, ID: 30}, {Number: 6, ID: 30},
		{Number: 0, ID: 31}, {Number: 9, ID: 63}, {Number: 5, ID: 27}, {Number: 0, ID: 27}, {Number: 0, ID: 26},
		{Number: 0, ID: 30}} {
		tele.Teles().Set(x, 3, c)
	}
	for x, c := range []twmap.SwitchTile{{Number: 2, ID: 24}, {Number: 2, ID: 240}, {Number: 2, ID: 22, Delay: 3},
		{Number: 3, ID: 240}, {Number: 2, ID: 79}, {Number: 0, ID: 9}, {Number: 0, ID: 240}} {
		switches.Switches().Set(x, 5, c)
	}
	for x := range 40 {
		for y := 6; y < 20; y++ {
			switches.Switches().Set(x, y, twmap.SwitchTile{Number: 7, ID: 240})
		}
	}
	m.Info.Settings = []string{"switch_open 2", "switch_open 3"}
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	o := openAll(t, data)
	for at, want := range map[[2]float64]string{
		{0, 3}: "4 11", {1, 3}: "4 11", {4, 3}: "0 1 2 3", {5, 3}: "", {6, 3}: "7", {7, 3}: "6 9 10", {8, 3}: "9 10",
		{9, 3}: "7 8", {10, 3}: "7 8", {12, 3}: "", {13, 3}: "",
		{0, 5}: "1 2", {1, 5}: "0 2", {3, 5}: "", {4, 5}: "", {5, 5}: "", {6, 5}: "",
	} {
		things, err := viewOf(o.Scene, "").Inspect(t.Context(), format.Look{Scale: 1}, [2]float64{at[0] + 0.3, at[1] + 0.9})
		if err != nil || len(things) != 1 {
			t.Fatalf("%v: %+v, %v", at, things, err)
		}
		var got []string
		for _, l := range things[0].Links {
			got = append(got, fmt.Sprint(l.At[0]-0.5))
			if l.At[1] != at[1]+0.5 {
				t.Errorf("%v leads to %v", at, l.At)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%v leads to %v, want %v", at, got, want)
		}
		if n := fact(things[0], "partners"); n != nil && n != len(got) {
			t.Errorf("%v: %v partners, %d links", at, n, len(got))
		}
	}
	things, err := viewOf(o.Scene, "").Inspect(t.Context(), format.Look{Scale: 1}, [2]float64{0.5, 9.5})
	if err != nil || len(things) != 1 || len(things[0].Links) != maxLinks || fact(things[0], "partners") != 40*14-1 {
		t.Fatalf("%d links, %v partners, %v", len(things[0].Links), fact(things[0], "partners"), err)
	}
	if things, _ = viewOf(o.Scene, "").Inspect(t.Context(), format.Look{Scale: 1}, [2]float64{13.5, 3.5}); fact(things[0], "unused") == nil {
		t.Errorf("%+v does something", things[0])
	}
	things, _ = viewOf(o.Scene, "").Inspect(t.Context(), format.Look{Scale: 1}, [2]float64{0.5, 5.5})
	if fact(things[0], "unused") != nil {
		t.Errorf("%+v does nothing", things[0])
	}
	if got := fact(things[0], "settings"); !slices.Equal(got.([]string), []string{"switch_open 2"}) {
		t.Errorf("settings %v", got)
	}
	if things[0].Title != "Switch: open" || things[0].Links[1].Title != "timed open 2 at 2,5" {
		t.Errorf("%s, %s", things[0].Title, things[0].Links[1].Title)
	}
}

// TestInspectQuad tests that a quad is found at its position at a time, with its curves.
func TestInspectQuad(t *testing.T) {
	m := twmap.New(20, 20)
	quad := twmap.NewQuad(32, 64, 64, 32)
	quad.PosEnv, quad.PosEnvOffset, quad.Colors[1] = 0, -1000, twmap.Color{R: 1, G: 2, B: 3, A: 4}
	m.Envelopes = []*twmap.Envelope{twmap.NewEnvelope("up", twmap.ChannelsPosition,
		twmap.EnvPoint{Curve: twmap.CurveStep}, twmap.EnvPoint{Time: 1000, Curve: twmap.CurveSmooth,
			Values: [4]int32{320 << 10, 0, 0}}, twmap.EnvPoint{Time: 2000, Values: [4]int32{320 << 10, 320 << 10, 0}})}
	m.Groups = append(m.Groups, twmap.NewGroup("Deco", twmap.NewQuadLayer(twmap.NewQuad(0, 0, 32, 32), quad)))
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	o := openAll(t, data)
	inspect := func(at [2]float64, time time.Duration) []format.Thing {
		things, err := viewOf(o.Scene, "").Inspect(t.Context(), format.Look{Scale: 1, Time: time}, at)
		if err != nil {
			t.Fatal(err)
		}
		return things
	}
	if things := inspect([2]float64{2, 2.5}, time.Second); len(things) != 1 || things[0].Title != "quads: quad 1" ||
		fact(things[0], "error") != nil {
		t.Fatalf("%+v", things)
	}
	if things := inspect([2]float64{2, 2.5}, 2*time.Second); len(things) != 0 {
		t.Fatalf("%+v", things)
	}
	things := inspect([2]float64{12, 2.5}, 2*time.Second)
	if len(things) != 1 {
		t.Fatalf("%+v", things)
	}
	if c := fact(things[0], "colors").([]format.InfoField)[1]; c.Value != (color.NRGBA{1, 2, 3, 4}) || c.Label != "top right" {
		t.Errorf("%+v", c)
	}
	move := fact(things[0], "positionEnvelope").([]format.InfoField)[3].Value.(format.Curve)
	x, y := move.Lines[0], move.Lines[1]
	if move.Unit != "pixels" || len(move.Points) != 3 || x.Name != "x" || len(x.Times) != len(x.Values) || !slices.IsSorted(x.Times) {
		t.Fatalf("%+v", move)
	}
	if i := slices.Index(x.Times, time.Second); i < 1 || x.Values[i-1] != 0 || x.Values[i] != 320 || x.Times[len(x.Times)-1] != 2*time.Second {
		t.Errorf("the step is not to be seen: %v", x)
	}
	if i := slices.Index(y.Times, 1500*time.Millisecond); i < 0 || math.Abs(y.Values[i]-160) > 0.01 || y.Values[i-1] > 150 {
		t.Errorf("the smooth curve is not: %v", y)
	}
}

// TestInspectNowhere tests that invalid places have no rectangle, and that damaged layers are described as far as
// they can be read.
func TestInspectNowhere(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	m := randomMap(r)
	m.Physics(twmap.KindFront).Tiles().Set(0, 1, twmap.Tile{ID: 9})
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	o := openAll(t, data)
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e20} {
		for _, look := range []format.Look{{Scale: 1}, {View: "camera", Scale: 32, Size: image.Pt(100, 100)},
			{View: "camera"}, {View: "camera", Scale: v, Origin: [2]float64{v, v}}} {
			if things, err := viewOf(o.Scene, look.View).Inspect(t.Context(), look, [2]float64{v, 1}); len(things) != 0 || err != nil {
				t.Errorf("%g: %d things, %v", v, len(things), err)
			}
		}
	}
	// Beyond the edge there is the tile at the edge.
	at, _ := viewOf(o.Scene, "").Inspect(t.Context(), format.Look{Scale: 1, Layers: []string{"Game/Front"}}, [2]float64{-5, 1.5})
	edge, _ := viewOf(o.Scene, "").Inspect(t.Context(), format.Look{Scale: 1, Layers: []string{"Game/Front"}}, [2]float64{0.5, 1.5})
	if at[0].Title != "Front: freeze" || fact(at[0], "cell") != fact(edge[0], "cell") || fact(at[0], "repeats") == nil ||
		fact(edge[0], "repeats") != nil {
		t.Errorf("%+v, %+v", at[0], edge[0])
	}
	game := &twmap.Part{Kind: twmap.PartLayer, Number: 0, Group: &twmap.Part{Kind: twmap.PartGroup, Number: 0}}
	nowhere := []check.Place{nil, (*twmap.Place)(nil), twmap.Place{}, game.Tile(5000, 0), game.Tile(0, 5000),
		game.Thing(twmap.ThingQuad, 0), check.Span{}, check.File("map.json"),
		(&twmap.Part{Kind: twmap.PartImage}).Whole(), (&twmap.Part{Kind: twmap.PartGroup, Number: 77}).Whole(),
		(&twmap.Part{Kind: twmap.PartLayer, Number: 77, Group: game.Group}).Whole(),
		check.Line{Path: "groups/Game/Game.txt", Line: 5000}, check.Line{Path: "settings.cfg", Line: 1}}
	for _, p := range nowhere {
		if where, ok := viewOf(o.Scene, "map").Where(t.Context(), p); ok {
			t.Errorf("%v is at %v", p, where)
		}
	}
	w, h := float64(m.Physics(twmap.KindGame).Width()), float64(m.Physics(twmap.KindGame).Height())
	tile := game.Tile(2, 1)
	row := check.Line{Path: "groups/Game/Game.txt", Line: 2}
	for _, c := range []struct {
		place check.Place
		want  format.Rect
	}{
		{tile, format.Rect{Min: [2]float64{2, 1}, Max: [2]float64{3, 2}}}, {&tile, format.Rect{Min: [2]float64{2, 1}, Max: [2]float64{3, 2}}},
		{row, format.Rect{Min: [2]float64{0, 1}, Max: [2]float64{w, 2}}}, {game.Whole(), format.Rect{Max: [2]float64{w, h}}},
		{game.Group.Whole(), format.Rect{Max: [2]float64{w, h}}}, {check.File("groups/Game/Game.json"), format.Rect{Max: [2]float64{w, h}}},
	} {
		if got, ok := viewOf(o.Scene, "map").Where(t.Context(), c.place); !ok || got != c.want {
			t.Errorf("%v is at %v, %v, want %v", c.place, got, ok, c.want)
		}
	}

	// A map with random damage.
	for range 60 {
		damaged := bytes.Clone(data)
		for range 1 + r.IntN(20) {
			damaged[100+r.IntN(len(damaged)-100)] = byte(r.IntN(256))
		}
		if r.IntN(4) == 0 {
			damaged = damaged[:len(damaged)-r.IntN(len(damaged)/2)]
		}
		s, err := Open(context.Background(), new(format.Job), format.NewSource("my.map", damaged), "")
		if err != nil {
			continue
		}
		for range 5 {
			things, err := viewOf(s, "").Inspect(t.Context(), format.Look{Scale: 1}, [2]float64{r.Float64() * 30, r.Float64() * 20})
			if err != nil {
				t.Fatal(err)
			}
			for _, thing := range things {
				viewOf(s, "map").Where(t.Context(), thing.Place)
				viewOf(s, "map").Where(t.Context(), thing.Line)
			}
		}
	}
}

// TestInspectDamaged tests that the existing cells of a truncated layer are described, and that the others have the
// reason why they are missing.
func TestInspectDamaged(t *testing.T) {
	m := twmap.New(30, 20)
	for x := range 30 * 20 {
		m.Physics(twmap.KindGame).Tiles().Set(x%30, x/30, twmap.Tile{ID: 1})
	}
	file, err := m.Datafile()
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range file.Data {
		if b.Size() == 30*20*4 {
			file.Data[i] = datafile.NewBlock(bytes.Repeat([]byte{1, 0, 0, 0}, 30*10))
		}
	}
	data, err := file.Encode()
	if err != nil {
		t.Fatal(err)
	}
	o := openAll(t, data)
	there, _ := viewOf(o.Scene, "").Inspect(t.Context(), format.Look{Scale: 1}, [2]float64{29.5, 9.5})
	gone, _ := viewOf(o.Scene, "").Inspect(t.Context(), format.Look{Scale: 1}, [2]float64{0.5, 10.5})
	if len(there) != 1 || fact(there[0], "cell") != "1" || fact(there[0], "error") == nil {
		t.Errorf("%+v", there)
	}
	if len(gone) != 1 || gone[0].Title != "Game: game" || fact(gone[0], "error") == nil || gone[0].Bytes.Len != 0 {
		t.Errorf("%+v", gone)
	}
	o.verify(t, there[0])
}

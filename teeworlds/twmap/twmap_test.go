package twmap_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/fault"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
	"trowel.example/trace"
)

func encode(t testing.TB, m *twmap.Map) []byte {
	t.Helper()
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func salvage(t testing.TB, data []byte) *twmap.Map {
	t.Helper()
	m, err := twmap.Salvage(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func decode(t testing.TB, data []byte) *twmap.Map {
	t.Helper()
	m, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// everything returns a map with every part that a map can have.
func everything() *twmap.Map {
	m := twmap.New(20, 10)
	m.Info = &twmap.Info{Author: "Ada", MapVersion: "1.0", Credits: "böse Zungen", License: "CC0",
		Settings: []string{"sv_hit 0", "tune_zone 1 gravity 0.2"}}
	picture := image.NewNRGBA(image.Rect(0, 0, 32, 16))
	picture.SetNRGBA(3, 4, color.NRGBA{1, 2, 3, 4})
	picture.SetNRGBA(4, 4, color.NRGBA{200, 100, 50, 0}) // an invisible colour
	m.Images = []*twmap.Image{twmap.NewImage("own", picture), twmap.NewExternalImage("grass_main", 1024, 1024)}
	m.Sounds = []*twmap.Sound{twmap.NewSound("wind", []byte("OggS, or so"))}
	m.Envelopes = []*twmap.Envelope{
		{Version: 2, Name: "pos", Channels: twmap.ChannelsPosition, Synchronized: true, Points: []twmap.EnvPoint{
			{Time: 0, Curve: twmap.CurveBezier, Values: [4]int32{0, 1024, 0}, Out: [4]twmap.Tangent{{100, 50}}},
			{Time: 1000, Curve: twmap.CurveSmooth, Values: [4]int32{2048, 0, 360 * 1024}, In: [4]twmap.Tangent{{-100, 0}}},
		}},
		{Version: 2, Name: "color", Channels: twmap.ChannelsColor, Points: []twmap.EnvPoint{{Curve: twmap.CurveLinear,
			Values: [4]int32{1024, 1024, 0, 512}}}},
		{Version: 2, Name: "a name of 31 bytes, which is all", Channels: twmap.ChannelsSound},
	}
	m.Envelopes[2].Name = m.Envelopes[2].Name[:31]

	game := m.Physics(twmap.KindGame)
	game.Tiles().Set(3, 9, twmap.Tile{ID: 192})
	for kind := twmap.KindFront; kind <= twmap.KindTune; kind++ {
		m.Groups[0].Layers = append(m.Groups[0].Layers, twmap.NewTileLayer(kind, 20, 10))
	}
	m.Physics(twmap.KindFront).Tiles().Set(0, 0, twmap.Tile{ID: 33})
	m.Physics(twmap.KindTele).Teles().Set(19, 9, twmap.TeleTile{Number: 7, ID: 26})
	m.Physics(twmap.KindSpeedup).Speedups().Set(1, 1, twmap.SpeedupTile{Force: 50, MaxSpeed: 3, ID: 28, Angle: -90})
	m.Physics(twmap.KindSwitch).Switches().Set(1, 2, twmap.SwitchTile{Number: 1, ID: 24, Flags: twmap.Rotate, Delay: 5})
	m.Physics(twmap.KindTune).Tunes().Set(2, 2, twmap.TuneTile{Number: 1, ID: 68})

	deco := twmap.NewTileLayer(twmap.KindTiles, 5, 4)
	deco.Name, deco.Flags = "deco", twmap.Detail
	deco.Image, deco.Color, deco.ColorEnv, deco.ColorEnvOffset = 1, twmap.Color{R: 10, G: 20, B: 30, A: 40}, 1, -50
	deco.AutoMapper = &twmap.AutoMapper{Config: 1, Seed: 99, Automatic: true}
	deco.Tiles().Set(4, 3, twmap.Tile{ID: 17, Flags: twmap.FlipX | twmap.Rotate})

	quads := twmap.NewQuadLayer(twmap.Quad{Points: [4]twmap.Point{{-1, -2}, {3, 4}, {5, 6}, {7, 8}}, Pivot: twmap.Point{X: 9, Y: 10},
		Colors: [4]twmap.Color{twmap.White, twmap.White, {R: 1}, {A: 2}}, Texture: [4]twmap.Point{{}, {1024, 0}, {0, 1024}, {1024, 1024}},
		PosEnv: 0, PosEnvOffset: 5, ColorEnv: -1})
	quads.Name, quads.Image = "quads", 0
	sounds := twmap.NewSoundLayer(
		twmap.SoundSource{Position: twmap.Point{X: 1, Y: 2}, Loop: true, Pan: true, Delay: 3, Falloff: 80, PosEnv: -1,
			SoundEnv: 2, Shape: twmap.ShapeCircle, Width: 500},
		twmap.SoundSource{PosEnv: 0, SoundEnv: -1, Shape: twmap.ShapeRectangle, Width: 10, Height: 20})
	sounds.Name, sounds.Sound = "sounds", 0
	m.Groups = append(m.Groups, &twmap.Group{Version: 3, Name: "Back", OffsetX: 7, ParallaxX: 50, ParallaxY: 40,
		Clip: &twmap.Clip{X: 1, Y: 2, Width: 300, Height: 400}, ParallaxZoom: &twmap.ParallaxZoom{Percent: 20},
		Layers: []twmap.Layer{deco, quads, sounds, twmap.NewQuadLayer()}})
	uuid := datafile.NameUUID("mapitemtype-of-nobody@example.org")
	m.Extras = []*twmap.Extra{{Type: 99, Data: []int32{5}}, {UUID: &uuid, ID: 3, Data: []int32{1, 2}}}
	return m
}

// summary returns everything in a map in a comparable form.
func summary(t testing.TB, m *twmap.Map) []string {
	t.Helper()
	var s []string
	add := func(format string, args ...any) { s = append(s, fmt.Sprintf(format, args...)) }
	if i := m.Info; i != nil {
		add("info %q %q %q %q %q", i.Author, i.MapVersion, i.Credits, i.License, i.Settings)
	}
	for _, im := range m.Images {
		p, err := im.Picture()
		if err != nil {
			t.Error(err)
		}
		add("image %q v%d external %v %dx%d variant %d", im.Name, im.Version, im.External(), im.Width(), im.Height(), im.Variant)
		if p != nil {
			add("pixels %x", p.Pix)
		}
	}
	for _, snd := range m.Sounds {
		opus, err := snd.Opus()
		add("sound %q %q %v", snd.Name, opus, err)
	}
	for _, e := range m.Envelopes {
		add("envelope %q %v sync %v %v", e.Name, e.Channels, e.Synchronized, e.Points)
	}
	for _, g := range m.Groups {
		add("group %q v%d %d %d %d %d", g.Name, g.Version, g.OffsetX, g.OffsetY, g.ParallaxX, g.ParallaxY)
		if g.Clip != nil {
			add("clip %v", *g.Clip)
		}
		if g.ParallaxZoom != nil {
			add("zoom %v", g.ParallaxZoom.Percent)
		}
		for _, l := range g.Layers {
			b := l.Base()
			switch l := l.(type) {
			case *twmap.TileLayer:
				if err := l.Load(); err != nil {
					t.Error(err)
				}
				add("%v layer %q %v v%d %dx%d %v %d %d %d", l.Kind(), b.Name, b.Flags, l.Version, l.Width(), l.Height(), l.Color,
					l.ColorEnv, l.ColorEnvOffset, l.Image)
				if a := l.AutoMapper; a != nil {
					add("automapper %d %d %v", a.Config, a.Seed, a.Automatic)
				}
				add("%s", cells(l))
			case *twmap.QuadLayer:
				q, err := l.Quads()
				add("quads %q %v v%d %d %v %v", b.Name, b.Flags, l.Version, l.Image, q, err)
			case *twmap.SoundLayer:
				src, err := l.Sources()
				add("sounds %q %v v%d %v %d %v %v", b.Name, b.Flags, l.Version, l.Deprecated, l.Sound, src, err)
			default:
				add("%T", l)
			}
		}
	}
	for _, e := range m.Extras {
		add("extra %d %v %d %v", e.Type, e.UUID, e.ID, e.Data)
	}
	return s
}

func cells(l *twmap.TileLayer) string {
	var v any
	switch l.Kind() {
	case twmap.KindTele:
		v, _ = l.Teles().Cells()
	case twmap.KindSpeedup:
		v, _ = l.Speedups().Cells()
	case twmap.KindSwitch:
		v, _ = l.Switches().Cells()
	case twmap.KindTune:
		v, _ = l.Tunes().Cells()
	default:
		v, _ = l.Tiles().Cells()
	}
	return fmt.Sprint(v)
}

func TestRoundTrip(t *testing.T) {
	m := everything()
	want := summary(t, m)
	data := encode(t, m)
	back := decode(t, data)
	if diff := cmp.Diff(want, summary(t, back)); diff != "" {
		t.Error(diff)
	}
	if again := encode(t, back); !bytes.Equal(again, data) {
		t.Error("decoded and encoded, the bytes differ")
	}
	if residues, err := back.Residues(); err != nil || residues.File != nil || len(residues.Of) > 0 {
		t.Errorf("a map of our own has residues: %+v, %v", residues, err)
	}
}

// TestContainers tests that maps are read from a datafile of version 3 and from one with the swapped magic number.
func TestContainers(t *testing.T) {
	data := encode(t, everything())
	want := summary(t, decode(t, data))
	for _, swapped := range []bool{false, true} {
		f, err := datafile.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		f.Version, f.Swapped = 3, swapped
		old, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		m := decode(t, old)
		if diff := cmp.Diff(want, summary(t, m)); diff != "" {
			t.Error(diff)
		}
		if !bytes.Equal(encode(t, m), old) {
			t.Error("version 3 encodes to other bytes")
		}
		m.Info.Author = "Bob"
		if changed := decode(t, encode(t, m)); changed.Source().Version != 3 || changed.Source().Swapped != swapped ||
			changed.Info.Author != "Bob" {
			t.Error("a change of a map in version 3 lost its container")
		}
		if again, err := m.EncodeVersion(4); err != nil || decode(t, again).Source().Version != 4 {
			t.Errorf("version 3 to 4: %v", err)
		}
	}
}

// TestChangeKeepsTheRest tests that a change of one part keeps the compressed bytes of all others.
func TestChangeKeepsTheRest(t *testing.T) {
	f, err := datafile.Decode(encode(t, everything()))
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range f.Data { // compressed as by another writer
		content, _ := b.Bytes()
		f.Data[i] = datafile.NewBlockLevel(content, 1)
	}
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	m := decode(t, data)
	m.Info.Settings = append(m.Info.Settings, "sv_deepfly 0")
	m.Physics(twmap.KindGame).Tiles().Set(0, 0, twmap.Tile{ID: 1})
	changed := decode(t, encode(t, m))
	different := 0
	for i, b := range changed.Source().Data {
		if !bytes.Equal(b.Stream(), m.Source().Data[i].Stream()) {
			different++
		}
	}
	if different != 2 {
		t.Errorf("%d data blocks differ, want the settings and the game layer", different)
	}
	if got := changed.Physics(twmap.KindGame).Tiles().At(0, 0).ID; got != 1 {
		t.Errorf("the tile is %d", got)
	}
	if got := changed.Info.Settings; len(got) != 3 || got[2] != "sv_deepfly 0" {
		t.Errorf("settings = %q", got)
	}
}

// TestTileLayerLengths tests that tile layers keep every length that was ever written.
func TestTileLayerLengths(t *testing.T) {
	for _, c := range []struct {
		version int32
		length  int
	}{{2, 15}, {2, 17}, {2, 18}, {2, 19}, {2, 20}, {3, 18}, {3, 22}, {3, 23}, {3, 25}, {4, 18}, {4, 23}} {
		m := twmap.New(3, 2)
		m.Physics(twmap.KindGame).Version = c.version
		m.Physics(twmap.KindGame).Tiles().Set(1, 1, twmap.Tile{ID: 1})
		f, err := m.Datafile()
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Items {
			if it := &f.Items[i]; it.Type == 5 {
				for len(it.Data) < c.length {
					it.Data = append(it.Data, -1)
				}
				it.Data = it.Data[:c.length]
				it.Data[0] = 0x1badbabe // garbage in an unused integer
			}
		}
		data, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back := decode(t, data)
		game := back.Physics(twmap.KindGame)
		if err := game.Load(); err != nil || game.Version != c.version || game.Tiles().At(1, 1).ID != 1 {
			t.Errorf("version %d, %d integers: %v, version %d, tile %v", c.version, c.length, err, game.Version, game.Tiles().At(1, 1))
		}
		if c.version >= 3 {
			game.Name = "x"
		}
		game.Tiles().Set(0, 0, twmap.Tile{ID: 2})
		for _, it := range decode(t, encode(t, back)).Source().All(5) {
			if len(it.Data) != c.length || it.Data[0] != 0x1badbabe {
				t.Errorf("version %d: %d integers %x came back, want %d", c.version, len(it.Data), it.Data[0], c.length)
			}
		}
	}
}

// TestVersion2Tele tests the old order of the references, in which the tele reference has the later position of the
// name.
func TestVersion2Tele(t *testing.T) {
	m := twmap.New(3, 2)
	tele := twmap.NewTileLayer(twmap.KindTele, 3, 2)
	tele.Version = 2
	tele.Teles().Set(2, 1, twmap.TeleTile{Number: 5, ID: 26})
	m.Groups[0].Layers = append(m.Groups[0].Layers, tele)
	data := encode(t, m)
	f, _ := datafile.Decode(data)
	for id, it := range f.All(5) {
		if id == 1 && (len(it.Data) != 20 || it.Data[15] < 0) {
			t.Errorf("tele layer of version 2: %v", it.Data)
		}
	}
	if got := decode(t, data).Physics(twmap.KindTele).Teles().At(2, 1); got != (twmap.TeleTile{Number: 5, ID: 26}) {
		t.Errorf("tile = %v", got)
	}
}

func TestPackedTiles(t *testing.T) {
	m := twmap.New(100, 30)
	game := m.Physics(twmap.KindGame)
	game.Version = 4
	for x := range 100 {
		game.Tiles().Set(x, 7, twmap.Tile{ID: uint8(x % 3), Flags: twmap.TileFlags(x % 2)})
	}
	back := decode(t, encode(t, m))
	want, _ := game.Tiles().Cells()
	got, err := back.Physics(twmap.KindGame).Tiles().Cells()
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("packed tiles differ, %v", err)
	}
	// Convert to the format of DDNet and back.
	back.Physics(twmap.KindGame).Version = 3
	plain := decode(t, encode(t, back))
	if got, err := plain.Physics(twmap.KindGame).Tiles().Cells(); err != nil || !slices.Equal(got, want) {
		t.Errorf("unpacked tiles differ, %v", err)
	}
	if n := plain.Source().Block(0).Size(); n != 100*30*4 {
		t.Errorf("unpacked data are %d bytes", n)
	}

	for _, c := range []struct {
		name string
		data []byte
		err  error
		n    int
	}{
		{"run past the end", []byte{1, 0, 255, 0}, nil, 6},
		{"too little", []byte{1, 0, 3, 0}, fault.ErrShort, 4},
		{"too much", []byte{1, 0, 5, 0, 1, 0, 0, 0}, fault.ErrFormat, 6},
	} {
		small := twmap.New(3, 2)
		small.Physics(twmap.KindGame).Version = 4
		f, _ := small.Datafile()
		f.Data[0] = datafile.NewBlock(c.data)
		data, _ := f.Encode()
		broken := decode(t, data)
		got, err := broken.Physics(twmap.KindGame).Tiles().Cells()
		if len(got) != c.n || !errors.Is(err, c.err) {
			t.Errorf("%s: %d tiles, %v", c.name, len(got), err)
		}
		if !bytes.Equal(encode(t, broken), data) {
			t.Errorf("%s: encodes to other bytes", c.name)
		}
	}
}

func TestDeprecatedSounds(t *testing.T) {
	m := twmap.New(2, 2)
	l := twmap.NewSoundLayer(twmap.SoundSource{Position: twmap.Point{X: 5, Y: 6}, Loop: true, Delay: 1, Pan: true,
		Shape: twmap.ShapeCircle, Width: 300, PosEnv: -1, SoundEnv: -1})
	l.Deprecated = true
	m.Groups = append(m.Groups, &twmap.Group{Version: 3, Layers: []twmap.Layer{l}})
	data := encode(t, m)
	back := decode(t, data)
	got := back.Groups[1].Layers[0].(*twmap.SoundLayer)
	want, _ := l.Sources()
	if s, err := got.Sources(); err != nil || !got.Deprecated || !slices.Equal(s, want) {
		t.Fatalf("sources = %+v, %v, deprecated %v", s, err, got.Deprecated)
	}
	if back.Source().Block(1).Size() != 36 {
		t.Errorf("a deprecated source takes %d bytes", back.Source().Block(1).Size())
	}
	if !bytes.Equal(encode(t, back), data) {
		t.Error("encodes to other bytes")
	}
	if err := got.Modernize(); err != nil {
		t.Fatal(err)
	}
	modern := decode(t, encode(t, back)).Groups[1].Layers[0].(*twmap.SoundLayer)
	if s, err := modern.Sources(); err != nil || modern.Deprecated || !slices.Equal(s, want) {
		t.Errorf("modern sources = %+v, %v, deprecated %v", s, err, modern.Deprecated)
	}
}

// TestBezierHomes tests both locations of tangents: in points of 88 bytes, and in a separate item.
func TestBezierHomes(t *testing.T) {
	for _, version := range []int32{2, 3} {
		m := everything()
		want := m.Envelopes[0].Points
		for _, e := range m.Envelopes {
			e.Version = version
		}
		back := decode(t, encode(t, m))
		if diff := cmp.Diff(want, back.Envelopes[0].Points); diff != "" {
			t.Errorf("version %d: %s", version, diff)
		}
		_, hasItem := back.Source().TypeOf(datafile.NameUUID("mapitemtype-envpoints-bezier@ddnet.tw"))
		if hasItem != (version == 2) {
			t.Errorf("version %d: has the item of tangents: %v", version, hasItem)
		}
	}
}

func TestEval(t *testing.T) {
	point := func(ms int32, c twmap.Curve, v int32) twmap.EnvPoint {
		return twmap.EnvPoint{Time: ms, Curve: c, Values: [4]int32{v * 1024}}
	}
	for _, c := range []struct {
		curve twmap.Curve
		want  [5]float64 // at 0, 250, 500, 750 and 1000 ms, from 0 to 64
	}{
		{twmap.CurveStep, [5]float64{0, 0, 0, 0, 64}}, // a point belongs to the curve that begins at it
		{twmap.CurveLinear, [5]float64{0, 16, 32, 48, 64}},
		{twmap.CurveSlow, [5]float64{0, 1, 8, 27, 64}},
		{twmap.CurveFast, [5]float64{0, 37, 56, 63, 64}},
		{twmap.CurveSmooth, [5]float64{0, 10, 32, 54, 64}},
		{twmap.CurveBezier, [5]float64{0, 16, 32, 48, 64}}, // no tangents: linear
		{twmap.Curve(527), [5]float64{0, 16, 32, 48, 64}},  // unknown: linear
	} {
		e := twmap.Envelope{Points: []twmap.EnvPoint{point(0, c.curve, 0), point(1000, c.curve, 64), point(3000, twmap.CurveStep, 64)}}
		for i, want := range c.want {
			if got := e.Eval(float64(250 * i))[0]; math.Abs(got-want) > 1e-9 {
				t.Errorf("%v at %d ms = %v, want %v", c.curve, 250*i, got, want)
			}
		}
		if again, want := e.Eval(3250)[0], c.want[1]; math.Abs(again-want) > 1e-9 {
			t.Errorf("%v starts again with %v at 250 ms, want %v", c.curve, again, want)
		}
		if before := e.Eval(-5)[0]; before != 64 {
			t.Errorf("%v before its first point = %v, want the last point's", c.curve, before)
		}
	}
	// Tangents of a third of the curve, flat: t(a) = 1000 a, v(a) = 64 (3a^2 - 2a^3).
	flat := twmap.Envelope{Points: []twmap.EnvPoint{point(0, twmap.CurveBezier, 0), point(999, twmap.CurveStep, 64)}}
	flat.Points[0].Out[0] = twmap.Tangent{DX: 333}
	flat.Points[1].In[0] = twmap.Tangent{DX: -333}
	for _, a := range []float64{0.1, 0.25, 0.5, 0.9} {
		if got, want := flat.Eval(999 * a)[0], 64*(3*a*a-2*a*a*a); math.Abs(got-want) > 1e-9 {
			t.Errorf("bezier at %v = %v, want %v", a, got, want)
		}
	}
	// Tangents that reach beyond the points are clamped to them.
	flat.Points[0].Out[0] = twmap.Tangent{DX: 5000, DY: 64 * 1024}
	if got := flat.Eval(998.9)[0]; got < 0 || got > 128 || math.IsNaN(got) {
		t.Errorf("bezier with a long handle = %v", got)
	}
	// Of two points at one time the later applies. Unordered points are found only where the binary search meets
	// them; the last point applies elsewhere.
	twice := twmap.Envelope{Points: []twmap.EnvPoint{point(0, twmap.CurveLinear, 0), point(100, twmap.CurveStep, 1),
		point(100, twmap.CurveStep, 2), point(200, twmap.CurveStep, 3)}}
	mixed := twmap.Envelope{Points: []twmap.EnvPoint{point(200, twmap.CurveStep, 1), point(100, twmap.CurveStep, 2),
		point(300, twmap.CurveStep, 3)}}
	past := twmap.Envelope{Points: []twmap.EnvPoint{point(-200, twmap.CurveStep, 1), point(-100, twmap.CurveStep, 2)}}
	for _, c := range []struct {
		e        *twmap.Envelope
		ms, want float64
	}{
		{&twice, 100, 2}, {&twice, 99, 0.99}, {&twice, 200, 0}, {&twice, -1, 3}, {&twice, -200, 0},
		{&mixed, 50, 3}, {&mixed, 150, 3}, {&mixed, 250, 2},
		{&past, -150, 2}, {&past, 50, 2},
	} {
		if got := c.e.Eval(c.ms)[0]; math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v at %v ms = %v, want %v", c.e.Points, c.ms, got, c.want)
		}
	}
	if got := (&twmap.Envelope{}).Eval(5); got != [4]float64{} {
		t.Errorf("an envelope without points gives %v", got)
	}
}

func TestConversions(t *testing.T) {
	m := decode(t, encode(t, everything()))
	lost := m.To07()
	if len(lost) == 0 {
		t.Error("nothing was lost on the way to 0.7")
	}
	back := decode(t, encode(t, m))
	for _, l := range back.Layers() {
		if l, ok := l.(*twmap.TileLayer); ok && (l.Version != 4 || l.Kind().Physics() && l.Kind() != twmap.KindGame) {
			t.Errorf("0.7 has a %v layer of version %d", l.Kind(), l.Version)
		}
	}
	if got := back.Physics(twmap.KindGame).Tiles().At(3, 9).ID; got != 192 {
		t.Errorf("the spawn became %d", got)
	}
	if len(back.Sounds)+len(back.Extras)+len(back.Info.Settings) > 0 || back.Envelopes[0].Version != 3 {
		t.Error("0.7 has things of DDNet")
	}
	if lost := back.Modernize(); len(lost) > 0 {
		t.Errorf("lost on the way to DDNet: %v", lost)
	}
	modern := decode(t, encode(t, back))
	if diff := cmp.Diff(summary(t, back), summary(t, modern)); diff != "" {
		t.Error(diff)
	}
	if modern.Physics(twmap.KindGame).Version != 3 || modern.Envelopes[0].Version != 2 {
		t.Error("not in the current versions")
	}
}

// TestTrace tests that a trace of a map names every integer of every item.
func TestTrace(t *testing.T) {
	data := encode(t, everything())
	paths := make(map[string]bool)
	covered := int64(0)
	err := twmap.Trace(data, func(f trace.Field) {
		paths[f.Space+"|"+f.Path] = true
		if f.Space == "" {
			covered += f.Len
		}
	}, func(loss string) { t.Error(loss) })
	if err != nil || covered != int64(len(data)) {
		t.Errorf("traced %d of %d bytes, %v", covered, len(data), err)
	}
	for _, want := range []string{"|header.swaplen", "|items[0].version", "|items[2].external", "data[0]|data[0].text[0]", "|data[0]"} {
		if !paths[want] {
			t.Errorf("no field %s", want)
		}
	}
}

func TestNotAMap(t *testing.T) {
	f := datafile.New()
	f.Data = []*datafile.Block{datafile.NewBlock(make([]byte, 2<<20))}
	f.AddItem(0x8001, 0, 1, 2)
	f.AddItem(2, 0, 1, 8, 8, 0, 0, 0) // an image, if this were a map, whose name would be too long
	data, _ := f.Encode()
	if _, err := twmap.Decode(data); !errors.Is(err, twmap.ErrNoVersion) || errors.Is(err, fault.ErrLimit) || twmap.Recognize(data) {
		t.Errorf("error = %v, Recognize = %v", err, twmap.Recognize(data))
	}
	if m := encode(t, twmap.New(2, 2)); !twmap.Recognize(m) {
		t.Error("a map is not recognised")
	}
}

func FuzzDecode(f *testing.F) {
	for _, m := range []*twmap.Map{everything(), twmap.New(3, 2)} {
		f.Add(encode(f, m))
		m.To07()
		f.Add(encode(f, m))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := twmap.Decode(data)
		if err != nil {
			return
		}
		if out, err := m.Encode(); err != nil || !bytes.Equal(out, data) {
			t.Fatalf("encodes to other bytes, %v", err)
		}
		if _, err := m.Residues(); err != nil {
			t.Fatalf("residues: %v", err)
		}
		for _, e := range m.Envelopes {
			e.Eval(500)
		}
		if err := twmap.Trace(data, func(trace.Field) {}, func(string) {}); err != nil {
			t.Fatalf("trace: %v", err)
		}
	})
}

func Example() {
	m := twmap.New(50, 30)
	m.Info.Author = "Ada"
	game := m.Physics(twmap.KindGame)
	for x := range game.Width() {
		game.Tiles().Set(x, game.Height()-1, twmap.Tile{ID: 1}) // a floor
	}
	data, err := m.Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	back, err := twmap.Decode(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(back.Info.Author, back.Physics(twmap.KindGame).Tiles().At(7, 29).ID)
	// Output: Ada 1
}

// TestCellsOf2010 tests that the cells of 2010 are read, that cleaning the map converts them to the current form, and
// that they keep their bytes until then.
func TestCellsOf2010(t *testing.T) {
	m := twmap.New(2, 2)
	for _, kind := range []twmap.Kind{twmap.KindSpeedup, twmap.KindSwitch} {
		m.Groups[0].Layers = append(m.Groups[0].Layers, twmap.NewTileLayer(kind, 2, 2))
	}
	f, err := m.Datafile()
	if err != nil {
		t.Fatal(err)
	}
	f.Data[2] = datafile.NewBlock([]byte{0, 0, 0, 0, 50, 0, 90, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Data[4] = datafile.NewBlock([]byte{0, 0, 0, 0, 3, 24, 0, 0})
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	old := decode(t, data)
	for range 2 {
		if got, want := old.Physics(twmap.KindSpeedup).Speedups().At(1, 0), (twmap.SpeedupTile{Force: 50, ID: 28, Angle: 90}); got != want {
			t.Errorf("speedup = %v, want %v", got, want)
		}
		if got, want := old.Physics(twmap.KindSwitch).Switches().At(0, 1), (twmap.SwitchTile{Number: 3, ID: 24}); got != want {
			t.Errorf("switch = %v, want %v", got, want)
		}
		if old.Source().Block(4).Size() == 8 {
			if err := old.Physics(twmap.KindSwitch).Load(); !errors.Is(err, fault.ErrVersion) {
				t.Errorf("Load = %v, want ErrVersion", err)
			}
			if !bytes.Equal(encode(t, old), data) {
				t.Error("encodes to other bytes")
			}
			if got, want := old.Physics(twmap.KindSwitch).Stored(0, 1), (twmap.Stored{Block: 4, Offset: 4, Len: 2}); got != want {
				t.Errorf("a switch is stored at %v, want %v", got, want)
			}
			if got, want := old.Physics(twmap.KindSpeedup).Stored(1, 0), (twmap.Stored{Block: 2, Offset: 4, Len: 4}); got != want {
				t.Errorf("a speedup is stored at %v, want %v", got, want)
			}
			old.Clean()
			old = decode(t, encode(t, old))
		}
	}
	if size := old.Source().Block(4).Size(); size != 16 {
		t.Errorf("switch cells take %d bytes, want 16", size)
	}
}

package twmap_test

import (
	"bytes"
	"image"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

// panics returns what f panics with, or "" if it does not panic.
func panics(f func()) (message string) {
	defer func() {
		if r := recover(); r != nil {
			message = r.(string)
		}
	}()
	f()
	return ""
}

// TestGridBounds tests that coordinates outside of a grid do not select another cell.
func TestGridBounds(t *testing.T) {
	g := twmap.NewGrid[twmap.Tile](3, 2)
	for _, at := range [][2]int{{3, 0}, {-1, 1}, {0, 2}, {0, -1}, {2, 2}, {6, 0}} {
		message := panics(func() { g.Set(at[0], at[1], twmap.Tile{ID: 1}) })
		if !strings.Contains(message, "in 3 x 2") {
			t.Errorf("Set at %v panics with %q", at, message)
		}
		if got := g.At(at[0], at[1]); got.ID != 0 {
			t.Errorf("At %v = %v", at, got)
		}
	}
	if cells, err := g.Cells(); err != nil || bytes.Contains([]byte{cells[0].ID, cells[3].ID, cells[5].ID}, []byte{1}) {
		t.Errorf("cells = %v, %v", cells, err)
	}
	for _, size := range [][2]int{{0, 1}, {1, 0}, {-1, -1}, {twmap.MaxCells, 2}, {math.MaxInt, math.MaxInt}} {
		for name, f := range map[string]func(){
			"NewGrid":      func() { twmap.NewGrid[twmap.TeleTile](size[0], size[1]) },
			"NewTileLayer": func() { twmap.NewTileLayer(twmap.KindGame, size[0], size[1]) },
			"Resize":       func() { g.Resize(size[0], size[1]) },
		} {
			if message := panics(f); !strings.Contains(message, "expected at least 1 x 1") {
				t.Errorf("%s of %v panics with %q", name, size, message)
			}
		}
	}
	if panics(func() { twmap.NewGridOf(1, 1, make([]twmap.Tile, 2)) }) == "" {
		t.Error("two cells in a grid of one")
	}
}

// TestResizeAndSetKind tests that a layer that was read, made smaller, then larger, and changed to another kind
// equals the layer of a new map.
func TestResizeAndSetKind(t *testing.T) {
	kinds := []twmap.Kind{twmap.KindTiles, twmap.KindGame, twmap.KindFront, twmap.KindTele, twmap.KindSpeedup,
		twmap.KindSwitch, twmap.KindTune}
	for _, version := range []int32{3, 4} {
		for _, from := range kinds {
			for _, to := range kinds {
				m := twmap.New(5, 5)
				l := twmap.NewTileLayer(from, 5, 4)
				m.Groups[0].Layers = append(m.Groups[0].Layers, l)
				l.Name, l.Version = "L", version
				if g := l.Tiles(); g != nil {
					g.Set(2, 1, twmap.Tile{ID: 7})
				} else if g := l.Teles(); g != nil {
					g.Set(2, 1, twmap.TeleTile{ID: 7})
				}
				m = decode(t, encode(t, m))
				l = m.Groups[0].Layers[1].(*twmap.TileLayer)
				l.Resize(4, 6)
				l.SetKind(to)
				want := twmap.New(5, 5)
				w := twmap.NewTileLayer(to, 4, 6)
				w.Name, w.Version = "L", version
				switch {
				case w.Tiles() != nil && from <= twmap.KindFront:
					w.Tiles().Set(2, 1, twmap.Tile{ID: 7})
				case from == to && to == twmap.KindTele:
					w.Teles().Set(2, 1, twmap.TeleTile{ID: 7})
				}
				want.Groups[0].Layers = append(want.Groups[0].Layers, w)
				if !m.Equal(want) {
					t.Errorf("%v to %v: not equal", from, to)
				}
				got := encode(t, m)
				if !bytes.Equal(got, encode(t, want)) {
					t.Errorf("%v to %v, version %d: other bytes than those of a new layer", from, to, version)
				}
				if back := decode(t, got).Groups[0].Layers[1].(*twmap.TileLayer); back.Kind() != to || back.Width() != 4 ||
					back.Height() != 6 || back.Load() != nil {
					t.Errorf("%v to %v: came back as %v, %d x %d, %v", from, to, back.Kind(), back.Width(), back.Height(), back.Load())
				}
			}
		}
	}
	if panics(func() { twmap.NewTileLayerOf(twmap.KindTele, twmap.NewGrid[twmap.Tile](1, 1)) }) == "" {
		t.Error("a tele layer of tiles")
	}
	if panics(func() { twmap.NewTileLayer(99, 1, 1) }) == "" {
		t.Error("a layer of kind 99")
	}
}

// TestSetCells tests that a layer writes a grid that another layer read, whatever its own block was.
func TestSetCells(t *testing.T) {
	m := playable()
	deco(m).Tiles().Set(0, 0, twmap.Tile{ID: 1})
	deco(m).Tiles().Set(0, 0, twmap.Tile{ID: 2})
	m = decode(t, encode(t, m))
	a, b := m.Groups[1].Layers[0].(*twmap.TileLayer), m.Groups[2].Layers[0].(*twmap.TileLayer)
	b.SetCells(twmap.KindTiles, a.Tiles())
	m = decode(t, encode(t, m))
	if got := m.Groups[2].Layers[0].(*twmap.TileLayer).Tiles().At(0, 0).ID; got != 1 {
		t.Errorf("the tile is %d", got)
	}
}

// edits change something in each part of everything().
var edits = map[string]func(m *twmap.Map){
	"author":  func(m *twmap.Map) { m.Info.Author += "x" },
	"setting": func(m *twmap.Map) { m.Info.Settings[0] = "x" },
	"image":   func(m *twmap.Map) { m.Images[0].Name += "x" },
	"picture": func(m *twmap.Map) { m.Images[0].SetPicture(image.NewNRGBA(image.Rect(0, 0, 3, 5))) },
	"sound":   func(m *twmap.Map) { m.Sounds[0].SetOpus([]byte("other")) },
	"point":   func(m *twmap.Map) { m.Envelopes[0].Points[0].Values[0]++ },
	"group":   func(m *twmap.Map) { m.Groups[0].OffsetX++ },
	"layer":   func(m *twmap.Map) { m.Groups[0].Layers[0].Base().Name = "x" },
	"tile":    func(m *twmap.Map) { m.Physics(twmap.KindGame).Tiles().Set(1, 1, twmap.Tile{ID: 99}) },
	"size":    func(m *twmap.Map) { m.Physics(twmap.KindFront).Resize(7, 7) },
	"kind":    func(m *twmap.Map) { m.Physics(twmap.KindTune).SetKind(twmap.KindSwitch) },
	"quads": func(m *twmap.Map) {
		each(m, func(l *twmap.QuadLayer) { l.SetQuads([]twmap.Quad{twmap.NewQuad(0, 0, 9, 9)}) })
	},
	"sources":     func(m *twmap.Map) { each(m, func(l *twmap.SoundLayer) { l.SetSources(nil) }) },
	"less layers": func(m *twmap.Map) { m.Groups[0].Layers = m.Groups[0].Layers[:1] },
}

func each[L twmap.Layer](m *twmap.Map, f func(L)) {
	for _, l := range m.Layers() {
		if l, ok := l.(L); ok {
			f(l)
		}
	}
}

// TestCloneAndEqual tests that a clone is equal to its map and encodes to identical bytes, and that edits of one do
// not affect the other, whether anything was read before or not.
func TestCloneAndEqual(t *testing.T) {
	data := encode(t, everything())
	for name, edit := range edits {
		for _, loaded := range []bool{false, true} {
			for _, changed := range []bool{false, true} {
				m := decode(t, data)
				if changed { // a model that was not read from a file
					m = everything()
				}
				if loaded {
					m.Load()
				}
				before := encode(t, m)
				c := m.Clone()
				if !c.Equal(m) || !bytes.Equal(encode(t, c), before) {
					t.Fatalf("a clone differs")
				}
				edit(c)
				if c.Equal(m) || m.Equal(c) {
					t.Errorf("%s: equal after the edit", name)
				}
				if !bytes.Equal(encode(t, m), before) {
					t.Errorf("%s: the edit of a clone changes the map", name)
				}
				if back := decode(t, encode(t, c)); !back.Equal(c) {
					t.Errorf("%s: does not round-trip", name)
				}
			}
		}
	}
}

// odd returns everything() in an unusual form: items that are too long and too short, an unknown item, garbage,
// another order of data blocks, a block without a reference, a broken block.
func odd(t *testing.T) []byte {
	f, err := datafile.Decode(encode(t, everything()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Items {
		it := &f.Items[i]
		switch {
		case it.Type == 5: // a layer
			it.Data[0] = 77
		case it.Type == 4 && it.ID == 0: // a group
			it.Data = it.Data[:12]
		case it.Type == 2: // an image
			it.Data = append(it.Data, 1, 2, 3)
		}
	}
	f.AddItem(99, 7, 1, 2, 3)
	f.AddData([]byte("nobody's"))
	f.Data[0] = datafile.NewBlockStream([]byte("no zlib"), 7)
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestEncodeLeavesTheModel tests that Encode and Residues do not modify the map: both may run concurrently with each
// other and with readers, and encoding twice gives identical bytes. The race detector finds writes.
func TestEncodeLeavesTheModel(t *testing.T) {
	data := encode(t, everything())
	models := map[string]func() *twmap.Map{
		"new":  everything,
		"read": func() *twmap.Map { return decode(t, data) },
		"odd":  func() *twmap.Map { return salvage(t, odd(t)) },
		"with residues of another": func() *twmap.Map {
			m := salvage(t, odd(t))
			r, err := m.Residues()
			if err != nil {
				t.Fatal(err)
			}
			m.SetResidues(r)
			return m
		},
	}
	for name, edit := range edits {
		models["read, and another "+name] = func() *twmap.Map {
			m := decode(t, data)
			edit(m)
			return m
		}
	}
	for name, model := range models {
		m, before := model(), model()
		m.Load()
		before.Load()
		want := encode(t, m)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if got, err := m.Encode(); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s: %v, or other bytes", name, err)
				}
			})
			wg.Go(func() {
				if _, err := m.Residues(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
			wg.Go(func() { m.Equal(before) })
		}
		wg.Wait()
		// Blocks may have been inflated, and their contents may have been read.
		everyField := cmp.Exporter(func(reflect.Type) bool { return true })
		if diff := cmp.Diff(before, m, everyField, cmpopts.IgnoreTypes(datafile.Block{}, sync.Mutex{}, sync.Once{}),
			cmp.Comparer(func(a, b func() datafile.Content) bool { return (a == nil) == (b == nil) })); diff != "" {
			t.Errorf("%s: Encode or Residues changed the map:\n%s", name, diff)
		}
	}
}

// TestEncodeValidates tests that anything that the file format has no room for gives an error that names the part,
// and no panic.
func TestEncodeValidates(t *testing.T) {
	long := strings.Repeat("x", 12)
	for _, c := range []struct {
		edit func(m *twmap.Map)
		want string
	}{
		{func(m *twmap.Map) { m.Info.Author = "a\x00b" }, `info.author: "a\x00b" has a NUL`},
		{func(m *twmap.Map) { m.Info.Settings[0] = "\xff" }, `info.settings[0]: "\xff" is not UTF-8`},
		{func(m *twmap.Map) { m.Info.License = strings.Repeat("x", 1<<20) }, "info.license: 1,048,576 bytes: expected less than 1,048,576"},
		{func(m *twmap.Map) { m.Groups[0].Name = long }, `groups[0]: the name "xxxxxxxxxxxx" has 12 bytes: expected at most 11`},
		{func(m *twmap.Map) { m.Groups[0].Layers[1].Base().Name = long },
			`groups[0].layers[1]: the name "xxxxxxxxxxxx" has 12 bytes: expected at most 11`},
		{func(m *twmap.Map) { m.Envelopes[0].Name = strings.Repeat("x", 32) },
			`envelopes[0]: the name "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" has 32 bytes: expected at most 31`},
		{func(m *twmap.Map) { m.Images[0] = nil }, "images[0]: the part is nil"},
		{func(m *twmap.Map) { m.Sounds[0] = nil }, "sounds[0]: the part is nil"},
		{func(m *twmap.Map) { m.Envelopes[0] = nil }, "envelopes[0]: the part is nil"},
		{func(m *twmap.Map) { m.Groups[0] = nil }, "groups[0]: the part is nil"},
		{func(m *twmap.Map) { m.Groups[0].Layers[0] = nil }, "groups[0].layers[0]: the part is nil"},
		{func(m *twmap.Map) { m.Groups[0].Layers[0] = (*twmap.QuadLayer)(nil) }, "groups[0].layers[0]: the part is nil"},
		{func(m *twmap.Map) { m.Orphans = []twmap.Layer{nil} }, "orphans[0]: the part is nil"},
		{func(m *twmap.Map) { m.Groups[0].Layers[0] = &twmap.TileLayer{} },
			"groups[0].layers[0]: the layer has no cells: NewTileLayer makes one with them"},
		{func(m *twmap.Map) { m.Groups[0].Version = 2 }, "groups[0]: version 2 has no name: expected 3 or more"},
		{func(m *twmap.Map) { m.Groups[0].Version, m.Groups[0].Name, m.Groups[0].Clip = 1, "", &twmap.Clip{} },
			"groups[0]: version 1 has no clip: expected 2 or more"},
		{func(m *twmap.Map) { l := m.Groups[0].Layers[0].(*twmap.TileLayer); l.Version, l.Name = 2, "x" },
			"groups[0].layers[0]: version 2 has no name: expected 3 or more"},
		{func(m *twmap.Map) { m.Envelopes[0].Version, m.Envelopes[0].Synchronized = 1, false },
			"envelopes[0]: version 1 has no clock of each player: expected 2 or more"},
		{func(m *twmap.Map) { m.Images[0].Version, m.Images[0].Variant = 1, -1 }, "images[0]: version 1 has no variant: expected 2 or more"},
		{func(m *twmap.Map) {
			m.Orphans = []twmap.Layer{&twmap.UnknownLayer{LayerBase: twmap.LayerBase{Name: "x"}, Type: 77}}
		}, "orphans[0]: a layer of type 77 has no name"},
		{func(m *twmap.Map) {
			l := twmap.NewTileLayer(twmap.KindTiles, 2, 2)
			l.AutoMapper = &twmap.AutoMapper{}
			m.Orphans = []twmap.Layer{l}
		}, "orphans[0]: an automapper needs a group to identify its layer, and this layer has none"},
		{func(m *twmap.Map) {
			l := twmap.NewSoundLayer(twmap.NewSoundSource(1, 2, 3), twmap.SoundSource{})
			l.Deprecated = true
			m.Orphans = []twmap.Layer{l}
		}, "orphans[0]: source 1 is not a panning circle without falloff: a deprecated layer cannot hold it"},
		{func(m *twmap.Map) { m.Images[0].SetPicture(picture(0, 2)) },
			"images[0]: the picture has 0 x 2 pixels: expected at least 1 x 1 and at most 268435456 in all"},
	} {
		for _, m := range []*twmap.Map{everything(), decode(t, encode(t, everything()))} {
			c.edit(m)
			if _, err := m.Encode(); err == nil || err.Error() != c.want {
				t.Errorf("Encode: %v, want %s", err, c.want)
			}
			if m.Equal(m) {
				t.Errorf("equal although %s", c.want)
			}
		}
	}
}

// TestNoVersion tests that parts without a version are written in the usual version without a loss, and that a part
// that was read without a version keeps it that way.
func TestNoVersion(t *testing.T) {
	m := &twmap.Map{
		Images:    []*twmap.Image{{Name: "picture"}},
		Sounds:    []*twmap.Sound{{Name: "sound"}},
		Envelopes: []*twmap.Envelope{{Name: "envelope", Channels: twmap.ChannelsSound}},
		Groups: []*twmap.Group{{Name: "group", Clip: &twmap.Clip{Width: 1}, Layers: []twmap.Layer{
			&twmap.QuadLayer{LayerBase: twmap.LayerBase{Name: "quads"}}, &twmap.SoundLayer{LayerBase: twmap.LayerBase{Name: "sounds"}},
		}}},
	}
	back := decode(t, encode(t, m))
	if !back.Equal(m) {
		t.Error("it does not round-trip")
	}
	g := back.Groups[0]
	for what, version := range map[string]int32{"map": back.Version, "image": back.Images[0].Version, "sound": back.Sounds[0].Version} {
		if version != 1 {
			t.Errorf("%s: version %d", what, version)
		}
	}
	if g.Name != "group" || g.Clip == nil || g.Version != 3 || g.Layers[0].Base().Name != "quads" ||
		g.Layers[0].(*twmap.QuadLayer).Version != 2 || g.Layers[1].(*twmap.SoundLayer).Version != 2 {
		t.Errorf("group = %+v", g)
	}
	if e := back.Envelopes[0]; e.Version != 2 || e.Synchronized || e.Name != "envelope" {
		t.Errorf("envelope = %+v", e)
	}

	f, err := datafile.Decode(encode(t, m))
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Items {
		it := &f.Items[i]
		switch it.Type {
		case 5: // a layer
			it.Data[3] = 0
		case 0, 2, 3, 4, 7:
			it.Data[0] = 0
		}
	}
	odd, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	m = decode(t, odd)
	if m.Version != 0 || m.Groups[0].Version != 0 || m.Groups[0].Name != "" {
		t.Errorf("read as %+v", m.Groups[0])
	}
	m.Groups[0].OffsetX = 5
	again := decode(t, encode(t, m))
	if g := again.Groups[0]; g.Version != 0 || g.OffsetX != 5 || again.Version != 0 || again.Envelopes[0].Version != 0 {
		t.Errorf("came back as %+v", g)
	}
}

// TestConstructors tests that constructors make parts without envelopes.
func TestConstructors(t *testing.T) {
	q := twmap.NewQuad(32, 64, 10, 20)
	if q.PosEnv != -1 || q.ColorEnv != -1 || q.Points[3] != (twmap.Point{X: 42 << 10, Y: 84 << 10}) ||
		q.Pivot != (twmap.Point{X: 37 << 10, Y: 74 << 10}) || q.Colors[2] != twmap.White ||
		q.Texture[3] != (twmap.Point{X: 1024, Y: 1024}) {
		t.Errorf("quad = %+v", q)
	}
	if s := twmap.NewSoundSource(1, 2, 3); s.PosEnv != -1 || s.SoundEnv != -1 || s.Width != 3 ||
		s.Position != (twmap.Point{X: 1 << 10, Y: 2 << 10}) {
		t.Errorf("source = %+v", s)
	}
	m := playable()
	m.Images = append(m.Images, twmap.NewExternalImage("jungle_doodads", 1024, 512))
	l := twmap.NewQuadLayer(q)
	l.Image = 0
	m.Envelopes = append(m.Envelopes, twmap.NewEnvelope("Glow", twmap.ChannelsColor, twmap.EnvPoint{},
		twmap.EnvPoint{Time: 1000, Curve: twmap.CurveLinear, Values: [4]int32{1024, 1024, 1024, 1024}}))
	tiles := twmap.NewTileLayer(twmap.KindTiles, 3, 3)
	tiles.ColorEnv = 0
	m.Groups = append(m.Groups, twmap.NewGroup("Deco", l, tiles))
	if _, all := findings(decode(t, encode(t, m))); len(all) > 0 {
		t.Errorf("found %v", all)
	}
}

// TestAt tests that the cells of every kind of tile layer can be read in the same way.
func TestAt(t *testing.T) {
	tele, speedup := twmap.NewTileLayer(twmap.KindTele, 4, 3), twmap.NewTileLayer(twmap.KindSpeedup, 4, 3)
	change, tune := twmap.NewTileLayer(twmap.KindSwitch, 4, 3), twmap.NewTileLayer(twmap.KindTune, 4, 3)
	tele.Teles().Set(1, 2, twmap.TeleTile{Number: 9, ID: 26})
	speedup.Speedups().Set(1, 2, twmap.SpeedupTile{Force: 9, ID: 28})
	change.Switches().Set(1, 2, twmap.SwitchTile{Number: 9, ID: 22, Flags: twmap.FlipX})
	tune.Tunes().Set(1, 2, twmap.TuneTile{Number: 9, ID: 68})
	layers := map[*twmap.TileLayer]twmap.Tile{
		tele: {ID: 26}, speedup: {ID: 28}, change: {ID: 22, Flags: twmap.FlipX}, tune: {ID: 68}, {}: {},
	}
	for _, kind := range []twmap.Kind{twmap.KindTiles, twmap.KindGame, twmap.KindFront, twmap.KindEntities, twmap.KindZones} {
		l := twmap.NewTileLayer(kind, 4, 3)
		l.Tiles().Set(1, 2, twmap.Tile{ID: 3, Flags: twmap.Rotate})
		layers[l] = twmap.Tile{ID: 3, Flags: twmap.Rotate}
	}
	for l, want := range layers {
		for y := -1; y <= 3; y++ {
			for x := -1; x <= 4; x++ {
				if got := l.At(x, y); x == 1 && y == 2 && got != want || (x != 1 || y != 2) && got != (twmap.Tile{}) {
					t.Errorf("%v at %d,%d: %v", l.Kind(), x, y, got)
				}
			}
		}
	}
}

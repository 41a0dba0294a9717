package twmap_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

// only checks a map and returns its single finding.
func only(t *testing.T, m *twmap.Map, id string) check.Finding {
	t.Helper()
	_, all := findings(m)
	if len(all) != 1 || all[0].ID != id {
		t.Fatalf("found %v, expected one %s", all, id)
	}
	return all[0]
}

// TestPlaces tests that every place is data for programs, with the numbers and names of its parts.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		id   string
		edit func(*twmap.Map)
		raw  func(*datafile.File)
		at   string // as JSON
		text string // of the first place
	}{
		{"tw-map-tile-invalid", func(m *twmap.Map) {
			game := m.Physics(twmap.KindGame).Tiles()
			game.Set(1, 2, twmap.Tile{ID: 26})
			game.Set(9, 3, twmap.Tile{ID: 26})
		}, nil, `[{"group":{"number":0,"name":"Game"},"layer":{"number":0,"name":"Game"},"x":1,"y":2},{"group":{"number":0,` +
			`"name":"Game"},"layer":{"number":0,"name":"Game"},"x":9,"y":3}]`, "1,2"},
		{"tw-map-tile-invalid", func(m *twmap.Map) { m.Physics(twmap.KindGame).Tiles().Set(0, 0, twmap.Tile{ID: 26}) }, nil,
			`[{"group":{"number":0,"name":"Game"},"layer":{"number":0,"name":"Game"},"x":0,"y":0}]`, "0,0"},
		{"tw-map-envelope-missing", func(m *twmap.Map) {
			l := twmap.NewQuadLayer(twmap.Quad{PosEnv: -1, ColorEnv: -1}, twmap.Quad{PosEnv: 3, ColorEnv: -1})
			l.Name = "Sun"
			second(m, l).Name = "Sky"
		}, nil, `[{"group":{"number":1,"name":"Sky"},"layer":{"number":0,"name":"Sun"},"quad":1}]`, "quad 1"},
		{"tw-map-sound-source", func(m *twmap.Map) {
			s := source()
			s.Shape = 7
			withSound(m, twmap.NewSound("a", opus()), s)
		}, nil, `[{"group":{"number":1,"name":""},"layer":{"number":0,"name":""},"source":0}]`, "source 0"},
		{"tw-map-envelope-curve", func(m *twmap.Map) {
			withEnvelope(m, twmap.EnvPoint{}, twmap.EnvPoint{Time: 1, Curve: 9}).Name = "day"
		}, nil, `[{"envelope":{"number":0,"name":"day"},"point":1}]`, "point 1"},
		{"tw-map-image-external", func(m *twmap.Map) { withImage(m, twmap.NewExternalImage("grass", 16, 16)) }, nil,
			`[{"image":{"number":0,"name":"grass"}}]`, `images[0] "grass"`},
		{"tw-map-sound-external", func(m *twmap.Map) {
			withSound(m, twmap.NewSound("wind", nil), source())
			m.Sounds[0].SetExternal()
		}, nil,
			`[{"sound":{"number":0,"name":"wind"}}]`, `sounds[0] "wind"`},
		{"tw-map-setting-refused", settings("sv_hit 1", "sv_motd hello"), nil,
			`[{"setting":{"number":1,"name":"sv_motd hello"}}]`, `info.settings[1] "sv_motd hello"`},
		{"tw-map-game-offset", func(m *twmap.Map) { m.Groups[0].OffsetX = 1 }, nil, `[{"group":{"number":0,"name":"Game"}}]`, `groups[0] "Game"`},
		{"tw-map-layer-color", func(m *twmap.Map) { deco(m).Color.R = 300 }, nil,
			`[{"group":{"number":1,"name":""},"layer":{"number":0,"name":""}}]`, "groups[1].layers[0]"},
		{"tw-map-layer-orphan", func(m *twmap.Map) { m.Orphans = []twmap.Layer{twmap.NewQuadLayer()} }, nil,
			`[{"layer":{"number":0,"name":""}}]`, "orphans[0]"},
		{"tw-map-item-unknown", nil, func(f *datafile.File) { f.AddItem(100, 0, 1); f.AddItem(101, 0, 1) },
			`[{"extra":{"number":0,"name":"item of type 100"}},{"extra":{"number":1,"name":"item of type 101"}}]`, `extras[0] "item of type 100"`},
	} {
		t.Run(c.id, func(t *testing.T) {
			m := playable()
			if c.edit != nil {
				c.edit(m)
			}
			if c.raw != nil {
				m = mangled(t, m, c.raw)
			}
			f := only(t, m, c.id)
			got, err := json.Marshal(f.At)
			if err != nil || string(got) != c.at {
				t.Errorf("at = %s, %v, expected %s", got, err, c.at)
			}
			if text := f.At[0].String(); text != c.text {
				t.Errorf("the first place is %q, expected %q", text, c.text)
			}
		})
	}
}

// TestCheckFolds tests that problems that occur often in a map are reported once.
func TestCheckFolds(t *testing.T) {
	m := playable()
	for i := range 20 {
		second(m, twmap.NewQuadLayer(twmap.Quad{PosEnv: -2, ColorEnv: -3},
			twmap.Quad{PosEnv: -1, ColorEnv: -2})).ParallaxZoom = &twmap.ParallaxZoom{Percent: int32(i)}
	}
	m.Info.Settings = []string{"sv_hide_kog_timer 1", "plot_size 3", "plot_size 4", "sv_hide_kog_timer 0"}
	m = mangled(t, m, func(f *datafile.File) {
		for i := range 20 {
			items(f, itemLayer)[i+1].Data = append(item(f, itemLayer, i+1), 7)
		}
	})
	_, all := findings(m)
	want := []string{
		`20 items with surplus integers: layers[1] layers[2] layers[3] layers[4] layers[5] layers[6] layers[7] layers[8] ...`,
		`4 settings that DDNet does not have, as other servers do: sv_hide_kog_timer plot_size`,
		`20 groups with a parallax zoom: groups[1] groups[2] groups[3] groups[4] groups[5] groups[6] groups[7] groups[8] ...`,
		`60 references to an envelope by a number below -1: groups[1].layers[0] groups[2].layers[0] groups[3].layers[0] ` +
			`groups[4].layers[0] groups[5].layers[0] groups[6].layers[0] groups[7].layers[0] groups[8].layers[0] ...`,
	}
	var got []string
	for _, f := range all {
		got = append(got, f.Message)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("found\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for i, n := range []int{20, 4, 20, 60} {
		if i < len(all) && len(all[i].At) != n {
			t.Errorf("%s: %d places, expected %d", all[i].Message, len(all[i].At), n)
		}
	}
}

// TestCheckSharedLayers tests that groups that claim the same layers are one finding, however many groups there are.
func TestCheckSharedLayers(t *testing.T) {
	m := playable()
	for range 9 {
		second(m)
	}
	f := only(t, mangled(t, m, func(f *datafile.File) {
		for i := range 9 {
			g := item(f, itemGroup, i+1)
			g[5], g[6] = 0, 1
		}
	}), "tw-map-layer-shared")
	if len(f.At) != 9 || !strings.HasPrefix(f.Message, "9 layers shared by two groups: groups[1].layers[0] groups[2].layers[0] ") {
		t.Errorf("found %v with %d places", f, len(f.At))
	}
}

// TestModernizeInfclass tests that layers that infclass has instead of a tele layer become layers of tiles with the
// same tiles.
func TestModernizeInfclass(t *testing.T) {
	m := playable()
	if lost := m.Modernize(); lost != nil {
		t.Errorf("lost %q", lost)
	}
	m = infclass(t)
	if lost := m.Modernize(); len(lost) != 2 || lost[0] != "groups[0].layers[1]: the function of the tiles of the infclass entities layer" {
		t.Errorf("lost %q", lost)
	}
	entities := m.Groups[0].Layers[1].(*twmap.TileLayer)
	if entities.Kind() != twmap.KindTiles || entities.Tiles().At(3, 2).ID != 7 {
		t.Errorf("the entities are %v now, and their tiles %v", entities.Kind(), entities.Tiles().At(3, 2))
	}
}

// infclass returns a map with layers of early infclass, smaller than the game layer.
func infclass(t *testing.T) *twmap.Map {
	m := playable()
	for _, kind := range []twmap.Kind{twmap.KindEntities, twmap.KindZones} {
		l := twmap.NewTileLayer(kind, 40, 30)
		l.Tiles().Set(3, 2, twmap.Tile{ID: 7, Flags: twmap.FlipX})
		m.Groups[0].Layers = append(m.Groups[0].Layers, l)
	}
	return decode(t, encode(t, m))
}

// TestInfclass tests that the layers of infclass keep their tiles in a round trip, also from a clean map.
func TestInfclass(t *testing.T) {
	m := infclass(t)
	check := func(what string) {
		t.Helper()
		for i, kind := range []twmap.Kind{twmap.KindEntities, twmap.KindZones} {
			l := m.Groups[0].Layers[1+i].(*twmap.TileLayer)
			if l.Kind() != kind || kind.Physics() || l.Name != []string{"Entities", "Zones"}[i] ||
				l.Tiles().At(3, 2) != (twmap.Tile{ID: 7, Flags: twmap.FlipX}) {
				t.Errorf("%s: a %v layer %q with %v", what, l.Kind(), l.Name, l.Tiles().At(3, 2))
			}
		}
		if ids, all := findings(m); fmt.Sprint(ids) != "[tw-map-other-game]" {
			t.Errorf("%s: %v", what, all)
		}
	}
	check("new")
	file := m.Source()
	for n := 1; n <= 2; n++ { // 18 integers, the flags of tele and speedup, and no DDNet
		v := item(file, itemLayer, n)
		if len(v) != 18 || v[6] != int32(2*n) || m.Flavor() == "DDNet" {
			t.Errorf("layer %d: %v in a map for %s", n, v, m.Flavor())
		}
	}
	m.Clean()
	m = decode(t, encode(t, m))
	check("clean")
	m.Groups[0].Layers[1].Base().Name = "Things" // the format decides, not the name
	if m = decode(t, encode(t, m)); m.Groups[0].Layers[1].(*twmap.TileLayer).Tiles().At(3, 2).ID != 7 {
		t.Error("the tiles of a layer with another name are gone")
	}
	m.Groups[0].Layers[1].(*twmap.TileLayer).Version = 2
	if _, err := m.Encode(); err == nil || !strings.Contains(err.Error(), "groups[0].layers[1]") {
		t.Errorf("an infclass layer of version 2 was written: %v", err)
	}
	// A truncated layer of DDNet is not reported as one of infclass.
	m = playable()
	physics(m, twmap.KindTele, 50, 45)
	m = mangled(t, m, cut(itemLayer, 1, 18))
	if ids, all := findings(m); !slices.Contains(ids, "tw-map-physics-truncated") || slices.Contains(ids, "tw-map-other-game") {
		t.Errorf("found %v", all)
	}
}

// TestCheckTextOfPixels tests that a reference to a text that points to other data is a single finding, whatever the
// data is.
func TestCheckTextOfPixels(t *testing.T) {
	p := picture(64, 64)
	for i := range p.Pix {
		p.Pix[i] = byte(200 + i%50)
	}
	m := playable()
	withImage(m, twmap.NewImage("a", p))
	m = mangled(t, m, func(f *datafile.File) {
		item(f, itemImage, 0)[4] = item(f, itemImage, 0)[5]
		item(f, itemInfo, 0)[2] = item(f, itemImage, 0)[5]
	})
	_, all := findings(m)
	if len(all) != 3 || all[0].Message != "the map version is not a text but the pixels of image 0 (data block 1)" ||
		all[1].Message != "the name of the image is not a text but the pixels of image 0 (data block 1)" ||
		all[2].ID != "tw-map-data-unused" {
		t.Errorf("found %v", all)
	}
}

// TestCheckNoSpawn tests that missing spawns are not reported for a map that is not for playing, and for one whose
// spawns may be of an unknown kind.
func TestCheckNoSpawn(t *testing.T) {
	for name, edit := range map[string]func(*twmap.Map){
		"background": func(m *twmap.Map) {},
		"infclass": func(m *twmap.Map) {
			m.Physics(twmap.KindGame).Tiles().Set(1, 1, twmap.Tile{ID: 1})
			second(m).Name = "#Entities"
		},
		"mod": func(m *twmap.Map) { m.Physics(twmap.KindGame).Tiles().Set(1, 1, twmap.Tile{ID: 183}) },
	} {
		m := twmap.New(20, 20)
		edit(m)
		if ids, all := findings(m); strings.Contains(fmt.Sprint(ids), "tw-map-no-spawn") {
			t.Errorf("%s: %v", name, all)
		}
	}
}

// TestCheckMirrored tests that directed tiles may have four orientations.
func TestCheckMirrored(t *testing.T) {
	for flags := range twmap.TileFlags(16) {
		if flags&twmap.Opaque != 0 {
			continue
		}
		m := playable()
		m.Physics(twmap.KindGame).Tiles().Set(5, 5, twmap.Tile{ID: uint8(twmap.TileStop), Flags: flags})
		m.Physics(twmap.KindGame).Tiles().Set(6, 5, twmap.Tile{ID: uint8(twmap.TileStopAllWays), Flags: flags})
		turned := flags == 0 || flags == twmap.Rotate || flags&^twmap.Rotate == twmap.FlipX|twmap.FlipY
		_, all := findings(m)
		if found := len(all) == 1 && len(all[0].At) == 1; found == turned || len(all) > 1 {
			t.Errorf("flags %v: %v", flags, all)
		}
	}
}

// TestCheckKeepsNoLayers tests that a check releases the cells of each layer that is only drawn.
func TestCheckKeepsNoLayers(t *testing.T) {
	tests.NotRaced(t, "measures memory")
	m := playable()
	const layers, side = 30, 1000 // 4 MB each
	for range layers {
		second(m, twmap.NewTileLayer(twmap.KindTiles, side, side))
	}
	m = decode(t, encode(t, m))
	inUse := func() int64 {
		runtime.GC()
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		return int64(mem.HeapAlloc)
	}
	before := inUse()
	if _, all := findings(m); len(all) > 0 {
		t.Errorf("found %v", all)
	}
	if more := inUse() - before; more > layers*side*side {
		t.Errorf("%d MB stay in use", more>>20)
	}
	runtime.KeepAlive(m)
}

package mapdiff_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/internal/mapdiff"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// picture returns a picture of one colour with one different pixel.
func picture(size int, c uint8) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, size, size))
	for i := range p.Pix {
		p.Pix[i] = c
	}
	p.SetNRGBA(1, 1, color.NRGBA{1, 2, 3, 4})
	return p
}

// tiles returns a layer with a pattern that is unique for the seed.
func tiles(name string, width, height, seed int) *twmap.TileLayer {
	l := twmap.NewTileLayer(twmap.KindTiles, width, height)
	l.Name = name
	for y := 2; y < height-2; y++ {
		for x := 3; x < width-3; x++ {
			if n := (x*7 + y*13 + x*y*seed) % 11; n < 3 {
				l.Tiles().Set(x, y, twmap.Tile{ID: uint8(1 + (x*seed+y)%200)})
			}
		}
	}
	return l
}

func quad(x, y int32) twmap.Quad {
	q := twmap.Quad{Pivot: twmap.Point{X: x << 10, Y: y << 10}, PosEnv: -1, ColorEnv: -1}
	for i := range q.Points {
		q.Points[i] = twmap.Point{X: (x + int32(i%2)*10) << 10, Y: (y + int32(i/2)*10) << 10}
		q.Colors[i] = twmap.White
	}
	return q
}

// base returns a realistic map: with names that clash, and parts without names.
func base() *twmap.Map {
	m := twmap.New(40, 30)
	m.Info.Settings = []string{"sv_hit 0", "tune gravity 0.5"}
	m.Images = []*twmap.Image{twmap.NewImage("own", picture(16, 9)), twmap.NewExternalImage("grass_main", 1024, 1024),
		twmap.NewImage("sun", picture(32, 7))}
	m.Sounds = []*twmap.Sound{twmap.NewSound("wind", []byte("OggS1")), twmap.NewSound("rain", []byte("OggS2"))}
	m.Envelopes = []*twmap.Envelope{
		{Version: 2, Name: "sway", Channels: twmap.ChannelsPosition,
			Points: []twmap.EnvPoint{{Curve: 1}, {Time: 1000, Curve: 1, Values: [4]int32{1024, 0, 90 << 10}}}},
		{Version: 2, Channels: twmap.ChannelsColor, Points: []twmap.EnvPoint{{Curve: 1, Values: [4]int32{1024, 1024, 1024, 1024}}}},
		{Version: 2, Channels: twmap.ChannelsColor, Points: []twmap.EnvPoint{{Curve: 1, Values: [4]int32{512, 1024, 1024, 1024}}}},
	}
	game := m.Physics(twmap.KindGame)
	for x := range 40 {
		game.Tiles().Set(x, 29, twmap.Tile{ID: 1})
		game.Tiles().Set(x, (x*7)%25, twmap.Tile{ID: 3})
	}
	switches := twmap.NewTileLayer(twmap.KindSwitch, 40, 30)
	switches.Switches().Set(3, 4, twmap.SwitchTile{ID: 24, Number: 1, Delay: 5})
	m.Groups[0].Layers = append(m.Groups[0].Layers, switches)
	group := func(name string, layers ...twmap.Layer) *twmap.Group {
		return &twmap.Group{Version: 3, Name: name, ParallaxX: 50, ParallaxY: 50, Layers: layers}
	}
	stars := twmap.NewQuadLayer()
	var quads []twmap.Quad
	for i := range int32(40) {
		q := quad(i*20, i*i)
		q.ColorEnv = 1
		quads = append(quads, q)
	}
	stars.SetQuads(quads)
	stars.Image = 2
	wind := twmap.NewSoundLayer(twmap.SoundSource{PosEnv: 0, SoundEnv: -1, Shape: twmap.ShapeCircle, Width: 300},
		twmap.SoundSource{Position: twmap.Point{X: 5 << 10}, PosEnv: -1, SoundEnv: -1})
	wind.Sound, wind.Name = 0, "Wind"
	leaves := tiles("Leaves", 60, 40, 5)
	leaves.Image, leaves.ColorEnv = 1, 2
	m.Groups = append([]*twmap.Group{
		group("Sky", stars, twmap.NewQuadLayer(quad(1, 2))),
		group("", tiles("", 20, 20, 1), tiles("", 20, 20, 2), tiles("", 20, 20, 3)),
		group("", tiles("Far", 20, 20, 4)),
		group("Tree", tiles("Trunk", 60, 40, 6), leaves, tiles("Leaves", 60, 40, 7)),
	}, append(m.Groups, group("Sound", wind))...)
	return m
}

func decode(t testing.TB, m *twmap.Map) *twmap.Map {
	t.Helper()
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if m, err = twmap.Decode(data); err != nil {
		t.Fatal(err)
	}
	return m
}

// compare returns the lines and the changes between two maps.
func compare(t testing.TB, a, b *twmap.Map) ([]string, []mapdiff.Change) {
	t.Helper()
	var lines mapdiff.Lines
	var all []mapdiff.Change
	err := mapdiff.Compare(mapdir.NamesOf(a), mapdir.NamesOf(b), func(c mapdiff.Change) error {
		lines.Add(c)
		all = append(all, c)
		verifyPlaces(t, a, b, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines.All(), all
}

func layer[L twmap.Layer](m *twmap.Map, group, index int) L { return m.Groups[group].Layers[index].(L) }

// resize moves the cells of a layer by dx, dy in a grid of a new size.
func resize(l *twmap.TileLayer, width, height, dx, dy int) {
	g := twmap.NewGrid[twmap.Tile](width, height)
	for y := range height {
		for x := range width {
			g.Set(x, y, l.Tiles().At(x-dx, y-dy))
		}
	}
	l.SetCells(l.Kind(), g)
}

// TestEdits tests that an edit is reported as such, without other changes.
func TestEdits(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(m *twmap.Map)
		want []string
	}{
		{"nothing", func(m *twmap.Map) {}, nil},
		{"insert a group", func(m *twmap.Map) {
			m.Groups = slices.Insert(m.Groups, 1, &twmap.Group{Version: 3, Name: "Clouds", ParallaxX: 10, ParallaxY: 20,
				Layers: []twmap.Layer{twmap.NewQuadLayer(quad(9, 9))}})
		}, []string{"groups/Clouds: added at 1: parallax 10, 20, 1 layer: quads"}},
		{"insert a group without a name", func(m *twmap.Map) {
			m.Groups = slices.Insert(m.Groups, 2, &twmap.Group{Version: 3, ParallaxX: 50, ParallaxY: 50,
				Layers: []twmap.Layer{tiles("", 20, 20, 9)}})
		}, []string{"groups/group 50x50: added at 2: parallax 50, 50, 1 layer: tiles"}},
		{"remove a group", func(m *twmap.Map) { m.Groups = slices.Delete(m.Groups, 1, 2) },
			[]string{"groups/group 50x50~: removed, was at 1: parallax 50, 50, 3 layers: tiles, tiles, tiles"}},
		{"move a group", func(m *twmap.Map) {
			g := m.Groups[3]
			m.Groups = slices.Insert(slices.Delete(m.Groups, 3, 4), 0, g)
		}, []string{"groups/Tree: moved 3 -> 0"}},
		{"move a group and change it", func(m *twmap.Map) {
			g := m.Groups[3]
			g.ParallaxX = 55
			m.Groups = slices.Insert(slices.Delete(m.Groups, 3, 4), 0, g)
		}, []string{"groups/Tree: moved 3 -> 0", "groups/Tree: parallax 50, 50 -> 55, 50"}},
		{"rename a group", func(m *twmap.Map) { m.Groups[3].Name = "Oak" }, []string{`groups/Tree: renamed "Tree" -> "Oak"`}},
		{"change a group", func(m *twmap.Map) { m.Groups[3].ParallaxX, m.Groups[3].Clip = 55, &twmap.Clip{Width: 5, Height: 6} },
			[]string{"groups/Tree: parallax 50, 50 -> 55, 50", "groups/Tree: clip none -> 0, 0, 5, 6"}},
		{"move a layer", func(m *twmap.Map) {
			l := m.Groups[3].Layers
			l[0], l[1], l[2] = l[1], l[2], l[0]
		}, []string{"groups/Tree/Trunk: moved 0 -> 2"}},
		{"move a layer to another group", func(m *twmap.Map) {
			l := m.Groups[3].Layers[0]
			m.Groups[3].Layers = m.Groups[3].Layers[1:]
			m.Groups[0].Layers = slices.Insert(m.Groups[0].Layers, 1, l)
		}, []string{"groups/Tree/Trunk: moved to groups/Sky/Trunk"}},
		{"rename a layer", func(m *twmap.Map) { m.Groups[3].Layers[0].Base().Name = "Stem" },
			[]string{`groups/Tree/Trunk: renamed "Trunk" -> "Stem"`}},
		{"add a layer", func(m *twmap.Map) {
			m.Groups[3].Layers = slices.Insert(m.Groups[3].Layers, 1, twmap.Layer(tiles("Moss", 10, 10, 8)))
		},
			[]string{"groups/Tree/Moss: added at 1: tiles layer, 10 x 10"}},
		{"add a layer of a name that is there", func(m *twmap.Map) {
			m.Groups[3].Layers = slices.Insert(m.Groups[3].Layers, 0, twmap.Layer(tiles("Trunk", 60, 40, 8)))
		}, []string{"groups/Tree/Trunk~: added at 0: tiles layer, 60 x 40"}},
		{"rename an image", func(m *twmap.Map) { m.Images[2].Name = "moon" }, []string{`images/sun: renamed "sun" -> "moon"`}},
		{"insert an image", func(m *twmap.Map) {
			m.Images = slices.Insert(m.Images, 0, twmap.NewExternalImage("jungle_main", 1024, 1024))
			for _, l := range m.Layers() {
				switch l := l.(type) {
				case *twmap.TileLayer:
					if l.Image >= 0 {
						l.Image++
					}
				case *twmap.QuadLayer:
					if l.Image >= 0 {
						l.Image++
					}
				}
			}
		}, []string{"images/jungle_main: added at 0: external, 1024 x 1024 pixels"}},
		{"replace a picture", func(m *twmap.Map) { m.Images[2].SetPicture(picture(64, 7)) },
			[]string{"images/sun: replaced: embedded, 32 x 32 pixels -> embedded, 64 x 64 pixels"}},
		{"paint a picture", func(m *twmap.Map) { m.Images[2].SetPicture(picture(32, 8)) },
			[]string{"images/sun: replaced: embedded, 32 x 32 pixels -> embedded, 32 x 32 pixels, a difference of 1,023 pixels"}},
		{"change the image of a layer", func(m *twmap.Map) { layer[*twmap.TileLayer](m, 3, 1).Image = 0 },
			[]string{"groups/Tree/Leaves~: image images/grass_main -> images/own"}},
		{"another sound", func(m *twmap.Map) { m.Sounds[1].SetOpus([]byte("OggS, longer")) },
			[]string{"sounds/rain: replaced: 5 bytes -> 12 bytes"}},
		{"change a tile", func(m *twmap.Map) {
			m.Physics(twmap.KindGame).Tiles().Set(7, 29, twmap.Tile{ID: 9, Flags: twmap.Rotate})
		},
			[]string{"groups/Game/Game: tiles 7,29: 1 -> 9r"}},
		{"change 20 tiles", func(m *twmap.Map) {
			for i := range 20 {
				m.Physics(twmap.KindGame).Tiles().Set(2*i, i, twmap.Tile{ID: uint8(200 + i)})
			}
		}, nil}, // see below
		{"change an area", func(m *twmap.Map) {
			for i := range 36 {
				layer[*twmap.TileLayer](m, 3, 0).Tiles().Set(40+i%12, 36+i/12, twmap.Tile{ID: 250})
			}
		}, nil},
		{"change flags of nothing", func(m *twmap.Map) {
			l := layer[*twmap.TileLayer](m, 3, 0)
			l.Tiles().Set(40, 38, twmap.Tile{Flags: 1})
			l.Tiles().Set(45, 39, twmap.Tile{Flags: 3})
		},
			[]string{"groups/Tree/Trunk: 2 empty tiles between 40,38 and 45,39: other flags"}},
		{"change a switch", func(m *twmap.Map) {
			m.Physics(twmap.KindSwitch).Switches().Set(3, 4, twmap.SwitchTile{ID: 24, Number: 2, Delay: 5})
		},
			[]string{"groups/Game/Switch: tiles 3,4: 24:1/5 -> 24:2/5"}},
		{"cut off rows", func(m *twmap.Map) { resize(layer[*twmap.TileLayer](m, 3, 0), 60, 31, 0, 0) },
			[]string{"groups/Tree/Trunk: height 40 -> 31: 9 rows removed at the bottom"}},
		{"add columns at the left", func(m *twmap.Map) { resize(layer[*twmap.TileLayer](m, 3, 0), 65, 40, 5, 0) },
			[]string{"groups/Tree/Trunk: width 60 -> 65: 5 columns added at the left"}},
		{"grow on all sides", func(m *twmap.Map) { resize(layer[*twmap.TileLayer](m, 3, 0), 70, 60, 4, 9) },
			[]string{"groups/Tree/Trunk: height 40 -> 60: 9 rows added at the top, 11 rows added at the bottom; width 60 -> " +
				"70: 4 columns added at the left, 6 columns added at the right"}},
		{"insert rows", func(m *twmap.Map) {
			l := layer[*twmap.TileLayer](m, 3, 0)
			g := twmap.NewGrid[twmap.Tile](60, 45)
			for y := range 40 {
				for x := range 60 {
					to := y
					if y >= 17 {
						to += 5
					}
					g.Set(x, to, l.Tiles().At(x, y))
				}
			}
			l.SetCells(l.Kind(), g)
		}, []string{"groups/Tree/Trunk: height 40 -> 45: 5 rows added from row 17 on"}},
		{"shift all tiles", func(m *twmap.Map) {
			l := layer[*twmap.TileLayer](m, 3, 0)
			resize(l, 60, 40, 2, -1)
		}, []string{"groups/Tree/Trunk: all tiles moved by 2, -1"}},
		{"paint a layer without a name", func(m *twmap.Map) { layer[*twmap.TileLayer](m, 1, 1).Tiles().Set(0, 0, twmap.Tile{ID: 5}) },
			[]string{"groups/group 50x50~/tiles~: tiles 0,0: air -> 5"}},
		{"move quads", func(m *twmap.Map) {
			l := layer[*twmap.QuadLayer](m, 0, 0)
			quads, _ := l.Quads()
			quads = slices.Clone(quads)
			for _, i := range []int{3, 4, 5, 9} {
				for j := range quads[i].Points {
					quads[i].Points[j].X += 10<<10 + 512
				}
				quads[i].Pivot.X += 10<<10 + 512
			}
			l.SetQuads(quads)
		}, []string{"groups/Sky/quads sun: quads 3 to 5, 9: moved by 10.5, 0"}},
		{"one quad before the others", func(m *twmap.Map) {
			l := layer[*twmap.QuadLayer](m, 0, 0)
			quads, _ := l.Quads()
			quads = slices.Insert(slices.Clone(quads), 0, quad(-7, -7))
			quads[8].Colors[0].R = 9
			quads[9].ColorEnv = 2
			quads[10].Points[3].Y += 1
			l.SetQuads(quads)
		}, []string{"groups/Sky/quads sun: quad 0: added at -7, -7",
			"groups/Sky/quads sun: quad 8: top left color 255, 255, 255, 255 -> 9, 255, 255, 255",
			"groups/Sky/quads sun: quad 9: color envelope envelopes/color~ -> envelopes/color~",
			"groups/Sky/quads sun: quad 10: bottom right corner 190, 91 -> 190, 91.0009765625"}},
		{"order of quads", func(m *twmap.Map) {
			l := layer[*twmap.QuadLayer](m, 0, 0)
			quads, _ := l.Quads()
			q := quads[34]
			l.SetQuads(slices.Insert(slices.Delete(slices.Clone(quads), 34, 35), 36, q))
		}, []string{"groups/Sky/quads sun: quad 34: moved 34 -> 36"}},
		{"color all quads", func(m *twmap.Map) {
			l := layer[*twmap.QuadLayer](m, 0, 0)
			quads, _ := l.Quads()
			quads = slices.Clone(quads)
			for i := range quads {
				quads[i].Colors = [4]twmap.Color{{R: 1}, {R: 1}, {R: 1}, {R: 1}}
			}
			l.SetQuads(quads)
		}, []string{"groups/Sky/quads sun: quads 0 to 39: color 255, 255, 255, 255 -> 1, 0, 0, 0"}},
		{"a point of an envelope", func(m *twmap.Map) {
			e := m.Envelopes[0]
			e.Points[1].Values[2] = 45 << 10
			e.Points = slices.Insert(e.Points, 1, twmap.EnvPoint{Time: 500, Curve: twmap.CurveStep})
		}, []string{"envelopes/sway: point at 500 ms: added at 0, 0, 0", "envelopes/sway: point at 1000 ms: values 1, 0, 90 -> 1, 0, 45"}},
		{"insert an envelope", func(m *twmap.Map) {
			m.Envelopes = slices.Insert(m.Envelopes, 0, &twmap.Envelope{Version: 2, Name: "new", Channels: 1})
			for _, l := range m.Layers() {
				switch l := l.(type) {
				case *twmap.TileLayer:
					if l.ColorEnv >= 0 {
						l.ColorEnv++
					}
				case *twmap.QuadLayer:
					quads, _ := l.Quads()
					quads = slices.Clone(quads)
					for i := range quads {
						if quads[i].ColorEnv >= 0 {
							quads[i].ColorEnv++
						}
					}
					l.SetQuads(quads)
				case *twmap.SoundLayer:
					sources, _ := l.Sources()
					sources = slices.Clone(sources)
					for i := range sources {
						if sources[i].PosEnv >= 0 {
							sources[i].PosEnv++
						}
					}
					l.SetSources(sources)
				}
			}
		}, []string{"envelopes/new: added at 0: sound, 0 points"}},
		{"a sound source", func(m *twmap.Map) {
			l := layer[*twmap.SoundLayer](m, 5, 0)
			sources, _ := l.Sources()
			sources = slices.Clone(sources)
			sources[0].Width = 400
			l.SetSources(sources)
		}, []string{"groups/Sound/Wind: source 0: width 300 -> 400"}},
		{"settings and author", func(m *twmap.Map) {
			m.Info.Author = "Ada"
			m.Info.Settings = []string{"tune gravity 0.5", "sv_team 1"}
		}, []string{"map: author none -> Ada", "settings: + sv_team 1", "settings: - sv_hit 0"}},
		{"versions of all layers", func(m *twmap.Map) {
			for _, l := range m.Layers() {
				if l, ok := l.(*twmap.TileLayer); ok {
					l.Version = 4
				}
			}
		}, []string{"9 parts: version 3 -> 4 (groups/Sky"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := decode(t, base())
			m := decode(t, base())
			c.edit(m)
			lines, changes := compare(t, old, decode(t, m))
			switch c.name {
			case "change 20 tiles":
				if len(lines) != 20 || lines[0] != "groups/Game/Game: tiles 0,0: 3 -> 200" || lines[19] != "groups/Game/Game: tiles 38,19: air -> 219" {
					t.Errorf("%q", lines)
				}
				return
			case "change an area":
				if len(lines) > 20 || !slices.ContainsFunc(lines, func(l string) bool {
					return strings.Contains(l,
						"12 x 1 tiles at 40,38: air -> 250")
				}) {
					t.Errorf("%q", lines)
				}
				return
			case "versions of all layers":
				if len(lines) != 1 || !strings.HasPrefix(lines[0], "9 parts: version 3 -> 4 (groups/") {
					t.Errorf("%q", lines)
				}
				return
			}
			for i := range lines { // this test ignores hashes
				for {
					at := strings.IndexByte(lines[i], '~')
					if at < 0 || len(lines[i]) < at+5 {
						break
					}
					lines[i] = lines[i][:at] + "\x00" + lines[i][at+5:]
				}
				lines[i] = strings.ReplaceAll(lines[i], "\x00", "~")
			}
			if diff := cmp.Diff(c.want, lines); diff != "" {
				t.Error(diff)
			}
			data, err := json.Marshal(changes)
			var back []map[string]any
			if err != nil || json.Unmarshal(data, &back) != nil || len(back) != len(changes) {
				t.Errorf("as JSON: %v, %s", err, data)
			}
			for _, c := range back {
				if c["path"] == "" || c["change"] == "" || c["part"].(map[string]any)["type"] == "" {
					t.Errorf("a change lacks something: %v", c)
				}
			}
			if again, _ := compare(t, old, decode(t, base())); len(again) > 0 {
				t.Errorf("the same maps differ: %q", again)
			}
		})
	}
}

// TestManyTiles tests that the lines for people are few, however much has changed, and that programs get all changes.
// TestOrphanMoved tests that a layer that moved from the layers without a group to a new first group is reported as moved.
func TestOrphanMoved(t *testing.T) {
	a, b := base(), base()
	a.Orphans = []twmap.Layer{tiles("Lost", 20, 20, 5)}
	b.Groups = append([]*twmap.Group{{Version: 3, Name: "Found", ParallaxX: 7, ParallaxY: 7,
		Layers: []twmap.Layer{tiles("Lost", 20, 20, 5)}}}, b.Groups...)
	got, _ := compare(t, decode(t, a), decode(t, b))
	want := []string{"groups/Found: added at 0: parallax 7, 7, 1 layer: Lost", "orphans/Lost: moved to groups/Found/Lost"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestManyTiles(t *testing.T) {
	old, m := base(), base()
	for _, l := range m.Layers() {
		if l, ok := l.(*twmap.TileLayer); ok && l.Tiles() != nil {
			for y := range l.Height() {
				for x := range l.Width() {
					l.Tiles().Set(x, y, twmap.Tile{ID: uint8(1 + (x*31+y*17)%250)})
				}
			}
		}
	}
	lines, changes := compare(t, old, m)
	if len(lines) > 70 {
		t.Errorf("%d lines", len(lines))
	}
	if !slices.ContainsFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "groups/Game/Game: and 1,1") && strings.HasSuffix(l, "more tiles between 0,0 and 39,29")
	}) {
		t.Errorf("no sum of the tiles: %q", lines)
	}
	counted := 0
	for _, c := range changes {
		if c.Path == "groups/Game/Game" {
			counted += c.Area.Width * c.Area.Height
		}
	}
	differ := 0
	a, _ := old.Physics(twmap.KindGame).Tiles().Cells()
	b, _ := m.Physics(twmap.KindGame).Tiles().Cells()
	for i := range a {
		if a[i] != b[i] {
			differ++
		}
	}
	if counted != differ {
		t.Errorf("%d tiles are reported, %d differ", counted, differ)
	}
}

// TestStop tests that Compare stops when yield fails.
func TestStop(t *testing.T) {
	m := base()
	m.Info.Author = "Eve"
	m.Groups = m.Groups[1:]
	stop, n := errors.New("stop"), 0
	err := mapdiff.Compare(mapdir.NamesOf(base()), mapdir.NamesOf(m), func(mapdiff.Change) error {
		n++
		return stop
	})
	if err != stop || n != 1 {
		t.Errorf("%v after %d changes", err, n)
	}
}

// TestAlike tests that a change that many parts have in common is reported once.
func TestAlike(t *testing.T) {
	var lines mapdiff.Lines
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		area := func(x, width int) *mapdiff.Area { return &mapdiff.Area{X: x, Y: 1, Width: width, Height: 1} }
		add := func(c mapdiff.Change) {
			c.Path = "groups/g/" + name
			lines.Add(c)
		}
		add(mapdiff.Change{Kind: mapdiff.Tiles, Old: "air", New: "0x", Area: area(2, 10)})
		add(mapdiff.Change{Kind: mapdiff.Tiles, Old: "0:7", New: "air", Area: area(20, 1)})
		add(mapdiff.Change{Kind: mapdiff.Changed, Part: mapdiff.Part{Type: "quad", Was: new(0), Is: new(0)}, By: []int{3, 4}})
		if i == 2 {
			add(mapdiff.Change{Kind: mapdiff.Tiles, Old: "0x", New: "9", Area: area(30, 2)})
		}
	}
	want := []string{
		"5 parts: quad 0: moved by 3, 4 (groups/g/a, groups/g/b, groups/g/c, groups/g/d, groups/g/e)",
		"groups/g/c: 2 x 1 tiles at 30,1: 0x -> 9",
		"5 parts: 55 empty tiles: other flags (groups/g/a, groups/g/b, groups/g/c, groups/g/d, groups/g/e)",
	}
	if diff := cmp.Diff(want, lines.All()); diff != "" {
		t.Error(diff)
	}
}

func ExampleCompare() {
	old, new := base(), base()
	new.Physics(twmap.KindGame).Tiles().Set(7, 29, twmap.Tile{ID: 9})
	new.Groups[3].Name = "Oak"
	var lines mapdiff.Lines
	err := mapdiff.Compare(mapdir.NamesOf(old), mapdir.NamesOf(new), func(c mapdiff.Change) error {
		lines.Add(c)
		return nil
	})
	for _, line := range lines.All() {
		fmt.Println(line)
	}
	fmt.Println(err)
	// Output:
	// groups/Tree: renamed "Tree" -> "Oak"
	// groups/Game/Game: tiles 7,29: 1 -> 9
	// <nil>
}

// FuzzCompare tests that damaged maps are compared as far as they can be read.
func FuzzCompare(f *testing.F) {
	whole, err := base().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(300, byte(7))
	f.Add(600, byte(255))
	f.Fuzz(func(t *testing.T, at int, value byte) {
		data := slices.Clone(whole)
		data[uint(at)%uint(len(data))] = value
		m, err := twmap.Salvage(data)
		if err != nil {
			return
		}
		old, err := twmap.Salvage(whole)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, old, m)
		compare(t, m, old)
		if lines, _ := compare(t, m, m); len(lines) > 0 {
			t.Errorf("a map differs from itself: %q", lines)
		}
	})
}

// TestDamaged tests Compare with damage to every byte of a small map.
func TestDamaged(t *testing.T) {
	whole, err := base().Encode()
	if err != nil {
		t.Fatal(err)
	}
	old, err := twmap.Salvage(whole)
	if err != nil {
		t.Fatal(err)
	}
	for at := 36; at < 4000 && at < len(whole); at += tests.Of(t, 17, 3) {
		data := slices.Clone(whole)
		data[at] ^= byte(1 << (at % 8))
		if m, err := twmap.Salvage(data); err == nil {
			compare(t, old, m)
			compare(t, m, old)
		}
	}
}

// TestCompareFramed tests that the layers of a map that was extended on two sides are matched, although copies of the edges
// make dense layers look different.
func TestCompareFramed(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	a := base()
	g := twmap.NewGroup("Dense")
	for range 3 {
		l := twmap.NewTileLayer(twmap.KindTiles, 40, 30)
		for y := range 30 {
			for x := range 40 {
				l.Tiles().Set(x, y, twmap.Tile{ID: uint8(1 + r.IntN(3)*r.IntN(2))})
			}
		}
		g.Layers = append(g.Layers, l)
	}
	a.Groups = append(a.Groups, g)
	game := a.Physics(twmap.KindGame).Tiles()
	for range 200 {
		game.Set(r.IntN(40), r.IntN(30), twmap.Tile{ID: uint8(1 + r.IntN(3))})
	}
	b := a.Clone()
	if err := mapedit.New(b, nil).Frame(mapedit.Sides{Left: 25, Up: 20}); err != nil {
		t.Fatal(err)
	}
	_, changes := compare(t, decode(t, a), decode(t, b))
	for _, c := range changes {
		if c.Part.Type == "layer" && (c.Kind == mapdiff.Added || c.Kind == mapdiff.Removed || c.Kind == mapdiff.Moved) {
			t.Errorf("%+v", c)
		}
	}
}

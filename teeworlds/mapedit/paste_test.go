package mapedit_test

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// checkered returns a picture of 16 x 16 tiles of a size, each with other colours, the first transparent.
func checkered(tile int, seed uint8) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, 16*tile, 16*tile))
	for y := range 16 * tile {
		for x := range 16 * tile {
			if x < tile && y < tile {
				continue
			}
			p.SetNRGBA(x, y, color.NRGBA{uint8(x/tile*15) ^ seed, uint8(y / tile * 15), uint8(255 * (x % tile) / tile),
				uint8(255 - 200*(y%tile)/tile)})
		}
	}
	return p
}

// parts returns a map with every kind of part that can be shared or copied.
func parts(seed uint8) *twmap.Map {
	m := twmap.New(8, 6)
	m.Images = []*twmap.Image{twmap.NewExternalImage("grass_main", 1024, 1024), twmap.NewImage("moon", checkered(4, seed))}
	m.Sounds = []*twmap.Sound{twmap.NewSound("wind", []byte{'O', 'g', 'g', seed})}
	m.Envelopes = []*twmap.Envelope{twmap.NewEnvelope("way", twmap.ChannelsPosition, twmap.EnvPoint{Values: [4]int32{int32(seed)}})}
	q := twmap.NewQuad(64, 64, 32, 32)
	q.PosEnv = 0
	quads := twmap.NewQuadLayer(q)
	quads.Image = 1
	source := twmap.NewSoundSource(80, 80, 10)
	source.PosEnv = 0
	sounds := twmap.NewSoundLayer(source)
	sounds.Sound = 0
	tiles := design([]uint8{1, 2, 3}, []uint8{4, 5, 6})
	tiles.Image, tiles.ColorEnv = 0, 7 // a missing envelope
	m.Groups[0].Layers = append(m.Groups[0].Layers, design([]uint8{9, 9, 9}))
	m.Groups = append(m.Groups, twmap.NewGroup("Far", tiles, quads, sounds))
	m.Info.Settings = []string{"tune gravity 1", "sv_team " + string('0'+rune(seed))}
	return m
}

// TestAppend tests which parts are shared, which are renamed, and where references point.
func TestAppend(t *testing.T) {
	for _, seed := range []uint8{1, 2} {
		m, other := parts(1), parts(seed)
		before := other.Clone()
		if err := mapedit.New(m, nil).Append(other, mapedit.Across{}); err != nil {
			t.Fatal(err)
		}
		if !other.Equal(before) {
			t.Error("the other map was changed")
		}
		var images, sounds []string
		for _, im := range m.Images {
			images = append(images, im.Name)
		}
		for _, s := range m.Sounds {
			sounds = append(sounds, s.Name)
		}
		got := strings.Join(images, " ") + ", " + strings.Join(sounds, " ") + ", " + strings.Join(m.Info.Settings, "; ")
		want, image, sound := "grass_main moon, wind, tune gravity 1; sv_team 1", 1, 0
		if seed == 2 {
			want, image, sound = "grass_main moon moon (1), wind wind (1), tune gravity 1; sv_team 1; sv_team 2", 2, 1
		}
		if got != want {
			t.Errorf("the map has %s, want %s", got, want)
		}
		if n := len(m.Groups); n != 4 || m.Groups[2].Name != "" || len(m.Groups[2].Layers) != 1 || m.Groups[3].Name != "Far" {
			t.Fatalf("there are %d groups", n)
		}
		far := m.Groups[3]
		if l := far.Layers[0].(*twmap.TileLayer); l.Image != 0 || l.ColorEnv != -1 {
			t.Errorf("the tiles show image %d and envelope %d", l.Image, l.ColorEnv)
		}
		quads, _ := far.Layers[1].(*twmap.QuadLayer).Quads()
		sources, _ := far.Layers[2].(*twmap.SoundLayer).Sources()
		if far.Layers[1].(*twmap.QuadLayer).Image != image || far.Layers[2].(*twmap.SoundLayer).Sound != sound ||
			quads[0].PosEnv != 1 || sources[0].PosEnv != 1 {
			t.Errorf("references lead to %d %d %d %d", far.Layers[1].(*twmap.QuadLayer).Image,
				far.Layers[2].(*twmap.SoundLayer).Sound, quads[0].PosEnv, sources[0].PosEnv)
		}
		if m.Physics(twmap.KindGame) != m.Groups[0].Layers[0] {
			t.Error("the game layer is another")
		}
		if _, err := m.Encode(); err != nil {
			t.Error(err)
		}
	}
}

// TestPasteGroups tests that only the parts that a group needs are copied.
func TestPasteGroups(t *testing.T) {
	m, other := twmap.New(5, 5), parts(3)
	other.Images = append([]*twmap.Image{twmap.NewExternalImage("sun", 64, 64)}, other.Images...)
	mapedit.Renumber(other, twmap.PartImage, func(i int) int { return i + 1 })
	if err := mapedit.New(m, nil).PasteGroups(other, []int{1}, 0, mapedit.Across{}); err != nil {
		t.Fatal(err)
	}
	if len(m.Images) != 2 || m.Images[0].Name != "grass_main" || len(m.Groups) != 2 || m.Groups[0].Name != "Far" {
		t.Errorf("%d images, %d groups", len(m.Images), len(m.Groups))
	}
	if l := m.Groups[0].Layers[1].(*twmap.QuadLayer); l.Image != 1 {
		t.Errorf("the quads show image %d", l.Image)
	}
	for i := range 63 {
		m.Images = append(m.Images, twmap.NewExternalImage(strings.Repeat("x", i+1), 16, 16))
	}
	other.Images[1].Name = "another"
	if got := reported(t, m, func(e *mapedit.Editor) error {
		return e.PasteGroups(other, []int{1}, 0,
			mapedit.Across{})
	}); got != "error: the map would have 66 images, and the game loads 64" {
		t.Errorf("reported %s", got)
	}
}

// TestPasteArea tests tiles, quads and envelopes of an area, with and without parallax.
func TestPasteArea(t *testing.T) {
	m, other := parts(1), parts(2)
	for _, m := range []*twmap.Map{m, other} {
		near := twmap.NewGroup("Near", design([]uint8{0, 0, 0, 0, 0, 0}, []uint8{0, 0, 0, 0, 0, 0}, []uint8{0, 0, 0, 0, 0, 0}))
		near.ParallaxX, near.ParallaxY = 200, 200
		m.Groups = append(m.Groups, near)
	}
	other.Physics(twmap.KindGame).Tiles().Set(2, 2, twmap.Tile{ID: 1})
	other.Physics(twmap.KindGame).Tiles().Set(3, 3, twmap.Tile{ID: 2})
	got := reported(t, m, func(e *mapedit.Editor) error {
		return e.PasteArea(other, mapedit.Area{X: 2, Y: 2, Width: 2, Height: 2}, 5, 1, mapedit.Across{})
	})
	want := `groups/Game/Game: 2 tiles came from the other map 5,1 6,2
groups/Far/quads moon: 1 quads came from the other map
groups/Far/sounds wind: 1 sources came from the other map`
	if !strings.Contains(got, "envelopes/way") {
		t.Errorf("no envelope came along: %s", got)
	}
	for _, line := range strings.Split(want, "\n") {
		if !strings.Contains(got, line) {
			t.Errorf("reported %s\nwant %s", got, line)
		}
	}
	quads, _ := m.Groups[1].Layers[1].(*twmap.QuadLayer).Quads()
	if len(quads) != 2 || quads[1].Pivot != (twmap.Point{X: (80 + 3*32) * 1024, Y: (80 - 32) * 1024}) ||
		quads[1].PosEnv != 1 || m.Envelopes[1].Points[0].Values[0] != 2 {
		t.Errorf("the quads are %v", quads)
	}
	// Paste once more, over the first paste: the old contents are replaced.
	if err := mapedit.New(m, nil).PasteArea(other, mapedit.Area{X: 2, Y: 2, Width: 2, Height: 2}, 5, 1, mapedit.Across{}); err != nil {
		t.Error(err)
	}
	if quads, _ := m.Groups[1].Layers[1].(*twmap.QuadLayer).Quads(); len(quads) != 2 || len(m.Envelopes) != 2 {
		t.Errorf("%d quads, %d envelopes", len(quads), len(m.Envelopes))
	}
}

// TestPasteAreaByName tests which layers belong together in maps with different groups and layers, which ones are made,
// and that a second paste finds those that the first one made.
func TestPasteAreaByName(t *testing.T) {
	m, other := twmap.New(8, 6), parts(2)
	m.Images = []*twmap.Image{twmap.NewImage("moon", checkered(4, 7)), twmap.NewExternalImage("grass_main", 1024, 1024)}
	tiles, empty := design([]uint8{7, 7, 7}, []uint8{7, 7, 7}), design([]uint8{0, 0}, []uint8{0, 0})
	tiles.Image = 1
	m.Groups = append([]*twmap.Group{twmap.NewGroup("Sky", design([]uint8{5, 5})), twmap.NewGroup("Far", empty, tiles)}, m.Groups...)
	other.Physics(twmap.KindGame).Tiles().Set(2, 1, twmap.Tile{ID: 1})
	tele := twmap.NewTileLayer(twmap.KindTele, 8, 6)
	tele.Teles().Set(1, 1, twmap.TeleTile{ID: 26, Number: 3})
	other.Groups[0].Layers = append(other.Groups[0].Layers, tele, twmap.NewTileLayer(twmap.KindTune, 8, 6))
	other.Groups[0].Layers[1].(*twmap.TileLayer).ColorEnv = -1
	near := twmap.NewGroup("Near", design([]uint8{0, 8, 8, 0}, []uint8{0, 8, 8, 0}, []uint8{0, 0, 0, 0}))
	near.Clip = &twmap.Clip{X: 32, Y: 32, Width: 64, Height: 64}
	other.Groups = append(other.Groups, near, twmap.NewGroup("Nothing", design([]uint8{0, 0})))

	paste := func(e *mapedit.Editor) error {
		return e.PasteArea(other, mapedit.Area{X: 1, Y: 1, Width: 3, Height: 2}, 4, 3, mapedit.Across{})
	}
	got := reported(t, m, paste)
	for _, want := range []string{
		`images/moon (1): 1  image "moon (1)" came from the other map`,
		`sounds/wind: 1  sound "wind" came from the other map`,
		"groups/Near: 1  got the properties of the one in the other map",
		"groups/Far/tiles grass_main: 1  3 x 2 tiles became 8 x 6",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("reported %s\nwant %s", got, want)
		}
	}
	var names []string
	for _, g := range m.Groups {
		names = append(names, fmt.Sprintf("%s %d", g.Name, len(g.Layers)))
	}
	if got := strings.Join(names, ", "); got != "Sky 1, Far 4, Game 3, Near 1" {
		t.Fatalf("the groups are %s", got)
	}
	row := func(l twmap.Layer, y int) string {
		var ids []string
		for x := range l.(*twmap.TileLayer).Width() {
			ids = append(ids, fmt.Sprint(l.(*twmap.TileLayer).Tiles().At(x, y).ID))
		}
		return strings.Join(ids, " ")
	}
	far := m.Groups[1].Layers
	for _, c := range []struct{ what, got, want string }{
		{"the grass keeps what it had", row(tiles, 2), "7 7 7 7 7 7 7 7"},
		{"the grass has the area with the repeated edge", row(tiles, 3), "7 7 7 7 5 6 6 7"},
		{"the edge stays", row(tiles, 5), "7 7 7 7 7 7 7 7"},
		{"the game layer", row(m.Physics(twmap.KindGame), 3), "0 0 0 0 0 1 0 0"},
		{"the layer of the game group", row(m.Groups[2].Layers[1], 3), "0 0 0 0 9 9 9 0"},
		{"the group that was made", row(m.Groups[3].Layers[0], 3), "0 0 0 0 8 8 0 0"},
		{"the tele layer", fmt.Sprint(m.Physics(twmap.KindTele).Teles().At(4, 3)), "{3 26}"},
		{"the clip moves with the area", fmt.Sprint(*m.Groups[3].Clip), "{128 96 64 64}"},
		{"the image of the quads", m.Images[far[2].(*twmap.QuadLayer).Image].Name, "moon (1)"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.what, c.got, c.want)
		}
	}
	if m.Physics(twmap.KindTune) != nil {
		t.Error("an empty layer was made")
	}
	before := m.Clone()
	if again := reported(t, m, paste); again != "" || !m.Equal(before) {
		t.Errorf("a second paste reported %s", again)
	}
	if _, err := m.Encode(); err != nil {
		t.Error(err)
	}

	small := twmap.New(4, 4)
	into := func(x, y int) func(e *mapedit.Editor) error {
		return func(e *mapedit.Editor) error {
			return e.PasteArea(other, mapedit.Area{X: 0, Y: 0, Width: 1 << 30, Height: 1 << 30}, x, y, mapedit.Across{})
		}
	}
	if got := reported(t, small, into(3, -1)); !strings.Contains(got, "only 3,0:3,3 is inside of the map") {
		t.Errorf("reported %s", got)
	}
	if got := reported(t, small, into(4, 0)); !strings.Contains(got, "error: the area at 4,0:") {
		t.Errorf("reported %s", got)
	}
}

// TestPasteEnvelopes tests that envelopes are added once.
func TestPasteEnvelopes(t *testing.T) {
	m, other := parts(1), parts(2)
	other.Envelopes = append(other.Envelopes, parts(1).Envelopes[0], twmap.NewEnvelope("fade", twmap.ChannelsColor))
	other.Envelopes[2].Synchronized = true
	const came = "envelopes/way~ehhc: 1  the envelope came from the other map\nenvelopes/fade: 1  the envelope came from the other map"
	for i, want := range []string{came, ""} {
		got := reported(t, m, func(e *mapedit.Editor) error { return e.PasteEnvelopes(other, nil) })
		if i == 0 {
			_, got, _ = strings.Cut(got, "\n") // of the missing envelope
		}
		if got != want {
			t.Errorf("reported %s, want %s", got, want)
		}
	}
	if n := len(m.Envelopes); n != 3 || m.Envelopes[1].Points[0].Values[0] != 2 || !m.Envelopes[2].Synchronized {
		t.Errorf("%d envelopes", n)
	}
	got := reported(t, m, func(e *mapedit.Editor) error { return e.PasteEnvelopes(other, []int{3}) })
	if !strings.HasPrefix(got, "error: no envelope 3") {
		t.Errorf("reported %s", got)
	}
}

// TestAddExternalImage tests the sizes and names of images of the games.
func TestAddExternalImage(t *testing.T) {
	m := twmap.New(5, 5)
	for _, c := range []struct{ name, want string }{
		{"snow", "images/snow: 1  added with 64 x 64 pixels"},
		{"grass_main", "images/grass_main: 1  added with 1024 x 1024 pixels"},
		{"snow", ""},
		{"easter", `error: the game of the map has no image "easter"`},
	} {
		if got := reported(t, m, func(e *mapedit.Editor) error { return e.AddExternalImage(c.name, 0, 0) }); got != c.want {
			t.Errorf("%s: reported %s", c.name, got)
		}
	}
	m.To07()
	if got := reported(t, m, func(e *mapedit.Editor) error { return e.AddExternalImage("easter", 0, 0) }); got == "" {
		t.Error("easter was not added to a map of Teeworlds 0.7")
	}
	// The sizes are those of the pictures of both games.
	pictures := 0
	for _, path := range tests.CorpusFiles(t, "teeworlds/mapres", ".png") {
		name := strings.TrimSuffix(filepath.Base(path), ".png")
		if !slices.Contains(twmap.ExternalImages, name) || filepath.Base(filepath.Dir(path)) != "mapres" {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := png.DecodeConfig(f)
		f.Close()
		m := twmap.New(5, 5)
		m.To07()
		if err := errors.Join(err, mapedit.New(m, nil).AddExternalImage(name, 0, 0)); err != nil {
			t.Fatal(err)
		}
		if im := m.Images[0]; im.Width() != c.Width || im.Height() != c.Height {
			t.Errorf("%s: %d x %d, want %d x %d", path, im.Width(), im.Height(), c.Width, c.Height)
		}
		pictures++
	}
	if pictures < len(twmap.ExternalImages) {
		t.Errorf("only %d pictures", pictures)
	}
}

// TestPasteParallax tests that a paste looks like its source for a camera over its middle.
func TestPasteParallax(t *testing.T) {
	m := twmap.New(100, 50)
	rows := make([][]uint8, 50)
	for y := range rows {
		rows[y] = make([]uint8, 100)
		for x := range rows[y] {
			rows[y][x] = uint8(1 + x + 7*y)
		}
	}
	far := twmap.NewGroup("Far", design(rows...))
	far.ParallaxX, far.ParallaxY, far.OffsetX = 50, 50, 32
	m.Groups = append(m.Groups, far)
	from := m.Clone()
	if err := mapedit.New(m, nil).PasteArea(from, mapedit.Area{X: 10, Y: 10, Width: 20, Height: 10}, 50, 30, mapedit.Across{}); err != nil {
		t.Fatal(err)
	}
	// The middle is 20,15, and then 60,35: in the group 1+10, 7.5, and 1+30, 17.5.
	was, is := from.Groups[1].Layers[0].(*twmap.TileLayer).Tiles(), m.Groups[1].Layers[0].(*twmap.TileLayer).Tiles()
	for y := range 10 {
		for x := range 20 {
			if got, want := is.At(31-10+x, 13+y), was.At(11-10+x, 3+y); got != want {
				t.Fatalf("tile %d,%d is %v, want %v", x, y, got, want)
			}
		}
	}
}

// TestScale tests that a scaled map looks like an enlarged drawing of the map, and what happens to entities.
func TestScale(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	for _, f := range []int{2, 4, 8, 16} {
		m := twmap.New(6, 5)
		m.Images = []*twmap.Image{twmap.NewImage("tiles", checkered(16, 0)), twmap.NewImage("small", checkered(1, 9))}
		l, small, plain := twmap.NewTileLayer(twmap.KindTiles, 6, 5), twmap.NewTileLayer(twmap.KindTiles, 6, 5),
			twmap.NewTileLayer(twmap.KindTiles, 6, 5)
		l.Image, small.Image = 0, 1
		l.AutoMapper = &twmap.AutoMapper{Config: 1}
		for i := range 12 {
			l.Tiles().Set(i%6, i/6, twmap.Tile{ID: uint8(16 + i%5), Flags: twmap.TileFlags(i%4 | i/4%2*8)})
		}
		small.Tiles().Set(2, 3, twmap.Tile{ID: 255, Flags: twmap.Rotate})
		plain.Tiles().Set(4, 4, twmap.Tile{ID: 3})
		q := twmap.NewQuad(100, 100, 40, 20)
		quads := twmap.NewQuadLayer(q)
		quads.Image = 0
		m.Groups[0].Layers = append(m.Groups[0].Layers, l, small, plain, quads)
		back := twmap.NewGroup("Back", twmap.NewQuadLayer(twmap.NewQuad(0, 0, 40, 40)))
		back.OffsetX = 13 // the view of a group with another parallax depends on the size of the map
		m.Groups = append([]*twmap.Group{back}, m.Groups...)
		game := m.Physics(twmap.KindGame).Tiles()
		game.Set(1, 1, twmap.Tile{ID: uint8(twmap.EntitySpawn)})
		game.Set(3, 3, twmap.Tile{ID: uint8(twmap.EntityDoor)})
		game.Set(4, 3, twmap.Tile{ID: uint8(twmap.EntityLaserLong)})
		game.Set(0, 0, twmap.Tile{ID: 1})

		n := edited(t, m, func(e *mapedit.Editor) error { return e.Scale(f) })
		if g := n.Physics(twmap.KindGame); g.Width() != 6*f || g.Height() != 5*f {
			t.Fatalf("the game layer has %d x %d tiles", g.Width(), g.Height())
		}
		found := map[uint8]int{}
		for _, row := range n.Physics(twmap.KindGame).Tiles().Rows() {
			for _, c := range row {
				found[c.ID]++
			}
		}
		if found[uint8(twmap.EntitySpawn)] != 1 || found[uint8(twmap.EntityDoor)] != 1 ||
			found[uint8(twmap.EntityLaserLong)] != 1 || found[1] != f*f {
			t.Errorf("x%d: the game layer has %v", f, found)
		}
		for y, row := range n.Physics(twmap.KindGame).Tiles().Rows() {
			for x, c := range row {
				if c.ID == uint8(twmap.EntityDoor) && n.Physics(twmap.KindGame).Tiles().At(x+1, y).ID != uint8(twmap.EntityLaserLong) {
					t.Errorf("x%d: the tile with the length of the door is not next to it", f)
				}
			}
		}
		want, got := drawn(t, m, 16*f), drawn(t, n, 16)
		if d := difference(t, want, got); d > 2 {
			t.Errorf("x%d: the picture differs by %.3f", f, d)
			save(t, "scale-want", want)
			save(t, "scale-got", got)
		}
		if _, err := n.Encode(); err != nil {
			t.Error(err)
		}
		if len(n.Images) == 0 || n.Images[0].Name != "tiles" {
			t.Error("the quads have lost their image")
		}
	}
	m := twmap.New(6, 5)
	m.Images = []*twmap.Image{twmap.NewExternalImage("grass_main", 1024, 1024)}
	l := design([]uint8{1, 2})
	l.Image = 0
	m.Groups[0].Layers = append(m.Groups[0].Layers, l)
	if got := reported(t, m, func(e *mapedit.Editor) error { return e.Scale(2) }); got != "error: the pictures of grass_main "+
		"are not in the map: embed them first" {
		t.Errorf("reported %s", got)
	}
	if err := mapedit.New(twmap.New(3000, 3000), nil).Scale(16); err == nil {
		t.Error("made a grid beyond MaxCells")
	}
	far := twmap.New(5, 5)
	far.Groups[0].Layers = append(far.Groups[0].Layers, twmap.NewQuadLayer(twmap.NewQuad(1<<20, 0, 1, 1)))
	if got := reported(t, far, func(e *mapedit.Editor) error { return e.Scale(4) }); !strings.Contains(got, "5 coordinates were limited") {
		t.Errorf("reported %s", got)
	}
	if quads, _ := far.Groups[0].Layers[1].(*twmap.QuadLayer).Quads(); quads[0].Points[0].X != math.MaxInt32 {
		t.Errorf("the quad is at %v: it came back from the other side", quads[0].Points)
	}
}

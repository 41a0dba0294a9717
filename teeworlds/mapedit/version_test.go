package mapedit

import (
	"errors"
	"image"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

// TestSheets tests that no tile is in a list twice, and that the conversion to 0.7 can be reversed.
func TestSheets(t *testing.T) {
	to07, to06 := remaps()
	for _, s := range sheets {
		at06, at07 := make(map[int]int), make(map[int]int)
		eachTile(s.both, func(from, to int) { at06[from]++; at07[to]++ })
		eachTile(s.only06, func(i, _ int) { at06[i]++ })
		eachTile(s.only07, func(i, _ int) { at07[i]++ })
		for _, at := range []map[int]int{at06, at07} {
			for i, n := range at {
				if n != 1 || i <= 0 || i > 255 {
					t.Errorf("%s: tile %d is there %d times", s.name, i, n)
				}
			}
		}
		eachTile(s.both, func(from, to int) {
			if got := int(to07[s.name].to[from]); got != to {
				t.Errorf("%s: %d goes to %d, expected %d", s.name, from, got, to)
			}
			if got := int(to06[s.name].to[to]); got != from {
				t.Errorf("%s: %d is restored as %d, expected %d", s.name, to, got, from)
			}
		})
	}
}

// mapres returns the pictures of both games: those of DDNet are those of 0.6.
func mapres(t *testing.T) (find06, find07 func(string) (*image.NRGBA, error)) {
	dir := filepath.Join(tests.Corpus(t, "teeworlds"), "mapres")
	in := func(parts ...string) func(string) (*image.NRGBA, error) {
		return func(name string) (*image.NRGBA, error) {
			return mapdraw.ReadPNG(filepath.Join(append(append([]string{dir}, parts...), name+".png")...))
		}
	}
	if _, err := os.Stat(dir); err != nil {
		tests.Missing(t, "corpus", "no pictures of the games: %v", err)
	}
	return in("ddnet_ddnet", "data", "mapres"), in("teeworlds_teeworlds", "datasrc", "mapres")
}

// TestSheetsOfPictures tests that the lists match the pictures of both games: a tile that is in both looks the same,
// and a tile that is in neither list is invisible.
func TestSheetsOfPictures(t *testing.T) {
	find06, find07 := mapres(t)
	for _, s := range sheets {
		a, errA := find06(s.name)
		b, errB := find07(s.name)
		if errA != nil || errB != nil {
			t.Error(errA, errB)
			continue
		}
		to07, to06 := remaps()
		there, back := to07[s.name], to06[s.name]
		if !ofSameGame(a, there, back) || !ofSameGame(b, back, there) || s.only07 != "" && s.name != "generic_unhookable" &&
			(ofSameGame(a, back, there) || ofSameGame(b, there, back)) {
			t.Errorf("%s: it is not known which picture is whose", s.name)
		}
		seen06, seen07 := [256]bool{}, [256]bool{}
		eachTile(s.both, func(from, to int) {
			seen06[from], seen07[to] = true, true
			if d := distance(a, from, b, to); d > 1.5 && !there.redrawn[from] || d > 60 {
				t.Errorf("%s: tiles %d and %d differ by %.1f", s.name, from, to, d)
			}
		})
		eachTile(s.only06, func(i, _ int) { seen06[i] = true })
		eachTile(s.only07, func(i, _ int) { seen07[i] = true })
		for i := 1; i < 256; i++ {
			if tileSeen(a, i) != seen06[i] {
				t.Errorf("%s: tile %d of 0.6: to be seen: %t", s.name, i, !seen06[i])
			}
			if tileSeen(b, i) != seen07[i] {
				t.Errorf("%s: tile %d of 0.7: to be seen: %t", s.name, i, !seen07[i])
			}
		}
	}
}

// distance returns the visible difference of two tiles, 0 to 255.
func distance(a *image.NRGBA, i int, b *image.NRGBA, j int) float64 {
	w, h := a.Rect.Dx()/16, a.Rect.Dy()/16
	sum := 0.0
	for y := range h {
		p, q := row(a, i/16*h+y)[4*w*(i%16):], row(b, j/16*h+y)[4*w*(j%16):]
		for x := range w {
			alpha, beta := float64(p[4*x+3]), float64(q[4*x+3])
			for c := range 3 {
				sum += math.Abs(float64(p[4*x+c])*alpha-float64(q[4*x+c])*beta) / 255
			}
			sum += math.Abs(alpha - beta)
		}
	}
	return sum / float64(4*w*h)
}

// old returns a map of 0.6 with pictures that are different in 0.7.
func old(doodads ...uint8) *twmap.Map {
	m := twmap.New(10, 10)
	m.Images = []*twmap.Image{twmap.NewExternalImage("grass_doodads", 1024, 1024), twmap.NewExternalImage("grass_main", 1024, 1024)}
	for i := range m.Images {
		l := twmap.NewTileLayer(twmap.KindTiles, 10, 10)
		l.Image = i
		l.Tiles().Set(9, 9, twmap.Tile{ID: 1})
		m.Groups[0].Layers = append(m.Groups[0].Layers, l)
	}
	for i, id := range doodads {
		m.Groups[0].Layers[1].(*twmap.TileLayer).Tiles().Set(i, 0, twmap.Tile{ID: id, Flags: twmap.FlipX})
	}
	return m
}

var errNone = errors.New("not found")

func none(string) (*image.NRGBA, error) { return nil, errNone }

func TestTo07AndBack(t *testing.T) {
	m := old(4, 8, 17)
	var reported []string
	e := New(m, func(c check.Change) { reported = append(reported, c.What) })
	if err := e.To06(Across{Find: none}); err == nil {
		t.Error("a map of 0.6 became one of 0.6")
	}
	if err := e.To07(Across{Find: none}); err != nil {
		t.Fatal(err)
	}
	cells := m.Groups[0].Layers[1].(*twmap.TileLayer).Tiles()
	if a, b, c := cells.At(0, 0), cells.At(1, 0), cells.At(2, 0); a != (twmap.Tile{ID: 3, Flags: twmap.FlipX}) ||
		b != (twmap.Tile{}) || c.ID != 233 {
		t.Errorf("the tiles are %v %v %v", a, b, c)
	}
	if m.Flavor() != flavor07 || len(reported) != 4 {
		t.Errorf("%s: %q", m.Flavor(), reported)
	}
	if err := e.To07(Across{Find: none}); err == nil {
		t.Error("a map of 0.7 became one of 0.7")
	}
	if err := e.To06(Across{Find: none}); err != nil {
		t.Fatal(err)
	}
	want := old(4, 0, 17) // invisible tiles became air
	want.Groups[0].Layers[1].(*twmap.TileLayer).Tiles().Set(1, 0, twmap.Tile{})
	want.Modernize()
	if !m.Equal(want) {
		t.Error("it is another map than before")
	}
}

func TestTo07Embeds(t *testing.T) {
	find06, find07 := mapres(t)
	for name, c := range map[string]struct {
		m        func() *twmap.Map
		find     func(string) (*image.NRGBA, error)
		err      string
		reported string
	}{
		"a tile is gone":    {func() *twmap.Map { return old(38) }, find06, "", "lacks tiles that are used: 38"},
		"the other picture": {func() *twmap.Map { return old(38) }, find07, "that of the other game", ""},
		"no picture":        {func() *twmap.Map { return old(38) }, none, "not found", ""},
		"quads":             {withQuad, find06, "", "quads use it"},
	} {
		m := c.m()
		was := encoded(t, m)
		var reported []string
		err := New(m, func(c check.Change) { reported = append(reported, c.What) }).To07(Across{Find: c.find})
		switch {
		case c.err == "" && (err != nil || m.Images[0].External() || !m.Images[1].External()):
			t.Errorf("%s: %v", name, err)
		case c.err == "" && !slices.ContainsFunc(reported, func(s string) bool { return strings.Contains(s, c.reported) }):
			t.Errorf("%s: reported %q", name, reported)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || !slices.Equal(encoded(t, m), was)):
			t.Errorf("%s: %v", name, err)
		}
	}
	m := old(38, 4)
	if err := New(m, nil).To07(Across{Find: none, Drop: true}); err != nil ||
		m.Groups[0].Layers[1].(*twmap.TileLayer).Tiles().At(1, 0).ID != 3 {
		t.Errorf("dropping: %v", err)
	}
}

// TestPasteAcross tests that parts of a map of the other game are converted when they are pasted: to tiles that look
// the same, in the format of the map, with a picture of the same name.
func TestPasteAcross(t *testing.T) {
	new07 := func() *twmap.Map {
		m := old(4, 17)
		if err := New(m, nil).To07(Across{}); err != nil {
			t.Fatal(err)
		}
		return m
	}
	ddnet := func() *twmap.Map {
		m := old(20)
		m.Groups[0].Layers = append(m.Groups[0].Layers, twmap.NewTileLayer(twmap.KindTele, 10, 10))
		m.Info.Settings = []string{"tune gravity 1"}
		return m
	}
	wrong := func(m *twmap.Map) (list []string) {
		m.Check(func(f check.Finding) {
			if f.Severity == check.Error {
				list = append(list, f.Message)
			}
		})
		return list
	}
	ids := func(m *twmap.Map, group int) (list []uint8) {
		l := m.Groups[group].Layers[0].(*twmap.TileLayer)
		if l.Kind().Physics() {
			l = m.Groups[group].Layers[1].(*twmap.TileLayer)
		}
		return []uint8{l.Tiles().At(0, 0).ID, l.Tiles().At(1, 0).ID}
	}
	for name, paste := range map[string]func(e *Editor, from *twmap.Map, a Across) error{
		"append": (*Editor).Append,
		"group":  func(e *Editor, from *twmap.Map, a Across) error { return e.PasteGroups(from, []int{0}, -1, a) },
	} {
		m := ddnet()
		if err := paste(New(m, nil), new07(), Across{}); err != nil {
			t.Fatal(name, err)
		}
		if got := ids(m, 1); !slices.Equal(got, []uint8{4, 17}) || len(m.Images) != 2 || len(m.Misfits()) > 0 || len(wrong(m)) > 0 {
			t.Errorf("%s: tiles %d, %d images, %q", name, got, len(m.Images), wrong(m))
		}
		for _, im := range m.Images {
			if im.Version > 1 {
				t.Errorf("%s: %s has version %d", name, im.Name, im.Version)
			}
		}

		m = new07()
		was := m.Clone()
		err := paste(New(m, nil), ddnet(), Across{})
		if name == "append" && (!errors.Is(err, ErrLoss) || !m.Equal(was)) {
			t.Errorf("the settings are lost: %v", err)
		} else if name == "append" {
			err = paste(New(m, nil), ddnet(), Across{Drop: true})
		}
		if got := ids(m, 1); err != nil || !slices.Equal(got, []uint8{19, 0}) || m.Flavor() != flavor07 ||
			len(m.Images) != 2 || len(wrong(m)) > 0 {
			t.Errorf("%s to 0.7: %v, tiles %d, %s, %q", name, err, got, m.Flavor(), wrong(m))
		}
	}

	// Paste an area of a map of 0.7 into one of 0.6.
	m, from := old(20), new07()
	if err := New(m, nil).PasteArea(from, Area{0, 0, 2, 1}, 0, 0, Across{}); err != nil {
		t.Fatal(err)
	}
	if got := ids(m, 0); !slices.Equal(got, []uint8{4, 17}) || len(m.Misfits()) > 0 {
		t.Errorf("an area: tiles %d", got)
	}

	// Pastes without conversion, as by other programs, are found and corrected.
	m = ddnet()
	m.Groups = append(m.Groups, twmap.NewGroup("Far", new07().Groups[0].Layers[1]))
	if list := wrong(m); len(list) != 1 || !strings.Contains(list[0],
		"version 4, which is for maps of Teeworlds 0.7, but the game layer has version 3") {
		t.Errorf("found %q", list)
	}
	New(m, nil).Fit()
	if list := wrong(m); len(list) > 0 {
		t.Errorf("found %q in what was mended", list)
	}
	m = new07()
	m.Info.Settings = []string{"tune gravity 1"}
	if list := wrong(m); len(list) != 3 || !strings.Contains(list[0], "but the map has parts that only DDNet has") {
		t.Errorf("found %q", list)
	}
}

func withQuad() *twmap.Map {
	m := old()
	l := twmap.NewQuadLayer(twmap.NewQuad(0, 0, 64, 64))
	l.Image = 0
	m.Groups[0].Layers = append(m.Groups[0].Layers, l)
	return m
}

func encoded(t *testing.T, m *twmap.Map) []byte {
	t.Helper()
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

package mapquery

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/format"
	_ "trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/internal/mapscene"
	"trowel.example/teeworlds/twmap"
)

// stripes returns a picture of stripes; change is added to one channel of each pixel.
func stripes(w, h, change int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			v := uint8(255 * (x * 8 / w % 2))
			p.SetNRGBA(x, y, color.NRGBA{R: v, G: uint8(100 + change), B: 200, A: 255})
		}
	}
	return p
}

// writePNG writes a picture to a file.
func writePNG(t *testing.T, path string, p image.Image) string {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, p); err != nil {
		t.Fatal(err)
	}
	return path
}

// query returns a query of a map, and the results and warnings that it collects.
func query(m *twmap.Map) (q *Query, results, warnings *[]string) {
	results, warnings = new([]string), new([]string)
	return &Query{
		Index: NewIndex(m), m: m, src: &format.Source{Path: "a.map"},
		hit: func(path string, _ twmap.Place, fields ...format.InfoField) error {
			for _, f := range fields {
				path += fmt.Sprintf(" %s=%v", f.Key, f.Value)
			}
			*results = append(*results, path)
			return nil
		},
		warn: func(path, format string, args ...any) {
			*warnings = append(*warnings, path+": "+fmt.Sprintf(format, args...))
		},
		miss: func(path string, err error) { *warnings = append(*warnings, fmt.Sprintf("%s: %v", path, err)) },
	}, results, warnings
}

// TestImages tests the search for pictures: identical and near ones, embedded and external ones.
func TestImages(t *testing.T) {
	dir := t.TempDir()
	own := writePNG(t, filepath.Join(dir, "own.png"), stripes(128, 128, 0))
	writePNG(t, filepath.Join(dir, "outside.png"), stripes(128, 128, 0))
	m := twmap.New(20, 20)
	m.Images = []*twmap.Image{
		twmap.NewImage("same", stripes(128, 128, 0)), twmap.NewImage("brighter", stripes(128, 128, 15)),
		twmap.NewImage("larger", stripes(256, 192, 0)), twmap.NewImage("other", stripes(128, 128, 30)),
		twmap.NewExternalImage("outside", 1024, 1024), twmap.NewExternalImage("lost", 1024, 1024),
		twmap.NewImage("empty", image.NewNRGBA(image.Rect(0, 0, 128, 128))),
	}
	layer := twmap.NewQuadLayer(twmap.NewQuad(0, 0, 32, 32))
	m.Groups = append(m.Groups, twmap.NewGroup("Deco", layer))
	layer.Image = 0
	for _, c := range []struct {
		query ImageQuery
		want  string
	}{
		{ImageQuery{SameAs: own}, "same outside"},
		{ImageQuery{Near: own}, "same brighter 3.75 larger outside"},
		{ImageQuery{}, "same brighter larger other outside lost empty"},
		{ImageQuery{PartQuery: PartQuery{Name: "o*"}, SameAs: own}, "outside"},
	} {
		if c.query.Name == "" {
			c.query.Name = "*"
		}
		c.query.Pictures = mapscene.Pictures{Mapres: []string{dir}}
		q, results, warnings := query(m)
		if err := Images(t.Context(), q, c.query); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range *results {
			var name, use, stored, width, height, hash, difference string
			for _, f := range strings.Fields(r) {
				key, value, _ := strings.Cut(f, "=")
				switch key {
				case "name":
					name = value
				case "use":
					use = value
				case "stored":
					stored = value
				case "width":
					width = value
				case "height":
					height = value
				case "hash":
					hash = value
				case "difference":
					difference = value
				}
			}
			got = append(got, name)
			if difference != "0" && difference != "<nil>" {
				got = append(got, difference)
			}
			if name == "same" && use != "quads" || name != "same" && use != "unused" ||
				(stored == "external") != (name == "outside" || name == "lost") {
				t.Errorf("%s", r)
			}
			if compared := c.query.SameAs+c.query.Near != ""; (len(hash) == 16) != compared ||
				compared && name == "outside" && width+height != "128128" {
				t.Errorf("%s", r)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %s, want %s: %q", c.query, got, c.want, *results)
		}
		lost := len(*warnings) == 1 && strings.HasPrefix((*warnings)[0], "a.map: images/lost: not compared")
		if c.query.Name == "*" && c.query.SameAs+c.query.Near != "" != lost {
			t.Errorf("%+v: %q", c.query, *warnings)
		}
	}
	for _, bad := range []ImageQuery{{SameAs: own, Near: own}, {SameAs: filepath.Join(dir, "none.png")}, {Near: dir}} {
		q, _, _ := query(m)
		if err := Images(t.Context(), q, bad); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}

// TestShares tests that the parts of each small pixel add up to 1.
func TestShares(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 65, 100, 1024, 1000} {
		var sums [smallSide]float64
		for _, list := range shares(n) {
			for _, s := range list {
				sums[s.at] += float64(s.part)
			}
		}
		for at, sum := range sums {
			if sum < 0.9999 || sum > 1.0001 {
				t.Errorf("%d: pixel %d has %f", n, at, sum)
			}
		}
	}
}

// TestWith tests the words of --with.
func TestWith(t *testing.T) {
	m := twmap.New(20, 20)
	m.Physics(twmap.KindGame).Tiles().Set(1, 1, twmap.Tile{ID: uint8(twmap.EntityPlasma)})
	m.Physics(twmap.KindGame).Tiles().Set(2, 1, twmap.Tile{ID: uint8(twmap.EntityPlasma)})
	m.Physics(twmap.KindGame).Tiles().Set(3, 1, twmap.Tile{ID: uint8(twmap.TileFreeze)})
	l := twmap.NewTileLayer(twmap.KindSwitch, 20, 20)
	m.Groups[0].Layers = append(m.Groups[0].Layers, l)
	l.Switches().Set(2, 1, twmap.SwitchTile{ID: uint8(twmap.TileFreeze), Number: 7})
	l.Switches().Set(3, 1, twmap.SwitchTile{ID: uint8(twmap.TileSwitchOpen), Number: 8})
	for with, want := range map[string][]string{
		"switch":        {"[freezing explosive plasma]switch freeze (7)", "[freeze]switch open (8)"},
		"switch:freeze": {"[freezing explosive plasma]switch freeze (7)"},
		"physics:24":    {"[freeze]switch open (8)"},
		"game":          {"[freeze]game freeze", "[open]game"},
		"switch:deep*":  nil,
	} {
		q, results, _ := query(m)
		err := Tiles(t.Context(), q, TilesQuery{With: []string{with}})
		var got []string
		for _, r := range *results {
			_, name, _ := strings.Cut(r, " name=")
			name, _, _ = strings.Cut(name, " flags=")
			_, joined, _ := strings.Cut(r, " with=")
			got = append(got, "["+strings.TrimPrefix(name, "entity: ")+"]"+joined)
		}
		if with == "game" { // the tiles of the switch layer
			if len(got) != 2 || !strings.HasSuffix(got[0], "game entity: freezing explosive plasma") ||
				!strings.HasSuffix(got[1], "]game freeze") {
				t.Errorf("%s: %q, %v", with, got, err)
			}
			continue
		}
		for i := range got {
			got[i] = strings.Replace(got[i], twmap.TileName(twmap.KindSwitch, uint8(twmap.TileSwitchOpen)), "open", 1)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", with, got, err, want)
		}
	}
	q, _, _ := query(m)
	if err := Tiles(t.Context(), q, TilesQuery{With: []string{"switch:nothing"}}); err == nil || !strings.Contains(err.Error(), "--with") {
		t.Errorf("%v", err)
	}
}

package mapdir_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/teeworlds/internal/tiletext"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// TestLines tests that each place of a map has a line in the folder, and that the line leads back to the place.
func TestLines(t *testing.T) {
	maps := []*twmap.Map{sample()}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		maps = append(maps, oddMap(rng))
	}
	for _, m := range maps {
		names := mapdir.NamesOf(m)
		tree := names.Open()
		lines := func(path string) []string {
			data, err := fs.ReadFile(tree, path)
			if err != nil {
				t.Fatal(err)
			}
			return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		}
		try := func(p twmap.Place, want string) {
			t.Helper()
			line, ok := names.Line(p)
			if !ok {
				t.Fatalf("%s %v has no line", p.Part.Path(), p)
			}
			all := lines(line.Path)
			if line.Line > len(all) || line.Line > 0 && !strings.Contains(all[line.Line-1], want) {
				t.Fatalf("%s %v is at %v of %d: want %s", p.Part.Path(), p, line, len(all), want)
			}
			first, last, ok := names.Places(line)
			if p.X >= 0 && (first.X != 0 || int(last.X) != m.LayerAt(p.Part).(*twmap.TileLayer).Width()-1) {
				t.Errorf("the row %v is %v to %v", line, first, last)
			}
			first.X, last.X = p.X, p.X
			if !ok || first.Part.Path() != p.Part.Path() || first.Part.Name != p.Part.Name || fmt.Sprint(first, last) != fmt.Sprint(p, p) {
				t.Fatalf("%s %v is at %v, where %v is, %v", p.Part.Path(), p, line, first, ok)
			}
		}
		list := func(part *twmap.Part, thing twmap.Thing, n int) {
			try(part.Whole(), "")
			for i := range n {
				try(part.Thing(thing, i), "    {")
			}
			if n > 0 { // lines before and after the list belong to the part
				line, _ := names.Line(part.Thing(thing, 0))
				for _, at := range []int{line.Line - 1, line.Line + n} {
					if first, _, ok := names.Places(check.Line{Path: line.Path, Line: at}); !ok || first.Index >= 0 {
						t.Errorf("line %d of %s is %v, %v", at, line.Path, first, ok)
					}
				}
			}
		}
		for i, line := range m.Info.Settings {
			try((&twmap.Part{Kind: twmap.PartSetting, Number: i, Name: line}).Whole(), line)
		}
		for i, im := range m.Images {
			try((&twmap.Part{Kind: twmap.PartImage, Number: i, Name: im.Name}).Whole(), "")
		}
		for i, s := range m.Sounds {
			try((&twmap.Part{Kind: twmap.PartSound, Number: i, Name: s.Name}).Whole(), "")
		}
		for i, e := range m.Envelopes {
			list(&twmap.Part{Kind: twmap.PartEnvelope, Number: i, Name: e.Name}, twmap.ThingPoint, len(e.Points))
		}
		for i, g := range m.Groups {
			try((&twmap.Part{Kind: twmap.PartGroup, Number: i, Name: g.Name}).Whole(), "")
		}
		for _, l := range m.Layers() {
			part := m.PartOf(l)
			switch l := l.(type) {
			case *twmap.TileLayer:
				list(part, twmap.ThingQuad, 0)
				if l.Tiles() != nil {
					x, y := l.Width()-1, l.Height()-1
					cell := tiletext.FormatCell(l.Tiles().At(x, y))
					try(part.Tile(x, y), cell)
					row, _ := names.Line(part.Tile(0, y))
					row.Column = strings.LastIndex(lines(row.Path)[y], cell) + 1
					if first, last, ok := names.Places(row); !ok || first != last || first.X != int32(x) || first.Y != int32(y) {
						t.Errorf("%v is %v to %v, %v", row, first, last, ok)
					}
				}
			case *twmap.QuadLayer:
				list(part, twmap.ThingQuad, l.NumQuads())
			case *twmap.SoundLayer:
				list(part, twmap.ThingSource, l.NumSources())
			default:
				list(part, twmap.ThingQuad, 0)
			}
		}
		for _, nothing := range []check.Line{{}, {Path: "map.json", Line: 1}, {Path: "images/order.txt", Line: 1},
			{Path: "groups/none/none.txt", Line: 1}, {Path: "settings.cfg", Line: 99}} {
			if first, _, ok := names.Places(nothing); ok {
				t.Errorf("%v is %v", nothing, first)
			}
		}
		game := m.PartOf(m.Physics(twmap.KindGame))
		for _, p := range []twmap.Place{{}, game.Thing(twmap.ThingQuad, 0),
			(&twmap.Part{Kind: twmap.PartGroup}).Thing(twmap.ThingPoint, 0),
			(&twmap.Part{Kind: twmap.PartEnvelope}).Thing(twmap.ThingPoint, 99),
			(&twmap.Part{Kind: twmap.PartImage, Number: 99}).Whole(), (&twmap.Part{Kind: twmap.PartLayer, Number: -1}).Whole(),
			(&twmap.Part{Kind: twmap.PartExtra}).Whole()} {
			if line, ok := names.Line(p); ok {
				t.Errorf("%v is at %v", p, line)
			}
		}
	}
}

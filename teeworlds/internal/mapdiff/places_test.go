package mapdiff_test

import (
	"slices"
	"testing"

	"trowel.example/check"
	"trowel.example/teeworlds/internal/mapdiff"
	"trowel.example/teeworlds/twmap"
)

// verifyPlaces tests that the places of a change between two maps are correct.
func verifyPlaces(t testing.TB, a, b *twmap.Map, c mapdiff.Change) {
	t.Helper()
	old, new := c.Places()
	if c.Kind == mapdiff.Tiles {
		if want := c.Area.Width * c.Area.Height; len(new) != want || len(old) > want {
			t.Errorf("%+v: %d places were, %d are", c, len(old), len(new))
		}
	} else if c.Part.Type != "map" && (len(old) != 0) == (c.Kind == mapdiff.Added) || c.Part.Type != "map" &&
		(len(new) != 0) == (c.Kind == mapdiff.Removed) {
		t.Errorf("%+v: places %v, %v", c, old, new)
	}
	for _, side := range []struct {
		m      *twmap.Map
		places []check.Place
		cell   any
	}{{a, old, c.Old}, {b, new, c.New}} {
		for _, p := range side.places {
			at := p.(*twmap.Place)
			name, ok := nameOf(side.m, at)
			if !ok || name != at.Part.Name {
				t.Fatalf("%+v is in %s %q, which is %q, %v", c, at.Part.Path(), at.Part.Name, name, ok)
			}
			if c.Kind != mapdiff.Tiles {
				continue
			}
			if l := side.m.LayerAt(at.Part).(*twmap.TileLayer); cellText(l, int(at.X), int(at.Y)) != side.cell {
				t.Fatalf("%+v: %v of %s is %s", c, at, at.Part.Path(), cellText(l, int(at.X), int(at.Y)))
			}
		}
	}
}

// nameOf returns the name of the part at a place, and whether the place exists.
func nameOf(m *twmap.Map, p *twmap.Place) (string, bool) {
	n, index := p.Part.Number, int(p.Index)
	switch p.Part.Kind {
	case twmap.PartSetting:
		return m.Info.Settings[n], true
	case twmap.PartImage:
		return m.Images[n].Name, true
	case twmap.PartSound:
		return m.Sounds[n].Name, true
	case twmap.PartEnvelope:
		return m.Envelopes[n].Name, index < len(m.Envelopes[n].Points)
	case twmap.PartGroup:
		return m.Groups[n].Name, true
	case twmap.PartExtra:
		return "", n < len(m.Extras)
	}
	l := m.LayerAt(p.Part)
	if l == nil {
		return "", false
	}
	if p.Part.Group != nil && p.Part.Group.Name != m.Groups[p.Part.Group.Number].Name {
		return "group " + m.Groups[p.Part.Group.Number].Name, false
	}
	switch l := l.(type) {
	case *twmap.QuadLayer:
		return l.Name, (index >= 0) == (p.Thing == twmap.ThingQuad) && index < l.NumQuads()
	case *twmap.SoundLayer:
		return l.Name, (index >= 0) == (p.Thing == twmap.ThingSource) && index < l.NumSources()
	}
	return l.Base().Name, true
}

func cellText(l *twmap.TileLayer, x, y int) string {
	switch l.Kind() {
	case twmap.KindTele:
		return mapdiff.CellText(l.Teles().At(x, y))
	case twmap.KindSpeedup:
		return mapdiff.CellText(l.Speedups().At(x, y))
	case twmap.KindSwitch:
		return mapdiff.CellText(l.Switches().At(x, y))
	case twmap.KindTune:
		return mapdiff.CellText(l.Tunes().At(x, y))
	}
	return mapdiff.CellText(l.Tiles().At(x, y))
}

// TestPlaces tests that inserted rows shift the places in the old map, and that a change without a part has no place.
func TestPlaces(t *testing.T) {
	a := base()
	b := base()
	leaves := layer[*twmap.TileLayer](b, 3, 1)
	resize(leaves, 60, 43, 0, 3) // three rows at the top
	leaves.Name = "Needles"
	leaves.Tiles().Set(50, 20, twmap.Tile{ID: 99})
	leaves.Tiles().Set(7, 1, twmap.Tile{ID: 98})
	_, changes := compare(t, decode(t, a), decode(t, b))
	var got []string
	for _, c := range changes {
		old, new := c.Places()
		text := string(c.Kind)
		for _, list := range [][]check.Place{old, new} {
			text += " |"
			for _, p := range list {
				text += " " + p.(*twmap.Place).Part.Path() + " " + p.String()
			}
		}
		got = append(got, text)
	}
	const part = "groups[3].layers[1]"
	whole := " | " + part + " " + part + ` "Leaves" | ` + part + " " + part + ` "Needles"`
	want := []string{"renamed" + whole, "resized" + whole, "tiles | | " + part + " 7,1", "tiles | " + part + " 50,17 | " + part + " 50,20"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, c := range []mapdiff.Change{{}, {Kind: mapdiff.Tiles}, {Part: mapdiff.Part{Type: "quad"}},
		{Kind: mapdiff.Tiles, Part: mapdiff.Part{Type: "layer", Is: new(int)}, Area: &mapdiff.Area{Width: 1, Height: 1}}} {
		if old, new := c.Places(); old != nil || len(new) > 1 {
			t.Errorf("%+v is at %v and %v", c, old, new)
		}
	}
}

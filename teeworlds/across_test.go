package teeworlds

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/teeworlds/twmap"
)

// TestConvertIsEdit tests that convert and edit convert a map in the same way.
func TestConvertIsEdit(t *testing.T) {
	m := twmap.New(4, 4)
	m.Images = []*twmap.Image{twmap.NewExternalImage("grass_doodads", 1024, 1024)}
	l := twmap.NewTileLayer(twmap.KindTiles, 4, 4)
	l.Image = 0
	l.Tiles().Set(0, 0, twmap.Tile{ID: 4})
	m.Groups = append(m.Groups, twmap.NewGroup("Far", l))
	dir := t.TempDir()
	put := func(name string, m *twmap.Map) *format.Source {
		data, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		src, err := format.OpenSource(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { src.Close() })
		return src
	}
	convert := func(to string, src *format.Source) (*twmap.Map, error) {
		for _, c := range mapConversions {
			if c.To == to {
				out := filepath.Join(dir, "out.map")
				if err := c.Convert(t.Context(), new(format.Job), src, toFile{t, out}); err != nil {
					return nil, err
				}
				data := judge.Read(t, out)
				return twmap.Decode(data)
			}
		}
		t.Fatal(to)
		return nil, nil
	}
	edited := func(command string, src *format.Source) *twmap.Map {
		steps, err := format.ParseSteps(new(format.Job), mapEditing.Commands, []string{command})
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "edited.map")
		if err := mapEditing.Edit(t.Context(), new(format.Job), src, steps, toFile{t, out}, func(check.Change) error { return nil }); err != nil {
			t.Fatal(err)
		}
		data := judge.Read(t, out)
		m, err := twmap.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	old := put("old.map", m)
	new07, err := convert("teeworlds-0.7", old)
	if err != nil {
		t.Fatal(err)
	}
	id := func(m *twmap.Map) uint8 { return m.Groups[1].Layers[0].(*twmap.TileLayer).Tiles().At(0, 0).ID }
	if id(new07) != 3 || !new07.Equal(edited("to-0.7", old)) {
		t.Errorf("tile %d in 0.7: convert makes another map than edit", id(new07))
	}
	src := put("new.map", new07)
	back, err := convert("ddnet", src)
	if err != nil {
		t.Fatal(err)
	}
	if id(back) != 4 || !back.Equal(edited("to-0.6", src)) {
		t.Errorf("tile %d in DDNet: convert makes another map than edit", id(back))
	}
	if again, err := convert("teeworlds-0.7", src); err != nil || !again.Equal(new07) {
		t.Errorf("a map of 0.7 is converted to 0.7: %v", err)
	}

	// A picture that only one game has must be embedded: convert and edit both accept --mapres and --drop.
	m.Images[0].Name = "no-game-has-it"
	_, err = convert("teeworlds-0.7", put("lacking.map", m))
	if err == nil || !strings.Contains(err.Error(), "this would discard how images/no-game-has-it looks") ||
		!strings.Contains(err.Error(), "allow it with --drop") {
		t.Error(err)
	}
	for _, c := range mapConversions[:2] {
		if len(c.Options) != 2 || c.Options[1].Name != "mapres" {
			t.Errorf("%s has no --mapres", c.To)
		}
	}
}

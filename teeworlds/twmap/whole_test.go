package twmap_test

import (
	"fmt"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/testing/mutate"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

// partsOf lists everything in a map except the settings and the tiles of the game layer.
func partsOf(data []byte) ([]string, error) {
	m, err := twmap.Salvage(data)
	if err != nil {
		return nil, err
	}
	parts := []string{"author " + m.Info.Author, "credits " + m.Info.Credits}
	for _, l := range m.Layers() {
		part := fmt.Sprintf("%T %s", l, l.Base().Name)
		switch l := l.(type) {
		case *twmap.TileLayer:
			if g := l.Tiles(); g != nil && l.Kind() != twmap.KindGame {
				cells, err := g.Cells()
				part = fmt.Sprint(part, cells, err != nil)
			}
		case *twmap.QuadLayer:
			quads, err := l.Quads()
			part = fmt.Sprint(part, quads, err != nil)
		case *twmap.SoundLayer:
			sources, err := l.Sources()
			part = fmt.Sprint(part, sources, err != nil)
		}
		parts = append(parts, part)
	}
	for _, im := range m.Images {
		p, err := im.Picture()
		parts = append(parts, fmt.Sprint("image ", im.Name, p, err != nil))
	}
	for _, s := range m.Sounds {
		data, err := s.Opus()
		parts = append(parts, fmt.Sprint("sound ", s.Name, data, err != nil))
	}
	for _, e := range m.Envelopes {
		parts = append(parts, fmt.Sprint("envelope ", e.Name, e.Points))
	}
	return parts, nil
}

// TestWhole tests that a nil error means that everything was read: whatever part of a map is missing, no edit
// silently makes a smaller map of it.
func TestWhole(t *testing.T) {
	m := playable()
	m.Info.Author, m.Info.Credits, m.Info.Settings = "Ada", strings.Repeat("thanks ", 20), []string{"sv_team 1", "sv_deepfly 0"}
	withImage(m, twmap.NewImage("sky", picture(16, 16)))
	m.Sounds = append(m.Sounds, twmap.NewSound("wind", []byte("OggS of wind")))
	data := encode(t, m)
	f, err := datafile.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	var blocks [][]byte
	for _, b := range f.Data {
		blocks = append(blocks, b.Stream())
	}
	changes := map[string]func(m *twmap.Map) error{
		"setting": func(m *twmap.Map) error { m.Info.Settings = append(m.Info.Settings, "sv_hit 1"); return nil },
		"tile": func(m *twmap.Map) error {
			m.Physics(twmap.KindGame).Tiles().Set(0, 0, twmap.Tile{ID: uint8(twmap.TileSolid)})
			return nil
		},
		"image": func(m *twmap.Map) error {
			m.Images = append(m.Images, twmap.NewExternalImage("moon", 1, 1))
			return nil
		},
	}
	edits := make(map[string]func([]byte) ([]byte, error))
	for name, change := range changes {
		edits["Decode, "+name] = func(data []byte) ([]byte, error) {
			m, err := twmap.Decode(data)
			if err == nil {
				err = change(m)
			}
			if err != nil {
				return nil, err
			}
			return m.Encode()
		}
		edits["Salvage, "+name] = func(data []byte) ([]byte, error) {
			m, err := twmap.Salvage(data)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", fault.ErrLost, err)
			}
			if losses := lossesOf(m); losses != nil {
				return nil, fmt.Errorf("%w: %q", fault.ErrLost, losses)
			}
			if err := change(m); err != nil {
				return nil, err
			}
			return m.Encode()
		}
		edits["Decode in spite of its error, "+name] = func(data []byte) ([]byte, error) {
			m, err := twmap.Decode(data)
			if m == nil || m.Info == nil || m.Physics(twmap.KindGame) == nil {
				return nil, err
			}
			_, _ = m.Physics(twmap.KindGame).Tiles().Cells()
			if err := change(m); err != nil {
				return nil, err
			}
			return m.Encode()
		}
	}
	prefixes := 0
	if !tests.Long(t) {
		prefixes = 250
	}
	read := func(data []byte) error {
		m, err := twmap.Decode(data)
		if err == nil {
			err = m.Load()
		}
		return err
	}
	mutate.Whole{Data: data, Read: read, Edits: edits, Parts: partsOf, Blocks: blocks, Prefixes: prefixes}.Test(t)
}

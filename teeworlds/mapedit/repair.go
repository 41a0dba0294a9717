package mapedit

import (
	"fmt"
	"image"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

// Repair turns what could be read of a damaged map into a map that the games load, and returns what is lost by that, apart
// from data that could not be read: missing tiles become air, missing pixels transparent, and values that no game reads
// become valid. The map is clean afterwards, see [twmap.Map.Clean]. An error wraps [fault.ErrLimit].
func Repair(m *twmap.Map) (lost []string, err error) {
	all, pixels := effort.MapTurned.Start(0), effort.MapMade.Start(0)
	lose := func(format string, args ...any) { lost = append(lost, fmt.Sprintf(format, args...)) }
	m.Version = 1
	if i := m.Info; i != nil {
		for _, text := range []*string{&i.Author, &i.MapVersion, &i.Credits, &i.License} {
			*text = repairText(*text)
		}
		for j := range i.Settings {
			i.Settings[j] = repairText(i.Settings[j])
		}
	}
	for i, im := range m.Images {
		if im.Name = repairText(im.Name); im.Name == "" {
			im.Name = fmt.Sprintf("lost %d", i)
			lose("images[%d]: its name: it is %q now", i, im.Name)
		}
		if im.External() {
			continue
		}
		if p, err := im.Picture(); err != nil || p == nil {
			if p == nil {
				w, h := im.Width(), im.Height()
				if w <= 0 || h <= 0 || twmap.CheckSize(w, h) != nil {
					w, h = 16, 16
				}
				if err := pixels.Spend(int64(w) * int64(h)); err != nil {
					return nil, fmt.Errorf("images[%d]: %w", i, err)
				}
				p = image.NewNRGBA(image.Rect(0, 0, w, h))
			}
			im.SetPicture(p)
			lose("images[%d]: pixels of the image %q: they are transparent now", i, im.Name)
		}
	}
	for i, s := range m.Sounds {
		if s.Name = repairText(s.Name); s.Name == "" {
			s.Name = fmt.Sprintf("lost %d", i)
		}
		if _, err := s.Opus(); err != nil {
			s.SetOpus(nil)
			lose("sounds[%d]: the sound %q: it is silent now", i, s.Name)
		}
	}
	for _, e := range m.Envelopes {
		e.Name = repairText(e.Name)
	}
	shared := make(map[string]bool) // the layers that have their tiles in the block of another
	if m.Source() != nil {
		m.CheckFile(func(f check.Finding) {
			if f.ID == "tw-map-tiles-shared" {
				shared[f.Path] = true
			}
		})
	}
	layers := func(in string, list []twmap.Layer) []twmap.Layer {
		var kept []twmap.Layer
		for j, l := range list {
			b := l.Base()
			b.Name = ShortName(repairText(b.Name))
			what, e := repairLayer(l, shared[fmt.Sprintf("%s[%d]", in, j)], all)
			if err == nil && e != nil {
				err = fmt.Errorf("%s[%d]: %w", in, j, e)
			}
			if what != "" {
				lose("%s[%d]: the layer %q: %s", in, j, b.Name, what)
				continue
			}
			kept = append(kept, l)
		}
		return kept
	}
	for i, g := range m.Groups {
		g.Name = ShortName(repairText(g.Name))
		g.Layers = layers(fmt.Sprintf("groups[%d].layers", i), g.Layers)
	}
	m.Orphans = layers("orphans", m.Orphans)
	if err == nil {
		err = repairPhysics(m, all, lose)
	}
	m.Fit()
	m.Clean()
	return lost, err
}

func repairText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "\x00", "")
}

// repairLayer repairs a layer; a shared one gets its own tiles. It returns why the layer cannot be repaired: an error, or the
// kind of damage. Of the tiles of large layers, those of one are in memory at a time.
func repairLayer(l twmap.Layer, shared bool, all effort.Meter) (reason string, err error) {
	switch l := l.(type) {
	case *twmap.QuadLayer:
		if quads, err := l.Quads(); err != nil {
			l.SetQuads(slices.Clone(quads))
		}
	case *twmap.SoundLayer:
		if sources, err := l.Sources(); err != nil {
			l.SetSources(slices.Clone(sources))
		}
	case *twmap.UnknownLayer:
		if l.Damaged() {
			return "its item is cut off, or states an impossible size", nil
		}
	case *twmap.TileLayer:
		w, h := l.Width(), l.Height()
		if w < MinSize || h < MinSize || twmap.CheckSize(w, h) != nil { // a larger block would have been refused
			return fmt.Sprintf("no layer has %d x %d tiles", w, h), nil
		}
		if l.Version < 2 || l.Version > 4 {
			l.Version = 3
		}
		if l.Version == 4 && l.Kind() != twmap.KindTiles && l.Kind() != twmap.KindGame {
			l.Version = 3
		}
		for _, v := range []*int32{&l.Color.R, &l.Color.G, &l.Color.B, &l.Color.A} {
			*v = min(max(*v, 0), 255)
		}
		read := l.Clone() // l keeps no tiles
		grid := openGrid(read)
		wrong := read.Load() != nil || shared
		clean := func(x, y int) Cell {
			c := grid.at(x, y)
			c.rest = [2]uint8{}
			if l.Kind() == twmap.KindTiles {
				c.Flags &= twmap.FlipX | twmap.FlipY | twmap.Rotate | twmap.Opaque
			}
			return c
		}
		for y := 0; y < h && !wrong; y++ {
			for x := 0; x < w && !wrong; x++ {
				wrong = clean(x, y) != grid.at(x, y)
			}
		}
		if wrong {
			if err := all.Spend(int64(w) * int64(h)); err != nil {
				return "", err
			}
			grid.replace(l, w, h, clean)
			storeLarge(l)
		}
	}
	return "", nil
}

// repairPhysics makes the physics layers as large as the game layer, which every map needs.
func repairPhysics(m *twmap.Map, all effort.Meter, lose func(format string, args ...any)) error {
	game := m.Physics(twmap.KindGame)
	if game == nil {
		w, h := 0, 0
		at := -1
		for i, g := range m.Groups {
			for _, l := range g.Layers {
				t, ok := l.(*twmap.TileLayer)
				if ok && t.Kind().Physics() && at < 0 {
					w, h, at = t.Width(), t.Height(), i
				} else if ok && at < 0 {
					w, h = max(w, t.Width()), max(h, t.Height())
				}
			}
		}
		if w < MinSize || h < MinSize || twmap.CheckSize(w, h) != nil {
			w, h = 50, 50
		}
		game = twmap.NewTileLayer(twmap.KindGame, w, h)
		if at < 0 {
			at = len(m.Groups)
			m.Groups = append(m.Groups, twmap.NewGroup("Game"))
		}
		m.Groups[at].Layers = append(m.Groups[at].Layers, game)
		lose("the game layer: a new one of %d x %d tiles is empty", w, h)
	}
	for _, l := range m.Layers() {
		t, ok := l.(*twmap.TileLayer)
		if w, h := game.Width(), game.Height(); ok && t.Kind().Physics() && (t.Width() < w || t.Height() < h) {
			lose("the %v layer had %d x %d tiles, and the game layer has %d x %d: the others (%s) are air", t.Kind(), t.Width(), t.Height(),
				w, h, words.Count(w*h-t.Width()*t.Height(), "tile"))
			if err := all.Spend(int64(w) * int64(h)); err != nil {
				return err
			}
			t.Resize(w, h)
			storeLarge(t)
		}
	}
	return nil
}

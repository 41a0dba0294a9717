package teeworlds

import (
	"context"
	"path"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Kinds of things that options name.
const (
	kindLayer   = "layer"
	kindGroup   = "group"
	kindSetting = "setting"
	kindTile    = "tile"

	kindImage    = string(twmap.PartImage)
	kindSound    = string(twmap.PartSound)
	kindEnvelope = string(twmap.PartEnvelope)
)

// namesInMap is [format.Format.Names] for maps.
func namesInMap(_ context.Context, _ *format.Job, src *format.Source, kind string, add func(name string)) error {
	if kind == kindTile {
		allTileNames(add)
		return nil
	}
	m, err := decodeMap(src, func(string) {})
	if err != nil {
		return err
	}
	e := mapedit.New(m, nil)
	switch kind {
	case kindLayer:
		for _, l := range m.Layers() {
			_, below, _ := strings.Cut(e.Path(l), "/")
			add(below)
		}
		for kind := twmap.KindTiles; kind <= twmap.KindTune; kind++ {
			if kind == twmap.KindTiles || m.Physics(kind) != nil {
				add(kind.String())
			}
		}
		add("quads")
		add("sounds")
		add("physics")
	case kindGroup:
		for _, g := range m.Groups {
			add(path.Base(e.Path(g)))
		}
	case kindImage:
		for _, im := range m.Images {
			add(im.Name)
		}
	case kindSound:
		for _, s := range m.Sounds {
			add(s.Name)
		}
	case kindEnvelope:
		for _, env := range m.Envelopes {
			add(env.Name)
		}
	case kindSetting:
		if m.Info != nil {
			for _, line := range m.Info.Settings {
				add(line)
			}
		}
	}
	return nil
}

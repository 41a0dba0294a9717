package mapquery

import (
	"context"
	"path"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapfile"
	"trowel.example/teeworlds/internal/mapops"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Kinds of things that options name.
const (
	KindLayer   = "layer"
	KindGroup   = "group"
	KindSetting = "setting"
	KindTile    = "tile"

	KindImage    = string(twmap.PartImage)
	KindSound    = string(twmap.PartSound)
	KindEnvelope = string(twmap.PartEnvelope)
)

// Names is [format.Format.Names] for maps.
func Names(_ context.Context, _ *format.Job, src *format.Source, kind string, add func(name string)) error {
	if kind == KindTile {
		mapops.TileNames(add)
		return nil
	}
	m, err := mapfile.Decode(new(format.Job), src)
	if err != nil {
		return err
	}
	e := mapedit.New(m, nil)
	switch kind {
	case KindLayer:
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
	case KindGroup:
		for _, g := range m.Groups {
			add(path.Base(e.Path(g)))
		}
	case KindImage:
		for _, im := range m.Images {
			add(im.Name)
		}
	case KindSound:
		for _, s := range m.Sounds {
			add(s.Name)
		}
	case KindEnvelope:
		for _, env := range m.Envelopes {
			add(env.Name)
		}
	case KindSetting:
		if m.Info != nil {
			for _, line := range m.Info.Settings {
				add(line)
			}
		}
	}
	return nil
}

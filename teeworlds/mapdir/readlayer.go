package mapdir

import (
	"encoding/json"
	"io/fs"
	"slices"

	"trowel/internal/tree"
	"trowel/teeworlds/twmap"
)

// layer reads a layer. file lacks the extension.
func (r *reader) layer(file string) twmap.Layer {
	var f layerForm
	if !r.json(file+".json", &f) {
		return &twmap.UnknownLayer{}
	}
	flags := twmap.LayerFlags(f.Flags)
	if f.Detail {
		flags |= twmap.Detail
	}
	var layer twmap.Layer
	switch kind, tiles := twmap.ParseKind(f.Type); {
	case tiles:
		layer = r.tileLayer(file, kind, &f)
	case f.Type == typeQuads:
		layer = r.quadLayer(file, &f)
	case f.Type == typeSounds:
		layer = r.soundLayer(file, &f)
	case f.Type == typeUnknown && f.Number != nil:
		layer = &twmap.UnknownLayer{Type: *f.Number, Data: f.Data}
	default:
		r.fail(file+".json", "type is %q: expected tiles, game, front, tele, speedup, switch, tune, quads or sounds", f.Type)
		return &twmap.UnknownLayer{}
	}
	b := layer.Base()
	b.Name, b.Flags = f.Name, flags
	return layer
}

// index finds what a reference means.
func (r *reader) index(file string, to *ref, keys []string, dir string) int32 {
	switch {
	case to == nil:
		return -1
	case to.key == "":
		return to.index
	}
	i := slices.Index(keys, to.key)
	if i < 0 {
		r.fail(file+".json", "there is no %q in %s: expected one of %q", to.key, dir, keys)
	}
	return int32(i)
}

func (r *reader) envelope(file string, to *ref) int32 {
	return r.index(file, to, r.at.envelopes, dirEnvelopes)
}

func (r *reader) tileLayer(file string, kind twmap.Kind, f *layerForm) *twmap.TileLayer {
	if f.Width <= 0 || f.Height <= 0 || f.Width > twmap.MaxCells/f.Height {
		r.fail(file+".json", "width and height are %d and %d: expected at least 1, and at most %d tiles in all", f.Width, f.Height, twmap.MaxCells)
		return twmap.NewTileLayer(kind, 1, 1)
	}
	l := &twmap.TileLayer{Version: or(f.Version, usualTileVersion), Kind: kind, Width: f.Width, Height: f.Height, Color: twmap.White}
	if f.Color != nil {
		l.Color = f.Color.color()
	}
	l.ColorEnv, l.ColorEnvOffset = r.envelope(file, f.ColorEnv), f.ColorEnvOffset
	l.Image = int(r.index(file, f.Image, r.at.images, fileMap))
	if a := f.AutoMapper; a != nil {
		l.AutoMapper = &twmap.AutoMapper{Config: a.Config, Seed: a.Seed, Automatic: a.Automatic}
	}
	cells := or(f.Cells, f.Width*f.Height)
	if cells < 0 || cells > f.Width*f.Height {
		r.fail(file+".json", "cells is %d: expected at most width * height, %d", cells, f.Width*f.Height)
		cells = 0
	}
	r.tasks = append(r.tasks, func() error {
		text, err := fs.ReadFile(r.fs, file+".txt")
		if err != nil {
			return err
		}
		switch kind {
		case twmap.KindTele:
			l.Teles, err = readGrid[twmap.TeleTile](file, text, f, cells)
		case twmap.KindSpeedup:
			l.Speedups, err = readGrid[twmap.SpeedupTile](file, text, f, cells)
		case twmap.KindSwitch:
			l.Switches, err = readGrid[twmap.SwitchTile](file, text, f, cells)
		case twmap.KindTune:
			l.Tunes, err = readGrid[twmap.TuneTile](file, text, f, cells)
		default:
			l.Tiles, err = readGrid[twmap.Tile](file, text, f, cells)
		}
		return err
	})
	return l
}

func readGrid[T twmap.Cell](file string, text []byte, f *layerForm, n int) (*twmap.Grid[T], error) {
	cells, err := parseTiles[T](file+".txt", text, f.Width, n)
	return twmap.NewGridOf(f.Width, f.Height, cells), err
}

func (r *reader) quadLayer(file string, f *layerForm) *twmap.QuadLayer {
	quads := make([]twmap.Quad, len(f.Quads))
	for i, q := range f.Quads {
		quads[i] = twmap.Quad{Pivot: q.Pivot.point(),
			PosEnv: r.envelope(file, q.PosEnv), PosEnvOffset: q.PosEnvOffset,
			ColorEnv: r.envelope(file, q.ColorEnv), ColorEnvOffset: q.ColorEnvOffset}
		colors, texture := or(q.Colors, allWhite), or(q.Texture, wholeImage)
		for j := range 4 {
			quads[i].Points[j] = q.Points[j].point()
			quads[i].Colors[j] = colors[j].color()
			quads[i].Texture[j] = texture[j].point()
		}
	}
	l := twmap.NewQuadLayer(quads...)
	l.Version = or(f.Version, usualQuadVersion)
	l.Image = int(r.index(file, f.Image, r.at.images, fileMap))
	return l
}

func (r *reader) soundLayer(file string, f *layerForm) *twmap.SoundLayer {
	sources := make([]twmap.SoundSource, len(f.Sources))
	for i, s := range f.Sources {
		sources[i] = twmap.SoundSource{Position: s.Position.point(), Loop: s.Loop, Pan: s.Pan, Delay: s.Delay, Falloff: s.Falloff,
			PosEnv: r.envelope(file, s.PosEnv), PosEnvOffset: s.PosEnvOffset,
			SoundEnv: r.envelope(file, s.SoundEnv), SoundEnvOffset: s.SoundEnvOffset,
			Width: s.Width, Height: s.Height}
		switch shape := s.Shape.(type) {
		case float64:
			sources[i].Shape = twmap.SoundShape(toInt32(shape))
		case string:
			switch shape {
			case twmap.ShapeCircle.String():
				sources[i].Shape, sources[i].Width = twmap.ShapeCircle, s.Radius
			case twmap.ShapeRectangle.String():
				sources[i].Shape = twmap.ShapeRectangle
			default:
				r.fail(file+".json", "sources[%d]: shape is %q: expected rectangle or circle", i, shape)
			}
		default:
			r.fail(file+".json", "sources[%d]: expected a shape, rectangle or circle", i)
		}
	}
	l := twmap.NewSoundLayer(sources...)
	l.Version, l.Deprecated = or(f.Version, usualSoundVersion), f.Deprecated
	l.Sound = int(r.index(file, f.Sound, r.at.sounds, fileMap))
	return l
}

// decodeSidecar reads the sidecar. It may have fields that are not ours.
func decodeSidecar(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return &Error{tree.Sidecar, 0, "damaged (" + err.Error() + "): delete it to build a clean file"}
	}
	return nil
}

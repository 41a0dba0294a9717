package mapdir

import (
	"fmt"

	"trowel/internal/tree"
	"trowel/teeworlds/twmap"
)

// Types of layers in their files; tile layers have the names of their kinds.
const (
	typeQuads   = "quads"
	typeSounds  = "sounds"
	typeUnknown = "unknown"
)

// Versions that new items have and that the files leave out.
const (
	usualTileVersion     = 3
	usualQuadVersion     = 2
	usualSoundVersion    = 2
	usualGroupVersion    = 3
	usualEnvelopeVersion = 2
)

// layer adds the files of a layer. name lacks the extension.
func (w *writer) layer(name string, l twmap.Layer) {
	meta := tree.Meta{Stored: -1}
	file := name + ".json"
	switch l := l.(type) {
	case *twmap.TileLayer:
		meta.Note = fmt.Sprintf("%s layer", l.Kind)
		w.tree.Add(file, meta, func() ([]byte, error) { return marshal[any](w.tileForm(l), "", nil) })
		meta = tree.Meta{Stored: int64(l.StoredSize()), Note: fmt.Sprintf("%d x %d tiles", l.Width, l.Height)}
		w.tree.Add(name+".txt", meta, func() ([]byte, error) { return tileText(l), nil })
	case *twmap.QuadLayer:
		meta.Note = fmt.Sprintf("%d quads", l.NumQuads())
		w.tree.Add(file, meta, func() ([]byte, error) { return w.quadFile(l) })
	case *twmap.SoundLayer:
		meta.Note = fmt.Sprintf("%d sound sources", l.NumSources())
		w.tree.Add(file, meta, func() ([]byte, error) { return w.soundFile(l) })
	case *twmap.UnknownLayer:
		w.add(file, func() any {
			f := baseForm(typeUnknown, l)
			f.Number, f.Data = &l.Type, l.Data
			return f
		})
	}
}

func baseForm(typ string, l twmap.Layer) *layerForm {
	b := l.Base()
	return &layerForm{Type: typ, Name: b.Name, Detail: b.Flags&twmap.Detail != 0, Flags: int32(b.Flags &^ twmap.Detail)}
}

func (w *writer) tileForm(l *twmap.TileLayer) *layerForm {
	f := baseForm(l.Kind.String(), l)
	f.Version = unless(l.Version, usualTileVersion)
	f.Width, f.Height = l.Width, l.Height
	f.Cells = unless(l.NumCells(), l.Width*l.Height)
	if l.Color != twmap.White {
		c := colorOf(l.Color)
		f.Color = &c
	}
	f.ColorEnv, f.ColorEnvOffset = refTo(l.ColorEnv, w.at.envelopes), l.ColorEnvOffset
	f.Image = refTo(int32(l.Image), w.at.images)
	if a := l.AutoMapper; a != nil {
		f.AutoMapper = &autoMapperForm{a.Config, a.Seed, a.Automatic}
	}
	return f
}

func tileText(l *twmap.TileLayer) []byte {
	switch l.Kind {
	case twmap.KindTele:
		return formatTiles(l.Teles)
	case twmap.KindSpeedup:
		return formatTiles(l.Speedups)
	case twmap.KindSwitch:
		return formatTiles(l.Switches)
	case twmap.KindTune:
		return formatTiles(l.Tunes)
	}
	return formatTiles(l.Tiles)
}

func (w *writer) quadFile(l *twmap.QuadLayer) ([]byte, error) {
	f := baseForm(typeQuads, l)
	f.Version = unless(l.Version, usualQuadVersion)
	f.Image = refTo(int32(l.Image), w.at.images)
	quads, _ := l.Quads() // what could be read; Check tells the rest
	forms := make([]quadForm, len(quads))
	for i := range quads {
		q := &quads[i]
		forms[i] = quadForm{Pivot: pointOf(q.Pivot),
			PosEnv: refTo(q.PosEnv, w.at.envelopes), PosEnvOffset: q.PosEnvOffset,
			ColorEnv: refTo(q.ColorEnv, w.at.envelopes), ColorEnvOffset: q.ColorEnvOffset}
		var colors [4]colorForm
		var texture [4]pair
		for j := range 4 {
			forms[i].Points[j] = pointOf(q.Points[j])
			colors[j] = colorOf(q.Colors[j])
			texture[j] = pointOf(q.Texture[j])
		}
		forms[i].Colors, forms[i].Texture = unless(colors, allWhite), unless(texture, wholeImage)
	}
	return marshal(f, "quads", forms)
}

func (w *writer) soundFile(l *twmap.SoundLayer) ([]byte, error) {
	f := baseForm(typeSounds, l)
	f.Version = unless(l.Version, usualSoundVersion)
	f.Deprecated = l.Deprecated
	f.Sound = refTo(int32(l.Sound), w.at.sounds)
	sources, _ := l.Sources()
	forms := make([]sourceForm, len(sources))
	for i := range sources {
		s := &sources[i]
		forms[i] = sourceForm{Position: pointOf(s.Position), Loop: s.Loop, Pan: s.Pan, Delay: s.Delay, Falloff: s.Falloff,
			PosEnv: refTo(s.PosEnv, w.at.envelopes), PosEnvOffset: s.PosEnvOffset,
			SoundEnv: refTo(s.SoundEnv, w.at.envelopes), SoundEnvOffset: s.SoundEnvOffset,
			Width: s.Width, Height: s.Height}
		switch s.Shape {
		case twmap.ShapeCircle:
			forms[i].Shape, forms[i].Radius, forms[i].Width = s.Shape.String(), s.Width, 0
		case twmap.ShapeRectangle:
			forms[i].Shape = s.Shape.String()
		default:
			forms[i].Shape = int32(s.Shape)
		}
	}
	return marshal(f, "sources", forms)
}

func formOfGroup(g *twmap.Group) *groupForm {
	f := &groupForm{Name: g.Name, Version: unless(g.Version, usualGroupVersion), Parallax: pair{g.ParallaxX, g.ParallaxY}}
	f.Offset = unless(pair{g.OffsetX, g.OffsetY}, pair{})
	if c := g.Clip; c != nil {
		f.Clip = &clipForm{c.X, c.Y, c.Width, c.Height}
	}
	if g.ParallaxZoom != nil {
		f.ParallaxZoom = &g.ParallaxZoom.Percent
	}
	return f
}

func envelopeFile(e *twmap.Envelope) ([]byte, error) {
	f := envelopeForm{Name: e.Name, Version: unless(e.Version, usualEnvelopeVersion), Synchronized: e.Synchronized}
	channels := 4
	switch e.Channels {
	case twmap.ChannelsSound, twmap.ChannelsPosition, twmap.ChannelsColor:
		f.Type = e.Channels.String()
		channels = int(e.Channels)
	default:
		f.Type = int32(e.Channels)
	}
	forms := make([]pointForm, len(e.Points))
	for i, p := range e.Points {
		forms[i] = pointForm{Time: p.Time, Curve: p.Curve.String(), Values: p.Values[:channels]}
		if p.Curve < twmap.CurveStep || p.Curve > twmap.CurveBezier {
			forms[i].Curve = int32(p.Curve)
		}
		for _, v := range p.Values[channels:] {
			if v != 0 { // nobody reads them
				forms[i].Values = p.Values[:]
			}
		}
		forms[i].In, forms[i].Out = tangentForm(p.In), tangentForm(p.Out)
	}
	return marshal(f, "points", forms)
}

// tangentForm is empty if all tangents are.
func tangentForm(t [4]twmap.Tangent) []pair {
	if t == [4]twmap.Tangent{} {
		return nil
	}
	list := make([]pair, len(t))
	for i := range t {
		list[i] = pair{t[i].DX, t[i].DY}
	}
	return list
}

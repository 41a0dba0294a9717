package mapdir

import (
	"fmt"
	"io"
	"iter"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/text/forms"
	"trowel.example/internal/text/pattern"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/internal/tiletext"
	"trowel.example/teeworlds/twmap"
)

// Types of layers in their files; the types of tile layers are the names of their kinds.
const (
	typeQuads   = "quads"
	typeSounds  = "sounds"
	typeUnknown = "unknown"
)

// Versions of new items, which the files leave out.
const (
	usualTileVersion     = 3
	usualQuadVersion     = 2
	usualSoundVersion    = 2
	usualGroupVersion    = 3
	usualEnvelopeVersion = 2
)

// The approximate memory, in bytes, to make the file of each tile, quad and pixel: the contents, intermediate
// results, and the text or picture.
const (
	memoryOfTile  = 16
	memoryOfQuad  = 600
	memoryOfPixel = 10
)

// layer adds the files of a layer. name has no extension.
func (w *writer) layer(name string, l twmap.Layer) {
	meta := tree.Meta{Stored: -1}
	file := name + ".json"
	switch l := l.(type) {
	case *twmap.TileLayer:
		meta.Note = fmt.Sprintf("%s layer", l.Kind())
		w.tree.Add(file, meta, func() ([]byte, error) { return forms.Marshal[any](w.tileForm(l), "", nil) })
		meta = tree.Meta{Stored: int64(l.StoredSize()), May: mayBeTiles,
			Note:   fmt.Sprintf("%d x %d tiles", l.Width(), l.Height()),
			Memory: int64(l.Width()) * int64(l.Height()) * memoryOfTile}
		var pieces tree.Pieces
		if int64(l.Width())*int64(l.Height()) > manyTiles {
			pieces = func() (io.Reader, int64, error) { return textOf(l).pieces() }
		}
		w.tree.AddPieces(name+".txt", meta, func() ([]byte, error) { return w.tileText(l) }, pieces)
	case *twmap.QuadLayer:
		meta.Note, meta.Memory = words.Count(l.NumQuads(), "quad"), int64(l.NumQuads())*memoryOfQuad
		w.tree.Add(file, meta, func() ([]byte, error) { return w.quadFile(l) })
	case *twmap.SoundLayer:
		meta.Note, meta.Memory = words.Count(l.NumSources(), "sound source"), int64(l.NumSources())*memoryOfQuad
		w.tree.Add(file, meta, func() ([]byte, error) { return w.soundFile(l) })
	case *twmap.UnknownLayer:
		w.add(file, func() any {
			return &unknownForm{baseForm: baseOf(typeUnknown, l), Number: l.Type, Data: l.Data}
		})
	}
}

func baseOf(typ string, l twmap.Layer) baseForm {
	b := l.Base()
	return baseForm{Type: typ, Name: shortName(b.Name), Detail: b.Flags&twmap.Detail != 0, Flags: int32(b.Flags &^ twmap.Detail)}
}

func (w *writer) tileForm(l *twmap.TileLayer) *tileForm {
	f := &tileForm{baseForm: baseOf(l.Kind().String(), l)}
	f.Version = unless(l.Version, usualTileVersion)
	f.Width, f.Height = int32(l.Width()), int32(l.Height())
	f.Cells = unless(int32(l.NumCells()), f.Width*f.Height)
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

func (w *writer) tileText(l *twmap.TileLayer) (text []byte, err error) {
	readable := false
	l.Look(func(l *twmap.TileLayer) {
		if readable = l.Load() == nil; readable {
			text, err = textOf(l).whole()
		}
	})
	if readable {
		return text, err
	}
	l = l.Clone() // its cells, of which some can be read, are released with it
	if err := w.lost(l.Load()); err != nil {
		return nil, err
	}
	return textOf(l).whole()
}

// maxTiles is the size in bytes of the largest text of tiles that is written: eight characters for each tile of the largest
// known layers.
const maxTiles = 256 << 20

// tileTexts makes the text of the tiles of a layer.
type tileTexts struct {
	whole  func() ([]byte, error)
	pieces tree.Pieces // of a large layer; without a reader for what only whole can make
}

func textOf(l *twmap.TileLayer) tileTexts {
	switch l.Kind() {
	case twmap.KindTele:
		return gridText(l.Teles())
	case twmap.KindSpeedup:
		return gridText(l.Speedups())
	case twmap.KindSwitch:
		return gridText(l.Switches())
	case twmap.KindTune:
		return gridText(l.Tunes())
	}
	return gridText(l.Tiles())
}

func gridText[T twmap.Cell](g *twmap.Grid[T]) tileTexts {
	return tileTexts{
		whole:  func() ([]byte, error) { return tiletext.FormatUpTo(g, maxTiles) },
		pieces: func() (io.Reader, int64, error) { return tiletext.PiecesUpTo(g, maxTiles) },
	}
}

func (w *writer) quadsForm(l *twmap.QuadLayer) *quadsForm {
	f := &quadsForm{baseForm: baseOf(typeQuads, l)}
	f.Version = version(l.Version, usualQuadVersion)
	f.Image = refTo(int32(l.Image), w.at.images)
	return f
}

func (w *writer) quadFile(l *twmap.QuadLayer) (data []byte, err error) {
	l.Look(func(quads []twmap.Quad, e error) {
		if err = w.lost(e); err == nil {
			data, err = forms.MarshalEach(w.quadsForm(l), "quads", w.quadForms(quads))
		}
	})
	return data, err
}

func (w *writer) quadForms(quads []twmap.Quad) iter.Seq[quadForm] {
	return func(yield func(quadForm) bool) {
		for i := range quads {
			q := &quads[i]
			f := quadForm{Pivot: pointOf(q.Pivot),
				PosEnv: refTo(q.PosEnv, w.at.envelopes), PosEnvOffset: q.PosEnvOffset,
				ColorEnv: refTo(q.ColorEnv, w.at.envelopes), ColorEnvOffset: q.ColorEnvOffset}
			var colors [4]colorForm
			var texture [4]point
			for j := range 4 {
				f.Points[j] = pointOf(q.Points[j])
				colors[j] = colorOf(q.Colors[j])
				texture[j] = pointOf(q.Texture[j])
			}
			f.Colors, f.Texture = unless(colors, allWhite), unless(texture, wholeImage)
			if !yield(f) {
				return
			}
		}
	}
}

func (w *writer) soundsForm(l *twmap.SoundLayer) *soundsForm {
	f := &soundsForm{baseForm: baseOf(typeSounds, l)}
	f.Version = version(l.Version, usualSoundVersion)
	f.Deprecated = l.Deprecated
	f.Sound = refTo(int32(l.Sound), w.at.sounds)
	return f
}

func (w *writer) soundFile(l *twmap.SoundLayer) (data []byte, err error) {
	l.Look(func(sources []twmap.SoundSource, e error) {
		if err = w.lost(e); err == nil {
			data, err = forms.MarshalEach(w.soundsForm(l), "sources", w.sourceForms(sources))
		}
	})
	return data, err
}

func (w *writer) sourceForms(sources []twmap.SoundSource) iter.Seq[sourceForm] {
	return func(yield func(sourceForm) bool) {
		for i := range sources {
			s := &sources[i]
			f := sourceForm{Position: pointOf(s.Position), Loop: s.Loop, Pan: s.Pan, Delay: s.Delay, Falloff: s.Falloff,
				PosEnv: refTo(s.PosEnv, w.at.envelopes), PosEnvOffset: s.PosEnvOffset,
				SoundEnv: refTo(s.SoundEnv, w.at.envelopes), SoundEnvOffset: s.SoundEnvOffset,
				Width: fixed(s.Width), Height: fixed(s.Height)}
			switch s.Shape {
			case twmap.ShapeCircle:
				f.Shape.name, f.Radius, f.Width = s.Shape.String(), s.Width, 0
			case twmap.ShapeRectangle:
				f.Shape.name = s.Shape.String()
			default:
				f.Shape.number = int32(s.Shape)
			}
			if !yield(f) {
				return
			}
		}
	}
}

func formOfGroup(g *twmap.Group) *groupForm {
	f := &groupForm{Name: shortName(g.Name), Version: version(g.Version, usualGroupVersion), Parallax: pair{g.ParallaxX, g.ParallaxY}}
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
	switch e.Channels {
	case twmap.ChannelsSound, twmap.ChannelsPosition:
		return envelopeForms(e, choice{name: e.Channels.String()}, int(e.Channels), func(n int32) fixed { return fixed(n) })
	case twmap.ChannelsColor:
		return envelopeForms(e, choice{name: e.Channels.String()}, int(e.Channels), func(n int32) shade { return shade(n) })
	}
	return envelopeForms(e, choice{number: int32(e.Channels)}, 4, func(n int32) raw { return raw(n) })
}

func envelopeForms[T any](e *twmap.Envelope, typ choice, channels int, unit func(int32) T) ([]byte, error) {
	f := envelopeForm[T]{Name: longName(e.Name), Type: typ, Version: version(e.Version, usualEnvelopeVersion), Synchronized: e.Synchronized}
	list := make([]pointForm[T], len(e.Points))
	for i, p := range e.Points {
		list[i] = pointForm[T]{Time: p.Time, Curve: choice{name: p.Curve.String()}}
		if p.Curve < twmap.CurveStep || p.Curve > twmap.CurveBezier {
			list[i].Curve = choice{number: int32(p.Curve)}
		}
		n := channels
		for j := channels; j < len(p.Values); j++ {
			if p.Values[j] != 0 { // no program reads them
				n = len(p.Values)
			}
		}
		for _, v := range p.Values[:n] {
			list[i].Values = append(list[i].Values, unit(v))
		}
		list[i].In, list[i].Out = tangentForms(p.In, unit), tangentForms(p.Out, unit)
	}
	return forms.Marshal(f, "points", list)
}

// tangentForms returns nil if all tangents are zero.
func tangentForms[T any](tangents [4]twmap.Tangent, unit func(int32) T) []tangent[T] {
	if tangents == [4]twmap.Tangent{} {
		return nil
	}
	list := make([]tangent[T], len(tangents))
	for i, t := range tangents {
		list[i] = tangent[T]{t.DX, unit(t.DY)}
	}
	return list
}

// mayBeTiles reports whether a pattern can match a line of tiles.
func mayBeTiles(p *pattern.Pattern) bool {
	return p.Possible(pattern.Words{Characters: tiletext.Characters})
}

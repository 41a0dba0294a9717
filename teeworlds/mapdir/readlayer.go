package mapdir

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/text/forms"
	"trowel.example/internal/text/strictjson"
	"trowel.example/teeworlds/internal/tiletext"
	"trowel.example/teeworlds/twmap"
)

// failAt reports an error of item i of a list; path has a verb for i.
func (r *reader) failAt(file string, i int, path, format string, args ...any) {
	r.errs = append(r.errs, &fault.TextError{File: file, Path: fmt.Sprintf(path, i), Msg: fmt.Sprintf(format, args...)})
}

// layer reads a layer. ok is false if the file could not be parsed; the error is then already reported. file has no
// extension.
func (r *reader) layer(file string) (layer twmap.Layer, ok bool) {
	name := file + ".json"
	data, err := forms.ReadText(r.fs, name)
	if err != nil {
		r.errs = append(r.errs, err)
		return nil, false
	}
	var base *baseForm
	read := func(form any) bool {
		errs := forms.DecodeJSON(name, data, form)
		r.errs = append(r.errs, errs...)
		return len(errs) == 0
	}
	typ := strictjson.Type(data, "type")
	switch kind, tiles := twmap.ParseKind(typ); {
	case tiles:
		var f tileForm
		if !read(&f) {
			return nil, false
		}
		layer, base = r.tileLayer(file, kind, &f), &f.baseForm
	case typ == typeQuads:
		var f quadsForm
		if !read(&f) {
			return nil, false
		}
		layer, base = r.quadLayer(name, &f), &f.baseForm
	case typ == typeSounds:
		var f soundsForm
		if !read(&f) {
			return nil, false
		}
		layer, base = r.soundLayer(name, &f), &f.baseForm
	case typ == typeUnknown:
		var f unknownForm
		if !read(&f) {
			return nil, false
		}
		layer, base = &twmap.UnknownLayer{Type: f.Number, Data: f.Data}, &f.baseForm
	default:
		var any map[string]json.RawMessage
		if err := json.Unmarshal(data, &any); err != nil {
			read(&baseForm{}) // reports what is wrong with it
		} else {
			r.fail(name, "type is %q: expected tiles, game, front, tele, speedup, switch, tune, infclass entities, infclass "+
				"zones, quads or sounds", typ)
		}
		return nil, false
	}
	b := layer.Base()
	b.Name, b.Flags = string(base.Name), twmap.LayerFlags(base.Flags)
	if base.Detail {
		b.Flags |= twmap.Detail
	}
	if b.Name != "" && !layerHasName(layer) {
		r.fail(name, "a layer of this type and version has no name: expected a newer version, or \"name\": \"\"")
	}
	return layer, true
}

// index resolves a reference.
func (r *reader) index(file, field string, to *ref, names []string, dir string) int32 {
	switch {
	case to == nil:
		return -1
	case to.name == "":
		return to.index
	}
	if i := slices.Index(names, to.name); i >= 0 {
		return int32(i)
	}
	for i, name := range names { // compare as systems find files
		if key(name) == key(to.name) {
			return int32(i)
		}
	}
	expected := "the list is empty"
	if len(names) > 0 {
		expected = "expected one of " + few(names)
	}
	r.errs = append(r.errs, &fault.TextError{File: file, Line: to.line, Column: to.column, Path: field,
		Msg: fmt.Sprintf("no %q in %s/%s: %s", to.name, dir, fileOrder, expected)})
	return -1
}

func (r *reader) image(file string, to *ref) int {
	return int(r.index(file, "image", to, r.at.images, dirImages))
}

func (r *reader) envelope(file, field string, to *ref) int32 {
	return r.index(file, field, to, r.at.envelopes, dirEnvelopes)
}

// manyTiles is the number of tiles of a layer above which only one or a few layers are in memory at a time.
const manyTiles = 1 << 20

// tileLayer makes a layer of tiles. It always adds one task, which reads the tiles.
func (r *reader) tileLayer(file string, kind twmap.Kind, f *tileForm) *twmap.TileLayer {
	name := file + ".json"
	width, height := int(f.Width), int(f.Height)
	before := len(r.errs)
	l := twmap.NewTileLayer(kind, 1, 1) // until its cells are read
	l.Version = or(f.Version, usualTileVersion)
	if f.Color != nil {
		l.Color = f.Color.color()
	}
	l.ColorEnv, l.ColorEnvOffset = r.envelope(name, "colorEnv", f.ColorEnv), f.ColorEnvOffset
	l.Image = r.image(name, f.Image)
	if a := f.AutoMapper; a != nil {
		l.AutoMapper = &twmap.AutoMapper{Config: a.Config, Seed: a.Seed, Automatic: a.Automatic}
	}
	switch err := twmap.CheckSize(width, height); {
	case width <= 0 || height <= 0:
		r.fail(name, "width and height are %d and %d: expected at least 1", width, height)
	case err != nil:
		r.errs = append(r.errs, fmt.Errorf("%s: %w", name, err))
	}
	if len(r.errs) > before {
		r.tasks = append(r.tasks, func() []error { return nil })
		return l
	}
	n := int(or(f.Cells, f.Width*f.Height))
	if n < 0 || n > width*height {
		r.fail(name, "cells is %d: expected at most width * height, %d", n, width*height)
		n = 0
	}
	r.tasks = append(r.tasks, func() []error {
		if n > manyTiles {
			defer tree.Room(tree.Meta{Memory: int64(n) * memoryOfTile})()
		}
		var cells twmap.Cells
		var errs []error
		switch kind {
		case twmap.KindTele:
			cells, errs = readGrid[twmap.TeleTile](r.fs, file+".txt", kind, f, n)
		case twmap.KindSpeedup:
			cells, errs = readGrid[twmap.SpeedupTile](r.fs, file+".txt", kind, f, n)
		case twmap.KindSwitch:
			cells, errs = readGrid[twmap.SwitchTile](r.fs, file+".txt", kind, f, n)
		case twmap.KindTune:
			cells, errs = readGrid[twmap.TuneTile](r.fs, file+".txt", kind, f, n)
		default:
			cells, errs = readGrid[twmap.Tile](r.fs, file+".txt", kind, f, n)
		}
		if cells != nil {
			l.SetCells(kind, cells)
		}
		return errs
	})
	return l
}

// readGrid reads the n cells of a layer. Those of a large layer are read row by row, and compressed until they are needed.
func readGrid[T twmap.Cell](fsys fs.FS, file string, kind twmap.Kind, f *tileForm, n int) (cells twmap.Cells, errs []error) {
	width, height := int(f.Width), int(f.Height)
	var wrong []*fault.TextError
	if n > manyTiles {
		text, err := forms.OpenText(fsys, file)
		if err != nil {
			return nil, []error{err}
		}
		defer text.Close()
		cells = twmap.NewShelvedGrid(width, height, func(add func([]T)) {
			wrong, err = tiletext.ParseRows(text.Reader, kind, width, n, add)
		})
		if err != nil {
			return nil, []error{err}
		}
	} else {
		text, err := forms.ReadText(fsys, file)
		if err != nil {
			return nil, []error{err}
		}
		var list []T
		list, wrong = tiletext.Parse[T](text, kind, width, n)
		cells = twmap.NewGridOf(width, height, list)
	}
	for _, e := range wrong {
		e.File = file
		errs = append(errs, e)
	}
	return cells, errs
}

func (r *reader) quadLayer(file string, f *quadsForm) *twmap.QuadLayer {
	quads := make([]twmap.Quad, len(f.Quads))
	for i, q := range f.Quads {
		quads[i] = twmap.Quad{Pivot: q.Pivot.point(),
			PosEnv: r.envelope(file, "quads[].posEnv", q.PosEnv), PosEnvOffset: q.PosEnvOffset,
			ColorEnv: r.envelope(file, "quads[].colorEnv", q.ColorEnv), ColorEnvOffset: q.ColorEnvOffset}
		colors, texture := or(q.Colors, allWhite), or(q.Texture, wholeImage)
		for j := range 4 {
			quads[i].Points[j] = q.Points[j].point()
			quads[i].Colors[j] = colors[j].color()
			quads[i].Texture[j] = texture[j].point()
		}
	}
	l := twmap.NewQuadLayer(quads...)
	l.Version = or(f.Version, usualQuadVersion)
	l.Image = r.image(file, f.Image)
	return l
}

func (r *reader) soundLayer(file string, f *soundsForm) *twmap.SoundLayer {
	sources := make([]twmap.SoundSource, len(f.Sources))
	for i, s := range f.Sources {
		sources[i] = twmap.SoundSource{Position: s.Position.point(), Loop: s.Loop, Pan: s.Pan, Delay: s.Delay, Falloff: s.Falloff,
			PosEnv: r.envelope(file, "sources[].posEnv", s.PosEnv), PosEnvOffset: s.PosEnvOffset,
			SoundEnv: r.envelope(file, "sources[].soundEnv", s.SoundEnv), SoundEnvOffset: s.SoundEnvOffset,
			Shape: twmap.SoundShape(s.Shape.number), Width: int32(s.Width), Height: int32(s.Height)}
		switch s.Shape.name {
		case "":
		case twmap.ShapeCircle.String():
			sources[i].Shape, sources[i].Width = twmap.ShapeCircle, s.Radius
			if s.Width != 0 {
				r.failAt(file, i, "sources[%d]", "a circle has a \"radius\" in place of a \"width\"")
			}
		case twmap.ShapeRectangle.String():
			sources[i].Shape = twmap.ShapeRectangle
		default:
			r.failAt(file, i, "sources[%d].shape", "%q: expected rectangle or circle", s.Shape.name)
		}
		if s.Radius != 0 && s.Shape.name != twmap.ShapeCircle.String() {
			r.failAt(file, i, "sources[%d]", "a \"radius\" is for a circle: expected a \"width\" and a \"height\"")
		}
	}
	l := twmap.NewSoundLayer(sources...)
	l.Version, l.Deprecated = or(f.Version, usualSoundVersion), f.Deprecated
	l.Sound = int(r.index(file, "sound", f.Sound, r.at.sounds, dirSounds))
	return l
}

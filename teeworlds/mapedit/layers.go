package mapedit

import (
	"errors"
	"fmt"
	"slices"

	"trowel.example/teeworlds/twmap"
)

// MaxSide is the largest width and height of a layer in the editor, in tiles.
const MaxSide = 100000

// CheckSize returns an error for an invalid size of a tile layer.
func CheckSize(width, height int) error {
	if width < 2 || height < 2 || width > MaxSide || height > MaxSide {
		return fmt.Errorf("%d x %d tiles: expected 2 to %d of each", width, height, MaxSide)
	}
	if err := twmap.CheckSize(width, height); err != nil {
		return fmt.Errorf("%d x %d tiles: %w", width, height, err)
	}
	return nil
}

func (e *Editor) layerAt(at LayerAt) (twmap.Layer, error) {
	if err := inRange(twmap.PartGroup, at.Group, len(e.m.Groups)); err != nil {
		return nil, err
	}
	g := e.m.Groups[at.Group]
	if err := inRange(twmap.PartLayer, at.Layer, len(g.Layers)); err != nil {
		return nil, fmt.Errorf("%s: %w", e.Path(g), err)
	}
	return g.Layers[at.Layer], nil
}

// layersAt returns the layers at the given positions.
func (e *Editor) layersAt(list []LayerAt) ([]twmap.Layer, error) {
	all := make([]twmap.Layer, len(list))
	for i, at := range list {
		l, err := e.layerAt(at)
		if err != nil {
			return nil, err
		}
		all[i] = l
	}
	return all, nil
}

// physics returns the kind of a physics layer, and false for any other layer.
func physics(l twmap.Layer) (twmap.Kind, bool) {
	t, ok := l.(*twmap.TileLayer)
	if !ok || !t.Kind().Physics() {
		return 0, false
	}
	return t.Kind(), true
}

// AddLayer inserts a layer with the number at.Layer; a number below 0 is the end of the group. A physics layer is
// inserted into the game group, whatever at names, and gets the size of the game layer; there can be one of each
// kind. AddLayer returns the position of the layer.
func (e *Editor) AddLayer(at LayerAt, l twmap.Layer) (LayerAt, error) {
	kind, isPhysics := physics(l)
	t, ok := l.(*twmap.TileLayer)
	if isPhysics {
		game := e.m.Physics(twmap.KindGame)
		if e.m.Physics(kind) != nil {
			return at, fmt.Errorf("the map has a %s layer", kind)
		}
		if game == nil {
			return at, errors.New("the map has no game layer")
		}
		if err := CheckSize(game.Width(), game.Height()); err != nil {
			return at, err
		}
		at.Group = e.gameGroup()
		t.Resize(game.Width(), game.Height())
	}
	if err := inRange(twmap.PartGroup, at.Group, len(e.m.Groups)); err != nil {
		return at, err
	}
	if err := checkLength("name", l.Base().Name, maxPartName); err != nil {
		return at, err
	}
	g := e.m.Groups[at.Group]
	if at.Layer < 0 || at.Layer > len(g.Layers) {
		at.Layer = len(g.Layers)
	}
	if ok {
		if err := CheckSize(t.Width(), t.Height()); err != nil {
			return at, err
		}
		t.Version = 3
		if game := e.m.Physics(twmap.KindGame); game != nil && !isPhysics {
			t.Version = max(game.Version, 3)
		}
	}
	if err := e.refersTo(l); err != nil {
		return at, err
	}
	g.Layers = slices.Insert(slices.Clip(g.Layers), at.Layer, l)
	e.reportChange(l, 1, "", "added")
	return at, nil
}

// refersTo returns an error if the map lacks a part that a layer refers to.
func (e *Editor) refersTo(l twmap.Layer) error {
	var failed error
	if _, err := visit(l, func(s *slot) {
		if n := s.get(); n >= numberOf(e.m, s.to) && failed == nil {
			failed = inRange(s.to, n, numberOf(e.m, s.to))
		}
	}); err != nil {
		return err
	}
	return failed
}

// RemoveLayers removes layers. It fails for the game layer, because no game loads a map without it.
func (e *Editor) RemoveLayers(list []LayerAt) error {
	gone, err := e.layersAt(list)
	if err != nil {
		return err
	}
	game := e.m.Physics(twmap.KindGame)
	for _, l := range gone {
		if t, ok := l.(*twmap.TileLayer); ok && t == game {
			return fmt.Errorf("%s is the game layer, which every map has", e.Path(l))
		}
	}
	e.removeLayers(gone)
	return nil
}

func (e *Editor) removeLayers(gone []twmap.Layer) {
	for _, g := range e.m.Groups {
		g.Layers = slices.DeleteFunc(slices.Clone(g.Layers), func(l twmap.Layer) bool {
			deleted := slices.Contains(gone, l)
			if deleted {
				e.reportChange(l, 1, "", "removed")
			}
			return deleted
		})
	}
}

// MoveLayer moves a layer to another position; to is counted without the layer, and a layer number below 0 is the end
// of the group. Physics layers stay in the game group.
func (e *Editor) MoveLayer(from, to LayerAt) error {
	l, err := e.layerAt(from)
	if err == nil {
		err = inRange(twmap.PartGroup, to.Group, len(e.m.Groups))
	}
	if err != nil {
		return err
	}
	if _, ok := physics(l); ok && to.Group != e.gameGroup() {
		return fmt.Errorf("%s stays in the group of the game layer", e.Path(l))
	}
	source, target := e.m.Groups[from.Group], e.m.Groups[to.Group]
	room := len(target.Layers)
	if source == target {
		room--
	}
	if to.Layer < 0 {
		to.Layer = room
	}
	if to.Layer > room {
		return fmt.Errorf("%s: no position %d for a layer: expected at most %d", e.Path(target), to.Layer, room)
	}
	if from == to {
		return nil
	}
	e.reportChange(l, 1, "", "moved to place %d of %s", to.Layer, e.Path(target))
	source.Layers = slices.Delete(slices.Clone(source.Layers), from.Layer, from.Layer+1)
	target.Layers = slices.Insert(slices.Clip(target.Layers), to.Layer, l)
	return nil
}

// DuplicateLayers inserts a copy after each of the given layers. It fails for physics layers, because there can be
// one of each kind.
func (e *Editor) DuplicateLayers(list []LayerAt) error {
	all, err := e.layersAt(list)
	if err != nil {
		return err
	}
	for _, l := range all {
		if kind, ok := physics(l); ok {
			return fmt.Errorf("%s: there can be one %s layer", e.Path(l), kind)
		}
	}
	copies := make(map[twmap.Layer]twmap.Layer)
	for _, l := range all {
		if copies[l], err = e.fresh(l); err != nil {
			return err
		}
	}
	for _, g := range e.m.Groups {
		var grown []twmap.Layer
		for _, l := range g.Layers {
			grown = append(grown, l)
			if copied := copies[l]; copied != nil {
				grown = append(grown, copied)
				e.reportChange(l, 1, "", "duplicated")
			}
		}
		g.Layers = grown
	}
	return nil
}

// fresh returns a copy of a layer that shares no data block with it: the game does not load a map in which two layers
// have the same data.
func (e *Editor) fresh(l twmap.Layer) (twmap.Layer, error) {
	c := twmap.CloneLayer(l)
	var own twmap.Layer
	var err error
	switch c := c.(type) {
	case *twmap.TileLayer:
		if err = c.Load(); err == nil {
			n := twmap.NewTileLayerOf(c.Kind(), cellsOf(c))
			n.Version, n.Color, n.ColorEnv, n.ColorEnvOffset, n.Image = c.Version, c.Color, c.ColorEnv, c.ColorEnvOffset, c.Image
			if a := c.AutoMapper; a != nil {
				n.AutoMapper = &twmap.AutoMapper{Config: a.Config, Seed: a.Seed, Automatic: a.Automatic}
			}
			own = n
		}
	case *twmap.QuadLayer:
		var quads []twmap.Quad
		quads, err = c.Quads()
		n := twmap.NewQuadLayer(slices.Clone(quads)...)
		n.Version, n.Image = c.Version, c.Image
		own = n
	case *twmap.SoundLayer:
		var sources []twmap.SoundSource
		sources, err = c.Sources()
		n := twmap.NewSoundLayer(slices.Clone(sources)...)
		n.Version, n.Deprecated, n.Sound = c.Version, c.Deprecated, c.Sound
		own = n
	default:
		return c, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Path(l), err)
	}
	own.Base().Name, own.Base().Flags = c.Base().Name, c.Base().Flags
	return own, nil
}

// LayerChange specifies the changes of layers; nil fields keep their value.
type LayerChange struct {
	Name   *string // up to 11 bytes
	Detail *bool   // hidden for players with the low detail setting

	Width, Height *int // of tile layers: rows and columns are added or removed at the right and the bottom
	Color         *twmap.Color
	ColorEnv      *int   // number of an envelope, -1 for none
	ColorOffset   *int32 // in milliseconds
	Image         *int   // of tile and quad layers, -1 for none
	Sound         *int   // of sound layers, -1 for none
}

// ChangeLayers changes layers, each as far as it has the changed fields: an image for all layers of a group does not
// affect its sound layers. It fails for a field that none of the layers has. The size of one physics layer is changed
// for all of them.
func (e *Editor) ChangeLayers(list []LayerAt, c LayerChange) error {
	all, err := e.layersAt(list)
	if err != nil {
		return err
	}
	if err := e.checkChange(c); err != nil {
		return err
	}
	each := make([]LayerChange, len(all))
	for i := range each {
		each[i] = c
	}
	for _, p := range []struct {
		what  string
		given bool
		has   func(twmap.Layer) bool
		drop  func(*LayerChange)
	}{
		{"name that can be chosen", c.Name != nil, isFree, func(c *LayerChange) { c.Name = nil }},
		{"detail flag", c.Detail != nil, isFree, func(c *LayerChange) { c.Detail = nil }},
		{"size", c.Width != nil || c.Height != nil, isTiles, func(c *LayerChange) { c.Width, c.Height = nil, nil }},
		{"colour", c.Color != nil || c.ColorEnv != nil || c.ColorOffset != nil, isSeen,
			func(c *LayerChange) { c.Color, c.ColorEnv, c.ColorOffset = nil, nil, nil }},
		{"image", c.Image != nil, func(l twmap.Layer) bool { _, quads := l.(*twmap.QuadLayer); return quads || isSeen(l) },
			func(c *LayerChange) { c.Image = nil }},
		{"sound", c.Sound != nil, func(l twmap.Layer) bool { _, ok := l.(*twmap.SoundLayer); return ok }, func(c *LayerChange) { c.Sound = nil }},
	} {
		if p.given && len(all) > 0 && !slices.ContainsFunc(all, p.has) {
			return fmt.Errorf("%s has no %s", e.Path(all[0]), p.what)
		}
		for i, l := range all {
			if !p.has(l) {
				p.drop(&each[i])
			}
		}
	}
	for i, l := range all {
		if err := e.canChange(l, each[i]); err != nil {
			return fmt.Errorf("%s: %w", e.Path(l), err)
		}
	}
	for i, l := range all {
		e.changeLayer(l, each[i])
	}
	return nil
}

// isFree reports whether a layer can have any name and can be removed, because it is not a physics layer.
func isFree(l twmap.Layer) bool {
	_, unknown := l.(*twmap.UnknownLayer)
	_, ok := physics(l)
	return !unknown && !ok
}

func isTiles(l twmap.Layer) bool { _, ok := l.(*twmap.TileLayer); return ok }

// isSeen reports whether a layer has tiles that are drawn.
func isSeen(l twmap.Layer) bool { return isTiles(l) && isFree(l) }

// checkChange returns an error if the change is valid for no layer of the map.
func (e *Editor) checkChange(c LayerChange) error {
	for _, ref := range []struct {
		kind   twmap.PartKind
		number *int
	}{{twmap.PartImage, c.Image}, {twmap.PartSound, c.Sound}, {twmap.PartEnvelope, c.ColorEnv}} {
		if n := ref.number; n != nil && *n != -1 {
			if err := inRange(ref.kind, *n, numberOf(e.m, ref.kind)); err != nil {
				return err
			}
		}
	}
	if c.ColorEnv != nil && *c.ColorEnv >= 0 {
		if env := e.m.Envelopes[*c.ColorEnv]; env.Channels != twmap.ChannelsColor {
			return fmt.Errorf("%s is a %s envelope: expected a colour envelope", e.Path(env), env.Channels)
		}
	}
	if c.Name != nil {
		return checkLength("name", *c.Name, maxPartName)
	}
	return nil
}

// canChange returns an error if the layer cannot have one of the new values.
func (e *Editor) canChange(l twmap.Layer, c LayerChange) error {
	t, ok := l.(*twmap.TileLayer)
	if !ok {
		return nil
	}
	if c.Width != nil || c.Height != nil {
		if err := CheckSize(newSize(t, c)); err != nil {
			return err
		}
	}
	if c.Image != nil && *c.Image >= 0 {
		if im := e.m.Images[*c.Image]; im.Width()%16 != 0 || im.Height()%16 != 0 {
			return fmt.Errorf("%s with %d x %d pixels cannot be cut into 16 x 16 tiles", e.Path(im), im.Width(), im.Height())
		}
	}
	return nil
}

func newSize(t *twmap.TileLayer, c LayerChange) (w, h int) {
	w, h = t.Width(), t.Height()
	if c.Width != nil {
		w = *c.Width
	}
	if c.Height != nil {
		h = *c.Height
	}
	return w, h
}

func (e *Editor) changeLayer(l twmap.Layer, c LayerChange) {
	base := l.Base()
	if c.Name != nil && base.Name != *c.Name {
		switch l := l.(type) {
		case *twmap.TileLayer:
			l.Version = max(l.Version, 3)
		case *twmap.QuadLayer:
			l.Version = max(l.Version, 2)
		}
		e.reportChange(l, 1, "", "renamed to %q", *c.Name)
		base.Name = *c.Name
	}
	if c.Detail != nil && *c.Detail != (base.Flags&twmap.Detail != 0) {
		base.Flags ^= twmap.Detail
		e.reportChange(l, 1, "", "detail: %t", *c.Detail)
	}
	switch l := l.(type) {
	case *twmap.TileLayer:
		if c.Width != nil || c.Height != nil {
			e.resizeLayer(l, c)
		}
		set(e, l, "colour", &l.Color, c.Color, func(c twmap.Color) string { return fmt.Sprintf("#%02x%02x%02x%02x", c.R, c.G, c.B, c.A) })
		set(e, l, "image", &l.Image, c.Image, e.imageName)
		set(e, l, "colour envelope offset", &l.ColorEnvOffset, c.ColorOffset, number)
		if c.ColorEnv != nil {
			env := int32(*c.ColorEnv)
			set(e, l, "colour envelope", &l.ColorEnv, &env, func(i int32) string { return nameOf(e, e.m.Envelopes, int(i)) })
		}
	case *twmap.QuadLayer:
		set(e, l, "image", &l.Image, c.Image, e.imageName)
	case *twmap.SoundLayer:
		set(e, l, "sound", &l.Sound, c.Sound, func(i int) string { return nameOf(e, e.m.Sounds, i) })
	}
}

func number(n int32) string { return fmt.Sprint(n) }

func (e *Editor) imageName(i int) string { return nameOf(e, e.m.Images, i) }

// nameOf returns the path of the part that a reference points to, for messages.
func nameOf[T any](e *Editor, list []*T, i int) string {
	if i < 0 || i >= len(list) {
		return "none"
	}
	return e.Path(list[i])
}

// set changes a field of a part if to is not nil, and reports the change in words.
func set[T comparable](e *Editor, part any, what string, field, to *T, describe func(T) string) {
	if to != nil && *field != *to {
		e.reportChange(part, 1, "", "%s: %s became %s", what, describe(*field), describe(*to))
		*field = *to
	}
}

func (e *Editor) resizeLayer(t *twmap.TileLayer, c LayerChange) {
	together := []twmap.Layer{t}
	if t.Kind().Physics() {
		together = e.m.Layers()
	}
	for _, l := range together {
		o, ok := l.(*twmap.TileLayer)
		if !ok || o != t && !o.Kind().Physics() {
			continue
		}
		w, h := newSize(t, c)
		if oldW, oldH := o.Width(), o.Height(); oldW != w || oldH != h {
			o.Resize(w, h)
			e.reportChange(o, 1, "", "%d x %d tiles became %d x %d", oldW, oldH, w, h)
		}
	}
}

// cellsOf returns the cells of a layer of any kind.
func cellsOf(l *twmap.TileLayer) twmap.Cells {
	switch l.Kind() {
	case twmap.KindTele:
		return l.Teles()
	case twmap.KindSpeedup:
		return l.Speedups()
	case twmap.KindSwitch:
		return l.Switches()
	case twmap.KindTune:
		return l.Tunes()
	}
	return l.Tiles()
}

package twmap

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"trowel.example/internal/text/words"
)

// maxParts limits the number of parts of a kind: their ids have 16 bits.
const maxParts = 1 << 16

// validate finds parts that are nil. If whole is set, it also finds anything that the file format has no room for or
// that would be read back differently. Check calls it without whole, because Check itself reports these problems with
// more details and all locations.
func (m *Map) validate(whole bool) error {
	v := validator{whole: whole}
	if m.Info != nil {
		for _, text := range []struct{ field, text string }{
			{"author", m.Info.Author}, {"version", m.Info.MapVersion}, {"credits", m.Info.Credits}, {"license", m.Info.License},
		} {
			v.text("info."+text.field, text.text)
		}
		for i, line := range m.Info.Settings {
			v.text(fmt.Sprintf("info.settings[%d]", i), line)
		}
	}
	v.count("images", len(m.Images))
	for i, im := range m.Images {
		if path := fmt.Sprintf("images[%d]", i); v.requirePart(path, im != nil) {
			v.text(path+".name", im.Name)
			if im.pixels != nil && (im.width == 0 || im.height == 0 || im.width > MaxPixels/im.height) {
				v.fail(path, "the picture has %d x %d pixels: expected at least 1 x 1 and at most %d in all", im.width, im.height, MaxPixels)
			}
			v.number(path+".width", im.width)
			v.number(path+".height", im.height)
			v.room(path, im.Version, 2, "variant", im.Variant == 0 || im.Variant == 1)
		}
	}
	v.count("sounds", len(m.Sounds))
	for i, s := range m.Sounds {
		if path := fmt.Sprintf("sounds[%d]", i); v.requirePart(path, s != nil) {
			v.text(path+".name", s.Name)
		}
	}
	v.count("envelopes", len(m.Envelopes))
	for i, e := range m.Envelopes {
		if path := fmt.Sprintf("envelopes[%d]", i); v.requirePart(path, e != nil) {
			v.name(path, e.Name, 8)
			v.room(path, e.Version, 2, "clock of each player", e.Synchronized)
		}
	}
	v.count("groups", len(m.Groups))
	layers := len(m.Orphans)
	for i, g := range m.Groups {
		path := fmt.Sprintf("groups[%d]", i)
		if !v.requirePart(path, g != nil) {
			continue
		}
		v.name(path, g.Name, 3)
		v.room(path, g.Version, 3, "name", g.Name == "")
		v.room(path, g.Version, 2, "clip", g.Clip == nil)
		for j, l := range g.Layers {
			v.layer(fmt.Sprintf("%s.layers[%d]", path, j), l)
		}
		layers += len(g.Layers)
	}
	v.count("layers", layers)
	for i, l := range m.Orphans {
		path := fmt.Sprintf("orphans[%d]", i)
		v.layer(path, l)
		if t, ok := l.(*TileLayer); ok && t != nil && t.AutoMapper != nil {
			v.lost(path, "an automapper needs a group to identify its layer, and this layer has none")
		}
	}
	for i, e := range m.Extras {
		v.requirePart(fmt.Sprintf("extras[%d]", i), e != nil)
	}
	return v.err
}

// validator keeps the first error.
type validator struct {
	whole bool
	err   error
}

func (v *validator) fail(path, format string, args ...any) {
	if v.err == nil {
		v.err = fmt.Errorf("%s: %s", path, fmt.Sprintf(format, args...))
	}
}

// lost calls fail for something that the file format has no room for.
func (v *validator) lost(path, format string, args ...any) {
	if v.whole {
		v.fail(path, format, args...)
	}
}

// room fails if a part uses something that only a later version has.
func (v *validator) room(path string, version, since int32, what string, not bool) {
	if version != 0 && version < since && !not {
		v.lost(path, "version %d has no %s: expected %d or more", version, what, since)
	}
}

// number checks a number for which the file has 32 bits.
func (v *validator) number(path string, n int) {
	if int(int32(n)) != n {
		v.lost(path, "%d: expected a 32-bit number", n)
	}
}

func (v *validator) requirePart(path string, present bool) bool {
	if !present {
		v.fail(path, "the part is nil")
	}
	return present
}

func (v *validator) count(what string, n int) {
	if n > maxParts {
		v.lost(what, "%s: expected at most %d", words.Count(n, "part"), maxParts)
	}
}

// name checks a text in n integers.
func (v *validator) name(path, s string, n int) {
	if limit := 4*n - 1; len(s) > limit {
		v.lost(path, "the name %q has %s: expected at most %d", s, words.Count(len(s), "byte"), limit)
	}
	v.chars(path+".name", s)
}

// text checks a text in a data block.
func (v *validator) text(path, s string) {
	if len(s) >= maxText {
		v.lost(path, "%s: expected less than %s", words.Count(len(s), "byte"), words.Thousands(maxText))
	}
	v.chars(path, s)
}

func (v *validator) chars(path, s string) {
	if strings.ContainsRune(s, 0) {
		v.lost(path, "%.40q has a NUL", s)
	}
	if !utf8.ValidString(s) {
		v.lost(path, "%.40q is not UTF-8", s)
	}
}

func (v *validator) layer(path string, l Layer) {
	switch l := l.(type) {
	case *TileLayer:
		if !v.requirePart(path, l != nil) {
			return
		}
		if l.cells == nil {
			v.fail(path, "the layer has no cells: NewTileLayer makes one with them")
		}
		if l.kind.infclass() && l.Version < 3 { // only the length of the item distinguishes it from DDNet's
			v.fail(path, "the %v layer has version %d, and can have 3 and 4", l.kind, l.Version)
		}
		v.name(path, l.Name, 3)
		v.number(path+".image", l.Image)
		// Version 0 is not written as another version here. The name Game of the game layer need not be written.
		if l.Version < 3 && l.Name != "" && l.Name != l.kind.physicsName() {
			v.lost(path, "version %d has no name: expected 3 or more", l.Version)
		}
	case *QuadLayer:
		if v.requirePart(path, l != nil) {
			v.name(path, l.Name, 3)
			v.number(path+".image", l.Image)
			v.room(path, l.Version, 2, "name", l.Name == "")
		}
	case *SoundLayer:
		if v.requirePart(path, l != nil) {
			v.name(path, l.Name, 3)
			v.number(path+".sound", l.Sound)
			if i := slices.IndexFunc(l.sources.items, SoundSource.isNew); i >= 0 && l.Deprecated && l.sources.changed {
				v.lost(path, "source %d is not a panning circle without falloff: a deprecated layer cannot hold it", i)
			}
		}
	case *UnknownLayer:
		if v.requirePart(path, l != nil) && l.Name != "" {
			v.lost(path, "a layer of type %d has no name", l.Type)
		}
	default:
		v.requirePart(path, l != nil)
		v.fail(path, "unknown type of layer %T", l)
	}
}

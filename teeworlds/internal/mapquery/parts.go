package mapquery

import (
	"strings"

	"trowel.example/teeworlds/internal/mapmatch"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Use is a reference to an image, a sound or an envelope.
type Use struct {
	Path string      // of the layer that uses it, or of the part itself, in the folder of the map
	At   twmap.Place // the layer, one of its quads or sources, or the part itself
	Name string      // of the used part
	Part int         // the number of the used part
	What string      // the purpose: "tiles", "quads", "sound", "position", "color", "rotation"...; "unused" if nothing refers to the part
}

// Uses finds the references to the images, sounds or envelopes (as specified by kind) that a pattern selects, as in
// [mapedit.Editor.Images]: a name with * and ?, a path, a number. For an unused part it returns the part itself.
func (f *Index) Uses(kind twmap.PartKind, pattern string, yield func(Use) error) error {
	var numbers []int
	var name func(i int) (name, path string)
	switch kind {
	case twmap.PartImage:
		numbers, _ = f.edit.Images(pattern)
		name = func(i int) (string, string) { return f.m.Images[i].Name, f.edit.Path(f.m.Images[i]) }
	case twmap.PartSound:
		numbers, _ = f.edit.Sounds(pattern)
		name = func(i int) (string, string) { return f.m.Sounds[i].Name, f.edit.Path(f.m.Sounds[i]) }
	default:
		numbers, _ = f.edit.Envelopes(pattern)
		name = func(i int) (string, string) { return f.m.Envelopes[i].Name, f.edit.Path(f.m.Envelopes[i]) }
	}
	users := make(map[int][]mapedit.Ref)
	for r := range mapedit.Refs(f.m) {
		if r.To == kind && !r.Idle {
			users[r.Number] = append(users[r.Number], r)
		}
	}
	for _, i := range numbers {
		called, at := name(i)
		if len(users[i]) == 0 {
			part := &twmap.Part{Kind: kind, Number: i, Name: called}
			if err := yield(Use{at, part.Whole(), called, i, "unused"}); err != nil {
				return err
			}
		}
		for _, r := range users[i] {
			l := f.m.LayerAt(r.At.Part)
			what := r.Channels.String()
			if kind != twmap.PartEnvelope {
				what = mapmatch.KindOf(l)
			}
			if err := yield(Use{f.edit.Path(l), r.At, called, i, what}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Layer describes a layer that was found.
type Layer struct {
	Path string      // in the folder of the map
	At   twmap.Place // the layer
	Kind string      // the kind of its tiles; "quads" or "sounds"

	Width, Height int    // of tile layers, in tiles; 0 for other layers
	Things        int    // number of quads or sources
	Uses          string // the name of its image or sound; "" for none
}

// LayersThere calls yield for each searched layer.
func (f *Index) LayersThere(yield func(Layer) error) error {
	for _, l := range f.layers() {
		if err := yield(f.matched(l)); err != nil {
			return err
		}
	}
	return nil
}

// Orphans calls yield for each layer without a group.
func (f *Index) Orphans(yield func(Layer) error) error {
	for i, l := range f.m.Orphans {
		if err := yield(f.matched(layer{l, &twmap.Part{Kind: twmap.PartLayer, Number: i, Name: l.Base().Name}, f.edit.Path(l)})); err != nil {
			return err
		}
	}
	return nil
}

func (f *Index) matched(l layer) Layer {
	found := Layer{Path: l.path, At: l.part.Whole(), Kind: mapmatch.KindOf(l.Layer)}
	switch l := l.Layer.(type) {
	case *twmap.TileLayer:
		found.Width, found.Height, found.Uses = l.Width(), l.Height(), f.imageName(l.Image)
	case *twmap.QuadLayer:
		found.Things, found.Uses = l.NumQuads(), f.imageName(l.Image)
	case *twmap.SoundLayer:
		if found.Things = l.NumSources(); 0 <= l.Sound && l.Sound < len(f.m.Sounds) {
			found.Uses = f.m.Sounds[l.Sound].Name
		}
	}
	return found
}

// imageName returns the name of an image, or "" if the map does not have it.
func (f *Index) imageName(i int) string {
	if i < 0 || i >= len(f.m.Images) {
		return ""
	}
	return f.m.Images[i].Name
}

// Quad is a quad that was found.
type Quad struct {
	Path  string      // of the layer, in the folder of the map
	At    twmap.Place // the quad
	Image string      // the name of its image; "" for none
	twmap.Quad
}

// Quads finds the quads whose pivot is in the area. It calls onMiss, which may be nil, for layers that cannot be read
// completely.
func (f *Index) Quads(onMiss func(path string, err error), yield func(Quad) error) error {
	for _, l := range f.layers() {
		layer, ok := l.Layer.(*twmap.QuadLayer)
		if !ok {
			continue
		}
		var failed error
		layer.Look(func(quads []twmap.Quad, err error) {
			if err != nil && onMiss != nil {
				onMiss(l.path, err)
			}
			for i, q := range quads {
				if a := f.Area; a != nil && !(a.Min.X <= tileOf(q.Pivot.X) && tileOf(q.Pivot.X) < a.Max.X &&
					a.Min.Y <= tileOf(q.Pivot.Y) && tileOf(q.Pivot.Y) < a.Max.Y) {
					continue
				}
				if failed = yield(Quad{l.path, l.part.Thing(twmap.ThingQuad, i), f.imageName(layer.Image), q}); failed != nil {
					return
				}
			}
		})
		if failed != nil {
			return failed
		}
	}
	return nil
}

// tileOf returns the tile that contains a coordinate of a quad.
func tileOf(v int32) int { return int(v >> 15) }

// Setting is a setting that was found.
type Setting struct {
	At   twmap.Place
	Line string
}

// Settings finds the settings that contain a text, ignoring case.
func (f *Index) Settings(text string, yield func(Setting) error) error {
	if f.m.Info == nil {
		return nil
	}
	text = strings.ToLower(text)
	for i, line := range f.m.Info.Settings {
		if !strings.Contains(strings.ToLower(line), text) {
			continue
		}
		if err := yield(Setting{(&twmap.Part{Kind: twmap.PartSetting, Number: i, Name: line}).Whole(), line}); err != nil {
			return err
		}
	}
	return nil
}

package modscene

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/internal/imageset"
	info "trowel.example/torchlight/internal/modinfo"
	"trowel.example/torchlight/internal/picture"
	sheets "trowel.example/torchlight/internal/sheet"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/text"
)

// still is a scene without animation that is completely loaded.
type still struct {
	views   []stillView
	digest  [32]byte
	missing []format.Missing
}

// stillView is a view with functions that draw it, inspect it and find places in it.
type stillView struct {
	format.View
	draw    func(dst *image.RGBA, look format.Look)
	inspect func(look format.Look, at [2]float64) []format.Thing
	where   func(place check.Place) (format.Rect, bool)
}

// scene returns the scene of the views. All parts of its pictures have the same fingerprint.
func (s *still) scene() *format.Scene {
	scene := &format.Scene{Missing: func() []format.Missing { return s.missing }}
	for _, of := range s.views {
		v := of.View
		v.Render = func(_ context.Context, dst *image.RGBA, look format.Look) error {
			of.draw(dst, look)
			return nil
		}
		v.Inspect = func(_ context.Context, look format.Look, at [2]float64) ([]format.Thing, error) {
			b := v.Bounds
			if !(at[0] >= b.Min[0] && at[0] < b.Max[0] && at[1] >= b.Min[1] && at[1] < b.Max[1]) {
				return nil, nil
			}
			return of.inspect(look, at), nil
		}
		v.Where = func(_ context.Context, place check.Place) (format.Rect, bool) { return of.where(text.Whole(place)) }
		v.Fingerprint = sameFor(s.digest)
		scene.Views = append(scene.Views, v)
	}
	return scene
}

// sameFor returns a function that returns the same fingerprint for all parts.
func sameFor(digest [32]byte) func(context.Context, format.Look, image.Rectangle) ([32]byte, error) {
	return func(context.Context, format.Look, image.Rectangle) ([32]byte, error) { return digest, nil }
}

func rectOf(r image.Rectangle) format.Rect {
	return format.Rect{Min: [2]float64{float64(r.Min.X), float64(r.Min.Y)}, Max: [2]float64{float64(r.Max.X), float64(r.Max.Y)}}
}

// means reports whether a place is the file as a whole.
func (o origin) means(place check.Place) bool {
	switch p := place.(type) {
	case check.File:
		return string(p) == o.place || string(p) == o.tree
	case text.Place:
		return p == text.Place{Path: o.place}
	}
	return false
}

// The layers of a picture that contains sprites.
const (
	pixelsLayer  = "pixels"
	spritesLayer = "sprites"
)

// sheet is a picture with the sprites that image sets cut from it.
type sheet struct {
	*image.NRGBA
	origin
	facts []format.InfoField
	span  func(x, y int) (offset, length int64)
	sets  []spriteSet
}

type spriteSet struct {
	*imageset.Set
	origin
}

func newSheet(s *subject, name string, data []byte) (*sheet, error) {
	m, err := picture.Decode(name, data)
	if err != nil {
		return nil, err
	}
	p := &sheet{NRGBA: m, origin: s.origin(name), span: picture.Pixels(name, data)}
	fields, _ := info.PictureInfo(name, data)
	for _, f := range fields {
		p.facts = append(p.facts, format.Fact(f.Name, "", f.Value))
	}
	return p, nil
}

// view returns a view of the picture.
func (p *sheet) view(name, title string) stillView {
	v := format.View{Name: name, Title: title, Scale: 1, Unit: "pixels", Bounds: rectOf(p.Rect)}
	if p.sets != nil {
		v.Layers = []format.Layer{{Name: pixelsLayer, Title: title, Shown: true}, {Name: spritesLayer, Title: "outlines of the sprites"}}
	}
	draw := func(dst *image.RGBA, look format.Look) {
		if p.sets == nil || v.Draws(look, pixelsLayer) {
			picture.Draw(dst, p.NRGBA, 0, 0, look.Origin, look.Scale)
		}
		if v.Draws(look, spritesLayer) {
			for _, set := range p.sets {
				set.Outlines(dst, look.Origin, look.Scale)
			}
		}
	}
	inspect := func(_ format.Look, at [2]float64) []format.Thing {
		x, y := int(math.Floor(at[0])), int(math.Floor(at[1]))
		return append(p.spritesAt(image.Pt(x, y)), p.pixel(x, y, v.Layers))
	}
	return stillView{v, draw, inspect, func(place check.Place) (format.Rect, bool) {
		if p.means(place) {
			return v.Bounds, true
		}
		for _, set := range p.sets {
			if i := set.find(place); i >= 0 {
				return rectOf(set.Sprites[i].Rect), true
			}
		}
		return format.Rect{}, false
	}}
}

// pixel describes a pixel, which must be within the picture.
func (p *sheet) pixel(x, y int, layers []format.Layer) format.Thing {
	c := p.NRGBAAt(x, y)
	t := format.Thing{Title: fmt.Sprintf("pixel %d, %d", x, y)}
	if layers != nil {
		t.Layer = pixelsLayer
	}
	if offset, length := p.span(x, y); p.bytes && length > 0 {
		t.Bytes = format.Bytes{Path: p.dump, Space: p.dump, Offset: offset, Len: length}
	}
	t.Facts = append([]format.InfoField{
		format.Fact("color", "colour", c),
		format.Fact("rgba", "red, green, blue, alpha", fmt.Sprintf("%d, %d, %d, %d", c.R, c.G, c.B, c.A)),
	}, p.facts...)
	return t
}

// spritesAt describes the sprites that contain a pixel.
func (p *sheet) spritesAt(at image.Point) (things []format.Thing) {
	for _, set := range p.sets {
		for i, sprite := range set.Sprites {
			if at.In(sprite.Rect) && len(things) < maxThings {
				things = append(things, set.thing(i))
			}
		}
	}
	return things
}

func (s spriteSet) thing(i int) format.Thing {
	sprite := s.Sprites[i]
	r := sprite.Rect
	t := format.Thing{Title: "sprite " + strconv.Quote(sprite.Name), Layer: spritesLayer,
		Place: check.Line{Path: s.place, Line: sprite.Line}}
	if s.tree != "" {
		t.Line = check.Line{Path: s.tree, Line: sprite.Line}
	}
	t.Facts = []format.InfoField{
		format.Fact("position", "position", fmt.Sprintf("%d, %d", r.Min.X, r.Min.Y)),
		format.Fact("size", "size", fmt.Sprintf("%d × %d", r.Dx(), r.Dy())),
		format.Fact("set", "image set", s.Name), format.Fact("file", "its file", s.place), format.Fact("picture", "picture", s.File),
	}
	return t
}

// find returns the index of the sprite that a line of the set defines, or -1.
func (s spriteSet) find(place check.Place) int {
	line, ok := place.(check.Line)
	if !ok || line.Path != s.place && (line.Path != s.tree || s.tree == "") {
		return -1
	}
	for i, sprite := range s.Sprites {
		if sprite.Line == line.Line {
			return i
		}
	}
	return -1
}

// maxSets is the greatest number of image sets of a folder that are read for one picture.
const maxSets = 64

func pictureScene(s *subject) (*format.Scene, error) {
	p, err := newSheet(s, s.path, s.data)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	sum.Write(s.data)
	sets := s.sets()
	for _, name := range sets[:min(len(sets), maxSets)] {
		data, err := s.find(name)
		if err != nil {
			continue // check reports it
		}
		if set, _ := imageset.Parse(data); set != nil && s.isCutBy(set) {
			sum.Write(data)
			p.sets = append(p.sets, spriteSet{set, s.origin(name)})
		}
	}
	scene := &still{views: []stillView{p.view("picture", "the picture")}}
	sum.Sum(scene.digest[:0])
	return scene.scene(), nil
}

func isImageSet(name string) bool { return strings.EqualFold(path.Ext(name), ".imageset") }

// isCutBy reports whether an image set in the same folder uses the picture that is shown.
func (s *subject) isCutBy(set *imageset.Set) bool {
	name, own := gamePath(set.File), gamePath(s.path)
	return name == own || !strings.Contains(own, "MEDIA/") && path.Base(name) == path.Base(own)
}

func gridScene(s *subject) (*format.Scene, error) {
	f, err := mpp.Decode(s.data)
	compiled := err == nil
	if !compiled {
		if f, err = mpp.Parse(s.data); err != nil { // its editable form
			return nil, err
		}
	}
	o, m := s.origin(s.path), f.Image()
	view := format.View{Name: "grid", Title: "where players can walk: green is ground, brown is walls", Scale: 1,
		Axes: [2]string{"x", "-z"}, Unit: "cells",
		Bounds: rectOf(m.Rect.Sub(image.Pt(0, f.Height)))}
	inspect := func(_ format.Look, at [2]float64) []format.Thing {
		x, z := int(math.Floor(at[0])), -1-int(math.Floor(at[1]))
		i := z*f.Width + x
		t := format.Thing{Title: mpp.Meaning(f.Cells[i]),
			Place: text.Place{Path: o.place, Node: fmt.Sprintf("cells[%d]", i)}, Facts: cellFacts(x, z, f.Cells[i])}
		if o.bytes && compiled {
			t.Bytes = format.Bytes{Path: o.dump, Space: o.dump, Offset: f.Offset(x, z), Len: 1}
		}
		corner, side := f.World()
		t.Facts = append(t.Facts, format.Fact("world", "centre in the world (x, z)",
			numbers(corner[0]+(float64(x)+0.5)*side[0], corner[1]+(float64(z)+0.5)*side[1])))
		return []format.Thing{t}
	}
	where := func(place check.Place) (format.Rect, bool) {
		if o.means(place) {
			return view.Bounds, true
		}
		p, ok := place.(text.Place)
		if !ok || p.Path != o.place {
			return format.Rect{}, false
		}
		number, isCell := strings.CutPrefix(p.Node, "cells[")
		i, err := strconv.Atoi(strings.TrimSuffix(number, "]"))
		if !isCell || err != nil || i < 0 || i >= len(f.Cells) {
			return format.Rect{}, false
		}
		at := image.Pt(i%f.Width, -1-i/f.Width)
		return rectOf(image.Rectangle{at, at.Add(image.Pt(1, 1))}), true
	}
	draw := func(dst *image.RGBA, look format.Look) {
		picture.Draw(dst, m, 0, -float64(f.Height), look.Origin, look.Scale)
	}
	return (&still{views: []stillView{{view, draw, inspect, where}}, digest: sha256.Sum256(s.data)}).scene(), nil
}

// Sheet returns an image set with its picture, which is searched as for [Open]. If only a part of the set can be read, Sheet returns
// that part and an error.
func Sheet(src *format.Source, base moddir.Files) (*imageset.Set, *image.NRGBA, error) {
	s, _, err := single(src, base, Options{})
	if err != nil {
		return nil, nil, err
	}
	set, unread := imageset.Parse(s.data)
	if set == nil {
		return nil, nil, fault.InFile(unread, src.Path)
	}
	data, err := s.find(set.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s: its picture %s is missing: it is searched in the folder MEDIA around the image set, next to it, "+
			"and in --base", src.Path, set.File)
	}
	var m *image.NRGBA
	if err == nil {
		m, err = picture.Decode(set.File, data)
	}
	if err == nil {
		err = set.Spend(effort.Sprites.Start(int64(len(s.data))), m)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: picture %s: %w", src.Path, set.File, err)
	}
	return set, m, unread
}

func imageSetScene(s *subject) (*format.Scene, error) {
	set, err := imageset.Parse(s.data)
	if set == nil {
		return nil, err
	}
	scene := new(still)
	if err != nil {
		scene.missing = append(scene.missing, format.Missing{Kind: "sprite", Name: s.path, What: err.Error(), Loss: true})
	}
	p := &sheet{NRGBA: new(image.NRGBA)}
	data, err := s.find(set.File)
	if err == nil {
		p, err = newSheet(s, set.File, data)
	}
	alone := errors.Is(err, fs.ErrNotExist)
	if alone {
		scene.missing = append(scene.missing, format.Missing{Kind: "image", Name: set.File, Count: int64(len(set.Sprites)), Unit: "sprites",
			What: plainError(err).Error() + "; its sprites are empty frames"})
	} else if err != nil {
		return nil, fmt.Errorf("picture %s: %w", set.File, err)
	}
	sprites := spriteSet{set, s.origin(s.path)}
	p.sets = []spriteSet{sprites}
	scene.digest = sha256.Sum256(append(data, s.data...))
	if err := set.Spend(effort.Sprites.Start(int64(len(s.data))), p.NRGBA); err != nil {
		return nil, err
	}
	contact := imageset.NewContact(set, p.NRGBA)
	view := format.View{Name: "contact", Title: "all sprites with their names", Scale: 1,
		Background: sheets.Background, Bounds: rectOf(image.Rectangle{Max: contact.Size()})}
	inspect := func(_ format.Look, at [2]float64) []format.Thing {
		i, pixel := contact.At(at[0], at[1])
		if i < 0 {
			return nil
		}
		t := sprites.thing(i)
		t.Layer = "" // there are no layers
		if !pixel.In(p.Rect.Intersect(set.Sprites[i].Rect)) {
			return []format.Thing{t}
		}
		return []format.Thing{t, p.pixel(pixel.X, pixel.Y, nil)}
	}
	where := func(place check.Place) (format.Rect, bool) {
		if i := sprites.find(place); i >= 0 {
			return rectOf(contact.Where(i)), true
		}
		return view.Bounds, sprites.means(place)
	}
	draw := func(dst *image.RGBA, look format.Look) { contact.Draw(dst, look.Origin, look.Scale) }
	scene.views = []stillView{{view, draw, inspect, where}}
	if !alone {
		scene.views = append(scene.views, p.view("sheet", "the picture that contains the sprites"))
	}
	return scene.scene(), nil
}

// plainError replaces a "file does not exist" error with a message that lists where the file was searched.
func plainError(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("not found in the mod, in --base or next to the file")
	}
	return err
}

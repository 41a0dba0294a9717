package mapdir

import (
	"bytes"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/forms"
	"trowel.example/teeworlds/internal/tiletext"
	"trowel.example/teeworlds/twmap"
)

// Line returns the line of the folder for a place: the row of a tile, the item of a list. Line 0 means the whole
// file; ok is false if the folder has no line for the place.
func (n *Names) Line(p twmap.Place) (check.Line, bool) {
	f, ok := n.fileOf(p)
	if !ok {
		return check.Line{}, false
	}
	switch {
	case p.X >= 0:
		return check.Line{Path: f.tiles, Line: int(p.Y) + 1}, f.tiles != ""
	case p.Thing == twmap.WholePart:
		return check.Line{Path: f.path, Line: f.line}, true
	case p.Thing == f.thing && p.Index >= 0 && int(p.Index) < f.items:
		return check.Line{Path: f.path, Line: f.first() + int(p.Index)}, true
	}
	return check.Line{}, false
}

// Places returns the first and the last place for a line of the folder. They are equal for most lines. For a row of
// cells they are its first and last cell, or the cell at the given column.
func (n *Names) Places(line check.Line) (first, last twmap.Place, ok bool) {
	part := n.partOf(line)
	if part == nil {
		return twmap.Place{}, twmap.Place{}, false
	}
	whole := part.Whole()
	f, ok := n.fileOf(whole)
	if !ok || line.Line < 1 {
		return whole, whole, ok
	}
	if line.Path == f.tiles {
		return n.row(part, line)
	}
	if f.first != nil {
		if i := line.Line - f.first(); i >= 0 && i < f.items {
			whole = part.Thing(f.thing, i)
		}
	}
	return whole, whole, true
}

// row returns the places of the cells in a row of a layer.
func (n *Names) row(part *twmap.Part, line check.Line) (first, last twmap.Place, ok bool) {
	l := n.m.LayerAt(part).(*twmap.TileLayer)
	y := line.Line - 1
	if y >= l.Height() {
		return part.Whole(), part.Whole(), false
	}
	if line.Column < 1 {
		return part.Tile(0, y), part.Tile(l.Width()-1, y), true
	}
	x := 0
	l.Look(func(l *twmap.TileLayer) {
		switch l.Kind() {
		case twmap.KindTele:
			x = cellAt(l.Teles(), y, line.Column)
		case twmap.KindSpeedup:
			x = cellAt(l.Speedups(), y, line.Column)
		case twmap.KindSwitch:
			x = cellAt(l.Switches(), y, line.Column)
		case twmap.KindTune:
			x = cellAt(l.Tunes(), y, line.Column)
		default:
			x = cellAt(l.Tiles(), y, line.Column)
		}
	})
	return part.Tile(x, y), part.Tile(x, y), true
}

func cellAt[T twmap.Cell](g *twmap.Grid[T], y, column int) int {
	cells, _ := g.Cells()
	from := min(y*g.Width(), len(cells))
	return tiletext.At(cells[from:min(from+g.Width(), len(cells))], column)
}

// partFile is the file that contains a part.
type partFile struct {
	path  string
	line  int    // the line of the part; 0: the whole file
	tiles string // the file with the cells of a layer; "" if none

	// For a part that is a list: the kind of its items, their number, and the line of the first.
	thing twmap.Thing
	items int
	first func() int
}

// fileOf returns the file of the part that contains a place.
func (n *Names) fileOf(p twmap.Place) (f partFile, ok bool) {
	part := p.Part
	if part == nil || part.Number < 0 {
		return f, false
	}
	w := &writer{m: n.m, at: n.at}
	within := func(list []string) bool { return part.Number < len(list) }
	switch part.Kind {
	case twmap.PartGroup:
		if ok = within(n.at.groups); ok {
			f.path = n.Group(part.Number) + "/" + fileGroup
		}
	case twmap.PartImage:
		if ok = within(n.at.images); ok {
			f.path = n.Image(part.Number) + ".png"
			if im := n.m.Images[part.Number]; im.External() || !im.HasPicture() {
				f.path = n.Image(part.Number) + ".json"
			}
		}
	case twmap.PartSound:
		if ok = within(n.at.sounds); ok {
			f.path = n.Sound(part.Number) + ".opus"
			if !n.m.Sounds[part.Number].HasOpus() {
				f.path = n.Sound(part.Number) + ".json"
			}
		}
	case twmap.PartSetting:
		ok = n.m.Info != nil && part.Number < len(n.m.Info.Settings) && fitLines(n.m.Info.Settings)
		f.path, f.line = fileSettings, part.Number+1
	case twmap.PartEnvelope:
		if ok = within(n.at.envelopes); ok {
			e := n.m.Envelopes[part.Number]
			f = partFile{path: n.Envelope(part.Number) + ".json", thing: twmap.ThingPoint, items: len(e.Points)}
			f.first = firstLine(len(e.Points), func() ([]byte, error) { return envelopeFile(e) })
		}
	case twmap.PartLayer:
		l := n.m.LayerAt(part)
		if ok = l != nil; !ok {
			return f, false
		}
		name := n.layerFile(part)
		f.path = name + ".json"
		switch l := l.(type) {
		case *twmap.TileLayer:
			f.tiles = name + ".txt"
		case *twmap.QuadLayer:
			f.thing, f.items = twmap.ThingQuad, l.NumQuads()
			f.first = firstLine(1, func() ([]byte, error) { return forms.Marshal(w.quadsForm(l), "quads", make([]int, 1)) })
		case *twmap.SoundLayer:
			f.thing, f.items = twmap.ThingSource, l.NumSources()
			f.first = firstLine(1, func() ([]byte, error) { return forms.Marshal(w.soundsForm(l), "sources", make([]int, 1)) })
		}
	}
	return f, ok
}

// firstLine returns a function for the line of the first item in a file that ends with a list of items, each on a
// line.
func firstLine(items int, file func() ([]byte, error)) func() int {
	return func() int {
		data, _ := file()
		return bytes.Count(data, []byte("\n")) - 1 - items
	}
}

func (n *Names) layerFile(part *twmap.Part) string {
	if part.Group == nil {
		return n.Orphan(part.Number)
	}
	return n.Layer(part.Group.Number, part.Number)
}

// partOf returns the part that a line of the folder describes, or nil.
func (n *Names) partOf(line check.Line) *twmap.Part {
	if line.Path == fileSettings && n.m.Info != nil && line.Line >= 1 && line.Line <= len(n.m.Info.Settings) {
		return &twmap.Part{Kind: twmap.PartSetting, Number: line.Line - 1, Name: n.m.Info.Settings[line.Line-1]}
	}
	is := func(name string, extensions ...string) bool {
		extension, found := strings.CutPrefix(line.Path, name)
		return found && slices.Contains(extensions, extension)
	}
	for i, im := range n.m.Images {
		if is(n.Image(i), ".png", ".json") {
			return &twmap.Part{Kind: twmap.PartImage, Number: i, Name: im.Name}
		}
	}
	for i, s := range n.m.Sounds {
		if is(n.Sound(i), ".opus", ".json") {
			return &twmap.Part{Kind: twmap.PartSound, Number: i, Name: s.Name}
		}
	}
	for i, e := range n.m.Envelopes {
		if is(n.Envelope(i), ".json") {
			return &twmap.Part{Kind: twmap.PartEnvelope, Number: i, Name: e.Name}
		}
	}
	for i, g := range n.m.Groups {
		group := &twmap.Part{Kind: twmap.PartGroup, Number: i, Name: g.Name}
		if line.Path == n.Group(i)+"/"+fileGroup {
			return group
		}
		for j, l := range g.Layers {
			if is(n.Layer(i, j), ".json", ".txt") {
				return &twmap.Part{Kind: twmap.PartLayer, Number: j, Name: l.Base().Name, Group: group}
			}
		}
	}
	for i, l := range n.m.Orphans {
		if is(n.Orphan(i), ".json", ".txt") {
			return &twmap.Part{Kind: twmap.PartLayer, Number: i, Name: l.Base().Name}
		}
	}
	return nil
}

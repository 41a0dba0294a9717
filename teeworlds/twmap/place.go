package twmap

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"trowel.example/check"
)

// PartKind is the kind of a numbered part of a map. It is the key of the part in JSON.
type PartKind string

// Kinds of parts.
const (
	PartGroup    PartKind = "group"
	PartLayer    PartKind = "layer"
	PartEnvelope PartKind = "envelope"
	PartImage    PartKind = "image"
	PartSound    PartKind = "sound"
	PartSetting  PartKind = "setting" // its name is the line
	PartExtra    PartKind = "extra"   // an item that the model has no field for
)

// Part is a numbered part of a map.
type Part struct {
	Kind   PartKind
	Number int // from 0, in file order; a layer is numbered within its group, or among the orphans
	Name   string
	Group  *Part // the group of a layer; nil without one
}

// Place is a location in a map, as data for programs: a part, a tile of a layer, or one element of a part that is a
// list. All places of a part share its Part, so that a place is small.
type Place struct {
	Part  *Part
	X, Y  int32 // of a tile; -1 otherwise
	Index int32 // of a quad, source or point in the part, according to Thing; -1 otherwise
	Thing Thing
}

// Thing is the kind of element in the list of a part.
type Thing uint8

// The kinds of places other than tiles.
const (
	WholePart Thing = iota
	ThingQuad
	ThingSource
	ThingPoint
)

var thingNames = [...]string{ThingQuad: "quad", ThingSource: "source", ThingPoint: "point"}

// Whole returns the place of the whole part.
func (p *Part) Whole() Place { return Place{Part: p, X: -1, Y: -1, Index: -1} }

// Tile returns the place of a tile of the layer.
func (p *Part) Tile(x, y int) Place { return Place{Part: p, X: int32(x), Y: int32(y), Index: -1} }

// Thing returns the place of one element of the list that the part is.
func (p *Part) Thing(t Thing, i int) Place {
	return Place{Part: p, X: -1, Y: -1, Index: int32(i), Thing: t}
}

// PartOf returns the part for a layer of the map, or nil if the map does not have the layer.
func (m *Map) PartOf(l Layer) *Part {
	for i, g := range m.Groups {
		if j := slices.Index(g.Layers, l); j >= 0 {
			return &Part{Kind: PartLayer, Number: j, Name: l.Base().Name, Group: &Part{Kind: PartGroup, Number: i, Name: g.Name}}
		}
	}
	if i := slices.Index(m.Orphans, l); i >= 0 {
		return &Part{Kind: PartLayer, Number: i, Name: l.Base().Name}
	}
	return nil
}

// LayerAt returns the layer for a part, or nil if the map has no such layer.
func (m *Map) LayerAt(p *Part) Layer {
	list := m.Orphans
	if p.Group != nil {
		if p.Group.Number < 0 || p.Group.Number >= len(m.Groups) {
			return nil
		}
		list = m.Groups[p.Group.Number].Layers
	}
	if p.Kind != PartLayer || p.Number < 0 || p.Number >= len(list) {
		return nil
	}
	return list[p.Number]
}

// at returns the place of the whole part, for a finding.
func (p *Part) at() []check.Place {
	if p == nil {
		return nil
	}
	return []check.Place{p.Whole()}
}

func (p Place) String() string {
	switch {
	case p.X >= 0:
		return fmt.Sprintf("%d,%d", p.X, p.Y)
	case p.Thing != WholePart:
		return fmt.Sprintf("%s %d", thingNames[p.Thing], p.Index)
	}
	return title(p.Part.Path(), p.Part.Name)
}

// Path returns the path of the part, as in findings: groups[1].layers[2].
func (p *Part) Path() string {
	switch {
	case p.Kind == PartLayer && p.Group == nil:
		return fmt.Sprintf("orphans[%d]", p.Number)
	case p.Kind == PartLayer:
		return fmt.Sprintf("%s.layers[%d]", p.Group.Path(), p.Number)
	case p.Kind == PartSetting:
		return fmt.Sprintf("info.settings[%d]", p.Number)
	}
	return fmt.Sprintf("%ss[%d]", p.Kind, p.Number)
}

// placeForm is the JSON form of a place.
type placeForm struct {
	Group    *partForm `json:"group,omitempty"`
	Layer    *partForm `json:"layer,omitempty"`
	Envelope *partForm `json:"envelope,omitempty"`
	Image    *partForm `json:"image,omitempty"`
	Sound    *partForm `json:"sound,omitempty"`
	Setting  *partForm `json:"setting,omitempty"`
	Extra    *partForm `json:"extra,omitempty"`
	X        *int32    `json:"x,omitempty"`
	Y        *int32    `json:"y,omitempty"`
	Quad     *int32    `json:"quad,omitempty"`
	Source   *int32    `json:"source,omitempty"`
	Point    *int32    `json:"point,omitempty"`
}

type partForm struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
}

// MarshalJSON writes {group, layer, x, y}, {group, layer, quad}, {group, layer, source}, {envelope, point}, or the
// part alone; each part is {number, name}.
func (p Place) MarshalJSON() ([]byte, error) {
	var f placeForm
	for part := p.Part; part != nil; part = part.Group {
		form := &partForm{part.Number, part.Name}
		switch part.Kind {
		case PartGroup:
			f.Group = form
		case PartLayer:
			f.Layer = form
		case PartEnvelope:
			f.Envelope = form
		case PartImage:
			f.Image = form
		case PartSound:
			f.Sound = form
		case PartSetting:
			f.Setting = form
		case PartExtra:
			f.Extra = form
		}
	}
	if p.X >= 0 {
		f.X, f.Y = &p.X, &p.Y
	}
	switch p.Thing {
	case ThingQuad:
		f.Quad = &p.Index
	case ThingSource:
		f.Source = &p.Index
	case ThingPoint:
		f.Point = &p.Index
	}
	return json.Marshal(f)
}

// maxPlaces limits the places that the findings of a map keep together. Only malicious files have more; the rest is
// counted.
const maxPlaces = 1 << 18

// spots collects the places of a finding: all are counted and kept, and its message names the first.
type spots struct {
	left  *atomic.Int32 // how many more may be kept; nil: no limit
	n     int
	named []string
	kept  []Place
}

const maxNamed = 8

// add adds a place under its usual name.
func (s *spots) add(p Place) { s.addAs(p, p.String) }

// addAs adds a place; name is called only if the message names the place.
func (s *spots) addAs(p Place, name func() string) {
	if s.n++; len(s.named) < maxNamed {
		s.named = append(s.named, name())
	}
	if s.left == nil || s.left.Add(-1) >= 0 {
		s.kept = append(s.kept, p)
	}
}

// number adds a numbered thing without a place.
func (s *spots) number(n int) {
	if s.n++; len(s.named) < maxNamed {
		s.named = append(s.named, fmt.Sprint(n))
	}
}

// at returns the places for a finding. They share one allocation.
func (s *spots) at() []check.Place {
	if len(s.kept) == 0 {
		return nil
	}
	at := make([]check.Place, len(s.kept))
	for i := range s.kept {
		at[i] = &s.kept[i]
	}
	return at
}

// String lists the places, followed by dots if there are more.
func (s *spots) String() string {
	list := ""
	for i, name := range s.named {
		if i > 0 {
			list += " "
		}
		list += name
	}
	if s.n > len(s.named) {
		list += " ..."
	}
	return list
}

// of returns the count with its unit: "1 tile", "3 tiles".
func (s *spots) of(thing string) string { return count(s.n, thing) }

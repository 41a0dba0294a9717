package mapdiff

import (
	"cmp"

	"trowel.example/check"
	"trowel.example/teeworlds/twmap"
)

// Places returns the places of the change in the old and the new map: all tiles for a change of tiles, otherwise the
// part. A tile of a row or column that the old map lacks has no place there, and a change of the map as a whole has
// none. The places are [*twmap.Place].
func (c Change) Places() (old, new []check.Place) {
	of := c.Part
	if of.Type == "setting" && of.Name == "" {
		of.Name, _ = cmp.Or(c.Old, c.New).(string)
	}
	thing := things[of.Type]
	if thing != twmap.WholePart {
		if c.in == nil {
			return nil, nil
		}
		of = *c.in
	}
	was, is := of.place(true), of.place(false)
	switch {
	case c.Kind == Tiles && c.Area != nil && is != nil:
		return c.tiles(was, is)
	case thing != twmap.WholePart:
		return placeOf(was, thing, c.Part.Was), placeOf(is, thing, c.Part.Is)
	}
	return placeOf(was, thing, nil), placeOf(is, thing, nil)
}

var things = map[string]twmap.Thing{"quad": twmap.ThingQuad, "source": twmap.ThingSource, "point": twmap.ThingPoint}

var kinds = map[string]twmap.PartKind{"setting": twmap.PartSetting, "image": twmap.PartImage, "sound": twmap.PartSound,
	"envelope": twmap.PartEnvelope, "group": twmap.PartGroup, "layer": twmap.PartLayer, "item": twmap.PartExtra}

// place returns the part in one of the maps, or nil if it is not there.
func (p *Part) place(old bool) *twmap.Part {
	number, name := p.Is, p.Name
	if old {
		if number = p.Was; p.wasCalled != nil {
			name = *p.wasCalled
		}
	}
	if number == nil || kinds[p.Type] == "" {
		return nil
	}
	part := &twmap.Part{Kind: kinds[p.Type], Number: *number, Name: name}
	if p.Group != nil {
		part.Group = p.Group.place(old)
	}
	return part
}

// placeOf returns the place of a part, or of one of its elements.
func placeOf(p *twmap.Part, thing twmap.Thing, number *int) []check.Place {
	if p == nil || thing != twmap.WholePart && number == nil {
		return nil
	}
	at := p.Whole()
	if thing != twmap.WholePart {
		at = p.Thing(thing, *number)
	}
	return []check.Place{&at}
}

// tiles returns the places of all tiles of the area.
func (c Change) tiles(was, is *twmap.Part) (old, new []check.Place) {
	a := c.Area
	var list []twmap.Place // many places share an allocation, but not all, because some may be kept
	add := func(places []check.Place, at twmap.Place) []check.Place {
		if len(list) == cap(list) {
			list = make([]twmap.Place, 0, min(2*a.Width*a.Height, 1024))
		}
		list = append(list, at)
		return append(places, &list[len(list)-1])
	}
	for y := a.Y; y < a.Y+a.Height; y++ {
		for x := a.X; x < a.X+a.Width; x++ {
			if was != nil && x < len(c.cols) && y < len(c.rows) && c.cols[x] >= 0 && c.rows[y] >= 0 {
				old = add(old, was.Tile(c.cols[x], c.rows[y]))
			}
			new = add(new, is.Tile(x, y))
		}
	}
	return old, new
}

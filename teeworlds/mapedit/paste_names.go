package mapedit

import (
	"fmt"
	"slices"

	"trowel.example/internal/limits/effort"
	"trowel.example/teeworlds/twmap"
)

// twin is a layer of another map, and the layer of this map that belongs to it: nil until it is made.
type twin struct {
	at      LayerAt // in the other map
	theirs  twmap.Layer
	ours    twmap.Layer
	missing bool // has something in the area, and no layer of this map belongs to it
	image   int  // of a missing layer, in this map; or its sound
}

// byName pastes into the groups and layers that have the names of those of the other map, and makes missing ones.
func (p *pasting) byName() error {
	p.source.m.Clean() // details of its file do not belong in another file
	if err := p.cut(); err != nil {
		return err
	}
	groups := p.matchGroups()
	var twins []*twin
	for i, g := range p.source.m.Groups {
		twins = append(twins, p.matchLayers(i, g, groups[i])...)
	}
	t := transplant{e: p.e, other: p.source.m}
	for _, tw := range twins {
		if !tw.missing {
			continue
		}
		switch l := tw.theirs.(type) {
		case *twmap.TileLayer:
			tw.image = t.ifAny(l.Image, len(t.other.Images), t.image)
		case *twmap.QuadLayer:
			tw.image = t.ifAny(l.Image, len(t.other.Images), t.image)
		case *twmap.SoundLayer:
			tw.image = t.ifAny(l.Sound, len(t.other.Sounds), t.sound)
		}
	}
	if err := t.room(); err != nil {
		return err
	}
	if err := p.checkSizes(groups, twins); err != nil {
		return err
	}
	for _, kind := range []twmap.PartKind{twmap.PartImage, twmap.PartSound, twmap.PartEnvelope} {
		if err := p.e.settle(kind); err != nil {
			return err
		}
	}
	t.add()
	p.makeMissing(groups, twins)
	for _, tw := range twins {
		if tw.ours != nil {
			p.paste(tw.at, tw.theirs, p.e.placeOf(tw.ours), tw.ours)
		}
	}
	p.e.Fit()
	return nil
}

// cut reduces the area to what is inside of the map at the target.
func (p *pasting) cut() error {
	game := p.e.m.Physics(twmap.KindGame)
	in := p.target.in(game)
	if in.Width == 0 || in.Height == 0 {
		return fmt.Errorf("the area at %v is outside of the map, which has %d x %d tiles", p.target, game.Width(), game.Height())
	}
	if in == p.target {
		return nil
	}
	p.e.reportChange(nil, 1, "", "of the area at %v only %v is inside of the map and is copied", p.target, in)
	p.area = Area{p.area.X + in.X - p.target.X, p.area.Y + in.Y - p.target.Y, in.Width, in.Height}
	p.target = in
	return nil
}

// ifAny returns the new number of an image or a sound of the other map, or -1 for none.
func (t *transplant) ifAny(i, n int, add func(i int) int) int {
	if i < 0 || i >= n {
		return -1
	}
	return add(i)
}

// matchGroups returns the groups that belong to those of the other map, or nil.
func (p *pasting) matchGroups() []*twmap.Group {
	type look struct {
		name       string
		x, y, w, h int32
	}
	lookOf := func(g *twmap.Group) look {
		if g.Name != "" {
			return look{name: g.Name}
		}
		return look{"", g.OffsetX, g.OffsetY, g.ParallaxX, g.ParallaxY}
	}
	ours, theirs := p.e.gameGroup(), p.source.gameGroup()
	free := make(map[look][]*twmap.Group)
	for i, g := range p.e.m.Groups {
		if i != ours {
			free[lookOf(g)] = append(free[lookOf(g)], g)
		}
	}
	found := make([]*twmap.Group, len(p.source.m.Groups))
	for i, g := range p.source.m.Groups {
		if list := free[lookOf(g)]; i == theirs {
			found[i] = p.e.m.Groups[ours]
		} else if len(list) > 0 {
			found[i], free[lookOf(g)] = list[0], list[1:]
		}
	}
	return found
}

// matchLayers returns the layers of a group of the other map with those that belong to them in group, which may be nil.
func (p *pasting) matchLayers(number int, theirs, group *twmap.Group) (twins []*twin) {
	var free []twmap.Layer
	if group != nil {
		free = slices.Clone(group.Layers)
	}
	for j, l := range theirs.Layers {
		tw := &twin{at: LayerAt{number, j}, theirs: l}
		kind, isPhysics := physics(l)
		i := slices.IndexFunc(free, func(k twmap.Layer) bool {
			return kindOf(k) == kindOf(l) && k.Base().Name == l.Base().Name && p.sameLook(l, k)
		})
		switch {
		case isPhysics:
			if own := p.e.m.Physics(kind); own != nil {
				tw.ours = own
			}
		case i >= 0:
			tw.ours = free[i]
			free = slices.Delete(free, i, i+1)
		}
		_, unknown := l.(*twmap.UnknownLayer)
		tw.missing = tw.ours == nil && !unknown && p.hasSomething(tw)
		twins = append(twins, tw)
	}
	return twins
}

// sameLook reports whether two layers of the same kind show the same image, or play the same sound.
func (p *pasting) sameLook(theirs, ours twmap.Layer) bool {
	images := func(i, j int) bool {
		a, b := partAt(p.source.m.Images, i), partAt(p.e.m.Images, j)
		return a == nil && b == nil || a != nil && b != nil && sameImage(a, b) && (!a.External() || a.Name == b.Name)
	}
	switch l := theirs.(type) {
	case *twmap.TileLayer:
		return images(l.Image, ours.(*twmap.TileLayer).Image)
	case *twmap.QuadLayer:
		return images(l.Image, ours.(*twmap.QuadLayer).Image)
	case *twmap.SoundLayer:
		a, b := partAt(p.source.m.Sounds, l.Sound), partAt(p.e.m.Sounds, ours.(*twmap.SoundLayer).Sound)
		return a == nil && b == nil || a != nil && b != nil && sameSound(a, b) && (!a.External() || a.Name == b.Name)
	}
	return false
}

// partAt returns the part that a reference points to, or nil.
func partAt[T any](list []*T, i int) *T {
	if i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}

// hasSomething reports whether a layer of the other map has anything in the area.
func (p *pasting) hasSomething(tw *twin) bool {
	area := p.source.seen(tw.at.Group, p.area)
	switch l := tw.theirs.(type) {
	case *twmap.TileLayer:
		w, h := filled(l, area)
		return w > 0 && h > 0
	case *twmap.QuadLayer:
		quads, _ := l.Quads()
		return slices.ContainsFunc(quads, func(q twmap.Quad) bool { return area.contains(q.Pivot) })
	case *twmap.SoundLayer:
		sources, _ := l.Sources()
		return slices.ContainsFunc(sources, func(s twmap.SoundSource) bool { return area.contains(s.Position) })
	}
	return false
}

// filled returns the size of the part of an area, from its top left, outside of which all is air.
func filled(l *twmap.TileLayer, a Area) (w, h int) {
	shown := endless(l)
	for y := range a.Height {
		for x := range a.Width {
			if shown(a.X+x, a.Y+y).ID != 0 {
				w, h = max(w, x+1), y+1
			}
		}
	}
	return w, h
}

// size returns the size of the layer of tiles for one of the other map: what is pasted into the group must have room, and
// an edge of a design layer stays as it is, because it repeats.
func (p *pasting) size(tw *twin, group *twmap.Group) (w, h int) {
	theirs := tw.theirs.(*twmap.TileLayer)
	l := p.e.m.Physics(twmap.KindGame)
	if tw.ours != nil {
		l = tw.ours.(*twmap.TileLayer)
	}
	filledW, filledH := filled(theirs, p.source.seen(tw.at.Group, p.area))
	if filledW == 0 || theirs.Kind().Physics() {
		return l.Width(), l.Height()
	}
	to := p.source.seen(tw.at.Group, p.target) // a group that is made is like that of the other map
	if group != nil {
		to = p.e.seen(slices.Index(p.e.m.Groups, group), p.target)
	}
	return max(l.Width(), to.X+filledW+1), max(l.Height(), to.Y+filledH+1)
}

// checkSizes returns an error if layers of tiles would become too large.
func (p *pasting) checkSizes(groups []*twmap.Group, twins []*twin) error {
	all := effort.MapMade.Start(0)
	for _, tw := range twins {
		if _, ok := tw.theirs.(*twmap.TileLayer); ok && (tw.ours != nil || tw.missing) {
			w, h := p.size(tw, groups[tw.at.Group])
			if err := fits(w, h, all); err != nil {
				return fmt.Errorf("%s of the other map: %w", p.source.Path(tw.theirs), err)
			}
		}
	}
	return nil
}

// makeMissing makes the missing groups and layers, each in front of those that it covers in the other map, and enlarges
// layers of tiles in which what is pasted has no room.
func (p *pasting) makeMissing(groups []*twmap.Group, twins []*twin) {
	before := 0 // the number of groups up to the last of the previous ones
	for i, theirs := range p.source.m.Groups {
		own := slices.DeleteFunc(slices.Clone(twins), func(tw *twin) bool { return tw.at.Group != i })
		if groups[i] == nil && slices.ContainsFunc(own, func(tw *twin) bool { return tw.missing }) {
			groups[i] = settingsOf(theirs, theirs.Name)
			if c := groups[i].Clip; c != nil {
				c.X, c.Y = c.X+int32((p.target.X-p.area.X)*tileUnits), c.Y+int32((p.target.Y-p.area.Y)*tileUnits)
			}
			p.e.m.Groups = slices.Insert(p.e.m.Groups, before, groups[i])
			p.e.reportChange(groups[i], 1, "", "got the properties of the one in the other map")
		}
		if groups[i] == nil {
			continue
		}
		before = max(before, slices.Index(p.e.m.Groups, groups[i])+1)
		next := 0
		for _, tw := range own {
			if tw.missing {
				tw.ours = p.makeLayer(tw, groups[i])
				groups[i].Layers = slices.Insert(groups[i].Layers, next, tw.ours)
				p.e.reportChange(tw.ours, 1, "", "got the properties of the one in the other map")
			}
			if tw.ours == nil {
				continue
			}
			next = max(next, slices.Index(groups[i].Layers, tw.ours)+1)
			if l, ok := tw.ours.(*twmap.TileLayer); ok && !tw.missing {
				w, h := p.size(tw, groups[i])
				p.e.reframe(l, Sides{Right: w - l.Width(), Down: h - l.Height()})
			}
		}
	}
}

// makeLayer returns an empty layer like one of the other map.
func (p *pasting) makeLayer(tw *twin, group *twmap.Group) (made twmap.Layer) {
	switch l := tw.theirs.(type) {
	case *twmap.TileLayer:
		w, h := p.size(tw, group)
		n := twmap.NewTileLayer(l.Kind(), w, h)
		if made = n; l.Kind().Physics() {
			return made // its name and flags are those of all
		}
		n.Version, n.Image, n.Color = p.e.tileVersion(), tw.image, l.Color
		n.ColorEnv, n.ColorEnvOffset = p.envelope(l.ColorEnv), l.ColorEnvOffset
	case *twmap.QuadLayer:
		n := twmap.NewQuadLayer()
		n.Image, made = tw.image, n
	case *twmap.SoundLayer:
		n := twmap.NewSoundLayer()
		n.Sound, made = tw.image, n
	}
	made.Base().Name, made.Base().Flags = tw.theirs.Base().Name, tw.theirs.Base().Flags
	return made
}

package twmap

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/datafile"
)

// checkGroups adds a job for each group and for each layer.
func (c *checker) checkGroups() {
	game := c.gameGroup()
	for i, g := range c.m.Groups {
		c.add(func(sink check.Sink) { c.checkGroup(sink, c.groups[i], g, g == game) })
		for _, l := range g.Layers {
			part := c.layers[l]
			switch l := l.(type) {
			case *TileLayer:
				if c.foreign[l] {
					continue // reported once for the map
				}
				c.add(func(sink check.Sink) {
					c.checkTileLayer(sink, part, l, game != nil && g != game)
					c.checkCells(sink, part, l)
				})
			case *QuadLayer:
				c.add(func(sink check.Sink) { c.checkQuadLayer(sink, part, l) })
			case *SoundLayer:
				c.add(func(sink check.Sink) { c.checkSoundLayer(sink, part, l) })
			case *UnknownLayer:
				c.add(func(sink check.Sink) { checkUnknownLayer(sink, part, l) })
			}
		}
	}
}

// gameGroup returns the group of the game layer that the game uses.
func (c *checker) gameGroup() *Group {
	game := c.used[KindGame]
	for _, g := range slices.Backward(c.m.Groups) {
		if game != nil && slices.Contains(g.Layers, Layer(game)) {
			return g
		}
	}
	return nil
}

func (c *checker) checkGroup(sink check.Sink, part *Part, g *Group, game bool) {
	if g.Version >= 3 {
		badName(sink, part, "group", g.Name, &g.origin, 12, 3)
	}
	if g.Clip != nil && (g.Clip.Width < 0 || g.Clip.Height < 0) {
		sink.AddAt(foundNegative, part.at(), part.Path()+".clip", -1, "the %s is clipped to %d x %d units",
			title("group", g.Name), g.Clip.Width, g.Clip.Height)
	}
	if g.ParallaxZoom != nil {
		sink.AddAt(foundGroupEx, part.at(), part.Path(), -1, "the %s has a parallax zoom of %d", title("group", g.Name), g.ParallaxZoom.Percent)
	}
	if !game {
		return
	}
	if g.Version >= 3 && g.Name != "Game" {
		sink.AddAt(foundPhysicsName, part.at(), part.Path(), -1, "the group of the game layer is named %q, not %q", g.Name, "Game")
	}
	if g.Clip != nil {
		sink.AddAt(foundGameClip, part.at(), part.Path(), -1, "the group of the game layer is clipped")
	}
	if g.ParallaxX != 100 || g.ParallaxY != 100 {
		sink.AddAt(foundGameParallax, part.at(), part.Path(), -1, "the group of the game layer has the parallax %d, %d", g.ParallaxX, g.ParallaxY)
	}
	if g.OffsetX != 0 || g.OffsetY != 0 {
		sink.AddAt(foundGameOffset, part.at(), part.Path(), -1, "the group of the game layer has the offset %d, %d", g.OffsetX, g.OffsetY)
	}
}

// checkLayerBase checks what all layers have; the name begins at integer at.
func checkLayerBase(sink check.Sink, part *Part, what string, b *LayerBase, at int) {
	if at > 0 {
		badName(sink, part, what, b.Name, &b.origin, at, 3)
	}
	if odd := b.Flags &^ Detail; odd != 0 {
		sink.AddAt(foundLayerFlags, part.at(), part.Path(), -1, "the %s has unknown flags %v", title(what, b.Name), odd)
	}
}

func (c *checker) checkTileLayer(sink check.Sink, part *Part, l *TileLayer, elsewhere bool) {
	what := title(fmt.Sprintf("%v layer", l.Kind()), l.Name)
	// An invalid name from a file was already reported by checkLaw, and is "" here.
	checkLayerBase(sink, part, fmt.Sprintf("%v layer", l.Kind()), &l.LayerBase, 0)
	if l.Version >= 3 && len(l.Name) > 11 {
		sink.AddAt(foundNameLong, part.at(), part.Path(), -1,
			"the name %q of the %v layer has %s: expected at most 11", l.Name, l.Kind(), words.Count(len(l.Name), "byte"))
	}
	if odd := l.flags &^ 63; odd != 0 {
		sink.AddAt(foundLayerFlags, part.at(), part.Path(), -1, "the %s has unknown tilemap flags %v", what, odd)
	}
	if a := l.AutoMapper; a != nil {
		if a.Seed < 0 || a.Seed > 1_000_000_000 {
			sink.AddAt(foundAutoMapperSeed, part.at(), part.Path(), -1, "the automapper of the %s has the seed %d", what, a.Seed)
		}
	}
	if l.Kind().Physics() {
		c.checkPhysics(sink, part, l, elsewhere)
		return
	}
	env := c.envelopeUse(part, ChannelsColor, WholePart)
	env.refer(0, l.ColorEnv)
	env.report(sink, what)
	if im := c.checkImage(sink, part, what, l.Image); im != nil && (im.width%16 != 0 || im.height%16 != 0) {
		sink.AddAt(foundImageNot16, part.at(), part.Path(), -1, "the %s uses the image %q of %d x %d pixels", what, im.Name, im.width, im.height)
	}
}

// checkImage returns the image that a layer uses, or nil for none. It reports an image that the map does not have.
func (c *checker) checkImage(sink check.Sink, part *Part, what string, i int) *Image {
	switch {
	case i == -1:
		return nil
	case i < 0 || i >= len(c.m.Images):
		sink.AddAt(foundImageMissing, part.at(), part.Path(), -1, "the %s uses image %d, the map has %d", what, i, len(c.m.Images))
		return nil
	}
	c.use(c.images, i)
	return c.m.Images[i]
}

func (c *checker) checkPhysics(sink check.Sink, part *Part, l *TileLayer, elsewhere bool) {
	checkNoCells(sink, part, l)
	used := c.used[l.Kind()]
	if used != l {
		sink.AddAt(foundPhysicsDuplicate, part.at(), part.Path(), -1, "the game uses a later %v layer", l.Kind())
	}
	if elsewhere {
		sink.AddAt(foundPhysicsGroup, part.at(), part.Path(), -1, "the %v layer is not in the group of the game layer", l.Kind())
	}
	if game := c.used[KindGame]; game != nil && (l.Width() != game.Width() || l.Height() != game.Height()) && used == l {
		sink.AddAt(foundPhysicsShape, part.at(), part.Path(), -1,
			"the %v layer is %d x %d tiles large, the game layer %d x %d", l.Kind(), l.Width(), l.Height(), game.Width(),
			game.Height())
	}
	if l.Version >= 3 && l.Name != l.Kind().physicsName() && c.mod == "" {
		sink.AddAt(foundPhysicsName, part.at(), part.Path(), -1, "the %v layer is named %q, not %q", l.Kind(), l.Name, l.Kind().physicsName())
	}
	var looks []string
	if l.Color != White {
		looks = append(looks, "a colour")
	}
	if l.Image != -1 {
		looks = append(looks, "an image")
	}
	if l.Flags&Detail != 0 {
		looks = append(looks, "the detail flag")
	}
	if looks != nil {
		sink.AddAt(foundPhysicsLook, part.at(), part.Path(), -1, "the %v layer has %s", l.Kind(), strings.Join(looks, " and "))
	}
}

func (c *checker) checkQuadLayer(sink check.Sink, part *Part, l *QuadLayer) {
	at := 0
	if l.Version >= 2 {
		at = 7
	}
	checkLayerBase(sink, part, "quads layer", &l.LayerBase, at)
	what := title("quads layer", l.Name)
	c.checkImage(sink, part, what, l.Image)
	l.Look(func(quads []Quad, err error) {
		if stored := !l.quads.changed; stored && checkRef(sink, part.at(), part.Path(), "list of quads", &l.data) {
			checkList(sink, foundQuadsData, part, what, &l.data, l.num, err)
		}
		position := c.envelopeUse(part, ChannelsPosition, ThingQuad)
		color := c.envelopeUse(part, ChannelsColor, ThingQuad)
		for i := range quads {
			position.refer(i, quads[i].PosEnv)
			color.refer(i, quads[i].ColorEnv)
		}
		position.report(sink, what)
		color.report(sink, what)
		if odd := c.spots(); c.oddColors(&odd, part, quads) {
			sink.AddAt(foundQuadColor, odd.at(), part.Path(), -1, "the %s has %s with colours outside of 0 to 255: %s", what, odd.of("quad"), &odd)
		}
	})
}

// oddColors adds the quads with components of colours outside of 0 to 255, and reports whether there are any.
func (c *checker) oddColors(odd *spots, part *Part, quads []Quad) bool {
	for i := range quads {
		if slices.ContainsFunc(quads[i].Colors[:], func(c Color) bool {
			return min(c.R, c.G, c.B, c.A) < 0 || max(c.R, c.G, c.B, c.A) > 255
		}) {
			odd.add(part.Thing(ThingQuad, i))
		}
	}
	return odd.n > 0
}

// checkNoCells reports tiles where a physics layer of DDNet has air for other games.
func checkNoCells(sink check.Sink, part *Part, l *TileLayer) {
	ref := &l.data[KindTiles]
	if l.dataKind() == KindTiles || ref.block == nil || int64(ref.block.Size()) != 4*int64(l.Width())*int64(l.Height()) {
		return
	}
	ref.block.Look(func(data []byte, err error) {
		if err == nil && len(bytes.TrimLeft(data, "\x00")) > 0 {
			sink.AddAt(foundTilesOther, part.at(), part.Path(), ref.offset(),
				"the %v layer has tiles in data block %d, which must be air: it is for games without these layers", l.Kind(), ref.index)
		}
	})
}

func (c *checker) checkSoundLayer(sink check.Sink, part *Part, l *SoundLayer) {
	checkLayerBase(sink, part, "sounds layer", &l.LayerBase, 7)
	what := title("sounds layer", l.Name)
	if l.Deprecated {
		sink.AddAt(foundSoundsDeprecated, part.at(), part.Path(), -1, "the %s has the form of early 2015", what)
	}
	switch i := l.Sound; {
	case i == -1:
	case i < 0 || i >= len(c.m.Sounds):
		sink.AddAt(foundSoundMissing, part.at(), part.Path(), -1, "the %s plays sound %d, the map has %d", what, i, len(c.m.Sounds))
	default:
		c.use(c.sounds, i)
	}
	sources, err := l.Sources()
	if stored := !l.sources.changed; stored && checkRef(sink, part.at(), part.Path(), "list of sources", &l.data) {
		checkList(sink, foundSourcesData, part, what, &l.data, l.num, err)
	}
	position := c.envelopeUse(part, ChannelsPosition, ThingSource)
	volume := c.envelopeUse(part, ChannelsSound, ThingSource)
	odd, negative := c.spots(), c.spots()
	for i := range sources {
		s := &sources[i]
		position.refer(i, s.PosEnv)
		volume.refer(i, s.SoundEnv)
		if s.Shape != ShapeRectangle && s.Shape != ShapeCircle || s.Falloff < 0 || s.Falloff > 255 {
			odd.add(part.Thing(ThingSource, i))
		}
		if s.Delay < 0 || s.Width < 0 || s.Height < 0 && s.Shape == ShapeRectangle {
			negative.add(part.Thing(ThingSource, i))
		}
	}
	position.report(sink, what)
	volume.report(sink, what)
	if odd.n > 0 {
		sink.AddAt(foundSoundSource, odd.at(), part.Path(), -1, "the %s has %s with an unknown shape or falloff: %s", what,
			odd.of("source"), &odd)
	}
	if negative.n > 0 {
		sink.AddAt(foundNegative, negative.at(), part.Path(), -1, "the %s has %s with a negative delay or size: %s", what,
			negative.of("source"), &negative)
	}
}

// checkList reports the problems of reading a list of num quads or sources.
func checkList(sink check.Sink, kind *check.Kind, part *Part, what string, ref *dataRef, num int, err error) {
	switch {
	case num == 0 && ref.block != nil && ref.block.Size() == 0:
		sink.AddAt(foundDataEmpty, part.at(), part.Path(), ref.offset(), "the %s refers to data block %d, which is empty", what, ref.index)
	case err != nil:
		sink.AddAt(kind, part.at(), part.Path(), ref.offset(), "the %s: %s", what, reason(err))
	}
}

func checkUnknownLayer(sink check.Sink, part *Part, l *UnknownLayer) {
	switch {
	case l.Type != layerTiles:
		sink.AddAt(foundLayerUnknown, part.at(), part.Path(), -1, "the layer has the type %d", l.Type)
	case l.huge():
		sink.AddAt(foundLayerHuge, part.at(), part.Path(), -1, "the layer of %d x %d tiles is not read", l.Data[1], l.Data[2])
	} // otherwise checkLaw reported the wrong size
}

// lostAutoMapperReason returns the reason why the game ignores an automapper among the extras.
func lostAutoMapperReason(v []int32) string {
	switch {
	case len(v) < 3:
		return fmt.Sprintf("an automapper has %s: expected 6", words.Count(len(v), "integer"))
	case v[0] != 1:
		return fmt.Sprintf("an automapper has version %d: the game reads version 1", v[0])
	}
	return "an automapper belongs to no tile layer that is drawn, or to a layer that has another one"
}

// checkShortExtensions reports automappers and parallax zooms whose items lack integers.
func (c *checker) checkShortExtensions(sink check.Sink) {
	short := func(part *Part, what string, o *origin, want int) {
		if o.item != nil && len(o.item.Data) < want {
			sink.AddAt(foundItemShort, part.at(), part.Path()+"."+what, -1, "the item has %s: expected %d",
				words.Count(len(o.item.Data), "integer"), want)
		}
	}
	for i, g := range c.m.Groups {
		if z := g.ParallaxZoom; z != nil {
			short(c.groups[i], "parallax_zoom", &z.origin, 2)
		}
		for _, l := range g.Layers {
			if t, ok := l.(*TileLayer); ok && t.AutoMapper != nil {
				short(c.layers[l], "automapper", &t.AutoMapper.origin, 6)
			}
		}
	}
}

// checkLeftovers reports items that belong to no part of the map.
func (c *checker) checkLeftovers(sink check.Sink) {
	if n := len(c.m.Orphans); n > 0 {
		var s spots
		for i, l := range c.m.Orphans {
			part := &Part{Kind: PartLayer, Number: i, Name: l.Base().Name}
			s.addAs(part.Whole(), func() string { return title(layerType(l), l.Base().Name) })
		}
		sink.AddAt(foundLayerOrphan, s.at(), "orphans", -1, "%s in no group: %s", s.of("layer"), &s)
	}
	var blocks spots
	stored := 0
	for _, u := range c.m.unusedBlocks() {
		blocks.number(int(u.index))
		stored += u.block.StoredSize()
	}
	if blocks.n > 0 {
		sink.Add(foundDataUnused, "", -1, "nothing uses %s (%s): %s", words.Count(blocks.n, "data block"), words.Count(stored, "byte"), &blocks)
	}
	surplus, unknown := nameCounts{}, nameCounts{}
	indexed := c.indexed()
	for i, e := range c.m.Extras {
		part := &Part{Kind: PartExtra, Number: i, Name: e.describe()}
		path := part.Path()
		switch {
		case e.UUID != nil && *e.UUID == uuidAutoMapper:
			sink.AddAt(foundAutoMapperLost, part.at(), path, -1, "%s", lostAutoMapperReason(e.Data))
		case e.UUID != nil && *e.UUID == uuidEnvBezier:
			sink.AddAt(foundEnvelopeBezier, part.at(), path, -1, "the number of tangents of Bezier curves differs from the number of points")
		case e.UUID != nil && *e.UUID == uuidGroupEx, e.UUID == nil && (e.Type == typeVersion || e.Type == typeInfo || e.Type == typeEnvPoints):
			surplus.add(part)
		case e.UUID == nil && e.Type == datafile.TypeUUIDIndex && len(e.Data) > 4:
			sink.AddAt(foundItemLong, part.at(), path, -1, "the entry of the UUID index has %s: expected 4", words.Count(len(e.Data), "integer"))
		case e.UUID == nil && e.Type == datafile.TypeUUIDIndex:
			if indexed[e.ID] == 1 {
				sink.AddAt(foundUUIDIndex, part.at(), path, -1, "entry %d of the UUID index does not give a type that has items", e.ID)
			}
		case e.ninslash(): // reported once for the map
		default:
			unknown.add(part)
		}
	}
	c.checkShortExtensions(sink)
	surplus.report(sink, foundItemSurplus, "the map has %s too many")
	unknown.report(sink, foundItemUnknown, "the map has %s")
	c.checkForm(sink)
}

// nameCounts counts items by name, in the order of their first occurrence.
type nameCounts struct {
	names  []string
	counts map[string]int
	at     []check.Place
}

func (t *nameCounts) add(extra *Part) {
	if t.counts == nil {
		t.counts = make(map[string]int)
	}
	if t.counts[extra.Name]++; t.counts[extra.Name] == 1 {
		t.names = append(t.names, extra.Name)
	}
	t.at = append(t.at, extra.Whole())
}

func (t *nameCounts) report(sink check.Sink, kind *check.Kind, format string) {
	var list []string
	for _, name := range t.names {
		if list = append(list, count(t.counts[name], name)); len(list) == maxNamed {
			list = append(list, "...")
			break
		}
	}
	if list != nil {
		sink.AddAt(kind, t.at, "extras", -1, format, strings.Join(list, ", "))
	}
}

// indexed counts the entries of the UUID index by type. The check of the container reports duplicate entries.
func (c *checker) indexed() map[uint16]int {
	n := make(map[uint16]int)
	for id := range c.f.All(datafile.TypeUUIDIndex) {
		n[id]++
	}
	return n
}

// describe returns a name for the type of the item.
func (e *Extra) describe() string {
	switch {
	case e.UUID != nil && *e.UUID == uuidGroupEx:
		return "item with a parallax zoom"
	case e.UUID != nil:
		return fmt.Sprintf("item of type %v", *e.UUID)
	case e.Type == typeVersion:
		return "item of the version"
	case e.Type == typeInfo:
		return "item of information"
	case e.Type == typeEnvPoints:
		return "item of envelope points"
	}
	return fmt.Sprintf("item of type %d", e.Type)
}

func layerType(l Layer) string {
	switch l := l.(type) {
	case *TileLayer:
		return fmt.Sprintf("%v layer", l.Kind())
	case *QuadLayer:
		return "quads layer"
	case *SoundLayer:
		return "sounds layer"
	}
	return "unknown layer"
}

// form07 reports whether the map uses the format of Teeworlds 0.7.
func (m *Map) form07() bool {
	return slices.ContainsFunc(m.Images, func(im *Image) bool { return im.Version >= 2 }) ||
		slices.ContainsFunc(m.Layers(), func(l Layer) bool {
			t, ok := l.(*TileLayer)
			return ok && t.Version >= 4
		})
}

// checkForm reports what Teeworlds 0.7 ignores in a map of its own format.
func (c *checker) checkForm(sink check.Sink) {
	m := c.m
	form := m.form07()
	var has []string
	note := func(is bool, what string) {
		if is && !slices.Contains(has, what) {
			has = append(has, what)
		}
	}
	for _, l := range m.Layers() {
		switch l := l.(type) {
		case *TileLayer:
			note(l.Kind().Physics() && l.Kind() != KindGame, fmt.Sprintf("a %v layer", l.Kind()))
			note(l.AutoMapper != nil, "automappers")
		case *SoundLayer:
			note(true, "sounds layers")
		}
	}
	note(len(m.Sounds) > 0, "sounds")
	note(m.Info != nil && len(m.Info.Settings) > 0, "settings")
	note(m.bezier.item != nil, "tangents of Bezier curves in a separate item")
	if form && has != nil {
		sink.Add(foundTeeworlds, "", -1, "the map has %s", strings.Join(has, ", "))
	}
}

package twmap

import (
	"fmt"
	"slices"
	"strings"

	"trowel/check"
	"trowel/teeworlds/datafile"
)

// checkGroups adds a job for each group and for each layer.
func (c *checker) checkGroups() {
	game := c.gameGroup()
	for i, g := range c.m.Groups {
		path := fmt.Sprintf("groups[%d]", i)
		c.add(func(sink check.Sink) { c.checkGroup(sink, path, g, g == game) })
		for j, l := range g.Layers {
			path := fmt.Sprintf("%s.layers[%d]", path, j)
			switch l := l.(type) {
			case *TileLayer:
				c.add(func(sink check.Sink) {
					c.checkTileLayer(sink, path, l, game != nil && g != game)
					c.checkCells(sink, path, l)
				})
			case *QuadLayer:
				c.add(func(sink check.Sink) { c.checkQuadLayer(sink, path, l) })
			case *SoundLayer:
				c.add(func(sink check.Sink) { c.checkSoundLayer(sink, path, l) })
			case *UnknownLayer:
				c.add(func(sink check.Sink) { checkUnknownLayer(sink, path, l) })
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

func (c *checker) checkGroup(sink check.Sink, path string, g *Group, game bool) {
	if g.Version >= 3 {
		badName(sink, path, "group", g.Name, &g.origin, 12, 3)
	}
	if g.Clip != nil && (g.Clip.Width < 0 || g.Clip.Height < 0) {
		sink.Add(foundNegative, path+".clip", -1, "the %s is clipped to %d x %d units", title("group", g.Name), g.Clip.Width, g.Clip.Height)
	}
	if g.ParallaxZoom != nil {
		sink.Add(foundGroupEx, path, -1, "the %s has a parallax zoom of %d", title("group", g.Name), g.ParallaxZoom.Percent)
	}
	if !game {
		return
	}
	if g.Version >= 3 && g.Name != "Game" {
		sink.Add(foundPhysicsName, path, -1, "the group of the game layer is named %q, not %q", g.Name, "Game")
	}
	if g.Clip != nil {
		sink.Add(foundGameClip, path, -1, "the group of the game layer is clipped")
	}
	if g.ParallaxX != 100 || g.ParallaxY != 100 {
		sink.Add(foundGameParallax, path, -1, "the group of the game layer has the parallax %d, %d", g.ParallaxX, g.ParallaxY)
	}
	if g.OffsetX != 0 || g.OffsetY != 0 {
		sink.Add(foundGameOffset, path, -1, "the group of the game layer has the offset %d, %d", g.OffsetX, g.OffsetY)
	}
}

// checkLayerBase checks what all layers have; the name begins at integer at.
func checkLayerBase(sink check.Sink, path, what string, b *LayerBase, at int) {
	if at > 0 {
		badName(sink, path, what, b.Name, &b.origin, at, 3)
	}
	if odd := b.Flags &^ Detail; odd != 0 {
		sink.Add(foundLayerFlags, path, -1, "the %s has unknown flags %v", title(what, b.Name), odd)
	}
}

func (c *checker) checkTileLayer(sink check.Sink, path string, l *TileLayer, elsewhere bool) {
	what := title(fmt.Sprintf("%v layer", l.Kind), l.Name)
	// A bad name from a file was told by the law, and is "" here.
	checkLayerBase(sink, path, fmt.Sprintf("%v layer", l.Kind), &l.LayerBase, 0)
	if l.Version >= 3 && len(l.Name) > 11 {
		sink.Add(foundNameLong, path, -1, "the name %q of the %v layer has %d bytes, there is room for 11", l.Name, l.Kind, len(l.Name))
	}
	if odd := l.flags &^ 63; odd != 0 {
		sink.Add(foundLayerFlags, path, -1, "the %s has unknown tilemap flags %v", what, odd)
	}
	if a := l.AutoMapper; a != nil {
		if a.Seed < 0 || a.Seed > 1_000_000_000 {
			sink.Add(foundAutoMapperSeed, path, -1, "the automapper of the %s has the seed %d", what, a.Seed)
		}
	}
	if l.Kind.Physics() {
		c.checkPhysics(sink, path, l, elsewhere)
		return
	}
	env := envelopeUse{c: c, want: ChannelsColor}
	env.refer(0, l.ColorEnv)
	env.report(sink, path, what)
	if im := c.checkImage(sink, path, what, l.Image); im != nil && (im.Width%16 != 0 || im.Height%16 != 0) {
		sink.Add(foundImageNot16, path, -1, "the %s uses the image %q of %d x %d pixels", what, im.Name, im.Width, im.Height)
	}
}

// checkImage returns the image that a layer uses.
func (c *checker) checkImage(sink check.Sink, path, what string, i int) *Image {
	switch {
	case i == -1:
		return nil
	case i < 0 || i >= len(c.m.Images):
		sink.Add(foundImageMissing, path, -1, "the %s uses image %d, the map has %d", what, i, len(c.m.Images))
		return nil
	}
	c.use(c.images, i)
	return c.m.Images[i]
}

func (c *checker) checkPhysics(sink check.Sink, path string, l *TileLayer, elsewhere bool) {
	used := c.used[l.Kind]
	if used != l {
		sink.Add(foundPhysicsDuplicate, path, -1, "the game uses another %v layer, which comes later", l.Kind)
	}
	if elsewhere {
		sink.Add(foundPhysicsGroup, path, -1, "the %v layer is not in the group of the game layer", l.Kind)
	}
	if game := c.used[KindGame]; game != nil && (l.Width != game.Width || l.Height != game.Height) && used == l {
		sink.Add(foundPhysicsShape, path, -1, "the %v layer is %d x %d tiles large, the game layer %d x %d", l.Kind, l.Width, l.Height, game.Width, game.Height)
	}
	if l.Version >= 3 && l.Name != l.Kind.physicsName() {
		sink.Add(foundPhysicsName, path, -1, "the %v layer is named %q, not %q", l.Kind, l.Name, l.Kind.physicsName())
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
		sink.Add(foundPhysicsLook, path, -1, "the %v layer has %s", l.Kind, strings.Join(looks, " and "))
	}
}

func (c *checker) checkQuadLayer(sink check.Sink, path string, l *QuadLayer) {
	at := 0
	if l.Version >= 2 {
		at = 7
	}
	checkLayerBase(sink, path, "quads layer", &l.LayerBase, at)
	what := title("quads layer", l.Name)
	c.checkImage(sink, path, what, l.Image)
	quads, err := l.Quads()
	if stored := !l.quads.changed; stored && checkRef(sink, path, "list of quads", &l.data) {
		checkList(sink, foundQuadsData, path, what, &l.data, l.num, err)
	}
	position := envelopeUse{c: c, want: ChannelsPosition, thing: "quad"}
	color := envelopeUse{c: c, want: ChannelsColor, thing: "quad"}
	for i := range quads {
		position.refer(i, quads[i].PosEnv)
		color.refer(i, quads[i].ColorEnv)
	}
	position.report(sink, path, what)
	color.report(sink, path, what)
}

func (c *checker) checkSoundLayer(sink check.Sink, path string, l *SoundLayer) {
	checkLayerBase(sink, path, "sounds layer", &l.LayerBase, 7)
	what := title("sounds layer", l.Name)
	if l.Deprecated {
		sink.Add(foundSoundsDeprecated, path, -1, "the %s has the form of early 2015", what)
	}
	switch i := l.Sound; {
	case i == -1:
	case i < 0 || i >= len(c.m.Sounds):
		sink.Add(foundSoundMissing, path, -1, "the %s plays sound %d, the map has %d", what, i, len(c.m.Sounds))
	default:
		c.use(c.sounds, i)
	}
	sources, err := l.Sources()
	if stored := !l.sources.changed; stored && checkRef(sink, path, "list of sources", &l.data) {
		checkList(sink, foundSourcesData, path, what, &l.data, l.num, err)
	}
	position := envelopeUse{c: c, want: ChannelsPosition, thing: "source"}
	volume := envelopeUse{c: c, want: ChannelsSound, thing: "source"}
	var odd, negative spots
	for i := range sources {
		s := &sources[i]
		position.refer(i, s.PosEnv)
		volume.refer(i, s.SoundEnv)
		if s.Shape != ShapeRectangle && s.Shape != ShapeCircle || s.Falloff < 0 || s.Falloff > 255 {
			odd.number(i)
		}
		if s.Delay < 0 || s.Width < 0 || s.Height < 0 && s.Shape == ShapeRectangle {
			negative.number(i)
		}
	}
	position.report(sink, path, what)
	volume.report(sink, path, what)
	if odd.n > 0 {
		sink.Add(foundSoundSource, path, -1, "the %s has %s with an unknown shape or falloff: %s", what, odd.of("source"), &odd)
	}
	if negative.n > 0 {
		sink.Add(foundNegative, path, -1, "the %s has %s with a negative delay or size: %s", what, negative.of("source"), &negative)
	}
}

// checkList tells how reading a list of num quads or sources went.
func checkList(sink check.Sink, kind *check.Kind, path, what string, ref *dataRef, num int, err error) {
	switch {
	case num == 0 && ref.block != nil && ref.block.Size() == 0:
		sink.Add(foundDataEmpty, path, ref.offset(), "the %s refers to data block %d, which is empty", what, ref.index)
	case err != nil:
		sink.Add(kind, path, ref.offset(), "the %s: %s", what, reason(err))
	}
}

func checkUnknownLayer(sink check.Sink, path string, l *UnknownLayer) {
	switch {
	case l.Type != layerTiles:
		sink.Add(foundLayerUnknown, path, -1, "the layer has the type %d", l.Type)
	case len(l.Data) >= 3 && l.Data[1] >= 2 && l.Data[2] >= 2:
		sink.Add(foundLayerHuge, path, -1, "the layer of %d x %d tiles is not read", l.Data[1], l.Data[2])
	} // else the law told what is wrong with its size
}

// checkLeftovers tells of items that have no place in the map.
func (c *checker) checkLeftovers(sink check.Sink) {
	if n := len(c.m.Orphans); n > 0 {
		var s spots
		for _, l := range c.m.Orphans {
			s.add(func() string { return title(layerType(l), l.Base().Name) })
		}
		sink.Add(foundLayerOrphan, "orphans", -1, "%s in no group: %s", s.of("layer"), &s)
	}
	surplus, unknown := tally{}, tally{}
	indexed := c.indexed()
	for i, e := range c.m.Extras {
		path := fmt.Sprintf("extras[%d]", i)
		switch {
		case e.UUID != nil && *e.UUID == uuidAutoMapper:
			sink.Add(foundAutoMapperLost, path, -1, "an automapper belongs to no tile layer, or to one that has another")
		case e.UUID != nil && *e.UUID == uuidEnvBezier:
			sink.Add(foundEnvelopeBezier, path, -1, "the item with the tangents of Bezier curves does not have as many as there are points")
		case e.UUID != nil && *e.UUID == uuidGroupEx, e.UUID == nil && (e.Type == typeVersion || e.Type == typeInfo || e.Type == typeEnvPoints):
			surplus.add(e.what())
		case e.UUID == nil && e.Type == datafile.TypeUUIDIndex:
			if indexed[e.ID] == 1 {
				sink.Add(foundUUIDIndex, path, -1, "entry %d of the UUID index does not give a type that has items", e.ID)
			}
		default:
			unknown.add(e.what())
		}
	}
	for _, what := range surplus.names {
		sink.Add(foundItemSurplus, "extras", -1, "the map has %s too many", count(surplus.counts[what], what))
	}
	for _, what := range unknown.names {
		sink.Add(foundItemUnknown, "extras", -1, "the map has %s", count(unknown.counts[what], what))
	}
	c.checkForm(sink)
}

// tally counts things by name, in the order in which they came.
type tally struct {
	names  []string
	counts map[string]int
}

func (t *tally) add(name string) {
	if t.counts == nil {
		t.counts = make(map[string]int)
	}
	if t.counts[name]++; t.counts[name] == 1 {
		t.names = append(t.names, name)
	}
}

// indexed counts the entries of the UUID index by their type. Of those that
// come twice the container's check tells.
func (c *checker) indexed() map[uint16]int {
	n := make(map[uint16]int)
	if c.f != nil {
		for id := range c.f.All(datafile.TypeUUIDIndex) {
			n[id]++
		}
	}
	return n
}

// what names the type of the item.
func (e *Extra) what() string {
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
		return fmt.Sprintf("%v layer", l.Kind)
	case *QuadLayer:
		return "quads layer"
	case *SoundLayer:
		return "sounds layer"
	}
	return "unknown layer"
}

// checkForm tells what Teeworlds 0.7 will not see of a map in its own form.
func (c *checker) checkForm(sink check.Sink) {
	m := c.m
	form := slices.ContainsFunc(m.Images, func(im *Image) bool { return im.Version >= 2 })
	var has []string
	note := func(is bool, what string) {
		if is && !slices.Contains(has, what) {
			has = append(has, what)
		}
	}
	for _, l := range m.Layers() {
		switch l := l.(type) {
		case *TileLayer:
			form = form || l.Version >= 4
			note(l.Kind.Physics() && l.Kind != KindGame, fmt.Sprintf("a %v layer", l.Kind))
			note(l.AutoMapper != nil, "automappers")
		case *SoundLayer:
			note(true, "sounds layers")
		}
	}
	note(len(m.Sounds) > 0, "sounds")
	note(m.Info != nil && len(m.Info.Settings) > 0, "settings")
	note(m.bezier.item != nil, "tangents of Bezier curves in an item of their own")
	if form && has != nil {
		sink.Add(foundTeeworlds, "", -1, "the map has %s", strings.Join(has, ", "))
	}
}

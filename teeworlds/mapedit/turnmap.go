package mapedit

import (
	"fmt"
	"slices"

	"trowel.example/internal/limits/effort"
	"trowel.example/teeworlds/twmap"
)

// Units of 1/32 tiles, and of 22.10 fixed-point in these units.
const (
	tileUnits = 32
	fixed     = 1024
)

// fewTurned: of turned or repaired layers of more cells, only one is in memory at a time.
const fewTurned = 1 << 20

// size returns the size of the map in tiles: that of its game layer, or of the largest layer if there is none.
func (e *Editor) size() (w, h int) {
	if game := e.m.Physics(twmap.KindGame); game != nil {
		return game.Width(), game.Height()
	}
	for _, l := range e.m.Layers() {
		if t, ok := l.(*twmap.TileLayer); ok {
			w, h = max(w, t.Width()), max(h, t.Height())
		}
	}
	return max(w, 1), max(h, 1)
}

// Turn mirrors or rotates the whole map, including its behaviour. The rectangle of the game layer becomes that of the
// turned game layer.
//
// Layers of a group turn around a common middle, so smaller ones grow to the size of the largest by repeating their
// edges, as the game does outside of them. Design layers in the game group that are larger than the game layer are
// moved to separate groups, because the game group cannot be moved. Flags of physics tiles without a direction become
// 0.
func (e *Editor) Turn(t Turn) error {
	t.Quarters &= 3
	w, h := e.size()
	all := effort.MapTurned.Start(0)
	for _, g := range e.m.Groups {
		gw, gh := extent(g, w, h)
		for _, l := range g.Layers {
			if _, ok := l.(*twmap.TileLayer); ok {
				if err := fits(gw, gh, all); err != nil {
					return fmt.Errorf("%s: %w", e.Path(l), err)
				}
			}
		}
	}
	if err := e.isolateLarger(w, h); err != nil {
		return err
	}
	for i, g := range e.m.Groups {
		e.turnGroup(t, g, i == e.gameGroup(), w, h)
	}
	for _, env := range e.m.Envelopes {
		if env.Channels == twmap.ChannelsPosition {
			turnEnvelope(t, env)
			e.reportChange(env, len(env.Points), "points", "%v", t)
		}
	}
	return nil
}

// storeLarge releases the cells of a large layer.
func storeLarge(l *twmap.TileLayer) {
	if l.Width()*l.Height() > fewTurned {
		l.Store()
	}
}

// fits returns an error if a grid is too large, by itself or together with all previous ones.
func fits(w, h int, all effort.Meter) error {
	if w < 1 || h < 1 {
		return fmt.Errorf("%d x %d tiles: expected at least 1 x 1", w, h)
	}
	if err := twmap.CheckSize(w, h); err != nil {
		return err
	}
	return all.Spend(int64(w) * int64(h))
}

// extent returns the size of a group in tiles, or w, h for a group without tiles.
func extent(g *twmap.Group, w, h int) (int, int) {
	gw, gh := 0, 0
	for _, l := range g.Layers {
		if t, ok := l.(*twmap.TileLayer); ok {
			gw, gh = max(gw, t.Width()), max(gh, t.Height())
		}
	}
	if gw == 0 {
		return w, h
	}
	return gw, gh
}

// isolateLarger moves the design layers of the game group to separate groups if one of them is larger than the game
// layer.
func (e *Editor) isolateLarger(w, h int) error {
	if i := e.gameGroup(); i >= 0 {
		for _, l := range e.m.Groups[i].Layers {
			if t, ok := l.(*twmap.TileLayer); ok && isSeen(l) && (t.Width() > w || t.Height() > h) {
				return e.IsolatePhysics()
			}
		}
	}
	return nil
}

// turnGroup turns a group of a map of w x h tiles.
func (e *Editor) turnGroup(t Turn, g *twmap.Group, isGame bool, w, h int) {
	gw, gh := extent(g, w, h)
	if isGame {
		gw, gh = w, h // larger layers are now in other groups
	}
	for _, l := range g.Layers {
		e.turnLayer(t, l, gw, gh)
		if l, ok := l.(*twmap.TileLayer); ok {
			storeLarge(l)
		}
	}
	if c := g.Clip; c != nil {
		turnClip(t, c, w, h)
	}
	if isGame { // the game ignores its offset
		return
	}
	// Position x of the group is drawn at x - offset - camera * parallax / 100.
	x, y, px, py := int(g.OffsetX), int(g.OffsetY), int(g.ParallaxX), int(g.ParallaxY)
	if t.Mirrored {
		x = gw*tileUnits - x - percent(w*tileUnits, px)
	}
	for range t.Quarters {
		x, y = gh*tileUnits-y-percent(h*tileUnits, py), x
		px, py, gw, gh, w, h = py, px, gh, gw, h, w
	}
	if x != int(g.OffsetX) || y != int(g.OffsetY) {
		e.reportChange(g, 1, "", "offset: %d,%d became %d,%d", g.OffsetX, g.OffsetY, x, y)
	}
	if px != int(g.ParallaxX) {
		e.reportChange(g, 1, "", "parallax: %d,%d became %d,%d", g.ParallaxX, g.ParallaxY, px, py)
	}
	g.OffsetX, g.OffsetY, g.ParallaxX, g.ParallaxY = int32(x), int32(y), int32(px), int32(py)
}

// percent returns p percent of n, rounded symmetrically around 0.
func percent(n, p int) int {
	if n < 0 {
		return -percent(-n, p)
	}
	if p < 0 {
		return -percent(n, -p)
	}
	return (n*p + 50) / 100
}

func turnClip(t Turn, c *twmap.Clip, w, h int) {
	W, H := int32(w*tileUnits), int32(h*tileUnits)
	if t.Mirrored {
		c.X = W - c.X - c.Width
	}
	for range t.Quarters {
		c.X, c.Y, c.Width, c.Height = H-c.Y-c.Height, c.X, c.Height, c.Width
		W, H = H, W
	}
}

// turnLayer turns a layer in a rectangle of w x h tiles.
func (e *Editor) turnLayer(t Turn, l twmap.Layer, w, h int) {
	switch l := l.(type) {
	case *twmap.TileLayer:
		e.readable(l).turn(l, t, w, h)
		e.reportChange(l, w*h, "tiles", "%v", t)
	case *twmap.QuadLayer:
		e.eachQuad(l, t.String(), func(q *twmap.Quad) { turnQuad(t, q, w, h) })
	case *twmap.SoundLayer:
		e.eachSource(l, t.String(), func(s *twmap.SoundSource) {
			s.Position = turnPoint(t, s.Position, w, h)
			if t.Quarters&1 != 0 && s.Shape == twmap.ShapeRectangle {
				s.Width, s.Height = s.Height, s.Width
			}
		})
	default:
		e.reportChange(l, 1, "", "a layer of an unknown type was left unchanged")
	}
}

// eachQuad changes all quads of a layer that can be read. The game draws no quads of a layer if one of them cannot be
// read.
func (e *Editor) eachQuad(l *twmap.QuadLayer, what string, change func(*twmap.Quad)) {
	read, err := l.Quads()
	if err != nil {
		e.reportChange(l, 1, "", "the layer is broken, and keeps only the quads that can be read: %v", err)
	}
	if len(read) == 0 && err == nil {
		return
	}
	quads := slices.Clone(read)
	for i := range quads {
		change(&quads[i])
	}
	l.SetQuads(quads)
	l.Store()
	e.reportChange(l, len(quads), "quads", "%s", what)
}

// eachSource changes all sources of a layer that can be read.
func (e *Editor) eachSource(l *twmap.SoundLayer, what string, change func(*twmap.SoundSource)) {
	read, err := l.Sources()
	if err != nil {
		e.reportChange(l, 1, "", "the layer is broken, and keeps only the sources that can be read: %v", err)
	}
	if len(read) == 0 && err == nil {
		return
	}
	sources := slices.Clone(read)
	for i := range sources {
		change(&sources[i])
	}
	l.SetSources(sources)
	e.reportChange(l, len(sources), "sources", "%s", what)
}

func turnPoint(t Turn, p twmap.Point, w, h int) twmap.Point {
	x, y := t.place(int(p.X), int(p.Y), w*tileUnits*fixed, h*tileUnits*fixed)
	return twmap.Point{X: int32(x), Y: int32(y)}
}

// turnQuad turns a quad. The order of its corners changes too, so that the first is again the top left one, unless
// the division into two triangles is visible.
func turnQuad(t Turn, q *twmap.Quad, w, h int) {
	for i, p := range q.Points {
		q.Points[i] = turnPoint(t, p, w, h)
	}
	q.Pivot = turnPoint(t, q.Pivot, w, h)
	if !even(q) {
		return
	}
	was := *q
	for i := range 4 {
		x, y := t.place(i&1, i>>1, 1, 1)
		to := x | y<<1
		q.Points[to], q.Colors[to], q.Texture[to] = was.Points[i], was.Colors[i], was.Texture[i]
	}
}

// even reports whether all properties of a quad are linear between its corners.
func even(q *twmap.Quad) bool {
	is := func(v [4]int32) bool { return int(v[0])+int(v[3]) == int(v[1])+int(v[2]) }
	points := func(p [4]twmap.Point) bool {
		return is([4]int32{p[0].X, p[1].X, p[2].X, p[3].X}) && is([4]int32{p[0].Y, p[1].Y, p[2].Y, p[3].Y})
	}
	c := q.Colors
	return points(q.Points) && points(q.Texture) &&
		is([4]int32{c[0].R, c[1].R, c[2].R, c[3].R}) && is([4]int32{c[0].G, c[1].G, c[2].G, c[3].G}) &&
		is([4]int32{c[0].B, c[1].B, c[2].B, c[3].B}) && is([4]int32{c[0].A, c[1].A, c[2].A, c[3].A})
}

// turnEnvelope turns the movement and the rotation of a position envelope.
func turnEnvelope(t Turn, env *twmap.Envelope) {
	for i := range env.Points {
		p := &env.Points[i]
		negate := func(channel int) {
			p.Values[channel] = -p.Values[channel]
			p.In[channel].DY = -p.In[channel].DY
			p.Out[channel].DY = -p.Out[channel].DY
		}
		if t.Mirrored {
			negate(0)
			negate(2)
		}
		for range t.Quarters {
			p.Values[0], p.Values[1] = p.Values[1], p.Values[0]
			p.In[0], p.In[1] = p.In[1], p.In[0]
			p.Out[0], p.Out[1] = p.Out[1], p.Out[0]
			negate(0)
		}
	}
}

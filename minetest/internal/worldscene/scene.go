// Package worldscene draws worlds, and describes what is at a point of a picture.
package worldscene

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"slices"
	"sync"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/internal/texture"
	"trowel.example/minetest/internal/textured"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodecolor"
	"trowel.example/minetest/worlddraw"
)

// Options of pictures of worlds.
var (
	optionColors = format.Option{Name: "colors", For: format.ForScene, Access: format.Access{Input: true},
		Help: "a `file` with the colours of nodes, as minetestmapper reads it; other nodes are not drawn (default: " +
			"colors.txt of the world, or of the system; other nodes have Trowel's own colours, or guessed ones)"}
	optionGuess = format.Option{Name: "guess-colors", Type: format.Bool, For: format.ForScene, Drawing: format.Drawing{Title: "Guess colours"},
		Help: "also draw nodes that are missing in a list of colours, with guessed colours (default without a list)"}
	optionTextures = format.Option{Name: "textures", For: format.ForScene, Access: format.Access{Input: true}, List: true,
		Help: "a `folder` of a game, of mods or of textures, also several: nodes show the textures and have their colours; the first " +
			"texture pack has precedence (default: the world's game and mods, as far as they are on this machine)"}
	optionMinY = format.Option{Name: "min-y", Type: format.Integer, For: format.ForScene, Drawing: format.Drawing{Title: "Lowest y"},
		Help: "draw nothing below `Y`"}
	optionMaxY = format.Option{Name: "max-y", Type: format.Integer, For: format.ForScene, Drawing: format.Drawing{Title: "Highest y"},
		Help: "draw nothing above `Y`"}
	optionSlice = format.Option{Name: "slice", Type: format.Integer, For: format.ForScene,
		Drawing: format.Drawing{Title: "Slice at y", View: viewSlice},
		Help:    "cut the world open at the height `Y`; this view becomes the first"}
	optionAlpha = format.Option{Name: "drawalpha", Type: format.Bool, For: format.ForScene,
		Drawing: format.Drawing{Title: "See through water"},
		Help:    "see through translucent nodes such as water"}
	optionMarkers = format.Option{Name: "markers", For: format.ForScene, Access: format.Access{Input: true},
		Help: "mark signs, chests, protectors and doors with their texts or owners: a `file` of rules, or usual for Trowel's own rules"}
	optionNoShading = format.Option{Name: "noshading", Type: format.Bool, For: format.ForScene, Drawing: format.Drawing{Title: "No shadows"},
		Help: "draw no relief, and textures without shadows"}
	optionFlat = format.Option{Name: "flat", Type: format.Bool, For: format.ForScene, Drawing: format.Drawing{Title: "Without textures"},
		Help: "draw each node in one colour, even if textures are known"}
)

// Options are the options of pictures of worlds.
var Options = []format.Option{optionColors, optionGuess, optionTextures, worldjob.OptionNodes, optionMinY, optionMaxY,
	optionSlice, optionAlpha, optionNoShading, optionFlat, optionMarkers, format.OptionAt, format.OptionLook, optionFov,
	format.OptionDaylight, optionCorner}

// The views of a world in addition to those of [worlddraw].
const (
	viewSlice  = "slice"
	viewDay    = "day"
	viewNight  = "night"
	viewHeight = "height"
	viewRelief = "relief"
	viewIso    = string(worlddraw.IsoView)
)

// The layers of a view.
const (
	layerNodes   = "nodes"
	layerMarkers = "markers"
	layerPlayers = "players"
	layerAreas   = "areas"
)

// sliceDepth is the number of nodes that are visible below a cut.
const sliceDepth = 24

// worldScene is a picture of a world, in several views.
type worldScene struct {
	world  *sharedWorld
	views  []format.View
	kinds  map[string]worlddraw.Options // by view
	extent worlddraw.Box                // of the blocks that may be visible
	colors *nodecolor.Choice
	rules  []worlddraw.MarkerRule
	digest []byte // of the options and the files that they name
	since  *since // nil if there is no earlier manifest
	game   *game

	textured *textured.Game // nil if no view draws textures
	looks    func() *textured.Game

	corner *textured.Flat // the isometric view, if it is not from the usual corner

	closing sync.Once

	mu   sync.Mutex
	maps map[string]drawn
	lost map[string]format.Missing // blocks that cannot be read
}

// drawn draws a view: a [worlddraw.Map], a [worlddraw.Iso] or a camera.
type drawn interface {
	RenderScaled(context.Context, *image.RGBA, worlddraw.Scaled) error
	Cover(context.Context, *image.RGBA, worlddraw.Scaled) error
	Fingerprint(context.Context, io.Writer, image.Rectangle, worlddraw.Scaled) (bool, error)
	Within(context.Context, image.Rectangle, worlddraw.Scaled, func(mapdb.Pos) error) error
	Hidden() map[string]int64
}

// Open opens the picture of a world, with the values of [Options].
func Open(ctx context.Context, job *format.Job, src *format.Source, _ string) (*format.Scene, error) {
	part, err := partOf(job)
	if err != nil {
		return nil, err
	}
	w, err := shareWorld(ctx, job, src.Dir, part)
	if err != nil {
		return nil, err
	}
	return newScene(ctx, job, w, part)
}

// With returns a scene of the same world with other options. The positions of blocks are not read again.
func (s *worldScene) With(ctx context.Context, job *format.Job) (*format.Scene, error) {
	s.world.use()
	return newScene(ctx, job, s.world, nil)
}

// newScene takes ownership of one use of a world.
func newScene(ctx context.Context, job *format.Job, w *sharedWorld, part *worldPart) (_ *format.Scene, err error) {
	s := &worldScene{world: w, kinds: make(map[string]worlddraw.Options), maps: make(map[string]drawn), lost: make(map[string]format.Missing)}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.release())
		}
	}()
	if s.game, s.colors, s.digest, err = w.chooseColors(job); err != nil {
		return nil, err
	}
	if s.rules, err = markerRules(optionMarkers.Value(job)); err != nil {
		return nil, err
	}
	for _, err := range w.odd {
		s.keepLost(lostOf(err, false))
	}
	if err = s.findViews(job, part); err == nil {
		err = s.sameLooks(part)
	}
	if err == nil {
		s.since, err = s.openThen(ctx, job, part)
	}
	if err != nil {
		return nil, err
	}
	scene := &format.Scene{Views: s.views, Missing: s.Missing, With: s.With, Range: s.Range, End: s.Close,
		Style: fmt.Sprintf("%x", sha256.Sum256(s.digest))}
	if !optionFlat.On(job) && optionColors.Value(job) == "" {
		scene.Walking = s.walking()
	}
	if s.since != nil {
		scene.Since = &format.Since{Bounds: s.Then, Changed: s.Changed}
	}
	for i := range s.views {
		v := &s.views[i]
		v.Render, v.Cover, v.Fingerprint, v.Part = s.Render, s.Cover, s.Fingerprint, s.Part
		v.Inspect, v.Sight, v.Labels = s.Inspect, s.Sight, s.Labels
		v.Where = func(ctx context.Context, at check.Place) (format.Rect, bool) { return s.where(ctx, v.Name, at) }
	}
	return scene, nil
}

// chooseColors determines the source of the colours, and returns a digest of it.
func chooseColors(job *format.Job, dir string, g *game) (c *nodecolor.Choice, digest []byte, err error) {
	c = &nodecolor.Choice{Nodes: g.nodes}
	read := func(path string) (nodecolor.List, error) {
		data, err := regular.ReadFile(path, effort.TextFile)
		if err != nil {
			return nil, err
		}
		digest = append(digest, data...)
		list, bad, err := nodecolor.Parse(bytes.NewReader(data))
		for _, b := range bad {
			job.Warn(path, "%v", b)
		}
		return list, err
	}
	if path := optionColors.Value(job); path != "" {
		c.List, err = read(path)
		c.Only = !optionGuess.On(job)
	} else if path, own := nodecolor.Find(dir); own {
		c.List, err = read(path)
	} else if path != "" && path != nodecolor.FileName { // colors.txt in the current folder is for minetestmapper
		c.General, err = read(path)
	}
	if g.named && err == nil {
		var search *texture.Search
		if search, err = g.search(); err == nil {
			c.Textures, c.Nodes = nodecolor.NewTextures(search), textured.Override(g.nodes, search.Overrides())
		}
	} else if !c.Only {
		c.Means = g.mean
	}
	return c, append(digest, g.digest...), err
}

// findViews determines the views and their bounds.
func (s *worldScene) findViews(job *format.Job, part *worldPart) (err error) {
	for _, o := range Options {
		s.digest = append(s.digest, o.Name+"="+o.Value(job)+"\n"...)
	}
	box, scale, isoScale := worlddraw.Everything(), 1., 4.
	if s.world.piece != nil {
		box, scale, isoScale = *s.world.piece, 16, 16
	}
	lowest, highest := box.Min[1], box.Max[1]
	if optionMinY.Value(job) != "" {
		lowest = optionMinY.Integer(job)
	}
	if optionMaxY.Value(job) != "" {
		highest = optionMaxY.Integer(job)
	}
	box.Min[1], box.Max[1] = max(box.Min[1], min(lowest, highest)), min(box.Max[1], max(lowest, highest))
	s.openTextures(job)
	usual := worlddraw.Options{
		View: worlddraw.Top, Colors: s.colors, Box: box, Alpha: optionAlpha.On(job), Flat: optionNoShading.On(job), Lost: s.lose,
	}
	s.kinds[string(worlddraw.Top)] = usual
	if part != nil {
		s.extent = part.Extent
	} else if top, err := s.mapOf(string(worlddraw.Top)); err != nil {
		return err
	} else {
		s.extent = top.(*worlddraw.Map).Extent()
		if s.world.piece != nil {
			for a := range box.Min { // blocks are larger
				s.extent.Min[a], s.extent.Max[a] = max(s.extent.Min[a], box.Min[a]), min(s.extent.Max[a], box.Max[a])
			}
		}
	}
	extent := s.extent
	layers := []format.Layer{
		{Name: layerNodes, Title: "the world", Shown: true}, {Name: layerPlayers, Title: "their last positions", Labels: true},
		{Name: layerMarkers, Title: "signs, chests, protectors, doors", Shown: optionMarkers.Value(job) != "", Labels: true},
		{Name: layerAreas, Title: "outlines of areas and of the reach of protectors", Labels: true},
	}
	if s.world.piece != nil {
		layers = layers[:1]
	}
	if c, err := s.openCamera(job, usual); err != nil {
		return err
	} else if c != nil {
		s.views = append(s.views, c.view())
		s.maps[format.ViewCamera] = c
	}
	white := color.NRGBA{R: 255, G: 255, B: 255, A: 255}
	add := func(name, title string, o worlddraw.Options) *format.View {
		r := o.View.Bounds(extent)
		v := format.View{
			Layers: layers, Name: name, Title: title, Scale: scale, Grain: 16, Axes: o.View.Axes(), Unit: "nodes",
			North: o.View.North(), Background: white, Paper: true,
			Bounds: format.Rect{Min: [2]float64{float64(r.Min.X), float64(r.Min.Y)}, Max: [2]float64{float64(r.Max.X), float64(r.Max.Y)}},
		}
		s.kinds[name] = o
		s.views = append(s.views, v)
		return &s.views[len(s.views)-1]
	}
	if optionSlice.Value(job) != "" {
		o := usual
		y := optionSlice.Integer(job)
		o.Box.Max[1] = min(o.Box.Max[1], y)
		o.Depth = sliceDepth
		v := add(viewSlice, fmt.Sprintf("cut open at y = %d, with the nodes below", y), o)
		v.Background, v.Paper = color.NRGBA{R: 16, G: 16, B: 20, A: 255}, false
	}
	add(string(worlddraw.Top), "from above", usual)
	for _, side := range []worlddraw.View{worlddraw.South, worlddraw.North, worlddraw.West, worlddraw.East} {
		o := usual
		o.View = side
		add(string(side), "from the "+string(side), o)
	}
	day, night := usual, usual
	day.Light, night.Light = worlddraw.Day, worlddraw.Night
	add(viewDay, "from above, in the light of noon", day)
	v := add(viewNight, "from above, in the light of midnight", night)
	v.Background, v.Paper = color.NRGBA{A: 255}, false
	v = add(viewHeight, "heights: brighter is higher", usual)
	v.RenderGray16, v.Background, v.Paper, v.Layers = s.RenderGray16, color.NRGBA{A: 255}, false, nil
	relief := usual
	relief.Tints = true
	add(viewRelief, "relief: blue up to the sea, then sand, green, yellow, brown and grey, and white from y = 250 upwards", relief)
	low, high := worlddraw.IsoBounds(extent)
	north, isoTitle := worlddraw.IsoView.North(), "isometric: cubes that show their top and the sides towards lower x and z"
	isoLayers := layers
	if corner := optionCorner.Value(job); corner != "" && corner != usualCorner {
		s.corner = isoFrom(corner)
		r := rectOf(s.corner, extent.Min, extent.Max)
		low, high, isoLayers = r.Min, r.Max, nil
		north = [2]float64{s.corner.Right[2], s.corner.Down[2]}
		isoTitle = "isometric, from the " + corner
	}
	s.kinds[viewIso] = usual
	s.views = append(s.views, format.View{
		Name: viewIso, Title: isoTitle,
		Bounds: format.Rect{Min: low, Max: high}, Scale: isoScale, Axes: [2]string{"right", "down"}, North: north,
		Background: white, Paper: true, Layers: isoLayers, Grain: 64,
	})
	if !optionFlat.On(job) && optionColors.Value(job) == "" {
		for i := range s.views {
			switch v := &s.views[i]; {
			case s.world.piece != nil || s.flat(v.Name) == nil:
			case v.Name == viewIso:
				v.Detail = leastIsoSheet
			default:
				v.Detail = leastSheet
			}
		}
		s.turn()
	}
	if last := len(s.views) - 1; s.world.piece != nil && s.maps[format.ViewCamera] == nil && optionSlice.Value(job) == "" {
		s.views = slices.Insert(s.views[:last:last], 0, s.views[last])
	}
	return nil
}

// mapOf returns the map of a view.
func (s *worldScene) mapOf(name string) (drawn, error) { return s.mapAt(s.world.places, s.maps, name) }

// mapAt returns the map of a view of some positions. It is cached by the name of the view.
func (s *worldScene) mapAt(places *worlddraw.Places, kept map[string]drawn, name string) (m drawn, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m = kept[name]; m != nil {
		return m, nil
	}
	if name == viewIso && s.corner != nil {
		m = &cornerMap{view: s.corner, places: places, db: s.world.db, extent: places.Extent()}
	} else if name == viewIso {
		m, err = places.Iso(s.kinds[name])
	} else {
		m, err = places.Map(s.kinds[name])
	}
	if err == nil {
		kept[name] = m
	}
	return m, err
}

// Range returns the range of the heights of blocks.
func (s *worldScene) Range(option string) (least, most int, ok bool) {
	switch option {
	case optionMinY.Name, optionMaxY.Name, optionSlice.Name:
		box := s.world.places.Extent()
		return box.Min[1], box.Max[1], box.Min[1] <= box.Max[1]
	}
	return 0, 0, false
}

func (s *worldScene) Render(ctx context.Context, dst *image.RGBA, look format.Look) error {
	defer s.world.reading()()
	name := look.View
	ctx, lose, end := s.collect(ctx, name)
	defer end()
	m, err := s.mapOf(name)
	if err != nil {
		return err
	}
	at := worlddraw.Scaled{Origin: look.Origin, Scale: look.Scale}
	if name == viewHeight {
		return s.renderGrey(ctx, dst, m.(*worlddraw.Map), at)
	}
	v, _ := format.ViewOf(s.views, name)
	if v.Layers == nil || v.Draws(look, layerNodes) {
		if t := s.sheet(name, at.Scale); t != nil {
			err = s.renderTextured(ctx, dst, at, m, t, lose)
		} else {
			err = m.RenderScaled(ctx, dst, at)
		}
		if err != nil {
			return err
		}
	}
	if v.Draws(look, layerAreas) {
		all, err := s.outlines(ctx, name, dst.Rect, at, lose)
		if err != nil {
			return err
		}
		drawOutlines(dst, all, at)
	}
	for _, layer := range []string{layerMarkers, layerPlayers} {
		if v.Draws(look, layer) {
			marks, err := s.marks(ctx, name, layer, dst.Rect, at, lose)
			if err != nil {
				return err
			}
			marks.Draw(dst, at)
		}
	}
	return nil
}

// renderGrey draws heights with 256 shades between the lowest and the highest block.
func (s *worldScene) renderGrey(ctx context.Context, dst *image.RGBA, m *worlddraw.Map, at worlddraw.Scaled) error {
	img := image.NewGray16(dst.Rect)
	if err := m.HeightsScaled(ctx, img, at); err != nil {
		return err
	}
	low, high := s.extent.Min[1], s.extent.Max[1]
	for y := dst.Rect.Min.Y; y < dst.Rect.Max.Y; y++ {
		for x := dst.Rect.Min.X; x < dst.Rect.Max.X; x++ {
			if v := img.Gray16At(x, y).Y; v > 0 {
				g := uint8(32 + 223*(int(v)-worlddraw.SeaLevel-low)/max(high-low, 1))
				dst.SetRGBA(x, y, color.RGBA{R: g, G: g, B: g, A: 255})
			}
		}
	}
	return nil
}

func (s *worldScene) RenderGray16(ctx context.Context, dst *image.Gray16, look format.Look) error {
	defer s.world.reading()()
	m, err := s.mapOf(look.View)
	if err != nil {
		return err
	}
	return m.(*worlddraw.Map).HeightsScaled(ctx, dst, worlddraw.Scaled{Origin: look.Origin, Scale: look.Scale})
}

func (s *worldScene) Fingerprint(ctx context.Context, look format.Look, pixels image.Rectangle) (sum [32]byte, err error) {
	defer s.world.reading()()
	h := sha256.New()
	h.Write(s.digest)
	m, err := s.mapOf(look.View)
	if err != nil {
		return sum, err
	}
	if look.View == viewHeight {
		fmt.Fprintln(h, s.extent.Min[1], s.extent.Max[1]) // the range of the shades
	}
	h.Write(s.sum())
	at := worlddraw.Scaled{Origin: look.Origin, Scale: look.Scale}
	some, err := m.Fingerprint(ctx, h, s.widened(look.View, pixels, at.Scale), at)
	v, _ := format.ViewOf(s.views, look.View)
	if err == nil && v.Draws(look, layerAreas) {
		var all []outline
		if all, err = s.outlines(ctx, v.Name, pixels, at, s.lose); len(all) > 0 {
			some = true
			fmt.Fprintln(h, layerAreas, all)
		}
	}
	for _, layer := range []string{layerMarkers, layerPlayers} {
		if err == nil && v.Draws(look, layer) {
			var marks worlddraw.Marks
			if marks, err = s.marks(ctx, v.Name, layer, pixels, at, s.lose); len(marks) > 0 {
				some = true
				fmt.Fprintln(h, layer, marks)
			}
		}
	}
	if err == nil && some {
		h.Sum(sum[:0])
	}
	return sum, err
}

// markerRules reads the rules that an option names.
func markerRules(path string) ([]worlddraw.MarkerRule, error) {
	if path == "" || path == "usual" {
		return worlddraw.UsualMarkers(), nil
	}
	data, err := regular.ReadFile(path, effort.TextFile)
	if err != nil {
		return nil, err
	}
	rules, err := worlddraw.ParseMarkerRules(bytes.NewReader(data))
	return rules, fault.InFile(err, path)
}

// markers returns at least the markers of a layer that are visible in a part of a picture.
func (s *worldScene) markers(ctx context.Context, name, layer string, part image.Rectangle, at worlddraw.Scaled,
	lose func(error)) ([]worlddraw.Marker, error) {
	if layer == layerPlayers {
		return s.world.players(ctx, lose)
	}
	view, _ := s.viewOf(name)
	return s.world.markers(s.rules).Near(ctx, view, part, at, lose)
}

// marks returns the marks of a layer that are visible in a part of a picture.
func (s *worldScene) marks(ctx context.Context, name, layer string, part image.Rectangle, at worlddraw.Scaled,
	lose func(error)) (worlddraw.Marks, error) {
	view, _ := s.viewOf(name)
	markers, err := s.markers(ctx, name, layer, part, at, lose)
	return view.Marks(markers, s.kinds[name].Box, part, at), err
}

// Cover draws the positions of blocks without reading the blocks.
func (s *worldScene) Cover(ctx context.Context, dst *image.RGBA, look format.Look) error {
	m, err := s.mapOf(look.View)
	if err != nil {
		return err
	}
	return m.Cover(ctx, dst, worlddraw.Scaled{Origin: look.Origin, Scale: look.Scale})
}

// Close closes the scene. Other scenes of the same world stay usable.
func (s *worldScene) Close() (err error) {
	s.closing.Do(func() {
		err = s.world.release()
		if s.since != nil {
			err = errors.Join(err, s.since.manifest.Close())
		}
	})
	return err
}

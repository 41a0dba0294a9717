package minetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"trowel.example/fault"
	"trowel.example/format"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodecolor"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddraw"
)

// Options of pictures of worlds.
var (
	optionColors   = format.Option{Name: "colors", For: format.ForScene, Input: true, Help: "a `file` with the colours of nodes, as minetestmapper reads it; what is not in it is not drawn (default: colors.txt of the world, else that of the system, and for names that are in neither what Trowel knows of them)"}
	optionGuess    = format.Option{Name: "guess-colors", Bool: true, For: format.ForScene, Help: "draw what the list of colours lacks, too, as good as can be"}
	optionTextures = format.Option{Name: "textures", For: format.ForScene, Input: true, Help: "a `folder` of a game or of mods, whose textures have the colours"}
	optionNodes    = format.Option{Name: "nodes", For: format.ForScene, Input: true, Help: "a `file` with the definitions of nodes, made by the mod contrib/minetest/trowel_nodes"}
	optionMinY     = format.Option{Name: "min-y", Type: format.Integer, For: format.ForScene, Help: "nothing below `Y` is drawn"}
	optionMaxY     = format.Option{Name: "max-y", Type: format.Integer, For: format.ForScene, Help: "nothing above `Y` is drawn"}
	optionSlice    = format.Option{Name: "slice", Type: format.Integer, For: format.ForScene, Help: "cut the world open at the height `Y`: that view comes first then"}
	optionAlpha    = format.Option{Name: "drawalpha", Bool: true, For: format.ForScene, Help: "see through what is not opaque, such as water"}
	optionMarkers  = format.Option{Name: "markers", For: format.ForScene, Input: true, Help: "mark signs, chests, protectors and doors with what they say or whose they are: a `file` of rules, or usual for Trowel's own"}
	optionFlat     = format.Option{Name: "noshading", Bool: true, For: format.ForScene, Help: "draw no relief"}
)

var sceneOptions = []format.Option{optionColors, optionGuess, optionTextures, optionNodes, optionMinY, optionMaxY, optionSlice, optionAlpha, optionFlat, optionMarkers}

// The views of a world beside those of [worlddraw].
const (
	viewSlice  = "slice"
	viewDay    = "day"
	viewNight  = "night"
	viewHeight = "height"
	viewIso    = string(worlddraw.IsoView)
)

// The layers of a view.
const (
	layerNodes   = "nodes"
	layerMarkers = "markers"
	layerPlayers = "players"
)

// sliceDepth is how many nodes below a cut are visible.
const sliceDepth = 24

// worldScene is what a world shows.
type worldScene struct {
	dir    string
	db     mapdb.DB
	views  []format.View
	kinds  map[string]worlddraw.Options // by view
	extent worlddraw.Box                // of all blocks
	colors *nodecolor.Choice
	digest []byte // of the options, and of the files that they name

	settings *world.Settings
	remote   bool
	rules    []worlddraw.MarkerRule

	reading sync.Mutex // of marks

	mu    sync.Mutex
	marks map[[2]string]worlddraw.Marks // by view and layer
	maps  map[string]*lazyMap
	lost  map[string]string // of blocks that cannot be read, why
}

// drawn is what a [worlddraw.Map] and a [worlddraw.Iso] have in common.
type drawn interface {
	RenderScaled(context.Context, *image.RGBA, worlddraw.Scaled) error
	Fingerprint(context.Context, io.Writer, image.Rectangle, worlddraw.Scaled) (bool, error)
	Hidden() map[string]int64
}

type lazyMap struct {
	once sync.Once
	m    drawn
	err  error
}

func openWorldScene(ctx context.Context, job *format.Job, src *format.Source, _ string) (format.Scene, error) {
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return nil, err
	}
	s := &worldScene{dir: src.Dir, settings: settings, remote: job.On(optionRemote.Name), marks: make(map[[2]string]worlddraw.Marks), kinds: make(map[string]worlddraw.Options), maps: make(map[string]*lazyMap), lost: make(map[string]string)}
	if s.colors, s.digest, err = chooseColors(job, src.Dir); err != nil {
		return nil, err
	}
	if s.rules, err = markerRules(job.Value(optionMarkers.Name)); err != nil {
		return nil, err
	}
	if s.db, _, err = world.OpenMap(ctx, src.Dir, settings, job.On(optionRemote.Name)); err != nil {
		return nil, err
	}
	if err := s.findViews(ctx, job); err != nil {
		s.db.Close()
		return nil, err
	}
	return s, nil
}

// chooseColors finds out where colours come from, and returns a digest of that.
func chooseColors(job *format.Job, dir string) (c *nodecolor.Choice, digest []byte, err error) {
	c = new(nodecolor.Choice)
	read := func(path string) (nodecolor.List, error) {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		digest = append(digest, data...)
		list, bad, err := nodecolor.ReadFile(path)
		for _, b := range bad {
			job.Warn(path, "%v", b)
		}
		return list, err
	}
	if path := job.Value(optionColors.Name); path != "" {
		c.List, err = read(path)
		c.Only = true
	} else if path, own := nodecolor.Find(dir); own {
		c.List, err = read(path)
		c.Only = true
	} else if path != "" && path != nodecolor.FileName { // a file in the current folder is for minetestmapper
		c.General, err = read(path)
	}
	if job.On(optionGuess.Name) {
		c.Only = false
	}
	if path := job.Value(optionTextures.Name); path != "" && err == nil {
		c.Textures, err = nodecolor.FindTextures(path)
		if err == nil && c.Textures.Len() == 0 {
			err = fmt.Errorf("--%s: there is no texture in %s", optionTextures.Name, path)
		}
		digest = append(digest, path...)
	}
	if path := job.Value(optionNodes.Name); path != "" && err == nil {
		c.Nodes, err = nodedef.ReadFile(path)
		if data, failed := os.ReadFile(path); failed == nil {
			digest = append(digest, data...)
		}
	}
	for _, o := range sceneOptions {
		digest = append(digest, o.Name+"="+job.Value(o.Name)+"\n"...)
	}
	return c, digest, err
}

// findViews says what views there are, and how large they are.
func (s *worldScene) findViews(ctx context.Context, job *format.Job) error {
	box := worlddraw.Everything()
	if job.Value(optionMinY.Name) != "" {
		box.Min[1] = job.Integer(optionMinY.Name)
	}
	if job.Value(optionMaxY.Name) != "" {
		box.Max[1] = job.Integer(optionMaxY.Name)
	}
	if box.Min[1] > box.Max[1] {
		box.Min[1], box.Max[1] = box.Max[1], box.Min[1]
	}
	usual := worlddraw.Options{
		View: worlddraw.Top, Colors: s.colors, Box: box, Alpha: job.On(optionAlpha.Name), Flat: job.On(optionFlat.Name), Lost: s.lose,
	}
	s.kinds[string(worlddraw.Top)] = usual
	top, err := s.mapOf(ctx, string(worlddraw.Top))
	if err != nil {
		return err
	}
	s.extent = top.(*worlddraw.Map).Extent()
	extent := s.extent
	layers := []format.Layer{
		{Name: layerNodes, Title: "the world", Shown: true}, {Name: layerPlayers, Title: "players, where they were last"},
		{Name: layerMarkers, Title: "signs, chests, protectors, doors: see --markers", Shown: job.Value(optionMarkers.Name) != ""},
	}
	white := color.NRGBA{R: 255, G: 255, B: 255, A: 255}
	add := func(name, title string, o worlddraw.Options) *format.View {
		r := o.View.Bounds(extent)
		v := format.View{
			Layers: layers, Name: name, Title: title, Scale: 1, Grain: 16, Axes: o.View.Axes(), Background: white,
			Bounds: format.Rect{Min: [2]float64{float64(r.Min.X), float64(r.Min.Y)}, Max: [2]float64{float64(r.Max.X), float64(r.Max.Y)}},
		}
		s.kinds[name] = o
		s.views = append(s.views, v)
		return &s.views[len(s.views)-1]
	}
	if job.Value(optionSlice.Name) != "" {
		o := usual
		y := job.Integer(optionSlice.Name)
		o.Box.Max[1] = min(o.Box.Max[1], y)
		o.Depth = sliceDepth
		add(viewSlice, fmt.Sprintf("cut open at y = %d, and what is below that", y), o).Background = color.NRGBA{R: 16, G: 16, B: 20, A: 255}
	}
	add(string(worlddraw.Top), "from above, as minetestmapper draws it", usual)
	for _, side := range []worlddraw.View{worlddraw.South, worlddraw.North, worlddraw.West, worlddraw.East} {
		o := usual
		o.View = side
		add(string(side), "from the "+string(side), o)
	}
	day, night := usual, usual
	day.Light, night.Light = worlddraw.Day, worlddraw.Night
	add(viewDay, "from above, in the light of noon", day)
	add(viewNight, "from above, in the light of midnight", night).Background = color.NRGBA{A: 255}
	v := add(viewHeight, "heights: brighter is higher", usual)
	v.Gray16, v.Background, v.Layers = true, color.NRGBA{A: 255}, nil
	low, high := worlddraw.IsoBounds(extent)
	s.kinds[viewIso] = usual
	s.views = append(s.views, format.View{
		Name: viewIso, Title: "from above and aside: cubes that show their top and the sides towards lower x and z",
		Bounds: format.Rect{Min: low, Max: high}, Scale: 4, Background: white, Layers: layers,
	})
	return nil
}

// mapOf returns the map of a view.
func (s *worldScene) mapOf(ctx context.Context, name string) (drawn, error) {
	s.mu.Lock()
	l := s.maps[name]
	if l == nil {
		l = new(lazyMap)
		s.maps[name] = l
	}
	s.mu.Unlock()
	l.once.Do(func() {
		if name == viewIso {
			l.m, l.err = worlddraw.NewIso(ctx, s.db, s.kinds[name])
		} else {
			l.m, l.err = worlddraw.New(ctx, s.db, s.kinds[name])
		}
		if l.err != nil { // for the next one to try again
			s.mu.Lock()
			delete(s.maps, name)
			s.mu.Unlock()
		}
	})
	return l.m, l.err
}

// lose notes something that cannot be read.
func (s *worldScene) lose(err error) {
	var block *worlddraw.BlockError
	var row *mapdb.RowError
	name, why := "", err.Error()
	switch {
	case errors.As(err, &block):
		name, why = fmt.Sprintf("%d,%d,%d", block.Pos.X, block.Pos.Y, block.Pos.Z), block.Err.Error()
	case errors.As(err, &row) && row.Pos != nil:
		name = fmt.Sprintf("%d,%d,%d", row.Pos.X, row.Pos.Y, row.Pos.Z)
	case errors.As(err, &row):
		name = row.Key
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost[name] = why
}

func (s *worldScene) Views() []format.View { return s.views }

func (s *worldScene) name(look format.Look) string {
	if look.View == "" {
		return s.views[0].Name
	}
	return look.View
}

func (s *worldScene) Render(ctx context.Context, dst *image.RGBA, look format.Look) error {
	name := s.name(look)
	m, err := s.mapOf(ctx, name)
	if err != nil {
		return err
	}
	at := worlddraw.Scaled{Origin: look.Origin, Scale: look.Scale}
	if name == viewHeight {
		return s.renderGrey(ctx, dst, m.(*worlddraw.Map), at)
	}
	v, _ := format.ViewOf(s, name)
	if v.Draws(look, layerNodes) {
		if err := m.RenderScaled(ctx, dst, at); err != nil {
			return err
		}
	}
	for _, layer := range []string{layerMarkers, layerPlayers} {
		if v.Draws(look, layer) {
			marks, err := s.marksOf(ctx, name, layer)
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
	m, err := s.mapOf(ctx, s.name(look))
	if err != nil {
		return err
	}
	return m.(*worlddraw.Map).HeightsScaled(ctx, dst, worlddraw.Scaled{Origin: look.Origin, Scale: look.Scale})
}

func (s *worldScene) Fingerprint(ctx context.Context, look format.Look, pixels image.Rectangle) (sum [32]byte, err error) {
	m, err := s.mapOf(ctx, s.name(look))
	if err != nil {
		return sum, err
	}
	h := sha256.New()
	h.Write(s.digest)
	at := worlddraw.Scaled{Origin: look.Origin, Scale: look.Scale}
	some, err := m.Fingerprint(ctx, h, pixels, at)
	v, _ := format.ViewOf(s, s.name(look))
	for _, layer := range []string{layerMarkers, layerPlayers} {
		if err == nil && v.Draws(look, layer) {
			var marks worlddraw.Marks
			marks, err = s.marksOf(ctx, v.Name, layer)
			if marks = marks.Near(pixels, at); len(marks) > 0 {
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
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rules, err := worlddraw.ParseMarkerRules(f)
	return rules, fault.InFile(err, path)
}

// marksOf returns the marks of a layer. The first call reads all that there are.
func (s *worldScene) marksOf(ctx context.Context, view, layer string) (worlddraw.Marks, error) {
	key := [2]string{view, layer}
	s.mu.Lock()
	marks, known := s.marks[key]
	s.mu.Unlock()
	if known {
		return marks, nil
	}
	s.reading.Lock() // what others wait for, as it would be read twice else
	defer s.reading.Unlock()
	s.mu.Lock()
	marks, known = s.marks[key]
	s.mu.Unlock()
	if known {
		return marks, nil
	}
	o := s.kinds[view]
	var markers []worlddraw.Marker
	var err error
	if layer == layerMarkers {
		markers, err = worlddraw.Markers(ctx, s.db, o.Box, s.rules, s.lose)
	} else {
		markers, err = s.players(ctx, o.Box)
	}
	if err != nil {
		return nil, err
	}
	if view != viewIso {
		view = string(o.View)
	}
	marks = worlddraw.NewMarks(worlddraw.View(view), markers)
	s.mu.Lock()
	s.marks[key] = marks
	s.mu.Unlock()
	return marks, nil
}

// players returns where the players are.
func (s *worldScene) players(ctx context.Context, box worlddraw.Box) ([]worlddraw.Marker, error) {
	store, err := world.OpenPlayers(ctx, s.dir, s.settings, world.Options{Remote: s.remote})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	players, err := worlddraw.Players(ctx, store, s.lose)
	var markers []worlddraw.Marker
	for _, p := range players {
		if p.Y >= float64(box.Min[1]) && p.Y <= float64(box.Max[1])+1 {
			markers = append(markers, worlddraw.Marker{Pos: [3]float64{p.X, p.Y, p.Z}, Kind: "player", Label: p.Name, Color: color.NRGBA{R: 255, G: 80, B: 80, A: 255}})
		}
	}
	return markers, err
}

func (s *worldScene) Missing() (list []format.Missing) {
	hidden := make(map[string]int64)
	s.mu.Lock()
	for name, why := range s.lost {
		list = append(list, format.Missing{Kind: "block", Name: name, What: why, Loss: true})
	}
	maps := make([]*lazyMap, 0, len(s.maps))
	for _, l := range s.maps {
		maps = append(maps, l)
	}
	s.mu.Unlock()
	for _, l := range maps {
		if l.m != nil {
			for name, n := range l.m.Hidden() {
				hidden[name] += n
			}
		}
	}
	for name, n := range hidden {
		list = append(list, format.Missing{Kind: "color", Name: name, Count: n, Unit: "pixels", What: "none is known, so what is behind it is drawn"})
	}
	for name := range s.colors.Guessed() {
		list = append(list, format.Missing{Kind: "color", Name: name, What: "guessed from the name"})
	}
	slices.SortFunc(list, func(a, b format.Missing) int { return strings.Compare(a.Kind+"\x00"+a.Name, b.Kind+"\x00"+b.Name) })
	return list
}

func (s *worldScene) Close() error { return s.db.Close() }

// Package mapscene shows maps: their views, pictures of them, and what is at a point of a picture.
package mapscene

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/internal/mapfile"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// The views of a map.
const (
	viewMap = "map"
)

// scene is the scene of a map.
type scene struct {
	*mapdraw.Renderer
	m       *twmap.Map
	src     *format.Source // only its path is used
	names   *mapdir.Names  // of the files of the tree
	current bool           // the file is the map itself, not the source of a conversion
	views   []format.View
	layers  []sceneLayer
	whole   mapdraw.Camera
}

// sceneLayer is a layer that can be hidden, with its position in the map.
type sceneLayer struct {
	format.Layer
	group, number int
}

// Open opens the scene of a map.
func Open(ctx context.Context, job *format.Job, src *format.Source, _ string) (*format.Scene, error) {
	m, err := mapfile.Decode(job, src)
	if errors.Is(err, twmap.ErrNoVersion) {
		return Open2007(ctx, job, src, "") // the table of types was wrong
	}
	if err != nil {
		return nil, err
	}
	return open(job, src, m, m.Source())
}

// Open2007 opens a map of 2007 after converting it to a current map.
func Open2007(_ context.Context, job *format.Job, src *format.Source, _ string) (*format.Scene, error) {
	f, err := mapfile.DecodeDatafile(job, src)
	if err != nil {
		return nil, err
	}
	m, err := twmap.Import2007(f)
	if err != nil {
		return nil, fault.InFile(err, src.Path)
	}
	return open(job, src, m, f)
}

func open(job *format.Job, src *format.Source, m *twmap.Map, f *datafile.File) (*format.Scene, error) {
	o, err := drawOptions(job, src)
	if err != nil {
		return nil, err
	}
	r, err := mapdraw.New(m, o)
	if err != nil {
		return nil, err
	}
	s := &scene{Renderer: r, m: m, src: src, names: mapdir.NamesOf(m), current: f == m.Source(), whole: mapdraw.Whole(m)}
	return s.shown(job)
}

// shown returns the scene with the options of a job.
func (s *scene) shown(job *format.Job) (*format.Scene, error) {
	if err := s.findViews(job); err != nil {
		return nil, err
	}
	return &format.Scene{Views: s.views, Missing: s.Missing, Survey: s.Survey, With: s.With, Range: s.Range, Actions: s.Actions,
		Painting: &format.Painting{Canvases: s.Canvases, Cells: s.Cells, Palette: s.Palette, Turned: s.Turned},
		Shaping:  &format.Shaping{Outlines: s.Outlines, Shapes: s.Shapes}}, nil
}

// With returns a scene that shares everything that was read of the map.
func (s *scene) With(_ context.Context, job *format.Job) (*format.Scene, error) {
	o, err := drawOptions(job, s.src)
	if err != nil {
		return nil, err
	}
	other := *s
	if other.Renderer, err = s.Renderer.With(o); err != nil {
		return nil, err
	}
	other.layers = nil
	return other.shown(job)
}

// spawn returns the middle of the first place where players begin, in tiles, or the zero value.
func spawn(m *twmap.Map) (at [2]float64) {
	game := m.Physics(twmap.KindGame)
	if game == nil {
		return at
	}
	game.Look(func(l *twmap.TileLayer) {
		for y, row := range l.Tiles().Rows() {
			x := slices.IndexFunc(row, func(t twmap.Tile) bool { return twmap.GameTile(t.ID).Spawn() })
			if x >= 0 {
				at = [2]float64{float64(x) + 0.5, float64(y) + 0.5}
				return
			}
		}
	})
	return at
}

func (s *scene) findViews(job *format.Job) error {
	moves := false
	var layers []format.Layer
	for g, group := range s.m.Groups {
		for i, l := range group.Layers {
			kind := ""
			switch l := l.(type) {
			case *twmap.TileLayer:
				kind = l.Kind().String()
				moves = moves || l.ColorEnv >= 0
			case *twmap.QuadLayer:
				kind, moves = "quads", true
			case *twmap.SoundLayer:
				kind, moves = "sounds", true
			default:
				continue
			}
			name := strings.TrimPrefix(s.names.Layer(g, i), "groups/")
			layer := format.Layer{Name: name, Title: kind, Shown: s.Usual(g, i), Words: mapedit.LayerWords(l)}
			layers = append(layers, layer)
			s.layers = append(s.layers, sceneLayer{layer, g, i})
		}
	}
	moves = moves && len(s.m.Envelopes) > 0
	var loop time.Duration
	for _, e := range s.m.Envelopes {
		if n := len(e.Points); n > 0 && moves {
			loop = max(loop, time.Duration(e.Points[n-1].Time)*time.Millisecond)
		}
	}
	whole := format.View{
		Name: viewMap, Title: "the whole map",
		Bounds: rectOf(s.whole), Scale: mapdraw.TileSize, Grain: 1, Unit: "tiles",
		Background: mapdraw.Background, Layers: layers, Moves: moves, Loop: loop, Begin: func() [2]float64 { return spawn(s.m) },
		Render: s.Render, Fingerprint: s.Fingerprint, Inspect: s.Inspect,
		Where: func(_ context.Context, place check.Place) (format.Rect, bool) { return s.where(s.whole, place) },
	}
	if moves {
		whole.Motion = s.Motion
	}
	if s.Rereads() {
		whole.Grain = whole.Bounds.Dy()
	}
	camera := whole
	camera.Name, camera.Title, camera.Size = format.ViewCamera, "the view of the game's camera", image.Pt(1280, 720)
	x, y, zoom := s.whole.X, s.whole.Y, 1.0
	if at := format.OptionAt.Place(job); at != nil {
		if len(at) != 2 {
			return fmt.Errorf("--%s: expected two numbers, x,y", format.OptionAt.Name)
		}
		x, y = at[0]*mapdraw.TileSize, at[1]*mapdraw.TileSize
	}
	if optionZoom.Value(job) != "" {
		if zoom = optionZoom.Number(job); zoom <= 0 {
			return fmt.Errorf("--%s: %g: expected more than 0", optionZoom.Name, zoom)
		}
	}
	camera.Frame = func(size image.Point) format.Rect { return rectOf(mapdraw.NewCamera(x, y, zoom, size)) }
	camera.Where = func(_ context.Context, place check.Place) (format.Rect, bool) {
		return s.where(cameraOf(camera.Frame(camera.Size)), place)
	}
	s.views = []format.View{whole, camera}
	shown, all := camera.Frame(camera.Size), whole.Bounds
	if shown.Max[0] <= all.Min[0] || shown.Min[0] >= all.Max[0] || shown.Max[1] <= all.Min[1] || shown.Min[1] >= all.Max[1] {
		job.Warn(s.src.Path, "--%s %s shows nothing of the map's %g x %g tiles", format.OptionAt.Name, format.OptionAt.Value(job),
			all.Dx(), all.Dy())
	}
	if format.OptionAt.Value(job) != "" || optionZoom.Value(job) != "" {
		s.views = []format.View{camera, whole}
	}
	return nil
}

// rectOf returns the view of a camera, in tiles.
func rectOf(c mapdraw.Camera) format.Rect {
	return format.Rect{
		Min: [2]float64{(c.X - c.Width/2) / mapdraw.TileSize, (c.Y - c.Height/2) / mapdraw.TileSize},
		Max: [2]float64{(c.X + c.Width/2) / mapdraw.TileSize, (c.Y + c.Height/2) / mapdraw.TileSize},
	}
}

// Range returns the range of the option for entities, in percent.
func (s *scene) Range(option string) (least, most int, ok bool) {
	return 0, 100, option == optionEntities.Name
}

// picture converts a look to a picture of the renderer.
func (s *scene) picture(look format.Look) (mapdraw.Picture, error) {
	view, ok := format.ViewOf(s.views, look.View)
	if !ok {
		return mapdraw.Picture{}, fmt.Errorf("a map has no view %q", look.View)
	}
	camera := s.whole
	if view.Name == format.ViewCamera {
		camera = cameraOf(look.Frame())
	}
	drawn, names := make(map[[2]int]bool), view.Drawn(look)
	for _, l := range s.layers {
		drawn[[2]int{l.group, l.number}] = names[l.Name]
	}
	p := camera.Part(look.Origin[0]*mapdraw.TileSize, look.Origin[1]*mapdraw.TileSize, look.Scale/mapdraw.TileSize)
	p.Time, p.Film, p.Mean = look.Time, look.Film, view.Name == viewMap
	p.Draws = func(group, layer int) bool {
		shown, known := drawn[[2]int{group, layer}]
		return shown || !known // unknown layers are reported elsewhere
	}
	return p, nil
}

// cameraOf is the inverse of rectOf.
func cameraOf(f format.Rect) mapdraw.Camera {
	return mapdraw.Camera{
		X: (f.Min[0] + f.Max[0]) / 2 * mapdraw.TileSize, Y: (f.Min[1] + f.Max[1]) / 2 * mapdraw.TileSize,
		Width: f.Dx() * mapdraw.TileSize, Height: f.Dy() * mapdraw.TileSize,
	}
}

func (s *scene) Render(ctx context.Context, dst *image.RGBA, look format.Look) error {
	p, err := s.picture(look)
	if err != nil {
		return err
	}
	p.Spent, p.Size = format.SpentOf(ctx), look.Size
	err = s.Renderer.Render(ctx, dst, p)
	return fault.InFile(err, s.src.Path)
}

// Survey reads everything that pictures with a look show.
func (s *scene) Survey(ctx context.Context, look format.Look) error {
	p, err := s.picture(look)
	if err != nil {
		return err
	}
	return s.Renderer.Survey(ctx, p)
}

func (s *scene) Missing() []format.Missing {
	var list []format.Missing
	for _, m := range s.Renderer.Missing() {
		missing := format.Missing{Kind: m.Kind, Name: m.Name, What: m.What, Loss: m.Loss}
		if m.Layers > 0 {
			missing.Count, missing.Unit = int64(m.Layers), "layers"
		}
		list = append(list, missing)
	}
	return list
}

func (s *scene) Fingerprint(ctx context.Context, look format.Look, pixels image.Rectangle) ([32]byte, error) {
	p, err := s.picture(look)
	if err != nil {
		return [32]byte{}, err
	}
	return s.Renderer.Fingerprint(ctx, pixels, p)
}

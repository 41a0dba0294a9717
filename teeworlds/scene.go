package teeworlds

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"time"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

var (
	optionEntities = format.Option{Name: "entities", Type: format.Integer, For: format.ForScene, Default: "0",
		Help: "how far the entities of a map cover it, in `percent`: with 100 nothing else is to be seen"}
	optionEntitiesImage = format.Option{Name: "entities-image", For: format.ForScene, Input: true,
		Help: "a `picture` of 16 x 16 entities in place of Trowel's own signs, or one that DDNet has: ddnet, ddrace, race, blockworlds, fng, vanilla or f-ddrace"}
	optionMapres = format.Option{Name: "mapres", For: format.ForScene, List: true, Input: true,
		Help: "a `folder` with pictures that maps only name, looked at before those of the games"}
	optionMapresOf = format.Option{Name: "mapres-of", Title: "Pictures of", For: format.ForScene, Choices: []string{"auto", "0.6", "0.7"}, Default: "auto",
		Help: "the game whose pictures a map names, where several have one of that name: auto, 0.6 (and DDNet) or 0.7"}
	optionMissing = format.Option{Name: "missing", Title: "Pictures that are not there", For: format.ForScene, Choices: []string{"game", "checker"}, Default: "game",
		Help: "how a picture is drawn that is not there: as the game does, or as a checker"}
	optionEffort = format.Option{Name: "effort", Type: format.Integer, For: format.ForScene, Default: "1",
		Help: "draw up to `N` times as many layers over each other before a picture is refused"}
	optionAt = format.Option{Name: "at", Type: format.Place, For: format.ForScene,
		Help: "where the game's camera is, in tiles: its view comes first then (default: the middle of the map)"}
	optionZoom = format.Option{Name: "zoom", Type: format.Number, For: format.ForScene,
		Help: "the zoom of the game's camera; more than 1 shows more (default: 1)"}
)

var sceneOptions = []format.Option{optionEntities, optionEntitiesImage, optionMapres, optionMapresOf, optionMissing, optionEffort, optionAt, optionZoom}

// The views of a map.
const (
	viewMap    = "map"
	viewCamera = "camera"
)

// mapScene is the scene of a map.
type mapScene struct {
	*mapdraw.Renderer
	m      *twmap.Map
	src    *format.Source // only its path is used
	names  *mapdir.Names  // of the files of the tree
	today  bool           // the file is the map itself, not the source of a conversion
	views  []format.View
	layers []sceneLayer
	whole  mapdraw.Camera
}

// sceneLayer is a layer that can be hidden, with its position in the map.
type sceneLayer struct {
	format.Layer
	group, number int
}

func openScene(ctx context.Context, job *format.Job, src *format.Source, _ string) (format.Scene, error) {
	m, err := decodeMap(src, missOf(job, src))
	if errors.Is(err, twmap.ErrNoVersion) {
		return openScene2007(ctx, job, src, "") // the table of types was wrong
	}
	if err != nil {
		return nil, err
	}
	return newScene(job, src, m, m.Source())
}

// openScene2007 opens a map of 2007 after converting it to a current map.
func openScene2007(_ context.Context, job *format.Job, src *format.Source, _ string) (format.Scene, error) {
	f, err := decodeDatafile(job, src)
	if err != nil {
		return nil, err
	}
	m, err := twmap.Import2007(f)
	if err != nil {
		return nil, fault.InFile(err, src.Path)
	}
	return newScene(job, src, m, f)
}

func newScene(job *format.Job, src *format.Source, m *twmap.Map, f *datafile.File) (format.Scene, error) {
	o, err := drawOptions(job, src)
	if err != nil {
		return nil, err
	}
	r, err := mapdraw.New(m, o)
	if err != nil {
		return nil, err
	}
	s := &mapScene{Renderer: r, m: m, src: src, names: mapdir.NamesOf(m), today: f == m.Source(), whole: mapdraw.Whole(m)}
	return s, s.findViews(job)
}

// With returns a scene that shares everything that was read of the map.
func (s *mapScene) With(_ context.Context, job *format.Job) (format.Scene, error) {
	o, err := drawOptions(job, s.src)
	if err != nil {
		return nil, err
	}
	other := *s
	if other.Renderer, err = s.Renderer.With(o); err != nil {
		return nil, err
	}
	other.layers = nil
	return &other, other.findViews(job)
}

// drawOptions parses the options of a job.
func drawOptions(job *format.Job, src *format.Source) (o mapdraw.Options, err error) {
	o.Entities = job.Integer(optionEntities.Name)
	if o.Effort = job.Integer(optionEffort.Name); o.Effort < 0 || o.Effort > 1<<20 {
		return o, fmt.Errorf("--%s: %d, should be 0 to %d", optionEffort.Name, o.Effort, 1<<20)
	}
	o.Checker = job.Value(optionMissing.Name) == "checker"
	o.Game = map[string]mapdraw.Game{"0.6": mapdraw.Game06, "0.7": mapdraw.Game07}[job.Value(optionMapresOf.Name)]
	for _, dir := range job.List(optionMapres.Name) {
		if st, err := os.Stat(dir); err != nil {
			return o, fmt.Errorf("--%s: %w", optionMapres.Name, err)
		} else if !st.IsDir() {
			return o, fmt.Errorf("--%s: %s is no folder", optionMapres.Name, dir)
		}
		o.Mapres = append(o.Mapres, dir)
	}
	o.Mapres = append(append(o.Mapres, mapresBeside(src)...), mapdraw.MapresFolders()...)
	if name := job.Value(optionEntitiesImage.Name); name != "" {
		o.EntitiesImage, err = entitiesImage(name)
		if err != nil {
			return o, fmt.Errorf("--%s: %w", optionEntitiesImage.Name, err)
		}
		base := filepath.Base(name)
		o.Mask = mapdraw.MaskOf(strings.TrimSuffix(base, filepath.Ext(base)))
	}
	return o, nil
}

// dataBeside returns the possible data folders of the game for a map in the maps folder of a client: the parent of that
// folder, as for the user's own data, and the folder data next to it.
func dataBeside(src *format.Source) []string {
	if len(src.Reads()) == 0 {
		return nil // not a file
	}
	dir, err := filepath.Abs(filepath.Dir(src.Path))
	if err != nil {
		return nil
	}
	switch filepath.Base(dir) {
	case "maps", "maps7", "downloadedmaps":
		return []string{filepath.Dir(dir), filepath.Join(dir, "..", "data")}
	}
	return nil
}

// mapresBeside returns the folders of pictures for a map of this kind that src may read.
func mapresBeside(src *format.Source) (dirs []string) {
	for _, data := range dataBeside(src) {
		if dir := filepath.Join(data, "mapres"); src.May == nil || src.May(dir) == nil {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// entitiesImage reads a picture of entities: a file, or one of DDNet's by name.
func entitiesImage(name string) (*image.NRGBA, error) {
	path := name
	if !strings.ContainsAny(name, `./\`) {
		for _, dir := range mapdraw.DataFolders() {
			own := filepath.Join(dir, "editor", "entities_clear", name+".png")
			if _, err := os.Stat(own); err == nil {
				path = own
				break
			}
		}
	}
	return mapdraw.ReadPNG(path)
}

func (s *mapScene) findViews(job *format.Job) error {
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
		Name: viewMap, Title: "the whole map, as a camera shows it that sees all of it",
		Bounds: rectOf(s.whole), Scale: mapdraw.TileSize, Grain: 1,
		Background: mapdraw.Background, Layers: layers, Moves: moves, Loop: loop,
	}
	if s.Rereads() {
		whole.Grain = whole.Bounds.Dy()
	}
	camera := whole
	camera.Name, camera.Title, camera.Size = viewCamera, "what the game's camera shows", image.Pt(1280, 720)
	x, y, zoom := s.whole.X, s.whole.Y, 1.0
	if at := job.Place(optionAt.Name); at != nil {
		if len(at) != 2 {
			return fmt.Errorf("--%s: a place has two numbers here", optionAt.Name)
		}
		x, y = at[0]*mapdraw.TileSize, at[1]*mapdraw.TileSize
	}
	if job.Value(optionZoom.Name) != "" {
		if zoom = job.Number(optionZoom.Name); zoom <= 0 {
			return fmt.Errorf("--%s: %g, should be more than 0", optionZoom.Name, zoom)
		}
	}
	camera.Frame = func(size image.Point) format.Rect { return rectOf(mapdraw.NewCamera(x, y, zoom, size)) }
	s.views = []format.View{whole, camera}
	if job.Value(optionAt.Name) != "" || job.Value(optionZoom.Name) != "" {
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
func (s *mapScene) Range(option string) (least, most int, ok bool) {
	return 0, 100, option == optionEntities.Name
}

func (s *mapScene) Views() []format.View { return s.views }

// picture converts a look to a picture of the renderer.
func (s *mapScene) picture(look format.Look) (mapdraw.Picture, error) {
	view, ok := format.ViewOf(s, look.View)
	if !ok {
		return mapdraw.Picture{}, fmt.Errorf("a map has no view %q", look.View)
	}
	camera := s.whole
	if view.Name == viewCamera {
		camera = cameraOf(look.Frame())
	}
	drawn := make(map[[2]int]bool)
	for _, l := range s.layers {
		drawn[[2]int{l.group, l.number}] = view.Draws(look, l.Name)
	}
	return mapdraw.Picture{
		Camera: camera,
		Left:   look.Origin[0] * mapdraw.TileSize, Top: look.Origin[1] * mapdraw.TileSize,
		Scale: look.Scale / mapdraw.TileSize,
		Time:  look.Time,
		Mean:  view.Name == viewMap,
		Draws: func(group, layer int) bool {
			shown, known := drawn[[2]int{group, layer}]
			return shown || !known // unknown layers are reported elsewhere
		},
	}, nil
}

// cameraOf is the inverse of rectOf.
func cameraOf(f format.Rect) mapdraw.Camera {
	return mapdraw.Camera{
		X: (f.Min[0] + f.Max[0]) / 2 * mapdraw.TileSize, Y: (f.Min[1] + f.Max[1]) / 2 * mapdraw.TileSize,
		Width: f.Dx() * mapdraw.TileSize, Height: f.Dy() * mapdraw.TileSize,
	}
}

func (s *mapScene) Render(ctx context.Context, dst *image.RGBA, look format.Look) error {
	p, err := s.picture(look)
	if err != nil {
		return err
	}
	p.Spent, p.Size = format.SpentOf(ctx), look.Size
	err = s.Renderer.Render(ctx, dst, p)
	if errors.Is(err, fault.ErrLimit) {
		err = fmt.Errorf("%w; --%s raises the limit, --layers leaves layers out", fault.InFile(err, s.src.Path), optionEffort.Name)
	}
	return err
}

// Survey reads everything that pictures with a look show.
func (s *mapScene) Survey(ctx context.Context, look format.Look) error {
	p, err := s.picture(look)
	if err != nil {
		return err
	}
	return s.Renderer.Survey(ctx, p)
}

func (s *mapScene) Missing() []format.Missing {
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

func (s *mapScene) Fingerprint(ctx context.Context, look format.Look, pixels image.Rectangle) ([32]byte, error) {
	p, err := s.picture(look)
	if err != nil {
		return [32]byte{}, err
	}
	return s.Renderer.Fingerprint(ctx, pixels, p)
}

func (s *mapScene) Close() error { return nil }

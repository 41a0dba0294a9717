package teeworlds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/internal/mapfind"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// mapQuery is a query for maps, with the function that answers it.
type mapQuery struct {
	format.Command
	find func(ctx context.Context, f *mapfind.Finder, q *mapAsking) error
}

// mapAsking is a query during its execution for a map.
type mapAsking struct {
	*format.Job // of the query
	hit         func(path string, at twmap.Place, fields ...format.InfoField) error
	miss        func(path string, err error)
}

var mapFinder = &format.Finder{
	Commands: format.Declared(mapQueries, func(q *mapQuery) *format.Command { return &q.Command }),
	Find:     findInMap,
	Lacks:    lacksInMap,
}

// lacksInMap returns an error for each layer, image, sound and envelope of a query that a map does not have, and for
// each number that a query without an area did not find.
func lacksInMap(_ context.Context, job *format.Job, src *format.Source, query format.Step) error {
	m, err := decodeMap(src, missOf(job, src))
	if err != nil {
		return err
	}
	e := mapedit.New(m, nil)
	_, err = e.Layers(query.Job.List(optionLayers.Name)...)
	for name, parts := range map[string]func(string) ([]int, error){"image": e.Images, "sound": e.Sounds, "envelope": e.Envelopes} {
		pattern := query.Job.Value(name) // the value of an option
		if query.Name == name {
			pattern = query.Job.Value(argumentPart.Name)
		}
		if pattern != "*" {
			_, lacks := parts(pattern)
			err = errors.Join(err, lacks)
		}
	}
	switch query.Name {
	case "tele", "switch", "tune":
		if query.Job.Value(optionArea.Name) == "" && query.Job.Value(optionFlags.Name) == "" {
			for _, number := range query.Job.List(argumentNumber.Name) {
				err = errors.Join(err, &fault.NameError{Kind: query.Name + " tile with the number", Name: number})
			}
		}
	}
	return err
}

func findInMap(ctx context.Context, job *format.Job, src *format.Source, query format.Step, hit func(format.Hit) error) error {
	m, err := decodeMap(src, missOf(job, src))
	if err != nil {
		return err
	}
	f := mapfind.New(m)
	f.Layers, f.Others = query.Job.List(optionLayers.Name), query.Job.On(optionNot.Name)
	if f.Others && len(f.Layers) == 0 {
		return errNot
	}
	if text := query.Job.Value(optionArea.Name); text != "" {
		area, err := areaOf(text)
		if err != nil {
			return err
		}
		f.Area = &area
	}
	q := &mapAsking{query.Job, func(path string, at twmap.Place, fields ...format.InfoField) error {
		h := format.Hit{Path: path, Fields: fields}
		if at.Part != nil {
			h.At = at
		}
		return hit(h)
	}, missIn(job, src)}
	i := slices.IndexFunc(mapQueries, func(q mapQuery) bool { return q.Name == query.Name })
	return mapQueries[i].find(ctx, f, q)
}

// missIn returns a function that reports a part of a map that cannot be read, unless the map itself reports it.
func missIn(job *format.Job, src *format.Source) func(path string, err error) {
	return func(path string, err error) {
		if !errors.Is(err, datafile.ErrUnreadable) {
			job.Miss(src.Path, "%s: %v", path, err)
		}
	}
}

var (
	optionFlags = format.Option{Name: "flags", Help: "only tiles with just these flags: `words` of xflip, yflip, rotate and opaque with commas between them, or none"}

	tileOptions    = []format.Option{optionLayers, optionNot, optionArea, optionFlags}
	argumentNumber = format.Option{Name: "number", List: true, Help: "numbers, 0 to 255; none is any"}
)

var mapQueries = []mapQuery{
	{format.Command{
		Name: "tile", Heading: "Tiles", Title: "Tiles of any layer, by number or by what they do",
		Long: "A name is what a tile does in a physics layer, such as freeze or hookable, and finds tiles of these layers only. Air is found by its number, 0.",
		Args: []format.Option{{Name: "tile", Names: kindTile, List: true, Help: "numbers, 0 to 255, or names with * and ?; none is any but air"}}, Options: tileOptions,
		Example: "tile 60 --layer front",
	}, findTiles},
	{format.Command{
		Name: "tele", Heading: "Tiles", Title: "Teleporters and checkpoints, by their numbers",
		Args: []format.Option{argumentNumber}, Options: []format.Option{optionArea},
		Example: "tele 5",
	}, findNumbers(twmap.KindTele)},
	{format.Command{
		Name: "switch", Heading: "Tiles", Title: "Switches, and what they switch, by their numbers",
		Args: []format.Option{argumentNumber}, Options: []format.Option{optionArea, optionFlags},
		Example: "switch 3",
	}, findNumbers(twmap.KindSwitch)},
	{format.Command{
		Name: "tune", Heading: "Tiles", Title: "Tiles of tune zones, by their numbers",
		Args: []format.Option{argumentNumber}, Options: []format.Option{optionArea},
		Example: "tune 1 2",
	}, findNumbers(twmap.KindTune)},
	{format.Command{
		Name: "speedup", Heading: "Tiles", Title: "Speedups, with their force and angle",
		Options: []format.Option{optionArea, {Name: "force", Type: format.Integer, Help: "only those with this force"}, {Name: "angle", Type: format.Integer, Help: "only those with this angle in `degrees`"}},
		Example: "speedup --force 255",
	}, findSpeedups},
	{format.Command{
		Name: "next-free", Heading: "Tiles", Title: "The next numbers that no tile has",
		Long: "A number that a setting is about, such as tune_zone 3, is not free.",
		Args: []format.Option{
			{Name: "of", Choices: []string{"tele", "checkpoint", "switch", "tune"}, Help: "what the number is for"},
			{Name: "numbers", Type: format.Integer, Default: "1", Help: "how many"}},
		Example: "next-free tele",
	}, findFree},
	{format.Command{
		Name: "layer", Heading: "Parts", Title: "Layers, with their sizes and images",
		Options: []format.Option{optionLayers, optionNot},
		Example: "layer --layer 'Tree/*'",
	}, findLayers},
	{format.Command{
		Name: "image", Heading: "Parts", Title: "Who uses an image",
		Long: "An image that no layer uses is found itself.",
		Args: []format.Option{partOf(twmap.PartImage)}, Example: "image grass_main",
	}, findUses(twmap.PartImage)},
	{format.Command{
		Name: "envelope", Heading: "Parts", Title: "Who uses an envelope",
		Long: "An envelope that nothing uses is found itself.",
		Args: []format.Option{partOf(twmap.PartEnvelope)}, Example: "envelope 3",
	}, findUses(twmap.PartEnvelope)},
	{format.Command{
		Name: "sound", Heading: "Parts", Title: "Who uses a sound",
		Long: "A sound that no layer uses is found itself.",
		Args: []format.Option{partOf(twmap.PartSound)}, Example: "sound 'rain*'",
	}, findUses(twmap.PartSound)},
	{format.Command{
		Name: "quad", Heading: "Parts", Title: "Quads, with the place and size of each in tiles",
		Options: []format.Option{optionLayers, optionNot, {Name: "area", Help: "only quads whose pivot is in the tiles of `x1,y1:x2,y2`"}, {Name: "image", Names: kindImage, Help: "only quads of the image of this `name`, in capitals or not"}},
		Example: "quad --image sun",
	}, findQuads},
	{format.Command{
		Name: "setting", Heading: "Parts", Title: "Settings that have a text in them",
		Args:    []format.Option{{Name: "text", Names: kindSetting, List: true, Help: "words that are in the line, in capitals or not; none is any line"}},
		Example: "setting tune_zone 3",
	}, findSettings},
}

// partOf returns [argumentPart] for parts of a kind.
func partOf(kind twmap.PartKind) format.Option {
	o := argumentPart
	o.Names = string(kind)
	return o
}

var argumentPart = format.Option{Name: "name", Help: "a name with * and ?, in capitals or not, or a number, which counts from 0", Default: "*"}

// bytesOf reads numbers from 0 to 255; it returns nil for none.
func bytesOf(words []string) (*[256]bool, error) {
	if len(words) == 0 {
		return nil, nil
	}
	var set [256]bool
	for _, word := range words {
		n, err := strconv.ParseUint(word, 10, 8)
		if err != nil {
			return nil, fmt.Errorf("expected a number from 0 to 255, not %q", word)
		}
		set[n] = true
	}
	return &set, nil
}

// flagsOf returns the flags that tiles must have; -1 means any.
func (q *mapAsking) flagsOf() (int, error) {
	text := q.Value(optionFlags.Name)
	if text == "" {
		return -1, nil
	}
	flags, err := parseFlags(text, true)
	if err != nil {
		return 0, fmt.Errorf("--%s: %w", optionFlags.Name, err)
	}
	return int(flags), nil
}

func findTiles(ctx context.Context, f *mapfind.Finder, q *mapAsking) error {
	// byKind holds the selected ids for each kind of layers.
	var byKind [twmap.KindZones + 1][256]bool
	words := q.List("tile")
	for _, word := range words {
		is, err := tilesCalled(word)
		if err != nil {
			return err
		}
		for kind := range byKind {
			for _, id := range tileNumbers(is, twmap.Kind(kind)) {
				byKind[kind][id] = true
			}
		}
	}
	flags, err := q.flagsOf()
	if err != nil {
		return err
	}
	return f.Tiles(ctx, nil, func(t mapfind.Cell) bool {
		return (len(words) == 0 && t.ID != 0 || byKind[t.Kind][t.ID]) && (flags < 0 || int(t.Flags) == flags)
	}, q.miss, func(t mapfind.Tile) error {
		return q.hit(t.Path, t.At, format.Fact("layer", "", t.Kind.String()), format.Fact("id", "tile", int(t.ID)), format.Fact("name", "", nameOf(&t)),
			format.Fact("flags", "", flagText(t.Flags)), format.Fact("number", "", numberOf(&t)))
	})
}

// nameOf returns the name of a tile, or "" in design layers.
func nameOf(t *mapfind.Tile) string {
	if t.Kind == twmap.KindTiles {
		return ""
	}
	return t.Name()
}

// numberOf returns the number of a tile, or nil if tiles of the kind have none.
func numberOf(t *mapfind.Tile) any {
	switch t.Kind {
	case twmap.KindTele, twmap.KindSwitch, twmap.KindTune:
		return int(t.Number)
	}
	return nil
}

func flagText(f twmap.TileFlags) string {
	if f == 0 {
		return ""
	}
	return f.String()
}

// findNumbers returns a function that answers a query for the numbers of tiles in the layer of a kind.
func findNumbers(kind twmap.Kind) func(context.Context, *mapfind.Finder, *mapAsking) error {
	return func(ctx context.Context, f *mapfind.Finder, q *mapAsking) error {
		numbers, err := bytesOf(q.List("number"))
		if err != nil {
			return err
		}
		flags, err := q.flagsOf()
		if err != nil {
			return err
		}
		return f.Tiles(ctx, []twmap.Kind{kind}, func(t mapfind.Cell) bool {
			return t.ID != 0 && (numbers == nil || numbers[t.Number]) && (flags < 0 || int(t.Flags) == flags)
		}, q.miss, func(t mapfind.Tile) error {
			fields := []format.InfoField{format.Fact("number", "", int(t.Number)), format.Fact("id", "tile", int(t.ID)), format.Fact("name", "", t.Name())}
			if kind == twmap.KindSwitch {
				fields = append(fields, format.Fact("delay", "", int(t.Delay)), format.Fact("flags", "", flagText(t.Flags)))
			}
			return q.hit(t.Path, t.At, fields...)
		})
	}
}

func findSpeedups(ctx context.Context, f *mapfind.Finder, q *mapAsking) error {
	force, hasForce := q.Given("force")
	angle, hasAngle := q.Given("angle")
	return f.Tiles(ctx, []twmap.Kind{twmap.KindSpeedup}, func(t mapfind.Cell) bool {
		return t.ID != 0 && (!hasForce || force == strconv.Itoa(int(t.Force))) && (!hasAngle || angle == strconv.Itoa(int(t.Angle)))
	}, q.miss, func(t mapfind.Tile) error {
		return q.hit(t.Path, t.At, format.Fact("force", "", int(t.Force)), format.Fact("maxSpeed", "at most", int(t.MaxSpeed)), format.Fact("angle", "", int(t.Angle)))
	})
}

func findFree(ctx context.Context, f *mapfind.Finder, q *mapAsking) error {
	free, err := f.Free(ctx, twmap.Numbers(q.Value("of")), q.Integer("numbers"), q.miss)
	if err != nil {
		return err
	}
	for _, n := range free {
		if err := q.hit("", twmap.Place{}, format.Fact("number", "free number", n)); err != nil {
			return err
		}
	}
	return nil
}

func findLayers(_ context.Context, f *mapfind.Finder, q *mapAsking) error {
	return f.LayersThere(func(l mapfind.Layer) error {
		return q.hit(l.Path, l.At, format.Fact("kind", "", l.Kind), format.Fact("width", "", l.Width), format.Fact("height", "", l.Height),
			format.Fact("things", "", int64(l.Things)), format.Fact("uses", "", l.Uses))
	})
}

// findUses returns a function that answers a query for the uses of parts of a kind.
func findUses(kind twmap.PartKind) func(context.Context, *mapfind.Finder, *mapAsking) error {
	return func(_ context.Context, f *mapfind.Finder, q *mapAsking) error {
		return f.Uses(kind, q.Value("name"), func(u mapfind.Use) error {
			return q.hit(u.Path, u.At, format.Fact("name", string(kind), u.Name), format.Fact("use", "for", u.What))
		})
	}
}

func findQuads(_ context.Context, f *mapfind.Finder, q *mapAsking) error {
	const unit = 32 * 1024 // side of a tile
	return f.Quads(q.miss, func(quad mapfind.Quad) error {
		if name, given := q.Given("image"); given && !strings.EqualFold(name, quad.Image) {
			return nil
		}
		least, most := quad.Points[0], quad.Points[0]
		for _, p := range quad.Points[1:] {
			least = twmap.Point{X: min(least.X, p.X), Y: min(least.Y, p.Y)}
			most = twmap.Point{X: max(most.X, p.X), Y: max(most.Y, p.Y)}
		}
		tiles := func(v float64) float64 { return float64(int64(v*1000/unit)) / 1000 }
		return q.hit(quad.Path, quad.At, format.Fact("image", "", quad.Image),
			format.Fact("x", "", tiles(float64(quad.Pivot.X))), format.Fact("y", "", tiles(float64(quad.Pivot.Y))),
			format.Fact("width", "", tiles(float64(most.X)-float64(least.X))), format.Fact("height", "", tiles(float64(most.Y)-float64(least.Y))),
			format.Fact("positionEnvelope", "position envelope", envelope(quad.PosEnv)), format.Fact("colorEnvelope", "colour envelope", envelope(quad.ColorEnv)))
	})
}

// envelope returns a reference to an envelope, or nil for none.
func envelope(n int32) any {
	if n < 0 {
		return nil
	}
	return int(n)
}

func findSettings(_ context.Context, f *mapfind.Finder, q *mapAsking) error {
	return f.Settings(strings.Join(q.List("text"), " "), func(s mapfind.Setting) error {
		return q.hit("", s.At, format.Fact("setting", "", s.Line))
	})
}

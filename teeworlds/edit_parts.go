package teeworlds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

var (
	argLayer  = format.Option{Name: "layer", Names: kindLayer, Help: layerHelp}
	argLayers = format.Option{Name: "layer", Names: kindLayer, List: true, Some: true, Help: argLayer.Help}
	argGroup  = format.Option{Name: "group", Names: kindGroup, Help: "the path of a group, with * and ?, its number, or game"}
	argGroups = format.Option{Name: "group", Names: kindGroup, List: true, Some: true, Help: argGroup.Help}

	layerKinds = []string{"tiles", "quads", "sounds", "front", "tele", "speedup", "switch", "tune"}
)

func byGroup(e *mapedit.Editor) func(string) ([]int, error) { return e.Groups }

// ofLayers returns a command function that calls do with layers.
func ofLayers(do func(e *mapedit.Editor, job *format.Job, list []mapedit.LayerAt) error) editing {
	return func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
		list, err := layersOf(e, job)
		if err != nil {
			return err
		}
		return do(e, job, list)
	}
}

var layerCommands = []mapCommand{
	command("Layers and groups", "add-layer", "Add a layer; one that makes the game gets the size of the game layer and goes into its group",
		opts{{Name: "kind", Choices: layerKinds, Help: "what is in it"}},
		append(opts{{Name: "group", Names: kindGroup, Default: "game", Help: "the `group` that it goes into"}, {Name: "at", Type: format.Integer, Default: "-1", Help: "its `number` in the group, from 0; -1 is the end"}}, layerOptions...),
		"add-layer tiles --group Back --name Leaves --width 200 --height 100 --image grass_main", addLayer),
	command("Layers and groups", "remove-layers", "Remove layers", opts{argLayers}, nil, "remove-layers 'Tree/*'",
		ofLayers(func(e *mapedit.Editor, _ *format.Job, list []mapedit.LayerAt) error { return e.RemoveLayers(list) })),
	command("Layers and groups", "move-layer", "Move a layer to another group, or in its own", opts{argLayer, argGroup},
		opts{{Name: "at", Type: format.Integer, Default: "-1", Help: "its `number` in the group, from 0; -1 is the end"}}, "move-layer Tree/Leaves Front --at 0",
		func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
			layer, err := layerOf(e, job)
			if err != nil {
				return err
			}
			group, err := one(job.Value("group"), e.Groups)
			if err != nil {
				return err
			}
			return e.MoveLayer(layer, mapedit.LayerAt{Group: group, Layer: job.Integer("at")})
		}),
	command("Layers and groups", "duplicate-layers", "Put a copy behind each of some layers", opts{argLayers}, nil, "duplicate-layers Tree/Leaves",
		ofLayers(func(e *mapedit.Editor, _ *format.Job, list []mapedit.LayerAt) error { return e.DuplicateLayers(list) })),
	command("Layers and groups", "set-layer", "Change name, size, colour, image, sound or envelope of layers", opts{argLayers}, layerOptions,
		"set-layer 'Tree/*' --image grass_dark --color '#ffffff80'",
		ofLayers(func(e *mapedit.Editor, job *format.Job, list []mapedit.LayerAt) error {
			c, err := layerChange(e, job)
			if err != nil {
				return err
			}
			return e.ChangeLayers(list, c)
		})),
	command("Layers and groups", "add-group", "Add a group without layers", opts{argName},
		opts{{Name: "at", Type: format.Integer, Default: "-1", Help: "its `number`, from 0; -1 is the end, in front of all others"}}, "add-group Sky --at 0",
		func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
			return e.AddGroup(job.Integer("at"), job.Value("name"))
		}),
	command("Layers and groups", "remove-groups", "Remove groups with all their layers", opts{argGroups}, nil, "remove-groups Tree",
		ofSeveral("group", byGroup, func(e *mapedit.Editor, _ *format.Job, list []int) error { return e.RemoveGroups(list) })),
	command("Layers and groups", "move-group", "Move a group in the order of drawing", opts{argGroup, argTo}, nil, "move-group Sky 0",
		ofOne("group", byGroup, func(e *mapedit.Editor, job *format.Job, i int) error { return e.MoveGroup(i, job.Integer("to")) })),
	command("Layers and groups", "duplicate-group", "Put a copy behind a group", opts{argGroup}, nil, "duplicate-group Tree",
		ofOne("group", byGroup, func(e *mapedit.Editor, _ *format.Job, i int) error { return e.DuplicateGroup(i) })),
	command("Layers and groups", "set-group", "Change name, offset, parallax or clip of groups", opts{argGroups},
		opts{{Name: "name", Help: "up to 11 `bytes`"}, {Name: "offset", Type: format.Place, Help: "`x,y` in pixels: a tile has 32"}, {Name: "parallax", Type: format.Place, Help: "`x,y` in percent: 100 moves with the game, 0 stands still"},
			{Name: "clip", Help: "`x,y,width,height` in pixels, outside of which it is not drawn, or none"}},
		"set-group Sky --parallax 20,20 --clip none",
		ofSeveral("group", byGroup, func(e *mapedit.Editor, job *format.Job, list []int) error {
			c, err := groupChange(job)
			if err != nil {
				return err
			}
			return e.ChangeGroups(list, c)
		})),
	command("Layers and groups", "isolate-physics", "Leave nothing but physics layers in the game group; the order of drawing stays", nil, nil, "isolate-physics", ofMap((*mapedit.Editor).IsolatePhysics)),
	command("Map", "remove-unused", "Remove all that does nothing: empty layers and groups, and images, sounds and envelopes that nothing uses", nil, nil, "remove-unused", ofMap((*mapedit.Editor).RemoveUnused)),
}

// layerOptions are the fields of layers.
var layerOptions = opts{
	{Name: "name", Help: "up to 11 `bytes`"},
	{Name: "detail", Choices: yesNo, Help: "whether it is a detail, which players with the low detail setting do not see"},
	{Name: "width", Type: format.Integer, Help: "in `tiles`"},
	{Name: "height", Type: format.Integer, Help: "in `tiles`"},
	{Name: "color", Type: format.Color, Help: "that all tiles are drawn in, such as #ff8000 or #ffffff80"},
	{Name: "color-envelope", Names: kindEnvelope, Help: "the `envelope` that changes the colour, or none"},
	{Name: "color-envelope-offset", Type: format.Integer, Help: "`milliseconds` that it is ahead"},
	{Name: "image", Names: kindImage, Help: "the `image` that tiles or quads are drawn with, or none"},
	{Name: "sound", Names: kindSound, Help: "the `sound` that a layer of sounds plays, or none"},
}

// layerChange parses the options of layers.
func layerChange(e *mapedit.Editor, job *format.Job) (c mapedit.LayerChange, err error) {
	number := func(name string) *int {
		if _, given := job.Given(name); given {
			return new(job.Integer(name))
		}
		return nil
	}
	part := func(name string, find func(string) ([]int, error)) *int {
		word, given := job.Given(name)
		if !given || err != nil {
			return nil
		}
		i := -1
		if word != "none" {
			var wrong error
			if i, wrong = one(word, find); wrong != nil {
				err = fmt.Errorf("--%s: %w", name, wrong)
			}
		}
		return &i
	}
	if name, given := job.Given("name"); given {
		c.Name = &name
	}
	if word, given := job.Given("detail"); given {
		c.Detail = new(word == "true")
	}
	c.Width, c.Height = number("width"), number("height")
	if rgba, given := job.Color("color"); given {
		c.Color = &twmap.Color{R: int32(rgba.R), G: int32(rgba.G), B: int32(rgba.B), A: int32(rgba.A)}
	}
	if ms := number("color-envelope-offset"); ms != nil {
		c.ColorOffset = new(int32(*ms))
	}
	c.Image, c.Sound, c.ColorEnv = part("image", e.Images), part("sound", e.Sounds), part("color-envelope", e.Envelopes)
	return c, err
}

func addLayer(_ context.Context, e *mapedit.Editor, job *format.Job) error {
	c, err := layerChange(e, job)
	if err != nil {
		return err
	}
	group, err := one(job.Value("group"), e.Groups)
	if err != nil {
		return err
	}
	var l twmap.Layer
	switch word := job.Value("kind"); word {
	case "quads":
		l = twmap.NewQuadLayer()
	case "sounds":
		l = twmap.NewSoundLayer()
	default:
		kind, _ := twmap.ParseKind(word)
		if kind.Physics() && (c.Width != nil || c.Height != nil) {
			return errors.New("a physics layer has the size of the game layer")
		}
		w, h := 2, 2
		if kind == twmap.KindTiles {
			if game := e.Map().Physics(twmap.KindGame); game != nil {
				w, h = game.Width(), game.Height()
			}
			w, h = *cmp.Or(c.Width, &w), *cmp.Or(c.Height, &h)
			c.Width, c.Height = nil, nil
		}
		if err := mapedit.CheckSize(w, h); err != nil {
			return err
		}
		l = twmap.NewTileLayer(kind, w, h)
	}
	if kind, _ := twmap.ParseKind(job.Value("kind")); c.Name != nil && !kind.Physics() {
		l.Base().Name, c.Name = *c.Name, nil // it has the name from the start
	}
	at, err := e.AddLayer(mapedit.LayerAt{Group: group, Layer: job.Integer("at")}, l)
	if err != nil {
		return err
	}
	return e.ChangeLayers([]mapedit.LayerAt{at}, c)
}

// wholePlace returns the value of an option as two integers in the range of a map.
func wholePlace(job *format.Job, name string) (at [2]int32, err error) {
	place := job.Place(name)
	for i, v := range place {
		if len(place) != len(at) || v != math.Trunc(v) || v < math.MinInt32 || v > math.MaxInt32 {
			return at, fmt.Errorf("%s: %s: expected two whole numbers of at most %d", name, job.Value(name), math.MaxInt32)
		}
		at[i] = int32(v)
	}
	return at, nil
}

// groupChange parses the options of groups.
func groupChange(job *format.Job) (c mapedit.GroupChange, err error) {
	pair := func(name string) (x, y *int32) {
		if job.Place(name) == nil {
			return nil, nil
		}
		at, wrong := wholePlace(job, name)
		err = errors.Join(err, wrong)
		return &at[0], &at[1]
	}
	if name, given := job.Given("name"); given {
		c.Name = &name
	}
	c.OffsetX, c.OffsetY = pair("offset")
	c.ParallaxX, c.ParallaxY = pair("parallax")
	switch word, given := job.Given("clip"); {
	case word == "none":
		c.NoClip = true
	case given:
		var n [4]int32
		parts := strings.Split(word, ",")
		for i, p := range parts {
			v, wrong := strconv.ParseInt(strings.TrimSpace(p), 10, 32)
			if wrong != nil || len(parts) != len(n) {
				return c, fmt.Errorf("--clip: %q: expected x,y,width,height, or none", word)
			}
			n[i] = int32(v)
		}
		c.Clip = &twmap.Clip{X: n[0], Y: n[1], Width: n[2], Height: n[3]}
	}
	return c, err
}

var (
	argSettings     = format.Option{Name: "setting", List: true, Some: true, Help: "a command as the server runs it, such as 'tune gravity 0.5'"}
	argHaveSettings = format.Option{Name: argSettings.Name, Names: kindSetting, List: true, Some: true, Help: argSettings.Help}
)

// ofSettings returns a command function that calls do with a line.
func ofSettings(do func(e *mapedit.Editor, line string) error) editing {
	return func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
		var err error
		for _, line := range job.List("setting") {
			err = errors.Join(err, do(e, line))
		}
		return err
	}
}

var settingCommands = []mapCommand{
	command("Settings", "add-setting", "Add commands that the server runs for the map", opts{argSettings}, nil, "add-setting 'sv_deepfly 1'", ofSettings((*mapedit.Editor).AddSetting)),
	command("Settings", "set-setting", "Give commands another value, in place of the one that they have", opts{argHaveSettings}, nil, "set-setting 'tune gravity 0.4'", ofSettings((*mapedit.Editor).SetSetting)),
	command("Settings", "remove-settings", "Remove the settings that begin with some words", opts{argHaveSettings}, nil, "remove-settings 'tune_zone 3'", ofSettings((*mapedit.Editor).RemoveSettings)),
	command("Settings", "sort-settings", "Sort the settings by what they set", nil, nil, "sort-settings", ofMap(func(e *mapedit.Editor) error { e.SortSettings(); return nil })),
	command("Settings", "dedupe-settings", "Remove settings that a later one makes idle", nil, nil, "dedupe-settings", ofMap(func(e *mapedit.Editor) error { e.DedupeSettings(); return nil })),
}

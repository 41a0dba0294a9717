package teeworlds

import (
	"context"
	"errors"
	"fmt"
	"image"
	"maps"
	"slices"
	"strconv"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

const (
	headingMap   = "Map"
	headingTiles = "Tiles"
)

var (
	argMap     = format.Option{Name: "map", Input: true, Help: "another map"}
	argArea    = format.Option{Name: "area", Help: "x1,y1:x2,y2, two opposite corners in tiles, both of them in it"}
	optionArea = format.Option{Name: "area", Help: "only the tiles in `x1,y1:x2,y2`, two opposite corners in any order"}
	argNumbers = format.Option{Name: "kind", Choices: []string{"tele", "checkpoint", "switch", "tune"}, Help: "whose numbers"}

	optionUnused = format.Option{Name: "unused", Bool: true, Help: "tiles, too, that the layer does not have"}
)

// paintOptions are the fields of a tile.
var paintOptions = opts{
	{Name: "flags", Help: "`words` of xflip, yflip and rotate with commas between them, or none"},
	{Name: "number", Type: format.Integer, Help: "of tele, switch and tune tiles, 0 to 255"},
	{Name: "delay", Type: format.Integer, Help: "of switch tiles, in `seconds`, 0 to 255"},
	{Name: "force", Type: format.Integer, Help: "of speedups, 0 to 255"},
	{Name: "max-speed", Type: format.Integer, Help: "of speedups, 0 to 255; 0 is no limit"},
	{Name: "angle", Type: format.Integer, Help: "of speedups, in `degrees`, clockwise, 0 to the right"},
}

// fromOptions are paintOptions for the tiles that are replaced.
var fromOptions = func() opts {
	list := slices.Clone(paintOptions)
	for i, o := range list {
		list[i].Name, list[i].Help = "from-"+o.Name, "only tiles that have this: "+o.Help
	}
	return list
}()

// areaCommands change the whole map, or copy parts of other maps into it.
var areaCommands = []mapCommand{
	long("Layers of a group are mirrored around one middle, so smaller ones grow to the size of the largest by repeating their edges, as the game does; design layers larger than the game layer get groups of their own. Flags of physics tiles without a direction become 0. But for these, mirroring twice leaves the map as it was.",
		command(headingMap, "mirror", "Mirror the whole map: what it looks like and what it does",
			opts{{Name: "way", Default: "left-right", Choices: []string{"left-right", "up-down"}, Help: "which sides change places"}}, nil, "mirror",
			func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
				return e.Turn(mirrorOf(job.Value("way")))
			})),
	long("What holds for mirror holds here, and four times 90 degrees leave the map as it was. Crazy shotguns go on to shoot at the same things, although their picture turns the other way round.",
		command(headingMap, "rotate", "Turn the whole map clockwise", opts{argAngle}, nil, "rotate 90",
			func(_ context.Context, e *mapedit.Editor, job *format.Job) error { return e.Turn(angleOf(job)) })),
	long("Pictures of tile layers have to be in the map (embed-images). Their tiles are cut into new images, 255 parts in each, and a layer becomes as many layers as it needs images. Automappers are taken away. Entities, and where teleporters lead to, stay one each; lasers and doors stay as long as they are.",
		command(headingMap, "scale", "Make the whole map larger: each tile becomes a square of tiles that shows the same",
			opts{{Name: "factor", Choices: []string{"1", "2", "4", "8", "16"}, Help: "how many times as large"}}, nil, "scale 2",
			func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
				return e.Scale(job.Integer("factor"))
			})),
	long("Entities, and where teleporters lead to, are not copied.",
		command(headingMap, "extend", "Make the whole map larger by copies of its outer tiles", nil, opts{
			{Name: "left", Type: format.Integer, Default: "0", Help: "`tiles` on the left"}, {Name: "right", Type: format.Integer, Default: "0", Help: "`tiles` on the right"},
			{Name: "up", Type: format.Integer, Default: "0", Help: "`tiles` above"}, {Name: "down", Type: format.Integer, Default: "0", Help: "`tiles` below"},
		}, "extend --left 50 --down 20", func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
			return e.Extend(mapedit.Sides{Left: job.Integer("left"), Right: job.Integer("right"), Up: job.Integer("up"), Down: job.Integer("down")})
		})),
	long("Layers that move with the game are cut; of others only what repeats itself. Quads and sound sources stay, also outside. Cropping undoes extend.",
		command(headingMap, "crop", "Crop the map to an area of its game layer", opts{argArea}, nil, "crop 10,10:209,109",
			func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
				area, err := parseArea(job.Value("area"))
				if err != nil {
					return err
				}
				return e.Crop(area)
			})),
	command(headingMap, "shrink", "Make design layers smaller where their sides only repeat, as the game repeats them anyway", nil,
		opts{{Name: "physics", Bool: true, Help: "make the game layers smaller, too: the border beyond which players die moves with them"}}, "shrink",
		func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
			e.Shrink(mapedit.ShrinkOptions{Physics: job.On("physics")})
			return nil
		}),
	long("Images and sounds of the same name and content are shared; those of the same name and other content are renamed, such as \"moon (1)\". Physics layers of the other map are left out. If only one of the maps is for Teeworlds 0.7, the other map is converted first, as to-0.6 and to-0.7 do.",
		command(headingMap, "append", "Put all groups of another map behind those of the map, with their images, sounds, envelopes and settings", opts{argMap}, pasteOptions, "append other.map",
			func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
				from, across, err := otherMap(job)
				if err != nil {
					return err
				}
				return advised(e.Append(from, across))
			})),
	command(headingMap, "paste-group", "Put groups of another map into the map, with their images, sounds and envelopes", opts{argMap, argGroups},
		append(opts{{Name: "at", Type: format.Integer, Default: "-1", Help: "the `number` that the first gets, from 0; -1 is the end"}}, pasteOptions...), "paste-group other.map Trees --at 2",
		func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
			from, across, err := otherMap(job)
			if err != nil {
				return err
			}
			groups, err := several(job, argGroups.Name, mapedit.New(from, nil).Groups)
			if err != nil {
				return err
			}
			return advised(e.PasteGroups(from, groups, job.Integer("at"), across))
		}),
	command(headingMap, "paste-area", "Put an area of another map, which has the same groups and layers, into the map", opts{argMap, argArea,
		{Name: "to", Type: format.Place, Help: "x,y in tiles, where its left top corner comes to lie"}}, pasteOptions, "paste-area other.map 10,10:59,39 100,10",
		func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
			from, across, err := otherMap(job)
			if err != nil {
				return err
			}
			area, err := parseArea(job.Value("area"))
			if err != nil {
				return err
			}
			to, err := wholePlace(job, "to")
			if err != nil {
				return err
			}
			return advised(e.PasteArea(from, area, int(to[0]), int(to[1]), across))
		}),
}

// tileCommands change tiles of layers.
var tileCommands = []mapCommand{
	long("Hook-through (5) in the game layer becomes unhookable there and hook-through in the front layer, as in the editor.",
		command(headingTiles, "fill-tiles", "Make all tiles of an area, or of whole layers, such a tile; what is not said is 0", opts{{Name: "id", Names: kindTile, Help: "the tile, 0 to 255 or a name such as freeze"}},
			slices.Concat(opts{optionLayers, optionNot, optionArea}, paintOptions, opts{optionUnused}), "fill-tiles 1 --layer game --area 10,10:29,10",
			ofTiles(func(e *mapedit.Editor, job *format.Job, list []mapedit.LayerAt, area *mapedit.Area) error {
				return paint(e, job, list, area, "", job.Value("id"), func(list []mapedit.LayerAt, _, is mapedit.Tile) error {
					return e.Fill(list, area, is, mapedit.PaintOptions{Unused: job.On(optionUnused.Name)})
				})
			}))),
	command(headingTiles, "replace-tiles", "Make one kind of tile another; what is not said stays",
		opts{{Name: "from", Names: kindTile, Help: "the tile that becomes another, 0 to 255, a name such as freeze (with * and ? several), or any"}, {Name: "to", Names: kindTile, Help: "what it becomes, 0 to 255, a name, or same"}},
		slices.Concat(opts{optionLayers, optionNot, optionArea}, fromOptions, paintOptions, opts{optionUnused}), "replace-tiles 12 13 --layer 'Tree/*' --from-flags none",
		ofTiles(func(e *mapedit.Editor, job *format.Job, list []mapedit.LayerAt, area *mapedit.Area) error {
			return paint(e, job, list, area, strings.TrimPrefix(job.Value("from"), "any"), strings.TrimPrefix(job.Value("to"), "same"), func(list []mapedit.LayerAt, was, is mapedit.Tile) error {
				return e.Replace(list, area, was, is, mapedit.PaintOptions{Unused: job.On(optionUnused.Name)})
			})
		})),
	command(headingTiles, "mirror-tiles", "Mirror layers, or an area of them, as the editor does with a brush",
		opts{{Name: "way", Default: "left-right", Choices: []string{"left-right", "up-down"}, Help: "which sides change places"}}, opts{optionLayers, optionNot, optionArea}, "mirror-tiles up-down --layer Tree/Leaves",
		ofTiles(func(e *mapedit.Editor, job *format.Job, list []mapedit.LayerAt, area *mapedit.Area) error {
			return e.TurnTiles(list, area, mirrorOf(job.Value("way")))
		})),
	command(headingTiles, "rotate-tiles", "Turn layers, or an area of them, clockwise, as the editor does with a brush", opts{argAngle}, opts{optionLayers, optionNot, optionArea},
		"rotate-tiles 90 --layer game --area 10,10:14,14",
		ofTiles(func(e *mapedit.Editor, job *format.Job, list []mapedit.LayerAt, area *mapedit.Area) error {
			return e.TurnTiles(list, area, angleOf(job))
		})),
	command(headingTiles, "shift-tiles", "Move all tiles of layers; what they uncover becomes air", opts{
		{Name: "x", Type: format.Integer, Help: "tiles to the right; less than 0 is to the left"}, {Name: "y", Type: format.Integer, Help: "tiles down; less than 0 is up"}},
		opts{optionLayers, optionNot}, "shift-tiles 5 0 --layer Tree/Leaves",
		ofTiles(func(e *mapedit.Editor, job *format.Job, list []mapedit.LayerAt, _ *mapedit.Area) error {
			return e.Shift(list, job.Integer("x"), job.Integer("y"))
		})),
	long("Tiles of the first two and the last two rows and columns; flags stay.",
		command(headingTiles, "border", "Make a border of solid tiles, two tiles wide, as the editor does", opts{{Name: "layer", Default: "game", Help: argLayer.Help}}, nil, "border",
			ofLayers(func(e *mapedit.Editor, _ *format.Job, list []mapedit.LayerAt) error { return e.Border(list) }))),
	command(headingTiles, "renumber", "Give tele, switch or tune tiles other numbers, and settings about them too", opts{argNumbers,
		{Name: "numbers", Help: "a number such as 5, or a range such as 5-9"}, {Name: "to", Type: format.Integer, Help: "what the first becomes"}},
		opts{{Name: "join", Bool: true, Help: "become one with tiles that have the number already"}}, "renumber tele 5-9 20", renumber),
	command(headingTiles, "pack-numbers", "Give tele, switch or tune tiles the numbers from 1 on without a gap", opts{argNumbers}, nil, "pack-numbers switch",
		func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
			e.PackNumbers(twmap.Numbers(job.Value("kind")))
			return nil
		}),
	long("The layer's group has to have a parallax of 100,100 and an offset of whole tiles. Physics layers grow where that is needed; blue-checkpoint-tele and red-checkpoint-tele go into the tele layer.",
		command(headingTiles, "construct-game-tiles", "Set a game tile wherever a design layer has a tile", opts{argLayer, {Name: "tile", Choices: gameTileNames(), Help: "what is set"}}, nil,
			"construct-game-tiles Ground/Grass hookable",
			ofLayers(func(e *mapedit.Editor, job *format.Job, list []mapedit.LayerAt) error {
				i := slices.Index(gameTileNames(), job.Value("tile"))
				for _, at := range list {
					if err := e.ConstructGameTiles(at, mapedit.GameTiles[i].Tile); err != nil {
						return err
					}
				}
				return nil
			}))),
	command(headingTiles, "clean-game-tiles", "Make solid, deadly and unhookable game tiles air where no layer of their group has a tile", nil, nil, "clean-game-tiles",
		ofMap((*mapedit.Editor).CleanGameTiles)),
	command(headingTiles, "normalize-rotation", "Make flags of physics tiles that have no direction 0", nil, nil, "normalize-rotation",
		ofMap(func(e *mapedit.Editor) error { e.NormalizeRotation(); return nil })),
	command(headingTiles, "fix-rotation", "Turn physics tiles with a direction that stand mirrored", nil, nil, "fix-rotation",
		ofMap(func(e *mapedit.Editor) error { e.FixRotation(); return nil })),
	command(headingTiles, "migrate-speedups", "Make speedups of the old kind those of today", nil, nil, "migrate-speedups",
		ofMap(func(e *mapedit.Editor) error { e.MigrateSpeedups(); return nil })),
	command(headingTiles, "zero-unused", "Make 0 what means nothing: all that air says, and bytes that the games do not read", nil, nil, "zero-unused",
		ofMap(func(e *mapedit.Editor) error { e.ZeroUnused(); return nil })),
}

// long adds a longer description to a command.
func long(text string, c mapCommand) mapCommand {
	c.Long = text
	return c
}

var argAngle = format.Option{Name: "angle", Default: "90", Choices: []string{"90", "180", "270"}, Help: "in degrees"}

func angleOf(job *format.Job) mapedit.Turn { return mapedit.Turn{Quarters: job.Integer("angle") / 90} }

func mirrorOf(way string) mapedit.Turn {
	if way == "up-down" {
		return mapedit.UpDown
	}
	return mapedit.LeftRight
}

func gameTileNames() []string {
	var names []string
	for _, t := range mapedit.GameTiles {
		names = append(names, t.Name)
	}
	return names
}

// ofTiles returns a command function that changes tiles of layers, which the user must select.
func ofTiles(do func(e *mapedit.Editor, job *format.Job, list []mapedit.LayerAt, area *mapedit.Area) error) editing {
	return func(_ context.Context, e *mapedit.Editor, job *format.Job) error {
		if len(job.List(optionLayers.Name)) == 0 {
			return errors.New("expected --layer: it says which layers")
		}
		list, err := layersOf(e, job)
		if err != nil {
			return err
		}
		var area *mapedit.Area
		if text := job.Value(optionArea.Name); text != "" {
			a, err := parseArea(text)
			if err != nil {
				return err
			}
			area = &a
		}
		return do(e, job, list, area)
	}
}

// areaOf reads x1,y1:x2,y2, an area in tiles.
func areaOf(text string) (r image.Rectangle, err error) {
	from, to, _ := strings.Cut(text, ":")
	for i, corner := range []string{from, to} {
		x, y, _ := strings.Cut(corner, ",")
		a, err1 := strconv.ParseInt(strings.TrimSpace(x), 10, 32)
		b, err2 := strconv.ParseInt(strings.TrimSpace(y), 10, 32)
		if err1 != nil || err2 != nil {
			return r, fmt.Errorf("area %q: expected two places of tiles such as 10,20:30,40", text)
		}
		p := image.Pt(int(a), int(b))
		if one := (image.Rectangle{Min: p, Max: p.Add(image.Pt(1, 1))}); i == 0 {
			r = one
		} else {
			r = r.Union(one)
		}
	}
	return r, nil
}

// parseArea is areaOf for edits.
func parseArea(text string) (mapedit.Area, error) {
	r, err := areaOf(text)
	return mapedit.Area{X: r.Min.X, Y: r.Min.Y, Width: r.Dx(), Height: r.Dy()}, err
}

// tileFrom returns the tile that options specify.
func tileFrom(job *format.Job, prefix string) (t mapedit.Tile, err error) {
	number := func(name, text string, most int64) int64 {
		n, bad := strconv.ParseInt(text, 10, 32)
		if (bad != nil || n < 0 || n > most) && err == nil {
			err = fmt.Errorf("%s: expected 0 to %d, not %q", name, most, text)
		}
		return n
	}
	octet := func(name string) *uint8 {
		if text := job.Value(prefix + name); text != "" {
			return new(uint8(number("--"+prefix+name, text, 255)))
		}
		return nil
	}
	t = mapedit.Tile{Number: octet("number"), Delay: octet("delay"), Force: octet("force"), MaxSpeed: octet("max-speed")}
	if text := job.Value(prefix + "angle"); text != "" {
		t.Angle = new(int16(number("--"+prefix+"angle", text, 359)))
	}
	if text := job.Value(prefix + "flags"); text != "" {
		flags, bad := parseFlags(text, false)
		if bad != nil && err == nil {
			err = fmt.Errorf("--%sflags: %w", prefix, bad)
		}
		t.Flags = &flags
	}
	return t, err
}

// parseFlags reads flags of tiles. The flag opaque depends on the picture, and is accepted only in queries (asking).
func parseFlags(text string, asking bool) (f twmap.TileFlags, err error) {
	if text == "none" {
		return 0, nil
	}
	flags := map[string]twmap.TileFlags{"xflip": twmap.FlipX, "yflip": twmap.FlipY, "rotate": twmap.Rotate}
	if asking {
		flags["opaque"] = twmap.Opaque
	}
	for _, word := range strings.Split(text, ",") {
		flag, known := flags[strings.TrimSpace(word)]
		if f |= flag; !known {
			return 0, fmt.Errorf("expected some of %s, or none, not %q", strings.Join(slices.Sorted(maps.Keys(flags)), ", "), word)
		}
	}
	return f, nil
}

func renumber(_ context.Context, e *mapedit.Editor, job *format.Job) error {
	text := job.Value("numbers")
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	a, err1 := strconv.ParseUint(first, 10, 8)
	b, err2 := strconv.ParseUint(last, 10, 8)
	to := job.Integer("to")
	if err1 != nil || err2 != nil || to < 1 || to > 255 {
		return fmt.Errorf("expected numbers from 1 to 255, not %s to %d", text, to)
	}
	return e.RenumberTiles(twmap.Numbers(job.Value("kind")), uint8(a), uint8(b), uint8(to), mapedit.RenumberOptions{Join: job.On("join")})
}

package mapops

import (
	"cmp"
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

// Tiles are the tiles of an operation that needs --layer, in the area of --area or in whole layers.
type Tiles struct {
	SomeLayers
	Text string `option:"area" help:"only the tiles in {x1,y1:x2,y2}, two opposite corners in any order"`
}

// Area returns the area, or nil for whole layers.
func (o Tiles) Area() (*mapedit.Area, error) {
	if o.Text == "" {
		return nil, nil
	}
	area, err := ParseArea(o.Text)
	return &area, err
}

// WarnClipped warns if the area reaches beyond each of the layers: only the part inside changes.
func WarnClipped(e *Editor, list []mapedit.LayerAt, area *mapedit.Area) {
	if area == nil {
		return
	}
	var first *twmap.TileLayer
	for _, at := range list {
		l, ok := e.Map().Groups[at.Group].Layers[at.Layer].(*twmap.TileLayer)
		switch {
		case !ok:
		case image.Rect(area.X, area.Y, area.X+area.Width, area.Y+area.Height).In(image.Rect(0, 0, l.Width(), l.Height())):
			return
		case first == nil:
			first = l
		}
	}
	if first != nil {
		e.Job.Warn(e.Job.Source.Path, "the area %v reaches beyond the layers, of which only the part inside changes: %s has %d x %d tiles",
			*area, e.Path(first), first.Width(), first.Height())
	}
}

// ParseRectangle parses x1,y1:x2,y2, an area in tiles.
func ParseRectangle(text string) (r image.Rectangle, err error) {
	from, to, _ := strings.Cut(text, ":")
	for i, corner := range []string{from, to} {
		x, y, _ := strings.Cut(corner, ",")
		a, err1 := strconv.ParseInt(strings.TrimSpace(x), 10, 32)
		b, err2 := strconv.ParseInt(strings.TrimSpace(y), 10, 32)
		if err1 != nil || err2 != nil {
			return r, fmt.Errorf("area %q: expected two positions in tiles, such as 10,20:30,40", text)
		}
		p := image.Pt(int(a), int(b))
		if tile := (image.Rectangle{Min: p, Max: p.Add(image.Pt(1, 1))}); i == 0 {
			r = tile
		} else {
			r = r.Union(tile)
		}
	}
	return r, nil
}

// ParseArea is ParseRectangle for package mapedit.
func ParseArea(text string) (mapedit.Area, error) {
	r, err := ParseRectangle(text)
	return mapedit.Area{X: r.Min.X, Y: r.Min.Y, Width: r.Dx(), Height: r.Dy()}, err
}

// TileFields are the options for the fields of a tile, except its id. FromFields are those of replaced tiles.
type (
	TileFields struct {
		Flags    string `option:"flags" help:"{words} of xflip, yflip and rotate, separated by commas, or none"`
		Number   *int   `option:"number" help:"of tele, switch and tune tiles, 0 to 255"`
		Delay    *int   `option:"delay" help:"of switch tiles, in {seconds}, 0 to 255"`
		Force    *int   `option:"force" help:"of speedups, 0 to 255"`
		MaxSpeed *int   `option:"max-speed" help:"of speedups, 0 to 255; 0 means no limit"`
		Angle    *int   `option:"angle" help:"of speedups, in {degrees} clockwise; 0 is to the right"`
	}
	FromFields struct {
		Flags    string `option:"from-flags"`
		Number   *int   `option:"from-number"`
		Delay    *int   `option:"from-delay"`
		Force    *int   `option:"from-force"`
		MaxSpeed *int   `option:"from-max-speed"`
		Angle    *int   `option:"from-angle"`
	}
)

// Describe describes the options.
func (FromFields) Describe(o *format.Option) {
	for _, t := range format.OptionsOf[TileFields]() {
		o.Explain("from-"+t.Name, "only tiles with this value: "+t.Help)
	}
}

// tile returns the tile that options specify, whose names begin with prefix.
func (o TileFields) tile(prefix string) (t mapedit.Tile, err error) {
	valid := func(name string, n *int, most int) bool {
		if n != nil && (*n < 0 || *n > most) {
			err = cmp.Or(err, fmt.Errorf("%s%s: expected 0 to %d, not %d", prefix, name, most, *n))
		}
		return n != nil
	}
	octet := func(name string, n *int) *uint8 {
		if !valid(name, n, 255) {
			return nil
		}
		return new(uint8(*n))
	}
	t = mapedit.Tile{
		Number: octet("number", o.Number), Delay: octet("delay", o.Delay),
		Force: octet("force", o.Force), MaxSpeed: octet("max-speed", o.MaxSpeed),
	}
	if valid("angle", o.Angle, 359) {
		t.Angle = new(int16(*o.Angle))
	}
	if o.Flags != "" {
		flags, bad := ParseFlags(o.Flags, false)
		if bad != nil {
			err = cmp.Or(err, fmt.Errorf("%sflags: %w", prefix, bad))
		}
		t.Flags = &flags
	}
	return t, err
}

// ParseFlags parses flags of tiles. The flag opaque depends on the picture, and is accepted only in queries.
func ParseFlags(text string, query bool) (f twmap.TileFlags, err error) {
	if text == "none" {
		return 0, nil
	}
	flags := map[string]twmap.TileFlags{"xflip": twmap.FlipX, "yflip": twmap.FlipY, "rotate": twmap.Rotate}
	if query {
		flags["opaque"] = twmap.Opaque
	}
	for _, word := range strings.Split(text, ",") {
		flag, known := flags[strings.TrimSpace(word)]
		if f |= flag; !known {
			names := strings.Join(slices.Sorted(maps.Keys(flags)), ", ")
			return 0, fmt.Errorf("expected some of %s, or none, not %q", names, word)
		}
	}
	return f, nil
}

// Angle is the argument of rotations, in degrees.
type Angle struct {
	Degrees string `arg:"angle" default:"90" choices:"90|180|270" help:"in degrees"`
}

// Turn returns the rotation.
func (o Angle) Turn() mapedit.Turn {
	n, _ := strconv.Atoi(o.Degrees) // one of the choices
	return mapedit.Turn{Quarters: n / 90}
}

// Way is the argument of mirroring.
type Way struct {
	Way string `arg:"way" default:"left-right" choices:"left-right|up-down" help:"which sides are exchanged"`
}

// Turn returns the reflection.
func (o Way) Turn() mapedit.Turn {
	if o.Way == "up-down" {
		return mapedit.UpDown
	}
	return mapedit.LeftRight
}

// gameTileNames returns the names of the tiles that [ConstructGameTiles] sets.
func gameTileNames() (names []string) {
	for _, t := range mapedit.GameTiles {
		names = append(names, t.Name)
	}
	return names
}

// ConstructGameTiles sets a game tile wherever layers have a tile.
func ConstructGameTiles(e *Editor, list []mapedit.LayerAt, o GameTile) error {
	i := slices.Index(gameTileNames(), o.Tile)
	for _, at := range list {
		if err := e.Editor.ConstructGameTiles(at, mapedit.GameTiles[i].Tile); err != nil {
			return err
		}
	}
	return nil
}

// Renumbering are the options of renumber.
type Renumbering struct {
	TileKind
	Numbers string `arg:"numbers" help:"a number such as 5, or a range such as 5-9"`
	To      int    `arg:"to" help:"the new first number"`
	Join    bool   `option:"join" help:"allow numbers that other tiles already have"`
}

// Renumber gives tiles other numbers.
func Renumber(e *Editor, o Renumbering) error {
	first, last, isRange := strings.Cut(o.Numbers, "-")
	if !isRange {
		last = first
	}
	a, err1 := strconv.ParseUint(first, 10, 8)
	b, err2 := strconv.ParseUint(last, 10, 8)
	if err1 != nil || err2 != nil || o.To < 1 || o.To > 255 {
		return fmt.Errorf("expected numbers from 1 to 255, not %s to %d", o.Numbers, o.To)
	}
	return e.RenumberTiles(twmap.Numbers(o.Kind), uint8(a), uint8(b), uint8(o.To), mapedit.RenumberOptions{Join: o.Join})
}

// MirroredTiles are the options of mirror-tiles.
type MirroredTiles struct {
	Tiles
	Way
}

// MirrorTiles mirrors tiles.
func MirrorTiles(e *Editor, list []mapedit.LayerAt, area *mapedit.Area, o MirroredTiles) error {
	return e.TurnTiles(list, area, o.Turn())
}

// RotatedTiles are the options of rotate-tiles.
type RotatedTiles struct {
	Tiles
	Angle
}

// RotateTiles rotates tiles.
func RotateTiles(e *Editor, list []mapedit.LayerAt, area *mapedit.Area, o RotatedTiles) error {
	return e.TurnTiles(list, area, o.Turn())
}

// ShiftedTiles are the options of shift-tiles.
type ShiftedTiles struct {
	SomeLayers
	X int `arg:"x" help:"tiles to the right; less than 0 moves to the left"`
	Y int `arg:"y" help:"tiles down; less than 0 moves up"`
}

// ShiftTiles moves all tiles of layers.
func ShiftTiles(e *Editor, list []mapedit.LayerAt, o ShiftedTiles) error {
	return e.Shift(list, o.X, o.Y)
}

// TileKind is the argument for the kind of numbers.
type TileKind struct {
	Kind string `arg:"kind" choices:"tele|checkpoint|switch|tune" help:"whose numbers"`
}

// PackNumbers numbers tiles without gaps.
func PackNumbers(e *Editor, o TileKind) error {
	e.PackNumbers(twmap.Numbers(o.Kind))
	return nil
}

// GameTile are the arguments of construct-game-tiles.
type GameTile struct {
	LayerArg
	Tile string `arg:"tile" help:"the tile to set"`
}

// Describe describes the arguments.
func (GameTile) Describe(o *format.Option) {
	if o.Name == "tile" {
		o.Choices = gameTileNames()
	}
}

// BorderLayers is the argument of border.
type BorderLayers struct {
	Pattern string `arg:"layer" names:"layer" default:"game"`
}

// Describe describes the argument.
func (BorderLayers) Describe(o *format.Option) { o.Explain("layer", helpLayer) }

// Select returns the layers.
func (o BorderLayers) Select(e *Editor) ([]mapedit.LayerAt, error) { return LayerArg(o).Select(e) }

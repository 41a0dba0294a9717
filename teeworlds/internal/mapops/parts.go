package mapops

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// LayerFields are the options for the fields of layers.
type LayerFields struct {
	Name           *string      `option:"name" help:"up to 11 {bytes}"`
	Detail         *string      `option:"detail" choices:"true|false"`
	Width          *int         `option:"width" help:"in {tiles}"`
	Height         *int         `option:"height" help:"in {tiles}"`
	Color          *color.NRGBA `option:"color" help:"the colour of all tiles, such as #ff8000 or #ffffff80"`
	ColorEnv       *string      `option:"color-envelope" names:"envelope" help:"the {envelope} that changes the colour, or none"`
	ColorEnvOffset *int         `option:"color-envelope-offset" help:"how many {milliseconds} the envelope is ahead"`
	Image          *string      `option:"image" names:"image" help:"the {image} of tiles or quads, or none"`
	Sound          *string      `option:"sound" names:"sound" help:"the {sound} of a sound layer, or none"`
}

// Describe describes the options.
func (LayerFields) Describe(o *format.Option) {
	o.Explain("detail", "whether the layer is hidden from players with the low detail setting")
}

// change returns the change that options specify.
func (o LayerFields) change(e *Editor) (mapedit.LayerChange, error) {
	c := mapedit.LayerChange{Name: o.Name, Detail: isTrue(o.Detail), Width: o.Width, Height: o.Height}
	if o.Color != nil {
		c.Color = &twmap.Color{R: int32(o.Color.R), G: int32(o.Color.G), B: int32(o.Color.B), A: int32(o.Color.A)}
	}
	if o.ColorEnvOffset != nil {
		c.ColorOffset = new(int32(*o.ColorEnvOffset))
	}
	for _, part := range []struct {
		name string
		word *string
		find func(string) ([]int, error)
		to   **int
	}{
		{"image", o.Image, e.Images, &c.Image}, {"sound", o.Sound, e.Sounds, &c.Sound},
		{"color-envelope", o.ColorEnv, e.Envelopes, &c.ColorEnv},
	} {
		switch {
		case part.word == nil:
		case *part.word == "none":
			*part.to = new(-1)
		default:
			i, err := one(*part.word, part.find)
			if err != nil {
				return c, fmt.Errorf("--%s: %w", part.name, err)
			}
			*part.to = &i
		}
	}
	return c, nil
}

// isTrue returns whether an option is "true", or nil if it has no value.
func isTrue(word *string) *bool {
	if word == nil {
		return nil
	}
	return new(*word == "true")
}

// LayerSetting are the options of set-layer.
type LayerSetting struct {
	LayerArgs
	LayerFields
}

// SetLayers changes layers.
func SetLayers(e *Editor, list []mapedit.LayerAt, o LayerSetting) error {
	c, err := o.change(e)
	if err != nil {
		return err
	}
	return e.ChangeLayers(list, c)
}

// NewLayer are the options of add-layer.
type NewLayer struct {
	Kind  string `arg:"kind" choices:"tiles|quads|sounds|front|tele|speedup|switch|tune" help:"the kind of layer"`
	Group string `option:"group" names:"group" default:"game" help:"the {group} of the layer"`
	LayerPlace
	LayerFields
}

// LayerPlace is the option for the place of a layer.
type LayerPlace struct {
	At int `option:"at" default:"-1" help:"its {number} in the group, from 0; -1 puts it at the end"`
}

// AddLayer adds a layer.
func AddLayer(e *Editor, o NewLayer) error {
	c, err := o.change(e)
	if err != nil {
		return err
	}
	group, err := GroupArg{o.Group}.Number(e)
	if err != nil {
		return err
	}
	var l twmap.Layer
	kind, _ := twmap.ParseKind(o.Kind)
	switch o.Kind {
	case "quads":
		l = twmap.NewQuadLayer()
	case "sounds":
		l = twmap.NewSoundLayer()
	default:
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
	if c.Name != nil && !kind.Physics() {
		l.Base().Name, c.Name = *c.Name, nil // the report of the new layer contains the name
	}
	at, err := e.AddLayer(mapedit.LayerAt{Group: group, Layer: o.At}, l)
	if err != nil {
		return err
	}
	return e.ChangeLayers([]mapedit.LayerAt{at}, c)
}

// LayerMove are the options of move-layer.
type LayerMove struct {
	LayerArg
	GroupArg
	LayerPlace
}

// MoveLayer moves a layer.
func MoveLayer(e *Editor, o LayerMove) error {
	layer, err := o.selectOne(e)
	if err != nil {
		return err
	}
	group, err := o.Number(e)
	if err != nil {
		return err
	}
	return e.MoveLayer(layer, mapedit.LayerAt{Group: group, Layer: o.At})
}

// RenameLayer renames a layer.
func RenameLayer(e *Editor, o LayerNaming) error {
	layer, err := o.selectOne(e)
	if err != nil {
		return err
	}
	return e.ChangeLayers([]mapedit.LayerAt{layer}, mapedit.LayerChange{Name: &o.Name})
}

// wholePlace returns the value of an option as two integers in the range of a map.
func wholePlace(name string, place []float64) (at [2]int32, err error) {
	for i, v := range place {
		if len(place) != len(at) || v != math.Trunc(v) || v < math.MinInt32 || v > math.MaxInt32 {
			return at, fmt.Errorf("%s: %s: expected two whole numbers of at most %d", name, placeText(place), math.MaxInt32)
		}
		at[i] = int32(v)
	}
	return at, nil
}

// placeText formats a position.
func placeText(place []float64) string {
	words := make([]string, len(place))
	for i, v := range place {
		words[i] = strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strings.Join(words, ",")
}

// fixed returns a position in pixels as a point of the map.
func fixed(name string, at []float64) (twmap.Point, error) {
	const limit = 1 << 21
	if len(at) != 2 || max(at[0], at[1]) >= limit || min(at[0], at[1]) <= -limit {
		return twmap.Point{}, fmt.Errorf("%s: %s: expected two numbers of pixels, less than %d", name, placeText(at), limit)
	}
	return twmap.Point{X: int32(at[0] * 1024), Y: int32(at[1] * 1024)}, nil
}

// GroupSetting are the options of set-group.
type GroupSetting struct {
	GroupArgs
	Name     *string   `option:"name" help:"up to 11 {bytes}"`
	Offset   []float64 `option:"offset" help:"{dx,dy} in pixels; a tile has 32"`
	Parallax []float64 `option:"parallax"`
	Clip     *string   `option:"clip" help:"{x,y,width,height} in pixels, the only part that is drawn, or none"`
}

// Describe describes the options.
func (GroupSetting) Describe(o *format.Option) {
	o.Explain("parallax", "`horizontal,vertical` in percent: 100 moves with the game, 0 stays on the screen")
}

// SetGroups changes groups.
func SetGroups(e *Editor, list []int, o GroupSetting) error {
	c := mapedit.GroupChange{Name: o.Name}
	pair := func(name string, place []float64, x, y **int32) error {
		at, err := wholePlace(name, place)
		if place != nil {
			*x, *y = &at[0], &at[1]
		}
		return err
	}
	err := errors.Join(pair("--offset", o.Offset, &c.OffsetX, &c.OffsetY), pair("--parallax", o.Parallax, &c.ParallaxX, &c.ParallaxY))
	switch {
	case o.Clip == nil:
	case *o.Clip == "none":
		c.NoClip = true
	default:
		var n [4]int32
		parts := strings.Split(*o.Clip, ",")
		for i, p := range parts {
			v, wrong := strconv.ParseInt(strings.TrimSpace(p), 10, 32)
			if wrong != nil || len(parts) != len(n) {
				return fmt.Errorf("--clip: %q: expected x,y,width,height, or none", *o.Clip)
			}
			n[i] = int32(v)
		}
		c.Clip = &twmap.Clip{X: n[0], Y: n[1], Width: n[2], Height: n[3]}
	}
	if err != nil {
		return err
	}
	return e.ChangeGroups(list, c)
}

// Settings are the arguments of operations on settings.
type Settings struct {
	Lines []string `arg:"setting,required" names:"setting" help:"a server command, such as 'tune gravity 0.5'"`
}

// ChangedSettings are the arguments of set-setting.
type ChangedSettings struct {
	Settings
	NewCommands
}

// NewSettings are the arguments of add-setting.
type NewSettings struct{ ChangedSettings }

// Describe describes the arguments: the map need not have them.
func (NewSettings) Describe(o *format.Option) { o.Names = "" }

// Each is [Settings.Each] for settings with known commands.
func (o ChangedSettings) Each(e *Editor, do func(line string) error) error {
	if err := o.check(e, o.Lines); err != nil {
		return err
	}
	return o.Settings.Each(do)
}

// NewCommands is the option that allows unknown commands.
type NewCommands struct {
	NewName bool `option:"new-name" help:"allow commands that neither DDNet nor another known server has"`
}

// check returns an error for the commands of settings that neither a known server nor a setting of the map has: the words of
// a setting may have been given as several arguments.
func (o NewCommands) check(e *Editor, lines []string) error {
	if o.NewName {
		return nil
	}
	have := make(map[string]bool)
	if info := e.Map().Info; info != nil {
		for _, line := range info.Settings {
			for _, command := range twmap.UnknownCommands(line) {
				have[command] = true
			}
		}
	}
	advice := "--new-name confirms another command"
	if len(lines) > 1 {
		advice = fmt.Sprintf("a setting is one argument: '%s'; %s", strings.Join(lines, " "), advice)
	}
	var err error
	for _, line := range lines {
		for _, command := range twmap.UnknownCommands(line) {
			if !have[command] {
				err = errors.Join(err, &fault.NameError{Kind: "server command", Name: command, Names: twmap.CommandNames(),
					Where: "of DDNet or another known server", Advice: advice, Fixed: true})
			}
		}
	}
	return err
}

// Each calls do for each setting.
func (o Settings) Each(do func(line string) error) error {
	var err error
	for _, line := range o.Lines {
		err = errors.Join(err, do(line))
	}
	return err
}

// SettingsAt are the arguments of replace-settings.
type SettingsAt struct {
	At    int      `arg:"at" help:"the number of the first setting"`
	Count int      `arg:"count" help:"how many settings are replaced"`
	Lines []string `arg:"setting" help:"a server command, such as 'tune gravity 0.5'"`
	NewCommands
}

// ReplaceSettings replaces settings by others.
func ReplaceSettings(e *Editor, o SettingsAt) error {
	if err := o.check(e, o.Lines); err != nil {
		return err
	}
	return e.ReplaceSettings(o.At, o.Count, o.Lines)
}

// Info are the options of info.
type Info struct {
	Author  *string `option:"author" help:"up to 31 {bytes}; an empty text removes the author"`
	Version *string `option:"version" help:"of the map, up to 15 {bytes}"`
	Credits *string `option:"credits" help:"up to 127 {bytes}"`
	License *string `option:"license" help:"up to 31 {bytes}"`
}

// SetInfo changes what a map states about itself.
func SetInfo(e *Editor, o Info) error {
	for _, field := range []struct {
		field mapedit.InfoField
		text  *string
	}{
		{mapedit.Author, o.Author}, {mapedit.Version, o.Version}, {mapedit.Credits, o.Credits}, {mapedit.License, o.License},
	} {
		if field.text != nil {
			if err := e.SetInfo(field.field, *field.text); err != nil {
				return err
			}
		}
	}
	return nil
}

// Unused are the options of remove-unused; without any it removes everything that is unused.
type Unused struct {
	Images    bool `option:"images" help:"only the images that nothing uses"`
	Sounds    bool `option:"sounds" help:"only the sounds that no layer plays"`
	Envelopes bool `option:"envelopes" help:"only the envelopes that nothing uses"`
}

// RemoveUnused removes what has no effect.
func RemoveUnused(e *Editor, o Unused) (err error) {
	if o == (Unused{}) {
		return e.RemoveUnused()
	}
	if o.Images {
		err = e.RemoveUnusedImages()
	}
	if o.Sounds && err == nil {
		err = e.RemoveUnusedSounds()
	}
	if o.Envelopes && err == nil {
		err = e.RemoveUnusedEnvelopes()
	}
	return err
}

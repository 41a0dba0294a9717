package mapops

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// LayerFields are the options for the fields of layers.
type LayerFields struct {
	Name           *string      `option:"name"`
	Detail         *string      `option:"detail"`
	Width          *int         `option:"width"`
	Height         *int         `option:"height"`
	Color          *color.NRGBA `option:"color"`
	ColorEnv       *string      `option:"color-envelope"`
	ColorEnvOffset *int         `option:"color-envelope-offset"`
	Image          *string      `option:"image"`
	Sound          *string      `option:"sound"`
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
	Kind string `option:"kind"`
	GroupArg
	At int `option:"at"`
	LayerFields
}

// AddLayer adds a layer.
func AddLayer(e *Editor, o NewLayer) error {
	c, err := o.change(e)
	if err != nil {
		return err
	}
	group, err := o.Number(e)
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
	At int `option:"at"`
}

// MoveLayer moves a layer.
func MoveLayer(e *Editor, o LayerMove) error {
	layer, err := o.SelectOne(e)
	if err != nil {
		return err
	}
	group, err := o.Number(e)
	if err != nil {
		return err
	}
	return e.MoveLayer(layer, mapedit.LayerAt{Group: group, Layer: o.At})
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
	Name     *string   `option:"name"`
	Offset   []float64 `option:"offset"`
	Parallax []float64 `option:"parallax"`
	Clip     *string   `option:"clip"`
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
	Lines []string `option:"setting"`
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
	At    int      `option:"at"`
	Count int      `option:"count"`
	Lines []string `option:"setting"`
}

// Info are the options of info.
type Info struct {
	Author  *string `option:"author"`
	Version *string `option:"version"`
	Credits *string `option:"credits"`
	License *string `option:"license"`
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

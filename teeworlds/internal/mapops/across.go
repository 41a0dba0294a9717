package mapops

import (
	"errors"
	"fmt"
	"image"
	"strconv"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapfile"
	"trowel.example/teeworlds/internal/mapscene"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Across are the options of operations that bring maps, or parts of maps, to another game.
type Across struct {
	Drop   bool     `option:"drop" help:"leave out data that the target cannot hold, instead of failing"`
	Mapres []string `option:"mapres"`
}

// Describe describes the options.
func (Across) Describe(o *format.Option) { mapscene.Pictures{}.Describe(o) }

// Conversion are the options of conversions of the edited map to another game.
type Conversion struct {
	Across
	Force bool `option:"force"`
}

// Describe describes the options.
func (Conversion) Describe(o *format.Option) {
	o.Explain("force", "convert tiles even if the map already has the target's format: they are those of the other game")
}

// Of returns how a map is converted to another game. The map is drawn with the pictures of game. src is the source of
// the map.
func (o Across) Of(m *twmap.Map, src *format.Source, game mapdraw.Game) mapedit.Across {
	var r *mapdraw.Renderer
	return mapedit.Across{Drop: o.Drop, Find: func(name string) (*image.NRGBA, error) {
		if r == nil {
			draw, err := mapscene.Pictures{Mapres: o.Mapres}.Options(src)
			if err != nil {
				return nil, err
			}
			draw.Game = game
			if r, err = mapdraw.New(m, draw); err != nil {
				return nil, err
			}
		}
		return r.External(name)
	}}
}

// Advise adds to the error of a conversion between games the option that permits the loss.
func Advise(err error) error {
	if errors.Is(err, mapedit.ErrLoss) {
		return fmt.Errorf("%w (allow it with --drop)", err)
	}
	return err
}

// To07 converts a map to Teeworlds 0.7, and warns of what that game does not support.
func To07(e *Editor, a mapedit.Across) error {
	if err := e.To07(a); err != nil {
		return err
	}
	if many := e.Map().TooManySpawns(); many != "" {
		e.Job.Warn(e.Job.Source.Path, "the map has %s: the server of Teeworlds 0.7 crashes on more than 64 of a kind", many)
	}
	return nil
}

// ConvertTo07 performs to-0.7.
func ConvertTo07(e *Editor, o Conversion) error {
	a := o.Of(e.Map(), e.Job.Source, mapdraw.Game06)
	a.Force = o.Force
	return Advise(To07(e, a))
}

// ConvertTo06 performs to-0.6.
func ConvertTo06(e *Editor, o Conversion) error {
	a := o.Of(e.Map(), e.Job.Source, mapdraw.Game07)
	a.Force = o.Force
	return Advise(e.To06(a))
}

// OtherMap are the options of operations that add parts of another map, a file or an extracted folder.
type OtherMap struct {
	Across
	MapArg
}

// MapArg is the argument for another map.
type MapArg struct {
	Path string `arg:"map,input" help:"another map"`
}

// open returns the other map, and how its parts are converted to the game of the edited map.
func (o OtherMap) open(e *Editor) (*twmap.Map, mapedit.Across, error) {
	names, err := mapfile.NamesAt(e.Job, o.Path)
	if err != nil {
		return nil, mapedit.Across{}, err
	}
	m := names.Map()
	game := mapdraw.Game06
	if mapedit.Is07(m) {
		game = mapdraw.Game07
	}
	src, err := format.OpenSource(o.Path) // only its path is used
	if err != nil {
		return nil, mapedit.Across{}, err
	}
	return m, o.Of(m, src, game), src.Close()
}

// Append adds all groups of another map.
func Append(e *Editor, o OtherMap) error {
	from, across, err := o.open(e)
	if err != nil {
		return err
	}
	return Advise(e.Append(from, across))
}

// PastedGroups are the options of paste-group.
type PastedGroups struct {
	At int `option:"at" default:"-1" help:"the {number} of the first new group, from 0; -1 puts them at the end"`
	OtherMap
	GroupArgs
}

// PasteGroups adds groups of another map.
func PasteGroups(e *Editor, o PastedGroups) error {
	from, across, err := o.open(e)
	if err != nil {
		return err
	}
	groups, err := o.Numbers(&Editor{mapedit.New(from, nil), e.Job})
	if err != nil {
		return err
	}
	return Advise(e.PasteGroups(from, groups, o.At, across))
}

// PastedEnvelopes are the arguments of paste-envelopes.
type PastedEnvelopes struct {
	MapArg
	EnvelopeArgs
}

// Describe describes the arguments.
func (PastedEnvelopes) Describe(o *format.Option) {
	if o.Name == "envelope" {
		o.Names, o.Help = "", "the name of an envelope of the other map, with * and ?, or its number (default: all)"
	}
}

// PasteEnvelopes adds envelopes of another map.
func PasteEnvelopes(e *Editor, o PastedEnvelopes) error {
	names, err := mapfile.NamesAt(e.Job, o.Path)
	if err != nil {
		return err
	}
	list, err := o.Numbers(&Editor{mapedit.New(names.Map(), nil), e.Job})
	if err != nil {
		return err
	}
	return e.PasteEnvelopes(names.Map(), list)
}

// PastedArea are the options of paste-area.
type PastedArea struct {
	OtherMap
	Cropping
	To []float64 `arg:"to" help:"{x,y} in tiles, the new position of the area's top left corner"`
}

// PasteArea copies an area of another map.
func PasteArea(e *Editor, o PastedArea) error {
	from, across, err := o.open(e)
	if err != nil {
		return err
	}
	area, err := ParseArea(o.Area)
	if err != nil {
		return err
	}
	to, err := wholePlace("TO", o.To)
	if err != nil {
		return err
	}
	return Advise(e.PasteArea(from, area, int(to[0]), int(to[1]), across))
}

// Scaling is the argument of scale.
type Scaling struct {
	Factor string `arg:"factor" choices:"1|2|4|8|16" help:"the size of the new map, relative to the old one"`
}

// Scale enlarges the map.
func Scale(e *Editor, o Scaling) error {
	factor, _ := strconv.Atoi(o.Factor) // one of the choices
	return e.Scale(factor)
}

// Extension are the options of extend, in tiles.
type Extension struct {
	Left  int `option:"left" default:"0" help:"{tiles} on the left"`
	Right int `option:"right" default:"0" help:"{tiles} on the right"`
	Up    int `option:"up" default:"0" help:"{tiles} above"`
	Down  int `option:"down" default:"0" help:"{tiles} below"`
}

// Extend enlarges the map at its sides.
func Extend(e *Editor, o Extension) error { return e.Extend(mapedit.Sides(o)) }

// Cropping is the argument of crop.
type Cropping struct {
	Area string `arg:"area" help:"x1,y1:x2,y2, two opposite corners in tiles, both included"`
}

// Crop crops the map to an area.
func Crop(e *Editor, o Cropping) error {
	area, err := ParseArea(o.Area)
	if err != nil {
		return err
	}
	return e.Crop(area)
}

// Shrinking is the option of shrink.
type Shrinking struct {
	Physics bool `option:"physics" help:"shrink the physics layers, too: the border beyond which players die moves with them"`
}

// Shrink removes repeated edges of layers.
func Shrink(e *Editor, o Shrinking) error {
	e.Shrink(mapedit.ShrinkOptions{Physics: o.Physics})
	return nil
}

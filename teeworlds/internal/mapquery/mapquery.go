// Package mapquery answers the queries for maps that users type, and returns the contents of maps as rows of tables.
//
// Results are in the order of the map. An error of the function that receives the results ends the search and is returned.
package mapquery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapfile"
	"trowel.example/teeworlds/internal/mapops"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Query is a query during its execution for a map.
type Query struct {
	*Index
	m    *twmap.Map
	src  *format.Source
	warn func(path, format string, args ...any)
	hit  func(path string, at twmap.Place, fields ...format.InfoField) error
	miss func(path string, err error)
}

// Do is [format.Command.Do] of queries.
type Do struct {
	Find func(ctx context.Context, q *Query, job *format.Job) error
	// Lacks returns an error for each part in the query that the map does not have; nil if it names no parts.
	Lacks func(e *mapedit.Editor, job *format.Job) error
}

// Finder returns the declaration of queries.
func Finder(queries []*format.Command) *format.Finder {
	return &format.Finder{
		Commands: queries,
		Find: func(ctx context.Context, job *format.Job, src *format.Source, step format.Step, hit func(format.Hit) error) error {
			m, err := mapfile.Decode(job, src)
			if err != nil {
				return err
			}
			q := &Query{NewIndex(m), m, src, job.Warn, func(path string, at twmap.Place, fields ...format.InfoField) error {
				h := format.Hit{Path: path, Fields: fields}
				if at.Part != nil {
					h.At = at
				}
				return hit(h)
			}, mapfile.ReportPart(job, src)}
			return step.Do.(Do).Find(ctx, q, step.Job)
		},
		Lacks: func(_ context.Context, job *format.Job, src *format.Source, step format.Step) error {
			m, err := mapfile.Decode(job, src)
			if lacks := step.Do.(Do).Lacks; err == nil && lacks != nil {
				err = lacks(mapedit.New(m, nil), step.Job)
			}
			return err
		},
	}
}

// layers are the options for the searched layers.
type layers struct{ mapops.Layers }

// Lacks returns an error for each layer that the map does not have.
func (o layers) Lacks(e *mapedit.Editor) error {
	_, err := e.Layers(o.Patterns...)
	return err
}

// limit sets the searched layers.
func (o layers) limit(q *Query) error {
	q.Layers, q.Others = o.Patterns, o.Not
	return o.Check()
}

// area is the option for the searched area.
type area struct {
	Text string `option:"area" help:"only the tiles in {x1,y1:x2,y2}, two opposite corners in any order"`
}

// limit sets the searched area.
func (o area) limit(q *Query) error {
	if o.Text == "" {
		return nil
	}
	r, err := mapops.ParseRectangle(o.Text)
	q.Area = &r
	return err
}

// flags is the option for the flags of tiles.
type flags struct {
	Flags string `option:"flags"`
}

// Describe describes the option.
func (flags) Describe(o *format.Option) {
	o.Explain("flags", "only tiles with exactly these flags: `words` of xflip, yflip, rotate and opaque, separated by commas, or none")
}

// match returns a function that reports whether tiles have the flags.
func (o flags) match() (func(twmap.TileFlags) bool, error) {
	if o.Flags == "" {
		return func(twmap.TileFlags) bool { return true }, nil
	}
	flags, err := mapops.ParseFlags(o.Flags, true)
	if err != nil {
		return nil, fmt.Errorf("--flags: %w", err)
	}
	return func(f twmap.TileFlags) bool { return f == flags }, nil
}

// parseNumbers parses numbers from 0 to 255; it returns nil for none.
func parseNumbers(words []string) (*[256]bool, error) {
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

// TilesQuery are the options of the query tile.
type TilesQuery struct {
	layers
	area
	flags
	Tiles []string `arg:"tile" names:"tile" help:"numbers, 0 to 255, or names with * and ?; none means any except air"`
	With  []string `option:"with"`
}

// Describe describes the options.
func (TilesQuery) Describe(o *format.Option) {
	o.Explain("with", "only tiles with a tile of another layer in the same column and row: `layer` as in --layer, for any tile except "+
		"air, or LAYER:TILE, as in switch:freeze")
}

// Lacks returns an error for each layer that the map does not have.
func (o TilesQuery) Lacks(e *mapedit.Editor) error {
	err := o.layers.Lacks(e)
	for _, with := range o.With {
		layer, _, _ := strings.Cut(with, ":")
		_, bad := e.Layers(layer)
		err = errors.Join(err, bad)
	}
	return err
}

// joins returns the tiles that other layers must have.
func (o TilesQuery) joins() (list []Join, err error) {
	for _, with := range o.With {
		layer, tile, named := strings.Cut(with, ":")
		join := Join{Layers: []string{layer}, Match: func(c Cell) bool { return c.ID != 0 }}
		if named {
			var ids mapops.TileSet
			if err := ids.Add(tile); err != nil {
				return nil, fmt.Errorf("--with: %w", err)
			}
			join.Match = func(c Cell) bool { return ids[c.Kind][c.ID] }
		}
		list = append(list, join)
	}
	return list, nil
}

// joinedText describes the tiles that other layers have.
func joinedText(list []Joined) string {
	var texts []string
	for _, c := range list {
		text := fmt.Sprintf("%v %d", c.Kind, c.ID)
		if c.Kind != twmap.KindTiles {
			text = fmt.Sprintf("%v %s", c.Kind, c.Name())
		}
		if n := numberOf(&c.Cell); n != nil {
			text += fmt.Sprintf(" (%v)", n)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// Tiles finds tiles of any layer.
func Tiles(ctx context.Context, q *Query, o TilesQuery) error {
	if err := cmp.Or(o.layers.limit(q), o.area.limit(q)); err != nil {
		return err
	}
	var ids mapops.TileSet
	for _, word := range o.Tiles {
		if err := ids.Add(word); err != nil {
			return err
		}
	}
	joins, err := o.joins()
	if err != nil {
		return err
	}
	q.Joins = joins
	matchFlags, err := o.match()
	if err != nil {
		return err
	}
	return q.Index.Tiles(ctx, nil, func(t Cell) bool {
		return (len(o.Tiles) == 0 && t.ID != 0 || ids[t.Kind][t.ID]) && matchFlags(t.Flags)
	}, q.miss, func(t Tile) error {
		return q.hit(t.Path, t.At, format.Fact("layer", "", t.Kind.String()), format.Fact("id", "tile", int(t.ID)),
			format.Fact("name", "", nameOf(&t)), format.Fact("flags", "", flagText(t.Flags)), format.Fact("number", "", numberOf(&t.Cell)),
			format.Fact("with", "with", joinedText(t.With)))
	})
}

// nameOf returns the name of a tile, or "" in design layers.
func nameOf(t *Tile) string {
	if t.Kind == twmap.KindTiles {
		return ""
	}
	return t.Name()
}

// numberOf returns the number of a tile, or nil if tiles of the kind have none.
func numberOf(t *Cell) any {
	if !t.HasNumber() {
		return nil
	}
	return int(t.Number)
}

func flagText(f twmap.TileFlags) string {
	if f == 0 {
		return ""
	}
	return f.String()
}

// NumbersQuery are the options of the queries tele and tune.
type NumbersQuery struct {
	area
	Numbers []string `arg:"number" help:"numbers, 0 to 255; none means any"`
}

// SwitchQuery are the options of the query switch.
type SwitchQuery struct {
	NumbersQuery
	flags
}

// Teles finds tiles of the tele layer.
func Teles(ctx context.Context, q *Query, o NumbersQuery) error {
	return o.find(ctx, q, twmap.KindTele, flags{})
}

// Tunes finds tiles of the tune layer.
func Tunes(ctx context.Context, q *Query, o NumbersQuery) error {
	return o.find(ctx, q, twmap.KindTune, flags{})
}

// Switches finds tiles of the switch layer.
func Switches(ctx context.Context, q *Query, o SwitchQuery) error {
	return o.find(ctx, q, twmap.KindSwitch, o.flags)
}

// LacksTeles is Lacks for the query tele. A tool calls it after a query without results: an area then explains that.
func (o NumbersQuery) LacksTeles(*mapedit.Editor) error { return o.lacks(twmap.KindTele) }

// LacksTunes is LacksTeles for the query tune.
func (o NumbersQuery) LacksTunes(*mapedit.Editor) error { return o.lacks(twmap.KindTune) }

// Lacks is LacksTeles for the query switch.
func (o SwitchQuery) Lacks(*mapedit.Editor) error {
	if o.Flags != "" {
		return nil
	}
	return o.lacks(twmap.KindSwitch)
}

func (o NumbersQuery) lacks(kind twmap.Kind) (err error) {
	if o.Text != "" {
		return nil
	}
	for _, number := range o.Numbers {
		err = errors.Join(err, &fault.NameError{Kind: kind.String() + " tile with the number", Name: number})
	}
	return err
}

func (o NumbersQuery) find(ctx context.Context, q *Query, kind twmap.Kind, flags flags) error {
	numbers, err := parseNumbers(o.Numbers)
	if err != nil {
		return err
	}
	matchFlags, err := flags.match()
	if err := cmp.Or(err, o.limit(q)); err != nil {
		return err
	}
	return q.Index.Tiles(ctx, []twmap.Kind{kind}, func(t Cell) bool {
		return t.ID != 0 && (numbers == nil || numbers[t.Number]) && matchFlags(t.Flags)
	}, q.miss, func(t Tile) error {
		fields := []format.InfoField{
			format.Fact("number", "", int(t.Number)), format.Fact("id", "tile", int(t.ID)), format.Fact("name", "", t.Name()),
		}
		if kind == twmap.KindSwitch {
			fields = append(fields, format.Fact("delay", "", int(t.Delay)), format.Fact("flags", "", flagText(t.Flags)))
		}
		return q.hit(t.Path, t.At, fields...)
	})
}

// SpeedupQuery are the options of the query speedup.
type SpeedupQuery struct {
	area
	Force *int `option:"force" help:"only speedups with this force"`
	Angle *int `option:"angle" help:"only speedups with this angle in {degrees}"`
}

// Speedups finds tiles of the speedup layer.
func Speedups(ctx context.Context, q *Query, o SpeedupQuery) error {
	if err := o.limit(q); err != nil {
		return err
	}
	return q.Index.Tiles(ctx, []twmap.Kind{twmap.KindSpeedup}, func(t Cell) bool {
		return t.ID != 0 && (o.Force == nil || *o.Force == int(t.Force)) && (o.Angle == nil || *o.Angle == int(t.Angle))
	}, q.miss, func(t Tile) error {
		return q.hit(t.Path, t.At, format.Fact("force", "", int(t.Force)), format.Fact("maxSpeed", "at most", int(t.MaxSpeed)),
			format.Fact("angle", "", int(t.Angle)), format.Fact("id", "tile", int(t.ID)), format.Fact("name", "", t.Name()))
	})
}

// FreeQuery are the arguments of the query next-free.
type FreeQuery struct {
	Of      string `arg:"of" choices:"tele|checkpoint|switch|tune" help:"the kind of numbers"`
	Numbers int    `arg:"numbers" default:"1" help:"how many"`
}

// Free finds numbers that no tile has.
func Free(ctx context.Context, q *Query, o FreeQuery) error {
	free, err := q.Free(ctx, twmap.Numbers(o.Of), o.Numbers, q.miss)
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

// LayersQuery are the options of the query layer.
type LayersQuery struct{ layers }

// Layers finds layers.
func Layers(_ context.Context, q *Query, o LayersQuery) error {
	if err := o.limit(q); err != nil {
		return err
	}
	return q.LayersThere(func(l Layer) error {
		return q.hit(l.Path, l.At, format.Fact("kind", "", l.Kind), format.Fact("width", "", l.Width), format.Fact("height", "", l.Height),
			format.Fact("things", "", int64(l.Things)), format.Fact("uses", "", l.Uses))
	})
}

// PartQuery is the argument of the queries envelope and sound.
type PartQuery struct {
	Name string `arg:"name" default:"*" help:"a name with * and ?, ignoring case, or a number, from 0"`
}

// EnvelopeQuery is the argument of the query envelope.
type EnvelopeQuery struct{ PartQuery }

// Describe describes the argument.
func (EnvelopeQuery) Describe(o *format.Option) { o.Names = "envelope" }

// SoundQuery is the argument of the query sound.
type SoundQuery struct{ PartQuery }

// Describe describes the argument.
func (SoundQuery) Describe(o *format.Option) { o.Names = "sound" }

// Envelopes finds the users of envelopes.
func Envelopes(_ context.Context, q *Query, o EnvelopeQuery) error {
	return o.find(q, twmap.PartEnvelope)
}

// Sounds finds the users of sounds.
func Sounds(_ context.Context, q *Query, o SoundQuery) error { return o.find(q, twmap.PartSound) }

func (o PartQuery) find(q *Query, kind twmap.PartKind) error {
	return q.Uses(kind, o.Name, func(u Use) error {
		return q.hit(u.Path, u.At, format.Fact("name", string(kind), u.Name), format.Fact("use", "for", u.What))
	})
}

// LacksEnvelopes is Lacks for the query envelope.
func (o PartQuery) LacksEnvelopes(e *mapedit.Editor) error { return lacks(e.Envelopes, o.Name) }

// LacksSounds is Lacks for the query sound.
func (o PartQuery) LacksSounds(e *mapedit.Editor) error { return lacks(e.Sounds, o.Name) }

// lacks returns the error of find for a pattern that selects no part.
func lacks(find func(pattern string) ([]int, error), pattern string) error {
	if pattern == "*" {
		return nil
	}
	_, err := find(pattern)
	return err
}

// QuadQuery are the options of the query quad.
type QuadQuery struct {
	layers
	area
	Image *string `option:"image" names:"image" help:"only quads of the image with this {name}, ignoring case"`
}

// Describe describes the options.
func (QuadQuery) Describe(o *format.Option) {
	o.Explain("area", "only quads whose pivot is in the tiles of `x1,y1:x2,y2`")
}

// Lacks returns an error for each layer and image that the map does not have.
func (o QuadQuery) Lacks(e *mapedit.Editor) error {
	err := o.layers.Lacks(e)
	if o.Image != nil {
		err = errors.Join(err, lacks(e.Images, *o.Image))
	}
	return err
}

// Quads finds quads.
func Quads(_ context.Context, q *Query, o QuadQuery) error {
	if err := cmp.Or(o.layers.limit(q), o.area.limit(q)); err != nil {
		return err
	}
	const unit = 32 * 1024 // side of a tile
	tiles := func(v float64) float64 { return float64(int64(v*1000/unit)) / 1000 }
	return q.Index.Quads(q.miss, func(quad Quad) error {
		if o.Image != nil && !strings.EqualFold(*o.Image, quad.Image) {
			return nil
		}
		least, most := quad.Points[0], quad.Points[0]
		for _, p := range quad.Points[1:] {
			least = twmap.Point{X: min(least.X, p.X), Y: min(least.Y, p.Y)}
			most = twmap.Point{X: max(most.X, p.X), Y: max(most.Y, p.Y)}
		}
		return q.hit(quad.Path, quad.At, format.Fact("image", "", quad.Image),
			format.Fact("x", "", tiles(float64(quad.Pivot.X))), format.Fact("y", "", tiles(float64(quad.Pivot.Y))),
			format.Fact("width", "", tiles(float64(most.X)-float64(least.X))),
			format.Fact("height", "", tiles(float64(most.Y)-float64(least.Y))),
			format.Fact("positionEnvelope", "position envelope", envelope(quad.PosEnv)),
			format.Fact("colorEnvelope", "colour envelope", envelope(quad.ColorEnv)))
	})
}

// envelope returns a reference to an envelope, or nil for none.
func envelope(n int32) any {
	if n < 0 {
		return nil
	}
	return int(n)
}

// SettingQuery are the arguments of the query setting.
type SettingQuery struct {
	Words []string `arg:"text" names:"setting" help:"words in the line, ignoring case; none means any line"`
}

// Settings finds settings.
func Settings(_ context.Context, q *Query, o SettingQuery) error {
	return q.Index.Settings(strings.Join(o.Words, " "), func(s Setting) error {
		return q.hit("", s.At, format.Fact("setting", "", s.Line))
	})
}

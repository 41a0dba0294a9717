package format

import (
	"context"
	"image"
	"image/color"
	"io"
	"slices"
	"strconv"
	"time"

	"trowel.example/check"
)

// Scene is the drawable form of a file: a map, a world, a picture in a mod. All functions are safe for concurrent use.
type Scene struct {
	Views []View // the default view first; there is at least one

	// Missing returns what all calls of Render so far could not draw for lack of data, sorted by kind and name.
	// [WithMissed] collects this for single calls.
	Missing func() []Missing
	// Survey discovers all data that pictures with this look lack, for Missing to return. Nil: opening and drawing do.
	Survey func(ctx context.Context, look Look) error

	// With returns the scene with the options of a job, without reading its file again. The scenes are independent: both must
	// be closed, in any order. Nil: the file must be read again.
	With func(ctx context.Context, job *Job) (*Scene, error)
	// Range returns the smallest and largest value of an option that makes a difference, whatever values the options have now,
	// and false if the option has no range. Nil: no option has.
	Range func(option string) (least, most int, ok bool)
	// Choices returns the possible values of an option that is Chosen, whatever values the options have now, and which of them
	// is the default. There are none if the option makes no difference. Nil: it never does.
	Choices func(option string) (values []string, usual string)

	Style string // changes whenever options, or the files that they name, change the look of all pictures; "": nothing shows it
	Since *Since // for comparison with an earlier state, see [ForTiles]; nil: opened without one

	Walking  *Walking        // nil: there is no camera in three dimensions
	Painting *Painting       // nil: no layers of cells
	Shaping  *Shaping        // nil: no layers of shapes
	Actions  func() []Action // what can be done with the parts of the scene, in the order in which a viewer shows them; nil: nothing

	End func() error // releases the scene; nil: nothing to release
}

// Close releases the scene.
func (s *Scene) Close() error {
	if s.End == nil {
		return nil
	}
	return s.End()
}

// Walking describes how a viewer walks through a scene: it requests the cubes around a camera, at the place that [OptionAt] would
// have, and draws them itself.
type Walking struct {
	Side      int    // the edge of a cube, in nodes
	Low, High [3]int // the nodes of the scene, both corners inclusive
	// Cube returns what is in the cube whose lowest node is low, multiples of Side, as a glTF 2.0 binary file, or nothing if it
	// is empty. The origin of the model is the low corner of that part of the cube which is between Low and High, and -z is the
	// north. Colors are the light of vertices: red, green and blue at noon or midnight, and the part of it that is of the day.
	Cube func(ctx context.Context, low [3]int) ([]byte, error)
}

// Since compares a scene with an earlier state of its file.
type Since struct {
	// Bounds returns the bounds of the view at the earlier time. It returns an error if look selects layers whose earlier
	// contents are unknown.
	Bounds func(look Look) (Rect, error)
	// Changed reports whether a part of a picture shows something that was added, removed or changed since. If not,
	// the part looks the same as before. The first call may take long.
	Changed func(ctx context.Context, look Look, pixels image.Rectangle) (bool, error)
}

// ViewCamera is the name of a view with a Frame.
const ViewCamera = "camera"

// OptionAt is the position of the camera of a view with a Frame.
var OptionAt = Option{Name: "at", Type: Place, For: ForScene, Drawing: Drawing{View: ViewCamera},
	Help: "the position of the game's camera as `x,y[,z]`: x,y in tiles (default: the middle of the map), or x,y,z in nodes; its " +
		"view is then the first one"}

// Options of a camera at a place of three coordinates.
var (
	// OptionLook is its direction.
	OptionLook = Option{Name: "look", Type: Place, For: ForScene, Drawing: Drawing{Views: []string{ViewCamera}}, Parse: parseLook,
		Help: "the direction of the camera in degrees, as `yaw,pitch`: yaw 0 looks north and 90 west, positive pitches look down (default: 0,0)"}
	// OptionDaylight is its light.
	OptionDaylight = Option{Name: "daylight", Type: Number, For: ForScene, Drawing: Drawing{Title: "Daylight", Views: []string{ViewCamera}},
		Help: "the light of the time of day, from 0 at midnight to 1 at noon (default: 1)"}
)

// parseLook returns an error if value is not a direction. Its numbers were checked.
func parseLook(value string) error {
	if look, err := ParsePlace(value); err != nil || len(look) != 2 || !(look[1] >= -90 && look[1] <= 90) {
		return orExpected(strconv.ErrRange, "yaw,pitch with a pitch from -90 to 90", value)
	}
	return nil
}

// View is a way to draw a scene: from above, from a side, or through the game's camera. Pictures are drawn part by part, with
// memory for one part; a pixel does not depend on the part that it is drawn with. A caller that draws several parts makes as
// many calls as there are cores, so a view need not parallelize the work of one call. The looks that its functions get are those of
// this view.
type View struct {
	Name   string  // stable, in lower case, such as "top"
	Title  string  // for people, one line
	Bounds Rect    // the whole drawable area
	Scale  float64 // natural size in pixels per unit
	Detail float64 // pixels per unit up to which larger pictures show more: Scale times a power of two; 0: as a viewer chooses

	// Axes names the coordinates that increase to the right and downwards; a minus sign before a name means that the
	// coordinate decreases, such as "-z". Empty: x and y.
	Axes [2]string
	// Unit is the name of the unit in the plural, such as "nodes"; "" if distances in the picture are not comparable.
	Unit string
	// North is the direction of north in the picture, {0, -1} for upwards; the zero value if there is none.
	North [2]float64

	// Begin returns where a viewer begins if all of the view is too small to see, or the zero value. Nil: there is no such place.
	Begin func() [2]float64

	// Background is the colour that the game shows in empty places; the zero value is transparent.
	Background color.NRGBA
	Paper      bool // the Background has no meaning: a viewer may use another colour

	Layers []Layer // layers that can be omitted, from back to front; nil: there are none

	// Frame returns the rectangle that a picture of the given size shows, for a view through a camera whose place and
	// zoom are given by [OptionAt] and the option "zoom" (a Number), or by OptionAt, [OptionLook] and [OptionDaylight].
	// Nil: pictures show Bounds or any part of it.
	Frame func(size image.Point) Rect
	// Size is the usual size of a picture, for a view with a Frame.
	Size image.Point

	Grain float64       // in units: parts with edges at Bounds.Min plus multiples of Grain cost least; 0: no preference
	Moves bool          // the view depends on Look.Time
	Loop  time.Duration // period after which most of the animation repeats; 0: unknown

	// Render draws the pixels of dst.Rect, a part of the picture described by look, whose pixel (0,0) is at the left
	// top; the part may extend beyond the picture. Render draws over the contents of dst, which are the background:
	// Background, another colour, or transparent. It keeps no reference to dst.
	Render func(ctx context.Context, dst *image.RGBA, look Look) error
	// RenderGray16 is Render with 16 bits, such as for heights; empty places are 0. Nil: only Render draws it.
	RenderGray16 func(ctx context.Context, dst *image.Gray16, look Look) error
	// SVG writes the picture as vector graphics with named parts. A background with alpha 0 is omitted. Nil: not as lines.
	SVG func(ctx context.Context, w io.Writer, look Look, background color.NRGBA) error
	// Cover is Render for a quick preview: it makes areas with content opaque, in one colour, even if the content proves
	// invisible, such as a block of a world that is all air. A pixel that is partly empty may be either. Nil: Render is quick.
	Cover func(ctx context.Context, dst *image.RGBA, look Look) error
	// Fingerprint returns a hash of everything except the look that determines a part of a picture: the data that
	// Render would read, and the options. The hash may change if no pixel does, but not the other way round. The zero
	// hash means that the part shows only background. Nil: only drawing shows whether a part has changed.
	Fingerprint func(ctx context.Context, look Look, pixels image.Rectangle) ([32]byte, error)
	// Part returns the data that a scene needs to draw the given pixels of a picture, with the same result as a scene
	// opened for the whole picture: it is passed in [Job.Part]. Nil, or if Part returns nil: the whole file is needed.
	Part func(look Look, pixels image.Rectangle) ([]byte, error)

	// Inspect returns everything at a point of the view, given in its units, in all layers, front to back. The look is
	// that of the picture in which the point was selected: drawn things come before hidden ones. Nil, also of Where: the
	// positions of things are unknown.
	Inspect func(ctx context.Context, look Look, at [2]float64) ([]Thing, error)
	// Where returns the rectangle that contains a place of a finding, a hit, a change or a thing, and false if the view does
	// not show the place.
	Where func(ctx context.Context, place check.Place) (Rect, bool)
	// Sight quickly describes the front of what a picture shows at a point, given in units, while the user moves over the
	// picture. The zero value: nothing is visible. Nil: only Inspect describes points.
	Sight func(ctx context.Context, look Look, at [2]float64) (Sight, error)
	// Labels returns the labels of the layers selected by look, in a part of its picture. A viewer may exclude these layers
	// from Render and draw the labels itself, so that they are readable at every scale. Nil: there are none.
	Labels func(ctx context.Context, look Look, pixels image.Rectangle) ([]Label, error)

	// Motion returns the picture of a look, which has a size, at all times, over a background: still blocks of pixels and
	// moving triangles, so that a viewer can draw any moment. An error that wraps [fault.ErrLimit] means that too much moves
	// there. Nil: a viewer draws single moments.
	//
	// The result is, in little endian: a length, 32 bits; JSON of this length, padded with spaces to a multiple of four;
	// the corners, 32 bytes each: x, y, the x and y of the pivot, u and v as 32-bit floats, red, green, blue and alpha as
	// bytes, and the number of its move, 32 bits; the pixels of the blocks, in RGBA, multiplied by alpha; and those of the
	// textures, not multiplied by alpha, each in all sizes. The JSON has these values:
	//
	//	side      the width and height of a block in pixels
	//	blocks    x and y of each block, in blocks
	//	parts     from back to front: the numbers of the next blocks and corners that it consists of, its texture, the move
	//	          that tints its blocks (-1: none), and the clips in which its triangles are visible: left, top, right,
	//	          bottom in pixels
	//	textures  the width, height and number of sizes of each
	//	curves    the period in milliseconds of each, and its pieces: start, length, and four cubic polynomials of the part
	//	          of the length that has passed, each with its coefficients from the constant one upwards
	//	moves     the curve and the time offset of the place (right and down, multiplied by a scale, and degrees clockwise),
	//	          those of the colour, the scale, and a tint; a curve of -1 is 0, or 1 for a colour
	//
	// Corners turn around their pivot, then move. Their colour is multiplied by that of the move, and the result is that of
	// the texture multiplied by it, at most 1.
	Motion func(ctx context.Context, look Look, background color.NRGBA) ([]byte, error)

	Turning *Turning // the view shows a model that can be turned; nil: it does not
}

// Turning describes how a view shows its model: along parallel lines, under a lamp that turns with the eye.
type Turning struct {
	// Axes are the directions in the model, each of length 1, of right, up and toward the eye. The position in the picture
	// of a point of the model is its distance along the first axis, and, downwards, against the second one.
	Axes [3][3]float64
	// Bounds is the whole model along the first axis and, downwards, against the second one.
	Bounds Rect
	// Lamp is the direction towards the lamp along these axes. The brightness of a surface is Ambient plus Direct times
	// the cosine of its angle to the lamp, at most 1.
	Lamp            [3]float64
	Ambient, Direct float64
	// Model returns the model that the view shows, with its movement if the view moves, as a glTF 2.0 binary file with at
	// most one animation. Textures show their nearest texel.
	Model func(ctx context.Context, look Look) ([]byte, error)
}

// Layer is a part of a view that can be omitted.
type Layer struct {
	Name  string // stable, such as the path of its file in the tree
	Title string // for people; "": the name
	Shown bool   // shown by default

	Words []string // words that select all layers of this kind, in any case, such as tiles

	Labels bool // the layer consists of labels, which [View.Labels] returns
}

// Label is a name at a place in a picture, such as that of a player.
type Label struct {
	Layer string
	At    [2]float64 // in units
	Text  string
	Color color.NRGBA

	Outline [][2]float64 // corners of the area that it names, in units; nil if it names a point
}

// Look describes a picture: the part of a scene it shows, and how. Pixel (x,y) of the picture shows the square at
// Origin + (x,y)/Scale with sides of 1/Scale units.
type Look struct {
	View   string        // name of the view
	Origin [2]float64    // left top of the picture, in units
	Scale  float64       // pixels per unit
	Size   image.Point   // size of the whole picture, in pixels
	Layers []string      // names of the drawn layers; nil for those shown by default
	Time   time.Duration // time since the start, for animated views
	Film   bool          // one of many pictures that differ only in Time
}

// Rect is a rectangle in the units of a scene: tiles, nodes or cells. As in pictures, x increases to the right and y
// downwards. It extends from Min to Max; cell (x,y) is the square between (x,y) and (x+1,y+1).
type Rect struct{ Min, Max [2]float64 }

// Dx returns the width.
func (r Rect) Dx() float64 { return r.Max[0] - r.Min[0] }

// Dy returns the height.
func (r Rect) Dy() float64 { return r.Max[1] - r.Min[1] }

// Empty reports whether the rectangle has no area.
func (r Rect) Empty() bool { return !(r.Dx() > 0 && r.Dy() > 0) }

// Frame returns the rectangle that the whole picture shows.
func (l Look) Frame() Rect {
	return Rect{l.Origin, [2]float64{l.Origin[0] + float64(l.Size.X)/l.Scale, l.Origin[1] + float64(l.Size.Y)/l.Scale}}
}

// Area returns the rectangle that a part of the picture shows.
func (l Look) Area(pixels image.Rectangle) Rect {
	at := func(p image.Point) [2]float64 {
		return [2]float64{l.Origin[0] + float64(p.X)/l.Scale, l.Origin[1] + float64(p.Y)/l.Scale}
	}
	return Rect{at(pixels.Min), at(pixels.Max)}
}

// ViewOf returns the view of a scene with the given name, the first for "", or false if the scene has no view of this name.
func ViewOf(views []View, name string) (View, bool) {
	if name == "" {
		return views[0], true
	}
	i := slices.IndexFunc(views, func(v View) bool { return v.Name == name })
	if i < 0 {
		return View{}, false
	}
	return views[i], true
}

// Draws reports whether look selects a layer of the view.
func (v View) Draws(look Look, layer string) bool { return v.Drawn(look)[layer] }

// Drawn returns the names of the layers of the view that look selects.
func (v View) Drawn(look Look) map[string]bool {
	drawn := make(map[string]bool)
	for _, name := range look.Layers {
		drawn[name] = true
	}
	if look.Layers == nil {
		for _, l := range slices.Backward(v.Layers) { // of two layers with a name, the first decides
			drawn[l.Name] = l.Shown
		}
	}
	return drawn
}

// Missing describes data that a picture lacks.
type Missing struct {
	Kind  string // stable, in lower camel case: "image", "color", "block"
	Name  string // what is missing: a file, a node, a place
	Count int64  // number of uses; 0 if unknown
	Unit  string // what is counted, in the plural: "layers", "pixels"
	What  string // for people: the reason, or what is drawn instead
	// Loss is set if data that should exist cannot be read, as for [Job.Miss]. Otherwise the file does not contain the
	// data, and no other place provides it.
	Loss bool
	// Adds is set if Count applies to the parts drawn, so that the counts of several parts add up. Otherwise Count
	// applies to the whole file.
	Adds bool
}

package format

import (
	"context"
	"image"
	"image/color"
	"io"
	"slices"
	"strconv"
	"time"
)

// Scene draws the contents of a file: a map, a world, a picture in a mod. Pictures are drawn part by part, with memory
// for one part; a pixel does not depend on the part that it is drawn with. All methods are safe for concurrent use. A
// caller that draws several parts makes as many calls as there are cores, so a scene need not parallelize the work of
// one call.
type Scene interface {
	// Views returns the available views, the default view first. There is at least one.
	Views() []View

	// Render draws the pixels of dst.Rect, a part of the picture described by look, whose pixel (0,0) is at the left
	// top; the part may extend beyond the picture. Render draws over the contents of dst, which are the background:
	// [View.Background], another colour, or transparent. It keeps no reference to dst.
	Render(ctx context.Context, dst *image.RGBA, look Look) error

	// Missing returns what all calls of Render so far could not draw for lack of data, sorted by kind and name.
	// [WithMissed] collects this for single calls.
	Missing() []Missing

	io.Closer
}

// ViewCamera is the name of a view with a Frame.
const ViewCamera = "camera"

// OptionAt is the position of the camera of a view with a Frame.
var OptionAt = Option{Name: "at", Type: Place, For: ForScene, View: ViewCamera,
	Help: "the position of the game's camera as `x,y[,z]`: x,y in tiles (default: the middle of the map), or x,y,z in nodes; its " +
		"view is then the first one"}

// Options of a camera at a place of three coordinates.
var (
	// OptionLook is its direction.
	OptionLook = Option{Name: "look", Type: Place, For: ForScene, Views: []string{ViewCamera}, Parse: parseLook,
		Help: "the direction of the camera in degrees, as `yaw,pitch`: yaw 0 looks north and 90 west, positive pitches look down (default: 0,0)"}
	// OptionDaylight is its light.
	OptionDaylight = Option{Name: "daylight", Title: "Daylight", Type: Number, For: ForScene, Views: []string{ViewCamera},
		Help: "the light of the time of day, from 0 at midnight to 1 at noon (default: 1)"}
)

// parseLook returns an error if value is not a direction. Its numbers were checked.
func parseLook(value string) error {
	if look, err := ParsePlace(value); err != nil || len(look) != 2 || !(look[1] >= -90 && look[1] <= 90) {
		return orExpected(strconv.ErrRange, "yaw,pitch with a pitch from -90 to 90", value)
	}
	return nil
}

// View is a way to draw a scene: from above, from a side, or through the game's camera.
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

	Moves  bool          // the view depends on Look.Time
	Loop   time.Duration // period after which most of the animation repeats; 0: unknown
	Film   bool          // the scene is a [Mover], and can describe pictures of this view at all times
	Gray16 bool          // the scene is a [Gray16Scene], which draws this view with 16 bits

	Turning *Turning // the scene is a [Modeler], and this view can be turned; nil: it cannot
	Grain   float64  // in units: parts with edges at Bounds.Min plus multiples of Grain cost least; 0: no preference
}

// Layer is a part of a view that can be omitted.
type Layer struct {
	Name  string // stable, such as the path of its file in the tree
	Title string // for people; "": the name
	Shown bool   // shown by default

	Words []string // words that select all layers of this kind, in any case, such as tiles

	Labels bool // the layer consists of labels, which a [Labeler] returns
}

// Label is a name at a place in a picture, such as that of a player.
type Label struct {
	Layer string
	At    [2]float64 // in units
	Text  string
	Color color.NRGBA

	Outline [][2]float64 // corners of the area that it names, in units; nil if it names a point
}

// Labeler is a scene with layers of labels. A viewer may exclude these layers from Render and draw the labels itself,
// so that they are readable at every scale.
type Labeler interface {
	Scene
	// Labels returns the labels of the layers selected by look, in a part of its picture.
	Labels(ctx context.Context, look Look, pixels image.Rectangle) ([]Label, error)
}

// Look describes a picture: the part of a scene it shows, and how. Pixel (x,y) of the picture shows the square at
// Origin + (x,y)/Scale with sides of 1/Scale units.
type Look struct {
	View   string        // name of the view; "" for the first
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

// ViewOf returns the view of a scene with the given name, or false if the scene has no view of this name.
func ViewOf(s Scene, name string) (View, bool) {
	views := s.Views()
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

// Surveyor is a scene that discovers some of what is missing in the whole file only while it draws parts.
type Surveyor interface {
	Scene
	// Survey discovers all data that pictures with this look lack, for Missing to return.
	Survey(ctx context.Context, look Look) error
}

// Gray16Scene is a scene with views of 16 bits, such as heights, in addition to the same views in RGBA. Empty places
// are 0.
type Gray16Scene interface {
	Scene
	// RenderGray16 is Render for views that are Gray16.
	RenderGray16(ctx context.Context, dst *image.Gray16, look Look) error
}

// Ranger is a scene that can return which values of an option make a difference.
type Ranger interface {
	Scene
	// Range returns the smallest and largest such value, whatever values the options have now, and false if the option
	// has no range.
	Range(option string) (least, most int, ok bool)
}

// Chooser is a scene that can return the possible values of an option that is Chosen.
type Chooser interface {
	Scene
	// Choices returns these values, whatever values the options have now, and which of them is the default. There are none
	// if the option makes no difference.
	Choices(option string) (values []string, usual string)
}

// SVGScene is a scene that can be drawn as vector graphics with named parts.
type SVGScene interface {
	Scene
	// SVG writes the picture as SVG. A background with alpha 0 is omitted.
	SVG(ctx context.Context, w io.Writer, look Look, background color.NRGBA) error
}

// Fingerprinter is a scene that can detect, without drawing, whether a part of a picture has changed.
type Fingerprinter interface {
	Scene
	// Fingerprint returns a hash of everything except the look that determines a part of a picture: the data that
	// Render would read, and the options. The hash may change if no pixel does, but not the other way round. The zero
	// hash means that the part shows only background.
	Fingerprint(ctx context.Context, look Look, pixels image.Rectangle) ([32]byte, error)
}

// Parting is a scene that can be opened for a part of a picture at less cost than for the whole picture.
type Parting interface {
	Scene
	// Part returns the data that a scene needs to draw the given pixels of a picture, with the same result as a scene
	// opened for the whole picture: it is passed in [Job.Part]. Nil: the whole file is needed.
	Part(look Look, pixels image.Rectangle) ([]byte, error)
}

// Dated is a scene that an option with [ForTiles] can open with an earlier state of its file for comparison.
type Dated interface {
	Scene
	// Then returns the bounds of the view at the earlier time, and false if the scene was opened without an earlier
	// state. It returns an error if look selects layers whose earlier contents are unknown.
	Then(look Look) (bounds Rect, given bool, err error)
	// Changed reports whether a part of a picture shows something that was added, removed or changed since. If not,
	// the part looks the same as before. The first call may take long.
	Changed(ctx context.Context, look Look, pixels image.Rectangle) (bool, error)
	// Style returns a short text that changes whenever options, or the files that they name, change the look of all
	// pictures.
	Style() string
}

package format

import (
	"context"
	"image"
	"image/color"
	"io"
	"slices"
	"time"
)

// Scene is what a file shows: a map, a world, a picture in a mod. Pictures of it are
// drawn part by part, with the memory of a part, and no pixel depends on the part it was
// drawn with. All calls may come from many goroutines at a time, and a caller that has
// several parts to draw makes as many calls as there are cores; so a scene need not spread
// the work of one call.
type Scene interface {
	// Views returns the ways to look at it, the one that is meant where nobody says
	// which first. There is at least one.
	Views() []View

	// Render draws the pixels of dst.Rect, a part of the picture that look describes and
	// whose pixel (0,0) is the one at its left top; a part may reach beyond the picture.
	// It draws over what dst holds, which is the background: [View.Background], another
	// colour, or nothing (transparent). It keeps no reference to dst.
	Render(ctx context.Context, dst *image.RGBA, look Look) error

	// Missing returns what all calls of Render so far had to do without, sorted by kind
	// and name. [WithMissed] has Render report what a single call had to do without.
	Missing() []Missing

	io.Closer
}

// View is a way to look at a scene: from above, from a side, as the game's camera does.
type View struct {
	Name   string  // stable, lower case, such as "top"
	Title  string  // for people, one line
	Bounds Rect    // all that there is to see
	Scale  float64 // pixels of a unit in natural size

	// Axes are the names of the coordinates that grow to the right and downwards; one
	// that grows the other way has a minus before it, such as "-z". Empty: x and y.
	Axes [2]string

	// Background is what the game shows where nothing is; the zero value is transparent.
	Background color.NRGBA
	Paper      bool // the Background means nothing: a viewer may show another one

	Layers []Layer // that can be left out, from back to front; nil: there are none to choose from

	// Frame returns the rectangle that a picture of a size shows, for a view through a
	// camera that stands where the options "at" (a Place) and "zoom" (a Number) say. Nil: the whole of Bounds, or any part of it.
	Frame func(size image.Point) Rect
	// Size is the usual size of a picture of a view with a Frame.
	Size image.Point

	Moves  bool          // it depends on Look.Time
	Loop   time.Duration // after which most of what moves begins again; 0: nobody knows
	Gray16 bool          // its scene is a [Gray16Scene], which draws it with 16 bits
	Grain  float64       // units: parts whose edges lie at multiples of it, from Bounds.Min on, cost least; 0: it makes no difference
}

// Layer is a part of a view that can be left out.
type Layer struct {
	Name  string // stable, such as the path of its file in the tree
	Title string // for people; "" uses the name
	Shown bool   // usually

	Words []string // that name all layers of its kind, in capitals or not, such as tiles

	Labels bool // it consists of labels, which a [Labeler] returns
}

// Label is a name at a place of a picture, such as that of a player.
type Label struct {
	Layer string
	At    [2]float64 // in units
	Text  string
	Color color.NRGBA
}

// Labeler is a scene with layers that consist of labels. A viewer may leave these layers out of what
// Render draws and write the labels itself, so that they can be read at every scale.
type Labeler interface {
	Scene
	// Labels returns the labels of the layers that a look has drawn, in a part of its picture.
	Labels(ctx context.Context, look Look, pixels image.Rectangle) ([]Label, error)
}

// Look describes a picture: what of a scene it shows, and how. The pixel (x,y) of the
// picture is the square from Origin + (x,y)/Scale on, as long as 1/Scale units.
type Look struct {
	View   string        // name of a view; "" is the first
	Origin [2]float64    // the left top of the picture, in units
	Scale  float64       // pixels of a unit
	Size   image.Point   // of the whole picture, in pixels
	Layers []string      // names of those that are drawn; nil: those that usually are
	Time   time.Duration // since the beginning, for views that move
}

// Rect is a rectangle in the units of a scene: tiles, nodes, cells. As in pictures, x
// goes to the right and y down. It reaches from Min to Max; a cell (x,y) is the one
// between (x,y) and (x+1,y+1).
type Rect struct{ Min, Max [2]float64 }

// Dx returns the width.
func (r Rect) Dx() float64 { return r.Max[0] - r.Min[0] }

// Dy returns the height.
func (r Rect) Dy() float64 { return r.Max[1] - r.Min[1] }

// Empty reports whether nothing is in it.
func (r Rect) Empty() bool { return !(r.Dx() > 0 && r.Dy() > 0) }

// Frame returns the rectangle that the whole picture shows.
func (l Look) Frame() Rect {
	return Rect{l.Origin, [2]float64{l.Origin[0] + float64(l.Size.X)/l.Scale, l.Origin[1] + float64(l.Size.Y)/l.Scale}}
}

// Area returns the rectangle that some pixels of the picture show.
func (l Look) Area(pixels image.Rectangle) Rect {
	at := func(p image.Point) [2]float64 {
		return [2]float64{l.Origin[0] + float64(p.X)/l.Scale, l.Origin[1] + float64(p.Y)/l.Scale}
	}
	return Rect{at(pixels.Min), at(pixels.Max)}
}

// ViewOf returns the view of a scene that a look means, and false if there is none of
// that name.
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

// Draws reports whether a look has a layer of the view drawn.
func (v View) Draws(look Look, layer string) bool {
	if look.Layers != nil {
		return slices.Contains(look.Layers, layer)
	}
	i := slices.IndexFunc(v.Layers, func(l Layer) bool { return l.Name == layer })
	return i >= 0 && v.Layers[i].Shown
}

// Missing is something that a picture had to do without.
type Missing struct {
	Kind  string // stable, in lower camel case: "image", "color", "block"
	Name  string // which one: a file, a node, a place
	Count int64  // how often it is wanted; 0 if nobody counted
	Unit  string // what is counted, in the plural: "layers", "pixels"
	What  string // for people: why, or what is drawn in its place
	// Loss says that data which should be there cannot be had, as [Job.Miss] does. Else
	// it is something that the file does not hold and was not found elsewhere.
	Loss bool
	// Adds says that it is missing in the parts that were drawn, so that the counts of several parts
	// add up. Else it is of the whole file.
	Adds bool
}

// Surveyor is a scene that meets some of what is missing in the whole file when it draws a part.
type Surveyor interface {
	Scene
	// Survey meets all of that which pictures with a look have to do without: Missing returns it then.
	Survey(ctx context.Context, look Look) error
}

// Gray16Scene is a scene that has views of 16 bits, such as heights, beside the same in
// RGBA. What is not there is 0.
type Gray16Scene interface {
	Scene
	// RenderGray16 is Render for views that are Gray16.
	RenderGray16(ctx context.Context, dst *image.Gray16, look Look) error
}

// Ranger is a scene that knows which values of an option make a difference.
type Ranger interface {
	Scene
	// Range returns the least and the most of them, whatever values the options have now,
	// and false for an option that has none.
	Range(option string) (least, most int, ok bool)
}

// SVGScene is a scene that can be drawn in lines, which keep their names.
type SVGScene interface {
	Scene
	// SVG writes the picture as SVG. A background whose alpha is 0 is none.
	SVG(ctx context.Context, w io.Writer, look Look, background color.NRGBA) error
}

// Fingerprinter is a scene that knows whether a part of a picture has changed without
// drawing it.
type Fingerprinter interface {
	Scene
	// Fingerprint returns a hash of all that decides how a part of a picture looks but
	// the look: of the data that Render would read, and of the options. It may change
	// where no pixel does, but not the other way round. The zero hash says that the part
	// shows nothing but background.
	Fingerprint(ctx context.Context, look Look, pixels image.Rectangle) ([32]byte, error)
}

// Parting is a scene that can be opened for a part of a picture at less cost than for all of it.
type Parting interface {
	Scene
	// Part returns what a scene has to know to draw some pixels of a picture and no others, and
	// the same as if it was opened for all: it goes into [Job.Part]. Nil: all of the file.
	Part(look Look, pixels image.Rectangle) ([]byte, error)
}

// Dated is a scene that can be opened, by an option [ForTiles], with what its file was at an earlier
// time.
type Dated interface {
	Scene
	// Then returns the bounds that the view of a look had at that time, and false if the scene
	// was opened without one. Nobody knows what some layers showed then: that is an error.
	Then(look Look) (bounds Rect, given bool, err error)
	// Changed reports whether a part of a picture shows something that is new, gone or another one since;
	// if not, it looks as it did. It may take long when it is asked first.
	Changed(ctx context.Context, look Look, pixels image.Rectangle) (bool, error)
	// Style returns a short text that changes when all pictures look otherwise because of
	// options or the files that they name.
	Style() string
}

package format

import (
	"context"
	"image"
	"io/fs"
	"time"

	"trowel.example/check"
)

// Inspector is a scene that knows what is where in it.
type Inspector interface {
	Scene

	// Inspect returns all that is at a point of a view, in its units and whatever its layers, in
	// front first; nothing where nothing is. The look is that of the picture on which somebody
	// points: what is drawn there stands before what is hidden.
	Inspect(ctx context.Context, look Look, at [2]float64) ([]Thing, error)

	// Where returns the rectangle of a view in which a place of a finding, a hit, a change or
	// a thing is, and false if it is to be seen nowhere in it.
	Where(view string, place check.Place) (Rect, bool)
}

// Thing is one of the things that are at a point of a scene: a tile, a quad, a node, an object.
type Thing struct {
	Title string      // for people, such as "Game: unhookable"
	Layer string      // the layer of the view that shows it; "" if that has none for it
	Place check.Place // of the thing, in the form of those of findings; nil if it has none
	Line  check.Line  // the file in the tree, and the line of it, that says the thing; no path: none does
	Bytes Bytes       // where it stands in the file; Len 0: nobody knows
	Facts []InfoField // what there is to know of it. Values may be a Curve, a Slots or a color.NRGBA besides
	Links []Link      // to what belongs to it: the other end of a teleporter
}

// Bytes is where something stands in a file, as [Format.Dump] tells it.
type Bytes struct {
	Path   string // to give to Dump; "" is the file itself
	Space  string // as that of [trace.Field]
	Offset int64
	Len    int64
}

// Link leads from a thing to a point of the same view.
type Link struct {
	Title string
	At    [2]float64 // in units of the view
}

// Curve is a value that changes with time, to be plotted.
type Curve struct {
	Unit   string // of the values: "pixels", "degrees"
	Lines  []CurveLine
	Points []time.Duration // where the curve was set by somebody
}

// CurveLine is one line of a curve: its values at times that rise.
type CurveLine struct {
	Name   string // "x", "red"
	Times  []time.Duration
	Values []float64
}

// Slots is a list of places for items, to be shown as a grid.
type Slots struct {
	Width int      // of a row
	Items []string // in the text of the game; "" is an empty place
}

// Coverer is a scene that knows where something is long before it has drawn what.
type Coverer interface {
	Scene
	// Cover is Render for what is known at once: it makes opaque where the file has something,
	// in one colour, though that may turn out to be invisible, such as a block of a world
	// that is all air. A pixel of which a part is empty may be either.
	Cover(ctx context.Context, dst *image.RGBA, look Look) error
}

// Variable is a scene that can be had with other options without reading its file again.
type Variable interface {
	Scene
	// With returns the scene with the options of a job. The new one lives on its own: both
	// have to be closed, in any order.
	With(ctx context.Context, job *Job) (Scene, error)
}

// Placer is what a difference that [Format.Compare] tells may be besides: it knows where it
// is. Old are places in the old file, new those in the new one; of what is in both, the same.
// What is many tiles is all of their places.
type Placer interface {
	Places() (old, new []check.Place)
}

// Locator is a file that knows which lines of its tree say what is at places of findings, hits
// and changes. A [check.Line] or [check.File] with a path of the tree needs none.
type Locator interface {
	File
	// Locate returns for each place the file of the tree that says what is there, and the line
	// of it: no path where none does, line 0 where it is the file as a whole. It reads only
	// the files for which want reports true; of the others it tells no lines.
	Locate(ctx context.Context, tree fs.FS, places []check.Place, want func(path string) bool) ([]check.Line, error)
}

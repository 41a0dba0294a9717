package format

import (
	"context"
	"io/fs"
	"time"

	"trowel.example/check"
)

// Sight is what is visible at a point.
type Sight struct {
	Text  string    // a few words, such as the height and the kind: "y 12  default:stone"
	Stand []float64 // the value of [OptionAt] for a camera at this place; nil if there can be none
}

// Thing is one of the things at a point of a scene: a tile, a quad, a node, an object.
type Thing struct {
	Title string      // for people, such as "Game: unhookable"
	Layer string      // the layer of the view that shows it; "" if none does
	Place check.Place // its place, as in findings; nil if it has none
	Line  check.Line  // file and line in the tree that define it; an empty path if none does
	Bytes Bytes       // its bytes in the file; Len 0 if unknown
	Facts []InfoField // its properties. Values may also be a Curve, a Slots or a color.NRGBA
	Links []Link      // related points, such as the other end of a teleporter
}

// Bytes is a range of bytes in a file, as reported by [Format.Dump].
type Bytes struct {
	Path   string // path for Dump; "" for the file itself
	Space  string // see [trace.Field]
	Offset int64
	Len    int64
}

// Link refers from a thing to a point in the same view.
type Link struct {
	Title string
	At    [2]float64 // in units of the view
}

// Curve is a value that changes with time, to be plotted.
type Curve struct {
	Unit   string // unit of the values: "pixels", "degrees"
	Lines  []CurveLine
	Points []time.Duration // times of the points that define the curve
}

// CurveLine is one line of a curve: its values at increasing times.
type CurveLine struct {
	Name   string // "x", "red"
	Times  []time.Duration
	Values []float64
}

// Slots is a list of item slots, to be shown as a grid.
type Slots struct {
	Width int      // slots in a row
	Items []string // as the game writes them; "" for an empty slot
}

// Placer is an optional interface of the differences that [Format.Compare] reports. Old are places in the old file,
// new places in the new file; for a part that is in both files they are the same. A difference in many tiles has the
// places of all of them.
type Placer interface {
	Places() (old, new []check.Place)
}

// Locator is a file that can find the lines of its tree that define the places of findings, hits and changes. A
// [check.Line] or [check.File] with a path of the tree needs no Locator.
type Locator interface {
	File
	// Locate returns for each place the file of the tree that defines it, and the line: no path if no file does, line
	// 0 if the file as a whole does. It reads only files for which want reports true, and returns no lines for the
	// others.
	Locate(ctx context.Context, tree fs.FS, places []check.Place, want func(path string) bool) ([]check.Line, error)
}

// Package mpp reads and writes the .MPP files of Torchlight II: for each level, a grid of cells that shows where
// characters can walk.
//
// A file is a header of 24 bytes and one byte for each cell. Its editable form is a picture, a binary PGM, in which
// ground is black, walls are grey and cells without ground are white.
package mpp

import (
	"fmt"
	"math"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/internal/values/deep"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

// The cell values that GUTS writes. Other values are preserved.
const (
	Walkable = 0    // ground
	Wall     = 1    // something blocks
	Outside  = 0xFF // no ground, or out of bounds
)

// CellSize is the width and depth of a cell, in units of the world.
const CellSize = 0.4

// headerSize is the number of bytes before the cells.
const headerSize = 24

// File is a grid.
type File struct {
	Width, Height    int     // in cells, along x and z; 0 or more
	OffsetX, OffsetZ float32 // from the corner of the level's box with the least x and z to the origin of the world
	SizeX, SizeZ     float32 // size of the box: the number of cells times CellSize, except for rounding
	Cells            []byte  // row by row, Width*Height of them; x grows along a row
}

// Decode reads a file. The cells share the memory of data. Every error is a [*fault.Error].
func Decode(data []byte) (*File, error) {
	effort.Decompiled.Add(1)
	return decode(bin.NewReader(data, bin.LittleEndian))
}

func decode(r *bin.Reader) (*File, error) {
	width, height := r.Int32("width"), r.Int32("height")
	f := &File{OffsetX: r.F32("offset_x"), OffsetZ: r.F32("offset_z"), SizeX: r.F32("size_x"), SizeZ: r.F32("size_z")}
	switch cells := int64(width) * int64(height); {
	case r.Err() != nil:
	case width < 0 || height < 0:
		r.FailAt(0, "width", fault.ErrFormat, "a width and height of 0 or more", fmt.Sprintf("%d and %d", width, height))
	case cells != int64(r.Len()):
		r.FailAt(0, "width", fault.ErrShort, fmt.Sprintf("%d × %d cells of one byte", width, height), words.Count(r.Len(), "byte"))
	default:
		f.Width, f.Height = int(width), int(height)
		f.Cells = r.Bytes("cells", r.Len())
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// Offset returns the offset of a cell in the file.
func (f *File) Offset(x, z int) int64 { return headerSize + int64(z)*int64(f.Width) + int64(x) }

// World returns the position in the world, x and z, of the corner of the first cell, and the sides of a cell. The cells
// end where the stated box ends. If rounding adds a cell to those that fit into the box, it lies before the corner of the
// box. The cells of a grid whose stated size does not fit fill the box.
func (f *File) World() (corner, cell [2]float64) {
	for i, side := range []struct {
		offset, size float32
		cells        int
	}{{f.OffsetX, f.SizeX, f.Width}, {f.OffsetZ, f.SizeZ, f.Height}} {
		more := 0.
		if fits(side.size, side.cells) {
			more = CellSize * math.Round(float64(side.cells)-float64(side.size)/CellSize)
		}
		corner[i] = -float64(side.offset) - more
		cell[i] = (float64(side.size) + more) / float64(max(1, side.cells))
	}
	return corner, cell
}

// fits reports whether a side of a grid has about as many cells as the stated size requires.
func fits(size float32, cells int) bool { return math.Abs(float64(size)/CellSize-float64(cells)) < 2 }

// Clone returns an independent copy of the grid.
func (f *File) Clone() *File { return deep.Clone(f) }

// Equal reports whether both grids have equal contents.
func (f *File) Equal(other *File) bool { return deep.Equal(f, other) }

// Encode returns the file; it does not change f. It fails with a [*fault.Error] if the number of cells does not match
// the size of the grid, or the size exceeds the limits of the format.
func (f *File) Encode() ([]byte, error) {
	if f.Width < 0 || f.Height < 0 || f.Width > math.MaxInt32 || f.Height > math.MaxInt32 ||
		int64(f.Width)*int64(f.Height) != int64(len(f.Cells)) {
		return nil, &fault.Error{Path: "cells", Offset: -1, Want: fmt.Sprintf("%d × %d cells", f.Width, f.Height),
			Got: fmt.Sprint(len(f.Cells)), Err: fault.ErrFormat}
	}
	w := bin.NewWriter(bin.LittleEndian, headerSize+len(f.Cells))
	w.Int32(int32(f.Width))
	w.Int32(int32(f.Height))
	for _, v := range f.floats() {
		w.F32(*v)
	}
	w.Bytes(f.Cells)
	return w.Data(), nil
}

// Recognize reports whether head, the first bytes of a file or all of it, can be the beginning of a grid. There is no
// signature: Recognize requires a size above 0 that the bytes do not exceed, plausible numbers, and cell values that
// GUTS writes.
func Recognize(head []byte) bool {
	r := bin.NewReader(head, bin.LittleEndian)
	width, height := int64(r.Int32("width")), int64(r.Int32("height"))
	f := File{OffsetX: r.F32("offset_x"), OffsetZ: r.F32("offset_z"), SizeX: r.F32("size_x"), SizeZ: r.F32("size_z")}
	if r.Err() != nil || width <= 0 || height <= 0 || width*height < int64(r.Len()) {
		return false
	}
	for _, v := range f.floats() {
		if v64 := math.Abs(float64(*v)); !(v64 < 1e9) || v64 != 0 && v64 < 1e-9 {
			return false
		}
	}
	for _, cell := range r.Bytes("cells", r.Len()) {
		if cell > Wall && cell != Outside {
			return false
		}
	}
	return f.SizeX > 0 && f.SizeZ > 0
}

// Dump reports every field of a file to t, up to the first error.
func Dump(data []byte, t trace.Tracer) error {
	r := bin.NewReader(data, bin.LittleEndian)
	r.Trace(t)
	_, err := decode(r)
	r.Flush()
	return err
}

// Catalog lists the findings that [Check] can report.
var Catalog check.Catalog

var (
	foundUnreadable = Catalog.Add("tl-mpp-unreadable", check.Error,
		"The grid of a level cannot be read.",
		"Delete it and let GUTS build it again.")
	foundCell = Catalog.Add("tl-mpp-cell", check.Warning,
		"Cells have a value other than 0 (walkable), 1 (wall) and 255 (no ground).",
		"Correct these pixels in the picture, or let GUTS build the grid again.")
	foundNowhere = Catalog.Add("tl-mpp-nowhere", check.Error,
		"No cell is walkable: GUTS writes a grid of this kind if the compiled layout is missing when it begins.",
		"Build the mod in GUTS once more: the second time it finds the layout.")
	foundWorld = Catalog.Add("tl-mpp-world", check.Warning,
		"The offset or size of the grid in the world is not finite, or the size does not match the cells.",
		"Correct the comment of the picture, or let GUTS build the grid again.")
)

// maxPlaces is the greatest number of cells in a finding.
const maxPlaces = 4096

// Check reports problems that are visible in a file alone.
func Check(data []byte, sink check.Sink) {
	sink = text.AtNodes(sink)
	f, err := Decode(data)
	if err != nil {
		sink.Add(foundUnreadable, "", -1, "%v", err)
		return
	}
	odd, first, walkable := 0, 0, 0
	var at []check.Place
	for i, cell := range f.Cells {
		switch cell {
		case Walkable:
			walkable++
		case Wall, Outside:
		default:
			if odd++; odd == 1 {
				first = i
			}
			if odd <= maxPlaces {
				at = append(at, text.Place{Node: fmt.Sprintf("cells[%d]", i)})
			}
		}
	}
	if odd > 0 {
		sink.AddAt(foundCell, at, "cells", headerSize+int64(first),
			"%s with invalid values; the first is %d, at x %d y %d", words.Count(odd, "cell"), f.Cells[first], first%f.Width, first/f.Width)
	}
	if walkable == 0 {
		sink.Add(foundNowhere, "cells", -1, "none of the %d cells is walkable", len(f.Cells))
	}
	for _, v := range []float32{f.OffsetX, f.OffsetZ} {
		if v64 := float64(v); math.IsNaN(v64) || math.IsInf(v64, 0) {
			sink.Add(foundWorld, "offset", -1, "%v is not finite", v)
		}
	}
	for _, side := range []struct {
		size  float32
		cells int
	}{{f.SizeX, f.Width}, {f.SizeZ, f.Height}} {
		if !fits(side.size, side.cells) {
			sink.Add(foundWorld, "size", -1, "%d cells of %v are not %v", side.cells, CellSize, side.size)
		}
	}
}

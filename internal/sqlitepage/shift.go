package sqlitepage

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// sector is what a disk or a file system loses at once, at least.
const sector = 512

// A shift is a part of the file in which the pages are not in their places, because bytes before
// them are missing, or too many.
type shift struct {
	hole uint32 // the first page of which bytes are missing
	from uint32 // the first page after these
	by   int64  // how many bytes are missing before it
}

var errHole = errors.New("bytes of it are missing from the file")

// missingBefore returns how many bytes are missing in the file before a page, and whether bytes of
// the page are missing too.
func (f *File) missingBefore(page uint32) (by int64, hole bool) {
	for _, s := range slices.Backward(f.shifts) {
		if page >= s.from {
			return s.by, hole
		}
		hole = hole || page >= s.hole
	}
	return 0, hole
}

// findShifts looks for pages of trees at all multiples of 512 bytes, where the size of the file does
// not fit: two or more in a row that are out of their places by the same number of bytes show that
// something is missing before them.
func (f *File) findShifts() {
	size := int64(f.PageSize)
	lacks := int64(f.pages)*size - f.size
	if f.headed && lacks == 0 || !f.headed && f.size%size == 0 {
		return
	}
	var found []int64 // where pages are, in order
	for at := size; at+size <= f.size; {
		if f.isTreeAt(at) {
			found = append(found, at)
			at += size
		} else {
			at += sector
		}
	}
	by, last := int64(0), int64(0) // what is missing up to here; the last page that was found
	for i, at := range found {
		rest := floorMod(-at-by, size) // more bytes are missing
		if rest != 0 && (i+1 == len(found) || floorMod(found[i+1]-at, size) != 0) {
			continue // bytes of a row that look like a page
		}
		if rest != 0 {
			next := by + rest
			if f.headed && lacks < 0 {
				next -= size // something was put in
			}
			if f.headed && floorMod(lacks-next, size) == 0 && !slices.ContainsFunc(found[i:], func(later int64) bool { return floorMod(later-at, size) != 0 }) {
				next = lacks // there is no other hole
			}
			f.addShift(uint32((last+by)/size)+1, at, by, next)
			by = next
		}
		last = at
	}
	if !f.headed {
		f.pages = f.present()
	}
}

func floorMod(a, b int64) int64 { return ((a % b) + b) % b }

// addShift adds the shift that is between a page in its place and one at an offset.
func (f *File) addShift(before uint32, at, was, by int64) {
	size := int64(f.PageSize)
	begins := func(page uint32, by int64) bool {
		at := int64(page-1)*size - by
		var first [4]byte
		if n, _ := f.main.ReadAt(first[:], at); at < 0 || n < len(first) {
			return false
		}
		return binary.BigEndian.Uint32(first[:]) <= f.pages || isTree(first[0]) // it continues a row, or is of a tree
	}
	s := shift{from: uint32((at+by)/size) + 1, by: by} // the page that was found
	for s.from > before+1 && begins(s.from-1, by) {
		s.from--
	}
	s.hole = max(2, s.from-1-uint32(max(0, by-was-1)/size))
	if s.hole > before && !begins(s.hole, was) {
		s.hole-- // bytes are missing at its end too
	}
	f.shifts = append(f.shifts, s)
}

func isTree(kind byte) bool {
	return kind == tableInner || kind == tableLeaf || kind == indexInner || kind == indexLeaf
}

// isTreeAt reports whether a page of a tree is at an offset of the file, whole and with entries.
func (f *File) isTreeAt(at int64) bool {
	var kind [1]byte
	if n, _ := f.main.ReadAt(kind[:], at); n == 0 || !isTree(kind[0]) {
		return false
	}
	data := make([]byte, f.PageSize)
	if n, _ := f.main.ReadAt(data, at); n < len(data) {
		return false
	}
	p, err := f.parse(math.MaxUint32, data)
	return err == nil && p.tidy && len(p.cells) > 0
}

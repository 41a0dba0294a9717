package sqlitepage

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// sector is the minimum unit, in bytes, that a disk or file system loses.
const sector = 512

// A shift is a part of the file whose pages are displaced, because bytes before them are missing or were inserted.
type shift struct {
	hole uint32 // the first page with missing bytes
	from uint32 // the first page after these
	sure uint32 // the first page after these whose number is certain
	by   int64  // number of missing bytes before it
}

var (
	errHole   = errors.New("bytes of the page are missing from the file")
	errUnsure = errors.New("pages before this page are missing from the file; their number is unknown")
)

// unsure reports whether the number of a page is uncertain, so that only data within the page is reliable.
func (f *File) unsure(page uint32) bool {
	return slices.ContainsFunc(f.shifts, func(s shift) bool { return s.from <= page && page < s.sure })
}

// Moved returns the offset of the first displaced page, or -1 if there is none.
func (f *File) Moved() int64 {
	if len(f.shifts) == 0 {
		return -1
	}
	return f.Offset(f.shifts[0].from)
}

// missingBefore returns the number of bytes missing in the file before a page, and whether bytes of the page itself
// are missing.
func (f *File) missingBefore(page uint32) (by int64, hole bool) {
	for _, s := range slices.Backward(f.shifts) {
		if page >= s.from {
			return s.by, hole
		}
		hole = hole || page >= s.hole
	}
	return 0, hole
}

// findShifts searches for pages of trees at all multiples of 512 bytes if the size of the file is wrong: two or more
// consecutive pages that are displaced by the same number of bytes show that bytes before them are missing. If pages
// are displaced by multiples of the page size only, findMoved determines by how many.
func (f *File) findShifts() {
	size := int64(f.PageSize)
	lacks := int64(f.pages)*size - f.size
	if f.headed && lacks == 0 || !f.headed && f.size%size == 0 {
		return
	}
	var found []int64 // offsets of pages, in order
	for at := size; at+size <= f.size; {
		if f.isTreeAt(at) {
			found = append(found, at)
			at += size
		} else {
			at += sector
		}
	}
	by, last := int64(0), int64(0) // bytes missing up to here; offset of the last found page
	for i, at := range found {
		rest := floorMod(-at-by, size) // more bytes are missing
		if rest != 0 && (i+1 == len(found) || floorMod(found[i+1]-at, size) != 0) {
			continue // bytes of a row that resemble a page
		}
		if rest != 0 {
			next := by + rest
			if f.headed && lacks < 0 {
				next -= size // bytes were inserted
			}
			if f.headed && lacks <= f.size && floorMod(lacks-next, size) == 0 &&
				!slices.ContainsFunc(found[i:], func(later int64) bool { return floorMod(later-at, size) != 0 }) {
				next = lacks // there is no other gap
			}
			f.addShift(uint32((last+by)/size)+1, at, by, next)
			by = next
		}
		last = at
	}
	if f.headed && len(f.shifts) == 0 {
		f.findMoved(found, lacks)
	}
	if !f.headed {
		f.pages = f.present()
	}
}

// A child is a page referenced by another page, and the displacement of its rows.
type child struct {
	page uint32
	by   int64 // number of bytes missing before the page, if the rows belong to it
}

// findMoved determines which of the pages of trees at the given offsets are displaced by multiples of the page size:
// an inner page of a table refers to others by number and states the range of their rowids. Two or more consecutive
// pages displaced by the same number of pages show that pages before them are missing. The numbers of the pages
// between these and the preceding ones are uncertain: an overflow page there could belong to another row.
func (f *File) findMoved(found []int64, lacks int64) {
	type leaf struct{ first, last, at int64 }
	var leaves []leaf
	var inner []*page
	data := make([]byte, f.PageSize)
	for _, at := range found {
		if n, _ := f.main.ReadAt(data, at); n < len(data) {
			continue
		}
		switch p, err := f.parse(math.MaxUint32, data); {
		case err != nil || len(p.cells) == 0:
		case p.kind == tableLeaf:
			leaves = append(leaves, leaf{p.cells[0].rowid, p.cells[len(p.cells)-1].rowid, at})
		case p.kind == tableInner:
			inner = append(inner, p)
		}
	}
	slices.SortFunc(leaves, func(a, b leaf) int { return cmp.Compare(a.first, b.first) })
	var children []child
	for _, p := range inner {
		for i, c := range p.cells[1:] {
			from, to := p.cells[i].rowid, c.rowid
			at, _ := slices.BinarySearchFunc(leaves, from+1, func(l leaf, from int64) int { return cmp.Compare(l.first, from) })
			if at == len(leaves) || leaves[at].last > to || at+1 < len(leaves) && leaves[at+1].first <= to {
				continue // no match, or several
			}
			by := int64(c.child-1)*int64(f.PageSize) - leaves[at].at
			if by*lacks >= 0 && abs(by) <= min(abs(lacks), f.size) { // a larger shift would leave little of the file
				children = append(children, child{c.child, by})
			}
		}
	}
	slices.SortFunc(children, func(a, b child) int { return cmp.Compare(a.page, b.page) })
	by, last := int64(0), uint32(1)
	for i, c := range children {
		if c.by != by {
			if abs(c.by) < abs(by) || i+1 == len(children) && c.by != lacks || i+1 < len(children) && children[i+1].by != c.by {
				continue // an outdated reference
			}
			missing := max(0, (c.by-by)/int64(f.PageSize))
			f.shifts = append(f.shifts, shift{hole: last + 1, from: last + 1 + uint32(missing), sure: c.page, by: c.by})
			by = c.by
		}
		last = c.page
	}
}

func abs(n int64) int64 { return max(n, -n) }

func floorMod(a, b int64) int64 { return ((a % b) + b) % b }

// addShift adds the shift between a page in its place and the page at an offset.
func (f *File) addShift(before uint32, at, was, by int64) {
	size := int64(f.PageSize)
	begins := func(page uint32, by int64) bool {
		at := int64(page-1)*size - by
		var first [4]byte
		if n, _ := f.main.ReadAt(first[:], at); at < 0 || n < len(first) {
			return false
		}
		return binary.BigEndian.Uint32(first[:]) <= f.pages || isTree(first[0]) // an overflow page or a page of a tree
	}
	s := shift{from: uint32((at+by)/size) + 1, by: by} // the page that was found
	s.sure = s.from
	for s.from > before+1 && begins(s.from-1, by) {
		s.from--
	}
	s.hole = max(2, s.from-1-uint32(max(0, by-was-1)/size))
	if s.hole > before && !begins(s.hole, was) {
		s.hole-- // the end of this page is missing, too
	}
	f.shifts = append(f.shifts, s)
}

func isTree(kind byte) bool {
	return kind == tableInner || kind == tableLeaf || kind == indexInner || kind == indexLeaf
}

// isTreeAt reports whether a complete page of a tree, with entries, is at an offset of the file.
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

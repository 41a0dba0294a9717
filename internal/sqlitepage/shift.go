package sqlitepage

import (
	"cmp"
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
	sure uint32 // the first page after these of which it is certain that it has this number
	by   int64  // how many bytes are missing before it
}

var (
	errHole   = errors.New("bytes of it are missing from the file")
	errUnsure = errors.New("pages before it are missing from the file, and nothing tells which")
)

// unsure reports whether a page may have another number, so that only its own bytes can be relied on.
func (f *File) unsure(page uint32) bool {
	return slices.ContainsFunc(f.shifts, func(s shift) bool { return s.from <= page && page < s.sure })
}

// Moved returns where the first pages begin that are not in their places; -1 if all are.
func (f *File) Moved() int64 {
	if len(f.shifts) == 0 {
		return -1
	}
	return f.Offset(f.shifts[0].from)
}

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
// something is missing before them. If they are out of their places by whole pages only, findMoved
// tells by how many.
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
			if f.headed && lacks <= f.size && floorMod(lacks-next, size) == 0 && !slices.ContainsFunc(found[i:], func(later int64) bool { return floorMod(later-at, size) != 0 }) {
				next = lacks // there is no other hole
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

// A child is a page to which another one leads, and where in the file its rows are.
type child struct {
	page uint32
	by   int64 // how many bytes are missing before it, if the rows are its own
}

// findMoved finds out which of the pages of trees in a file, at the given offsets, are out of their
// places by whole pages: a page of a table leads to others by their numbers, and says between which
// numbers their rows are. Two or more in a row that are in other places by the same number of pages show
// that something is missing before them. The pages between them and the ones before may have other
// numbers: a row that continued in one of them could get the bytes of another row.
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
				continue // none, or several
			}
			by := int64(c.child-1)*int64(f.PageSize) - leaves[at].at
			if by*lacks >= 0 && abs(by) <= min(abs(lacks), f.size) { // more is no file of which much is left
				children = append(children, child{c.child, by})
			}
		}
	}
	slices.SortFunc(children, func(a, b child) int { return cmp.Compare(a.page, b.page) })
	by, last := int64(0), uint32(1)
	for i, c := range children {
		if c.by != by {
			if abs(c.by) < abs(by) || i+1 == len(children) && c.by != lacks || i+1 < len(children) && children[i+1].by != c.by {
				continue // a page that leads nowhere any more
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
	s.sure = s.from
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

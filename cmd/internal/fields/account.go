package fields

import (
	"cmp"
	"io"
	"slices"

	"trowel.example/trace"
)

// Account keeps in mind which bytes of a file its fields have.
type Account struct {
	Size int64 // of the file; 0 for a folder

	covered spans
	absent  []trace.Field // what should come after the end of the file
}

// Add takes a field. It reports whether that is there: a file that is cut off has fields for
// what it lacks.
func (a *Account) Add(f trace.Field) bool {
	if f.Space != "" {
		return true
	}
	if a.Size > 0 && f.Offset >= a.Size && f.Len > 0 {
		f.Bytes = nil
		a.absent = append(a.absent, f)
		return false
	}
	a.covered.add(f.Offset, f.Len)
	return true
}

// GapPath is the path of what is no field.
const GapPath = "gap"

// Gaps returns the bytes of the file that belong to no field, each with a value of the first
// of them, one more than the preview if there is one, and what the file lacks, without a value.
func (a *Account) Gaps(src io.ReaderAt) (gaps, absent []trace.Field) {
	for _, g := range a.covered.gaps(a.Size) {
		data := make([]byte, min(g.end-g.start, Preview+1))
		n, _ := src.ReadAt(data, g.start)
		gaps = append(gaps, trace.Field{Path: GapPath, Offset: g.start, Len: g.end - g.start, Value: data[:n], Meaning: "belongs to no field"})
	}
	slices.SortStableFunc(a.absent, func(a, b trace.Field) int { return cmp.Compare(a.Offset, b.Offset) })
	for _, f := range a.absent {
		absent = append(absent, trace.Field{Path: GapPath, Offset: f.Offset, Len: f.Len, Meaning: "missing: " + f.Meaning})
	}
	return gaps, absent
}

// span is the bytes from start up to end.
type span struct{ start, end int64 }

// spans is bytes of a file, in order and merged where they touch.
type spans []span

func (s *spans) add(start, length int64) {
	if length <= 0 {
		return
	}
	one := span{start, start + length}
	list := *s
	// Fields mostly come in order: then this looks at the last span only.
	i := len(list)
	for i > 0 && list[i-1].start > one.end {
		if i > 1 && list[i-2].start > one.end { // far back: search
			i, _ = slices.BinarySearchFunc(list, one.end, func(x span, at int64) int {
				if x.start <= at {
					return -1
				}
				return 1
			})
			break
		}
		i--
	}
	first := i
	for first > 0 && list[first-1].end >= one.start {
		first--
		one.start, one.end = min(one.start, list[first].start), max(one.end, list[first].end)
	}
	*s = slices.Replace(list, first, i, one)
}

// gaps returns what is not covered of a file of the given size.
func (s spans) gaps(size int64) []span {
	var gaps []span
	at := int64(0)
	for _, one := range s {
		if one.start > at {
			gaps = append(gaps, span{at, min(one.start, size)})
		}
		at = max(at, one.end)
	}
	if at < size {
		gaps = append(gaps, span{at, size})
	}
	return gaps
}

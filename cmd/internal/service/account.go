package service

import (
	"cmp"
	"io"
	"slices"

	"trowel.example/trace"
)

// FieldAccount records which bytes of a file belong to fields.
type FieldAccount struct {
	Size int64 // of the file; 0 for a folder

	covered FieldSpans
	absent  []trace.Field // fields expected after the end of the file
}

// Add adds a field. It reports whether the field is inside the file: a truncated file has fields for the
// missing bytes.
func (a *FieldAccount) Add(f trace.Field) bool {
	if f.Space != "" {
		return true
	}
	if a.Size > 0 && f.Offset >= a.Size && f.Len > 0 {
		f.Bytes = nil
		a.absent = append(a.absent, f)
		return false
	}
	a.covered.Add(f.Offset, f.Len)
	return true
}

// FieldGap is the path of gaps.
const FieldGap = "gap"

// Gaps returns the bytes of the file that belong to no field, and the missing fields. The value of a gap is its
// first bytes, at most one more than the preview. Missing fields have no value.
func (a *FieldAccount) Gaps(src io.ReaderAt) (gaps, absent []trace.Field) {
	for _, g := range a.covered.Gaps(a.Size) {
		data := make([]byte, min(g.End-g.Start, FieldPreview+1))
		n, _ := src.ReadAt(data, g.Start)
		gaps = append(gaps, trace.Field{Path: FieldGap, Offset: g.Start, Len: g.End - g.Start, Value: data[:n], Meaning: "belongs to no field"})
	}
	slices.SortStableFunc(a.absent, func(a, b trace.Field) int { return cmp.Compare(a.Offset, b.Offset) })
	for _, f := range a.absent {
		absent = append(absent, trace.Field{Path: FieldGap, Offset: f.Offset, Len: f.Len, Meaning: "missing: " + f.Meaning})
	}
	return gaps, absent
}

// FieldSpan is the range of bytes from Start up to, but not including, End.
type FieldSpan struct{ Start, End int64 }

// FieldSpans is a set of bytes of a file, sorted and merged where ranges touch.
type FieldSpans []FieldSpan

// Add adds length bytes from start.
func (s *FieldSpans) Add(start, length int64) {
	if length <= 0 {
		return
	}
	one := FieldSpan{start, start + length}
	list := *s
	// Fields are usually in order, so only the last range is checked.
	i := len(list)
	for i > 0 && list[i-1].Start > one.End {
		if i > 1 && list[i-2].Start > one.End { // far back: search
			i, _ = slices.BinarySearchFunc(list, one.End, func(x FieldSpan, at int64) int {
				if x.Start <= at {
					return -1
				}
				return 1
			})
			break
		}
		i--
	}
	first := i
	for first > 0 && list[first-1].End >= one.Start {
		first--
		one.Start, one.End = min(one.Start, list[first].Start), max(one.End, list[first].End)
	}
	*s = slices.Replace(list, first, i, one)
}

// Gaps returns the ranges of a file of the given size that are not covered.
func (s FieldSpans) Gaps(size int64) []FieldSpan {
	var gaps []FieldSpan
	at := int64(0)
	for _, one := range s {
		if one.Start > at {
			gaps = append(gaps, FieldSpan{at, min(one.Start, size)})
		}
		at = max(at, one.End)
	}
	if at < size {
		gaps = append(gaps, FieldSpan{at, size})
	}
	return gaps
}

// From returns the number of covered bytes at offset at, and the start of the next covered range; 0 if there is
// none.
func (s FieldSpans) From(at int64) (n, next int64) {
	i, _ := slices.BinarySearchFunc(s, at, func(one FieldSpan, at int64) int {
		if one.End <= at {
			return -1
		}
		return 1
	})
	if i < len(s) && s[i].Start <= at {
		n = s[i].End - at
		i++
	}
	if i < len(s) {
		next = s[i].Start
	}
	return n, next
}

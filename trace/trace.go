// Package trace reports the fields of a file: each with its place, its value and the meaning of the value, in the
// order in which a decoder reads them.
//
// The dump of a file is made from these reports only. Every byte belongs to a field, so that bytes which a decoder
// skips are shown as well.
package trace

// Field is one field of a file, as a Tracer sees it.
type Field struct {
	Space   string // "" for the file itself, else the path of the compressed field that these bytes were inflated from
	Path    string // path of the field, such as "items[3].size"
	Offset  int64  // offset of its first byte in its space
	Len     int64  // number of bytes
	Value   any    // the value: an integer, a string, a []byte, or nil for a span that is only counted
	Meaning string // what the value means, where that is not obvious
	Bytes   []byte // the bytes themselves, only for the time of the call; nil where nobody has them in memory
}

// Tracer receives every field, in the order in which they are read.
type Tracer func(Field)

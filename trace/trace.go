// Package trace reports the fields of a file: each with its place, its value and the meaning of the value, in the
// order in which a decoder reads them.
//
// The dump of a file is made from these reports only. Every byte belongs to a field, so that bytes which a decoder
// skips are shown as well.
package trace

// Field is one field of a file, as reported to a Tracer.
type Field struct {
	Space   string // "" for the file itself, otherwise the path of the compressed field that contains the bytes
	Path    string // path of the field, such as "items[3].size"
	Offset  int64  // offset of its first byte in its space
	Len     int64  // number of bytes
	Value   any    // the value: an integer, a string, a []byte, or nil for bytes that are only counted
	Meaning string // meaning of the value, if it is not obvious
	Bytes   []byte // the bytes, valid during the call only; nil if they are not in memory
}

// Tracer receives all fields in the order in which they are read.
type Tracer func(Field)

// Package bin is the cursor that every format of Trowel reads and writes with.
//
// A Reader walks over bytes that are already in memory. Each read names the
// field that it reads, so that an error can say which one broke, and so that a
// Tracer can account for every byte of a file without a second parser: `trowel
// dump` is made of nothing else.
//
//	r := bin.NewReader(data, bin.LittleEndian)
//	r.Enter("header")
//	version := r.Int32("version")
//	n := r.Count("num_items", 12)
//	r.Leave()
//	if err := r.Err(); err != nil { ... }
//
// The first error sticks: reads after it return zero values and move nothing,
// so that a run of reads needs a single check at its end. Nothing is ever
// allocated on the word of the file: Count checks a number of elements against
// the bytes that are there before anybody can make a slice of it.
package bin

import (
	"errors"
	"fmt"
	"strings"
)

// What can be wrong with bytes. A decoder wraps one of these in an [Error].
var (
	ErrShort   = errors.New("data ends too early") // fewer bytes than the format needs
	ErrFormat  = errors.New("invalid data")        // a value that the format does not allow
	ErrVersion = errors.New("unknown version")     // a version that is not implemented
	ErrLimit   = errors.New("limit exceeded")      // valid perhaps, but larger than anything sane
)

// Error says where in a file reading failed, and why.
type Error struct {
	File   string // name of the file, where known
	Path   string // path inside the file, such as "items[3].size"
	Offset int64  // offset of the field in the file (or in the inflated block that Path names); -1 if none
	Want   string // what was expected
	Got    string // what was found instead
	Err    error  // one of the sentinels, or a cause
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ": ")
	}
	if e.Path != "" {
		b.WriteString(e.Path)
		if e.Offset >= 0 {
			fmt.Fprintf(&b, " at offset %d", e.Offset)
		}
		b.WriteString(": ")
	} else if e.Offset >= 0 {
		fmt.Fprintf(&b, "offset %d: ", e.Offset)
	}
	switch {
	case e.Want != "" && e.Got != "":
		fmt.Fprintf(&b, "expected %s, found %s", e.Want, e.Got)
	case e.Want != "":
		fmt.Fprintf(&b, "expected %s", e.Want)
	case e.Got != "":
		fmt.Fprintf(&b, "found %s", e.Got)
	case e.Err != nil:
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// OffsetOf returns the offset that an [Error] in err tells, -1 if there is none.
func OffsetOf(err error) int64 {
	var e *Error
	if errors.As(err, &e) {
		return e.Offset
	}
	return -1
}

// InFile returns err with the file's name put into the Error that it holds, if
// any; a file that is named already keeps its name.
func InFile(err error, name string) error {
	var e *Error
	if name == "" || !errors.As(err, &e) || e.File != "" {
		return err
	}
	if top, ok := err.(*Error); ok {
		named := *top
		named.File = name
		return &named
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Order is the order of the bytes of an integer.
type Order bool

const (
	LittleEndian Order = false
	BigEndian    Order = true
)

// Field is one field of a file, as a Tracer sees it.
type Field struct {
	Space   string // "" for the file itself, else the path of the compressed field that these bytes were inflated from
	Path    string // path of the field, such as "items[3].size"
	Offset  int64  // offset of its first byte in its space
	Len     int64  // number of bytes
	Value   any    // the value: an integer, a string, a []byte, or nil for a span that is only counted
	Meaning string // what the value means, where that is not obvious
}

// Tracer receives every field, in the order in which they are read.
type Tracer func(Field)

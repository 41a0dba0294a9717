// Package fault defines errors that state a place: the file, the place inside it, what was expected there and what was
// found.
//
// Every decoder of this module returns such an error for bytes that it cannot read, so that a program can show the
// place and distinguish the causes:
//
//	m, err := twmap.Decode(data)
//	switch {
//	case errors.Is(err, fault.ErrLost):
//		// a part of the file is missing or damaged
//	case errors.Is(err, fault.ErrShort):
//		// the file is cut off
//	case err != nil:
//		// the file cannot be read
//	}
//	if e, ok := errors.AsType[*fault.Error](err); ok {
//		fmt.Println(e.Path, e.Offset)
//	}
//
// A nil error means that everything listed in the file was read. With [ErrShort] and [ErrLost] a decoder may return
// the readable parts; an encoder refuses to write these after a change. Programs that accept losses call the lenient
// form of the decoder, which has another name, such as Salvage. Parts that are read later, such as the tiles of a
// layer or a block of a world, have their own errors.
package fault

import (
	"errors"
	"fmt"
	"strings"

	"trowel.example/internal/text/words"
)

// The causes of decoding errors. A decoder wraps one of these in an [Error].
var (
	ErrShort   = errors.New("data ends too early") // fewer bytes than the format needs
	ErrFormat  = errors.New("invalid data")        // a value that the format does not allow
	ErrVersion = errors.New("unknown version")     // a version that is not implemented
	ErrLimit   = errors.New("limit exceeded")      // possibly valid, but larger than any reasonable file
	ErrLost    = errors.New("content is lost")     // parts listed in the file are missing or unreadable; the rest was read
)

// Error states where in a file reading failed, and why.
type Error struct {
	File   string // name of the file, if known
	Path   string // path inside the file, such as "items[3].size"
	Offset int64  // offset of the field in the file, or in the inflated block that Path names; -1 if unknown
	Want   string // what was expected
	Got    string // what was found
	Err    error  // one of the errors above, or another cause
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
	return words.OneLine(b.String())
}

func (e *Error) Unwrap() error { return e.Err }

// OffsetOf returns the offset of the first [Error] in err, or -1 if there is none.
func OffsetOf(err error) int64 {
	var e *Error
	if errors.As(err, &e) {
		return e.Offset
	}
	return -1
}

// InFile returns err with the file name set in the [Error] that it holds, if any. It does not replace an existing file
// name.
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

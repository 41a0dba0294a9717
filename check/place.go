package check

import (
	"encoding/json"
	"fmt"
)

// Place is a place in a file, as data for programs that navigate to it, such as a viewer or an editor. A format whose
// parts have numbers and names, or that describes a space, declares its own type of place. Every place is a JSON
// object with stable keys.
type Place interface {
	json.Marshaler
	fmt.Stringer // for people, short, such as "161,37"
}

// Line is a place in a text file.
type Line struct {
	Path   string // path of the text inside the file or folder; "" if the file itself is the text
	Line   int    // path of the text inside the file or folder; "" if the file itself is the text
	Column int    // from 1, in bytes; 0 for the whole line
}

func (l Line) String() string {
	s := fmt.Sprint(l.Line)
	if l.Column > 0 {
		s += fmt.Sprintf(":%d", l.Column)
	}
	if l.Path != "" {
		s = l.Path + ":" + s
	}
	return s
}

// MarshalJSON writes {path, line, column}. It omits an empty path and a zero column.
func (l Line) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Path   string `json:"path,omitempty"`
		Line   int    `json:"line"`
		Column int    `json:"column,omitempty"`
	}{l.Path, l.Line, l.Column})
}

// Span is a range of bytes in a file.
type Span struct {
	Offset int64 // of the first byte
	Length int64 // in bytes
}

func (s Span) String() string { return fmt.Sprintf("bytes %d to %d", s.Offset, s.Offset+s.Length) }

// MarshalJSON writes {offset, length}.
func (s Span) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Offset int64 `json:"offset"`
		Length int64 `json:"length"`
	}{s.Offset, s.Length})
}

// File is a whole file inside an archive or a folder.
type File string

func (f File) String() string { return string(f) }

// MarshalJSON writes {path}.
func (f File) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Path string `json:"path"`
	}{string(f)})
}

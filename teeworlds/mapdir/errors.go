package mapdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Error tells what is wrong with a file of the folder.
type Error struct {
	File string // path in the folder
	Line int    // from 1; 0 if the whole file is meant
	Msg  string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// readJSON reads a JSON file. Unknown fields are errors: they are misspelt ones.
func readJSON(fsys fs.FS, name string, v any) error {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	return decodeJSON(name, data, v)
}

func decodeJSON(name string, data []byte, v any) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors put a byte order mark there
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	if err == nil {
		if rest := bytes.TrimSpace(data[dec.InputOffset():]); len(rest) > 0 {
			return &Error{name, lineOf(data, dec.InputOffset()) + 1, "text behind the end of the JSON value"}
		}
		return nil
	}
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return &Error{name, lineOf(data, syntax.Offset), "invalid JSON: " + syntax.Error()}
	case errors.As(err, &typ):
		return &Error{name, lineOf(data, typ.Offset), fmt.Sprintf("field %q cannot be a %s", typ.Field, typ.Value)}
	}
	msg := strings.TrimPrefix(err.Error(), "json: ")
	if field, ok := strings.CutPrefix(msg, "unknown field "); ok {
		return &Error{name, lineOf(data, int64(max(bytes.Index(data, []byte(field)), 0))), msg}
	}
	return &Error{name, lineOf(data, int64(len(data))), "invalid JSON: " + msg}
}

// lineOf returns the number of the line in which an offset lies.
func lineOf(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
}

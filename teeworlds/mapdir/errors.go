package mapdir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"trowel.example/internal/strictjson"
)

// Error says what is wrong with a file of the folder.
type Error struct {
	File         string // path in the folder
	Line, Column int    // from 1; 0 if the whole file or line is meant
	Path         string // of a value in a JSON file, such as quads[3].points
	Msg          string
}

func (e *Error) Error() string {
	at := e.File
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, e.Line)
	}
	if e.Column > 0 {
		at = fmt.Sprintf("%s:%d", at, e.Column)
	}
	if e.Path != "" {
		return at + ": " + e.Path + ": " + e.Msg
	}
	return at + ": " + e.Msg
}

// byteOrderMark is what some editors put in front of a text. It is no part of
// any text of a map, so it is an error in all of them.
const byteOrderMark = "\ufeff"

// readText reads a file of text.
func readText(fsys fs.FS, name string) ([]byte, error) {
	data, err := fs.ReadFile(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{File: name, Msg: "the file is missing"}
	case err != nil:
		return nil, err
	case bytes.HasPrefix(data, []byte(byteOrderMark)):
		return nil, &Error{File: name, Line: 1, Column: 1, Msg: "a byte order mark: expected UTF-8 without one"}
	}
	return data, nil
}

// decodeJSON reads a JSON file.
func decodeJSON(name string, data []byte, v any) []error {
	var errs []error
	for _, e := range strictjson.Unmarshal(data, v) {
		errs = append(errs, &Error{name, e.Line, e.Column, e.Path, e.Msg})
	}
	return errs
}

// maxTold is how many errors are told of a folder.
const maxTold = 50

var indexes = regexp.MustCompile(`\[\d+\]`)

// joinErrors joins errors. One mistake that was made many times is told once.
func joinErrors(errs []error) error {
	type mistake struct{ field, msg string }
	type told struct {
		first  *Error
		files  map[string]bool
		places int
	}
	known := make(map[mistake]*told)
	var all []error
	for _, err := range errs {
		e, ok := err.(*Error)
		if !ok {
			all = append(all, err)
			continue
		}
		m := mistake{indexes.ReplaceAllString(e.Path[strings.LastIndexByte(e.Path, '.')+1:], ""), e.Msg}
		t := known[m]
		if t == nil {
			own := *e
			t = &told{first: &own, files: map[string]bool{e.File: true}}
			known[m] = t
			all = append(all, &own)
			continue
		}
		t.files[e.File] = true
		t.places++
	}
	for _, t := range known {
		switch more := len(t.files) - 1; {
		case more == 1:
			t.first.Msg += ", and in one more file"
		case more > 1:
			t.first.Msg += fmt.Sprintf(", and in %d more files", more)
		case t.places == 1:
			t.first.Msg += ", and at one more place"
		case t.places > 1:
			t.first.Msg += fmt.Sprintf(", and at %d more places", t.places)
		}
	}
	if more := len(all) - maxTold; more > 1 {
		all = append(all[:maxTold:maxTold], fmt.Errorf("and %d more errors", more))
	}
	return errors.Join(all...)
}

// Package forms is for folders that people edit: it reads and writes their texts and JSON
// files, and tells all that is wrong with them at once.
package forms

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"regexp"
	"slices"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/strictjson"
	"trowel.example/internal/tree"
)

// ByteOrderMark is what some editors put in front of a text. It is part of no text that a folder has, and is
// ignored in all of them.
const ByteOrderMark = "\ufeff"

// ReadText reads a file of text, without a byte order mark. The error is a [*fault.TextError], or from fsys.
func ReadText(fsys fs.FS, name string) ([]byte, error) {
	data, err := fs.ReadFile(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &fault.TextError{File: name, Msg: "the file is missing"}
	case err != nil:
		return nil, err
	}
	return bytes.TrimPrefix(data, []byte(ByteOrderMark)), nil
}

// ReadJSON reads a file of JSON as [strictjson.Unmarshal] does.
func ReadJSON(fsys fs.FS, name string, v any) []error {
	data, err := ReadText(fsys, name)
	if err != nil {
		return []error{err}
	}
	return DecodeJSON(name, data, v)
}

// DecodeJSON is ReadJSON for what was read.
func DecodeJSON(name string, data []byte, v any) []error {
	var errs []error
	for _, e := range strictjson.Unmarshal(data, v) {
		errs = append(errs, &fault.TextError{File: name, Line: e.Line, Column: e.Column, Path: e.Path, Msg: e.Msg})
	}
	return errs
}

// ReadSidecar reads the sidecar of a folder into v, and leaves v alone if there is none. It
// may have fields that are not ours: a later version may have written it.
func ReadSidecar(fsys fs.FS, v any) error {
	data, err := fs.ReadFile(fsys, tree.Sidecar)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		e := &fault.TextError{File: tree.Sidecar, Msg: fmt.Sprintf("damaged (%v): without it a clean file is built", err)}
		if syntax, is := errors.AsType[*json.SyntaxError](err); is {
			e.Line, e.Column = strictjson.Place(data, int(syntax.Offset))
		}
		return e
	}
	return nil
}

// HasFormat reports whether a file of JSON says that its folder is of a format. One that
// may not be read counts: whoever reads it says so.
func HasFormat(fsys fs.FS, name, format string) bool {
	data, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrPermission) {
		return true
	}
	return err == nil && bytes.Contains(data, []byte(`"`+format+`"`))
}

// MaxText is the size of the largest file in bytes that is made as text.
const MaxText = 96 << 20

// Marshal writes v as indented JSON, and after its fields a list with one item on each line.
func Marshal[T any](v any, list string, items []T) ([]byte, error) {
	return MarshalEach(v, list, slices.Values(items))
}

// MarshalEach is Marshal for items that are made one after the other. A file of more than
// [MaxText] bytes is an error that wraps [fault.ErrLimit].
func MarshalEach[T any](v any, list string, items iter.Seq[T]) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	b = *bytes.NewBuffer(joinNumbers(b.Bytes()))
	text := b.Bytes()
	var line bytes.Buffer
	enc = json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	n := 0
	for item := range items {
		line.Reset()
		if err := enc.Encode(item); err != nil {
			return nil, err
		}
		if n == 0 {
			text = append(text[:len(text)-len("\n}\n")], ",\n  \""+list+"\": ["...)
		} else {
			text = append(text, ',')
		}
		n++
		text = append(text, "\n    "...)
		text = append(text, bytes.TrimRight(line.Bytes(), "\n")...)
		if len(text) > MaxText {
			return nil, &fault.Error{Path: fmt.Sprintf("%s[%d]", list, n-1), Offset: -1, Want: fmt.Sprintf("a text of at most %d bytes", MaxText), Got: "more", Err: fault.ErrLimit}
		}
	}
	if n > 0 {
		text = append(text, "\n  ]\n}\n"...)
	}
	return text, nil
}

// numbers is a list of numbers in indented JSON.
var numbers = regexp.MustCompile(`\[\s+-?\d+(,\s+-?\d+)*\s+\]`)

// joinNumbers puts each list of numbers in indented JSON on one line.
func joinNumbers(b []byte) []byte {
	return numbers.ReplaceAllFunc(b, func(list []byte) []byte {
		list = bytes.Join(bytes.Fields(list), nil)
		return bytes.ReplaceAll(list, []byte(","), []byte(", "))
	})
}

// maxTold is how many errors are told of a folder.
const maxTold = 50

var indexes = regexp.MustCompile(`\[\d+\]`)

// Join joins errors. One mistake that was made many times is told once.
func Join(errs []error) error {
	type mistake struct{ field, msg string }
	type told struct {
		first  *fault.TextError
		files  map[string]bool
		places int
	}
	known := make(map[mistake]*told)
	var all []error
	for _, err := range errs {
		e, ok := err.(*fault.TextError)
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

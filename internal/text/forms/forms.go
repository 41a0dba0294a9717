// Package forms reads and writes the texts and JSON files of folders that people edit, and reports all errors in them
// at once.
package forms

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"regexp"
	"slices"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/text/strictjson"
	"trowel.example/internal/text/words"
)

// ByteOrderMark is the byte order mark that some editors write at the start of a text. It is ignored in all texts.
const ByteOrderMark = "\ufeff"

// ReadText reads a text file, without a byte order mark. The error is a [*fault.TextError], or comes from fsys.
func ReadText(fsys fs.FS, name string) ([]byte, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, missing(name, err)
	}
	return bytes.TrimPrefix(data, []byte(ByteOrderMark)), nil
}

// missing returns the error of reading a text.
func missing(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &fault.TextError{File: name, Msg: "the file is missing"}
	}
	return err
}

// Text is an open text file.
type Text struct {
	*bufio.Reader
	io.Closer
}

// OpenText is [ReadText] for a large file, of which a piece is in memory at a time.
func OpenText(fsys fs.FS, name string) (Text, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return Text{}, missing(name, err)
	}
	r := bufio.NewReaderSize(f, 64<<10)
	if mark, _ := r.Peek(len(ByteOrderMark)); string(mark) == ByteOrderMark {
		_, _ = r.Discard(len(mark))
	}
	return Text{r, f}, nil
}

// ReadJSON reads a JSON file with [strictjson.Unmarshal].
func ReadJSON(fsys fs.FS, name string, v any) []error {
	data, err := ReadText(fsys, name)
	if err != nil {
		return []error{err}
	}
	return DecodeJSON(name, data, v)
}

// DecodeJSON is ReadJSON for data that has been read.
func DecodeJSON(name string, data []byte, v any) []error {
	var errs []error
	for _, e := range strictjson.Unmarshal(data, v) {
		errs = append(errs, &fault.TextError{File: name, Line: e.Line, Column: e.Column, Path: e.Path, Msg: e.Msg})
	}
	return errs
}

// ReadSidecar reads the sidecar of a folder into v, and leaves v unchanged if there is none. It ignores unknown
// fields: a later version may have written the sidecar.
func ReadSidecar(fsys fs.FS, v any) error {
	data, err := fs.ReadFile(fsys, tree.Sidecar)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		e := &fault.TextError{File: tree.Sidecar, Msg: fmt.Sprintf("damaged (%v): a clean file is built without it", err)}
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			e.Line, e.Column = strictjson.Place(data, int(syntax.Offset))
		}
		return e
	}
	return nil
}

// HasFormat reports whether a JSON file states that its folder has the given format. It also reports true if
// permissions prevent reading the file: reading it later returns the error.
func HasFormat(fsys fs.FS, name, format string) bool {
	data, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrPermission) {
		return true
	}
	return err == nil && bytes.Contains(data, []byte(`"`+format+`"`))
}

// MaxText is the maximum size in bytes of a file that is written as text.
const MaxText = 96 << 20

// Marshal encodes v as indented JSON, followed by a list with one item on each line.
func Marshal[T any](v any, list string, items []T) ([]byte, error) {
	return MarshalEach(v, list, slices.Values(items))
}

// MarshalEach is Marshal for a sequence of items. For a result of more than [MaxText] bytes it returns an error that
// wraps [fault.ErrLimit].
func MarshalEach[T any](v any, list string, items iter.Seq[T]) ([]byte, error) {
	text, err := strictjson.Marshal(v, "  ")
	if err != nil {
		return nil, err
	}
	text = joinNumbers(text)
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
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
			return nil, &fault.Error{Path: fmt.Sprintf("%s[%d]", list, n-1), Offset: -1,
				Want: fmt.Sprintf("a text of at most %d bytes", MaxText), Got: "more", Err: fault.ErrLimit}
		}
	}
	if n > 0 {
		text = append(text, "\n  ]\n}\n"...)
	}
	return text, nil
}

// numbers matches a list of numbers in indented JSON.
var numbers = regexp.MustCompile(`\[\s+-?\d+(,\s+-?\d+)*\s+\]`)

// joinNumbers joins the lines of each list of numbers in indented JSON.
func joinNumbers(b []byte) []byte {
	return numbers.ReplaceAllFunc(b, func(list []byte) []byte {
		list = bytes.Join(bytes.Fields(list), nil)
		return bytes.ReplaceAll(list, []byte(","), []byte(", "))
	})
}

// maxReported is the maximum number of errors reported for a folder.
const maxReported = 50

var indexes = regexp.MustCompile(`\[\d+\]`)

// Join joins errors. It reports a repeated mistake once.
func Join(errs []error) error {
	type mistake struct{ field, msg string }
	type repeated struct {
		first  *fault.TextError
		files  map[string]bool
		places int
	}
	known := make(map[mistake]*repeated)
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
			t = &repeated{first: &own, files: map[string]bool{e.File: true}}
			known[m] = t
			all = append(all, &own)
			continue
		}
		t.files[e.File] = true
		t.places++
	}
	for _, t := range known {
		if more := len(t.files) - 1; more > 0 {
			t.first.Msg += ", and " + words.Count(more, "more file")
		} else if t.places > 0 {
			t.first.Msg += ", and " + words.Count(t.places, "more place")
		}
	}
	if more := len(all) - maxReported; more > 1 {
		all = append(all[:maxReported:maxReported], fmt.Errorf("and %s", words.Count(more, "more error")))
	}
	return errors.Join(all...)
}

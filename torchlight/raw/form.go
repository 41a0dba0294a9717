package raw

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"trowel.example/fault"
)

// Options say what a file does not.
type Options struct {
	Path string // path of the file, such as "MEDIA/SKILLS.RAW": its base name tells the table

	FormOnly bool // Decompile finds no residue, which takes most of its time
}

// Residue holds what the form of a table does not say.
type Residue struct {
	// Whole is the file itself, where JSON cannot hold one of its strings: one
	// with half a surrogate pair.
	Whole []byte `json:"whole,omitempty"`
}

// form is the JSON of a table: its kind, and the fields of the one table that
// is not nil.
type form struct {
	Table Kind `json:"table"`
	*Affixes
	*Missiles
	*RoomPieces
	*Skills
	*Triggerables
	*UI
	*UnitData
}

func newForm(t Table) form {
	f := form{Table: t.Kind()}
	switch t := t.(type) {
	case *Affixes:
		f.Affixes = t
	case *Missiles:
		f.Missiles = t
	case *RoomPieces:
		f.RoomPieces = t
	case *Skills:
		f.Skills = t
	case *Triggerables:
		f.Triggerables = t
	case *UI:
		f.UI = t
	case *UnitData:
		f.UnitData = t
	}
	return f
}

// table returns the table that the form holds, or an error if it holds records of another.
func (f form) table() (Table, error) {
	own := New(f.Table)
	if own == nil {
		return nil, errors.New(`"table" is missing: it says which table this is, such as "SKILLS"`)
	}
	held := func(t Table, is bool) error {
		if !is {
			return nil
		}
		if t.Kind() != f.Table {
			return fmt.Errorf("records of the table %s in the table %s", t.Kind(), f.Table)
		}
		own = t
		return nil
	}
	err := errors.Join(
		held(f.Affixes, f.Affixes != nil),
		held(f.Missiles, f.Missiles != nil),
		held(f.RoomPieces, f.RoomPieces != nil),
		held(f.Skills, f.Skills != nil),
		held(f.Triggerables, f.Triggerables != nil),
		held(f.UI, f.UI != nil),
		held(f.UnitData, f.UnitData != nil),
	)
	return own, err
}

// Format returns the JSON of a table, in which each field of a record has a
// line of its own.
func Format(t Table) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	enc.Encode(newForm(t)) // numbers and strings: nothing in it can fail
	return b.Bytes()
}

// Parse reads what Format writes, and what a person made of it: enumerations
// are names or numbers, GUIDs strings or numbers. An error is a [*fault.Error]
// whose path is the line.
func Parse(data []byte) (Table, error) {
	var f form
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return nil, jsonError(data, err)
	}
	if end := dec.InputOffset(); len(bytes.TrimSpace(data[end:])) > 0 {
		return nil, formError(data, end, fault.ErrFormat, "nothing behind the end of the JSON value", "")
	}
	t, err := f.table()
	if err != nil {
		return nil, formError(data, 0, fault.ErrFormat, err.Error(), "")
	}
	return t, nil
}

// jsonError says what is wrong with the JSON, and in which line if that is clear.
func jsonError(data []byte, err error) error {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return formError(data, syntax.Offset, fault.ErrFormat, "valid JSON: "+syntax.Error(), "")
	case errors.As(err, &typ):
		return formError(data, typ.Offset, fault.ErrFormat, fmt.Sprintf("%s in the field %q", typ.Type, fieldName(typ.Field)), typ.Value)
	case errors.Is(err, io.EOF):
		return formError(data, 0, fault.ErrShort, "valid JSON", "nothing")
	}
	what := strings.TrimPrefix(err.Error(), "json: ")
	field, _ := strings.CutPrefix(what, "unknown field ")
	var value *valueError
	if errors.As(err, &value) {
		field = value.text
	}
	if bytes.Count(data, []byte(field)) == 1 {
		return formError(data, int64(bytes.Index(data, []byte(field))), fault.ErrFormat, "a table: "+what, "")
	}
	return &fault.Error{Offset: -1, Want: "a table: " + what, Err: fault.ErrFormat}
}

// fieldName leaves out the name of the Go struct from a path such as "UnitData.items.level".
func fieldName(path string) string {
	if first, rest, ok := strings.Cut(path, "."); ok && first != strings.ToLower(first) {
		return rest
	}
	return path
}

// formError is an error about the line in which an offset lies.
func formError(data []byte, offset int64, cause error, want, got string) error {
	line := 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
	return &fault.Error{Path: fmt.Sprintf("line %d", line), Offset: -1, Want: want, Got: got, Err: cause}
}

// Decompile returns the JSON of a table, and what that does not say; nil if
// it says all.
func Decompile(data []byte, o Options) (form []byte, residue *Residue, err error) {
	k, err := kindOf(data, o.Path)
	if err != nil {
		return nil, nil, err
	}
	t, err := Decode(data, k)
	if err != nil {
		return nil, nil, err
	}
	form = Format(t)
	if o.FormOnly {
		return form, nil, nil
	}
	if back, err := Compile(form, nil, o); err != nil || !bytes.Equal(back, data) {
		residue = &Residue{Whole: bytes.Clone(data)}
	}
	return form, residue, nil
}

// Compile makes the table from its JSON. With the residue of that very form the
// result is the very file again.
func Compile(form []byte, residue *Residue, o Options) (data []byte, err error) {
	if residue != nil && residue.Whole != nil {
		return residue.Whole, nil
	}
	t, err := Parse(form)
	if err != nil {
		return nil, err
	}
	if k, ok := KindOf(o.Path); ok && k != t.Kind() {
		return nil, &fault.Error{Path: "table", Offset: -1, Want: k.String() + ", as the name of the file says", Got: t.Kind().String(), Err: fault.ErrFormat}
	}
	return Encode(t)
}

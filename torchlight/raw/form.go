package raw

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf16"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/text/strictjson"
	"trowel.example/torchlight/text"
)

// Options hold information that a file does not contain.
type Options struct {
	Path string // path of the file, for example "MEDIA/SKILLS.RAW": its base name gives the kind of the table

	FormOnly bool // Decompile computes no residue, which takes most of its time
}

// Residue holds everything about a table that its form does not contain.
type Residue struct {
	// Whole is the file itself. It is set if the form does not reproduce it.
	Whole []byte `json:"whole,omitempty"`
}

// form is the JSON of a table: its kind, and the fields of the only table that is not nil.
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

// table returns the table in the form, and a problem if the form has records of another kind.
func (f form) table() (own Table, problem string) {
	if own = New(f.Table); own == nil {
		return nil, `"table" is missing: it states which table this is, such as "SKILLS"`
	}
	for _, t := range []Table{f.Affixes, f.Missiles, f.RoomPieces, f.Skills, f.Triggerables, f.UI, f.UnitData} {
		if reflect.ValueOf(t).IsNil() {
			continue
		}
		if t.Kind() != f.Table {
			return nil, fmt.Sprintf("records of the table %s in the table %s", t.Kind(), f.Table)
		}
		own = t
	}
	return own, ""
}

// Format returns the JSON of a table, with each field of a record on its own line. An unpaired surrogate is an escape,
// such as \ud800.
func Format(t Table) []byte {
	form := encode(t)
	if !bytes.Contains(form, []byte(`\ufffd`)) { // the escape of the encoder for what JSON cannot hold
		return form
	}
	mark := rune(0xE000) // for private use
	for bytes.ContainsRune(form, mark) {
		mark++
	}
	t = Clone(t)
	w := newWriter(t)
	w.see = func(s *string) { *s = markHalves(*s, mark) }
	t.walk(w)
	return bytes.ReplaceAll(encode(t), []byte(string(mark)), []byte(`\u`))
}

func encode(t Table) []byte {
	data, _ := strictjson.Marshal(newForm(t), "  ") // cannot fail: there are only numbers and strings
	return data
}

// markHalves replaces unpaired surrogates by a mark and four hexadecimal digits.
func markHalves(s string, mark rune) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := bin.DecodeWTF8(s)
		if utf16.IsSurrogate(r) {
			fmt.Fprintf(&b, "%c%04x", mark, r)
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// Parse reads the output of Format, possibly edited: enumerations are names or numbers, GUIDs strings or numbers. The
// form may be in UTF-8 or UTF-16, with or without a byte order mark. The error is [text.Errors], which has all problems
// with their places.
func Parse(data []byte) (Table, error) {
	data, err := text.ToUTF8(data)
	if err != nil {
		return nil, text.Errors(text.AllErrors(err))
	}
	var f form
	wrong := strictjson.UnmarshalWTF8(data, &f)
	t, problem := f.table()
	if len(wrong) == 0 && problem != "" {
		wrong = []*strictjson.Error{{Line: 1, Column: 1, Msg: problem}}
	}
	var errs text.Errors
	for _, e := range wrong {
		errs = append(errs, &text.Error{Line: e.Line, Column: e.Column, Got: e.Message(), Err: fault.ErrFormat})
	}
	if errs != nil {
		return nil, errs
	}
	return t, nil
}

// Decompile returns the JSON of a table and its residue: everything that the JSON does not contain, or nil if it
// contains all.
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

// Compile returns the table of its JSON. With the residue of exactly that form it reproduces the original file byte for
// byte.
func Compile(form []byte, residue *Residue, o Options) (data []byte, err error) {
	if residue != nil && residue.Whole != nil {
		return residue.Whole, nil
	}
	t, err := Parse(form)
	if err != nil {
		return nil, err
	}
	if k, ok := KindOf(o.Path); ok && k != t.Kind() {
		return nil, &fault.Error{Path: "table", Offset: -1, Want: k.String() + ", as in the name of the file",
			Got: t.Kind().String(), Err: fault.ErrFormat}
	}
	return Encode(t)
}

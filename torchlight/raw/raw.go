// Package raw reads and writes the .RAW files of Torchlight II: seven tables that GUTS, the game's editor, creates from
// the sources of a game or a mod, so that the game need not read every file to find its contents.
//
// A file does not state its kind of table; its base name does:
//
//	kind, _ := raw.KindOf("MEDIA/SKILLS.RAW")
//	table, err := raw.Decode(data, kind)
//	for _, s := range table.(*raw.Skills).Skills { fmt.Println(s.Name) }
//
// The models hold the complete contents of a file, so Decode followed by Encode reproduces the file byte for byte.
// [Decompile] and [Compile] convert between a file and JSON, its editable form. Package torchlight/internal/tables builds the
// tables from sources.
package raw

import (
	"fmt"
	"path"
	"reflect"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/text/words"
	"trowel.example/internal/values/deep"
	"trowel.example/trace"
)

// Kind is the kind of a table.
type Kind uint8

// The tables, each named by the base name of its file.
const (
	KindAffixes      Kind = iota + 1 // AFFIXES.RAW
	KindMissiles                     // MISSILES.RAW
	KindRoomPieces                   // ROOMPIECES.RAW
	KindSkills                       // SKILLS.RAW
	KindTriggerables                 // TRIGGERABLES.RAW
	KindUI                           // UI.RAW
	KindUnitData                     // UNITDATA.RAW
)

var kindNames = [...]string{"AFFIXES", "MISSILES", "ROOMPIECES", "SKILLS", "TRIGGERABLES", "UI", "UNITDATA"}

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{KindAffixes, KindMissiles, KindRoomPieces, KindSkills, KindTriggerables, KindUI, KindUnitData}
}

// String returns the name of the table, for example "SKILLS".
func (k Kind) String() string {
	if k < KindAffixes || k > KindUnitData {
		return fmt.Sprintf("table kind %d", uint8(k))
	}
	return kindNames[k-KindAffixes]
}

// File returns the path of the table in the game, for example "MEDIA/SKILLS.RAW".
func (k Kind) File() string { return "MEDIA/" + k.String() + ".RAW" }

// MarshalText writes the name of the table.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the name of a table.
func (k *Kind) UnmarshalText(text []byte) error {
	for _, known := range Kinds() {
		if strings.EqualFold(known.String(), string(text)) {
			*k = known
			return nil
		}
	}
	return fmt.Errorf("unknown table %q: expected one of %s", text, strings.Join(kindNames[:], ", "))
}

// KindOf returns the kind of a table by the base name of its file. It ignores case and everything after the first dot:
// "MEDIA/SKILLS.RAW" and "skills.raw.json" are SKILLS.
func KindOf(name string) (Kind, bool) {
	base, _, _ := strings.Cut(path.Base(strings.ReplaceAll(name, `\`, "/")), ".")
	var k Kind
	err := k.UnmarshalText([]byte(base))
	return k, err == nil
}

// Table is one of [*Affixes], [*Missiles], [*RoomPieces], [*Skills],
// [*Triggerables], [*UI] and [*UnitData].
type Table interface {
	// Kind returns the kind of the table.
	Kind() Kind
	// Len returns the number of records.
	Len() int
	// walk visits the fields in the order of the file.
	walk(c *codec)
}

// New returns an empty table, or nil for an unknown kind.
func New(k Kind) Table {
	switch k {
	case KindAffixes:
		return new(Affixes)
	case KindMissiles:
		return new(Missiles)
	case KindRoomPieces:
		return new(RoomPieces)
	case KindSkills:
		return new(Skills)
	case KindTriggerables:
		return new(Triggerables)
	case KindUI:
		return new(UI)
	case KindUnitData:
		return new(UnitData)
	}
	return nil
}

// Decode reads a table of kind k. It allocates memory only for strings and lists that are completely in the data. Every
// error is a [*fault.Error]. Bytes after the end of the table are an error.
func Decode(data []byte, k Kind) (Table, error) {
	r := bin.NewReader(data, bin.LittleEndian)
	return decode(r, k)
}

func decode(r *bin.Reader, k Kind) (Table, error) {
	t := New(k)
	if t == nil {
		return nil, &fault.Error{Offset: -1, Want: "a kind of table", Got: k.String(), Err: fault.ErrFormat}
	}
	t.walk(&codec{r: r})
	if r.Err() == nil && r.Len() > 0 {
		r.Fail("", fault.ErrFormat, "the end of the table "+k.String(), words.Count(r.Len(), "more byte"))
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return t, nil
}

// Clone returns an independent copy of the table.
func Clone(t Table) Table { return deep.Clone(t) }

// Equal reports whether two tables have equal contents.
func Equal(a, b Table) bool { return deep.Equal(a, b) }

// Encode returns the file of the table; it does not change the table. It fails with a [*fault.Error] that names the record
// if a string has more than 65535 UTF-16 units, or a list has more elements than its count can hold.
func Encode(t Table) ([]byte, error) {
	if t == nil || reflect.ValueOf(t).IsNil() {
		return nil, &fault.Error{Offset: -1, Want: "a table", Got: "nil", Err: fault.ErrFormat}
	}
	c := newWriter(t)
	t.walk(c)
	if err := c.r.Err(); err != nil {
		return nil, err
	}
	return c.w.Data(), nil
}

func newWriter(t Table) *codec {
	return &codec{r: bin.NewReader(nil, bin.LittleEndian), w: bin.NewWriter(bin.LittleEndian, 64+64*t.Len())}
}

// Guess returns the kind of a table without its name: the only kind whose decoding ends exactly at the end of the data.
// It returns false if there is no such kind or more than one, as for most tables without records.
func Guess(data []byte) (Kind, bool) {
	found := Kind(0)
	for _, k := range Kinds() {
		if _, err := Decode(data, k); err == nil {
			if found != 0 {
				return 0, false
			}
			found = k
		}
	}
	return found, found != 0
}

// Recognize reports whether data is a whole file that can only be one of the tables. It needs the whole file because
// there is no signature.
func Recognize(data []byte) bool {
	if len(data) < 8 {
		return false
	}
	_, ok := Guess(data)
	return ok
}

// Dump reports every field of a table to t, up to the first error. If k is 0, Dump guesses the kind.
func Dump(data []byte, k Kind, t trace.Tracer) error {
	if k == 0 {
		var err error
		if k, err = kindOf(data, ""); err != nil {
			return err
		}
	}
	r := bin.NewReader(data, bin.LittleEndian)
	r.Trace(t)
	_, err := decode(r, k)
	r.Flush()
	return err
}

// kindOf returns the kind of a table by its path, or else by its content.
func kindOf(data []byte, path string) (Kind, error) {
	if k, ok := KindOf(path); ok {
		return k, nil
	}
	if k, ok := Guess(data); ok {
		return k, nil
	}
	return 0, &fault.Error{Offset: 0, Want: "one of the tables " + strings.Join(kindNames[:], ", ") +
		" by the name of the file or by its content", Err: fault.ErrFormat}
}

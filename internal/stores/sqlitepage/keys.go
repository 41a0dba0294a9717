package sqlitepage

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
)

// A field is a value of a record, not decoded further than a comparison needs.
type field struct {
	class Kinds
	i     int64
	f     float64
	b     []byte // in the encoding of the database
}

// fieldOf reads a value of a serial type at the start of b.
func fieldOf(kind int64, b []byte) (field, bool) {
	size, ok := sizeOf(kind)
	if !ok || size > int64(len(b)) {
		return field{}, false
	}
	b = b[:size]
	switch {
	case kind == 0:
		return field{class: Null}, true
	case kind == 7:
		if f := math.Float64frombits(binary.BigEndian.Uint64(b)); f == f {
			return field{class: Float, f: f}, true
		}
		return field{class: Null}, true // as SQLite reads it
	case kind == 8 || kind == 9:
		return field{class: Integer, i: kind - 8}, true
	case kind < 7:
		v := int64(int8(b[0]))
		for _, c := range b[1:] {
			v = v<<8 | int64(c)
		}
		return field{class: Integer, i: v}, true
	case kind%2 == 1:
		return field{class: Text, b: b}, true
	}
	return field{class: Blob, b: b}, true
}

// sizeOf returns the size in bytes of a value of a serial type.
func sizeOf(kind int64) (int64, bool) {
	switch {
	case kind < 0 || kind == 10 || kind == 11:
		return 0, false
	case kind >= 12:
		return (kind - 12) / 2, true
	case kind >= 8:
		return 0, true
	case kind >= 5:
		return min(2*kind-4, 8), true
	}
	return kind, true
}

// fieldFrom returns the field of a value that a caller searches for.
func (f *File) fieldFrom(v any) field {
	switch v := v.(type) {
	case int64:
		return field{class: Integer, i: v}
	case float64:
		if v == v {
			return field{class: Float, f: v}
		}
	case string:
		return field{class: Text, b: f.encode(v)}
	case []byte:
		return field{class: Blob, b: v}
	}
	return field{class: Null}
}

// decode returns the value of a field.
func (f *File) decode(v field) any {
	switch v.class {
	case Integer:
		return v.i
	case Float:
		return v.f
	case Text:
		return f.text(v.b)
	case Blob:
		return append([]byte{}, v.b...)
	}
	return nil
}

// encode encodes a text in the encoding of the database.
func (f *File) encode(s string) []byte {
	if f.encoding == utf8Text {
		return []byte(s)
	}
	var order binary.AppendByteOrder = binary.LittleEndian
	if f.encoding == utf16be {
		order = binary.BigEndian
	}
	var b []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, unit)
	}
	return b
}

// compare compares two values in the order of SQLite: NULL, numbers, texts, blobs.
func (f *File) compare(a, b field, collation string) int {
	rank := func(k Kinds) int {
		switch k {
		case Null:
			return 0
		case Integer, Float:
			return 1
		case Text:
			return 2
		}
		return 3
	}
	if ra, rb := rank(a.class), rank(b.class); ra != rb || ra == 0 {
		return ra - rb
	}
	switch {
	case a.class == Text:
		return f.collate(a.b, b.b, collation)
	case a.class == Blob:
		return bytes.Compare(a.b, b.b)
	case a.class == Integer && b.class == Integer:
		return cmp.Compare(a.i, b.i)
	case a.class == Integer:
		return compareIntFloat(a.i, b.f)
	case b.class == Integer:
		return -compareIntFloat(b.i, a.f)
	}
	return cmp.Compare(a.f, b.f)
}

// compareIntFloat compares exactly: a float64 does not hold every int64.
func compareIntFloat(i int64, f float64) int {
	switch {
	case f < -(1 << 63):
		return 1
	case f >= 1<<63:
		return -1
	}
	whole := int64(f)
	return cmp.Or(cmp.Compare(i, whole), cmp.Compare(float64(whole), f))
}

// knownCollation reports whether the order of texts is known.
func knownCollation(name string) bool { return name == "BINARY" || name == "NOCASE" || name == "RTRIM" }

// collate compares texts. BINARY compares the stored bytes; the others compare in UTF-8.
func (f *File) collate(a, b []byte, collation string) int {
	if collation == "BINARY" {
		return bytes.Compare(a, b)
	}
	if f.encoding != utf8Text {
		a, b = []byte(f.text(a)), []byte(f.text(b))
	}
	if collation == "RTRIM" {
		return bytes.Compare(bytes.TrimRight(a, " "), bytes.TrimRight(b, " "))
	}
	for i := range min(len(a), len(b)) {
		x, y := lower(a[i]), lower(b[i])
		if x != y {
			return int(x) - int(y)
		}
		if x == 0 {
			break
		}
	}
	return len(a) - len(b)
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// compared converts a value as SQLite does before it compares the value with a column.
func (a Affinity) compared(v any) any {
	if text, ok := v.(string); ok && a >= NumericAffinity {
		return numeric(text)
	}
	if a == TextAffinity {
		return a.apply(v)
	}
	return v
}

// apply converts a value as SQLite does before it stores the value in a column.
func (a Affinity) apply(v any) any {
	switch {
	case a == TextAffinity:
		switch n := v.(type) {
		case int64:
			return strconv.FormatInt(n, 10)
		case float64:
			text := strconv.FormatFloat(n, 'g', 15, 64)
			if digits, exponent, _ := strings.Cut(text, "e"); !strings.ContainsAny(text, ".IN") {
				text = digits + ".0"
				if exponent != "" {
					text += "e" + exponent
				}
			}
			return text
		}
	case a >= NumericAffinity:
		if text, ok := v.(string); ok {
			v = numeric(text)
		}
		n, isFloat := v.(float64)
		i, isInt := v.(int64)
		switch {
		case isInt && a == RealAffinity:
			return float64(i)
		case isFloat && a != RealAffinity && n == math.Trunc(n) && math.Abs(n) < 1<<51:
			return int64(n)
		}
	}
	return v
}

// numeric converts a text to a number if the text is a number.
func numeric(text string) any {
	t := strings.Trim(text, " \t\n\v\f\r")
	digits := strings.TrimLeft(t, "+-")
	if digits == "" || len(t)-len(digits) > 1 || strings.Trim(digits, "0123456789.eE+-") != "" {
		return text
	}
	if i, err := strconv.ParseInt(t, 10, 64); err == nil {
		return i
	}
	if n, err := strconv.ParseFloat(t, 64); err == nil || n != 0 {
		return n
	}
	return text
}

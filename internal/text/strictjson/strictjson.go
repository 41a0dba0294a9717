// Package strictjson reads JSON that people edit. Every error has a line and column and states what was expected.
// Reading continues after an error, so that one run reports all errors. Nothing is ignored silently: an unknown or
// misspelt field, a list that is too short or too long, a number out of range, a field that is missing or occurs
// twice.
//
// The format is defined by Go types with the tags of encoding/json, which writes them. A Go array must have exactly
// its length. A field with the tag `need:"..."` is required; the tag is the text for the error message. Types with a
// method UnmarshalJSON are decoded by it; its errors get the place of the value. For types with a method SetPlace it
// is called with the place, for errors that are detected only after reading.
//
// A type with a method JSONForm(first byte) any has several forms, distinguished by their first byte. The method returns
// a pointer to the value to read, or, for an object whose members keep their order, a function that returns this pointer
// for each key. A struct with a method CheckJSON() error is checked by it after it was read without errors.
package strictjson

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/text/words"
)

// Error is a problem at one place.
type Error struct {
	Line, Column int    // from 1; the column counts characters
	Path         string // path of the value, such as quads[3].points; "" for the whole text
	Msg          string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message())
}

// Message returns the error without its place in the text.
func (e *Error) Message() string {
	if e.Path == "" {
		return e.Msg
	}
	return e.Path + ": " + e.Msg
}

// maxErrors is the maximum number of errors kept for one text: more are usually one mistake repeated.
const maxErrors = 1000

// maxDepth is the maximum nesting depth of values.
const maxDepth = 200

// bom is the byte order mark of UTF-8.
const bom = "\ufeff"

// Unmarshal decodes data into the value that v points to, and returns all errors.
func Unmarshal(data []byte, v any) []*Error {
	d := decoder{data: data}
	d.run(func() { d.value(reflect.ValueOf(v).Elem(), "") })
	return d.errs
}

// UnmarshalWTF8 is Unmarshal for strings of UTF-16 units: an escape that is half of a character, which Unmarshal reports,
// becomes the three bytes of WTF-8.
func UnmarshalWTF8(data []byte, v any) []*Error {
	d := decoder{data: data, halves: true}
	d.run(func() { d.value(reflect.ValueOf(v).Elem(), "") })
	return d.errs
}

// Marshal encodes a value as encoding/json does, on one line or with an indentation, but does not escape <, > and &. The text
// ends with a newline.
func Marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// Type returns the value of a string field of the top-level object, or "" if there is none. It serves to determine how
// to read the rest.
func Type(data []byte, field string) string {
	d := decoder{data: data}
	found := ""
	d.run(func() {
		if d.peek() != '{' {
			return
		}
		d.object("", func(key, _ string, _ int) {
			if key == field && d.peek() == '"' {
				found = d.str()
				return
			}
			d.skip()
		})
	})
	return found
}

// Place returns the line and column of an offset.
func Place(data []byte, offset int) (line, column int) {
	before := data[:min(offset, len(data))]
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

type decoder struct {
	data  []byte
	pos   int
	depth int
	errs  []*Error

	halves bool // escapes of half a character are accepted

	counted, lines, lineStart int // number of lines up to an offset, and the start of the last one
}

// place is Place optimized for mostly increasing offsets.
func (d *decoder) place(at int) (line, column int) {
	if at < d.lineStart {
		return Place(d.data, at)
	}
	return d.line(at), 1 + utf8.RuneCount(d.data[d.lineStart:at])
}

// line returns the line of an offset that is not before the last line of earlier calls.
func (d *decoder) line(at int) int {
	for ; d.counted < at; d.counted++ {
		if d.data[d.counted] == '\n' {
			d.lines++
			d.lineStart = d.counted + 1
		}
	}
	return d.lines + 1
}

// stop ends the reading of a text that is not JSON.
type stop struct{}

func (d *decoder) catch() {
	if p := recover(); p != nil {
		if _, ok := p.(stop); !ok {
			panic(p)
		}
	}
}

// run reads one value and checks that only white space surrounds it.
func (d *decoder) run(value func()) {
	defer d.catch()
	if bytes.HasPrefix(d.data, []byte(bom)) { // some editors write it
		d.pos, d.counted, d.lineStart = len(bom), len(bom), len(bom)
	}
	value()
	d.space()
	if d.pos < len(d.data) {
		d.syntax("text after the end of the JSON value")
	}
}

func (d *decoder) fail(at int, path, format string, args ...any) {
	if len(d.errs) >= maxErrors {
		return
	}
	line, column := d.place(at)
	d.errs = append(d.errs, &Error{line, column, path, fmt.Sprintf(format, args...)})
}

// syntax reports an error after which the rest of the text cannot be parsed.
func (d *decoder) syntax(format string, args ...any) {
	d.fail(d.pos, "", "invalid JSON: "+format, args...)
	panic(stop{})
}

func (d *decoder) space() {
	for d.pos < len(d.data) && strings.IndexByte(" \t\r\n", d.data[d.pos]) >= 0 {
		d.pos++
	}
}

// peek returns the next byte that is not white space, or 0 at the end.
func (d *decoder) peek() byte {
	if d.space(); d.pos < len(d.data) {
		return d.data[d.pos]
	}
	return 0
}

func (d *decoder) found() string {
	if d.peek() == 0 {
		return "the end of the file"
	}
	r, _ := utf8.DecodeRune(d.data[d.pos:])
	return strconv.QuoteRune(r)
}

func (d *decoder) enter() {
	if d.depth++; d.depth > maxDepth {
		d.syntax("more than %d levels", maxDepth)
	}
}

// object reads an object, and calls field to read the value of each key.
func (d *decoder) object(path string, field func(key, path string, at int)) {
	d.enter()
	d.pos++
	for n := 0; d.peek() != '}'; n++ {
		if n > 0 {
			if d.peek() != ',' {
				d.syntax("%s: expected a comma or } after a field", d.found())
			}
			d.pos++
		}
		if d.peek() != '"' {
			d.syntax("%s: expected the name of a field in quotes", d.found())
		}
		at := d.pos
		key := d.str()
		if d.peek() != ':' {
			d.syntax("%s: expected a colon after %q", d.found(), key)
		}
		d.pos++
		inner := key
		if path != "" {
			inner = path + "." + key
		}
		field(key, inner, at)
	}
	d.pos++
	d.depth--
}

// array reads an array, and calls elem to read each element. It returns the number of elements.
func (d *decoder) array(elem func(i int)) int {
	d.enter()
	d.pos++
	n := 0
	for ; d.peek() != ']'; n++ {
		if n > 0 {
			if d.peek() != ',' {
				d.syntax("%s: expected a comma or ] after a value", d.found())
			}
			d.pos++
		}
		elem(n)
	}
	d.pos++
	d.depth--
	return n
}

// str reads a string.
func (d *decoder) str() string {
	start := d.pos
	plain := true
	for d.pos++; d.pos < len(d.data); d.pos++ {
		switch c := d.data[d.pos]; {
		case c == '"':
			d.pos++
			raw := d.data[start:d.pos]
			if !utf8.Valid(raw) {
				d.pos = start
				d.syntax("a string that is not UTF-8")
			}
			if plain {
				return string(raw[1 : len(raw)-1])
			}
			var s string
			if err := json.Unmarshal(raw, &s); err != nil {
				d.pos = start
				d.syntax("%s: not a string", raw)
			}
			if d.halves {
				return unquoteUnits(raw)
			}
			// Half of a surrogate pair would be decoded as a replacement character.
			if strings.Count(s, "\ufffd") > bytes.Count(raw, []byte("\ufffd"))+bytes.Count(bytes.ToLower(raw), []byte(`\ufffd`)) {
				d.pos = start
				d.syntax(`a \u escape that is half of a character`)
			}
			return s
		case c == '\\':
			plain = false
			d.pos++
		case c < ' ':
			d.syntax("a string that is not closed in its line: expected a quote")
		}
	}
	d.pos = start
	d.syntax("a string that is not closed: expected a quote")
	return ""
}

// unquoteUnits returns the string of a valid text in quotes, in WTF-8.
func unquoteUnits(quoted []byte) string {
	var units []byte
	for rest := quoted[1 : len(quoted)-1]; len(rest) > 0; {
		n := 1 // the length of the next run without escapes, or of an escape
		switch {
		case rest[0] != '\\':
			if n = bytes.IndexByte(rest, '\\'); n < 0 {
				n = len(rest)
			}
			units = bin.AppendUTF16(units, string(rest[:n]))
		case rest[1] == 'u':
			n = 6
			unit, _ := strconv.ParseUint(string(rest[2:n]), 16, 16) // the text is valid
			units = binary.LittleEndian.AppendUint16(units, uint16(unit))
		default:
			n = 2
			var s string
			json.Unmarshal([]byte(`"`+string(rest[:n])+`"`), &s)
			units = bin.AppendUTF16(units, s)
		}
		rest = rest[n:]
	}
	return bin.DecodeUTF16(units)
}

// skip skips a value of any kind and returns its text.
func (d *decoder) skip() []byte {
	c := d.peek()
	start := d.pos
	switch {
	case c == '{':
		d.object("", func(_, _ string, _ int) { d.skip() })
	case c == '[':
		d.array(func(int) { d.skip() })
	case c == '"':
		d.str()
	default:
		for d.pos < len(d.data) && strings.IndexByte("+-.", d.data[d.pos]) >= 0 || d.pos < len(d.data) && isWord(d.data[d.pos]) {
			d.pos++
		}
		if word := d.data[start:d.pos]; !json.Valid(word) {
			d.pos = start
			if len(word) == 0 {
				d.syntax("%s: expected a value", d.found())
			}
			d.syntax("%s: not a value", word)
		}
	}
	return d.data[start:d.pos]
}

func isWord(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' }

var (
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
	placed      = reflect.TypeFor[interface{ SetPlace(line, column int) }]()
	textual     = reflect.TypeFor[encoding.TextUnmarshaler]()
	formed      = reflect.TypeFor[interface{ JSONForm(first byte) any }]()
	checked     = reflect.TypeFor[interface{ CheckJSON() error }]()
)

// value reads a value into v.
func (d *decoder) value(v reflect.Value, path string) {
	c := d.peek()
	at := d.pos
	if v.Kind() == reflect.Pointer {
		if c == 'n' && string(d.skip()) == "null" {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		d.value(v.Elem(), path)
		return
	}
	switch pointer := v.Addr(); {
	case pointer.Type().Implements(formed):
		form := pointer.Interface().(interface{ JSONForm(first byte) any }).JSONForm(c)
		if member, ok := form.(func(key string) any); !ok {
			d.value(reflect.ValueOf(form).Elem(), path)
		} else if d.expect(c == '{', path, "an object, { ... }") {
			seen := make(map[string]bool)
			d.object(path, func(key, inner string, at int) {
				d.once(seen, key, path, at)
				d.value(reflect.ValueOf(member(key)).Elem(), inner)
			})
		}
		return
	case pointer.Type().Implements(unmarshaler):
		if pointer.Type().Implements(placed) {
			pointer.Interface().(interface{ SetPlace(line, column int) }).SetPlace(d.place(at))
		}
		if err := pointer.Interface().(json.Unmarshaler).UnmarshalJSON(d.skip()); err != nil {
			d.fail(at, path, "%v", err)
		}
		return
	case pointer.Type().Implements(textual):
		if d.expect(c == '"', path, "a string in quotes") {
			if err := pointer.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(d.str())); err != nil {
				d.fail(at, path, "%v", err)
			}
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		if d.expect(c == '{', path, "an object, { ... }") {
			d.structure(v, path)
		}
	case reflect.Slice:
		if c == 'n' && string(d.skip()) == "null" {
			return // encoding/json writes a nil list this way
		}
		if d.expect(c == '[', path, "a list, [ ... ]") {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
			d.array(func(i int) {
				if v.Len() == v.Cap() {
					v.Grow(1)
				}
				v.SetLen(i + 1)
				v.Index(i).SetZero()
				d.value(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
			})
		}
	case reflect.Array:
		if d.expect(c == '[', path, fmt.Sprintf("a list of %s", words.Count(v.Len(), "value"))) {
			n := d.array(func(i int) {
				if i < v.Len() {
					d.value(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
				} else {
					d.skip()
				}
			})
			if n != v.Len() {
				d.fail(at, path, "a list of %s: expected %d", words.Count(n, "value"), v.Len())
			}
		}
	case reflect.String:
		if d.expect(c == '"', path, "a string in quotes") {
			v.SetString(d.str())
		}
	case reflect.Bool:
		if d.expect(c == 't' || c == 'f', path, "true or false") {
			v.SetBool(string(d.skip()) == "true")
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.integer(v, path, c)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		d.integer(v, path, c)
	default:
		panic("strictjson: no form for " + v.Type().String())
	}
}

// expect reports whether a value is of the expected kind, and skips the value if not.
func (d *decoder) expect(ok bool, path, want string) bool {
	if ok {
		return true
	}
	at := d.pos
	text := string(d.skip())
	if len(text) > 40 || strings.Contains(text, "\n") {
		text = map[byte]string{'{': "an object", '[': "a list", '"': "a long text"}[text[0]]
	}
	d.fail(at, path, "%s: expected %s", text, want)
	return false
}

func (d *decoder) integer(v reflect.Value, path string, c byte) {
	if !d.expect(c == '-' || c >= '0' && c <= '9', path, "a whole number") {
		return
	}
	at := d.pos
	text := string(d.skip())
	lo, hi := int64(0), int64(1)<<v.Type().Bits()-1
	if v.CanInt() {
		hi = int64(1)<<(v.Type().Bits()-1) - 1
		lo = -hi - 1
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && (n < lo || n > hi):
		d.fail(at, path, "%s: the number must be %d to %d", text, lo, hi)
	case err != nil:
		d.fail(at, path, "%s: expected a whole number", text)
	case v.CanInt():
		v.SetInt(n)
	default:
		v.SetUint(uint64(n))
	}
}

// structure reads the fields of an object.
func (d *decoder) structure(v reflect.Value, path string) {
	start, before := d.pos, len(d.errs)
	fields := fieldsOf(v.Type())
	seen := make(map[string]bool)
	unknown := false
	d.object(path, func(key, inner string, at int) {
		i := -1
		for j := range fields {
			if fields[j].key == key {
				i = j
			}
		}
		if i < 0 {
			unknown = true
			d.fail(at, path, "unknown field %q: expected one of %s", key, fields)
			d.skip()
			return
		}
		d.once(seen, key, path, at)
		d.value(fieldAt(v, fields[i].index), inner)
	})
	for _, f := range fields {
		if f.need != "" && !seen[f.key] && !unknown { // the unknown field may be this one, misspelt
			d.fail(start, path, "the field %q is missing: expected %s", f.key, f.need)
		}
	}
	if p := v.Addr(); len(d.errs) == before && p.Type().Implements(checked) {
		if err := p.Interface().(interface{ CheckJSON() error }).CheckJSON(); err != nil {
			d.fail(start, path, "%v", err)
		}
	}
}

// once reports a key that occurs a second time in its object.
func (d *decoder) once(seen map[string]bool, key, path string, at int) {
	if seen[key] {
		d.fail(at, path, "the field %q occurs twice", key)
	}
	seen[key] = true
}

// fieldAt is FieldByIndex, but allocates nil embedded pointers.
func fieldAt(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

type field struct {
	key   string
	index []int
	need  string
}

type fieldList []field

func (l fieldList) String() string {
	keys := make([]string, len(l))
	for i := range l {
		keys[i] = l[i].key
	}
	return strings.Join(keys, ", ")
}

// known caches the results of fieldsOf by type.
var known sync.Map

// fieldsOf lists the fields of a struct, including those of embedded structs without a name in JSON.
func fieldsOf(t reflect.Type) fieldList {
	if list, ok := known.Load(t); ok {
		return list.(fieldList)
	}
	var list fieldList
	for f := range t.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch inner := f.Type; {
		case f.Anonymous && key == "":
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			for _, in := range fieldsOf(inner) {
				list = append(list, field{in.key, append(slices.Clone(f.Index), in.index...), in.need})
			}
		case key != "" && key != "-":
			list = append(list, field{key, f.Index, f.Tag.Get("need")})
		}
	}
	known.Store(t, list)
	return list
}

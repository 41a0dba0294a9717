package worlddir

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// jsonValue is a value of JSON, with the place where it begins.
type jsonValue struct {
	at      int
	scalar  any // a string, a json.Number, a bool or nil, if it is neither of:
	list    []jsonValue
	members []jsonMember // in the order of the text, all of them
	kind    byte         // '[', '{' or 0 for a scalar
}

type jsonMember struct {
	key   string
	at    int
	value jsonValue
}

// jsonReader reads a file of JSON strictly: whoever edits it is told of each slip, and
// where it is. Its first error stays.
type jsonReader struct {
	name string
	data []byte
	dec  *json.Decoder
	err  error
}

// form is what a file of JSON is read into.
type form interface{ read(*jsonReader, jsonValue) }

// decodeJSON reads a file of JSON.
func decodeJSON(name string, data []byte, f form) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors put a byte order mark there
	r := &jsonReader{name: name, data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	r.dec.UseNumber()
	for i := 0; i < len(data); {
		c, n := utf8.DecodeRune(data[i:])
		if c == utf8.RuneError && n == 1 {
			r.fail(i, "expected a text in UTF-8")
			return r.err
		}
		i += n
	}
	v := r.value()
	if end := int(r.dec.InputOffset()); r.err == nil {
		if rest := bytes.TrimSpace(data[end:]); len(rest) > 0 {
			r.fail(end+bytes.Index(data[end:], rest), "text behind the end of the JSON value")
		}
	}
	if r.err == nil {
		f.read(r, v)
	}
	return r.err
}

// fail notes an error at an offset.
func (r *jsonReader) fail(at int, format string, args ...any) {
	if r.err != nil {
		return
	}
	at = min(at, len(r.data))
	line := bytes.LastIndexByte(r.data[:at], '\n') + 1
	r.err = &Error{File: r.name, Line: 1 + bytes.Count(r.data[:at], []byte("\n")), Column: at - line + 1, Msg: fmt.Sprintf(format, args...)}
}

// next returns where the next token begins.
func (r *jsonReader) next() int {
	at := int(r.dec.InputOffset())
	for at < len(r.data) && strings.IndexByte(" \t\r\n,:", r.data[at]) >= 0 {
		at++
	}
	return at
}

// token reads a token.
func (r *jsonReader) token() (at int, t json.Token) {
	if at = r.next(); r.err != nil {
		return at, nil
	}
	t, err := r.dec.Token()
	if err != nil {
		if at == len(r.data) {
			r.fail(at, "the JSON value has no end")
		}
		r.fail(at, "invalid JSON: %s", strings.TrimPrefix(err.Error(), "json: "))
		return at, nil
	}
	// Half of a surrogate pair becomes a character that nobody wrote.
	raw := r.data[at:min(int(r.dec.InputOffset()), len(r.data))]
	if s, ok := t.(string); ok && strings.Count(s, "\ufffd") > bytes.Count(raw, []byte("\ufffd"))+strings.Count(strings.ToLower(string(raw)), `\ufffd`) {
		r.fail(at, "a \\u escape is half of a character")
	}
	return at, t
}

// value reads a value.
func (r *jsonReader) value() (v jsonValue) {
	at, t := r.token()
	v = jsonValue{at: at, scalar: t}
	d, ok := t.(json.Delim)
	if !ok {
		return v
	}
	v.scalar, v.kind = nil, byte(d)
	for r.err == nil && r.dec.More() {
		if d == '[' {
			v.list = append(v.list, r.value())
			continue
		}
		at, key := r.token()
		if name, ok := key.(string); ok {
			v.members = append(v.members, jsonMember{name, at, r.value()})
		}
	}
	r.token() // the end
	return v
}

// object reads the members of an object, each of which is known, and there once.
func (r *jsonReader) object(v jsonValue, what string, known map[string]func(jsonValue)) {
	if v.kind != '{' {
		r.fail(v.at, "expected %s: {...}", what)
		return
	}
	seen := make(map[string]bool)
	for _, m := range v.members {
		read := known[m.key]
		switch {
		case read == nil:
			r.fail(m.at, "%s has no field %s", what, abridge(m.key))
		case seen[m.key]:
			r.fail(m.at, "the field %q is there twice", m.key)
		default:
			read(m.value)
		}
		seen[m.key] = true
	}
}

// array reads the elements of an array.
func (r *jsonReader) array(v jsonValue, what string) []jsonValue {
	if v.kind != '[' {
		r.fail(v.at, "expected %s: [...]", what)
	}
	return v.list
}

func (r *jsonReader) string(v jsonValue) string {
	s, ok := v.scalar.(string)
	if !ok {
		r.fail(v.at, "expected a text in quotes")
	}
	return s
}

func (r *jsonReader) bool(v jsonValue) bool {
	b, ok := v.scalar.(bool)
	if !ok {
		r.fail(v.at, "expected true or false")
	}
	return b
}

// bytes reads a text, or {"base64": "..."}.
func (r *jsonReader) bytes(v jsonValue) (data value) {
	if v.kind != '{' {
		if _, ok := v.scalar.(string); !ok {
			r.fail(v.at, `expected a text in quotes, or {"base64": "..."}`)
		}
		return value(r.string(v))
	}
	data = value{}
	r.object(v, "what is written as bytes", map[string]func(jsonValue){"base64": func(v jsonValue) {
		var err error
		if data, err = base64.StdEncoding.DecodeString(r.string(v)); err != nil {
			r.fail(v.at, "this is no base64")
		}
	}})
	return data
}

// int reads an integer from lo to hi.
func (r *jsonReader) int(v jsonValue, lo, hi int64) int64 {
	n, ok := v.scalar.(json.Number)
	i, err := strconv.ParseInt(n.String(), 10, 64)
	if !ok || err != nil || i < lo || i > hi {
		if lo == math.MinInt64 {
			r.fail(v.at, "expected a whole number")
		}
		r.fail(v.at, "expected a whole number from %d to %d", lo, hi)
	}
	return i
}

// float reads a number, which need not be finite.
func (r *jsonReader) float(v jsonValue) float {
	if s, ok := v.scalar.(string); ok {
		switch s {
		case "NaN":
			return float(math.NaN())
		case "+Inf":
			return float(math.Inf(1))
		case "-Inf":
			return float(math.Inf(-1))
		}
	}
	n, ok := v.scalar.(json.Number)
	f, err := strconv.ParseFloat(n.String(), 64)
	if !ok || err != nil {
		r.fail(v.at, "expected a number")
	}
	return float(f)
}

// nodes reads a coordinate in nodes.
func (r *jsonReader) nodes(v jsonValue) nodes {
	n, ok := v.scalar.(json.Number)
	if !ok {
		return nodes(r.float(v))
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(n.String()), "e")
	e := 0
	if exponent != "" {
		var err error
		if e, err = strconv.Atoi(exponent); err != nil || e > 1000 || e < -1000 {
			r.fail(v.at, "expected a number")
		}
	}
	f, err := strconv.ParseFloat(fmt.Sprintf("%se%d", mantissa, e+1), 64)
	if err != nil {
		r.fail(v.at, "expected a number")
	}
	return nodes(f)
}

func (r *jsonReader) time(v jsonValue) *time.Time {
	t, err := time.Parse(time.RFC3339, r.string(v))
	if err != nil {
		r.fail(v.at, "expected a time such as \"2024-02-29T12:30:01Z\"")
	}
	return &t
}

// read reads an object whose members keep their order, or an array of pairs.
func (p *pairs) read(r *jsonReader, v jsonValue) {
	*p = pairs{}
	if v.kind == '[' {
		for _, e := range v.list {
			var one pair
			has := 0
			r.object(e, "a pair", map[string]func(jsonValue){
				"key":   func(v jsonValue) { one.Key = r.bytes(v); has |= 1 },
				"value": func(v jsonValue) { one.Value = r.bytes(v); has |= 2 },
			})
			if has != 3 {
				r.fail(e.at, "a pair has a key and a value")
			}
			*p = append(*p, one)
		}
		return
	}
	if v.kind != '{' {
		r.fail(v.at, "expected keys and values: {...}")
	}
	seen := make(map[string]bool, len(v.members))
	for _, m := range v.members {
		if seen[m.key] {
			r.fail(m.at, "the key %s is there twice", abridge(m.key))
		}
		seen[m.key] = true
		*p = append(*p, pair{value(m.key), r.bytes(m.value)})
	}
}

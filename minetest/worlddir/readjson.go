package worlddir

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"trowel.example/fault"
	"trowel.example/internal/text/strictjson"
)

// jsonReader reads a JSON file strictly, so that the user gets each mistake reported with its place. It keeps its
// first error.
type jsonReader struct {
	name string
	data []byte
	err  error
}

// form is the target of reading a JSON file.
type form interface {
	read(*jsonReader, strictjson.Value)
}

// decodeJSON reads a file of JSON.
func decodeJSON(name string, data []byte, f form) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors add a byte order mark
	v, err := strictjson.Parse(data)
	if err != nil {
		return &fault.TextError{File: name, Line: err.Line, Column: err.Column, Msg: err.Msg}
	}
	r := &jsonReader{name: name, data: data}
	f.read(r, v)
	return r.err
}

// fail records an error at an offset.
func (r *jsonReader) fail(at int, format string, args ...any) {
	if r.err != nil {
		return
	}
	line, column := strictjson.Place(r.data, at)
	r.err = &fault.TextError{File: r.name, Line: line, Column: column, Msg: fmt.Sprintf(format, args...)}
}

// object reads the members of an object. Each member must be known and must occur only once.
func (r *jsonReader) object(v strictjson.Value, what string, known map[string]func(strictjson.Value)) {
	if v.Kind != '{' {
		r.fail(v.At, "expected %s: {...}", what)
		return
	}
	seen := make(map[string]bool)
	for _, m := range v.Members {
		read := known[m.Key]
		switch {
		case read == nil:
			r.fail(m.At, "%s has no field %s", what, abridge(m.Key))
		case seen[m.Key]:
			r.fail(m.At, "duplicate field %q", m.Key)
		default:
			read(m.Value)
		}
		seen[m.Key] = true
	}
}

// array reads the elements of an array.
func (r *jsonReader) array(v strictjson.Value, what string) []strictjson.Value {
	if v.Kind != '[' {
		r.fail(v.At, "expected %s: [...]", what)
	}
	return v.List
}

func (r *jsonReader) string(v strictjson.Value) string {
	if v.Kind != '"' {
		r.fail(v.At, "expected a text in quotes")
		return ""
	}
	return v.Text
}

func (r *jsonReader) bool(v strictjson.Value) bool {
	if v.Kind != 't' && v.Kind != 'f' {
		r.fail(v.At, "expected true or false")
	}
	return v.Kind == 't'
}

// bytes reads a string, or {"base64": "..."}.
func (r *jsonReader) bytes(v strictjson.Value) (data value) {
	if v.Kind != '{' {
		if v.Kind != '"' {
			r.fail(v.At, `expected a text in quotes, or {"base64": "..."}`)
		}
		return value(r.string(v))
	}
	data = value{}
	r.object(v, "base64 of the bytes", map[string]func(strictjson.Value){"base64": func(v strictjson.Value) {
		var err error
		if data, err = base64.StdEncoding.DecodeString(r.string(v)); err != nil {
			r.fail(v.At, "invalid base64")
		}
	}})
	return data
}

// int reads an integer from lo to hi.
func (r *jsonReader) int(v strictjson.Value, lo, hi int64) int64 {
	i, err := strconv.ParseInt(v.Text, 10, 64)
	if v.Kind != '0' || err != nil || i < lo || i > hi {
		if lo == math.MinInt64 {
			r.fail(v.At, "expected a whole number")
		}
		r.fail(v.At, "expected a whole number from %d to %d", lo, hi)
	}
	return i
}

// float reads a number, which may be infinite or NaN.
func (r *jsonReader) float(v strictjson.Value) float {
	if v.Kind == '"' {
		switch v.Text {
		case "NaN":
			return float(math.NaN())
		case "+Inf":
			return float(math.Inf(1))
		case "-Inf":
			return float(math.Inf(-1))
		}
	}
	f, err := strconv.ParseFloat(v.Text, 64)
	if v.Kind != '0' || err != nil {
		r.fail(v.At, "expected a number")
	}
	return float(f)
}

// nodes reads a coordinate in nodes.
func (r *jsonReader) nodes(v strictjson.Value) nodes {
	if v.Kind != '0' {
		return nodes(r.float(v))
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(v.Text), "e")
	e := 0
	if exponent != "" {
		var err error
		if e, err = strconv.Atoi(exponent); err != nil || e > 1000 || e < -1000 {
			r.fail(v.At, "expected a number")
		}
	}
	f, err := strconv.ParseFloat(fmt.Sprintf("%se%d", mantissa, e+1), 64)
	if err != nil {
		r.fail(v.At, "expected a number")
	}
	return nodes(f)
}

func (r *jsonReader) time(v strictjson.Value) *time.Time {
	t, err := time.Parse(time.RFC3339, r.string(v))
	if err != nil {
		r.fail(v.At, "expected a time such as \"2024-02-29T12:30:01Z\"")
	}
	return &t
}

// read reads an object whose members keep their order, or an array of pairs.
func (p *pairs) read(r *jsonReader, v strictjson.Value) {
	*p = pairs{}
	if v.Kind == '[' {
		for _, e := range v.List {
			var one pair
			has := 0
			r.object(e, "a pair", map[string]func(strictjson.Value){
				"key":   func(v strictjson.Value) { one.Key = r.bytes(v); has |= 1 },
				"value": func(v strictjson.Value) { one.Value = r.bytes(v); has |= 2 },
			})
			if has != 3 {
				r.fail(e.At, "a pair has a key and a value")
			}
			*p = append(*p, one)
		}
		return
	}
	if v.Kind != '{' {
		r.fail(v.At, "expected keys and values: {...}")
	}
	seen := make(map[string]bool, len(v.Members))
	for _, m := range v.Members {
		if seen[m.Key] {
			r.fail(m.At, "duplicate key %s", abridge(m.Key))
		}
		seen[m.Key] = true
		*p = append(*p, pair{value(m.Key), r.bytes(m.Value)})
	}
}

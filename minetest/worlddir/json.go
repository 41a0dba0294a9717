package worlddir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// encodeJSON writes a value for people.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// decodeJSON reads a JSON file. Unknown fields are errors: they are misspelt ones.
func decodeJSON(name string, data []byte, v any) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors put a byte order mark there
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	if err == nil {
		if rest := bytes.TrimSpace(data[dec.InputOffset():]); len(rest) > 0 {
			return &Error{File: name, Line: lineOf(data, dec.InputOffset()), Msg: "text behind the end of the JSON value"}
		}
		return nil
	}
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return &Error{File: name, Line: lineOf(data, syntax.Offset), Msg: "invalid JSON: " + syntax.Error()}
	case errors.As(err, &typ):
		return &Error{File: name, Line: lineOf(data, typ.Offset), Msg: fmt.Sprintf("field %q cannot be a %s", typ.Field, typ.Value)}
	}
	msg := strings.TrimPrefix(err.Error(), "json: ")
	if field, ok := strings.CutPrefix(msg, "unknown field "); ok {
		return &Error{File: name, Line: lineOf(data, int64(max(bytes.Index(data, []byte(field)), 0))), Msg: msg}
	}
	return &Error{File: name, Msg: "invalid JSON: " + msg}
}

// lineOf returns the number of the line in which an offset lies.
func lineOf(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
}

// value is bytes: a string of JSON if they are text, else {"base64": "..."}.
type value []byte

type base64Value struct {
	Base64 []byte `json:"base64"`
}

func (v value) MarshalJSON() ([]byte, error) {
	if utf8.Valid(v) {
		return marshal(string(v))
	}
	return marshal(base64Value{v})
}

// marshal is json.Marshal that leaves <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

func (v *value) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte("{")) {
		var s *string
		if err := json.Unmarshal(data, &s); err != nil || s == nil {
			return fmt.Errorf("expected a text or {\"base64\": ...}, not %.40s", data)
		}
		*v = value(*s)
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var b base64Value
	if err := dec.Decode(&b); err != nil {
		return fmt.Errorf("expected a text or {\"base64\": ...}: %w", err)
	}
	*v = append(value{}, b.Base64...)
	return nil
}

// pair is a key and its value.
type pair struct {
	Key   value `json:"key"`
	Value value `json:"value"`
}

// pairs is an object of JSON whose members keep their order. Where the keys are
// no texts, or the same one is there twice, it is an array of pairs.
type pairs []pair

func (p pairs) MarshalJSON() ([]byte, error) {
	seen := make(map[string]bool, len(p))
	plain := true
	for _, e := range p {
		plain = plain && utf8.Valid(e.Key) && !seen[string(e.Key)]
		seen[string(e.Key)] = true
	}
	if !plain {
		return marshal([]pair(p))
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := marshal(string(e.Key))
		if err != nil {
			return nil, err
		}
		val, err := e.Value.MarshalJSON()
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(val)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (p *pairs) UnmarshalJSON(data []byte) error {
	*p = nil
	if bytes.HasPrefix(data, []byte("[")) {
		return json.Unmarshal(data, (*[]pair)(p))
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("expected an object, not %.40s", data)
	}
	seen := make(map[string]bool)
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		key := t.(string)
		if seen[key] {
			return fmt.Errorf("the key %q is there twice", key)
		}
		seen[key] = true
		e := pair{Key: value(key)}
		if err := dec.Decode(&e.Value); err != nil {
			return fmt.Errorf("%q: %w", key, err)
		}
		*p = append(*p, e)
	}
	return nil
}

// float is a number that need not be finite.
type float float64

func (f float) MarshalJSON() ([]byte, error) {
	if v := float64(f); math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Appendf(nil, "%q", fmt.Sprint(v)), nil
	}
	return json.Marshal(float64(f))
}

func (f *float) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `"NaN"`:
		*f = float(math.NaN())
	case `"+Inf"`:
		*f = float(math.Inf(1))
	case `"-Inf"`:
		*f = float(math.Inf(-1))
	default:
		return json.Unmarshal(data, (*float64)(f))
	}
	return nil
}

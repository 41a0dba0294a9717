package worlddir

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"trowel.example/internal/text/forms"
	"trowel.example/internal/text/strictjson"
)

// decodeJSON reads a file of JSON, and returns the first error in it.
func decodeJSON(name string, data []byte, v any) error {
	if errs := forms.DecodeJSON(name, data, v); len(errs) > 0 {
		return errs[0]
	}
	return nil
}

// value is bytes: a JSON string if they are valid text, otherwise {"base64": "..."}.
type value []byte

type base64Value struct {
	Base64 []byte `json:"base64"`
}

func (v value) MarshalJSON() ([]byte, error) {
	if utf8.Valid(v) {
		return strictjson.Marshal(string(v), "")
	}
	return strictjson.Marshal(base64Value{v}, "")
}

func (v *value) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte("{")) {
		var s *string
		if err := json.Unmarshal(data, &s); err != nil || s == nil {
			return fmt.Errorf(`%.40s: expected a string in quotes, or {"base64": "..."}`, data)
		}
		*v = value(*s)
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var b base64Value
	if err := dec.Decode(&b); err != nil {
		return fmt.Errorf(`expected a string in quotes, or {"base64": "..."}: %w`, err)
	}
	*v = append(value{}, b.Base64...)
	return nil
}

// pair is a key and its value.
type pair struct {
	Key   value `json:"key" need:"a key and a value"`
	Value value `json:"value" need:"a key and a value"`
}

// pairs is a JSON object whose members keep their order. It is an array of pairs if a key is not valid text or occurs
// twice.
type pairs []pair

// JSONForm reads pairs or the members of an object.
func (p *pairs) JSONForm(first byte) any {
	*p = pairs{}
	if first == '[' {
		return (*[]pair)(p)
	}
	return func(key string) any {
		*p = append(*p, pair{Key: value(key)})
		return &(*p)[len(*p)-1].Value
	}
}

func (p pairs) MarshalJSON() ([]byte, error) {
	seen := make(map[string]bool, len(p))
	plain := true
	for _, e := range p {
		plain = plain && utf8.Valid(e.Key) && !seen[string(e.Key)]
		seen[string(e.Key)] = true
	}
	if !plain {
		return strictjson.Marshal([]pair(p), "")
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := strictjson.Marshal(string(e.Key), "")
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

// nodes is a coordinate of a player, which the engine stores in tenths of a node. In JSON it is in nodes: the same
// digits with the decimal point moved, so that it round-trips exactly.
type nodes float64

func (n nodes) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return float(v).MarshalJSON()
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
	e, err := strconv.Atoi(exponent)
	if err != nil {
		return nil, err
	}
	switch e--; {
	case v == 0:
		return []byte(mantissa), nil // 0 or -0
	case e < -7 || e > 15:
		return fmt.Appendf(nil, "%se%d", mantissa, e), nil
	}
	sign := ""
	if mantissa[0] == '-' {
		sign, mantissa = "-", mantissa[1:]
	}
	digits := strings.ReplaceAll(mantissa, ".", "")
	point := e + 1 // number of digits before the decimal point
	if point <= 0 {
		digits, point = strings.Repeat("0", 1-point)+digits, 1
	}
	if point >= len(digits) {
		return []byte(sign + digits + strings.Repeat("0", point-len(digits))), nil
	}
	return []byte(sign + digits[:point] + "." + digits[point:]), nil
}

func (n *nodes) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return (*float)(n).UnmarshalJSON(data)
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(string(data)), "e")
	e, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil || e > 1000 || e < -1000 {
		return errNumber
	}
	return (*float)(n).UnmarshalJSON(fmt.Appendf(nil, "%se%d", mantissa, e+1))
}

// float is a number that may be infinite or NaN.
type float float64

func (f float) MarshalJSON() ([]byte, error) {
	if v := float64(f); math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Appendf(nil, "%q", fmt.Sprint(v)), nil
	}
	return json.Marshal(float64(f))
}

var errNumber = errors.New("expected a number")

func (f *float) UnmarshalJSON(data []byte) error {
	text, err := strconv.Unquote(string(data))
	if quoted := err == nil; !quoted {
		text = string(data)
	} else if text != "NaN" && text != "+Inf" && text != "-Inf" {
		return errNumber
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return errNumber
	}
	*f = float(v)
	return nil
}

// moment is a time.
type moment struct{ time.Time }

func (m *moment) UnmarshalJSON(data []byte) error {
	if m.Time.UnmarshalJSON(data) != nil {
		return errors.New(`expected a time such as "2024-02-29T12:30:01Z"`)
	}
	return nil
}

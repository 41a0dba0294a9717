package worlddir

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// encodeJSON encodes a value with indentation.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// value is bytes: a JSON string if they are valid text, otherwise {"base64": "..."}.
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

// marshal is json.Marshal without escaping <, > and &.
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

// pairs is a JSON object whose members keep their order. It is an array of pairs if a key is not valid text or occurs
// twice.
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

// float is a number that may be infinite or NaN.
type float float64

func (f float) MarshalJSON() ([]byte, error) {
	if v := float64(f); math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Appendf(nil, "%q", fmt.Sprint(v)), nil
	}
	return json.Marshal(float64(f))
}

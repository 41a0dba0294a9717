package mapdir

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

// Numbers in convenient units. The map has integers; each is written as a decimal that converts back to the same
// integer. Other decimals, as typed by people, are rounded to the nearest integer.

// fixed is a number with ten binary places: pixels, degrees, parts of an image, a volume. Its decimal is exact.
type fixed int32

func (f fixed) MarshalJSON() ([]byte, error) { return appendFixed(nil, int32(f)), nil }

// appendFixed writes n / 1024, which has at most ten decimal places.
func appendFixed(b []byte, n int32) []byte {
	v := int64(n)
	if v < 0 {
		b = append(b, '-')
		v = -v
	}
	b = strconv.AppendInt(b, v>>10, 10)
	if rest := v & 1023; rest != 0 {
		places := fmt.Sprintf(".%010d", rest*9765625)
		b = append(b, strings.TrimRight(places, "0")...)
	}
	return b
}

func (f *fixed) UnmarshalJSON(text []byte) error {
	n, err := parseScaled(text, 1024, 1)
	*f = fixed(n)
	return err
}

// Fixed returns a number with ten binary places as a decimal: 1536 is 1.5.
func Fixed(n int32) string { return string(appendFixed(nil, n)) }

// shade is a component of a colour in an envelope: 0 to 255 for the 0 to 1024 of the map. Its decimal is the shortest
// that converts back, so the map value for 128 is written as 128.
type shade int32

func (s shade) MarshalJSON() ([]byte, error) {
	exact := float64(s) * 255 / 1024
	for places := range 12 {
		text := strconv.AppendFloat(nil, exact, 'f', places, 64)
		if n, err := parseScaled(text, 1024, 255); err == nil && n == int32(s) {
			if string(text) == "-0" {
				return []byte("0"), nil
			}
			return text, nil
		}
	}
	return strconv.AppendFloat(nil, exact, 'f', -1, 64), nil // exact: there are ten binary places
}

func (s *shade) UnmarshalJSON(text []byte) error {
	n, err := parseScaled(text, 1024, 255)
	*s = shade(n)
	return err
}

// Shade returns a component of a colour of an envelope as a decimal from 0 to 255.
func Shade(n int32) string {
	text, _ := shade(n).MarshalJSON()
	return string(text)
}

// parseScaled reads a number and returns it multiplied by up, divided by down, and rounded.
func parseScaled(text []byte, up, down float64) (int32, error) {
	if len(text) == 0 || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return 0, fmt.Errorf("%.40s: expected a number", text)
	}
	v, err := strconv.ParseFloat(string(text), 64)
	n := math.Round(v * up / down)
	if err != nil || n < math.MinInt32 || n > math.MaxInt32 {
		return 0, fmt.Errorf("%.40s: the number must be %.0f to %.0f", text, math.Ceil(math.MinInt32*down/up), math.Floor(math.MaxInt32*down/up))
	}
	return int32(n), nil
}

// raw is a number of an unknown unit.
type raw int32

// point is a position, [x, y].
type point [2]fixed

func pointOf(p twmap.Point) point     { return point{fixed(p.X), fixed(p.Y)} }
func (p point) point() twmap.Point    { return twmap.Point{X: int32(p[0]), Y: int32(p[1])} }
func colorOf(c twmap.Color) colorForm { return colorForm{c.R, c.G, c.B, c.A} }
func (c colorForm) color() twmap.Color {
	return twmap.Color{R: c[0], G: c[1], B: c[2], A: c[3]}
}

// tangent is the tangent of a Bezier curve: [milliseconds, distance in the unit of the value].
type tangent[T any] struct {
	dx int32
	dy T
}

func (t tangent[T]) MarshalJSON() ([]byte, error) { return json.Marshal([2]any{t.dx, t.dy}) }

func (t *tangent[T]) UnmarshalJSON(text []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil || len(parts) != 2 {
		return fmt.Errorf("%.40s: expected a list of 2 numbers", text)
	}
	if err := json.Unmarshal(parts[0], &t.dx); err != nil {
		return fmt.Errorf("%.40s: expected a whole number of milliseconds", parts[0])
	}
	return json.Unmarshal(parts[1], &t.dy)
}

// Names with the lengths that a map has room for.
type (
	shortName string // of groups and layers
	longName  string // of envelopes
)

const (
	maxShortName = 11
	maxLongName  = 31
)

func (n *shortName) UnmarshalJSON(text []byte) error {
	return readName((*string)(n), text, maxShortName)
}

func (n *longName) UnmarshalJSON(text []byte) error {
	return readName((*string)(n), text, maxLongName)
}

func readName(name *string, text []byte, most int) error {
	if text[0] != '"' {
		return fmt.Errorf("%.40s: expected a string in quotes", text)
	}
	if err := json.Unmarshal(text, name); err != nil {
		return err
	}
	if len(*name) > most {
		more := ""
		if n := utf8.RuneCountInString(*name); n < len(*name) {
			more = fmt.Sprintf(" for its %d letters", n)
		}
		return fmt.Errorf("%q has %s%s: a name must have at most %d", *name, words.Count(len(*name), "byte"), more, most)
	}
	if strings.Contains(*name, "\x00") {
		return fmt.Errorf("%q: a name must not contain a NUL character", *name)
	}
	return nil
}

// plain is a text of any length.
type plain string

func (p *plain) UnmarshalJSON(text []byte) error {
	return readName((*string)(p), text, math.MaxInt32)
}

// choice is one of a few names, or a number without a name.
type choice struct {
	name   string
	number int32
}

func (c choice) MarshalJSON() ([]byte, error) {
	if c.name != "" {
		return json.Marshal(c.name)
	}
	return json.Marshal(c.number)
}

func (c *choice) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		if err := json.Unmarshal(text, &c.name); err != nil || c.name == "" {
			return fmt.Errorf("%s: expected a name", text)
		}
		return nil
	}
	if err := json.Unmarshal(text, &c.number); err != nil {
		return fmt.Errorf("%.40s: expected a name or a number", text)
	}
	return nil
}

// ref refers to an image, a sound or an envelope by its file: "sun". A reference without a target is a number.
type ref struct {
	name         string
	index        int32
	line, column int // its location in the file
}

func (r ref) MarshalJSON() ([]byte, error) {
	if r.name != "" {
		return json.Marshal(r.name)
	}
	return json.Marshal(r.index)
}

func (r *ref) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &r.name)
	}
	if err := json.Unmarshal(text, &r.index); err != nil {
		return fmt.Errorf("%.40s: expected a name in quotes", text)
	}
	return nil
}

// SetPlace records the location of the reference, for the error that it has no target.
func (r *ref) SetPlace(line, column int) { r.line, r.column = line, column }

// refTo returns a reference to entry index of a list with the given names; -1 is not one.
func refTo(index int32, names []string) *ref {
	switch {
	case index == -1:
		return nil
	case index >= 0 && int(index) < len(names):
		return &ref{name: names[index]}
	}
	return &ref{index: index}
}

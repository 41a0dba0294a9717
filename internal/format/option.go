package format

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Type is the type of an option's value.
type Type uint8

// The types of values.
const (
	Text    Type = iota
	Integer      // -2147483648 to 2147483647
	Number       // such as 0.5
	Color        // #rrggbb, or #rrggbbaa with straight alpha
	Place        // x,y or x,y,z
	Bool         // a flag without a value
)

// Check returns an error if value is not valid for the option.
func (o *Option) Check(value string) error {
	var err error
	switch o.Type {
	case Integer:
		_, err = strconv.ParseInt(value, 10, 32)
		err = orExpected(err, "a whole number", value)
	case Number:
		_, err = ParseNumber(value)
	case Color:
		_, err = ParseColor(value)
	case Place:
		if _, err = ParsePlace(value); o.Form() != "" {
			err = orExpected(err, o.Form(), value)
		}
	default:
		if slices.Contains(o.Choices, value) {
			return nil
		}
		if o.Choices != nil {
			err = fmt.Errorf("expected %s, not %q", orList(o.Choices), value)
		}
	}
	if err == nil && o.Parse != nil {
		err = o.Parse(value)
	}
	return err
}

// Affects reports whether pictures of a view depend on the option.
func (o *Option) Affects(view string) bool {
	return o.View == "" && o.Views == nil || o.View == view || slices.Contains(o.Views, view)
}

// Form returns the name of the option's value in its help, such as x,y, or "".
func (o *Option) Form() string {
	_, rest, _ := strings.Cut(o.Help, "`")
	form, _, _ := strings.Cut(rest, "`")
	return form
}

// orList joins words to "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func orExpected(err error, what, value string) error {
	if err != nil {
		return fmt.Errorf("expected %s, not %q", what, value)
	}
	return nil
}

// ParseNumber parses a finite number.
func ParseNumber(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = strconv.ErrRange
	}
	return v, orExpected(err, "a number", s)
}

// ParseColor parses #rrggbb or #rrggbbaa.
func ParseColor(s string) (color.NRGBA, error) {
	digits, marked := strings.CutPrefix(s, "#")
	v, err := strconv.ParseUint(digits, 16, 32)
	switch {
	case err == nil && marked && len(digits) == 6:
		v = v<<8 | 0xff
	case err == nil && marked && len(digits) == 8:
	default:
		return color.NRGBA{}, orExpected(strconv.ErrSyntax, "a colour such as #ff8000", s)
	}
	return color.NRGBA{R: uint8(v >> 24), G: uint8(v >> 16), B: uint8(v >> 8), A: uint8(v)}, nil
}

// ParsePlace parses x,y or x,y,z.
func ParsePlace(s string) ([]float64, error) {
	parts := strings.Split(s, ",")
	place := make([]float64, len(parts))
	var err error
	for i, p := range parts {
		if err == nil {
			place[i], err = ParseNumber(strings.TrimSpace(p))
		}
	}
	if err != nil || len(parts) < 2 || len(parts) > 3 {
		return nil, orExpected(strconv.ErrSyntax, "a place such as 10,20", s)
	}
	return place, nil
}

// Value returns the value of the option in a job, "" if it has none.
func (o *Option) Value(j *Job) string { return j.Value(o.Name) }

// On reports whether the option, a Bool, is set in a job.
func (o *Option) On(j *Job) bool { return o.Value(j) == "true" }

// Integer returns the value of the option, of type Integer, in a job, or 0 if it has none.
func (o *Option) Integer(j *Job) int {
	v, _ := strconv.ParseInt(o.Value(j), 10, 32)
	return int(v)
}

// Number returns the value of the option, of type Number, in a job, or 0 if it has none.
func (o *Option) Number(j *Job) float64 {
	v, _ := ParseNumber(o.Value(j))
	return v
}

// Color returns the value of the option, of type Color, in a job, and whether it has one.
func (o *Option) Color(j *Job) (color.NRGBA, bool) {
	v, err := ParseColor(o.Value(j))
	return v, err == nil
}

// Place returns the value of the option, of type Place, in a job, or nil if it has none.
func (o *Option) Place(j *Job) []float64 {
	v, _ := ParsePlace(o.Value(j))
	return v
}

// Values returns the values of the option, a List, in a job. A job stores them on separate lines.
func (o *Option) Values(j *Job) []string {
	if o.Value(j) == "" {
		return nil
	}
	return strings.Split(o.Value(j), "\n")
}

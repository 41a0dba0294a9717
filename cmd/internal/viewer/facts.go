package viewer

import (
	"fmt"
	"image/color"
	"reflect"
	"time"

	"trowel.example/internal/format"
)

// facts converts facts for the page. A value is a text, a number, a bool, a list of texts, a list of facts, or
// {type: curve, slots or color, ...}.
func facts(fields []format.InfoField) []fact {
	list := []fact{}
	for _, f := range fields {
		one := fact{f.Key, f.Label, factValue(f.Value)}
		if one.Label == "" {
			one.Label = f.Key
		}
		list = append(list, one)
	}
	return list
}

func factValue(value any) any {
	switch v := value.(type) {
	case []format.InfoField:
		return facts(v)
	case []string, string, bool, nil:
		return v
	case color.NRGBA:
		return map[string]any{"type": "color", "css": css(v), "text": fmt.Sprintf("%d,%d,%d,%d", v.R, v.G, v.B, v.A)}
	case format.Slots:
		return map[string]any{"type": "slots", "width": v.Width, "items": v.Items}
	case format.Curve:
		type line struct {
			Name   string    `json:"name"`
			Times  []float64 `json:"times"` // milliseconds
			Values []float64 `json:"values"`
		}
		lines := []line{}
		for _, l := range v.Lines {
			lines = append(lines, line{l.Name, milliseconds(l.Times), l.Values})
		}
		return map[string]any{"type": "curve", "unit": v.Unit, "lines": lines, "points": milliseconds(v.Points)}
	case fmt.Stringer:
		return v.String()
	}
	switch v := reflect.ValueOf(value); {
	case v.CanInt():
		return exact(v.Int(), fmt.Sprint(v.Int()))
	case v.CanUint():
		return exact(int64(min(v.Uint(), 1<<62)), fmt.Sprint(v.Uint()))
	case v.CanFloat():
		return fmt.Sprint(v.Float()) // NaN is a text, too
	}
	return fmt.Sprint(value)
}

// exact returns an integer if JavaScript can represent it exactly, otherwise its text.
func exact(n int64, text string) any {
	if n > -1<<53 && n < 1<<53 {
		return n
	}
	return text
}

func milliseconds(times []time.Duration) []float64 {
	list := []float64{}
	for _, t := range times {
		list = append(list, float64(t)/float64(time.Millisecond))
	}
	return list
}

func css(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x%02x", c.R, c.G, c.B, c.A) }

package nodedef

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// fields are those of a definition or of a table in it, as Lua has them. Like the engine's, their methods return a
// default for a value of another type; a number is also a text, and a text with a number is also a number.
type fields map[string]any

func (f fields) text(key string) string { return textOf(f[key]) }

func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'g', 14, 64) // as Lua
	}
	return ""
}

// word returns the value of key if it is one of the words, and otherwise the first of them.
func (f fields) word(key string, words ...string) string {
	if s := f.text(key); slices.Contains(words, s) {
		return s
	}
	return words[0]
}

func (f fields) is(key string, usual bool) bool {
	if v, ok := f[key].(bool); ok {
		return v
	}
	return usual
}

// number returns a number that a float32 can represent.
func (f fields) number(key string, usual float64) float64 {
	if v, ok := numberOf(f[key]); ok {
		return v
	}
	return usual
}

func numberOf(v any) (float64, bool) {
	n, ok := v.(float64)
	if s, isText := v.(string); isText {
		var err error
		n, err = strconv.ParseFloat(strings.TrimSpace(s), 64)
		ok = err == nil
	}
	return n, ok && math.Abs(n) <= math.MaxFloat32 // NaN is not
}

func (f fields) integer(key string, usual, lowest, highest int) int {
	return int(max(float64(lowest), min(float64(highest), f.number(key, float64(usual)))))
}

// integers returns the whole numbers other than 0.
func (f fields) integers() map[string]int {
	all := make(map[string]int)
	for key := range f {
		if n := f.integer(key, 0, math.MinInt32, math.MaxInt32); n != 0 {
			all[key] = n
		}
	}
	return all
}

// table returns nil for a value that is not an object.
func (f fields) table(key string) fields { return tableOf(f[key]) }

func tableOf(v any) fields {
	t, _ := v.(map[string]any)
	return t
}

// list returns the elements of a list, which is an object if the table has other keys, too.
func (f fields) list(key string) []any { return listOf(f[key]) }

func listOf(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	var list []any
	for t := tableOf(v); ; {
		v, ok := t[strconv.Itoa(len(list)+1)]
		if !ok {
			return list
		}
		list = append(list, v)
	}
}

func (f fields) texts(key string) (list []string) {
	for _, v := range f.list(key) {
		if s := textOf(v); s != "" {
			list = append(list, s)
		}
	}
	return list
}

// color returns a colour as text: mods also write numbers (0xAARRGGBB) and tables.
func (f fields) color(key string) string {
	var c [4]uint32 // r, g, b, a
	if n, ok := f[key].(float64); ok && n >= 0 && n <= math.MaxUint32 {
		v := uint32(n)
		c = [4]uint32{v >> 16 & 255, v >> 8 & 255, v & 255, v >> 24}
	} else if t := f.table(key); t != nil {
		for i, part := range []string{"r", "g", "b", "a"} {
			c[i] = uint32(t.integer(part, i/3*255, 0, 255))
		}
	} else {
		return f.text(key)
	}
	return fmt.Sprintf("#%02x%02x%02x%02x", c[0], c[1], c[2], c[3])
}

// boxes returns the boxes of a value that is one box or a list of boxes.
func (f fields) boxes(key string) []Box {
	list := f.list(key)
	if len(list) == 6 && !slices.ContainsFunc(list, func(v any) bool { _, ok := numberOf(v); return !ok }) {
		return []Box{boxOf(list)}
	}
	var boxes []Box
	for _, v := range list {
		if numbers := listOf(v); len(numbers) > 0 {
			boxes = append(boxes, boxOf(numbers))
		}
	}
	return boxes
}

// boxOf reads a box. Missing numbers are 0.
func boxOf(numbers []any) (b Box) {
	for i, v := range numbers[:min(6, len(numbers))] {
		n, _ := numberOf(v)
		b[i] = float32(n)
	}
	for i := range 3 {
		b[i], b[i+3] = min(b[i], b[i+3]), max(b[i], b[i+3])
	}
	return b
}

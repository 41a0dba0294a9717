package texture

import (
	"encoding/hex"
	"image/color"
	"strings"

	"golang.org/x/image/colornames"
)

// ParseColor reads a color of the engine: #RGB, #RGBA, #RRGGBB, #RRGGBBAA, a name of CSS, or a name with alpha as in
// "red#80". It reports whether the text is a color.
func ParseColor(text string) (color.NRGBA, bool) {
	name, digits, alpha := strings.Cut(text, "#")
	c := color.NRGBA{A: 255}
	if alpha && name == "" {
		if len(digits) == 3 || len(digits) == 4 {
			double := make([]byte, 0, 8)
			for i := range len(digits) {
				double = append(double, digits[i], digits[i])
			}
			digits = string(double)
		}
		v, err := hex.DecodeString(digits)
		if err != nil || len(v) < 3 || len(v) > 4 {
			return color.NRGBA{}, false
		}
		c.R, c.G, c.B = v[0], v[1], v[2]
		if len(v) == 4 {
			c.A = v[3]
		}
		return c, true
	}
	name = strings.ToLower(name)
	named, is := colornames.Map[name]
	if name == "rebeccapurple" { // newer than SVG 1.1
		named, is = color.RGBA{0x66, 0x33, 0x99, 255}, true
	}
	if digits != "" {
		v, err := hex.DecodeString(digits)
		if err != nil || len(v) != 1 {
			return color.NRGBA{}, false
		}
		c.A = v[0]
	}
	c.R, c.G, c.B = named.R, named.G, named.B
	return c, is
}

// ColorSpec converts a color from a definition in JSON: a string as [ParseColor] reads it, a number 0xAARRGGBB, or a
// table with a, r, g and b. It reports whether the value is a color.
func ColorSpec(value any) (color.NRGBA, bool) {
	switch v := value.(type) {
	case string:
		return ParseColor(v)
	case float64:
		n := uint32(int64(v))
		return color.NRGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), uint8(n >> 24)}, v >= -1<<31 && v < 1<<32
	case map[string]any:
		c := color.NRGBA{A: 255}
		for key, channel := range map[string]*uint8{"r": &c.R, "g": &c.G, "b": &c.B, "a": &c.A} {
			if n, is := v[key].(float64); is {
				*channel = uint8(min(max(0, n), 255))
			} else if key != "a" {
				return color.NRGBA{}, false
			}
		}
		return c, true
	}
	return color.NRGBA{}, false
}

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

package turn

import "fmt"

// Describe describes in words the meaning of a node's param2, given the paramtype2 of its definition. It returns ""
// if param2 has no meaning or an unknown one.
func Describe(paramtype2 string, param2 byte) string {
	color := func(bits int, text string) string {
		return fmt.Sprintf("%s, colour %d of its palette", text, param2>>bits)
	}
	switch paramtype2 {
	case "facedir":
		return facing(param2 & 31 % 24)
	case "colorfacedir":
		return color(5, facing(param2&31%24))
	case "4dir":
		return facing(param2 & 3)
	case "color4dir":
		return color(2, facing(param2&3))
	case "wallmounted":
		return hanging(param2 & 7)
	case "colorwallmounted":
		return color(3, hanging(param2&7))
	case "degrotate":
		return fmt.Sprintf("turned by %g degrees", float64(param2)*1.5)
	case "colordegrotate":
		return color(5, fmt.Sprintf("turned by %d degrees", int(param2&31)*15))
	case "color":
		return fmt.Sprintf("colour %d of its palette", param2)
	case "flowingliquid":
		text := fmt.Sprintf("level %d of 7", param2&7)
		if param2&8 != 0 {
			text += ", flowing down"
		}
		return text
	case "leveled":
		return fmt.Sprintf("level %d of 64", param2&127)
	case "glasslikeliquidlevel":
		return fmt.Sprintf("filled to %d of 63", param2&63)
	case "meshoptions":
		shapes := []string{"crossed planes", "planes across", "a star of planes", "planes as #", "planes as # that lean"}
		text := fmt.Sprintf("shape %d", param2&7)
		if int(param2&7) < len(shapes) {
			text = shapes[param2&7]
		}
		for i, means := range []string{"moved at random", "larger", "lowered at random"} {
			if param2&(8<<i) != 0 {
				text += ", " + means
			}
		}
		return text
	}
	return ""
}

// facing describes the directions of the front and the top of a node.
func facing(facedir byte) string {
	m := facedirs[facedir]
	text := "front to " + axisOf(m.Apply([3]int{Z: -1}))
	if top := m.Apply([3]int{Y: 1}); top[Y] != 1 {
		text += ", top to " + axisOf(top)
	}
	return text
}

func hanging(wall byte) string {
	text := "attached to " + axisOf(walls[wall%6])
	if wall >= 6 {
		text += ", turned"
	}
	return text
}

// axisOf names a direction along an axis, such as "-z".
func axisOf(v [3]int) string {
	for i, c := range v {
		switch c {
		case 1:
			return "+" + string("xyz"[i])
		case -1:
			return "-" + string("xyz"[i])
		}
	}
	return "nowhere"
}

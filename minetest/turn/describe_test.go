package turn_test

import (
	"strings"
	"testing"

	"trowel.example/minetest/turn"
)

// TestDescribe tests the descriptions of param2, and that a turn about y turns the described directions.
func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		kind   string
		param2 byte
		want   string
	}{
		{"facedir", 0, "front to -z"}, {"facedir", 1, "front to -x"}, {"facedir", 2, "front to +z"}, {"facedir", 20, "front to -z, top to -y"},
		{"4dir", 3, "front to +x"}, {"colorfacedir", 32, "front to -z, colour 1 of its palette"},
		{"color4dir", 6, "front to +z, colour 1 of its palette"},
		{"wallmounted", 0, "attached to +y"}, {"wallmounted", 5, "attached to -z"},
		{"wallmounted", 7, "attached to -y, turned"}, {"colorwallmounted", 9, "attached to -y, colour 1 of its palette"},
		{"degrotate", 120, "turned by 180 degrees"}, {"colordegrotate", 34, "turned by 30 degrees, colour 1 of its palette"},
		{"flowingliquid", 13, "level 5 of 7, flowing down"},
		{"meshoptions", 9, "planes across, moved at random"}, {"leveled", 130, "level 2 of 64"},
		{"glasslikeliquidlevel", 64, "filled to 0 of 63"}, {"color", 7, "colour 7 of its palette"}, {"none", 7, ""}, {"", 7, ""},
	} {
		if got := turn.Describe(c.kind, c.param2); got != c.want {
			t.Errorf("%s %d: %q, not %q", c.kind, c.param2, got, c.want)
		}
	}
	quarter := turn.Turn(turn.Y, 1)
	next := strings.NewReplacer("to -z", "to -x", "to -x", "to +z", "to +z", "to +x", "to +x", "to -z")
	for _, kind := range []string{"facedir", "wallmounted"} {
		for p := range byte(24) {
			if kind == "wallmounted" && p > 5 {
				break
			}
			to, _ := quarter.Param2(kind, p)
			if got, want := turn.Describe(kind, to), next.Replace(turn.Describe(kind, p)); got != want {
				t.Errorf("%s %d turned is %d: %q, not %q", kind, p, to, got, want)
			}
		}
	}
}

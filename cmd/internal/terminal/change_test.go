package terminal

import (
	"strings"
	"testing"
)

// TestChange tests what is shown as old (<) and new (>).
func TestChange(t *testing.T) {
	s := Screen{Color: "always"}
	short := strings.NewReplacer("\x1b["+ColorRemoved+"m", "<", "\x1b["+ColorAdded+"m", ">", "\x1b[0m", "|")
	for text, want := range map[string]string{
		"height 716 -> 667: 49 rows removed at the bottom": "height <716| -> >667|: 49 rows removed at the bottom",
		"3 x 4 tiles at 120,0: 1x -> 3x":                   "3 x 4 tiles at 120,0: <1x| -> >3x|",
		`renamed "a -> b" -> "Game"`:                       `renamed <"a -> b"| -> >"Game"|`,
		"replaced: external, 1 x 2 -> external, 3 x 4":     "replaced: <external, 1 x 2| -> >external, 3 x 4|",
		"3 nodes (default:dirt -> air 3); 1 timer":         "3 nodes (<default:dirt| -> >air 3|); 1 timer",
		"hp 20 -> 11; breath 5 -> 10":                      "hp <20| -> >11|; breath <5| -> >10|",
		"added at 3: external, 4 x 4 pixels":               ">added at 3: external, 4 x 4 pixels|",
		"removed, was at 0: 1 layer":                       "<removed, was at 0: 1 layer|",
		"moved to 4":                                       "moved to 4",
	} {
		if got := short.Replace(s.Change(text)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		s := Screen{Color: "never"}
		if got := s.Change(text); got != text {
			t.Errorf("without colors: %s", got)
		}
	}
}

package layout

import (
	"strconv"
	"strings"
)

// names are the names of small numbers. Numbers without a name are written in decimal.
type names []string

var (
	// choices are the ways in which the game chooses which objects of a group to create.
	choices = names{"ALL", "Weight", "Random Chance"}
	// interpolations are the ways in which a value changes between two points of a timeline.
	interpolations = names{"Linear", "Linear Round", "Linear Round Down", "Linear Round Up", "Spline", "Quaternion",
		"No Interpolation", "Use Timeline Default"}
	// gameModes are the kinds of games in which a group exists.
	gameModes = names{"", "NORMAL", "NEW GAME PLUS"}
)

func (n names) name(i uint8) string {
	if int(i) < len(n) {
		return n[i]
	}
	return strconv.Itoa(int(i))
}

// index returns the number with a name, ignoring case, or the value of a decimal number.
func (n names) index(s string) (uint8, bool) {
	for i, name := range n {
		if strings.EqualFold(name, s) {
			return uint8(i), true
		}
	}
	i, err := strconv.ParseUint(s, 10, 8)
	return uint8(i), err == nil
}

// ChoiceName returns the way in which the game chooses which objects of the group to create: "ALL", "Weight" or "Random
// Chance", or a number if it has no name.
func (g *Group) ChoiceName() string { return choices.name(g.Choice) }

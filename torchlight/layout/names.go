package layout

import (
	"strconv"
	"strings"
)

// names are the names of small numbers. A number without a name is written in
// decimal.
type names []string

var (
	// choices say which of the objects in a group come into being.
	choices = names{"ALL", "Weight", "Random Chance"}
	// interpolations say how a value goes from one point of a timeline to the next.
	interpolations = names{"Linear", "Linear Round", "Linear Round Down", "Linear Round Up", "Spline", "Quaternion", "No Interpolation", "Use Timeline Default"}
	// gameModes say in which games a group is there.
	gameModes = names{"", "NORMAL", "NEW GAME PLUS"}
)

func (n names) name(i uint8) string {
	if int(i) < len(n) {
		return n[i]
	}
	return strconv.Itoa(int(i))
}

// index returns the number of a name, ignoring case, or of a number in decimal.
func (n names) index(s string) (uint8, bool) {
	for i, name := range n {
		if strings.EqualFold(name, s) {
			return uint8(i), true
		}
	}
	i, err := strconv.ParseUint(s, 10, 8)
	return uint8(i), err == nil
}

// ChoiceName returns how the group chooses which of its objects come into being: "ALL",
// "Weight" or "Random Chance", or a number that has no name.
func (g *Group) ChoiceName() string { return choices.name(g.Choice) }

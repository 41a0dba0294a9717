//go:build !js

package worldquery

import (
	"fmt"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/minetest/mapblock"
)

var tablePositions = format.NewTable("minetest_positions", "A node that --positions selects. There is no such table without the option.",
	func(r *format.Rows, n Node) {
		nodePos(r, n.At)
		r.Col("node", format.TextCell(n.Name), "The name of the node.")
		r.Col("param1", format.IntCell(n.Param1), "Its param1, 0 to 255, usually its light.")
		r.Col("param2", format.IntCell(n.Param2), "Its param2, 0 to 255, such as its direction.")
	}).Only(format.OptionPositions)

// CheckName returns an error for a pattern that no name of a node matches: a name has a colon, except two names.
func CheckName(pattern string) error {
	if pattern == mapblock.Air || pattern == mapblock.Ignore || strings.ContainsAny(pattern, ":*?") {
		return nil
	}
	return fmt.Errorf("%q is not the name of a node, such as default:chest, or a pattern of names", pattern)
}

// ParsePositions returns the names of the nodes whose positions are rows; nil for none.
func ParsePositions(words []string) (*Names, error) {
	words = nodeNames(words)
	if len(words) == 0 {
		return nil, nil
	}
	names, err := ParseNames(words...)
	return &names, err
}

// nodeNames returns the words that can select nodes; the others select tiles of maps.
func nodeNames(words []string) (names []string) {
	for _, word := range words {
		if CheckName(word) == nil {
			names = append(names, word)
		}
	}
	return names
}

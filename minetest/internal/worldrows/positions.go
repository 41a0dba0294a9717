package worldrows

import (
	"fmt"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldfind"
	"trowel.example/minetest/mapblock"
)

var tablePositions = tableOf("minetest_positions", "A node that --positions selects. There is no such table without the option.", with(
	nodePos(false, func(v *worldfind.Node) ([3]int, bool) { return v.At.Pos() }),
	col("node", format.ColumnText, "The name of the node.", func(v *worldfind.Node) format.Cell { return format.TextCell(v.Name) }),
	col("param1", format.ColumnInt, "Its param1, 0 to 255, usually its light.",
		func(v *worldfind.Node) format.Cell { return format.IntCell(v.Param1) }),
	col("param2", format.ColumnInt, "Its param2, 0 to 255, such as its direction.",
		func(v *worldfind.Node) format.Cell { return format.IntCell(v.Param2) }),
)...).only(format.OptionPositions)

// CheckName returns an error for a pattern that no name of a node matches: a name has a colon, except two names.
func CheckName(pattern string) error {
	if pattern == mapblock.Air || pattern == mapblock.Ignore || strings.ContainsAny(pattern, ":*?") {
		return nil
	}
	return fmt.Errorf("%q is not the name of a node, such as default:chest, or a pattern of names", pattern)
}

// ParsePositions returns the names of the nodes whose positions are rows; nil for none.
func ParsePositions(words []string) (*worldfind.Names, error) {
	words = nodeNames(words)
	if len(words) == 0 {
		return nil, nil
	}
	names, err := worldfind.ParseNames(words...)
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

package nodedef

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

//go:embed minetest_game.txt
var minetestGame string

// MinetestGame returns the nodes of minetest_game 5.6, with their aliases, for worlds without exported definitions. The
// list must not be changed.
func MinetestGame() List { return minetestGameFile().Nodes }

// MinetestGameAliases returns the aliases of nodes and items in minetest_game 5.6. The map must not be changed.
func MinetestGameAliases() map[string]string { return minetestGameFile().Aliases }

var minetestGameFile = sync.OnceValue(func() *File {
	file := new(File)
	parse := func(line string, v any) {
		if err := json.Unmarshal([]byte(line), v); err != nil {
			panic(fmt.Sprintf("minetest_game.txt: %s: %v", line, err))
		}
	}
	var shared string
	for line := range strings.Lines(minetestGame) {
		switch {
		case line[0] == '#':
		case file.Nodes == nil:
			parse(line, file)
			file.Nodes = make(List)
		case line[0] == '\t':
			f := make(fields)
			parse(shared, &f)
			parse(line, &f)
			n := f.node(file)
			file.Nodes[n.Name] = n
		default:
			shared = line
		}
	}
	file.Nodes.addAliases(file.Aliases)
	return file
})

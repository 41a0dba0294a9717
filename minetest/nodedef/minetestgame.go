package nodedef

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed minetest_game.txt
var minetestGame string

// MinetestGame returns the nodes of minetest_game 5.6, for worlds without exported definitions. It has the ParamType,
// ParamType2, LightSource, SunlightPropagates and LiquidType of each node. The list must not be changed.
var MinetestGame = sync.OnceValue(func() List {
	list := make(List)
	for line := range strings.Lines(minetestGame) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		what, names, _ := strings.Cut(line, ": ")
		f := strings.Fields(what)
		light, err := strconv.Atoi(f[3])
		if err != nil {
			panic(fmt.Sprintf("minetest_game.txt: %s: %v", what, err))
		}
		prefix := f[0] + ":"
		if f[0] == "-" {
			prefix = ""
		}
		for name := range strings.FieldsSeq(names) {
			name = prefix + name
			list[name] = &Node{
				Name: name, ParamType: f[1], ParamType2: f[2], LightSource: light,
				SunlightPropagates: f[4] == "sun", LiquidType: f[5],
			}
		}
	}
	return list
})

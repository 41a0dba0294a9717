package nodedef_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/nodedef"
)

var update = flag.Bool("update", false, "write minetest_game.txt again, from the engine's definitions")

const header = `# The nodes of minetest_game 5.6 as its Lua API states them, without textures, written by TestEngine with -update.
# The first line has the facts about the whole game. Each other line in the first column has the fields that the nodes
# in the following lines share. Fields with their default are omitted.
`

// writeMinetestGame writes minetest_game.txt: the nodes in a file that are not of the mod "stop".
func writeMinetestGame(t *testing.T, data []byte) {
	var file struct {
		Engine  string
		Aliases map[string]string
		Nodes   []map[string]any
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	line := func(v any) string {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var order []string
	groups, isNode := make(map[string][]string), make(map[string]bool)
	for _, fields := range file.Nodes {
		name := fields["name"].(string)
		if strings.HasPrefix(name, "stop:") {
			continue
		}
		isNode[name] = true
		own := map[string]any{"name": name}
		node := func() *nodedef.Node {
			text, err := json.Marshal(map[string]any{"format": nodedef.Format, "version": nodedef.Version, "engine": file.Engine,
				"nodes": []any{fields}})
			if err != nil {
				t.Fatal(err)
			}
			f, err := nodedef.Parse(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			return f.Nodes[name]
		}
		whole := node()
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			value := fields[key]
			delete(fields, key)
			switch {
			case key == "name":
				fields[key] = value
			case reflect.DeepEqual(node(), whole):
			case key == "tiles" || key == "groups":
				own[key] = value
				fields[key] = value
			default:
				fields[key] = value
			}
		}
		for key := range own {
			delete(fields, key)
		}
		shared := line(fields)
		if groups[shared] == nil {
			order = append(order, shared)
		}
		groups[shared] = append(groups[shared], "\t"+line(own))
	}
	for alias, name := range file.Aliases {
		if !isNode[name] {
			delete(file.Aliases, alias)
		}
	}
	text := header + line(map[string]any{"engine": file.Engine, "aliases": file.Aliases})
	for _, shared := range order {
		slices.Sort(groups[shared])
		text += shared + strings.Join(groups[shared], "")
	}
	judge.Write(t, "minetest_game.txt", []byte(text))
}

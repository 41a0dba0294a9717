package minecraft

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/text/glob"
)

// Games are the names of the tables that are built in.
var Games = []string{"minetest_game", "mineclone"}

var (
	//go:embed minetest_game.txt
	minetestGame string
	//go:embed mineclone.txt
	mineclone string

	builtIn = map[string]func() Table{
		Games[0]: sync.OnceValue(func() Table { return mustParse(Games[0], minetestGame) }),
		Games[1]: sync.OnceValue(func() Table { return mustParse(Games[1], mineclone) }),
	}
)

func mustParse(name, text string) Table {
	t, err := ParseTable(name+".txt", text)
	if err != nil {
		panic(err)
	}
	return t
}

// TableOf returns the table for one of the [Games].
func TableOf(game string) Table { return builtIn[game]() }

// Table is a table of names: the node that each block becomes. The first row that matches counts.
type Table []row

// row is a line of a table.
type row struct {
	name       string                 // of the block; may have wildcards
	match      func(name string) bool // nil: the name has no wildcards
	conditions []condition
	node       string // "" if the position keeps its node
	param2     uint8
	rule       rule // how properties become param2; nil: param2 does not depend on them
}

// condition is a condition on a property, which has one of the values.
type condition struct {
	key    string
	values []string
}

// ParseTable parses a table. Errors name the file.
func ParseTable(file, text string) (Table, error) {
	var t Table
	number := 0
	for line := range strings.Lines(text) {
		number++
		if line = cutComment(line); line == "" {
			continue
		}
		r, err := parseRow(line)
		if err != nil {
			return nil, &fault.TextError{File: file, Line: number, Msg: err.Error()}
		}
		t = append(t, r)
	}
	return t, nil
}

// cutComment removes a comment, and spaces around the line.
func cutComment(line string) string {
	if i := strings.Index(line, "#"); i == 0 || i > 0 && (line[i-1] == ' ' || line[i-1] == '\t') {
		line = line[:i]
	}
	return strings.TrimSpace(line)
}

func parseRow(line string) (r row, err error) {
	block, target, ok := strings.Cut(line, " = ")
	words := strings.Fields(target)
	if !ok || len(words) == 0 || len(words) > 2 {
		return r, fmt.Errorf("%.60q: expected BLOCK = NODE, or BLOCK = NODE PARAM2", line)
	}
	s, ok := parseState(strings.TrimSpace(block))
	if !ok || strings.ContainsAny(s.Name, " \t") {
		return r, fmt.Errorf("%.60q: expected a block such as oak_stairs or oak_stairs[half=top]", block)
	}
	if r.name = s.Name; strings.ContainsAny(r.name, "*?") {
		r.match = glob.Text(r.name)
	}
	for key, values := range s.Properties {
		r.conditions = append(r.conditions, condition{key, strings.Split(values, "|")})
	}
	if r.node = words[0]; r.node == "-" {
		r.node = ""
	}
	if strings.ContainsAny(r.node, "*?=[]") {
		return r, fmt.Errorf("%.60q is not a valid name of a node", r.node)
	}
	if len(words) == 1 {
		return r, nil
	}
	if r.rule = rules[words[1]]; r.rule != nil {
		return r, nil
	}
	n, err := strconv.ParseUint(words[1], 10, 8)
	if err != nil {
		return r, fmt.Errorf("%.60q: expected a param2 from 0 to 255, or one of %s", words[1], strings.Join(ruleNames(), ", "))
	}
	r.param2 = uint8(n)
	return r, nil
}

// Node returns the node that a block becomes, and its param2. Placed is false if the position keeps its node, known is false if no row
// matches.
func (t Table) Node(s State) (name string, param2 uint8, placed, known bool) {
	for i := range t {
		r := &t[i]
		if r.name != s.Name && (r.match == nil || !r.match(s.Name)) || !r.holds(s) {
			continue
		}
		if r.rule != nil {
			return r.node, r.rule(s.Properties), r.node != "", true
		}
		return r.node, r.param2, r.node != "", true
	}
	return "", 0, false, false
}

// holds reports whether a block meets the conditions of the row.
func (r *row) holds(s State) bool {
	for _, c := range r.conditions {
		if !slices.Contains(c.values, s.Properties[c.key]) {
			return false
		}
	}
	return true
}

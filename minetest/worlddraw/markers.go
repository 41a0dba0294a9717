package worlddraw

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"image/color"
	"io"
	"path"
	"strings"

	"trowel.example/fault"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodecolor"
)

// Marker is a place of a world with something to say.
type Marker struct {
	Pos   [3]float64 // x, y and z in nodes; the middle of a node is at whole numbers
	Kind  string     // such as "sign"
	Color color.NRGBA
	Label string // one line
}

// MarkerRule says which nodes that have metadata are marked, and how.
type MarkerRule struct {
	Pattern string // of names of nodes, as in [path.Match]
	Kind    string
	Color   color.NRGBA
	Label   string // {key} stands for a variable of the metadata
}

//go:embed markers.txt
var usualMarkers []byte

// UsualMarkers returns rules for signs, protectors, doors, chests and others of their kind.
func UsualMarkers() []MarkerRule {
	rules, err := ParseMarkerRules(bytes.NewReader(usualMarkers))
	if err != nil {
		panic(err)
	}
	return rules
}

// ParseMarkerRules reads rules: lines of "pattern kind #rrggbb label", the label up to the
// end of the line. Empty lines and those that begin with # say nothing.
func ParseMarkerRules(r io.Reader) (rules []MarkerRule, err error) {
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSpace(in.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		fail := func(want string) error {
			return &fault.Error{Path: fmt.Sprintf("line %d", n), Offset: -1, Want: want, Got: fmt.Sprintf("%.80q", line), Err: fault.ErrFormat}
		}
		words := strings.Fields(line)
		if len(words) < 3 {
			return nil, fail("a pattern of names, a kind and a colour such as #ff8000")
		}
		c, ok := nodecolor.ParseHex(words[2])
		if !ok {
			return nil, fail("a colour such as #ff8000")
		}
		if _, err := path.Match(words[0], ""); err != nil {
			return nil, fail("a pattern of names")
		}
		rules = append(rules, MarkerRule{words[0], words[1], c.NRGBA(), strings.Join(words[3:], " ")})
	}
	return rules, in.Err()
}

// Markers goes through all blocks of a box and returns what rules say of the metadata in
// them, in the order of the store. Lost is told of what cannot be read.
func Markers(ctx context.Context, db mapdb.DB, box Box, rules []MarkerRule, lost func(error)) ([]Marker, error) {
	b := box.blocks()
	area := mapdb.Area{
		Min: mapdb.Pos{X: int16(b.Min[0]), Y: int16(b.Min[1]), Z: int16(b.Min[2])},
		Max: mapdb.Pos{X: int16(b.Max[0]), Y: int16(b.Max[1]), Z: int16(b.Max[2])},
	}
	type found struct {
		markers []Marker
		err     error
	}
	var all []Marker
	for f := range mapdb.Parallel(db.Blocks(ctx, area), func(b mapdb.Block, err error) found {
		if err != nil {
			return found{err: err}
		}
		markers, err := markersOf(b, box, rules)
		if err != nil {
			err = &BlockError{b.Pos, err}
		}
		return found{markers, err}
	}) {
		var row *mapdb.RowError
		var block *BlockError
		switch {
		case errors.As(f.err, &row), errors.As(f.err, &block):
			lost(f.err)
		case f.err != nil:
			return nil, f.err
		}
		all = append(all, f.markers...)
	}
	return all, nil
}

func markersOf(stored mapdb.Block, box Box, rules []MarkerRule) (markers []Marker, err error) {
	b, err := mapblock.Decode(stored.Data)
	if err != nil || len(b.Metadata.List) == 0 {
		return nil, err
	}
	nodes := b.Nodes()
	for i := range b.Metadata.List {
		m := &b.Metadata.List[i]
		if m.Pos >= mapblock.NodeCount {
			continue
		}
		name := nodes.At(int(m.Pos))
		for _, r := range rules {
			if ok, _ := path.Match(r.Pattern, name); !ok {
				continue
			}
			x, y, z := mapblock.Coordinates(int(m.Pos))
			at := [3]int{int(stored.Pos.X)*side + x, int(stored.Pos.Y)*side + y, int(stored.Pos.Z)*side + z}
			if label, ok := labelOf(r.Label, variablesOf(m)); ok && box.has(at) {
				markers = append(markers, Marker{[3]float64{float64(at[0]), float64(at[1]), float64(at[2])}, r.Kind, r.Color, label})
			}
			break
		}
	}
	return markers, nil
}

func (b Box) has(p [3]int) bool {
	for i := range p {
		if p[i] < b.Min[i] || p[i] > b.Max[i] {
			return false
		}
	}
	return true
}

// variablesOf returns a function that returns variables of metadata, of old ones too.
func variablesOf(m *mapblock.NodeMeta) func(key string) string {
	if m.Legacy == nil {
		return m.Var
	}
	c, err := m.Legacy.Content()
	if err != nil {
		return func(string) string { return "" }
	}
	return func(key string) string {
		switch key {
		case "text":
			return c.Text
		case "owner":
			return c.Owner
		}
		for _, v := range c.Vars {
			if v.Key == key {
				return v.Value
			}
		}
		return ""
	}
}

// maxLabel is how many characters of a label are shown.
const maxLabel = 40

// labelOf fills a label in, and reports whether all that it asks for is there.
func labelOf(label string, of func(key string) string) (string, bool) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(label, "{")
		out.WriteString(before)
		if !found {
			break
		}
		key, after, closed := strings.Cut(rest, "}")
		value := of(key)
		if !closed || value == "" {
			return "", false
		}
		out.WriteString(value)
		label = after
	}
	text := []rune(strings.Join(strings.FieldsFunc(out.String(), func(r rune) bool { return r <= ' ' || r == 0x7f }), " "))
	if len(text) > maxLabel {
		text = append(text[:maxLabel-1], '~')
	}
	return string(text), true
}

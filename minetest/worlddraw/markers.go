package worlddraw

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"path"
	"strings"
	"sync"

	"trowel.example/fault"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodecolor"
)

// Marker is a labelled place of a world.
type Marker struct {
	Pos   [3]float64 // x, y and z in nodes; centers of nodes are at integers
	Kind  string     // such as "sign"
	Color color.NRGBA
	Label string // one line
}

// MarkerRule selects nodes with metadata and defines their markers.
type MarkerRule struct {
	Pattern string // of node names, as in [path.Match]
	Kind    string
	Color   color.NRGBA
	Label   string // {key} is replaced by a variable of the metadata
}

//go:embed markers.txt
var usualMarkers []byte

// UsualMarkers returns rules for signs, protectors, doors, chests and similar nodes.
func UsualMarkers() []MarkerRule {
	rules, err := ParseMarkerRules(bytes.NewReader(usualMarkers))
	if err != nil {
		panic(err)
	}
	return rules
}

// ParseMarkerRules parses rules: lines of "pattern kind #rrggbb label", where the label continues to the end of the
// line. Empty lines and lines that begin with # are ignored.
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

// Markers are the markers that rules define for the metadata of a world. Blocks are read region by region when
// needed, and the results are cached. Markers is safe for concurrent use.
type Markers struct {
	places  *Places
	rules   []MarkerRule
	regions []*region
}

// regionSide is the number of columns of blocks in a region, along x and along z.
const regionSide = 16

// A region is the blocks of some columns.
type region struct {
	blocks Box // in u, v and d of the view from above
	box    Box // of nodes

	mu      sync.Mutex
	known   bool
	markers []Marker
	lost    []error
}

// Markers returns the markers that rules define for the blocks at the positions. It reads no blocks yet.
func (p *Places) Markers(rules []MarkerRule) *Markers {
	m := &Markers{places: p, rules: rules}
	f := frames[Top]
	for v := mapdb.MinCoord; v <= mapdb.MaxCoord; v += regionSide {
		of := make(map[int]*region)
		for row := v; row < v+regionSide; row++ {
			for _, r := range p.top.rows[row-mapdb.MinCoord] {
				u := floorDiv(r.u(), regionSide)
				at := of[u]
				if at == nil {
					at = &region{blocks: Box{[3]int{r.u(), row, r.d()}, [3]int{r.u(), row, r.last()}}}
					of[u] = at
					m.regions = append(m.regions, at)
				}
				b := &at.blocks
				b.Min[0], b.Max[0] = min(b.Min[0], r.u()), max(b.Max[0], r.u())
				b.Max[1] = row
				b.Min[2], b.Max[2] = min(b.Min[2], r.d()), max(b.Max[2], r.last())
			}
		}
	}
	for _, r := range m.regions {
		r.box = (&window{box: r.blocks, any: true}).extent(&f)
	}
	return m
}

// Near returns at least the markers that are visible in a part of a picture, as input for [View.Marks]. It reads the
// regions that are not cached. Lost receives errors about blocks that cannot be read, on every call.
func (m *Markers) Near(ctx context.Context, v View, part image.Rectangle, at Scaled, lost func(error)) (all []Marker, err error) {
	part = Reach(part)
	from, to := at.place(part.Min), at.place(part.Max)
	for _, r := range m.regions {
		low, high := v.Where(r.box)
		if low[0] > to[0] || high[0] < from[0] || low[1] > to[1] || high[1] < from[1] {
			continue
		}
		if err := m.read(ctx, r); err != nil {
			return nil, err
		}
		for _, err := range r.lost {
			lost(err)
		}
		all = append(all, r.markers...)
	}
	return all, nil
}

// read reads a region, unless it is cached.
func (m *Markers) read(ctx context.Context, r *region) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known {
		return nil
	}
	r.markers, r.lost = nil, nil
	type found struct {
		markers []Marker
		err     error
	}
	for f := range mapdb.Parallel(mapdb.Fetch(ctx, m.places.db, m.places.in(r.blocks)), func(b mapdb.Block, err error) found {
		if err != nil {
			return found{err: err}
		}
		markers, err := markersOf(b, m.rules)
		if err != nil {
			err = &BlockError{b.Pos, err}
		}
		return found{markers, err}
	}) {
		var row *mapdb.RowError
		var block *BlockError
		switch {
		case errors.As(f.err, &row), errors.As(f.err, &block):
			r.lost = append(r.lost, f.err)
		case f.err != nil:
			return f.err
		}
		r.markers = append(r.markers, f.markers...)
	}
	r.known = ctx.Err() == nil
	return ctx.Err()
}

func markersOf(stored mapdb.Block, rules []MarkerRule) (markers []Marker, err error) {
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
		if marker, ok := MarkerOf(rules, nodes.At(int(m.Pos)), m); ok {
			x, y, z := mapblock.Coordinates(int(m.Pos))
			marker.Pos = [3]float64{float64(int(stored.Pos.X)*side + x), float64(int(stored.Pos.Y)*side + y), float64(int(stored.Pos.Z)*side + z)}
			markers = append(markers, marker)
		}
	}
	return markers, nil
}

// MarkerOf returns the marker that the first matching rule defines for the metadata of a node. It returns false if no
// rule matches or if the metadata lacks a variable of the label. The marker has no position.
func MarkerOf(rules []MarkerRule, name string, m *mapblock.NodeMeta) (Marker, bool) {
	for _, r := range rules {
		if ok, _ := path.Match(r.Pattern, name); ok {
			label, ok := labelOf(r.Label, variablesOf(m))
			return Marker{Kind: r.Kind, Color: r.Color, Label: label}, ok
		}
	}
	return Marker{}, false
}

// variablesOf returns a function that returns the variables of metadata, including legacy metadata.
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

// maxLabel is the maximum number of characters of a label.
const maxLabel = 40

// labelOf replaces the variables in a label, and reports whether all of them exist.
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

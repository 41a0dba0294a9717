package worldjob

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/turn"
	"trowel.example/minetest/worldedit"
)

// Bounds are the options for a box.
type Bounds struct {
	Box  string `option:"box" help:"only the nodes in {x1,y1,z1:x2,y2,z2}, two opposite corners in any order"`
	Area string `option:"area"`
}

// Describe describes the options.
func (Bounds) Describe(o *format.Option) {
	o.Explain("area", "only the blocks in `x1,y1,z1:x2,y2,z2`, two opposite corners in any order, counted in blocks of 16 nodes")
}

// Places are the options for a region of a query.
type Places struct {
	Bounds
	Sphere string `option:"sphere" help:"only the nodes in a sphere: {x,y,z:radius}"`
}

// Shapes are the options for a region of any shape.
type Shapes struct {
	Places
	Dome     string   `option:"dome"`
	Cylinder string   `option:"cylinder"`
	Pyramid  string   `option:"pyramid"`
	Hollow   bool     `option:"hollow" help:"only the hull of the shape or of the box"`
	Where    []string `option:"where" names:"node or a variable"`
}

// Describe describes the options.
func (Shapes) Describe(o *format.Option) {
	o.Explain("dome", "only the nodes in the upper half of a sphere: `x,y,z:radius`; a negative radius selects the lower half")
	o.Explain("cylinder", "only the nodes in a cylinder that starts at a node, or in a cone with another radius at its end: "+
		"`x,y,z:axis,length,radius[,end]`, such as 0,0,0:y,10,4; a negative length extends in the other direction")
	o.Explain("pyramid", "only the nodes in a pyramid on a node: `x,y,z:axis,height`, such as 0,0,0:y,10; "+
		"a negative height extends in the other direction")
	o.Explain("where", "only nodes that meet a `condition`: node=NAME, owner=NAME, or meta:KEY=VALUE; * and ? are wildcards")
}

// Region are the options for a region of any shape, or everything outside of it.
type Region struct {
	Invert bool `option:"invert" help:"only the nodes outside of the region"`
	Shapes
}

// Select returns the region, and whether the user selected one; otherwise it is the whole world.
func (b Bounds) Select() (r worldedit.Region, bounded bool, err error) {
	r.Box = worldedit.Everywhere
	if b.Box != "" {
		box, err := ParseBox("box", b.Box)
		if err != nil {
			return r, false, err
		}
		r.Box, bounded = r.Box.Intersect(box), true
	}
	if b.Area != "" {
		area, err := parseArea(b.Area)
		if err != nil {
			return r, false, fmt.Errorf("--area: %w", err)
		}
		r.Box, bounded = r.Box.Intersect(worldedit.BoxOfBlocks(*area)), true
	}
	return r, bounded, nil
}

// Select returns the region, and whether the user selected one.
func (p Places) Select() (r worldedit.Region, bounded bool, err error) {
	return Shapes{Places: p}.Select()
}

// Select returns the region, and whether the user selected one. Where is not regarded as bounds.
func (s Shapes) Select() (r worldedit.Region, bounded bool, err error) {
	if r, bounded, err = s.Bounds.Select(); err != nil {
		return r, false, err
	}
	given := false
	for _, kind := range shapeKinds {
		text := kind.text(&s)
		if text == "" {
			continue
		}
		if given {
			return r, false, errors.New("a region has one shape")
		}
		shape, err := kind.parse(text)
		if err != nil {
			return r, false, fmt.Errorf("--%s %q: %w", kind.option, text, err)
		}
		if s.Hollow {
			shape = shape.Hollow()
		}
		r.Box, r.In, bounded, given = r.Box.Intersect(shape.Box), shape.In, true, true
	}
	if s.Hollow && !bounded {
		return r, false, errors.New("--hollow needs a shape or a box")
	}
	if s.Hollow && !given {
		r.In = worldedit.Cuboid(r.Box).Hollow().In
	}
	r.Where, err = parseWhere(s.Where)
	return r, bounded, err
}

// Select returns the region, and whether the user selected one.
func (g Region) Select() (r worldedit.Region, bounded bool, err error) {
	r, bounded, err = g.Shapes.Select()
	if err == nil && g.Invert && !bounded {
		err = errors.New("--invert needs a region to be outside of, such as --box")
	}
	r.Invert = g.Invert
	return r, bounded, err
}

// SelectPart returns the region. It is an error if the user selected none and gave no condition, so that a whole world
// is not changed by mistake.
func (g Region) SelectPart() (worldedit.Region, error) {
	r, bounded, err := g.Select()
	if err == nil && !bounded && !HasCondition(r) {
		err = errors.New("expected where, such as --box x1,y1,z1:x2,y2,z2 or --where node=NAME")
	}
	return r, err
}

// SelectPiece returns the region. It is an error if it has no bounds.
func (s Shapes) SelectPiece() (worldedit.Region, error) {
	r, _, err := s.Select()
	if err == nil && r.Box == worldedit.Everywhere {
		err = errors.New("expected a part of the world, such as --box x1,y1,z1:x2,y2,z2")
	}
	return r, err
}

// Items are the options for the places of items.
type Items struct {
	In string `option:"in" choices:"nodes|players|players,nodes" help:"only items there; those of nodes include dropped ones"`
}

// Select returns whether items of nodes, which include dropped ones, and those of players are selected. Players are in no part of a
// world.
func (i Items) Select(part bool) (nodes, players bool, err error) {
	if part && i.In != "" && i.In != "nodes" {
		return false, false, fmt.Errorf("--in %s: players are in no region", i.In)
	}
	return i.In != "players", i.In != "nodes" && !part, nil
}

// HasCondition reports whether a region has a condition on nodes.
func HasCondition(r worldedit.Region) bool { return r.Where.Names != nil || r.Where.Meta != nil }

// parseWhere parses the conditions on nodes.
func parseWhere(conditions []string) (w worldedit.Where, err error) {
	for _, text := range conditions {
		key, value, ok := strings.Cut(text, "=")
		meta, isMeta := strings.CutPrefix(key, "meta:")
		switch {
		case ok && key == "node":
			w.Names = append(w.Names, value)
			continue
		case ok && key == "owner":
			meta = "owner"
		case !ok || !isMeta || meta == "":
			return w, fmt.Errorf("--where %q: expected node=NAME, owner=NAME or meta:KEY=VALUE", text)
		}
		if w.Meta == nil {
			w.Meta = make(map[string]string)
		}
		if old, is := w.Meta[meta]; is && old != value {
			return w, fmt.Errorf("--where %q: %s cannot also be %q", text, meta, old)
		}
		w.Meta[meta] = value
	}
	return w, nil
}

// shapeKinds are the shapes of regions.
var shapeKinds = []struct {
	option string
	text   func(s *Shapes) string
	parse  func(text string) (worldedit.Shape, error)
}{
	{"sphere", func(s *Shapes) string { return s.Sphere }, func(text string) (s worldedit.Shape, err error) {
		v, _, n, err := parseShape(text, false, 1, 1)
		if err != nil {
			return s, err
		}
		return worldedit.Sphere(v, n[0])
	}},
	{"dome", func(s *Shapes) string { return s.Dome }, func(text string) (s worldedit.Shape, err error) {
		v, _, n, err := parseShape(text, false, 1, 1)
		if err != nil {
			return s, err
		}
		return worldedit.Dome(v, n[0])
	}},
	{"cylinder", func(s *Shapes) string { return s.Cylinder }, func(text string) (s worldedit.Shape, err error) {
		v, axis, n, err := parseShape(text, true, 2, 3)
		if err != nil {
			return s, err
		}
		return worldedit.Cylinder(v, axis, n[0], n[1], n[len(n)-1])
	}},
	{"pyramid", func(s *Shapes) string { return s.Pyramid }, func(text string) (s worldedit.Shape, err error) {
		v, axis, n, err := parseShape(text, true, 1, 1)
		if err != nil {
			return s, err
		}
		return worldedit.Pyramid(v, axis, n[0])
	}},
}

// parseShape parses x,y,z:axis,number...
func parseShape(text string, hasAxis bool, least, most int) (v worldedit.Vec, axis turn.Axis, numbers []int, err error) {
	place, rest, _ := strings.Cut(text, ":")
	v, ok := parseVec(place, worldedit.MinNode, worldedit.MaxNode)
	words := strings.Split(rest, ",")
	if hasAxis {
		if axis, err = turn.ParseAxis(words[0]); err != nil {
			return v, axis, nil, err
		}
		words = words[1:]
	}
	for _, word := range words {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		ok = ok && err == nil
		numbers = append(numbers, n)
	}
	if !ok || len(words) < least || len(words) > most {
		example := "0,10,0:5"
		if hasAxis {
			example = "0,10,0:y,5" + strings.Repeat(",3", least-1)
		}
		return v, axis, nil, fmt.Errorf("expected a node and numbers such as %s", example)
	}
	return v, axis, numbers, nil
}

// parseVec parses x,y,z, each from min to max.
func parseVec(text string, min, max int) (v worldedit.Vec, ok bool) {
	parts := strings.Split(strings.Trim(text, "() "), ",")
	if len(parts) != len(v) {
		return v, false
	}
	for i, part := range parts {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < min || n > max {
			return v, false
		}
		v[i] = n
	}
	return v, true
}

// ParseNode parses the position of a node.
func ParseNode(text string) (worldedit.Vec, error) {
	v, ok := parseVec(text, worldedit.MinNode, worldedit.MaxNode)
	if !ok {
		return v, fmt.Errorf("%q: expected the position of a node, such as 100,12,-40", text)
	}
	return v, nil
}

// ParseBox parses the box of nodes that an option selects by two corners.
func ParseBox(option, text string) (worldedit.Box, error) {
	a, b, ok := parseCorners(text, worldedit.MinNode, worldedit.MaxNode)
	if !ok {
		return worldedit.Box{}, fmt.Errorf("--%s %q: expected two positions of nodes such as -20,0,-20:20,10,20, from %d to %d",
			option, text, worldedit.MinNode, worldedit.MaxNode)
	}
	return worldedit.BoxOf(a, b), nil
}

// parseArea parses an area of blocks, selected by two corners.
func parseArea(text string) (*mapdb.Area, error) {
	a, b, ok := parseCorners(text, mapdb.MinCoord, mapdb.MaxCoord)
	if !ok {
		return nil, fmt.Errorf("expected two positions of blocks such as -2,0,-2:2,1,2, from %d to %d, not %q",
			mapdb.MinCoord, mapdb.MaxCoord, text)
	}
	box := worldedit.BoxOf(a, b)
	return &mapdb.Area{Min: blockPos(box.Min), Max: blockPos(box.Max)}, nil
}

// ParseBlock parses the position of a block, with or without parentheses.
func ParseBlock(text string) (mapdb.Pos, bool) {
	v, ok := parseVec(text, mapdb.MinCoord, mapdb.MaxCoord)
	return blockPos(v), ok
}

func blockPos(v worldedit.Vec) mapdb.Pos {
	return mapdb.Pos{X: int16(v[0]), Y: int16(v[1]), Z: int16(v[2])}
}

// parseCorners parses two positions, each coordinate from min to max.
func parseCorners(text string, min, max int) (a, b worldedit.Vec, ok bool) {
	from, to, ok := strings.Cut(text, ":")
	a, okA := parseVec(from, min, max)
	b, okB := parseVec(to, min, max)
	return a, b, ok && okA && okB
}

// ParseDistance parses a distance along each axis.
func ParseDistance(text string) (worldedit.Vec, error) {
	most := worldedit.MaxNode - worldedit.MinNode
	v, ok := parseVec(text, -most, most)
	if !ok {
		return v, fmt.Errorf("expected a distance along x, y and z, such as 10,0,-5, not %q", text)
	}
	return v, nil
}

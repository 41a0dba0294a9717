package minetest

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

// Options that select a region.
var (
	stepBox      = format.Option{Name: "box", Help: "only the nodes in `x1,y1,z1:x2,y2,z2`, two opposite corners in any order"}
	stepArea     = format.Option{Name: "area", Help: "only the blocks in `x1,y1,z1:x2,y2,z2`, two opposite corners in any order, counted in blocks of 16 nodes"}
	stepSphere   = format.Option{Name: "sphere", Help: "only the nodes in a sphere: `x,y,z:radius`"}
	stepDome     = format.Option{Name: "dome", Help: "only the nodes in the upper half of a sphere: `x,y,z:radius`; the lower one with a radius below 0"}
	stepCylinder = format.Option{Name: "cylinder", Help: "only the nodes in a cylinder from a node on, or in a cone with another radius at its end: `x,y,z:axis,length,radius[,end]`, such as 0,0,0:y,10,4; a length below 0 goes the other way"}
	stepPyramid  = format.Option{Name: "pyramid", Help: "only the nodes in a pyramid on a node: `x,y,z:axis,height`, such as 0,0,0:y,10; a height below 0 goes the other way"}
	stepHollow   = format.Option{Name: "hollow", Bool: true, Help: "only the hull of that shape, or of the box"}
	stepInvert   = format.Option{Name: "invert", Bool: true, Help: "only what is outside of that"}
	stepWhere    = format.Option{Name: "where", List: true, Names: namesCondition, Help: "only nodes for which a `condition` holds: node=NAME, owner=NAME, or meta:KEY=VALUE; * and ? stand for letters"}

	boxOptions    = []format.Option{stepBox, stepArea, stepSphere, stepDome, stepCylinder, stepPyramid, stepHollow, stepWhere}
	regionOptions = append([]format.Option{stepInvert}, boxOptions...)
)

// regionOf returns the region that the user selected, or everything. bounded reports whether the user selected a
// region.
func regionOf(job *format.Job) (r worldedit.Region, bounded bool, err error) {
	r.Box, r.Invert = worldedit.Everywhere, job.On(stepInvert.Name)
	for _, o := range []struct {
		option   format.Option
		unit     string
		min, max int
		box      func(a, b worldedit.Vec) worldedit.Box
	}{
		{stepBox, "nodes", worldedit.MinNode, worldedit.MaxNode, worldedit.BoxOf},
		{stepArea, "blocks", mapdb.MinCoord, mapdb.MaxCoord, func(a, b worldedit.Vec) worldedit.Box {
			x := worldedit.BoxOf(a, b)
			return worldedit.BoxOfBlocks(mapdb.Area{Min: posOf(x.Min), Max: posOf(x.Max)})
		}},
	} {
		text := job.Value(o.option.Name)
		if text == "" {
			continue
		}
		from, to, ok := strings.Cut(text, ":")
		a, okA := parseVec(from, o.min, o.max)
		b, okB := parseVec(to, o.min, o.max)
		if !ok || !okA || !okB {
			return r, false, fmt.Errorf("--%s %q: expected two positions of %s such as -20,0,-20:20,10,20, from %d to %d", o.option.Name, text, o.unit, o.min, o.max)
		}
		r.Box, bounded = r.Box.Intersect(o.box(a, b)), true
	}
	hollow := job.On(stepHollow.Name)
	shapes := 0
	for _, kind := range shapeKinds {
		text := job.Value(kind.option.Name)
		if text == "" {
			continue
		}
		shape, err := kind.parse(text, hollow)
		if err != nil {
			return r, false, fmt.Errorf("--%s %q: %w", kind.option.Name, text, err)
		}
		r.Box, r.In, bounded = r.Box.Intersect(shape.Box), shape.In, true
		shapes++
	}
	switch {
	case shapes > 1:
		return r, false, errors.New("a region has one shape")
	case hollow && !bounded:
		return r, false, fmt.Errorf("--%s needs a shape or a box", stepHollow.Name)
	case hollow && shapes == 0:
		r.In = worldedit.Cuboid(r.Box, true).In
	}
	if r.Invert && !bounded {
		return r, false, fmt.Errorf("--%s needs something to be outside of, such as --%s", stepInvert.Name, stepBox.Name)
	}
	return r, bounded, whereOf(job, &r.Where)
}

// whereOf reads the conditions.
func whereOf(job *format.Job, w *worldedit.Where) error {
	for _, text := range job.List(stepWhere.Name) {
		key, value, ok := strings.Cut(text, "=")
		meta, isMeta := strings.CutPrefix(key, "meta:")
		switch {
		case ok && key == "node":
			w.Names = append(w.Names, value)
			continue
		case ok && key == "owner":
			meta = "owner"
		case !ok || !isMeta || meta == "":
			return fmt.Errorf("--%s %q: expected node=NAME, owner=NAME or meta:KEY=VALUE", stepWhere.Name, text)
		}
		if w.Meta == nil {
			w.Meta = make(map[string]string)
		}
		if old, is := w.Meta[meta]; is && old != value {
			return fmt.Errorf("--%s %q: %s cannot be %q as well", stepWhere.Name, text, meta, old)
		}
		w.Meta[meta] = value
	}
	return nil
}

// shapeKinds are the shapes of regions.
var shapeKinds = []struct {
	option format.Option
	parse  func(text string, hollow bool) (worldedit.Shape, error)
}{
	{stepSphere, func(text string, hollow bool) (s worldedit.Shape, err error) {
		v, _, n, err := parseShape(text, false, 1, 1)
		if err != nil {
			return s, err
		}
		return worldedit.Sphere(v, n[0], hollow)
	}},
	{stepDome, func(text string, hollow bool) (s worldedit.Shape, err error) {
		v, _, n, err := parseShape(text, false, 1, 1)
		if err != nil {
			return s, err
		}
		return worldedit.Dome(v, n[0], hollow)
	}},
	{stepCylinder, func(text string, hollow bool) (s worldedit.Shape, err error) {
		v, axis, n, err := parseShape(text, true, 2, 3)
		if err != nil {
			return s, err
		}
		return worldedit.Cylinder(v, axis, n[0], n[1], n[len(n)-1], hollow)
	}},
	{stepPyramid, func(text string, hollow bool) (s worldedit.Shape, err error) {
		v, axis, n, err := parseShape(text, true, 1, 1)
		if err != nil {
			return s, err
		}
		return worldedit.Pyramid(v, axis, n[0], hollow)
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

func posOf(v worldedit.Vec) mapdb.Pos {
	return mapdb.Pos{X: int16(v[0]), Y: int16(v[1]), Z: int16(v[2])}
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

// wayOf parses a distance.
func wayOf(text string) (worldedit.Vec, error) {
	most := worldedit.MaxNode - worldedit.MinNode
	v, ok := parseVec(text, -most, most)
	if !ok {
		return v, fmt.Errorf("expected how far along x, y and z, such as 10,0,-5, not %q", text)
	}
	return v, nil
}

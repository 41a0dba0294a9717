package minecraft

import (
	"maps"
	"slices"
	"strconv"
)

// rule computes param2 from the properties of a block.
type rule func(properties map[string]string) uint8

// rules are the rules by their names in tables.
var rules = map[string]rule{
	"axis":     axis,
	"facing":   facing,
	"away":     away,
	"stairs":   stairs,
	"slab":     slab,
	"wall":     wall,
	"door":     door,
	"hidden":   hidden,
	"rotation": rotation,
	"level":    level,
}

func ruleNames() []string { return slices.Sorted(maps.Keys(rules)) }

// The directions are those of facedir: 0 is north, 1 east, 2 south, 3 west.
var directions = map[string]int{"north": 0, "east": 1, "south": 2, "west": 3}

// upright returns the facedir of a node that is turned about y, and with top also upside down, as stairs under a ceiling are.
func upright(direction int, top bool) uint8 {
	direction &= 3
	if top {
		return uint8(20 + (4-direction)&3)
	}
	return uint8(direction)
}

// axis is for trunks: the facedir whose y is the axis.
func axis(p map[string]string) uint8 { return map[string]uint8{"x": 12, "z": 4}[p["axis"]] }

// facing is for chests and furnaces: the front of the node, which is to the south at 0, is where the block faces.
func facing(p map[string]string) uint8 {
	switch p["facing"] {
	case "up":
		return 4
	case "down":
		return 8
	}
	return upright(directions[p["facing"]]+2, p["half"] == "top")
}

// away is for beds and gates: the back of the node is where the block faces.
func away(p map[string]string) uint8 { return upright(directions[p["facing"]], p["half"] == "top") }

// stairs have their high side where the block faces. The corners of nodes at 0 are in the north and west.
func stairs(p map[string]string) uint8 {
	direction, top := directions[p["facing"]], p["half"] == "top"
	switch shape := p["shape"]; {
	case top && (shape == "inner_left" || shape == "outer_left"): // upside down, the corner is in the north and east
		direction--
	case !top && (shape == "inner_right" || shape == "outer_right"):
		direction++
	}
	return upright(direction, top)
}

// slab is upside down at the top.
func slab(p map[string]string) uint8 { return upright(0, p["type"] == "top") }

// wall is for torches, ladders and signs: the direction from the node to what it is attached to, as wallmounted.
func wall(p map[string]string) uint8 {
	switch p["face"] {
	case "floor":
		return 1
	case "ceiling":
		return 0
	}
	return map[string]uint8{"north": 5, "east": 3, "south": 4, "west": 2}[p["facing"]]
}

// door is for doors of minetest_game and of mineclone: they turn when they open.
func door(p map[string]string) uint8 {
	direction := directions[p["facing"]]
	if p["open"] == "true" {
		if direction++; p["hinge"] == "right" {
			direction += 2
		}
	}
	return upright(direction, false)
}

// hidden is for the upper half of doors of minetest_game.
func hidden(p map[string]string) uint8 {
	direction := directions[p["facing"]]
	if p["hinge"] == "right" {
		direction += 3
	}
	return upright(direction, false)
}

// rotation is for signs that stand, in quarters; the node has the rest.
func rotation(p map[string]string) uint8 {
	n, _ := strconv.Atoi(p["rotation"])
	return uint8(n >> 2 & 3)
}

// level is for liquids that flow.
func level(p map[string]string) uint8 {
	n, _ := strconv.Atoi(p["level"])
	if n >= 8 { // it falls
		return 15
	}
	return uint8(8-max(n, 1)) & 7
}

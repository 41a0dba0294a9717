package minecraft

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed legacy.txt
var legacyText string

// legacy is a block that had a number before Minecraft 1.13: how its data becomes names and properties.
type legacy struct {
	rule  string
	names []string
}

// legacies are the blocks by their numbers.
var legacies = sync.OnceValue(func() map[int]*legacy {
	all := make(map[int]*legacy)
	for line := range strings.Lines(legacyText) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		id, err := strconv.Atoi(words[0])
		if err != nil || len(words) < 3 {
			panic("legacy.txt: " + line)
		}
		all[id] = &legacy{words[1], words[2:]}
	}
	return all
})

func legacyOf(id int) *legacy { return legacies()[id] }

// Directions, in the orders in which data has them.
var (
	sixSides  = [...]string{"down", "up", "north", "south", "west", "east"}
	byStairs  = [...]string{"east", "west", "south", "north"}
	byTurn    = [...]string{"south", "west", "north", "east"}
	byDoor    = [...]string{"east", "south", "west", "north"}
	byHatch   = [...]string{"north", "south", "west", "east"}
	byTorch   = [...]string{"", "east", "west", "south", "north"}
	vineSides = [...]string{"south", "west", "north", "east"}
	colors    = [...]string{"white", "orange", "magenta", "light_blue", "yellow", "lime", "pink", "gray", "light_gray", "cyan", "purple",
		"blue", "brown", "green", "red", "black"}
)

// legacyState returns the state of a block with a number and data. Other is the data of the other half of a door, or -1. Names are
// those that the file itself has for numbers. A number without a name is legacy:NUMBER.
func legacyState(id, data, other int, names map[int]string) State {
	kind := legacyOf(id)
	if name := names[id]; name != "" && (kind == nil || !strings.HasPrefix(name, "minecraft:")) {
		return State{withNamespace(name), map[string]string{"data": fmt.Sprint(data)}}
	}
	if kind == nil {
		return State{fmt.Sprintf("legacy:%d", id), map[string]string{"data": fmt.Sprint(data)}}
	}
	name, p := kind.state(data, other)
	return State{"minecraft:" + name, p}
}

// flag returns "true" if a bit is set.
func flag(data, bit int) string { return strconv.FormatBool(data&bit != 0) }

// pick returns one of two texts.
func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// name returns the name with an index; of one that does not exist, the first.
func (k *legacy) name(i int) string {
	if i < len(k.names) {
		return k.names[i]
	}
	return k.names[0]
}

// state returns the name and the properties for data.
func (k *legacy) state(d, other int) (string, map[string]string) {
	switch k.rule {
	case "color":
		return strings.ReplaceAll(k.names[0], "COLOR", colors[d]), nil
	case "log":
		name := k.name(d & 3)
		if d>>2 == 3 {
			return strings.Replace(name, "_log", "_wood", 1), map[string]string{"axis": "y"}
		}
		return name, map[string]string{"axis": string("yxz"[d>>2])}
	case "leaves":
		return k.name(d & 3), nil
	case "sapling":
		return k.name(d & 7), nil
	case "pillar":
		return k.name(d & 3), map[string]string{"axis": string("yxzy"[d>>2])}
	case "quartz":
		if i := strings.IndexByte("\x02\x03\x04\x06\x0a", byte(d)); i >= 0 {
			return k.names[2], map[string]string{"axis": string("yxzxz"[i])}
		}
		return k.name(d), nil
	case "slab":
		return k.name(d & 7), map[string]string{"type": pick(d&8 != 0, "top", "bottom")}
	case "double":
		return k.name(d & 7), map[string]string{"type": "double"}
	case "stairs":
		return k.names[0], map[string]string{"facing": byStairs[d&3], "half": pick(d&4 != 0, "top", "bottom"), "shape": "straight"}
	case "torch":
		if d >= 1 && d <= 4 {
			return k.names[1], map[string]string{"facing": byTorch[d]}
		}
		return k.names[0], nil
	case "six":
		return k.names[0], map[string]string{"facing": sixSides[min(d&7, 5)]}
	case "wall":
		return k.names[0], map[string]string{"facing": sixSides[min(max(d&7, 2), 5)]}
	case "turn":
		return k.name(d >> 2), map[string]string{"facing": byTurn[d&3]}
	case "gate":
		return k.names[0], map[string]string{"facing": byTurn[d&3], "open": flag(d, 4)}
	case "bed":
		return k.names[0], map[string]string{"facing": byTurn[d&3], "part": pick(d&8 != 0, "head", "foot")}
	case "door":
		return k.door(d, other)
	case "hatch":
		return k.names[0], map[string]string{"facing": byHatch[d&3], "open": flag(d, 4), "half": pick(d&8 != 0, "top", "bottom")}
	case "lever", "button":
		switch d &= 7; {
		case d >= 1 && d <= 4:
			return k.names[0], map[string]string{"face": "wall", "facing": byTorch[d]}
		case d == 5 || d == 6:
			return k.names[0], map[string]string{"face": "floor", "facing": "north"}
		}
		return k.names[0], map[string]string{"face": "ceiling", "facing": "north"}
	case "skull":
		if d&7 >= 2 && d&7 <= 5 {
			return k.names[1], map[string]string{"facing": sixSides[d&7]}
		}
		return k.names[0], nil
	case "mushroom":
		if d == 10 || d == 15 {
			return k.names[1], nil
		}
		return k.names[0], nil
	case "vine":
		p := make(map[string]string)
		for i, side := range vineSides {
			p[side] = flag(d, 1<<i)
		}
		return k.names[0], p
	case "tall":
		return k.name(d & 7), map[string]string{"half": pick(d&8 != 0, "upper", "lower")}
	case "layers":
		return k.names[0], map[string]string{"layers": fmt.Sprint(d&7 + 1)}
	case "level", "age", "rotation", "bites", "moisture", "power":
		return k.names[0], map[string]string{k.rule: fmt.Sprint(d)}
	}
	return k.name(d), nil
}

// door returns the properties of a half of a door, which the data of both halves have.
func (k *legacy) door(d, other int) (string, map[string]string) {
	lower, upper, half := d, other, "lower"
	if d&8 != 0 {
		lower, upper, half = other, d, "upper"
	}
	p := map[string]string{"half": half, "facing": "north", "open": "false", "hinge": "left"}
	if lower >= 0 && lower&8 == 0 {
		p["facing"], p["open"] = byDoor[lower&3], flag(lower, 4)
	}
	if upper >= 0 && upper&8 != 0 {
		p["hinge"] = pick(upper&1 != 0, "right", "left")
	}
	return k.names[0], p
}

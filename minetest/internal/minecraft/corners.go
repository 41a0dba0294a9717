package minecraft

import (
	"maps"
	"slices"
	"strings"
)

// stairsOf are the properties of stairs that decide how they meet others.
type stairsOf struct {
	is     bool
	facing int // a direction: 0 is north, 1 east, 2 south, 3 west
	half   string
}

// addCorners sets the shape of stairs, which files of MCEdit lack: before Minecraft 1.13 the game computed it from the stairs around.
func (s *Schematic) addCorners() {
	kinds := make([]stairsOf, len(s.States))
	for i, state := range s.States {
		if strings.HasSuffix(state.Name, "_stairs") {
			kinds[i] = stairsOf{true, directions[state.Properties["facing"]], state.Properties["half"]}
		}
	}
	at := func(x, y, z, direction int) stairsOf {
		x += [...]int{0, 1, 0, -1}[direction&3]
		z += [...]int{-1, 0, 1, 0}[direction&3]
		if x < 0 || x >= s.Size[0] || z < 0 || z >= s.Size[2] {
			return stairsOf{}
		}
		return kinds[s.State[(y*s.Size[2]+z)*s.Size[0]+x]]
	}
	type shaped struct {
		state uint16
		shape string
	}
	made := make(map[shaped]uint16)
	after := slices.Clone(s.State)
	for i, id := range s.State {
		k := kinds[id]
		if !k.is {
			continue
		}
		x, z, y := i%s.Size[0], i/s.Size[0]%s.Size[2], i/s.Size[0]/s.Size[2]
		shape := k.shape(func(direction int) stairsOf { return at(x, y, z, direction) })
		if shape == "straight" {
			continue
		}
		key := shaped{id, shape}
		index, ok := made[key]
		if !ok {
			if len(s.States) > 0xffff {
				break // the rest stays straight
			}
			state := State{s.States[id].Name, maps.Clone(s.States[id].Properties)}
			state.Properties["shape"] = shape
			index = uint16(len(s.States))
			made[key], s.States = index, append(s.States, state)
		}
		after[i] = index
	}
	s.State = after
}

// shape returns the shape of stairs, given what is beside them in a direction.
func (k stairsOf) shape(beside func(direction int) stairsOf) string {
	meets := func(direction int) (other stairsOf, ok bool) {
		other = beside(direction)
		return other, other.is && other.half == k.half && other.facing&1 != k.facing&1
	}
	free := func(direction int) bool {
		other := beside(direction)
		return !other.is || other.half != k.half || other.facing != k.facing
	}
	side := func(kind string, other stairsOf) string {
		if other.facing == (k.facing+3)&3 {
			return kind + "_left"
		}
		return kind + "_right"
	}
	if other, ok := meets(k.facing); ok && free(other.facing+2) {
		return side("outer", other)
	}
	if other, ok := meets(k.facing + 2); ok && free(other.facing) {
		return side("inner", other)
	}
	return "straight"
}

package automap

import "trowel.example/teeworlds/twmap"

// state is a tile as conditions see it: its id times 8 plus its flags, or outside.
type state uint16

const (
	outside   state = 256 * 8
	numStates       = outside + 1
)

// stateOf returns the state of a tile.
func stateOf(id uint8, flags twmap.TileFlags) state {
	return state(id)*8 + state(flags&(twmap.FlipX|twmap.FlipY)) + state(flags&twmap.Rotate)/2
}

// air reports whether the id is 0, whatever the flags are.
func (s state) air() bool { return s < 8 }

// states is a set of states.
type states [(numStates + 63) / 64]uint64

func (set *states) has(s state) bool { return set[s/64]>>(s%64)&1 != 0 }
func (set *states) add(s state)      { set[s/64] |= 1 << (s % 64) }

// states returns the states for which the condition holds.
func (c *condition) states() states {
	var set states
	for _, t := range c.tiles {
		switch {
		case t.id == -1 && (!t.exact || t.flags == 0):
			set.add(outside)
		case t.id < 0 || t.id > 255:
		case t.exact:
			set.add(stateOf(uint8(t.id), t.flags))
		default:
			set[t.id/8] |= 0xff << (t.id % 8 * 8)
		}
	}
	if c.not {
		for i := range set {
			set[i] = ^set[i]
		}
		set[outside/64] &= 1<<(outside%64+1) - 1
	}
	return set
}

// checkRule reports a rule that can never hold.
func (p *parser) checkRule(r *rule) {
	if !(r.probability > 0) {
		p.find(foundNever, "the rule never applies: its probability is 0")
		return
	}
	all := make(map[[2]int]states)
	for i := range r.conditions {
		c := &r.conditions[i]
		set, at := c.states(), [2]int{c.x, c.y}
		if before, other := all[at]; other {
			for i := range set {
				set[i] &= before[i]
			}
		} else if at == [2]int{} {
			set[outside/64] &^= 1 << (outside % 64) // the tile itself is never outside
		}
		if set == (states{}) {
			p.find(foundNever, "the rule never holds: nothing can be at %d %d that it asks for%s", c.x, c.y, r.why(c))
			return
		}
		all[at] = set
	}
}

// why explains a condition that is not in a line of the file.
func (r *rule) why(c *condition) string {
	if c == &r.conditions[len(r.conditions)-1] && c.not && !r.noDefault && len(c.tiles) == 1 && c.tiles[0] == (match{}) {
		return " (without NoDefaultRule it also excludes air)"
	}
	return ""
}

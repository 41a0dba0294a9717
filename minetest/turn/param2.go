package turn

import "slices"

// Param2 returns the param2 of a node after a motion, given the paramtype2 of its definition ("facedir",
// "wallmounted", ...; "" means "none"). For turns about y it equals the engine's result for schematics placed with a
// rotation. exact is false if the node cannot represent the whole motion: a node with four directions cannot lie on
// its side. Then Param2 applies the part that it can represent, or nothing.
//
// A mirror image of a node with a direction is exact if the left half of the node mirrors the right half, as with
// chests and stairs. Values without a direction, such as the level of a liquid or a colour, stay unchanged.
func (m Motion) Param2(paramtype2 string, param2 byte) (turned byte, exact bool) {
	if m == None {
		return param2, true
	}
	switch paramtype2 {
	case "facedir", "colorfacedir":
		f, color := (param2&31)%24, param2&^31
		return color | m.face(f), true
	case "4dir", "color4dir":
		f := m.face(param2 & 3)
		if f < 4 {
			return param2&^3 | f, true
		}
		if to := m.Apply(direction(param2 & 3)); to[Y] == 0 {
			return param2&^3 | byte(quarters(to)), false
		}
		return param2, false
	case "wallmounted", "colorwallmounted":
		return param2&^7 | m.wall(param2&7), true
	case "degrotate":
		turned, exact := m.angle(int(param2), 240)
		return byte(turned), exact
	case "colordegrotate":
		turned, exact := m.angle(int(param2&31), 24)
		return param2&^31 | byte(turned), exact
	}
	return param2, true
}

// facedirs are the motions from facedir 0 to each facedir.
var facedirs = func() (all [24]Motion) {
	// The upper bits define the direction of the node's top, in this order: y+, z+, z-, x+, x- and y-. The lower bits
	// turn the node about its own axis before that.
	tops := [6]Motion{None, Turn(X, -1), Turn(X, 1), Turn(Z, 1), Turn(Z, -1), Turn(Z, 2)}
	for f := range all {
		all[f] = Turn(Y, f%4).Then(tops[f/4])
	}
	return all
}()

// face returns a facedir after the motion.
func (m Motion) face(facedir byte) byte {
	to := facedirs[facedir].Then(m)
	if m.Mirrors() { // a node is its own mirror image, from left to right
		to = Mirror(X).Then(to)
	}
	return byte(slices.Index(facedirs[:], to))
}

// direction returns the direction of the back of a node with one of four directions.
func direction(dir byte) [3]int { return facedirs[dir&3].Apply([3]int{Z: 1}) }

// quarters returns the number of quarter turns about y that take north to v.
func quarters(v [3]int) int {
	for i := range 4 {
		if direction(byte(i)) == v {
			return i
		}
	}
	return 0 // v is not horizontal
}

// walls are the distinct directions of wallmounted: 6 and 7 are 0 and 1, turned.
var walls = [6][3]int{{Y: 1}, {Y: -1}, {X: 1}, {X: -1}, {Z: 1}, {Z: -1}}

// wall returns a wallmounted direction after the motion. Turns about y keep 6 and 7, as they keep 0 and 1; engines up
// to 5.18 read an invalid table entry for these.
func (m Motion) wall(w byte) byte {
	to := m.Apply(walls[w%6])
	i := byte(slices.Index(walls[:], to))
	if w >= 6 && i < 2 {
		i += 6
	}
	return i
}

// angle returns an angle about y after the motion; full is a full turn in the same unit.
func (m Motion) angle(a, full int) (int, bool) {
	north := m.Apply([3]int{Z: 1})
	if m[Y][Y] == 0 {
		return a, false
	}
	if m.Mirrors() != (m[Y][Y] < 0) { // mirrored, as seen from above
		a = -a
	}
	a = (a + full/4*quarters(north)) % full
	return (a + full) % full, m[Y][Y] > 0
}

// Facedir returns the motion from facedir 0 to a facedir of 0 to 23.
func Facedir(facedir int) Motion { return facedirs[facedir] }

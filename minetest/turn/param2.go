package turn

import "slices"

// Param2 returns the param2 of a node after a motion, by the paramtype2 of its definition
// ("facedir", "wallmounted", ...; "" is "none"). For turns about y it is what the engine gives
// nodes of a schematic that is placed turned. It reports whether that is all of the motion: a
// node that knows four directions cannot lie on its side. Then what it can do is done, or
// nothing.
//
// A mirror image of a node that faces somewhere is exact if the left half of the node is the
// mirror image of its right one, as that of a chest or a stair is. What has no direction, such
// as the level of a liquid or a color, stays as it is.
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

// facedirs are the motions that take a node of facedir 0 to each facedir.
var facedirs = func() (all [24]Motion) {
	// The upper bits say where the top of the node goes, in this order: to y+, z+, z-, x+, x-
	// and y-. The lower ones turn the node about its own axis before.
	tops := [6]Motion{None, Turn(X, -1), Turn(X, 1), Turn(Z, 1), Turn(Z, -1), Turn(Z, 2)}
	for f := range all {
		all[f] = Turn(Y, f%4).Then(tops[f/4])
	}
	return all
}()

// face returns what becomes of a facedir.
func (m Motion) face(facedir byte) byte {
	to := facedirs[facedir].Then(m)
	if m.Mirrors() { // the node is its own mirror image, from left to right
		to = Mirror(X).Then(to)
	}
	return byte(slices.Index(facedirs[:], to))
}

// direction returns where the back of a node of one of four directions is.
func direction(dir byte) [3]int { return facedirs[dir&3].Apply([3]int{Z: 1}) }

// quarters returns by how many quarters north was turned about y, if it is at v now.
func quarters(v [3]int) int {
	for i := range 4 {
		if direction(byte(i)) == v {
			return i
		}
	}
	return 0 // it is not level
}

// walls are the directions of wallmounted, as far as they differ: 6 and 7 are 0 and 1 turned.
var walls = [6][3]int{{Y: 1}, {Y: -1}, {X: 1}, {X: -1}, {Z: 1}, {Z: -1}}

// wall returns what becomes of a direction of wallmounted. Turns about y leave 6 and 7 as they
// leave 0 and 1; engines up to 5.18 read a place there that is none.
func (m Motion) wall(w byte) byte {
	to := m.Apply(walls[w%6])
	i := byte(slices.Index(walls[:], to))
	if w >= 6 && i < 2 {
		i += 6
	}
	return i
}

// angle returns what becomes of an angle about y, of so many that a full turn has.
func (m Motion) angle(a, full int) (int, bool) {
	north := m.Apply([3]int{Z: 1})
	if m[Y][Y] == 0 {
		return a, false
	}
	if m.Mirrors() != (m[Y][Y] < 0) { // seen from above it is a mirror image
		a = -a
	}
	a = (a + full/4*quarters(north)) % full
	return (a + full) % full, m[Y][Y] > 0
}

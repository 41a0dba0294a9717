// Package turn computes the effect of turning or mirroring a piece of a world on its nodes: their new positions and
// their new param2.
package turn

import "fmt"

// Axis is one of the three axes of a world: x to the east, y up, z to the north.
type Axis int

// The axes.
const (
	X Axis = iota
	Y
	Z
)

// ParseAxis reads "x", "y" or "z".
func ParseAxis(text string) (Axis, error) {
	for a := X; a <= Z; a++ {
		if text == a.String() {
			return a, nil
		}
	}
	return 0, fmt.Errorf("%q: expected x, y or z", text)
}

func (a Axis) String() string { return string("xyz"[a]) }

// others returns the two other axes, in order.
func (a Axis) others() (Axis, Axis) {
	switch a {
	case X:
		return Y, Z
	case Y:
		return X, Z
	}
	return X, Y
}

// Motion is a turn by right angles, a mirror image, or a combination of both, about the origin. Column a is the new
// direction of axis a. The zero value is not a motion: see [None].
type Motion [3][3]int

// None is the motion that changes nothing.
var None = Motion{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}

// Turn returns a turn about an axis by quarter turns, which may be negative. A turn about y is that of the engine's
// schematics: it takes north to east. A turn about x takes up to south, and one about z takes east to down, as in
// WorldEdit.
func Turn(about Axis, quarters int) Motion {
	a, b := about.others()
	m := None
	for range (quarters%4 + 4) % 4 {
		// The old b becomes a, and the old a becomes -b.
		m[a], m[b] = m[b], m[a]
		for i := range m[b] {
			m[b][i] = -m[b][i]
		}
	}
	return m
}

// Mirror returns a mirror image across the plane perpendicular to an axis, like WorldEdit's flip.
func Mirror(across Axis) Motion {
	m := None
	m[across][across] = -1
	return m
}

// Transpose returns a mirror image that swaps two axes.
func Transpose(a, b Axis) Motion {
	m := None
	m[a], m[b] = m[b], m[a]
	return m
}

// Then returns the motion m followed by next.
func (m Motion) Then(next Motion) Motion {
	var all Motion
	for row := range all {
		for col := range all[row] {
			for k := range all {
				all[row][col] += next[row][k] * m[k][col]
			}
		}
	}
	return all
}

// Apply returns a vector after the motion.
func (m Motion) Apply(v [3]int) [3]int {
	var to [3]int
	for row := range m {
		for col := range v {
			to[row] += m[row][col] * v[col]
		}
	}
	return to
}

// Size returns the size of a box after the motion.
func (m Motion) Size(size [3]int) [3]int {
	to := m.Apply(size)
	for i := range to {
		to[i] = max(to[i], -to[i])
	}
	return to
}

// In returns the position of a node of a box after the motion. The position before and the result are relative to the
// corner of the box with the least coordinates.
func (m Motion) In(size, at [3]int) [3]int {
	to := m.Apply(at)
	for row := range m {
		for col := range size {
			if m[row][col] < 0 {
				to[row] += size[col] - 1
			}
		}
	}
	return to
}

// Mirrors reports whether m contains a mirror image.
func (m Motion) Mirrors() bool {
	det := 0
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		det += m[0][i] * (m[1][j]*m[2][k] - m[1][k]*m[2][j])
	}
	return det < 0
}

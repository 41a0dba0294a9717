// Package turn says what becomes of nodes when a piece of a world is turned or mirrored:
// where each of them goes, and what its param2 is there.
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

// Motion is a turn by right angles, a mirror image, or one after the other, about the origin.
// Column a is where the axis a goes, so the zero value is no motion: see [None].
type Motion [3][3]int

// None leaves everything as it is.
var None = Motion{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}

// Turn returns a turn about an axis by quarters of a full turn, which may be negative. One
// about y is that of the engine's schematics: north goes to the east. One about x takes up to
// the south, one about z east to down; so does WorldEdit.
func Turn(about Axis, quarters int) Motion {
	a, b := about.others()
	m := None
	for range (quarters%4 + 4) % 4 {
		// What was b is a, and what was a is -b.
		m[a], m[b] = m[b], m[a]
		for i := range m[b] {
			m[b][i] = -m[b][i]
		}
	}
	return m
}

// Mirror returns a mirror image whose plane is at right angles with an axis: WorldEdit's flip.
func Mirror(across Axis) Motion {
	m := None
	m[across][across] = -1
	return m
}

// Transpose returns a mirror image in which two axes change places.
func Transpose(a, b Axis) Motion {
	m := None
	m[a], m[b] = m[b], m[a]
	return m
}

// Then returns the motion that is m and then next.
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

// Apply returns where a vector goes.
func (m Motion) Apply(v [3]int) [3]int {
	var to [3]int
	for row := range m {
		for col := range v {
			to[row] += m[row][col] * v[col]
		}
	}
	return to
}

// Size returns the size of a box that was of a size before.
func (m Motion) Size(size [3]int) [3]int {
	to := m.Apply(size)
	for i := range to {
		to[i] = max(to[i], -to[i])
	}
	return to
}

// In returns where a node of a box of a size goes inside the box that the motion makes of it;
// both count from the corner with the least coordinates.
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

// Mirrors reports whether m makes a mirror image.
func (m Motion) Mirrors() bool {
	det := 0
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		det += m[0][i] * (m[1][j]*m[2][k] - m[1][k]*m[2][j])
	}
	return det < 0
}

package nodemesh

import (
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/turn"
)

var fullBox = nodedef.Box{-.5, -.5, -.5, .5, .5, .5}

// cubeUV returns the place of a point on the texture of a face of a cube.
func cubeUV(face int, p Vec) [2]float32 {
	switch face {
	case up:
		return [2]float32{p[0] + .5, .5 - p[2]}
	case down:
		return [2]float32{p[0] + .5, p[2] + .5}
	case east:
		return [2]float32{p[2] + .5, .5 - p[1]}
	case west:
		return [2]float32{.5 - p[2], .5 - p[1]}
	case north:
		return [2]float32{.5 - p[0], .5 - p[1]}
	}
	return [2]float32{p[0] + .5, .5 - p[1]}
}

// cornerOf has for each face and corner, from the top left clockwise, which coordinates are the highest of a box.
var cornerOf = func() (all [6][4][3]bool) {
	uv := [4][2]float32{{0, 0}, {1, 0}, {1, 1}, {0, 1}}
	for face := range all {
		for i := range 8 {
			p, high := Vec{-.5, -.5, -.5}, [3]bool{}
			for a := range p {
				if high[a] = i>>a&1 == 1; high[a] {
					p[a] = .5
				}
			}
			if a := face >> 1; p[[3]int{1, 0, 2}[a]] != .5-float32(face&1) {
				continue
			}
			for corner := range uv {
				if cubeUV(face, p) == uv[corner] {
					all[face][corner] = high
				}
			}
		}
	}
	return all
}()

// corners returns the corners of a face of a box.
func corners(face int, b *nodedef.Box) (all [4]Vec) {
	for i, high := range cornerOf[face] {
		for a := range 3 {
			if all[i][a] = b[a]; high[a] {
				all[i][a] = b[a+3]
			}
		}
	}
	return all
}

// sides are the corners of the faces of a whole cube.
var sides = func() (all [6][4]Vec) {
	for face := range all {
		all[face] = corners(face, &fullBox)
	}
	return all
}()

// A turned is a node turned by right angles.
type turned struct {
	m    turn.Motion
	from [6]int           // the face that a face was before
	uvs  [6][4][2]float32 // the places of [sides] on their tiles
}

// facedirs are the 24 ways to turn a node.
var facedirs = func() (all [24]turned) {
	for f := range all {
		m := turn.Facedir(f)
		all[f].m = m
		for was, dir := range directions {
			to := m.Apply(dir)
			for face := range directions {
				if directions[face] == to {
					all[f].from[face] = was
				}
			}
		}
		for face := range directions {
			for i, p := range sides[face] {
				all[f].uvs[face][i] = all[f].uv(face, p)
			}
		}
	}
	return all
}()

func (t *turned) apply(p Vec) (to Vec) {
	for row := range to {
		for a := range p {
			to[row] += float32(t.m[row][a]) * p[a]
		}
	}
	return to
}

// back returns where a point of the turned node was before.
func (t *turned) back(p Vec) (was Vec) {
	for row := range was {
		for a := range p {
			was[row] += float32(t.m[a][row]) * p[a]
		}
	}
	return was
}

// box returns a box after the turn.
func (t *turned) box(b nodedef.Box) (to nodedef.Box) {
	p, q := t.apply(Vec(b[:3])), t.apply(Vec(b[3:]))
	for a := range p {
		to[a], to[a+3] = min(p[a], q[a]), max(p[a], q[a])
	}
	return to
}

// uv returns the tile that a face of the turned node shows, and the place of a point on it.
func (t *turned) uv(face int, p Vec) [2]float32 { return cubeUV(t.from[face], t.back(p)) }

// facedirOfWall are the turns of wallmounted nodes: of nodes, nodeboxes and meshes.
var facedirOfWall = [8]int{20, 0, 17, 15, 8, 6, 21, 1}

package nodemesh

import "math"

// flowing makes the faces of a flowing liquid.
func (m *maker) flowing() {
	_, over := m.beside(directions[up])
	above := over.liquidOf(m.look)
	var height [2][2]float32 // by x and z
	for x := range height {
		for z := range height[x] {
			if height[x][z] = .5; !above {
				height[x][z] = m.cornerHeight(x, z)
			}
		}
	}
	side, top := &m.look.specials[1], &m.look.specials[0]
	ends := map[int][2][2]int{east: {{1, 1}, {1, 0}}, west: {{0, 0}, {0, 1}}, north: {{0, 1}, {1, 1}}, south: {{1, 0}, {0, 0}}}
	for _, face := range [4]int{east, west, north, south} {
		d := directions[face]
		_, n := m.beside(d)
		same := n.liquidOf(m.look)
		if same {
			_, overN := m.beside(add(d, directions[up]))
			if !above || overN.liquidOf(m.look) {
				continue
			}
		}
		if n.absent || n.solid == 2 {
			continue
		}
		var pos [4]Vec
		uv := [4][2]float32{{0, 1}, {1, 1}, {1, 0}, {0, 0}}
		for i, end := range ends[face] {
			h := height[end[0]][end[1]]
			x, z := float32(end[0])-.5, float32(end[1])-.5
			low := float32(-.5)
			if same {
				low = m.cornerHeight(end[0], end[1])
			}
			pos[i], pos[3-i] = Vec{x, low, z}, Vec{x, h, z}
			uv[3-i][1] = .5 - h
		}
		if n.hides {
			m.culled(side, func(t *tile) { m.quad(t, pos, uv) })
			continue
		}
		m.quad(side, pos, uv)
	}
	if !above {
		m.surface(top, &height)
	}
	if _, n := m.beside(directions[down]); !n.absent && !n.liquidOf(m.look) && n.solid != 2 {
		pos := corners(down, &fullBox)
		var uv [4][2]float32
		for i, p := range pos {
			uv[i] = [2]float32{p[0] + .5, p[2] + .5}
		}
		if n.hides {
			m.culled(top, func(t *tile) { m.quad(t, pos, uv) })
		} else {
			m.quad(top, pos, uv)
		}
	}
}

// surface makes the top of a flowing liquid, with its texture in the direction of the flow.
func (m *maker) surface(t *tile, height *[2][2]float32) {
	dx := height[0][0] + height[0][1] - height[1][0] - height[1][1]
	dz := height[0][0] + height[1][0] - height[0][1] - height[1][1]
	if length := float32(math.Hypot(float64(dx), float64(dz))); length > 0 {
		dx, dz = dx/length, dz/length
	} else {
		dx, dz = 1, 0
	}
	turn := func(u, v float32) (float32, float32) { return dx*u - dz*v, dz*u + dx*v }
	moveU, moveV := turn(float32(m.p[2]), float32(m.p[0]))
	fraction := func(f float32) float32 { return f - float32(math.Floor(float64(f))) }
	pos := [4]Vec{{-.5, height[0][1], .5}, {.5, height[1][1], .5}, {.5, height[1][0], -.5}, {-.5, height[0][0], -.5}}
	uv := [4][2]float32{{0, 1}, {1, 1}, {1, 0}, {0, 0}}
	for i, at := range uv {
		u, v := turn(at[0]-.5, at[1]-.5)
		uv[i] = [2]float32{u + .5 + fraction(moveU), v + .5 + fraction(moveV)}
	}
	uv[0], uv[2] = uv[2], uv[0]
	m.quad(t, pos, uv)
}

// cornerHeight returns the height of a flowing liquid at a corner of the node: x and z are 0 or 1.
func (m *maker) cornerHeight(x, z int) float32 {
	sum, count, air := float32(0), 0, 0
	for dx := x - 1; dx <= x; dx++ {
		for dz := z - 1; dz <= z; dz++ {
			c, n := m.beside([3]int{dx, 0, dz})
			if _, over := m.beside([3]int{dx, 1, dz}); over.liquidOf(m.look) || n.def.Name == m.look.sourceName {
				return .5
			}
			switch {
			case n.def.Name == m.look.flowingName:
				l := max(0, float32(c.param2&7)-(8-m.look.liquidRange))
				sum += (l+.5)/m.look.liquidRange - .5
				count++
			case n.air:
				air++
			}
		}
	}
	switch {
	case air >= 2:
		return -.48
	case count > 0:
		return sum / float32(count)
	}
	return 0
}

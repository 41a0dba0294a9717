package nodemesh

import (
	"math"

	"trowel.example/minetest/internal/texture"
	"trowel.example/minetest/nodedef"
)

// maker makes the faces of one node after the other.
type maker struct {
	v     *Volume
	do    func(*Face) bool
	ended bool // do has returned false

	p      [3]int // of the node
	at     Vec    // its centre, in the coordinates of the volume
	look   *look
	param2 uint8
	turned *turned
	lit    bool // light is set
	light  frame
	of     [3]int  // the node whose light counts
	behind [6]bool // the directions of faces that the eye sees from behind
	above  bool    // the eye is straight above
	face   Face
}

// Faces makes the faces of the nodes in a box, both corners inclusive, until do returns false: in order of x, y and z, or from those
// nearest to the Eye. The face is only valid during the call of do.
func (v *Volume) Faces(low, high [3]int, do func(*Face) bool) {
	m := &maker{v: v, do: do, above: v.Eye == directions[up]}
	if v.Eye != [3]int{} {
		for face, d := range directions {
			m.behind[face] = d[0]*v.Eye[0]+d[1]*v.Eye[1]+d[2]*v.Eye[2] <= 0
		}
	}
	var count [3]int
	for a := range count {
		low[a], high[a] = max(low[a], v.min[a]), min(high[a], v.min[a]+v.size[a]-1)
		count[a] = high[a] - low[a] + 1
	}
	at := func(axis, i int) int {
		if v.Eye[axis] > 0 {
			return high[axis] - i
		}
		return low[axis] + i
	}
	for z := range count[2] {
		for y := range count[1] {
			for x := 0; x < count[0] && !m.ended; x++ {
				m.node([3]int{at(0, x), at(1, y), at(2, z)})
			}
		}
	}
}

func (m *maker) node(p [3]int) {
	c, k := m.v.at(p)
	if k.draw == airlike || m.v.Shows != nil && !m.v.Shows(p) {
		return
	}
	if m.v.Hidden != nil && (k.draw == normal || k.draw == allfaces && k.scale <= 1) && m.v.Hidden(p) {
		return
	}
	m.p, m.of, m.look, m.param2, m.lit = p, p, k, c.param2, false
	for a := range p {
		m.at[a] = float32(p[a] - m.v.Origin[a])
	}
	m.turned = &facedirs[0]
	if k.turns != nil {
		m.turned = &facedirs[k.turns(c.param2)]
	}
	switch k.draw {
	case normal, liquid:
		m.cube()
	case flowingLiquid:
		m.flowing()
	case glasslike:
		m.glass()
	case glasslikeFramed:
		m.framed()
	case allfaces:
		for face := range directions {
			m.boxFace(face, &fullBox, nil, m.look.scale)
		}
	case torchlike:
		m.torch()
	case signlike:
		m.sign()
	case plantlike:
		m.plant(&m.look.tiles[0])
	case plantlikeRooted:
		m.cube()
		m.rooted()
	case firelike:
		m.fire()
	case fencelike:
		m.fence()
	case raillike:
		m.rail()
	case nodebox:
		m.boxes()
	case mesh:
		m.mesh()
	}
}

// beside returns the node in a direction.
func (m *maker) beside(d [3]int) (cell, *look) { return m.v.at(add(m.p, d)) }

// frame returns the light around the node.
func (m *maker) frame() *frame {
	if !m.lit {
		m.light, m.lit = m.v.frame(m.of), true
	}
	return &m.light
}

// emit gives a face to the caller, with both layers of its tile.
func (m *maker) emit(t *tile, light [4]pair, shades [4]float32) {
	for i := range t.layers {
		if t.layers[i].material < 0 || m.ended {
			continue
		}
		tint := m.look.tintOf(&t.layers[i], m.param2)
		for j := range m.face.N {
			if m.v.Unlit {
				m.face.V[j].Color = [4]uint8{tint[0], tint[1], tint[2], 255}
				continue
			}
			m.face.V[j].Color = light[j].color(m.look, shades[j], tint)
		}
		m.face.Material, m.face.Over = t.layers[i].material, i == 1
		m.ended = !m.do(&m.face)
	}
}

// quad makes a face in the light around the node. The positions are relative to the node.
func (m *maker) quad(t *tile, pos [4]Vec, uv [4][2]float32) {
	f := m.frame()
	m.face.N, m.face.Split13, m.face.Cube = 4, false, false
	var light [4]pair
	for i, p := range pos {
		m.face.V[i].Pos, m.face.V[i].UV = m.absolute(p), uv[i]
		light[i] = f.at(p, 0)
	}
	m.emit(t, light, [4]float32{1, 1, 1, 1})
}

func (m *maker) absolute(p Vec) Vec { return Vec{m.at[0] + p[0], m.at[1] + p[1], m.at[2] + p[2]} }

// split sets the triangles of a quad so that light changes evenly.
func (m *maker) split(light *[4]pair) {
	sum := func(i int) float64 { return float64(light[i].day + light[i].night) }
	m.face.Split13 = math.Abs(sum(1)-sum(3)) < math.Abs(sum(0)-sum(2))
}

// tileOf returns the tile that a face shows, and the places of points on it.
func (m *maker) tileOf(face int, pos *[4]Vec) (t *tile, uv [4][2]float32) {
	t = &m.look.tiles[m.turned.from[face]]
	if !t.world && pos == &sides[face] {
		return t, m.turned.uvs[face]
	}
	for i, p := range pos {
		if t.world {
			uv[i] = m.world(face, t.scale, cubeUV(face, p))
		} else {
			uv[i] = m.turned.uv(face, p)
		}
	}
	return t, uv
}

// world returns the place on a tile that is aligned to the world.
func (m *maker) world(face, scale int, uv [2]float32) [2]float32 {
	axes := [3][2]int{{0, 2}, {2, 1}, {0, 1}}[face>>1]
	last := scale - 1
	if e := m.v.looks.engine; e != texture.Newest && e < 13 {
		last = scale
	}
	u, v := m.inChunk(axes[0])%scale, m.inChunk(axes[1])%scale
	if face == west || face == north {
		u = last - u
	}
	if face != down {
		v = last - v
	}
	return [2]float32{(uv[0] + float32(u)) / float32(scale), (uv[1] + float32(v)) / float32(scale)}
}

// inChunk returns a coordinate of the node in its chunk, 0 to 15.
func (m *maker) inChunk(axis int) int { return m.p[axis] & 15 }

// cube makes the faces of a whole cube that can be seen.
func (m *maker) cube() {
	for face, d := range directions {
		if m.behind[face] && m.look.tiles[m.turned.from[face]].culls {
			continue
		}
		_, n := m.beside(d)
		if !m.shows(n) {
			continue
		}
		pos := &sides[face]
		t, uv := m.tileOf(face, pos)
		var light [4]pair
		for i, p := range pos {
			signs := [3]int{sign(p[0]), sign(p[1]), sign(p[2])}
			for a := range d {
				if d[a] != 0 {
					signs[a] = -d[a]
				}
			}
			light[i] = m.v.corner(add(m.p, d), signs)
			m.face.V[i].Pos, m.face.V[i].UV = m.absolute(p), uv[i]
		}
		m.face.N, m.face.Cube = 4, true
		m.split(&light)
		s := faceShade[face]
		if m.look.draw == liquid && n.hides && !n.absent {
			m.culled(t, func(t *tile) { m.emit(t, light, [4]float32{s, s, s, s}) })
			continue
		}
		m.emit(t, light, [4]float32{s, s, s, s})
	}
}

func sign(f float32) int {
	if f < 0 {
		return -1
	}
	return 1
}

// culled calls do with the tile, but seen only from the front.
func (m *maker) culled(t *tile, do func(*tile)) {
	front := *t
	for i := range front.layers {
		if y := &front.layers[i]; y.material >= 0 {
			y.material = m.v.looks.culled(y.material)
		}
	}
	do(&front)
}

// shows reports whether a face of a cube towards a node can be seen.
func (m *maker) shows(n *look) bool {
	switch {
	case n.absent || n.solid == 2:
		return false
	case n.def.Name == m.look.def.Name && !n.air:
		return false
	case m.look.draw == liquid && (n.draw == liquid || n.draw == flowingLiquid):
		return n.sourceName != m.look.sourceName || n.flowingName != m.look.flowingName
	}
	return true
}

// boxFace makes a face of a box in the light around the node. Its points on the tile are those of the tile of the
// face, or on the rectangle rect (left, top, right, bottom) of it.
func (m *maker) boxFace(face int, b *nodedef.Box, rect *[4]float32, scale float32) {
	if m.behind[face] && m.look.tiles[m.turned.from[face]].culls {
		return
	}
	pos := &sides[face]
	if b != &fullBox {
		box := corners(face, b)
		pos = &box
	}
	t, uv := m.tileOf(face, pos)
	if rect != nil {
		uv = [4][2]float32{{rect[0], rect[1]}, {rect[2], rect[1]}, {rect[2], rect[3]}, {rect[0], rect[3]}}
	}
	m.boxQuad(face, t, pos, uv, scale)
}

func (m *maker) boxQuad(face int, t *tile, pos *[4]Vec, uv [4][2]float32, scale float32) {
	f := m.frame()
	var light [4]pair
	facing := max(0, float32(directions[face][1]))
	for i, p := range pos {
		light[i] = f.at(p, facing)
		m.face.V[i].Pos = m.absolute(Vec{p[0] * scale, p[1] * scale, p[2] * scale})
		m.face.V[i].UV = uv[i]
	}
	m.face.N, m.face.Cube, m.face.Split13 = 4, false, false
	if e := m.v.looks.engine; e == texture.Newest || e > 6 {
		m.split(&light)
	}
	s := faceShade[face]
	m.emit(t, light, [4]float32{s, s, s, s})
}

// unturned makes a face of a box with a tile that does not turn with the node.
func (m *maker) unturned(face int, t *tile, b *nodedef.Box) {
	pos := corners(face, b)
	var uv [4][2]float32
	for i, p := range pos {
		uv[i] = cubeUV(face, p)
	}
	m.boxQuad(face, t, &pos, uv, 1)
}

// glass makes the faces of a cube that does not hide what is behind it.
func (m *maker) glass() {
	for face, d := range directions {
		if _, n := m.beside(d); n.def.Name == m.look.def.Name {
			continue
		}
		m.unturned(face, &m.look.tiles[0], &fullBox)
	}
}

// framed makes the bars and panes of framed glass, and the liquid in it.
func (m *maker) framed() {
	const a, b, pane = .438, .5, .497
	vertical, horizontal := true, true
	if m.look.def.ParamType2 == "glasslikeliquidlevel" {
		vertical, horizontal = m.param2&64 == 0, m.param2&128 == 0
	}
	same := func(d [3]int) bool {
		if d[1] != 0 && !vertical || (d[0] != 0 || d[2] != 0) && !horizontal {
			return false
		}
		_, n := m.beside(d)
		return n.def.Name == m.look.def.Name
	}
	frame, glass := &m.look.tiles[m.turned.from[up]], &m.look.tiles[m.turned.from[down]]
	for axis := range 3 {
		i, j := (axis+1)%3, (axis+2)%3
		for _, s := range [4][2]int{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}} {
			var d1, d2 [3]int
			d1[i], d2[j] = s[0], s[1]
			both, one, two := same(add(d1, d2)), same(d1), same(d2)
			if both && one && two || !both && one != two {
				continue
			}
			bar := nodedef.Box{-b, -b, -b, b, b, b}
			for n, k := range [2]int{i, j} {
				if s[n] > 0 {
					bar[k] = a
				} else {
					bar[k+3] = -a
				}
			}
			for face := range directions {
				m.unturned(face, frame, &bar)
			}
		}
	}
	for face, d := range directions {
		if same(d) {
			continue
		}
		pos := corners(face, &fullBox)
		for i := range pos {
			for axis := range d {
				if d[axis] != 0 {
					pos[i][axis] = pane * float32(d[axis])
				}
			}
		}
		m.boxQuad(face, glass, &pos, [4][2]float32{{0, 0}, {1, 0}, {1, 1}, {0, 1}}, 1)
	}
	level := float32(m.param2 & 63)
	if m.look.def.ParamType2 != "glasslikeliquidlevel" || level == 0 || m.look.specials[0].layers[0].material < 0 {
		return
	}
	var in nodedef.Box
	for axis := range 3 {
		for side := range 2 {
			var d [3]int
			d[axis] = side*2 - 1
			e := float32(a)
			if same(d) {
				e = pane
			}
			in[axis+3*side] = e * float32(d[axis])
		}
	}
	in[4] *= 2*level/63 - 1
	for face := range directions {
		m.unturned(face, &m.look.specials[0], &in)
	}
}

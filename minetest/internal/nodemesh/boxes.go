package nodemesh

import (
	"math"
	"strings"

	"trowel.example/minetest/nodedef"
)

// boxes makes the faces of a nodebox.
func (m *maker) boxes() {
	solid, same := m.hidden()
	for _, b := range m.nodeBoxes() {
		if m.ended {
			return
		}
		inside := true
		for a := range b {
			inside = inside && b[a] >= -.5 && b[a] <= .5
		}
		for face := range directions {
			axis := [3]int{1, 0, 2}[face>>1]
			low, high := b[axis] <= -.5, b[axis+3] >= .5
			at := high
			if face&1 == 1 {
				at = low
			}
			if inside && at && (solid[face] || same[face] && low && high) {
				continue
			}
			m.boxFace(face, &b, nil, m.look.scale)
		}
	}
}

// hidden reports which faces are hidden by a solid node, and which by the same node.
func (m *maker) hidden() (solid, same [6]bool) {
	for face, d := range directions {
		c, n := m.beside(d)
		solid[face] = n.draw == normal && !n.absent
		if m.look.alpha != Opaque || n.def.Name != m.look.def.Name {
			continue
		}
		switch {
		case m.look.def.ParamType2 == "leveled":
			same[face] = levelOf(n, c.param2) >= levelOf(m.look, m.param2)
		case m.look.turns != nil:
			same[face] = m.look.turns(c.param2) == m.look.turns(m.param2)
		default:
			same[face] = true
		}
	}
	return solid, same
}

// levelOf returns the height of a leveled nodebox in 1/64.
func levelOf(k *look, param2 uint8) int {
	if k.def.ParamType2 == "leveled" && param2&127 != 0 {
		return int(param2 & 127)
	}
	return min(k.def.Leveled, k.def.LeveledMax)
}

// nodeBoxes returns the boxes of the node as they are in the world.
func (m *maker) nodeBoxes() []nodedef.Box {
	def := &m.look.def.Box
	switch def.Type {
	case "fixed", "leveled":
		all := make([]nodedef.Box, len(def.Fixed))
		for i, b := range def.Fixed {
			if def.Type == "leveled" {
				b[4] = float32(levelOf(m.look, m.param2))/64 - .5
			}
			all[i] = m.turned.box(b)
		}
		return all
	case "wallmounted":
		return m.wallBoxes()
	case "connected":
		return m.connected()
	}
	return []nodedef.Box{fullBox}
}

func (m *maker) wallBoxes() []nodedef.Box {
	def, wall := &m.look.def.Box, m.wallOf(0)
	boxes, angle := def.WallSide, 0.0
	switch wall {
	case 0, 6:
		boxes = def.WallTop
	case 1, 7:
		boxes = def.WallBottom
	default:
		angle = [4]float64{180, 0, -90, 90}[wall-2]
	}
	if wall >= 6 {
		angle = [2]float64{90, -90}[wall-6]
	}
	all := make([]nodedef.Box, len(boxes))
	for i, b := range boxes {
		ends := [4]Vec{Vec(b[:3]), Vec(b[3:])}
		rotateXZ(&ends, angle)
		for a := range 3 {
			all[i][a] = clean(min(ends[0][a], ends[1][a]))
			all[i][a+3] = clean(max(ends[0][a], ends[1][a]))
		}
	}
	return all
}

// clean removes the rounding error of a turn by a right angle.
func clean(f float32) float32 { return float32(math.Round(float64(f)*(1<<20)) / (1 << 20)) }

// connected returns the boxes of a nodebox that joins its neighbours.
func (m *maker) connected() []nodedef.Box {
	def := &m.look.def.Box
	all := append([]nodedef.Box(nil), def.Fixed...)
	any, beside := false, false
	for i, face := range [6]int{up, down, south, west, north, east} { // the order of [nodedef.NodeBox]
		if !m.joins(face) {
			all = append(all, def.Disconnected[i]...)
			continue
		}
		all = append(all, def.Connect[i]...)
		any, beside = true, beside || face != up && face != down
	}
	if !any {
		all = append(all, def.DisconnectedAll...)
	}
	if !beside {
		all = append(all, def.DisconnectedXZ...)
	}
	return all
}

// joins reports whether a connected nodebox joins the node at a face.
func (m *maker) joins(face int) bool {
	c, n := m.beside(directions[face])
	switch {
	case n.absent || !listed(m.look.def.ConnectsTo, n.def):
		return false
	case n.draw == nodebox && n.def.Box.Type == "connected":
		return listed(n.def.ConnectsTo, m.look.def)
	case len(n.def.ConnectSides) == 0:
		return true
	}
	at := opposite(face)
	if kind := strings.TrimPrefix(n.def.ParamType2, "color"); face > down && (kind == "facedir" || kind == "4dir") {
		at = facedirs[c.param2&3].from[at]
	}
	return n.sides[at]
}

// listed reports whether a list of names and groups has a node.
func listed(list []string, n *nodedef.Node) bool {
	for _, name := range list {
		if group, is := strings.CutPrefix(name, "group:"); is && n.Groups[group] != 0 || name == n.Name {
			return true
		}
	}
	return false
}

// mesh makes the triangles of a node with a model.
func (m *maker) mesh() {
	if m.look.model == nil {
		return
	}
	sin, cos := 0.0, 1.0
	if m.look.degrees != nil {
		sin, cos = math.Sincos(m.look.degrees(m.param2) * math.Pi / 180)
	}
	turn := func(p Vec) Vec {
		p = m.turned.apply(p)
		return Vec{p[0]*float32(cos) - p[2]*float32(sin), p[1], p[0]*float32(sin) + p[2]*float32(cos)}
	}
	f, s := m.frame(), m.look.scale
	for i := range m.look.model.Parts {
		part := &m.look.model.Parts[i]
		t := &m.look.tiles[min(part.Tile, 5)]
		for j := 0; j+3 <= len(part.Indices) && !m.ended; j += 3 {
			var light [4]pair
			var shades [4]float32
			for k := range 3 {
				vertex := &part.Vertices[part.Indices[j+k]]
				normal := turn(vertex.Normal)
				p := turn(Vec{vertex.Pos[0] * s, vertex.Pos[1] * s, vertex.Pos[2] * s})
				light[k], shades[k] = f.at(p, max(0, normal[1])), shade(normal)
				m.face.V[k].Pos, m.face.V[k].UV = m.absolute(p), vertex.UV
			}
			m.face.N, m.face.Cube, m.face.Split13 = 3, false, false
			m.emit(t, light, shades)
		}
	}
}

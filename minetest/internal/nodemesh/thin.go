package nodemesh

import (
	"math"

	"trowel.example/minetest/nodedef"
)

// rotate turns points by an angle in degrees in the plane of two axes, from the first to the second.
func rotate(all *[4]Vec, a, b int, degrees float64) {
	if degrees == 0 {
		return
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	for i := range all {
		p := &all[i]
		p[a], p[b] = float32(float64(p[a])*cos-float64(p[b])*sin), float32(float64(p[a])*sin+float64(p[b])*cos)
	}
}

func rotateXZ(all *[4]Vec, degrees float64) { rotate(all, 0, 2, degrees) }
func rotateXY(all *[4]Vec, degrees float64) { rotate(all, 0, 1, degrees) }
func rotateYZ(all *[4]Vec, degrees float64) { rotate(all, 1, 2, degrees) }

func shift(all *[4]Vec, axis int, by float32) {
	for i := range all {
		all[i][axis] += by
	}
}

// whole are the places of the corners of a whole texture.
var whole = [4][2]float32{{0, 0}, {1, 0}, {1, 1}, {0, 1}}

// upright returns a quad around the centre that faces south.
func upright(s float32) [4]Vec { return [4]Vec{{-s, s}, {s, s}, {s, -s}, {-s, -s}} }

// wallOf returns the direction of a wallmounted node, or another one for nodes without a direction.
func (m *maker) wallOf(otherwise uint8) uint8 {
	if m.look.wall {
		return m.param2 & 7
	}
	return otherwise
}

func (m *maker) torch() {
	s := m.look.scale / 2
	pos := upright(s)
	wall := m.wallOf(1)
	tile := 2
	switch wall {
	case 1, 7:
		tile = 0
		shift(&pos, 1, s-.5)
		rotateXZ(&pos, map[uint8]float64{1: 45, 7: -45}[wall])
	case 0, 6:
		tile = 1
		shift(&pos, 1, .5-s)
		rotateXZ(&pos, map[uint8]float64{0: -45, 6: 45}[wall])
	default:
		shift(&pos, 0, .5-s)
		rotateXZ(&pos, [4]float64{0, 180, 90, -90}[wall-2])
	}
	if m.above {
		m.lying(&m.look.tiles[tile], s, whole)
		return
	}
	m.quad(&m.look.tiles[tile], pos, whole)
}

// lying makes a quad that lies flat.
func (m *maker) lying(t *tile, s float32, uv [4][2]float32) {
	m.quad(t, [4]Vec{{-s, 0, s}, {s, 0, s}, {s, 0, -s}, {-s, 0, -s}}, uv)
}

func (m *maker) sign() {
	const x = 7.0 / 16
	s := m.look.scale / 2
	pos := [4]Vec{{x, s, s}, {x, s, -s}, {x, -s, -s}, {x, -s, s}}
	switch wall := m.wallOf(0); wall {
	case 0, 6:
		rotateXY(&pos, 90)
	case 1, 7:
		rotateXY(&pos, -90)
	case 3:
		rotateXZ(&pos, 180)
	case 4:
		rotateXZ(&pos, 90)
	case 5:
		rotateXZ(&pos, -90)
	}
	if wall := m.wallOf(0); wall >= 6 {
		rotateXZ(&pos, [2]float64{90, -90}[wall-6])
	}
	m.quad(&m.look.tiles[0], pos, whole)
}

// random is the client's generator of pseudorandom numbers.
type random uint32

func (r *random) next() uint32 {
	*r = *r*1103515245 + 12345
	return uint32(int32(*r)/65536) % 32768
}

// plantStyle are the angles of a plant's quads by the style in its param2.
var plantStyle = [5][]float64{{46, -44}, {91, 1}, {121, 241, 1}, {1, 91, 181, 271}, {1, 91, 181, 271}}

// The bits of param2 of a plant with options.
const (
	plantMoved   = 8
	plantLarge   = 16
	plantLowered = 32
)

// plant makes the quads of a plant.
func (m *maker) plant(t *tile) {
	s, height := m.look.scale/2, float32(1)
	style, angle := 0, 0.0
	var options uint8
	switch m.look.def.ParamType2 {
	case "meshoptions":
		options = m.param2
		style = min(int(options&7), len(plantStyle)-1)
		if options&7 > 4 {
			style = 0
		}
	case "leveled":
		height = float32(m.param2) / 16
	}
	if m.look.degrees != nil {
		angle = m.look.degrees(m.param2)
	}
	if options&plantLarge != 0 {
		s *= 1.41421
	}
	var moved [2]float32
	x, y, z := uint32(m.inChunk(0)), uint32(m.inChunk(1)), uint32(m.inChunk(2))
	if options&plantMoved != 0 {
		r := random(x<<8 | z | y<<16)
		for i := range moved {
			moved[i] = float32(r.next()%16)/16*.29 - .145
		}
	}
	if m.above {
		m.lying(t, min(s, .5), whole)
		return
	}
	for i, degrees := range plantStyle[style] {
		pos := [4]Vec{{-s, 2*s*height - .5}, {s, 2*s*height - .5}, {s, -.5}, {-s, -.5}}
		switch style {
		case 3:
			shift(&pos, 2, .25)
		case 4:
			pos[0][2] -= .5
			pos[1][2] -= .5
		}
		rotateXZ(&pos, degrees+angle)
		shift(&pos, 0, moved[0])
		shift(&pos, 2, moved[1])
		if options&plantLowered != 0 {
			r := random(uint32(i) | x<<16 | z<<8 | y<<24)
			shift(&pos, 1, -float32(r.next()%16)/16/8)
		}
		m.hang(&pos)
		m.quad(t, pos, [4][2]float32{{0, 0}, {1, 0}, {1, height}, {0, height}})
	}
}

// hang turns a quad of a plant to the wall that it is attached to.
func (m *maker) hang(pos *[4]Vec) {
	if !m.look.wall {
		return
	}
	wall := m.param2 & 7
	if m.look.draw == plantlikeRooted { // the plant is in the node that the root faces away from
		switch wall {
		case 0:
			shift(pos, 1, 2)
		case 2, 3, 4, 5:
			shift(pos, 0, -1)
			shift(pos, 1, 1)
		}
	}
	switch wall {
	case 0:
		rotateYZ(pos, 180)
		rotateXZ(pos, 180)
	case 2:
		rotateXY(pos, 90)
	case 3:
		rotateXY(pos, -90)
		rotateYZ(pos, 180)
	case 4:
		rotateYZ(pos, -90)
		rotateXY(pos, 90)
	case 5:
		rotateYZ(pos, 90)
		rotateXY(pos, 90)
	}
}

// rooted makes the plant on a rooted cube, which is in the node above.
func (m *maker) rooted() {
	over := m.p
	over[1]++
	m.of, m.lit = over, false
	p, at := m.p, m.at
	m.p, m.at[1] = over, m.at[1]+1
	unshaded := *m.look
	unshaded.unshaded = true
	m.look = &unshaded
	m.plant(&m.look.specials[0])
	m.p, m.at = p, at
}

func (m *maker) fire() {
	if m.above {
		m.lying(&m.look.tiles[0], .5, whole)
		return
	}
	counts := func(d [3]int) bool {
		_, n := m.beside(d)
		return !n.air && !n.absent && n.def.Name != m.look.def.Name
	}
	any := false
	for _, d := range directions {
		any = any || counts(d)
	}
	basic := !any || counts(directions[down])
	flame := func(angle, opening float64, z, y float32) {
		s := m.look.scale / 2
		pos := [4]Vec{{-s, 2*s - .5}, {s, 2*s - .5}, {s, -.5}, {-s, -.5}}
		rotateYZ(&pos, opening)
		shift(&pos, 2, z)
		rotateXZ(&pos, angle)
		shift(&pos, 1, y)
		m.quad(&m.look.tiles[0], pos, whole)
	}
	for i, side := range [4]int{north, west, south, east} {
		angle := [4]float64{0, 90, 180, 270}[i]
		switch {
		case basic || counts(directions[side]):
			flame(angle, -10, .4, 0)
		case counts(directions[up]):
			flame(angle, 70, .47, .484)
		}
	}
	if basic {
		flame(45, 0, 0, 0)
		flame(-45, 0, 0, 0)
	}
}

// The parts of the texture of a fence: left, top, right and bottom for each face.
var (
	postUV = [6][4]float32{{.375, .375, .625, .625}, {.375, .375, .625, .625}, {0, 0, .25, 1}, {.25, 0, .5, 1},
		{.5, 0, .75, 1}, {.75, 0, 1, 1}}
	barXUV = [6][4]float32{{0, .125, 1, .25}, {0, .25, 1, .375}, {.375, .375, .5, .5}, {.625, .625, .75, .75},
		{0, .5, 1, .625}, {0, .875, 1, 1}}
	barZUV = [6][4]float32{{.1875, .0625, .3125, .3125}, {.25, .0625, .375, .3125}, {0, .5625, 1, .6875},
		{0, .375, 1, .5}, {.375, .375, .5, .5}, {.625, .625, .75, .75}}
)

func (m *maker) fence() {
	const post, bar, length = 1.0 / 8, 1.0 / 16, 3.0 / 8
	box := nodedef.Box{-post, -.5, -post, post, .5, post}
	for face := range directions {
		r := postUV[face]
		pos := corners(face, &box)
		uv := [4][2]float32{{r[0], r[1]}, {r[2], r[1]}, {r[2], r[3]}, {r[0], r[3]}}
		for i, at := range uv {
			uv[i] = [2]float32{1 - at[1], at[0]}
		}
		m.boxQuad(face, &m.look.tiles[face], &pos, uv, 1)
	}
	for axis, rects := range [3]*[6][4]float32{0: &barXUV, 2: &barZUV} {
		if rects == nil {
			continue
		}
		var d [3]int
		d[axis] = 1
		if _, n := m.beside(d); n.draw != fencelike {
			continue
		}
		for _, y := range [2]float32{.25, -.25} {
			b := nodedef.Box{-bar, y - bar, -bar, bar, y + bar, bar}
			b[axis], b[axis+3] = .5-length, .5+length
			for face := range directions {
				m.boxFace(face, &b, &rects[face], 1)
			}
		}
	}
}

// railShape is the tile and the angle of a rail by the bits of the rails that it joins: north, south, west, east.
var railShape = [16]struct {
	tile  int
	angle float64
}{
	{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 90}, {1, 180}, {1, 270}, {2, 180},
	{0, 90}, {1, 90}, {1, 0}, {2, 0}, {0, 90}, {2, 90}, {2, 270}, {3, 0},
}

func (m *maker) rail() {
	joins := func(d [3]int) bool {
		_, n := m.beside(d)
		return n.def.Name == m.look.def.Name || n.draw == raillike && n.rails == m.look.rails && n.rails != 0
	}
	bits, slope := 0, -1
	for i, side := range [4]int{north, south, west, east} {
		d := directions[side]
		above := joins(add(d, directions[up]))
		if above {
			slope = i
		}
		if above || joins(d) || joins(add(d, directions[down])) {
			bits |= 1 << i
		}
	}
	shape, high := railShape[bits], float32(-.5)
	if slope >= 0 {
		shape.tile, shape.angle, high = 0, [4]float64{0, 180, 90, -90}[slope], .5
	}
	pos := [4]Vec{{-.5, high, .5}, {.5, high, .5}, {.5, -.5, -.5}, {-.5, -.5, -.5}}
	shift(&pos, 1, 1.0/64)
	rotateXZ(&pos, shape.angle)
	m.quad(&m.look.tiles[shape.tile], pos, whole)
}

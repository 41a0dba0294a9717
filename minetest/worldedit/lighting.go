package worldedit

import (
	"cmp"
	"slices"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
)

// LightSource returns the block at a position, or nil if there is none. Blocks that the map generator has not finished
// count as missing.
type LightSource func(p mapdb.Pos) (*mapblock.Block, error)

// BlockLight is the light of a block.
type BlockLight struct {
	Param1   [mapblock.NodeCount]uint8 // of all nodes; unchanged for nodes that store no light
	Complete uint16                    // the LightingComplete: bits are cleared towards missing neighbours
}

const (
	side  = mapblock.Side
	count = mapblock.NodeCount
	sun   = 15 // the light of nodes in sunlight
)

// The properties of a node for light, in one byte: the brightness of a light source (shines), and these bits.
const (
	keeps  = 0x10 // stores light and passes it on to its neighbours
	passes = 0x20 // sunlight passes down through it
	absent = 0x40 // ignore
	shines = 0x0f
)

// SpreadLight computes the light of changed blocks and around them as far as their light reaches: in all neighbours, and
// below as far as sunlight or shadow extends. It returns the light of the changed blocks, and of other blocks whose
// light has changed. The light around these must be correct.
//
// A node without a definition stores no light, as in a game that does not define it.
func SpreadLight(src LightSource, nodes nodedef.List, changed []mapdb.Pos) (map[mapdb.Pos]*BlockLight, error) {
	a := &area{src: src, nodes: nodes, blocks: make(map[mapdb.Pos]*block)}
	if err := a.sunlight(changed); err != nil {
		return nil, err
	}
	if err := a.surround(); err != nil {
		return nil, err
	}
	for bank := range 2 {
		a.spread(bank)
	}
	fixed := make(map[mapdb.Pos]*BlockLight)
	for p, b := range a.blocks {
		if b == nil || b.role == edge {
			continue
		}
		if l := b.result(); b.role == within || l.Param1 != b.old {
			fixed[p] = l
		}
	}
	return fixed, nil
}

// role is the treatment of a block.
type role byte

const (
	edge   role = iota // only read
	margin             // its light may change, except for sunlight from above
	within             // it, or the sunlight in it, has changed
)

// block is a block with its light.
type block struct {
	role  role
	kind  [count]uint8
	old   [count]uint8    // param1
	light [2][count]uint8 // by day and at night
	under bool            // underground: no sunlight enters if there is no block above
	near  [6]*block       // in the order of dirs
}

// dirs are the directions, in the order of the bits of LightingComplete.
var dirs = [6][3]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0, -1, 0}, {-1, 0, 0}}

func step(p mapdb.Pos, d [3]int) mapdb.Pos {
	return mapdb.Pos{X: p.X + int16(d[0]), Y: p.Y + int16(d[1]), Z: p.Z + int16(d[2])}
}

// area is the part of a world that is read.
type area struct {
	src    LightSource
	nodes  nodedef.List
	blocks map[mapdb.Pos]*block // nil if the block is missing
	lamps  [sun + 1][]lamp      // by brightness
}

// get returns a block, or nil if it is missing.
func (a *area) get(p mapdb.Pos) (*block, error) {
	b, known := a.blocks[p]
	if known || !p.Valid() {
		return b, nil
	}
	from, err := a.src(p)
	if err != nil {
		return nil, err
	}
	if from != nil && from.IsGenerated() {
		b = a.read(from)
	}
	a.blocks[p] = b
	return b, nil
}

func (a *area) read(from *mapblock.Block) *block {
	b := &block{old: from.Param1, under: from.IsUnderground()}
	n := from.Nodes()
	kinds := make([]uint8, len(n.Names))
	for i, name := range n.Names {
		if name == mapblock.Ignore {
			kinds[i] = absent
		} else if def := a.nodes[name]; def != nil {
			kinds[i] = uint8(def.LightSource) & shines
			if def.ParamType == "light" {
				kinds[i] |= keeps
			}
			if def.SunlightPropagates {
				kinds[i] |= passes
			}
		}
	}
	for i := range b.kind {
		b.kind[i] = kinds[n.Name[i]]
		if b.kind[i]&keeps != 0 {
			b.light[0][i], b.light[1][i] = b.old[i]&15, b.old[i]>>4
		}
	}
	return b
}

// sunlight lets sunlight into the changed blocks, from the highest to the lowest, and extends sunlight and shadow
// down as far as they reach. It marks all blocks that this changes as within.
func (a *area) sunlight(changed []mapdb.Pos) error {
	changed = slices.Clone(changed)
	slices.SortFunc(changed, func(p, q mapdb.Pos) int { return cmp.Compare(q.Y, p.Y) })
	for _, p := range changed {
		b, err := a.get(p)
		if err != nil {
			return err
		}
		if b == nil {
			continue
		}
		above, err := a.get(step(p, [3]int{0, 1, 0}))
		if err != nil {
			return err
		}
		b.role = within
		columns := b.shine(above)
		for len(columns) > 0 {
			p = step(p, [3]int{0, -1, 0})
			next, err := a.get(p)
			if err != nil {
				return err
			}
			if next == nil {
				break
			}
			columns = next.pass(columns)
		}
	}
	return nil
}

// column is the sunlight or shadow that comes down at a place of a block.
type column struct {
	x, z int
	lit  bool
}

// shine lets sunlight in from above, clears all other light, and returns the columns that continue in the block
// below. As in the engine, sunlight enters from a block above if the node above has full light; it does not enter
// through a node that passes sunlight but stores none.
func (b *block) shine(above *block) []column {
	columns := make([]column, 0, side*side)
	for z := range side {
		for x := range side {
			lit := !b.under
			if above != nil {
				lit = above.light[0][mapblock.Index(x, 0, z)] == sun
			}
			for y := side - 1; y >= 0; y-- {
				i := mapblock.Index(x, y, z)
				k := b.kind[i]
				if k == absent {
					continue
				}
				lit = lit && k&passes != 0
				b.light[0][i], b.light[1][i] = 0, 0
				if lit && k&keeps != 0 {
					b.light[0][i] = sun
				}
			}
			columns = append(columns, column{x, z, lit})
		}
	}
	return columns
}

// pass lets columns of sunlight and shadow down into a block, and returns those that continue below. A column ends at
// a node that is already correct.
func (b *block) pass(columns []column) (left []column) {
	for _, c := range columns {
		y := side - 1
		for ; y >= 0; y-- {
			i := mapblock.Index(c.x, y, c.z)
			k, ok := b.kind[i], b.light[0][i] == sun
			if c.lit && (ok || k&passes == 0) || !c.lit && !ok {
				break
			}
			if k&keeps != 0 {
				b.light[0][i] = 0
				if c.lit {
					b.light[0][i] = sun
				}
				b.role = within
			}
		}
		if y < 0 {
			left = append(left, c)
		}
	}
	return left
}

// surround assigns the role margin to the neighbours of all blocks with the role within, clears all light but
// sunlight in all of these blocks, and loads the blocks around them.
func (a *area) surround() error {
	for _, p := range a.those(within) {
		for z := -1; z <= 1; z++ {
			for y := -1; y <= 1; y++ {
				for x := -1; x <= 1; x++ {
					b, err := a.get(step(p, [3]int{x, y, z}))
					if err != nil {
						return err
					}
					if b == nil || b.role == margin {
						continue
					}
					b.role = max(b.role, margin)
					b.light[1] = [count]uint8{}
					for i, v := range b.light[0] {
						if v != sun {
							b.light[0][i] = 0
						}
					}
				}
			}
		}
	}
	for _, p := range a.those(margin) {
		b := a.blocks[p]
		for i, d := range dirs {
			var err error
			if b.near[i], err = a.get(step(p, d)); err != nil {
				return err
			}
			if near := b.near[i]; near != nil {
				near.near[5-i] = b
			}
		}
	}
	return nil
}

// those returns the positions of the blocks whose role is at least least, in order.
func (a *area) those(least role) (list []mapdb.Pos) {
	for p, b := range a.blocks {
		if b != nil && b.role >= least {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(p, q mapdb.Pos) int {
		return cmp.Or(cmp.Compare(p.Z, q.Z), cmp.Compare(p.Y, q.Y), cmp.Compare(p.X, q.X))
	})
	return list
}

// lamp is a node from which light spreads.
type lamp struct {
	b *block
	i uint16
}

// spread spreads the light of day (bank 0) or night (bank 1).
func (a *area) spread(bank int) {
	lamps := &a.lamps
	put := func(b *block, i int) {
		v := max(b.light[bank][i], b.kind[i]&shines)
		if v > 1 { // less light does not reach a neighbour
			if b.role != edge && b.kind[i]&keeps != 0 {
				b.light[bank][i] = v
			}
			if v < sun || !b.amid(i) {
				lamps[v] = append(lamps[v], lamp{b, uint16(i)})
			}
		}
	}
	for _, p := range a.those(margin) {
		b := a.blocks[p]
		for i := range count {
			put(b, i)
		}
		for d, near := range b.near {
			if near == nil || near.role != edge {
				continue
			}
			for k := range side * side {
				put(near, facing(5-d, k))
			}
		}
	}
	for v := uint8(sun); v > 1; v-- {
		for k := 0; k < len(lamps[v]); k++ {
			from := lamps[v][k]
			x, y, z := mapblock.Coordinates(int(from.i))
			for d, by := range dirs {
				b, tx, ty, tz := from.b, x+by[0], y+by[1], z+by[2]
				if (tx|ty|tz)&^(side-1) != 0 {
					b = b.near[d]
					tx, ty, tz = tx&(side-1), ty&(side-1), tz&(side-1)
				}
				if b == nil || b.role == edge {
					continue
				}
				i := mapblock.Index(tx, ty, tz)
				if b.kind[i]&keeps != 0 && b.light[bank][i] < v-1 {
					b.light[bank][i] = v - 1
					lamps[v-1] = append(lamps[v-1], lamp{b, uint16(i)})
				}
			}
		}
		lamps[v] = lamps[v][:0]
	}
}

// amid reports whether a node in sunlight is surrounded by light of at least sun-1, so that it spreads nothing.
func (b *block) amid(i int) bool {
	if x, y, z := mapblock.Coordinates(i); min(x, y, z) == 0 || max(x, y, z) == side-1 {
		return false
	}
	day := &b.light[0]
	for _, d := range [...]int{1, side, side * side} {
		if day[i-d] < sun-1 || day[i+d] < sun-1 {
			return false
		}
	}
	return true
}

// facing returns the index of node k of the side of a block in direction d.
func facing(d, k int) int {
	u, v := k%side, k/side
	at := func(by int) int { return (by + 1) / 2 * (side - 1) }
	switch by := dirs[d]; {
	case by[0] != 0:
		return mapblock.Index(at(by[0]), u, v)
	case by[1] != 0:
		return mapblock.Index(u, at(by[1]), v)
	default:
		return mapblock.Index(u, v, at(by[2]))
	}
}

// result returns the light of a block.
func (b *block) result() *BlockLight {
	l := &BlockLight{Param1: b.old, Complete: mapblock.AllLit}
	for i, k := range b.kind {
		if k&keeps != 0 {
			l.Param1[i] = b.light[0][i] | b.light[1][i]<<4
		}
	}
	for d, near := range b.near {
		if near == nil {
			l.Complete &^= 0x41 << d
		}
	}
	return l
}

package automap

import (
	"cmp"
	"context"

	"trowel.example/teeworlds/twmap"
)

// run draws cells by the section, in place: conditions see what was written before them.
func (t *tileset) run(ctx context.Context, p *pass) error {
	if len(t.rules) == 0 {
		return nil
	}
	steps, each := 0, len(t.rules)
	for i := range t.rules {
		each += len(t.rules[i].conditions)
	}
	for y := range p.h {
		for x := range p.w {
			cell := &p.cells[y*p.w+x]
			if cell.ID == 0 {
				continue
			}
			if steps += each; steps >= manySteps {
				if err := p.spend(ctx, steps); err != nil {
					return err
				}
				steps = 0
			}
			cell.ID = t.base
			for i := range t.rules {
				if r := &t.rules[i]; r.holds(p, x, y) && chance(p.seed, uint32(i), x, y, r.random) {
					cell.ID, cell.Flags = r.tile.ID, r.tile.Flags
				}
			}
		}
	}
	return p.spend(ctx, steps)
}

// holds reports whether all conditions hold at a position. Beyond the edge they see the nearest tile of the layer.
func (r *tilesetRule) holds(p *pass, x, y int) bool {
	for _, c := range r.conditions {
		id := int(p.cells[min(max(y+c.y, 0), p.h-1)*p.w+min(max(x+c.x, 0), p.w-1)].ID)
		switch c.value {
		case valueEmpty:
			if id != 0 {
				return false
			}
		case valueFull:
			if id == 0 {
				return false
			}
		default:
			if id != c.value {
				return false
			}
		}
	}
	return true
}

// chance reports whether a rule applies at a position, which it does once in n; 0 and 1 are always. The game draws
// other numbers each time; these depend on the seed only.
func chance(seed, rule uint32, x, y, n int) bool {
	return n <= 1 || mix(add(1, seed, 0, rule, uint32(x), uint32(y))*31)%uint32(n) == 0
}

// location is a place where doodads stand.
type location int

const (
	onFloor location = iota
	onCeiling
	onWalls
)

var locations = []string{"floor", "ceiling", "walls"}

// doodads is a section that draws plants and other things along the edges of the game layer, in the form of Teeworlds 0.7.
type doodads struct{ rules []doodad }

// doodad is a block of tiles of an image.
type doodad struct {
	location      location
	first         int // the tile at its top left
	width, height int
	x, y          int // its position relative to a solid tile
	random        int // the larger, the rarer; 1: everywhere
	flipX, flipY  bool
}

// sort sorts the rules of each location: narrow ones first on floors and ceilings, low ones first on walls.
func (d *doodads) sort() {
	size := func(r doodad) int {
		if r.location == onWalls {
			return r.height
		}
		return r.width
	}
	for i := range d.rules {
		for j := i; j > 0; {
			// The previous rule of the same location.
			k := j - 1
			for k >= 0 && d.rules[k].location != d.rules[j].location {
				k--
			}
			if k < 0 || size(d.rules[k]) <= size(d.rules[j]) {
				break
			}
			d.rules[k], d.rules[j] = d.rules[j], d.rules[k]
			j = k
		}
	}
}

// run clears cells and draws the section. The layer and the game layer must have the same size.
func (d *doodads) run(ctx context.Context, p *pass, game *twmap.Grid[twmap.Tile], amount int) error {
	if len(d.rules) == 0 {
		return nil
	}
	clear(p.cells)
	edges := edgesOf(game)
	for i, r := range d.rules {
		draw := drawing{pass: p, ctx: ctx, doodad: r, rule: uint32(i), random: r.randomOf(amount)}
		switch r.location {
		case onFloor:
			edges.floors = draw.along(edges.floors)
		case onCeiling:
			draw.y++
			edges.ceilings = draw.along(edges.ceilings)
		case onWalls:
			if draw.x++; len(edges.right) > 0 {
				edges.right = draw.along(edges.right)
				draw.x++
			}
			// Without right walls, the game's doodads on left walls stand one tile nearer.
			draw.x, draw.flipX = 2-draw.x-r.width, !r.flipX
			edges.left = draw.along(edges.left)
		}
		if err := cmp.Or(draw.err, p.spend(ctx, draw.steps)); err != nil {
			return err
		}
	}
	return nil
}

// randomOf returns the rarity for an amount from 1 to 100.
func (r *doodad) randomOf(amount int) int {
	if r.random == 1 {
		return 1
	}
	return max(2, int(float32(r.random)*((101-float32(amount))/100)))
}

// edges are the chains of solid tiles with air beside them, by the indexes of the tiles.
type edges struct{ floors, ceilings, left, right [][]int32 }

// edgesOf finds the edges of a game layer, except at its border.
func edgesOf(g *twmap.Grid[twmap.Tile]) (e edges) {
	w, h := g.Width(), g.Height()
	cells, _ := g.Cells()
	at := func(x, y int) uint8 {
		if i := y*w + x; i < len(cells) {
			return cells[i].ID
		}
		return 0
	}
	free := func(id uint8) bool { return id == 0 || id > 191 } // air and entities
	chains := func(n, length int, solid func(line, i int) (x, y, besideX, besideY int)) (list [][]int32) {
		for line := 1; line < n-1; line++ {
			var chain []int32
			for i := 1; i < length; i++ {
				x, y, besideX, besideY := solid(line, i)
				if i < length-1 && at(x, y) == uint8(twmap.TileSolid) && free(at(besideX, besideY)) {
					chain = append(chain, int32(y*w+x))
					continue
				}
				if chain != nil {
					list = append(list, chain)
				}
				chain = nil
			}
		}
		return withoutShort(list)
	}
	e.floors = chains(h, w, func(y, x int) (int, int, int, int) { return x, y, x, y - 1 })
	e.ceilings = chains(h, w, func(y, x int) (int, int, int, int) { return x, y, x, y + 1 })
	e.right = chains(w, h, func(x, y int) (int, int, int, int) { return x, y, x + 1, y })
	e.left = chains(w, h, func(x, y int) (int, int, int, int) { return x, y, x - 1, y })
	return e
}

// withoutShort removes chains of less than three tiles. As in the game, the last chain takes the place of a removed one.
func withoutShort(list [][]int32) [][]int32 {
	for i := 0; i < len(list); {
		if len(list[i]) >= 3 {
			i++
			continue
		}
		list[i] = list[len(list)-1]
		list = list[:len(list)-1]
	}
	return list
}

// drawing is the drawing of a doodad.
type drawing struct {
	*pass
	doodad
	ctx    context.Context
	rule   uint32
	random int
	tries  uint32 // makes each choice different
	steps  int    // not yet counted
	err    error
}

// along draws the doodad along chains, and returns the chains that are left for other doodads. A rare doodad occupies
// its place: the rest of its chain becomes two chains, which are tried later. As in the game, the chain after an occupied
// one is tried from its second place on.
func (d *drawing) along(chains [][]int32) (left [][]int32) {
	size := d.width
	if d.location == onWalls {
		size = d.height
	}
	from := 0
	for i := 0; i < len(chains); i++ {
		d.steps++
		chain, occupied := chains[i], false
		for c := from; c < len(chain); c += d.width {
			if len(chain)-c < size {
				break
			}
			if d.steps++; d.steps >= manySteps {
				if d.err = cmp.Or(d.err, d.spend(d.ctx, d.steps)); d.err != nil {
					return nil
				}
				d.steps = 0
			}
			if d.tries++; d.random > 1 && !chance(d.seed, d.rule, int(chain[c]), int(d.tries), d.random) {
				continue
			}
			d.steps += d.width * d.height
			d.stamp(int(chain[c]) + d.x + d.y*d.w)
			if occupied = d.random > 1; occupied {
				if before := chain[:c]; len(before) > 1 {
					chains = append(chains, before)
				}
				if after := chain[c+size:]; len(after) > 1 {
					chains = append(chains, after)
				}
				break
			}
		}
		if from = 0; occupied {
			from = d.width - 1
		} else {
			left = append(left, chain)
		}
	}
	return left
}

// stamp draws the tiles of the doodad with their top left at the cell with an index.
func (d *drawing) stamp(at int) {
	cell := func(x, y int) *twmap.Tile {
		if i := at + y*d.w + x; i > 0 && i < len(d.cells) {
			return &d.cells[i]
		}
		return nil
	}
	for y := range d.height {
		for x := range d.width {
			if c := cell(x, y); c != nil {
				c.ID = uint8(d.first + y*16 + x)
			}
		}
	}
	if d.flipX {
		for y := range d.height {
			for x := range d.width / 2 {
				if a, b := cell(x, y), cell(d.width-1-x, y); a != nil && b != nil {
					*a, *b = *b, *a
				}
			}
		}
	}
	if d.flipY {
		for y := range d.height / 2 {
			for x := range d.width {
				if a, b := cell(x, y), cell(x, d.height-1-y); a != nil && b != nil {
					*a, *b = *b, *a
				}
			}
		}
	}
	for y := range d.height {
		for x := range d.width {
			if c := cell(x, y); c != nil && d.flipX {
				c.Flags ^= twmap.FlipX
			}
			if c := cell(x, y); c != nil && d.flipY {
				c.Flags ^= twmap.FlipY
			}
		}
	}
}

package maprules

import (
	"slices"

	"trowel.example/teeworlds/twmap"
)

// field is what players touch: the physics layers of a map in the size of its game layer. Cells are numbered row by row.
type field struct {
	w, h       int
	game       []twmap.GameTile
	front      []twmap.GameTile
	teles      []twmap.TeleTile // those without effect are zero; nil, as the next ones: no such layer
	switches   []twmap.SwitchTile
	speedups   []twmap.SpeedupTile
	exits      [256][]int // cells with an exit of each number
	comebacks  [256][]int // cells with an exit of each number for checkpoints
	spawns     []int
	starts     []int
	finishes   []int
	checkpoint []int // cells with a time checkpoint
}

// newField reads the physics layers. It fails if one cannot be read, and returns nil for a map without a game layer.
func newField(m *twmap.Map) (*field, error) {
	game := m.Physics(twmap.KindGame)
	if game == nil || game.Width() <= 0 || game.Height() <= 0 {
		return nil, nil
	}
	f := &field{w: game.Width(), h: game.Height()}
	var err error
	read := func(kind twmap.Kind) []twmap.GameTile {
		l := m.Physics(kind)
		if l == nil {
			return make([]twmap.GameTile, f.w*f.h)
		}
		return spread(f, l.Tiles(), &err, func(t twmap.Tile) twmap.GameTile { return twmap.GameTile(t.ID) })
	}
	f.game, f.front = read(twmap.KindGame), read(twmap.KindFront)
	if l := m.Physics(twmap.KindTele); l != nil {
		f.teles = spread(f, l.Teles(), &err, func(t twmap.TeleTile) twmap.TeleTile {
			if t.Unused() || t.Number == 0 && twmap.NeedsNumber(twmap.KindTele, t.ID) {
				return twmap.TeleTile{}
			}
			return t
		})
	}
	if l := m.Physics(twmap.KindSwitch); l != nil {
		f.switches = spread(f, l.Switches(), &err, func(t twmap.SwitchTile) twmap.SwitchTile { return t })
	}
	if l := m.Physics(twmap.KindSpeedup); l != nil {
		f.speedups = spread(f, l.Speedups(), &err, func(t twmap.SpeedupTile) twmap.SpeedupTile { return t })
	}
	if err != nil {
		return nil, err
	}
	for i := range f.game {
		for _, id := range [2]twmap.GameTile{f.game[i], f.front[i]} {
			switch {
			case id.Spawn():
				f.spawns = append(f.spawns, i)
			case id == twmap.TileStart:
				f.starts = append(f.starts, i)
			case id == twmap.TileFinish:
				f.finishes = append(f.finishes, i)
			case id >= twmap.TileTimeCheckpointFirst && id <= twmap.TileTimeCheckpointLast:
				f.checkpoint = append(f.checkpoint, i)
			}
		}
		switch t := f.tele(i); twmap.GameTile(t.ID) {
		case twmap.TileTeleOut:
			f.exits[t.Number] = append(f.exits[t.Number], i)
		case twmap.TileTeleCheckpointOut:
			f.comebacks[t.Number] = append(f.comebacks[t.Number], i)
		}
	}
	return f, nil
}

// spread returns the cells of a layer in the size of the field. Cells outside of the layer are empty.
func spread[C twmap.Cell, T any](f *field, g *twmap.Grid[C], failed *error, of func(C) T) []T {
	list := make([]T, f.w*f.h)
	cells, err := g.Cells()
	if err != nil {
		*failed = err
		return list
	}
	for y := range min(f.h, g.Height()) {
		for x := range min(f.w, g.Width()) {
			list[y*f.w+x] = of(cells[y*g.Width()+x])
		}
	}
	return list
}

// tele returns the tile of the tele layer in a cell, zero if it has no effect.
func (f *field) tele(i int) twmap.TeleTile {
	if f.teles == nil {
		return twmap.TeleTile{}
	}
	return f.teles[i]
}

// has reports whether a cell of the game or front layer has one of some tiles.
func (f *field) has(i int, tiles ...twmap.GameTile) bool {
	for _, t := range tiles {
		if f.game[i] == t || f.front[i] == t {
			return true
		}
	}
	return false
}

// anywhere reports whether a cell of the game or front layer has a tile.
func (f *field) anywhere(t twmap.GameTile) bool {
	return slices.Contains(f.game, t) || slices.Contains(f.front, t)
}

// speeds reports whether a tile of a speedup layer has an effect.
func speeds(t twmap.SpeedupTile) bool { return !t.Unused() && t.Force > 0 }

// enters reports whether a player in a cell is sent to an exit of a number.
func (f *field) enters(i int) (number uint8, ok bool) {
	t := f.tele(i)
	id := twmap.GameTile(t.ID)
	return t.Number, id == twmap.TileTeleIn || id == twmap.TileTeleInEvil
}

// returns reports whether a player in a cell is sent to the last checkpoint.
func (f *field) returns(i int) bool {
	id := twmap.GameTile(f.tele(i).ID)
	return id == twmap.TileTeleCheckpointIn || id == twmap.TileTeleCheckpointInEvil
}

// grounded reports whether a tee in a cell stands on something.
func (f *field) grounded(i int) bool {
	return i+f.w < len(f.game) && f.has(i+f.w, twmap.TileSolid, twmap.TileNoHook)
}

// near calls do with the cells around a cell: the four beside it, then the four at its corners.
func (f *field) near(i int, do func(j int)) {
	x, y := i%f.w, i/f.w
	if x > 0 && y > 0 && x < f.w-1 && y < f.h-1 {
		for _, j := range [8]int{i - f.w, i - 1, i + 1, i + f.w, i - f.w - 1, i - f.w + 1, i + f.w - 1, i + f.w + 1} {
			do(j)
		}
		return
	}
	for _, d := range around {
		if x, y := x+d[0], y+d[1]; x >= 0 && y >= 0 && x < f.w && y < f.h {
			do(y*f.w + x)
		}
	}
}

var around = [8][2]int{{0, -1}, {-1, 0}, {1, 0}, {0, 1}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}}

// way selects where a flood goes.
type way struct {
	start  bool // past the start line
	freeze bool // through freeze
	tele   bool // through teleporters
	back   bool // through teleporters to checkpoints, to any of their exits
	traced bool // with the way to each cell
}

// reach is what a flood reaches: for each cell, when (from 1), and if it is traced, from which cell. Times of cells that it does not
// reach are 0.
type reach struct{ time, from []int32 }

// flood finds the cells that a player can be in, beginning at the spawns. Solid and deadly tiles block, also a step between two of them.
func (f *field) flood(w way) reach {
	r := reach{time: make([]int32, len(f.game))}
	if w.traced {
		r.from = make([]int32, len(f.game))
	}
	blocked := make([]bool, len(f.game))
	for i := range blocked {
		blocked[i] = f.has(i, twmap.TileSolid, twmap.TileNoHook, twmap.TileDeath) || !w.start && f.has(i, twmap.TileStart) ||
			!w.freeze && f.has(i, twmap.TileFreeze)
	}
	var queue []int32
	step := func(i, by int) {
		if r.time[i] == 0 {
			queue = append(queue, int32(i))
			r.time[i] = int32(len(queue))
			if w.traced {
				r.from[i] = int32(by)
			}
		}
	}
	for _, i := range f.spawns {
		step(i, i)
	}
	returned := false // all exits of checkpoints were reached
	for k := 0; k < len(queue); k++ {
		i := int(queue[k])
		if number, enters := f.enters(i); enters {
			for _, j := range f.exits[number] {
				if w.tele {
					step(j, i)
				}
			}
			continue
		}
		if f.returns(i) && w.back {
			for _, exits := range f.comebacks {
				for _, j := range exits {
					if !returned {
						step(j, i)
					}
				}
			}
			returned = true
			continue
		}
		f.near(i, func(j int) {
			if r.time[j] != 0 || blocked[j] || !w.tele && f.walls(j) {
				return
			}
			if dx := j%f.w - i%f.w; dx != 0 && j/f.w != i/f.w && blocked[i+dx] && blocked[j-dx] {
				return
			}
			step(j, i)
		})
	}
	return r
}

// gap returns the cells of the way to a goal, of a traced flood, that touch the start line, or the goal if none does.
func (f *field) gap(r reach, goal int) (cells []int) {
	for i := goal; int(r.from[i]) != i; i = int(r.from[i]) {
		touches := false
		f.near(i, func(j int) { touches = touches || f.has(j, twmap.TileStart) })
		if touches {
			cells = append(cells, i)
		}
	}
	if cells == nil {
		cells = []int{goal}
	}
	return cells
}

// walls reports whether a cell teleports the players in it.
func (f *field) walls(i int) bool {
	_, enters := f.enters(i)
	return enters || f.returns(i)
}

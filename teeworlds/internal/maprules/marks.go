package maprules

import (
	"trowel.example/teeworlds/twmap"
)

// everywhere is the way of a player who may be anywhere.
var everywhere = way{start: true, freeze: true, tele: true, back: true}

// stage is the part of a map that players can come near to, with what they see of it.
type stage struct {
	*field
	sight *sight
	reach
	kinds []below  // what tiles at the edge are drawn over
	edge  []bool   // reached, or beside a cell that was reached
	air   []int32  // reached cells without any tile
	signs []uint16 // the signs at the edge, as a bit for each of the list

	drawn, plain []bool // cells in which a design layer shows something: with all layers, and without those of the high detail
	meanings     map[twmap.Layer]*[256]meaning
}

// newStage returns the stage of a map, by what a player reaches who may be everywhere.
func newStage(f *field, r reach, s *sight) (*stage, error) {
	n := len(f.game)
	st := &stage{field: f, sight: s, reach: r, kinds: make([]below, n), edge: make([]bool, n), signs: make([]uint16, n),
		drawn: make([]bool, n), plain: make([]bool, n), meanings: make(map[twmap.Layer]*[256]meaning)}
	for i, time := range r.time {
		if time == 0 {
			continue
		}
		st.edge[i] = true
		f.near(i, func(j int) { st.edge[j] = true })
		if f.game[i] == twmap.TileAir && f.front[i] == twmap.TileAir {
			st.air = append(st.air, int32(i))
		}
	}
	game, front := signTiles()
	for i, at := range st.edge {
		if !at {
			continue
		}
		st.kinds[i] = f.below(i)
		st.signs[i] = game[f.game[i]] | front[f.front[i]]
		for k := range signs {
			if is := signs[k].is; is != nil && is(f, i) {
				st.signs[i] |= 1 << k
			}
		}
	}
	return st, s.covers(f, st.air, func(c *cover) {
		detail := c.layer.Base().Flags&twmap.Detail != 0
		for i, tile := range c.tiles {
			if tile != 0 {
				st.drawn[i] = true
				st.plain[i] = st.plain[i] || !detail
			}
		}
		if l, ok := c.layer.(*twmap.TileLayer); ok {
			st.meanings[l] = st.meaningsOf(c)
		}
	})
}

// sign is a kind of tile that players must be able to see.
type sign struct {
	what  string // the singular
	group bool   // one visible cell marks all that are connected
	tiles []twmap.GameTile
	front []twmap.GameTile           // tiles of the front layer only
	is    func(f *field, i int) bool // in other layers; nil: none
}

var signs = []sign{
	{what: "hookable tile", tiles: []twmap.GameTile{twmap.TileSolid}},
	{what: "unhookable tile", tiles: []twmap.GameTile{twmap.TileNoHook}},
	{what: "deadly tile", tiles: []twmap.GameTile{twmap.TileDeath}},
	{what: "freeze tile", tiles: []twmap.GameTile{twmap.TileFreeze}},
	{what: "hook-through tile", tiles: []twmap.GameTile{twmap.TileThroughAll, twmap.TileThroughDirection},
		front: []twmap.GameTile{twmap.TileThroughCut}},
	{what: "teleporter tile", is: (*field).walls},
	{what: "group of stoppers", group: true, tiles: []twmap.GameTile{twmap.TileStop, twmap.TileStopBothWays, twmap.TileStopAllWays}},
	{what: "group of switches", group: true, is: func(f *field, i int) bool {
		if f.switches == nil {
			return false
		}
		id := twmap.GameTile(f.switches[i].ID)
		return id >= twmap.TileSwitchTimedOpen && id <= twmap.TileSwitchClose
	}},
	{what: "group of speedups", group: true, is: func(f *field, i int) bool { return f.speedups != nil && speeds(f.speedups[i]) }},
	{what: "group of tiles that turn something on or off", group: true, tiles: toggles()},
	{what: "start line", group: true, tiles: []twmap.GameTile{twmap.TileStart}},
	{what: "finish line", group: true, tiles: []twmap.GameTile{twmap.TileFinish}},
	{what: "group of unfreeze tiles", group: true, tiles: []twmap.GameTile{twmap.TileUnfreeze}},
}

func toggles() (list []twmap.GameTile) {
	for _, pair := range togglePairs {
		list = append(list, pair[:]...)
	}
	return list
}

// signTiles returns the signs that tiles of the game and front layers are, as bits.
func signTiles() (game, front [256]uint16) {
	for k, s := range signs {
		for _, t := range s.tiles {
			game[t], front[t] = game[t]|1<<k, front[t]|1<<k
		}
		for _, t := range s.front {
			front[t] |= 1 << k
		}
	}
	return game, front
}

// togglePairs are the tiles that turn something on and off again, and print a line in the chat.
var togglePairs = [...][2]twmap.GameTile{
	{twmap.TileEndlessHookEnable, twmap.TileEndlessHookDisable}, {twmap.TileHitEnable, twmap.TileHitDisable},
	{twmap.TileCollisionDisable, twmap.TileCollisionEnable}, {twmap.TileUnlimitedJumpsDisable, twmap.TileUnlimitedJumpsEnable},
	{twmap.TileJetpackDisable, twmap.TileJetpackEnable}, {twmap.TilePlayerHookDisable, twmap.TilePlayerHookEnable},
	{twmap.TileTeleGunEnable, twmap.TileTeleGunDisable}, {twmap.TileTeleGrenadeEnable, twmap.TileTeleGrenadeDisable},
	{twmap.TileTeleLaserEnable, twmap.TileTeleLaserDisable},
}

// unmarked returns the cells with a sign that nothing marks, in their order, of how many; for a sign that is marked as a group, the
// first cell of each group.
func (s *stage) unmarked(number int, drawn []bool) (cells []int, all int) {
	bit, group := uint16(1)<<number, signs[number].group
	var done []bool
	var queue []int
	for i := range s.signs {
		if s.signs[i]&bit == 0 || done != nil && done[i] {
			continue
		}
		all++
		marked := drawn[i]
		if group {
			if done == nil {
				done = make([]bool, len(s.signs))
			}
			queue, done[i] = append(queue[:0], i), true
			for k := 0; k < len(queue); k++ {
				marked = marked || drawn[queue[k]]
				s.near(queue[k], func(j int) {
					marked = marked || drawn[j]
					if !done[j] && s.signs[j]&bit != 0 {
						done[j] = true
						queue = append(queue, j)
					}
				})
			}
		}
		if !marked {
			cells = append(cells, i)
		}
	}
	return cells, all
}

// A tile of a layer has a meaning if it is at enough places at the edge of what players reach, of which nearly all, in percent, have the
// same kind below.
const (
	minMeaning  = 40
	meanPercent = 97
)

// below is the kind of cell that a tile is drawn over.
type below uint8

const (
	belowAir below = iota
	belowSolid
	belowNoHook
	belowFreeze
	belowDeath
	belowTele
	belowOther
	numBelow
)

// below returns the kind of a cell.
func (f *field) below(i int) below {
	switch {
	case f.has(i, twmap.TileSolid):
		return belowSolid
	case f.has(i, twmap.TileNoHook):
		return belowNoHook
	case f.has(i, twmap.TileFreeze):
		return belowFreeze
	case f.has(i, twmap.TileDeath):
		return belowDeath
	case f.walls(i):
		return belowTele
	case f.game[i] == twmap.TileAir && f.front[i] == twmap.TileAir:
		return belowAir
	}
	return belowOther
}

// meaning is what a tile of a layer is drawn over, at the edge.
type meaning struct {
	n    [numBelow]int
	all  int
	kind below
	ok   bool // nearly all places have this kind
}

// meaningsOf returns the meaning of each tile of a layer.
func (s *stage) meaningsOf(c *cover) *[256]meaning {
	list := new([256]meaning)
	for i, at := range s.edge {
		if at && c.tiles[i] != 0 {
			m := &list[c.tiles[i]]
			m.n[s.kinds[i]]++
			m.all++
		}
	}
	for id := range list {
		m := &list[id]
		for kind, n := range m.n {
			if m.all >= minMeaning && 100*n >= meanPercent*m.all {
				m.kind, m.ok = below(kind), true
			}
		}
	}
	return list
}

// misleading returns the cells of air in which a layer shows a tile that everywhere else is solid, freezes or kills.
func (s *stage) misleading() (suspects []int, err error) {
	suspect, explained := make([]bool, len(s.edge)), make([]bool, len(s.edge))
	err = s.sight.covers(s.field, s.air, func(c *cover) {
		l, ok := c.layer.(*twmap.TileLayer)
		if !ok {
			return
		}
		meanings, look := s.meanings[l], s.sight.image(l.Image)
		for i, id := range c.tiles {
			if id == 0 || !s.edge[i] || s.kinds[i] != belowAir {
				continue
			}
			switch m := &meanings[id]; {
			case !m.ok:
			case m.kind == belowAir:
				explained[i] = true
			case look.tiles[id].dense && m.kind != belowOther:
				suspect[i] = true
			}
		}
	})
	for i := range suspect {
		if suspect[i] && !explained[i] {
			suspects = append(suspects, i)
		}
	}
	return suspects, err
}

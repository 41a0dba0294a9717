package worldscene

import (
	"context"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/internal/worldquery"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddir"
	"trowel.example/minetest/worlddraw"
)

// where supports places of blocks and nodes, of things in nodes and players, of lines in texts of blocks, and of
// files of players. It does not depend on visibility: the place may be hidden, or outside of the range of heights of
// the options.
func (s *worldScene) where(ctx context.Context, view string, at check.Place) (format.Rect, bool) {
	defer s.world.reading()()
	v, ok := s.viewOf(view)
	if !ok {
		return format.Rect{}, false
	}
	box, ok := s.boxOf(ctx, at)
	if !ok {
		return format.Rect{}, false
	}
	low, high := v.Where(box)
	return format.Rect{Min: low, Max: high}, true
}

// boxOf returns the nodes of a place.
func (s *worldScene) boxOf(ctx context.Context, at check.Place) (worlddraw.Box, bool) {
	switch at := at.(type) {
	case place.Node:
		return boxOfNode(at)
	case place.Slot:
		if at.Node != nil {
			return boxOfNode(*at.Node)
		}
		return s.boxOfPlayer(ctx, func(name string) bool { return name == at.Player })
	case place.Account:
		return s.boxOfPlayer(ctx, func(name string) bool { return name == string(at) })
	case check.Line:
		if pos, ok := worlddir.BlockOf(at.Path); ok {
			return s.boxOfLine(ctx, pos, at.Line), true
		}
		return s.boxOfFile(ctx, at.Path)
	case check.File:
		return s.boxOfFile(ctx, string(at))
	}
	return worlddraw.Box{}, false
}

func boxOfBlock(p mapdb.Pos) worlddraw.Box {
	low := [3]int{int(p.X) * mapblock.Side, int(p.Y) * mapblock.Side, int(p.Z) * mapblock.Side}
	return inBlock(low, [3]int{}, [3]int{mapblock.Side - 1, mapblock.Side - 1, mapblock.Side - 1})
}

// inBlock returns a box of nodes of the block whose first node is at low.
func inBlock(low, from, to [3]int) (b worlddraw.Box) {
	for i := range low {
		b.Min[i], b.Max[i] = low[i]+from[i], low[i]+to[i]
	}
	return b
}

func boxOfNode(n place.Node) (worlddraw.Box, bool) {
	block, ok := n.BlockPos()
	if p, one := n.Pos(); one {
		return worlddraw.Box{Min: p, Max: p}, ok
	}
	return boxOfBlock(mapdb.Pos{X: int16(block[0]), Y: int16(block[1]), Z: int16(block[2])}), ok
}

// boxOfLine returns the nodes that a line of the text of a block describes. It returns the whole block if the line
// describes no node, or if that is unknown.
func (s *worldScene) boxOfLine(ctx context.Context, pos mapdb.Pos, line int) worlddraw.Box {
	whole := boxOfBlock(pos)
	data, err := s.world.db.Get(ctx, pos)
	if err != nil {
		return whole
	}
	b, err := mapblock.Decode(data)
	if err != nil {
		return whole
	}
	_, parts := worlddir.BlockParts(b, pos)
	part, ok := parts.At(line)
	switch {
	case !ok:
		return whole
	case part.Section == worlddir.SectionObjects:
		if n, ok := boxOfNode(worldquery.ObjectOf(pos, &b.Objects.List[part.Index]).At); ok {
			return n
		}
		return whole
	case part.Min[0] < 0: // a node index outside of the block
		return whole
	}
	return inBlock(whole.Min, part.Min, part.Max)
}

// boxOfFile returns the nodes of a file of a block, a player or an account.
func (s *worldScene) boxOfFile(ctx context.Context, path string) (worlddraw.Box, bool) {
	if pos, ok := worlddir.BlockOf(path); ok {
		return boxOfBlock(pos), true
	}
	return s.boxOfPlayer(ctx, func(name string) bool { return worlddir.PlayerPath(name) == path || worlddir.AccountPath(name) == path })
}

// boxOfPlayer returns the last node of a player.
func (s *worldScene) boxOfPlayer(ctx context.Context, is func(name string) bool) (worlddraw.Box, bool) {
	players, err := s.world.players(ctx, s.lose)
	i := slices.IndexFunc(players, func(m worlddraw.Marker) bool { return is(m.Label) })
	if err != nil || i < 0 {
		return worlddraw.Box{}, false
	}
	n := worldquery.NodeOf(players[i].Pos)
	return worlddraw.Box{Min: n, Max: n}, true
}

package worldscene

import (
	"bytes"
	"context"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/picture/gltf"
	"trowel.example/minetest/mapdb"
)

const (
	walkingSide   = 32 // edge of the cubes of nodes that a viewer requests
	walkingMargin = 2  // nodes around a cube that its faces depend on
)

// walking lets a viewer walk through a world with textures.
func (s *worldScene) walking() *format.Walking {
	box := s.shownBox()
	return &format.Walking{Side: walkingSide, Low: box.Min, High: box.Max, Cube: s.cube}
}

// cube returns the nodes of a cube as a model, which shows the same faces as a camera.
func (s *worldScene) cube(ctx context.Context, low [3]int) ([]byte, error) {
	defer s.world.reading()()
	game, err := s.game.look()
	if err != nil {
		return nil, err
	}
	var from, high, size [3]int
	box := s.shownBox()
	for a := range low {
		low[a], high[a] = max(low[a], box.Min[a]), min(low[a]+walkingSide-1, box.Max[a])
		if low[a] > high[a] {
			return nil, nil
		}
		from[a], size[a] = low[a]-walkingMargin, high[a]-low[a]+1+2*walkingMargin
	}
	area := mapdb.Area{Min: blockOf(from), Max: blockOf([3]int{from[0] + size[0] - 1, from[1] + size[1] - 1, from[2] + size[2] - 1})}
	v, empty := game.NewVolume(from, size), true
	for z := int(area.Min.Z); z <= int(area.Max.Z); z++ {
		for y := int(area.Min.Y); y <= int(area.Max.Y); y++ {
			for x := int(area.Min.X); x <= int(area.Max.X); x++ {
				pos := mapdb.Pos{X: int16(x), Y: int16(y), Z: int16(z)}
				if !pos.Valid() {
					continue
				}
				known, err := s.world.nodes.get(ctx, s.world, pos)
				if err != nil {
					return nil, err
				}
				if known.lost != nil {
					s.lose(known.lost)
				}
				if known.nodes != nil {
					v.SetBlock(pos, known.nodes)
					empty = false
				}
			}
		}
	}
	if empty {
		return nil, nil
	}
	m, err := game.Lights(ctx, v, low, high, effort.TurningFaces)
	if err != nil {
		return nil, fault.InFile(err, s.world.dir)
	}
	s.mu.Lock()
	s.textured = game // for what is missing
	s.mu.Unlock()
	if len(m.Nodes) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	err = gltf.Write(&out, m)
	return out.Bytes(), err
}

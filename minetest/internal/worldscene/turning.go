package worldscene

import (
	"bytes"
	"context"
	"math"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/picture/gltf"
	"trowel.example/minetest/internal/textured"
	"trowel.example/minetest/worlddraw"
)

// Limits of models that turn. A larger world has none.
const (
	maxTurningNodes = 1 << 22
)

// turn lets a viewer turn the views of a small world that show textures, as models of their nodes.
func (s *worldScene) turn() {
	box, nodes := s.shownBox(), int64(1)
	for a := range box.Min {
		nodes *= max(0, int64(box.Max[a])-int64(box.Min[a])+1)
	}
	if nodes == 0 || nodes > maxTurningNodes && s.world.piece == nil {
		return
	}
	for i := range s.views {
		v := &s.views[i]
		if f := s.flat(v.Name); f != nil && f.Depth == 0 {
			v.Turning = turningOf(f, box)
			v.Turning.Model = s.Model
		}
	}
}

// shownBox returns the nodes that the options choose.
func (s *worldScene) shownBox() worlddraw.Box {
	box, chosen := s.extent, s.kinds[string(worlddraw.Top)].Box // blocks are larger
	for a := range box.Min {
		box.Min[a], box.Max[a] = max(box.Min[a], chosen.Min[a]), min(box.Max[a], chosen.Max[a])
	}
	return box
}

// turningOf returns how a view of a box shows its model, whose z is mirrored and whose origin is the low corner of the box.
func turningOf(f *textured.Flat, box worlddraw.Box) *format.Turning {
	t := &format.Turning{Lamp: [3]float64{0, 0, 1}, Ambient: 1}
	unit := func(v [3]float64) [3]float64 {
		length := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
		return [3]float64{v[0] / length, v[1] / length, v[2] / length}
	}
	right := unit([3]float64{f.Right[0], f.Right[1], -f.Right[2]})
	toward := unit([3]float64{float64(f.Near[0]), float64(f.Near[1]), -float64(f.Near[2])})
	up := [3]float64{toward[1]*right[2] - toward[2]*right[1], toward[2]*right[0] - toward[0]*right[2], toward[0]*right[1] - toward[1]*right[0]}
	t.Axes = [3][3]float64{right, up, toward}
	for a := range 3 {
		side := float64(box.Max[a] - box.Min[a] + 1)
		if a == 2 {
			side = -side
		}
		for i, step := range [2]float64{right[a] * side, -up[a] * side} {
			t.Bounds.Min[i] += min(0, step)
			t.Bounds.Max[i] += max(0, step)
		}
	}
	return t
}

// Model returns the nodes of the world in the light of a view.
func (s *worldScene) Model(ctx context.Context, look format.Look) ([]byte, error) {
	defer s.world.reading()()
	game, err := s.game.look()
	if err != nil {
		return nil, err
	}
	name := look.View
	f, box := s.flat(name), s.shownBox()
	blocks := &around{game: game, box: box, db: s.world.db}
	v, err := blocks.nodes(ctx)
	if err != nil {
		return nil, err
	}
	for _, err := range blocks.lost {
		s.lose(err)
	}
	v.Open()
	v.FullLight = f.FullLight
	m, err := game.Model(ctx, v, box.Min, box.Max, f.Daylight, effort.TurningFaces)
	if err != nil {
		return nil, fault.InFile(err, s.world.dir)
	}
	s.mu.Lock()
	s.textured = game // for what is missing
	s.mu.Unlock()
	var out bytes.Buffer
	err = gltf.Write(&out, m)
	return out.Bytes(), err
}

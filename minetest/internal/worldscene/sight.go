package worldscene

import (
	"context"
	"fmt"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddraw"
)

// eyeHeight is the height of a player's eyes above the middle of the node on which the player stands.
const eyeHeight = 0.5 + 1.625

// Sight describes the visible node: its coordinate that the picture does not show, and its name.
func (s *worldScene) Sight(ctx context.Context, look format.Look, at [2]float64) (seen format.Sight, err error) {
	defer s.world.reading()()
	view, ok := s.viewOf(look.View)
	if !ok {
		return seen, nil
	}
	in := &inspection{s: s, ctx: ctx, look: look, view: view, at: at, blocks: make(map[mapdb.Pos]*openBlock)}
	behind, err := in.nodesBehind()
	if err != nil {
		return seen, err
	}
	for p := range behind {
		if err := ctx.Err(); err != nil {
			return seen, err
		}
		o, err := in.block(blockOf(p))
		if err != nil {
			return seen, err
		}
		if o == nil || o.b == nil {
			continue
		}
		if n := o.node(p); in.part(n.name) == opaque {
			seen.Text = hiddenAxes(view, p) + "  " + n.name
			seen.Stand = []float64{float64(p[0]), float64(p[1]) + eyeHeight, float64(p[2])}
			break
		}
	}
	return seen, nil
}

// hiddenAxes returns the coordinates of a node that the coordinates of a view's picture do not include.
func hiddenAxes(view worlddraw.View, p [3]int) string {
	shown := ""
	if view != worlddraw.IsoView {
		axes := view.Axes()
		shown = axes[0] + axes[1]
	}
	var list []string
	for i, axis := range []string{"x", "y", "z"} {
		if !strings.Contains(shown, axis) {
			list = append(list, fmt.Sprint(axis, " ", p[i]))
		}
	}
	return strings.Join(list, "  ")
}

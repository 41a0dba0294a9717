package worlddraw

import (
	"context"

	"trowel.example/minetest/world"
)

// Player is a player on the map. The position is in nodes.
type Player struct {
	Name    string
	X, Y, Z float64
}

// Players returns the positions of the players of a store. Lost receives errors about players that cannot be read.
func Players(ctx context.Context, store world.Players, lost func(error)) ([]Player, error) {
	var all []Player
	for p, err := range world.Standings(ctx, store) {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case world.Failed(err):
			return nil, err
		case err != nil:
			lost(err)
		default:
			all = append(all, Player{p.Name, p.Pos[0] / 10, p.Pos[1] / 10, p.Pos[2] / 10})
		}
	}
	return all, nil
}

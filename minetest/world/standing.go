package world

import (
	"context"
	"iter"
)

// Standing is the last position of a player.
type Standing struct {
	Name string
	Pos  [3]float64 // x, y, z in tenths of a node
}

// Standings yields the position of each player of a store, once. It is faster than Get for each player. After an
// error about one player, the iteration continues.
func Standings(ctx context.Context, store Players) iter.Seq2[Standing, error] {
	return func(yield func(Standing, error) bool) {
		sql, ok := store.(*sqlStore[*Player])
		if !ok {
			for name, err := range store.Names(ctx) {
				at := Standing{Name: name}
				if err == nil {
					var p *Player
					if p, err = store.Get(ctx, name); err == nil {
						at.Pos = p.Pos
					}
				}
				if !yield(at, err) {
					return
				}
			}
			return
		}
		if !sql.db.has("player") {
			return
		}
		var all []Standing
		bad := sql.each(ctx, "SELECT name, posX, posY, posZ FROM player", func(r *row, name string) {
			at := Standing{name, [3]float64{r.float(1, "posX"), r.float(2, "posY"), r.float(3, "posZ")}}
			if r.err == nil {
				all = append(all, at)
			}
		})
		for _, at := range all {
			if !yield(at, nil) {
				return
			}
		}
		for _, err := range bad {
			if !yield(Standing{}, err) {
				return
			}
		}
	}
}

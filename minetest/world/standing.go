package world

import (
	"context"
	"iter"
)

// Standing is where a player was last.
type Standing struct {
	Name string
	Pos  [3]float64 // x, y, z in tenths of a node
}

// Standings goes through the players of a store, each once, and says where they are. It is
// quicker than to get each of them. An error may be about one of them only: then others
// follow.
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

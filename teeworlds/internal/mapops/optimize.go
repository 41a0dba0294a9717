package mapops

import (
	"context"
	"fmt"
	"strconv"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/internal/maprules"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Optimization are the options of [Optimize].
type Optimization struct {
	ClearTiles bool   `option:"clear-tiles" help:"also clear tiles that no layer uses, and all pixels that are not seen"`
	Level      string `option:"level" choices:"1|2|3|4|5|6|7|8|9|best" default:"9" help:"how much to compress; best takes minutes"`
}

// Optimize makes the file of a map smaller. What it shows and how it plays stays the same: that is compared with the map before. A map that
// would not become smaller is left unchanged.
func Optimize(ctx context.Context, e *Editor, o Optimization) error {
	level := datafile.Smallest
	if o.Level != "best" {
		level, _ = strconv.Atoi(o.Level) // one of the choices
	}
	before, err := e.Map().Encode()
	if err != nil {
		return err
	}
	m, err := twmap.Decode(before)
	if err != nil {
		return err
	}
	work := mapedit.New(m, nil)
	var changes []check.Change
	size := len(before)
	saved := func(what string, now int) {
		if now < size {
			changes = append(changes, check.Change{What: what, Count: int64(size - now), Unit: "bytes"})
		}
		size = now
	}
	steps := []struct {
		what string
		do   func() error
	}{
		{"unused images, sounds, envelopes and groups removed", work.RemoveUnused},
		{"equal images merged", work.MergeImages},
		{"edges of design layers that only repeat removed", func() error { work.Shrink(mapedit.ShrinkOptions{}); return nil }},
		{"pixels that are not seen changed", func() error {
			all, err := work.Images("")
			if err != nil {
				return err
			}
			return work.OptimizeImages(all, mapedit.OptimizeOptions{Exact: !o.ClearTiles})
		}},
	}
	for _, s := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.do(); err != nil {
			return err
		}
		now, err := m.Encode()
		if err != nil {
			return err
		}
		saved(s.what, len(now))
	}
	m, err = m.Repack(level)
	if err != nil {
		return err
	}
	now, err := m.Encode()
	if err != nil {
		return err
	}
	saved("data blocks compressed more", len(now))
	if len(now) >= len(before) {
		return nil
	}
	err = maprules.ComparePhysics(ctx, mapdir.NamesOf(e.Map()), mapdir.NamesOf(m), func(c check.Change) error {
		return fmt.Errorf("optimize would change how the map plays, and has changed nothing: %s", c.String())
	})
	if err != nil {
		return err
	}
	changes = append(changes, check.Change{What: fmt.Sprintf("%s bytes became %s", words.Thousands(int64(len(before))),
		words.Thousands(int64(len(now)))), Count: int64(len(before) - len(now)), Unit: "bytes"})
	e.Become(m, changes)
	return nil
}

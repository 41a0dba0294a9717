package world

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/mapdb"
)

// quick is [Check] with Quick: it reads the settings, opens all stores, checks their databases as a whole, and counts what is in
// them. It decodes no block, player or inventory.
func (o *CheckOptions) quick(ctx context.Context, dir string, sink check.Sink) error {
	counts, err := o.rest(ctx, dir, sink)
	if err != nil {
		return err
	}
	db, err := CheckMap(ctx, dir, *o, sink)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case Failed(err):
		return err
	case err == nil:
		n, err := o.count(ctx, db, sink)
		if err = errors.Join(err, db.Close()); err != nil {
			return err
		}
		counts = append([]string{"blocks: " + words.Thousands(int64(n))}, counts...)
	}
	if len(counts) > 0 {
		sink.AddAt(foundCounts, []check.Place{check.File("world.mt")}, "", -1, "%s", strings.Join(counts, ", "))
	}
	return nil
}

// count checks a database of blocks as a whole, and counts the blocks by their positions.
func (o *CheckOptions) count(ctx context.Context, db mapdb.DB, sink check.Sink) (n int, err error) {
	if err := mapdb.Verify(ctx, db); err != nil {
		if ctx.Err() != nil || Failed(err) {
			return 0, cmp.Or(ctx.Err(), err)
		}
		checkRow(mapdb.Block{}, err, nil, sink)
	}
	var last *mapdb.Pos
	for p, err := range db.Positions(ctx, mapdb.All()) {
		switch {
		case err != nil && (ctx.Err() != nil || Failed(err)):
			return 0, cmp.Or(ctx.Err(), err)
		case err != nil:
			checkRow(mapdb.Block{}, err, nil, sink)
			last = nil
			continue
		case last != nil && *last == p:
			place.OfBlock(sink, p.X, p.Y, p.Z).Add(foundBlockTwice, "", -1, "another row has the same position")
			continue
		}
		last = &p
		if n++; o.OnProgress != nil && n%1024 == 0 {
			o.OnProgress("blocks", n, 0)
		}
	}
	if v, ok := db.(mapdb.Verifier); ok {
		for _, d := range v.Damage() {
			checkRow(mapdb.Block{}, d, nil, sink)
		}
	}
	return n, ctx.Err()
}

package worldconvert

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
)

const (
	// Approximate limits of the changes in one transaction.
	batchRows  = 4096
	batchBytes = 8 << 20
	// maxFresh is the number of bytes of converted blocks that are kept in memory until their backup is on the disk.
	// Blocks beyond that are converted a second time.
	maxFresh = 64 << 20
	// maxRounds is the maximum number of passes over a slab that other programs change at the same time.
	maxRounds = 20
)

// fresh contains converted blocks whose backup is being written.
type fresh struct {
	blocks map[mapdb.Pos]outcome
	size   int
}

func (f *fresh) keep(o outcome) {
	if f.blocks == nil {
		f.blocks = make(map[mapdb.Pos]outcome)
	}
	if f.size+len(o.new) <= maxFresh {
		f.size += len(o.new)
		f.blocks[o.pos] = o
	}
}

// outcome is the result for one row.
type outcome struct {
	pos       mapdb.Pos // unset if row is set
	old       []byte
	new       []byte // nil: delete the block
	converted bool   // the block already has the version
	stays     bool   // the block has another version and is not changed
	found     []check.Finding
	row       *mapdb.RowError
	err       error // the error that ended the rows
}

// convert determines what to do with a row.
func (w *World) convert(b mapdb.Block, err error) outcome {
	var row *mapdb.RowError
	switch {
	case errors.As(err, &row):
		return outcome{row: row}
	case err != nil:
		return outcome{err: err}
	}
	o := outcome{pos: b.Pos, old: b.Data}
	if o.converted = len(b.Data) > 0 && int(b.Data[0]) == w.opts.Blocks; o.converted {
		return o
	}
	c, err := worldcopy.ConvertBlock(b, w.opts.Blocks, mapblock.ConvertOptions{Drop: w.opts.Drop})
	o.new, o.found, o.stays = c.Data, c.Found, err != nil
	if o.new != nil && !o.stays {
		if back, err := mapblock.Decode(o.new); err != nil || !back.Equal(c.Block) {
			o.new, o.stays = nil, true
			o.find(foundBack, "the block that was read back differs from the written one: %v", err)
		}
	}
	return o
}

func (o *outcome) find(k *check.Kind, format string, args ...any) {
	add := func(f check.Finding) { o.found = append(o.found, f) }
	place.OfBlock(add, o.pos.X, o.pos.Y, o.pos.Z).Add(k, "", -1, format, args...)
}

func (w *World) report(found []check.Finding) {
	for _, f := range found {
		w.opts.Sink.Report(f)
	}
}

// Convert converts the blocks of a slab, and returns after the changes are on the disk. It continues where an earlier
// run for the slab stopped.
func (w *World) Convert(ctx context.Context, s mapdb.Slab) (r Report, err error) {
	// Blocks that are not changed are reported during the first pass, so that the report does not depend on earlier
	// runs.
	reported := false
	if strings.ContainsAny(string(s), `/\:`) { // the slab becomes part of a file name
		return r, &fault.Error{File: w.store.String(), Path: "slab", Offset: -1, Want: "the name of a part of a world",
			Got: fmt.Sprintf("%.40q", s), Err: fault.ErrFormat}
	}
	for round := 1; round <= maxRounds; round++ {
		backup := filepath.Join(w.opts.Backups, fmt.Sprintf("%s.%d.zip", s, round))
		_, err := os.Stat(backup)
		if there := err == nil; !there || !reported {
			kept, some, err := w.scan(ctx, s, backup, !there, !reported)
			if err != nil {
				return r, err
			}
			if !reported {
				r.Add(kept)
			}
			reported = true
			if !there && !some {
				// Another program that converted blocks meanwhile has written its backup before.
				if _, err := os.Stat(backup); err != nil {
					return r, nil
				}
			}
		}
		done, err := w.apply(ctx, backup)
		if err != nil {
			return r, err
		}
		r.Add(done)
	}
	return r, fmt.Errorf("%s: slab %s: %w", w.store, s, errChanged)
}

// scan reads the rows of a slab and reports whether any must be converted. If keep is set, those rows are then in the
// backup, which is on the disk.
func (w *World) scan(ctx context.Context, s mapdb.Slab, backup string, keep, report bool) (r Report, some bool, err error) {
	w.fresh = fresh{}
	if !keep {
		some, err = w.each(ctx, s, &r, report, nil)
		return r, some, err
	}
	errNone := errors.New("the backup contains nothing")
	err = w.make(backup, func(part string) error {
		b, err := worldbackup.New(filepath.Dir(backup), part)
		if err != nil {
			return err
		}
		defer b.Discard()
		if some, err = w.each(ctx, s, &r, report, b); err != nil {
			return err
		}
		if !some {
			return errNone
		}
		_, err = b.Finish()
		return err
	})
	if errors.Is(err, errNone) {
		err = nil
	}
	return r, some, err
}

// each converts each row of a slab in memory. The old contents of rows that change are written to the backup b.
func (w *World) each(ctx context.Context, s mapdb.Slab, r *Report, report bool, b *worldbackup.Writer) (some bool, err error) {
	var last *outcome
	end := func() error { // finishes a row, once the next row is known to be of another block
		o := last
		switch {
		case o == nil || o.converted:
			return nil
		case o.stays:
			if r.Kept++; report {
				w.report(o.found)
			}
			return nil
		}
		some = true
		w.fresh.keep(*o)
		return b.Block(mapdb.Block{Pos: o.pos, Data: o.old})
	}
	for o := range mapdb.Parallel(mapdb.InSlab(ctx, w.store, s, mapdb.All()), w.convert) {
		switch {
		case o.err != nil:
			return some, o.err
		case o.row != nil:
			if n := len(o.row.At); n > 0 {
				r.Damaged += int64(n)
			} else if !o.row.Salvaged {
				r.Rows++
			}
			if report {
				w.report(rowFound(o.row))
			}
			continue
		case last != nil && last.pos == o.pos:
			if r.Rows++; !last.converted || !o.converted {
				last.converted, last.stays, last.found = false, true, nil
				last.find(foundTwice, "another row has the same position")
			}
			continue
		}
		if err := errors.Join(end(), ctx.Err()); err != nil {
			return some, err
		}
		last = &o
	}
	return some, end()
}

// rowFound returns findings about a row that is not a block.
func rowFound(row *mapdb.RowError) (found []check.Finding) {
	sink, path := check.Sink(func(f check.Finding) { found = append(found, f) }), "map"
	if row.Pos != nil {
		sink, path = place.OfBlock(sink, row.Pos.X, row.Pos.Y, row.Pos.Z), ""
	}
	sink.AddAt(foundRow, row.At, path, -1, "%v", row)
	return found
}

// apply converts the blocks in a backup that still have the same content.
func (w *World) apply(ctx context.Context, backup string) (r Report, err error) {
	var batch []mapdb.Swap
	var drops int64
	size := 0
	flush := func() error {
		n, err := mapdb.Exchange(ctx, w.store, batch)
		r.Converted += int64(n)
		batch, size = batch[:0], 0
		return err
	}
	for o := range mapdb.Parallel(worldbackup.Blocks(backup), func(b mapdb.Block, err error) outcome {
		if o, ok := w.fresh.blocks[b.Pos]; ok && err == nil {
			return o
		}
		return w.convert(b, err)
	}) {
		if o.err != nil {
			return r, o.err
		}
		if o.converted || o.stays { // the backup contains more than needed
			continue
		}
		w.report(o.found)
		if o.new == nil {
			drops++
		}
		batch = append(batch, mapdb.Swap{Pos: o.pos, Old: o.old, New: o.new})
		if size += len(o.old) + len(o.new); len(batch) >= batchRows || size >= batchBytes {
			if err := errors.Join(flush(), ctx.Err()); err != nil {
				return r, err
			}
		}
	}
	err = flush()
	w.fresh = fresh{}
	r.Dropped = min(drops, r.Converted)
	r.Converted -= r.Dropped
	return r, err
}

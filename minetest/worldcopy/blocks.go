package worldcopy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/parallel"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/place"
	"trowel.example/minetest/world"
)

// How much is written in one transaction, about. As much is done again after a
// run was killed.
const (
	batchRows  = 4096
	batchBytes = 8 << 20
)

// fate is what becomes of a row of the source.
type fate int

const (
	copied fate = iota
	converted
	kept    // copied, although another version was asked for
	dropped // a block that cannot be read
	noBlock // a damaged row
	noRow   // damaged parts of the database
	named   // no row, but an error about the row before, which was salvaged
)

// outcome is what there is to do about a row of the source.
type outcome struct {
	pos   mapdb.Pos // unless it is noBlock
	data  []byte
	sum   sum
	fate  fate
	found []check.Finding
	parts int   // of the database that are damaged, if it is noRow
	err   error // that ends the rows
}

// copyBlocks copies the blocks, from where an earlier run was ended on.
func copyBlocks(ctx context.Context, c *copier) error {
	if !c.newMap {
		return nil
	}
	db := c.opts.Source
	if db == nil {
		own, err := mapdb.Open(ctx, c.src, c.from)
		if err != nil {
			return err
		}
		defer own.Close()
		db = own
	}
	if err := mapdb.Verify(ctx, db); err != nil {
		return err
	}
	if err := c.openStore(ctx); err != nil {
		return err
	}
	if n, err := c.store.Count(ctx); err != nil {
		return err
	} else if n < c.log.Report.Blocks {
		return fmt.Errorf("%s: %w: there are only %d of %d blocks", c.store, ErrVerify, n, c.log.Report.Blocks)
	}
	c.log.Report.From, c.log.Report.To = db.String(), c.store.String()
	total := 0
	if from, _ := mapdb.BackendOf(c.from.Backend); c.opts.OnProgress != nil && !from.CountsAll {
		n, err := db.Count(ctx)
		if err != nil {
			return err
		}
		total = int(n)
	}
	b := batch{copier: c, next: *c.log, total: total}
	defer b.wait()
	for o := range mapdb.Parallel(c.rest(db.Blocks(ctx, mapdb.All())), c.convert) {
		if o.err != nil {
			return o.err
		}
		b.add(o)
		if b.full() {
			if err := b.flush(ctx); err != nil {
				return err
			}
		}
	}
	if err := b.flush(ctx); err != nil {
		return err
	}
	return b.wait()
}

// rest skips the rows that are done, and makes sure that they are still the
// same as far as their positions tell.
func (c *copier) rest(rows iter.Seq2[mapdb.Block, error]) iter.Seq2[mapdb.Block, error] {
	done, last := c.log.Rows, c.log.Last
	return func(yield func(mapdb.Block, error) bool) {
		var at *mapdb.Pos
		same := func() bool { return last == nil && at == nil || last != nil && at != nil && *last == *at }
		n := int64(0)
		for b, err := range rows {
			if n++; n > done {
				if n == done+1 && !same() {
					break
				}
				if !yield(b, err) {
					return
				}
				continue
			}
			var row *mapdb.RowError
			switch {
			case err == nil:
				at = &b.Pos
			case !errors.As(err, &row):
				yield(b, err)
				return
			}
		}
		if n < done || n <= done+1 && !same() {
			yield(mapdb.Block{}, fmt.Errorf("%s: %w", c.src, ErrChanged))
		}
	}
}

// openStore opens the database of the copy, and makes it if this is the first run.
func (c *copier) openStore(ctx context.Context) (err error) {
	if c.log.Entered {
		c.store, err = mapdb.OpenForWriting(ctx, c.dst, c.to, true)
		return err
	}
	for _, name := range world.MapPart.Files(c.to.Backend) {
		if err := os.RemoveAll(filepath.Join(c.dst, name)); err != nil {
			return err
		}
	}
	c.store, err = mapdb.Create(ctx, c.dst, c.to)
	if c.log.resumed && errors.Is(err, fs.ErrExist) && c.openEmpty(ctx) {
		err = nil // the earlier run has made it on a server, and was ended at once
	}
	if err == nil {
		err = c.protect(world.MapPart)
	}
	if err != nil {
		return err
	}
	return c.log.enter()
}

// openEmpty opens the database of the copy if nothing is in it.
func (c *copier) openEmpty(ctx context.Context) bool {
	store, err := mapdb.OpenForWriting(ctx, c.dst, c.to, true)
	if err != nil {
		return false
	}
	if n, err := store.Count(ctx); err != nil || n > 0 {
		store.Close()
		return false
	}
	c.store = store
	return true
}

// closeBlocks closes the database of the copy.
func closeBlocks(ctx context.Context, c *copier) (err error) {
	if !c.newMap {
		return nil
	}
	if c.store == nil {
		c.store, err = mapdb.OpenForWriting(ctx, c.dst, c.to, true)
		if err != nil {
			return err
		}
	}
	err = c.store.Close()
	c.store = nil
	return err
}

// abandon lets go of the database such that a later run can continue with it.
func (c *copier) abandon() {
	switch store := c.store.(type) {
	case nil:
	case interface{ Abandon() }:
		store.Abandon()
	default:
		store.Close()
	}
	c.store = nil
}

// convert finds out what to do about a row.
func (c *copier) convert(b mapdb.Block, err error) outcome {
	var row *mapdb.RowError
	switch {
	case errors.As(err, &row):
		o := outcome{fate: noBlock}
		if len(row.At) > 0 {
			o.fate, o.parts = noRow, len(row.At)
			check.Sink(func(f check.Finding) { o.found = append(o.found, f) }).AddAt(foundPages, row.At, "map", -1, "%v", err)
			return o
		}
		kind := foundRow
		if row.Salvaged {
			o.fate, kind = named, foundSalvaged
		}
		f := check.Finding{ID: kind.ID, Severity: kind.Severity, Path: "map", Offset: -1, Message: err.Error()}
		if row.Pos != nil {
			f.Path = ""
			f = place.InWorld(f, row.Pos.X, row.Pos.Y, row.Pos.Z)
		}
		o.found = []check.Finding{f}
		return o
	case err != nil:
		return outcome{err: err}
	}
	o := outcome{pos: b.Pos, data: b.Data}
	if c.opts.Blocks != 0 && (len(b.Data) == 0 || int(b.Data[0]) != c.opts.Blocks) {
		o.convert(c.opts.Blocks, c.opts.Drop)
	}
	o.sum = sumOf(o.pos, o.data)
	return o
}

// convert makes the block one of another version, if that is possible.
func (o *outcome) convert(version int, drop bool) {
	c, err := ConvertBlock(mapdb.Block{Pos: o.pos, Data: o.data}, version, drop)
	o.found = append(o.found, c.Found...)
	switch {
	case err != nil:
		o.fate = kept
	case c.Data == nil:
		o.fate = dropped
	default:
		o.data, o.fate = c.Data, converted
	}
}

// ErrStays is the cause of the error of a block that stays as it is.
var ErrStays = errors.New("the block stays as it is")

// Conversion is a block in another version.
type Conversion struct {
	Block *mapblock.Block
	Data  []byte // its bytes; nil: it could not be read, and is to be dropped
	Found []check.Finding
}

// ConvertBlock makes a block one of another version, see [mapblock.Block.Convert]. One that cannot
// be read, or has something for which the version has no room, is an error that wraps [ErrStays];
// with drop, what there is no room for is left out, and a block that cannot be read as a whole.
// The findings, of [Catalog] and of a conversion, say what it is, also if there is an error.
func ConvertBlock(b mapdb.Block, version int, drop bool) (c Conversion, err error) {
	tell := check.Sink(func(f check.Finding) { c.Found = append(c.Found, place.InWorld(f, b.Pos.X, b.Pos.Y, b.Pos.Z)) })
	was, err := mapblock.Decode(b.Data)
	if err != nil {
		if tell.Add(foundDamaged, "", -1, "%v", err); drop {
			return c, nil
		}
		return c, fmt.Errorf("%w: %w", ErrStays, err)
	}
	to, losses, err := was.Convert(version, drop)
	for _, f := range losses {
		tell(f)
	}
	if err == nil {
		c.Block = to
		c.Data, err = to.Encode()
	}
	if err != nil {
		tell.Add(foundKept, "", -1, "it stays one of version %d: %v", was.Version, err)
		return c, fmt.Errorf("%w: %w", ErrStays, err)
	}
	return c, nil
}

// batch is what goes to the database in one transaction. While it is written, the next
// one is collected.
type batch struct {
	*copier
	total  int
	next   journal // as it will be
	blocks []mapdb.Block
	found  []check.Finding
	size   int
	rows   int

	writing chan stored // gives the end of a transaction, if there is one
	written func() error
}

// add takes what is to be done about a row.
func (b *batch) add(o outcome) {
	r := &b.next.Report
	b.next.Rows++
	b.rows++
	b.found = append(b.found, o.found...)
	switch o.fate {
	case noBlock:
		r.Rows++
		return
	case noRow:
		r.Damaged += int64(o.parts)
		return
	case named:
		r.Salvaged++
		return
	}
	if last := b.next.Last; last != nil && *last == o.pos {
		r.Rows++
		check.Sink(func(f check.Finding) { b.found = append(b.found, place.InWorld(f, o.pos.X, o.pos.Y, o.pos.Z)) }).Add(foundTwice, "", -1, "another row has the same position")
		return
	}
	b.next.Last = &o.pos
	switch o.fate {
	case dropped:
		r.Dropped++
		return
	case converted:
		r.Converted++
	case kept:
		r.Kept++
	}
	r.Blocks++
	b.next.Sum.add(o.sum)
	b.blocks = append(b.blocks, mapdb.Block{Pos: o.pos, Data: o.data})
	b.size += len(o.data)
}

// stored is how a transaction ended.
type stored struct {
	err      error
	panicked *parallel.Panic
}

func (b *batch) full() bool { return b.rows >= batchRows || b.size >= batchBytes }

// flush begins to write the batch, once the one before it is written.
func (b *batch) flush(ctx context.Context) error {
	if err := b.wait(); err != nil {
		return err
	}
	next, blocks, found := b.next, b.blocks, b.found
	b.writing = make(chan stored, 1)
	go func(done chan<- stored) {
		var s stored
		s.panicked = parallel.Catch(func() { s.err = b.store.Store(ctx, blocks) })
		done <- s
	}(b.writing)
	b.written = func() error {
		damaged := b.log.Damaged || slices.ContainsFunc(found, isDamage)
		*b.log = next
		b.log.Damaged = damaged
		if err := b.log.note(); err != nil {
			return err
		}
		if b.opts.Sink != nil {
			for _, f := range found {
				b.opts.Sink(f)
			}
		}
		b.progress("blocks", int(next.Report.Blocks), b.total)
		return nil
	}
	b.blocks, b.found, b.size, b.rows = nil, nil, 0, 0
	return nil
}

// wait waits until the batch that is being written is, and notes that it is.
func (b *batch) wait() error {
	if b.writing == nil {
		return nil
	}
	s := <-b.writing
	b.writing = nil
	s.panicked.Throw()
	if s.err != nil {
		return s.err
	}
	return b.written()
}

// again goes back to where the blocks are copied, once: to write them once more does
// no harm to those that are there.
func (c *copier) again() error {
	c.log.restart()
	c.log.resumed = false
	c.log.Stage = blocksStage
	c.log.Entered = world.MapPart.Remote(c.to.Backend) // files are made again
	return c.log.save()
}

// verify reads the blocks of the copy again.
func verify(ctx context.Context, c *copier) error {
	if !c.newMap {
		return nil
	}
	db, err := mapdb.Open(ctx, c.dst, c.to)
	if errors.Is(err, mapdb.ErrNoHash) && c.log.Report.Blocks == 0 {
		db, err = mapdb.NewMemory(), nil
	}
	if err != nil {
		return err
	}
	defer db.Close()
	type digest struct {
		sum sum
		err error
	}
	var all sum
	n := int64(0)
	for d := range mapdb.Parallel(mapdb.InAnyOrder(ctx, db), func(b mapdb.Block, err error) digest {
		return digest{sumOf(b.Pos, b.Data), err}
	}) {
		if row := (*mapdb.RowError)(nil); errors.As(d.err, &row) {
			return fmt.Errorf("%w: %w", ErrVerify, d.err)
		}
		if d.err != nil {
			return d.err
		}
		all.add(d.sum)
		if n++; n%batchRows == 0 {
			c.progress("verify", int(n), int(c.log.Report.Blocks))
		}
	}
	r := &c.log.Report
	if n != r.Blocks || all != c.log.Sum {
		return &fault.Error{File: db.String(), Path: "blocks", Offset: -1, Want: fmt.Sprintf("%d blocks with the digest %v", r.Blocks, c.log.Sum), Got: fmt.Sprintf("%d with %v", n, all), Err: ErrVerify}
	}
	r.Digest = all.String()
	c.progress("verify", int(n), int(n))
	return nil
}

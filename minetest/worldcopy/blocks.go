package worldcopy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// Approximate limits of one transaction. After a run was killed, at most that much is repeated.
const (
	batchRows  = 4096
	batchBytes = 8 << 20
)

// fate is the result of copying a row of the source.
type fate int

const (
	copied fate = iota
	converted
	kept    // copied in another version than requested
	dropped // a block that cannot be read, left out
	noBlock // a damaged row
	noRow   // damaged parts of the database
	named   // not a row, but an error about the row before, which was salvaged
)

// outcome is what to do with a row of the source.
type outcome struct {
	pos   mapdb.Pos // unset for noBlock
	data  []byte
	sum   sum
	fate  fate
	found []check.Finding
	parts int   // number of damaged parts of the database, for noRow
	err   error // the error that ended the rows
}

// copyBlocks copies the blocks, starting where an earlier run stopped.
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
	var old []manifest.Entry
	var err error
	if c.log.Passes > 0 {
		old, err = c.openCopy(ctx)
	} else if err = mapdb.Verify(ctx, db); err == nil {
		err = c.openStore(ctx)
	}
	if err != nil {
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
	b := batch{copier: c, next: *c.log, total: total, old: old}
	defer b.wait()
	rows := c.rest(db.Blocks(ctx, mapdb.All()))
	if c.opts.Blocks != 0 {
		rows = mapdb.Bounded(rows)
	}
	for o := range mapdb.Parallel(rows, c.convert) {
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
	return errors.Join(b.wait(), b.removeGone(ctx, db))
}

// rest skips the rows that are already copied. It returns an error if their positions show that the source has
// changed.
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

// openStore opens the database of the copy. The first run creates it.
func (c *copier) openStore(ctx context.Context) (err error) {
	if c.log.Entered {
		c.store, err = c.reopen(ctx)
		return err
	}
	for _, name := range world.MapPart.Files(c.to.Backend) {
		if err := os.RemoveAll(filepath.Join(c.dst, name)); err != nil {
			return err
		}
	}
	c.store, err = mapdb.Create(ctx, c.dst, c.to)
	if c.log.resumed && errors.Is(err, fs.ErrExist) && c.openEmpty(ctx) {
		err = nil // the earlier run created it on a server and was stopped immediately
	}
	if err == nil {
		err = c.protect(world.MapPart)
	}
	if err != nil {
		return err
	}
	return c.log.enter()
}

// reopen opens the database of the copy, which an earlier run created. That run may have been killed with the database
// open.
func (c *copier) reopen(ctx context.Context) (mapdb.Writer, error) {
	to := c.to
	to.Force = true
	return mapdb.OpenForWriting(ctx, c.dst, to)
}

// openEmpty opens the database of the copy and reports whether it is empty.
func (c *copier) openEmpty(ctx context.Context) bool {
	store, err := c.reopen(ctx)
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
		c.store, err = c.reopen(ctx)
		if err != nil {
			return err
		}
	}
	err = c.store.Close()
	c.store = nil
	return err
}

// abandon releases the database in a state that a later run can continue.
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

// convert determines what to do with a row.
func (c *copier) convert(b mapdb.Block, err error) (o outcome) {
	var row *mapdb.RowError
	switch {
	case errors.As(err, &row):
		o = outcome{fate: noBlock}
		found := check.Sink(func(f check.Finding) { o.found = append(o.found, f) })
		if len(row.At) > 0 {
			o.fate, o.parts = noRow, len(row.At)
			found.AddAt(foundPages, row.At, "map", -1, "%v", err)
			return o
		}
		sink, path, kind := found, "map", foundRow
		if row.Pos != nil {
			sink, path = place.OfBlock(found, row.Pos.X, row.Pos.Y, row.Pos.Z), ""
		}
		if row.Salvaged {
			o.fate, kind = named, foundSalvaged
		}
		sink.Add(kind, path, -1, "%v", err)
		return o
	case err != nil:
		return outcome{err: err}
	}
	o = outcome{pos: b.Pos, data: b.Data}
	if c.opts.Blocks != 0 && (len(b.Data) == 0 || int(b.Data[0]) != c.opts.Blocks) {
		o.convert(c.opts.Blocks, c.opts.Drop)
	}
	o.sum = sumOf(o.pos, o.data)
	return o
}

// convert converts the block to another version if possible.
func (o *outcome) convert(version int, drop bool) {
	c, err := ConvertBlock(mapdb.Block{Pos: o.pos, Data: o.data}, version, mapblock.ConvertOptions{Drop: drop})
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

// ErrStays is wrapped by the error of a block that is not converted.
var ErrStays = errors.New("the block is unchanged")

// Conversion is a block in another version.
type Conversion struct {
	Block *mapblock.Block
	Data  []byte // the encoded block; nil if it could not be read and must be dropped
	Found []check.Finding
}

// ConvertBlock converts a block to another version, see [mapblock.Block.Convert]. A block that cannot be read, or
// that contains data that the version cannot store, gives an error that wraps [ErrStays]. With Drop, such data is
// left out, and so is a block that cannot be read. The findings, of [Catalog] and of the conversion, describe the
// data, also if there is an error.
func ConvertBlock(b mapdb.Block, version int, o mapblock.ConvertOptions) (c Conversion, err error) {
	report := place.OfBlock(func(f check.Finding) { c.Found = append(c.Found, f) }, b.Pos.X, b.Pos.Y, b.Pos.Z)
	was, err := mapblock.Decode(b.Data)
	if err != nil {
		if report.Add(foundDamaged, "", -1, "%v", err); o.Drop {
			return c, nil
		}
		return c, fmt.Errorf("%w: %w", ErrStays, err)
	}
	to, losses, err := was.Convert(version, o)
	for _, f := range losses {
		report(f)
	}
	if err == nil {
		c.Block = to
		c.Data, err = to.Encode()
	}
	if err != nil {
		report.Add(foundKept, "", -1, "it keeps version %d: %v", was.Version, err)
		return c, fmt.Errorf("%w: %w", ErrStays, err)
	}
	return c, nil
}

// batch collects the blocks of one transaction. While a batch is written, the next one is collected.
type batch struct {
	*copier
	total  int
	old    []manifest.Entry // of the blocks that the copy has, for an update; see known
	next   journal          // the journal after the batch is written
	blocks []mapdb.Block
	found  []check.Finding
	size   int
	rows   int

	writing chan stored // receives the result of the transaction that is running, if any
	written func() error
}

// add adds the outcome of a row.
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
		add := func(f check.Finding) { b.found = append(b.found, f) }
		place.OfBlock(add, o.pos.X, o.pos.Y, o.pos.Z).Add(foundTwice, "", -1, "another row has the same position")
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
	if b.known(o) {
		b.rows--
		return
	}
	r.Changed++
	b.blocks = append(b.blocks, mapdb.Block{Pos: o.pos, Data: o.data})
	b.size += len(o.data)
}

// stored is the result of a transaction.
type stored struct {
	err      error
	panicked *parallel.Panic
}

func (b *batch) full() bool { return b.rows >= batchRows || b.size >= batchBytes }

// flush starts writing the batch, after the previous batch is written.
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
		damaged, lost := b.log.Damaged, b.log.Lost
		*b.log = next
		b.log.Damaged, b.log.Lost = damaged, lost
		b.log.judge(found...)
		if err := b.log.note(); err != nil {
			return err
		}
		for _, f := range found {
			b.opts.Sink.Report(f)
		}
		b.progress("blocks", int(next.Report.Blocks), b.total)
		return nil
	}
	b.blocks, b.found, b.size, b.rows = nil, nil, 0, 0
	return nil
}

// wait waits until the batch that is being written is complete, and records it.
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

// again returns to the stage that copies the blocks, once. Writing existing blocks again is harmless.
func (c *copier) again() error {
	c.log.restart()
	c.log.resumed = false
	c.log.Stage = blocksStage
	c.log.Entered = world.MapPart.Remote(c.to.Backend) // files are recreated
	return c.log.save()
}

// scan calls f with the position and digest of each block of the copy, and returns their number.
func (c *copier) scan(ctx context.Context, db mapdb.DB, f func(mapdb.Pos, sum) error) (n int64, err error) {
	type digest struct {
		pos mapdb.Pos
		sum sum
		err error
	}
	for d := range mapdb.Parallel(mapdb.InAnyOrder(ctx, db), func(b mapdb.Block, err error) digest {
		return digest{b.Pos, sumOf(b.Pos, b.Data), err}
	}) {
		if row := (*mapdb.RowError)(nil); errors.As(d.err, &row) {
			return n, fmt.Errorf("%w: %w", ErrVerify, d.err)
		}
		if d.err == nil {
			d.err = f(d.pos, d.sum)
		}
		if d.err != nil {
			return n, d.err
		}
		if n++; n%batchRows == 0 {
			c.progress("verify", int(n), int(c.log.Report.Blocks))
		}
	}
	return n, nil
}

// verify reads the blocks of the copy and compares their digest.
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
	r := &c.log.Report
	var all sum
	scan := func(add func(manifest.Entry) error) (int64, error) {
		return c.scan(ctx, db, func(p mapdb.Pos, s sum) error {
			all.add(s)
			return add(manifest.Entry{Pos: p, Hash: s.hash()})
		})
	}
	compare := func(n int64, err error) error {
		if err != nil {
			return err
		}
		if n != r.Blocks || all != c.log.Sum {
			return &fault.Error{File: db.String(), Path: "blocks", Offset: -1, Want: fmt.Sprintf("%s with the digest %v",
				words.Count(r.Blocks, "block"), c.log.Sum), Got: fmt.Sprintf("%d with %v", n, all), Err: ErrVerify}
		}
		r.Digest = all.String()
		c.progress("verify", int(n), int(n))
		return nil
	}
	if !c.opts.Log {
		return compare(scan(func(manifest.Entry) error { return nil }))
	}
	path := filepath.Join(c.dst, world.CopyHashes)
	f, err := os.OpenFile(wholefile.Part(path), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err = errors.Join(compare(manifest.SortScratch(f, scan)), wholefile.Flush(f), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), path)
}

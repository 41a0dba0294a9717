package worldrepo

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/stores/storage"
	"trowel.example/internal/values/extsort"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/mapdb"
)

// blocks stores the blocks that have changed since the last snapshot.
func (s *storing) blocks(ctx context.Context, db mapdb.DB, snap *Snapshot, scratch string, o Options) (err error) {
	sorter := &extsort.Sorter{Folder: scratch}
	defer func() { err = errors.Join(err, sorter.Close()) }()
	w := &regionWriter{storing: s, db: db, snap: snap, sink: o.Sink}
	progress := func(what string, done, of int64) {
		if o.OnProgress != nil && done%10_000 == 0 {
			o.OnProgress(what, int(done), int(of))
		}
	}
	done := int64(0)
	if s.old == nil { // all blocks are new: their hashes are computed when they are stored
		for p, err := range db.Positions(ctx, mapdb.All()) {
			var bad *mapdb.RowError
			switch {
			case errors.As(err, &bad):
				w.lose(bad)
				continue
			case err == nil:
				err = sorter.Add(extsort.Pair{Key: order(p)})
			}
			if err != nil {
				return err
			}
			done++
			progress("read positions", done, 0)
		}
	} else if done, err = manifest.Hashes(mapdb.InAnyOrder(ctx, db), manifest.Options{
		OnRow:      w.lose,
		OnProgress: func(done int64) { progress("read blocks", done, 0) },
	}, func(e manifest.Entry) error {
		return sorter.Add(extsort.Pair{Key: order(e.Pos), Value: uint64(e.Hash)})
	}); err != nil {
		return err
	}
	seen := int64(0)
	for p, err := range sorter.Distinct() {
		if err == nil {
			err = w.add(ctx, p.Key, manifest.Hash(p.Value))
		}
		if err != nil {
			return err
		}
		seen++
		progress("stored blocks", seen, done)
	}
	return w.end(ctx)
}

// last returns the blocks of the newest readable snapshot of a world or, if there is none, of any world. It returns
// nil if there is none.
func (s *storing) last(list []*Snapshot, world string) (*Blocks, error) {
	for _, own := range []bool{true, false} {
		for _, snap := range slices.Backward(list) {
			if (snap.World == world) != own {
				continue
			}
			if b, err := s.Blocks(snap); err == nil || storage.IsUnavailable(err) {
				return b, err
			}
		}
	}
	return nil, nil
}

// Limits of what is read at once. Blocks that are adjacent in the database are usually from several regions. They are
// stored in the order of the regions.
const (
	batchBlocks  = 1 << 16
	batchRegions = 128
	batchBytes   = 32 << 20
)

// regionWriter stores regions in order.
type regionWriter struct {
	*storing
	db   mapdb.DB
	next int // the first region of the previous snapshot that has not been compared
	snap *Snapshot
	sink check.Sink

	number int64 // of the current region
	blocks []block
	batch  []part
	wanted []mapdb.Pos // positions to read for the batch
	list   []regionRef
}

// part is a region of a batch.
type part struct {
	number int64
	blocks []block
	unread []bool    // blocks to store that were not read yet; nil if there are none
	region regionRef // the region of the previous snapshot if nothing has changed; then blocks is empty
}

// lose reports a row that cannot be read.
func (w *regionWriter) lose(bad *mapdb.RowError) {
	w.snap.Lost++
	w.sink.Add(foundRow, "blocks", -1, "%v", bad)
}

func (w *regionWriter) add(ctx context.Context, order int64, hash manifest.Hash) error {
	if number := order >> 12; len(w.blocks) > 0 && number != w.number {
		if err := w.plan(ctx); err != nil {
			return err
		}
	}
	w.number = order >> 12
	w.blocks = append(w.blocks, block{local: int(order & 0xfff), hash: hash})
	return nil
}

// plan adds the current region to the batch.
func (w *regionWriter) plan(ctx context.Context) error {
	before, old, err := w.before()
	if err != nil {
		return err
	}
	was := make(map[int]block, len(before))
	damaged := false
	for _, b := range before {
		kept, err := w.keeps(b)
		if err != nil {
			return err
		}
		if kept {
			was[b.local] = b
		} else {
			damaged = true
		}
	}
	p := part{number: w.number}
	gone := len(was)
	for i, b := range w.blocks {
		o, ok := was[b.local]
		if ok {
			gone--
		}
		if ok && o.hash == b.hash {
			w.blocks[i].ref = o.ref
			continue
		}
		if p.unread == nil {
			p.unread = make([]bool, len(w.blocks))
		}
		p.unread[i] = true
		w.wanted = append(w.wanted, position(w.number<<12|int64(b.local)))
	}
	w.report.Removed += int64(gone)
	if p.unread == nil && gone == 0 && !damaged && len(before) > 0 {
		kept, err := w.keeps(block{ref: old.ref, hash: old.hash})
		if err == nil && kept && old.hash == 0 {
			var id ID
			id, err = w.id(old.ref)
			old.hash = id.hash()
		}
		if err != nil {
			return err
		}
		if kept {
			p.region = old
		}
	}
	if p.region.blocks == 0 {
		p.blocks = slices.Clone(w.blocks)
	}
	w.batch, w.blocks = append(w.batch, p), w.blocks[:0]
	if len(w.wanted) >= batchBlocks || len(w.batch) >= batchRegions {
		return w.store(ctx)
	}
	return nil
}

// before returns the current region in the previous snapshot, and its blocks; no blocks if there was no such region.
func (w *regionWriter) before() (blocks []block, old regionRef, err error) {
	if w.old == nil {
		return nil, old, nil
	}
	for ; w.next < len(w.old.regions) && w.old.regions[w.next].number <= w.number; w.next++ {
		old = w.old.regions[w.next]
		if old.number < w.number {
			w.report.Removed += int64(old.blocks)
			continue
		}
		blocks, err = w.region(old)
		if err != nil {
			blocks, err = nil, unavailable(err) // the whole region is stored again
		}
	}
	return blocks, old, err
}

// store reads the blocks that the batch needs and stores its regions.
func (w *regionWriter) store(ctx context.Context) error {
	type content struct {
		order int64
		data  []byte
		id    ID
		err   error
	}
	var read []content
	size := 0
	keep := func() error {
		slices.SortStableFunc(read, func(a, b content) int { return cmp.Compare(a.order, b.order) })
		for _, c := range read {
			if err := w.keepBlock(c.order, c.data, c.id); err != nil {
				return err
			}
		}
		read, size = read[:0], 0
		return nil
	}
	for c := range mapdb.Parallel(mapdb.Fetch(ctx, w.db, w.wanted), func(b mapdb.Block, err error) content {
		return content{order(b.Pos), b.Data, sha256.Sum256(b.Data), err}
	}) {
		if bad, ok := errors.AsType[*mapdb.RowError](c.err); ok {
			w.lose(bad)
			continue
		}
		if c.err != nil {
			return c.err
		}
		read, size = append(read, c), size+len(c.data)
		if size >= batchBytes {
			if err := keep(); err != nil {
				return err
			}
		}
	}
	if err := keep(); err != nil {
		return err
	}
	for _, p := range w.batch {
		if err := w.keepRegion(p); err != nil {
			return err
		}
	}
	w.batch, w.wanted = w.batch[:0], w.wanted[:0]
	return nil
}

// keepBlock stores a block that the batch needs.
func (w *regionWriter) keepBlock(order int64, data []byte, id ID) error {
	i, _ := slices.BinarySearchFunc(w.batch, order>>12, func(p part, n int64) int { return cmp.Compare(p.number, n) })
	p := &w.batch[i]
	k, _ := slices.BinarySearchFunc(p.blocks, int(order&0xfff), func(b block, n int) int { return cmp.Compare(b.local, n) })
	if !p.unread[k] {
		return nil // a second row at the same position
	}
	ref, err := w.keep(&w.data, data, id, false)
	if err != nil {
		return err
	}
	p.blocks[k].ref, p.blocks[k].hash, p.unread[k] = ref, id.hash(), false // a server may have changed the block again
	w.report.Changed++
	return nil
}

// keepRegion stores a region without blocks that were deleted meanwhile or cannot be read.
func (w *regionWriter) keepRegion(p part) error {
	if p.region.blocks == 0 {
		n := 0
		for i, b := range p.blocks {
			if p.unread == nil || !p.unread[i] {
				p.blocks[n] = b
				n++
			}
		}
		if n == 0 {
			return nil
		}
		data := w.encodeRegion(p.blocks[:n])
		id := ID(sha256.Sum256(data))
		ref, err := w.keep(&w.lists, data, id, true)
		if err != nil {
			return err
		}
		p.region = regionRef{p.number, n, ref, id.hash()}
	}
	w.list = append(w.list, p.region)
	w.snap.Blocks += int64(p.region.blocks)
	return nil
}

// end stores the list of regions.
func (w *regionWriter) end(ctx context.Context) error {
	if len(w.blocks) > 0 {
		if err := w.plan(ctx); err != nil {
			return err
		}
	}
	if err := w.store(ctx); err != nil {
		return err
	}
	if w.old != nil {
		for _, r := range w.old.regions[w.next:] {
			w.report.Removed += int64(r.blocks)
		}
	}
	if same, err := w.sameList(w.snap, w.list); same || err != nil {
		return err
	}
	data := w.encodeRegions(w.list)
	if !w.named {
		w.snap.List = manifest.HashOf(data)
	}
	for piece := range slices.Chunk(data, pieceSize) {
		if err := w.keepTwice(piece); err != nil {
			return err
		}
	}
	return nil
}

// keepTwice stores a piece of the list of regions in two packs.
func (w *regionWriter) keepTwice(piece []byte) error {
	id := ID(sha256.Sum256(piece))
	n := 0
	if w.named {
		var err error
		if n, err = w.copies(id, w.verify || isNear(w.Repository.store)); err != nil {
			return err
		}
	}
	ref, err := w.keep(&w.lists, piece, id, true)
	if err != nil {
		return err
	}
	w.snap.Regions = append(w.snap.Regions, ref)
	if n > 1 {
		return nil
	}
	again, err := w.data.put(piece, id, true)
	if err != nil {
		return err
	}
	if w.report.Stored++; !w.named {
		w.snap.Again = append(w.snap.Again, w.ref(again, id))
	}
	return nil
}

// sameList reuses the list of regions of the previous snapshot if it is unchanged and both copies exist. It reports
// whether the list is reused.
func (s *storing) sameList(snap *Snapshot, list []regionRef) (bool, error) {
	if s.old == nil || s.old.worn || !slices.Equal(list, s.old.regions) {
		return false, nil
	}
	if s.named {
		for _, ref := range s.old.of.Regions {
			if n, err := s.copies(ref.ID, s.verify || isNear(s.store)); n < 2 || err != nil {
				return false, err
			}
		}
		snap.Regions = s.old.of.Regions
		return true, nil
	}
	if len(s.old.of.Again) != len(s.old.of.Regions) {
		return false, nil
	}
	for _, ref := range slices.Concat(s.old.of.Regions, s.old.of.Again) {
		if kept, err := s.keeps(block{ref: ref}); !kept || err != nil {
			return false, err
		}
	}
	snap.Regions, snap.Again, snap.List = s.old.of.Regions, s.old.of.Again, s.old.of.List
	return true, nil
}

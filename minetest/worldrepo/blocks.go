package worldrepo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/extsort"
	"trowel.example/minetest/manifest"
	"trowel.example/minetest/mapdb"
	"trowel.example/storage"
)

// blocks stores the blocks, as far as they have changed since the last snapshot.
func (s *storing) blocks(ctx context.Context, db mapdb.DB, snap *Snapshot, list []*Snapshot, scratch string, o Options) (err error) {
	sorter := &extsort.Sorter{Folder: scratch}
	defer func() { err = errors.Join(err, sorter.Close()) }()
	total, _ := db.Count(ctx)
	done, err := manifest.Hashes(mapdb.InAnyOrder(ctx, db), manifest.Options{
		OnRow: func(bad *mapdb.RowError) {
			snap.Lost++
			if o.Sink != nil {
				o.Sink.Add(kindRow, "blocks", -1, "%v", bad)
			}
		},
		OnProgress: func(done int64) {
			if o.OnProgress != nil {
				o.OnProgress("read blocks", int(done), int(total))
			}
		},
	}, func(e manifest.Entry) error {
		return sorter.Add(extsort.Pair{Key: order(e.Pos), Value: uint64(e.Hash)})
	})
	if err != nil {
		return err
	}
	old, err := s.last(list, snap.World)
	if err != nil {
		return err
	}
	w := &regionWriter{storing: s, db: db, old: old, snap: snap, sink: o.Sink}
	for p, err := range sorter.Distinct() {
		if err == nil {
			err = w.add(ctx, p.Key, manifest.Hash(p.Value))
		}
		if err != nil {
			return err
		}
		if o.OnProgress != nil && w.seen%10_000 == 0 {
			o.OnProgress("stored blocks", int(w.seen), int(done))
		}
	}
	return w.end(ctx)
}

// last returns the blocks of the newest snapshot of a world that can be read, or else of any
// world; nil if there is none.
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

// regionWriter stores regions in their order.
type regionWriter struct {
	*storing
	db   mapdb.DB
	old  *Blocks // of the snapshot before; nil if there is none
	next int     // the first of its regions that were not looked at
	snap *Snapshot
	sink check.Sink

	number int64 // of the region that is being made
	blocks []block
	list   []regionRef
	seen   int64
}

func (w *regionWriter) add(ctx context.Context, order int64, hash manifest.Hash) error {
	if number := order >> 12; len(w.blocks) > 0 && number != w.number {
		if err := w.flush(ctx); err != nil {
			return err
		}
		w.number = number
	} else if len(w.blocks) == 0 {
		w.number = number
	}
	w.blocks = append(w.blocks, block{local: int(order & 0xfff), hash: hash})
	w.seen++
	return nil
}

// flush stores a region.
func (w *regionWriter) flush(ctx context.Context) error {
	var before []block
	var ref Ref
	if w.old != nil {
		for ; w.next < len(w.old.regions) && w.old.regions[w.next].number <= w.number; w.next++ {
			old := w.old.regions[w.next]
			if old.number < w.number {
				w.report.Removed += int64(old.blocks)
				continue
			}
			blocks, err := w.region(old.ref)
			if storage.IsUnavailable(err) {
				return err
			}
			if err == nil { // else all of it is stored again
				before, ref = blocks, old.ref
			}
		}
	}
	was := make(map[int]block, len(before))
	damaged := 0
	for _, b := range before {
		kept, err := w.keeps(b.ref)
		if err != nil {
			return err
		}
		if kept {
			was[b.local] = b
		} else {
			damaged++
		}
	}
	changed := make(map[mapdb.Pos]int)
	var wanted []mapdb.Pos
	for i, b := range w.blocks {
		if o, ok := was[b.local]; ok && o.hash == b.hash {
			w.blocks[i].ref = o.ref
			continue
		}
		p := position(w.number<<12 | int64(b.local))
		changed[p] = i
		wanted = append(wanted, p)
	}
	gone := len(was)
	for _, b := range w.blocks {
		if _, ok := was[b.local]; ok {
			gone--
		}
	}
	w.report.Removed += int64(gone)
	if len(wanted) == 0 && gone == 0 && damaged == 0 && len(before) > 0 {
		kept, err := w.keeps(ref)
		if err != nil {
			return err
		}
		if kept {
			w.list = append(w.list, regionRef{w.number, len(w.blocks), ref})
			w.snap.Blocks += int64(len(w.blocks))
			w.blocks = w.blocks[:0]
			return nil
		}
	}
	for b, err := range mapdb.Fetch(ctx, w.db, wanted) {
		var bad *mapdb.RowError
		if errors.As(err, &bad) {
			w.snap.Lost++
			if w.sink != nil {
				w.sink.Add(kindRow, "blocks", -1, "%v", bad)
			}
			continue
		}
		if err != nil {
			return err
		}
		i, ok := changed[b.Pos]
		if !ok {
			continue
		}
		delete(changed, b.Pos)
		w.blocks[i].hash = manifest.HashOf(b.Data) // a server may have changed it again
		if w.blocks[i].ref, err = w.keep(&w.data, b.Data, false); err != nil {
			return err
		}
		w.report.Changed++
	}
	missing := make(map[int]bool, len(changed)) // deleted meanwhile
	for _, i := range changed {
		missing[w.blocks[i].local] = true
	}
	w.blocks = slices.DeleteFunc(w.blocks, func(b block) bool { return missing[b.local] })
	if len(w.blocks) > 0 {
		ref, err := w.keep(&w.lists, encodeRegion(w.blocks), true)
		if err != nil {
			return err
		}
		w.list = append(w.list, regionRef{w.number, len(w.blocks), ref})
		w.snap.Blocks += int64(len(w.blocks))
	}
	w.blocks = w.blocks[:0]
	return nil
}

// end stores the list of regions.
func (w *regionWriter) end(ctx context.Context) error {
	if len(w.blocks) > 0 {
		if err := w.flush(ctx); err != nil {
			return err
		}
	}
	if w.old != nil {
		for _, r := range w.old.regions[w.next:] {
			w.report.Removed += int64(r.blocks)
		}
	}
	data := encodeRegions(w.list)
	if same, err := w.same(data); same || err != nil {
		return err
	}
	for piece := range slices.Chunk(data, pieceSize) {
		ref, err := w.keep(&w.lists, piece, true)
		if err != nil {
			return err
		}
		again, err := w.data.put(piece, sha256.Sum256(piece), true)
		if err != nil {
			return err
		}
		w.snap.Regions, w.snap.Again = append(w.snap.Regions, ref), append(w.snap.Again, again)
		w.report.Stored++
	}
	return nil
}

// same reports whether the list of regions is that of the snapshot before, and is there twice. This
// one has the same then.
func (w *regionWriter) same(data []byte) (bool, error) {
	if w.old == nil || !bytes.Equal(data, encodeRegions(w.old.regions)) || len(w.old.of.Again) != len(w.old.of.Regions) {
		return false, nil
	}
	for _, ref := range slices.Concat(w.old.of.Regions, w.old.of.Again) {
		if kept, err := w.keeps(ref); !kept || err != nil {
			return false, err
		}
	}
	w.snap.Regions, w.snap.Again = w.old.of.Regions, w.old.of.Again
	return true, nil
}

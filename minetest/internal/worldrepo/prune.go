package worldrepo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"trowel.example/internal/stores/storage"
)

// PruneOptions control [Prune].
type PruneOptions struct {
	Dry bool // nothing is removed or copied, only counted
	// Repack is the maximum number of bytes that are copied from packs of which half or more is unused; 0 means a tenth of the
	// repository, at least 64 MiB, and a negative number none.
	Repack     int64
	OnProgress func(what string, done, of int) // may be nil
}

// Pruned contains the results of Prune.
type Pruned struct {
	Packs  int   // number of removed packs
	Bytes  int64 // their size
	Copied int64 // size of the contents that were copied from some of them to new packs
}

// Prune removes the packs that no snapshot needs. If contents are named, it also copies what is needed of half-empty packs to
// new packs and removes the old ones. If a snapshot cannot be read, nothing is removed, because the snapshot may be repaired.
func Prune(ctx context.Context, s storage.Store, o PruneOptions) (_ Pruned, err error) {
	r, err := Open(ctx, s)
	if err != nil {
		return Pruned{}, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	lock, err := s.Lock(ctx, true) // a running backup may need packs that no snapshot needs yet
	if err != nil {
		return Pruned{}, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	p := &pruning{Repository: r, ctx: ctx, lock: lock, o: o}
	if r.named {
		err = p.markNamed()
	} else {
		err = p.markPlaces()
	}
	if err != nil {
		return Pruned{}, fmt.Errorf("nothing is removed, because the needs of a snapshot are unknown: %w", err)
	}
	if err := p.remove(p.unneeded); err != nil {
		return p.done, err
	}
	return p.done, p.repack()
}

// pruning is a run of Prune.
type pruning struct {
	*Repository
	ctx  context.Context
	lock storage.Lock
	o    PruneOptions
	done Pruned

	unneeded []packInfo // packs to remove
	// Only if contents are named:
	used [][]use // of each pack of the index: how its contents are used; nil for a pack that cannot be read
	lost bool    // a needed content is in no pack
}

// use is how snapshots use a content of a pack.
type use byte

const (
	useNone use = iota
	useData
	useList // a region or a list of regions
)

func (p *pruning) remove(packs []packInfo) error {
	for _, one := range packs {
		if !p.o.Dry {
			if err := p.lock.Held(p.ctx); err != nil {
				return err
			}
			if err := p.store.Remove(p.ctx, packFile(one.number)); err != nil {
				return err
			}
		}
		p.done.Packs++
		p.done.Bytes += one.size
	}
	return nil
}

func (p *pruning) progress(what string, done, of int) {
	if p.o.OnProgress != nil {
		p.o.OnProgress(what, done, of)
	}
}

// needs calls list with each reference to a piece of a list of regions, piece with each piece of a file, and region with the
// regions of all snapshots, each once, and their blocks.
func (p *pruning) needs(list, piece func(Ref) error, region func(regionRef, []block) error) error {
	var failed error
	all, err := p.Snapshots(p.ctx, func(_ string, err error) { failed = errors.Join(failed, err) })
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	seen := make(map[Ref]bool)
	for i, s := range all {
		p.progress("read snapshots", i, len(all))
		for _, ref := range slices.Concat(s.Regions, s.Again) {
			if err := list(ref); err != nil {
				return err
			}
		}
		for _, f := range s.Files {
			for _, ref := range f.Pieces {
				if err := piece(ref); err != nil {
					return err
				}
			}
		}
		err := p.regionsOf(p.ctx, s, func(one regionRef) error {
			if seen[one.ref] {
				return nil
			}
			seen[one.ref] = true
			blocks, err := p.region(one)
			if err == nil {
				err = region(one, blocks)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// regionsOf calls do with each region of a snapshot.
func (r *Repository) regionsOf(ctx context.Context, s *Snapshot, do func(regionRef) error) error {
	b, err := r.Blocks(s)
	if err != nil {
		return err
	}
	for _, one := range b.regions {
		if err := cmp.Or(ctx.Err(), do(one)); err != nil {
			return err
		}
	}
	return nil
}

// markPlaces finds the packs that snapshots of the versions 1 and 2 need: their regions contain the numbers of packs, so that
// only whole packs can be removed.
func (p *pruning) markPlaces() error {
	packs := make(map[uint64]bool)
	mark := func(ref Ref) error {
		packs[ref.Pack] = true
		return nil
	}
	err := p.needs(mark, mark, func(one regionRef, blocks []block) error {
		packs[one.ref.Pack] = true
		for _, b := range blocks {
			packs[b.ref.Pack] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	list, err := p.packList(p.ctx)
	p.unneeded = slices.DeleteFunc(list, func(one packInfo) bool { return packs[one.number] })
	return err
}

// markNamed finds the contents that snapshots need.
func (p *pruning) markNamed() error {
	p.mu.Lock()
	x, err := p.indexed()
	p.mu.Unlock()
	if err != nil {
		return err
	}
	p.settled = true // this run is alone: the index stays the same
	p.used = make([][]use, len(x.packs))
	for i, n := range x.counts {
		if n >= 0 {
			p.used[i] = make([]use, n)
		}
	}
	err = p.needs(func(ref Ref) error { return p.mark(ref, useList, 2) }, func(ref Ref) error { return p.mark(ref, useData, 1) },
		func(one regionRef, blocks []block) error {
			for _, b := range blocks {
				if err := p.mark(b.ref, useData, 1); err != nil {
					return err
				}
			}
			return p.mark(one.ref, useList, 1)
		})
	if err != nil {
		return err
	}
	for i, one := range x.packs {
		// A pack that cannot be read may be repaired, but nobody needs it if the others contain everything.
		if !p.isNeeded(i) && (p.used[i] != nil || !p.lost) {
			p.unneeded = append(p.unneeded, one)
		}
	}
	return nil
}

// isNeeded reports whether a content of a pack is needed.
func (p *pruning) isNeeded(pack int) bool {
	return slices.ContainsFunc(p.used[pack], func(u use) bool { return u != useNone })
}

// mark marks a content as needed. If several packs contain it, that many copies are kept of those that can be read: copies that
// two runs have stored at the same time are removed, and of two copies that are both needed the second is kept with the data.
func (p *pruning) mark(ref Ref, u use, copies int) error {
	found := p.index.find(ref.ID)
	p.lost = p.lost || len(found) == 0
	if len(found) <= 1 {
		for _, e := range found {
			p.used[e.pack][e.n] = max(p.used[e.pack][e.n], u)
		}
		return nil
	}
	for _, e := range found {
		if p.used[e.pack][e.n] != useNone {
			copies--
		}
	}
	for _, e := range found {
		if copies <= 0 {
			break
		}
		if p.used[e.pack][e.n] != useNone {
			continue
		}
		p.mu.Lock()
		_, err := p.at(p.index.packs[e.pack].number, e.n, ref.ID)
		p.mu.Unlock()
		if storage.IsUnavailable(err) {
			return err
		}
		if err == nil {
			p.used[e.pack][e.n] = u
			u = useData
			copies--
		}
	}
	if copies <= 0 {
		return nil
	}
	for _, e := range found { // too few can be read: nothing of it is removed
		p.used[e.pack][e.n] = max(p.used[e.pack][e.n], useData)
	}
	return nil
}

const (
	minRepack = 64 << 20 // least default budget, in bytes
	// More than manySmall packs that are smaller than smallPack are merged, so that their number does not grow with each backup.
	smallPack = packSize / 8
	manySmall = 32
	entrySize = 36 // approximate size of a content's entry in the table of a pack
)

// loose is a pack of which only a part is needed.
type loose struct {
	pack   int   // its index
	needed int64 // bytes
}

// loosePacks returns the packs that are worth copying, those first whose copies free the most.
func (p *pruning) loosePacks() (list []loose, total int64, err error) {
	small := 0
	for i, one := range p.index.packs {
		if total += one.size; one.size < smallPack && p.isNeeded(i) {
			small++
		}
	}
	for i, one := range p.index.packs {
		merged := small > manySmall && one.size < smallPack
		if full := !slices.Contains(p.used[i], useNone); !p.isNeeded(i) || full && !merged {
			continue
		}
		open, err := openPack(p.ctx, p.store, one.number)
		if err != nil {
			return nil, 0, err
		}
		l := loose{pack: i}
		for n, c := range open.table {
			if p.used[i][n] != useNone {
				l.needed += c.size + entrySize
			}
		}
		if err := open.close(); err != nil {
			return nil, 0, err
		}
		if merged || l.needed <= one.size/2 {
			list = append(list, l)
		}
	}
	slices.SortStableFunc(list, func(a, b loose) int {
		share := func(l loose) float64 { return float64(l.needed) / float64(p.index.packs[l.pack].size) }
		return cmp.Compare(share(a), share(b))
	})
	return list, total, nil
}

// repack copies what is needed of half-empty packs to new packs, and removes the old ones when the new ones are stored. A run
// that ends before has changed nothing: the contents are in two packs, and the next run removes the old ones.
func (p *pruning) repack() error {
	if !p.named || p.o.Repack < 0 {
		return nil
	}
	list, total, err := p.loosePacks()
	if err != nil {
		return err
	}
	budget := cmp.Or(p.o.Repack, max(total/10, minRepack))
	var data, lists packWriter
	for _, w := range []*packWriter{&data, &lists} {
		w.ctx, w.store = p.ctx, p.store
		defer w.discard()
	}
	var old []packInfo
	for i, l := range list {
		p.progress("copied packs", i, len(list))
		if l.needed > budget {
			continue
		}
		budget -= l.needed
		p.done.Copied += l.needed
		whole := true
		if !p.o.Dry {
			if whole, err = p.copy(l.pack, &data, &lists); err != nil {
				return err
			}
		}
		if whole {
			old = append(old, p.index.packs[l.pack])
		}
	}
	if err := data.end(); err != nil {
		return err
	}
	if err := lists.end(); err != nil {
		return err
	}
	return p.remove(old)
}

// copy copies the needed contents of a pack. It reports whether it has copied all: damaged ones stay.
func (p *pruning) copy(pack int, data, lists *packWriter) (whole bool, err error) {
	from, err := openPack(p.ctx, p.store, p.index.packs[pack].number)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, from.close()) }()
	whole = true
	for n, c := range from.table {
		to := data
		switch p.used[pack][n] {
		case useNone:
			continue
		case useList:
			to = lists
		}
		stored, err := from.stored(uint32(n))
		if err == nil {
			_, err = c.decode(stored)
		}
		if storage.IsUnavailable(err) || p.ctx.Err() != nil {
			return false, cmp.Or(err, p.ctx.Err())
		}
		if err != nil {
			whole = false
			continue
		}
		if _, err := to.putStored(stored, c); err != nil {
			return false, err
		}
	}
	return whole, nil
}

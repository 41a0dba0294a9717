package worldrepo

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sort"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/stores/storage"
)

// index finds contents by their IDs. It is made of the tables of the packs when a repository is opened, so it is never
// wrong, and nothing has to be written for it. It contains the first half of each ID; the pack contains all of it.
type index struct {
	packs   []packInfo // the newest first
	counts  []int      // numbers of contents; -1: the table of the pack cannot be read
	entries []entry    // in the order of their keys, then of their packs
	first   []uint32   // by the highest bits of a key: the number of the first entry
}

// entry is the place of a content.
type entry struct {
	high, low uint64 // key: the first 16 bytes of the ID
	pack, n   uint32 // index of the pack in packs, number of the content in it
}

// indexBits is the number of bits of a key that select its entries.
const indexBits = 16

func keyOf(id ID) (high, low uint64) {
	return binary.BigEndian.Uint64(id[:]), binary.BigEndian.Uint64(id[8:])
}

// newIndex sorts the entries of some packs.
func newIndex(packs []packInfo, counts []int, entries []entry) *index {
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.high, b.high), cmp.Compare(a.low, b.low), cmp.Compare(a.pack, b.pack), cmp.Compare(a.n, b.n))
	})
	x := &index{packs: packs, counts: counts, entries: entries, first: make([]uint32, 1<<indexBits+1)}
	for i, at := 0, 0; i < len(x.first); i++ {
		for at < len(entries) && entries[at].high>>(64-indexBits) < uint64(i) {
			at++
		}
		x.first[i] = uint32(at)
	}
	return x
}

// find returns the entries of the contents whose ID begins like this one: usually none or one, the newest first.
func (x *index) find(id ID) []entry {
	high, low := keyOf(id)
	all := x.entries[x.first[high>>(64-indexBits)]:x.first[high>>(64-indexBits)+1]]
	from := sort.Search(len(all), func(i int) bool { return all[i].high > high || all[i].high == high && all[i].low >= low })
	to := from
	for to < len(all) && all[to].high == high && all[to].low == low {
		to++
	}
	return all[from:to]
}

func (x *index) has(id ID) bool { return len(x.find(id)) > 0 }

// maxOpening is the number of packs that are opened at the same time: object storage answers slowly.
const maxOpening = 8

// loadIndex reads the tables of all packs.
func (r *Repository) loadIndex(ctx context.Context) (*index, error) {
	packs, err := r.packList(ctx)
	if err != nil {
		return nil, err
	}
	counts := make([]int, len(packs))
	var entries []entry
	var mu sync.Mutex
	group := parallel.NewGroup(ctx, maxOpening)
	for i, listed := range packs {
		if group.Go(func(ctx context.Context) error {
			p, err := openPack(ctx, r.store, listed.number)
			if storage.IsUnavailable(err) {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				counts[i] = -1
				return nil
			}
			counts[i] = len(p.table)
			for n, c := range p.table {
				high, low := keyOf(c.id)
				entries = append(entries, entry{high, low, uint32(i), uint32(n)})
			}
			return p.close()
		}) != nil {
			break
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return newIndex(packs, counts, entries), nil
}

// indexed returns the index. r.mu must be held.
func (r *Repository) indexed() (_ *index, err error) {
	if r.index == nil {
		r.index, err = r.loadIndex(r.ctx)
	}
	return r.index, err
}

// has reports whether the repository contains a content, without reading it.
func (r *Repository) has(id ID) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x, err := r.indexed()
	return err == nil && x.has(id), err
}

// copies returns the number of packs that contain a content, which are read if read is set.
func (r *Repository) copies(id ID, read bool) (n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x, err := r.indexed()
	if err != nil {
		return 0, err
	}
	packs := make(map[uint32]bool)
	for _, e := range x.find(id) {
		if read {
			_, err := r.at(x.packs[e.pack].number, e.n, id)
			if storage.IsUnavailable(err) {
				return 0, err
			}
			if err != nil {
				continue
			}
		}
		packs[e.pack] = true
	}
	return len(packs), nil
}

// at returns the content of a place, if it has an ID. r.mu must be held.
func (r *Repository) at(number uint64, n uint32, id ID) ([]byte, error) {
	p, err := r.pack(number)
	if err != nil {
		return nil, err
	}
	data, err := p.get(n)
	if err == nil && p.table[n].id != id {
		err = &fault.Error{Offset: p.table[n].offset, Want: fmt.Sprintf("contents with the hash %x", id), Got: fmt.Sprintf("%x", p.table[n].id)}
	}
	return data, fault.InFile(err, r.store.Path(packFile(number)))
}

// getNamed returns a content by its ID. r.mu must be held.
func (r *Repository) getNamed(id ID) ([]byte, error) {
	for again := false; ; again = true {
		x, err := r.indexed()
		if err != nil {
			return nil, err
		}
		found := x.find(id)
		gone := len(found) == 0
		for _, e := range found {
			data, failed := r.at(x.packs[e.pack].number, e.n, id)
			if failed == nil || storage.IsUnavailable(failed) {
				return data, failed
			}
			err, gone = cmp.Or(err, failed), gone || errors.Is(failed, fs.ErrNotExist)
		}
		if len(found) == 0 {
			err = &fault.Error{File: r.store.Path(dirPacks), Offset: -1, Want: fmt.Sprintf("a pack with the content %x", id[:8]),
				Got: "none", Err: fs.ErrNotExist}
		}
		if again || !gone {
			return nil, err
		}
		if changed, failed := r.reload(); failed != nil || !changed {
			return nil, cmp.Or(failed, err)
		}
	}
}

// reload reads the index again if the packs have changed: another run has moved contents to other packs, or has added
// some. It reports whether they have. r.mu must be held.
func (r *Repository) reload() (changed bool, err error) {
	if r.settled {
		return false, nil
	}
	packs, err := r.packList(r.ctx)
	if err != nil {
		return false, err
	}
	same := slices.EqualFunc(packs, r.index.packs, func(a, b packInfo) bool { return a.number == b.number })
	if same {
		r.settled = true // what is missing is lost, and need not be searched again
		return false, nil
	}
	r.index = nil
	_, err = r.indexed()
	return true, err
}

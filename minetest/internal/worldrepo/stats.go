package worldrepo

import (
	"cmp"
	"context"
	"slices"

	"trowel.example/internal/stores/storage"
	"trowel.example/minetest/mapdb"
)

// Size is the size of contents.
type Size struct {
	Contents int64 // their number
	Bytes    int64 // as the world has them
	Stored   int64 // bytes in packs
}

// Growth is what a snapshot has added to its repository: the contents that no earlier snapshot needs.
type Growth struct {
	Snapshot *Snapshot
	Size
}

// RegionSize is the size of the different contents of the blocks of a region, in all snapshots together. Contents that several
// regions have belong to the first one.
type RegionSize struct {
	Low, High mapdb.Pos // the corners of the region
	Blocks    int       // number of blocks in the newest snapshot with the region
	Size
}

// Stats are the sizes of what is in a repository.
type Stats struct {
	Snapshots []Growth     // the oldest first
	Regions   []RegionSize // the largest first
	Packs     int64        // bytes of all packs, with what no snapshot needs
}

// contentSize is the size of a content of a pack.
type contentSize struct {
	plain, stored uint32 // bytes
	seen          bool
}

// counting is a run of Stats.
type counting struct {
	*Repository
	sizes map[uint64][]contentSize // by the number of the pack
}

// Stats measures how each snapshot and each region has made the repository grow. It calls bad for snapshots that cannot be
// read. Contents that are missing count as nothing.
func (r *Repository) Stats(ctx context.Context, progress func(what string, done, of int), bad func(id string, err error)) (*Stats, error) {
	packs, err := r.packList(ctx)
	if err != nil {
		return nil, err
	}
	stats := new(Stats)
	c := &counting{r, make(map[uint64][]contentSize)}
	for i, one := range packs {
		progress("read tables", i, len(packs))
		stats.Packs += one.size
		p, err := openPack(ctx, r.store, one.number)
		if storage.IsUnavailable(err) {
			return nil, err
		}
		if err != nil {
			continue
		}
		sizes := make([]contentSize, len(p.table))
		for n, content := range p.table {
			sizes[n] = contentSize{uint32(content.plain), uint32(content.size), false}
		}
		c.sizes[one.number] = sizes
		if err := p.close(); err != nil {
			return nil, err
		}
	}
	list, err := r.Snapshots(ctx, bad)
	if err != nil {
		return nil, err
	}
	regions := make(map[int64]*RegionSize)
	seen := make(map[Ref]bool)
	for i, s := range list {
		progress("read snapshots", i, len(list))
		size, err := c.snapshot(ctx, s, regions, seen)
		if ctx.Err() != nil || storage.IsUnavailable(err) {
			return nil, cmp.Or(ctx.Err(), err)
		}
		if err != nil {
			bad(s.ID, err)
		}
		stats.Snapshots = append(stats.Snapshots, Growth{s, size})
	}
	for _, one := range regions {
		stats.Regions = append(stats.Regions, *one)
	}
	slices.SortFunc(stats.Regions, func(a, b RegionSize) int {
		return cmp.Or(cmp.Compare(b.Stored, a.Stored), cmp.Compare(order(a.Low), order(b.Low)))
	})
	return stats, nil
}

// snapshot returns the size of what no earlier snapshot needs, and adds that of regions.
func (c *counting) snapshot(ctx context.Context, s *Snapshot, regions map[int64]*RegionSize, seen map[Ref]bool) (all Size, err error) {
	for _, ref := range slices.Concat(s.Regions, s.Again) {
		c.count(ref, &all)
	}
	for _, f := range s.Files {
		for _, ref := range f.Pieces {
			c.count(ref, &all)
		}
	}
	err = c.regionsOf(ctx, s, func(one regionRef) error {
		of := regions[one.number]
		if of == nil {
			low := position(one.number << 12)
			of = &RegionSize{Low: low, High: mapdb.Pos{X: low.X + 15, Y: low.Y + 15, Z: low.Z + 15}}
			regions[one.number] = of
		}
		of.Blocks = one.blocks
		if seen[one.ref] {
			return nil
		}
		seen[one.ref] = true
		c.count(one.ref, &all)
		blocks, err := c.region(one)
		before := of.Size
		for _, b := range blocks {
			c.count(b.ref, &of.Size)
		}
		all.Contents += of.Contents - before.Contents
		all.Bytes += of.Bytes - before.Bytes
		all.Stored += of.Stored - before.Stored
		return err
	})
	return all, err
}

// count adds a content, with all of its copies, unless it was counted before.
func (c *counting) count(ref Ref, to *Size) {
	add := func(number uint64, n uint32, first bool) {
		sizes := c.sizes[number]
		if int(n) >= len(sizes) || sizes[n].seen {
			return
		}
		sizes[n].seen = true
		if to.Stored += int64(sizes[n].stored); first {
			to.Contents++
			to.Bytes += int64(sizes[n].plain)
		}
	}
	if !c.named {
		add(ref.Pack, ref.N, true)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	x, err := c.indexed()
	if err != nil {
		return
	}
	for i, e := range x.find(ref.ID) {
		add(x.packs[e.pack].number, e.n, i == 0)
	}
}

package worldrepo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/stores/storage"
)

// Catalog contains the kinds of findings of [Repository.Check].
var Catalog check.Catalog

var (
	foundSnapshot = Catalog.Add("mt-backup-snapshot", check.Error, "A snapshot or a list of its blocks cannot be read.",
		"Restore the readable part, and make a new backup.")
	foundPack = Catalog.Add("mt-backup-pack", check.Error, "A pack that snapshots need is damaged or missing.",
		"Restore the pack from a copy of the repository; `trowel backup --verify` stores the contents again that the world still has.")
	foundContent = Catalog.Add("mt-backup-content", check.Error, "Contents that a snapshot needs are damaged or missing.",
		"`trowel restore` restores everything else; `trowel backup --verify` stores the contents again if the world still has them.")
	foundLost = Catalog.Add("mt-backup-lost", check.Warning, "Rows of the database could not be read when the "+
		"snapshot was made, and are not in it.", "Older snapshots may contain the blocks.")
	foundKey = Catalog.Add("mt-backup-key", check.Error, "A file with the key of an encrypted repository has changed or is missing.",
		"`trowel backup --rekey` writes the files again, as long as one of them can be read.")
	foundSignature = Catalog.Add("mt-backup-signature", check.Error, "A snapshot, or a record of removed ones, is not signed with the "+
		"trusted key, or has changed since.", "Do not restore it: everyone who can write the repository may have made it. Or a backup "+
		"ran without --sign.")
	foundMissing = Catalog.Add("mt-backup-missing", check.Error, "A snapshot is missing, and no signed record removes it.",
		"Somebody who can write the repository has removed or replaced it. Restore the file from a copy of the repository.")
	foundRollback = Catalog.Add("mt-backup-rollback", check.Error, "The repository lacks a snapshot that it had at an earlier check.",
		"Somebody has restored an older state of the repository, or removed its newest snapshots.")
	foundUnused = Catalog.Add("mt-backup-unused", check.Info, "No snapshot needs a pack: a backup was killed, or "+
		"snapshots were forgotten.", "`trowel forget REPO --prune` removes it.")
)

// sound lists the undamaged contents of a pack.
type sound struct {
	ids   []ID // 0: the content is damaged
	sizes []uint32
}

// checking is a run of Check.
type checking struct {
	*Repository
	sink  check.Sink
	packs []packInfo
	good  map[uint64]sound // by the number of the pack
	index *index           // of the undamaged contents, if contents are named
	used  map[uint64]bool  // packs that snapshots need
}

// content returns the ID and the size of a content, and the number of packs in which it can be read.
func (c *checking) content(ref Ref) (id ID, size int64, copies int) {
	try := func(number uint64, n uint32) {
		if s := c.good[number]; int(n) < len(s.ids) && s.ids[n] != (ID{}) && (!c.named || s.ids[n] == ref.ID) {
			id, size, copies = s.ids[n], int64(s.sizes[n]), copies+1
		}
		c.used[number] = true
	}
	if !c.named {
		try(ref.Pack, ref.N)
		return id, size, copies
	}
	for _, e := range c.index.find(ref.ID) {
		try(c.index.packs[e.pack].number, e.n)
	}
	return id, size, copies
}

// damage counts contents that are damaged or missing.
type damage struct {
	n     int
	first string
}

func (d *damage) add(format string, args ...any) {
	if d.n++; d.n == 1 {
		d.first = fmt.Sprintf(format, args...)
	}
}

// pack reports damage of a pack, and notes its contents. If read is not set, it reads only the table of the pack.
func (c *checking) pack(ctx context.Context, n uint64, read bool) (err error) {
	name := packFile(n)
	p, err := openPack(ctx, c.store, n)
	if storage.IsUnavailable(err) {
		return err
	}
	if err != nil {
		c.sink.AddAt(foundPack, []check.Place{check.File(name)}, name, -1, "%v", err)
		return nil
	}
	defer func() { err = errors.Join(err, p.close()) }()
	fine := sound{make([]ID, len(p.table)), make([]uint32, len(p.table))}
	bad := 0
	var first error
	for i := range p.table {
		if read {
			if _, err := p.get(uint32(i)); err != nil {
				if storage.IsUnavailable(err) {
					return err
				}
				bad++
				first = cmp.Or(first, err)
				continue
			}
		}
		fine.ids[i], fine.sizes[i] = p.table[i].id, uint32(p.table[i].plain)
	}
	if bad > 0 {
		c.sink.AddAt(foundPack, []check.Place{check.File(name)}, name, -1, "%d of %d contents are damaged: %v", bad, len(p.table), first)
	}
	c.good[n] = fine
	return nil
}

// sort makes the index of the undamaged contents.
func (c *checking) sort() {
	var entries []entry
	for i, one := range c.packs {
		for n, id := range c.good[one.number].ids {
			if id != (ID{}) {
				high, low := keyOf(id)
				entries = append(entries, entry{high, low, uint32(i), uint32(n)})
			}
		}
	}
	c.index = newIndex(c.packs, nil, entries)
}

// Part is a part of the packs of a repository: those whose number divided by Of has the remainder N - 1. The zero value is all.
type Part struct{ N, Of int }

func (p Part) has(number uint64) bool { return p.Of == 0 || number%uint64(p.Of) == uint64(p.N-1) }

// CheckOptions control [Repository.Check].
type CheckOptions struct {
	Part  Part          // of the other packs only the tables are read
	Trust *sealed.Trust // all snapshots must be signed with this key, and none may be missing; nil: that is not checked
	Since []Root        // roots that the repository has had; only with Trust
	// OnHeads receives the roots of the newest snapshots if Trust finds nothing; may be nil.
	OnHeads func([]Root) error
}

// Check reads a whole repository and reports its problems.
func (r *Repository) Check(ctx context.Context, o CheckOptions, sink check.Sink) error {
	if o.Trust != nil && !r.named {
		return fmt.Errorf("%s: %w", r.store.Path(""), ErrOld)
	}
	packs, err := r.packList(ctx)
	if err != nil {
		return err
	}
	if r.key != nil {
		if err := sealed.CheckKeys(ctx, r.store, func(name string, err error) {
			sink.AddAt(foundKey, []check.Place{check.File(name)}, name, -1, "%v", err)
		}); err != nil {
			return err
		}
	}
	c := &checking{Repository: r, sink: sink, packs: packs, good: make(map[uint64]sound), used: make(map[uint64]bool)}
	for _, one := range packs {
		if err := cmp.Or(ctx.Err(), c.pack(ctx, one.number, o.Part.has(one.number))); err != nil {
			return err
		}
	}
	if r.named {
		c.sort()
	}
	unread, err := c.snapshots(ctx, o)
	if err != nil || unread {
		return err // an unreadable snapshot may need what no other snapshot needs
	}
	for _, one := range packs {
		if n, name := one.number, packFile(one.number); !c.used[n] && c.good[n].ids != nil {
			sink.AddAt(foundUnused, []check.Place{check.File(name)}, name, -1, "no snapshot needs it")
		}
	}
	return nil
}

// snapshots reports what snapshots need and packs lack. It reports whether a snapshot cannot be read.
func (c *checking) snapshots(ctx context.Context, o CheckOptions) (unread bool, err error) {
	report := func(id string, err error) {
		unread = true
		name := snapshotFile(id)
		c.sink.AddAt(foundSnapshot, []check.Place{check.File(name)}, name, -1, "%v", err)
	}
	list, err := c.Snapshots(ctx, report)
	if err != nil {
		return unread, err
	}
	if err := c.trust(ctx, list, o); err != nil {
		return unread, err
	}
	inRegion := make(map[regionRef]damage)
	for _, s := range list {
		all, err := c.snapshot(ctx, s, inRegion)
		if ctx.Err() != nil {
			return unread, ctx.Err()
		}
		if storage.IsUnavailable(err) {
			return unread, err
		}
		if err != nil {
			report(s.ID, err)
		}
		name := snapshotFile(s.ID)
		if all.n > 0 {
			c.sink.AddAt(foundContent, []check.Place{check.File(name)}, name, -1,
				"needed contents that are damaged or missing: %d: %s", all.n, all.first)
		}
		if s.Lost > 0 {
			c.sink.AddAt(foundLost, []check.Place{check.File(name)}, name, -1, "rows of the database that could not be read "+
				"when the backup was made: %d", s.Lost)
		}
	}
	return unread, nil
}

// snapshot returns the damage of what a snapshot needs. inRegion is the damage of the regions so far.
func (c *checking) snapshot(ctx context.Context, s *Snapshot, inRegion map[regionRef]damage) (all damage, err error) {
	for _, f := range s.Files {
		for i, ref := range f.Pieces {
			id, size, n := c.content(ref)
			if n == 0 {
				all.add("%v cannot be read", ref)
			} else if size != f.size(i) || f.hash(i) != 0 && id.hash() != f.hash(i) {
				all.add("piece %d of %s is not in %v", i, f.Path, ref)
			}
		}
	}
	for _, ref := range slices.Concat(s.Regions, s.Again) {
		if _, _, n := c.content(ref); n == 0 {
			all.add("%v cannot be read", ref)
		} else if c.named && n < 2 {
			all.add("one of two copies of %v cannot be read", ref)
		}
	}
	err = c.regionsOf(ctx, s, func(one regionRef) error {
		d, known := inRegion[one]
		if !known {
			blocks, err := c.region(one)
			if storage.IsUnavailable(err) {
				return err
			}
			if c.content(one.ref); err != nil {
				d.add("%v", err)
			}
			for _, b := range blocks {
				if id, _, n := c.content(b.ref); n == 0 || id.hash() != b.hash {
					d.add("block %v is not in %v", position(one.number<<12|int64(b.local)), b.ref)
				}
			}
			inRegion[one] = d
		}
		all.n += d.n
		all.first = cmp.Or(all.first, d.first)
		return nil
	})
	return all, err
}

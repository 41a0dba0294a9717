package worldrepo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/stores/storage"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/mapdb"
)

// Blocks is a read-only store of the blocks of a snapshot.
type Blocks struct {
	repo    *Repository
	of      *Snapshot
	regions []regionRef
	worn    bool // whether one of the two lists of regions cannot be read

	mu   sync.Mutex
	read []readRegion // the regions that were read last, the last one at the end
}

// readRegion is a region in memory.
type readRegion struct {
	i      int // index in regions
	blocks []block
}

// maxRead is the number of regions that are kept in memory, each with at most 4096 blocks in 0.2 MB. In the order of SQLite, a world of
// 1024 blocks from west to east and 32 from bottom to top has that many side by side.
const maxRead = 128

// Blocks opens the blocks of a snapshot. The repository must stay open.
func (r *Repository) Blocks(s *Snapshot) (*Blocks, error) {
	regions, err := r.regions(s, s.Regions)
	worn := err != nil
	if worn && !storage.IsUnavailable(err) && len(s.Again) > 0 {
		if again, other := r.regions(s, s.Again); other == nil {
			regions, err = again, nil
		}
	}
	return &Blocks{repo: r, of: s, regions: regions, worn: worn}, err
}

// regions reads a list of the regions of a snapshot.
func (r *Repository) regions(s *Snapshot, refs []Ref) ([]regionRef, error) {
	data, err := r.join(refs)
	if err != nil {
		return nil, err
	}
	if hash := manifest.HashOf(data); s.List != 0 && hash != s.List {
		return nil, &fault.Error{File: r.store.Path(snapshotFile(s.ID)), Path: "regions", Offset: -1,
			Want: fmt.Sprintf("a list with the hash %v", s.List), Got: hash.String()}
	}
	var list []regionRef
	if r.named {
		list, err = decodeNamedRegions(data)
	} else {
		list, err = decodeRegions(data, s.List != 0)
	}
	sum := int64(0)
	for _, one := range list {
		sum += int64(one.blocks)
	}
	if err == nil && sum != s.Blocks {
		err = &fault.Error{File: r.store.Path(snapshotFile(s.ID)), Path: "regions", Offset: -1,
			Want: fmt.Sprintf("regions of %d blocks", s.Blocks), Got: words.Count(sum, "block")}
	}
	return list, err
}

// join returns the concatenation of contents.
func (r *Repository) join(refs []Ref) ([]byte, error) {
	var all []byte
	for _, ref := range refs {
		data, err := r.get(ref)
		if err != nil {
			return nil, err
		}
		if all = append(all, data...); len(all) > maxRegion*40 {
			return nil, errors.New("a list of regions that is too long")
		}
	}
	return all, nil
}

// region reads a region.
func (r *Repository) region(of regionRef) ([]block, error) {
	data, err := r.getHashed(of.ref, of.hash)
	if err != nil {
		return nil, err
	}
	blocks, err := r.decodeRegion(data, of.ref)
	if err == nil && len(blocks) != of.blocks {
		err = &fault.Error{File: "the region in " + of.ref.String(), Offset: -1, Want: fmt.Sprintf("%s, as the list of regions states",
			words.Count(of.blocks, "block")), Got: fmt.Sprint(len(blocks))}
	}
	return blocks, err
}

// Get returns the data of a block.
func (b *Blocks) Get(ctx context.Context, p mapdb.Pos) ([]byte, error) {
	if !p.Valid() {
		return nil, fmt.Errorf("%v: %w", p, mapdb.ErrNotFound)
	}
	found, ok, err := b.find(p)
	if err != nil {
		return nil, b.rowError(ctx, p.String(), &p, err)
	}
	if !ok {
		return nil, fmt.Errorf("%v: %w", p, mapdb.ErrNotFound)
	}
	data, err := b.repo.getBlock(found)
	if err != nil {
		return nil, b.rowError(ctx, p.String(), &p, err)
	}
	return data, nil
}

// find returns the reference to a block, and whether the snapshot has the block.
func (b *Blocks) find(p mapdb.Pos) (block, bool, error) {
	o := order(p)
	i, ok := slices.BinarySearchFunc(b.regions, o>>12, func(r regionRef, n int64) int { return cmp.Compare(r.number, n) })
	if !ok {
		return block{}, false, nil
	}
	blocks, err := b.region(i)
	if err != nil {
		return block{}, false, err
	}
	k, ok := slices.BinarySearchFunc(blocks, int(o&0xfff), func(x block, n int) int { return cmp.Compare(x.local, n) })
	if !ok {
		return block{}, false, nil
	}
	return blocks[k], true, nil
}

// region returns the blocks of a region.
func (b *Blocks) region(i int) ([]block, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k := slices.IndexFunc(b.read, func(r readRegion) bool { return r.i == i }); k >= 0 {
		r := b.read[k]
		b.read = append(slices.Delete(b.read, k, k+1), r)
		return r.blocks, nil
	}
	blocks, err := b.repo.region(b.regions[i])
	if err != nil {
		return nil, err
	}
	if len(b.read) == maxRead {
		b.read = slices.Delete(b.read, 0, 1)
	}
	b.read = append(b.read, readRegion{i, blocks})
	return blocks, nil
}

// GoneError is the error about a snapshot that was removed from its repository.
type GoneError struct{ ID string }

func (e *GoneError) Error() string {
	return fmt.Sprintf("the snapshot %s is not in the repository any more", e.ID)
}

// Unwrap returns [fs.ErrNotExist].
func (e *GoneError) Unwrap() error { return fs.ErrNotExist }

// rowError converts an error to one about a row, unless it is about the store. If a pack is missing because the
// snapshot was removed in the meantime, the error is a [GoneError].
func (b *Blocks) rowError(ctx context.Context, key string, p *mapdb.Pos, err error) error {
	if storage.IsUnavailable(err) {
		return err
	}
	if errors.Is(err, fs.ErrNotExist) {
		f, missing := b.repo.store.Open(ctx, snapshotFile(b.of.ID))
		if errors.Is(missing, fs.ErrNotExist) {
			return &GoneError{b.of.ID}
		}
		if missing == nil {
			f.Close()
		}
	}
	return &mapdb.RowError{Key: key, Pos: p, Err: err}
}

// each calls give with each block of an area, or with an error about some of them.
func (b *Blocks) each(ctx context.Context, a mapdb.Area, give func(mapdb.Pos, block, error) bool) error {
	for i, r := range b.regions {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !r.near(a) {
			continue
		}
		low := position(r.number << 12)
		high := mapdb.Pos{X: low.X + 15, Y: low.Y + 15, Z: low.Z + 15}
		blocks, err := b.repo.region(b.regions[i])
		if err != nil {
			err = b.rowError(ctx, fmt.Sprintf("blocks from %v to %v", low, high), nil, err)
			if _, row := errors.AsType[*mapdb.RowError](err); !row {
				return err
			}
			if !give(low, block{}, err) {
				return nil
			}
			continue
		}
		for _, x := range blocks {
			if p := position(r.number<<12 | int64(x.local)); a.Contains(p) && !give(p, x, nil) {
				return nil
			}
		}
	}
	return nil
}

// Blocks yields the blocks of an area, region by region.
func (b *Blocks) Blocks(ctx context.Context, a mapdb.Area) iter.Seq2[mapdb.Block, error] {
	return func(yield func(mapdb.Block, error) bool) {
		err := b.each(ctx, a, func(p mapdb.Pos, x block, err error) bool {
			var data []byte
			if err == nil {
				if data, err = b.repo.getBlock(x); err != nil {
					err = b.rowError(ctx, p.String(), &p, err)
				}
			}
			if err != nil {
				_, row := errors.AsType[*mapdb.RowError](err)
				return yield(mapdb.Block{}, err) && row
			}
			return yield(mapdb.Block{Pos: p, Data: data}, nil)
		})
		if err != nil {
			yield(mapdb.Block{}, err)
		}
	}
}

// Positions is like Blocks, without the data.
func (b *Blocks) Positions(ctx context.Context, a mapdb.Area) iter.Seq2[mapdb.Pos, error] {
	return func(yield func(mapdb.Pos, error) bool) {
		err := b.each(ctx, a, func(p mapdb.Pos, _ block, err error) bool { return yield(p, err) })
		if err != nil {
			yield(mapdb.Pos{}, err)
		}
	}
}

// Count returns the number of blocks.
func (b *Blocks) Count(context.Context) (int64, error) { return b.of.Blocks, nil }

func (b *Blocks) String() string { return "the backup of " + b.of.ID }

// Close does nothing, because the repository owns the open packs.
func (b *Blocks) Close() error { return nil }

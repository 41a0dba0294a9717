package worldrepair

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"trowel.example/check"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// fate is the result of repairing a block.
type fate int

const (
	sound fate = iota // the block is not changed
	salvaged
	dropped
	left // not changed, although its version is unknown
)

// mended is the result of repairing a block.
type mended struct {
	fate  fate
	data  []byte // the new bytes, if salvaged
	time  uint32 // time when the block was saved, 0 if unknown
	found []check.Finding
	why   string // why the block is dropped or left
}

// spare reuses decoded blocks, which are large.
var spare = sync.Pool{New: func() any { return new(mapblock.Block) }}

// mend determines how to repair the bytes of a block.
func mend(data []byte, dropUnknown bool) (m mended) {
	sink := check.Sink(func(f check.Finding) { m.found = append(m.found, f) })
	b := spare.Get().(*mapblock.Block)
	defer spare.Put(b)
	err := b.Decode(data)
	switch {
	case len(data) == 0:
		m.fate, m.why = dropped, "the block has no bytes"
		return m
	case err != nil && data[0] > mapblock.Newest && !dropUnknown:
		sink.Add(foundLeft, "", -1, "the block has version %d", data[0])
		m.fate, m.why = left, fmt.Sprintf("version %d is newer than this program supports", data[0])
		return m
	case err != nil:
		b, m.found = mapblock.Salvage(data)
		m.fate = salvaged
	case b.Timestamp != mapblock.NoTimestamp:
		m.time = b.Timestamp
	}
	if b != nil {
		if n := b.NameUnmapped(); n > 0 && keepsNames(b) {
			sink.Add(foundNamed, "names", -1, "ids without a name: %d", n)
			m.fate = salvaged
		}
	}
	if m.fate == sound {
		return m
	}
	if b != nil {
		m.data, err = b.Encode()
		if err == nil {
			_, err = mapblock.Decode(m.data)
		}
	}
	if b == nil || err != nil {
		m.fate, m.data, m.why = dropped, nil, "no part can be read"
		return m
	}
	sink.Add(foundSalvaged, "", -1, "%s before, %d now", words.Count(len(data), "byte"), len(m.data))
	return m
}

// keepsNames reports whether the names of a block are in its bytes. In version 21 they follow the objects: where these cannot be read, they
// are not.
func keepsNames(b *mapblock.Block) bool {
	data, err := b.Encode()
	if err != nil {
		return false
	}
	again, err := mapblock.Decode(data)
	return err == nil && again.NameUnmapped() == 0
}

// MendBlock returns the repaired bytes of a single block, or data if the block is undamaged. The sink receives the damage and
// the losses. If no part can be read, or the version is newer than this program supports, it returns an error.
func MendBlock(data []byte, sink check.Sink) ([]byte, error) {
	m := mend(data, false)
	switch m.fate {
	case sound:
		return data, nil
	case salvaged:
		for _, f := range m.found {
			sink.Report(f)
		}
		return m.data, nil
	}
	return nil, fmt.Errorf("cannot be repaired: %s", m.why)
}

// blockDigest identifies a block that changes, and its content when the damage was found.
type blockDigest struct {
	pos mapdb.Pos
	was [sha256.Size]byte
}

// result is a block that was read.
type result struct {
	block mapdb.Block // bytes are only set if the block changes
	err   error
	mended
}

// findBlocks searches for damaged blocks, on all cores, and writes them to the backup.
func (r *repair) findBlocks(ctx context.Context) error {
	db, err := mapdb.Open(ctx, r.dir, r.config)
	if err != nil {
		if err = world.Missing(r.dir, r.config, err); missing(err) {
			return nil // a world that nobody has entered
		}
		return err
	}
	defer db.Close()
	rows, total := db.Blocks(ctx, mapdb.All()), 0
	if r.plan != nil { // the copy is verified, and has the other blocks unchanged
		rows, total, r.newest = mapdb.Fetch(ctx, db, r.plan.positions()), len(r.plan.blocks), r.plan.newest
	} else if err := mapdb.Verify(ctx, db); err != nil {
		return err
	} else if r.opts.OnProgress != nil {
		n, err := db.Count(ctx)
		if err != nil {
			return err
		}
		total = int(n)
	}
	look := func(b mapdb.Block, err error) result {
		if err != nil {
			return result{err: err}
		}
		m := mend(b.Data, r.opts.DropUnknown)
		if m.data = nil; m.fate == sound || m.fate == left {
			b.Data = nil
		}
		return result{block: b, mended: m}
	}
	var last *mapdb.Pos // position of the previous row, if it is a block
	for res := range mapdb.Parallel(mapdb.Bounded(rows), look) {
		var row *mapdb.RowError
		if errors.As(res.err, &row) && len(row.At) > 0 {
			if r.config.Under != nil { // otherwise they are already reported
				r.opts.Sink.AddAt(foundPages, row.At, "map", -1, "%v", res.err)
			}
			continue
		}
		if row != nil && row.Salvaged {
			r.report.Salvaged++
			r.reportBlock(*row.Pos, foundSalvaged, "%v", res.err)
			continue
		}
		if errors.As(res.err, &row) {
			last = nil
			r.report.Rows++
			if row.Pos != nil {
				r.reportBlock(*row.Pos, foundRow, "%v", res.err)
			} else {
				r.opts.Sink.Add(foundRow, "map", -1, "%v", res.err)
			}
			continue
		}
		if res.err != nil {
			return res.err
		}
		if last != nil && *last == res.block.Pos {
			r.report.Rows++
			r.reportBlock(*last, foundRow, "another row has the same position")
			if n := len(r.blocks); n > 0 && r.blocks[n-1].pos == *last {
				r.twice = last
			}
			continue
		}
		last = &res.block.Pos
		r.newest = max(r.newest, res.time)
		r.report.Blocks++
		if r.opts.OnProgress != nil && (r.report.Blocks%1024 == 0 || int(r.report.Blocks) == total) {
			r.opts.OnProgress("blocks", int(r.report.Blocks), total)
		}
		if err := r.block(ctx, db, res); err != nil {
			return err
		}
	}
	return nil
}

// block reports the findings of a block, and notes the block and backs it up if it will change.
func (r *repair) block(ctx context.Context, db mapdb.DB, res result) error {
	for _, f := range res.found {
		r.at(res.block.Pos).Report(f)
	}
	switch res.fate {
	case left:
		r.report.Left++
		return nil
	case salvaged:
		r.report.Salvaged++
	case dropped:
		below, err := mapdb.IsBelow(ctx, db, res.block.Pos)
		if err != nil {
			return err
		}
		if below && r.backup != nil {
			r.report.Hopeless++
			r.reportBlock(res.block.Pos, foundHopeless, "%s; the block is in the database of %s, which is never changed",
				res.why, world.SettingReadonly)
			return nil
		}
		r.report.Dropped++
		kept, err := r.keep(res.block)
		if err != nil {
			return err
		}
		r.reportBlock(res.block.Pos, foundDropped, "%s%s", res.why, kept)
	default:
		return nil
	}
	r.blocks = append(r.blocks, blockDigest{res.block.Pos, sha256.Sum256(res.block.Data)})
	return r.backup.Block(res.block)
}

// LostFolder is the folder of a repaired copy that contains the bytes of dropped blocks, each in a file such as
// "12,0,-3.block". The game ignores it.
const LostFolder = "lost-blocks"

// keep preserves the bytes of a dropped block, and returns a text that states where: a later version of the game, or of
// this program, may be able to read them.
func (r *repair) keep(b mapdb.Block) (where string, err error) {
	switch {
	case len(b.Data) == 0 || r.plan == nil && r.backup == nil:
		return "", nil
	case r.plan == nil:
		return "; its bytes are in the backup", nil
	}
	dir := filepath.Join(r.dir, LostFolder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		name := fmt.Sprintf("%d,%d,%d", b.Pos.X, b.Pos.Y, b.Pos.Z)
		if n > 1 {
			name += fmt.Sprintf("-%d", n) // the world is itself a repaired copy
		}
		name += ".block"
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(b.Data)
		return "; its bytes are in " + LostFolder + "/" + name, errors.Join(err, wholefile.Flush(f), f.Close())
	}
}

// reportBlock reports a finding about a block.
func (r *repair) reportBlock(p mapdb.Pos, k *check.Kind, format string, args ...any) {
	r.at(p).Add(k, "", -1, format, args...)
}

// at returns the sink of findings about a block.
func (r *repair) at(p mapdb.Pos) check.Sink { return place.OfBlock(r.opts.Sink, p.X, p.Y, p.Z) }

// positions returns the positions of the blocks to change.
func (r *repair) positions() []mapdb.Pos {
	list := make([]mapdb.Pos, len(r.blocks))
	for i, b := range r.blocks {
		list[i] = b.pos
	}
	return list
}

// mendBlocks replaces damaged blocks.
func (r *repair) mendBlocks(ctx context.Context) error {
	was := make(map[mapdb.Pos][sha256.Size]byte, len(r.blocks))
	for _, b := range r.blocks {
		was[b.pos] = b.was
	}
	config := r.config
	config.Force = r.opts.Force
	return mapdb.Edit(ctx, r.dir, config, r.positions(), func(p mapdb.Pos, data []byte) ([]byte, error) {
		if sha256.Sum256(data) != was[p] {
			return nil, fmt.Errorf("%s: the world changed during the run", place.Block(p.X, p.Y, p.Z))
		}
		return mend(data, r.opts.DropUnknown).data, nil
	})
}

// zeros is what files contain after power failures.
var zeros = []byte{0}

// withoutZeros returns a text without its zero bytes.
func withoutZeros(text []byte) []byte { return bytes.ReplaceAll(text, zeros, nil) }

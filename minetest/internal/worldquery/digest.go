//go:build !js

package worldquery

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/bits"
	"path/filepath"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// maxSmallWorld is the maximum size in bytes of the files of a small world.
const maxSmallWorld = 16 << 20

// IsSmall reports whether a world is stored completely in its folder and is small.
func IsSmall(src *format.Source) bool {
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return false
	}
	backends := world.FindBackends(src.Dir, settings)
	for _, p := range world.Parts() {
		if p.Remote(backends.Of(p)) {
			return false
		}
	}
	if second, _ := settings.Get("readonly_backend"); second != "" {
		return false
	}
	size := int64(0)
	_ = filepath.WalkDir(src.Dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
		if size > maxSmallWorld {
			return fs.SkipAll
		}
		return nil
	})
	return size <= maxSmallWorld
}

// Digest returns the digest of the manifest entries of a slab: the positions and the hashes of its blocks. It
// returns "" for data that is in no slab: that data is in many places, and reading it is faster than comparing it.
func Digest(ctx context.Context, job *format.Job, src *format.Source) (string, error) {
	if worldjob.InRest(job) {
		return "", nil
	}
	db, err := worldjob.OpenMap(ctx, job, src.Dir)
	if err != nil {
		return "", err
	}
	defer db.Close()
	var d digest
	for b, err := range mapdb.In(ctx, db, mapdb.Slab(job.Shard), mapdb.All()) {
		if err != nil {
			return "", err
		}
		d.add(manifest.Entry{Pos: b.Pos, Hash: manifest.HashOf(b.Data)})
	}
	return d.String(), nil
}

// DigestBefore returns the digest that a slab had in the manifest that --since names. It reads the whole manifest
// if the slabs of the world are along another axis. For the job without a shard, it verifies the manifest.
func DigestBefore(ctx context.Context, job *format.Job, src *format.Source) (string, error) {
	m, err := worldjob.OpenSince(job)
	if m == nil || err != nil {
		return "", err
	}
	defer m.Close()
	if job.Shard == "" {
		return "", verifySince(ctx, job, src, m)
	}
	if worldjob.InRest(job) {
		return "", nil
	}
	area, has, err := mapdb.Slab(job.Shard).Where()
	if err != nil {
		return "", err
	}
	var d digest
	for e, err := range m.From(ctx, area.Min) {
		if err != nil {
			return "", m.Wrap(err)
		}
		if e.Pos.Key() > area.Max.Key() {
			break
		}
		if area.Contains(e.Pos) && has(e.Pos) {
			d.add(e)
		}
	}
	return d.String(), nil
}

// verifySince returns an error if the manifest is damaged or belongs to another world.
func verifySince(ctx context.Context, job *format.Job, src *format.Source, m *worldjob.Since) error {
	db, err := worldjob.OpenMap(ctx, job, src.Dir)
	if err != nil {
		return nil // the error is reported with the rows; likewise below
	}
	defer db.Close()
	slabs, err := mapdb.Slabs(ctx, db, mapdb.All())
	if err != nil {
		return nil
	}
	return m.ForWorld(ctx, db, func(mapdb.Pos) bool { return true }, int64(len(slabs)-1))
}

// digest is a digest of blocks that does not depend on their order: their number and the sum of their hashes.
type digest struct {
	count int
	sum   [4]uint64
}

func (d *digest) add(e manifest.Entry) {
	var b [14]byte
	binary.BigEndian.PutUint16(b[0:], uint16(e.Pos.X))
	binary.BigEndian.PutUint16(b[2:], uint16(e.Pos.Y))
	binary.BigEndian.PutUint16(b[4:], uint16(e.Pos.Z))
	binary.BigEndian.PutUint64(b[6:], uint64(e.Hash))
	hash := sha256.Sum256(b[:])
	d.count++
	carry := uint64(0)
	for i := range d.sum {
		d.sum[i], carry = bits.Add64(d.sum[i], binary.LittleEndian.Uint64(hash[8*i:]), carry)
	}
}

func (d *digest) String() string { return fmt.Sprintf("%d %016x", d.count, d.sum) }

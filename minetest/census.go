package minetest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"trowel.example/format"
	"trowel.example/minetest/manifest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
	"trowel.example/minetest/worldrows"
)

var worldCensus = &format.Census{Tables: worldrows.Tables(), Rows: rowsOfWorld, Digest: digestOfSlab}

func rowsOfWorld(ctx context.Context, job *format.Job, src *format.Source, row func(*format.Table, []format.Cell) error) error {
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return err
	}
	warnUnread(job, src.Path, settings)
	if text, ok := unfinished(src.Dir); ok {
		job.Miss(src.Path, "this is %s", text)
	}
	return worldrows.World(ctx, src.Dir, settings, worldrows.Options{
		Slab: mapdb.Slab(job.Shard), Remote: job.On(optionRemote.Name),
		OnMiss:     func(err error) { job.Miss(src.Path, "%v", err) },
		OnNone:     func() { noMap(job, src.Dir) },
		OnProgress: func(done, of int) { job.Report("rows of blocks", done, of) },
	}, row)
}

// digestOfSlab returns the digest of what a manifest says of the blocks of a slab: where they are, and
// the hash of each. What is in no slab is in many places, and read faster than they are looked for.
func digestOfSlab(ctx context.Context, job *format.Job, src *format.Source) (string, error) {
	if inRest(job) {
		return "", nil
	}
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return "", err
	}
	db, err := worlddir.OpenMap(ctx, src.Dir, settings, job.On(optionRemote.Name))
	if err != nil {
		return "", err
	}
	defer db.Close()
	sum := sha256.New()
	for b, err := range mapdb.In(ctx, db, mapdb.Slab(job.Shard), mapdb.All()) {
		if err != nil {
			return "", err
		}
		var entry [14]byte
		binary.BigEndian.PutUint16(entry[0:], uint16(b.Pos.X))
		binary.BigEndian.PutUint16(entry[2:], uint16(b.Pos.Y))
		binary.BigEndian.PutUint16(entry[4:], uint16(b.Pos.Z))
		binary.BigEndian.PutUint64(entry[6:], uint64(manifest.HashOf(b.Data)))
		sum.Write(entry[:])
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}

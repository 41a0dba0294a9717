package worldfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/internal/worlddiff"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddir"
	"trowel.example/trace"
)

// OpenManifest opens a manifest.
func OpenManifest(_ context.Context, _ *format.Job, src *format.Source) (format.File, error) {
	m, err := manifest.Open(src, src.Size)
	return &manifestFile{src, m}, fault.InFile(err, src.Path)
}

// DumpManifest prints the fields of a manifest.
func DumpManifest(ctx context.Context, _ *format.Job, src *format.Source, _ string, t trace.Tracer) error {
	m, err := manifest.Open(src, src.Size)
	if err == nil {
		err = m.Dump(ctx, t)
	}
	return fault.InFile(err, src.Path)
}

// manifestFile is an open manifest.
type manifestFile struct {
	src *format.Source
	*manifest.Manifest
}

func (f *manifestFile) Tree(context.Context, *format.Job) (fs.FS, error) {
	return f.Manifest.Tree(), nil
}

func (f *manifestFile) Info(context.Context, *format.Job) (format.Info, error) {
	info := format.Info{Format: ManifestName}
	info.Add("blocks", "", f.Count())
	return info, nil
}

func (f *manifestFile) Check(ctx context.Context, _ *format.Job, sink check.Sink) error {
	return f.Manifest.Check(ctx, sink)
}

func (f *manifestFile) Close() error { return nil }

// MakeManifest writes the manifest of a world.
func MakeManifest(ctx context.Context, job *format.Job, src *format.Source, out format.Output) error {
	return JoinManifest(ctx, job, out, func(put func([]byte) error) error { return ManifestPieces(ctx, job, src, put) })
}

// JoinManifest writes the manifest of all pieces.
func JoinManifest(_ context.Context, job *format.Job, out format.Output, all func(put func([]byte) error) error) error {
	w, err := out.Create("")
	if err != nil {
		return err
	}
	n, err := manifest.SortScratch(w, func(add func(manifest.Entry) error) (n int64, err error) {
		err = all(func(piece []byte) error {
			return manifest.ReadPiece(piece, func(e manifest.Entry) error {
				n++
				return add(e)
			})
		})
		return n, err
	})
	if err == nil {
		job.Done("%s", words.Count(int(n), "block"))
	}
	return err
}

// pieceSize is the approximate size in bytes of a piece of a manifest.
const pieceSize = 64 << 10

// ManifestPieces calls put with the entries of the shard that the job names.
func ManifestPieces(ctx context.Context, job *format.Job, src *format.Source, put func([]byte) error) error {
	piece, last := []byte(nil), int64(0)
	_, err := hashesOf(ctx, job, src, func(e manifest.Entry) error {
		piece = manifest.AppendEntry(piece, last, e)
		if last = e.Pos.Key(); len(piece) < pieceSize {
			return nil
		}
		full := piece
		piece, last = nil, 0
		return put(full)
	})
	if err != nil || len(piece) == 0 {
		return err
	}
	return put(piece)
}

// hashesOf calls add with the entries of the shard that the job names, and returns their number.
func hashesOf(ctx context.Context, job *format.Job, src *format.Source, add func(manifest.Entry) error) (int64, error) {
	worldjob.LoseUnfinished(job, src.Path, src.Dir)
	db, err := openBlocks(ctx, job, src)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	total := int64(0)
	if job.Shard == "" && job.OnProgress != nil {
		if n, err := db.Count(ctx); err == nil {
			total = n
		}
	}
	return manifest.Hashes(mapdb.In(ctx, db, mapdb.Slab(job.Shard), mapdb.All()), manifest.Options{
		OnRow:      func(err *mapdb.RowError) { worldjob.LoseRow(job, src, err) },
		OnProgress: func(done int64) { job.Report("read blocks", int(done), int(total)) },
	}, add)
}

// CompareManifests compares two manifests, or a manifest and a world, for which it makes a manifest.
func CompareManifests(ctx context.Context, job *format.Job, old, new format.Side, change func(any) error) (lines []string, err error) {
	var sides [2]*manifest.Manifest
	for i, side := range []format.Side{old, new} {
		switch {
		case side.Source == nil:
			return nil, fmt.Errorf("%s: an extracted world does not contain the bytes of blocks: build the world first", side.Folder)
		case side.IsDir():
			var end func() error
			sides[i], end, err = manifest.Temporary(func(add func(manifest.Entry) error) (int64, error) {
				return hashesOf(ctx, job, side.Source, add)
			})
			if err == nil {
				defer func() { err = errors.Join(err, end()) }()
			}
		default:
			if sides[i], err = manifest.Open(side.Source, side.Size); err == nil {
				err = sides[i].Verify(ctx)
			}
		}
		if err != nil {
			return nil, fault.InFile(err, side.Path)
		}
	}
	var all worlddiff.Summary
	for d, err := range manifest.Compare(ctx, sides[0], sides[1], mapdb.All()) {
		if err != nil {
			return nil, err
		}
		c := &worlddiff.Change{Part: worlddiff.Block, Path: worlddir.BlockPath(d.Pos), Block: &[3]int{int(d.Pos.X), int(d.Pos.Y), int(d.Pos.Z)}}
		switch {
		case d.Old == 0:
			c.Change = worlddiff.Added
		case d.New == 0:
			c.Change = worlddiff.Removed
		default:
			c.Change, c.Unread = worlddiff.Changed, "the bytes differ"
		}
		all.Add(c)
		if err := change(c); err != nil {
			return nil, err
		}
	}
	return all.Lines(), nil
}

package minetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/scratch"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/internal/worlddiff"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
	"trowel.example/trace"
)

const minetestManifestName = "minetest-manifest"

// minetestManifest is a manifest: the state of the blocks of a world at a time.
var minetestManifest = &format.Format{
	Name:       minetestManifestName,
	Title:      "manifest of a Minetest/Luanti world",
	Extensions: []string{".manifest"},
	Doc:        "docs/formats/minetest-manifest.md",
	Recognize:  func(src *format.Source) bool { return manifest.Recognize(src.Head(manifest.HeadSize)) },
	Open: func(_ context.Context, _ *format.Job, src *format.Source) (format.File, error) {
		m, err := manifest.Open(src, src.Size)
		return &manifestFile{src, m}, fault.InFile(err, src.Path)
	},
	Dump: func(ctx context.Context, _ *format.Job, src *format.Source, _ string, t trace.Tracer) error {
		m, err := manifest.Open(src, src.Size)
		if err == nil {
			err = m.Dump(ctx, t)
		}
		return fault.InFile(err, src.Path)
	},
	Compare:   compareManifests,
	CompareTo: minetestWorldName,
	Options:   []format.Option{worldjob.OptionRemote},
	Kinds:     manifest.Catalog.Kinds(),
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
	info := format.Info{Format: minetestManifestName}
	info.Add("blocks", "", f.Count())
	return info, nil
}

func (f *manifestFile) Check(ctx context.Context, _ *format.Job, sink check.Sink) error {
	return f.Manifest.Check(ctx, sink)
}

func (f *manifestFile) Close() error { return nil }

// manifestConversion writes the manifest of a world.
var manifestConversion = format.Conversion{
	To: minetestManifestName, Title: "a manifest: the position and a hash of each block", Extension: ".manifest",
	Rename:  func(name string) string { return name + ".manifest" },
	Verb:    "manifest",
	Did:     "wrote the manifest of",
	Long:    "A manifest takes ten bytes a block or so, and tells later which blocks have changed\nsince: \"trowel diff\" takes it in place of the old world, and \"trowel render --tiles\"\nwith --since. It is made at the speed of reading, of a world that a server has open, too.",
	Example: "  trowel manifest world -o monday.manifest\n  trowel diff monday.manifest world",
	Convert: makeManifest, Pieces: piecesOfManifest, Join: joinManifest,
}

func makeManifest(ctx context.Context, job *format.Job, src *format.Source, out format.Output) error {
	return joinManifest(ctx, job, out, func(put func([]byte) error) error { return piecesOfManifest(ctx, job, src, put) })
}

// joinManifest writes the manifest of all pieces.
func joinManifest(_ context.Context, job *format.Job, out format.Output, all func(put func([]byte) error) error) error {
	w, err := out.Create("")
	if err != nil {
		return err
	}
	n, err := sortManifest(w, func(add func(manifest.Entry) error) (n int64, err error) {
		err = all(func(piece []byte) error {
			return manifest.ReadPiece(piece, func(e manifest.Entry) error {
				n++
				return add(e)
			})
		})
		return n, err
	})
	if err == nil {
		job.Tell("%d blocks", n)
	}
	return err
}

// scratchPrefix is the prefix of the temporary folders in which manifests are sorted.
const scratchPrefix = "trowel-manifest-"

// sortManifest is [manifest.Sort] with a temporary folder.
func sortManifest(w io.Writer, all func(add func(manifest.Entry) error) (int64, error)) (n int64, err error) {
	dir, end, err := scratch.Make(scratchPrefix)
	if err != nil {
		return 0, err
	}
	defer end()
	return manifest.Sort(w, manifest.Options{Scratch: dir}, all)
}

// temporaryManifest makes a manifest as [sortManifest] does, in a temporary file that end removes.
func temporaryManifest(all func(add func(manifest.Entry) error) (int64, error)) (m *manifest.Manifest, end func() error, err error) {
	dir, remove, err := scratch.Make(scratchPrefix)
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Create(filepath.Join(dir, "manifest"))
	if err != nil {
		remove()
		return nil, nil, err
	}
	end = func() error {
		defer remove()
		return f.Close()
	}
	_, err = sortManifest(f, all)
	var size int64
	if err == nil {
		size, err = f.Seek(0, io.SeekCurrent)
	}
	if err == nil {
		m, err = manifest.Open(f, size)
	}
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return m, end, nil
}

// pieceSize is the approximate size in bytes of a piece of a manifest.
const pieceSize = 64 << 10

// piecesOfManifest calls put with the entries of the shard that the job names.
func piecesOfManifest(ctx context.Context, job *format.Job, src *format.Source, put func([]byte) error) error {
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
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return 0, err
	}
	db, _, err := world.OpenMap(ctx, src.Dir, settings, world.Options{Remote: worldjob.OptionRemote.On(job)})
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

// compareManifests compares two manifests, or a manifest and a world, for which it makes a manifest.
func compareManifests(ctx context.Context, job *format.Job, old, new format.Side, change func(any) error) (lines []string, err error) {
	var sides [2]*manifest.Manifest
	for i, side := range []format.Side{old, new} {
		switch {
		case side.Source == nil:
			return nil, fmt.Errorf("%s: the tree of a world has no bytes of blocks to be compared: build the world from it", side.Folder)
		case side.IsDir():
			var end func() error
			sides[i], end, err = temporaryManifest(func(add func(manifest.Entry) error) (int64, error) {
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
			c.Change, c.Unread = worlddiff.Changed, "its bytes are others"
		}
		all.Add(c)
		if err := change(c); err != nil {
			return nil, err
		}
	}
	return all.Lines(), nil
}

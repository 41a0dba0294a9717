package minetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/format"
	"trowel.example/minetest/manifest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddiff"
	"trowel.example/minetest/worlddir"
	"trowel.example/trace"
)

const minetestManifestName = "minetest-manifest"

// minetestManifest is what a world was at a time.
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
	Options:   []format.Option{optionRemote},
	Kinds:     manifest.Catalog.Kinds(),
}

// manifestFile is a manifest that is open.
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
	Long:    "A manifest takes ten bytes a block or so, and tells later which blocks have changed\nsince: \"trowel diff\" takes it in place of the old world. It is made at the speed of\nreading, of a world that a server has open, too.",
	Example: "  trowel manifest world -o monday.manifest\n  trowel diff monday.manifest world",
	Convert: makeManifest,
}

func makeManifest(ctx context.Context, job *format.Job, src *format.Source, out format.Output) error {
	w, err := out.Create("")
	if err != nil {
		return err
	}
	n, err := manifestOf(ctx, job, src, w)
	if err == nil {
		job.Tell("%d blocks", n)
	}
	return err
}

// manifestOf writes the manifest of a world, and returns how many blocks that has.
func manifestOf(ctx context.Context, job *format.Job, src *format.Source, w io.Writer) (int64, error) {
	if text, ok := unfinished(src.Dir); ok {
		job.Miss(src.Path, "this is %s", text)
	}
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return 0, err
	}
	db, _, err := world.OpenMap(ctx, src.Dir, settings, job.On(optionRemote.Name))
	if err != nil {
		return 0, err
	}
	defer db.Close()
	total, err := db.Count(ctx)
	if err != nil {
		total = 0
	}
	scratch, err := os.MkdirTemp("", "trowel-") // for positions in the order of another store
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	return manifest.Make(ctx, db, w, manifest.Options{
		Scratch:    scratch,
		OnRow:      func(err *mapdb.RowError) { job.Miss(src.Path, "%v", err) },
		OnProgress: func(done int64) { job.Report("read blocks", int(done), int(total)) },
	})
}

// compareManifests compares two manifests, or one and a world, of which one is made.
func compareManifests(ctx context.Context, job *format.Job, old, new format.Side, change func(any) error) (lines []string, err error) {
	var sides [2]*manifest.Manifest
	for i, side := range []format.Side{old, new} {
		r, size := io.ReaderAt(side.Source), int64(0)
		switch {
		case side.Source == nil:
			return nil, fmt.Errorf("%s: the tree of a world has no bytes of blocks to be compared: build the world from it", side.Folder)
		case side.IsDir():
			f, err := os.CreateTemp("", "trowel-")
			if err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
			if _, err := manifestOf(ctx, job, side.Source, f); err != nil {
				return nil, fault.InFile(err, side.Path)
			}
			if size, err = f.Seek(0, io.SeekCurrent); err != nil {
				return nil, err
			}
			r = f
		default:
			size = side.Size
		}
		if sides[i], err = manifest.Open(r, size); err == nil && !side.IsDir() {
			err = sides[i].Verify(ctx)
		}
		if err != nil {
			return nil, fault.InFile(err, side.Path)
		}
	}
	var all worlddiff.Summary
	for d, err := range manifest.Compare(ctx, sides[0], sides[1]) {
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

// Package worldfile opens worlds, blocks, schematics, manifests and repositories as files of package format, and builds
// and converts them.
package worldfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
	"trowel.example/trace"
)

// The names of the formats.
const (
	WorldName      = "minetest-world"
	BlockName      = "minetest-block"
	ManifestName   = "minetest-manifest"
	RepositoryName = "minetest-backup"
)

// worldFile is a world whose databases are opened when they are needed, so that a check can report errors about each
// of them.
type worldFile struct {
	w    *worlddir.World // nil until needed
	dir  string
	area *mapdb.Area
}

// Open opens a world.
func Open(_ context.Context, job *format.Job, src *format.Source) (format.File, error) {
	area, err := worldjob.Area(job)
	if err != nil {
		return nil, err
	}
	return &worldFile{dir: src.Dir, area: area}, nil
}

func (f *worldFile) Tree(ctx context.Context, job *format.Job) (fs.FS, error) {
	o := worlddir.Options{Area: f.area, Exact: worldjob.OptionExact.On(job), Verifiers: worldjob.OptionVerifiers.On(job)}
	if f.w == nil {
		w, err := worlddir.OpenWorld(ctx, f.dir, worlddir.Opening{
			Remote: worldjob.OptionRemote.On(job),
			OnMiss: func(path string, err error) { job.Lose(f.dir, "%s: %v", path, err) },
		})
		if err != nil {
			return nil, err
		}
		f.w = w
		worldjob.WarnUnread(job, f.dir, w.Settings)
		for file, name := range world.Misnamed(ctx, w.Players) {
			job.Warn(f.dir, "players/%s: the player in it is %.60q: the engine does not find this file, but those of copies", file, name)
		}
		worldjob.LoseUnfinished(job, f.dir, f.dir)
		if !worlddir.HasMap(w.Map) {
			worldjob.NoMap(job, f.dir)
		}
	}
	return worlddir.Open(ctx, f.w, o), nil
}

func (f *worldFile) Close() error {
	if f.w == nil {
		return nil
	}
	return f.w.Close()
}

func (f *worldFile) Check(ctx context.Context, job *format.Job, sink check.Sink) error {
	quick := worldjob.OptionQuick.On(job)
	if quick && f.area != nil {
		return errors.New("--quick and --area cannot be combined")
	}
	return world.Check(ctx, f.dir, world.CheckOptions{
		Area: f.area, BlocksOnly: f.area != nil, Quick: quick, Slab: mapdb.Slab(job.Shard),
		Remote: worldjob.OptionRemote.On(job), OnProgress: job.Report,
	}, sink)
}

// Split yields the slabs of the blocks. Everything except the blocks belongs to the first shard.
func Split(ctx context.Context, job *format.Job, src *format.Source, yield func(format.Shard) error) error {
	area, err := worldjob.Area(job)
	if err != nil {
		return err
	}
	if worldjob.OptionQuick.On(job) {
		return yield(format.Shard(mapdb.SlabRest))
	}
	db, err := openBlocks(ctx, job, src)
	if err != nil {
		return err
	}
	defer db.Close()
	all := mapdb.All()
	if area != nil {
		all = *area
	}
	slabs, err := mapdb.Slabs(ctx, db, all)
	if err != nil {
		return err
	}
	return worldjob.Shards(slabs, yield)
}

// openBlocks opens the blocks of a world. Unlike with [worldjob.OpenMap], it is an error if there are none.
func openBlocks(ctx context.Context, job *format.Job, src *format.Source) (mapdb.DB, error) {
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return nil, err
	}
	db, _, err := world.OpenMap(ctx, src.Dir, settings, world.Options{Remote: worldjob.OptionRemote.On(job)})
	return db, err
}

// Limits of what info reads, so that it is fast.
const (
	maxExtent    = 500_000 // maximum number of blocks whose positions are read
	versionsSeen = 200     // number of blocks whose versions are read
)

func (f *worldFile) Info(ctx context.Context, job *format.Job) (format.Info, error) {
	info := format.Info{Format: WorldName}
	settings, err := world.ReadWorldMT(f.dir)
	if err != nil {
		return info, err
	}
	info.Add("name", "name", world.WorldName(f.dir, settings))
	if text, ok := worldjob.Unfinished(f.dir); ok {
		info.Add("unfinished", "not finished", text)
		job.Miss(f.dir, "this is %s", text)
	}
	if id := settings.GameID(); id != "" {
		info.Add("game", "game", id)
	}
	o := world.Options{Remote: worldjob.OptionRemote.On(job), Lost: func(err error, _ []check.Place) { job.Lose(f.dir, "%v", err) }}
	worldjob.WarnUnread(job, f.dir, settings)
	for name, err := range world.UnreadableTexts(f.dir) {
		job.Lose(f.dir, "%s: %v", name, err)
	}
	b := world.FindBackends(f.dir, settings)
	blocks, failed := worlddir.OpenMap(ctx, f.dir, settings, o)
	if failed == nil {
		defer blocks.Close()
		b.Map = blocks.String()
	}
	info.Add("backends", "backends", []format.InfoField{
		format.Fact("map", "blocks", b.Map), format.Fact("players", "players", b.Players),
		format.Fact("auth", "accounts", b.Auth), format.Fact("storage", "mod storage", b.ModStorage),
	})
	if failed == nil {
		failed = f.infoOfBlocks(ctx, job, &info, blocks)
	}
	if b.Map == "none" {
		worldjob.NoMap(job, f.dir)
	}
	for _, part := range []struct {
		key, label string
		count      func() (int, error)
	}{
		{"blocks", "blocks", func() (int, error) { return 0, failed }},
		{"players", "players", func() (int, error) { return countNames(ctx, f.dir, settings, o, world.OpenPlayers) }},
		{"accounts", "accounts", func() (int, error) { return countNames(ctx, f.dir, settings, o, world.OpenAuth) }},
		{"mods", "mods with storage", func() (int, error) { return countNames(ctx, f.dir, settings, o, world.OpenStorage) }},
	} {
		n, err := part.count()
		switch {
		case ctx.Err() != nil:
			return info, ctx.Err()
		case world.Failed(err):
			return info, err
		case errors.Is(err, world.ErrRemote):
			info.Add(part.key, part.label, "on "+world.ErrRemote.Error())
		case err != nil:
			info.Add(part.key, part.label, "cannot be read")
			job.Lose(f.dir, "%s: %v", part.label, err)
		case part.key != "blocks":
			info.Add(part.key, part.label, n)
		}
	}
	return info, nil
}

// infoOfBlocks adds the number, the extent and the versions of blocks.
func (f *worldFile) infoOfBlocks(ctx context.Context, job *format.Job, info *format.Info, db mapdb.DB) error {
	blocks, err := db.Count(ctx)
	if err != nil {
		return err
	}
	info.Add("blocks", "blocks", blocks)
	if blocks > 0 && blocks <= maxExtent {
		least, most, err := f.extent(ctx, job, db)
		if err != nil {
			return err
		}
		info.Add("extent", "extent in nodes", fmt.Sprintf("%s to %s", nodesAt(least, 0), nodesAt(most, mapblock.Side-1)))
	}
	if versions := versionsOf(ctx, db); len(versions) > 0 {
		info.Add("blockVersions", fmt.Sprintf("block versions (of the first %d)", versionsSeen), versions)
	}
	return nil
}

// extent returns the lowest and the highest coordinates of all blocks.
func (f *worldFile) extent(ctx context.Context, job *format.Job, db mapdb.DB) (least, most mapdb.Pos, err error) {
	least = mapdb.Pos{X: mapdb.MaxCoord, Y: mapdb.MaxCoord, Z: mapdb.MaxCoord}
	most = mapdb.Pos{X: mapdb.MinCoord, Y: mapdb.MinCoord, Z: mapdb.MinCoord}
	for p, err := range db.Positions(ctx, mapdb.All()) {
		if _, ok := errors.AsType[*mapdb.RowError](err); ok {
			job.Lose(f.dir, "blocks: %v", err)
			continue
		}
		if err != nil {
			return least, most, err
		}
		least = mapdb.Pos{X: min(least.X, p.X), Y: min(least.Y, p.Y), Z: min(least.Z, p.Z)}
		most = mapdb.Pos{X: max(most.X, p.X), Y: max(most.Y, p.Y), Z: max(most.Z, p.Z)}
	}
	return least, most, nil
}

func nodesAt(p mapdb.Pos, inner int) string {
	at := func(v int16) int { return int(v)*mapblock.Side + inner }
	return fmt.Sprintf("%d,%d,%d", at(p.X), at(p.Y), at(p.Z))
}

// versionsOf counts the versions of the first blocks.
func versionsOf(ctx context.Context, db mapdb.DB) []string {
	count := make(map[byte]int)
	n := 0
	for block, err := range db.Blocks(ctx, mapdb.All()) {
		if n++; n > versionsSeen {
			break
		}
		if err == nil && len(block.Data) > 0 {
			count[block.Data[0]]++
		}
	}
	var list []string
	for _, v := range slices.Sorted(maps.Keys(count)) {
		list = append(list, fmt.Sprintf("%d: %d", v, count[v]))
	}
	return list
}

// countNames counts the things in a store.
func countNames[T any](ctx context.Context, dir string, settings *world.Settings, o world.Options,
	open func(context.Context, string, *world.Settings, world.Options) (world.Store[T], error)) (n int, err error) {
	s, err := open(ctx, dir, settings, o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for _, err := range s.Names(ctx) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// Build builds a world from a folder.
func Build(ctx context.Context, job *format.Job, fsys fs.FS, out format.Output) error {
	o := worlddir.BuildOptions{Remote: worldjob.OptionRemote.On(job), Local: job.Temporary,
		Lost: func(err error) { job.Lose("", "%v", err) }, OnProgress: func(blocks int) { job.Report("packed blocks", blocks, 0) }}
	switch worldjob.OptionSchema.Value(job) {
	case "pos":
		schema := mapdb.SchemaPos
		o.Schema = &schema
	case "xyz":
		schema := mapdb.SchemaXYZ
		o.Schema = &schema
	}
	dir, err := out.Dir()
	if err != nil {
		return err
	}
	report, err := worlddir.Build(ctx, dir, job.Clean(fsys), o)
	if err != nil {
		return err
	}
	job.Done("%s, %s, %s, storage of %s, %s", words.Count(report.Blocks, "block"), words.Count(report.Players, "player"),
		words.Count(report.Accounts, "account"), words.Count(report.Mods, "mod"), words.Count(report.Files, "other file"))
	return nil
}

// Shown returns the files of blocks and players. One file represents all files of a folder.
func Shown(src *format.Source) (paths []string) {
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return nil // reported when it is read
	}
	backends := world.FindBackends(src.Dir, settings)
	for _, part := range []world.Part{world.MapPart, world.PlayersPart} {
		for _, name := range part.Files(backends.Of(part)) {
			path := filepath.Join(src.Dir, name)
			paths = append(paths, path)
			if d, info, err := regular.Open(path); err == nil {
				if info.IsDir() {
					inside, _ := d.Readdirnames(1)
					for _, name := range inside {
						paths = append(paths, filepath.Join(path, name))
					}
				}
				d.Close()
			}
		}
	}
	return paths
}

// Replaces returns an error if another world must not replace an old one.
func Replaces(ctx context.Context, job *format.Job, old *format.Source, tree fs.FS) error {
	if by := filelock.UsedBy(old.Dir); by != "" {
		return fmt.Errorf("%w: by %s", mapdb.ErrInUse, by)
	}
	if tree == nil {
		return nil
	}
	var missed error
	w, err := worlddir.OpenWorld(ctx, old.Dir, worlddir.Opening{
		Remote: worldjob.OptionRemote.On(job),
		OnMiss: func(_ string, err error) { missed = errors.Join(missed, err) },
	})
	if err != nil {
		return fmt.Errorf("cannot check whether the folder contains all of the world: %w", err)
	}
	defer w.Close()
	if err := worlddir.Replaces(ctx, tree, w); err != nil {
		return err
	}
	if missed != nil {
		return fmt.Errorf("cannot check whether the folder contains all of the world: %w", missed)
	}
	return nil
}

// Dump prints the fields of a block.
func Dump(ctx context.Context, job *format.Job, src *format.Source, path string, t trace.Tracer) error {
	p, ok := worldjob.ParseBlock(path)
	if !ok {
		return fmt.Errorf("%s: expected a block: its position in blocks, such as 0,-1,0", src.Path)
	}
	db, err := openBlocks(ctx, job, src)
	if err != nil {
		return err
	}
	defer db.Close()
	data, err := db.Get(ctx, p)
	if err != nil {
		return err
	}
	return mapblock.Dump(data, format.Inside(path, t))
}

// OpenBlock opens a separate block.
func OpenBlock(_ context.Context, _ *format.Job, src *format.Source) (format.File, error) {
	data, err := src.ReadUpTo(effort.BlockData)
	return &blockFile{src, data}, err
}

// DumpBlock prints the fields of a separate block.
func DumpBlock(_ context.Context, _ *format.Job, src *format.Source, _ string, t trace.Tracer) error {
	data, err := src.ReadUpTo(effort.BlockData)
	if err != nil {
		return err
	}
	return mapblock.Dump(data, t)
}

// blockFile is a separate block.
type blockFile struct {
	src  *format.Source
	data []byte
}

func (f *blockFile) Tree(_ context.Context, job *format.Job) (fs.FS, error) {
	if _, err := mapblock.Decode(f.data); err != nil {
		job.Lose(f.src.Path, "%v: the text contains the bytes of the block", err)
	}
	name, _ := format.CutExtension(f.src.Name, ".block")
	fsys, err := worlddir.OpenBlock(f.data, name+".txt")
	return fsys, fault.InFile(err, f.src.Path)
}

func (f *blockFile) Info(_ context.Context, _ *format.Job) (format.Info, error) {
	b, err := mapblock.Decode(f.data)
	if err != nil {
		return format.Info{}, fault.InFile(err, f.src.Path)
	}
	return format.Info{Format: BlockName, Fields: []format.InfoField{
		format.Fact("version", "version", b.Version), format.Fact("flags", "flags", b.Flags.String()),
		format.Fact("names", "node names", len(b.Names)),
		format.Fact("metadata", "nodes with metadata", len(b.Metadata.List)),
	}}, nil
}

func (f *blockFile) Check(_ context.Context, _ *format.Job, sink check.Sink) error {
	mapblock.CheckData(f.data, sink)
	return nil
}

func (f *blockFile) Close() error { return nil }

package worldrepo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"trowel.example/check"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/stores/sqlitefile"
	"trowel.example/internal/stores/storage"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
)

// Options control a backup.
type Options struct {
	Remote bool // allow connections to servers on other machines that world.mt names

	// Verify reads everything in the repository that the snapshot needs, and stores damaged contents again. Without
	// it, only missing and truncated packs are noticed, and damage in files other than the blocks if the repository
	// is a folder, because reading from other stores is expensive. Verify also reads a database that seems to be
	// unchanged.
	Verify bool

	Readers sealed.Readers     // of a repository that is created: it is encrypted if there are any
	Sign    *sealed.SigningKey // signs the snapshot; nil: it is not signed

	Time       time.Time                       // of the snapshot; the zero value means now
	Sink       check.Sink                      // receives findings about what could not be read; may be nil
	OnProgress func(what string, done, of int) // may be nil
}

// Report contains the results of a backup.
type Report struct {
	Snapshot *Snapshot
	Changed  int64 // blocks that were added or changed since the previous snapshot
	Removed  int64 // blocks that were removed since the previous snapshot
	Stored   int64 // contents that the repository did not contain
	Bytes    int64 // growth of the packs
}

// Losses contains the kinds of findings about data that is not in a backup.
var Losses check.Catalog

var (
	foundRow = Losses.Add("mt-backup-row", check.Error, "A row of the database cannot be read, and is not in the backup.",
		"Repair the world; older snapshots may contain the block.")
	foundPath = Losses.Add("mt-backup-path", check.Error, "A path in the world is too long: the file or folder is not "+
		"in the backup.", "Use shorter names.")
	foundPiece = Losses.Add("mt-backup-piece", check.Error, "A piece of a file is damaged in the repository: the "+
		"restored file contains zeros there.", "Restore the file from another snapshot.")
)

// Warnings contains the other kinds of findings of a backup.
var Warnings check.Catalog

var foundMoments = Warnings.Add("mt-backup-moments", check.Warning, "The blocks of the backup are not from a single "+
	"moment: a program wrote to the database during the backup.", "Give the database a log (PRAGMA journal_mode=WAL), "+
	"or stop the server during the backup.")

var foundClock = Warnings.Add("mt-backup-clock", check.Warning, "The clock shows a time before the newest snapshot.",
	"Set the clock. If it was wrong when that snapshot was made, forget the snapshot.")

var foundUnsigned = Warnings.Add("mt-backup-unsigned", check.Warning, "The newest snapshot of the repository is signed, and the new "+
	"one is not.", "`trowel backup --sign KEYFILE` signs it; `trowel check --trust` reports snapshots without a signature.")

// pieceSize is the size of the pieces of files.
const pieceSize = 1 << 20

// Backup adds a snapshot of a world to a repository. It creates the repository if the store is empty. Changes that a
// server makes during the backup may or may not be in the snapshot, but each SQLite database is as it was at one
// moment.
//
// If the store allows several runs at the same time, other runs may add snapshots. Contents that two runs store at
// the same time are stored twice.
func Backup(ctx context.Context, dir string, repo storage.Store, o Options) (_ *Report, err error) {
	exists, err := usable(ctx, repo)
	if err == nil && exists && !o.Readers.Empty() {
		err = fmt.Errorf("%s: %w", repo.Path(""), ErrReaders)
	}
	if err != nil {
		return nil, err
	}
	lock, err := repo.Lock(ctx, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	r, err := create(ctx, repo, o.Readers)
	if r != nil {
		base := repo
		defer func() {
			if err != nil {
				err = errors.Join(err, removeEmpty(context.WithoutCancel(ctx), base, r.made))
			}
		}()
	} else if err == nil {
		r, err = Open(ctx, repo)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if r.key == nil && sealed.HasSecret() {
		return nil, fmt.Errorf("%s: %w", repo.Path(""), ErrPlain)
	}
	if o.Sign != nil && !r.named {
		return nil, fmt.Errorf("%s: %w", repo.Path(""), ErrOld)
	}
	repo = r.store
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		return nil, err
	}
	s := &storing{Repository: r, intact: make(map[uint64]bool), verify: o.Verify, report: new(Report)}
	for _, w := range []*packWriter{&s.data, &s.lists} {
		w.ctx, w.store = ctx, repo
		defer w.discard()
	}
	scratch, end, err := scratchFor(repo)
	if err != nil {
		return nil, err
	}
	defer end()

	now := o.Time
	if now.IsZero() {
		now = time.Now()
	}
	snap := &Snapshot{Time: now.UTC().Truncate(time.Millisecond), Regions: []Ref{}, Folders: []Folder{}, Files: []File{}}
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	snap.World = strings.ToValidUTF8(filepath.Base(full), "\uFFFD")
	list, err := r.order(ctx, snap, now, o.Sink)
	if err != nil {
		return nil, err
	}
	if s.old, err = s.last(list, snap.World); err != nil {
		return nil, err
	}
	if err := r.descend(ctx, snap, list, o.Sign, o.Sink); err != nil {
		return nil, err
	}
	if err := s.world(ctx, dir, scratch, settings, snap, o); err != nil {
		return nil, err
	}
	if err = s.data.end(); err == nil {
		err = s.lists.end()
	}
	if err != nil {
		return nil, err
	}
	if err := writeSnapshot(ctx, repo, lock, snap, o.Sign); err != nil {
		return nil, err
	}
	s.report.Snapshot, s.report.Bytes = snap, s.data.size+s.lists.size
	return s.report, nil
}

// order returns the snapshots of the repository, and moves the time of a new one after those of all others: the newest
// snapshot is recognized by its time.
func (r *Repository) order(ctx context.Context, snap *Snapshot, now time.Time, sink check.Sink) ([]*Snapshot, error) {
	var newest time.Time // of all snapshots, including those that cannot be read
	later := func(id string) {
		if t, ok := Moment(id); ok && t.After(newest) {
			newest = t
		}
	}
	list, err := r.Snapshots(ctx, func(id string, _ error) {
		if t, _ := Moment(id); t.Sub(now) < 24*time.Hour { // otherwise its name is damaged too
			later(id)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, old := range list {
		later(old.ID)
	}
	if !newest.IsZero() && !snap.Time.After(newest) {
		if newest.Sub(snap.Time) > time.Minute {
			sink.Add(foundClock, "snapshots", -1, "the newest snapshot is from %s, and the clock shows %s: the new snapshot "+
				"is dated just after the newest", newest.Format(time.RFC3339), snap.Time.Format(time.RFC3339))
		}
		snap.Time = newest.Add(time.Millisecond)
	}
	return list, nil
}

// writeSnapshot assigns the ID of a snapshot, and writes the snapshot while the lock is held.
func writeSnapshot(ctx context.Context, repo storage.Store, lock storage.Lock, snap *Snapshot, key *sealed.SigningKey) error {
	snap.ID = newID(snap.Time)
	data, err := encodeSnapshot(snap, key)
	if err != nil {
		return err
	}
	if err := cmp.Or(ctx.Err(), lock.Held(ctx)); err != nil { // otherwise required packs could have been removed
		return err
	}
	if err := storage.WriteFile(ctx, repo, snapshotFile(snap.ID), data); err != nil {
		// The write may have succeeded, as with a pack: see [packWriter.there].
		there, other := storage.ReadFile(ctx, repo, snapshotFile(snap.ID), effort.SideFile)
		if storage.IsUnavailable(err) || other != nil || !bytes.Equal(there, data) {
			return err
		}
	}
	return nil
}

// removeEmpty removes the files of a repository that was just created, if it is empty.
func removeEmpty(ctx context.Context, s storage.Store, made []string) error {
	for _, dir := range []string{dirPacks, dirSnapshots} {
		if s.List(ctx, dir, func(storage.Info) error { return fs.ErrExist }) != nil {
			return nil
		}
	}
	return removeAll(ctx, s, made)
}

// scratchFor creates a folder for temporary data: in a repository that is a folder, which the user chose for its free
// space, or else in the system's folder for temporary files, where also the data of encrypted repositories is.
func scratchFor(s storage.Store) (dir string, end func(), err error) {
	f, ok := s.(storage.Folder)
	if !ok {
		return filelock.TempDir("trowel-backup-")
	}
	dir, err = f.Scratch()
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// world stores a world.
func (s *storing) world(ctx context.Context, dir, scratch string, settings *world.Settings, snap *Snapshot, o Options) error {
	config, err := world.MapConfig(dir, settings, world.Options{Remote: o.Remote})
	if err != nil {
		return err
	}
	snap.Private = world.OwnerOnly(dir, world.MapPart.Files(config.Backend)...)
	state, err := stateOf(dir, config)
	if err != nil {
		return err
	}
	same := false
	if s.old != nil && s.old.of.World == snap.World && !o.Verify && sameState(state, s.old.of.Database) {
		if same, err = s.unchanged(ctx, snap); err != nil {
			return err
		}
	}
	rest := filepath.Join(scratch, "world")
	db, config, err := s.source(ctx, dir, rest, settings, config, same, o)
	if err != nil {
		return err
	}
	if !same {
		snap.Map = worldcopy.TargetOf(config)
		err = s.blocks(ctx, db, snap, scratch, o)
	}
	if err = errors.Join(err, db.Close(), removeSecond(rest)); err != nil {
		return err
	}
	// If a row was lost, the next backup must read the database again to report the row again.
	if after, err := stateOf(dir, config); err == nil && snap.Lost == 0 && !s.partly && sameState(state, after) {
		snap.Database = state
	}
	return s.files(ctx, rest, snap, o)
}

// source copies the rest of a world, and opens its blocks, unless they are unchanged. If a program has the world
// open, the blocks are copied as well, so that all are from one moment.
func (s *storing) source(ctx context.Context, dir, rest string, settings *world.Settings, config mapdb.Config,
	same bool, o Options) (mapdb.DB, mapdb.Config, error) {
	copying := worldcopy.Options{Remote: o.Remote, Sink: o.Sink, OnProgress: o.OnProgress}
	for _, p := range []struct {
		part world.Part
		to   *string
	}{{world.PlayersPart, &copying.Players}, {world.AuthPart, &copying.Auth}, {world.StoragePart, &copying.Storage}} {
		if backend, _ := settings.Get(p.part.Setting()); p.part.Remote(backend) {
			*p.to = "sqlite3"
		}
	}
	if config.Backend == mapdb.SQLite && !same && filelock.UsedBy(dir) != "" {
		copying.Sink = func(f check.Finding) {
			s.partly = true
			o.Sink.Report(f)
		}
		_, err := worldcopy.Copy(ctx, dir, rest, copying)
		if err == nil {
			return s.copied(ctx, rest, o)
		}
		var restless *sqlitefile.RestlessError
		if errors.As(err, &restless) && filepath.Base(restless.Path) == databaseFiles[0] {
			err = os.RemoveAll(rest)
		}
		if err != nil {
			return nil, config, err
		}
		copying.Sink = o.Sink
		o.Sink.Add(foundMoments, "blocks", -1, "a program writes to the database all the time: the blocks are not from a single moment")
	}
	db := mapdb.DB(mapdb.NewMemory())
	if !same {
		var err error
		if db, config, err = openBlocks(ctx, dir, config); err != nil {
			return nil, config, err
		}
	}
	copying.Source, copying.SourceName, copying.Map, copying.Moment = mapdb.NewMemory(), "no blocks", "sqlite-pos", db
	if _, err := worldcopy.Copy(ctx, dir, rest, copying); err != nil {
		return nil, config, errors.Join(err, db.Close())
	}
	return db, config, nil
}

// removeSecond removes the second database of blocks from the copy of a world. Its blocks are in the snapshot,
// together with those of the first database.
func removeSecond(dir string) error {
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		return err
	}
	files := world.SecondFiles(dir, settings)
	for _, name := range files {
		if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		return nil
	}
	settings.Remove(world.SettingReadonly)
	return os.WriteFile(filepath.Join(dir, "world.mt"), settings.Append(nil), 0o600)
}

// copied opens the blocks of a copy of a world.
func (s *storing) copied(ctx context.Context, dir string, o Options) (mapdb.DB, mapdb.Config, error) {
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		return nil, mapdb.Config{}, err
	}
	config, err := world.MapConfig(dir, settings, world.Options{Remote: o.Remote})
	if err != nil {
		return nil, config, err
	}
	return openBlocks(ctx, dir, config)
}

// openBlocks opens the blocks of a world, as they are at one moment if the store supports that.
func openBlocks(ctx context.Context, dir string, config mapdb.Config) (mapdb.DB, mapdb.Config, error) {
	config.Moment = true
	db, err := mapdb.Open(ctx, dir, config)
	switch {
	case err == nil:
		config.Schema = mapdb.SchemaOf(db)
	case errors.Is(world.Missing(dir, config, err), fs.ErrNotExist) && !world.MapPart.Remote(config.Backend):
		return mapdb.NewMemory(), config, nil // nobody has entered the world yet
	}
	return db, config, world.Missing(dir, config, err)
}

// databaseFiles are the names of the database of blocks in the copy of the rest of a world.
var databaseFiles = []string{"map.sqlite", "map.sqlite-journal", "map.sqlite-wal", "map.sqlite-shm"}

// files stores the folders and files of the copy of the rest of a world, without the database of blocks.
func (s *storing) files(ctx context.Context, rest string, snap *Snapshot, o Options) error {
	buf := make([]byte, pieceSize)
	err := filepath.WalkDir(rest, func(path string, e fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil || path == rest {
			return err
		}
		name, err := filepath.Rel(rest, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case slices.Contains(databaseFiles, name):
			return nil
		case !validPath(name):
			o.Sink.Add(foundPath, name, -1, "the path has %s, more than the maximum of %d", words.Count(len(name), "byte"), maxPath)
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir():
			info, err := e.Info()
			if err == nil {
				snap.Folders = append(snap.Folders, Folder{name, info.Mode().Perm()})
			}
			return err
		}
		f, info, err := regular.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		was := s.fileBefore(name)
		one := File{Path: name, Mode: info.Mode().Perm(), Time: info.ModTime().UTC(), Pieces: []Ref{}}
		for {
			n, err := io.ReadFull(f, buf)
			if n > 0 {
				ref, err := s.keepPiece(was, len(one.Pieces), buf[:n])
				if err != nil {
					return err
				}
				one.Pieces = append(one.Pieces, ref)
				if !s.named {
					one.Hashes = append(one.Hashes, manifest.HashOf(buf[:n]))
				}
				one.Size += int64(n)
			}
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				break
			}
			if err != nil {
				return err
			}
		}
		snap.Files = append(snap.Files, one)
		return nil
	})
	// In the order of the walk, "a/b" precedes "a.b".
	slices.SortFunc(snap.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(snap.Folders, func(a, b Folder) int { return strings.Compare(a.Path, b.Path) })
	return err
}

// fileBefore returns a file of the previous snapshot, or nil if it does not contain the path.
func (s *storing) fileBefore(path string) *File {
	if s.old == nil {
		return nil
	}
	files := s.old.of.Files
	if i, ok := slices.BinarySearchFunc(files, path, func(f File, path string) int { return strings.Compare(f.Path, path) }); ok {
		return &files[i]
	}
	return nil
}

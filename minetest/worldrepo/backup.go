package worldrepo

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
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
	"trowel.example/internal/inuse"
	"trowel.example/internal/regular"
	"trowel.example/internal/scratch"
	"trowel.example/internal/sqlitefile"
	"trowel.example/minetest/manifest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
	"trowel.example/storage"
)

// Options are how a backup is made.
type Options struct {
	Remote bool // allows connections to the servers that world.mt names, on other machines

	// Verify reads all that the snapshot needs of what was stored before, and stores again what of
	// it is damaged. Without it only packs that are gone or cut off are noticed, and what is
	// damaged of other files than the blocks; and that only in a folder, since elsewhere reading is
	// not cheap. It also reads a database that seems not to have changed.
	Verify bool

	Time       time.Time                       // of the snapshot; the zero value is now
	Sink       check.Sink                      // receives what could not be read; may be nil
	OnProgress func(what string, done, of int) // may be nil
}

// Report says what a backup did.
type Report struct {
	Snapshot *Snapshot
	Changed  int64 // blocks that are new or other ones since the snapshot before
	Removed  int64 // blocks that are gone since
	Stored   int64 // contents that the repository did not have
	Bytes    int64 // that the packs have grown by
}

// Losses are the findings that tell of something which is not in a backup.
var Losses check.Catalog

var (
	kindRow   = Losses.Add("mt-backup-row", check.Error, "A row of the database cannot be read, so that it is not in the backup.", "Repair the world; older snapshots may have the block.")
	kindPath  = Losses.Add("mt-backup-path", check.Error, "A path in the world is too long, so that the file or folder is not in the backup.", "Use shorter names.")
	kindPiece = Losses.Add("mt-backup-piece", check.Error, "A piece of a file is damaged in the repository: the restored file has zeros there.", "Take the file from another snapshot.")
)

// Warnings are the findings of a backup besides.
var Warnings check.Catalog

var kindMoments = Warnings.Add("mt-backup-moments", check.Warning, "Each block is as it was at some moment of the backup, but not all are of the same moment.", "Let the database have a log (PRAGMA journal_mode=WAL), or stop the server for the backup.")

var kindClock = Warnings.Add("mt-backup-clock", check.Warning, "The clock is behind that of the newest snapshot.", "Set the clock. If it was wrong when that snapshot was made, forget the snapshot.")

// pieceSize is the size of the pieces of files.
const pieceSize = 1 << 20

// storing is a run that stores contents.
type storing struct {
	*Repository
	data   packWriter       // data of blocks, and pieces of files
	lists  packWriter       // regions and lists of them, which each backup reads: they stand together
	old    *Blocks          // the newest snapshot, of this world if there is one; nil if there is none
	have   map[[16]byte]Ref // by the beginning of their IDs; nil: not learned yet
	intact map[uint64]bool  // packs of earlier runs, by whether their tables can be read, as far as that was asked for
	verify bool
	partly bool // a copy of the database lacks something
	report *Report
}

// maxHave is how many contents are known by their IDs, in memory. In a larger repository the
// newest are, so that of very old ones some may be stored again.
const maxHave = 1 << 20

// keep stores a content, if it is not there.
func (s *storing) keep(w *packWriter, data []byte, id ID, compress bool) (Ref, error) {
	if s.have == nil {
		if err := s.learn(); err != nil {
			return Ref{}, err
		}
	}
	short := [16]byte(id[:])
	if ref, ok := s.have[short]; ok {
		if sound, err := s.sound(ref, data); sound || err != nil {
			return ref, err
		}
	}
	ref, err := w.put(data, id, compress)
	if err != nil {
		return ref, err
	}
	s.report.Stored++
	if _, ok := s.have[short]; ok || len(s.have) < maxHave {
		s.have[short] = ref
	}
	return ref, nil
}

// keepPiece stores a piece of a file. was is the file in the snapshot before, of which most pieces are
// the same.
func (s *storing) keepPiece(was *File, i int, data []byte) (Ref, error) {
	id := ID(sha256.Sum256(data))
	if was != nil && i < len(was.Pieces) {
		there, err := s.id(was.Pieces[i])
		if err = unavailable(err); err == nil && there == id {
			if sound, err := s.sound(was.Pieces[i], data); sound || err != nil {
				return was.Pieces[i], err
			}
		}
		if err != nil {
			return Ref{}, err
		}
	}
	return s.keep(&s.data, data, id, true)
}

// own reports whether this run has made a pack.
func (s *storing) own(pack uint64) bool { return s.data.made[pack] || s.lists.made[pack] }

// sound reports whether a content is what it should be: a pack can be damaged.
func (s *storing) sound(ref Ref, data []byte) (bool, error) {
	if _, near := s.store.(storage.Folder); s.own(ref.Pack) || !near && !s.verify {
		return true, nil // or it is far away
	}
	there, err := s.get(ref)
	return err == nil && bytes.Equal(there, data), unavailable(err)
}

// keeps reports whether the repository still has what a snapshot refers to: a block, or with the hash 0
// another content. Only with verify is it read.
func (s *storing) keeps(b block) (bool, error) {
	if s.own(b.ref.Pack) {
		return true, nil
	}
	is, known := s.intact[b.ref.Pack]
	if !known {
		p, err := openPack(s.ctx, s.store, b.ref.Pack)
		if err = unavailable(err); err == nil && p != nil {
			err = p.close()
		}
		if err != nil {
			return false, err
		}
		is = p != nil // else check reports it, and what is in it is stored again
		s.intact[b.ref.Pack] = is
	}
	if !is || !s.verify {
		return is, nil
	}
	_, err := s.getBlock(b)
	return err == nil, unavailable(err)
}

// unavailable returns an error that says nothing about what is kept, and nil for others.
func unavailable(err error) error {
	if storage.IsUnavailable(err) {
		return err
	}
	return nil
}

// learn finds out which contents there are.
func (s *storing) learn() error {
	s.have = make(map[[16]byte]Ref)
	packs, err := s.packList(s.ctx)
	if err != nil {
		return err
	}
	for _, one := range packs {
		n := one.number
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if len(s.have) >= maxHave {
			break
		}
		p, err := openPack(s.ctx, s.store, n)
		if storage.IsUnavailable(err) {
			return err
		}
		s.intact[n] = err == nil
		if err != nil {
			continue
		}
		for i, c := range p.table {
			if _, ok := s.have[[16]byte(c.id[:])]; !ok { // the newest of several is the one that is sound
				s.have[[16]byte(c.id[:])] = Ref{n, uint32(i)}
			}
		}
		if err := p.close(); err != nil {
			return err
		}
	}
	return nil
}

// Backup adds a snapshot of a world to a repository, which it creates in a store that is empty. What a
// server changes meanwhile is in the snapshot or is not, but each database of SQLite is as it was at one
// moment.
//
// In a store that lets several runs in, others may add snapshots meanwhile. What both store is then
// there twice.
func Backup(ctx context.Context, dir string, repo storage.Store, o Options) (_ *Report, err error) {
	if _, err := usable(ctx, repo); err != nil {
		return nil, err
	}
	lock, err := repo.Lock(ctx, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	made, err := create(ctx, repo)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil && made {
			err = errors.Join(err, removeEmpty(context.WithoutCancel(ctx), repo))
		}
	}()
	r, err := Open(ctx, repo)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
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
	snap := &Snapshot{Time: now.UTC().Truncate(time.Millisecond), Regions: []Ref{}, Again: []Ref{}, Folders: []Folder{}, Files: []File{}}
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	snap.World = strings.ToValidUTF8(filepath.Base(full), "\uFFFD")
	var newest time.Time // of all snapshots, also those that cannot be read
	later := func(id string) {
		if t, ok := Moment(id); ok && t.After(newest) {
			newest = t
		}
	}
	list, err := r.Snapshots(ctx, func(id string, _ error) {
		if t, _ := Moment(id); t.Sub(now) < 24*time.Hour { // else its name is damaged, too
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
		// The newest snapshot is known by its time.
		if newest.Sub(snap.Time) > time.Minute && o.Sink != nil {
			o.Sink.Add(kindClock, "snapshots", -1, "the newest is from %s, and now is %s: the new snapshot counts as a moment later than that", newest.Format(time.RFC3339), snap.Time.Format(time.RFC3339))
		}
		snap.Time = newest.Add(time.Millisecond)
	}
	if s.old, err = s.last(list, snap.World); err != nil {
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
	var b [3]byte
	_, _ = rand.Read(b[:])
	snap.ID = fmt.Sprintf("%s-%x", snap.Time.Format(moments), b)
	data, err := encodeSnapshot(snap)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(ctx.Err(), lock.Held(ctx)); err != nil { // else what it needs could have been removed
		return nil, err
	}
	if err := storage.WriteFile(ctx, repo, snapshotFile(snap.ID), data); err != nil {
		// As of a pack, see [packWriter.there].
		there, other := storage.ReadFile(ctx, repo, snapshotFile(snap.ID), maxSnapshot)
		if storage.IsUnavailable(err) || other != nil || !bytes.Equal(there, data) {
			return nil, err
		}
	}
	s.report.Snapshot, s.report.Bytes = snap, s.data.size+s.lists.size
	return s.report, nil
}

// removeEmpty removes the mark of a repository in which nothing is kept.
func removeEmpty(ctx context.Context, s storage.Store) error {
	for _, dir := range []string{dirPacks, dirSnapshots} {
		if s.List(ctx, dir, func(storage.Info) error { return fs.ErrExist }) != nil {
			return nil
		}
	}
	return s.Remove(ctx, fileMark)
}

// scratchFor makes a folder for what a run needs on the disk: in a folder with a repository, which the
// user chose for its room, else where temporary files are.
func scratchFor(s storage.Store) (dir string, end func(), err error) {
	f, is := s.(storage.Folder)
	if !is {
		return scratch.Make("trowel-backup-")
	}
	dir, err = f.Scratch()
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// world stores a world.
func (s *storing) world(ctx context.Context, dir, scratch string, settings *world.Settings, snap *Snapshot, o Options) error {
	config, err := world.MapConfig(dir, settings, o.Remote)
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
	// With a lost row the database is read by the next backup, too, which reports the row again.
	if after, err := stateOf(dir, config); err == nil && snap.Lost == 0 && !s.partly && sameState(state, after) {
		snap.Database = state
	}
	return s.files(ctx, rest, snap, o)
}

// source copies the rest of a world, and opens its blocks, unless they are the same as before. Where a
// program has the world open, the blocks are copied as well, so that they are of one moment.
func (s *storing) source(ctx context.Context, dir, rest string, settings *world.Settings, config mapdb.Config, same bool, o Options) (mapdb.DB, mapdb.Config, error) {
	copying := worldcopy.Options{Remote: o.Remote, Sink: o.Sink, OnProgress: o.OnProgress}
	for _, p := range []struct {
		part world.Part
		to   *string
	}{{world.PlayersPart, &copying.Players}, {world.AuthPart, &copying.Auth}, {world.StoragePart, &copying.Storage}} {
		if backend, _ := settings.Get(p.part.Setting()); p.part.Remote(backend) {
			*p.to = "sqlite3"
		}
	}
	if config.Backend == mapdb.SQLite && !same && inuse.By(dir) != "" {
		copying.Sink = func(f check.Finding) {
			if s.partly = true; o.Sink != nil {
				o.Sink(f)
			}
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
		if o.Sink != nil {
			o.Sink.Add(kindMoments, "blocks", -1, "a program writes to the database all the time, so that the blocks are not all of one moment")
		}
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

// removeSecond removes from the copy of a world the second database of its blocks, which the snapshot
// has together with those of the first one.
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
	config, err := world.MapConfig(dir, settings, o.Remote)
	if err != nil {
		return nil, config, err
	}
	return openBlocks(ctx, dir, config)
}

// openBlocks opens the blocks of a world, at one moment where the store can do that.
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

// databaseFiles are the names of the database of the blocks in the copy of the rest of a world.
var databaseFiles = []string{"map.sqlite", "map.sqlite-journal", "map.sqlite-wal", "map.sqlite-shm"}

// files stores the folders and files of the copy of the rest of a world, but for the database of
// its blocks.
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
			if o.Sink != nil {
				o.Sink.Add(kindPath, name, -1, "a path of %d bytes, at most %d are possible", len(name), maxPath)
			}
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
				one.Pieces, one.Hashes = append(one.Pieces, ref), append(one.Hashes, manifest.HashOf(buf[:n]))
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
	// In a walk "a/b" comes before "a.b".
	slices.SortFunc(snap.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(snap.Folders, func(a, b Folder) int { return strings.Compare(a.Path, b.Path) })
	return err
}

// fileBefore returns a file of the snapshot before, nil if it has none of that path.
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

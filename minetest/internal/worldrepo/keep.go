package worldrepo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/stores/storage"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
)

// Forget removes snapshots by their IDs. Contents that only they need remain until [Prune].
func Forget(ctx context.Context, s storage.Store, ids []string) (err error) {
	if _, err := readMark(ctx, s); err != nil {
		return err
	}
	lock, err := s.Lock(ctx, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	for _, id := range ids {
		if err := s.Remove(ctx, snapshotFile(id)); err != nil {
			return err
		}
	}
	return nil
}

// Pruned contains the results of Prune.
type Pruned struct {
	Packs int   // number of removed packs
	Bytes int64 // their size
}

// Prune removes the packs that no snapshot needs. If a snapshot cannot be read, nothing is removed, because the
// snapshot may be repaired. With dry, nothing is removed, only counted.
func Prune(ctx context.Context, s storage.Store, dry bool) (p Pruned, err error) {
	r, err := Open(ctx, s)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	lock, err := s.Lock(ctx, true) // a running backup may need packs that no snapshot needs yet
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	needed, err := r.needed(ctx)
	if err != nil {
		return p, fmt.Errorf("nothing is removed, because the needs of a snapshot are unknown: %w", err)
	}
	packs, err := r.packList(ctx)
	if err != nil {
		return p, err
	}
	for _, one := range packs {
		if needed[one.number] {
			continue
		}
		if !dry {
			if err := lock.Held(ctx); err != nil {
				return p, err
			}
			if err := s.Remove(ctx, packFile(one.number)); err != nil {
				return p, err
			}
		}
		p.Packs++
		p.Bytes += one.size
	}
	return p, nil
}

// needed returns the packs that snapshots need.
func (r *Repository) needed(ctx context.Context) (map[uint64]bool, error) {
	var failed error
	list, err := r.Snapshots(ctx, func(_ string, err error) { failed = errors.Join(failed, err) })
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	packs := make(map[uint64]bool)
	seen := make(map[Ref]bool) // regions
	for _, s := range list {
		err := r.needs(ctx, s, func(ref Ref) { packs[ref.Pack] = true }, func(one regionRef) error {
			if seen[one.ref] {
				return nil
			}
			seen[one.ref], packs[one.ref.Pack] = true, true
			blocks, err := r.region(one)
			for _, b := range blocks {
				packs[b.ref.Pack] = true
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return packs, nil
}

// needs calls give with each content that a snapshot needs directly, and region with each of its regions, which need
// further contents.
func (r *Repository) needs(ctx context.Context, s *Snapshot, give func(Ref), region func(regionRef) error) error {
	for _, ref := range slices.Concat(s.Regions, s.Again) {
		give(ref)
	}
	for _, f := range s.Files {
		for _, ref := range f.Pieces {
			give(ref)
		}
	}
	b, err := r.Blocks(s)
	if err != nil {
		return err
	}
	for _, one := range b.regions {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := region(one); err != nil {
			return err
		}
	}
	return nil
}

// Catalog contains the kinds of findings of [Repository.Check].
var Catalog check.Catalog

var (
	foundSnapshot = Catalog.Add("mt-backup-snapshot", check.Error, "A snapshot or a list of its blocks cannot be read.",
		"Restore the readable part, and make a new backup.")
	foundPack = Catalog.Add("mt-backup-pack", check.Error, "A pack that snapshots need is damaged or missing.",
		"Restore the pack from a copy of the repository; `trowel backup --verify` stores the contents again that the world still has.")
	foundContent = Catalog.Add("mt-backup-content", check.Error, "A content that a snapshot needs is damaged or missing.",
		"`trowel restore` restores everything else; `trowel backup --verify` stores the content again if the world still has it.")
	foundLost = Catalog.Add("mt-backup-lost", check.Warning, "Rows of the database could not be read when the "+
		"snapshot was made, and are not in it.", "Older snapshots may contain the blocks.")
	foundKey = Catalog.Add("mt-backup-key", check.Error, "A file with the key of an encrypted repository has changed.",
		"`trowel backup --rekey` writes the files again, as long as one of them can be read.")
	foundUnused = Catalog.Add("mt-backup-unused", check.Info, "No snapshot needs a pack: a backup was killed, or "+
		"snapshots were forgotten.", "`trowel forget REPO --prune` removes it.")
)

// sound lists the undamaged contents of a pack.
type sound struct {
	hashes []manifest.Hash // 0: the content is damaged
	sizes  []uint32
}

// content returns the hash and the size of a content, and whether it can be read.
func (s sound) content(ref Ref) (hash manifest.Hash, size int64, ok bool) {
	if int(ref.N) >= len(s.hashes) || s.hashes[ref.N] == 0 {
		return 0, 0, false
	}
	return s.hashes[ref.N], int64(s.sizes[ref.N]), true
}

// damage counts contents that are damaged or missing.
type damage struct {
	n     int
	first string
}

func (d *damage) add(format string, args ...any) {
	if d.n++; d.n == 1 {
		d.first = fmt.Sprintf(format, args...)
	}
}

// checkPack reports damage of a pack, and returns its contents, or the zero value if it cannot be opened. If read is not set,
// it reads only the table of the pack.
func (r *Repository) checkPack(ctx context.Context, n uint64, read bool, sink check.Sink) (fine sound, err error) {
	name := packFile(n)
	p, err := openPack(ctx, r.store, n)
	if storage.IsUnavailable(err) {
		return sound{}, err
	}
	if err != nil {
		sink.AddAt(foundPack, []check.Place{check.File(name)}, name, -1, "%v", err)
		return sound{}, nil
	}
	defer func() { err = errors.Join(err, p.close()) }()
	fine = sound{make([]manifest.Hash, len(p.table)), make([]uint32, len(p.table))}
	bad := 0
	var first error
	for i := range p.table {
		if read {
			if _, err := p.get(uint32(i)); err != nil {
				if storage.IsUnavailable(err) {
					return sound{}, err
				}
				bad++
				first = cmp.Or(first, err)
				continue
			}
		}
		fine.hashes[i], fine.sizes[i] = p.table[i].id.hash(), uint32(p.table[i].plain)
	}
	if bad > 0 {
		sink.AddAt(foundPack, []check.Place{check.File(name)}, name, -1, "%d of %d contents are damaged: %v", bad, len(p.table), first)
	}
	return fine, nil
}

// Part is a part of the packs of a repository: those whose number divided by Of has the remainder N - 1. The zero value is all.
type Part struct{ N, Of int }

func (p Part) has(number uint64) bool { return p.Of == 0 || number%uint64(p.Of) == uint64(p.N-1) }

// Check reads a whole repository and reports its problems. Of packs that are not in part, it reads only the tables.
func (r *Repository) Check(ctx context.Context, part Part, sink check.Sink) error {
	packs, err := r.packList(ctx)
	if err != nil {
		return err
	}
	if r.key != nil {
		if err := sealed.CheckKeys(ctx, r.store, func(name string, err error) {
			sink.AddAt(foundKey, []check.Place{check.File(name)}, name, -1, "%v", err)
		}); err != nil {
			return err
		}
	}
	good := make(map[uint64]sound)
	for _, one := range packs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if good[one.number], err = r.checkPack(ctx, one.number, part.has(one.number), sink); err != nil {
			return err
		}
	}
	used := make(map[uint64]bool)
	inRegion := make(map[regionRef]damage)
	unread := false
	report := func(id string, err error) {
		unread = true
		name := snapshotFile(id)
		sink.AddAt(foundSnapshot, []check.Place{check.File(name)}, name, -1, "%v", err)
	}
	list, err := r.Snapshots(ctx, report)
	if err != nil {
		return err
	}
	for _, s := range list {
		var all damage
		err := r.needs(ctx, s, func(ref Ref) {
			used[ref.Pack] = true
			if _, _, ok := good[ref.Pack].content(ref); !ok {
				all.add("content %d of %s cannot be read", ref.N, packName(ref.Pack))
			}
		}, func(one regionRef) error {
			d, known := inRegion[one]
			if !known {
				used[one.ref.Pack] = true
				blocks, err := r.region(one)
				if storage.IsUnavailable(err) {
					return err
				}
				if err != nil {
					d.add("%v", err)
				}
				for _, b := range blocks {
					used[b.ref.Pack] = true
					if hash, _, ok := good[b.ref.Pack].content(b.ref); !ok || hash != b.hash {
						d.add("block %v is not in content %d of %s", position(one.number<<12|int64(b.local)), b.ref.N, packName(b.ref.Pack))
					}
				}
				inRegion[one] = d
			}
			all.n += d.n
			all.first = cmp.Or(all.first, d.first)
			return nil
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if storage.IsUnavailable(err) {
			return err
		}
		if err != nil {
			report(s.ID, err)
		}
		for _, f := range s.Files {
			for i, ref := range f.Pieces {
				hash, size, ok := good[ref.Pack].content(ref)
				// A content that cannot be read is already reported.
				if ok && (size != f.size(i) || f.hash(i) != 0 && hash != f.hash(i)) {
					all.add("piece %d of %s is not in content %d of %s", i, f.Path, ref.N, packName(ref.Pack))
				}
			}
		}
		name := snapshotFile(s.ID)
		if all.n > 0 {
			sink.AddAt(foundContent, []check.Place{check.File(name)}, name, -1,
				"needed contents that are damaged or missing: %d: %s", all.n, all.first)
		}
		if s.Lost > 0 {
			sink.AddAt(foundLost, []check.Place{check.File(name)}, name, -1, "rows of the database that could not be read "+
				"when the backup was made: %d", s.Lost)
		}
	}
	if unread {
		return nil // the unreadable snapshot may need what no other snapshot needs
	}
	for _, one := range packs {
		if n, name := one.number, packFile(one.number); !used[n] && good[n].hashes != nil {
			sink.AddAt(foundUnused, []check.Place{check.File(name)}, name, -1, "no snapshot needs it")
		}
	}
	return nil
}

// Restore restores the world of a snapshot to a folder, as [worldcopy.Copy] copies a world. All options except Source
// are used. Blocks that cannot be read are reported to their Sink.
func (r *Repository) Restore(ctx context.Context, s *Snapshot, dst string, o worldcopy.Options) (_ *worldcopy.Report, err error) {
	blocks, err := r.Blocks(s)
	if err != nil {
		return nil, err
	}
	// The folder has the same name in a run that continues, which removes what a killed run has left.
	full, err := filepath.Abs(dst)
	if err != nil {
		return nil, err
	}
	scratch := filepath.Join(filepath.Dir(full), "."+filepath.Base(full)+".trowel-restore")
	lock, err := filelock.TryHold(scratch)
	if errors.Is(err, filelock.ErrTaken) {
		return nil, fmt.Errorf("%s: another run is restoring to this folder", dst)
	}
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if err := os.RemoveAll(scratch); err != nil {
		return nil, err
	}
	if err := os.Mkdir(scratch, 0o700); err != nil {
		return nil, err
	}
	if s.Lost > 0 {
		o.Sink.Add(foundLost, snapshotFile(s.ID), -1, "rows of the database that could not be read when the backup was made: %d", s.Lost)
	}
	damaged := 0
	report := func(f check.Finding) {
		damaged++
		o.Sink.Report(f)
	}
	if err := r.Rest(ctx, s, scratch, func(*File) bool { return true }, report); err != nil {
		return nil, err
	}
	if o.Whole && damaged > 0 {
		return nil, fmt.Errorf("backup %s: %w: the world would lack the unreadable data", s.ID, fault.ErrLost)
	}
	// The rest of the world needs an empty database to be a world.
	w, err := mapdb.Create(ctx, scratch, mapdb.Config{Backend: mapdb.SQLite})
	if err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if s.Private {
		if err := world.Protect(scratch, world.MapPart.Files(mapdb.SQLite)...); err != nil {
			return nil, err
		}
	}
	o.Source, o.SourceName = blocks, "backup "+s.ID
	if o.Map == "" {
		o.Map = s.Map
	}
	return worldcopy.Copy(ctx, scratch, dst, o)
}

// Rest writes the folders of a snapshot and the files that keep accepts to a folder: everything except the blocks. It
// reports damaged files.
func (r *Repository) Rest(ctx context.Context, s *Snapshot, dir string, keep func(*File) bool, report check.Sink) error {
	for _, f := range s.Folders {
		path, mode := filepath.Join(dir, filepath.FromSlash(f.Path)), f.Mode.Perm()|0o700
		if err := os.MkdirAll(path, mode); err != nil {
			return err
		}
		if err := os.Chmod(path, mode); err != nil { // independent of the umask
			return err
		}
	}
	for _, f := range s.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !keep(&f) {
			continue
		}
		if err := r.extract(dir, f, report); err != nil {
			return err
		}
	}
	return nil
}

// size returns the size of a piece of the file.
func (f *File) size(i int) int64 { return min(pieceSize, f.Size-int64(i)*pieceSize) }

// hash returns the hash of a piece of the file, or 0 if it is unknown.
func (f *File) hash(i int) manifest.Hash {
	if len(f.Hashes) == 0 {
		return 0
	}
	return f.Hashes[i]
}

// extract writes a file of a snapshot below a folder. It reports damaged pieces and replaces them by zeros. A damaged
// world.mt is left out, because it would prevent opening the world.
func (r *Repository) extract(dir string, f File, sink check.Sink) (err error) {
	path := filepath.Join(dir, filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.Mode.Perm()|0o600)
	if err != nil {
		return err
	}
	if err := os.Chmod(path, f.Mode.Perm()|0o600); err != nil { // independent of the umask
		return errors.Join(err, out.Close())
	}
	var lost damage
	at := int64(0)
	for i, ref := range f.Pieces {
		offset := int64(i) * pieceSize
		data, failed := r.getHashed(ref, f.hash(i))
		if err = unavailable(failed); err != nil {
			break
		}
		if failed == nil && int64(len(data)) != f.size(i) {
			failed = fmt.Errorf("piece %d has %s instead of %d", i, words.Count(len(data), "byte"), f.size(i))
		}
		if failed != nil {
			if lost.add("%v", failed); lost.n == 1 {
				at = offset
			}
			continue
		}
		if _, err = out.WriteAt(data, offset); err != nil {
			break
		}
	}
	if err == nil {
		err = out.Truncate(f.Size)
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	if lost.n > 0 {
		sink.Add(foundPiece, f.Path, at, "%d of %d pieces: %s", lost.n, len(f.Pieces), lost.first)
		if f.Path == "world.mt" {
			return os.Remove(path)
		}
	}
	if !f.Time.IsZero() {
		err = os.Chtimes(path, f.Time, f.Time)
	}
	return err
}

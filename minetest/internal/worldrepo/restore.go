package worldrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
)

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
	damaged, lost := 0, false
	report := func(f check.Finding) {
		damaged++
		lost = lost || f.ID != check.Limit.ID
		o.Sink.Report(f)
	}
	if err := r.Rest(ctx, s, scratch, func(*File) bool { return true }, report); err != nil {
		return nil, err
	}
	if o.Whole && lost {
		return nil, fmt.Errorf("backup %s: %w: the world would lack the unreadable data", s.ID, fault.ErrLost)
	} else if o.Whole && damaged > 0 {
		return nil, fmt.Errorf("backup %s: %w: the world would lack data that exceeds a limit", s.ID, fault.ErrLimit)
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
		if err := wholefile.SetMode(path, mode); err != nil { // independent of the umask
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
		return f.Pieces[i].hash()
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
	if err := out.Chmod(f.Mode.Perm() | 0o600); err != nil { // independent of the umask
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
	if err == nil && !f.Time.IsZero() {
		err = wholefile.SetTime(out, f.Time)
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
	return nil
}

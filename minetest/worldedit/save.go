package worldedit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/wholefile"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
)

// ErrChanged means that the world has changed since the edit began.
var ErrChanged = errors.New("the world changed during the run")

// Copy copies the edited world to the folder dst, as [worldcopy.Copy] does. The options control further differences
// of the copy. An interrupted copy resumes with the same dst after the same steps, which are identified by name and
// by the blocks that they changed. Until the copy is complete, dst contains no world.mt.
//
// Changes in a store on a server are an error unless the options move that store, because the copy would use the same
// store.
func (w *World) Copy(ctx context.Context, dst, name string, opts worldcopy.Options) (*worldcopy.Report, error) {
	if err := w.stores.shared(opts); err != nil {
		return nil, err
	}
	opts.Remote = opts.Remote || w.opts.Remote
	if len(w.scratch.index) > 0 || opts.Map == "" && opts.Blocks == 0 && w.config.Backend != "" &&
		worldcopy.TargetOf(w.config) == w.config.Target() {
		opts.Source = w
	}
	sum, err := w.scratch.digest()
	if err != nil {
		return nil, err
	}
	opts.SourceName = fmt.Sprintf("%s: %x", name, sum) // files that steps read may have changed
	opts.Finish = w.apply
	return worldcopy.Copy(ctx, w.Dir, dst, opts)
}

// CopyRest copies the edited world to the folder dst, as [worldcopy.Copy] does, but without any blocks: those are read from w.
// The store of the blocks in the copy is empty.
func (w *World) CopyRest(ctx context.Context, dst string, opts worldcopy.Options) error {
	if err := w.stores.shared(opts); err != nil {
		return err
	}
	opts.Remote = opts.Remote || w.opts.Remote
	opts.Source, opts.SourceName, opts.Map, opts.Finish = mapdb.NewMemory(), "no blocks", "sqlite-pos", w.apply
	_, err := worldcopy.Copy(ctx, w.Dir, dst, opts)
	return err
}

// apply makes all changes other than blocks in the world in a folder.
func (w *World) apply(ctx context.Context, dir string, s *world.Settings) error {
	for _, p := range w.allParts() {
		if p.early && dir == w.Dir {
			continue
		}
		if err := p.Apply(ctx, dir, s); err != nil {
			return err
		}
	}
	return nil
}

// InPlace changes the world itself. Before anything changes, the old contents are written to the file backup, which
// must not exist; if backup is "", it is a new file next to the folder of the world: see [worldbackup.Restore].
// InPlace returns the path of the backup, or "" if nothing changes, even if the error is not nil. The World must not
// be used afterwards. The blocks change in one transaction: if the process is killed, either all or none of them have
// changed. If a later change fails, all are undone.
//
// It fails with [mapdb.ErrInUse] if a program has files of the world open, and with [mapdb.ErrReadOnly] for folders
// of block files.
func (w *World) InPlace(ctx context.Context, backup string) (_ string, err error) {
	if used := filelock.CheckUnused(w.Dir); used != nil {
		return "", used
	}
	list, err := w.Changed()
	if err != nil || len(list) == 0 && len(w.allParts()) == 0 {
		return "", err
	}
	if store, _ := mapdb.BackendOf(w.config.Backend); store.ReadOnly() && len(list) > 0 {
		return "", fmt.Errorf("%s: %w: edit a copy", store.Name, mapdb.ErrReadOnly)
	}
	if p := w.twice; p != nil {
		return "", fmt.Errorf("%s: a table without a key has several rows: %w: edit a copy", place.Block(p.X, p.Y, p.Z), mapdb.ErrReadOnly)
	}
	if err := worldbackup.Settle(w.Dir); err != nil {
		return "", err
	}
	b, err := worldbackup.New(w.Dir, backup)
	if err != nil {
		return "", err
	}
	defer b.Discard()
	for _, p := range list {
		data, err := w.unchanged(p, func() ([]byte, error) { return w.base.Get(ctx, p) })
		if err == nil && data != nil {
			err = b.Block(mapdb.Block{Pos: p, Data: data})
		} else if err == nil {
			err = b.NoBlock(p)
		}
		if err != nil {
			return "", err
		}
	}
	for _, p := range w.allParts() {
		if err := p.Keep(ctx, b); err != nil {
			return "", err
		}
	}
	if backup, err = b.Finish(); err != nil {
		return "", err
	}
	if changed, err := w.writeAll(ctx, list); err != nil {
		if changed {
			undone := worldbackup.Restore(context.WithoutCancel(ctx), w.Dir, backup, worldbackup.Options{Remote: w.opts.Remote})
			if undone != nil {
				return backup, errors.Join(err, undone)
			}
		}
		return "", errors.Join(err, os.Remove(backup))
	}
	return backup, nil
}

// writeAll makes all changes. If it returns an error, changed reports whether anything may have changed.
func (w *World) writeAll(ctx context.Context, list []mapdb.Pos) (changed bool, err error) {
	if changed, err := w.writeBlocks(ctx, list); err != nil {
		return changed, err
	}
	s, err := world.ReadWorldMT(w.Dir)
	if err != nil {
		return true, err
	}
	before := s.Append(nil)
	if err := w.apply(ctx, w.Dir, s); err != nil {
		return true, err
	}
	if text := s.Append(nil); !bytes.Equal(text, before) {
		return true, wholefile.Write(filepath.Join(w.Dir, "world.mt"), bytes.NewReader(text), 0o644)
	}
	return true, nil
}

// writeBlocks changes the blocks of the world in one transaction, and applies the early parts at its end. If it
// returns an error, changed reports whether anything may have changed.
func (w *World) writeBlocks(ctx context.Context, list []mapdb.Pos) (changed bool, err error) {
	// SQLite cannot write a file that the same process has open for reading only.
	if err := w.base.Close(); err != nil {
		return false, err
	}
	w.base = mapdb.NewMemory()
	if len(list) == 0 {
		return true, w.applyEarly(ctx)
	}
	db, err := mapdb.OpenForWriting(ctx, w.Dir, w.config)
	if err != nil {
		return false, err
	}
	err = db.Update(ctx, func(tx mapdb.Tx) error {
		err := mapdb.EditIn(tx, list, func(p mapdb.Pos, data []byte) ([]byte, error) {
			if _, err := w.unchanged(p, func() ([]byte, error) { return data, nil }); err != nil {
				return nil, err
			}
			r, err := w.scratch.find(p)
			if err != nil || r.deleted {
				return nil, err
			}
			return r.data, nil
		})
		if err != nil || changed { // the transaction may run again
			return err
		}
		changed = true
		return w.applyEarly(ctx)
	})
	return changed, errors.Join(err, db.Close())
}

func (w *World) applyEarly(ctx context.Context) error {
	for _, p := range w.parts {
		if p.early {
			if err := p.Apply(ctx, w.Dir, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// Changed returns the positions of the blocks that differ from the world, in the order of keys.
func (w *World) Changed() (list []mapdb.Pos, err error) {
	for _, e := range w.scratch.index {
		r, err := w.scratch.read(e.offset)
		if err != nil {
			return nil, err
		}
		if !r.same() {
			p, _ := mapdb.PosOfKey(e.key)
			list = append(list, p)
		}
	}
	return list, nil
}

// unchanged returns the block in the world itself, or nil if there is none. It returns an error if the block has
// changed since the steps read it.
func (w *World) unchanged(p mapdb.Pos, get func() ([]byte, error)) ([]byte, error) {
	data, err := get()
	if err != nil && !errors.Is(err, mapdb.ErrNotFound) {
		return nil, err
	}
	r, err := w.scratch.find(p)
	if err != nil {
		return nil, err
	}
	if r.existed != (data != nil) || r.existed && sha256.Sum256(data) != r.was {
		return nil, fmt.Errorf("%s: %w", place.Block(p.X, p.Y, p.Z), ErrChanged)
	}
	return data, nil
}

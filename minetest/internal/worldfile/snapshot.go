package worldfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example/check"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodecolor"
	"trowel.example/minetest/nodedef"
)

// ShowSnapshot makes a snapshot readable as a world in the folder dir. Its blocks are read from the repository when they
// are needed; its other files, up to limits, are written to dir. The definitions of the nodes are those of the world as it
// is if the snapshot has none. It returns an error if the options of the job do not accept the snapshot.
func ShowSnapshot(ctx context.Context, job *format.Job, repo *format.Source, id, dir string, now *format.Source) (end func() error,
	notes []string, err error) {
	key, _, err := worldjob.Trust(job, nil)
	if err != nil {
		return nil, nil, err
	}
	r, err := worldrepo.Open(ctx, repo.Files())
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	s, err := r.Snapshot(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, &worldrepo.GoneError{ID: id}
	}
	if err == nil {
		err = r.Verify(s, key)
	}
	if err != nil {
		return nil, nil, err
	}
	blocks, err := r.Blocks(s)
	if err != nil {
		return nil, nil, err
	}
	left, omitted, small := 0, "", new(worldjob.Small)
	err = r.Rest(ctx, s, dir, func(f *worldrepo.File) bool {
		has, fits := small.Has(f.Path, f.Size)
		if !fits {
			left, omitted = left+1, f.Path
		}
		return has
	}, func(f check.Finding) { notes = append(notes, f.String()) })
	if err != nil {
		return nil, nil, err
	}
	if left == 1 {
		notes = append(notes, fmt.Sprintf("%s is too large to be shown", omitted))
	} else if left > 0 {
		notes = append(notes, fmt.Sprintf("%s are too large to be shown, such as %s", words.Count(left, "file"), omitted))
	}
	if now != nil && now.Dir != "" {
		for _, name := range []string{nodedef.FileName, nodecolor.FileName} {
			if err := borrow(dir, now.Dir, name); err != nil {
				return nil, nil, err
			}
		}
	}
	if s.Lost > 0 {
		notes = append(notes, fmt.Sprintf("%s could not be read when the backup was made", words.Count(s.Lost, "block")))
	}
	restore, err := mapdb.Substitute(dir, blocks)
	if err != nil {
		return nil, nil, err
	}
	return func() error {
		restore()
		return r.Close()
	}, notes, nil
}

// borrow copies a file of a world to the folder of an older state that has none.
func borrow(dir, from, name string) error {
	if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
		return nil
	}
	data, err := regular.ReadFile(filepath.Join(from, name), effort.SideFile)
	if err != nil {
		return nil // there is none, or what draws the world as it is reports the error
	}
	return os.WriteFile(filepath.Join(dir, name), data, 0o600)
}

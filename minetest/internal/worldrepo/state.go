package worldrepo

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"time"

	"trowel.example/internal/files/regular"
	"trowel.example/minetest/mapdb"
)

// fileState identifies the content of a database file as well as possible without reading all of it.
type fileState struct {
	Name string    `json:"name"`
	Size int64     `json:"size"`
	Time time.Time `json:"time"` // of its last change
	Head string    `json:"head"` // hash of its first 100 bytes
}

// settled is the minimum age of the last change of a file. A file that is changed twice in a short time may have the
// same time after both changes.
const settled = 3 * time.Second

// stateOf returns the state of the files of an SQLite database. It returns nil for other databases, and if a file was
// changed very recently. The header of a database contains a counter of changes, and the header of a log contains new
// numbers after each checkpoint.
func stateOf(dir string, config mapdb.Config) ([]fileState, error) {
	isSQLite := func(c mapdb.Config) bool { return c.Backend == mapdb.SQLite || c.Backend == "" }
	if !isSQLite(config) || config.Under != nil && !isSQLite(*config.Under) {
		return nil, nil
	}
	names := slices.Clone(databaseFiles[:3])
	if config.Under != nil {
		for _, name := range databaseFiles[:3] {
			names = append(names, path.Join(mapdb.UnderFolder, name))
		}
	}
	var list []fileState
	for _, name := range names {
		f, info, err := regular.Open(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		head := make([]byte, 100)
		n, err := f.ReadAt(head, 0)
		f.Close()
		if err != nil && err != io.EOF {
			return nil, err
		}
		if time.Since(info.ModTime()) < settled {
			return nil, nil
		}
		sum := sha256.Sum256(head[:n])
		list = append(list, fileState{name, info.Size(), info.ModTime().UTC(), fmt.Sprintf("%x", sum[:8])})
	}
	return list, nil
}

func sameState(a, b []fileState) bool {
	return len(a) > 0 && slices.EqualFunc(a, b, func(a, b fileState) bool {
		return a.Name == b.Name && a.Size == b.Size && a.Time.Equal(b.Time) && a.Head == b.Head
	})
}

// unchanged uses the blocks of the previous snapshot, if the repository still contains all of them. It reports
// whether it does.
func (s *storing) unchanged(ctx context.Context, snap *Snapshot) (bool, error) {
	for _, one := range s.old.regions {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		kept, err := s.keeps(block{ref: one.ref, hash: one.hash})
		if !kept || err != nil {
			return false, err
		}
		blocks, err := s.region(one)
		if err != nil {
			return false, unavailable(err)
		}
		for _, b := range blocks {
			if kept, err := s.keeps(b); !kept || err != nil {
				return false, err
			}
		}
	}
	was := s.old.of
	if same, err := s.sameList(snap, s.old.regions); !same || err != nil {
		return false, err
	}
	snap.Map, snap.Blocks, snap.Lost = was.Map, was.Blocks, was.Lost
	return true, nil
}

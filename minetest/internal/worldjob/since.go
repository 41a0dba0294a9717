package worldjob

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"

	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/mapdb"
)

// Since is the manifest that --since names.
type Since struct {
	*manifest.Manifest
	path string
	file *os.File
}

// OpenSince opens the manifest that a job names, or returns nil if it names none.
func OpenSince(job *format.Job) (*Since, error) {
	path := OptionSince.Value(job)
	if path == "" {
		return nil, nil
	}
	f, st, err := regular.Open(path) // rejects pipes
	m := &Since{path: path, file: f}
	if err != nil {
		return nil, m.Wrap(err)
	}
	if st.IsDir() {
		err = &fault.Error{Offset: -1, Want: "a manifest, which is a file", Got: "a folder"}
	} else {
		m.Manifest, err = manifest.Open(f, st.Size())
	}
	if err != nil {
		return nil, errors.Join(m.Wrap(err), f.Close())
	}
	return m, nil
}

// Wrap adds the option and the name of the manifest to an error.
func (m *Since) Wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--%s: %w", OptionSince.Name, fault.InFile(err, m.path))
}

// Close closes the manifest.
func (m *Since) Close() error { return m.file.Close() }

// ForWorld returns an error if the manifest is damaged, or if it belongs to another world: no block of the world is
// unchanged in it. has reports whether the world contains a block at a position.
func (m *Since) ForWorld(ctx context.Context, db mapdb.DB, has func(mapdb.Pos) bool, count int64) error {
	if err := m.Verify(ctx); err != nil {
		return m.Wrap(err)
	}
	if m.Count() == 0 || count == 0 {
		return nil
	}
	const many = 256
	hashes := make(map[mapdb.Pos]manifest.Hash)
	common := func() (bool, error) {
		var all []mapdb.Pos
		for p := range hashes {
			all = append(all, p)
		}
		for b, err := range mapdb.Fetch(ctx, db, all) {
			var row *mapdb.RowError
			if err != nil && !errors.As(err, &row) {
				return false, err
			}
			if err == nil && manifest.HashOf(b.Data) == hashes[b.Pos] {
				return true, nil
			}
		}
		clear(hashes)
		return false, nil
	}
	for e, err := range m.All(ctx) {
		if err != nil {
			return m.Wrap(err)
		}
		if has(e.Pos) {
			hashes[e.Pos] = e.Hash
		}
		if len(hashes) == many {
			if ok, err := common(); ok || err != nil {
				return err
			}
		}
	}
	if ok, err := common(); ok || err != nil {
		return err
	}
	return fmt.Errorf("--%s: %s: no block of the world is identical: this is the manifest of another world, or every "+
		"block has changed", OptionSince.Name, m.path)
}

// Positions yields the positions of the blocks in an area of the manifest.
func (m *Since) Positions(ctx context.Context, a mapdb.Area) iter.Seq2[mapdb.Pos, error] {
	return func(yield func(mapdb.Pos, error) bool) {
		for e, err := range m.In(ctx, a) {
			if !yield(e.Pos, m.Wrap(err)) {
				return
			}
		}
	}
}

// Changed yields the positions of the blocks of an area that were added, removed or changed. It reads all blocks; a
// row that cannot be read is ignored.
func (m *Since) Changed(ctx context.Context, job *format.Job, db mapdb.DB, a mapdb.Area) iter.Seq2[mapdb.Pos, error] {
	return func(yield func(mapdb.Pos, error) bool) {
		now, end, err := manifest.Temporary(func(add func(manifest.Entry) error) (int64, error) {
			return manifest.Hashes(mapdb.InSlabs(ctx, db, a),
				manifest.Options{OnProgress: func(done int64) { job.Report("read blocks", int(done), 0) }}, add)
		})
		if err != nil {
			yield(mapdb.Pos{}, err)
			return
		}
		defer end()
		for d, err := range manifest.Compare(ctx, m.Manifest, now, a) {
			if !yield(d.Pos, m.Wrap(err)) {
				return
			}
		}
	}
}

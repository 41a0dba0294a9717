package worldmerge

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/values/merge3"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
)

// files merges the other files in the folders, file by file: first those of theirs, then those that theirs removed.
func (m *merger) files(ctx context.Context) error {
	own := map[string]bool{worldMT: true, "map_meta.txt": true, "env_meta.txt": true, worldedit.LightList: true}
	for _, w := range m.worlds() {
		settings, err := world.ReadWorldMT(w.Dir)
		if err != nil {
			return err
		}
		backends := world.FindBackends(w.Dir, settings)
		for _, p := range world.Parts() {
			for _, name := range p.Files(backends.Of(p)) {
				own[name] = true
			}
		}
	}
	done := make(map[string]bool)
	for _, side := range []*worldedit.World{m.theirs, m.base} {
		err := filepath.WalkDir(side.Dir, func(path string, e fs.DirEntry, err error) error {
			if err = errors.Join(err, ctx.Err()); err != nil {
				return err
			}
			name, err := filepath.Rel(side.Dir, path)
			if err != nil || name == "." {
				return err
			}
			switch top, _, _ := strings.Cut(filepath.ToSlash(name), "/"); {
			case e.IsDir() && (own[top] || strings.HasPrefix(e.Name(), ".")):
				return fs.SkipDir
			case own[top] || strings.HasPrefix(e.Name(), ".") || !e.Type().IsRegular() || done[name]:
				return nil
			}
			done[name] = true
			return m.file(name)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// file merges a file of unknown format: the result is the file of one side.
func (m *merger) file(name string) error {
	var failed error
	same := func(a, b *worldedit.World) bool {
		ok, err := sameFile(filepath.Join(a.Dir, name), filepath.Join(b.Dir, name))
		failed = cmp.Or(failed, err)
		return ok || err != nil
	}
	path := filepath.Join(m.theirs.Dir, name)
	_, err := os.Lstat(path)
	gone := errors.Is(err, fs.ErrNotExist)
	here := spot{filepath.ToSlash(name), []check.Place{check.File(filepath.ToSlash(name))}}
	side := merge3.Pick(m.base, m.w, m.theirs, same, func() {
		if gone {
			m.took(here, "the file is removed")
		} else {
			m.took(here, "the file")
		}
	}, func() merge3.Side { return m.conflict(here, "both changed the file") })
	if failed != nil || side == merge3.Ours {
		return failed
	}
	m.w.AddPart(worldedit.Part{
		Keep: func(context.Context, worldedit.Keeper) error {
			return errors.New(name + ": backups cannot contain this file: merge into a copy")
		},
		Apply: func(_ context.Context, dir string, _ *world.Settings) error {
			to := filepath.Join(dir, name)
			if gone {
				if err := os.Remove(to); !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				return nil
			}
			f, _, err := regular.Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
				return err
			}
			return wholefile.Write(to, f, 0o666)
		},
	})
	return nil
}

// sameFile reports whether two files have the same content, or both do not exist. They may have any size.
func sameFile(a, b string) (bool, error) {
	f, infoA, errA := regular.Open(a)
	if errA == nil {
		defer f.Close()
	}
	g, infoB, errB := regular.Open(b)
	if errB == nil {
		defer g.Close()
	}
	missing := errors.Is(errA, fs.ErrNotExist)
	switch {
	case errA != nil && !missing:
		return false, errA
	case errB != nil && !errors.Is(errB, fs.ErrNotExist):
		return false, errB
	case missing || errB != nil:
		return missing && errB != nil, nil
	case infoA.Size() != infoB.Size():
		return false, nil
	}
	var one, other [1 << 16]byte
	for {
		n, errA := io.ReadFull(f, one[:])
		m, errB := io.ReadFull(g, other[:])
		if !bytes.Equal(one[:n], other[:m]) {
			return false, nil
		}
		for _, err := range []error{errA, errB} {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				return true, nil
			}
			if err != nil {
				return false, err
			}
		}
	}
}

package worldcopy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// target is the part of the options that an update takes from the log.
type target struct {
	Map, Players, Auth, Storage string
	Blocks                      int
	Drop                        bool
	Postgres                    string
	Redis                       mapdb.Redis
}

func (o *Options) target() target {
	return target{o.Map, o.Players, o.Auth, o.Storage, o.Blocks, o.Drop, o.Postgres, o.Redis}
}

// remember sets the options that select what is different in the copy in dst to those of the first pass, unless they are set.
func (o *Options) remember(dst string) error {
	text, err := regular.ReadFile(filepath.Join(dst, world.CopyJournal), effort.SideFile)
	var j journal
	if err == nil {
		err = json.Unmarshal(text, &j)
	}
	if err != nil || j.Passes == 0 && !j.Done {
		return fmt.Errorf("%s: %w", dst, ErrNoLog)
	}
	t := j.Target
	o.Map, o.Players, o.Auth = cmp.Or(o.Map, t.Map), cmp.Or(o.Players, t.Players), cmp.Or(o.Auth, t.Auth)
	o.Storage, o.Blocks, o.Drop = cmp.Or(o.Storage, t.Storage), cmp.Or(o.Blocks, t.Blocks), o.Drop || t.Drop
	o.Postgres, o.Redis, o.Log = cmp.Or(o.Postgres, t.Postgres), cmp.Or(o.Redis, t.Redis), true
	return nil
}

// lookForServer records a program that has the world open.
func (c *copier) lookForServer(ctx context.Context) error {
	by, err := userOf(ctx, c.src, c.from)
	if err != nil {
		return err
	}
	if by != "" && c.opts.Log && c.from.Backend == mapdb.RedisDB {
		return fmt.Errorf("%s: %w: by %s; stop it, because a Redis cannot be read at one moment", c.src, filelock.ErrInUse, by)
	}
	c.log.Report.Server = cmp.Or(c.log.Report.Server, by)
	return nil
}

// userOf returns the program that has the world in a folder open, whose blocks are in the store m; "" if none is visible.
func userOf(ctx context.Context, dir string, m mapdb.Config) (string, error) {
	if by := filelock.UsedBy(dir); by != "" || m.Backend != mapdb.Postgres {
		return by, nil
	}
	db, err := mapdb.Open(ctx, dir, m)
	if err != nil {
		return "", err
	}
	if err = errors.Join(mapdb.InUse(ctx, db), db.Close()); errors.Is(err, filelock.ErrInUse) {
		return "a program with a connection to its database", nil
	}
	return "", err
}

// filesLeft returns the size and time of all files in the folder of a copy.
func filesLeft(dir string) (map[string]string, error) {
	left := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(e.Name(), ".trowel-") {
			return err
		}
		info, err := e.Info()
		if err == nil {
			rel, _ := filepath.Rel(dir, path)
			left[filepath.ToSlash(rel)] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	return left, err
}

// keepLog records the state in which a pass leaves the copy.
func (c *copier) keepLog() (err error) {
	if c.log.Left, err = filesLeft(c.dst); err != nil {
		return err
	}
	c.log.Passes++
	c.log.Done = true
	if err := c.log.save(); err != nil {
		return err
	}
	return os.Remove(filepath.Join(c.dst, world.CopyProgress))
}

// nextPass starts an update. Without world.mt, no server uses the copy until it is finished.
func (c *copier) nextPass(ctx context.Context) error {
	c.to.Unseen = false
	if c.log.Done {
		if err := c.refuseEdited(ctx); err != nil {
			return err
		}
	}
	was := c.log.Report.Server
	c.log.Done, c.log.Damaged, c.log.Lost = false, false, false
	c.log.Stage, c.log.Entered, c.log.Report = 0, false, Report{Server: was, Updated: true}
	c.log.restart()
	if err := os.Remove(filepath.Join(c.dst, "world.mt")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return c.log.save()
}

// refuseEdited returns an error if the copy is not as the last pass left it, or if a program has it open.
func (c *copier) refuseEdited(ctx context.Context) error {
	if by, err := userOf(ctx, c.dst, c.to); err != nil {
		return err
	} else if by != "" {
		return fmt.Errorf("%s: %w: by %s", c.dst, filelock.ErrInUse, by)
	}
	left, err := filesLeft(c.dst)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		if left[name] != c.log.Left[name] {
			return fmt.Errorf("%s: %w", filepath.Join(c.dst, filepath.FromSlash(name)), ErrEdited)
		}
	}
	if world.MapPart.Remote(c.to.Backend) {
		if err := verify(ctx, c); errors.Is(err, ErrVerify) {
			return fmt.Errorf("%s: %w: %w", c.dst, ErrEdited, err)
		} else if err != nil {
			return err
		}
	}
	return errors.Join(edited(ctx, c, players), edited(ctx, c, accounts), edited(ctx, c, mods))
}

// edited returns an error if a store on a server is not as the last pass left it.
func edited[T any](ctx context.Context, c *copier, p part[T]) (err error) {
	if to := c.target(p.part); to == "" || !p.part.Remote(to) {
		return nil
	}
	store, err := p.open(ctx, c.dst, c.settings, world.Options{Backend: c.target(p.part), Remote: true, Postgres: c.opts.Postgres})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if _, now, err := p.digest(ctx, store); err != nil {
		return err
	} else if now != c.log.Parts[p.what] {
		return fmt.Errorf("%s: the %s: %w", c.dst, p.what, ErrEdited)
	}
	return nil
}

// openCopy opens the database of the copy for an update, and returns its blocks in the order of their keys. A run that is
// interrupted leaves no hashes, so that the next one reads the blocks of the copy.
func (c *copier) openCopy(ctx context.Context) (list []manifest.Entry, err error) {
	c.store, err = mapdb.OpenForWriting(ctx, c.dst, c.to)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(c.dst, world.CopyHashes)
	read := func() (m *manifest.Manifest, end func() error, err error) {
		f, info, err := regular.Open(path)
		if err != nil {
			return nil, nil, err
		}
		if m, err = manifest.Open(f, info.Size()); err == nil {
			err = m.Verify(ctx)
		}
		return m, f.Close, err
	}
	m, end, err := read()
	if err != nil && ctx.Err() == nil {
		m, end, err = manifest.Temporary(func(add func(manifest.Entry) error) (int64, error) {
			return c.scan(ctx, c.store, func(p mapdb.Pos, s sum) error { return add(manifest.Entry{Pos: p, Hash: s.hash()}) })
		})
	}
	if err != nil {
		return nil, err
	}
	list = make([]manifest.Entry, 0, m.Count())
	for e, err := range m.All(ctx) {
		if err != nil {
			return nil, errors.Join(err, end())
		}
		list = append(list, e)
	}
	if err := end(); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return list, wholefile.SyncDir(c.dst)
}

// known reports whether the copy has a block as it is, and marks it as one that the world has: no hash is 0.
func (b *batch) known(o outcome) bool {
	i, ok := slices.BinarySearchFunc(b.old, o.pos.Key(), func(e manifest.Entry, key int64) int { return cmp.Compare(e.Pos.Key(), key) })
	if !ok {
		return false
	}
	was := b.old[i].Hash
	b.old[i].Hash = 0
	return was == o.sum.hash()
}

// removeGone removes the blocks that the world does not have any more, if they are not only hidden by damage.
func (b *batch) removeGone(ctx context.Context, db mapdb.DB) error {
	var gone []mapdb.Pos
	for _, e := range b.old {
		if e.Hash != 0 {
			gone = append(gone, e.Pos)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	if err := errors.Join(refuseDamaged(ctx, b.copier), mapdb.Verify(ctx, db)); err != nil {
		return err
	}
	for _, err := range mapdb.Fetch(ctx, db, gone) {
		return cmp.Or(err, fmt.Errorf("%s: %w", b.src, ErrChanged))
	}
	for some := range slices.Chunk(gone, batchRows) {
		if err := b.store.Update(ctx, func(tx mapdb.Tx) error {
			for _, p := range some {
				if err := tx.Delete(p); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		b.log.Report.Changed += int64(len(some))
	}
	return nil
}

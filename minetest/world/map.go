package world

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"trowel.example/fault"
	"trowel.example/minetest/mapdb"
)

// SettingReadonly is the setting of world.mt that names the backend of a second database of blocks,
// in the folder [mapdb.UnderFolder], which the engine only reads.
const SettingReadonly = "readonly_backend"

// MapConfig returns the configuration of the database of blocks of the world in dir. s contains the settings of
// world.mt. Of opts it uses Backend and Remote. With a Backend, dir is not read.
func MapConfig(dir string, s *Settings, opts Options) (mapdb.Config, error) {
	if opts.Backend == "" {
		opts.Backend = FindBackends(dir, s).Map
	}
	get := func(name string) string { v, _ := s.Get(name); return v }
	configure := func(backend string) (mapdb.Config, error) {
		c, err := mapdb.Configure(backend, get)
		b, _ := mapdb.BackendOf(backend)
		c.Remote = opts.Remote && b.Remote()
		return c, err
	}
	c, err := configure(opts.Backend)
	if under := get(SettingReadonly); err == nil && under != "" {
		var lower mapdb.Config
		lower, err = configure(under)
		c.Under = &lower
	}
	return c, err
}

// OpenMap opens the blocks of the world in dir for reading, from any backend, and returns the configuration of the
// database. s contains the settings of world.mt; for opts see [MapConfig]. Like [mapdb.Open], it changes nothing. If there are no blocks
// because nobody has entered the world yet, the error wraps [io/fs.ErrNotExist]. Other errors are returned for an
// unfinished copy, and for a missing database of a world that a server has run.
func OpenMap(ctx context.Context, dir string, s *Settings, opts Options) (mapdb.DB, mapdb.Config, error) {
	c, err := MapConfig(dir, s, opts)
	if err != nil {
		return nil, c, err
	}
	if u, ok := UnfinishedIn(dir); ok {
		return nil, c, u.error()
	}
	db, err := mapdb.Open(ctx, dir, c)
	if err != nil {
		return nil, c, Missing(dir, c, err)
	}
	c.Schema = mapdb.SchemaOf(db)
	return db, c, nil
}

// Missing returns the error of opening the blocks of the world in dir. If the database does not exist
// although a server has run the world, the error wraps [fault.ErrFormat] instead of [io/fs.ErrNotExist].
func Missing(dir string, c mapdb.Config, err error) error {
	if !errors.Is(err, fs.ErrNotExist) || !exists(filepath.Join(dir, "env_meta.txt")) {
		return err
	}
	name := c.Backend
	if b, _ := mapdb.BackendOf(c.Backend); len(b.Files) > 0 {
		name = b.Files[0]
	}
	return &fault.Error{File: filepath.Join(dir, name), Offset: -1, Want: "the database of blocks, because a server " +
		"has run the world (env_meta.txt)", Got: "no such file", Err: fault.ErrFormat}
}

// SecondFiles returns the slash-separated paths, relative to dir, of the database that [SettingReadonly] names. If
// the folder of that database contains nothing else, the result is the folder.
func SecondFiles(dir string, s *Settings) []string {
	backend, _ := s.Get(SettingReadonly)
	if backend == "" {
		return nil
	}
	files := MapPart.Files(backend)
	entries, err := os.ReadDir(filepath.Join(dir, mapdb.UnderFolder))
	if err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !slices.Contains(files, e.Name()) }) {
		return []string{mapdb.UnderFolder}
	}
	var paths []string
	for _, name := range files {
		paths = append(paths, path.Join(mapdb.UnderFolder, name))
	}
	return paths
}

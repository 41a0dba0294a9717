package world

import (
	"context"

	"trowel.example/minetest/mapdb"
)

// MapConfig returns where the blocks of the world in dir are, whose world.mt has the
// settings s. With remote they may be on another machine.
func MapConfig(dir string, s *Settings, remote bool) (mapdb.Config, error) {
	return MapConfigOf(FindBackends(dir, s).Map, s, remote)
}

// MapConfigOf is [MapConfig] for a world whose blocks are kept in a backend.
func MapConfigOf(backend string, s *Settings, remote bool) (mapdb.Config, error) {
	return mapdb.Configure(backend, func(name string) string { v, _ := s.Get(name); return v }, remote)
}

// OpenMap opens the blocks of the world in dir, whose world.mt has the settings s, for
// reading, wherever they are, and returns where that is. Like [mapdb.Open] it changes
// nothing. If there are none, because nobody has been in the world yet, the error wraps
// [io/fs.ErrNotExist].
func OpenMap(ctx context.Context, dir string, s *Settings, remote bool) (mapdb.DB, mapdb.Config, error) {
	c, err := MapConfig(dir, s, remote)
	if err != nil {
		return nil, c, err
	}
	db, err := mapdb.Open(ctx, dir, c)
	if err != nil {
		return nil, c, err
	}
	c.Schema = mapdb.SchemaOf(db)
	return db, c, nil
}

package world

import (
	"context"
	"fmt"
	"strconv"

	"trowel.example/fault"
	"trowel.example/minetest/mapdb"
)

// MapConfig returns where the blocks of the world in dir are, whose world.mt has the
// settings s. With remote they may be on another machine.
func MapConfig(dir string, s *Settings, remote bool) (mapdb.Config, error) {
	return MapConfigOf(FindBackends(dir, s).Map, s, remote)
}

// MapConfigOf is [MapConfig] for a world whose blocks are kept in a backend.
func MapConfigOf(backend string, s *Settings, remote bool) (mapdb.Config, error) {
	c := mapdb.Config{Backend: backend}
	switch c.Backend {
	case BackendSectors2:
		c.Backend = mapdb.Sectors // which finds both layouts
	case mapdb.Postgres:
		c.Remote = remote
		c.Postgres, _ = s.Get("pgsql_connection")
	case mapdb.RedisDB:
		c.Remote = remote
		c.Redis.Address, _ = s.Get("redis_address")
		c.Redis.Hash, _ = s.Get("redis_hash")
		c.Redis.Password, _ = s.Get("redis_password")
		if text, ok := s.Get("redis_port"); ok {
			port, err := strconv.ParseUint(text, 10, 16)
			if err != nil {
				return c, &fault.Error{File: "world.mt", Path: "redis_port", Offset: -1, Want: "a number from 0 to 65535", Got: fmt.Sprintf("%.40q", text), Err: fault.ErrFormat}
			}
			c.Redis.Port = int(port)
		}
	}
	return c, nil
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

// Package worldmap finds the blocks of a world by what its world.mt says, and
// goes through them on all cores in their order.
package worldmap

import (
	"context"
	"fmt"
	"strconv"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/place"
	"trowel.example/minetest/world"
)

// Config returns where the blocks of the world in dir are, whose world.mt has the
// settings s.
func Config(dir string, s *world.Settings, remote bool) (mapdb.Config, error) {
	return ConfigOf(world.FindBackends(dir, s).Map, s, remote)
}

// ConfigOf returns where the blocks of a world are that are kept in a backend, and
// whose world.mt has the settings s. With remote they may be on another machine.
func ConfigOf(backend string, s *world.Settings, remote bool) (mapdb.Config, error) {
	c := mapdb.Config{Backend: backend}
	switch c.Backend {
	case world.BackendSectors2:
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

// Open opens the blocks of the world in dir for reading, wherever they are. Like
// [mapdb.Open] it changes nothing.
func Open(ctx context.Context, dir string, remote bool) (mapdb.DB, mapdb.Config, error) {
	s, err := world.ReadWorldMT(dir)
	if err != nil {
		return nil, mapdb.Config{}, err
	}
	c, err := Config(dir, s, remote)
	if err != nil {
		return nil, c, err
	}
	db, err := mapdb.Open(ctx, dir, c)
	if err != nil {
		return nil, c, err
	}
	if shaped, ok := db.(interface{ Schema() mapdb.Schema }); ok {
		c.Schema = shaped.Schema()
	}
	return db, c, nil
}

// Place returns the path of something in a block, such as
// "block 12,0,-3: timers.entries[0]", for findings about a world.
func Place(p mapdb.Pos, path string) string {
	place := fmt.Sprintf("block %d,%d,%d", p.X, p.Y, p.Z)
	if path != "" {
		place += ": " + path
	}
	return place
}

// Located returns a finding about a block as one about the world that the block is in,
// with the path and the places that it has there.
func Located(p mapdb.Pos, f check.Finding) check.Finding {
	f.Path = Place(p, f.Path)
	return place.InWorld(f, p.X, p.Y, p.Z)
}

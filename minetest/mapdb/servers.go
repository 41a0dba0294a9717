package mapdb

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"trowel.example/fault"
)

var postgresBackend = Backend{
	Name:     Postgres,
	Settings: []string{"pgsql_connection"},
	Targets:  []Target{{Postgres, "PostgreSQL", SchemaPos}},
	open:     func(ctx context.Context, _ string, c Config) (DB, error) { return readPostgres(ctx, c) },
	create:   func(ctx context.Context, _ string, c Config) (Writer, error) { return createPostgres(ctx, c) },
	edit: func(ctx context.Context, _ string, c Config, force bool) (Writer, error) {
		return openPostgresForWriting(ctx, c, force)
	},
	complete: func(c Config) error {
		if c.Postgres == "" {
			return &fault.Error{Path: "postgres", Offset: -1, Want: "how to connect to PostgreSQL", Got: "nothing", Err: ErrNoServer}
		}
		return nil
	},
	get: func(c *Config, get func(string) string) error {
		c.Postgres = get("pgsql_connection")
		return nil
	},
	set: func(c Config) []string { return []string{c.Postgres} },
}

// ErrNoHash is wrapped by the error of [Open] if the Redis server does not have the hash.
var ErrNoHash = errors.New("the server does not have the hash")

var redisBackend = Backend{
	Name:     RedisDB,
	Settings: []string{"redis_address", "redis_hash", "redis_port", "redis_password"},
	Targets:  []Target{{RedisDB, "Redis", SchemaPos}},
	open:     func(ctx context.Context, _ string, c Config) (DB, error) { return readRedis(ctx, c) },
	create:   func(ctx context.Context, _ string, c Config) (Writer, error) { return createRedis(ctx, c) },
	edit:     func(ctx context.Context, _ string, c Config, _ bool) (Writer, error) { return openRedis(ctx, c) },
	complete: redisComplete,
	get: func(c *Config, get func(string) string) error {
		c.Redis = Redis{Address: get("redis_address"), Hash: get("redis_hash"), Password: get("redis_password")}
		if text := get("redis_port"); text != "" {
			port, err := strconv.ParseUint(text, 10, 16)
			if err != nil {
				return &fault.Error{File: "world.mt", Path: "redis_port", Offset: -1, Want: "a number from 0 to 65535",
					Got: fmt.Sprintf("%.40q", text), Err: fault.ErrFormat}
			}
			c.Redis.Port = int(port)
		}
		return nil
	},
	set: func(c Config) []string {
		port := ""
		if c.Redis.Port != 0 {
			port = strconv.Itoa(c.Redis.Port)
		}
		return []string{c.Redis.Address, c.Redis.Hash, port, c.Redis.Password}
	},
}

func redisComplete(c Config) error {
	if c.Redis.Address == "" || c.Redis.Hash == "" {
		return &fault.Error{Path: "redis", Offset: -1, Want: "an address and the name of a hash",
			Got: fmt.Sprintf("%q and %q", c.Redis.Address, c.Redis.Hash), Err: ErrNoServer}
	}
	return nil
}

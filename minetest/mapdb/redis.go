//go:build !js

package mapdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/gomodule/redigo/redis"

	"trowel.example/fault"
	"trowel.example/internal/stores/database"
	"trowel.example/internal/text/words"
)

// storeRedis is the store's name in errors.
const storeRedis = "Redis"

// redisPage is the number of blocks per request.
const redisPage = 128

// redisDB is a hash of a Redis server; the fields are Pos.Key in decimal digits.
type redisDB struct {
	pool *redis.Pool
	hash string
	addr string
}

var _ Writer = (*redisDB)(nil)

// readRedis opens a hash that exists.
func readRedis(ctx context.Context, c Config) (DB, error) {
	db, err := openRedis(ctx, c)
	if err != nil {
		return nil, err
	}
	// Redis has no empty hashes: a hash without fields does not exist.
	if n, err := db.Count(ctx); err != nil || n == 0 {
		return nil, errors.Join(cmp.Or(err, error(&fault.Error{File: storeRedis, Path: c.Redis.Hash, Offset: -1,
			Want: "a hash with blocks", Got: "no such hash", Err: ErrNoHash})), db.Close())
	}
	return db, nil
}

// openRedis returns a Writer instead of a *redisDB, so that the interface is nil if there is an error.
func openRedis(ctx context.Context, c Config) (Writer, error) {
	if err := redisComplete(c); err != nil {
		return nil, err
	}
	pool, addr, err := database.Redis(c.Redis.Address, c.Redis.Port, c.Redis.Password, c.Remote)
	if err != nil {
		return nil, err
	}
	db := &redisDB{pool, c.Redis.Hash, addr}
	kind, err := redis.String(db.do(ctx, "TYPE", db.hash))
	if err == nil && kind != "hash" && kind != "none" {
		err = &fault.Error{File: storeRedis, Path: c.Redis.Hash, Offset: -1, Want: "a hash", Got: "a " + kind, Err: fault.ErrFormat}
	}
	if err != nil {
		db.Close()
		return nil, db.failed(err)
	}
	return db, nil
}

// do sends one command to the server and returns its reply.
func (db *redisDB) do(ctx context.Context, command string, args ...any) (any, error) {
	return db.send(ctx, nil, command, args...)
}

// send sends several commands at once and returns the reply to the last one. The last one may be "", and its reply is
// then the list of all replies. The error is the first error of any command.
func (db *redisDB) send(ctx context.Context, commands [][]any, last string, args ...any) (any, error) {
	conn, err := db.pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	for _, c := range commands {
		if err := conn.Send(c[0].(string), c[1:]...); err != nil {
			return nil, err
		}
	}
	reply, err := redis.DoContext(conn, ctx, last, args...)
	if all, ok := reply.([]any); ok && err == nil {
		for _, r := range all {
			if refused, ok := r.(redis.Error); ok {
				return nil, refused
			}
		}
	}
	return reply, err
}

func createRedis(ctx context.Context, c Config) (Writer, error) {
	db, err := openRedis(ctx, c)
	if err != nil {
		return nil, err
	}
	n, err := db.Count(ctx)
	if err == nil && n > 0 {
		err = fmt.Errorf("%s: hash %q: %w", storeRedis, c.Redis.Hash, fs.ErrExist)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// failed wraps an error of the client with the name of the server.
func (db *redisDB) failed(err error) error { return database.Wrap(storeRedis+" at "+db.addr, err) }

func field(p Pos) string { return strconv.FormatInt(p.Key(), 10) }

// Get returns the bytes of a block.
func (db *redisDB) Get(ctx context.Context, p Pos) (data []byte, err error) {
	var row error
	_, err = db.fetch(ctx, []Pos{p}, func(b Block, err error) bool {
		data, row = b.Data, err
		return true
	})
	return data, errors.Join(err, row)
}

// fetch reads blocks, a few MiB at a time. It asks for their sizes first, so that blocks that are too large are not
// sent. It returns false if yield does.
func (db *redisDB) fetch(ctx context.Context, all []Pos, yield func(Block, error) bool) (bool, error) {
	if len(all) == 0 {
		return true, nil // without a command there is no reply to wait for
	}
	lengths := make([][]any, len(all))
	for i, p := range all {
		lengths[i] = []any{"HSTRLEN", db.hash, field(p)}
	}
	sizes, err := redis.Int64s(db.send(ctx, lengths, ""))
	if err == nil && len(sizes) != len(all) {
		err = badRow(storeRedis, db.hash, "", fmt.Sprintf("%d sizes", len(all)), fmt.Sprint(len(sizes))).Err
	}
	if err != nil {
		return false, db.failed(err)
	}
	var some []Pos
	sum := int64(0)
	for i, p := range all {
		size := sizes[i]
		if err := tooLarge(storeRedis, field(p), size, p); err != nil {
			if !yield(Block{}, err) {
				return false, nil
			}
		} else {
			some, sum = append(some, p), sum+size
		}
		if len(some) > 0 && (sum >= pageBytes || i == len(all)-1) {
			if more, err := db.values(ctx, some, yield); !more || err != nil {
				return false, err
			}
			some, sum = some[:0], 0
		}
	}
	return true, nil
}

// values reads blocks with one command.
func (db *redisDB) values(ctx context.Context, all []Pos, yield func(Block, error) bool) (bool, error) {
	args := []any{db.hash}
	for _, p := range all {
		args = append(args, field(p))
	}
	values, err := redis.Values(db.do(ctx, "HMGET", args...))
	if err != nil {
		return false, db.failed(err)
	}
	if len(values) != len(all) {
		return false, badRow(storeRedis, db.hash, "", words.Count(len(all), "value"), fmt.Sprint(len(values))).Err
	}
	for i, p := range all {
		b, err := Block{Pos: p}, error(nil)
		if data, ok := values[i].([]byte); ok {
			b.Data = data
		} else {
			b, err = Block{}, notFound(p)
		}
		if !yield(b, err) {
			return false, nil
		}
	}
	return true, nil
}

func (db *redisDB) axis() int { return alongZ }
func (db *redisDB) inOrder()  {}

// positions returns the positions of an area in the order of their keys and, if the area is [All], the errors of the
// other fields. A hash is unordered and the server can only list all fields at once, so all are held in memory.
func (db *redisDB) positions(ctx context.Context, a Area) ([]Pos, []*RowError, error) {
	fields, err := redis.Strings(db.do(ctx, "HKEYS", db.hash))
	if err != nil {
		return nil, nil, db.failed(err)
	}
	var all []Pos
	var bad []*RowError
	for _, f := range fields {
		p, row := posOfDecimal(storeRedis, f)
		switch {
		case row != nil && a == All():
			bad = append(bad, row)
		case row != nil:
		case a.Contains(p):
			all = append(all, p)
		}
	}
	slices.SortFunc(bad, func(a, b *RowError) int { return strings.Compare(a.Key, b.Key) })
	slices.SortFunc(all, orderZYX.compare)
	return all, bad, nil
}

// Positions yields the positions of an area in the order of [Pos.Key]. It holds the positions of all blocks in
// memory.
func (db *redisDB) Positions(ctx context.Context, a Area) iter.Seq2[Pos, error] {
	return func(yield func(Pos, error) bool) {
		all, bad, err := db.positions(ctx, a)
		if err != nil {
			yield(Pos{}, err)
			return
		}
		for _, row := range bad {
			if !yield(Pos{}, row) {
				return
			}
		}
		for _, p := range all {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// Blocks yields the blocks of an area in the order of [Pos.Key]. It holds the positions of all blocks in memory.
func (db *redisDB) Blocks(ctx context.Context, a Area) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		all, bad, err := db.positions(ctx, a)
		if err != nil {
			yield(Block{}, err)
			return
		}
		for _, row := range bad {
			if !yield(Block{}, row) {
				return
			}
		}
		for part := range slices.Chunk(all, redisPage) {
			more, err := db.fetch(ctx, part, func(b Block, err error) bool {
				// The block may have been deleted meanwhile.
				return errors.Is(err, ErrNotFound) || yield(b, err)
			})
			if err != nil {
				yield(Block{}, err)
			}
			if !more {
				return
			}
		}
	}
}

// Count returns the number of fields of the hash.
func (db *redisDB) Count(ctx context.Context) (int64, error) {
	n, err := redis.Int64(db.do(ctx, "HLEN", db.hash))
	return n, db.failed(err)
}

// Update runs f in a transaction, which is sent after f returns.
func (db *redisDB) Update(ctx context.Context, f func(Tx) error) error {
	tx := newChanges(func(p Pos) ([]byte, error) { return db.Get(ctx, p) })
	if err := f(tx); err != nil {
		return err
	}
	if len(tx.list) == 0 {
		return nil
	}
	commands := [][]any{{"MULTI"}}
	for _, c := range tx.list {
		if c.delete {
			commands = append(commands, []any{"HDEL", db.hash, field(c.pos)})
		} else {
			commands = append(commands, []any{"HSET", db.hash, field(c.pos), c.data})
		}
	}
	_, err := db.send(ctx, commands, "EXEC")
	return db.failed(err)
}

// Store stores blocks in one transaction.
func (db *redisDB) Store(ctx context.Context, blocks []Block) error {
	return store(ctx, db, blocks)
}

func (db *redisDB) String() string {
	return fmt.Sprintf("%s hash %q on %s", storeRedis, db.hash, db.addr)
}

// Close closes the connections.
func (db *redisDB) Close() error { return db.pool.Close() }

func (db *redisDB) exchange(ctx context.Context, list []Swap) (int, error) {
	return exchangeFetched(ctx, db, list)
}

// Package mapdb reads and writes the databases that hold the blocks of a world: SQLite, LevelDB, PostgreSQL, Redis,
// folders of files, and memory. It finds blocks by position and does not interpret their content.
//
// [Open] never changes a world and does not block a running server: it reads in pages, each in a short transaction.
// [Create] creates a store in a new place. [OpenForWriting] changes a store in place, in transactions.
//
//	db, err := mapdb.Open(ctx, dir, mapdb.Config{Backend: mapdb.SQLite})
//	for block, err := range db.Blocks(ctx, mapdb.All()) {
//		var row *mapdb.RowError
//		if errors.As(err, &row) {
//			continue // one row is damaged, the others are not
//		}
//		if err != nil {
//			return err
//		}
//		...
//	}
package mapdb

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/server"
	"trowel.example/internal/stores/sqlitefile"
)

// The names of the backends, as in world.mt. Sectors is the name for the folders of files of worlds from before 2011,
// which have no backend setting.
const (
	SQLite   = "sqlite3"
	LevelDB  = "leveldb"
	Postgres = "postgresql"
	RedisDB  = "redis"
	Dummy    = "dummy"
	Sectors  = "sectors"
)

// Errors of stores.
var (
	// ErrNotFound means that a store has no block at a position.
	ErrNotFound = errors.New("no such block")
	// ErrInUse means that another program has the store open that is to be changed.
	ErrInUse = filelock.ErrInUse
	// ErrReadOnly means that stores of this kind can be neither created nor changed.
	ErrReadOnly = errors.New("stores of this kind are read-only")
	// ErrRemote means that the store is on a server and connections to it are not allowed, see [Config.Remote].
	ErrRemote = server.ErrRemote

	errClosed = sqlitefile.ErrClosed
)

// A Schema is the layout of the table of an SQLite database.
type Schema int

const (
	SchemaPos Schema = iota // one column pos with the key: readable by every version of the game
	SchemaXYZ               // columns x, y and z: readable since version 5.12
)

func (s Schema) String() string {
	if s == SchemaXYZ {
		return "x, y, z"
	}
	return "pos"
}

// Config locates the blocks of a world.
type Config struct {
	Backend  string // the name of one of [Backends]; "" is sqlite3, as in worlds from before 0.4.8
	Redis    Redis  // for the backend redis
	Postgres string // for the backend postgresql: a connection string, pgsql_connection of world.mt
	Schema   Schema // for Create with SQLite

	// Unseen is for a store that no other program uses before Close has returned. Only Close flushes to disk; until
	// then, games may be unable to read the files. If the program is killed, [OpenForWriting] continues with all
	// finished transactions and possibly a part of an unfinished Store. After a system crash the content is
	// undefined. A store that was written with Unseen can be read faster with Unseen.
	Unseen bool

	// Moment makes all reads until Close see the state of one moment. PostgreSQL does this with a transaction that
	// stays open; the other stores ignore Moment.
	Moment bool

	// Under is the store that is read for blocks missing in this one, with its files in [UnderFolder]:
	// readonly_backend of world.mt. It is never changed. nil means none.
	Under *Config

	// Remote allows connections to a server on another machine. Without it the error wraps [ErrRemote]: an untrusted
	// world may name any server.
	Remote bool

	// Force makes [OpenForWriting] open a store even if another program has it open. LevelDB ignores Force, see
	// [Backend.Alone].
	Force bool
}

// Redis holds the redis_ settings of world.mt.
type Redis struct {
	Address  string // a host, or the path of a Unix socket if it contains a "/"
	Hash     string // the name of the hash with the blocks
	Port     int    // 0 means 6379
	Password string
}

// A Block is a stored block: its position and its bytes.
type Block struct {
	Pos  Pos
	Data []byte // owned by the caller
}

// A RowError reports a row that is not a valid block, or rows that are lost because a part of the file is damaged.
// The loop over the rows continues after it.
type RowError struct {
	Key string        // the key as stored
	Pos *Pos          // the position of the block, if the key is valid
	Err error         // a [fault.Error] with the cause
	At  []check.Place // the damaged parts of the file, if the error concerns them

	// Salvaged is set if the row is a complete block from data with a wrong checksum. The loop yields the block just
	// before this error.
	Salvaged bool
}

func (e *RowError) Error() string { return fmt.Sprint(e.Err) }
func (e *RowError) Unwrap() error { return e.Err }

// badRow returns a RowError about a field of a row.
func badRow(store, key, field, want, got string) *RowError {
	key = abridge(key)
	path := "blocks[" + key + "]"
	if field != "" {
		path += "." + field
	}
	return &RowError{Key: key, Err: &fault.Error{File: store, Path: path, Offset: -1, Want: want, Got: got, Err: fault.ErrFormat}}
}

// at sets the position of the block.
func (e *RowError) at(p Pos) *RowError {
	e.Pos = &p
	return e
}

// abridge shortens a key for a message.
func abridge(key string) string {
	if len(key) > 64 {
		return key[:64] + "..."
	}
	return key
}

// tooLarge returns a *RowError if the block at a position has more bytes than are read or written, or nil.
func tooLarge(store, key string, size int64, p Pos) error {
	over := effort.BlockData.Over(size)
	if over == nil {
		return nil
	}
	e := badRow(store, key, "data", over.Want, over.Got).at(p)
	e.Err.(*fault.Error).Err = over.Err
	return e
}

// A DB is a store of blocks opened for reading. Several goroutines may call its methods, also during a loop over
// Blocks or Positions.
type DB interface {
	// Get returns the bytes of a block. The error wraps ErrNotFound if the block does not exist, and is a *RowError
	// if its row is damaged. Get returns a block salvaged from damaged data without an error; Blocks reports it, see
	// [RowError.Salvaged].
	Get(ctx context.Context, p Pos) ([]byte, error)

	// Blocks yields the blocks of an area in the order of the store's keys, with one page of them in memory at a
	// time. After an error that is a *RowError, which concerns one row, the loop continues; any other error ends it.
	Blocks(ctx context.Context, a Area) iter.Seq2[Block, error]

	// Positions is Blocks without the bytes, which are not read if the store can avoid it. It may yield the position
	// of a row whose data is damaged.
	Positions(ctx context.Context, a Area) iter.Seq2[Pos, error]

	// Count returns the number of blocks.
	Count(ctx context.Context) (int64, error)

	// String describes the store in a few words.
	String() string

	// Close closes the store.
	Close() error
}

// A Verifier is a DB that may have lost blocks through damage without any read failing.
type Verifier interface {
	// Verify searches for this kind of damage; later reads report the damage that it finds. It takes as long as
	// reading all blocks.
	Verify(ctx context.Context) error
	// Damage returns the known damage of the store that caused no loss of blocks.
	Damage() []*RowError
}

// Verify searches a [Verifier] for damage, so that later reads report everything that is missing.
func Verify(ctx context.Context, db DB) error {
	if v, ok := db.(Verifier); ok {
		return v.Verify(ctx)
	}
	return nil
}

// A Tx is a transaction. It returns an error for a position that cannot be stored and for a block larger than
// [effort.BlockData].
type Tx interface {
	Get(p Pos) ([]byte, error) // sees the changes of the transaction
	Put(p Pos, data []byte) error
	Delete(p Pos) error // the block need not exist
}

// A Writer is a store of blocks opened for writing, for use by one goroutine. While a transaction runs, the methods
// of DB may or may not see its changes.
type Writer interface {
	DB

	// Update runs f in a transaction. If f fails, nothing changes and Update returns the error of f. After Update has
	// returned nil, all changes are on disk, unless the store is [Config.Unseen]. For stores without native
	// transactions, the changes are held in memory until f returns.
	Update(ctx context.Context, f func(Tx) error) error

	// Store is Update with a Put for each block, and faster.
	Store(ctx context.Context, blocks []Block) error
}

// InAnyOrder yields all blocks as [DB.Blocks] does, but in the cheapest order, which for a database is the order in
// which they were written.
func InAnyOrder(ctx context.Context, db DB) iter.Seq2[Block, error] {
	if db, ok := db.(interface {
		inAnyOrder(context.Context) iter.Seq2[Block, error]
	}); ok {
		return db.inAnyOrder(ctx)
	}
	return db.Blocks(ctx, All())
}

// InUse returns an error that wraps [ErrInUse] if other programs are connected to the server of a store. Stores in files have
// none: see [OpenForWriting].
func InUse(ctx context.Context, db DB) error {
	if s, ok := db.(interface{ inUse(context.Context) error }); ok {
		return s.inUse(ctx)
	}
	return nil
}

// Rest releases resources that other programs could notice, for a store that stays open unused, possibly for hours.
// The next read acquires them again.
func Rest(db DB) error {
	if r, ok := db.(interface{ rest() error }); ok {
		return r.rest()
	}
	return nil
}

// Package mapdb reads and writes the databases that hold the blocks of a world:
// SQLite, LevelDB, PostgreSQL, Redis, folders of files, and memory. It knows
// where blocks are, and not what is in them.
//
// [Open] never changes a world, and does not stand in the way of a server that
// runs on it: what is read is read in pages, each in a short transaction of its
// own. [Create] makes a fresh store in a new place. [OpenForWriting] changes one
// in place, in transactions.
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
	"trowel.example/internal/inuse"
	"trowel.example/internal/server"
	"trowel.example/internal/sqlitefile"
)

// The names of the backends, as world.mt has them; Sectors is the name for the
// folders of files of worlds from before 2011, which have no backend.
const (
	SQLite   = "sqlite3"
	LevelDB  = "leveldb"
	Postgres = "postgresql"
	RedisDB  = "redis"
	Dummy    = "dummy"
	Sectors  = "sectors"
)

// MaxBlock is the largest block that is read or written, in bytes. Real ones
// have less than a thousandth of that.
const MaxBlock = 64 << 20

// Why a store does not give or take a block.
var (
	// ErrNotFound means that a store has no block at a position.
	ErrNotFound = errors.New("no such block")
	// ErrInUse means that a program has a store open that is to be changed.
	ErrInUse = inuse.ErrInUse
	// ErrReadOnly means that stores of a kind can be neither made nor changed.
	ErrReadOnly = errors.New("this kind of store can be read only")
	// ErrRemote means that a store is on a server and connections to it are not allowed, see
	// [Config.Remote].
	ErrRemote = server.ErrRemote

	errClosed = sqlitefile.ErrClosed
)

// A Schema is the shape of the table of an SQLite database.
type Schema int

const (
	SchemaPos Schema = iota // one column pos with the key: every version of the game reads it
	SchemaXYZ               // columns x, y and z: versions from 5.12 on
)

func (s Schema) String() string {
	if s == SchemaXYZ {
		return "x, y, z"
	}
	return "pos"
}

// Config says where the blocks of a world are.
type Config struct {
	Backend  string // the name of one of [Backends]; "" is sqlite3, as in worlds from before 0.4.8
	Redis    Redis  // for that backend
	Postgres string // for that backend, a connection string: pgsql_connection of world.mt
	Schema   Schema // for Create with SQLite

	// Unseen is for a store that nobody but its writer uses until Close has returned,
	// which alone makes sure that all is on disk, and before that the files may be none that
	// a game reads. A program that is killed leaves what [OpenForWriting] continues with: all
	// transactions that had ended, and of one of Store perhaps a part; a system that crashes
	// may leave anything. A store that was made so and is read so can be read faster.
	Unseen bool

	// Moment is for reading: all that is read until Close is of one moment. PostgreSQL does
	// so, by a transaction that stays open; the other stores do what they always do.
	Moment bool

	// Under is the store, with its files in [UnderFolder], that has the blocks which this one lacks:
	// readonly_backend of world.mt. It is only read. nil: there is none.
	Under *Config

	// Remote allows a server on another machine. Without it the error wraps
	// [ErrRemote]: a world that somebody else made may name any server.
	Remote bool
}

// Redis is the redis_ settings of world.mt.
type Redis struct {
	Address  string // a host, or the path of a Unix socket if there is a "/" in it
	Hash     string // the name of the hash that holds the blocks
	Port     int    // 0 is 6379
	Password string
}

// A Block is a block as it is stored.
type Block struct {
	Pos  Pos
	Data []byte // the caller's own
}

// A RowError is about a row that is not a block, or about rows that are lost because a part
// of the file is damaged. The loop over the rows continues after it.
type RowError struct {
	Key string        // the key as the store has it
	Pos *Pos          // where the block would be, if the key says so
	Err error         // a [fault.Error] that says what is wrong
	At  []check.Place // the damaged parts of the file, if the error is about them

	// Salvaged is set if the row is a block nevertheless, which came just before: it was in
	// data with a wrong checksum.
	Salvaged bool
}

func (e *RowError) Error() string { return e.Err.Error() }
func (e *RowError) Unwrap() error { return e.Err }

// badRow makes a RowError about a field of a row.
func badRow(store, key, field, want, got string) *RowError {
	key = abridge(key)
	path := "blocks[" + key + "]"
	if field != "" {
		path += "." + field
	}
	return &RowError{Key: key, Err: &fault.Error{File: store, Path: path, Offset: -1, Want: want, Got: got, Err: fault.ErrFormat}}
}

// at tells where the block would be.
func (e *RowError) at(p Pos) *RowError {
	e.Pos = &p
	return e
}

// abridge cuts a key for a message.
func abridge(key string) string {
	if len(key) > 64 {
		return key[:64] + "..."
	}
	return key
}

// tooLarge is the error of a row with more than MaxBlock bytes.
func tooLarge(store, key string, size int64) *RowError {
	e := badRow(store, key, "data", fmt.Sprintf("at most %d bytes", MaxBlock), fmt.Sprint(size))
	e.Err.(*fault.Error).Err = fault.ErrLimit
	return e
}

// A DB is a store of blocks that is read. Its methods may be called by several
// goroutines, and while a loop over Blocks or Positions runs.
type DB interface {
	// Get returns the bytes of a block. The error wraps ErrNotFound if there is none,
	// and is a *RowError if its row is damaged. A block that was salvaged from damaged data is
	// returned without an error: Blocks reports those, see [RowError.Salvaged].
	Get(ctx context.Context, p Pos) ([]byte, error)

	// Blocks goes through the blocks of an area, in the order of the store's keys,
	// with memory for one page of them. An error that is a *RowError concerns one
	// row, and the loop continues; any other error is the last thing that it gives.
	Blocks(ctx context.Context, a Area) iter.Seq2[Block, error]

	// Positions is Blocks without the bytes, which are not read where the store
	// can do without. It may give the position of a row whose data are damaged.
	Positions(ctx context.Context, a Area) iter.Seq2[Pos, error]

	// Count returns how many blocks there are.
	Count(ctx context.Context) (int64, error)

	// String describes the store in a few words.
	String() string

	// Close ends the use of the store.
	Close() error
}

// A Verifier is a DB in which blocks can be missing, because it is damaged, although no
// read fails.
type Verifier interface {
	// Verify looks for such damage; whatever reads the blocks afterwards reports it. It takes
	// as long as reading all blocks.
	Verify(ctx context.Context) error
	// Damage returns the known damage of the store by which no block is lost.
	Damage() []*RowError
}

// Verify makes sure that reading a store reports everything that is missing in it.
func Verify(ctx context.Context, db DB) error {
	if v, ok := db.(Verifier); ok {
		return v.Verify(ctx)
	}
	return nil
}

// A Tx is a transaction. A position that cannot be stored, or a block larger
// than [MaxBlock], is an error.
type Tx interface {
	Get(p Pos) ([]byte, error) // what is there, the changes of the transaction among it
	Put(p Pos, data []byte) error
	Delete(p Pos) error // of a block that need not be there
}

// A Writer is a store of blocks that is written. It is used by one goroutine.
// What a DB reads of it while a transaction runs may be from before that, or not.
type Writer interface {
	DB

	// Update runs f in a transaction. If f fails, nothing is changed, and Update
	// returns its error. Once Update has returned nil, all is on disk, unless the
	// store is [Config.Unseen]. Stores without transactions of their own hold the
	// changes in memory until then.
	Update(ctx context.Context, f func(Tx) error) error

	// Store is Update with a Put for each block, and faster.
	Store(ctx context.Context, blocks []Block) error

	// Load stores many blocks, in transactions of a few MiB each, and returns how
	// many it has stored. The first error of the sequence that is not a *RowError
	// ends it; those are skipped.
	Load(ctx context.Context, blocks iter.Seq2[Block, error]) (int64, error)
}

// InAnyOrder goes through all blocks as [DB.Blocks] does, but in the order that costs
// least, which for a database is that in which they were written.
func InAnyOrder(ctx context.Context, db DB) iter.Seq2[Block, error] {
	if db, ok := db.(interface {
		inAnyOrder(context.Context) iter.Seq2[Block, error]
	}); ok {
		return db.inAnyOrder(ctx)
	}
	return db.Blocks(ctx, All())
}

// Rest is for a store that stays open while nobody reads it, perhaps for hours: it gives back
// what another program could notice. The next read takes it again.
func Rest(db DB) error {
	if r, ok := db.(interface{ rest() error }); ok {
		return r.rest()
	}
	return nil
}

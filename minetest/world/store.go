package world

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"trowel.example/check"
	"trowel.example/internal/stores/server"
	"trowel.example/minetest/mapdb"
)

// Failed reports whether an error comes from a database server, or from the permissions of a file. Such an error is not about the
// contents of the world, which may be sound.
func Failed(err error) bool { return server.Failed(err) || errors.Is(err, fs.ErrPermission) }

// Store is a set of named things: players, accounts, or the data of mods.
//
// The store itself sees the changes of Put and Delete immediately; others see all of them after Commit. A store must
// not be used by several goroutines at the same time.
type Store[T any] interface {
	// Names yields the names of all things, each once. After an error about one thing, the iteration continues.
	Names(ctx context.Context) iter.Seq2[string, error]
	// Get returns a thing. The error is [ErrNotFound] if there is none, and a [fault.Error] if it cannot be read.
	Get(ctx context.Context, name string) (T, error)
	// Put adds a thing, or replaces the thing with the same name.
	Put(ctx context.Context, thing T) error
	// Delete removes a thing. It returns [ErrNotFound] if there is none.
	Delete(ctx context.Context, name string) error
	// Commit applies all changes, or none if it returns an error.
	Commit(ctx context.Context) error
	// Close closes the store. Changes since the last Commit are lost.
	Close() error
}

// The stores of a world.
type (
	Players = Store[*Player]
	Auth    = Store[*Account]
	Storage = Store[*ModData]
)

var (
	// ErrNotFound means that a store contains nothing with the name.
	ErrNotFound = fmt.Errorf("no such entry: %w", fs.ErrNotExist)
	// ErrReadOnly means that a store was opened for reading only.
	ErrReadOnly = errors.New("opened for reading only")
	// ErrRemote means that a world names a server that has not been allowed.
	ErrRemote = server.ErrRemote
)

// Options control how a store is opened. The zero value reads what is in the folder.
type Options struct {
	// Backend replaces the backend that world.mt names.
	Backend string
	// Write opens the store for writing, and creates it if it does not exist.
	Write bool
	// Remote allows connections to database servers on other machines. A world from an untrusted source may name any
	// server.
	Remote bool
	// Postgres replaces the connection string of world.mt.
	Postgres string
	// Moment is a store of blocks that was opened with [mapdb.Config.Moment]; may be nil. Other stores in the same
	// database are read as they were at the same moment.
	Moment mapdb.DB
	// Lost receives the errors and places of the parts of a damaged file that cannot be read, while the rest is read;
	// may be nil.
	Lost func(err error, at []check.Place)
	// All also searches for damage that reading does not encounter, and reports to Lost even damage that loses
	// nothing.
	All bool
}

// OpenPlayers opens the players of the world in dir. s contains the settings of world.mt. A store that does not exist
// is empty.
func OpenPlayers(ctx context.Context, dir string, s *Settings, opts Options) (Players, error) {
	return openPart(ctx, dir, s, opts, PlayersPart, playerStores)
}

// OpenAuth opens the accounts of the world in dir, like [OpenPlayers].
func OpenAuth(ctx context.Context, dir string, s *Settings, opts Options) (Auth, error) {
	return openPart(ctx, dir, s, opts, AuthPart, accountStores)
}

// OpenStorage opens the mod storage of the world in dir, like [OpenPlayers].
func OpenStorage(ctx context.Context, dir string, s *Settings, opts Options) (Storage, error) {
	return openPart(ctx, dir, s, opts, StoragePart, modStores)
}

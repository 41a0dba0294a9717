package world

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"trowel.example/check"
	"trowel.example/internal/server"
	"trowel.example/minetest/mapdb"
)

// Failed reports whether an error comes from a database server, so that it says
// nothing about the world.
func Failed(err error) bool { return server.Failed(err) }

// Store is a set of things with names: players, accounts, or what mods keep.
//
// The store itself sees the changes of Put and Delete at once; others see all of them
// after Commit. A store is for one goroutine at a time.
type Store[T any] interface {
	// Names yields the names of all things, each once. An error may be about one
	// of them only: then others follow.
	Names(ctx context.Context) iter.Seq2[string, error]
	// Get returns a thing. If there is none the error is [ErrNotFound]; if it
	// cannot be read it is a [fault.Error] that says why.
	Get(ctx context.Context, name string) (T, error)
	// Put adds a thing, or replaces the one of the same name.
	Put(ctx context.Context, thing T) error
	// Delete removes a thing. If there is none the error is [ErrNotFound].
	Delete(ctx context.Context, name string) error
	// Commit makes all changes valid, or none if it returns an error.
	Commit(ctx context.Context) error
	// Close ends the use of the store. Changes since the last Commit are lost.
	Close() error
}

// The stores of a world.
type (
	Players = Store[*Player]
	Auth    = Store[*Account]
	Storage = Store[*ModData]
)

var (
	// ErrNotFound means that a store has no thing of a name.
	ErrNotFound = fmt.Errorf("no such entry: %w", fs.ErrNotExist)
	// ErrReadOnly means that a store was not opened for writing.
	ErrReadOnly = errors.New("opened for reading only")
	// ErrRemote means that a world names a server that must be allowed first.
	ErrRemote = server.ErrRemote
)

// Options say how a store is opened. The zero value reads what is in the folder.
type Options struct {
	// Backend is the backend to open in place of the one that world.mt names.
	Backend string
	// Write opens for writing, and makes what does not exist yet.
	Write bool
	// Remote allows connections to database servers on other machines. A world
	// that somebody else made may name any server.
	Remote bool
	// Postgres is the connection string to use in place of that of world.mt.
	Postgres string
	// Moment is a store of blocks that was opened with [mapdb.Config.Moment]: what is in the same
	// database is read as it was at that moment, too. May be nil.
	Moment mapdb.DB
	// Lost is told what cannot be read of a damaged file, of which the rest is read, and
	// where that is; may be nil.
	Lost func(err error, at []check.Place)
	// All looks for damage that reading does not meet, too, and tells Lost even of such by
	// which nothing is lost.
	All bool
}

// OpenPlayers opens the players of the world in dir, whose world.mt has the
// settings s. What does not exist is an empty store.
func OpenPlayers(ctx context.Context, dir string, s *Settings, opts Options) (Players, error) {
	return openPart(ctx, dir, s, opts, PlayersPart, playerStores)
}

// OpenAuth opens the accounts of the world in dir, like [OpenPlayers].
func OpenAuth(ctx context.Context, dir string, s *Settings, opts Options) (Auth, error) {
	return openPart(ctx, dir, s, opts, AuthPart, accountStores)
}

// OpenStorage opens what mods keep in the world in dir, like [OpenPlayers].
func OpenStorage(ctx context.Context, dir string, s *Settings, opts Options) (Storage, error) {
	return openPart(ctx, dir, s, opts, StoragePart, modStores)
}

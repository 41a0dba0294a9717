// Package sealed keeps files encrypted in another store. The page in the browser does not read them.
package sealed

import (
	"context"
	"errors"

	"trowel.example/internal/stores/storage"
)

// ErrNoKey means that the user has no key of a store.
var ErrNoKey = errors.New("encrypted repositories need the program")

type (
	// Key is the key of a store.
	Key struct{}
	// Readers are those who can read a store.
	Readers struct {
		Recipients []string
		Passphrase bool
	}
	// Store is a store that encrypts files.
	Store struct{ storage.Store }
)

func HasSecret() bool                { return false }
func NewKey() (*Key, error)          { return nil, ErrNoKey }
func (*Key) Name() string            { return "" }
func (s *Store) Base() storage.Store { return s.Store }
func (r Readers) Empty() bool        { return true }

func (*Key) Wrap(context.Context, storage.Store, Readers) ([]string, error) { return nil, ErrNoKey }

func IsKey(string) bool { return false }

func Wrapped(context.Context, storage.Store) ([]string, error) { return nil, ErrNoKey }

func CheckKeys(context.Context, storage.Store, func(string, error)) error { return nil }

func Unwrap(context.Context, storage.Store, string) (*Key, error) {
	return nil, ErrNoKey
}

func New(s storage.Store, _ *Key, _ ...string) *Store { return &Store{s} }

// Package storage keeps files by name, where each is there as a whole or not at all: in a [Folder],
// or in whatever else has the methods of a [Store], such as a bucket of object storage.
package storage

import (
	"context"
	"errors"
	"io"
	"time"
)

// Store keeps files by name. Names are as [io/fs.ValidPath] says, with / between folders, which
// come to be when something is put into them. Its methods may be called at the same time.
//
// An error about a file that is not there wraps [io/fs.ErrNotExist]. An error that says
// nothing about what is kept, since nobody could be asked, is [Unavailable].
type Store interface {
	// Path returns what people call a file; "" is the whole store.
	Path(name string) string
	// Open opens a file for reading, until the context ends.
	Open(ctx context.Context, name string) (File, error)
	// Create begins a file, until the context ends. Nobody sees it before it is committed. If there
	// is one of its name, the error of Create or of Commit wraps [io/fs.ErrExist].
	Create(ctx context.Context, name string) (Writer, error)
	// List calls do with each file below a folder, in any order; "" is the whole store. A folder that
	// is not there has none. If do returns an error, List ends and returns that.
	List(ctx context.Context, folder string, do func(Info) error) error
	// Remove removes a file.
	Remove(ctx context.Context, name string) error
	// Lock keeps out those who want to be alone, and if alone is set all others who take a lock.
	// If that cannot be, the error is [ErrLocked]. A store may let nobody in but one at a time.
	Lock(ctx context.Context, alone bool) (Lock, error)
}

// File is a file that is open for reading, by any number of goroutines.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64 // in bytes
}

// Writer is a file in the making.
type Writer interface {
	io.Writer
	// Commit ends it. When it returns, the file is there and outlives a crash; after an error
	// nothing is there, or if nobody answers, nobody knows.
	Commit() error
	// Discard ends it and leaves nothing. After Commit it does nothing.
	Discard()
}

// Info says what there is to know of a file in a list.
type Info struct {
	Name string // from the store on
	Size int64  // in bytes
	Time time.Time
}

// Lock is a lock that is held.
type Lock interface {
	// Held returns an error if it is not certain that the lock is still held. A lock that is kept
	// elsewhere is lost if its holder stood still for some time.
	Held(ctx context.Context) error
	// Unlock gives it back.
	Unlock() error
}

// ErrLocked means that somebody else has a lock.
var ErrLocked = errors.New("another run works there")

// Unavailable makes an error one that says nothing about what is kept: a server that does not
// answer, or refuses.
func Unavailable(err error) error { return &unavailable{err} }

type unavailable struct{ err error }

func (u *unavailable) Error() string { return u.err.Error() }
func (u *unavailable) Unwrap() error { return u.err }

// IsUnavailable reports whether an error says nothing about what is kept. It does not if the
// context of a call has ended.
func IsUnavailable(err error) bool {
	var u *unavailable
	return errors.As(err, &u) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// ReadFile reads a file of at most limit bytes.
func ReadFile(ctx context.Context, s Store, name string, limit int64) (_ []byte, err error) {
	f, err := s.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if f.Size() > limit {
		return nil, tooLarge(s, name, f.Size(), limit)
	}
	data := make([]byte, f.Size())
	if n, err := f.ReadAt(data, 0); n < len(data) {
		return nil, err
	}
	return data, nil
}

// WriteFile makes a file.
func WriteFile(ctx context.Context, s Store, name string, data []byte) error {
	w, err := s.Create(ctx, name)
	if err != nil {
		return err
	}
	defer w.Discard()
	if _, err := w.Write(data); err != nil {
		return err
	}
	return w.Commit()
}

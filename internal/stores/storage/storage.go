// Package storage stores files by name. A file is either stored completely or not at all. [Folder] stores files in the
// file system; other implementations of [Store], such as for buckets of object storage, are possible.
package storage

import (
	"context"
	"errors"
	"io"
	"time"

	"trowel.example/internal/limits/effort"
)

// Store stores files by name. Names are valid by [io/fs.ValidPath] and use / between folders, which are created when a
// file is stored in them. The methods may be called concurrently.
//
// The error for a missing file wraps [io/fs.ErrNotExist]. An error that says little about the stored files, because
// the store could not be reached, is marked with [Unavailable].
type Store interface {
	// Path returns the name of a file as shown to people; "" is the whole store.
	Path(name string) string
	// Open opens a file for reading. The file is usable until the context ends.
	Open(ctx context.Context, name string) (File, error)
	// Create starts a new file, to be completed before the context ends. The file is visible only after Commit. If a
	// file of this name exists, the error of Create or of Commit wraps [io/fs.ErrExist].
	Create(ctx context.Context, name string) (Writer, error)
	// List calls do with each file below a folder, in any order; "" is the whole store. A missing folder has no files.
	// If do returns an error, List stops and returns the error.
	List(ctx context.Context, folder string, do func(Info) error) error
	// Remove removes a file.
	Remove(ctx context.Context, name string) error
	// Lock takes a lock on the store: an exclusive one if alone is set, otherwise a shared one. An exclusive lock
	// excludes all other locks. If the lock is not available, the error is [ErrLocked]. A store may treat every lock
	// as exclusive.
	Lock(ctx context.Context, alone bool) (Lock, error)
}

// File is a file open for reading. Any number of goroutines may use it.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64 // in bytes
}

// Writer is a file that is being written.
type Writer interface {
	io.Writer
	// Commit completes the file. When it returns nil, the file exists and survives a crash. After an error the file
	// does not exist; if the error is [Unavailable], it may exist.
	Commit() error
	// Discard removes the incomplete file. After Commit it does nothing.
	Discard()
}

// Info describes a file in a list.
type Info struct {
	Name string // relative to the store
	Size int64  // in bytes
	Time time.Time
}

// Lock is a lock on a store.
type Lock interface {
	// Held returns an error unless the lock is certainly still held. A lock on a server is lost if its holder did not
	// run for some time.
	Held(ctx context.Context) error
	// Unlock releases the lock.
	Unlock() error
}

// ErrLocked means that another process holds a lock.
var ErrLocked = errors.New("another run is using this store")

// Unavailable marks an error as one that says little about the stored files, such as a server that does not answer or
// rejects the request.
func Unavailable(err error) error { return &unavailable{err} }

type unavailable struct{ err error }

func (u *unavailable) Error() string { return u.err.Error() }
func (u *unavailable) Unwrap() error { return u.err }

// IsUnavailable reports whether an error says little about the stored files. This includes errors of a context that
// has ended.
func IsUnavailable(err error) bool {
	var u *unavailable
	return errors.As(err, &u) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// ReadFile reads a file of the size that limit allows.
func ReadFile(ctx context.Context, s Store, name string, limit *effort.Kind) (_ []byte, err error) {
	f, err := s.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if f.Size() > limit.Limit(0) {
		return nil, tooLarge(s, name, f.Size(), limit)
	}
	data := make([]byte, f.Size())
	if n, err := f.ReadAt(data, 0); n < len(data) {
		return nil, err
	}
	return data, nil
}

// WriteFile writes a new file.
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

package work

import (
	"context"
	"io"
)

// Store stores the results of parts and other data of a work by name, in a folder or in object storage. Names
// consist of elements as in [Part.Valid], separated by slashes.
type Store interface {
	// Put stores the output of write, replacing existing data. The change is atomic: if write fails or the
	// process is killed, the existing data stays.
	Put(ctx context.Context, name string, write func(io.Writer) error) error
	// Add is Put for data that is written once: existing data stays, even if it was just written by another
	// process, and Add returns nil. If the data exists when Add begins, write is not called.
	Add(ctx context.Context, name string, write func(io.Writer) error) error
	// Open opens stored data. The error wraps [io/fs.ErrNotExist] if there is none.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Has reports whether there is data with a name.
	Has(ctx context.Context, name string) (bool, error)
	// List calls do for all data in a folder and its subfolders, with names relative to the folder and sizes in bytes.
	// Without the folder, do is not called.
	List(ctx context.Context, folder string, do func(name string, size int64) error) error
	// Remove removes stored data, if it exists.
	Remove(ctx context.Context, name string) error
}

package work

import (
	"context"
	"io"
)

// Store keeps the results of parts, and what else belongs to a work, by name: a folder, or
// object storage. Names are those of [Part.Valid], and folders of them with / between.
type Store interface {
	// Put keeps what write writes, in place of what was there. It is there as a whole or not
	// at all: if write fails or the process is killed, what was there before stays.
	Put(ctx context.Context, name string, write func(io.Writer) error) error
	// Add is Put for what is made once: if there is something under the name, be it since a
	// moment ago, that stays, and Add returns nil. If it is there when Add begins, write is not
	// called.
	Add(ctx context.Context, name string, write func(io.Writer) error) error
	// Open opens what is kept under a name. The error wraps [io/fs.ErrNotExist] if that is
	// nothing.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Has reports whether something is kept under a name.
	Has(ctx context.Context, name string) (bool, error)
}

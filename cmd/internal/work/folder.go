package work

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example/internal/wholefile"
)

// Folder is a [Store] in a folder, which is made when something is put into it. Several
// processes may put the same at the same time: one of them is what stays.
type Folder string

func (f Folder) path(name string) string { return filepath.Join(string(f), filepath.FromSlash(name)) }

// Put keeps what write writes.
func (f Folder) Put(_ context.Context, name string, write func(io.Writer) error) error {
	return f.put(name, write, os.Rename)
}

// Add keeps what write writes, if nothing is there.
func (f Folder) Add(ctx context.Context, name string, write func(io.Writer) error) error {
	if has, err := f.Has(ctx, name); has || err != nil {
		return err
	}
	return f.put(name, write, wholefile.Keep)
}

// put makes a file of what write writes, which name gives its name.
func (f Folder) put(name string, write func(io.Writer) error, give func(part, path string) error) error {
	path := f.path(name)
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	part, err := wholefile.Create(path)
	if err != nil {
		return err
	}
	if err = errors.Join(write(part), part.Sync(), part.Close()); err == nil {
		err = give(part.Name(), path)
	}
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) && at.Path == part.Name() {
			at.Path = path // that says more
		}
		return errors.Join(err, os.Remove(part.Name()))
	}
	return wholefile.SyncDir(dir)
}

// Open opens what is kept under a name.
func (f Folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	return os.Open(f.path(name))
}

// Has reports whether something is kept under a name.
func (f Folder) Has(_ context.Context, name string) (bool, error) {
	_, err := os.Stat(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

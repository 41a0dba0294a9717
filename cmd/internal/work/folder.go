package work

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"trowel.example/internal/files/wholefile"
)

// Folder is a [Store] in a folder, which is created on the first write. If several processes write the same
// name at the same time, one result remains.
type Folder string

func (f Folder) path(name string) string { return filepath.Join(string(f), filepath.FromSlash(name)) }

// Put stores the output of write.
func (f Folder) Put(_ context.Context, name string, write func(io.Writer) error) error {
	return f.put(name, write, os.Rename)
}

// Add stores the output of write, unless the name exists.
func (f Folder) Add(ctx context.Context, name string, write func(io.Writer) error) error {
	if has, err := f.Has(ctx, name); has || err != nil {
		return err
	}
	return f.put(name, write, wholefile.Keep)
}

// Guard restricts the folder to its owner if only the owner may read one of the plan's files, or a file inside
// one of them, as in a world. Relative names are relative to dir.
func (f Folder) Guard(plan *Plan, dir string) error {
	seen := make(map[string]bool)
	for _, p := range plan.Parts {
		if seen[p.File] || p.File == "" {
			continue
		}
		seen[p.File] = true
		path := p.File
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if OwnerOnly(path) {
			return wholefile.SetMode(string(f), 0o700)
		}
	}
	return nil
}

// OwnerOnly reports whether only the owner may read a file, or some file in a folder.
func OwnerOnly(path string) bool {
	if runtime.GOOS == "windows" {
		return false
	}
	ok := false
	_ = filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // the error is reported when the file is read
		}
		info, err := os.Stat(at)
		if ok = err == nil && (at == path || info.Mode().IsRegular()) && info.Mode().Perm()&0o077 == 0; ok {
			return fs.SkipAll
		}
		return nil
	})
	return ok
}

// put writes the output of write to a temporary file; give moves it to its name.
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
	if err = errors.Join(write(part), wholefile.Flush(part), part.Close()); err == nil {
		err = give(part.Name(), path)
	}
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) && at.Path == part.Name() {
			at.Path = path // the final path is more useful than that of the temporary file
		}
		return errors.Join(err, os.Remove(part.Name()))
	}
	return wholefile.SyncDir(dir)
}

// Open opens a stored file.
func (f Folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	return os.Open(f.path(name))
}

// Has reports whether a name exists.
func (f Folder) Has(_ context.Context, name string) (bool, error) {
	_, err := os.Stat(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// List lists a folder without hidden files, such as incomplete ones.
func (f Folder) List(_ context.Context, folder string, do func(name string, size int64) error) error {
	base := f.path(folder)
	err := filepath.WalkDir(base, func(at string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(base, at)
		if err != nil {
			return err
		}
		return do(filepath.ToSlash(rel), info.Size())
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Remove removes stored data, if it exists.
func (f Folder) Remove(_ context.Context, name string) error {
	if err := os.Remove(f.path(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Sweep removes incomplete results and files of killed workers that were last written before a time. It ignores errors:
// they do no harm.
func (f Folder) Sweep(before time.Time) {
	for _, folder := range []string{resultFolder, filesFolder} {
		_ = filepath.WalkDir(f.path(folder), func(at string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && wholefile.IsPart(e.Name()) {
				if info, err := e.Info(); err == nil && info.ModTime().Before(before) {
					_ = os.Remove(at)
				}
			}
			return nil
		})
	}
}

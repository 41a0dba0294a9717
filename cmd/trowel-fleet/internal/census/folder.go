package census

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/cmd/internal/work"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
)

// Folder is a dataset in a folder of the file system. Only one run at a time writes to it.
type Folder struct {
	root *os.Root
	lock *os.File
	mode fs.FileMode
}

const lockName = ".trowel-census"

// lookInto opens the folder at a path for reading, while other processes may write to it. The error wraps
// [io/fs.ErrNotExist] if the folder does not exist.
func lookInto(name string) (*Folder, error) {
	root, err := regular.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &Folder{root: root}, nil
}

// OpenFolder opens or creates the folder at a path. If ownerOnly is set, only the owner can read its files.
func OpenFolder(ctx context.Context, name string, ownerOnly bool) (*Folder, error) {
	if err := os.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	root, err := regular.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	f := &Folder{root: root, mode: 0o666}
	if ownerOnly {
		f.mode, err = 0o600, wholefile.SetMode(name, 0o700) // the folder also contains files of earlier runs
	}
	var names []string
	err = errors.Join(err, f.List(ctx, "", func(name string, _ int64) error {
		names = append(names, name)
		return nil
	}))
	if err == nil && len(names) > 0 && !slices.Contains(names, indexName) {
		err = fmt.Errorf("%s: %w", name, errNotOurs)
	}
	if err == nil {
		f.lock, err = root.OpenFile(lockName, os.O_RDWR|os.O_CREATE, f.mode)
	}
	if err == nil && errors.Is(filelock.Try(f.lock), filelock.ErrTaken) {
		err = fmt.Errorf("%s: another run is writing there", name)
	}
	if err == nil {
		err = f.clean(ctx)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Sync flushes the whole folder to disk.
func (f *Folder) Sync() error { return output.Sync(f.root.Name()) }

// Close closes the folder.
func (f *Folder) Close() error {
	if f.lock != nil {
		f.lock.Close()
	}
	return f.root.Close()
}

// clean removes incomplete files of killed runs.
func (f *Folder) clean(ctx context.Context) error {
	folders := []string{"."}
	for _, in := range []string{"", keptFolder} {
		if err := f.List(ctx, in, func(name string, size int64) error {
			if size < 0 && (tableName(name) || in == "" && (name == partsFolder || name == runsFolder)) {
				folders = append(folders, path.Join(in, name))
			}
			return nil
		}); err != nil {
			return err
		}
	}
	for _, folder := range folders {
		if err := wholefile.RemovePartsIn(f.root, folder); err != nil {
			return err
		}
	}
	return nil
}

// Put stores the output of write. Until it is complete, the file is hidden and has another extension than
// tables have.
func (f *Folder) Put(_ context.Context, name string, write func(io.Writer) error) error {
	dir, base := path.Split(name)
	output.Step()
	if dir != "" {
		if err := f.root.MkdirAll(path.Clean(dir), 0o777); err != nil {
			return err
		}
	}
	part := dir + "." + base + wholefile.Suffix
	file, err := f.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, f.mode)
	if err != nil {
		return err
	}
	output.Step()
	err = write(file)
	output.Step()
	if err = errors.Join(err, file.Close()); err == nil {
		err = f.root.Rename(part, name)
	}
	if err != nil {
		return errors.Join(err, f.root.Remove(part))
	}
	return nil
}

// Link gives a file a second name.
func (f *Folder) Link(from, to string) error {
	output.Step()
	err := f.root.Link(from, to)
	if errors.Is(err, fs.ErrNotExist) {
		if err = f.root.MkdirAll(path.Dir(to), 0o777); err == nil {
			err = f.root.Link(from, to)
		}
	}
	return err
}

// takeOver links the file into the folder if both are below one folder, in which the link is made: it cannot lead out of it.
func (f *Folder) takeOver(ctx context.Context, name string, files *work.Files, ref work.Ref) (done bool, err error) {
	from, ok := files.Store.(work.Folder)
	if !ok {
		return false, nil
	}
	above := filepath.Dir(string(from))
	to, err := filepath.Rel(above, f.root.Name())
	if err != nil || !filepath.IsLocal(to) {
		return false, nil
	}
	dir, base := path.Split(name)
	part := dir + "." + base + wholefile.Suffix
	root, err := regular.OpenRoot(above)
	if err != nil {
		return false, nil
	}
	defer root.Close()
	if err := f.root.MkdirAll(path.Clean(dir), 0o777); err != nil {
		return false, err
	}
	if err := f.Remove(ctx, part); err != nil {
		return false, err
	}
	output.Step()
	at := filepath.Join(filepath.Base(string(from)), filepath.FromSlash(ref.Name()))
	if err := root.Link(at, filepath.Join(to, filepath.FromSlash(part))); err != nil {
		return false, nil // no links here, or no such file, which the copy reports
	}
	output.Step()
	info, err := f.root.Lstat(part)
	if err == nil && info.Size() == ref.Size && info.Mode().IsRegular() && info.Mode().Perm()&^f.mode == 0 {
		if err = f.root.Rename(part, name); err == nil {
			err = f.Remove(ctx, part) // it stays if name was the same file
		}
		return true, err
	}
	return false, f.Remove(ctx, part) // the copy reports what is wrong, or has the right permissions
}

// Open opens a file.
func (f *Folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	return f.root.Open(name)
}

// Remove removes a file, if it exists.
func (f *Folder) Remove(_ context.Context, name string) error {
	output.Step()
	if err := f.root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// List lists a folder without hidden files.
func (f *Folder) List(_ context.Context, folder string, do func(name string, size int64) error) error {
	dir, err := f.root.Open(path.Clean("./" + folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer dir.Close()
	for {
		entries, err := dir.ReadDir(1000)
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") {
				continue
			}
			info, err := e.Info()
			switch {
			case err != nil:
				return err
			case info.IsDir():
				err = do(e.Name(), -1)
			default:
				err = do(e.Name(), info.Size())
			}
			if err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

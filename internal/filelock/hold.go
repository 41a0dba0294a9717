package filelock

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// A Held is a path that this program keeps from every other one that asks [Hold] for it.
type Held struct {
	file *os.File // nil: nobody can lock here
}

var lockName = regexp.MustCompile(`^\.trowel-[0-9a-f]{16}\.lock$`)

// fileOf returns the lock file of a path. It is in the folder of the file that the path leads to, and
// is the same for all spellings of the name.
func fileOf(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if real, err = filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			real = filepath.Join(real, filepath.Base(path))
		}
	}
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return "", err
	}
	h := fnv.New64a()
	h.Write([]byte(strings.ToLower(filepath.Base(real))))
	return filepath.Join(filepath.Dir(real), fmt.Sprintf(".trowel-%016x.lock", h.Sum64())), nil
}

// TryHold holds a path, which need not exist, until Release. The error is [ErrTaken] if another
// program, or another part of this one, holds it. Where the file system has no locks it holds nothing,
// and returns no error.
func TryHold(path string) (*Held, error) {
	name, err := fileOf(path)
	if err != nil {
		return nil, err
	}
	for again := 0; ; again++ {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
		if errors.Is(err, fs.ErrPermission) {
			f, err = os.Open(name) // it is another user's
		}
		if removed(err) && again < 100 { // or about to be
			time.Sleep(pause)
			continue
		}
		if err != nil {
			return nil, err
		}
		err = Try(f)
		if errors.Is(err, errors.ErrUnsupported) {
			f.Close()
			_ = os.Remove(name)
			return new(Held), nil
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		if IsAt(f, name) {
			return &Held{f}, nil
		}
		f.Close() // whoever held it has removed it meanwhile
	}
}

// pause is how long to wait until another try, and moment what nobody has to be told of.
const pause = 10 * time.Millisecond

var moment = time.Second // for tests

// Hold is [TryHold], but waits while another one holds the path. It calls waiting once if that takes
// more than a moment; nil: nothing is called.
func Hold(ctx context.Context, path string, waiting func()) (*Held, error) {
	for began := time.Now(); ; {
		h, err := TryHold(path)
		if !errors.Is(err, ErrTaken) {
			return h, err
		}
		if waiting != nil && time.Since(began) > moment {
			waiting()
			waiting = nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%s: %w", path, errors.Join(ErrTaken, ctx.Err()))
		case <-time.After(pause):
		}
	}
}

// Release ends the holding.
func (h *Held) Release() {
	if h != nil && h.file != nil {
		RemoveLocked(h.file)
		h.file = nil
	}
}

// Sweep removes from a folder the lock files of runs that were killed.
func Sweep(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !lockName.MatchString(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		if f, err := os.OpenFile(filepath.Join(dir, e.Name()), os.O_RDWR, 0); err == nil {
			if st, err := f.Stat(); err == nil && st.Size() == 0 && Try(f) == nil && IsAt(f, f.Name()) {
				RemoveLocked(f)
			}
			f.Close()
		}
	}
}

// RemoveLocked removes a lock file that is locked, and ends the lock.
func RemoveLocked(f *os.File) {
	if runtime.GOOS != "windows" { // where no file is removed that is open, and none that another one waits with
		_ = os.Remove(f.Name())
	}
	f.Close()
	if runtime.GOOS == "windows" {
		_ = os.Remove(f.Name())
	}
}

// IsAt reports whether the file of a path is the one that is open.
func IsAt(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(mine, there)
}

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

// A Held is a path that is locked against all other callers of [Hold].
type Held struct {
	file *os.File // nil: locks are not supported
}

var lockName = regexp.MustCompile(`^\.trowel-[0-9a-f]{16}\.lock$`)

// fileOf returns the lock file of a path. It is in the folder of the file, with links resolved, and is the same for
// all spellings of the name.
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

// TryHold locks a path, which need not exist, until Release. The error is [ErrTaken] if the path is locked, by another
// program or by this one. If the file system has no locks, TryHold locks nothing and returns no error.
func TryHold(path string) (*Held, error) {
	name, err := fileOf(path)
	if err != nil {
		return nil, err
	}
	for again := 0; ; again++ {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
		denied := errors.Is(err, fs.ErrPermission)
		if denied {
			f, err = os.Open(name) // it belongs to another user
		}
		if gone := denied && errors.Is(err, fs.ErrNotExist); removed(err) && again < 100 || gone && again < 3 { // or being removed
			time.Sleep(pause)
			continue
		} else if gone {
			return nil, fmt.Errorf("%s: cannot write to the folder: %w", path, fs.ErrPermission)
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
		f.Close() // the holder has removed it meanwhile
	}
}

// pause is the time between two tries. moment is the time after which waiting is reported.
const pause = 10 * time.Millisecond

var moment = time.Second // for tests

// Hold is [TryHold], but waits while the path is locked. It calls waiting once if that takes more than a moment,
// unless waiting is nil.
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

// Release unlocks the path.
func (h *Held) Release() {
	if h != nil && h.file != nil {
		RemoveLocked(h.file)
		h.file = nil
	}
}

// Sweep removes the lock files of killed runs from a folder.
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

// RemoveLocked removes a locked lock file, and releases the lock.
func RemoveLocked(f *os.File) {
	if runtime.GOOS != "windows" { // on Windows open files cannot be removed, including files that another program waits for
		_ = os.Remove(f.Name())
	}
	f.Close()
	if runtime.GOOS == "windows" {
		_ = os.Remove(f.Name())
	}
}

// IsAt reports whether f is the file at path.
func IsAt(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(mine, there)
}

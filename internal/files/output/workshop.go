package output

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"

	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/wholefile"
)

// A workshop is the hidden folder in which an output is written, in the folder of its target. Its run keeps it locked.
// An unlocked workshop belongs to a killed run: [recoverRuns] completes the moves that this run had begun, and removes the
// workshop. The contents of the workshop alone determine how far the run had come:
//
//	lock    empty; locked by the run
//	moves   the journal, once all files are complete and there are several to rename
//	others  files and folders that are being written, and replaced files
type workshop struct {
	dir   string
	lock  *os.File
	stays bool // keep the contents for the next run
}

const (
	lockName = "lock"
	movesLog = "moves"
)

var workshopName = regexp.MustCompile(`^\.trowel-[0-9a-f]{16}\.tmp$`)

// Step is called before each change to the disk. Tests end the process there.
var Step = func() {}

// newWorkshop creates a workshop in the folder base.
func newWorkshop(base string) (*workshop, error) {
	for {
		w := &workshop{dir: filepath.Join(base, fmt.Sprintf(".trowel-%016x.tmp", rand.Uint64()))}
		Step()
		if err := os.Mkdir(w.dir, 0o700); errors.Is(err, fs.ErrExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		err := w.take()
		if errors.Is(err, filelock.ErrTaken) { // another run removed it as stale before it was locked
			continue
		}
		if err != nil {
			_ = os.RemoveAll(w.dir)
			return nil, err
		}
		return w, nil
	}
}

// take locks a workshop if it is not locked.
func (w *workshop) take() error {
	Step()
	f, err := os.OpenFile(w.path(lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return filelock.ErrTaken
	}
	if err != nil {
		return err
	}
	err = filelock.Try(f)
	if errors.Is(err, errors.ErrUnsupported) {
		err = nil // locks are unsupported here, so no run removes it as stale
	}
	if err == nil && !filelock.IsAt(f, f.Name()) {
		err = filelock.ErrTaken // the holder removed the lock file while it was being opened
	}
	if err != nil {
		f.Close()
		return err
	}
	w.lock = f
	return nil
}

func (w *workshop) path(name string) string { return filepath.Join(w.dir, name) }

// close removes the workshop with its contents. The journal is removed first and the lock last, so that the next run
// can remove the rest if this run is killed in between.
func (w *workshop) close() {
	if w.stays {
		w.lock.Close()
		return
	}
	Step()
	_ = os.Remove(w.path(movesLog))
	list, _ := os.ReadDir(w.dir)
	for _, e := range list {
		if e.Name() != lockName {
			Step()
			_ = removeAll(w.path(e.Name()))
		}
	}
	if list, err := os.ReadDir(w.dir); err != nil || len(list) != 1 {
		w.lock.Close() // a file is still open, on Windows: the next run removes it
		return
	}
	Step()
	filelock.RemoveLocked(w.lock)
	Step()
	_ = os.Remove(w.dir)
}

// removeAll removes a folder including subfolders without write permission.
func removeAll(path string) error {
	err := os.RemoveAll(path)
	if err == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() {
			_ = wholefile.SetMode(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}

// recoverRuns completes the work of killed runs in a folder, and removes their temporary files. It does not touch files of
// running processes or files that the tool did not create. It reports whether there was work to complete.
func recoverRuns(dir string) bool {
	ended := false
	filelock.Sweep(dir)
	for _, path := range workshopsIn(dir) {
		ended = recoverOne(path) || ended
	}
	return ended
}

// workshopsIn returns the paths of subfolders with names of workshops.
func workshopsIn(dir string) []string {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	var list []string
	for _, name := range names {
		if workshopName.MatchString(name) {
			list = append(list, filepath.Join(dir, name))
		}
	}
	return list
}

// recoverOne is recoverRuns for one workshop. It reports whether the workshop had a journal that is now complete.
func recoverOne(dir string) (ended bool) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !private(info) {
		return false
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	if len(list) == 0 { // its run stopped before the lock; if it still runs, it creates another workshop
		Step()
		_ = os.Remove(dir)
		return false
	}
	w := &workshop{dir: dir}
	f, err := os.OpenFile(w.path(lockName), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() || st.Size() != 0 || filelock.Try(f) != nil {
		f.Close()
		return false
	}
	w.lock = f
	if !filelock.IsAt(f, f.Name()) {
		f.Close()
		return false
	}
	if j, err := w.readJournal(); err == nil {
		if err := w.redo(j); err != nil {
			f.Close()
			return false // such as a full disk: the next run tries again
		}
		ended = true
	}
	w.close()
	return ended
}

// Unfinished reports whether a run, killed or still active, is moving files into a folder that already has some of
// them.
func Unfinished(dir string) bool {
	for _, path := range workshopsIn(dir) {
		if _, err := os.Lstat(filepath.Join(path, movesLog)); err == nil {
			return true
		}
	}
	return false
}

// Scratch creates a folder for temporary files of this run, in the system's folder for temporary files. The returned
// function removes it.
func Scratch() (string, func(), error) {
	base := os.TempDir()
	recoverRuns(base)
	w, err := newWorkshop(base)
	if err != nil {
		return "", nil, err
	}
	dir := w.path(newName)
	if err := os.Mkdir(dir, 0o700); err != nil {
		w.close()
		return "", nil, err
	}
	return dir, w.close, nil
}

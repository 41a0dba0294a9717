package output

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"

	"trowel.example/internal/filelock"
)

// A workshop is the hidden folder in which an output is made, in the folder that it goes
// to in the end. It is locked as long as its run lives. One that nobody has locked is of a
// run that was killed: [Recover] ends what that had begun to put in its place, and removes
// it. For the run that is in it nothing but what the workshop has tells how far it came:
//
//	lock    empty; locked by the run
//	moves   the journal, once all is whole and there is more than one thing to rename
//	others  files and folders that are being made, and what was replaced
type workshop struct {
	dir   string
	lock  *os.File
	stays bool // what is in it is for the next run
}

const (
	lockName = "lock"
	movesLog = "moves"
)

var workshopName = regexp.MustCompile(`^\.trowel-[0-9a-f]{16}\.tmp$`)

// Step is called before each change to the disk. Tests end the process there.
var Step = func() {}

// newWorkshop makes a workshop in the folder base.
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
		if errors.Is(err, filelock.ErrTaken) { // another run took it for an old one before it was locked
			continue
		}
		if err != nil {
			_ = os.RemoveAll(w.dir)
			return nil, err
		}
		return w, nil
	}
}

// take locks a workshop, if nobody has it.
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
		err = nil // nobody can lock it here, so that nobody takes it for an old one
	}
	if err == nil && !filelock.IsAt(f, f.Name()) {
		err = filelock.ErrTaken // whoever had it has removed it while it was opened
	}
	if err != nil {
		f.Close()
		return err
	}
	w.lock = f
	return nil
}

func (w *workshop) path(name string) string { return filepath.Join(w.dir, name) }

// close removes the workshop with everything in it. The journal goes first and the lock
// last, so that the next run can remove what a run that is killed here leaves.
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
		w.lock.Close() // something is still open, on Windows: the next run removes it
		return
	}
	Step()
	filelock.RemoveLocked(w.lock)
	Step()
	_ = os.Remove(w.dir)
}

// removeAll removes even what is in folders that may not be written.
func removeAll(path string) error {
	err := os.RemoveAll(path)
	if err == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}

// Recover ends what killed runs had begun in a folder, and removes what they left there.
// It leaves alone what belongs to a run that lives, and what the tool did not make. It
// reports whether there was something that it ended.
func Recover(dir string) bool {
	ended := false
	filelock.Sweep(dir)
	for _, path := range workshopsIn(dir) {
		ended = recoverOne(path) || ended
	}
	return ended
}

// workshopsIn returns the folders of a folder that are named as workshops are.
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

// recoverOne is Recover for one workshop. It reports whether a journal was there, and what
// it had begun is done now.
func recoverOne(dir string) (ended bool) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !private(info) {
		return false
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	if len(list) == 0 { // of a run that came no further; if it lives it makes another
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
			return false // such as a disk that is full: the next run tries again
		}
		ended = true
	}
	w.close()
	return ended
}

// Unfinished reports whether a killed run, or one that lives, is about to put files into a
// folder, which has some of them already.
func Unfinished(dir string) bool {
	for _, path := range workshopsIn(dir) {
		if _, err := os.Lstat(filepath.Join(path, movesLog)); err == nil {
			return true
		}
	}
	return false
}

// Scratch makes a folder for what is needed in this run only, among the system's temporary
// files. The function that it returns removes it.
func Scratch() (string, func(), error) {
	base := os.TempDir()
	Recover(base)
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

package output

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"trowel.example/internal/files/filelock"
)

// A Held is a file that only this run may read, change and replace.
type Held struct {
	// Path is the path of the file, with links resolved.
	Path string
	lock *filelock.Held
	was  fs.FileInfo // state of the file at Hold
}

// Hold locks a file or folder until Release. First it completes the work of killed runs in the folder of the file. It
// waits for other runs that hold the file, and calls waiting if that takes more than a moment.
func Hold(ctx context.Context, path string, waiting func()) (*Held, error) {
	h := &Held{Path: path}
	lock, err := filelock.Hold(ctx, path, waiting)
	if err != nil {
		return nil, err
	}
	h.lock = lock
	recoverRuns(realFolder(path))
	if h.Path, err = filepath.EvalSymlinks(path); err == nil {
		h.was, err = os.Stat(h.Path)
	}
	if err != nil {
		h.Release()
		return nil, err
	}
	return h, nil
}

// Release unlocks the file.
func (h *Held) Release() {
	if h != nil {
		h.lock.Release()
	}
}

// realFolder returns the folder of a file, with links resolved.
func realFolder(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return filepath.Dir(path)
}

// patience is how long an output waits for another run that holds its target.
const patience = 10 * time.Second

// hold locks the target of an output if it may replace a file. On systems that cannot exchange names, the target is
// missing for a moment while another run replaces it.
func (o *Output) hold() (release func(), err error) {
	if _, err := os.Lstat(o.path); o.Held != nil || err != nil && !o.Replace {
		return func() {}, nil
	}
	// Replacing a file is not canceled halfway; the wait is short.
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lock, err := filelock.Hold(ctx, o.path, nil)
	switch {
	case errors.Is(err, filelock.ErrTaken):
		return nil, &KeptError{o.path, ErrBusy}
	case errors.Is(err, fs.ErrPermission) && o.into: // in a writable folder below one that is not writable
		return func() {}, nil
	case err != nil:
		return nil, inTarget(err, o.path)
	}
	return lock.Release, nil
}

// The parts of a backup's name between the file's name and its extension. A state that was undone has undoneMark.
const (
	backupMark = ".backup-"
	undoneMark = ".undone-"
	backupTime = "20060102-150405.000"
)

// BackupName returns the name of a backup of path made now.
func BackupName(path string) string {
	ext := filepath.Ext(path)
	if ext == filepath.Base(path) {
		ext = "" // a name that begins with a dot has no extension
	}
	return strings.TrimSuffix(path, ext) + BackupSuffix() + ext
}

// BackupSuffix returns the text that the name of a backup made now contains in addition.
func BackupSuffix() string { return backupMark + time.Now().UTC().Format(backupTime) }

// SplitBackup splits the name of a backup that was made by [BackupName], or is that of a file or folder with [BackupSuffix] and an
// extension. It returns the name and the extension of the file that it belongs to, and the time at which it was made.
func SplitBackup(backup string) (stem, ext string, when time.Time, ok bool) {
	base := filepath.Base(backup)
	for i := len(base); i >= 0; i-- {
		rest, marked := strings.CutPrefix(base[i:], backupMark)
		if !marked || len(rest) < len(backupTime) {
			continue
		}
		ext = rest[len(backupTime):]
		when, err := time.Parse(backupTime, rest[:len(backupTime)])
		if err == nil && ext == filepath.Ext(ext) {
			return base[:i], ext, when, true
		}
	}
	return "", "", time.Time{}, false
}

// UndoneName returns the name that a backup gets when it becomes the state that was undone.
func UndoneName(backup string) string {
	stem, _, _, _ := SplitBackup(backup)
	dir, base := filepath.Split(backup)
	return dir + stem + undoneMark + strings.TrimPrefix(base[len(stem):], backupMark)
}

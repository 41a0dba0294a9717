package output

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"trowel.example/internal/filelock"
)

// A Held is a file that this run reads, changes and replaces, while no other run does.
type Held struct {
	// Path is that of the file itself, where a link leads to it.
	Path string
	lock *filelock.Held
	was  fs.FileInfo // when it began to be held
}

// Hold holds a file or folder until Release, after it has ended what killed runs had begun in its
// folder. It waits for others that hold it, and calls waiting if that takes more than a moment.
func Hold(ctx context.Context, path string, waiting func()) (*Held, error) {
	h := &Held{Path: path}
	lock, err := filelock.Hold(ctx, path, waiting)
	if err != nil {
		return nil, err
	}
	h.lock = lock
	Recover(realFolder(path))
	if h.Path, err = filepath.EvalSymlinks(path); err == nil {
		h.was, err = os.Stat(h.Path)
	}
	if err != nil {
		h.Release()
		return nil, err
	}
	return h, nil
}

// Release lets others have the file.
func (h *Held) Release() {
	if h != nil {
		h.lock.Release()
	}
}

// realFolder returns the folder of the file that a path leads to.
func realFolder(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return filepath.Dir(path)
}

// patience is how long an output waits for its place while another run holds that.
const patience = 10 * time.Second

// hold holds the place of an output until its end, if something may be replaced there. Where the system cannot
// exchange names, the name is missing for a moment while another run replaces the file.
func (o *Output) hold() (release func(), err error) {
	if _, err := os.Lstat(o.path); o.Held != nil || err != nil && !o.Replace {
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lock, err := filelock.Hold(ctx, o.path, nil)
	switch {
	case errors.Is(err, filelock.ErrTaken):
		return nil, &KeptError{o.path, ErrBusy}
	case errors.Is(err, fs.ErrPermission) && o.into: // in a folder that may be written, of one that may not
		return func() {}, nil
	case err != nil:
		return nil, inTarget(err, o.path)
	}
	return lock.Release, nil
}

// What the name of a backup has between that of its file and its extension.
const (
	backupMark = ".backup-"
	backupTime = "20060102-150405.000"
)

// BackupName returns the name that a backup of a file gets which is made now.
func BackupName(path string) string {
	ext := filepath.Ext(path)
	if ext == filepath.Base(path) {
		ext = "" // a name that begins with a dot
	}
	return strings.TrimSuffix(path, ext) + BackupSuffix() + ext
}

// BackupSuffix returns what a name has in addition that is of a backup which is made now.
func BackupSuffix() string { return backupMark + time.Now().UTC().Format(backupTime) }

// BackupOf returns the base name of the file that a backup is of, if the name of the backup is one of
// [BackupName], and "" otherwise.
func BackupOf(backup string) string {
	ext := filepath.Ext(backup)
	stem, when, is := strings.Cut(strings.TrimSuffix(filepath.Base(backup), ext), backupMark)
	if _, err := time.Parse(backupTime, when); !is || err != nil {
		return ""
	}
	return stem + ext
}

package viewer

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// fileWatch watches a file that programs may overwrite or replace.
type fileWatch struct {
	name string

	mu       sync.Mutex
	last     os.FileInfo
	replaced int // number of times that another file took this name
}

// Systems may give two changes the same time, at worst within a few seconds. Therefore, within coarse after a
// change, each second counts as a change.
const coarse = 2 * time.Second

// stamp returns a text that changes with the file, or "" while the file does not exist.
func (w *fileWatch) stamp() string {
	info, err := os.Stat(w.name)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last != nil && !os.SameFile(w.last, info) {
		w.replaced++
	}
	w.last = info
	text := fmt.Sprint(info.Size(), info.ModTime().UnixNano(), w.replaced)
	if now := time.Now(); info.Size() <= maxHeld && !now.Before(info.ModTime()) && now.Sub(info.ModTime()) < coarse {
		text += fmt.Sprint(" ", now.Unix())
	}
	return text
}

// maxWatched is the maximum number of files in a watched folder.
const maxWatched = 10_000

// treeStamp returns a text that changes with the files in a folder, or "" while the folder does not exist.
// Larger folders are not watched.
func treeStamp(dir string) string {
	h := sha256.New()
	n := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if n++; n > maxWatched {
			return fs.SkipAll
		}
		if err != nil {
			if path == dir {
				return err
			}
			fmt.Fprintf(h, "%q %v\n", path, err)
			return nil
		}
		if info, err := e.Info(); err == nil && !e.IsDir() {
			fmt.Fprintf(h, "%q %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	switch {
	case err != nil:
		return ""
	case n > maxWatched:
		return "many"
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

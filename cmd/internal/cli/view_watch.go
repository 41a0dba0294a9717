package cli

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"trowel.example/cmd/internal/viewer"
)

// fileWatch is a file that programs may write over, or put another in the place of.
type fileWatch struct {
	name string

	mu       sync.Mutex
	last     os.FileInfo
	replaced int // so often another file had this name
}

// A system may give two changes the same time, of the last seconds at worst. So within that
// time after a change each second counts as one.
const coarse = 2 * time.Second

// stamp returns a text that changes when the file does, and "" while it is not there.
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
	if now := time.Now(); info.Size() <= viewer.MaxHeld && !now.Before(info.ModTime()) && now.Sub(info.ModTime()) < coarse {
		text += fmt.Sprint(" ", now.Unix())
	}
	return text
}

// maxWatched is how many files a folder may have that is watched.
const maxWatched = 10_000

// treeStamp returns a text that changes when a file in a folder does, and "" while the folder
// is not there. Large folders are not watched.
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

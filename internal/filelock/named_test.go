package filelock

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// One at a time holds a name, although each removes the file in the end.
func TestHold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	probe, err := os.Create(filepath.Join(t.TempDir(), "probe"))
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Close()
	if err := Try(probe); err != nil {
		t.Skip("files cannot be locked here: ", err)
	}
	var inside, turns atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 300 {
				f, err := Hold(path)
				if errors.Is(err, ErrTaken) || errors.Is(err, fs.ErrPermission) { // Windows: it is being removed
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) > 1 {
					t.Error("two hold it at once")
				}
				turns.Add(1)
				inside.Add(-1)
				if err := Release(f); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	f, err := Hold(path)
	if err != nil || turns.Load() < 300 {
		t.Fatal(err, turns.Load())
	}
	if _, err := Hold(path); !errors.Is(err, ErrTaken) {
		t.Error(err)
	}
	if err := Release(f); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

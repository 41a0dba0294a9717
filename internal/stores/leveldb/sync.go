package leveldb

import (
	"errors"
	"os"
	"sync"

	"trowel.example/internal/files/wholefile"
)

// syncsAtOnce is the number of files flushed to disk concurrently: file systems combine their journal commits.
const syncsAtOnce = 8

// A syncer flushes files to disk while other work continues.
type syncer struct {
	room    chan struct{}
	running sync.WaitGroup
	mu      sync.Mutex
	err     error
}

func newSyncer() *syncer { return &syncer{room: make(chan struct{}, syncsAtOnce)} }

// file flushes a file to disk.
func (s *syncer) file(path string) {
	s.room <- struct{}{}
	s.running.Go(func() {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err == nil {
			err = errors.Join(wholefile.Flush(f), f.Close())
		}
		s.mu.Lock()
		s.err = errors.Join(s.err, err)
		s.mu.Unlock()
		<-s.room
	})
}

// wait waits until all files are on disk.
func (s *syncer) wait() error {
	s.running.Wait()
	return s.err
}

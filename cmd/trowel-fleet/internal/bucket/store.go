package bucket

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"trowel.example/internal/files/host"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/storage"
)

// store is a folder of a bucket as a [storage.Store]. An object appears completely, and only if there is no
// object of that name, so nothing needs to be renamed.
//
// A lock is an object, too: locks/RANDOM.json, which its holder rewrites every minute. A process first writes
// its own lock and then checks for others, so that of two concurrent processes, at least one sees the other.
// The age of a lock is determined only by the server's clock. A lock that was not rewritten for 15 minutes is
// removed: its holder was killed.
type store struct {
	b      *Bucket
	folder string // ends with /, or is ""

	refresh, stale time.Duration
}

var _ storage.Store = (*store)(nil)

// newStore returns a folder of a bucket; "" is the whole bucket.
func newStore(b *Bucket, folder string) *store {
	s := &store{b: b, refresh: time.Minute, stale: 15 * time.Minute}
	if folder = strings.Trim(folder, "/"); folder != "" {
		s.folder = folder + "/"
	}
	return s
}

// pagesOfFile is the number of cached pages of each file: many files are open at the same time.
const pagesOfFile = 2

// Path returns the URL of a file, without the query.
func (s *store) Path(name string) string {
	return strings.TrimSuffix(s.b.url+"/"+s.folder+name, "/")
}

// asUnavailable marks an error as one of a server, unless it is about an object.
func asUnavailable(err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return err
	}
	return storage.Unavailable(err)
}

// Open opens an object.
func (s *store) Open(ctx context.Context, name string) (storage.File, error) {
	o, err := s.b.Object(ctx, s.folder+name)
	if err != nil {
		return nil, asUnavailable(err)
	}
	o.most = pagesOfFile
	return storeFile{o}, nil
}

type storeFile struct{ *Object }

func (f storeFile) ReadAt(p []byte, offset int64) (int, error) {
	n, err := f.Object.ReadAt(p, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		err = asUnavailable(err)
	}
	return n, err
}

func (storeFile) Close() error { return nil }

// Create creates an object. The data is uploaded in pieces. The object appears when it is complete.
func (s *store) Create(ctx context.Context, name string) (storage.Writer, error) {
	return s.create(ctx, name, true)
}

func (s *store) create(ctx context.Context, name string, once bool) (*storeWriter, error) {
	ctx, cancel := context.WithCancel(ctx)
	w, err := s.b.b.NewWriter(ctx, s.folder+name, &blob.WriterOptions{IfNotExist: once,
		ContentType: "application/octet-stream", MaxConcurrency: 2})
	if err != nil {
		cancel()
		return nil, asUnavailable(s.b.failed(s.folder+name, err))
	}
	return &storeWriter{s, s.folder + name, w, cancel}, nil
}

type storeWriter struct {
	s      *store
	name   string
	w      *blob.Writer // nil: ended
	cancel func()
}

func (w *storeWriter) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	return n, asUnavailable(w.s.b.failed(w.name, err))
}

func (w *storeWriter) Commit() error {
	err := w.w.Close()
	w.cancel()
	w.w = nil
	if gcerrors.Code(err) == gcerrors.FailedPrecondition {
		return fmt.Errorf("%s/%s: %w", w.s.b, w.name, fs.ErrExist)
	}
	return asUnavailable(w.s.b.failed(w.name, err))
}

func (w *storeWriter) Discard() {
	if w.w != nil {
		w.cancel() // cancels the upload
		_ = w.w.Close()
		w.w = nil
	}
}

// List lists the objects below a folder, without the locks.
func (s *store) List(ctx context.Context, folder string, do func(storage.Info) error) error {
	var stopped error
	err := s.b.Walk(ctx, s.folder+folder, func(e Entry) error {
		name := strings.TrimPrefix(e.Name, s.folder)
		if strings.HasPrefix(name, dirLocks+"/") && folder != dirLocks {
			return nil
		}
		stopped = do(storage.Info{Name: name, Size: e.Size, Time: e.Time})
		return stopped
	})
	if stopped != nil {
		return stopped
	}
	return asUnavailable(err)
}

// Remove removes an object.
func (s *store) Remove(ctx context.Context, name string) error {
	return asUnavailable(s.b.Remove(ctx, s.folder+name))
}

const dirLocks = "locks"

// claim is the content of a lock.
type claim struct {
	Alone   bool   `json:"alone"`
	Host    string `json:"host"`
	Process int    `json:"process"`
}

// lock is a lock that this process holds.
type lock struct {
	s     *store
	name  string
	data  []byte
	alone bool
	end   func()
	ended chan struct{} // closed when the lock is no longer rewritten

	mu   sync.Mutex
	last time.Time // time of the last write, or slightly earlier
	lost error
}

// Lock writes a lock object and returns an error if a conflicting lock exists.
func (s *store) Lock(ctx context.Context, alone bool) (_ storage.Lock, err error) {
	data, err := json.Marshal(claim{alone, host.MachineName(), os.Getpid()})
	if err != nil {
		return nil, err
	}
	l := &lock{s: s, name: path.Join(dirLocks, rand.Text()+".json"), data: data, alone: alone, ended: make(chan struct{})}
	if err := l.write(ctx); err != nil {
		return nil, err
	}
	if err := l.look(ctx); err != nil {
		return nil, errors.Join(err, s.Remove(context.WithoutCancel(ctx), l.name))
	}
	ctx, l.end = context.WithCancel(context.WithoutCancel(ctx))
	go l.keep(ctx)
	return l, nil
}

// write writes the lock.
func (l *lock) write(ctx context.Context) error {
	// Remove the monotonic clock reading, which may stop while the computer sleeps.
	now := time.Now().Round(0)
	w, err := l.s.create(ctx, l.name, false)
	if err != nil {
		return err
	}
	defer w.Discard()
	if _, err := w.Write(l.data); err != nil {
		return err
	}
	if err := w.Commit(); err != nil {
		return err
	}
	l.last = now
	return nil
}

// look returns an error if there is a conflicting lock. It removes the locks of killed processes.
func (l *lock) look(ctx context.Context) error {
	var own time.Time
	var others []storage.Info
	err := l.s.List(ctx, dirLocks, func(i storage.Info) error {
		if i.Name == l.name {
			own = i.Time
		} else {
			others = append(others, i)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if own.IsZero() {
		return storage.Unavailable(fmt.Errorf("%s: the server does not list the stored object", l.s.Path(l.name)))
	}
	for _, i := range others {
		if own.Sub(i.Time) > l.s.stale {
			if err := l.s.Remove(ctx, i.Name); err != nil {
				return err
			}
			continue
		}
		var c claim
		data, err := storage.ReadFile(ctx, l.s, i.Name, effort.SmallFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue // released in the meantime
		}
		if err != nil {
			return err
		}
		if json.Unmarshal(data, &c) != nil || c.Alone || l.alone {
			return fmt.Errorf("%s: %w: %s, process %d; if that process was killed, its lock expires %v after %s",
				l.s.Path(""), storage.ErrLocked, c.Host, c.Process, l.s.stale, i.Time.UTC().Format(time.RFC3339))
		}
	}
	return nil
}

// keep rewrites the lock periodically.
func (l *lock) keep(ctx context.Context) {
	defer close(l.ended)
	tick := time.NewTicker(l.s.refresh)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = l.Held(ctx) // on failure, try again later
		}
	}
}

// Held returns an error if the lock no longer exists, and rewrites the lock.
func (l *lock) Held(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost != nil {
		return l.lost
	}
	if age := time.Now().Round(0).Sub(l.last); age > l.s.stale/2 || age < -l.s.stale/2 {
		l.lost = fmt.Errorf("%s: the lock expired because this process was suspended for %v: run it again", l.s.Path(""), age.Round(time.Second))
		return l.lost
	}
	has, err := l.s.b.Has(ctx, l.s.folder+l.name)
	if err != nil {
		return asUnavailable(err)
	}
	if !has {
		l.lost = fmt.Errorf("%s: another program removed the lock: run it again", l.s.Path(""))
		return l.lost
	}
	return l.write(ctx)
}

// Unlock removes the lock. If the server does not respond, the lock expires.
func (l *lock) Unlock() error {
	l.end()
	<-l.ended
	// A canceled run removes its lock, too.
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = l.s.Remove(ctx, l.name)
	return nil
}

package worldrepo_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"filippo.io/age"

	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/stores/storage"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldrepo"
)

// kept is a store whose files tests can read and write.
type kept interface {
	storage.Store
	all(t *testing.T) map[string][]byte
	put(t *testing.T, name string, data []byte)
	drop(t *testing.T, name string)
}

// everywhere runs a test with repositories in folders, in simulated object storage, and encrypted in folders, except for those
// that have no meaning for it.
func everywhere(t *testing.T, run func(t *testing.T, newRepo func(*testing.T) kept), except ...string) {
	identity, recipient := newIdentity(t)
	encrypted := sealed.Readers{Recipients: []string{recipient}}
	for name, c := range map[string]struct {
		empty func(*testing.T) kept
		sealed.Readers
		old bool
	}{"folder": {newFolder, sealed.Readers{}, false}, "objects": {newObjects, sealed.Readers{}, false},
		"encrypted": {newFolder, encrypted, false},
		"version 1": {newObjects, sealed.Readers{}, true}, "version 2": {newObjects, encrypted, true}} {
		if !tests.Long(t) && name != "objects" || slices.Contains(except, name) {
			continue // writing to disk is slow
		}
		t.Run(name, func(t *testing.T) {
			if !c.Empty() {
				tests.OnHost(t, map[string]string{"variable TROWEL_KEY_FILE": identity})
			}
			if c.old {
				worldrepo.UseOldVersion(t)
			}
			run(t, func(t *testing.T) kept {
				t.Helper()
				repo := c.empty(t)
				if err := worldrepo.Create(t.Context(), repo, c.Readers); err != nil {
					t.Fatal(err)
				}
				return repo
			})
		})
	}
}

// newIdentity returns a file with a new identity of age, and its recipient.
func newIdentity(t testing.TB) (file, recipient string) {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "key.txt")
	judge.Write(t, file, []byte(id.String()+"\n"))
	return file, id.Recipient().String()
}

// folder is a storage.Folder.
type folder struct{ storage.Folder }

func newFolder(t *testing.T) kept { return folder{storage.Folder(filepath.Join(t.TempDir(), "repo"))} }

func (f folder) all(t *testing.T) map[string][]byte {
	t.Helper()
	all := make(map[string][]byte)
	err := f.List(t.Context(), "", func(i storage.Info) error {
		data, err := os.ReadFile(f.Path(i.Name))
		if i.Name != "lock" {
			all[i.Name] = data
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (f folder) put(t *testing.T, name string, data []byte) {
	t.Helper()
	judge.Write(t, f.Path(name), data)
}

func (f folder) drop(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(f.Path(name)); err != nil {
		t.Fatal(err)
	}
}

// objects is a store in memory that counts requests and can become unavailable.
type objects struct {
	mu     sync.Mutex
	files  map[string]object
	clock  time.Time
	puts   []string // names, in order
	read   int64    // bytes
	left   int      // number of requests until the store is unavailable; negative for never
	twice  bool     // repeat each request to store a file, and return the second answer
	shared int      // locks
	alone  int
}

type object struct {
	data []byte
	time time.Time
}

func newObjects(*testing.T) kept {
	return &objects{files: make(map[string]object), clock: time.Unix(1e9, 0), left: -1}
}

func (o *objects) all(*testing.T) map[string][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := make(map[string][]byte)
	for name, one := range o.files {
		all[name] = one.data
	}
	return all
}

func (o *objects) put(_ *testing.T, name string, data []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clock = o.clock.Add(time.Second)
	o.files[name] = object{slices.Clone(data), o.clock}
}

func (o *objects) drop(_ *testing.T, name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.files, name)
}

// ask is a request. o.mu must be held.
func (o *objects) ask(ctx context.Context) error {
	if o.left == 0 {
		return storage.Unavailable(fmt.Errorf("%s: connection refused", o.Path("")))
	}
	if o.left > 0 {
		o.left--
	}
	return ctx.Err()
}

func (o *objects) Path(name string) string { return strings.TrimSuffix("mem://b/"+name, "/") }

func (o *objects) Open(ctx context.Context, name string) (storage.File, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.ask(ctx); err != nil {
		return nil, err
	}
	one, ok := o.files[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", o.Path(name), fs.ErrNotExist)
	}
	return &openObject{bytes.NewReader(one.data), o, ctx}, nil
}

type openObject struct {
	*bytes.Reader
	o   *objects
	ctx context.Context
}

func (f *openObject) ReadAt(p []byte, at int64) (int, error) {
	f.o.mu.Lock()
	defer f.o.mu.Unlock()
	if err := f.o.ask(f.ctx); err != nil {
		return 0, err
	}
	f.o.read += int64(len(p))
	return f.Reader.ReadAt(p, at)
}

func (f *openObject) Close() error { return nil }

func (o *objects) Create(ctx context.Context, name string) (storage.Writer, error) {
	return &newObject{o: o, ctx: ctx, name: name}, nil
}

type newObject struct {
	bytes.Buffer
	o    *objects
	ctx  context.Context
	name string
}

func (w *newObject) Commit() error {
	w.o.mu.Lock()
	defer w.o.mu.Unlock()
	if err := w.o.ask(w.ctx); err != nil {
		return err
	}
	if _, ok := w.o.files[w.name]; ok {
		return fmt.Errorf("%s: %w", w.o.Path(w.name), fs.ErrExist)
	}
	w.o.clock = w.o.clock.Add(time.Second)
	w.o.files[w.name] = object{slices.Clone(w.Bytes()), w.o.clock}
	w.o.puts = append(w.o.puts, w.name)
	if w.o.twice {
		return fmt.Errorf("%s: %w", w.o.Path(w.name), fs.ErrExist)
	}
	return nil
}

func (w *newObject) Discard() {}

func (o *objects) List(ctx context.Context, folder string, do func(storage.Info) error) error {
	o.mu.Lock()
	err := o.ask(ctx)
	files := maps.Clone(o.files)
	o.mu.Unlock()
	if err != nil {
		return err
	}
	for name, one := range files {
		if folder == "" || strings.HasPrefix(name, folder+"/") {
			if err := do(storage.Info{Name: name, Size: int64(len(one.data)), Time: one.time}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *objects) Remove(ctx context.Context, name string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.ask(ctx)
	if err == nil {
		delete(o.files, name)
	}
	return err
}

func (o *objects) Lock(ctx context.Context, alone bool) (storage.Lock, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.ask(ctx); err != nil {
		return nil, err
	}
	if o.alone > 0 || alone && o.shared > 0 {
		return nil, storage.ErrLocked
	}
	if alone {
		o.alone++
	} else {
		o.shared++
	}
	return &objectsLock{o, alone}, nil
}

type objectsLock struct {
	o     *objects
	alone bool
}

func (l *objectsLock) Held(ctx context.Context) error { return ctx.Err() }

func (l *objectsLock) Unlock() error {
	l.o.mu.Lock()
	defer l.o.mu.Unlock()
	if l.alone {
		l.o.alone--
	} else {
		l.o.shared--
	}
	return nil
}

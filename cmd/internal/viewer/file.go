package viewer

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"sync"

	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

// file is a file of the page, across all of its editions.
type file struct {
	File
	id     int
	server *Server

	renewing sync.Mutex // held while the file is reopened

	mu         sync.Mutex
	generation int      // number of the current edition; it increases when the file changes
	shown      snapshot // state of the file for that edition
	tried      string   // stamp of the last state that could not be opened
	broken     string   // the reason
}

// snapshot identifies the state of a file at a time.
type snapshot struct {
	stamp  string   // "" if not read yet
	digest [32]byte // of the content; zero if it is too large or in several files
}

// edition is a file as it was at a time.
type edition struct {
	*Opened
	of         *file
	generation int
	was        snapshot
	held       bool // the content is in memory
	file       format.File

	treeOnce sync.Once
	tree     fs.FS
	treeErr  error

	mu     sync.Mutex
	misses int
	damage string   // the first of the losses
	notes  []string // warnings and losses without duplicates
}

func (e *edition) Close() error {
	return errors.Join(e.file.Close(), e.Opened.Close())
}

// job returns a job for the file. values override the options that the user gave.
func (e *edition) job(values map[string]string) *format.Job {
	job := e.Job()
	for name, v := range values {
		job.Values[name] = v
	}
	job.OnDone, job.OnProgress = nil, nil
	job.OnWarn = func(path, message string) { e.note(path, message) }
	job.OnMiss = func(path, message string) {
		e.mu.Lock()
		e.misses++
		e.damage = cmp.Or(e.damage, e.of.plain(wording.Placed(path, message)))
		e.mu.Unlock()
		e.note(path, message)
	}
	return job
}

const maxNotes = 100

func (e *edition) note(path, message string) {
	message = e.of.server.worded(e.of.plain(wording.Placed(path, message)))
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.notes) < maxNotes && !slices.Contains(e.notes, message) {
		e.notes = append(e.notes, message)
	}
}

// lost returns the number of losses so far and the first message.
func (e *edition) lost() (n int, first string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.notes) > 0 {
		first = e.notes[0]
	}
	return e.misses, first
}

// files returns the tree of the file without secrets.
func (e *edition) files(ctx context.Context) (fs.FS, error) {
	e.treeOnce.Do(func() { e.tree, e.treeErr = e.file.Tree(context.WithoutCancel(ctx), e.job(nil)) })
	return public{e.tree, e.Format.Mask}, e.treeErr
}

func (f *file) plain(message string) string {
	if f.Plain != nil {
		message = f.Plain(message)
	}
	return message
}

// failure returns an error for the page.
func (f *file) failure(err error) string {
	return f.server.worded(f.plain(words.Portable(err.Error())))
}

func (f *file) key(generation int) string { return fmt.Sprintf("%d.%d", f.id, generation) }

// edition returns the current edition of the file, and a function to call when it is no longer used.
func (f *file) edition(ctx context.Context) (*edition, func(), error) {
	for try := 0; ; try++ {
		if f.server.paused.Load() {
			return nil, nil, errSaving
		}
		generation := f.current()
		e, release, err := f.server.opened.get(ctx, f.key(generation), func(ctx context.Context) (*edition, error) {
			return f.open(ctx, generation)
		})
		switch {
		case isGone(err) && try < 2:
			continue
		case err != nil || !e.overwritten():
			return e, release, err
		}
		release()
		if f.look(); try == 2 || f.current() == generation {
			return nil, nil, errOverwritten
		}
	}
}

var errOverwritten = problem{http.StatusConflict, "the file is being written, and it is too large to be shown as it was"}

// overwritten reports whether the file may have changed since it was opened.
func (e *edition) overwritten() bool {
	return e.of.Stamp != nil && !e.held && !e.Private && e.of.Stamp() != e.was.stamp
}

// current returns the current generation.
func (f *file) current() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.generation
}

// open opens the file for a generation. Unused editions are closed. If the file has changed when it is
// reopened, a new generation begins.
func (f *file) open(ctx context.Context, generation int) (*edition, error) {
	o, now, err := f.read(ctx)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	known := f.shown
	changed := generation == f.generation && known.stamp != "" && !now.same(known)
	if changed {
		f.generation++
		f.shown = now
	} else if generation == f.generation {
		f.shown = now
	}
	f.mu.Unlock()
	if changed {
		o.Close()
		f.changed(generation)
		return nil, errGone
	}
	return f.parse(ctx, o, now, generation)
}

// same reports whether two snapshots are of the same state.
func (s snapshot) same(old snapshot) bool {
	if s.digest != ([32]byte{}) && old.digest != ([32]byte{}) {
		return s.digest == old.digest
	}
	return s.stamp == old.stamp
}

// maxHeld is the maximum size in bytes of a file whose content is kept in memory. The edition shown then does
// not change even if a program overwrites the file, and the file is not kept open, so that programs can replace
// it. Larger files are read on demand.
const maxHeld = 32 << 20

// read reads the file as it is now.
func (f *file) read(ctx context.Context) (o *Opened, now snapshot, err error) {
	if f.Stamp != nil {
		now.stamp = f.Stamp() // before reading, so that a later change is detected
	}
	if o, err = f.File.Open(ctx); err != nil {
		return nil, now, err
	}
	o.Close = sync.OnceValue(o.Close)
	src := o.Source
	if src.IsDir() || src.Size > maxHeld {
		return o, now, nil
	}
	data, err := src.ReadAll()
	if err != nil {
		o.Close()
		return nil, now, err
	}
	src.ReaderAt = bytes.NewReader(data)
	_ = src.Close()
	now.digest = sha256.Sum256(data)
	return o, now, nil
}

// parse makes an edition of the opened file.
func (f *file) parse(ctx context.Context, o *Opened, was snapshot, generation int) (*edition, error) {
	e := &edition{Opened: o, of: f, generation: generation, was: was, held: was.digest != [32]byte{}}
	for _, n := range o.Notes {
		e.note("", n)
	}
	var err error
	if e.file, err = o.Format.Open(ctx, e.job(nil), o.Source); err != nil {
		o.Close()
		return nil, err
	}
	if len(o.Source.Reads()) > 1 { // the digest covers only the first file
		e.was.digest = [32]byte{}
		f.mu.Lock()
		if f.generation == generation {
			f.shown.digest = e.was.digest
		}
		f.mu.Unlock()
	}
	return e, nil
}

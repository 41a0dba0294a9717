package viewer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"trowel.example/format"
)

// file is a file that the page can show, at whatever times it is looked at.
type file struct {
	File
	id     int
	server *Server

	mu         sync.Mutex
	generation int    // which edition is shown; it rises when the file has changed
	stamp      string // of the edition that is shown
	tried      string // of what could not be opened since
	broken     string // why
}

// edition is a file as it was at a time.
type edition struct {
	*Opened
	of         *file
	generation int
	file       format.File

	treeOnce sync.Once
	tree     fs.FS
	treeErr  error

	mu     sync.Mutex
	misses int
	notes  []string // warnings and losses, each once
}

func (e *edition) Close() error {
	return errors.Join(e.file.Close(), e.Opened.Close())
}

// job returns what is asked of the file, with values of options over those that the user gave.
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
		e.mu.Unlock()
		e.note(path, message)
	}
	return job
}

const maxNotes = 100

func (e *edition) note(path, message string) {
	if path != "" {
		message = path + ": " + message
	}
	message = e.of.plain(message)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, n := range e.notes {
		if n == message {
			return
		}
	}
	if len(e.notes) < maxNotes {
		e.notes = append(e.notes, message)
	}
}

// files returns the tree of the file.
func (e *edition) files(ctx context.Context) (fs.FS, error) {
	e.treeOnce.Do(func() { e.tree, e.treeErr = e.file.Tree(context.WithoutCancel(ctx), e.job(nil)) })
	return e.tree, e.treeErr
}

func (f *file) plain(message string) string {
	if f.Plain != nil {
		message = f.Plain(message)
	}
	return message
}

// edition returns the file as it is shown now, and a function to call when it is no longer used.
func (f *file) edition(ctx context.Context) (*edition, func(), error) {
	f.mu.Lock()
	generation := f.generation
	f.mu.Unlock()
	return f.server.opened.get(ctx, fmt.Sprintf("%d.%d", f.id, generation), func(ctx context.Context) (*edition, error) {
		return f.open(ctx, generation)
	})
}

func (f *file) open(ctx context.Context, generation int) (*edition, error) {
	stamp := ""
	if f.Stamp != nil {
		stamp = f.Stamp()
	}
	o, err := f.File.Open(ctx)
	if err != nil {
		return nil, err
	}
	e := &edition{Opened: o, of: f, generation: generation}
	if e.file, err = o.Format.Open(ctx, e.job(nil), o.Source); err != nil {
		o.Close()
		return nil, err
	}
	f.mu.Lock()
	if f.stamp == "" || generation != f.generation {
		f.stamp = stamp // of what was there before it was read: a later change is seen
	}
	f.mu.Unlock()
	return e, nil
}

// current reports which edition is shown.
func (f *file) current() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.generation
}

// watchFiles looks once a second whether files that are open have changed.
func (s *Server) watchFiles() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-s.life.Done():
			return
		case <-tick.C:
		}
		for _, f := range s.all() {
			f.look()
		}
	}
}

// look opens the file anew if it has changed. As long as that fails, what was there before is
// shown: a program may be writing.
func (f *file) look() {
	f.mu.Lock()
	old, tried, generation := f.stamp, f.tried, f.generation
	f.mu.Unlock()
	if f.Stamp == nil || old == "" {
		return
	}
	switch now := f.Stamp(); {
	case now == old || now == tried:
	case now == "":
		f.fail(now, errors.New("it is not there any more"))
	default:
		if err := f.renew(generation); err != nil {
			f.fail(now, err)
		}
	}
}

func (f *file) fail(stamp string, err error) {
	f.mu.Lock()
	f.tried, f.broken = stamp, f.plain(err.Error())
	message := f.broken
	f.mu.Unlock()
	f.server.events.send(event{"broken", map[string]any{"file": f.id, "message": message}})
}

// errLess says why an edition is not shown that lacks what the one before had.
var errLess = errors.New("a part of it is missing")

// renew opens the file as it is now and lets it take the place of the edition that is shown.
func (f *file) renew(generation int) error {
	s := f.server
	old, release, err := f.edition(s.life)
	before := 0
	if err == nil {
		old.mu.Lock()
		before = old.misses
		old.mu.Unlock()
		release()
	}
	key := fmt.Sprintf("%d.%d", f.id, generation+1)
	e, release, err := s.opened.get(s.life, key, func(ctx context.Context) (*edition, error) { return f.open(ctx, generation+1) })
	if err != nil {
		return err
	}
	defer release()
	if err = e.tryScene(s.life); err == nil && before == 0 {
		e.mu.Lock()
		if e.misses > 0 {
			err = fmt.Errorf("%w: %s", errLess, strings.Join(e.notes[:min(1, len(e.notes))], ""))
		}
		e.mu.Unlock()
	}
	if err != nil {
		s.opened.drop(func(k string) bool { return k == key })
		return err
	}
	f.mu.Lock()
	f.generation, f.tried, f.broken = generation+1, "", ""
	f.mu.Unlock()
	own := fmt.Sprintf("%d.%d", f.id, generation)
	s.scenes.drop(func(k string) bool { return strings.HasPrefix(k, own+"\n") })
	s.panels.drop(own)
	s.opened.drop(func(k string) bool { return k == own })
	s.events.send(event{"changed", map[string]any{"file": f.id, "generation": generation + 1}})
	return nil
}

// tryScene makes sure that what the file shows can be had.
func (e *edition) tryScene(ctx context.Context) error {
	if !e.shows("") {
		return nil
	}
	_, release, err := e.scene(ctx, "", nil)
	if err == nil {
		release()
	}
	return err
}

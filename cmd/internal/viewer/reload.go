package viewer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	lookEvery  = time.Second
	lookSeldom = 10 * time.Second // if a check takes long
)

// watchFiles checks open files for changes.
func (s *Server) watchFiles() {
	pause := lookEvery
	for {
		select {
		case <-s.life.Done():
			return
		case <-time.After(pause):
		}
		start := time.Now()
		s.lookAtAll()
		s.closeIdle()
		pause = pauseAfter(time.Since(start))
	}
}

// lookAtAll checks all files for changes, if a page is open.
func (s *Server) lookAtAll() {
	if !s.events.listened() {
		return
	}
	for _, f := range s.allFiles() {
		f.look()
	}
}

// pauseAfter returns the pause after a check that took the given time.
func pauseAfter(took time.Duration) time.Duration {
	return min(max(lookEvery, 20*took), lookSeldom)
}

// look reopens the file if it has changed. While that fails, the previous edition remains visible: a program
// may still be writing the file.
func (f *file) look() {
	if f.Stamp == nil {
		return
	}
	f.mu.Lock()
	old, tried := f.shown.stamp, f.tried
	f.mu.Unlock()
	if old == "" {
		return // the file was never opened
	}
	now := f.Stamp()
	if now == old && tried == "" || now == tried && tried != "" {
		return
	}
	if now == "" {
		f.fail(goneStamp, errNotThere)
		return
	}
	if err := f.renew(f.server.life, false); err != nil && f.server.life.Err() == nil {
		f.fail(now, err)
	}
}

// goneStamp is the stamp of a missing file.
const goneStamp = "not there"

var (
	errNotThere = errors.New("the file no longer exists")
	// errLess is the reason for not showing an edition that lacks data which the previous edition had.
	errLess = errors.New("a part of the file is missing")
)

// fail reports, once, why an edition is not shown.
func (f *file) fail(stamp string, err error) {
	message := f.failure(err)
	f.mu.Lock()
	again := f.broken == message
	f.tried, f.broken = stamp, message
	f.mu.Unlock()
	if !again {
		f.server.events.send(event{"broken", map[string]any{"file": f.id, "message": message}})
	}
}

// renew opens the file as it is now and replaces the current edition. If the content is unchanged, it does so
// only if force is set: the picture may depend on other files.
func (f *file) renew(ctx context.Context, force bool) error {
	f.renewing.Lock()
	defer f.renewing.Unlock()
	s := f.server
	o, now, err := f.read(s.life)
	if err != nil {
		return err
	}
	f.mu.Lock()
	generation, known, mended := f.generation, f.shown, f.broken != ""
	f.mu.Unlock()
	if !force && now.digest != ([32]byte{}) && now.same(known) {
		o.Close()
		f.mu.Lock()
		f.shown, f.tried, f.broken = now, "", ""
		f.mu.Unlock()
		if mended { // the earlier content is back
			s.events.send(event{"changed", map[string]any{"file": f.id, "generation": generation}})
		}
		return nil
	}
	misses := 0
	if e, release, err := s.opened.get(ctx, f.key(generation), func(context.Context) (*edition, error) { return nil, errGone }); err == nil {
		misses, _ = e.lost()
		release()
	}
	key := f.key(generation + 1)
	s.opened.drop(func(k string) bool { return k == key })
	e, release, err := s.opened.get(s.life, key, func(ctx context.Context) (*edition, error) { return f.parse(ctx, o, now, generation+1) })
	if err != nil {
		o.Close()
		return err
	}
	defer release()
	if err = e.tryScene(ctx); err == nil && misses == 0 && !f.Edited {
		if n, first := e.lost(); n > 0 {
			err = fmt.Errorf("%w: %s", errLess, first)
		}
	}
	f.mu.Lock()
	switch {
	case err != nil:
	case f.generation != generation:
		err = errGone
	default:
		f.generation, f.shown, f.tried, f.broken = generation+1, e.was, "", ""
	}
	f.mu.Unlock()
	if err != nil {
		s.scenes.drop(func(k string) bool { return strings.HasPrefix(k, key+"\n") })
		s.opened.drop(func(k string) bool { return k == key })
		return err
	}
	f.changed(generation)
	return nil
}

// changed closes the objects of a generation and sends an event about the next generation.
func (f *file) changed(generation int) {
	s, own := f.server, f.key(generation)
	s.scenes.drop(func(k string) bool { return strings.HasPrefix(k, own+"\n") })
	s.panels.drop(own)
	s.opened.drop(func(k string) bool { return k == own })
	s.events.send(event{"changed", map[string]any{"file": f.id, "generation": generation + 1}})
}

// tryScene returns an error if the scene of the file cannot be opened.
func (e *edition) tryScene(ctx context.Context) error {
	if !e.Format.Shows("") {
		return nil
	}
	_, release, err := e.scene(ctx, "", nil)
	if err == nil {
		release()
	}
	return err
}

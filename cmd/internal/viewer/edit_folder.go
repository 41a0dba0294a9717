package viewer

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"trowel.example/check"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

// folder is the result of a list of changes of a file that is a folder, such as a world. It is readable in a temporary
// folder, while the folder of the user stays unchanged.
type folder struct {
	mu   sync.Mutex
	last *preview // nil: there are no changes
}

// preview is the result of some changes. It ends when it has no user.
type preview struct {
	path  string
	end   func() error
	users int // guarded by the lock of its folder
}

// release ends one use of a preview.
func (d *folder) release(p *preview) error {
	d.mu.Lock()
	p.users--
	last := p.users == 0
	d.mu.Unlock()
	if last {
		return p.end()
	}
	return nil
}

// put replaces the result.
func (d *folder) put(p *preview) {
	d.mu.Lock()
	old := d.last
	if d.last = p; p != nil {
		p.users++
	}
	d.mu.Unlock()
	if old != nil {
		_ = d.release(old)
	}
}

func (d *folder) close() { d.put(nil) }

// openFolder opens the result of the list.
func (n *session) openFolder() (*Opened, error) {
	d := n.folder
	d.mu.Lock()
	p := d.last
	if p != nil {
		p.users++
	}
	d.mu.Unlock()
	o := &Opened{Format: n.opened.Format, Job: n.opened.Job, Private: true, Close: func() error { return nil }}
	path := n.opened.Source.Dir
	if p != nil {
		path, o.Close = p.path, func() error { return d.release(p) }
	}
	src, err := format.OpenSource(path)
	if err != nil {
		return nil, errors.Join(err, o.Close())
	}
	src.Path, o.Source = n.was.Name, src
	return o, nil
}

// replayFolder applies the list to the folder as it is now, and shows the result. If a change fails, the others are applied.
func (n *session) replayFolder(ctx context.Context, revision int, list []item) error {
	var good []item
	made, err := n.preview(ctx, list)
	if err != nil && ctx.Err() == nil { // which one is it?
		for _, e := range list {
			next, err := n.preview(ctx, append(slices.Clone(good), e))
			if err != nil {
				e.done(effect{Changes: []string{}, Notes: []string{}, Error: words.Portable(err.Error())})
				continue
			}
			if made != nil {
				_ = made.end()
			}
			good, made = append(good, e), next
		}
	}
	if ctx.Err() != nil {
		if made != nil {
			_ = made.end()
		}
		return ctx.Err()
	}
	n.folder.put(made)
	n.mu.Lock()
	n.applied = revision
	n.mu.Unlock()
	n.show(revision)
	return nil
}

// done records the effect of a change.
func (c *change) done(e effect) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.effect = e
}

// preview performs changes and returns the result, nil if there are none. It records their effects.
func (n *session) preview(ctx context.Context, list []item) (*preview, error) {
	if len(list) == 0 {
		return nil, nil
	}
	effects := make([]effect, len(list))
	var job *format.Job // of the last change
	var steps []format.Step
	for i, e := range list {
		var more []format.Step
		var err error
		if job, more, err = n.opened.prepare(e.words, false, &effects[i]); err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	dir, remove, err := output.Scratch()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, n.opened.Source.Name)
	if err := os.Mkdir(path, 0o700); err != nil {
		remove()
		return nil, err
	}
	end, err := n.opened.Format.Editing.Preview(ctx, job, n.opened.Source, steps, path, func(i int, c check.Change) error {
		e := &effects[i]
		e.add(c)
		if e.Count += int(c.Count); len(e.Changes) < maxEffects {
			e.Changes = append(e.Changes, c.String())
		}
		return nil
	})
	if err != nil {
		remove()
		return nil, err
	}
	for i, e := range list {
		e.done(effects[i])
	}
	return &preview{path: path, end: func() error {
		defer remove()
		return end()
	}}, nil
}

// errSaving is the answer to requests while a folder is changed: the page repeats them.
var errSaving = problem{http.StatusServiceUnavailable, "the changes are being saved"}

// saveWait is the time that saving waits for requests that read the folder.
const saveWait = 20 * time.Second

// changeFolder changes the folder on the disk and begins a list for the new content.
func (n *session) changeFolder(ctx context.Context, list []item, change func(context.Context) (string, error)) (string, error) {
	s := n.server
	n.replaying.Lock()
	s.paused.Store(true)
	message, err := n.alone(ctx, change)
	s.paused.Store(false)
	n.replaying.Unlock()
	if err != nil {
		n.mu.Lock()
		n.revised() // the result is computed again
		n.mu.Unlock()
		return "", errors.Join(problem{http.StatusConflict, err.Error()}, n.wait(ctx, n.settle()))
	}
	n.mu.Lock()
	n.begin(list)
	n.revised()
	if len(list) == 0 {
		n.applied, n.seen = n.revision, n.revision
	}
	n.mu.Unlock()
	for _, f := range []*file{n.was, n.is} {
		if err := f.renew(s.life, true); err != nil {
			return "", errors.New(message + "; but the result cannot be read: " + err.Error())
		}
	}
	if len(list) > 0 {
		return message, n.wait(ctx, n.settle())
	}
	return message, nil
}

// alone changes the folder when no request reads it any more.
func (n *session) alone(ctx context.Context, change func(context.Context) (string, error)) (string, error) {
	s := n.server
	all := func(string) bool { return true }
	s.texts.drop(all)
	s.scenes.drop(all)
	for _, f := range []*file{n.was, n.is} {
		s.panels.drop(f.key(f.current()))
	}
	s.opened.drop(all)
	n.folder.put(nil)
	if !s.scenes.ended(saveWait) || !s.opened.ended(saveWait) {
		return "", errors.New("the file is still being read here: try again when the pictures and comparisons are complete")
	}
	return change(ctx)
}

// rereadFolder applies the list to the folder as it is now.
func (n *session) rereadFolder(ctx context.Context) error {
	n.mu.Lock()
	n.saved = nil
	n.revised()
	n.mu.Unlock()
	return n.wait(ctx, n.settle())
}

package viewer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"sync"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
)

// state is the file after a change.
type state struct {
	of    *change           // nil: the file as it was
	parts map[string][]byte // the file for suffix "", and its companion files; nil if they were dropped to save memory
}

// maxStates is the size in bytes above which states of the file are dropped. They are computed again when they are
// needed.
const maxStates = 192 << 20

func (s *state) size() (n int) {
	for _, data := range s.parts {
		n += len(data)
	}
	return n
}

// settle begins to apply the list and to show the result.
func (n *session) settle() <-chan error {
	done := make(chan error, 1)
	n.server.watch.Go(func() {
		var err error
		if p := parallel.Catch(func() { err = n.replay(n.server.life) }); p != nil {
			err = defect(p)
		}
		done <- err
	})
	return done
}

// wait waits until the list is applied, or until ctx ends; then the work continues.
func (n *session) wait(ctx context.Context, done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return nil // the page is informed by an event
	}
}

// replay applies the list, starting with the last state that is still valid, and shows the result.
func (n *session) replay(ctx context.Context) error {
	n.replaying.Lock()
	defer n.replaying.Unlock()
	n.mu.Lock()
	revision, list := n.revision, slices.DeleteFunc(slices.Clone(n.list), func(e item) bool { return e.off })
	done := n.applied == revision
	n.mu.Unlock()
	if done {
		return nil
	}
	if n.folder != nil {
		return n.replayFolder(ctx, revision, list)
	}
	valid := 1
	for valid < len(n.chain) && valid <= len(list) && n.chain[valid].of == list[valid-1].change {
		valid++
	}
	n.chain = n.chain[:valid]
	for _, e := range list[valid-1:] {
		if err := n.extend(ctx, e.change); err != nil {
			return err
		}
		n.thin()
	}
	last := len(n.chain) - 1
	if err := n.restore(ctx, last); err != nil {
		return err
	}
	n.mu.Lock()
	n.applied, n.result = revision, n.chain[last]
	n.mu.Unlock()
	n.show(revision)
	return nil
}

// show shows the result of a revision.
func (n *session) show(revision int) {
	n.renew()
	n.mu.Lock()
	n.seen = revision
	n.mu.Unlock()
	n.server.events.send(event{"edited", map[string]any{"file": n.is.id, "revision": revision, "generation": n.is.current()}})
}

// renew opens the result, if the file was opened before.
func (n *session) renew() {
	f := n.is
	f.mu.Lock()
	seen := f.shown.stamp != ""
	f.mu.Unlock()
	if !seen {
		return
	}
	if err := f.renew(n.server.life, false); err != nil && n.server.life.Err() == nil {
		f.fail(n.stamp(), err)
	}
}

// extend applies a change to the last state.
func (n *session) extend(ctx context.Context, c *change) error {
	last := len(n.chain) - 1
	if err := n.restore(ctx, last); err != nil {
		return err
	}
	parts, effect, err := n.apply(ctx, n.chain[last], c, true)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.effect = effect
	c.mu.Unlock()
	n.chain = append(n.chain, &state{c, parts})
	return nil
}

// restore computes a state that was dropped.
func (n *session) restore(ctx context.Context, i int) error {
	from := i
	for n.chain[from].parts == nil {
		from--
	}
	for ; from < i; from++ {
		parts, _, err := n.apply(ctx, n.chain[from], n.chain[from+1].of, true)
		if err != nil {
			return err
		}
		n.chain[from+1].parts = parts
	}
	return nil
}

// thin drops every second of the older states until the others take less memory than the limit. States that a change
// did not touch share their memory.
func (n *session) thin() {
	for step := 2; ; step *= 2 {
		size := 0
		for i, s := range n.chain {
			if i == 0 || s.parts != nil && !shared(s, n.chain[i-1]) {
				size += s.size()
			}
		}
		if size <= maxStates || step > len(n.chain) {
			return
		}
		for i, s := range n.chain[:len(n.chain)-1] {
			if i%step != 0 {
				s.parts = nil
			}
		}
	}
}

func shared(a, b *state) bool {
	return len(a.parts[""]) > 0 && len(b.parts[""]) > 0 && &a.parts[""][0] == &b.parts[""][0]
}

// apply applies a change to a state. The error of the operation is part of its effect; the state is unchanged then. The result
// is temporary if it is only shown.
func (n *session) apply(ctx context.Context, from *state, c *change, temporary bool) (map[string][]byte, effect, error) {
	out, done, err := n.opened.perform(ctx, n.source(from), c.words, temporary)
	switch {
	case ctx.Err() != nil:
		return nil, done, ctx.Err()
	case err != nil:
		done.Count, done.Changes, done.Error = 0, []string{}, words.Portable(err.Error())
		return from.parts, done, nil
	case done.Count == 0:
		return from.parts, done, nil
	}
	parts := make(map[string][]byte)
	for suffix, p := range out {
		parts[suffix] = *p
	}
	return parts, done, nil
}

// perform performs operations on a file in memory.
func (o *Opened) perform(ctx context.Context, src *format.Source, words []string, temporary bool) (out memory, done effect, err error) {
	job, steps, err := o.prepare(words, temporary, &done)
	if err != nil {
		return nil, done, err
	}
	out = make(memory)
	err = o.Format.Editing.Edit(ctx, job, src, steps, out, func(c check.Change) error {
		if c.Histogram == nil {
			done.Count++
		}
		done.add(c)
		if len(done.Changes) < maxEffects || c.Histogram != nil {
			done.Changes = append(done.Changes, c.String())
		}
		return nil
	})
	return out, done, err
}

// prepare returns the job and the steps of a change, whose messages become a part of its effect.
func (o *Opened) prepare(words []string, temporary bool, done *effect) (*format.Job, []format.Step, error) {
	*done = effect{Changes: []string{}, Notes: []string{}}
	var mu sync.Mutex
	note := func(_, message string) {
		mu.Lock()
		defer mu.Unlock()
		if len(done.Notes) < maxEffects {
			done.Notes = append(done.Notes, message)
		}
	}
	job := o.Job()
	job.Temporary = temporary
	job.OnWarn, job.OnMiss, job.OnDone, job.OnProgress = note, note, nil, nil
	steps, err := o.steps(words, job)
	for _, s := range steps {
		s.Job.OnLack = func(e *fault.NameError) error { return e }
	}
	return job, steps, err
}

// source returns the file in a state. Its neighbours are those of the file on the disk.
func (n *session) source(s *state) *format.Source {
	if n.folder != nil {
		return n.opened.Source
	}
	src := n.opened.Source
	data := s.parts[""]
	return format.NewSourceNear(src.Path, bytes.NewReader(data), int64(len(data)), &nearby{src, s.parts})
}

// nearby are the neighbours of a file in memory: its companion files, and the neighbours of the file on the disk.
type nearby struct {
	src   *format.Source
	parts map[string][]byte
}

func (n *nearby) Names() ([]string, error) {
	names := n.src.Siblings()
	for suffix := range n.parts {
		if name := n.src.Name + suffix; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

func (n *nearby) Open(name string) (*format.Source, error) {
	for suffix, data := range n.parts {
		if name == n.src.Name+suffix && suffix != "" {
			return format.NewSource(n.src.Path+suffix, data), nil
		}
	}
	return n.src.Beside(name)
}

// memory is an output in memory: its parts by their suffixes.
type memory map[string]*memoryPart

func (m memory) Create(suffix string) (format.Part, error) {
	p := new(memoryPart)
	m[suffix] = p
	return p, nil
}

var errNoFolder = errors.New("this requires a folder on the disk: use `trowel edit`")

func (m memory) Dir() (string, error)     { return "", errNoFolder }
func (m memory) KeptDir() (string, error) { return "", errNoFolder }

type memoryPart []byte

func (p *memoryPart) Write(data []byte) (int, error) {
	*p = append(*p, data...)
	return len(data), nil
}

func (p *memoryPart) WriteAt(data []byte, at int64) (int, error) {
	if err := effort.WholeFile.Check("", at+int64(len(data))); err != nil || at < 0 {
		return 0, cmp.Or(err, fs.ErrInvalid)
	}
	if grow := int(at) + len(data) - len(*p); grow > 0 {
		*p = append(*p, make([]byte, grow)...)
	}
	return copy((*p)[at:], data), nil
}

func (p *memoryPart) ReadAt(data []byte, at int64) (int, error) {
	return bytes.NewReader(*p).ReadAt(data, at)
}

var _ io.ReaderAt = new(memoryPart)

// build applies the changes to the file in one pass and returns the new file.
func (n *session) build(ctx context.Context) ([]byte, error) {
	lines, words, err := n.script()
	if err != nil {
		return nil, err
	}
	if n.folder != nil {
		return nil, problem{http.StatusNotFound, "a folder is not downloaded: save the list"}
	}
	n.mu.Lock()
	base := n.base
	n.mu.Unlock()
	parts, done, err := n.apply(ctx, base, &change{words: words}, false)
	switch {
	case err != nil:
		return nil, err
	case done.Error != "":
		return nil, errors.New(done.Error)
	case len(parts) > 1:
		return nil, fmt.Errorf("the result of the %d changes has several files: use `trowel edit`", len(lines))
	}
	return parts[""], nil
}

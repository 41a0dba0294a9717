package lsp

import (
	"context"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"trowel.example/check"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
)

// folder is a folder in tree form, or a single text file, that contains open documents.
type folder struct {
	server *Server
	format *format.Format
	dir    string            // in the system
	single string            // path of the only file, "" for a folder in tree form
	fsys   fs.FS             // with what the editor has open
	author format.Author     // nil if the format has none
	safe   map[string]string // names on disk by true paths, where they differ
	closer io.Closer
	end    context.CancelFunc

	indexed chan struct{} // closed when the index is ready
	failed  error         // of the index; valid when it is ready

	mu      sync.Mutex
	dirty   map[string]bool // files to check
	all     bool            // the whole folder is to be checked
	wake    chan struct{}
	stop    context.CancelFunc // ends the check of the whole folder that runs; nil if none does
	quick   map[string][]format.Problem
	whole   map[string][]format.Problem
	printed map[string]string // the diagnostics last sent, by path
}

// knownFolder returns the folder that contains a file, if it is open already.
func (s *Server) knownFolder(name string) *folder {
	s.mu.Lock()
	defer s.mu.Unlock()
	for dir := name; ; dir = filepath.Dir(dir) {
		if f := s.folders[dir]; f != nil {
			return f
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// folderOf returns the folder that contains a file: the innermost folder in tree form, or the file alone if a format
// has it. It returns nil for a file of no format.
func (s *Server) folderOf(ctx context.Context, name string) (*folder, error) {
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		s.mu.Lock()
		f := s.folders[dir]
		s.mu.Unlock()
		var err error
		if f == nil {
			f, err = s.openFolder(ctx, dir)
		}
		if f != nil || err != nil {
			return f, err
		}
		if dir == filepath.Dir(dir) {
			return s.openSingle(ctx, name)
		}
	}
}

// retry is the time after which a folder is examined again that was not one of a format.
const retry = time.Minute

// openFolder opens a folder if it is the tree form of a format that authors write as text.
func (s *Server) openFolder(ctx context.Context, dir string) (*folder, error) {
	if tried, ok := s.none[dir]; dir == filepath.Dir(dir) || ok && time.Since(tried) < retry {
		return nil, nil
	}
	quiet := s.service.Quiet(func(wording.Note) {})
	fsys, closer, err := quiet.OpenFolder(dir)
	if err != nil {
		return nil, nil // such as a folder that cannot be read: one above it may be the right one
	}
	of, err := s.service.Formats.FindTree(fsys)
	if err != nil || of.Authoring == nil {
		s.none[dir] = time.Now()
		return nil, closer.Close()
	}
	f := &folder{server: s, format: of, dir: dir, closer: closer, safe: safeNames(dir)}
	f.fsys = &overlay{FS: fsys, docs: &s.docs, at: f.path}
	return s.start(ctx, f, dir)
}

// safeNames returns the names on disk of the files of a folder that have others.
func safeNames(dir string) map[string]string {
	data, err := os.ReadFile(filepath.Join(dir, tree.Sidecar))
	if err != nil {
		return nil
	}
	names, err := safename.Names(data)
	if err != nil {
		return nil
	}
	safe := make(map[string]string, len(names))
	for at, name := range names {
		safe[name] = at
	}
	return safe
}

// openSingle opens a text file of its own.
func (s *Server) openSingle(ctx context.Context, name string) (*folder, error) {
	s.mu.Lock()
	f := s.folders[name]
	s.mu.Unlock()
	doc := s.docs.get(name)
	if f != nil {
		return f, nil
	}
	if doc == nil {
		return nil, nil
	}
	of, err := s.service.Formats.Find(format.NewSource(name, doc.encoding.encode(doc.text.string)))
	if err != nil {
		return nil, nil // not a file of a game
	}
	dir, base := filepath.Split(name)
	f = &folder{server: s, format: of, dir: filepath.Clean(dir), single: base, closer: io.NopCloser(nil)}
	f.fsys = oneFile{&overlay{FS: os.DirFS(f.dir), docs: &s.docs, at: f.path}, base}
	return s.start(ctx, f, name)
}

// start begins to serve a folder.
func (s *Server) start(ctx context.Context, f *folder, key string) (*folder, error) {
	if f.format.Authoring != nil {
		author, err := f.format.Authoring.Open(ctx, f.job(), f.fsys)
		if err != nil {
			f.closer.Close()
			return nil, err
		}
		f.author = author
	}
	ctx, f.end = context.WithCancel(ctx)
	f.indexed, f.wake = make(chan struct{}), make(chan struct{}, 1)
	f.dirty, f.printed = make(map[string]bool), make(map[string]string)
	f.quick = make(map[string][]format.Problem)
	s.mu.Lock()
	s.folders[key] = f
	s.mu.Unlock()
	s.running.Go(func() {
		defer close(f.indexed)
		if f.author == nil {
			return
		}
		if p := parallel.Catch(func() { f.index(ctx) }); p != nil {
			f.failed = service.Defect(p)
		}
	})
	s.running.Go(func() { f.serve(ctx) })
	return f, nil
}

// index reads the folder for answers about several files.
func (f *folder) index(ctx context.Context) {
	begin := time.Now()
	n, err := f.author.Index(ctx)
	if f.failed = err; err != nil {
		f.server.log(logWarning, "%s: %s", f.dir, wording.Text(err))
		return
	}
	f.server.log(logInfo, "%s: read %s in %.1f s", f.dir, words.Count(n, "file"), time.Since(begin).Seconds())
}

// ready waits until the index is ready.
func (f *folder) ready(ctx context.Context) error {
	select {
	case <-f.indexed:
		return f.failed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *folder) close() {
	f.end()
	if f.author != nil {
		if c, ok := f.author.(io.Closer); ok {
			c.Close()
		}
	}
	f.closer.Close()
}

// job returns a job with the options that the user gave, whose reports are written to the log of the editor.
func (f *folder) job() *format.Job {
	job := f.server.service.Job(f.format)
	job.OnWarn = func(path, message string) { f.server.log(logWarning, "%s: %s", path, message) }
	job.OnMiss = job.OnWarn
	job.OnDone, job.OnProgress, job.OnLose = nil, nil, nil
	return job
}

// path returns the path in the system of a path in the folder. An absolute path is one already.
func (f *folder) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	if at, ok := f.safe[name]; ok {
		name = at
	}
	return filepath.Join(f.dir, filepath.FromSlash(name))
}

// name returns the path in the folder of a path in the system.
func (f *folder) name(path string) string {
	at, err := filepath.Rel(f.dir, path)
	if err != nil {
		return ""
	}
	at = filepath.ToSlash(at)
	for name, safe := range f.safe {
		if safe == at {
			return name
		}
	}
	return at
}

// textOf returns the text of a file of the folder, or of another folder if the path is absolute.
func (f *folder) textOf(name string) *text {
	path := f.path(name)
	if doc := f.server.docs.get(path); doc != nil {
		return doc.text
	}
	var data []byte
	var err error
	if filepath.IsAbs(name) {
		data, err = os.ReadFile(name)
	} else {
		data, err = fs.ReadFile(f.fsys, name)
	}
	if err != nil || len(data) > 2*maxText {
		return newText("")
	}
	return newText(decodeText(data))
}

// delay is how long a check waits for further changes: an editor sends one for each key.
const delay = 60 * time.Millisecond

// changed arranges a check of a file.
func (f *folder) changed(path string) {
	f.mu.Lock()
	f.dirty[f.name(path)] = true
	f.mu.Unlock()
	f.poke()
}

// checkOnce arranges a check of the whole folder, unless one was done.
func (f *folder) checkOnce() {
	f.mu.Lock()
	done := f.whole != nil
	f.mu.Unlock()
	if !done {
		f.checkAll()
	}
}

// checkAll arranges a check of the whole folder.
func (f *folder) checkAll() {
	f.mu.Lock()
	f.all = true
	if f.stop != nil {
		f.stop()
	}
	f.mu.Unlock()
	f.poke()
}

func (f *folder) poke() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// serve checks what has changed, until ctx ends.
func (f *folder) serve(ctx context.Context) {
	var whole sync.WaitGroup
	defer whole.Wait()
	for {
		select {
		case <-f.wake:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return
		}
		f.mu.Lock()
		dirty, all := f.dirty, f.all && f.stop == nil
		f.dirty = make(map[string]bool)
		var sub context.Context
		if all {
			sub, f.stop = context.WithCancel(ctx)
			f.all = false
		}
		f.mu.Unlock()
		for name := range dirty {
			f.guard(ctx, func() error { return f.check(ctx, name) })
		}
		if all {
			whole.Go(func() {
				f.guard(sub, func() error { return f.checkWhole(sub) })
				f.mu.Lock()
				f.stop()
				f.stop = nil
				f.mu.Unlock()
				f.poke() // another check may have been arranged meanwhile
			})
		}
	}
}

// guard runs a check, and logs its failure.
func (f *folder) guard(ctx context.Context, run func() error) {
	var err error
	if p := parallel.Catch(func() { err = run() }); p != nil {
		err = service.Defect(p)
	}
	if err != nil && ctx.Err() == nil {
		f.server.log(logWarning, "%s: %s", f.dir, wording.Text(err))
	}
}

// check checks one file.
func (f *folder) check(ctx context.Context, name string) error {
	var problems []format.Problem
	var err error
	switch {
	case f.author != nil:
		if err := f.author.Update(ctx, name); err != nil {
			return err
		}
		problems, err = f.author.Check(ctx, name)
	case f.single == name:
		problems, err = f.checkSingle(ctx)
	}
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.quick[name] = problems
	f.mu.Unlock()
	f.publish(name)
	return nil
}

// checkSingle checks a text file of its own, whose findings name lines.
func (f *folder) checkSingle(ctx context.Context) ([]format.Problem, error) {
	data, err := fs.ReadFile(f.fsys, f.single)
	if err != nil {
		return nil, nil // it is closed and was never saved
	}
	var problems []format.Problem
	t := newText(decodeText(data))
	src := format.NewSource(f.path(f.single), data)
	err = format.Check(ctx, f.format, f.job(), src, func(found check.Finding) {
		span := format.Span{Path: f.single}
		for _, at := range found.At {
			if line, ok := at.(check.Line); ok && line.Line > 0 {
				span = format.LineSpan(f.single, t.string, line.Line, line.Column)
				break
			}
		}
		problems = append(problems, format.Problem{Finding: found, Over: span})
	})
	return problems, err
}

// checkWhole checks the whole folder.
func (f *folder) checkWhole(ctx context.Context) error {
	if f.author == nil {
		return nil
	}
	if err := f.ready(ctx); err != nil {
		return nil // it was logged
	}
	if _, err := f.author.Index(ctx); err != nil {
		return err
	}
	problems, err := f.author.CheckAll(ctx, func(ctx context.Context, sink check.Sink) error {
		return f.server.service.Quiet(func(wording.Note) {}).CheckFolder(ctx, f.format, f.fsys, f.dir, sink)
	})
	if err != nil || ctx.Err() != nil {
		return err
	}
	whole := make(map[string][]format.Problem)
	for _, p := range problems {
		if p.Over.Path == "" {
			p.Over.Path = f.format.Authoring.Main
		}
		whole[p.Over.Path] = append(whole[p.Over.Path], p)
	}
	f.mu.Lock()
	names := make(map[string]bool)
	for _, m := range []map[string][]format.Problem{f.whole, whole} {
		for name := range maps.Keys(m) {
			names[name] = true
		}
	}
	f.whole = whole
	f.mu.Unlock()
	for name := range names {
		f.publish(name)
	}
	return nil
}

// problems returns the known problems of a file. Those of an open file that its own check finds are from that check
// only, because they change with each key. Of other files, hints are omitted.
func (f *folder) problems(name string) []format.Problem {
	open := f.server.docs.get(f.path(name)) != nil
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []format.Problem
	if open {
		list = append(list, f.quick[name]...)
	} else {
		delete(f.quick, name)
	}
	for _, p := range f.whole[name] {
		if open && !f.author.Checks(p.ID) || !open && p.Severity > check.Info {
			list = append(list, p)
		}
	}
	return list
}

// maxProblems is the number of problems of a file that are sent.
const maxProblems = 500

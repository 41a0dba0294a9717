package viewer

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
)

// gallery is the list of files of a page. It may grow while the page is open.
type gallery struct {
	title string

	mu       sync.Mutex
	files    []*file // files are never removed, so each keeps its number
	notified time.Time
	done     bool
	note     string // why the search for files ended early

	thumbs chan struct{} // limits the small pictures made at a time, each with an open file
	checks chan struct{}
	counts map[string]*count
}

const (
	pageFiles   = 1000                   // files in an answer
	notifyEvery = 250 * time.Millisecond // interval between events about new files
	checkSize   = 16 << 20               // maximum size in bytes of a file that is checked in a gallery
	checkWait   = 10 * time.Second       // time before the page is asked to repeat the request
)

func (g *gallery) init() {
	g.done = true
	g.thumbs, g.checks = make(chan struct{}, 2), make(chan struct{}, 1)
	g.counts = make(map[string]*count)
}

// complete records that all files have been found, or why the search for files ended early.
func (s *Server) complete(err error) {
	g := &s.gallery
	g.mu.Lock()
	g.done = true
	if err != nil {
		g.note = err.Error()
	}
	g.mu.Unlock()
	s.events.send(event{"gallery", map[string]any{}})
}

// add adds a file.
func (s *Server) add(f File) *file {
	g := &s.gallery
	g.mu.Lock()
	added := &file{File: f, id: len(g.files), server: s, generation: 1}
	g.files = append(g.files, added)
	notify := time.Since(g.notified) > notifyEvery
	if notify {
		g.notified = time.Now()
	}
	g.mu.Unlock()
	if notify {
		s.events.send(event{"gallery", map[string]any{}})
	}
	return added
}

// allFiles returns the files found so far.
func (s *Server) allFiles() []*file {
	s.gallery.mu.Lock()
	defer s.gallery.mu.Unlock()
	return s.gallery.files
}

// listGallery returns the files. The parameter after is the number of files to skip.
func (s *Server) listGallery(r *http.Request) (any, error) {
	after, err := wholeOr(r.URL.Query().Get("after"), 0, 0, 1<<30)
	if err != nil {
		return nil, err
	}
	g := &s.gallery
	g.mu.Lock()
	files, done, note := g.files, g.done, g.note
	g.mu.Unlock()
	type item struct {
		ID         int    `json:"id"`
		Name       string `json:"name"`
		Generation int    `json:"generation"`
		Format     string `json:"format"`
		Title      string `json:"title"` // of the format
		Size       int64  `json:"size"`
		Folder     bool   `json:"folder"`   // the size is unknown
		Modified   int64  `json:"modified"` // milliseconds since 1970; 0 if unknown
		Picture    bool   `json:"picture"`  // a picture may exist
		Checked    bool   `json:"checked"`  // the findings are counted
		Error      string `json:"error"`
	}
	list := []item{}
	for _, f := range files[min(after, len(files)):] {
		if len(list) == pageFiles {
			break
		}
		one := item{ID: f.id, Name: f.Name, Generation: f.current(), Size: max(0, f.Size), Folder: f.Size < 0}
		if !f.Modified.IsZero() {
			one.Modified = f.Modified.UnixMilli()
		}
		if f.Format != nil {
			one.Format, one.Title = f.Format.Name, f.Format.Title
			one.Picture = f.Format.Shows("")
			one.Checked = !f.Format.Folder && f.Size <= checkSize
		}
		if f.Err != nil {
			one.Error = f.plain(f.Err.Error())
		}
		list = append(list, one)
	}
	return map[string]any{"files": list, "total": len(files), "done": done, "note": note}, nil
}

// serveThumb sends a small picture of a file. The parameter side is its longer side in pixels. Status 204 means
// that the file shows nothing. If the file cannot be opened, the answer is {"error": message} with a success
// status, because this is no error of a page that shows many files.
func (s *Server) serveThumb(w http.ResponseWriter, r *http.Request) error {
	f, err := s.fileOf(r.PathValue("file"))
	if err != nil {
		return err
	}
	generation := f.current()
	if r.PathValue("generation") != strconv.Itoa(generation) {
		return problem{http.StatusGone, "the file has changed"}
	}
	side, err := wholeOr(r.URL.Query().Get("side"), 256, 16, 512)
	if err != nil {
		return err
	}
	paper := r.URL.Query()
	key := fmt.Sprintf("thumb %d.%d %d %q", f.id, generation, side, paper.Get("paper"))
	small := s.tiles.find(key)
	if small == nil {
		small, err = s.thumb(r.Context(), f, key, side, paper)
		if err != nil && r.Context().Err() == nil {
			return s.writeJSON(w, r, map[string]any{"error": f.failure(err)})
		}
		if err != nil {
			return err
		}
	}
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	if len(small.png) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	w.Header().Set("Content-Type", "image/png")
	_, err = w.Write(small.png)
	return err
}

func (s *Server) thumb(ctx context.Context, f *file, key string, side int, paper url.Values) (*tile, error) {
	select {
	case s.gallery.thumbs <- struct{}{}:
		defer func() { <-s.gallery.thumbs }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if small := s.tiles.find(key); small != nil { // made by an earlier request
		return small, nil
	}
	e, release, err := f.edition(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if !e.Format.Shows("") {
		return s.tiles.keep(&tile{key: key}), nil
	}
	sc, release, err := e.scene(ctx, "", nil)
	if errors.Is(err, format.ErrUnseen) {
		return s.tiles.keep(&tile{key: key}), nil
	}
	if err != nil {
		return nil, err
	}
	defer release()
	v := sc.Views[0]
	if v.Background, err = background(v, paper); err != nil {
		return nil, err
	}
	look, ok := v.Thumbnail(v.Bounds, side)
	if !ok {
		return s.tiles.keep(&tile{key: key}), nil
	}
	pix, err := s.render(ctx, &sceneRequest{scene: sc, View: v}, look, image.Rectangle{Max: look.Size})
	if err != nil {
		return nil, err
	}
	return s.tiles.keep(&tile{key: key, png: encode(pix)}), nil
}

// count is the number of findings of a file, once it is known.
type count struct {
	done    chan struct{}
	by      [check.Error + 1]int
	binding int // those that break a binding rule
	err     error
}

// countFindings returns the number of findings of each severity, and of those that break a binding rule. If the check takes
// longer, it continues, and the page repeats the request. Large files are checked only when they are opened.
func (s *Server) countFindings(r *http.Request) (any, error) {
	ctx := r.Context()
	f, err := s.fileOf(r.PathValue("file"))
	if err != nil {
		return nil, err
	}
	e, release, err := f.edition(ctx)
	if err != nil && ctx.Err() == nil {
		return map[string]any{"state": "broken", "error": f.failure(err)}, nil
	}
	if err != nil {
		return nil, err
	}
	defer release()
	if e.Source.IsDir() || e.Source.Size > checkSize {
		return map[string]any{"state": "large"}, nil
	}
	values, key, err := e.checkValues(r.URL.Query())
	if err != nil {
		return nil, err
	}
	c := s.gallery.count(e, values, key)
	select {
	case <-c.done:
	case <-time.After(checkWait):
		return map[string]any{"state": "running"}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c.err != nil {
		return nil, c.err
	}
	return map[string]any{"state": "done", "error": c.by[check.Error], "warning": c.by[check.Warning], "info": c.by[check.Info],
		"binding": c.binding}, nil
}

// count starts the check of a file, unless it has been started.
func (g *gallery) count(e *edition, values map[string]string, key string) *count {
	s := e.of.server
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.counts[key]
	if c != nil {
		return c
	}
	c = &count{done: make(chan struct{})}
	own, release, err := e.lease(s.life)
	if err != nil {
		c.err = err
		close(c.done)
		return c
	}
	g.counts[key] = c
	go func() {
		defer close(c.done)
		defer release()
		select {
		case g.checks <- struct{}{}:
			defer func() { <-g.checks }()
		case <-s.life.Done():
			c.err = s.life.Err()
			return
		}
		sink := check.Sink(func(f check.Finding) {
			c.by[f.Severity]++
			if f.Breaks() {
				c.binding++
			}
		})
		p := parallel.Catch(func() { c.err = own.runCheck(s.life, values, sink, func(string, int, int) {}) })
		if p != nil {
			c.err = defect(p)
		}
	}()
	return c
}

package viewer

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// event is what the page is told without having asked.
type event struct {
	name string
	data any
}

const (
	maxPages   = 32 // that listen at a time
	maxWaiting = 64 // events that a page has not read yet
)

// hub passes events on to all pages that are open.
type hub struct {
	mu    sync.Mutex
	pages map[chan event]bool
}

// send never waits. A page that does not read is cut off: it comes back, and asks how things
// are.
func (h *hub) send(e event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for page := range h.pages {
		select {
		case page <- e:
		default:
			delete(h.pages, page)
			close(page)
		}
	}
}

// join returns the events from now on; nil if there are too many pages. The channel is closed
// if they are not read.
func (h *hub) join() (page chan event, leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.pages) == maxPages {
		return nil, nil
	}
	if h.pages == nil {
		h.pages = make(map[chan event]bool)
	}
	page = make(chan event, maxWaiting)
	h.pages[page] = true
	return page, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.pages, page)
	}
}

// listened reports whether a page is open.
func (h *hub) listened() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.pages) > 0
}

// serveEvents answers with events as they come. The first is "hello", with the generations of
// the files that have changed since the start, so that a page that was cut off knows what it
// missed.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	page, leave := s.events.join()
	if page == nil {
		http.Error(w, "the page is open too often", http.StatusServiceUnavailable)
		return
	}
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	write := func(format string, args ...any) error {
		_ = out.SetWriteDeadline(time.Now().Add(limit)) // from now on
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			return err
		}
		return out.Flush()
	}
	tell := func(e event) error {
		data, err := json.Marshal(e.data)
		if err != nil {
			return err
		}
		return write("event: %s\ndata: %s\n\n", e.name, data)
	}
	beat := time.NewTicker(20 * time.Second) // so that a page that is gone is noticed
	defer beat.Stop()
	err := tell(s.hello())
	for err == nil {
		select {
		case <-r.Context().Done():
			return
		case <-s.life.Done():
			return
		case <-beat.C:
			err = write(": still here\n\n")
		case e, open := <-page:
			if !open {
				return
			}
			err = tell(e)
		}
	}
}

func (s *Server) hello() event {
	generations := make(map[int]int)
	broken := make(map[int]string)
	for _, f := range s.all() {
		f.mu.Lock()
		if f.generation > 1 {
			generations[f.id] = f.generation
		}
		if f.broken != "" {
			broken[f.id] = f.broken
		}
		f.mu.Unlock()
	}
	return event{"hello", map[string]any{"generations": generations, "broken": broken}}
}

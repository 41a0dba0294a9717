package viewer

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// event is a message that the server sends to pages.
type event struct {
	name string
	data any
}

const (
	maxPages   = 32 // pages that listen at the same time
	maxWaiting = 64 // events that a page has not read yet
)

// hub sends events to all open pages.
type hub struct {
	mu    sync.Mutex
	pages map[chan event]bool
}

// send never blocks. If a page does not read its events, its connection is closed; the page then reconnects and
// requests the current state.
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

// join returns a channel of all further events, or nil if there are too many pages. The channel is closed if
// its events are not read.
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

// serveEvents sends events as they occur. The first event is "hello" with the generations of the files that
// have changed since the start, so that a page that was disconnected can detect the changes it missed.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	page, leave := s.events.join()
	if page == nil {
		http.Error(w, "the page is open in too many windows", http.StatusServiceUnavailable)
		return
	}
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	write := func(format string, args ...any) error {
		_ = out.SetWriteDeadline(time.Now().Add(limit)) // renewed for each event
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			return err
		}
		return out.Flush()
	}
	writeEvent := func(e event) error {
		data, err := json.Marshal(e.data)
		if err != nil {
			return err
		}
		return write("event: %s\ndata: %s\n\n", e.name, data)
	}
	beat := time.NewTicker(20 * time.Second) // detects pages that are gone
	defer beat.Stop()
	err := writeEvent(s.hello())
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
			err = writeEvent(e)
		}
	}
}

func (s *Server) hello() event {
	generations := make(map[int]int)
	broken := make(map[int]string)
	for _, f := range s.allFiles() {
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

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

// hub passes events on to all pages that are open.
type hub struct {
	mu    sync.Mutex
	pages map[chan event]bool
}

func (h *hub) send(e event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for page := range h.pages {
		select {
		case page <- e:
		default: // who does not listen will ask
		}
	}
}

func (h *hub) join() (page chan event, leave func()) {
	page = make(chan event, 64)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pages == nil {
		h.pages = make(map[chan event]bool)
	}
	h.pages[page] = true
	return page, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.pages, page)
	}
}

// serveEvents answers with events as they come.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	page, leave := s.events.join()
	defer leave()
	out := http.NewResponseController(w)
	beat := time.NewTicker(15 * time.Second) // so that a page that is gone is noticed
	defer beat.Stop()
	_, err := fmt.Fprint(w, ": hello\n\n")
	for err == nil {
		if err = out.Flush(); err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-s.life.Done():
			return
		case <-beat.C:
			_, err = fmt.Fprint(w, ": still here\n\n")
		case e := <-page:
			data, _ := json.Marshal(e.data)
			_, err = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.name, data)
		}
	}
}

package viewer

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"trowel.example/cmd/internal/history"
	"trowel.example/cmd/internal/service"
)

// timeline is the earlier states of the file of a server. Each is a file of the server, which is opened when it is
// requested.
type timeline struct {
	service *service.Service
	of      string // the name of the file on the disk
	from    history.Sources

	mu     sync.Mutex
	listed time.Time
	list   []*file // as listed last, the oldest first
	known  map[string]*file
	note   string // why the last attempt to list the states failed
}

const (
	relist  = 2 * time.Second // interval between attempts to find new states
	maxIdle = 2 * time.Minute // time after which an unused state is closed
)

// History lets the page show the earlier states of the file called name, which must be the only file of the server. Without
// any states it does nothing.
func (s *Server) History(ctx context.Context, svc *service.Service, name string, from history.Sources) error {
	t := &timeline{service: svc, of: name, from: from, known: make(map[string]*file)}
	list, err := history.List(ctx, svc, name, from)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return nil
	}
	if s.mode != One {
		return errors.New("earlier states are available for a single file only")
	}
	s.timeline = t
	t.take(s, list)
	return nil
}

// take makes files of states.
func (t *timeline) take(s *Server, list []history.State) {
	t.listed, t.list = time.Now(), nil
	for _, state := range list {
		key := state.Kind + " " + state.ID
		if t.known[key] == nil {
			t.known[key] = s.add(t.file(&state, s.allFiles()[0].File))
		}
		t.list = append(t.list, t.known[key])
	}
}

// file returns a state as a file. now is the file as it is.
func (t *timeline) file(state *history.State, now File) File {
	var hides atomic.Pointer[hidden] // of the path that it had last
	called := now.Name + " of " + state.Time.Local().Format("2006-01-02 15:04:05")
	return File{
		Name:  called,
		Err:   state.Err,
		State: state,
		Plain: func(message string) string {
			if h := hides.Load(); h != nil {
				message = h.plain(message)
			}
			return t.plain(message, now)
		},
		Open: func(ctx context.Context) (*Opened, error) {
			at, err := state.Open(ctx)
			if err != nil {
				return nil, err
			}
			hides.Store(newHidden(t.service.Options, at.Path, called))
			o, err := (&opener{t.service}).file(service.Target{Name: at.Path}, called).Open(ctx)
			if err != nil {
				return nil, errors.Join(err, at.Close())
			}
			if o.Source.IsDir() && o.Source.Name == filepath.Base(at.Path) {
				o.Source.Path = now.Name
			}
			o.Private, o.Notes = true, append(o.Notes, at.Notes...)
			end := o.Close
			o.Close = func() error { return errors.Join(end(), at.Close()) }
			return o, nil
		},
	}
}

// plain replaces the paths of the repository and of the file as it is in a message.
func (t *timeline) plain(message string, now File) string {
	if t.from.Repository != "" {
		h := &hidden{windows: onWindows}
		h.file(t.from.Repository, service.BaseName(t.from.Repository))
		message = h.plain(message)
	}
	if now.Plain != nil {
		message = now.Plain(message)
	}
	return message
}

// refresh lists the states again, unless that was just done.
func (t *timeline) refresh(ctx context.Context, s *Server) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.listed) < relist {
		return
	}
	list, err := history.List(ctx, t.service, t.of, t.from)
	if err != nil {
		t.note, t.listed = s.allFiles()[0].failure(err), time.Now()
		return // the states that are known stay
	}
	t.note = ""
	t.take(s, list)
}

// listStates returns the earlier states of the file, the oldest first.
func (s *Server) listStates(r *http.Request) (any, error) {
	t := s.timeline
	if t == nil {
		return nil, problem{http.StatusNotFound, "no earlier states are shown here"}
	}
	t.refresh(r.Context(), s)
	type item struct {
		ID    int    `json:"id"`   // of the file
		Key   string `json:"key"`  // stable
		Kind  string `json:"kind"` // snapshot, commit or backup
		Time  int64  `json:"time"` // milliseconds since 1970
		Title string `json:"title"`
		By    string `json:"by"`
		Back  bool   `json:"back"` // parts can be put back
		Error string `json:"error,omitempty"`
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	items := []item{}
	for _, f := range t.list {
		one := item{ID: f.id, Key: f.State.ID, Kind: f.State.Kind, Time: f.State.Time.UnixMilli(), Title: f.State.Title, By: f.State.By,
			Back: f.State.PutBack != nil}
		if f.State.Err != nil {
			one.Error = f.plain(f.State.Err.Error())
		}
		items = append(items, one)
	}
	return map[string]any{"states": items, "note": t.note}, nil
}

// names reports whether the page may use a path of the disk as the value of an option or argument of an operation: those of the
// repository that the user named.
func (s *Server) names(option, path string) bool {
	if s.timeline == nil || path == "" {
		return false
	}
	given := func(g service.Given) bool { return g.Name == option && g.Value == path }
	return path == s.timeline.from.Repository || slices.ContainsFunc(s.timeline.from.Trust, given)
}

// putBack returns the operation that puts a box of a state back into the file.
func (s *Server) putBack(id int, box string) ([]string, error) {
	files := s.allFiles()
	if id < 0 || id >= len(files) || files[id].State == nil || files[id].State.PutBack == nil {
		return nil, problem{http.StatusNotFound, "nothing can be put back from this state"}
	}
	return files[id].State.PutBack(box), nil
}

// closeIdle closes states that were not used for some time.
func (s *Server) closeIdle() {
	if s.timeline == nil {
		return
	}
	s.timeline.mu.Lock()
	old := make(map[string]bool)
	for _, f := range s.timeline.known {
		old[f.key(f.current())] = true
	}
	s.timeline.mu.Unlock()
	ofOld := func(key string) bool {
		of, _, _ := strings.Cut(key, "\n")
		return old[of]
	}
	s.scenes.rest(maxIdle, ofOld)
	s.opened.rest(maxIdle, ofOld)
}

package viewer

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

// editHeader is the header of all requests that change something: the hash of the file that the page shows. No other
// site can send it.
const editHeader = "Trowel-Edit"

// maxEdit is the maximum size of a request that changes something.
const maxEdit = 4 << 20

// editRoutes registers the handlers of the list of changes. They are below the number of the edited file.
func (s *Server) editRoutes() {
	get := func(name string, of func(*session, *http.Request) (any, error)) {
		s.mux.HandleFunc("GET /f/{file}/edit"+name, s.handleJSON(func(r *http.Request) (any, error) {
			n, err := s.sessionOf(r)
			if err != nil {
				return nil, err
			}
			return of(n, r)
		}))
	}
	get("", func(n *session, _ *http.Request) (any, error) { return n.describe(), nil })
	get("/operations", func(n *session, _ *http.Request) (any, error) { return n.operations(), nil })
	get("/names", (*session).names)
	get("/command", (*session).command)
	get("/ghost", (*session).ghost)
	s.mux.HandleFunc("GET /f/{file}/edit/result", s.handle(s.serveResult))
	s.mux.HandleFunc("GET /f/{file}/edit/shot/{generation}/{id}", s.handle(s.serveShot))
	s.mux.HandleFunc("POST /f/{file}/edit", s.handleJSON(func(r *http.Request) (any, error) {
		n, err := s.mayChange(r)
		if err != nil {
			return nil, err
		}
		var ask editRequest
		if err := readJSON(r, &ask); err != nil {
			return nil, err
		}
		if ask.Do == "reread" {
			err = n.reread(s.life, nil) // the file stays open
		} else if err = n.do(r.Context(), ask); err == nil {
			if done := n.settle(); !ask.Soon {
				err = n.wait(r.Context(), done)
			}
		}
		if err == nil && ask.Soon {
			return map[string]any{"revision": ask.Revision + 1}, nil
		}
		return n.describe(), err
	}))
	for name, write := range map[string]func(*session, context.Context, int) (string, error){
		"save": (*session).save, "unsave": (*session).unsave,
	} {
		s.mux.HandleFunc("POST /f/{file}/edit/"+name, s.handleJSON(func(r *http.Request) (any, error) {
			n, err := s.mayChange(r)
			if err != nil {
				return nil, err
			}
			if n.Save == nil {
				return nil, problem{http.StatusNotFound, "the page cannot write to the disk: download the new file"}
			}
			var ask editRequest
			if err := readJSON(r, &ask); err != nil {
				return nil, err
			}
			message, err := write(n, s.life, ask.Revision) // also if the page is closed meanwhile
			if err != nil {
				return nil, err
			}
			return map[string]any{"message": message, "edit": n.describe()}, nil
		}))
	}
}

// sessionOf returns the list of changes of the requested file.
func (s *Server) sessionOf(r *http.Request) (*session, error) {
	if n := s.edits; n != nil && r.PathValue("file") == strconv.Itoa(n.is.id) {
		return n, nil
	}
	return nil, problem{http.StatusNotFound, "this file is not edited here"}
}

// mayChange returns the list of changes that a request may change.
func (s *Server) mayChange(r *http.Request) (*session, error) {
	n, err := s.sessionOf(r)
	switch hash := r.Header.Get(editHeader); {
	case err != nil:
		return nil, err
	case hash == "":
		return nil, problem{http.StatusForbidden, "the header " + editHeader + " is missing"}
	case hash != n.hash():
		return nil, problem{http.StatusConflict, "the page shows another state of the file: load it again"}
	}
	return n, nil
}

// readJSON reads the body of a request.
func readJSON(r *http.Request, v any) error {
	data, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxEdit))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return problem{http.StatusRequestEntityTooLarge, fmt.Sprintf("a change has at most %d MB", maxEdit>>20)}
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return problem{http.StatusBadRequest, err.Error()}
	}
	return nil
}

// mayPost reports whether a request of the page may change something.
func (s *Server) mayPost(r *http.Request) bool {
	return s.edits != nil && r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/f/") &&
		len(r.Header["Origin"]) == 1 && r.Header.Get("Content-Type") == "application/json"
}

const maxShown = 400 // runes of the line of a change

// describe returns the list for the page.
func (n *session) describe() any {
	type row struct {
		ID    int      `json:"id"`
		Name  string   `json:"name"`
		Title string   `json:"title,omitempty"` // what the user did, in words
		Line  string   `json:"line"`            // perhaps cut
		Words []string `json:"words,omitempty"` // omitted if they are long
		Off   bool     `json:"off"`
		Shot  bool     `json:"shot"` // it may have a picture
		effect
	}
	outdated := n.outdated()
	n.mu.Lock()
	defer n.mu.Unlock()
	hash, list := hex.EncodeToString(n.digest[:]), []row{}
	for _, e := range n.list {
		done := e.last()
		done.Notes = slices.Clone(done.Notes)
		for i, note := range done.Notes {
			done.Notes[i] = n.server.worded(note)
		}
		done.Error = n.server.worded(done.Error)
		one := row{ID: e.id, Name: e.words[0], Title: e.title, Line: e.line, Words: e.words, Off: e.off, Shot: len(done.within) > 0, effect: done}
		if short := []rune(e.line[:min(len(e.line), 4*maxShown)]); len(short) > maxShown || len(e.line) > 4*maxShown {
			one.Line, one.Words = string(short[:min(len(short), maxShown)])+" …", nil
		}
		list = append(list, one)
	}
	answer := map[string]any{
		"hash": hash, "revision": n.revision, "applied": n.seen == n.revision, "list": list,
		"undo": len(n.undo) > 0, "redo": len(n.redo) > 0, "outdated": outdated, "saved": len(n.saved) > 0 && n.Undo != nil,
		"saves": n.Save != nil, "unkept": n.unkept,
		"name": n.was.Name, "generation": n.is.current(), "folder": n.folder != nil,
	}
	if n.offer != nil {
		answer["offer"] = map[string]any{"count": len(n.offer.Changes), "time": n.offer.Time, "same": n.offer.Hash == hash}
	}
	return answer
}

// operations returns the declarations of all operations, without those that need a file of the disk which is not offered.
func (n *session) operations() any {
	type value struct {
		Name    string   `json:"name"`
		Help    string   `json:"help"`
		Form    string   `json:"form,omitempty"` // such as x1,y1:x2,y2
		Type    string   `json:"type"`
		Choices []string `json:"choices,omitempty"`
		Default string   `json:"default,omitempty"`
		Names   string   `json:"names,omitempty"` // kind of the names that fit
		List    bool     `json:"list,omitempty"`
		Needed  bool     `json:"needed,omitempty"`
	}
	type operation struct {
		Name    string  `json:"name"`
		Title   string  `json:"title"`
		Long    string  `json:"long,omitempty"`
		Heading string  `json:"heading"`
		Args    []value `json:"args"`
		Options []value `json:"options"`
	}
	values := func(options []format.Option) []value {
		list := []value{}
		for _, o := range options {
			if o.Input && o.Names == "" {
				continue
			}
			kind := [...]string{"text", "integer", "number", "color", "place", "bool"}[o.Type]
			help := wording.InPage(strings.ReplaceAll(o.Help, "`", ""))
			list = append(list, value{o.Name, help, o.Form(), kind, o.Choices, o.Default, o.Names, o.List,
				o.Need == format.Required})
		}
		return list
	}
	list := []operation{}
	for _, c := range n.opened.Format.Editing.Commands {
		if !slices.ContainsFunc(c.Args, func(o format.Option) bool { return o.Input && o.Names == "" }) {
			args := values(c.Args)
			for i := range args {
				args[i].Needed = c.Args[i].Needed()
			}
			list = append(list, operation{c.Name, c.Title, wording.InPage(c.Long), c.Heading, args, values(c.Options)})
		}
	}
	type text struct {
		Path    string   `json:"path"`
		Title   string   `json:"title"`
		Command string   `json:"command"`
		Options []string `json:"options,omitempty"`
	}
	texts := []text{}
	for _, t := range n.opened.Format.Editing.Texts {
		texts = append(texts, text(t))
	}
	return map[string]any{"operations": list, "texts": texts}
}

const maxNames = 2000

// names returns the names of a kind in the edited file.
func (n *session) names(r *http.Request) (any, error) {
	f := n.opened.Format
	list := []string{}
	if f.Names == nil {
		return map[string]any{"names": list}, nil
	}
	n.mu.Lock()
	src := n.source(n.result)
	n.mu.Unlock()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	err := f.Names(ctx, n.opened.Job(), src, r.URL.Query().Get("kind"), func(name string) {
		if len(list) < maxNames && !slices.Contains(list, name) {
			list = append(list, name)
		} else if len(list) >= maxNames {
			cancel()
		}
	})
	if len(list) >= maxNames {
		err = nil
	}
	return map[string]any{"names": list}, err
}

// maxLine is the length of a command line up to which it holds all operations.
const maxLine = 2000

// command returns the command line that does the same, and the script for long ones.
func (n *session) command(*http.Request) (any, error) {
	lines, all, err := n.script()
	if err != nil {
		return nil, err
	}
	name := n.was.Name
	line := "trowel edit " + words.Quoted(name) + " --in-place -- " + words.Quoted(all...)
	if len(line) > maxLine {
		line = "trowel edit " + words.Quoted(name) + " --in-place --script changes.txt"
	}
	return map[string]any{"command": line, "script": strings.Join(lines, "\n") + "\n"}, nil
}

// serveResult sends the file with the changes. All changes are applied in one pass, as `trowel edit` does.
func (s *Server) serveResult(w http.ResponseWriter, r *http.Request) error {
	n, err := s.sessionOf(r)
	if err != nil {
		return err
	}
	data, err := n.build(r.Context())
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Length", strconv.Itoa(len(data)))
	_, err = w.Write(data)
	return err
}

package viewer

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"trowel.example/internal/format"
)

// routes registers the handlers. Requests about a file are below /f/NUMBER, where NUMBER is the position of the
// file in the list of files.
func (s *Server) routes() {
	s.mux = http.NewServeMux()
	s.mux.HandleFunc("GET /events", s.serveEvents)
	s.mux.HandleFunc("GET /session", s.handleJSON(s.session))
	s.mux.HandleFunc("GET /states", s.handleJSON(s.listStates))
	s.mux.HandleFunc("GET /gallery", s.handleJSON(s.listGallery))
	file := func(name string, of func(context.Context, *edition, *http.Request) (any, error)) {
		s.mux.HandleFunc("GET /f/{file}/"+name, s.about(of))
	}
	file("open", describe)
	file("entry", describeEntry)
	file("scene", describeScene)
	file("inspect", inspect)
	file("sight", sight)
	file("labels", listLabels)
	file("missing", listMissing)
	file("tree", listTree)
	file("text", readText)
	file("table", readTable)
	file("stale", stale)
	file("renew", renew)
	file("head", readHead)
	file("fields", listFields)
	file("check", listFindings)
	file("marks", listMarks)
	s.mux.HandleFunc("GET /f/{file}/bytes", s.handle(s.serveBytes))
	s.mux.HandleFunc("GET /f/{file}/folder", s.download(".zip", "application/zip", writeFolder))
	s.mux.HandleFunc("GET /f/{file}/findings", s.download(".findings.json", "application/json", writeFindings))
	s.mux.HandleFunc("GET /f/{file}/ready", s.download(".ready.json", "application/json", writeReady))
	s.mux.HandleFunc("GET /f/{file}/search", s.stream(searchText))
	s.mux.HandleFunc("GET /f/{file}/find", s.stream(findThings))
	s.mux.HandleFunc("GET /f/{file}/compare/{other}", s.handleJSON(s.compare))
	s.mux.HandleFunc("GET /f/{file}/compare/{other}/text", s.handleJSON(s.compareText))
	s.mux.HandleFunc("GET /f/{file}/count", s.handleJSON(s.countFindings))
	s.mux.HandleFunc("GET /f/{file}/thumb/{generation}", s.handle(s.serveThumb))
	s.mux.HandleFunc("GET /f/{file}/{kind}/{generation}/{z}/{x}/{y}", s.handle(s.serveTile)) // kind: tile or cover
	s.mux.HandleFunc("GET /f/{file}/still/{generation}", s.serveStill)
	s.mux.HandleFunc("GET /f/{file}/model/{generation}", s.serveDrawing("model/gltf-binary", (*sceneRequest).model))
	s.mux.HandleFunc("GET /f/{file}/cube/{generation}", s.serveDrawing("model/gltf-binary", (*sceneRequest).cube))
	s.mux.HandleFunc("GET /f/{file}/motion/{generation}", s.serveDrawing("application/octet-stream", (*sceneRequest).motion))
	s.paintRoutes()
	s.editRoutes()
}

// session returns the mode, the title and the files of the page. The files of a gallery have a separate address.
func (s *Server) session(*http.Request) (any, error) {
	type item struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	files := []item{}
	title := cmp.Or(s.gallery.title, "files")
	if s.mode != Gallery {
		var names []string
		for _, f := range s.allFiles() {
			if f.State != nil {
				continue
			}
			files = append(files, item{f.id, f.Name})
			names = append(names, f.Name)
		}
		title = strings.Join(names, " | ")
	}
	answer := map[string]any{"mode": s.mode, "title": title, "files": files}
	if s.edits != nil {
		answer["edit"], answer["title"] = s.edits.is.id, s.edits.was.Name
	}
	if s.timeline != nil {
		answer["states"] = true
	}
	return answer, nil
}

// fact is a [format.InfoField] for the page.
type fact struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Value any    `json:"value"`
}

// describe returns the properties of a file and the operations that the page offers for it.
func describe(ctx context.Context, e *edition, _ *http.Request) (any, error) {
	info, err := e.file.Info(ctx, e.job(nil))
	if err != nil {
		return nil, err
	}
	type option struct {
		Usage string `json:"usage"`
		Help  string `json:"help"`
	}
	type query struct {
		Name    string   `json:"name"`
		Title   string   `json:"title"`
		Usage   string   `json:"usage"`
		Example string   `json:"example"`
		Options []option `json:"options"`
		About   bool     `json:"about"`
	}
	queries := []query{}
	if e.Format.Finder != nil {
		for _, c := range e.Format.Finder.Commands {
			q := query{c.Name, c.Title, c.Usage(), c.Example, []option{}, c.About}
			for _, o := range c.Options {
				if o.Input {
					continue // the page cannot name files of the disk
				}
				one := option{"--" + o.Name, strings.ReplaceAll(o.Help, "`", "")}
				if value := strings.Split(o.Help, "`"); o.Type != format.Bool && len(value) == 3 {
					one.Usage += " " + strings.ToUpper(value[1])
				} else if o.Type != format.Bool {
					one.Usage += " VALUE"
				}
				q.Options = append(q.Options, one)
			}
			queries = append(queries, q)
		}
	}
	checks := make(map[string][]string) // options of checks with their values
	for _, o := range checkChoices(e.Format) {
		checks[o.Name] = o.Choices
	}
	ready := e.Format.Editing != nil && e.Format.Editing.Ready != "" && !e.Source.IsDir()
	e.of.mu.Lock()
	broken := e.of.broken
	e.of.mu.Unlock()
	e.mu.Lock()
	notes, damage := append([]string{}, e.notes...), e.damage
	e.mu.Unlock()
	return map[string]any{
		"id": e.of.id, "name": e.of.Name, "generation": e.generation, "format": e.Format.Name, "title": e.Format.Title,
		"folder": e.Format.Folder, "watched": e.of.Stamp != nil || e.of.State != nil, "broken": broken, "damage": damage, "notes": notes,
		"info": facts(info.Fields), "scene": e.isSeen(ctx, ""), "fields": e.Format.Dump != nil, "queries": queries, "paints": paints(e.Format),
		"checks": checks, "ready": ready,
	}, nil
}

const pageEntries = 500 // entries of a folder in an answer

// listTree returns the entries of a folder of the tree. Parameters: path, and after, the number of entries to
// skip.
func listTree(ctx context.Context, e *edition, r *http.Request) (any, error) {
	fsys, err := e.files(ctx)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	dir := q.Get("path")
	if dir == "" {
		dir = "."
	}
	after, err := wholeOr(q.Get("after"), 0, 0, maxPosition)
	if err != nil {
		return nil, err
	}
	f, err := fsys.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	pages, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, problem{http.StatusNotFound, dir + ": not a folder"}
	}
	type item struct {
		Name  string `json:"name"`
		Dir   bool   `json:"dir"`
		Size  int64  `json:"size"`
		Scene bool   `json:"scene"` // the entry can be drawn
	}
	items, more := []item{}, false
	for at := 0; !more; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		entries, err := pages.ReadDir(pageEntries)
		for _, x := range entries {
			if at++; at <= after {
				continue
			}
			if more = len(items) == pageEntries; more {
				break
			}
			one := item{Name: x.Name(), Dir: x.IsDir()}
			if info, err := x.Info(); err == nil && !x.IsDir() {
				one.Size = info.Size()
			}
			full := path.Join(dir, x.Name())
			one.Scene = e.Format.Shows(full)
			items = append(items, one)
		}
		if err == io.EOF || len(entries) == 0 {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return map[string]any{"entries": items, "more": more}, nil
}

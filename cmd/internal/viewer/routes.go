package viewer

import (
	"context"
	"embed"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"trowel.example/check"
	"trowel.example/cmd/internal/leaflet"
	"trowel.example/format"
)

//go:embed page
var page embed.FS

var shell = template.Must(template.ParseFS(page, "page/index.html"))

// routes says what answers what. All that is about a file is below /f/NUMBER, where NUMBER is
// its place among the files that the program was started with.
func (s *Server) routes() {
	s.mux = http.NewServeMux()
	s.mux.HandleFunc("GET /{$}", s.handle(s.serveShell))
	s.mux.HandleFunc("GET /page/{name}", s.handle(s.servePage))
	s.mux.HandleFunc("GET /events", s.serveEvents)
	s.mux.HandleFunc("GET /session", s.answer(s.session))
	file := func(name string, of func(context.Context, *edition, *http.Request) (any, error)) {
		s.mux.HandleFunc("GET /f/{file}/"+name, s.about(of))
	}
	file("open", describe)
	file("scene", describeScene)
	file("inspect", inspect)
	file("tree", listTree)
	file("text", readText)
	s.mux.HandleFunc("GET /f/{file}/{kind}/{generation}/{z}/{x}/{y}", s.handle(s.serveTile)) // kind: tile or cover
}

func (s *Server) serveShell(w http.ResponseWriter, r *http.Request) error {
	var names []string
	for _, f := range s.files {
		names = append(names, f.Name)
	}
	title := strings.Join(names, " | ")
	if s.mode == Gallery {
		title = "files"
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return shell.Execute(w, map[string]string{"Title": title})
}

// servePage answers with a script or style of the page.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	types := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
	kind, ok := types[path.Ext(name)]
	if !ok {
		return fs.ErrNotExist
	}
	data, err := page.ReadFile("page/" + name)
	if err != nil {
		data, err = leaflet.Files.ReadFile(name)
	}
	if err != nil {
		return fs.ErrNotExist
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	_, err = w.Write(data)
	return err
}

// session tells what the page is about.
func (s *Server) session(*http.Request) (any, error) {
	type item struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	files := []item{}
	for _, f := range s.files {
		files = append(files, item{f.id, f.Name})
	}
	return map[string]any{"mode": s.mode, "files": files}, nil
}

// fact is an [format.InfoField] for the page.
type fact struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Value any    `json:"value"`
}

// describe tells what a file is and what can be done with it.
func describe(ctx context.Context, e *edition, _ *http.Request) (any, error) {
	info, err := e.file.Info(ctx, e.job(nil))
	if err != nil {
		return nil, err
	}
	type query struct {
		Name    string `json:"name"`
		Title   string `json:"title"`
		Usage   string `json:"usage"`
		Example string `json:"example"`
	}
	queries := []query{}
	if e.Format.Finder != nil {
		for _, c := range e.Format.Finder.Commands {
			queries = append(queries, query{c.Name, c.Title, c.Usage(), c.Example})
		}
	}
	e.of.mu.Lock()
	broken := e.of.broken
	e.of.mu.Unlock()
	e.mu.Lock()
	notes := append([]string{}, e.notes...)
	e.mu.Unlock()
	return map[string]any{
		"id": e.of.id, "name": e.of.Name, "generation": e.generation, "format": e.Format.Name, "title": e.Format.Title,
		"folder": e.Format.Folder, "watched": e.of.Stamp != nil, "broken": broken, "notes": notes,
		"info": facts(info.Fields), "scene": e.shows(""), "fields": e.Format.Dump != nil, "queries": queries,
	}, nil
}

type layer struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Shown bool   `json:"shown"`
}

type view struct {
	Name       string     `json:"name"`
	Title      string     `json:"title"`
	Bounds     [4]float64 `json:"bounds"` // left, top, right, bottom, in units
	Scale      float64    `json:"scale"`  // pixels of a unit in zoom 0
	Axes       [2]string  `json:"axes"`
	Background string     `json:"background"` // "" is transparent
	Layers     []layer    `json:"layers"`
	Moves      bool       `json:"moves"`
	Camera     bool       `json:"camera"` // it has no tiles, only a still
	Size       [2]int     `json:"size"`   // of the still, in pixels
}

// describeScene tells what views a scene has, and what can be set.
func describeScene(ctx context.Context, e *edition, r *http.Request) (any, error) {
	a, err := e.ask(ctx, r)
	if err != nil {
		return nil, err
	}
	defer a.release()
	views := []view{}
	for _, v := range a.Views() {
		one := view{Name: v.Name, Title: v.Title, Scale: v.Scale, Axes: v.Axes, Layers: []layer{}, Moves: v.Moves, Camera: v.Frame != nil, Size: [2]int{v.Size.X, v.Size.Y}}
		if one.Bounds = [4]float64{v.Bounds.Min[0], v.Bounds.Min[1], v.Bounds.Max[0], v.Bounds.Max[1]}; v.Bounds.Empty() {
			one.Bounds = [4]float64{}
		}
		if v.Background.A != 0 {
			one.Background = css(v.Background)
		}
		if v.Axes[0] == "" {
			one.Axes = [2]string{"x", "y"}
		}
		for _, l := range v.Layers {
			one.Layers = append(one.Layers, layer(l))
		}
		views = append(views, one)
	}
	type option struct {
		Name    string   `json:"name"`
		Help    string   `json:"help"`
		Kind    string   `json:"kind"` // bool, integer, number, choice, text
		Choices []string `json:"choices,omitempty"`
		Default string   `json:"default"` // what the user gave, or the usual value
	}
	options := []option{}
	job := e.job(nil)
	for _, o := range switches(e.Format) {
		one := option{Name: o.Name, Help: strings.ReplaceAll(o.Help, "`", ""), Kind: "text", Choices: o.Choices, Default: job.Value(o.Name)}
		switch {
		case o.Bool:
			one.Kind = "bool"
		case o.Choices != nil:
			one.Kind = "choice"
		case o.Type == format.Integer:
			one.Kind = "integer"
		case o.Type == format.Number:
			one.Kind = "number"
		}
		options = append(options, one)
	}
	_, inspects := a.Scene.(format.Inspector)
	_, covers := a.Scene.(format.Coverer)
	return map[string]any{"views": views, "options": options, "inspects": inspects, "covers": covers}, nil
}

// place is a place of a finding, a hit or a thing.
type place struct {
	Text  string      `json:"text"`
	At    check.Place `json:"at"`
	Where *[4]float64 `json:"where,omitempty"` // left, top, right, bottom in the view that was asked for
}

// placeIn finds a place in a view; a nil scene has none.
func placeIn(sc format.Scene, view string, p check.Place) place {
	one := place{Text: p.String(), At: p}
	if i, ok := sc.(format.Inspector); ok {
		if r, ok := i.Where(view, p); ok && !r.Empty() {
			one.Where = &[4]float64{r.Min[0], r.Min[1], r.Max[0], r.Max[1]}
		}
	}
	return one
}

// inspect tells what is at x,y of a view.
func inspect(ctx context.Context, e *edition, r *http.Request) (any, error) {
	a, err := e.ask(ctx, r)
	if err != nil {
		return nil, err
	}
	defer a.release()
	i, ok := a.Scene.(format.Inspector)
	if !ok {
		return nil, problem{http.StatusNotFound, "it does not know what is where"}
	}
	var at [2]float64
	for k, name := range []string{"x", "y"} {
		if at[k], err = number(r.URL.Query().Get(name)); err != nil {
			return nil, err
		}
	}
	zoom, err := wholeOr(r.URL.Query().Get("z"), 0, minZoom, maxZoom)
	if err != nil {
		return nil, err
	}
	things, err := i.Inspect(ctx, spot{z: zoom, side: 256}.look(a.View, a.look), at)
	if err != nil {
		return nil, err
	}
	type link struct {
		Title string     `json:"title"`
		At    [2]float64 `json:"at"`
	}
	type location struct {
		Path   string `json:"path"`
		Space  string `json:"space"`
		Offset int64  `json:"offset"`
		Length int64  `json:"length"`
	}
	type thing struct {
		Title string      `json:"title"`
		Layer string      `json:"layer"`
		Place *place      `json:"place,omitempty"`
		Line  *check.Line `json:"line,omitempty"`
		Bytes *location   `json:"bytes,omitempty"`
		Facts []fact      `json:"facts"`
		Links []link      `json:"links"`
	}
	list := []thing{}
	for _, t := range things {
		one := thing{Title: t.Title, Layer: t.Layer, Facts: facts(t.Facts), Links: []link{}}
		if t.Place != nil {
			p := placeIn(a.Scene, a.View.Name, t.Place)
			one.Place = &p
		}
		if t.Line.Path != "" {
			one.Line = &t.Line
		}
		if b := t.Bytes; b.Len > 0 {
			one.Bytes = &location{b.Path, b.Space, b.Offset, b.Len}
		}
		for _, l := range t.Links {
			one.Links = append(one.Links, link(l))
		}
		list = append(list, one)
	}
	return map[string]any{"things": list}, nil
}

const (
	pageEntries = 500     // of a folder, at a time
	pageText    = 2 << 20 // bytes of a text
)

// listTree tells what is in a folder of the tree: path, and after, the number of entries to pass over.
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
	after, err := wholeOr(q.Get("after"), 0, 0, 1<<40)
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
		Scene bool   `json:"scene"` // a picture of it can be drawn
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
			one.Scene = e.shows(full)
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

// readText tells what is in a file of the tree.
func readText(ctx context.Context, e *edition, r *http.Request) (any, error) {
	fsys, err := e.files(ctx)
	if err != nil {
		return nil, err
	}
	data, err := fs.ReadFile(fsys, r.URL.Query().Get("path"))
	if err != nil {
		return nil, err
	}
	return map[string]any{"text": string(data[:min(len(data), pageText)]), "size": len(data)}, nil
}

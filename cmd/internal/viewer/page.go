package viewer

import (
	"cmp"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/tdewolff/minify/v2"
	mincss "github.com/tdewolff/minify/v2/css"
	minjs "github.com/tdewolff/minify/v2/js"

	"trowel.example/cmd/internal/leaflet"
)

//go:embed page
var page embed.FS

var shell = template.Must(template.ParseFS(page, "page/index.html"))

func (s *Server) serveShell(w http.ResponseWriter, r *http.Request) error {
	title := cmp.Or(s.gallery.title, "files")
	if s.mode != Gallery {
		var names []string
		for _, f := range s.allFiles() {
			names = append(names, f.Name)
		}
		title = strings.Join(names, " | ")
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return shell.Execute(w, map[string]string{"Title": title})
}

// servePage sends a script or style of the page.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	kind, ok := pageTypes[path.Ext(name)]
	if !ok {
		return fs.ErrNotExist
	}
	data, err := lean(name)
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

var pageTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}

var (
	leanOnce sync.Map // maps a name to func() ([]byte, error)
	minifier = sync.OnceValue(func() *minify.M {
		m := minify.New()
		m.AddFunc(".js", minjs.Minify)
		m.AddFunc(".css", mincss.Minify)
		return m
	})
)

// lean returns a script or style of this project without comments and other parts that only its writers need.
// The source stays readable, and the file served is small.
func lean(name string) ([]byte, error) {
	data, err := page.ReadFile("page/" + name)
	if err != nil {
		return nil, err
	}
	once, _ := leanOnce.LoadOrStore(name, sync.OnceValues(func() ([]byte, error) { return minifier().Bytes(path.Ext(name), data) }))
	return once.(func() ([]byte, error))()
}

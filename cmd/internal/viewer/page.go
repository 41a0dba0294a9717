package viewer

import (
	"bytes"
	"cmp"
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/tdewolff/minify/v2"
	mincss "github.com/tdewolff/minify/v2/css"
	minjs "github.com/tdewolff/minify/v2/js"

	"trowel.example/cmd/internal/leaflet"
	"trowel.example/internal/picture/gltf"
)

//go:embed page
var page embed.FS

// shell is the document of the page. Its address is that of the folder that contains the folder page.
const shell = "index.html"

// servePage sends a file of the page.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) error {
	at := cmp.Or(r.URL.Path[1:], shell)
	data, err := pageFile(at)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", pageTypes[path.Ext(at)])
	w.Header().Set("Cache-Control", "no-cache")
	_, err = w.Write(data)
	return err
}

var pageTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
}

// PageFiles returns the files of the page as they are served, by their addresses: the document, and what it loads.
func PageFiles() (map[string][]byte, error) {
	all := make(map[string][]byte)
	for _, from := range []fs.FS{page, leaflet.Files, gltf.Scripts} {
		err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && pageTypes[path.Ext(name)] != "" {
				at := "page/" + path.Base(name)
				if at == "page/"+shell {
					at = shell
				}
				all[at], err = pageFile(at)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// pageFile returns the file of the page with an address, as it is served.
func pageFile(at string) ([]byte, error) {
	if at == shell {
		data, err := page.ReadFile("page/" + shell)
		return bytes.ReplaceAll(data, []byte("\n"), nil), err
	}
	name, in := strings.CutPrefix(at, "page/")
	if !in || pageTypes[path.Ext(name)] == "" || name == shell {
		return nil, fs.ErrNotExist
	}
	data, err := page.ReadFile(at)
	for _, other := range []fs.ReadFileFS{leaflet.Files, gltf.Scripts} {
		if err != nil {
			data, err = other.ReadFile(name)
		}
	}
	if err != nil {
		return nil, fs.ErrNotExist
	}
	return lean(name, data)
}

var leanOnce sync.Map // maps a name to func() ([]byte, error)

// lean returns a script or style without comments and other parts that only its writers need.
// The source stays readable, and the file served is small.
func lean(name string, data []byte) ([]byte, error) {
	once, _ := leanOnce.LoadOrStore(name, sync.OnceValues(func() ([]byte, error) {
		m := minify.New()
		m.AddFunc(".js", minjs.Minify)
		m.AddFunc(".css", mincss.Minify)
		return m.Bytes(path.Ext(name), data)
	}))
	return once.(func() ([]byte, error))()
}

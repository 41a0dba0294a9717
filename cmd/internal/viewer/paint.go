package viewer

import (
	"context"
	"fmt"
	"image"
	"net/http"

	"trowel.example/internal/format"
)

// maxBox is the maximum number of cells in an answer.
const maxBox = 1 << 20

// paintRoutes registers the handlers for layers whose cells can be painted.
func (s *Server) paintRoutes() {
	s.mux.HandleFunc("GET /f/{file}/canvases", s.about(listCanvases))
	s.mux.HandleFunc("GET /f/{file}/cells", s.about(listCells))
	s.mux.HandleFunc("GET /f/{file}/palette", s.handle(s.servePalette))
	s.mux.HandleFunc("POST /f/{file}/edit/turn", s.about(turnCells))
	s.mux.HandleFunc("GET /f/{file}/actions", s.about(listActions))
	s.mux.HandleFunc("GET /f/{file}/outlines", s.about(listOutlines))
	s.mux.HandleFunc("GET /f/{file}/shapes", s.about(listShapes))
}

// paints reports whether scenes of a format may have layers that can be painted.
func paints(f *format.Format) bool { return f.Editing != nil && f.Editing.Draw != "" }

// painter returns the scene of a request whose layers can be painted.
func (e *edition) painter(ctx context.Context, r *http.Request) (*format.Painting, func(), error) {
	a, err := e.parseRequest(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	if a.Painting == nil || !paints(e.Format) {
		a.release()
		return nil, nil, problem{http.StatusNotFound, "no layers that can be painted"}
	}
	return a.Painting, a.release, nil
}

// listCanvases returns the layers that can be painted, and the command that does it.
func listCanvases(ctx context.Context, e *edition, r *http.Request) (any, error) {
	p, release, err := e.painter(ctx, r)
	if err != nil {
		return nil, err
	}
	defer release()
	type flag struct {
		Letter string `json:"letter"`
		Title  string `json:"title"`
	}
	type number struct {
		Name  string `json:"name"`
		Title string `json:"title"`
		Least int    `json:"least"`
		Most  int    `json:"most"`
		Usual int    `json:"usual"`
		Angle bool   `json:"angle,omitempty"`
	}
	type canvas struct {
		Layer   string     `json:"layer"`
		Kind    string     `json:"kind"`
		Options []string   `json:"options"`
		Any     string     `json:"any,omitempty"`
		Width   int        `json:"width"`
		Height  int        `json:"height"`
		Origin  [2]float64 `json:"origin"`
		Cell    [2]float64 `json:"cell"`
		Color   string     `json:"color"`
		Flags   []flag     `json:"flags"`
		Numbers []number   `json:"numbers"`
		Tiles   []string   `json:"tiles,omitempty"`
	}
	list := []canvas{}
	for _, c := range p.Canvases() {
		one := canvas{c.Layer, c.Kind, c.Options, c.Any, c.Width, c.Height, c.Origin, c.Cell, c.Color, []flag{}, []number{}, c.Tiles}
		for _, f := range c.Flags {
			one.Flags = append(one.Flags, flag(f))
		}
		for _, n := range c.Numbers {
			one.Numbers = append(one.Numbers, number(n))
		}
		list = append(list, one)
	}
	return map[string]any{"generation": e.generation, "command": e.Format.Editing.Draw, "canvases": list}, nil
}

// listCells returns rows of cells. Parameters: layer, x, y, w and h.
func listCells(ctx context.Context, e *edition, r *http.Request) (any, error) {
	p, release, err := e.painter(ctx, r)
	if err != nil {
		return nil, err
	}
	defer release()
	q := r.URL.Query()
	var n [4]int
	for i, name := range []string{"x", "y", "w", "h"} {
		least := -maxPosition
		if i > 1 {
			least = 0
		}
		if n[i], err = whole(q.Get(name), least, maxPosition); err != nil {
			return nil, err
		}
	}
	if n[2] > maxBox || n[3] > maxBox || n[2]*n[3] > maxBox {
		return nil, problem{http.StatusBadRequest, fmt.Sprintf("expected at most %d cells", maxBox)}
	}
	rows, err := p.Cells(ctx, q.Get("layer"), image.Rect(n[0], n[1], n[0]+n[2], n[1]+n[3]))
	if rows == nil {
		rows = []string{}
	}
	return map[string]any{"generation": e.generation, "rows": rows}, err
}

// servePalette sends the picture of the tiles of a layer, or nothing if there is none. Parameter: layer.
func (s *Server) servePalette(w http.ResponseWriter, r *http.Request) error {
	e, release, err := s.editionOf(r)
	if err != nil {
		return err
	}
	defer release()
	p, done, err := e.painter(r.Context(), r)
	if err != nil {
		return err
	}
	defer done()
	var data []byte
	err = s.withSlot(r.Context(), func() error {
		picture, err := p.Palette(r.URL.Query().Get("layer"))
		if err == nil && picture != nil {
			data = encodePNG(picture)
		}
		return err
	})
	if err != nil {
		return err
	}
	if data == nil {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	w.Header().Set("Content-Type", "image/png")
	_, err = w.Write(data)
	return err
}

// turnCells turns a block of cells.
func turnCells(ctx context.Context, e *edition, r *http.Request) (any, error) {
	p, release, err := e.painter(ctx, r)
	if err != nil {
		return nil, err
	}
	defer release()
	var ask struct {
		Layer    string   `json:"layer"`
		Rows     []string `json:"rows"`
		Mirrored bool     `json:"mirrored"`
		Quarters int      `json:"quarters"`
	}
	if err := readJSON(r, &ask); err != nil {
		return nil, err
	}
	rows, err := p.Turned(ask.Layer, ask.Rows, ask.Mirrored, ask.Quarters)
	return map[string]any{"rows": rows}, err
}

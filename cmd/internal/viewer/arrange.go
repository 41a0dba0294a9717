package viewer

import (
	"context"
	"net/http"

	"trowel.example/internal/format"
)

// listActions returns the steps that the page offers for parts of the file.
func listActions(ctx context.Context, e *edition, r *http.Request) (any, error) {
	a, err := e.parseRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	defer a.release()
	type action struct {
		Part  string   `json:"part"`
		Title string   `json:"title"`
		Words []string `json:"words"`
		Asks  bool     `json:"asks"`
	}
	list := []action{}
	if a.Actions != nil {
		for _, one := range a.Actions() {
			list = append(list, action(one))
		}
	}
	return map[string]any{"actions": list}, nil
}

// shaper returns the scene of a request whose shapes can be changed.
func (e *edition) shaper(ctx context.Context, r *http.Request) (*format.Shaping, func(), error) {
	a, err := e.parseRequest(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	if a.Shaping == nil || e.Format.Editing == nil || e.Format.Editing.Move == "" {
		a.release()
		return nil, nil, problem{http.StatusNotFound, "no shapes that can be moved"}
	}
	return a.Shaping, a.release, nil
}

// listOutlines returns the layers of shapes, and the commands that change the shapes.
func listOutlines(ctx context.Context, e *edition, r *http.Request) (any, error) {
	s, release, err := e.shaper(ctx, r)
	if err != nil {
		return nil, err
	}
	defer release()
	type outline struct {
		Layer  string  `json:"layer"`
		Word   string  `json:"word"`
		Unit   float64 `json:"unit"`
		Shapes int     `json:"shapes"`
	}
	list := []outline{}
	for _, o := range s.Outlines() {
		list = append(list, outline(o))
	}
	return map[string]any{"outlines": list, "move": e.Format.Editing.Move, "tint": e.Format.Editing.Tint}, nil
}

// listShapes returns the shapes of a layer. Parameter: layer.
func listShapes(ctx context.Context, e *edition, r *http.Request) (any, error) {
	s, release, err := e.shaper(ctx, r)
	if err != nil {
		return nil, err
	}
	defer release()
	type shape struct {
		Corners [][2]float64 `json:"corners"`
		Color   string       `json:"color"`
	}
	list := []shape{}
	all, err := s.Shapes(r.URL.Query().Get("layer"))
	for _, one := range all {
		list = append(list, shape{one.Corners, css(one.Color)})
	}
	return map[string]any{"generation": e.generation, "shapes": list}, err
}

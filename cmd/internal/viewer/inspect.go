package viewer

import (
	"context"
	"net/http"

	"trowel.example/check"
	"trowel.example/internal/format"
)

// place is a place of a finding, a hit or an object.
type place struct {
	Text  string      `json:"text"`
	At    check.Place `json:"at"`
	Where *[4]float64 `json:"where,omitempty"` // left, top, right, bottom in the requested view
	Line  *check.Line `json:"line,omitempty"`  // the line of the tree with the object; line 0 is the whole file
}

// setLine sets the line of the tree that describes the place.
func (p *place) setLine(line check.Line) {
	if line.Path != "" {
		p.Line = &line
	}
}

// placeIn returns a place with its rectangle in a view, or without one in the zero view.
func placeIn(ctx context.Context, view format.View, p check.Place) place {
	one := place{Text: p.String(), At: p}
	if view.Where != nil {
		if r, ok := view.Where(ctx, p); ok && !r.Empty() {
			one.Where = &[4]float64{r.Min[0], r.Min[1], r.Max[0], r.Max[1]}
		}
	}
	return one
}

// pointed returns the point x,y of a request, and the look of the picture that the user points at: the still of a
// camera view, otherwise the tiles of a zoom.
func (a *sceneRequest) pointed(r *http.Request) (look format.Look, at [2]float64, err error) {
	for k, name := range []string{"x", "y"} {
		if at[k], err = number(r.URL.Query().Get(name)); err != nil {
			return look, at, err
		}
	}
	if a.Frame != nil {
		look, err = a.stillLook(r, stillSide)
		return look, at, err
	}
	zoom, err := wholeOr(r.URL.Query().Get("z"), 0, minZoom, maxZoom)
	return spot{z: zoom, side: 256}.look(a.View, a.look), at, err
}

// sight returns what is visible at the point x,y of a view, in short.
func sight(ctx context.Context, e *edition, r *http.Request) (any, error) {
	a, err := e.parseRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	defer a.release()
	if a.Sight == nil {
		return nil, problem{http.StatusNotFound, "this picture has no short descriptions of points"}
	}
	look, at, err := a.pointed(r)
	if err != nil {
		return nil, err
	}
	var seen format.Sight
	err = e.of.server.withSlot(ctx, func() error {
		seen, err = a.Sight(ctx, look, at)
		return err
	})
	return map[string]any{"text": seen.Text, "stand": seen.Stand}, err
}

// inspect returns a description of the point x,y of a view.
func inspect(ctx context.Context, e *edition, r *http.Request) (any, error) {
	a, err := e.parseRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	defer a.release()
	if a.Inspect == nil {
		return nil, problem{http.StatusNotFound, "this view has no positions of things"}
	}
	look, at, err := a.pointed(r)
	if err != nil {
		return nil, err
	}
	things, err := a.Inspect(ctx, look, at)
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
			p := placeIn(ctx, a.View, t.Place)
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

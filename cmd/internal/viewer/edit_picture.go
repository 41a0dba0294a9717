package viewer

import (
	"context"
	"image"
	"math"
	"net/http"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/format"
)

const (
	maxWithin = 256    // places of an effect that are kept for its picture
	leastUnit = 1. / 4 // pixels of a unit in the picture of a change, at least: of a larger region, the middle is shown
	mostUnit  = 32.    // the same at most
	around    = 1.     // units around the region
	nowhere   = "the change has no place in the picture"
)

// shot is the size of the picture of a change in pixels, for screens of two pixels per unit of the page.
var shot = image.Pt(192, 128)

// region is the part of a file that a change affects.
type region struct {
	within []check.Place
	paths  []string // of the changed parts
}

// add adds a change.
func (r *region) add(c check.Change) {
	places := c.Within
	if places == nil {
		places = c.At
	}
	if len(places) > 0 && len(r.within)+len(places) <= maxWithin {
		r.within = append(r.within, places...)
		if !slices.Contains(r.paths, c.Path) {
			r.paths = append(r.paths, c.Path)
		}
	}
}

// serveShot sends a small picture of the region of a change, in the first view of the result of the list.
func (s *Server) serveShot(w http.ResponseWriter, r *http.Request) error {
	n, err := s.sessionOf(r)
	if err != nil {
		return err
	}
	_, a, release, err := s.current(r)
	if err != nil {
		return err
	}
	defer release()
	id, err := whole(r.PathValue("id"), 1, math.MaxInt32)
	if err != nil {
		return err
	}
	n.mu.Lock()
	i := slices.IndexFunc(n.list, func(e item) bool { return e.id == id })
	var of region
	if i >= 0 {
		of = n.list[i].last().region
	}
	n.mu.Unlock()
	look, ok := a.around(r.Context(), of)
	if !ok {
		return problem{http.StatusNotFound, nowhere}
	}
	h := w.Header()
	h.Set("Content-Type", "image/png")
	h.Set("Cache-Control", "no-store") // the page keeps it
	return s.writeStill(r.Context(), w, a, look)
}

// around returns the look at a region, with the layers that were changed.
func (a *sceneRequest) around(ctx context.Context, of region) (look format.Look, ok bool) {
	look = a.look
	if a.Where == nil || a.Frame != nil {
		return look, false
	}
	var all format.Rect
	for _, p := range of.within {
		r, found := a.Where(ctx, p)
		if !found || r.Empty() {
			continue
		}
		if !ok {
			all, ok = r, true
		}
		for i := range all.Min {
			all.Min[i], all.Max[i] = min(all.Min[i], r.Min[i]), max(all.Max[i], r.Max[i])
		}
	}
	look.Size = shot
	fit := min(float64(shot.X)/(all.Dx()+2*around), float64(shot.Y)/(all.Dy()+2*around))
	look.Scale = math.Exp2(math.Floor(math.Log2(min(max(fit, leastUnit), mostUnit))))
	for i, side := range []int{shot.X, shot.Y} {
		look.Origin[i] = math.Round((all.Min[i]+all.Max[i])/2*look.Scale-float64(side)/2) / look.Scale
	}
	drawn := a.Drawn(look)
	for _, l := range a.View.Layers {
		if slices.ContainsFunc(of.paths, func(path string) bool { return strings.HasSuffix(path, "/"+l.Name) }) {
			drawn[l.Name] = true
		}
	}
	look.Layers = []string{}
	for _, l := range a.View.Layers {
		if drawn[l.Name] {
			look.Layers = append(look.Layers, l.Name)
		}
	}
	return look, ok
}

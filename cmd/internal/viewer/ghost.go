package viewer

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"math"
	"net/http"
	"slices"

	"trowel.example/internal/format"
)

const maxGhost = 1024 // pixels of the longest side

// ghost returns the picture of what an operation places, and its area in units of a view as if it were placed at 0.
func (n *session) ghost(r *http.Request) (any, error) {
	q, open := r.URL.Query(), n.opened.Format.Editing.Ghost
	none := problem{http.StatusNotFound, "there is no picture of this operation in this view"}
	if open == nil {
		return nil, none
	}
	var words []string
	if err := json.Unmarshal([]byte(q.Get("words")), &words); err != nil {
		return nil, problem{http.StatusBadRequest, err.Error()}
	}
	if err := n.resolve(r.Context(), words); err != nil {
		return nil, err
	}
	step, err := n.step(words)
	if err != nil {
		return nil, err
	}
	scene, err := open(r.Context(), n.opened.Job(), n.opened.Source, step)
	if err != nil {
		return nil, problem{http.StatusBadRequest, err.Error()}
	}
	if scene == nil {
		return nil, none
	}
	defer scene.Close()
	v, ok := format.ViewOf(scene.Views, q.Get("view"))
	if !ok || v.Frame != nil || v.Bounds.Empty() {
		return nil, none
	}
	b := v.Bounds
	look := format.Look{View: v.Name, Origin: b.Min, Scale: min(v.Scale, maxGhost/max(b.Dx(), b.Dy()))}
	look.Size = image.Pt(int(math.Ceil(b.Dx()*look.Scale)), int(math.Ceil(b.Dy()*look.Scale)))
	img := image.NewRGBA(image.Rectangle{Max: look.Size})
	if err := n.server.withSlot(r.Context(), func() error { return v.Render(r.Context(), img, look) }); err != nil {
		return nil, err
	}
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		return nil, err
	}
	return map[string]any{"area": [4]float64{b.Min[0], b.Min[1], b.Max[0], b.Max[1]}, "picture": data.Bytes()}, nil
}

// resolve replaces the files in the words of an operation of the page by their paths on the disk. It returns an error if the
// page may not name one of them.
func (n *session) resolve(ctx context.Context, words []string) error {
	step, err := n.step(words)
	if err != nil {
		return err
	}
	for _, o := range slices.Concat(step.Args, step.Options) {
		value := step.Job.Values[o.Name]
		if !o.Input || value == o.Default || n.server.names(o.Name, value) {
			continue
		}
		path := n.offered(ctx, o, value)
		if path == "" {
			return problem{http.StatusBadRequest, step.Name + ": the page cannot name files of the disk: use `trowel edit`"}
		}
		for i, word := range words {
			switch word {
			case value:
				words[i] = path
			case "--" + o.Name + "=" + value:
				words[i] = "--" + o.Name + "=" + path
			}
		}
	}
	return nil
}

// offered returns the path of a file that the page may name, "" for all others. The page has the path as messages show it.
func (n *session) offered(ctx context.Context, o format.Option, value string) (path string) {
	if o.Names == "" || n.opened.Format.Names == nil {
		return ""
	}
	_ = n.opened.Format.Names(ctx, n.opened.Job(), n.opened.Source, o.Names, func(name string) {
		if name == value || path == "" && n.was.plain(name) == value {
			path = name
		}
	})
	return path
}

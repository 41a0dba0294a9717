package viewer

import (
	"context"
	"fmt"
	"image"
	"io"
	"math"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"trowel.example/format"
	"trowel.example/internal/pixel"
	"trowel.example/internal/safename"
)

const (
	stillSide = 8192    // pixels of a still to each side, at most
	liveSide  = 4096    // of one that is shown on the page
	farAway   = 1 << 32 // units; no picture begins beyond
)

// serveStill answers with one picture of w x h pixels: of what a camera sees where the options
// say that it stands, or in other views of the rectangle whose left top is x,y, in the zoom z.
// With save it is a file to be kept. It is the picture that the verb render makes.
func (s *Server) serveStill(w http.ResponseWriter, r *http.Request) {
	var broke error // in the midst of it
	s.handle(func(w http.ResponseWriter, r *http.Request) error {
		e, a, release, err := s.current(r)
		if err != nil {
			return err
		}
		defer release()
		most := liveSide
		save := r.URL.Query().Has("save")
		if save {
			most = stillSide
		}
		look, err := a.stillLook(r, most)
		if err != nil {
			return err
		}
		h := w.Header()
		h.Set("Content-Type", "image/png")
		h.Set("Cache-Control", "private, max-age=31536000, immutable")
		f := look.Frame()
		h.Set("Area", fmt.Sprintf("%v,%v,%v,%v", f.Min[0], f.Min[1], f.Max[0], f.Max[1])) // in units: where what is
		if save {
			h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": stillName(e, a, r.URL.Query().Get("path"), look)}))
			h.Set("Cache-Control", "no-store")
		}
		if r.Method == http.MethodHead {
			return nil
		}
		out := &counter{Writer: w}
		if err = s.writeStill(r.Context(), out, a, look); err != nil && out.n > 0 {
			broke, err = err, nil
		}
		if err != nil {
			h.Del("Content-Disposition")
			h.Set("Cache-Control", "no-store")
		}
		return err
	})(w, r)
	if broke != nil {
		panic(http.ErrAbortHandler) // so that nobody takes a part for the whole
	}
}

// counter counts what is written.
type counter struct {
	io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

// stillLook returns the look that a request for a still means.
func (a *asked) stillLook(r *http.Request, most int) (look format.Look, err error) {
	q := r.URL.Query()
	look = a.look
	if look.Size.X, err = whole(q.Get("w"), 1, most); err != nil {
		return look, err
	}
	if look.Size.Y, err = whole(q.Get("h"), 1, most); err != nil {
		return look, err
	}
	if a.Frame != nil {
		frame := a.Frame(look.Size)
		look.Origin, look.Scale = frame.Min, float64(look.Size.X)/frame.Dx()
		return look, nil
	}
	z, err := wholeOr(q.Get("z"), 0, minZoom, maxZoom)
	if err != nil {
		return look, err
	}
	look.Scale = a.View.Scale * math.Exp2(float64(z))
	for i, name := range []string{"x", "y"} {
		if look.Origin[i], err = number(q.Get(name)); err == nil && math.Abs(look.Origin[i]) > farAway {
			err = problem{http.StatusBadRequest, fmt.Sprintf("nothing is as far away as %s", q.Get(name))}
		}
		if err != nil {
			return look, err
		}
	}
	return look, nil
}

// slotted is a scene of which no more parts are drawn at a time than there are slots.
type slotted struct {
	format.Scene
	server *Server
}

func (s slotted) Render(ctx context.Context, dst *image.RGBA, look format.Look) error {
	return s.server.turn(ctx, func() error { return s.Scene.Render(ctx, dst, look) })
}

// writeStill writes a picture as PNG, with no more of it in memory than some bands.
func (s *Server) writeStill(ctx context.Context, w io.Writer, a *asked, look format.Look) error {
	kind := pixel.RGBA
	if a.Background.A == 0xff {
		kind = pixel.RGB
	}
	png, err := pixel.NewPNG(w, look.Size, kind)
	if err != nil {
		return err
	}
	if err = format.Draw(ctx, slotted{a.Scene, s}, look, a.Background, png.Add); err != nil {
		return err
	}
	return png.Close()
}

// stillName names the file of a still after what it shows, and where its middle is.
func stillName(e *edition, a *asked, at string, look format.Look) string {
	name := e.of.Name
	if at != "" {
		name = path.Base(at)
	}
	name = strings.TrimSuffix(name, path.Ext(name))
	if v := a.Views()[0]; v.Name != a.View.Name {
		name += " " + a.View.Name
	}
	frame := look.Frame()
	return safename.Escape(fmt.Sprintf("%s %s,%s", name, alongAxis(a.View, 0, (frame.Min[0]+frame.Max[0])/2), alongAxis(a.View, 1, (frame.Min[1]+frame.Max[1])/2))) + ".png"
}

// alongAxis names the cell at a place of a view as people do: by the coordinate of its axis,
// which may grow the other way.
func alongAxis(v format.View, i int, at float64) string {
	n := math.Floor(at)
	if strings.HasPrefix(v.Axes[i], "-") {
		n = -n - 1
	}
	return strconv.FormatFloat(n+0, 'f', 0, 64)
}

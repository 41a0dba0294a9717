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

	"trowel.example/internal/files/safename"
	"trowel.example/internal/format"
	"trowel.example/internal/picture/pixel"
)

const (
	stillSide = 8192    // maximum width and height of a still in pixels
	liveSide  = 4096    // the same for a still that is shown on the page
	farAway   = 1 << 32 // units; pictures must begin within
)

// serveStill sends one picture of w x h pixels. In a camera view, it shows what the camera sees at the position
// given by the options; in other views, the rectangle with the top left corner x,y at zoom z. With save, it is
// sent as a file to save. The picture is identical to that of the verb render.
func (s *Server) serveStill(w http.ResponseWriter, r *http.Request) {
	var broke error // an error after the first bytes were sent
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
		// In units, to map the picture to the view.
		h.Set("Area", fmt.Sprintf("%v,%v,%v,%v", f.Min[0], f.Min[1], f.Max[0], f.Max[1]))
		if save {
			h.Set("Content-Disposition", mime.FormatMediaType("attachment",
				map[string]string{"filename": stillName(e, a, r.URL.Query().Get("path"), look)}))
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
		panic(http.ErrAbortHandler) // closes the connection, so that an incomplete picture is detected
	}
}

// counter counts the bytes written.
type counter struct {
	io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

// stillLook returns the look of a request for a still.
func (a *sceneRequest) stillLook(r *http.Request, most int) (look format.Look, err error) {
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
			err = problem{http.StatusBadRequest, fmt.Sprintf("the coordinate %s is too large", q.Get(name))}
		}
		if err != nil {
			return look, err
		}
	}
	return look, nil
}

// writeStill writes a picture as PNG, with only a few bands in memory. Its parts are drawn while holding CPU slots.
func (s *Server) writeStill(ctx context.Context, w io.Writer, a *sceneRequest, look format.Look) error {
	kind := pixel.RGBA
	if a.Background.A == 0xff {
		kind = pixel.RGB
	}
	png, err := pixel.NewPNG(w, look.Size, kind)
	if err != nil {
		return err
	}
	view := a.View
	view.Render = func(ctx context.Context, dst *image.RGBA, look format.Look) error {
		return s.withSlot(ctx, func() error { return a.Render(ctx, dst, look) })
	}
	if err = format.Draw(ctx, view, look, a.Background, png.Add); err != nil {
		return err
	}
	return png.Close()
}

// stillName returns the file name of a still, made of the shown object and the center of the picture.
func stillName(e *edition, a *sceneRequest, at string, look format.Look) string {
	name := e.of.Name
	if at != "" {
		name = path.Base(at)
	}
	name = strings.TrimSuffix(name, path.Ext(name))
	if v := a.Views[0]; v.Name != a.View.Name {
		name += " " + a.View.Name
	}
	frame := look.Frame()
	return safename.Escape(fmt.Sprintf("%s %s,%s", name, alongAxis(a.View, 0, (frame.Min[0]+frame.Max[0])/2),
		alongAxis(a.View, 1, (frame.Min[1]+frame.Max[1])/2))) + ".png"
}

// alongAxis returns the coordinate of a cell as users know it, along an axis that may point the other way.
func alongAxis(v format.View, i int, at float64) string {
	n := math.Floor(at)
	if strings.HasPrefix(v.Axes[i], "-") {
		n = -n - 1
	}
	return strconv.FormatFloat(n+0, 'f', 0, 64)
}

package viewer

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"trowel.example/internal/format"
)

// scene is an open scene. It keeps its file open.
type scene struct {
	*format.Scene
	release func()                 // releases its edition
	closing func([]format.Missing) // stores the missing data of its pictures
}

func (s *scene) Close() error {
	s.closing(s.Missing())
	err := s.Scene.Close()
	s.release()
	return err
}

// isSeen is Shows, but unless the format is a folder, it opens the scene to find out whether the path can be drawn.
func (e *edition) isSeen(ctx context.Context, path string) bool {
	if e.Format.Folder || !e.Format.Shows(path) {
		return e.Format.Shows(path)
	}
	_, release, err := e.scene(ctx, path, nil)
	if err == nil {
		release()
	}
	return !errors.Is(err, format.ErrUnseen)
}

// scene returns the scene of the file or of a path of its tree, with values of options. The returned function
// must be called when the scene is no longer used.
func (e *edition) scene(ctx context.Context, path string, values map[string]string) (*scene, func(), error) {
	if !e.Format.Shows(path) {
		return nil, nil, problem{http.StatusNotFound, "the file has no picture"}
	}
	server := e.of.server
	return server.scenes.get(ctx, e.sceneKey(path, values), func(ctx context.Context) (*scene, error) {
		// The scene has a separate lease, so the file stays open as long as the scene.
		own, release, err := e.lease(ctx)
		if err != nil {
			return nil, err
		}
		var opened *format.Scene
		if len(values) > 0 {
			opened, err = own.variant(ctx, path, values)
		} else {
			opened, err = own.Format.Scene(ctx, own.job(nil), own.Source, path)
		}
		if err != nil {
			release()
			return nil, err
		}
		key := e.sceneKey(path, values)
		return &scene{opened, release, func(lacked []format.Missing) { server.panels.lack(key, lacked) }}, nil
	})
}

// variant opens a scene with options, based on the scene without options if the format supports this.
func (e *edition) variant(ctx context.Context, path string, values map[string]string) (*format.Scene, error) {
	plain, release, err := e.scene(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	defer release()
	if plain.With != nil {
		return plain.With(ctx, e.job(values))
	}
	return e.Format.Scene(ctx, e.job(values), e.Source, path)
}

func (e *edition) sceneKey(path string, values map[string]string) string {
	return e.of.key(e.generation) + "\n" + variantKey(path, values)
}

func variantKey(path string, values map[string]string) string {
	key := path
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		key += "\n" + name + "=" + values[name]
	}
	return key
}

// optionPrefix is the prefix of options among the parameters of a request.
const optionPrefix = "o."

// switches returns the options of scenes that the page may set. Options that name files are excluded.
func switches(f *format.Format) []format.Option {
	return slices.DeleteFunc(slices.Clone(f.Options), func(o format.Option) bool {
		return o.For&format.ForScene == 0 || o.Input || o.List && !o.Chosen
	})
}

// sceneValues returns the values of options in a request.
func (e *edition) sceneValues(q url.Values) (map[string]string, error) {
	var values map[string]string
	options := switches(e.Format)
	for key, list := range q {
		name, ok := strings.CutPrefix(key, optionPrefix)
		if !ok || len(list) == 0 {
			continue
		}
		i := slices.IndexFunc(options, func(o format.Option) bool { return o.Name == name })
		if i < 0 {
			return nil, problem{http.StatusBadRequest, "no option " + name}
		}
		if err := options[i].Check(list[0]); err != nil {
			return nil, problem{http.StatusBadRequest, fmt.Sprintf("%s: %v", name, err)}
		}
		if values == nil {
			values = make(map[string]string)
		}
		values[name] = list[0]
	}
	return values, nil
}

// sceneRequest is a scene, the view that a request names, and a look at that view.
type sceneRequest struct {
	*scene
	format.View
	look       format.Look // with view, layers and time; without origin, scale and size
	picture    string      // the file, the path in its tree, and the options
	generation int         // of the file
	key        string      // of the scene
	hold       func()      // keeps the scene open for one more call of release
	release    func()
}

// parseRequest opens the scene of a request. Parameters: path, view, l (numbers of layers), time (in milliseconds),
// paper (the background as rrggbb, if the view allows any) and options.
func (e *edition) parseRequest(ctx context.Context, r *http.Request) (*sceneRequest, error) {
	q := r.URL.Query()
	values, err := e.sceneValues(q)
	if err != nil {
		return nil, err
	}
	path := q.Get("path")
	sc, release, err := e.scene(ctx, path, values)
	if err != nil {
		return nil, err
	}
	var users atomic.Int32
	users.Store(1)
	a := &sceneRequest{scene: sc, picture: fmt.Sprintf("%d\n%s", e.of.id, variantKey(path, values)), generation: e.generation,
		key: e.sceneKey(path, values), hold: func() { users.Add(1) }, release: func() {
			if users.Add(-1) == 0 {
				release()
			}
		}}
	if a.View, a.look, err = lookOf(sc.Views, q); err == nil {
		a.View.Background, err = background(a.View, q)
	}
	if err != nil {
		release()
		return nil, err
	}
	return a, nil
}

// background returns the background of a view: the requested color, if the view allows any.
func background(v format.View, q url.Values) (color.NRGBA, error) {
	if !v.Paper || !q.Has("paper") {
		return v.Background, nil
	}
	c, err := format.ParseColor("#" + q.Get("paper"))
	if err != nil || c.A != 255 {
		return c, problem{http.StatusBadRequest, "paper: expected rrggbb"}
	}
	return c, nil
}

// current opens the scene of a request in the generation of the file that the request names. A browser caches
// such a picture permanently, so a picture of another generation must never be sent.
func (s *Server) current(r *http.Request) (*edition, *sceneRequest, func(), error) {
	e, release, err := s.editionOf(r)
	if err != nil {
		return nil, nil, nil, err
	}
	var a *sceneRequest
	if r.PathValue("generation") != strconv.Itoa(e.generation) {
		err = errGone
	} else {
		a, err = e.parseRequest(r.Context(), r)
	}
	if err != nil {
		release()
		return nil, nil, nil, err
	}
	return e, a, func() { a.release(); release() }, nil
}

func lookOf(views []format.View, q url.Values) (v format.View, look format.Look, err error) {
	v, ok := format.ViewOf(views, q.Get("view"))
	if !ok {
		return v, look, problem{http.StatusNotFound, "no such view"}
	}
	look.View = v.Name
	if q.Has("l") {
		look.Layers = []string{}
		for part := range strings.SplitSeq(q.Get("l"), ",") {
			if part == "" {
				continue
			}
			i, err := whole(part, 0, len(v.Layers)-1)
			if err != nil {
				return v, look, err
			}
			look.Layers = append(look.Layers, v.Layers[i].Name)
		}
	}
	look.Time, err = moment(q.Get("time"))
	return v, look, err
}

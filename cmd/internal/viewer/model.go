package viewer

import (
	"errors"
	"net/http"
	"strconv"

	"trowel.example/fault"
)

// model returns the model of a view as a glTF binary file.
func (a *sceneRequest) model(r *http.Request) ([]byte, error) {
	if a.Turning == nil {
		return nil, problem{http.StatusNotFound, "the file has no model"}
	}
	return a.Turning.Model(r.Context(), a.look)
}

// cube returns a part of a scene that the page walks through, as a glTF binary file, or nothing if it is empty. Parameters: x, y and
// z, the place of the cube in cubes.
func (a *sceneRequest) cube(r *http.Request) ([]byte, error) {
	if a.Walking == nil {
		return nil, problem{http.StatusNotFound, "the file has no camera"}
	}
	var low [3]int
	for i, name := range [3]string{"x", "y", "z"} {
		n, err := whole(r.URL.Query().Get(name), -maxPosition, maxPosition)
		if err != nil {
			return nil, err
		}
		low[i] = n * a.Walking.Side
	}
	return a.Walking.Cube(r.Context(), low)
}

// motion returns what the page needs to draw a picture at all times. The parameters are those of a still.
func (a *sceneRequest) motion(r *http.Request) ([]byte, error) {
	if a.Motion == nil {
		return nil, problem{http.StatusNotFound, "nothing moves in this view"}
	}
	look, err := a.stillLook(r, liveSide)
	if err != nil {
		return nil, err
	}
	return a.Motion(r.Context(), look, a.Background)
}

// serveDrawing returns a handler that sends what the page needs to draw something itself, made while holding a CPU slot.
// It never changes.
func (s *Server) serveDrawing(kind string, draw func(*sceneRequest, *http.Request) ([]byte, error)) http.HandlerFunc {
	return s.handle(func(w http.ResponseWriter, r *http.Request) error {
		_, a, release, err := s.current(r)
		if err != nil {
			return err
		}
		defer release()
		var data []byte
		err = s.withSlot(r.Context(), func() (err error) {
			data, err = draw(a, r)
			return err
		})
		if errors.Is(err, fault.ErrLimit) {
			err = problem{http.StatusNotFound, err.Error()}
		}
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
		_, err = w.Write(data)
		return err
	})
}

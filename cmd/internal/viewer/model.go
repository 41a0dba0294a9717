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

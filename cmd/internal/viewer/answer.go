package viewer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
)

// problem is an error with an HTTP status.
type problem struct {
	status  int
	message string
}

func (p problem) Error() string { return p.message }

// defect converts a panic into an error.
func defect(p *parallel.Panic) error {
	return problem{http.StatusInternalServerError, fmt.Sprintf("a defect of this program: %v", p)}
}

// limit is the maximum duration of a request.
const limit = 30 * time.Second

// handle makes a handler of a function that may return an error.
func (s *Server) handle(serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), limit)
		defer cancel()
		var err error
		if p := parallel.Catch(func() { err = serve(w, r.WithContext(ctx)) }); p != nil {
			err = defect(p)
		}
		if err != nil && r.Context().Err() == nil {
			s.fail(w, r, err)
		}
	}
}

// fail sends an error as {"error": message}.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusUnprocessableEntity // the file is invalid
	var p problem
	switch {
	case errors.As(err, &p):
		status = p.status
	case errors.Is(err, fs.ErrNotExist):
		status = http.StatusNotFound
	case errors.Is(err, context.DeadlineExceeded):
		status, err = http.StatusServiceUnavailable, fmt.Errorf("this takes more than %v", limit)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	data, _ := json.Marshal(map[string]string{"error": s.worded(words.Portable(err.Error()))})
	_, _ = io.WriteString(w, s.plain(r, string(data)))
}

// plain replaces the paths of the disk in an answer, which may contain them in messages or elsewhere.
func (s *Server) plain(r *http.Request, text string) string {
	for _, id := range []string{r.PathValue("file"), r.PathValue("other")} {
		if f, err := s.fileOf(id); err == nil {
			text = f.plain(text)
		}
	}
	return text
}

// handleJSON makes a handler of a function whose result is sent as JSON.
func (s *Server) handleJSON(of func(*http.Request) (any, error)) http.HandlerFunc {
	return s.handle(func(w http.ResponseWriter, r *http.Request) error {
		v, err := of(r)
		if err != nil {
			return err
		}
		return s.writeJSON(w, r, v)
	})
}

func (s *Server) writeJSON(w http.ResponseWriter, r *http.Request, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = io.WriteString(w, s.plain(r, string(data)))
	return err
}

// about makes a handler of a function whose result is about a file.
func (s *Server) about(of func(context.Context, *edition, *http.Request) (any, error)) http.HandlerFunc {
	return s.handleJSON(func(r *http.Request) (any, error) {
		e, release, err := s.editionOf(r)
		if err != nil {
			return nil, err
		}
		defer release()
		return of(r.Context(), e, r)
	})
}

// editionOf returns the current edition of the requested file.
func (s *Server) editionOf(r *http.Request) (*edition, func(), error) {
	f, err := s.fileOf(r.PathValue("file"))
	if err != nil {
		return nil, nil, err
	}
	if at := r.URL.Query().Get("path"); at != "" {
		if _, err := filepath.Localize(at); err != nil { // ../x, /x, and on Windows C:x or NUL
			return nil, nil, problem{http.StatusNotFound, "no such path"}
		}
	}
	return f.edition(r.Context())
}

// fileOf returns the file with a number.
func (s *Server) fileOf(id string) (*file, error) {
	files := s.allFiles()
	i, err := whole(id, 0, len(files)-1)
	if err != nil {
		return nil, problem{http.StatusNotFound, "no such file here"}
	}
	return files[i], nil
}

// maxPosition is the last row, line or entry that can be requested: larger than any real position, while it and
// the positions that follow still fit into a 32-bit int.
const maxPosition = 1 << 30

// whole parses an integer parameter in the range least to most.
func whole(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, problem{http.StatusBadRequest, fmt.Sprintf("expected a number from %d to %d, not %q", least, most, text)}
	}
	return n, nil
}

// wholeOr is whole with a default for an omitted parameter.
func wholeOr(text string, usual, least, most int) (int, error) {
	if text == "" {
		return usual, nil
	}
	return whole(text, least, most)
}

// number parses a number parameter.
func number(text string) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, problem{http.StatusBadRequest, fmt.Sprintf("expected a number, not %q", text)}
	}
	return n, nil
}

// moment parses a duration in milliseconds.
func moment(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	n, err := whole(text, 0, 1_000_000_000)
	return time.Duration(n) * time.Millisecond, err
}

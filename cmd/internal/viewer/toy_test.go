package viewer

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
)

// A toy is a text of letters: its scene is a row of cells, each in the color of its letter. A text that begins
// with "bad" cannot be opened, and "panic" causes a panic.

type toy struct{ text string }

// toyScene counts the drawn parts. It calls wait before drawing a part.
type toyScene struct {
	text   string
	closed *bool
	wait   func(context.Context, image.Rectangle) error

	mu    *sync.Mutex
	drawn *int
	lacks bool
}

// toys returns the format of toys and a function that returns the number of drawn parts of all scenes.
func toys(costly bool, wait func(context.Context, image.Rectangle) error) (f *format.Format, drawn func() int) {
	var mu sync.Mutex
	n := 0
	f = &format.Format{
		Name: "toy", Title: "Toy", Options: []format.Option{{Name: "shift", Type: format.Integer, For: format.ForScene}},
		Open: func(_ context.Context, job *format.Job, src *format.Source) (format.File, error) {
			data, err := src.ReadAll()
			switch {
			case err != nil:
				return nil, err
			case strings.HasPrefix(string(data), "panic"):
				panic("a toy")
			case strings.HasPrefix(string(data), "bad"):
				return nil, fmt.Errorf("%s: it is broken", src.Path)
			case strings.HasPrefix(string(data), "less"):
				job.Miss(src.Path, "half of it is missing")
			}
			return &toy{string(data)}, nil
		},
	}
	f.Scene = func(_ context.Context, job *format.Job, src *format.Source, _ string) (*format.Scene, error) {
		data, err := src.ReadAll()
		if err != nil {
			return nil, err
		}
		s := &toyScene{text: strings.Repeat(" ", (&format.Option{Name: "shift"}).Integer(job)) + string(data),
			closed: new(bool), wait: wait, mu: &mu, drawn: &n}
		v := format.View{Name: "row", Bounds: format.Rect{Max: [2]float64{float64(len(s.text)), 1}}, Scale: 256,
			Render: s.Render, Fingerprint: s.Fingerprint}
		if costly {
			v.Cover = s.Cover
		}
		return &format.Scene{Views: []format.View{v}, Missing: s.Missing, End: s.Close}, nil
	}
	return f, func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

func (t *toy) Tree(context.Context, *format.Job) (fs.FS, error) {
	return fstest.MapFS{"a/toy.txt": {Data: []byte(t.text)}}, nil
}

func (t *toy) Info(context.Context, *format.Job) (format.Info, error) {
	info := format.Info{Format: "toy"}
	info.Add("text", "text", t.text)
	return info, nil
}

func (t *toy) Check(context.Context, *format.Job, check.Sink) error { return nil }
func (t *toy) Close() error                                         { return nil }

// letter returns the letter at a pixel, or 0.
func (s *toyScene) letter(look format.Look, x, y int) byte {
	i, j := math.Floor(look.Origin[0]+(float64(x)+0.5)/look.Scale), math.Floor(look.Origin[1]+(float64(y)+0.5)/look.Scale)
	if j != 0 || i < 0 || int(i) >= len(s.text) || s.text[int(i)] == ' ' {
		return 0
	}
	return s.text[int(i)]
}

func (s *toyScene) Render(ctx context.Context, dst *image.RGBA, look format.Look) error {
	s.mu.Lock()
	if *s.closed {
		defer s.mu.Unlock()
		return errors.New("it is closed")
	}
	*s.drawn++
	s.lacks = true
	s.mu.Unlock()
	format.MissedOf(ctx).Add(format.Missing{Kind: "letter", Name: "all", Count: 1, Adds: true})
	if s.wait != nil {
		if err := s.wait(ctx, dst.Rect); err != nil {
			return err
		}
	}
	for y := dst.Rect.Min.Y; y < dst.Rect.Max.Y; y++ {
		for x := dst.Rect.Min.X; x < dst.Rect.Max.X; x++ {
			if c := s.letter(look, x, y); c != 0 {
				dst.SetRGBA(x, y, color.RGBA{c, c, c, 255})
			}
		}
	}
	return ctx.Err()
}

func (s *toyScene) Fingerprint(_ context.Context, look format.Look, part image.Rectangle) (sum [32]byte, err error) {
	h, found := sha256.New(), false
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			c := s.letter(look, x, y)
			found = found || c != 0
			_, _ = h.Write([]byte{c})
		}
	}
	if found {
		h.Sum(sum[:0])
	}
	return sum, nil
}

func (s *toyScene) Cover(_ context.Context, dst *image.RGBA, look format.Look) error {
	for y := dst.Rect.Min.Y; y < dst.Rect.Max.Y; y++ {
		for x := dst.Rect.Min.X; x < dst.Rect.Max.X; x++ {
			if s.letter(look, x, y) != 0 {
				draw.Draw(dst, image.Rect(x, y, x+1, y+1), image.White, image.Point{}, draw.Src)
			}
		}
	}
	return nil
}

func (s *toyScene) Missing() []format.Missing {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.lacks {
		return nil
	}
	return []format.Missing{{Kind: "letter", Name: "all", Count: 1, Adds: true}}
}

func (s *toyScene) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if *s.closed {
		panic("a scene is closed twice")
	}
	*s.closed = true
	return nil
}

// toyFile returns a file of the disk for a server. The test sets its stamp.
func toyFile(f *format.Format, path string, stamp func() string) File {
	return File{Name: "toy", Stamp: stamp, Plain: func(m string) string { return strings.ReplaceAll(m, path, "toy") },
		Open: func(context.Context) (*Opened, error) {
			src, err := format.OpenSource(path)
			if err != nil {
				return nil, err
			}
			return &Opened{Format: f, Source: src, Job: func() *format.Job { return &format.Job{Values: make(map[string]string)} },
				Close: src.Close}, nil
		}}
}

// toyServer serves a toy with the given text.
func toyServer(t testing.TB, f *format.Format, text string) *Server {
	t.Helper()
	path := t.TempDir() + "/toy"
	write(t, path, text)
	s := New(One, []File{toyFile(f, path, nil)})
	s.port = "1234"
	t.Cleanup(s.Close)
	return s
}

func write(t testing.TB, path, text string) {
	t.Helper()
	judge.Write(t, path, []byte(text))
}

// request returns a request as the page makes it.
func request(s *Server, target string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Host = "127.0.0.1:" + s.port
	r.AddCookie(&http.Cookie{Name: s.cookie(), Value: s.token})
	return r
}

// get returns the answer to a request of the page.
func get(s *Server, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.Guard(w, request(s, target))
	return w
}

// getTile repeats a request for a tile until the tile is complete.
func getTile(s *Server, target string) *httptest.ResponseRecorder {
	for {
		if w := get(s, target); w.Code != http.StatusAccepted {
			return w
		}
	}
}

// getJSON decodes a successful answer.
func getJSON(t testing.TB, s *Server, target string, v any) {
	t.Helper()
	w := get(s, target)
	data, _ := io.ReadAll(w.Body)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", target, w.Code, data)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}

package viewer

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// gate blocks drawing until the test opens it.
type gate struct {
	open  chan struct{}
	drawn chan image.Rectangle // parts being drawn
	given chan image.Rectangle // cancelled parts
	now   atomic.Int32
	most  atomic.Int32
}

func newGate() *gate {
	return &gate{open: make(chan struct{}), drawn: make(chan image.Rectangle, 10_000), given: make(chan image.Rectangle, 10_000)}
}

func (g *gate) wait(ctx context.Context, r image.Rectangle) error {
	n := g.now.Add(1)
	defer g.now.Add(-1)
	for old := g.most.Load(); n > old && !g.most.CompareAndSwap(old, n); old = g.most.Load() {
	}
	g.drawn <- r
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		g.given <- r
		return ctx.Err()
	}
}

// send makes a request and returns a channel with the answer.
func send(ctx context.Context, s *Server, target string) <-chan *httptest.ResponseRecorder {
	done := make(chan *httptest.ResponseRecorder, 1)
	go func() {
		w := httptest.NewRecorder()
		for s.Guard(w, request(s, target).WithContext(ctx)); w.Code == http.StatusAccepted; { // drawing takes long
			w = httptest.NewRecorder()
			s.Guard(w, request(s, target).WithContext(ctx))
		}
		done <- w
	}()
	return done
}

// TestTilesAreShared tests that requests for the same tile share one rendering, and that the tile is cached.
func TestTilesAreShared(t *testing.T) {
	g := newGate()
	f, drawn := toys(false, g.wait)
	s := toyServer(t, f, "abc")
	var answers []<-chan *httptest.ResponseRecorder
	for range 20 {
		answers = append(answers, send(t.Context(), s, "/f/0/tile/1/0/1/0"))
	}
	<-g.drawn
	close(g.open)
	for _, a := range answers {
		w := <-a
		if w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		m, err := png.Decode(w.Body)
		if err != nil || m.Bounds().Dx() != 256 {
			t.Fatalf("%v", err)
		}
		if r, _, _, _ := m.At(100, 100).RGBA(); r>>8 != 'b' {
			t.Errorf("it is %d", r>>8)
		}
		if cc := w.Header().Get("Cache-Control"); !strings.Contains(cc, "immutable") || strings.Contains(cc, "public") {
			t.Errorf("Cache-Control is %q", cc)
		}
	}
	if n := drawn(); n != 1 {
		t.Errorf("drawn %d times", n)
	}
	if w := getTile(s, "/f/0/tile/1/0/9/9"); w.Code != http.StatusNoContent || w.Body.Len() > 0 {
		t.Errorf("where nothing is: %d, %d bytes", w.Code, w.Body.Len())
	}
	if n := drawn(); n != 1 {
		t.Error("nothing was drawn where nothing is")
	}
}

// TestTilesAreGivenUp tests that drawing a tile is cancelled when all its requests are cancelled.
func TestTilesAreGivenUp(t *testing.T) {
	g := newGate()
	f, _ := toys(false, g.wait)
	s := toyServer(t, f, "abc")
	ctx, cancel := context.WithCancel(t.Context())
	first, second := send(ctx, s, "/f/0/tile/1/0/0/0"), send(t.Context(), s, "/f/0/tile/1/0/0/0")
	<-g.drawn
	for joined := false; !joined; runtime.Gosched() {
		s.tiles.mu.Lock()
		for _, f := range s.tiles.flights {
			joined = f.users == 2
		}
		s.tiles.mu.Unlock()
	}
	cancel()
	<-first
	if len(g.given) > 0 {
		t.Fatal("another request wants it")
	}
	close(g.open)
	if w := <-second; w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}

	g.open = make(chan struct{})
	ctx, cancel = context.WithCancel(t.Context())
	only := send(ctx, s, "/f/0/tile/1/0/1/0")
	r := <-g.drawn
	cancel()
	<-only
	if given := <-g.given; given != r {
		t.Errorf("given up is %v, not %v", given, r)
	}
}

// TestTilesAreBounded tests that at most one part per core is drawn at a time, and that of thousands of
// requests most are refused.
func TestTilesAreBounded(t *testing.T) {
	g := newGate()
	f, _ := toys(false, g.wait)
	s := toyServer(t, f, strings.Repeat("a", 600))
	var answers []<-chan *httptest.ResponseRecorder
	for x := range 600 {
		answers = append(answers, send(t.Context(), s, fmt.Sprintf("/f/0/tile/1/0/%d/0", x)))
	}
	refused, fine := 0, 0
	for range runtime.NumCPU() {
		<-g.drawn
	}
	var wait sync.WaitGroup
	var mu sync.Mutex
	enough := make(chan struct{})
	for _, a := range answers {
		wait.Go(func() {
			w := <-a
			mu.Lock()
			defer mu.Unlock()
			switch w.Code {
			case http.StatusServiceUnavailable:
				if w.Header().Get("Retry-After") == "" && !strings.Contains(w.Body.String(), "at a time") {
					t.Errorf("%q", w.Body)
				}
				if refused++; refused == 600-maxFlights {
					close(enough)
				}
			case http.StatusOK:
				fine++
			default:
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	<-enough
	close(g.open)
	wait.Wait()
	if fine != maxFlights {
		t.Errorf("%d are fine, want %d", fine, maxFlights)
	}
	if n := int(g.most.Load()); n > runtime.NumCPU() {
		t.Errorf("%d were drawn at a time", n)
	}
}

// TestTileDefect tests that a panic in a tile is an error of that tile.
func TestTileDefect(t *testing.T) {
	f, _ := toys(false, func(_ context.Context, r image.Rectangle) error {
		if r.Min.X == 0 {
			panic("oh")
		}
		return nil
	})
	s := toyServer(t, f, "abc")
	if w := getTile(s, "/f/0/tile/1/0/0/0"); w.Code != http.StatusInternalServerError ||
		!strings.Contains(w.Body.String(), "a defect of this program") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := getTile(s, "/f/0/tile/1/0/1/0"); w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if len(s.slots) > 0 {
		t.Error("a slot is lost")
	}
}

// TestFarTiles tests that far tiles of expensive scenes are composed of nearer ones, each of which is drawn
// once.
func TestFarTiles(t *testing.T) {
	f, drawn := toys(true, nil)
	s := toyServer(t, f, strings.Repeat("abcdefgh", 4))
	far := getTile(s, "/f/0/tile/1/-5/0/0")
	if far.Code != http.StatusOK {
		t.Fatalf("%d %s", far.Code, far.Body)
	}
	if n := drawn(); n != 8 { // 32 letters, four in each tile of zoom -2
		t.Errorf("drawn %d times", n)
	}
	m, err := png.Decode(bytes.NewReader(far.Body.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for x := range 256 {
		if r, _, _, a := m.At(x, 0).RGBA(); a != 0xffff || r>>8 != uint32('a'+x/8%8) {
			t.Fatalf("%d: %d", x, r>>8)
		}
	}
	if near := getTile(s, "/f/0/tile/1/-3/0/0"); near.Code != http.StatusOK || drawn() != 8 {
		t.Errorf("%d, drawn %d times", near.Code, drawn())
	}
	if cover := get(s, "/f/0/cover/1/-5/0/0"); cover.Code != http.StatusOK {
		t.Errorf("%d %s", cover.Code, cover.Body)
	}
	if empty := get(s, "/f/0/cover/1/-5/3/0"); empty.Code != http.StatusNoContent {
		t.Errorf("%d", empty.Code)
	}
}

// TestTileParts tests that a request gets the finished parts of a far tile while others are being drawn.
func TestTileParts(t *testing.T) {
	g := newGate()
	f, _ := toys(true, func(ctx context.Context, r image.Rectangle) error {
		if r.Min.X == 0 {
			return nil
		}
		return g.wait(ctx, r)
	})
	s := toyServer(t, f, strings.Repeat("abcdefgh", 4))
	const target = "/f/0/tile/1/-3/0/0"
	w := get(s, target)
	m, err := png.Decode(bytes.NewReader(w.Body.Bytes()))
	if err != nil || w.Code != http.StatusAccepted {
		t.Fatal(w.Code, err)
	}
	if _, _, _, left := m.At(0, 0).RGBA(); left != 0xffff {
		t.Error("the first part is missing")
	}
	if _, _, _, right := m.At(200, 0).RGBA(); right != 0 {
		t.Error("the second part is there")
	}
	close(g.open)
	if w := getTile(s, target); w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

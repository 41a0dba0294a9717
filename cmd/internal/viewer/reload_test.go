package viewer

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// watchedToy is the server of a file whose stamp the test sets.
type watchedToy struct {
	*Server
	t     *testing.T
	path  string
	stamp atomic.Value
	drawn func() int
	page  chan event
}

func newWatchedToy(t *testing.T, text string) *watchedToy {
	f, drawn := toys(false, nil)
	w := &watchedToy{t: t, path: t.TempDir() + "/toy", drawn: drawn}
	w.write(text, "1")
	w.Server = New(One, []File{toyFile(f, w.path, func() string { return w.stamp.Load().(string) })})
	w.port = "1234"
	t.Cleanup(w.Close)
	w.page, _ = w.events.join()
	return w
}

func (w *watchedToy) write(text, stamp string) {
	w.t.Helper()
	write(w.t, w.path, text)
	w.stamp.Store(stamp)
}

// look checks the file for changes and returns the resulting events.
func (w *watchedToy) look() (events []string) {
	w.allFiles()[0].look()
	for {
		select {
		case e := <-w.page:
			events = append(events, fmt.Sprint(e.name, " ", e.data))
		default:
			return events
		}
	}
}

func (w *watchedToy) expect(what string, want ...string) {
	w.t.Helper()
	if got := w.look(); !slices.Equal(got, want) {
		w.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func (w *watchedToy) shows(generation int, text string) {
	w.t.Helper()
	var doc struct {
		Generation int
		Info       []fact
		Broken     string
	}
	getJSON(w.t, w.Server, "/f/0/open", &doc)
	if doc.Generation != generation || doc.Info[0].Value != text {
		w.t.Errorf("it shows %d %v, want %d %s", doc.Generation, doc.Info[0].Value, generation, text)
	}
}

func TestReload(t *testing.T) {
	w := newWatchedToy(t, "abcdef")
	w.expect("before anybody looked")
	w.shows(1, "abcdef")
	w.expect("nothing happened")

	w.write("abcdef", "2")
	w.expect("touched")
	w.shows(1, "abcdef")

	w.write("abXdef", "3")
	w.expect("changed", "changed map[file:0 generation:2]")
	w.shows(2, "abXdef")
	w.expect("seen")

	w.write("bad", "4")
	w.expect("half written", "broken map[file:0 message:toy: it is broken]")
	w.shows(2, "abXdef")
	w.expect("still half written")
	w.write("bad", "5")
	w.expect("written again, and as bad")
	w.write("panic", "6")
	if got := w.look(); len(got) != 1 || !strings.Contains(got[0], "defect") {
		t.Errorf("a panic: %q", got)
	}
	w.write("less", "7")
	w.expect("a part of it", "broken map[file:0 message:a part of the file is missing: toy: half of it is missing]")
	w.shows(2, "abXdef")
	w.write("abXdef", "8")
	w.expect("as it was", "changed map[file:0 generation:2]")
	w.expect("seen")

	if err := os.Remove(w.path); err != nil {
		t.Fatal(err)
	}
	w.stamp.Store("")
	w.expect("removed", "broken map[file:0 message:the file no longer exists]")
	w.shows(2, "abXdef")
	w.expect("still removed")
	w.write("abXdef", "8")
	w.expect("back", "changed map[file:0 generation:2]")
	w.stamp.Store("")
	w.expect("away", "broken map[file:0 message:the file no longer exists]")
	w.write("other", "9")
	w.expect("another", "changed map[file:0 generation:3]")
	w.shows(3, "other")
}

// TestEditionsKeepTheirBytes tests that an edition does not change when the file is overwritten.
func TestEditionsKeepTheirBytes(t *testing.T) {
	w := newWatchedToy(t, "abc")
	w.shows(1, "abc")
	if got := getTile(w.Server, "/f/0/tile/1/0/0/0"); got.Code != 200 {
		t.Fatal(got.Body)
	}
	f, err := os.OpenFile(w.path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("xyz"); err != nil {
		t.Fatal(err)
	}
	w.scenes.drop(func(string) bool { return true }) // a scene opened now reads the file
	e, release, err := w.allFiles()[0].edition(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if head := string(e.Source.Head(3)); head != "abc" {
		t.Errorf("it reads %q", head)
	}
}

// TestMissingStays tests that missing data of tiles is listed while they are shown, whichever scene drew them.
func TestMissingStays(t *testing.T) {
	w := newWatchedToy(t, "abc")
	missing := func() int {
		var list struct{ Total int }
		getJSON(t, w.Server, "/f/0/missing", &list)
		return list.Total
	}
	w.shows(1, "abc")
	if n := missing(); n != 0 {
		t.Errorf("%d before anything is drawn", n)
	}
	getTile(w.Server, "/f/0/tile/1/0/0/0")
	w.scenes.drop(func(string) bool { return true })
	if n := missing(); n != 1 {
		t.Errorf("%d when the scene was closed", n)
	}
	w.tiles.mu.Lock()
	clear(w.tiles.kept)
	w.tiles.order.Init()
	w.tiles.mu.Unlock()
	for start := time.Now(); missing() != 1; time.Sleep(time.Millisecond) { // a browser may still show the tile
		if time.Since(start) > time.Minute { // the scene is closed after its last user
			t.Fatal("nothing when the tile was thrown away")
		}
	}
	w.write("abX", "2")
	w.expect("changed", "changed map[file:0 generation:2]")
	if n := missing(); n != 0 {
		t.Errorf("%d of an older file", n)
	}
}

// TestReopened tests that a new generation begins if the file has changed between closing and reopening an
// edition.
func TestReopened(t *testing.T) {
	w := newWatchedToy(t, "abc")
	w.shows(1, "abc")
	w.opened.drop(func(string) bool { return true })
	w.shows(1, "abc")
	w.opened.drop(func(string) bool { return true })
	w.write("xyz", "2")
	w.shows(2, "xyz")
	w.expect("told", "changed map[file:0 generation:2]")
}

// fingerprints waits until all tiles have fingerprints.
func (w *watchedToy) fingerprints() {
	for all := false; !all; time.Sleep(time.Millisecond) {
		all = true
		w.tiles.mu.Lock()
		for e := w.tiles.order.Front(); e != nil; e = e.Next() {
			all = all && e.Value.(*tile).print != [32]byte{}
		}
		w.tiles.mu.Unlock()
	}
}

// TestStale tests that only changed tiles are stale and redrawn.
func TestStale(t *testing.T) {
	w := newWatchedToy(t, "abcdef")
	tile := func(generation, x int) {
		t.Helper()
		if got := getTile(w.Server, fmt.Sprintf("/f/0/tile/%d/0/%d/0", generation, x)); got.Code != 200 {
			t.Fatalf("%d %s", got.Code, got.Body)
		}
	}
	stale := func(since int, want string) {
		t.Helper()
		var answer struct {
			Generation int
			Tiles      [][2]int
		}
		getJSON(t, w.Server, fmt.Sprintf("/f/0/stale?since=%d&z=0&x0=0&y0=0&x1=5&y1=0", since), &answer)
		if got := fmt.Sprint(answer.Tiles); got != want {
			t.Errorf("stale since %d: %s, want %s", since, got, want)
		}
	}
	for x := range 6 {
		tile(1, x)
	}
	stale(1, "[]")
	w.fingerprints()
	w.write("abXdef", "2")
	w.look()
	stale(1, "[[2 0]]")
	if n := w.drawn(); n != 6 {
		t.Errorf("drawn %d times", n)
	}
	for x := range 6 {
		tile(2, x)
	}
	if n := w.drawn(); n != 7 {
		t.Errorf("drawn %d times, and one tile has changed", n)
	}
	stale(2, "[]")
	w.fingerprints()
	w.write("abcdeY", "3")
	w.look()
	stale(2, "[[2 0] [5 0]]")
	stale(1, "[[2 0] [5 0]]") // the old picture of tile 2 is no longer cached
	if got := getTile(w.Server, "/f/0/tile/2/0/0/0"); got.Code != 410 {
		t.Errorf("an old generation: %d", got.Code)
	}
}

// TestRenew tests that a file is reopened when the page requests it.
func TestRenew(t *testing.T) {
	f, _ := toys(false, nil)
	s := toyServer(t, f, "abc")
	var answer struct{ Generation int }
	getJSON(t, s, "/f/0/open", &struct{}{})
	getJSON(t, s, "/f/0/renew", &answer)
	if answer.Generation != 2 {
		t.Errorf("generation %d", answer.Generation)
	}
}

// TestHub tests that a page that does not read is disconnected, others are not, and the number of pages is
// limited.
func TestHub(t *testing.T) {
	var h hub
	if h.listened() {
		t.Error("somebody listens")
	}
	slow, leaveSlow := h.join()
	quick, leave := h.join()
	for i := range maxWaiting + 1 {
		h.send(event{"x", i})
		if e, open := <-quick; !open || e.data != i {
			t.Fatalf("%d: %v", i, e)
		}
	}
	n := 0
	for range slow {
		n++
	}
	if n != maxWaiting {
		t.Errorf("%d events were kept", n)
	}
	leaveSlow()
	leave()
	if h.listened() {
		t.Error("somebody listens")
	}
	for range maxPages {
		if page, _ := h.join(); page == nil {
			t.Fatal("refused")
		}
	}
	if page, _ := h.join(); page != nil {
		t.Error("too many pages")
	}
}

// TestNobodyLooks tests that files are not checked while no page is open.
func TestNobodyLooks(t *testing.T) {
	w := newWatchedToy(t, "abc")
	w.shows(1, "abc")
	var looks atomic.Int32
	w.allFiles()[0].Stamp = func() string { looks.Add(1); return "1" }
	w.lookAtAll()
	if looks.Load() == 0 {
		t.Error("it does not look")
	}
	w.events = hub{}
	looks.Store(0)
	w.lookAtAll()
	if looks.Load() > 0 {
		t.Error("it looks for nobody")
	}
}

// TestPause tests that the pause grows with the duration of a check.
func TestPause(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{0: lookEvery, 10 * time.Millisecond: lookEvery,
		200 * time.Millisecond: 4 * time.Second, time.Minute: lookSeldom} {
		if got := pauseAfter(took); got != want {
			t.Errorf("after %v: %v, want %v", took, got, want)
		}
	}
}

// TestOverwritten tests that a file too large for memory is not shown while a program overwrites it.
func TestOverwritten(t *testing.T) {
	large := strings.Repeat("a", maxHeld+1)
	w := newWatchedToy(t, large)
	open := func() (int, error) {
		e, release, err := w.allFiles()[0].edition(t.Context())
		if err != nil {
			return 0, err
		}
		defer release()
		return e.generation, nil
	}
	if n, err := open(); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	w.write("bad"+large, "2")
	if _, err := open(); !errors.Is(err, errOverwritten) {
		t.Errorf("half written: %v", err)
	}
	w.write("b"+large, "3")
	if n, err := open(); n != 2 || err != nil {
		t.Errorf("whole: %d, %v", n, err)
	}
}

package viewer

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	_ "trowel.example/internal/testing/tests" // an empty machine
)

// toyService returns a service for files with the extension .toy.
func toyService(t *testing.T) *service.Service {
	t.Helper()
	f, _ := toys(false, nil)
	f.Recognize = func(src *format.Source) bool { return src.HasExtension(".toy") }
	games := format.Games{{Title: "Toys", Formats: format.Set{f}}}
	return service.New(games, strings.NewReader(""), nil, new(wording.Aliases))
}

// TestOpen tests that a service is enough to open the files of a page: one, two or many.
func TestOpen(t *testing.T) {
	s := toyService(t)
	dir := t.TempDir()
	for _, name := range []string{"a.toy", "b/a.toy", "b/c.toy", "b/note.txt"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), "abc")
	}
	in := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
		return paths
	}
	for _, c := range []struct {
		names []string
		mode  Mode
		want  string
	}{
		{in("a.toy"), One, "a.toy"},
		{in("a.toy", "b/c.toy"), Pair, "a.toy c.toy"},
		{in("a.toy", "b/a.toy"), Pair, "a.toy (old) a.toy (new)"},
		{in("b"), Gallery, "a.toy c.toy"}, // the text is not of a known format
		{in("."), Gallery, "a.toy b/a.toy b/c.toy"},
		{in("a.toy", "b/note.txt", "b/c.toy"), Gallery, "a.toy b/note.txt b/c.toy"},
	} {
		p, err := Open(t.Context(), s, c.names)
		if err != nil {
			t.Errorf("%q: %v", c.names, err)
			continue
		}
		for range 100 {
			if p.gallery.mu.Lock(); p.gallery.done {
				p.gallery.mu.Unlock()
				break
			}
			p.gallery.mu.Unlock()
			time.Sleep(10 * time.Millisecond)
		}
		var names []string
		for _, f := range p.allFiles() {
			names = append(names, f.Name)
		}
		if got := strings.Join(names, " "); p.mode != c.mode || got != c.want {
			t.Errorf("%q: %s with %s, want %s with %s", c.names, p.mode, got, c.mode, c.want)
		}
		p.Close()
	}
}

// TestOpenFails tests that files that cannot be shown are an error before there is a page.
func TestOpenFails(t *testing.T) {
	s := toyService(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "bad.toy"), "bad")
	write(t, filepath.Join(dir, "note.txt"), "abc")
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"bad.toy":  "it is broken",
		"note.txt": format.ErrUnknown.Error(),
		"empty":    "contains no game files",
		"none":     "no such file",
	} {
		p, err := Open(t.Context(), s, []string{filepath.Join(dir, name)})
		if err == nil {
			p.Close()
		}
		if err == nil || !strings.Contains(wording.Text(err), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	s.Options.Given = []service.Given{{Name: "other", Value: "1", Of: "Thing"}}
	bad := []string{filepath.Join(dir, "bad.toy")}
	if _, err := Open(t.Context(), s, bad); err == nil || !strings.Contains(err.Error(), "--other") {
		t.Errorf("an option of another format: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, s, []string{empty}); err == nil {
		t.Error("a folder is opened after the end of the context")
	}
}

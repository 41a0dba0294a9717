package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// ofKind returns an error unless path is a folder or file of the kind that the test writes.
func ofKind(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "kind")
	}
	if data, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(data), "kind") {
		return fmt.Errorf("%w: it is no kind", ErrKind)
	}
	return nil
}

// TestReplace tests which targets an output may replace, in all combinations of file and folder.
func TestReplace(t *testing.T) {
	base := t.TempDir()
	fill := func(names ...string) {
		for _, name := range names {
			at := filepath.Join(base, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
				t.Fatal(err)
			}
			judge.Write(t, at, []byte(strings.TrimPrefix(filepath.Base(at), "kind.")))
		}
	}
	fill("photos/a.jpg", "world/kind", "homes/me/world/kind", "homes/kind", "here/kind", "here/in/kind",
		"above/kind", "above/src/kind", "src/kind", "src/in/kind", "file.txt", "read.txt", "vetoed/kind", "vetoed/veto")
	for name, data := range map[string]string{"same.txt": "kind", "read.txt": "kind"} {
		judge.Write(t, filepath.Join(base, name), []byte(data))
	}
	if err := os.Mkdir(filepath.Join(base, "empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	tests.OnHost(t, map[string]string{"home folder": filepath.Join(base, "homes", "me")})
	t.Chdir(filepath.Join(base, "here", "in"))
	links := os.Symlink("src", filepath.Join(base, "linked")) == nil &&
		os.Symlink("read.txt", filepath.Join(base, "link.txt")) == nil &&
		os.Symlink("world", filepath.Join(base, "toworld")) == nil &&
		os.Symlink("nothing", filepath.Join(base, "dangling")) == nil
	if links && !isLink(filepath.Join(base, "linked")) {
		links = false
		for _, name := range []string{"linked", "link.txt", "toworld", "dangling"} {
			_ = os.RemoveAll(filepath.Join(base, name))
		}
	}
	hard := os.Link(filepath.Join(base, "read.txt"), filepath.Join(base, "hard.txt")) == nil

	const taken, kept, read = "taken", "kept", "read" // and "" for success
	yes := func(err string) [2]string { return [2]string{err, err} }
	for _, c := range []struct {
		target string
		reads  string
		plain  string    // result without Replace
		force  [2]string // result with Replace, for a file and a folder
		ready  bool
	}{
		{"new", "src", "", yes(""), true},
		{"file.txt", "src", taken, [2]string{"", kept}, true},
		{"same.txt", "src", taken, [2]string{"", kept}, true},
		{"photos", "src", taken, yes(kept), true},
		{"world", "src", taken, [2]string{kept, ""}, true},
		{"vetoed", "src", taken, yes(kept), true},
		{"empty", "src", taken, [2]string{kept, ""}, true},
		{"src", "src", read, yes(read), true},
		{"src/new", "src", read, yes(read), true},
		{"src/in", "src", read, yes(read), true},
		{"src/kind", "src", read, yes(read), true},
		{"./src/../src/", "src", read, yes(read), true},
		{"above", "above/src", taken, yes(kept), true},
		{"above/src", "above/src/kind", taken, yes(kept), true},
		{"above/new", "above/src", "", yes(""), true},
		{"homes", "src", taken, yes(kept), true},
		{"homes/me", "src", taken, yes(kept), true},
		{"homes/me/world", "src", taken, [2]string{kept, ""}, true},
		{"here", "src", taken, yes(kept), true},
		{"here/in", "src", taken, yes(kept), true},
		{"read.txt", "read.txt", read, yes(read), true},
		{"linked", "src", read, yes(read), links},
		{"linked/new", "src", read, yes(read), links},
		{"src/new", "linked", read, yes(read), links},
		{"link.txt", "read.txt", read, yes(read), links},
		{"toworld", "src", taken, [2]string{kept, ""}, links},
		{"dangling", "src", taken, yes(taken), links},
		{"hard.txt", "read.txt", read, yes(read), hard},
		{string(filepath.Separator), "src", taken, yes(kept), runtime.GOOS != "windows"},
	} {
		for i, folder := range []bool{false, true} {
			for j, force := range []bool{false, true} {
				want := [][2]string{yes(c.plain), c.force}[j][i]
				name := fmt.Sprintf("%s/reads %s/folder %v/force %v", c.target, c.reads, folder, force)
				t.Run(name, func(t *testing.T) {
					if !c.ready {
						t.Skip("no links here")
					}
					target := c.target
					if !filepath.IsAbs(target) {
						target = base + string(filepath.Separator) + filepath.FromSlash(target)
					}
					before := files(t, base)
					got := result(make1(target, folder, Options{Replace: force, Reads: func() []string {
						return []string{filepath.Join(base, filepath.FromSlash(c.reads))}
					}, Replaces: func(path string) error {
						if _, err := os.Stat(filepath.Join(path, "veto")); err == nil {
							return errors.New("it has more")
						}
						return ofKind(path)
					}}))
					if got != want {
						t.Errorf("%q, want %q", got, want)
					}
					if after := files(t, base); after != before {
						t.Errorf("was %s, is %s", before, after)
					}
				})
			}
		}
	}
	// Only files of the same kind are reasonable to replace.
	for name, want := range map[string]bool{"file.txt": false, "same.txt": true, "world": false, "photos": false} {
		_, err := New(filepath.Join(base, name), Options{Replaces: ofKind})
		var exists *ExistsError
		if !errors.As(err, &exists) || exists.Replaceable != want {
			t.Errorf("%s: %#v", name, err)
		}
	}
}

// make1 writes a file or folder for target, up to the point where it would be renamed.
func make1(target string, folder bool, opts Options) error {
	o, err := New(target, opts)
	if err != nil {
		return err
	}
	defer o.Discard()
	if folder {
		_, err = o.Dir()
	} else {
		var w io.Writer
		if w, err = o.Create(""); err == nil {
			_, err = io.WriteString(w, "new")
		}
	}
	return err
}

// result classifies an error.
func result(err error) string {
	var exists *ExistsError
	var kept *KeptError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &kept):
		return "kept"
	case errors.Is(err, ErrRead):
		return "read"
	case errors.As(err, &exists):
		return "taken"
	}
	return err.Error()
}

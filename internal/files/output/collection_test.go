package output

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
)

func hashOf(s string) Hash { return Hash(sha256.New().Sum([]byte(s + "................"))[:16]) }

func openCollection(t *testing.T, dir string, opts Options) *Collection {
	t.Helper()
	c, err := OpenCollection(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func putPiece(t *testing.T, c *Collection, name, data string) {
	t.Helper()
	if err := c.Put(name, hashOf("key "+data), hashOf(data), []byte(data)); err != nil {
		t.Fatal(err)
	}
}

func TestCollection(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tiles")
	c := openCollection(t, dir, Options{})
	if _, err := OpenCollection(dir, Options{}); err == nil {
		t.Error("two runs at a time")
	}
	putPiece(t, c, "0/1/2.png", "one")
	putPiece(t, c, "0/1/3.png", "two")
	putPiece(t, c, "index.html", "page")
	if err := errors.Join(c.Finish(), c.Close()); err != nil {
		t.Fatal(err)
	}

	c = openCollection(t, dir, Options{})
	if p, ok := c.Piece("0/1/2.png"); !ok || p.Key != hashOf("key one") || p.Content != hashOf("one") {
		t.Errorf("%v %v", p, ok)
	}
	if err := c.Rekey("0/1/2.png", hashOf("another")); err != nil {
		t.Error(err)
	}
	putPiece(t, c, "0/1/3.png", "three")
	if got := c.Unseen(); !slices.Equal(got, []string{"index.html"}) {
		t.Errorf("%q", got)
	}
	if err := errors.Join(c.Remove("index.html"), c.Remove("index.html")); err != nil {
		t.Error(err)
	}
	c.Close() // interrupted: the log is unchanged

	c = openCollection(t, dir, Options{})
	if p, ok := c.Piece("0/1/2.png"); !ok || p.Key != hashOf("another") {
		t.Errorf("%v %v", p, ok)
	}
	if p, ok := c.Piece("0/1/3.png"); !ok || p.Content != hashOf("three") {
		t.Errorf("%v %v", p, ok)
	}
	if _, ok := c.Piece("index.html"); ok {
		t.Error("what was removed is there")
	}
	judge.Write(t, filepath.Join(dir, "0/1/3.png"), []byte("cut"))
	if _, ok := c.Piece("0/1/3.png"); ok {
		t.Error("a file that is not as it was made counts")
	}
	putPiece(t, c, "0/1/3.png", "three")
	c.Close()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 2 { // the log and 0
		t.Errorf("%v %v", list, err)
	}
}

// TestCollectionForeign tests that files which the tool did not write are kept, whatever their names and even with -f.
func TestCollectionForeign(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "index.html")
	judge.Write(t, mine, []byte("mine"))
	var exists *ExistsError
	if _, err := OpenCollection(dir, Options{}); !errors.As(err, &exists) {
		t.Errorf("a folder with other files: %v", err)
	}
	c := openCollection(t, dir, Options{Replace: true})
	defer c.Close()
	if err := c.Put("index.html", Hash{}, Hash{}, nil); !errors.As(err, &exists) {
		t.Errorf("a file of others is replaced: %v", err)
	}
	putPiece(t, c, "0/0/0.png", "tile")
	if err := c.Remove("index.html"); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(mine); string(data) != "mine" {
		t.Error(string(data), err)
	}
	out := t.TempDir()
	if os.Symlink(out, filepath.Join(dir, "1")) == nil && isLink(filepath.Join(dir, "1")) {
		if c.Put("1/0.png", Hash{}, Hash{}, nil) == nil {
			t.Error("a link leads out of the folder")
		}
	}
	if _, err := OpenCollection(filepath.Join(dir, "inner"),
		Options{Reads: func() []string { return []string{dir} }}); !errors.Is(err, ErrRead) {
		t.Errorf("in what is read: %v", err)
	}
}

// TestCollectionCut tests that the next run repairs what a run leaves that is killed in the middle of a line or file.
func TestCollectionCut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tiles")
	c := openCollection(t, dir, Options{})
	putPiece(t, c, "a", "one")
	putPiece(t, c, "b", "two")
	c.Close()
	log := judge.Read(t, filepath.Join(dir, logName))
	for n := range log {
		judge.Write(t, filepath.Join(dir, logName), log[:n])
		c, err := OpenCollection(dir, Options{Replace: true})
		if err != nil {
			t.Fatalf("%d bytes of the log: %v", n, err)
		}
		for name, data := range map[string]string{"a": "one", "b": "two"} {
			if p, ok := c.Piece(name); ok && (p.Content != hashOf(data)) {
				t.Errorf("%d bytes of the log: %s is taken for %v", n, name, p)
			}
		}
		c.Close()
		_ = os.RemoveAll(filepath.Join(dir, logName))
	}
}

// updateCollection creates a small collection for a version, or updates one to this version.
func updateCollection(t *testing.T, dir, version string) {
	t.Helper()
	c := openCollection(t, dir, Options{})
	defer c.Close()
	files := map[string]string{"0/0.png": "0" + version, "0/1.png": "1", version + "/0.png": version, "index.html": version}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if p, ok := c.Piece(name); !ok || p.Content != hashOf(files[name]) {
			putPiece(t, c, name, files[name])
		}
	}
	for _, name := range c.Unseen() {
		if err := c.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Finish(); err != nil {
		t.Fatal(err)
	}
}

const envKillCollection = "TROWEL_TEST_KILL_COLLECTION"

// TestCollectionChild is the child process of TestCollectionKilled: it kills itself before a step.
func TestCollectionChild(t *testing.T) {
	at, dir, ok := strings.Cut(os.Getenv(envKillCollection), "|")
	if !ok {
		t.Skip("this is run by TestCollectionKilled")
	}
	left, _ := strconv.Atoi(at)
	Step = func() {
		if left--; left < 0 {
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			select {}
		}
	}
	updateCollection(t, dir, "new")
}

// TestCollectionKilled tests that a run killed before any change to the disk leaves complete files, and that the next
// run produces the same result as an undisturbed run, without leftover files.
func TestCollectionKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(t.TempDir(), "tiles")
	updateCollection(t, fresh, "old")
	updateCollection(t, fresh, "new")
	want := snapshot(t, fresh)
	for at := 0; ; at++ {
		dir := filepath.Join(t.TempDir(), "tiles")
		updateCollection(t, dir, "old")
		child := exec.Command(self, "-test.run=^TestCollectionChild$")
		child.Env = append(os.Environ(), fmt.Sprintf("%s=%d|%s", envKillCollection, at, dir))
		out, err := child.CombinedOutput()
		if err != nil && !wasKilled(child, out) {
			t.Fatalf("%v\n%s", err, out)
		}
		for part := range strings.SplitSeq(snapshot(t, dir), ";") {
			name, data, _ := strings.Cut(part, "=")
			if whole := []string{"", "0old", "0new", "1", "old", "new"}; name != logName && !slices.Contains(whole, data) {
				t.Errorf("killed before step %d: %s has %q", at, name, data)
			}
		}
		updateCollection(t, dir, "new")
		if got := snapshot(t, dir); got != want {
			t.Errorf("killed before step %d: %q, want %q", at, got, want)
		}
		if list := workshopsIn(dir); len(list) > 0 {
			t.Errorf("killed before step %d: %v is left", at, list)
		}
		if err == nil {
			if at < 20 {
				t.Errorf("only %d steps", at)
			}
			return
		}
	}
}

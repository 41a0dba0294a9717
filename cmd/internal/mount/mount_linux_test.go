//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package mount

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// counted is a tree that counts how often its files are made.
type counted struct {
	tree.FS
	made atomic.Int64
}

func (c *counted) add(name string, content string) {
	c.Add(name, tree.Meta{Stored: -1}, func() ([]byte, error) {
		c.made.Add(1)
		return []byte(content), nil
	})
}

// mounted mounts a tree in a new folder, with edits if file is not "". It skips the test where nothing can be mounted.
func mounted(t *testing.T, fsys fs.FS, file string, change func(*Options)) (string, *Mount) {
	t.Helper()
	o := Options{File: "/tmp/of a test.map", Dir: t.TempDir(), Perm: 0o777, Time: time.Unix(1e9, 0),
		Open:   func() (fs.FS, io.Closer, error) { return fsys, io.NopCloser(nil), nil },
		Pack:   func(context.Context) []byte { return []byte("packed") },
		Refuse: func(at string) []byte { return []byte("refused: " + at) },
		Report: func(at string, err error) { t.Errorf("%s: %v", at, err) }}
	if file != "" {
		edits, err := OpenEdits(file, false)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(edits.Close)
		o.Edits = edits
	}
	if change != nil {
		change(&o)
	}
	m, err := Start(o)
	if err != nil {
		judge.CannotMount(t, err)
	}
	t.Cleanup(func() {
		if err := m.Unmount(); err != nil {
			t.Error(err)
		}
		if err := m.Wait(); err != nil {
			t.Error(err)
		}
	})
	return o.Dir, m
}

// TestRead tests that listing makes no file, that a stat makes one file once, and that all programs read the content of the
// tree at any offset, at once.
func TestRead(t *testing.T) {
	var c counted
	long := strings.Repeat("0123456789abcdef", 50_000)
	c.add("a/long.txt", long)
	c.add("a/short.txt", "short")
	c.add("b.txt", "")
	c.Add("secret", tree.Meta{Owner: true, Time: time.Unix(5e8, 0)}, func() ([]byte, error) { return []byte("s"), nil })
	dir, m := mounted(t, &c, "", nil)

	err := filepath.WalkDir(dir, func(_ string, _ fs.DirEntry, err error) error { return err })
	if n := c.made.Load(); err != nil || n != 0 {
		t.Fatalf("listing made %d files, %v", n, err)
	}
	for range 2 {
		info, err := os.Stat(filepath.Join(dir, "a", "long.txt"))
		if err != nil || info.Size() != int64(len(long)) || info.Mode() != 0o644 || !info.ModTime().Equal(time.Unix(1e9, 0)) {
			t.Fatal(info, err)
		}
	}
	if n := c.made.Load(); n != 1 {
		t.Fatalf("two stats made %d files", n)
	}
	if info, err := os.Stat(filepath.Join(dir, "secret")); err != nil || info.Mode() != 0o600 || !info.ModTime().Equal(time.Unix(5e8, 0)) {
		t.Error(info, err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			f, err := os.Open(filepath.Join(dir, "a", "long.txt"))
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			part := make([]byte, 1000)
			for off := i * 777; off < len(long); off += 99_991 {
				n, err := f.ReadAt(part, int64(off))
				if want := long[off:min(off+1000, len(long))]; string(part[:n]) != want || err != nil && err != io.EOF {
					t.Errorf("at %d: %d bytes, %v", off, n, err)
				}
			}
		})
	}
	all.Wait()
	if n := c.made.Load(); n != 1 {
		t.Errorf("reading made %d files", n)
	}
	if _, err := unix.Getxattr(filepath.Join(dir, "b.txt"), "user.x", nil); !errors.Is(err, unix.ENOTSUP) && !errors.Is(err, unix.ENODATA) {
		t.Error("there are attributes:", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "new"), nil, 0o666); !errors.Is(err, syscall.EROFS) {
		t.Error("read-only, but:", err)
	}
	if file, alive, ok := FileAt(dir); file != m.File || !alive || !ok {
		t.Error(file, alive, ok)
	}
	if _, err := Request(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a request without edits:", err)
	}
}

// TestNames tests that names no system allows are shown as extract writes them, that a copy with the sidecar has the true
// names, and that the safe names of edits are recorded.
func TestNames(t *testing.T) {
	var c counted
	long := strings.Repeat("long", 100)
	for _, name := range []string{`a\b:c`, "x%41", "%", "con", long + "1", long + "2", "tab\there/in"} {
		c.add(name, name)
	}
	c.AddBytes(tree.Sidecar, []byte("{}"))
	file := filepath.Join(t.TempDir(), "x.map")
	dir, _ := mounted(t, &c, file, nil)
	if err := os.WriteFile(filepath.Join(dir, "tab%09here", "new"), []byte("new"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "a%5Cb%3Ac")); err != nil {
		t.Fatal(err)
	}
	restored, err := safename.Restore(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x%41", "%", "con", long + "1", long + "2", "tab\there/in"} {
		if data, err := fs.ReadFile(restored, name); err != nil || string(data) != name {
			t.Errorf("%q: %q, %v", name, data, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, `a\b:c`)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file has two names:", err)
	}
	edits, err := safename.Restore(os.DirFS(file + EditsSuffix))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := fs.ReadFile(edits, "tab\there/new"); err != nil || string(data) != "new" {
		t.Errorf("%q, %v", data, err)
	}
}

// TestMany tests that a large folder is listed completely and page by page, also after going back in it.
func TestMany(t *testing.T) {
	var c counted
	n := tests.Of(t, 5_000, 200_000)
	for i := range n {
		c.add(fmt.Sprintf("dir/%07d", i), "x")
	}
	dir, _ := mounted(t, &c, filepath.Join(t.TempDir(), "x.map"), nil)
	want := make([]string, 0, n+1)
	for i := range n {
		want = append(want, fmt.Sprintf("%07d", i))
	}
	want = append(want, "new")
	err := errors.Join(os.WriteFile(filepath.Join(dir, "dir", "new"), nil, 0o666), os.Remove(filepath.Join(dir, "dir", "0000003")))
	if err != nil {
		t.Fatal(err)
	}
	want = slices.Delete(want, 3, 4)
	f, err := os.Open(filepath.Join(dir, "dir"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 2 {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		first, err := f.Readdirnames(1500)
		if err != nil {
			t.Fatal(err)
		}
		rest, err := f.Readdirnames(-1)
		if got := append(first, rest...); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%d names, %v", len(got), err)
		}
	}
	if n := c.made.Load(); n != 1 { // the removed file
		t.Errorf("listing made %d files", n)
	}
}

// TestKept tests that decoded files take no more memory than the budget, that the numbers of files stay, and that a file whose
// content is not kept is made again.
func TestKept(t *testing.T) {
	var c counted
	big := strings.Repeat("x", maxKept/4)
	for i := range 10 {
		c.add(fmt.Sprint("big", i), big)
	}
	dir, m := mounted(t, &c, "", nil)
	number := func(i int) uint64 {
		info, err := os.Stat(filepath.Join(dir, fmt.Sprint("big", i)))
		if err != nil || info.Size() != int64(len(big)) {
			t.Fatal(info, err)
		}
		return info.Sys().(*syscall.Stat_t).Ino
	}
	var before []uint64
	for i := range 10 {
		before = append(before, number(i))
	}
	m.base.mu.Lock()
	if m.base.bytes > maxKept || len(m.base.kept) != 4 {
		t.Errorf("%d bytes of %d files are kept", m.base.bytes, len(m.base.kept))
	}
	m.base.mu.Unlock()
	for i := range 10 {
		if after := number(i); after != before[i] || slices.Contains(before[:i], after) {
			t.Errorf("file %d: numbers %d, then %d", i, before[i], after)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "big0"))
	if err != nil || string(data) != big || c.made.Load() != 11 {
		t.Errorf("%d bytes, %v; %d files made", len(data), err, c.made.Load())
	}
}

// TestDamaged tests that a file that cannot be made is reported, and hides no others.
func TestDamaged(t *testing.T) {
	var c counted
	broken := errors.New("broken block")
	c.Add("bad", tree.Meta{}, func() ([]byte, error) { return nil, broken })
	c.Add("worse", tree.Meta{}, func() ([]byte, error) { panic("defect") })
	c.add("good", "good")
	var mu sync.Mutex
	reported := make(map[string]error)
	dir, _ := mounted(t, &c, filepath.Join(t.TempDir(), "x.map"), func(o *Options) {
		o.Report = func(at string, err error) {
			mu.Lock()
			defer mu.Unlock()
			reported[at] = err
		}
	})
	for _, name := range []string{"bad", "worse"} {
		if _, err := os.ReadFile(filepath.Join(dir, name)); !errors.Is(err, syscall.EIO) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "bad")); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "good")); err != nil || !bytes.Equal(data, []byte("good")) {
		t.Errorf("%q, %v", data, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if !errors.Is(reported["bad"], broken) || reported[""] == nil || len(reported) != 2 {
		t.Errorf("reported: %v", reported)
	}
}

//go:build unix

package regular_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/limits/effort"
)

// things creates a file of each kind in a folder.
func things(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.WriteFile(at("file"), []byte("text"), 0o644),
		os.Mkdir(at("folder"), 0o755),
		os.WriteFile(at("folder/file"), []byte("more"), 0o644),
		os.WriteFile(at("empty"), nil, 0o644),
		os.WriteFile(at("sparse"), nil, 0o644),
		os.Truncate(at("sparse"), 100<<30),
		syscall.Mkfifo(at("pipe"), 0o644),
		os.Symlink("file", at("link")),
		os.Symlink("pipe", at("link to a pipe")),
	); err != nil {
		t.Fatal(err)
	}
	old, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // the name of a socket must be short
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	t.Chdir(old)
	return dir
}

// upTo returns a limit of n bytes.
func upTo(n int64) *effort.Kind { return &effort.Kind{Unit: "bytes", Least: n} }

// TestRefused tests that everything but files is rejected without waiting, and that files that are too large are
// rejected without allocating memory.
func TestRefused(t *testing.T) {
	dir := things(t)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	fsys := regular.Limit(root.FS(), upTo(10<<20))
	for name, want := range map[string]error{"pipe": regular.ErrKind, "link to a pipe": regular.ErrKind,
		"socket": regular.ErrKind, "/dev/zero": regular.ErrKind, "none": fs.ErrNotExist} {
		path := name
		if !filepath.IsAbs(name) {
			path = filepath.Join(dir, name)
			if _, _, err := regular.OpenIn(root, name); !errors.Is(err, want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, _, err := regular.Open(path); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := regular.ReadFile(filepath.Join(dir, "folder"), upTo(10)); !errors.Is(err, regular.ErrFolder) {
		t.Errorf("a folder: %v", err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err1 := regular.ReadFile(filepath.Join(dir, "sparse"), upTo(10<<20))
	_, err2 := fs.ReadFile(fsys, "sparse")
	runtime.ReadMemStats(&after)
	for _, err := range []error{err1, err2} {
		if !errors.Is(err, fault.ErrLimit) || !strings.Contains(err.Error(), "sparse: expected at most 10,485,760 bytes, found") {
			t.Errorf("100 GiB: %v", err)
		}
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("100 GiB: took %d bytes of memory", took)
	}
	if data, err := regular.ReadFile(filepath.Join(dir, "link"), upTo(4)); err != nil || string(data) != "text" {
		t.Errorf("a link: %q, %v", data, err)
	}
	if _, err := regular.ReadFile(filepath.Join(dir, "file"), upTo(3)); !errors.Is(err, fault.ErrLimit) {
		t.Errorf("4 bytes of 3: %v", err)
	}
	if data, err := regular.ReadFile(filepath.Join(dir, "empty"), upTo(0)); err != nil || len(data) != 0 {
		t.Errorf("nothing: %q, %v", data, err)
	}
}

// TestFS tests that the remaining files behave like those of any file system.
func TestFS(t *testing.T) {
	dir := things(t)
	for _, name := range []string{"pipe", "socket", "sparse", "link to a pipe"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := fstest.TestFS(regular.Limit(root.FS(), upTo(10)), "file", "folder/file", "empty"); err != nil {
		t.Error(err)
	}
}

type endless struct{ read int64 }

func (e *endless) Read(b []byte) (int, error) {
	e.read += int64(len(b))
	return len(b), nil
}

// TestEndless tests that endless input is rejected at the limit, with memory for the limit only.
func TestEndless(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e := new(endless)
	_, err := regular.ReadAll(e, "zeros", 0, upTo(4<<20))
	runtime.ReadMemStats(&after)
	if !errors.Is(err, fault.ErrLimit) || e.read > 4<<20+1 || after.TotalAlloc-before.TotalAlloc > 16<<20 {
		t.Errorf("%d bytes, %v", e.read, err)
	}
}

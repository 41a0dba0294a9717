package work_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"

	"trowel.example/cmd/internal/work"
	"trowel.example/fault"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// squares is a work: its parts are numbers, and its records are their squares.
type squares struct {
	parts, each int
	out         strings.Builder
	did         atomic.Int64
	fail        string // name of the part that fails
}

func (s *squares) Split(_ context.Context, fine bool, yield func(work.Part) error) error {
	for i := range s.parts {
		if err := yield(work.Part{Name: fmt.Sprintf("%03d", i), File: fmt.Sprint(i)}); err != nil {
			return err
		}
	}
	return nil
}

var errFail = errors.New("as requested")

func (s *squares) Do(_ context.Context, p work.Part, put func(int) error) error {
	s.did.Add(1)
	var n int
	fmt.Sscan(p.File, &n)
	for i := range s.each {
		if p.Name == s.fail && i == s.each/2 {
			return errFail
		}
		if err := put(n*s.each + i); err != nil {
			return err
		}
	}
	return nil
}

func (s *squares) Take(_ context.Context, p work.Part, n int) error {
	fmt.Fprintln(&s.out, p.Name, n*n)
	return nil
}

// each yields parts.
func each(parts []work.Part) iter.Seq2[work.Part, error] {
	return func(yield func(work.Part, error) bool) {
		for _, p := range parts {
			if !yield(p, nil) {
				return
			}
		}
	}
}

func TestSameOutput(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {1, 1}, {7, 3}, {30, 0}, {5, 25_000}} {
		here := &squares{parts: size[0], each: size[1]}
		if err := work.Of(here).Here(t.Context()); err != nil {
			t.Fatal(err)
		}
		there := &squares{parts: size[0], each: size[1]}
		store := work.Folder(filepath.Join(t.TempDir(), "w"))
		plan, err := work.Begin(t.Context(), work.Of(there), work.Plan{Args: []string{"squares"}}, store)
		if err == nil {
			err = work.Resume(t.Context(), work.Of(there), plan, store, nil, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		if here.out.String() != there.out.String() || strings.Count(here.out.String(), "\n") != size[0]*size[1] {
			t.Errorf("%v: %d and %d bytes", size, here.out.Len(), there.out.Len())
		}
	}
}

// TestResume tests that a failed part is repeated and completed parts are not.
func TestResume(t *testing.T) {
	store := work.Folder(t.TempDir())
	begin := func(s *squares, name string) (*work.Plan, error) {
		return work.Begin(t.Context(), work.Of(s), work.Plan{Args: []string{name}}, store)
	}
	s := &squares{parts: 20, each: 10, fail: "019"}
	plan, err := begin(s, "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := work.Resume(t.Context(), work.Of(s), plan, store, nil, nil); !errors.Is(err, errFail) || s.out.Len() > 0 {
		t.Fatalf("%v, %q", err, s.out.String())
	}
	if list, _ := filepath.Glob(filepath.Join(string(store), "parts", ".*")); len(list) > 0 {
		t.Errorf("left behind: %v", list)
	}
	again := &squares{parts: 999, each: 10} // the stored plan is used
	if plan, err = begin(again, "a"); err != nil || len(plan.Parts) != 20 {
		t.Fatal(plan, err)
	}
	if err := work.Resume(t.Context(), work.Of(again), plan, store, nil, nil); err != nil {
		t.Fatal(err)
	}
	if n := again.did.Load(); n != 1 {
		t.Errorf("%d parts were done again", n)
	}
	if _, err := begin(s, "b"); !errors.Is(err, work.ErrOther) {
		t.Error(err)
	}
}

// TestBrokenResults tests that an incomplete or invalid result is an error without panic, and that the result
// of a failed part is never accepted.
func TestBrokenResults(t *testing.T) {
	s := &squares{parts: 1, each: 100}
	var whole bytes.Buffer
	if err := work.Of(s).Do(t.Context(), work.Part{Name: "0", File: "0"}, &whole); err != nil {
		t.Fatal(err)
	}
	merge := func(data []byte) error {
		plan := work.Plan{Parts: []work.Part{{Name: "0", File: "0"}}}
		return work.Of(&squares{}).Merge(t.Context(), each(plan.Parts), func(work.Part) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(data)), nil
		}, nil)
	}
	if err := merge(whole.Bytes()); err != nil {
		t.Fatal(err)
	}
	for n := range whole.Len() {
		if err := merge(whole.Bytes()[:n]); !errors.Is(err, fault.ErrFormat) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for i := range whole.Len() {
		data := bytes.Clone(whole.Bytes())
		data[i] ^= 0xff
		if err := merge(data); !errors.Is(err, fault.ErrFormat) {
			t.Errorf("byte %d: %v", i, err)
		}
	}
	var part bytes.Buffer
	if err := work.Of(&squares{each: 100, fail: "0"}).Do(t.Context(), work.Part{Name: "0", File: "0"}, &part); !errors.Is(err, errFail) {
		t.Fatal(err)
	}
	if err := merge(part.Bytes()); err == nil {
		t.Error("the result of a part that failed was taken")
	}
	for _, other := range []work.Part{{Name: "1", File: "0"}, {Name: "0", File: "1"}, {Name: "0", File: "0", Shard: "rest"}} {
		var result bytes.Buffer
		if err := work.Of(s).Do(t.Context(), other, &result); err != nil {
			t.Fatal(err)
		}
		if err := merge(result.Bytes()); !errors.Is(err, fault.ErrFormat) || !strings.Contains(err.Error(), "another part") {
			t.Errorf("the result of %v was taken: %v", other, err)
		}
	}
}

// TestGuard tests that stored data of a file that only its owner may read is only readable by the owner.
func TestGuard(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no such permissions")
	}
	dir := t.TempDir()
	for path, mode := range map[string]os.FileMode{"open": 0o644, "private": 0o600, "world/map": 0o644, "secrets/auth": 0o600} {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, mode), os.Chmod(path, mode),
			os.Chmod(filepath.Dir(path), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]os.FileMode{"open": 0o755, "none": 0o755, "private": 0o700, "world": 0o755,
		"secrets": 0o700, filepath.Join(dir, "private"): 0o700} {
		f := work.Folder(filepath.Join(t.TempDir(), "work"))
		// Independent of umask.
		if err := errors.Join(os.Mkdir(string(f), 0o755), os.Chmod(string(f), 0o755)); err != nil {
			t.Fatal(err)
		}
		plan := &work.Plan{Parts: []work.Part{{Name: "0", File: "open"}, {Name: "1", File: name}}}
		if err := f.Guard(plan, dir); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(string(f)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// blob is a work with a record of that many bytes.
type blob int

func (b blob) Split(_ context.Context, _ bool, yield func(work.Part) error) error {
	return yield(work.Part{Name: "0"})
}
func (b blob) Do(_ context.Context, _ work.Part, put func([]byte) error) error {
	return put(make([]byte, b))
}
func (b blob) Take(context.Context, work.Part, []byte) error { return nil }

// TestLargeRecord tests that a result that inflates to a huge size uses little memory, and that such results
// are not written.
func TestLargeRecord(t *testing.T) {
	tests.LongOnly(t, "it takes a gigabyte of memory for a moment")
	part := work.Part{Name: "0"}
	read := func(result []byte) error {
		plan := work.Plan{Parts: []work.Part{part}}
		return work.Of(blob(0)).Merge(t.Context(), each(plan.Parts),
			func(work.Part) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(result)), nil }, nil)
	}
	var fine bytes.Buffer
	if err := work.Of(blob(100<<20)).Do(t.Context(), part, &fine); err != nil {
		t.Fatal(err)
	}
	if err := read(fine.Bytes()); err != nil {
		t.Error(err)
	}
	if err := work.Of(blob(257<<20)).Do(t.Context(), part, io.Discard); err == nil || !strings.Contains(err.Error(), "257 MiB") {
		t.Error(err)
	}
	var bomb bytes.Buffer
	bomb.WriteString(fine.String()[:16])
	zip, err := zstd.NewWriter(&bomb)
	if err == nil {
		err = gob.NewEncoder(zip).Encode(struct{ Record []byte }{make([]byte, 300<<20)})
	}
	if err := errors.Join(err, zip.Close()); err != nil {
		t.Fatal(err)
	}
	if err := read(bomb.Bytes()); !errors.Is(err, fault.ErrFormat) || !strings.Contains(err.Error(), "a record is larger than") {
		t.Error(err)
	}
}

func TestPartName(t *testing.T) {
	for name, want := range map[string]bool{"000-z=-16": true, "a.b,c": true, "": false, "../x": false, "a/b": false,
		".a": false, "A": false, strings.Repeat("a", 101): false} {
		if p := (work.Part{Name: name}); p.Valid() != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

func TestFolder(t *testing.T) {
	f := work.Folder(filepath.Join(t.TempDir(), "new"))
	ctx := t.Context()
	if has, err := f.Has(ctx, "a/b"); has || err != nil {
		t.Fatal(has, err)
	}
	if _, err := f.Open(ctx, "a/b"); !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	write := func(text string, end error) error {
		return f.Put(ctx, "a/b", func(w io.Writer) error { io.WriteString(w, text); return end })
	}
	if err := write("one", nil); err != nil {
		t.Fatal(err)
	}
	// The permissions are those of any new file: workers may be different users.
	plain := filepath.Join(t.TempDir(), "plain")
	judge.Write(t, plain, nil)
	want, err := os.Stat(plain)
	got, err2 := os.Stat(filepath.Join(string(f), "a", "b"))
	if err != nil || err2 != nil || got.Mode() != want.Mode() {
		t.Errorf("%v, not %v; %v, %v", got, want, err, err2)
	}
	if err := write("two", errFail); !errors.Is(err, errFail) {
		t.Fatal(err)
	}
	add := func(w io.Writer) error { _, err := io.WriteString(w, "three"); return err }
	if err := errors.Join(f.Add(ctx, "a/b", add), f.Add(ctx, "a/c", add)); err != nil {
		t.Fatal(err)
	}
	// If another result is stored during the write, that result stays.
	if err := f.Add(ctx, "a/d", func(w io.Writer) error {
		return errors.Join(f.Put(ctx, "a/d", func(w io.Writer) error { io.WriteString(w, "first"); return nil }), add(w))
	}); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(filepath.Join(string(f), "a", "d")); string(data) != "first" {
		t.Errorf("%q", data)
	}
	if list, _ := os.ReadDir(filepath.Join(string(f), "a")); len(list) != 3 {
		t.Errorf("left behind: %v", list)
	}
	r, err := f.Open(ctx, "a/b")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if data, err := io.ReadAll(r); string(data) != "one" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

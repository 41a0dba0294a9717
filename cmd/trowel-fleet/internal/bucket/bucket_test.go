package bucket_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/cmd/internal/work"
	"trowel.example/cmd/trowel-fleet/internal/bucket"
	"trowel.example/internal/testing/judge"
)

// buckets runs a test with a folder used as a bucket and with a server.
func buckets(t *testing.T, run func(t *testing.T, b *bucket.Bucket)) {
	open := func(t *testing.T, name string) *bucket.Bucket {
		b, err := bucket.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b
	}
	t.Run("folder", func(t *testing.T) { run(t, open(t, folderURL(filepath.Join(t.TempDir(), "new")))) })
	t.Run("s3", func(t *testing.T) {
		run(t, open(t, strings.Replace(judge.S3(t, "tools"), "s3://tools?", "s3://tools/some/folder?", 1)))
	})
}

func folderURL(dir string) string {
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(dir), "/")}).String()
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func read(t *testing.T, s work.Store, name string) string {
	t.Helper()
	r, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestStore(t *testing.T) {
	buckets(t, func(t *testing.T, b *bucket.Bucket) {
		ctx := t.Context()
		if has, err := b.Has(ctx, "a/b"); has || err != nil {
			t.Fatal(has, err)
		}
		if _, err := b.Open(ctx, "a/b"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "a/b") {
			t.Fatal(err)
		}
		failed := errors.New("failed")
		long := strings.Repeat("0123456789abcdef", 1<<20) // more than fits into one request
		for _, err := range []error{
			b.Put(ctx, "a/b", text("one")), b.Put(ctx, "a/b", text("two")), b.Add(ctx, "a/b", text("three")),
			b.Add(ctx, "a/c", text("four")), b.Put(ctx, "a/long", text(long)),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		// A failed write leaves the existing object unchanged and no partial data.
		for _, name := range []string{"a/b", "a/e"} {
			if err := b.Put(ctx, name, func(w io.Writer) error { return errors.Join(text(long)(w), failed) }); !errors.Is(err, failed) {
				t.Errorf("%s: %v", name, err)
			}
		}
		// If another object is stored during the write, that object stays.
		if err := b.Add(ctx, "a/d", func(w io.Writer) error {
			return errors.Join(b.Put(ctx, "a/d", text("first")), text("second")(w))
		}); err != nil {
			t.Error(err)
		}
		for name, want := range map[string]string{"a/b": "two", "a/c": "four", "a/d": "first", "a/long": long} {
			if got := read(t, b, name); got != want {
				t.Errorf("%s: %d bytes, %.20q", name, len(got), got)
			}
		}
		list := func(folder string) (names []string) {
			if err := b.Walk(ctx, folder, func(e bucket.Entry) error { names = append(names, e.Name); return nil }); err != nil {
				t.Fatal(err)
			}
			return names
		}
		if got := list(""); !slices.Equal(got, []string{"a/b", "a/c", "a/d", "a/long"}) {
			t.Errorf("%q", got)
		}
		if got := list("a/"); len(got) != 4 {
			t.Errorf("%q", got)
		}
		if err := errors.Join(b.Remove(ctx, "a/b"), b.Remove(ctx, "a/b")); err != nil || len(list("a")) != 3 {
			t.Error(err, list("a"))
		}
		ended, end := context.WithCancel(ctx)
		end()
		if err := b.Put(ended, "late", text("x")); err == nil {
			t.Error("it was put after the end")
		}
	})
}

// TestObject tests that an object can be read at any offset and concurrently.
func TestObject(t *testing.T) {
	buckets(t, func(t *testing.T, b *bucket.Bucket) {
		random := rand.New(rand.NewPCG(1, 2))
		data := make([]byte, 20<<20+123) // more pages than are cached
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		if err := b.Put(t.Context(), "o", func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
			t.Fatal(err)
		}
		o, err := b.Object(t.Context(), "o")
		if err != nil || o.Size() != int64(len(data)) {
			t.Fatal(err)
		}
		for range 60 {
			at, n := random.IntN(len(data)+10), random.IntN(3<<20)
			got := make([]byte, n)
			n, err := o.ReadAt(got, int64(at))
			want := data[min(at, len(data)):min(at+len(got), len(data))]
			if !bytes.Equal(got[:n], want) || (err != nil) != (n < len(got)) || err != nil && !errors.Is(err, io.EOF) {
				t.Fatalf("%d bytes at %d: %d, %v", len(got), at, n, err)
			}
		}
		if _, err := o.ReadAt(make([]byte, 1), -1); err == nil {
			t.Error("something is before the beginning")
		}
		if _, err := b.Object(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		// A read after a change returns an error, not mixed data.
		if err := b.Put(t.Context(), "o", text("other")); err != nil {
			t.Fatal(err)
		}
		for at := int64(0); at < o.Size(); at += 1 << 20 {
			if _, err = o.ReadAt(make([]byte, 1), at); err != nil {
				break
			}
		}
		if err == nil {
			t.Error("another object was read as the first")
		}
	})
}

func TestNames(t *testing.T) {
	for _, name := range []string{"", "x", "s3://", "http://a/b", "s3://user:secret@a/b", "s3://a\x00",
		"s3://user:secret@a\x00", "file://user:secret@/a", "file://a/b", "file://", "mem://"} {
		b, err := bucket.Open(t.Context(), name)
		if err == nil {
			b.Close()
			t.Errorf("%q is a bucket", name)
		} else if strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
	}
	b, err := bucket.Open(t.Context(), "s3://a/b/?region=x&endpoint=http://localhost:1")
	if err != nil || b.String() != "s3://a/b" {
		t.Errorf("%v, %v", b, err)
	}
}

// TestFolder tests that a folder used as a bucket contains only the objects.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	b, err := bucket.Open(t.Context(), folderURL(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.Put(t.Context(), "a/b", text("x")); err != nil {
		t.Fatal(err)
	}
	var files []string
	if err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files = append(files, path)
		}
		return err
	}); err != nil || !slices.Equal(files, []string{"a/b"}) {
		t.Errorf("%q, %v", files, err)
	}
}

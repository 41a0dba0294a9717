// Package storetest tests implementations of [storage.Store].
package storetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/storage"
)

// Run tests a store, which must be empty.
func Run(t *testing.T, s storage.Store) {
	ctx := t.Context()
	names := func(folder string) []string {
		t.Helper()
		all := make(map[string]int64)
		if err := s.List(ctx, folder, func(i storage.Info) error {
			if all[i.Name] = i.Size; i.Time.IsZero() {
				t.Errorf("%s has no time", i.Name)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return slices.Sorted(maps.Keys(all))
	}
	if got := names(""); len(got) > 0 {
		t.Fatalf("it is not empty: %q", got)
	}
	if _, err := s.Open(ctx, "a/b"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "a") || storage.IsUnavailable(err) {
		t.Errorf("what is not there: %v", err)
	}
	long := bytes.Repeat([]byte("0123456789abcdef"), 11<<20/16) // needs several requests
	for name, data := range map[string][]byte{"mark.json": []byte("{}"), "a/b": []byte("one"), "a/empty": {},
		"a/long": long, "ab/c": []byte("two")} {
		if err := storage.WriteFile(ctx, s, name, data); err != nil {
			t.Fatal(err)
		}
		if got, err := storage.ReadFile(ctx, s, name, effort.SideFile); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes have become %d, %v", name, len(data), len(got), err)
		}
	}
	if _, err := storage.ReadFile(ctx, s, "a/long", &effort.Kind{Unit: "bytes", Least: 1000}); err == nil {
		t.Error("a file that is too large was read")
	}
	if got := names("a"); !slices.Equal(got, []string{"a/b", "a/empty", "a/long"}) {
		t.Errorf("%q", got)
	}
	if got := names(""); len(got) != 5 {
		t.Errorf("%q", got)
	}
	if got := names("none"); len(got) > 0 {
		t.Errorf("%q", got)
	}
	stop := errors.New("enough")
	if err := s.List(ctx, "", func(storage.Info) error { return stop }); !errors.Is(err, stop) || storage.IsUnavailable(err) {
		t.Errorf("a list that was ended: %v", err)
	}

	// A file can be read at any offset.
	f, err := s.Open(ctx, "a/long")
	if err != nil || f.Size() != int64(len(long)) {
		t.Fatal(err)
	}
	for _, at := range []int64{0, 5, 1<<20 - 3, 7 << 20, f.Size() - 10} {
		got := make([]byte, 1<<20+100)
		n, err := f.ReadAt(got, at)
		if want := long[at:min(int(at)+len(got), len(long))]; !bytes.Equal(got[:n], want) || n < len(got) &&
			!errors.Is(err, io.EOF) || n == len(got) && err != nil {
			t.Errorf("at %d: %d bytes, %v", at, n, err)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}

	// Existing files are kept, and uncommitted files do not exist.
	if err := storage.WriteFile(ctx, s, "a/b", []byte("other")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second file of one name: %v", err)
	}
	for _, end := range []func(storage.Writer){storage.Writer.Discard, func(w storage.Writer) { w.Discard(); w.Discard() }} {
		w, err := s.Create(ctx, "a/half")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(long); err != nil {
			t.Fatal(err)
		}
		if got := names("a"); len(got) != 3 {
			t.Errorf("what is half there is seen: %q", got)
		}
		end(w)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := storage.WriteFile(ended, s, "a/late", []byte("x")); err == nil {
		if _, folder := s.(storage.Folder); !folder {
			t.Error("it was put after the end")
		}
	}
	if got, err := storage.ReadFile(ctx, s, "a/b", effort.SmallFile); err != nil || string(got) != "one" {
		t.Errorf("%q, %v", got, err)
	}
	if err := s.Remove(ctx, "a/b"); err != nil || slices.Contains(names("a"), "a/b") {
		t.Error(names("a"), err)
	}
	if err := storage.WriteFile(ctx, s, "a/b", []byte("again")); err != nil {
		t.Error(err)
	}

	locks(t, s)
	if got := names("locks"); len(got) > 0 {
		t.Errorf("locks are left: %q", got)
	}
}

// locks tests that an exclusive lock excludes all others, however many are requested at once.
func locks(t *testing.T, s storage.Store) {
	ctx := t.Context()
	take := func(alone bool) storage.Lock {
		t.Helper()
		l, err := s.Lock(ctx, alone)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Held(ctx); err != nil {
			t.Error(err)
		}
		return l
	}
	refused := func(alone bool) {
		t.Helper()
		if l, err := s.Lock(ctx, alone); !errors.Is(err, storage.ErrLocked) || storage.IsUnavailable(err) {
			t.Errorf("%v, %v", l, err)
		}
	}
	give := func(l storage.Lock) {
		t.Helper()
		if err := l.Unlock(); err != nil {
			t.Error(err)
		}
	}
	l := take(true)
	refused(true)
	refused(false)
	give(l)
	l = take(false)
	refused(true)
	give(l)
	give(take(true))

	var in, alone, times atomic.Int32
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			for k := range 4 {
				want := (i+k)%3 == 0
				l, err := s.Lock(ctx, want)
				if err != nil {
					if !errors.Is(err, storage.ErrLocked) {
						t.Error(err)
					}
					continue
				}
				times.Add(1)
				in.Add(1)
				if want {
					alone.Add(1)
				}
				if a, n := alone.Load(), in.Load(); a > 1 || a == 1 && want && n > 1 {
					t.Errorf("%d are in, %d of them run exclusively", n, a)
				}
				if want {
					alone.Add(-1)
				}
				in.Add(-1)
				if err := l.Unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d of 24 were in", times.Load())
}

package bucket

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gocloud.dev/blob/memblob"

	"trowel.example/internal/stores/storage"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/storetest"
)

// opened returns a store in a bucket.
func opened(t *testing.T, name, folder string) *store {
	t.Helper()
	b, err := Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return newStore(b, folder)
}

func inMemory() *store { return newStore(&Bucket{"mem://b", memblob.OpenBucket(nil)}, "some/folder/") }

func TestStorage(t *testing.T) {
	t.Run("memory", func(t *testing.T) { storetest.Run(t, inMemory()) })
	t.Run("s3", func(t *testing.T) { storetest.Run(t, opened(t, judge.S3(t, "backups"), "a/b")) })
}

// TestFolderOf tests that a file:// URL names the folder itself, so that its content is readable without a
// bucket.
func TestFolderOf(t *testing.T) {
	var s Sources
	dir := t.TempDir()
	src, err := s.Folder("file:///" + strings.TrimPrefix(filepath.ToSlash(dir), "/"))
	if err != nil || src.Store != storage.Folder(dir) || src.Name != filepath.Base(dir) || !src.IsDir() {
		t.Errorf("%+v, %v", src, err)
	}
	for _, name := range []string{"s3://u:secret@b/x", "file://u:secret@/x", "s3://u:secret@\x00", "file://x/y", "s3://b/../x", "x"} {
		if src, err := s.Folder(name); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %+v, %v", name, src, err)
		}
	}
}

// TestStaleLock tests that a lock that is no longer rewritten expires, also for its holder, and that a lock
// that is rewritten stays.
func TestStaleLock(t *testing.T) {
	s := inMemory()
	s.refresh, s.stale = time.Hour, time.Hour
	l, err := s.Lock(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	s.stale = -time.Second // 0 is too little for coarse clocks
	other, err := s.Lock(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	s.stale = time.Hour
	if err := l.Held(t.Context()); err == nil || storage.IsUnavailable(err) {
		t.Errorf("a lock that was removed is held: %v", err)
	}
	if err := errors.Join(l.Unlock(), other.Held(t.Context()), other.Unlock()); err != nil {
		t.Error(err)
	}
	// A lock whose holder was suspended.
	l, err = s.Lock(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	l.(*lock).last = time.Now().Add(-40 * time.Minute)
	if err := l.Held(t.Context()); err == nil {
		t.Error("a lock of somebody who slept is held")
	}
	if err := l.Unlock(); err != nil {
		t.Error(err)
	}
	// A lock that is rewritten.
	s.refresh = time.Millisecond
	l, err = s.Lock(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Unlock()
	first := written(t, s)
	for end := time.Now().Add(time.Minute); !written(t, s).After(first); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the lock is not written again")
		}
	}
}

// written returns the time when the lock was last written.
func written(t *testing.T, s *store) (at time.Time) {
	t.Helper()
	if err := s.List(t.Context(), dirLocks, func(i storage.Info) error { at = i.Time; return nil }); err != nil {
		t.Fatal(err)
	}
	return at
}

// TestNobody tests that an unreachable server is not reported as damaged data.
func TestNobody(t *testing.T) {
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
		"AWS_EC2_METADATA_DISABLED": "true"} {
		t.Setenv(name, value)
	}
	// The capacity is too small for a second attempt.
	s := opened(t, "s3://b?region=us-east-1&use_path_style=true&rate_limiter_capacity=1&endpoint=http://127.0.0.1:1", "x")
	ctx := t.Context()
	_, opening := s.Open(ctx, "a")
	_, locking := s.Lock(ctx, false)
	for what, err := range map[string]error{
		"open": opening, "lock": locking, "write": storage.WriteFile(ctx, s, "a", []byte("x")), "remove": s.Remove(ctx, "a"),
		"list": s.List(ctx, "", func(storage.Info) error { return nil }),
	} {
		if !storage.IsUnavailable(err) || !strings.Contains(err.Error(), "s3://b/x") || !strings.Contains(err.Error(), "refused") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

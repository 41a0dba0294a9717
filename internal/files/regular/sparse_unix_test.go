//go:build unix

package regular_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"trowel.example/internal/files/regular"
)

// TestCopySparse tests that a copy is byte-identical and has holes in the same places.
func TestCopySparse(t *testing.T) {
	const hole = 64 << 20
	dir := t.TempDir()
	text := bytes.Repeat([]byte("text"), 10_000)
	for name, places := range map[string][]int64{
		"empty": nil, "front": {0}, "middle": {hole / 2}, "end": {hole - int64(len(text))}, "odd": {1, hole/2 + 12345}, "hole": {},
	} {
		from, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer from.Close()
		if places != nil {
			err = from.Truncate(hole)
		}
		for _, at := range places {
			_, e := from.WriteAt(text, at)
			err = errors.Join(err, e)
		}
		to, e := os.Create(filepath.Join(dir, name+" copy"))
		if err = errors.Join(err, e); err != nil {
			t.Fatal(err)
		}
		defer to.Close()
		if err := regular.Copy(t.Context(), to, from); err != nil {
			t.Fatal(err)
		}
		a, err1 := os.ReadFile(from.Name())
		b, err2 := os.ReadFile(to.Name())
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %d bytes became %d others (%v)", name, len(a), len(b), err)
		}
		if taken := func(f *os.File) int64 { st, _ := f.Stat(); return st.Sys().(*syscall.Stat_t).Blocks * 512 }; taken(to) > taken(from)+1<<20 {
			t.Errorf("%s: %d bytes of the disk became %d", name, taken(from), taken(to))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	to, err := os.Create(filepath.Join(dir, "ended"))
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if err := regular.Copy(ctx, to, bytes.NewReader(text)); !errors.Is(err, context.Canceled) {
		t.Errorf("a copy that was ended: %v", err)
	}
}

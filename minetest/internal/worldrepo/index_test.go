package worldrepo

import (
	"crypto/sha256"
	"encoding/binary"
	"runtime"
	"testing"

	"trowel.example/internal/stores/storage"
	"trowel.example/internal/testing/tests"
)

// TestIndexMemory tests that the index of a million contents is as small as it is documented, and finds all of them and no others.
func TestIndexMemory(t *testing.T) {
	tests.LongOnly(t, "stores a million contents")
	const n = 1_000_000
	w := &packWriter{ctx: t.Context(), store: storage.Folder(t.TempDir())}
	idOf := func(i int) ([]byte, ID) {
		data := binary.LittleEndian.AppendUint64(nil, uint64(i))
		return data, sha256.Sum256(data)
	}
	for i := range n {
		data, id := idOf(i)
		if _, err := w.put(data, id, false); err != nil {
			t.Fatal(err)
		}
		if i%50_000 == 49_999 {
			if err := w.end(); err != nil {
				t.Fatal(err)
			}
		}
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	r := newRepository(t.Context(), w.store, mark{Version: namedVersion}, nil)
	before := heap()
	x, err := r.loadIndex(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if grown := heap() - before; grown > 32*n {
		t.Errorf("the index takes %d bytes", grown)
	}
	for i := range 2 * n {
		if _, id := idOf(i); len(x.find(id)) != map[bool]int{true: 1}[i < n] {
			t.Fatalf("content %d is found %d times", i, len(x.find(id)))
		}
	}
}

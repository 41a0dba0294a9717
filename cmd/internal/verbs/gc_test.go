package verbs

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// TestCollectLate tests that between two collections, the heap grows by the live heap plus slack, even if the
// live heap is small.
func TestCollectLate(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	defer CollectLate()()
	goal := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	for range 100 {
		runtime.GC()
		metrics.Read(goal)
		if goal[0].Value.Uint64() > slack {
			return
		}
		time.Sleep(10 * time.Millisecond) // cleanups run concurrently
	}
	t.Errorf("the next collection is at %d bytes", goal[0].Value.Uint64())
}

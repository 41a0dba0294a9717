package verbs

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// slack is the heap size in bytes before the first garbage collection, and the additional heap between later
// collections. Most runs end before the first collection.
const slack = 32 << 20

// CollectLate makes garbage collection less frequent than by default, unless the environment variable GOGC is
// set. It is called by main. Tests call stop.
func CollectLate() (stop func()) {
	const usual, least = 100, 4 << 20 // defaults of Go: GOGC, and the heap size in bytes of the first collection
	if was := debug.SetGCPercent(usual * slack / least); was != usual {
		debug.SetGCPercent(was)
		return func() {}
	}
	var stopped atomic.Bool
	afterGC(func() bool {
		alive := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(alive)
		debug.SetGCPercent(usual + int(usual*slack/max(alive[0].Value.Uint64(), 1<<20)))
		return !stopped.Load()
	})
	return func() { stopped.Store(true) }
}

// afterGC calls f after each garbage collection until f returns false.
func afterGC(f func() (again bool)) {
	garbage := &struct{ _ *int }{}
	runtime.AddCleanup(garbage, func(f func() bool) {
		if f() {
			afterGC(f)
		}
	}, f)
}

package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// slack is how much memory a run may use before garbage is collected, and between two collections in addition
// to twice what is alive: most runs end before the first.
const slack = 64 << 20

// CollectLate has garbage collected less often than usual, unless the environment variable GOGC is set. It is for
// main; tests stop it.
func CollectLate() (stop func()) {
	const usual, least = 100, 4 << 20 // of Go: the percentage, and the heap at which the first collection starts with it
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

// afterGC calls f after each collection of garbage until it returns false.
func afterGC(f func() (again bool)) {
	garbage := &struct{ _ *int }{}
	runtime.AddCleanup(garbage, func(f func() bool) {
		if f() {
			afterGC(f)
		}
	}, f)
}

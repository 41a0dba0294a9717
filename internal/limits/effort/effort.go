// Package effort counts work. Unlike times, counts do not depend on the machine, its load and the number of cores: so
// a file that meets a limit of work meets it everywhere.
//
// A [Kind] is work that a small file can cause much of. Work in proportion to the bytes of a file has no limit. Other
// expensive operations are only counted, so that tests can limit them.
package effort

import (
	"fmt"
	"math"
	"sync/atomic"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
)

// Counts since the start of the program, for tests.
var (
	Inflated   atomic.Int64 // zlib streams that were inflated
	Decompiled atomic.Int64 // data files, layouts and grids of Torchlight that were decoded
	Placed     atomic.Int64 // walks over all items of a map to make integers from them
	Decoded    atomic.Int64 // datafiles decoded to maps
)

// Of returns the increase of a counter while do runs. Tests that use it must not run in parallel with others of their
// package.
func Of(counter *atomic.Int64, do func()) int64 {
	before := counter.Load()
	do()
	return counter.Load() - before
}

// ErrMet is wrapped by the errors of work that met its budget. It wraps [fault.ErrLimit].
var ErrMet = fmt.Errorf("the limit of work is reached: %w", fault.ErrLimit)

// MaxFactor is the largest factor of [SetFactor].
const MaxFactor = 1 << 20

var factor atomic.Int64

// SetFactor multiplies the limits of everything that begins later, from 1 to MaxFactor. Only the main of a program with
// the option --effort calls it: errors then mention the option.
func SetFactor(n int64) { factor.Store(n) }

// Kind is a kind of work with a budget, or a kind of thing with a size. Each limit of Trowel is one; what a format itself
// does not allow is [fault.ErrFormat] instead.
type Kind struct {
	Work  string // what is done, and for which part of a file; or the thing
	Unit  string // what is counted, in the plural
	Least int64  // how many units are always allowed
	Each  int64  // how many more are allowed for each unit of size
	Size  string // the unit of size; "" if Each is 0
	Most  int64  // how many are allowed at most, whatever the size and the factor; 0 means any number
	Known int64  // how many units the largest known real thing has; 0 if none is known
	Thing string // that thing

	nearest atomic.Int64 // the largest part of a budget that was spent, in millionths
	largest atomic.Int64 // the most units that were spent
}

// Limit returns the number of units that are allowed for a size.
func (k *Kind) Limit(size int64) int64 {
	most := float64(max(1, factor.Load())) * (float64(k.Least) + float64(k.Each)*float64(max(0, size)))
	if k.Most > 0 {
		most = min(most, float64(k.Most))
	}
	return int64(min(most, math.MaxInt64/2))
}

// Check returns an error that wraps [fault.ErrLimit] if the thing at path has more than the allowed units.
func (k *Kind) Check(path string, n int64) error {
	if e := k.Over(n); e != nil {
		e.Path = path
		return e
	}
	return nil
}

// Over is Check for callers that complete the error, a nil pointer if n units are allowed.
func (k *Kind) Over(n int64) *fault.Error {
	most := k.Limit(0)
	k.note(min(n, most), most) // more is only claimed
	if n <= most {
		return nil
	}
	return k.exceeded(most, words.Thousands(n), fault.ErrLimit)
}

// More returns the error for a thing that has more than the allowed units.
func (k *Kind) More() *fault.Error { return k.exceeded(k.Limit(0), "more", fault.ErrLimit) }

func (k *Kind) exceeded(most int64, got string, cause error) *fault.Error {
	if factor.Load() > 0 && (k.Most == 0 || most < k.Most) {
		got += " (if you trust the file, --effort N allows N times as much)"
	}
	return &fault.Error{Offset: -1, Want: fmt.Sprintf("at most %s %s", words.Thousands(most), k.Unit), Got: got, Err: cause}
}

// Meter counts work of a kind against its budget. Goroutines may share it.
type Meter struct {
	kind  *Kind
	most  int64
	spent *atomic.Int64
}

// Start begins work whose input or output has a size, in the unit of the kind.
func (k *Kind) Start(size int64) Meter { return k.Resume(new(atomic.Int64), size) }

// Resume is Start for work of which several meters count parts: their sum is in spent.
func (k *Kind) Resume(spent *atomic.Int64, size int64) Meter { return Meter{k, k.Limit(size), spent} }

// Times returns the meter with a budget that is n times as large.
func (m Meter) Times(n int) Meter {
	m.most = int64(min(float64(m.most)*float64(max(1, n)), math.MaxInt64/2))
	return m
}

// Spend counts n units. It returns a [*fault.Error] that wraps ErrMet, without a path, if there are more than the
// budget. Whether it does in the end depends only on the sum, so callers that share a meter name a part of the file
// that does not depend on their order.
func (m Meter) Spend(n int64) error {
	spent := m.spent.Add(n)
	m.kind.note(spent, m.most)
	if spent <= m.most {
		return nil
	}
	return m.kind.exceeded(m.most, "more", ErrMet)
}

// note records how near to a budget the work came.
func (k *Kind) note(spent, most int64) {
	raise(&k.largest, spent)
	raise(&k.nearest, int64(float64(spent)/float64(most)*1e6))
}

func raise(v *atomic.Int64, n int64) {
	for {
		old := v.Load()
		if n <= old || v.CompareAndSwap(old, n) {
			return
		}
	}
}

// Nearest returns the largest part of a budget of the kind that was spent since the last call, 1 is all of it, and the
// most units. It is for tests.
func (k *Kind) Nearest() (part float64, units int64) {
	return float64(k.nearest.Swap(0)) / 1e6, k.largest.Swap(0)
}

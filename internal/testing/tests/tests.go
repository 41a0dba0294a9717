// Package tests decides which form of a test runs. `go test` runs the short forms, which require only Go.
// TROWEL_TESTS=long runs the long forms: more seeds, larger worlds, many processes, real files, and the programs of
// the games as judges. TROWEL_TESTS=judges runs the short forms with judges. A benchmark has a long form only.
//
// Real files are not part of the project, because most of them have no stated licence: [Corpus] finds them.
package tests

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"trowel.example/internal/limits/effort"
)

const (
	judges = "judges"
	long   = "long"
)

// EnvLog names a file to which each place in a test that asks for the long form is appended, as path:line, if the long
// form runs. It shows that every long form ran.
const EnvLog = "TROWEL_TESTS_LOG"

// Long reports whether the long form of a test runs.
func Long(t testing.TB) bool {
	t.Helper()
	return isLong(t)
}

// Of returns the value for the form that runs, such as a number of rounds or a size.
func Of[T any](t testing.TB, short, whole T) T {
	t.Helper()
	if isLong(t) {
		return whole
	}
	return short
}

// LongOnly skips a test that has no short form, for the given reason.
func LongOnly(t testing.TB, why string) {
	t.Helper()
	if !isLong(t) {
		t.Skipf("%s: runs with TROWEL_TESTS=long", why)
	}
}

// Judges skips a test that uses programs of other projects unless judges are enabled.
func Judges(t testing.TB) {
	t.Helper()
	if os.Getenv("TROWEL_TESTS") != judges && !isLong(t) {
		t.Skip("asks other programs: runs with TROWEL_TESTS=long or TROWEL_TESTS=judges")
	}
}

// NotRaced skips a test under the race detector, where it would be slow and useless, for the given reason.
func NotRaced(t testing.TB, why string) {
	t.Helper()
	if Raced {
		t.Skipf("%s: not for the race detector", why)
	}
}

// isShort reports whether this run has only short forms.
func isShort() bool {
	return os.Getenv("TROWEL_TESTS") != long &&
		!slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.bench=") })
}

var logged sync.Map // by place

// isLong implements the exported functions, and logs their caller.
func isLong(t testing.TB) bool {
	t.Helper()
	if _, isBenchmark := t.(*testing.B); isBenchmark {
		return true
	}
	if os.Getenv("TROWEL_TESTS") != long {
		return false
	}
	name := os.Getenv(EnvLog)
	if name == "" {
		return true
	}
	_, file, line, _ := runtime.Caller(2)
	place := fmt.Sprintf("%s:%d\n", filepath.ToSlash(file), line)
	if _, before := logged.LoadOrStore(place, true); before {
		return true
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = f.WriteString(place)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Errorf("%s: %v", EnvLog, err)
	}
	return true
}

// Lower lowers a limit until the test ends, to test files that exceed it. The test must not run in parallel with others of its
// package.
func Lower(t testing.TB, k *effort.Kind, least int64) {
	wasLeast, wasEach := k.Least, k.Each
	k.Least, k.Each = least, 0
	t.Cleanup(func() {
		k.Least, k.Each = wasLeast, wasEach
		k.Nearest() // what was near the lowered limit is no work of later tests
	})
}

package tests

import (
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"trowel.example/internal/files/host"
	"trowel.example/internal/files/wholefile"
)

// Tests run on a host without variables, installed games and programs. Tests of access to the host call OnHost. Short
// forms do not wait until files are on disk, and collect garbage less often.
func init() {
	host.Replace(host.Nothing)
	wholefile.SkipFlush(isShort())
	if isShort() && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// AsProgram is for the main function of tests that start themselves as the program: the program sees the variables and
// programs that its test provides, but no folders of installed games.
func AsProgram() {
	host.Replace(func(q host.Question) (string, bool) {
		if q.Kind == host.Folder {
			return "", false
		}
		return host.System(q)
	})
}

// A Host is the simulated host of a test.
type Host struct {
	mu        sync.Mutex
	questions []string
}

// Asked returns the distinct questions that the program asked since the last call, sorted alphabetically.
func (h *Host) Asked() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.questions
	h.questions = nil
	slices.Sort(list)
	return slices.Compact(list)
}

// OnHost runs the rest of a test on a host that has only what answers contains, by question as in "variable HOME". The
// test must not run in parallel with others.
func OnHost(t testing.TB, answers map[string]string) *Host {
	t.Helper()
	return OnHostOf(t, func(q host.Question) (string, bool) {
		answer, has := answers[q.String()]
		return answer, has
	})
}

// OnHostOf is OnHost with a function that answers questions, such as host.System.
func OnHostOf(t testing.TB, answer host.Answer) *Host {
	t.Helper()
	h := new(Host)
	before := host.Replace(func(q host.Question) (string, bool) {
		h.mu.Lock()
		h.questions = append(h.questions, q.String())
		h.mu.Unlock()
		return answer(q)
	})
	t.Cleanup(func() { host.Replace(before) })
	return h
}

package verbs

import (
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/internal/files/host"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/limits/parallel"
)

// limits are the options that limit a run.
type limits struct {
	memory service.Memory
	effort factor
}

// flags adds the options to all verbs.
func (l *limits) flags(root *cobra.Command) {
	l.effort = 1
	root.PersistentFlags().Var(&l.memory, "memory", "keep to a `size` of memory where possible, such as 512MB or 2GB")
	root.PersistentFlags().Var(&l.effort, "effort", "allow `N` times as much work before a file is refused")
}

// apply sets the limits of the process.
func (l *limits) apply() {
	effort.SetFactor(int64(l.effort))
	parallel.SetMemory(int64(l.memory))
	if l.memory > 0 {
		debug.SetMemoryLimit(int64(l.memory))
	}
}

// enough sets the memory above which unused memory is freed more eagerly, unless the user gave another one. It is for
// verbs that run until they are ended.
func (l *limits) enough() {
	if l.memory == 0 && host.Env("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(enoughMemory)
	}
}

// factor is the value of --effort.
type factor int64

func (f *factor) String() string { return strconv.FormatInt(int64(*f), 10) }

// Type returns the name of the value in help.
func (f *factor) Type() string { return "number" }

func (f *factor) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > effort.MaxFactor {
		return fmt.Errorf("expected 1 to %d, not %q", effort.MaxFactor, text)
	}
	*f = factor(n)
	return nil
}

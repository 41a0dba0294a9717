package fleet

import (
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
)

// limitMemory limits the memory that this process may add: the garbage collector keeps to four fifths of the limit, and beyond it
// the process ends. The limit is one of addresses: that of data (RLIMIT_DATA) has no effect where Go has reserved the addresses
// before.
func limitMemory(bytes int64) error {
	if bytes == 0 {
		return nil
	}
	debug.SetMemoryLimit(bytes / 5 * 4)
	text, err := os.ReadFile("/proc/self/statm")
	var pages uint64
	if err == nil {
		_, err = fmt.Sscan(string(text), &pages)
	}
	if err == nil {
		most := pages*uint64(os.Getpagesize()) + uint64(bytes)
		err = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: most})
	}
	if err != nil {
		return fmt.Errorf("--memory: %w", err)
	}
	return nil
}

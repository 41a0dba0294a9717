package service

import (
	"fmt"
	"strconv"
	"strings"
)

// leastMemory is the memory in bytes that every run needs.
const leastMemory = 64 << 20

// Memory is the value of an option: an amount of memory in bytes, such as 512MB; 0: none is given.
type Memory int64

func (m *Memory) String() string { return "" }

// Type returns the name of the value in help.
func (m *Memory) Type() string { return "size" }

// Set parses a number with a unit: K, M, G or T, also with B or iB. All units are powers of 1,024.
func (m *Memory) Set(text string) error {
	digits := strings.TrimRight(text, "KMGTiB")
	unit := text[len(digits):]
	if letter := strings.TrimSuffix(strings.TrimSuffix(unit, "B"), "i"); letter != "" {
		unit = letter
	}
	factor, ok := map[string]int64{"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}[unit]
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || n < 1 || n > 1<<50/factor || n*factor < leastMemory {
		return fmt.Errorf("expected at least 64MB, such as 512MB or 2GB, not %q", text)
	}
	*m = Memory(n * factor)
	return nil
}

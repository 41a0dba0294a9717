package words

import (
	"fmt"
	"strconv"
	"strings"
)

// maxShares is the largest M of N/M.
const maxShares = 1_000_000

// Share parses N/M, a share of something divided into M shares of which the first has the number first, 0 or 1.
func Share(text string, first int) (n, of int, err error) {
	before, after, _ := strings.Cut(text, "/")
	a, err1 := strconv.ParseUint(before, 10, 31)
	b, err2 := strconv.ParseUint(after, 10, 31)
	if n, of = int(a), int(b); err1 != nil || err2 != nil || n < first || n >= of+first || of > maxShares {
		return 0, 0, fmt.Errorf("expected N/M, with N from %d to M%s and M at most %s, not %.50q", first,
			[]string{"-1", ""}[first], Thousands(maxShares), text)
	}
	return n, of, nil
}

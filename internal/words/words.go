// Package words puts numbers of things into words.
package words

import "strconv"

// Count returns how many things there are: "1 point", "2 points".
func Count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

package words

import "fmt"

// Distance returns the number of bytes to insert, delete or change to turn a into b, or a number that is not less than most if that
// many do not suffice.
func Distance(a, b string, most int) int {
	if d := len(a) - len(b); d >= most || -d >= most {
		return most
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last, least := row[0], i+1
		row[0] = i + 1
		for j := range len(b) {
			n := last
			if a[i] != b[j] {
				n = 1 + min(last, row[j], row[j+1])
			}
			last, row[j+1] = row[j+1], n
			least = min(least, n)
		}
		if least >= most {
			return most
		}
	}
	return row[len(b)]
}

// Nearest returns the known word with the smallest [Distance] from word, or "" if none has a distance of at most most.
func Nearest(word string, known []string, most int) string {
	best, least := "", most+1
	for _, k := range known {
		if d := Distance(word, k, least); d < least {
			best, least = k, d
		}
	}
	return best
}

// DidYouMean returns the end of a message with the [Nearest] word, or "".
func DidYouMean(word string, known []string, most int) string {
	if best := Nearest(word, known, most); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

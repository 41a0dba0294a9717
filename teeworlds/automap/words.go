package automap

import (
	"math"
	"strconv"
	"strings"
)

// The game reads lines with sscanf of C: any blanks before a value are skipped, a number ends where its syntax ends,
// and a word ends at a blank.

const blanks = " \t"

// cutWord returns the first word of a text, and the rest after it.
func cutWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, blanks)
	if end := strings.IndexAny(text, blanks); end >= 0 {
		return text[:end], text[end:]
	}
	return text, ""
}

// cutInt returns the number at the beginning of a text, as %d reads it.
func cutInt(text string) (v int32, rest string, ok bool) {
	text = strings.TrimLeft(text, blanks)
	end := skipSign(text)
	first := end
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	if end == first {
		return 0, text, false
	}
	long, err := strconv.ParseInt(text[:end], 10, 64)
	if err != nil { // like C
		long = math.MaxInt64
		if text[0] == '-' {
			long = math.MinInt64
		}
	}
	return int32(long), text[end:], true
}

// cutFloat returns the number at the beginning of a text, as %f reads it.
func cutFloat(text string) (v float32, rest string, ok bool) {
	text = strings.TrimLeft(text, blanks)
	end, digits := skipSign(text), 0
	for point := false; end < len(text) && (isDigit(text[end]) || text[end] == '.' && !point); end++ {
		if text[end] == '.' {
			point = true
		} else {
			digits++
		}
	}
	if digits == 0 {
		return 0, text, false
	}
	if end < len(text) && (text[end] == 'e' || text[end] == 'E') {
		exponent := end + 1 + skipSign(text[end+1:])
		last := exponent
		for last < len(text) && isDigit(text[last]) {
			last++
		}
		if last > exponent {
			end = last
		}
	}
	long, _ := strconv.ParseFloat(text[:end], 32) // too large numbers become infinite, as in C
	return float32(long), text[end:], true
}

func skipSign(text string) int {
	if text != "" && (text[0] == '+' || text[0] == '-') {
		return 1
	}
	return 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

package worlddir

import (
	"bytes"
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"trowel.example/minetest/mapblock"
)

// isBare reports whether a byte can occur in a word without quotes.
func isBare(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_:.,+-/", c) >= 0
}

// appendWord writes a word, with Go quotes if necessary. Bytes that are not valid UTF-8 become \x escapes, so that
// every string round-trips.
func appendWord(dst []byte, s string) []byte {
	for i := range len(s) {
		if !isBare(s[i]) {
			return strconv.AppendQuote(dst, s)
		}
	}
	if s == "" {
		return append(dst, `""`...)
	}
	return append(dst, s...)
}

// appendText writes a string after the text of a line. A string of several lines is written below that line, one
// quoted line for each, at the given level of indentation.
func appendText(dst []byte, s string, level int) []byte {
	if i := strings.IndexByte(s, '\n'); i < 0 || i == len(s)-1 {
		return append(appendWord(append(dst, ' '), s), '\n')
	}
	dst = append(dst, '\n')
	for line := range strings.Lines(s) {
		dst = append(strconv.AppendQuote(indent(dst, level), line), '\n')
	}
	return dst
}

// indent begins a line.
func indent(dst []byte, level int) []byte {
	for range level {
		dst = append(dst, "  "...)
	}
	return dst
}

// appendHex writes bytes in hexadecimal.
func appendHex(dst, data []byte) []byte {
	return hex.AppendEncode(append(dst, "0x"...), data)
}

// appendFixed writes v divided by 10 to the power of digits, as a decimal number.
func appendFixed(dst []byte, v int32, digits int) []byte {
	n, unit := int64(v), int64(math.Pow10(digits))
	if n < 0 {
		dst, n = append(dst, '-'), -n
	}
	dst = strconv.AppendInt(dst, n/unit, 10)
	if n%unit == 0 {
		return dst
	}
	frac := strconv.AppendInt(nil, unit+n%unit, 10)
	return append(append(dst, '.'), bytes.TrimRight(frac[1:], "0")...)
}

// fixed parses a number in the format of appendFixed.
func fixed(text string, digits int) (int32, bool) {
	whole, frac, dot := strings.Cut(text, ".")
	if dot && frac == "" || len(frac) > digits || strings.HasPrefix(whole, "+") {
		return 0, false
	}
	// Padded with zeros it is an integer.
	v, err := strconv.ParseInt(whole+frac+strings.Repeat("0", digits-len(frac)), 10, 32)
	if err != nil || whole == "" || whole == "-" {
		return 0, false
	}
	return int32(v), true
}

// appendVector writes three numbers, separated by commas.
func appendVector(dst []byte, v [3]int32, digits int) []byte {
	dst = append(appendFixed(dst, v[0], digits), ',')
	dst = append(appendFixed(dst, v[1], digits), ',')
	return appendFixed(dst, v[2], digits)
}

func vector(text string, digits int) (v [3]int32, ok bool) {
	parts := strings.Split(text, ",")
	if len(parts) != 3 {
		return v, false
	}
	for i, part := range parts {
		if v[i], ok = fixed(part, digits); !ok {
			return v, false
		}
	}
	return v, true
}

// outside marks the index of a node outside of the block.
const outside = "index:"

// appendPlace writes the position of a node in its block.
func appendPlace(dst []byte, index uint16) []byte {
	if index >= mapblock.NodeCount {
		return strconv.AppendUint(append(dst, outside...), uint64(index), 10)
	}
	x, y, z := mapblock.Coordinates(int(index))
	return appendVector(dst, [3]int32{int32(x), int32(y), int32(z)}, 0)
}

func place(text string) (index uint16, ok bool) {
	if digits, ok := strings.CutPrefix(text, outside); ok {
		v, err := strconv.ParseUint(digits, 10, 16)
		return uint16(v), err == nil && v >= mapblock.NodeCount
	}
	v, ok := vector(text, 0)
	for _, c := range v {
		ok = ok && 0 <= c && c < mapblock.Side
	}
	if !ok {
		return 0, false
	}
	return uint16(mapblock.Index(int(v[0]), int(v[1]), int(v[2]))), true
}

// isOneOf reports whether a word is in a list of words separated by spaces.
func isOneOf(word, words string) bool {
	for w := range strings.FieldsSeq(words) {
		if w == word {
			return true
		}
	}
	return false
}

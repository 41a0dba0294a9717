package worlddir

import (
	"bytes"
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"trowel.example/minetest/mapblock"
)

// isBare reports whether a byte can stand in a word that has no quotes.
func isBare(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_:.,+-/", c) >= 0
}

// appendWord writes a word, in the quotes of Go where it needs some. Bytes that
// are no UTF-8 become \x escapes, so that every string comes back as it was.
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

// appendText writes a string after what stands on a line: on that line, or,
// if it has lines itself, below it, a line for each, at a level of indentation.
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

// appendHex writes bytes that nobody can read.
func appendHex(dst, data []byte) []byte {
	return hex.AppendEncode(append(dst, "0x"...), data)
}

// appendFixed writes a number that stands for v divided by ten, digits times.
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

// fixed reads what appendFixed wrote.
func fixed(text string, digits int) (int32, bool) {
	whole, frac, dot := strings.Cut(text, ".")
	if dot && frac == "" || len(frac) > digits || strings.HasPrefix(whole, "+") {
		return 0, false
	}
	// With the digits that are missing it is a whole number.
	v, err := strconv.ParseInt(whole+frac+strings.Repeat("0", digits-len(frac)), 10, 32)
	if err != nil || whole == "" || whole == "-" {
		return 0, false
	}
	return int32(v), true
}

// appendVector writes three numbers, with commas between them.
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

// outside marks the index of a node that the block does not have.
const outside = "index:"

// appendPlace writes the place of a node in its block.
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

// isOneOf reports whether a word is among some with spaces between them.
func isOneOf(word, words string) bool {
	for w := range strings.FieldsSeq(words) {
		if w == word {
			return true
		}
	}
	return false
}

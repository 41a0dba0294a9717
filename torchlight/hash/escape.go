package hash

import (
	"fmt"
	"strconv"
	"strings"
)

// An escape consists of the prefix, eight hexadecimal digits, and these numbers of letters.
const (
	escapePrefix = "UNKNOWN_"
	escapeUpper  = 7 // letters that adjust the following ones
	escapeLower  = 6 // letters that determine five bits each
	escapeLen    = len(escapePrefix) + 8 + 1 + escapeUpper + escapeLower
)

// Escape returns a name for a hash without a known name:
//
//	UNKNOWN_A529FF05_HHIHHHKMNWMHU
//
// The name contains the hash, and it also has the hash: its letters are chosen so that [Of] of the whole name is h. So
// it needs no special rule anywhere.
//
// Each character of a name is rotated by five bits more than the next one and then XORed into the hash, so the last six
// letters set the 30 lower bits, five each, and the letter before them sets the two upper bits. But of the 32 values of
// five bits only 1 to 26 are letters. Therefore each of the six has another letter, 32 positions of five bits before
// it, whose rotation wraps around the 32 bits and ends three bits higher. This letter is H, I, J or K and flips none,
// one or both of the upper two of the five bits. With at least one of these four, every value becomes that of a letter.
func Escape(h uint32) string {
	name := []byte(escapePrefix + fmt.Sprintf("%08X", h) + "_HHHHHHH@@@@@@")
	d := Of(string(name)) ^ h
	last := len(name) - 1
	name[last-escapeLower] += byte(d >> 30)
	for i := range escapeLower {
		value := byte(d >> (5 * i) & 31)
		steer := byte(0)
		for value^steer<<3 < 1 || value^steer<<3 > 26 {
			steer++
		}
		name[last-i] += value ^ steer<<3
		name[last-i-escapeUpper] += steer
	}
	return string(name)
}

// IsEscape reports whether a name, ignoring case, has the form of the names of [Escape].
func IsEscape(name string) bool {
	if len(name) != escapeLen || !strings.EqualFold(name[:len(escapePrefix)], escapePrefix) {
		return false
	}
	h, err := strconv.ParseUint(name[len(escapePrefix):len(escapePrefix)+8], 16, 32)
	return err == nil && Of(name) == uint32(h)
}

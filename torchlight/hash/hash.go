// Package hash finds the names for the hashes in compiled files of Torchlight II.
//
// A .BINDAT has only a hash of 32 bits for each key and node. [Of] computes it. The reverse needs a dictionary:
// [Known], which [Names.With] extends by names from a mod or a file. For a hash without a known name, [Escape] returns
// a name that has exactly this hash, so that compiling the text again, with any program including the game's editor,
// reproduces the hash.
package hash

import (
	"math/bits"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"trowel.example/internal/bytes/bin"
)

// Of returns the hash of a name: its UTF-16 units in upper case, each rotated into a value that begins as the number of
// units. Names that differ only in case have the same hash.
func Of(name string) uint32 {
	h := uint32(len(name))
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= utf8.RuneSelf {
			return ofUnits(name)
		}
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		h = bits.RotateLeft32(h, 5) ^ uint32(c)
	}
	return h
}

// Meant returns the hash that a name given by a user means: that of the name, or of UNK_1A2B3C4D, the form of other
// decompilers for unknown names, the number in it.
func Meant(name string) uint32 {
	if h, ok := unk(name); ok {
		return h
	}
	return Of(name)
}

// unk returns the number in a name of the form UNK_1A2B3C4D.
func unk(name string) (uint32, bool) {
	const prefix = "UNK_"
	if len(name) != len(prefix)+8 || !strings.EqualFold(name[:len(prefix)], prefix) {
		return 0, false
	}
	h, err := strconv.ParseUint(name[len(prefix):], 16, 32)
	return uint32(h), err == nil
}

// ofUnits is Of for any name. The game converts each unit to upper case, so characters of two units are unchanged.
func ofUnits(name string) uint32 {
	h := uint32(bin.UTF16Len(name))
	for len(name) > 0 {
		r, n := bin.DecodeWTF8(name)
		if r < 0x10000 {
			h = bits.RotateLeft32(h, 5) ^ uint32(unicode.ToUpper(r))
		} else {
			units := bin.AppendUTF16(nil, name[:n])
			h = bits.RotateLeft32(h, 5) ^ (uint32(units[0]) | uint32(units[1])<<8)
			h = bits.RotateLeft32(h, 5) ^ (uint32(units[2]) | uint32(units[3])<<8)
		}
		name = name[n:]
	}
	return h
}

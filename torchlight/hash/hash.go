// Package hash names what compiled files of Torchlight II have only the hash of.
//
// A .BINDAT says nothing of its keys and nodes but a hash of 32 bits. [Of] makes
// it; to go back one needs a dictionary, [Known], which [Names.With] extends by
// names that a mod or a file brings along. For a hash that nobody knows, [Escape]
// makes a name that has this very hash, so that whatever compiles the text again,
// the game's own editor included, arrives where it came from.
package hash

import (
	"math/bits"
	"unicode"
	"unicode/utf8"

	"trowel.example/internal/bin"
)

// Of returns the hash of a name: of its UTF-16 units in upper case, each rotated
// into a value that begins as their number. Names that differ only in case have
// the same hash.
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

// ofUnits is Of for any name. The game upper-cases unit by unit, so that
// characters of two units stay as they are.
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

package text

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
)

// Encoding is the encoding of a text as bytes.
type Encoding uint8

const (
	UTF16LE Encoding = iota // the encoding that GUTS writes
	UTF16BE
	UTF8
)

// String returns the name of the encoding, for example "UTF-16LE".
func (e Encoding) String() string {
	return [...]string{UTF16LE: "UTF-16LE", UTF16BE: "UTF-16BE", UTF8: "UTF-8"}[e]
}

var boms = [...][]byte{UTF16LE: {0xFF, 0xFE}, UTF16BE: {0xFE, 0xFF}, UTF8: {0xEF, 0xBB, 0xBF}}

// detect returns the encoding of a text and whether it begins with a byte order mark. Without a mark, it uses the
// position of the NUL in the first character, which is ASCII in every text.
func detect(data []byte) (e Encoding, bom bool) {
	for e, mark := range boms {
		if bytes.HasPrefix(data, mark) {
			return Encoding(e), true
		}
	}
	switch {
	case len(data) >= 2 && data[0] != 0 && data[1] == 0:
		return UTF16LE, false
	case len(data) >= 2 && data[0] == 0 && data[1] != 0:
		return UTF16BE, false
	}
	return UTF8, false
}

// ToUTF8 converts a file to UTF-8 without a byte order mark. The file may be in UTF-8 or UTF-16, with or without a
// mark. The error is an [*Error].
func ToUTF8(data []byte) ([]byte, error) {
	e, bom := detect(data)
	if bom {
		data = data[len(boms[e]):]
	}
	s, err := decode(data, e)
	return []byte(s), err
}

// decode returns the string of bytes without byte order mark. It fails if the bytes are not valid in the encoding.
func decode(data []byte, e Encoding) (string, error) {
	if e == UTF8 {
		if s := string(data); utf8.ValidString(s) {
			return s, nil
		}
		return "", notUTF8(data)
	}
	if len(data)%2 != 0 {
		s, _ := decode(data[:len(data)-1], e)
		return "", errorAtEnd(s, fault.ErrShort, "a UTF-16 unit of two bytes", "a single byte")
	}
	if e == UTF16BE {
		data = swapped(data)
	}
	return bin.DecodeUTF16(data), nil
}

// encode appends the bytes of a string to dst. It returns false if the string has an unpaired surrogate, which UTF-8
// cannot represent.
func encode(dst []byte, s []byte, e Encoding) ([]byte, bool) {
	if e == UTF8 {
		return append(dst, s...), utf8.Valid(s)
	}
	start := len(dst)
	for len(s) > 0 {
		n := 0
		for n < len(s) && s[n] < utf8.RuneSelf {
			n++
		}
		dst = slices.Grow(dst, 2*n)
		widen(dst[len(dst):len(dst)+2*n], s[:n])
		dst = dst[:len(dst)+2*n]
		s = s[n:]
		for n = 0; n < len(s) && s[n] >= utf8.RuneSelf; n++ {
		}
		dst = bin.AppendUTF16(dst, string(s[:n]))
		s = s[n:]
	}
	if e == UTF16BE {
		copy(dst[start:], swapped(dst[start:]))
	}
	return dst, true
}

// widen writes a zero after each byte of s. It processes four bytes at a time, because most of the text of a mod is
// ASCII.
func widen(dst, s []byte) {
	for len(s) >= 4 {
		v := uint64(binary.LittleEndian.Uint32(s))
		v = (v | v<<16) & 0x0000ffff0000ffff
		v = (v | v<<8) & 0x00ff00ff00ff00ff
		binary.LittleEndian.PutUint64(dst, v)
		dst, s = dst[8:], s[4:]
	}
	for i, c := range s {
		dst[2*i], dst[2*i+1] = c, 0
	}
}

func swapped(data []byte) []byte {
	out := make([]byte, len(data))
	for i := 0; i+1 < len(data); i += 2 {
		out[i], out[i+1] = data[i+1], data[i]
	}
	return out
}

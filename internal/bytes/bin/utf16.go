package bin

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Strings of UTF-16 units become Go strings in WTF-8: an unpaired surrogate is encoded in three bytes like a
// character. So each sequence of units has exactly one string, and vice versa.

// DecodeUTF16 returns the string of little-endian units. It ignores an odd byte at the end.
func DecodeUTF16(b []byte) string { return decodeUTF16(b, LittleEndian) }

func decodeUTF16(b []byte, order Order) string {
	hi, lo := 1, 0
	if order == BigEndian {
		hi, lo = 0, 1
	}
	s := make([]byte, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		u := rune(b[i+hi])<<8 | rune(b[i+lo])
		switch {
		case u < 0x80:
			s = append(s, byte(u))
		case u < 0x800:
			s = append(s, 0xC0|byte(u>>6), 0x80|byte(u&0x3F))
		case 0xD800 <= u && u < 0xDC00 && i+3 < len(b):
			if r := utf16.DecodeRune(u, rune(b[i+2+hi])<<8|rune(b[i+2+lo])); r != utf8.RuneError {
				s = utf8.AppendRune(s, r)
				i += 2
				continue
			}
			fallthrough
		default: // utf8.AppendRune would encode an unpaired surrogate as U+FFFD
			s = append(s, 0xE0|byte(u>>12), 0x80|byte(u>>6&0x3F), 0x80|byte(u&0x3F))
		}
	}
	return string(s)
}

// DecodeWTF8 returns the first character of s, which may be an unpaired surrogate, and its size in bytes. For an
// invalid byte it returns [utf8.RuneError] and 1.
func DecodeWTF8(s string) (rune, int) {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 && len(s) >= 3 && s[0] == 0xED && 0xA0 <= s[1] && s[1] <= 0xBF && 0x80 <= s[2] && s[2] <= 0xBF {
		return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return r, n
}

// AppendUTF16 appends the little-endian units of s to dst.
func AppendUTF16(dst []byte, s string) []byte {
	for len(s) > 0 {
		r, n := DecodeWTF8(s)
		s = s[n:]
		if r >= 0x10000 {
			hi, lo := utf16.EncodeRune(r)
			dst = append(dst, byte(hi), byte(hi>>8))
			r = lo
		}
		dst = append(dst, byte(r), byte(r>>8))
	}
	return dst
}

// UTF16Len returns the number of UTF-16 units of s.
func UTF16Len(s string) int {
	units := 0
	for len(s) > 0 {
		r, n := DecodeWTF8(s)
		s = s[n:]
		if units++; r >= 0x10000 {
			units++
		}
	}
	return units
}

// Wide16 reads an unsigned 16-bit number of UTF-16 units, and a string of these units.
func (r *Reader) Wide16(name string) string { return r.counted(name, 2, wide) }

// Wide32 reads an unsigned 32-bit number of UTF-16 units, and a string of these units.
func (r *Reader) Wide32(name string) string { return r.counted(name, 4, wide) }

// Wide16 writes an unsigned 16-bit number of UTF-16 units, and s as little-endian units. The caller must ensure that
// [UTF16Len] is at most 65535.
func (w *Writer) Wide16(s string) {
	w.U16(uint16(UTF16Len(s)))
	w.buf = AppendUTF16(w.buf, s)
}

// Wide32 is Wide16 with a 32-bit number of units.
func (w *Writer) Wide32(s string) {
	w.U32(uint32(UTF16Len(s)))
	w.buf = AppendUTF16(w.buf, s)
}

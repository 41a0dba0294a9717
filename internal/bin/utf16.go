package bin

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Strings of UTF-16 units become Go strings in which a surrogate that stands
// alone takes three bytes, as if it were a character (WTF-8). So each sequence
// of units has one string, and the other way round.

// DecodeUTF16 returns the string of little-endian units; a last odd byte is left out.
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
		default: // of a lone surrogate utf8.AppendRune would make U+FFFD
			s = append(s, 0xE0|byte(u>>12), 0x80|byte(u>>6&0x3F), 0x80|byte(u&0x3F))
		}
	}
	return string(s)
}

// DecodeWTF8 takes the first character off s, a lone surrogate being one, and
// returns it with its size; [utf8.RuneError] and 1 for a byte that is none.
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

// Wide16 reads a string of UTF-16 units after an unsigned 16-bit number of them.
func (r *Reader) Wide16(name string) string { return r.counted(name, 2, wide) }

// Wide32 reads a string of UTF-16 units after an unsigned 32-bit number of them.
func (r *Reader) Wide32(name string) string { return r.counted(name, 4, wide) }

// Wide16 writes s as UTF-16 units, little-endian, after an unsigned 16-bit
// number of them. The caller makes sure that [UTF16Len] is at most 65535.
func (w *Writer) Wide16(s string) {
	w.U16(uint16(UTF16Len(s)))
	w.buf = AppendUTF16(w.buf, s)
}

// Wide32 is Wide16 with a 32-bit number.
func (w *Writer) Wide32(s string) {
	w.U32(uint32(UTF16Len(s)))
	w.buf = AppendUTF16(w.buf, s)
}

package item

import (
	"strconv"
	"strings"

	"trowel.example/fault"
)

// scanner reads an itemstring. It keeps the first error.
type scanner struct {
	text string
	at   int
	err  error
}

func (t *scanner) fail(at int, field, want, got string, err error) {
	if t.err == nil {
		t.err = &fault.Error{Path: field, Offset: int64(at), Want: want, Got: got, Err: err}
	}
}

func (t *scanner) rest() string { return t.text[t.at:] }

// word returns the text before the next space, and skips both.
func (t *scanner) word() string {
	word, _, found := strings.Cut(t.rest(), " ")
	t.at += len(word)
	if found {
		t.at++
	}
	return word
}

// space skips the space after a field, unless the text ends there.
func (t *scanner) space(field string) {
	if t.err != nil || t.at == len(t.text) {
		return
	}
	if t.text[t.at] != ' ' {
		t.fail(t.at, field, "a space or the end", strconv.Quote(t.text[t.at:t.at+1]), fault.ErrFormat)
		return
	}
	t.at++
}

// quoted returns a quoted field, or an unquoted field up to the next space.
func (t *scanner) quoted(field string) string {
	if t.err != nil {
		return ""
	}
	rest := t.rest()
	if !strings.HasPrefix(rest, `"`) {
		word, _, _ := strings.Cut(rest, " ")
		t.at += len(word)
		return word
	}
	end := 1
	for ; end < len(rest) && rest[end] != '"'; end++ {
		if rest[end] == '\\' {
			end++
		}
	}
	if end >= len(rest) {
		t.fail(t.at, field, "a string in quotes", "no closing quote", fault.ErrShort)
		return ""
	}
	s, ok := unquote(rest[1:end])
	if !ok {
		t.fail(t.at, field, "a string in quotes", "an escape beyond its end", fault.ErrShort)
		return ""
	}
	t.at += end + 1
	return s
}

// unquote reverses the engine's quoting. It resembles JSON, but \u means one byte: of the four characters after it,
// only the last two count, and any characters are accepted. One of the four may be a backslash that the search for
// the closing quote took as the start of an escape sequence; so the text may end inside an escape sequence.
func unquote(s string) (string, bool) {
	if !strings.Contains(s, `\`) {
		return s, true
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		if i++; i == len(s) {
			return "", false
		}
		switch s[i] {
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'u':
			if i+4 >= len(s) {
				return "", false
			}
			b = append(b, hexDigit(s[i+3])<<4|hexDigit(s[i+4]))
			i += 4
		default:
			b = append(b, s[i])
		}
	}
	return string(b), true
}

// hexDigit returns the value of a hexadecimal digit, or 0 for any other character.
func hexDigit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 0
}

// appendQuoted appends s, with quotes where the engine writes them: if s contains anything but printable ASCII
// characters without spaces and quotes.
func appendQuoted(dst []byte, s string) []byte {
	plain := true
	for i := range len(s) {
		plain = plain && s[i] > ' ' && s[i] < 0x7f && s[i] != '"'
	}
	if plain {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			if c >= ' ' && c < 0x7f {
				dst = append(dst, c)
			} else {
				const digits = "0123456789abcdef"
				dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
			}
		}
	}
	return append(dst, '"')
}

// number reads a count or wear as the engine does: white space, a sign and digits, ignoring any text after them; the
// result is cut to 16 bits.
func number(s string) int {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 {
		return 0
	}
	var n int32
	for i := 0; i < len(digits) && '0' <= digits[i] && digits[i] <= '9'; i++ {
		n = n*10 + int32(digits[i]-'0')
	}
	if strings.HasPrefix(s, "-") {
		n = -n
	}
	return int(uint16(n))
}

package treediff

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"trowel.example/internal/bytes/bin"
)

// MaxText is the maximum size in bytes of a file that is treated as text.
const MaxText = 64 << 20

var utf16Mark = []byte{0xFF, 0xFE}

// Text returns data as UTF-8 with LF line ends, if data is text that can be shown. Text with terminal control
// characters is rejected. UTF-16, as written by editors on Windows, must begin with a byte order mark.
func Text(data []byte) ([]byte, bool) {
	if len(data) > MaxText {
		return nil, false
	}
	if bytes.HasPrefix(data, utf16Mark) && len(data)%2 == 0 {
		data = bytes.ToValidUTF8([]byte(bin.DecodeUTF16(data[2:])), []byte("\uFFFD"))
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	if !utf8.Valid(data) || bytes.ContainsFunc(data, notText) {
		return nil, false
	}
	return data, true
}

func notText(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' }

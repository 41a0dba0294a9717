package contents

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"trowel.example/internal/bin"
)

// MaxText is the most bytes of a file that are taken for text.
const MaxText = 64 << 20

var utf16Mark = []byte{0xFF, 0xFE}

// Text returns data as text in UTF-8 with plain line ends, if it is text that
// can be shown: text with control characters for a terminal is not. Text in UTF-16, as
// editors on Windows write it, starts with its mark.
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

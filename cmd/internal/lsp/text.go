package lsp

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/format"
)

// text is a text with the positions of its lines.
type text struct {
	string
	lines []int // offsets of the lines of the protocol, which end with \n, \r\n or \r
	feeds []int // offsets of the lines of formats, which end with \n
}

func newText(s string) *text {
	t := &text{s, []int{0}, []int{0}}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\n':
			t.lines, t.feeds = append(t.lines, i+1), append(t.feeds, i+1)
		case s[i] == '\r' && (i+1 == len(s) || s[i+1] != '\n'):
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// lineAt returns the number of the line that contains an offset.
func lineAt(starts []int, offset int) int {
	line, exact := slices.BinarySearch(starts, offset)
	if !exact {
		line--
	}
	return line
}

// line returns a line of the protocol without its end. The number must be valid.
func (t *text) line(n int) string {
	end := len(t.string)
	if n+1 < len(t.lines) {
		end = t.lines[n+1]
	}
	return strings.TrimRight(t.string[t.lines[n]:end], "\r\n")
}

// offset returns the offset of a position. A position after the end of a line means its end, as the protocol requires;
// one after the last line means the end of the text.
func (t *text) offset(p position, utf8Units bool) int {
	if uint64(p.Line) >= uint64(len(t.lines)) {
		return len(t.string)
	}
	line := t.line(int(p.Line))
	at, units := 0, uint64(0)
	for at < len(line) && units < uint64(p.Character) {
		r, n := utf8.DecodeRuneInString(line[at:])
		if units += unitsOf(r, n, utf8Units); units > uint64(p.Character) {
			break // within a character
		}
		at += n
	}
	return t.lines[p.Line] + at
}

// unitsOf returns the number of units of a character of n bytes.
func unitsOf(r rune, n int, utf8Units bool) uint64 {
	switch {
	case utf8Units:
		return uint64(n)
	case r > 0xffff:
		return 2
	}
	return 1
}

// position returns the position of an offset.
func (t *text) position(offset int, utf8Units bool) position {
	offset = max(0, min(offset, len(t.string)))
	line := lineAt(t.lines, offset)
	units := uint64(0)
	for at := t.lines[line]; at < offset; {
		r, n := utf8.DecodeRuneInString(t.string[at:])
		units += unitsOf(r, n, utf8Units)
		at += n
	}
	return position{uint32(line), uint32(units)}
}

// spot returns the spot of an offset.
func (t *text) spot(offset int) format.Spot {
	line := lineAt(t.feeds, offset)
	return format.Spot{Line: line, Column: offset - t.feeds[line]}
}

// offsetOf returns the offset of a spot, or the nearest one that exists.
func (t *text) offsetOf(s format.Spot) int {
	if s.Line < 0 {
		return 0
	}
	if s.Line >= len(t.feeds) {
		return len(t.string)
	}
	end := len(t.string)
	if s.Line+1 < len(t.feeds) {
		end = t.feeds[s.Line+1] - 1
	}
	return max(t.feeds[s.Line], min(t.feeds[s.Line]+s.Column, end))
}

// edit returns the text after a change.
func (t *text) edit(c change, utf8Units bool) *text {
	if c.Range == nil {
		return newText(c.Text)
	}
	from, to := t.offset(c.Range.Start, utf8Units), t.offset(c.Range.End, utf8Units)
	if from > to {
		from, to = to, from
	}
	return newText(t.string[:from] + c.Text + t.string[to:])
}

// encoding is how a file stores a text.
type encoding struct {
	units int // bytes of a unit: 1 for UTF-8, 2 for UTF-16
	big   bool
	mark  bool // it begins with a byte order mark
}

var marks = []struct {
	mark []byte
	encoding
}{
	{[]byte("\xff\xfe"), encoding{2, false, true}},
	{[]byte("\xfe\xff"), encoding{2, true, true}},
	{[]byte("\xef\xbb\xbf"), encoding{1, false, true}},
}

// encodingOf returns the encoding of a file by its beginning. A text without a mark is UTF-16 if one of its first two
// bytes is 0.
func encodingOf(data []byte) encoding {
	for _, m := range marks {
		if bytes.HasPrefix(data, m.mark) {
			return m.encoding
		}
	}
	if len(data) >= 2 && (data[0] == 0) != (data[1] == 0) {
		return encoding{units: 2, big: data[0] == 0}
	}
	return encoding{units: 1}
}

// decodeText returns the text of a file. Bytes that are no text become replacement characters.
func decodeText(data []byte) string {
	e := encodingOf(data)
	if e.mark {
		data = data[len(e.markBytes()):]
	}
	if e.units == 1 {
		return strings.ToValidUTF8(string(data), "\ufffd")
	}
	if e.big {
		data = swapped(data)
	}
	return strings.ToValidUTF8(bin.DecodeUTF16(data), "\ufffd")
}

func (e encoding) markBytes() []byte {
	for _, m := range marks {
		if m.encoding == e {
			return m.mark
		}
	}
	return nil
}

// encode returns the file of a text.
func (e encoding) encode(s string) []byte {
	data := slices.Clone(e.markBytes())
	switch {
	case e.units == 1:
		return append(data, s...)
	case e.big:
		return append(data, swapped(bin.AppendUTF16(nil, s))...)
	}
	return bin.AppendUTF16(data, s)
}

// swapped exchanges the bytes of each unit of two bytes.
func swapped(data []byte) []byte {
	out := make([]byte, len(data)&^1)
	for i := 0; i+1 < len(data); i += 2 {
		out[i], out[i+1] = data[i+1], data[i]
	}
	return out
}

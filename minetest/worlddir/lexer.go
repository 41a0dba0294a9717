package worlddir

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
)

// lexer reads the lines of a text and the words of a line. It keeps its first error; after an error there are no more
// lines and words.
type lexer struct {
	rest []byte // the remaining lines
	cur  string // the current line without trailing comments
	line int    // number of the current line, from 1
	at   int    // offset of the next character in cur
	have bool   // cur is set and has not been read yet
	err  *fault.TextError
}

// failAt records an error at a column, counted from 0.
func (l *lexer) failAt(column int, format string, args ...any) {
	if l.err == nil {
		l.err = &fault.TextError{Line: l.line, Column: column + 1, Msg: fmt.Sprintf(format, args...)}
	}
}

// fail records an error at the current column.
func (l *lexer) fail(format string, args ...any) { l.failAt(l.at, format, args...) }

// more reports whether the next line has the given level of indentation, and begins to read it. A line of a lower
// level ends the current section.
func (l *lexer) more(level int) bool {
	for !l.have && l.err == nil {
		if len(l.rest) == 0 {
			return false
		}
		line, rest, _ := bytes.Cut(l.rest, []byte("\n"))
		l.rest = rest
		l.line++
		l.cur = string(bytes.TrimSuffix(line, []byte("\r")))
		for l.at = 0; l.at < len(l.cur) && l.cur[l.at] == ' '; {
			l.at++
		}
		l.have = l.at < len(l.cur) && l.cur[l.at] != '#'
	}
	switch {
	case l.err != nil:
	case l.at%2 != 0:
		l.fail("expected two spaces for each level of indentation, not %d", l.at)
	case l.at/2 > level:
		l.fail("expected at most %s before this, not %d", words.Count(2*level, "space"), l.at)
	case l.at/2 == level:
		l.have = false
		return true
	}
	return false
}

// ended reports whether the rest of the line is empty.
func (l *lexer) ended() bool {
	for l.at < len(l.cur) && l.cur[l.at] == ' ' {
		l.at++
	}
	return l.err != nil || l.at == len(l.cur)
}

// end fails if the rest of the line is not empty.
func (l *lexer) end() {
	if !l.ended() {
		l.fail("expected the end of the line")
	}
}

// skipChar reports whether the next character is c, and skips it if so.
func (l *lexer) skipChar(c byte) bool {
	if l.err != nil || l.at == len(l.cur) || l.cur[l.at] != c {
		return false
	}
	l.at++
	return true
}

// word reads a word. The text want describes the expected word in errors. It returns whether the word is in quotes,
// and the column where it begins.
func (l *lexer) word(want string) (word string, quoted bool, column int) {
	if l.ended() {
		l.fail("expected %s", want)
		return "", false, l.at
	}
	column = l.at
	if l.cur[l.at] == '"' {
		quote, err := strconv.QuotedPrefix(l.cur[l.at:])
		if err == nil {
			word, err = strconv.Unquote(quote)
		}
		if err != nil {
			l.fail("expected a quoted string as in Go")
			return "", true, column
		}
		l.at += len(quote)
		return word, true, column
	}
	for l.at < len(l.cur) && isBare(l.cur[l.at]) {
		l.at++
	}
	if l.at == column {
		l.fail("expected %s, or quotes around it", want)
	}
	return l.cur[column:l.at], false, column
}

// plain reads a word that is not in quotes.
func (l *lexer) plain(want string) (word string, column int) {
	word, quoted, column := l.word(want)
	if quoted {
		l.failAt(column, "expected %s, without quotes", want)
	}
	return word, column
}

// number reads an integer, in hexadecimal if it begins with 0x.
func (l *lexer) number(want string, lo, hi int64) int64 {
	word, column := l.plain(want)
	if l.err != nil {
		return 0
	}
	v, ok := parseNumber(word)
	if !ok || v < lo || v > hi {
		l.failAt(column, "expected %s from %d to %d, not %s", want, lo, hi, abridge(word))
		return 0
	}
	return v
}

func parseNumber(word string) (int64, bool) {
	base, digits := 10, word
	if hex, ok := strings.CutPrefix(word, "0x"); ok {
		base, digits = 16, hex
	}
	if strings.HasPrefix(digits, "+") || base == 16 && strings.HasPrefix(digits, "-") {
		return 0, false
	}
	v, err := strconv.ParseInt(digits, base, 64)
	return v, err == nil
}

// hex reads bytes in the format of appendHex.
func (l *lexer) hex() []byte {
	word, column := l.plain("bytes such as 0x00ff")
	digits, ok := strings.CutPrefix(word, "0x")
	data, err := hex.DecodeString(digits)
	if (!ok || err != nil) && l.err == nil {
		l.failAt(column, "expected bytes such as 0x00ff")
	}
	return data
}

// text reads a string in the format of appendText, at the end of a line.
func (l *lexer) text(level int) string {
	if !l.ended() {
		word, _, _ := l.word("a string")
		l.end()
		return word
	}
	var lines strings.Builder
	for n := 0; ; n++ {
		if !l.more(level) {
			if n == 0 {
				l.fail("expected a string, on this line or on lines with %d spaces before them", 2*level)
			}
			return lines.String()
		}
		line, quoted, column := l.word("a string in quotes")
		if !quoted {
			l.failAt(column, "expected a string in quotes")
		}
		l.end()
		lines.WriteString(line)
	}
}

// abridge quotes and shortens a word for a message.
func abridge(word string) string {
	if len(word) > 40 {
		return strconv.Quote(word[:40] + "...")
	}
	return strconv.Quote(word)
}

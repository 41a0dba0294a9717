package worlddir

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"trowel.example/fault"
)

// lexer goes through the lines of a text, and through the words of a line. The
// first error sticks: after it there are no more lines and words.
type lexer struct {
	rest []byte // the lines that follow
	cur  string // the line, without what comes after it
	line int    // its number, from 1
	at   int    // what is read next in it
	have bool   // it is there, and nobody has begun to read it
	err  *fault.TextError
}

// failAt records an error about what begins at a column, from 0.
func (l *lexer) failAt(column int, format string, args ...any) {
	if l.err == nil {
		l.err = &fault.TextError{Line: l.line, Column: column + 1, Msg: fmt.Sprintf(format, args...)}
	}
}

// fail is failAt for what is read next.
func (l *lexer) fail(format string, args ...any) { l.failAt(l.at, format, args...) }

// more reports whether a line of a level of indentation follows, and begins to
// read it. A line of a lower level ends what the level is about.
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
		l.fail("expected at most %d spaces before this, not %d", 2*level, l.at)
	case l.at/2 == level:
		l.have = false
		return true
	}
	return false
}

// ended reports whether nothing more is on the line.
func (l *lexer) ended() bool {
	for l.at < len(l.cur) && l.cur[l.at] == ' ' {
		l.at++
	}
	return l.err != nil || l.at == len(l.cur)
}

// end fails unless the line ends.
func (l *lexer) end() {
	if !l.ended() {
		l.fail("expected the end of the line")
	}
}

// is reports whether a character follows, and skips it.
func (l *lexer) is(c byte) bool {
	if l.err != nil || l.at == len(l.cur) || l.cur[l.at] != c {
		return false
	}
	l.at++
	return true
}

// word reads a word, of which want tells what it should be. It reports whether
// the word is in quotes, and at which column it begins.
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
			l.fail("expected quotes as Go has them, with another one at the end")
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

// number reads a whole number, in hexadecimal digits if it begins with 0x.
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

// hex reads bytes as appendHex writes them.
func (l *lexer) hex() []byte {
	word, column := l.plain("bytes such as 0x00ff")
	digits, ok := strings.CutPrefix(word, "0x")
	data, err := hex.DecodeString(digits)
	if (!ok || err != nil) && l.err == nil {
		l.failAt(column, "expected bytes such as 0x00ff")
	}
	return data
}

// text reads a string as appendText writes it, after which nothing follows.
func (l *lexer) text(level int) string {
	if !l.ended() {
		word, _, _ := l.word("a text")
		l.end()
		return word
	}
	var lines strings.Builder
	for n := 0; ; n++ {
		if !l.more(level) {
			if n == 0 {
				l.fail("expected a text, on this line or on lines with %d spaces before them", 2*level)
			}
			return lines.String()
		}
		line, quoted, column := l.word("a text in quotes")
		if !quoted {
			l.failAt(column, "expected a text in quotes")
		}
		l.end()
		lines.WriteString(line)
	}
}

// fixed reads a number with at most some digits after the point.
func (l *lexer) fixed(want string, digits int) int32 {
	word, column := l.plain(want)
	v, ok := fixed(word, digits)
	if !ok {
		l.failAt(column, "expected %s, with at most %d digits after the point, not %s", want, digits, abridge(word))
	}
	return v
}

// vector reads three numbers with commas between them.
func (l *lexer) vector(want string, digits int) [3]int32 {
	word, column := l.plain(want)
	v, ok := vector(word, digits)
	if !ok {
		l.failAt(column, "expected %s x,y,z, not %s", want, abridge(word))
	}
	return v
}

// place reads the place of a node in its block.
func (l *lexer) place() uint16 {
	word, column := l.plain("the place of a node")
	index, ok := place(word)
	if !ok {
		l.failAt(column, "expected the place x,y,z of a node in the block, each from 0 to 15, not %s", abridge(word))
	}
	return index
}

// abridge cuts a word for a message.
func abridge(word string) string {
	if len(word) > 40 {
		return strconv.Quote(word[:40] + "...")
	}
	return strconv.Quote(word)
}

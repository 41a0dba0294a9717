package sqlitepage

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// A token is a part of an SQL statement.
type token struct {
	kind byte   // 'w', 'q', 's', 'n', 'x' or the character itself
	text string // without its quotes
}

// The kinds of tokens that are not a single character.
const (
	bareWord   = 'w' // a keyword or a name
	quotedName = 'q'
	quotedText = 's'
	number     = 'n'
	blobText   = 'x' // the bytes
)

// tokensOf splits a statement. It reports whether all quotes and comments end.
func tokensOf(sql string) (list []token, ok bool) {
	for sql != "" {
		c := sql[0]
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			sql = sql[1:]
		case strings.HasPrefix(sql, "--"):
			_, sql, _ = strings.Cut(sql, "\n")
		case strings.HasPrefix(sql, "/*"):
			if _, sql, ok = strings.Cut(sql[2:], "*/"); !ok {
				return list, false
			}
		case c == '"' || c == '`' || c == '[' || c == '\'':
			text, rest, ok := unquote(sql)
			if !ok {
				return list, false
			}
			kind := byte(quotedName)
			if c == '\'' {
				kind = quotedText
			}
			list, sql = append(list, token{kind, text}), rest
		case (c == 'x' || c == 'X') && strings.HasPrefix(sql[1:], "'"):
			text, rest, ok := unquote(sql[1:])
			b, err := hex.DecodeString(text)
			if !ok || err != nil {
				return list, false
			}
			list, sql = append(list, token{blobText, string(b)}), rest
		case isDigit(c) || c == '.' && len(sql) > 1 && isDigit(sql[1]):
			n := numberLength(sql)
			list, sql = append(list, token{number, strings.ReplaceAll(sql[:n], "_", "")}), sql[n:]
		case isWord(c):
			n := 1
			for n < len(sql) && isWord(sql[n]) {
				n++
			}
			list, sql = append(list, token{bareWord, sql[:n]}), sql[n:]
		default:
			list, sql = append(list, token{c, sql[:1]}), sql[1:]
		}
	}
	return list, true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}

// unquote reads a quoted text. The quote is doubled within the text.
func unquote(sql string) (text, rest string, ok bool) {
	end := sql[:1]
	if end == "[" {
		return strings.Cut(sql[1:], "]")
	}
	var b strings.Builder
	for sql = sql[1:]; ; {
		part, after, found := strings.Cut(sql, end)
		b.WriteString(part)
		if !found || !strings.HasPrefix(after, end) {
			return b.String(), after, found
		}
		b.WriteString(end)
		sql = after[1:]
	}
}

// numberLength returns the length of the number at the start of a text.
func numberLength(sql string) int {
	n := 0
	for n < len(sql) && (isWord(sql[n]) || sql[n] == '.' || (sql[n] == '+' || sql[n] == '-') && (sql[n-1] == 'e' || sql[n-1] == 'E') &&
		!strings.HasPrefix(strings.ToLower(sql), "0x")) {
		n++
	}
	return n
}

// numberOf returns the value of a number.
func numberOf(text string, negative bool) (any, bool) {
	if hex, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
		v, err := strconv.ParseUint(hex, 16, 64)
		if negative {
			v = -v
		}
		return int64(v), err == nil
	}
	if negative {
		text = "-" + text
	}
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return v, true
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// A tokenReader reads the tokens of a statement.
type tokenReader struct{ rest []token }

func (r *tokenReader) peek() token {
	if len(r.rest) == 0 {
		return token{}
	}
	return r.rest[0]
}

func (r *tokenReader) next() token {
	t := r.peek()
	if len(r.rest) > 0 {
		r.rest = r.rest[1:]
	}
	return t
}

// isKeyword reports whether a token is one of some keywords, which are upper case.
func (t token) isKeyword(words ...string) bool {
	if t.kind == bareWord {
		for _, w := range words {
			if strings.EqualFold(w, t.text) {
				return true
			}
		}
	}
	return false
}

// skip skips keywords if they follow in this order, and reports whether they do.
func (r *tokenReader) skip(words ...string) bool {
	for i, w := range words {
		if i >= len(r.rest) || !r.rest[i].isKeyword(w) {
			return false
		}
	}
	r.rest = r.rest[len(words):]
	return true
}

// skipChar skips a character.
func (r *tokenReader) skipChar(c byte) bool {
	if r.peek().kind != c {
		return false
	}
	r.next()
	return true
}

// name reads a name, which may be quoted in any way.
func (r *tokenReader) name() (string, bool) {
	switch t := r.peek(); t.kind {
	case bareWord, quotedName, quotedText:
		r.next()
		return t.text, true
	}
	return "", false
}

// qualified reads a name that may follow the name of a schema.
func (r *tokenReader) qualified() (string, bool) {
	name, ok := r.name()
	if ok && r.skipChar('.') {
		return r.name()
	}
	return name, ok
}

// group returns the tokens in the parentheses that follow, and skips them.
func (r *tokenReader) group() (inner []token, ok bool) {
	if r.peek().kind != '(' {
		return nil, false
	}
	depth := 0
	for i, t := range r.rest {
		switch t.kind {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				inner, r.rest = r.rest[1:i], r.rest[i+1:]
				return inner, true
			}
		}
	}
	return nil, false
}

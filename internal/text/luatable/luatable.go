// Package luatable reads the output of the engine's core.serialize, and other Lua tables that contain only values. It
// does not execute code.
package luatable

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"trowel.example/fault"
)

// Kind is the kind of a value.
type Kind byte

// The kinds of values.
const (
	Nil Kind = iota
	Bool
	Number
	String
	TableKind
)

// Value is a value with its place in the text. If the text refers to the value by a name such as _[1], the place is
// that of the reference.
type Value struct {
	Kind       Kind
	Bool       bool
	Number     float64
	Text       string // set for a String
	Table      *Table // set for a table; several values can share a table, and a table can contain itself
	Start, End int
}

// Entry is an element of a table.
type Entry struct{ Key, Value Value }

// Table is a table, with its elements in the order of the text. If a key occurs several times, the last element is
// used.
type Table struct{ Entries []Entry }

// Get returns the element with a name, or Nil if there is none.
func (t *Table) Get(name string) (v Value) {
	for _, e := range t.Entries {
		if e.Key.Kind == String && e.Key.Text == name {
			v = e.Value
		}
	}
	return v
}

// List returns the elements 1, 2 and so on up to the first missing one.
func (t *Table) List() (list []Value) {
	byIndex := make(map[float64]Value)
	for _, e := range t.Entries {
		if e.Key.Kind == Number {
			byIndex[e.Key.Number] = e.Value
		}
	}
	for {
		v := byIndex[float64(len(list)+1)]
		if v.Kind == Nil {
			return list
		}
		list = append(list, v)
	}
}

// maxDepth is the maximum nesting depth of tables.
const maxDepth = 200 // the limit of Lua itself

// Parse parses a text: "return" and a value, or only a value. Statements such as "local _={}" and "_[1]=..." may
// precede it; they name values that occur several times.
func Parse(text []byte) (v Value, err error) {
	err = parse(text, func(p *parser) { v = p.value() })
	return v, err
}

// Each is Parse for a table: it calls f with each element while reading, without keeping the elements. It stops at the
// first error of f.
func Each(text []byte, f func(e Entry) error) (err error) {
	failed := parse(text, func(p *parser) {
		if p.space(); p.at < len(p.text) && p.text[p.at] == '{' {
			p.entries(func(e Entry) bool {
				err = f(e)
				return err == nil
			})
			return
		}
		v := p.value()
		if v.Kind != TableKind {
			p.at = v.Start
			p.fail("a table")
		}
		for _, e := range v.Table.Entries {
			if err = f(e); err != nil {
				return
			}
		}
	})
	return cmp.Or(err, failed)
}

// parse parses a text in which the function value reads the value.
func parse(text []byte, value func(p *parser)) (err error) {
	p := &parser{text: string(text), named: make(map[float64]Value)}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*fault.Error)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	p.space()
	for p.keyword("local") {
		for {
			p.word()
			if p.space(); !p.symbol(",") {
				break
			}
		}
		if p.symbol("=") {
			p.value()
			for p.symbol(",") {
				p.value()
			}
		}
		p.symbol(";")
	}
	for p.reference() {
		p.symbol(";")
	}
	p.keyword("return")
	value(p)
	p.symbol(";")
	if p.space(); p.at < len(p.text) {
		p.fail("the end of the text")
	}
	return nil
}

type parser struct {
	text  string
	at    int
	depth int               // nesting depth
	named map[float64]Value // the values of _[1] and so on
}

func (p *parser) fail(want string) {
	got := "the end of the text"
	if p.at < len(p.text) {
		got = strconv.Quote(p.text[p.at:min(p.at+20, len(p.text))])
	}
	panic(&fault.Error{Path: "lua", Offset: int64(p.at), Want: want, Got: got, Err: fault.ErrFormat})
}

// space skips white space and comments.
func (p *parser) space() {
	for p.at < len(p.text) && (p.text[p.at] <= ' ' || p.text[p.at] == '-') {
		p.at = len(p.text) - len(strings.TrimLeft(p.text[p.at:], " \t\r\n\v\f"))
		if !strings.HasPrefix(p.text[p.at:], "--") {
			return
		}
		if p.at += 2; longBracket.MatchString(p.text[p.at:]) {
			p.long()
		} else if n := strings.IndexByte(p.text[p.at:], '\n'); n >= 0 {
			p.at += n
		} else {
			p.at = len(p.text)
		}
	}
}

// symbol skips a symbol if it is next, and reports whether it was.
func (p *parser) symbol(s string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.at:], s) {
		return false
	}
	p.at += len(s)
	return true
}

func (p *parser) need(s string) {
	if !p.symbol(s) {
		p.fail(strconv.Quote(s))
	}
}

func isWord(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// peek returns the name at the current position, or "" if there is none.
func (p *parser) peek() string {
	p.space()
	end := p.at
	for end < len(p.text) && isWord(p.text[end]) {
		end++
	}
	if end == p.at || p.text[p.at] <= '9' {
		return ""
	}
	return p.text[p.at:end]
}

func (p *parser) word() string {
	w := p.peek()
	if w == "" {
		p.fail("a name")
	}
	p.at += len(w)
	return w
}

func (p *parser) keyword(w string) bool {
	if p.peek() != w {
		return false
	}
	p.at += len(w)
	return true
}

// reference reads a statement that names a value, "_[1]=...", or that stores a value in a named table, "_[1].key=...".
func (p *parser) reference() bool {
	if p.peek() != "_" {
		return false
	}
	p.at++
	id := p.index()
	if p.symbol("=") {
		p.named[id] = p.value()
		return true
	}
	t := p.named[id]
	if t.Kind != TableKind {
		p.fail(`"="`)
	}
	var key Value
	if p.symbol(".") {
		key = Value{Kind: String, Text: p.word()}
	} else {
		p.need("[")
		key = p.value()
		p.need("]")
	}
	p.need("=")
	t.Table.Entries = append(t.Table.Entries, Entry{key, p.value()})
	return true
}

// index reads a number in brackets, such as "[1]".
func (p *parser) index() float64 {
	p.need("[")
	v := p.value()
	if v.Kind != Number {
		p.fail("a number")
	}
	p.need("]")
	return v.Number
}

func (p *parser) value() (v Value) {
	p.space()
	start := p.at
	if p.depth++; p.depth > maxDepth {
		p.fail(fmt.Sprintf("at most %d nested values", maxDepth))
	}
	defer func() {
		p.depth--
		v.Start, v.End = start, p.at
	}()
	if p.at == len(p.text) {
		p.fail("a value")
	}
	switch c := p.text[p.at]; {
	case c == '{':
		t := new(Table)
		p.entries(func(e Entry) bool {
			t.Entries = append(t.Entries, e)
			return true
		})
		return Value{Kind: TableKind, Table: t}
	case c == '"' || c == '\'':
		return Value{Kind: String, Text: p.quoted(c)}
	case strings.HasPrefix(p.text[p.at:], "[["), strings.HasPrefix(p.text[p.at:], "[="):
		return Value{Kind: String, Text: p.long()}
	case c == '-' || c == '.' || '0' <= c && c <= '9':
		return Value{Kind: Number, Number: p.number()}
	}
	switch w := p.peek(); w {
	case "true", "false":
		p.at += len(w)
		return Value{Kind: Bool, Bool: w == "true"}
	case "nil":
		p.at += len(w)
		return Value{}
	case "_":
		p.at++
		at := p.at
		id := p.index()
		named, ok := p.named[id]
		if !ok {
			p.at = at
			p.fail("a value that has this name")
		}
		return named
	case "inf", "nan": // as written by engine 5.6
		p.at += len(w)
		return Value{Kind: Number, Number: notFinite[w]}
	case "math":
		p.at += len(w)
		p.need(".")
		if p.word() != "huge" {
			p.fail("a value")
		}
		return Value{Kind: Number, Number: math.Inf(1)}
	}
	p.fail("a value")
	return v
}

// entries reads a table, and calls f with each element until f returns false.
func (p *parser) entries(f func(Entry) bool) {
	p.need("{")
	next := 1.0
	for !p.symbol("}") {
		var e Entry
		switch w := p.peek(); {
		case p.at < len(p.text) && p.text[p.at] == '[' && !strings.HasPrefix(p.text[p.at:], "[[") && !strings.HasPrefix(p.text[p.at:], "[="):
			p.at++
			e.Key = p.value()
			p.need("]")
			p.need("=")
		case w != "" && strings.HasPrefix(strings.TrimLeft(p.text[p.at+len(w):], " \t\r\n"), "="):
			e.Key = Value{Kind: String, Text: p.word()}
			p.need("=")
		default:
			e.Key = Value{Kind: Number, Number: next}
			next++
		}
		e.Value = p.value()
		if !f(e) {
			p.at = len(p.text)
			return
		}
		if !p.symbol(",") && !p.symbol(";") {
			p.need("}")
			break
		}
	}
}

var notFinite = map[string]float64{"inf": math.Inf(1), "nan": math.NaN()}

// number reads a number, including those that core.serialize writes without digits: 1/0, -1/0, 0/0 and math.huge.
func (p *parser) number() float64 {
	start := p.at
	sign := 1.0
	for p.symbol("-") {
		sign = -sign
		p.space()
	}
	if w := p.peek(); w == "math" || w == "inf" || w == "nan" {
		return sign * p.value().Number
	}
	begin := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		exponent := p.at > begin && (c == '+' || c == '-') && strings.ContainsRune("eEpP", rune(p.text[p.at-1]))
		if hex := strings.HasPrefix(p.text[begin:], "0x") || strings.HasPrefix(p.text[begin:], "0X"); exponent && hex &&
			strings.ContainsRune("eE", rune(p.text[p.at-1])) {
			exponent = false
		}
		if !isWord(c) && c != '.' && !exponent {
			break
		}
		p.at++
	}
	word := p.text[begin:p.at]
	if lower := strings.ToLower(word); strings.HasPrefix(lower, "0x") && !strings.Contains(lower, "p") {
		word += "p0"
	}
	v, err := strconv.ParseFloat(word, 64)
	if err != nil && !math.IsInf(v, 0) || strings.Contains(word, "_") || word == "" || word[0] > '9' {
		p.at = start
		p.fail("a number")
	}
	if p.symbol("/") {
		p.need("0")
		zero := 0.0
		return sign * v / zero
	}
	return sign * v
}

var longBracket = regexp.MustCompile(`^\[=*\[`)

// long reads a string in brackets, such as [[...]] or [==[...]==].
func (p *parser) long() string {
	begin := p.at
	n := 1 + strings.IndexByte(p.text[p.at+1:], '[')
	if n < 1 || strings.Trim(p.text[p.at+1:p.at+n], "=") != "" {
		p.fail("a string in brackets")
	}
	end := "]" + p.text[p.at+1:p.at+n] + "]"
	p.at += n + 1
	length := strings.Index(p.text[p.at:], end)
	if length < 0 {
		p.at = begin
		p.fail("the end of a string in brackets")
	}
	text := p.text[p.at : p.at+length]
	p.at += length + len(end)
	if rest, ok := strings.CutPrefix(text, "\r\n"); ok {
		return rest
	}
	return strings.TrimPrefix(text, "\n")
}

// quoted reads a string in quotes.
func (p *parser) quoted(quote byte) string {
	begin := p.at
	n := 1
	for begin+n < len(p.text) && p.text[begin+n] != quote && p.text[begin+n] != '\\' {
		n++
	}
	if begin+n < len(p.text) && p.text[begin+n] == quote {
		p.at += n + 1
		return p.text[begin+1 : begin+n]
	}
	var b strings.Builder
	for p.at++; ; p.at++ {
		if p.at >= len(p.text) {
			p.at = begin
			p.fail("the end of a text")
		}
		switch c := p.text[p.at]; {
		case c == quote:
			p.at++
			return b.String()
		case c != '\\':
			b.WriteByte(c)
		default:
			p.escape(&b)
		}
	}
}

// escapes maps letters after a backslash to the bytes that they mean.
var escapes = map[byte]byte{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\\': '\\',
	'"': '"', '\'': '\'', '\n': '\n'}

// escape reads an escape sequence, and stops at its last byte.
func (p *parser) escape(b *strings.Builder) {
	p.at++
	if p.at >= len(p.text) {
		return
	}
	c := p.text[p.at]
	rest := p.text[p.at:]
	digits := func(text string, base, most int) (n int, value uint64) {
		for n < min(most, len(text)) {
			d := strings.IndexByte("0123456789abcdef", text[n]|0x20)
			if '0' <= text[n] && text[n] <= '9' {
				d = int(text[n] - '0')
			}
			if d < 0 || d >= base {
				break
			}
			value = value*uint64(base) + uint64(d)
			n++
		}
		return n, value
	}
	switch e, known := escapes[c]; {
	case known:
		b.WriteByte(e)
	case '0' <= c && c <= '9':
		n, v := digits(rest, 10, 3)
		if v > 255 {
			p.fail("a byte from 0 to 255")
		}
		b.WriteByte(byte(v))
		p.at += n - 1
	case c == 'x':
		n, v := digits(rest[1:], 16, 2)
		if n != 2 {
			p.fail("two hexadecimal digits")
		}
		b.WriteByte(byte(v))
		p.at += n
	case c == 'u' && strings.HasPrefix(rest, "u{"):
		n, v := digits(rest[2:], 16, 8)
		if n == 0 || !strings.HasPrefix(rest[2+n:], "}") || v > utf8.MaxRune {
			p.fail("a character")
		}
		b.WriteRune(rune(v))
		p.at += n + 2
	case c == 'z':
		p.at++
		p.space()
		p.at--
	default:
		p.fail("a valid escape of Lua")
	}
}

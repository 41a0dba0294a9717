package schematic

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
)

// The tables of Lua that core.serialize and WorldEdit write are read here, and nothing is ever
// run: what is more than data is an error.

// A value is nil, a bool, a float64, a string or a *table.
type value any

// table is a table: its list part, and all else in the order in which it stands in the file.
// Where a key comes twice the last counts.
type table struct {
	list  []value
	pairs []pair
	keys  map[value]int // of pairs, once there are many
}

type pair struct{ key, value value }

// get returns what stands at a key.
func (t *table) get(key value) value {
	if n, ok := key.(float64); ok && n >= 1 && n <= float64(len(t.list)) && n == math.Trunc(n) {
		return t.list[int(n)-1]
	}
	if t.keys != nil {
		if i, ok := t.keys[key]; ok {
			return t.pairs[i].value
		}
		return nil
	}
	for _, p := range t.pairs {
		if p.key == key {
			return p.value
		}
	}
	return nil
}

const fewKeys = 16

func (t *table) set(key, v value) {
	if n, ok := key.(float64); ok {
		if n >= 1 && n <= float64(len(t.list)) && n == math.Trunc(n) {
			t.list[int(n)-1] = v
			return
		}
		if n == float64(len(t.list)+1) && len(t.pairs) == 0 {
			t.list = append(t.list, v)
			return
		}
	}
	at := -1
	if t.keys != nil {
		if i, ok := t.keys[key]; ok {
			at = i
		}
	} else {
		for i, p := range t.pairs {
			if p.key == key {
				at = i
			}
		}
	}
	if at >= 0 {
		t.pairs[at].value = v
		return
	}
	t.pairs = append(t.pairs, pair{key, v})
	if t.keys == nil && len(t.pairs) > fewKeys {
		t.keys = make(map[value]int)
		for i, p := range t.pairs {
			t.keys[p.key] = i
		}
	} else if t.keys != nil {
		t.keys[key] = len(t.pairs) - 1
	}
}

// items returns what is at 1, 2 and so on, up to the first that is missing.
func (t *table) items() []value {
	list := slices.Clip(t.list)
	for i, v := range list {
		if v == nil {
			return list[:i]
		}
	}
	for {
		v := t.get(float64(len(list) + 1))
		if v == nil {
			return list
		}
		list = append(list, v)
	}
}

// maxDepth is how deep tables may stand in each other: that of Lua itself.
const maxDepth = 200

// luaReader reads a chunk of Lua.
type luaReader struct {
	data  []byte
	base  int // offset of data in the file
	at    int
	depth int
	vars  map[string]value
	err   *fault.Error
}

func (l *luaReader) fail(want string) {
	if l.err == nil {
		got := "the end of the data"
		kind := fault.ErrShort
		if l.at < len(l.data) {
			got, kind = fmt.Sprintf("%.20q", l.data[l.at:]), fault.ErrFormat
		}
		l.err = &fault.Error{Offset: int64(l.base + l.at), Want: want, Got: got, Err: kind}
	}
}

// readLua returns what a chunk returns, and the variables that it sets. Base is where it stands
// in the file.
func readLua(data []byte, base int) (returned value, vars map[string]value, err error) {
	l := luaReader{data: data, base: base, vars: map[string]value{"inf": math.Inf(1), "nan": math.NaN()}}
	for l.space(); l.err == nil && l.at < len(l.data); l.space() {
		if l.symbol(";") {
			continue
		}
		word := l.word()
		if word == "return" {
			returned = l.expression()
			l.symbol(";")
			if l.space(); l.at < len(l.data) {
				l.fail("the end of the data behind return")
			}
			break
		}
		if word == "local" {
			word = l.word()
		}
		if word == "" {
			l.fail("a table in Lua, as return {...}")
			break
		}
		l.assign(word)
	}
	if l.err != nil {
		return nil, nil, l.err
	}
	return returned, l.vars, nil
}

// assign reads what follows a variable that gets a value: _[1].x = {}.
func (l *luaReader) assign(name string) {
	var in *table
	var key value
	for {
		var next value
		switch {
		case l.symbol("["):
			next = l.key()
		case l.symbol("."):
			next = l.word()
			if next == "" {
				l.fail("a name behind the point")
			}
		case l.symbol("="):
			v := l.expression()
			switch {
			case l.err != nil:
			case in == nil:
				l.vars[name] = v
			default:
				in.set(key, v)
			}
			return
		default:
			l.fail("an assignment, or return")
		}
		if l.err != nil {
			return
		}
		old := l.vars[name]
		if in != nil {
			old = in.get(key)
		}
		t, ok := old.(*table)
		if !ok {
			l.fail("a table of which this is a part")
			return
		}
		in, key = t, next
	}
}

// key reads a key and the bracket behind it.
func (l *luaReader) key() value {
	key := l.expression()
	if n, ok := key.(float64); key == nil || ok && math.IsNaN(n) {
		l.fail("a key before this")
	}
	if !l.symbol("]") {
		l.fail("]")
	}
	return key
}

// space skips white space and comments.
func (l *luaReader) space() {
	for l.at < len(l.data) {
		rest := l.data[l.at:]
		switch {
		case strings.IndexByte(" \t\r\n\f\v", rest[0]) >= 0:
			l.at++
		case len(rest) > 1 && rest[0] == '-' && rest[1] == '-':
			l.at += 2
			if _, ok := l.long(); ok {
				continue
			}
			for l.at < len(l.data) && l.data[l.at] != '\n' {
				l.at++
			}
		default:
			return
		}
	}
}

// symbol reports whether a symbol follows, and skips it.
func (l *luaReader) symbol(s string) bool {
	l.space()
	if l.err == nil && strings.HasPrefix(string(l.data[l.at:min(l.at+len(s), len(l.data))]), s) {
		l.at += len(s)
		return true
	}
	return false
}

// word reads a name or keyword, "" if there is none.
func (l *luaReader) word() string {
	l.space()
	start := l.at
	for l.err == nil && l.at < len(l.data) {
		c := l.data[l.at]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9' || l.at == start) {
			break
		}
		l.at++
	}
	return string(l.data[start:l.at])
}

func (l *luaReader) expression() value {
	if l.depth++; l.depth > maxDepth {
		l.fail(fmt.Sprintf("values no deeper in each other than %d", maxDepth))
	}
	defer func() { l.depth-- }()
	l.space()
	if l.err != nil || l.at == len(l.data) {
		l.fail("a value")
		return nil
	}
	switch c := l.data[l.at]; {
	case c == '{':
		return l.table()
	case c == '"' || c == '\'':
		return l.text()
	case c == '[':
		if s, ok := l.long(); ok {
			return s
		}
	case c >= '0' && c <= '9' || c == '.' || c == '-':
		return l.number()
	default:
		start := l.at
		switch name := l.word(); name {
		case "nil":
			return nil
		case "true", "false":
			return name == "true"
		default:
			if v, ok := l.vars[name]; ok {
				return l.index(v)
			}
			if name == "math" && l.symbol(".") && l.word() == "huge" {
				return math.Inf(1)
			}
			l.at = start
		}
	}
	l.fail("a value: a table, a string, a number, true, false or nil")
	return nil
}

// index reads the keys behind a variable: _[1].
func (l *luaReader) index(v value) value {
	for l.err == nil {
		var key value
		switch {
		case l.symbol("["):
			key = l.key()
		case l.symbol("."):
			key = l.word()
		default:
			return v
		}
		t, ok := v.(*table)
		if !ok {
			l.fail("a table of which this is a part")
			return nil
		}
		v = t.get(key)
	}
	return nil
}

func (l *luaReader) table() value {
	l.at++
	t := new(table)
	for l.err == nil && !l.symbol("}") {
		start := l.at
		if l.at < len(l.data) && l.data[l.at] == '[' {
			if _, ok := l.long(); !ok {
				l.at++
				key := l.key()
				if !l.symbol("=") {
					l.fail("= behind a key")
				}
				v := l.expression()
				if l.err == nil {
					t.set(key, v)
				}
				l.separator()
				continue
			}
			l.at = start
		}
		if name := l.word(); name != "" {
			if l.symbol("=") {
				v := l.expression()
				if l.err == nil {
					t.set(name, v)
				}
				l.separator()
				continue
			}
			l.at = start
		}
		t.list = append(t.list, l.expression())
		l.separator()
	}
	return t
}

// separator reads what stands between two values.
func (l *luaReader) separator() {
	if l.symbol(",") || l.symbol(";") {
		return
	}
	if l.space(); l.err == nil && (l.at == len(l.data) || l.data[l.at] != '}') {
		l.fail(", or }")
	}
}

// number reads a number. The engine writes infinity as 1/0 and no number as 0/0.
func (l *luaReader) number() value {
	minus := l.symbol("-")
	v := l.plain()
	if minus {
		v = -v
	}
	if l.symbol("/") {
		v /= l.plain()
	}
	return v
}

// plain reads a number without a sign.
func (l *luaReader) plain() float64 {
	l.space()
	start := l.at
	for ; l.at < len(l.data); l.at++ {
		c := l.data[l.at]
		if (c == '+' || c == '-') && l.at > start && l.data[l.at-1]|0x20 == 'e' {
			continue
		}
		if c != '.' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
	}
	text := string(l.data[start:l.at])
	switch text {
	case "inf":
		return math.Inf(1)
	case "nan":
		return math.NaN()
	}
	v, err := strconv.ParseFloat(text, 64)
	if n, wrong := strconv.ParseUint(text, 0, 64); wrong == nil && err != nil { // hexadecimal
		v, err = float64(n), nil
	}
	if err != nil && !math.IsInf(v, 0) {
		l.at = start
		l.fail("a number")
	}
	return v
}

// text reads a string in quotes.
func (l *luaReader) text() value {
	quote := l.data[l.at]
	start := l.at
	var b []byte
	for l.at++; l.at < len(l.data); l.at++ {
		c := l.data[l.at]
		switch {
		case c == quote:
			l.at++
			return string(b)
		case c == '\n':
			l.fail("the end of the string before the end of the line")
			return nil
		case c != '\\':
			b = append(b, c)
			continue
		}
		if l.at++; l.at == len(l.data) {
			break
		}
		c = l.data[l.at]
		if i := strings.IndexByte("abfnrtv", c); i >= 0 {
			b = append(b, "\a\b\f\n\r\t\v"[i])
			continue
		}
		switch {
		case c >= '0' && c <= '9':
			n := 0
			end := l.at
			for end < len(l.data) && end < l.at+3 && l.data[end] >= '0' && l.data[end] <= '9' {
				n = n*10 + int(l.data[end]-'0')
				end++
			}
			if n > 255 {
				l.fail("a byte up to 255")
				return nil
			}
			b = append(b, byte(n))
			l.at = end - 1
		case c == 'x' && l.at+2 < len(l.data):
			n, err := strconv.ParseUint(string(l.data[l.at+1:l.at+3]), 16, 8)
			if err != nil {
				l.fail("two hexadecimal digits")
				return nil
			}
			b = append(b, byte(n))
			l.at += 2
		case c == '\r' && l.at+1 < len(l.data) && l.data[l.at+1] == '\n':
			b = append(b, '\n')
			l.at++
		default: // a quote, a backslash, the end of a line
			b = append(b, c)
		}
	}
	l.at = start
	l.fail("a string with an end")
	return nil
}

// long reads a string in long brackets, if there is one: [[text]].
func (l *luaReader) long() (string, bool) {
	rest := l.data[l.at:]
	if len(rest) == 0 || rest[0] != '[' {
		return "", false
	}
	equals := 1
	for equals < len(rest) && rest[equals] == '=' {
		equals++
	}
	if equals == len(rest) || rest[equals] != '[' {
		return "", false
	}
	end := bytes.Index(rest[equals+1:], []byte("]"+strings.Repeat("=", equals-1)+"]"))
	if end < 0 {
		return "", false
	}
	text := string(rest[equals+1 : equals+1+end])
	l.at += 2*equals + 2 + end
	text = strings.TrimPrefix(text, "\r")
	return strings.TrimPrefix(text, "\n"), true
}

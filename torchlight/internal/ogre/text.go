package ogre

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/torchlight/text"
)

// A text is a sequence of words, with a line for each chunk. A chunk begins with its keyword, and continues with its
// fields: the name of the field, except for those that every chunk of the kind has first, and the value. A string is in
// quotes, as in Go. Spaces and line feeds are equal, and # begins a comment.

// column is a group of equal values in a row of vertices.
type column struct {
	count int  // of values of four bytes
	hex   bool // the values are bytes, not numbers
}

// printer writes a text.
type printer struct {
	out   []byte
	depth int
}

const notANumber = "nan:"

func (p *printer) reads() bool                               { return false }
func (p *printer) ok() bool                                  { return true }
func (p *printer) fail(_, _, _ string)                       {}
func (p *printer) next() uint16                              { return 0 }
func (p *printer) uncounted(int)                             {}
func (p *printer) more(_ int64, _ string, present bool) bool { return present }
func (p *printer) close()                                    { p.depth-- }
func (p *printer) row()                                      { p.line() }

func (p *printer) line() {
	if len(p.out) > 0 {
		p.out = append(p.out, '\n')
	}
	for range p.depth {
		p.out = append(p.out, "  "...)
	}
}

// name begins a value.
func (p *printer) name(name string) {
	if n := len(p.out); n > 0 && p.out[n-1] != '\n' && p.out[n-1] != ' ' {
		p.out = append(p.out, ' ')
	}
	if name[0] != '_' {
		p.out = append(append(p.out, name...), ' ')
	}
}

func (p *printer) open(k kind, _ int, excess *int64) {
	p.line()
	p.out = append(p.out, k.name...)
	if *excess != 0 {
		p.out = fmt.Appendf(p.out, " length%+d", *excess)
	}
	p.depth++
}

func (p *printer) unsigned(name string, _ int, v *uint32) {
	p.name(name)
	p.out = strconv.AppendUint(p.out, uint64(*v), 10)
}

func (p *printer) choice(name string, v *uint16, names map[uint16]string) {
	p.name(name)
	if word := names[*v]; word != "" {
		p.out = append(p.out, word...)
	} else {
		p.out = strconv.AppendUint(p.out, uint64(*v), 10)
	}
}

func (p *printer) float(name string, v *float32) {
	p.name(name)
	if *v != *v {
		p.out = fmt.Appendf(p.out, "%s%08x", notANumber, math.Float32bits(*v))
		return
	}
	p.out = strconv.AppendFloat(p.out, float64(*v), 'g', -1, 32)
}

func (p *printer) text(name string, s *string) {
	p.name(name)
	p.out = strconv.AppendQuote(p.out, *s)
}

func (p *printer) indices(_, _ int, v *[]uint32) {
	for i, index := range *v {
		if i%3 == 0 {
			p.row()
		}
		p.unsigned("_", 32, &index)
	}
}

func (p *printer) vertices(count, stride int, columns []column, data *[]byte) {
	if stride == 0 || len(*data)/stride < count {
		return
	}
	for row := range count {
		p.row()
		v := (*data)[row*stride : (row+1)*stride]
		if columns == nil {
			p.out = hex.AppendEncode(p.out, v)
			continue
		}
		for _, c := range columns {
			for range c.count {
				if c.hex {
					p.name("_")
					p.out = hex.AppendEncode(p.out, v[:4])
				} else {
					f := math.Float32frombits(binary.LittleEndian.Uint32(v))
					p.float("_", &f)
				}
				v = v[4:]
			}
		}
	}
}

// restLine is the number of bytes of the rest of a file in a line.
const restLine = 32

func (p *printer) rest(v *[]byte) {
	if len(*v) == 0 {
		return
	}
	p.line()
	p.out = append(p.out, keywordRest...)
	p.depth++
	for b := *v; len(b) > 0; b = b[min(len(b), restLine):] {
		p.row()
		p.out = hex.AppendEncode(p.out, b[:min(len(b), restLine)])
	}
	p.depth--
}

// keywordRest begins the bytes of the chunks that are not read.
const keywordRest = "rest"

// parser reads a text.
type parser struct {
	src  []byte
	at   int // of the next word
	ids  map[string]uint16
	err  *text.Error
	word []byte // the last word that was looked up, at this place
	last int    // its end, or 0
}

func (p *parser) reads() bool   { return true }
func (p *parser) ok() bool      { return p.err == nil }
func (p *parser) row()          {}
func (p *parser) close()        {}
func (p *parser) uncounted(int) {}

func (p *parser) fail(name, want, got string) {
	if p.err != nil {
		return
	}
	line := 1 + bytes.Count(p.src[:p.at], []byte("\n"))
	if name = strings.TrimPrefix(name, "_"); name != "" {
		want = name + ": " + want
	}
	p.err = &text.Error{Line: line, Want: want, Got: got, Err: fault.ErrFormat}
}

// peek returns the next word without reading it, or "" at the end.
func (p *parser) peek() []byte {
	if p.last != 0 {
		return p.word
	}
	for p.at < len(p.src) {
		switch c := p.src[p.at]; {
		case c == '#':
			end := bytes.IndexByte(p.src[p.at:], '\n')
			if end < 0 {
				end = len(p.src) - p.at
			}
			p.at += end
		case c <= ' ':
			p.at++
		case c == '"':
			end := p.at + 1
			for end < len(p.src) && p.src[end] != '"' && p.src[end] != '\n' {
				if p.src[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(p.src) || p.src[end] != '"' {
				p.fail("", "a string that ends in quotes", string(p.src[p.at:min(end, len(p.src), p.at+40)]))
				return nil
			}
			p.word, p.last = p.src[p.at:end+1], end+1
			return p.word
		default:
			end := bytes.IndexFunc(p.src[p.at:], func(r rune) bool { return r <= ' ' || r == '#' || r == '"' })
			if end < 0 {
				end = len(p.src) - p.at
			}
			p.word, p.last = p.src[p.at:p.at+end], p.at+end
			return p.word
		}
	}
	return nil
}

// take reads the next word, which must exist. Want describes it.
func (p *parser) take(name, want string) []byte {
	if !p.ok() {
		return nil
	}
	word := p.peek()
	if word == nil {
		p.fail(name, want, "the end of the text")
		return nil
	}
	p.at, p.last = p.last, 0
	return word
}

// skip reads the next word if it is the given one.
func (p *parser) skip(word string) bool {
	if !p.ok() || string(p.peek()) != word {
		return false
	}
	p.take("", "")
	return true
}

func (p *parser) name(name string) {
	if name[0] != '_' && !p.skip(name) {
		p.fail("", strconv.Quote(name), p.found())
	}
}

// found describes the next word.
func (p *parser) found() string {
	word := p.peek()
	if word == nil {
		return "the end of the text"
	}
	if word[0] == '"' {
		return string(word[:min(len(word), 40)])
	}
	return strconv.Quote(string(word[:min(len(word), 40)]))
}

func (p *parser) next() uint16 {
	if !p.ok() {
		return 0
	}
	return p.ids[string(p.peek())]
}

func (p *parser) open(k kind, _ int, excess *int64) {
	p.name(k.name)
	if sum, is := bytes.CutPrefix(p.peek(), []byte("length")); is && p.ok() {
		n, err := strconv.ParseInt(string(sum), 10, 64)
		if err != nil || n > math.MaxUint32 || n < -math.MaxUint32 {
			p.fail("length", "a number of bytes such as -86 or +4", p.found())
		}
		*excess = n
		p.take("length", "")
	}
}

func (p *parser) more(_ int64, name string, _ bool) bool { return p.ok() && string(p.peek()) == name }

func (p *parser) unsigned(name string, bits int, v *uint32) {
	p.name(name)
	want := fmt.Sprintf("a number from 0 to %d", uint64(1)<<bits-1)
	word := p.take(name, want)
	n, err := strconv.ParseUint(string(word), 10, bits)
	if p.ok() && err != nil {
		p.fail(name, want, strconv.Quote(string(word)))
	}
	*v = uint32(n)
}

func (p *parser) choice(name string, v *uint16, names map[uint16]string) {
	p.name(name)
	word := string(p.take(name, "a word or a number"))
	for n, known := range names {
		if known == word {
			*v = n
			return
		}
	}
	n, err := strconv.ParseUint(word, 10, 16)
	if p.ok() && err != nil {
		p.fail(name, "a number or one of "+strings.Join(slices.Sorted(maps.Values(names)), ", "), strconv.Quote(word))
	}
	*v = uint16(n)
}

func (p *parser) float(name string, v *float32) {
	p.name(name)
	word := p.take(name, "a number")
	if !p.ok() {
		return
	}
	if bits, is := bytes.CutPrefix(word, []byte(notANumber)); is {
		n, err := strconv.ParseUint(string(bits), 16, 32)
		if *v = math.Float32frombits(uint32(n)); err == nil && *v != *v {
			return
		}
		p.fail(name, notANumber+" and 8 hexadecimal digits that are not a number", strconv.Quote(string(word)))
		return
	}
	n, err := strconv.ParseFloat(string(word), 32)
	if err != nil {
		p.fail(name, "a number", strconv.Quote(string(word)))
	}
	*v = float32(n)
}

func (p *parser) text(name string, s *string) {
	p.name(name)
	word := p.take(name, "a string in quotes")
	v, err := strconv.Unquote(string(word))
	if p.ok() && (err != nil || word[0] != '"') {
		p.fail(name, "a string in quotes", strconv.Quote(string(word)))
	}
	*s = v
}

func (p *parser) indices(count, _ int, v *[]uint32) {
	for range count {
		var index uint32
		if p.unsigned("_index", 32, &index); !p.ok() {
			return
		}
		*v = append(*v, index)
	}
}

// bytes reads n bytes as a word of hexadecimal digits.
func (p *parser) bytes(n int, to []byte) []byte {
	want := fmt.Sprintf("%d hexadecimal digits", 2*n)
	word := p.take("", want)
	if !p.ok() {
		return to
	}
	out, err := hex.AppendDecode(to, word)
	if err != nil || len(out)-len(to) != n {
		p.fail("", want, strconv.Quote(string(word[:min(len(word), 40)])))
	}
	return out
}

func (p *parser) vertices(count, stride int, columns []column, data *[]byte) {
	if stride == 0 {
		return
	}
	for range count {
		if columns == nil {
			*data = p.bytes(stride, *data)
		}
		for _, c := range columns {
			for range c.count {
				if c.hex {
					*data = p.bytes(4, *data)
				} else {
					var f float32
					p.float("_", &f)
					*data = binary.LittleEndian.AppendUint32(*data, math.Float32bits(f))
				}
			}
		}
		if !p.ok() {
			return
		}
	}
}

func (p *parser) rest(v *[]byte) {
	if !p.skip(keywordRest) {
		return
	}
	for p.ok() && p.peek() != nil {
		*v = p.bytes(min(restLine, max(len(p.peek())/2, 1)), *v)
	}
}

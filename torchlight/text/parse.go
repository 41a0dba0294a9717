package text

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"trowel/internal/bin"
)

// MaxDepth is how deep nodes may stand in each other.
const MaxDepth = 200

// File is a text with all that its bytes are made of.
type File struct {
	Root     *Node
	Encoding Encoding
	BOM      bool   // begins with a byte order mark
	LineEnd  string // of the first line: "\r\n" or "\n"
	Unended  bool   // the last line has no end, as in most that people save

	source []byte // what was parsed
}

// Error says where a text is wrong.
type Error struct {
	Line, Column int    // from 1; columns are characters
	Want, Got    string // what was expected, and what was there instead
	Err          error  // one of the sentinels of the package bin
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.problem())
}

func (e *Error) problem() string {
	s := "expected " + e.Want
	if e.Got != "" {
		s += ", found " + e.Got
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Recognize reports whether head, the first bytes of a file (a kilobyte is
// plenty), begins a text: with a line [NAME], and another tag in the next.
func Recognize(head []byte) bool {
	head = head[:min(len(head), 4096)]
	e, bom := detect(head)
	if bom {
		head = head[len(boms[e]):]
	}
	if e != UTF8 {
		head = head[:len(head)&^1]
	}
	s, err := decode(head, e)
	if err != nil && e == UTF8 { // perhaps cut amid a character
		s = string(head[:bytes.LastIndexByte(head, '\n')+1])
	}
	line, rest, _ := strings.Cut(afterComments(s), "\n")
	line = strings.TrimRight(line, " \t\r")
	if !strings.HasPrefix(line, "[") || strings.HasPrefix(line, "[/") || !strings.HasSuffix(line, "]") {
		return false
	}
	rest = afterComments(rest)
	return strings.HasPrefix(rest, "<") || strings.HasPrefix(rest, "[")
}

// afterComments passes over empty lines and comments.
func afterComments(s string) string {
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if !strings.HasPrefix(s, "//") {
			return s
		}
		_, s, _ = strings.Cut(s, "\n")
	}
}

// Parse reads a text. It wants exactly one node around all others, tags that
// are closed by their own name in any case, and types that exist; it takes any
// indentation, empty lines, comments, and values that make no sense. Errors are
// *[Error].
func Parse(data []byte) (*File, error) { return parse(data, nil) }

// parse is Parse that shows each item with its line, from 1.
func parse(data []byte, see func(line int, it Item)) (*File, error) {
	f := &File{source: data, LineEnd: "\r\n"}
	f.Encoding, f.BOM = detect(data)
	if f.BOM {
		data = data[len(boms[f.Encoding]):]
	}
	s, err := decode(data, f.Encoding)
	if err != nil {
		return nil, err
	}
	if i := strings.IndexByte(s, '\n'); i >= 0 && (i == 0 || s[i-1] != '\r') {
		f.LineEnd = "\n"
	}
	f.Unended = !strings.HasSuffix(s, "\n")
	p := parser{rest: s, see: see}
	if f.Root, err = p.parse(); err != nil {
		return nil, err
	}
	return f, nil
}

type parser struct {
	rest  string // what follows the line
	line  string // without line end
	at    int    // where the tag begins in line
	num   int    // of the line, from 1
	open  []open
	items []Item     // those of the open nodes
	props []Property // to be used next
	root  *Node
	see   func(line int, it Item) // nil if nobody looks
}

// open is a node that is not closed yet.
type open struct {
	node  *Node
	first int // its first item in parser.items
}

func (p *parser) parse() (*Node, error) {
	for p.rest != "" {
		p.next()
		tag := p.line[p.at:]
		var err error
		switch {
		case strings.HasPrefix(tag, "//"), strings.TrimRight(tag, " \t\r") == "":
		case tag[0] == '[':
			err = p.node(strings.TrimRight(tag, " \t\r"))
		case tag[0] == '<':
			err = p.property(tag)
		default:
			err = p.fail(p.at, bin.ErrFormat, "[NAME], [/NAME] or <TYPE>KEY:VALUE", quote(tag))
		}
		if err != nil {
			return nil, err
		}
	}
	p.at = len(p.line)
	switch {
	case len(p.open) > 0:
		return nil, p.fail(p.at, bin.ErrShort, "[/"+p.open[len(p.open)-1].node.Name+"]", "the end of the text")
	case p.root == nil:
		return nil, p.fail(p.at, bin.ErrShort, "[NAME]", "the end of the text")
	}
	return p.root, nil
}

// next goes to the next line.
func (p *parser) next() {
	p.num++
	if i := strings.IndexByte(p.rest, '\n'); i >= 0 {
		p.line, p.rest = p.rest[:i], p.rest[i+1:]
		p.line = strings.TrimSuffix(p.line, "\r")
	} else {
		p.line, p.rest = p.rest, ""
	}
	for p.at = 0; p.at < len(p.line) && (p.line[p.at] == '\t' || p.line[p.at] == ' '); p.at++ {
	}
}

// node reads a tag [NAME] or [/NAME].
func (p *parser) node(tag string) error {
	name, ok := strings.CutSuffix(tag[1:], "]")
	if !ok {
		return p.fail(p.at+len(tag), bin.ErrFormat, "]", "")
	}
	depth := len(p.open)
	if name, ok := strings.CutPrefix(name, "/"); ok {
		if depth == 0 {
			return p.fail(p.at, bin.ErrFormat, "[NAME]", quote(tag))
		}
		top := p.open[depth-1]
		if name != top.node.Name && !strings.EqualFold(name, top.node.Name) {
			return p.fail(p.at, bin.ErrFormat, "[/"+top.node.Name+"]", quote(tag))
		}
		top.node.Items = append([]Item(nil), p.items[top.first:]...)
		p.items = p.items[:top.first]
		p.open = p.open[:depth-1]
		return nil
	}
	n := &Node{Name: name}
	switch {
	case depth == MaxDepth:
		return p.fail(p.at, bin.ErrLimit, fmt.Sprintf("at most %d nodes inside each other", MaxDepth), quote(tag))
	case depth > 0:
		p.items = append(p.items, n)
	case p.root != nil:
		return p.fail(p.at, bin.ErrFormat, "the end of the text behind [/"+p.root.Name+"]", quote(tag))
	default:
		p.root = n
	}
	p.open = append(p.open, open{n, len(p.items)})
	if p.see != nil {
		p.see(p.num, n)
	}
	return nil
}

// property reads <TYPE>KEY:VALUE.
func (p *parser) property(tag string) error {
	if len(p.open) == 0 {
		return p.fail(p.at, bin.ErrFormat, "[NAME]", quote(tag))
	}
	typ, rest, ok := strings.Cut(tag[1:], ">")
	if !ok {
		return p.fail(len(p.line), bin.ErrFormat, ">", "")
	}
	t, ok := ParseType(typ)
	if !ok {
		return p.fail(p.at+1, bin.ErrFormat, "a type, such as STRING", quote(typ))
	}
	key, value, ok := strings.Cut(rest, ":")
	if !ok {
		return p.fail(len(p.line), bin.ErrFormat, "a colon behind the key", "")
	}
	if len(p.props) == 0 {
		p.props = make([]Property, 16)
	}
	p.props[0] = Property{t, key, value}
	p.items = append(p.items, &p.props[0])
	if p.see != nil {
		p.see(p.num, &p.props[0])
	}
	p.props = p.props[1:]
	return nil
}

// fail makes an error about byte at of the line.
func (p *parser) fail(at int, err error, want, got string) error {
	return &Error{max(p.num, 1), 1 + utf8.RuneCountInString(p.line[:at]), want, got, err}
}

// quote shows the beginning of what was found.
func quote(s string) string {
	const most = 40
	if r := []rune(s[:min(len(s), 4*most)]); len(r) > most {
		return fmt.Sprintf("%q...", string(r[:most]))
	}
	return fmt.Sprintf("%q", s)
}

// errorAtEnd makes an error about what follows a text.
func errorAtEnd(s string, err error, want, got string) error {
	line := strings.Count(s, "\n")
	return &Error{1 + line, 1 + utf8.RuneCountInString(s[strings.LastIndexByte(s, '\n')+1:]), want, got, err}
}

// notUTF8 makes an error about the first byte that is no UTF-8.
func notUTF8(data []byte) error {
	at := 0
	for {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		at += n
	}
	return errorAtEnd(string(data[:at]), bin.ErrFormat, "UTF-8 or, with a byte order mark, UTF-16", fmt.Sprintf("byte 0x%02X", data[at]))
}

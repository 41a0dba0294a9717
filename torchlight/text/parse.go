package text

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
)

// File is a text with all properties that determine its bytes. Parse makes a File; its zero value has no Root.
type File struct {
	Root     *Node
	Encoding Encoding
	BOM      bool   // the text begins with a byte order mark
	LineEnd  string // of the first line: "\r\n" or "\n"
	Unended  bool   // the last line has no line end, as in most texts saved by other editors

	source []byte // the text that was parsed
}

// Error is a problem at a position of a text.
type Error struct {
	Line, Column int    // from 1; columns count characters and are 0 for a whole line; line 0 is unknown
	Want, Got    string // what was expected and what was found; without Want, Got is the whole message
	Err          error  // one of the sentinels of the package fault

	// Wrong is set for a value that is not a number or truth value of its type, or is out of range. A text with such a
	// value cannot be compiled.
	Wrong bool

	mend mend // how Repair can fix it
}

func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return e.Problem()
	case e.Column == 0:
		return fmt.Sprintf("line %d: %s", e.Line, e.Problem())
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Problem())
}

// Problem returns the message without the position.
func (e *Error) Problem() string {
	if e.Want == "" {
		return e.Got
	}
	s := "expected " + e.Want
	if e.Got != "" {
		s += ", found " + e.Got
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Errors are all problems of a text, in the order of its lines. Its zero value is not an error.
type Errors []*Error

func (e Errors) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	return fmt.Sprintf("%v; and %s", e[0], words.Count(len(e)-1, "more error"))
}

// Unwrap returns the errors.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i := range e {
		all[i] = e[i]
	}
	return all
}

// AllErrors returns the problems of a text from its error err, or nil if err is about something else.
func AllErrors(err error) []*Error {
	var all Errors
	var one *Error
	switch {
	case errors.As(err, &all):
		return all
	case errors.As(err, &one):
		return Errors{one}
	}
	return nil
}

// Recognize reports whether head, the first bytes of a file (1 KiB is enough), is the beginning of a text: a line
// [NAME], followed by another tag.
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
	if err != nil && e == UTF8 { // head may end within a character
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

// afterComments skips empty lines and comments.
func afterComments(s string) string {
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if !strings.HasPrefix(s, "//") {
			return s
		}
		_, s, _ = strings.Cut(s, "\n")
	}
}

// Parse reads a text. It requires exactly one node around all others, tags that are closed by their own name, ignoring
// case, and types that exist. It accepts any indentation, empty lines, comments, and invalid values. The error is an
// *[Error], or [Errors] if several lines are wrong.
func Parse(data []byte) (*File, error) { return parse(data, nil) }

// ParseLines works like Parse and also returns the line of each item, from 1.
func ParseLines(data []byte) (*File, map[Item]int, error) {
	lines := make(map[Item]int)
	f, err := parse(data, func(line int, it Item) { lines[it] = line })
	return f, lines, err
}

// parse works like Parse and calls see for each item with its line, from 1.
func parse(data []byte, see func(line int, it Item)) (*File, error) {
	return parseSeeing(data, see, nil)
}

// parseSeeing works like parse and calls closed for each node with the line that closes it.
func parseSeeing(data []byte, see func(line int, it Item), closed func(line int, n *Node)) (*File, error) {
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
	p := parser{rest: s, see: see, closed: closed}
	if f.Root, err = p.parse(); err != nil {
		return nil, err
	}
	return f, nil
}

type parser struct {
	rest  string // the text after the line
	line  string // without line end
	at    int    // where the tag begins in line
	num   int    // number of the line, from 1
	open  []open
	items []Item     // items of the open nodes
	props []Property // preallocated properties
	root  *Node
	see   func(line int, it Item) // may be nil

	closed func(line int, n *Node) // may be nil

	errors Errors
}

// open is a node that is not closed yet.
type open struct {
	node  *Node
	first int // index of its first item in parser.items

	line, column int
}

// maxErrors is the greatest number of errors that are reported for a text.
const maxErrors = 100

// parse parses the text. After an error it continues as if the line did not exist.
func (p *parser) parse() (*Node, error) {
	for p.rest != "" && len(p.errors) < maxErrors {
		p.next()
		tag := p.line[p.at:]
		switch {
		case strings.HasPrefix(tag, "//"), strings.TrimRight(tag, " \t\r") == "":
		case tag[0] == '[':
			p.node(strings.TrimRight(tag, " \t\r"))
		case tag[0] == '<':
			p.property(tag)
		default:
			p.failMending(mendJoin, p.at, fault.ErrFormat, "[NAME], [/NAME] or <TYPE>KEY:VALUE", quote(tag))
		}
	}
	p.at = len(p.line)
	switch {
	case len(p.errors) == maxErrors:
	case p.root == nil:
		p.fail(p.at, fault.ErrShort, "[NAME]", "the end of the text")
	case len(p.open) > 0:
		p.unclosed(0, fault.ErrShort, "the end of the text")
	}
	switch len(p.errors) {
	case 0:
		return p.root, nil
	case 1:
		return nil, p.errors[0]
	}
	slices.SortStableFunc(p.errors, func(a, b *Error) int { return a.Line - b.Line })
	return nil, p.errors
}

// unclosed reports nodes that are still open when an outer node, the one at depth, is closed, or at the end. If one of
// them was opened directly inside a node of the same name, its tag was probably meant as a closing tag: the error is
// reported there.
func (p *parser) unclosed(depth int, err error, got string) {
	top := p.open[len(p.open)-1]
	at := &Error{max(p.num, 1), p.column(p.at), "[/" + top.node.Name + "]", got, err, false, mendInsert}
	for i := len(p.open) - 1; i > depth && i > 0; i-- {
		if o := p.open[i]; strings.EqualFold(o.node.Name, p.open[i-1].node.Name) {
			at.Line, at.Column, at.Want, at.Got = o.line, o.column, "[/"+o.node.Name+"]", "["+o.node.Name+"], which is not closed"
			at.mend = mendClose
			break
		}
	}
	p.errors = append(p.errors, at)
}

// next moves to the next line.
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

// maxDepth returns the number of nodes in each other that a text may have: those of a data file, or of a layout, whose text has
// two nodes and a group for each object. Both are counted again when the text is compiled.
func maxDepth() int64 {
	return max(effort.DataDepth.Limit(0), 3*effort.LayoutDepth.Limit(0))
}

// node reads a tag [NAME] or [/NAME].
func (p *parser) node(tag string) {
	name, ok := strings.CutSuffix(tag[1:], "]")
	if !ok {
		p.failMending(mendBracket, p.at+len(tag), fault.ErrFormat, "]", "")
		return
	}
	depth := len(p.open)
	if name, ok := strings.CutPrefix(name, "/"); ok {
		p.close(name, tag)
		return
	}
	n := &Node{Name: name}
	switch {
	case int64(depth) >= maxDepth():
		e := effort.DataDepth.Over(int64(depth) + 1)
		p.fail(p.at, e.Err, e.Want, e.Got)
		p.rest, p.open = "", nil // all following errors would be consequences of this one
		return
	case depth > 0:
		p.items = append(p.items, n)
	case p.root != nil:
		p.fail(p.at, fault.ErrFormat, "the end of the text after [/"+p.root.Name+"]", quote(tag))
		p.rest = ""
		return
	default:
		p.root = n
	}
	p.open = append(p.open, open{n, len(p.items), p.num, p.column(p.at)})
	if p.see != nil {
		p.see(p.num, n)
	}
}

// close reads a tag [/NAME]. If it does not close the innermost node, it closes the nearest node with its name; if
// there is none, it is treated as if it had the right name.
func (p *parser) close(name, tag string) {
	depth := len(p.open)
	if depth == 0 {
		p.fail(p.at, fault.ErrFormat, "[NAME]", quote(tag))
		return
	}
	at := depth - 1
	for ; at >= 0; at-- {
		if n := p.open[at].node.Name; n == name || strings.EqualFold(n, name) {
			break
		}
	}
	if at != depth-1 {
		p.unclosed(max(at, 0), fault.ErrFormat, quote(tag))
		if e := p.errors[len(p.errors)-1]; at < 0 && e.mend == mendInsert {
			e.mend = mendName
		}
		if at < 0 {
			at = depth - 1
		}
	}
	top := p.open[at]
	top.node.Items = append([]Item(nil), p.items[top.first:]...)
	p.items = p.items[:top.first]
	p.open = p.open[:at]
	if p.closed != nil {
		p.closed(p.num, top.node)
	}
}

// property reads <TYPE>KEY:VALUE.
func (p *parser) property(tag string) {
	if len(p.open) == 0 {
		p.fail(p.at, fault.ErrFormat, "[NAME]", quote(tag))
		return
	}
	typ, rest, ok := strings.Cut(tag[1:], ">")
	if !ok {
		p.fail(len(p.line), fault.ErrFormat, ">", "")
		return
	}
	t, ok := ParseType(typ)
	if !ok {
		p.fail(p.at+1, fault.ErrFormat, "a type, such as STRING", quote(typ))
		return
	}
	key, value, ok := strings.Cut(rest, ":")
	if !ok {
		p.fail(len(p.line), fault.ErrFormat, "a colon after the key", "")
		return
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
}

// fail records an error at byte at of the line.
func (p *parser) fail(at int, err error, want, got string) {
	p.failMending(noMend, at, err, want, got)
}

func (p *parser) failMending(how mend, at int, err error, want, got string) {
	p.errors = append(p.errors, &Error{max(p.num, 1), p.column(at), want, got, err, false, how})
}

// column returns the column of byte at of the line.
func (p *parser) column(at int) int { return 1 + utf8.RuneCountInString(p.line[:at]) }

// quote quotes the beginning of a text for a message.
func quote(s string) string {
	const most = 40
	if r := []rune(s[:min(len(s), 4*most)]); len(r) > most {
		return fmt.Sprintf("%q...", string(r[:most]))
	}
	return fmt.Sprintf("%q", s)
}

// errorAtEnd returns an error at the end of a text.
func errorAtEnd(s string, err error, want, got string) error {
	line := strings.Count(s, "\n")
	return &Error{1 + line, 1 + utf8.RuneCountInString(s[strings.LastIndexByte(s, '\n')+1:]), want, got, err, false, noMend}
}

// notUTF8 returns an error about the first byte that is not valid UTF-8.
func notUTF8(data []byte) error {
	at := 0
	for {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		at += n
	}
	return errorAtEnd(string(data[:at]), fault.ErrFormat, "UTF-8 or, with a byte order mark, UTF-16", fmt.Sprintf("byte 0x%02X", data[at]))
}

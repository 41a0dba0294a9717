package schematic

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
)

// Parse reads the text of a schematic. The error is a *[fault.TextError] with line and column.
func Parse(text []byte) (*Schematic, error) {
	p := parser{rest: text, s: new(Schematic)}
	p.parse()
	if p.err != nil {
		return nil, p.err
	}
	if p.size < 0 {
		p.line, p.at = 0, 0
		p.fail("expected a line with the size")
		return nil, p.err
	}
	return p.s, nil
}

// parser reads lines, and the words of a line.
type parser struct {
	rest []byte
	cur  string
	line int
	at   int

	s    *Schematic
	name func(string) (uint16, error)
	size int // the number of nodes; -1 until it is known
	err  error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		e := &fault.TextError{Line: p.line, Msg: fmt.Sprintf(format, args...)}
		if p.line > 0 {
			e.Column = utf8.RuneCountInString(p.cur[:min(p.at, len(p.cur))]) + 1
		}
		p.err = e
	}
}

// next moves to the next line that is neither empty nor a comment.
func (p *parser) next() bool {
	for p.err == nil && len(p.rest) > 0 {
		line, rest, _ := bytes.Cut(p.rest, []byte("\n"))
		p.rest, p.cur, p.at = rest, string(bytes.TrimSuffix(line, []byte("\r"))), 0
		p.line++
		if !p.ended() && p.cur[p.at] != '#' {
			return true
		}
	}
	return false
}

func (p *parser) ended() bool {
	for p.at < len(p.cur) && (p.cur[p.at] == ' ' || p.cur[p.at] == '\t') {
		p.at++
	}
	return p.err != nil || p.at == len(p.cur)
}

func (p *parser) end() {
	if !p.ended() {
		p.fail("expected the end of the line")
	}
}

// word reads a quoted or unquoted word.
func (p *parser) word(want string) string {
	if p.ended() {
		p.fail("expected %s", want)
		return ""
	}
	if p.cur[p.at] == '"' {
		quote, err := strconv.QuotedPrefix(p.cur[p.at:])
		if err != nil {
			p.fail("expected a quoted string as in Go")
			return ""
		}
		word, _ := strconv.Unquote(quote)
		p.at += len(quote)
		return word
	}
	start := p.at
	for p.at < len(p.cur) && bare(rune(p.cur[p.at])) {
		p.at++
	}
	if p.at == start {
		p.fail("expected %s, or quotes around it", want)
	}
	return p.cur[start:p.at]
}

// number reads a number up to most.
func (p *parser) number(most int) int {
	p.ended()
	start := p.at
	for p.at < len(p.cur) && p.cur[p.at] >= '0' && p.cur[p.at] <= '9' {
		p.at++
	}
	n, err := strconv.Atoi(p.cur[start:p.at])
	if err != nil || n > most {
		p.at = start
		p.fail("expected a number from 0 to %d", most)
		return 0
	}
	return n
}

func (p *parser) sign(c byte) bool {
	if p.err == nil && p.at < len(p.cur) && p.cur[p.at] == c {
		p.at++
		return true
	}
	return false
}

// vector reads three numbers separated by commas.
func (p *parser) vector() (v [3]int) {
	p.ended()
	start := p.at
	word := p.word("three numbers such as 1,2,3")
	parts := strings.Split(word, ",")
	for i := range v {
		n, err := int64(0), error(nil)
		if len(parts) == len(v) {
			n, err = strconv.ParseInt(parts[i], 10, 32)
		}
		if len(parts) != len(v) || err != nil {
			p.at = start
			p.fail("expected three numbers such as 1,2,3")
			return v
		}
		v[i] = int(n)
	}
	return v
}

// span reads a number or a range of numbers that must begin with first.
func (p *parser) span(first, side int) (n int) {
	p.ended()
	at := p.at
	from := p.number(MaxSide)
	to := from
	if p.sign('-') {
		to = p.number(MaxSide)
	}
	if p.err == nil && (from != first || to < from || to >= side) {
		p.at = at
		p.fail("expected %d, or a range from there up to %d at most", first, side-1)
	}
	return to - from + 1
}

// times reads a repeat count such as *3.
func (p *parser) times(most int) int {
	if !p.sign('*') {
		return 1
	}
	n := p.number(most)
	if n == 0 {
		p.fail("expected at least once")
	}
	return n
}

func (p *parser) parse() {
	p.size = -1
	if !p.next() || p.word("schematic") != "schematic" {
		p.fail("expected a line with the word schematic and the form first")
		return
	}
	s := p.s
	s.Form = Form(p.word("a form"))
	switch s.Form {
	case Lua:
	case MTS, WorldEdit:
		if s.Version = p.number(s.Form.Newest()); s.Version == 0 {
			p.fail("expected a version from 1 to %d", s.Form.Newest())
		}
	default:
		p.fail("expected mts, lua or worldedit")
	}
	p.end()
	seen := make(map[string]bool)
	for p.next() {
		at := p.at
		word := p.word("a section")
		if p.err == nil && seen[word] {
			p.at = at
			p.fail("duplicate %s", word)
		}
		seen[word] = true
		if word != "size" && p.size < 0 {
			p.fail("expected the size first")
		}
		switch word {
		case "size":
			s.Size = p.vector()
			n, err := volume(s.Size)
			if err != nil {
				p.fail("%v", err)
			}
			p.size = n
			p.end()
			if n == 0 {
				s.Name, s.Param2, s.Prob = []uint16{}, []uint8{}, []uint8{}
			}
		case "origin":
			s.Origin = p.vector()
			p.end()
		case "header":
			s.Header = p.word("fields")
			p.end()
		case "slices":
			for !p.ended() {
				v := p.number(Always)
				for range p.times(s.Size[1]) {
					s.Slices = append(s.Slices, uint8(v))
				}
				if len(s.Slices) > s.Size[1] {
					p.fail("expected %s, not more", words.Count(s.Size[1], "slice"))
				}
			}
			if len(s.Slices) < s.Size[1] {
				p.fail("expected %s, not %d", words.Count(s.Size[1], "slice"), len(s.Slices))
			}
		case "nodes":
			p.end()
			p.nodes()
		case "meta":
			p.end()
			p.metadata()
			return
		default:
			p.at = at
			p.fail("unknown section %.40q", word)
		}
	}
	if p.err == nil && len(s.Name) < p.size {
		p.fail("expected %s, not %d", words.Count(p.size, "node"), len(s.Name))
	}
}

// nodes reads the planes and rows.
func (p *parser) nodes() {
	s := p.s
	p.name = s.Namer()
	row, plane := s.Size[0], s.Size[0]*s.Size[1]
	for z := 0; z < s.Size[2] && p.err == nil; {
		if !p.next() || p.word("z") != "z" {
			p.fail("expected z %d", z)
			return
		}
		zs := p.span(z, s.Size[2])
		p.end()
		for y := 0; y < s.Size[1] && p.err == nil; {
			if !p.next() || p.word("y") != "y" {
				p.fail("expected y %d", y)
				return
			}
			ys := p.span(y, s.Size[1])
			for x := 0; x < row || !p.ended(); {
				x += p.node(row - x)
				if p.err != nil {
					return
				}
			}
			for range ys - 1 {
				p.again(row)
			}
			y += ys
		}
		for range zs - 1 {
			p.again(plane)
		}
		z += zs
	}
}

// again repeats the last n nodes.
func (p *parser) again(n int) {
	s := p.s
	if p.err != nil {
		return
	}
	from := len(s.Name) - n
	s.Name, s.Param2, s.Prob = append(s.Name, s.Name[from:]...), append(s.Param2, s.Param2[from:]...), append(s.Prob, s.Prob[from:]...)
	if s.Param1 != nil {
		s.Param1 = append(s.Param1, s.Param1[from:]...)
	}
	if s.Force != nil {
		s.Force = append(s.Force, s.Force[from:]...)
	}
}

// node reads a node with its repeat count, and returns the count.
func (p *parser) node(most int) int {
	s := p.s
	p.ended()
	at := p.at
	word := p.word("a node")
	param2, light, prob := 0, 0, Always
	if p.sign('/') {
		param2 = p.number(255)
	}
	if p.sign('^') {
		light = p.number(255)
	}
	if p.sign('@') {
		prob = p.number(Always)
	}
	forced := p.sign('!')
	n := p.times(MaxSide)
	if p.err == nil && p.at < len(p.cur) && p.cur[p.at] != ' ' {
		p.fail("expected a space between two nodes")
	}
	if p.err == nil && n > most {
		p.at = at
		p.fail("expected %d more nodes in the row, not %d", most, n)
	}
	if p.err != nil {
		return 0
	}
	id, err := p.name(word)
	if err != nil {
		p.fail("%v", err)
	}
	if light != 0 && s.Param1 == nil {
		s.Param1 = make([]uint8, len(s.Name))
	}
	if forced && s.Force == nil {
		s.Force = make([]bool, len(s.Name))
	}
	for range n {
		s.Name, s.Param2, s.Prob = append(s.Name, id), append(s.Param2, uint8(param2)), append(s.Prob, uint8(prob))
		if s.Param1 != nil {
			s.Param1 = append(s.Param1, uint8(light))
		}
		if s.Force != nil {
			s.Force = append(s.Force, forced)
		}
	}
	return n
}

// metadata reads the metadata, which ends the text.
func (p *parser) metadata() {
	s := p.s
	if len(s.Name) < p.size {
		p.fail("expected the nodes first")
	}
	var m *Meta
	var list *List
	slots := 0
	for p.next() {
		at := p.at
		if c := p.cur[at]; c >= '0' && c <= '9' {
			v := p.vector()
			for axis := range v {
				if p.err == nil && (v[axis] < 0 || v[axis] >= s.Size[axis]) {
					p.at = at
					p.fail("expected a node inside the schematic")
				}
			}
			i := s.Index(v[0], v[1], v[2])
			if len(s.Meta) > 0 && i <= s.Meta[len(s.Meta)-1].Index && p.err == nil {
				p.at = at
				p.fail("expected each node once, in order: by z, then y, then x")
			}
			s.Meta = append(s.Meta, Meta{Index: i})
			m, list = &s.Meta[len(s.Meta)-1], nil
			p.end()
			continue
		}
		word := p.word("field, list, item or a node")
		switch {
		case p.err != nil:
		case m == nil:
			p.at = at
			p.fail("expected a node first, such as 1,2,3")
		case word == "field":
			m.Fields = append(m.Fields, Field{p.word("a key"), p.word("a value")})
			p.end()
		case word == "list":
			name := p.word("a name")
			n := p.number(int(effort.SchematicMeta.Limit(0)/slotSize) - slots)
			slots += n
			m.Lists = append(m.Lists, List{Name: name, Items: make([]string, n)})
			list = &m.Lists[len(m.Lists)-1]
			p.end()
		case word == "item" && list != nil:
			n := p.number(len(list.Items) - 1)
			item := p.word("an itemstring")
			if p.end(); p.err == nil {
				list.Items[n] = item
			}
		default:
			p.at = at
			p.fail("expected field, list, an item of a list, or a node")
		}
	}
}

package ogre

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/torchlight/text"
)

// Script is a material script, a text.
type Script struct {
	Materials []*Block

	byName map[string]*Block // in upper case; nil before the first call of Find
}

// Block is a material, or a part of one: a technique, a pass, a texture unit.
type Block struct {
	Kind       string // the keyword in lower case
	Name       string
	Parent     string // the material that this one is based on
	Line       int    // from 1
	Attributes []Attribute
	Blocks     []*Block
}

// Attribute is a line of a block.
type Attribute struct {
	Key   string // in lower case
	Words []string
	Line  int
}

// Get returns the words of the last attribute with a key, which is the one that applies, and whether it exists.
func (b *Block) Get(key string) ([]string, bool) {
	for i := len(b.Attributes) - 1; i >= 0; i-- {
		if b.Attributes[i].Key == key {
			return b.Attributes[i].Words, true
		}
	}
	return nil, false
}

// Passes yields the passes of a material.
func (b *Block) Passes() iter.Seq[*Block] {
	return func(yield func(*Block) bool) {
		for _, technique := range b.Blocks {
			for _, pass := range technique.Blocks {
				if technique.Kind == "technique" && pass.Kind == "pass" && !yield(pass) {
					return
				}
			}
		}
	}
}

// Textures yields the names of the textures of a pass, in the order of its texture units.
func (b *Block) Textures() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, unit := range b.Blocks {
			if words, has := unit.Get("texture"); unit.Kind == "texture_unit" && has && len(words) > 0 && !yield(words[0]) {
				return
			}
		}
	}
}

// Find returns the first material with a name, ignoring case, or nil. Only one goroutine may call it at a time, and
// Materials must not change afterwards.
func (s *Script) Find(name string) *Block {
	if s.byName == nil {
		s.byName = make(map[string]*Block)
		for _, m := range slices.Backward(s.Materials) {
			s.byName[strings.ToUpper(m.Name)] = m
		}
	}
	return s.byName[strings.ToUpper(name)]
}

// maxDepth is the greatest depth of blocks in a script. The game uses four.
const maxDepth = 32

// ParseScript reads a material script. The error is a [*text.Error] with the line.
func ParseScript(data []byte) (*Script, error) {
	utf8, err := text.ToUTF8(data)
	if err != nil {
		return nil, err
	}
	r := &scriptReader{src: utf8, at: 1}
	root := new(Block)
	open := []*Block{root}
	var head []string // words that wait for a brace or the end of their line
	var headLine int
	statement := func() {
		if head == nil {
			return
		}
		if b := open[len(open)-1]; b == root {
			r.fail(headLine, "{ after a material", strings.Join(head, " "))
		} else {
			b.Attributes = append(b.Attributes, Attribute{strings.ToLower(head[0]), head[1:], headLine})
		}
		head = nil
	}
	for {
		words, line := r.line()
		if words == nil || r.err != nil {
			break
		}
		if words[0] != "{" {
			statement()
		}
		for _, word := range words {
			switch {
			case word == "{" && head == nil:
				r.fail(line, "a material, technique, pass or texture_unit", "{ without one")
			case word == "{" && len(open) > maxDepth:
				r.fail(line, fmt.Sprintf("at most %d braces inside each other", maxDepth), "more")
			case word == "{":
				b := newBlock(head, headLine)
				parent := open[len(open)-1]
				parent.Blocks = append(parent.Blocks, b)
				open, head = append(open, b), nil
			case word == "}":
				if statement(); len(open) == 1 {
					r.fail(line, "a material", "} without {")
				} else {
					open = open[:len(open)-1]
				}
			default:
				if head == nil {
					headLine = line
				}
				head = append(head, word)
			}
			if r.err != nil {
				return nil, r.err
			}
		}
	}
	statement()
	if b := open[len(open)-1]; b != root {
		r.fail(r.at, fmt.Sprintf("} of the %s in line %d", b.Kind, b.Line), "the end of the text")
	}
	if r.err != nil {
		return nil, r.err
	}
	return &Script{Materials: root.Blocks}, nil
}

// newBlock returns the block of the words before its brace: a keyword, a name, and perhaps a colon and another name.
func newBlock(words []string, line int) *Block {
	b := &Block{Kind: strings.ToLower(words[0]), Line: line}
	rest := strings.Join(words[1:], " ")
	if name, parent, based := strings.Cut(rest, " : "); based {
		b.Name, b.Parent = name, parent
	} else {
		b.Name = rest
	}
	return b
}

// scriptReader splits a script into lines of words.
type scriptReader struct {
	src []byte
	at  int // the line of src[0]
	err *text.Error
}

func (r *scriptReader) fail(line int, want, got string) {
	if r.err == nil {
		r.err = &text.Error{Line: line, Want: want, Got: got, Err: fault.ErrFormat}
	}
}

// line returns the words of the next line that has some, and its number. It returns nil at the end.
func (r *scriptReader) line() (words []string, number int) {
	for len(r.src) > 0 {
		number = r.at
		for len(r.src) > 0 {
			switch c := r.src[0]; {
			case c == '\n':
				r.src = r.src[1:]
				if r.at++; words != nil {
					return words, number
				}
				number = r.at
			case c <= ' ':
				r.src = r.src[1:]
			case bytes.HasPrefix(r.src, []byte("//")):
				r.skip(max(0, bytes.IndexByte(r.src, '\n')), len(r.src))
			case bytes.HasPrefix(r.src, []byte("/*")):
				end := bytes.Index(r.src[2:], []byte("*/"))
				if end < 0 {
					r.fail(r.at, "*/ after a comment", "the end of the text")
					return nil, r.at
				}
				comment := r.src[:end+4]
				r.at += bytes.Count(comment, []byte("\n"))
				r.src = r.src[len(comment):]
				if words == nil {
					number = r.at
				}
			default:
				words = append(words, r.word())
			}
		}
	}
	return words, number
}

// skip removes n bytes, or all of them if n is 0.
func (r *scriptReader) skip(n, all int) {
	if n == 0 {
		n = all
	}
	r.src = r.src[n:]
}

// word returns the next word: a brace, a string in quotes, or everything up to a blank or brace.
func (r *scriptReader) word() string {
	switch r.src[0] {
	case '{', '}':
		word := string(r.src[:1])
		r.src = r.src[1:]
		return word
	case '"':
		line, _, _ := bytes.Cut(r.src[1:], []byte("\n"))
		if end := bytes.IndexByte(line, '"'); end >= 0 {
			r.src = r.src[end+2:]
			return string(line[:end])
		}
	}
	end := bytes.IndexFunc(r.src[1:], func(c rune) bool { return c <= ' ' || c == '{' || c == '}' })
	if end < 0 {
		end = len(r.src) - 1
	}
	word := string(r.src[:end+1])
	r.src = r.src[end+1:]
	return word
}

// ScriptCatalog lists the findings about material scripts that [CheckScript] can report.
var ScriptCatalog check.Catalog

var (
	foundScript = ScriptCatalog.Add("tl-material-unreadable", check.Error,
		"A material script cannot be read.",
		"Correct the line of the finding.")
	foundTwice = ScriptCatalog.Add("tl-material-twice", check.Warning,
		"A script has two materials with the same name. The game uses one of them.",
		"Rename or delete one of them.")
	foundValue = ScriptCatalog.Add("tl-material-value", check.Warning,
		"The value of an attribute of a material is not one that the game understands.",
		"Correct the line of the finding.")
	foundKind = ScriptCatalog.Add("tl-material-block", check.Warning,
		"A block of a material script is in the wrong place, so the game ignores it.",
		"Put passes into techniques, texture units into passes, and techniques into materials.")
)

// inside holds the kinds of blocks that contain a kind of blocks; "" is the script itself.
var inside = map[string]string{"material": "", "technique": "material", "pass": "technique", "texture_unit": "pass"}

// values holds the possible values of attributes: numbers of words that must be numbers, or words.
var values = map[string]struct {
	numbers []int
	words   []string
}{
	"ambient":         {numbers: []int{3, 4}, words: []string{"vertexcolour"}},
	"diffuse":         {numbers: []int{3, 4}, words: []string{"vertexcolour"}},
	"emissive":        {numbers: []int{3, 4}, words: []string{"vertexcolour"}},
	"specular":        {numbers: []int{4, 5}, words: []string{"vertexcolour"}},
	"depth_write":     {words: []string{"on", "off"}},
	"depth_check":     {words: []string{"on", "off"}},
	"lighting":        {words: []string{"on", "off"}},
	"receive_shadows": {words: []string{"on", "off"}},
	"cull_hardware":   {words: []string{"none", "clockwise", "anticlockwise"}},
	"tex_coord_set":   {numbers: []int{1}},
	"scroll_anim":     {numbers: []int{2}},
	"scroll":          {numbers: []int{2}},
	"scale":           {numbers: []int{2}},
	"rotate":          {numbers: []int{1}},
	"rotate_anim":     {numbers: []int{1}},
}

// CheckScript reports problems of a material script, and returns it, or nil if it cannot be read.
func CheckScript(data []byte, sink check.Sink) *Script {
	s, err := ParseScript(data)
	if err != nil {
		text.ReportErrors(foundScript, err, sink)
		return nil
	}
	first := make(map[string]int)
	for _, m := range s.Materials {
		name := strings.ToUpper(m.Name)
		if other, twice := first[name]; twice && m.Kind == "material" {
			addLine(foundTwice, sink, m.Line, "is a second material %q, after line %d", m.Name, other)
		} else {
			first[name] = m.Line
		}
		m.check("", sink)
	}
	return s
}

func addLine(k *check.Kind, sink check.Sink, line int, format string, args ...any) {
	sink.AddAt(k, []check.Place{check.Line{Line: line}}, fmt.Sprintf("line %d", line), -1, format, args...)
}

func (b *Block) check(parent string, sink check.Sink) {
	if want, known := inside[b.Kind]; known && want != parent {
		if want == "" {
			want = "nothing else"
		}
		addLine(foundKind, sink, b.Line, "is a %s in a %s; it belongs in %s", b.Kind, parent, want)
	}
	for _, a := range b.Attributes {
		if problem := a.problem(); problem != "" {
			addLine(foundValue, sink, a.Line, "%s is %q, expected %s", a.Key, strings.Join(a.Words, " "), problem)
		}
	}
	for _, child := range b.Blocks {
		child.check(b.Kind, sink)
	}
}

// problem returns what the value of an attribute should be, or "" if it is right or the attribute is unknown.
func (a Attribute) problem() string {
	v, known := values[a.Key]
	if !known {
		return ""
	}
	if len(a.Words) == 1 {
		for _, word := range v.words {
			if strings.EqualFold(word, a.Words[0]) {
				return ""
			}
		}
	}
	for _, n := range v.numbers {
		if len(a.Words) == n && areNumbers(a.Words) {
			return ""
		}
	}
	var want []string
	for _, n := range v.numbers {
		want = append(want, fmt.Sprintf("%d numbers", n))
	}
	if v.numbers != nil && v.numbers[0] == 1 {
		want = []string{"a number"}
	}
	return strings.Join(append(want, v.words...), " or ")
}

func areNumbers(words []string) bool {
	for _, word := range words {
		if _, err := strconv.ParseFloat(word, 32); err != nil {
			return false
		}
	}
	return true
}

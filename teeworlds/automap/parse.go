package automap

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

// Extension is the extension of files of rules.
const Extension = ".rules"

// ParseRules reads a file of rules. Every text is a valid file, and a truncated file is just a shorter one. Like the
// game, ParseRules ignores invalid parts, and reports them with their line to sink, which may be nil. Where the
// game's result is undefined, [Rules.Run] returns an error for the section.
func ParseRules(data []byte, sink check.Sink) *Rules {
	if sink == nil {
		sink = func(check.Finding) {}
	}
	p := parser{sink: sink, rules: new(Rules), names: make(map[string]int)}
	if most := effort.RulesFile.Limit(0); int64(len(data)) > most {
		sink.Add(foundLarge, "", -1, "%s, and no more than %d are read", words.Count(len(data), "byte"), most)
		data = data[:most]
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for line := range bytes.Lines(data) {
		p.line++
		line, ended := bytes.CutSuffix(line, []byte("\n"))
		if ended {
			line, _ = bytes.CutSuffix(line, []byte("\r"))
		}
		if c := strange(line); c != "" {
			p.find(foundLine, "the line has %s: the game skips the line", c)
			continue
		}
		p.parseLine(string(line))
	}
	for _, s := range p.rules.sections {
		for _, run := range s.runs {
			for _, r := range run.rules {
				r.finish()
				p.line = r.line
				p.checkRule(r)
			}
		}
	}
	return p.rules
}

// strange describes bytes in a line that the game does not read, or returns "".
func strange(line []byte) string {
	if !utf8.Valid(line) {
		return "invalid UTF-8"
	}
	for _, c := range line {
		if c < ' ' && c != '\t' {
			return fmt.Sprintf("a control character, 0x%02x", c)
		}
	}
	return ""
}

// parser reads lines. A section does not end the previous rule: the following lines of a rule still belong to it, up
// to the next Index.
type parser struct {
	sink  check.Sink
	line  int
	rules *Rules
	names map[string]int // the lines of sections

	section *section
	run     *run
	rule    *rule
}

func (p *parser) find(k *check.Kind, format string, args ...any) {
	p.sink.AddAt(k, []check.Place{check.Line{Line: p.line}}, fmt.Sprintf("line %d", p.line), -1, format, args...)
}

// undefined reports a line that lacks a number: the game reads uninitialized memory.
func (p *parser) undefined(keyword, wanted string) {
	p.find(foundNumber, "%s: expected %s", keyword, wanted)
	if p.section.err == nil {
		p.section.err = &fault.TextError{Line: p.line, Path: keyword,
			Msg: "expected " + wanted + ": without it the game's behaviour is undefined"}
	}
}

// keywords are the first words of lines, in the order in which the game compares them.
var keywords = []struct {
	name  string
	needs func(*parser) bool
	what  string // the argument that it needs
	parse func(*parser, string)
}{
	{"NewRun", func(p *parser) bool { return p.section != nil }, "a section", (*parser).newRun},
	{"Index", func(p *parser) bool { return p.run != nil }, "a section", (*parser).index},
	{"Pos", func(p *parser) bool { return p.rule != nil }, "an Index", (*parser).pos},
	{"Random", func(p *parser) bool { return p.rule != nil }, "an Index", (*parser).random},
	{"Modulo", func(p *parser) bool { return p.rule != nil }, "an Index", (*parser).modulo},
	{"NoDefaultRule", func(p *parser) bool { return p.rule != nil }, "an Index", (*parser).noDefaultRule},
	{"NoLayerCopy", func(p *parser) bool { return p.run != nil }, "a section", (*parser).noLayerCopy},
}

func (p *parser) parseLine(line string) {
	if line == "" || strings.ContainsRune("# \t", rune(line[0])) {
		p.lookIndented(line)
		return
	}
	if line[0] == '[' {
		p.begin(line[1:])
		return
	}
	for _, k := range keywords {
		rest, ok := strings.CutPrefix(line, k.name)
		if !ok {
			continue
		}
		if !k.needs(p) {
			p.find(foundMisplaced, "%s before %s: the game ignores it", k.name, k.what)
			return
		}
		if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			word, _ := cutWord(line)
			p.find(foundKeyword, "%q: the game reads it as %s", word, k.name)
		}
		k.parse(p, rest)
		return
	}
	word, _ := cutWord(line)
	p.find(foundKeyword, "%q is not a keyword: the game ignores the line", word)
}

// lookIndented reports a line that the game ignores because it starts with a blank.
func (p *parser) lookIndented(line string) {
	word, _ := cutWord(line)
	if word == "" || word[0] == '#' {
		return
	}
	for _, k := range keywords {
		if word == k.name || word[0] == '[' {
			p.find(foundIndented, "%s follows a blank: the game ignores the line", word)
			return
		}
	}
}

// maxName is the size of the longest name of a section, in bytes.
const maxName = 127

func (p *parser) begin(rest string) {
	name := ""
	if rest != "" {
		name = rest[:len(rest)-1]
	}
	if !strings.HasSuffix(rest, "]") {
		p.find(foundName, "[%s: the last character should be ]: the game reads %q as the name", rest, name)
	}
	if len(name) > maxName {
		p.find(foundName, "a name of %s: the game has room for %d", words.Count(len(name), "byte"), maxName)
		name = name[:maxName]
		for !utf8.ValidString(name) {
			name = name[:len(name)-1]
		}
	}
	if line, twice := p.names[name]; twice {
		p.find(foundTwice, "%q is the name of the section in line %d, too", name, line)
	} else {
		p.names[name] = p.line
	}
	p.run = new(run)
	p.section = &section{name: name, line: p.line, runs: []*run{p.run}}
	p.rules.sections = append(p.rules.sections, p.section)
}

func (p *parser) newRun(rest string) {
	p.run = new(run)
	p.section.runs = append(p.section.runs, p.run)
	p.lookRest(rest)
}

func (p *parser) noLayerCopy(rest string) {
	p.run.noCopy = true
	p.lookRest(rest)
}

func (p *parser) noDefaultRule(rest string) {
	p.lookBelongs("NoDefaultRule")
	p.rule.noDefault = true
	p.lookRest(rest)
}

// lookBelongs reports a line that belongs to a rule of another run.
func (p *parser) lookBelongs(keyword string) {
	if len(p.run.rules) == 0 {
		p.find(foundMisplaced, "%s before the first Index of a run: it belongs to that in line %d", keyword, p.rule.line)
	}
}

// lookRest reports remaining text of a line that is not a comment.
func (p *parser) lookRest(rest string) {
	if word, _ := cutWord(rest); word != "" && word[0] != '#' {
		p.find(foundRest, "%q: the game ignores it", word)
	}
}

func (p *parser) index(rest string) {
	id, rest, ok := cutInt(rest)
	if !ok {
		p.undefined("Index", "the number of a tile")
		rest = ""
	}
	if id < 0 || id > 255 {
		p.find(foundIndex, "Index %d: the game writes tile %d", id, uint8(id))
	}
	r := &rule{line: p.line, section: p.section, tile: twmap.Tile{ID: uint8(id)}, probability: 1}
	commented := false
	for range 3 {
		var word string
		word, rest = cutWord(rest)
		flag := flagOf(word)
		r.tile.Flags |= flag
		switch {
		case flag != 0 && commented:
			p.find(foundComment, "the game also reads %s in a comment", word)
		case word != "" && word[0] == '#':
			commented = true
		case flag == 0 && word != "" && word != "NONE" && !commented:
			p.find(foundFlag, "%q is not a flag: the game ignores it", word)
		}
	}
	if !commented {
		if word, _ := cutWord(rest); flagOf(word) != 0 {
			p.find(foundFlag, "%s is the fourth word after the number: the game reads three", word)
		} else {
			p.lookRest(rest)
		}
	}
	p.rule = r
	p.run.rules = append(p.run.rules, r)
}

func flagOf(word string) twmap.TileFlags {
	switch word {
	case "XFLIP":
		return twmap.FlipX
	case "YFLIP":
		return twmap.FlipY
	case "ROTATE":
		return twmap.Rotate
	}
	return 0
}

func (p *parser) pos(rest string) {
	p.lookBelongs("Pos")
	line := "Pos" + rest
	x, rest, okX := cutInt(rest)
	y, rest, okY := cutInt(rest)
	what, rest := cutWord(rest)
	if !okX || !okY {
		p.find(foundPos, "Pos without two numbers: the game ignores the line")
		return
	}
	c := condition{x: int(x), y: int(y)}
	switch what {
	case "EMPTY", "FULL":
		c.not, c.tiles = what == "FULL", []match{{}}
		p.lookRest(rest)
	case "INDEX", "NOTINDEX":
		c.not = what == "NOTINDEX"
		// The game finds the list by counting the words of the whole line.
		for range 4 {
			_, line = cutWord(line)
		}
		if c.tiles = p.list(line); c.tiles == nil {
			return
		}
	default:
		p.find(foundPos, "Pos %d %d %s: expected EMPTY, FULL, INDEX or NOTINDEX: the game ignores the line", x, y, what)
		return
	}
	p.rule.conditions = append(p.rule.conditions, c)
	if c.x != 0 || c.y != 0 {
		return
	}
	for _, t := range c.tiles {
		switch {
		case t.id == 0 && !c.not:
			p.rule.skipFull = true
		case t.id > 0 && !c.not || t.id == 0 && c.not:
			p.rule.skipEmpty = true
		}
	}
}

// list reads tiles separated by OR, or returns nil if one has no number. Up to three words with flags may follow a
// number.
func (p *parser) list(rest string) (list []match) {
	commented := false
	for {
		id, words, ok := cutInt(rest)
		if !ok {
			p.undefined("Pos", "the number of a tile")
			return nil
		}
		if id < -1 || id > 255 {
			p.find(foundIndex, "Pos with tile %d: expected 0 to 255, or -1 for outside of the layer", id)
		}
		t := match{id: id}
		_, rest = cutWord(rest)
		more := false
		for i := range 4 {
			var word string
			word, words = cutWord(words)
			flag := flagOf(word)
			switch {
			case word == "OR":
				more = true
			case i == 0:
				t.flags = flag
				t.exact = flag != 0 || word == "NONE"
			case i < 3 && t.flags != 0 && word != "":
				t.flags |= flag
			}
			if (flag != 0 || more) && commented {
				p.find(foundComment, "the game also reads %s in a comment", word)
			}
			commented = commented || word != "" && word[0] == '#'
			if more {
				_, rest = cutWord(rest)
				break
			}
			if ends := i == 3 || i > 0 && (t.flags == 0 || word == ""); ends || i == 0 && word == "" {
				p.lookEnd(word, commented)
				break
			}
			if flag == 0 && word != "NONE" && !commented {
				p.find(foundFlag, "%q is not a flag: the game ignores it", word)
			}
			_, rest = cutWord(rest)
		}
		list = append(list, t)
		if !more {
			return list
		}
	}
}

// lookEnd reports the word at which the game stops reading a list, unless the word starts a comment.
func (p *parser) lookEnd(word string, commented bool) {
	if word != "" && word[0] != '#' && !commented {
		p.find(foundFlag, "the game does not read %q and the rest of the line", word)
	}
}

func (p *parser) random(rest string) {
	p.lookBelongs("Random")
	v, rest, ok := cutFloat(rest)
	if !ok {
		p.undefined("Random", "a number")
		return
	}
	if after, percent := strings.CutPrefix(rest, "%"); percent {
		p.rule.probability, rest = float32(float64(v)/100), after
	} else {
		p.rule.probability = float32(1 / float64(v))
		if word, after := cutWord(rest); word == "%" {
			p.find(foundRandom, "a blank before %%: the game reads it as one in %v", v)
			rest = after
		}
	}
	if p.rule.probability > 1 {
		p.find(foundRandom, "Random %v always applies", v)
	}
	p.lookRest(rest)
}

func (p *parser) modulo(rest string) {
	p.lookBelongs("Modulo")
	var v [4]int32
	n, ok := 0, true
	for n < len(v) {
		if v[n], rest, ok = cutInt(rest); !ok {
			break
		}
		n++
	}
	switch n {
	case 0, 1:
		p.undefined("Modulo", "two numbers or four")
		return
	case 2, 3:
		p.find(foundModulo, "Modulo without its offset, which is undefined in the game: using 0")
	}
	m := modulo{int(v[0]), int(v[1]), int(v[2]), int(v[3])}
	if m.x == 0 || m.y == 0 {
		p.find(foundModulo, "Modulo %d %d: the game uses 1 instead of 0", m.x, m.y)
		m.x, m.y = cmp.Or(m.x, 1), cmp.Or(m.y, 1)
	}
	p.rule.modulos = append(p.rule.modulos, m)
	p.lookRest(rest)
}

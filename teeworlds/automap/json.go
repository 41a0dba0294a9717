package automap

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/strictjson"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

// ExtensionJSON is the extension of files of rules for Teeworlds 0.7.
const ExtensionJSON = ".json"

// The members of the file, which determine what its sections do.
const (
	memberTileset = "tileset"
	memberDoodads = "doodads"
)

// maxRules is the number of rules of a section that the game reads.
const maxRules = 256

// RecognizeJSON reports whether a file begins as a file of rules for Teeworlds 0.7 does.
func RecognizeJSON(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	rest, ok := bytes.CutPrefix(head, []byte("{"))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return ok && (bytes.HasPrefix(rest, []byte(`"`+memberTileset+`"`)) || bytes.HasPrefix(rest, []byte(`"`+memberDoodads+`"`)))
}

// ParseJSON reads a file of rules for Teeworlds 0.7. Like the game, it replaces values of a wrong type by their default
// and others by the nearest valid one, and reports them with their line to sink, which may be nil. A text that is not
// JSON has no sections.
func ParseJSON(data []byte, sink check.Sink) *Rules {
	if sink == nil {
		sink = func(check.Finding) {}
	}
	p := jsonParser{sink: sink, rules: new(Rules)}
	if most := effort.RulesFile.Limit(0); int64(len(data)) > most {
		sink.Add(foundLarge, "", -1, "%s, and no more than %d are read", words.Count(len(data), "byte"), most)
		return p.rules
	}
	// As in the game, a comma may follow the last member, and names need not be UTF-8.
	top, err := strictjson.Parse(bytes.ToValidUTF8(withoutLastCommas(data), []byte("\ufffd")))
	if err != nil {
		p.find(foundJSON, err.Line, "%s", err.Msg)
		return p.rules
	}
	p.file(top)
	return p.rules
}

type jsonParser struct {
	sink  check.Sink
	rules *Rules
}

func (p *jsonParser) find(kind *check.Kind, line int, format string, args ...any) {
	p.sink.AddAt(kind, []check.Place{check.Line{Line: line}}, fmt.Sprintf("line %d", line), -1, format, args...)
}

func (p *jsonParser) file(top value) {
	p.unknown(top, memberTileset, memberDoodads)
	list, kind := member(top, memberTileset), memberTileset
	if list == nil || list.Kind != '[' {
		list, kind = member(top, memberDoodads), memberDoodads
	} else if other := member(top, memberDoodads); other != nil {
		p.find(foundJSONValue, other.Line, "%s: the game reads only %s", memberDoodads, memberTileset)
	}
	if list == nil || list.Kind != '[' {
		p.find(foundJSON, top.Line, "expected %s or %s, a list", memberTileset, memberDoodads)
		return
	}
	lines := make(map[string]int)
	for _, item := range list.List {
		if item.Kind != '{' || len(item.Members) != 1 {
			p.find(foundJSONValue, item.Line, "expected an object with one member, the name of a section: the game ignores it")
			continue
		}
		s := &section{name: item.Members[0].Key, line: item.Line}
		if len(s.name) > maxName {
			p.find(foundJSONValue, item.Line, "a name of %s: the game has room for %d", words.Count(len(s.name), "byte"), maxName)
			s.name = strings.ToValidUTF8(s.name[:maxName], "")
		}
		if line, twice := lines[s.name]; twice {
			p.find(foundTwice, item.Line, "%q is the name of the section in line %d, too", s.name, line)
		} else {
			lines[s.name] = item.Line
		}
		if kind == memberTileset {
			s.tileset = p.tileset(item.Members[0].Value)
		} else {
			s.doodads = p.doodads(item.Members[0].Value)
		}
		p.rules.sections = append(p.rules.sections, s)
	}
}

// tileset is a section that replaces tiles by rules, in the form of Teeworlds 0.7.
type tileset struct {
	base  uint8
	rules []tilesetRule
}

type tilesetRule struct {
	tile       twmap.Tile
	random     int // holds once in this number; 0 and 1: always
	conditions []tilesetCondition
}

type tilesetCondition struct{ x, y, value int }

// The values of conditions that are not ids.
const (
	valueEmpty = -2
	valueFull  = -1
)

func (p *jsonParser) tileset(v value) *tileset {
	p.unknown(v, "basetile", "rules")
	t := &tileset{base: uint8(p.number(v, "basetile", 1, 0, 255))}
	for _, r := range p.list(v) {
		p.unknown(r, "index", "random", "rotate", "hflip", "vflip", "condition")
		rule := tilesetRule{
			tile:   twmap.Tile{ID: uint8(p.number(r, "index", 1, 0, 255))},
			random: p.number(r, "random", 0, 0, 99999),
		}
		rotate := member(r, "rotate")
		switch turn := p.number(r, "rotate", 0, math.MinInt32, math.MaxInt32); turn {
		case 0:
		case 90:
			rule.tile.Flags = twmap.Rotate
		case 180:
			rule.tile.Flags = twmap.FlipX | twmap.FlipY
		case 270:
			rule.tile.Flags = twmap.FlipX | twmap.FlipY | twmap.Rotate
		default:
			p.find(foundJSONValue, rotate.Line, "rotate %d: expected 90, 180 or 270: the game does not rotate the tile", turn)
		}
		across, along := twmap.FlipX, twmap.FlipY
		if rule.tile.Flags&twmap.Rotate != 0 {
			across, along = along, across
		}
		if p.number(r, "hflip", 0, 0, 1) == 1 {
			rule.tile.Flags ^= across
		}
		if p.number(r, "vflip", 0, 0, 1) == 1 {
			rule.tile.Flags ^= along
		}
		rule.conditions = p.conditions(r)
		t.rules = append(t.rules, rule)
	}
	return t
}

func (p *jsonParser) conditions(r value) (list []tilesetCondition) {
	v := member(r, "condition")
	if v == nil {
		return nil
	}
	if v.Kind != '[' {
		p.find(foundJSONValue, v.Line, "condition: expected a list: the game ignores it")
		return nil
	}
	for _, item := range v.List {
		p.unknown(item, "x", "y", "value")
		c := tilesetCondition{
			x: p.number(item, "x", 0, math.MinInt32, math.MaxInt32), y: p.number(item, "y", 0, math.MinInt32, math.MaxInt32),
		}
		is := member(item, "value")
		if is == nil {
			is = new(value)
		}
		switch _, whole := integer(is); {
		case whole:
			c.value = p.number(item, "value", 0, valueEmpty, 255)
		case is.Kind != '"':
			p.find(foundJSONValue, item.Line, "value: expected empty, full or the number of a tile: the game reads empty")
			c.value = valueEmpty
		case is.Text == "full":
			c.value = valueFull
		default:
			if c.value = valueEmpty; is.Text != "empty" {
				p.find(foundJSONValue, is.Line, "value %q: expected empty, full or the number of a tile: the game reads empty", is.Text)
			}
		}
		list = append(list, c)
	}
	return list
}

func (p *jsonParser) doodads(v value) *doodads {
	p.unknown(v, "rules")
	d := new(doodads)
	for _, r := range p.list(v) {
		p.unknown(r, "startid", "endid", "rx", "ry", "random", "hflip", "vflip", "location")
		first, last := p.number(r, "startid", 1, 0, 255), p.number(r, "endid", 1, 0, 255)
		if first > last {
			p.find(foundJSONValue, r.Line, "startid %d is above endid %d: the game ignores the rule", first, last)
			continue
		}
		rule := doodad{
			first: first, width: (last-first)%16 + 1, height: (last-first)/16 + 1,
			x: p.number(r, "rx", 0, math.MinInt32, math.MaxInt32), y: p.number(r, "ry", 0, math.MinInt32, math.MaxInt32),
			random: p.number(r, "random", 1, 1, 99999),
			flipX:  p.number(r, "hflip", 0, 0, 1) == 1, flipY: p.number(r, "vflip", 0, 0, 1) == 1,
		}
		if l := member(r, "location"); l != nil {
			switch at := slices.Index(locations, l.Text); {
			case l.Kind == '"' && at >= 0:
				rule.location = location(at)
			default:
				p.find(foundJSONValue, l.Line, "location: expected %s: the game reads %s", strings.Join(locations, ", "), locations[0])
			}
		}
		d.rules = append(d.rules, rule)
	}
	d.sort()
	return d
}

// list returns the rules of a section.
func (p *jsonParser) list(v value) []value {
	r := member(v, "rules")
	if r == nil || r.Kind != '[' {
		p.find(foundJSONValue, v.Line, "rules: expected a list: the section has no rules")
		return nil
	}
	if len(r.List) > maxRules {
		p.find(foundJSONValue, r.List[maxRules].Line, "rule %d: the game reads %d", maxRules+1, maxRules)
		return r.List[:maxRules]
	}
	return r.List
}

// number returns a whole number of an object, or the default if it has none.
func (p *jsonParser) number(v value, key string, otherwise, least, most int) int {
	n := member(v, key)
	if n == nil {
		return otherwise
	}
	number, ok := integer(n)
	if !ok {
		p.find(foundJSONValue, n.Line, "%s: expected a whole number: the game reads %d", key, otherwise)
		return otherwise
	}
	// The game truncates numbers to 32 bits.
	got := int(int32(number))
	if int64(got) != number || got < least || got > most {
		p.find(foundJSONValue, n.Line, "%s %d: expected %d to %d: the game reads %d", key, number, least, most,
			min(max(got, least), most))
	}
	return min(max(got, least), most)
}

// unknown reports the members of an object that the game does not read, except comments.
func (p *jsonParser) unknown(v value, known ...string) {
	if v.Kind != '{' {
		p.find(foundJSONValue, v.Line, "expected an object, { ... }: the game reads nothing from it")
		return
	}
	for i, m := range v.Members {
		key := m.Key
		switch {
		case key == "comment": // as in the game's own rules
			continue
		case slices.Contains(known, key):
			if slices.ContainsFunc(v.Members[:i], func(m strictjson.Member) bool { return m.Key == key }) {
				p.find(foundJSONValue, m.Value.Line, "%q is in the object twice: the game reads the first", key)
			}
			continue
		}
		hint := ""
		if at := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, key) }); at >= 0 {
			hint = fmt.Sprintf("; did you mean %q?", known[at])
		}
		p.find(foundJSONValue, m.Value.Line, "%q: the game ignores it%s", key, hint)
	}
}

type value = strictjson.Value

// integer returns the value of a whole number.
func integer(v *value) (n int64, ok bool) {
	n, err := strconv.ParseInt(v.Text, 10, 64)
	return n, v.Kind == '0' && err == nil
}

// member returns the first member of an object with a key, or nil.
func member(v value, key string) *value {
	for i := range v.Members {
		if v.Members[i].Key == key {
			return &v.Members[i].Value
		}
	}
	return nil
}

// withoutLastCommas returns a text of JSON in which blanks replace the commas before the end of lists and objects.
func withoutLastCommas(data []byte) []byte {
	data = bytes.Clone(data)
	quoted, comma := false, -1
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted:
			if c == '\\' {
				i++
			}
			quoted = c != '"'
		case c == '"':
			quoted, comma = true, -1
		case c == ',':
			comma = i
		case (c == ']' || c == '}') && comma >= 0:
			data[comma] = ' '
			comma = -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
	}
	return data
}

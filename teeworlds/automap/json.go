package automap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"trowel.example/check"
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
	if len(data) > MaxFile {
		sink.Add(foundLarge, "", -1, "%s, and no more than %d are read", words.Count(len(data), "byte"), MaxFile)
		return p.rules
	}
	top, err := readJSON(data)
	if err != nil {
		p.find(foundJSON, err.line, "%v", err.err)
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

func (p *jsonParser) file(top *value) {
	p.unknown(top, memberTileset, memberDoodads)
	list, kind := top.member(memberTileset), memberTileset
	if list == nil || list.kind != jsonList {
		list, kind = top.member(memberDoodads), memberDoodads
	} else if other := top.member(memberDoodads); other != nil {
		p.find(foundJSONValue, other.line, "%s: the game reads only %s", memberDoodads, memberTileset)
	}
	if list == nil || list.kind != jsonList {
		p.find(foundJSON, top.line, "expected %s or %s, a list", memberTileset, memberDoodads)
		return
	}
	lines := make(map[string]int)
	for _, item := range list.items {
		if item.kind != jsonObject || len(item.keys) != 1 {
			p.find(foundJSONValue, item.line, "expected an object with one member, the name of a section: the game ignores it")
			continue
		}
		s := &section{name: item.keys[0], line: item.line}
		if len(s.name) > maxName {
			p.find(foundJSONValue, item.line, "a name of %s: the game has room for %d", words.Count(len(s.name), "byte"), maxName)
			s.name = strings.ToValidUTF8(s.name[:maxName], "")
		}
		if line, twice := lines[s.name]; twice {
			p.find(foundTwice, item.line, "%q is the name of the section in line %d, too", s.name, line)
		} else {
			lines[s.name] = item.line
		}
		if kind == memberTileset {
			s.tileset = p.tileset(item.items[0])
		} else {
			s.doodads = p.doodads(item.items[0])
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

func (p *jsonParser) tileset(v *value) *tileset {
	p.unknown(v, "basetile", "rules")
	t := &tileset{base: uint8(p.number(v, "basetile", 1, 0, 255))}
	for _, r := range p.list(v) {
		p.unknown(r, "index", "random", "rotate", "hflip", "vflip", "condition")
		rule := tilesetRule{
			tile:   twmap.Tile{ID: uint8(p.number(r, "index", 1, 0, 255))},
			random: p.number(r, "random", 0, 0, 99999),
		}
		rotate := r.member("rotate")
		switch turn := p.number(r, "rotate", 0, math.MinInt32, math.MaxInt32); turn {
		case 0:
		case 90:
			rule.tile.Flags = twmap.Rotate
		case 180:
			rule.tile.Flags = twmap.FlipX | twmap.FlipY
		case 270:
			rule.tile.Flags = twmap.FlipX | twmap.FlipY | twmap.Rotate
		default:
			p.find(foundJSONValue, rotate.line, "rotate %d: expected 90, 180 or 270: the game does not rotate the tile", turn)
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

func (p *jsonParser) conditions(r *value) (list []tilesetCondition) {
	v := r.member("condition")
	if v == nil {
		return nil
	}
	if v.kind != jsonList {
		p.find(foundJSONValue, v.line, "condition: expected a list: the game ignores it")
		return nil
	}
	for _, item := range v.items {
		p.unknown(item, "x", "y", "value")
		c := tilesetCondition{
			x: p.number(item, "x", 0, math.MinInt32, math.MaxInt32), y: p.number(item, "y", 0, math.MinInt32, math.MaxInt32),
		}
		switch is := item.member("value"); {
		case is == nil || is.kind != jsonText && is.kind != jsonInteger:
			p.find(foundJSONValue, item.line, "value: expected empty, full or the number of a tile: the game reads empty")
			c.value = valueEmpty
		case is.kind == jsonInteger:
			c.value = p.number(item, "value", 0, valueEmpty, 255)
		case is.text == "full":
			c.value = valueFull
		default:
			if c.value = valueEmpty; is.text != "empty" {
				p.find(foundJSONValue, is.line, "value %q: expected empty, full or the number of a tile: the game reads empty", is.text)
			}
		}
		list = append(list, c)
	}
	return list
}

func (p *jsonParser) doodads(v *value) *doodads {
	p.unknown(v, "rules")
	d := new(doodads)
	for _, r := range p.list(v) {
		p.unknown(r, "startid", "endid", "rx", "ry", "random", "hflip", "vflip", "location")
		first, last := p.number(r, "startid", 1, 0, 255), p.number(r, "endid", 1, 0, 255)
		if first > last {
			p.find(foundJSONValue, r.line, "startid %d is above endid %d: the game ignores the rule", first, last)
			continue
		}
		rule := doodad{
			first: first, width: (last-first)%16 + 1, height: (last-first)/16 + 1,
			x: p.number(r, "rx", 0, math.MinInt32, math.MaxInt32), y: p.number(r, "ry", 0, math.MinInt32, math.MaxInt32),
			random: p.number(r, "random", 1, 1, 99999),
			flipX:  p.number(r, "hflip", 0, 0, 1) == 1, flipY: p.number(r, "vflip", 0, 0, 1) == 1,
		}
		if l := r.member("location"); l != nil {
			switch at := slices.Index(locations, l.text); {
			case l.kind == jsonText && at >= 0:
				rule.location = location(at)
			default:
				p.find(foundJSONValue, l.line, "location: expected %s: the game reads %s", strings.Join(locations, ", "), locations[0])
			}
		}
		d.rules = append(d.rules, rule)
	}
	d.sort()
	return d
}

// list returns the rules of a section.
func (p *jsonParser) list(v *value) []*value {
	r := v.member("rules")
	if r == nil || r.kind != jsonList {
		p.find(foundJSONValue, v.line, "rules: expected a list: the section has no rules")
		return nil
	}
	if len(r.items) > maxRules {
		p.find(foundJSONValue, r.items[maxRules].line, "rule %d: the game reads %d", maxRules+1, maxRules)
		return r.items[:maxRules]
	}
	return r.items
}

// number returns a whole number of an object, or the default if it has none.
func (p *jsonParser) number(v *value, key string, otherwise, least, most int) int {
	n := v.member(key)
	if n == nil {
		return otherwise
	}
	if n.kind != jsonInteger {
		p.find(foundJSONValue, n.line, "%s: expected a whole number: the game reads %d", key, otherwise)
		return otherwise
	}
	// The game truncates numbers to 32 bits.
	got := int(int32(n.number))
	if int64(got) != n.number || got < least || got > most {
		p.find(foundJSONValue, n.line, "%s %d: expected %d to %d: the game reads %d", key, n.number, least, most,
			min(max(got, least), most))
	}
	return min(max(got, least), most)
}

// unknown reports the members of an object that the game does not read, except comments.
func (p *jsonParser) unknown(v *value, known ...string) {
	if v.kind != jsonObject {
		p.find(foundJSONValue, v.line, "expected an object, { ... }: the game reads nothing from it")
		return
	}
	for i, key := range v.keys {
		switch {
		case key == "comment": // as in the game's own rules
			continue
		case slices.Contains(known, key):
			if slices.Contains(v.keys[:i], key) {
				p.find(foundJSONValue, v.items[i].line, "%q is in the object twice: the game reads the first", key)
			}
			continue
		}
		hint := ""
		if at := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, key) }); at >= 0 {
			hint = fmt.Sprintf("; did you mean %q?", known[at])
		}
		p.find(foundJSONValue, v.items[i].line, "%q: the game ignores it%s", key, hint)
	}
}

// value is a value of JSON.
type value struct {
	kind   jsonKind
	line   int
	number int64    // of jsonInteger
	text   string   // of jsonText
	keys   []string // of jsonObject
	items  []*value // of jsonObject and jsonList
}

type jsonKind int

const (
	jsonOther jsonKind = iota // null, true, false and fractions
	jsonInteger
	jsonText
	jsonObject
	jsonList
)

// member returns the first member of an object with a key, or nil.
func (v *value) member(key string) *value {
	if i := slices.Index(v.keys, key); i >= 0 {
		return v.items[i]
	}
	return nil
}

// lineError is an error in a line.
type lineError struct {
	line int
	err  error
}

// maxDepth is the number of levels that are read.
const maxDepth = 100

// readJSON reads a text. Like the game's reader, it accepts a comma after the last member.
func readJSON(data []byte) (*value, *lineError) {
	data = withoutLastCommas(bytes.TrimPrefix(data, []byte("\ufeff")))
	r := jsonReader{data: data, d: json.NewDecoder(bytes.NewReader(data)), line: 1}
	r.d.UseNumber()
	v, err := r.value(0)
	if err == nil {
		if _, err = r.d.Token(); err == nil {
			err = errors.New("text after the end of the JSON value")
		} else if err == io.EOF {
			return v, nil
		}
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	r.advance(r.d.InputOffset())
	return nil, &lineError{r.line, err}
}

type jsonReader struct {
	data []byte
	d    *json.Decoder
	at   int64 // the line is counted up to here
	line int
}

func (r *jsonReader) advance(to int64) {
	r.line += bytes.Count(r.data[r.at:to], []byte("\n"))
	r.at = to
}

func (r *jsonReader) value(depth int) (*value, error) {
	t, err := r.d.Token()
	if err != nil {
		return nil, err
	}
	r.advance(r.d.InputOffset())
	v := &value{line: r.line}
	switch t := t.(type) {
	case json.Delim:
		if depth == maxDepth {
			return nil, fmt.Errorf("more than %d levels", maxDepth)
		}
		v.kind = map[json.Delim]jsonKind{'{': jsonObject, '[': jsonList}[t]
		for r.d.More() {
			if v.kind == jsonObject {
				key, err := r.d.Token()
				if err != nil {
					return nil, err
				}
				v.keys = append(v.keys, key.(string))
			}
			item, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			v.items = append(v.items, item)
		}
		_, err = r.d.Token()
	case json.Number:
		if v.number, err = t.Int64(); err == nil {
			v.kind = jsonInteger
		}
		err = nil
	case string:
		v.kind, v.text = jsonText, t
	}
	return v, err
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

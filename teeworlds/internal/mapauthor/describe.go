package mapauthor

import (
	"context"
	"fmt"
	"path"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/internal/text/strictjson"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/automap"
	"trowel.example/teeworlds/internal/mapscene"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// Describe describes what is at a place: a cell of a layer, a setting, a field, a part, a keyword of rules.
func (a *Author) Describe(_ context.Context, at string, spot format.Spot) (string, format.Span, error) {
	text := a.read(at)
	row := rowOf(text, spot.Line)
	switch {
	case at == fileSettings:
		return describeSetting(row, spot)
	case path.Ext(at) == automap.Extension:
		word, over := wordAt(row, spot)
		return keywordHelp(word), over, nil
	case path.Base(at) == fileOrder:
		p, over, ok := a.partAt(at, spot)
		if !ok {
			return "", over, nil
		}
		return a.describePart(p), over, nil
	case path.Ext(at) == ".txt":
		kind, ok := a.kindOf(at)
		if !ok {
			return "", format.Span{}, nil
		}
		return describeCell(kind, row, spot)
	case path.Ext(at) == ".json":
		if p, over, ok := a.partAt(at, spot); ok {
			return a.describePart(p), over, nil
		}
		return describeField(at, text, row, spot)
	}
	return "", format.Span{}, nil
}

// wordAt returns the word at a place, and its span.
func wordAt(row string, spot format.Spot) (string, format.Span) {
	for _, w := range wordsOf(row) {
		if w[0] <= spot.Column && spot.Column <= w[1] {
			return row[w[0]:w[1]], spanIn(spot.Line, w[0], w[1])
		}
	}
	return "", format.Span{}
}

func spanIn(line, from, to int) format.Span {
	return format.Span{From: format.Spot{Line: line, Column: from}, To: format.Spot{Line: line, Column: to}}
}

// settings are the known settings by name.
func settings() map[string]twmap.Setting {
	all := make(map[string]twmap.Setting)
	for _, s := range twmap.Settings() {
		all[s.Name] = s
	}
	return all
}

// usage returns the form of a setting.
func usage(s twmap.Setting) string {
	out := s.Name
	for _, arg := range s.Arguments {
		out += " " + strings.ToUpper(arg.Name)
	}
	return out
}

// rangeOf describes the values of an argument.
func rangeOf(arg twmap.Argument) string {
	switch {
	case arg.Whole:
		return fmt.Sprintf("%s: a whole number from %.0f to %.0f", arg.Name, arg.Min, arg.Max)
	case arg.Number:
		return fmt.Sprintf("%s: a number from %.0f to %.0f", arg.Name, arg.Min, arg.Max)
	case arg.Rest:
		return arg.Name + ": the rest of the line"
	}
	return fmt.Sprintf("%s: one of %s", arg.Name, words.Count(len(arg.Words), "word"))
}

func describeSetting(row string, spot format.Spot) (string, format.Span, error) {
	list := wordsOf(row)
	if len(list) == 0 {
		return "", format.Span{}, nil
	}
	s, known := settings()[strings.ToLower(row[list[0][0]:list[0][1]])]
	if !known {
		return "", format.Span{}, nil
	}
	out := []string{words.Code(usage(s))}
	for _, arg := range s.Arguments {
		out = append(out, "- "+rangeOf(arg))
	}
	return strings.Join(out, "\n"), spanIn(spot.Line, list[0][0], list[len(list)-1][1]), nil
}

// kindOf returns the kind of the layer whose cells a file contains.
func (a *Author) kindOf(at string) (twmap.Kind, bool) {
	data := a.read(strings.TrimSuffix(at, ".txt") + ".json")
	return twmap.ParseKind(strictjson.Type([]byte(data), "type"))
}

func describeCell(kind twmap.Kind, row string, spot format.Spot) (string, format.Span, error) {
	cell, over := wordAt(row, spot)
	if cell == "" {
		return "", over, nil
	}
	x := len(wordsOf(row[:over.From.Column]))
	where := fmt.Sprintf("%d, %d", x, spot.Line)
	c, err := mapscene.ParseCell(kind, cell)
	if err != nil {
		return "", over, nil // a problem of the check
	}
	var more []string
	switch kind {
	case twmap.KindTele:
		more = []string{fmt.Sprintf("number %d", c.Number)}
	case twmap.KindSpeedup:
		more = []string{fmt.Sprintf("force %d", c.Force), fmt.Sprintf("maximum speed %d", c.MaxSpeed), fmt.Sprintf("angle %d", c.Angle)}
	case twmap.KindSwitch:
		more = append(flagNames(c.Flags), fmt.Sprintf("switch %d", c.Number), fmt.Sprintf("delay %d", c.Delay))
	case twmap.KindTune:
		more = []string{fmt.Sprintf("zone %d", c.Number)}
	default:
		more = flagNames(c.Flags)
	}
	name := "air"
	if c.ID != 0 {
		name = twmap.TileName(kind, c.ID)
	}
	out := fmt.Sprintf("%s (tile %d) at %s", name, c.ID, where)
	if len(more) > 0 && c.ID != 0 {
		out += ", " + strings.Join(more, ", ")
	}
	if does := twmap.TileDoes(kind, c.ID); does != "" {
		out += "\n\n" + does
	}
	return out, over, nil
}

func flagNames(f twmap.TileFlags) (names []string) {
	for _, flag := range []struct {
		f    twmap.TileFlags
		name string
	}{{twmap.FlipX, "mirrored"}, {twmap.FlipY, "upside down"}, {twmap.Rotate, "rotated"}, {twmap.Opaque, "opaque"}} {
		if f&flag.f != 0 {
			names = append(names, flag.name)
		}
	}
	return names
}

// describeField describes the field of JSON whose name is at a place.
func describeField(at, text, row string, spot format.Spot) (string, format.Span, error) {
	offset := offsetOf(text, spot)
	c := contextAt(text, offset)
	end := strings.IndexByte(row[min(spot.Column, len(row)):], '"')
	if !c.object || !c.quoted || c.field != "" || end < 0 {
		return "", format.Span{}, nil
	}
	from := spot.Column - (offset - c.from)
	name := unquote(row[from : spot.Column+end+1])
	for _, f := range mapdir.Fields(at, []byte(text), c.way...) {
		if f.Name == name {
			out := words.Code(name) + ": " + f.Type
			if f.Help != "" {
				out += "\n\n" + f.Help
			}
			return out, spanIn(spot.Line, from, spot.Column+end+1), nil
		}
	}
	return "", format.Span{}, nil
}

// offsetOf returns the offset of a spot.
func offsetOf(text string, spot format.Spot) int {
	offset := 0
	for range spot.Line {
		i := strings.IndexByte(text[offset:], '\n')
		if i < 0 {
			return len(text)
		}
		offset += i + 1
	}
	return min(offset+spot.Column, len(text))
}

// describePart describes a part by its files.
func (a *Author) describePart(p part) string {
	files := a.files(p)
	if len(files) == 0 {
		return words.Code(p.dir+"/"+p.name) + " does not exist"
	}
	var names []string
	for _, f := range files {
		names = append(names, words.Code(f))
	}
	out := strings.Join(names, ", ")
	for _, f := range files {
		if path.Ext(f) == ".json" {
			if typ := strictjson.Type([]byte(a.read(f)), "type"); typ != "" {
				out += "\n\ntype " + words.Code(typ)
			}
		}
	}
	return out
}

// keywords are the words of rules, with what they mean.
var keywords = [][2]string{
	{"NewRun", "begins another pass over the layer"},
	{"Index", "begins a rule: the number of the tile that it writes, and flags"},
	{"Pos", "a condition of the rule: X Y, then EMPTY, FULL, or INDEX or NOTINDEX with tiles"},
	{"Random", "a condition: true one time in N, or in N% of the cells"},
	{"Modulo", "a condition: X Y and offsets, one cell in each block of X columns and Y rows"},
	{"NoDefaultRule", "the rule also applies to empty cells"},
	{"NoLayerCopy", "conditions of this pass see the tiles that it writes"},
	{"EMPTY", "the cell is air"}, {"FULL", "the cell is not air"},
	{"INDEX", "the cell has one of the tiles"}, {"NOTINDEX", "the cell has none of the tiles"},
	{"OR", "another tile"}, {"XFLIP", "mirrored"}, {"YFLIP", "upside down"}, {"ROTATE", "rotated"},
	{"NONE", "exactly without flags"},
}

func keywordHelp(word string) string {
	for _, k := range keywords {
		if k[0] == word {
			return words.Code(word) + ": " + k[1]
		}
	}
	return ""
}

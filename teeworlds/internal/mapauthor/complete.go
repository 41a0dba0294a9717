package mapauthor

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/automap"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// completer collects completions.
type completer struct {
	over  format.Span // what they replace
	typed string      // what the user has typed of it
	list  []format.Completion
}

// add adds a completion if it contains what the user has typed.
func (c *completer) add(kind format.CompletionKind, label, detail, write string, rank int) {
	name, typed := strings.ToUpper(label), strings.ToUpper(c.typed)
	if !strings.Contains(name, typed) {
		return
	}
	rank *= 2
	if !strings.HasPrefix(name, typed) {
		rank++
	}
	c.list = append(c.list, format.Completion{Kind: kind, Label: label, Detail: detail, Rank: rank,
		Edit: format.Edit{Span: c.over, Text: write}})
}

// Complete returns the settings, fields, names, tiles and keywords that can be written at a place.
func (a *Author) Complete(_ context.Context, at string, spot format.Spot) ([]format.Completion, error) {
	text := a.read(at)
	row := rowOf(text, spot.Line)
	if spot.Column > len(row) || spot.Line > strings.Count(text, "\n") {
		return nil, nil
	}
	from := strings.LastIndexAny(row[:spot.Column], " \t") + 1
	end := len(row)
	if i := strings.IndexAny(row[spot.Column:], " \t"); i >= 0 {
		end = spot.Column + i
	}
	c := &completer{over: spanIn(spot.Line, from, end), typed: row[from:spot.Column]}
	switch {
	case at == fileSettings:
		c.setting(row[:from])
	case path.Ext(at) == automap.Extension:
		if from == 0 || !strings.HasPrefix(row, "#") {
			c.keyword(from == 0)
		}
	case path.Base(at) == fileOrder:
		c.over, c.typed = spanIn(spot.Line, 0, len(row)), row[:spot.Column]
		for _, name := range a.unlisted(path.Dir(at)) {
			c.add(format.CompleteFile, name, "not in the list", name, 0)
		}
	case path.Ext(at) == ".txt":
		if kind, ok := a.kindOf(at); ok {
			c.tile(kind)
		}
	case path.Ext(at) == ".json":
		a.completeJSON(c, at, text, row, spot)
	}
	return c.list, nil
}

// setting adds what can follow the words of a setting.
func (c *completer) setting(before string) {
	given := strings.Fields(before)
	if len(given) == 0 {
		for _, s := range twmap.Settings() {
			detail := strings.TrimPrefix(usage(s), s.Name+" ")
			if n := len(s.Arguments); n > 0 && s.Arguments[n-1].Number {
				detail = rangeOf(s.Arguments[n-1])
			}
			c.add(format.CompleteKey, s.Name, detail, s.Name+" ", 0)
		}
		return
	}
	s, known := settings()[strings.ToLower(given[0])]
	if !known || len(given) > len(s.Arguments) {
		return
	}
	arg := s.Arguments[len(given)-1]
	for _, word := range arg.Words {
		c.add(format.CompleteValue, word, arg.Name, word, 0)
	}
	const few = 8
	if arg.Whole && arg.Max-arg.Min < few {
		for v := arg.Min; v <= arg.Max; v++ {
			c.add(format.CompleteValue, fmt.Sprintf("%.0f", v), rangeOf(arg), fmt.Sprintf("%.0f", v), 0)
		}
	} else if arg.Number {
		for _, v := range []float64{arg.Min, arg.Max} {
			c.add(format.CompleteValue, fmt.Sprintf("%.0f", v), rangeOf(arg), fmt.Sprintf("%.0f", v), 1)
		}
	}
}

// keyword adds words of rules: those that begin lines, or the others.
func (c *completer) keyword(first bool) {
	for _, k := range keywords {
		if begins := !unicode.IsUpper(rune(k[0][1])); begins == first {
			c.add(format.CompleteKeyword, k[0], k[1], k[0], 0)
		}
	}
}

// tile adds the tiles of physics layers, under their names.
func (c *completer) tile(kind twmap.Kind) {
	if kind == twmap.KindTiles {
		return
	}
	after := map[twmap.Kind]string{twmap.KindTele: ":1", twmap.KindSpeedup: ":10/0/0", twmap.KindSwitch: ":1/0", twmap.KindTune: ":1"}[kind]
	for id := 1; id < 256; id++ {
		if !twmap.ValidTile(kind, uint8(id)) {
			continue
		}
		number := fmt.Sprint(id)
		label := number + " " + twmap.TileName(kind, uint8(id))
		if c.typed != "" && !strings.HasPrefix(number, c.typed) {
			label = twmap.TileName(kind, uint8(id)) + " " + number
		}
		c.add(format.CompleteValue, label, twmap.TileDoes(kind, uint8(id)), number+after, 0)
	}
}

// choices are the values of some fields.
var choices = map[string][]string{
	"type":  {"tiles", "game", "front", "tele", "speedup", "switch", "tune", "quads", "sounds"},
	"curve": {"step", "linear", "slow", "fast", "smooth", "bezier"},
	"shape": {"rectangle", "circle"},
}

// completeJSON adds fields and values.
func (a *Author) completeJSON(c *completer, at, text, row string, spot format.Spot) {
	offset := offsetOf(text, spot)
	s := contextAt(text, offset)
	if !s.object {
		return
	}
	from := spot.Column - (offset - s.from)
	end := spot.Column
	if s.quoted {
		if i := strings.IndexByte(row[spot.Column:], '"'); i >= 0 && !strings.ContainsAny(row[spot.Column:spot.Column+i], ",:{}[]") {
			end += i + 1
		}
	}
	c.over, c.typed = spanIn(spot.Line, from, end), strings.TrimPrefix(row[from:spot.Column], `"`)
	fields := mapdir.Fields(at, []byte(text), s.way...)
	if s.field == "" {
		colon := ": "
		if strings.HasPrefix(strings.TrimLeft(row[end:], " "), ":") {
			colon = ""
		}
		for _, f := range fields {
			if !s.has[f.Name] {
				c.add(format.CompleteKey, f.Name, f.Type, quote(f.Name)+colon, 0)
			}
		}
		return
	}
	values := choices[s.field]
	if strings.HasPrefix(at, "envelopes/") && s.field == "type" {
		values = []string{"position", "color", "sound"}
	}
	kind := format.CompleteValue
	if dir, ok := mapdir.RefField(s.field); ok {
		values, kind = a.names(dir), format.CompleteThing
	}
	for _, v := range values {
		c.add(kind, v, s.field, quote(v), 0)
	}
	if i := slices.IndexFunc(fields, func(f mapdir.Field) bool { return f.Name == s.field }); i >= 0 && fields[i].Type == "true or false" {
		c.add(format.CompleteValue, "true", s.field, "true", 0)
		c.add(format.CompleteValue, "false", s.field, "false", 0)
	}
}

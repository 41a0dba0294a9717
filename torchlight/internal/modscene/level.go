package modscene

import (
	"fmt"
	"slices"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/internal/codex"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/moddir"
)

// Level is a level, of which the values of things are shown.
type Level struct {
	Level      int              // 0: none
	Difficulty codex.Difficulty // of monsters
	Graphs     codex.Graphs
}

// readGraphs reads the graphs, if they are needed, from a mod and perhaps the game's files.
func (l *Level) readGraphs(media []moddir.Files, unread func(file string, err error)) {
	if l.Level == 0 {
		return
	}
	var sources []moddir.Sources
	for _, files := range slices.Backward(media) {
		sources = append(sources, files)
	}
	l.Graphs = codex.ReadGraphs(sources, unread)
}

// Values returns the values of a thing at the level: of an item, or of a unit.
func (l Level) Values(c inherit.Chain, item bool) []codex.AtLevel {
	switch {
	case l.Level == 0:
		return nil
	case item:
		return l.Graphs.ItemValues(c.Get, float64(l.Level))
	}
	return l.Graphs.UnitValues(c.Get, float64(l.Level), l.Difficulty)
}

// Facts returns the values of a thing at the level as facts with numbers: two for a range. Those that it does not have, or that the graphs
// do not tell, are "".
func (l Level) Facts(c inherit.Chain, item bool) (facts []format.InfoField) {
	for _, v := range l.Values(c, item) {
		key := v.Name
		if element, what, is := strings.Cut(v.Name, " "); is {
			key = element + strings.ToUpper(what[:1]) + what[1:]
		}
		var low, high any = "", ""
		if v.Known {
			low, high = int64(v.Low), int64(v.High)
		}
		if v.Range {
			facts = append(facts, format.Fact(key+"Low", "lowest "+v.Name, low), format.Fact(key+"High", "highest "+v.Name, high))
		} else {
			facts = append(facts, format.Fact(key, v.Name, high))
		}
	}
	return facts
}

// rows calls row with the label and the text of each value of a thing at the level.
func (l Level) rows(c inherit.Chain, item bool, row func(label, text string)) {
	for _, v := range l.Values(c, item) {
		if !v.Known {
			continue
		}
		text := words.Thousands(int64(v.Low))
		if v.Low != v.High {
			text += " to " + words.Thousands(int64(v.High))
		}
		row(fmt.Sprintf("%s at level %d", v.Name, l.Level), text)
	}
}

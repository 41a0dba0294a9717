package verbs

import (
	"fmt"
	"slices"
	"strings"

	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

// missingShown is the maximum number of names in a line about missing data, and of lines for each kind.
const missingShown = 5

// reportMissing reports the data that was missing for the picture: a summary as text, the full list as JSON. Data
// that should exist counts as lost; the rest is a warning.
func (p *picture) reportMissing(missing []format.Missing) {
	list := []terminal.Object{}
	for _, m := range missing {
		list = append(list, terminal.Object{{"kind", m.Kind}, {"name", m.Name}, {"count", m.Count}, {"unit", m.Unit},
			{"what", m.What}, {"loss", m.Loss}})
	}
	p.extra = append(p.extra, terminal.Member{"missing", list})
	for _, line := range foldMissing(missing) {
		if line.loss {
			p.job.Miss(p.name, "%s", line.text)
		} else {
			p.job.Warn(p.name, "%s", line.text)
		}
	}
}

type missingLine struct {
	text string
	loss bool
}

// foldMissing summarizes missing data: one line for each reason, and at most missingShown lines for each kind.
func foldMissing(missing []format.Missing) (lines []missingLine) {
	type kind struct {
		name string
		loss bool
	}
	var kinds []kind
	groups := make(map[kind][][]format.Missing)
	for _, m := range missing {
		k := kind{m.Kind, m.Loss}
		if groups[k] == nil {
			kinds = append(kinds, k)
		}
		i := slices.IndexFunc(groups[k], func(g []format.Missing) bool { return g[0].What == m.What && g[0].Unit == m.Unit })
		if i < 0 {
			groups[k] = append(groups[k], nil)
			i = len(groups[k]) - 1
		}
		groups[k][i] = append(groups[k][i], m)
	}
	for _, k := range kinds {
		rest := 0
		for i, g := range groups[k] {
			if i >= missingShown && len(groups[k]) > missingShown+1 {
				rest += len(g)
				continue
			}
			lines = append(lines, missingLine{sayMissing(g), k.loss})
		}
		if rest > 0 {
			lines = append(lines, missingLine{fmt.Sprintf("also missing: %s (--json lists all)", wording.Count(rest, k.name)), k.loss})
		}
	}
	return lines
}

// sayMissing describes missing data of one kind and with one reason.
func sayMissing(some []format.Missing) string {
	names := make([]string, len(some))
	count := int64(0)
	for i, m := range some {
		names[i] = m.Name
		count += m.Count
	}
	sep := ", "
	if strings.Contains(names[0], ",") { // the name is a place
		sep = "; "
	}
	text := "missing " + some[0].Kind
	if len(some) > 1 {
		text += "s"
	}
	if len(names) > missingShown+1 {
		rest := len(names) - missingShown
		text += fmt.Sprintf(" %s and %s others (--json lists all)", strings.Join(names[:missingShown], sep), words.Thousands(int64(rest)))
	} else {
		text += " " + strings.Join(names, sep)
	}
	if count > 0 {
		text += " (" + wording.Count(int(count), strings.TrimSuffix(some[0].Unit, "s")) + ")"
	}
	if some[0].What != "" {
		text += ": " + some[0].What
	}
	return text
}

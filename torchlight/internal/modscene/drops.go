//go:build !js

package modscene

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"sync"

	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/internal/codex"
)

// maxDrops is the number of lines in a list of drops.
const maxDrops = 12

// drops are what the codex of a mod says about what drops what. They are read when they are first needed.
type drops struct {
	mu   sync.Mutex
	read func() (*codex.Data, error)
	err  error
	*codex.Data
	things map[string]codex.Entity // by their files
	titles map[codex.Link]string
}

func (m *modSheets) newDrops() *drops {
	var sources []codex.Source
	for i, files := range m.media {
		sources = append([]codex.Source{{Files: files, Mod: codex.Mod{Base: i > 0}}}, sources...)
	}
	return &drops{read: func() (*codex.Data, error) { // also if the first request is cancelled
		return codex.Read(context.Background(), sources, codex.Options{NoChances: true})
	}}
}

// facts returns what drops the thing of a file with which chance, and what it drops.
func (d *drops) facts(file string) []format.InfoField {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Data == nil && d.err == nil {
		if d.Data, d.err = d.read(); d.err == nil {
			d.things, d.titles = make(map[string]codex.Entity), make(map[codex.Link]string)
			for kind, e := range d.All() {
				t := e.Common()
				d.titles[codex.Link{Kind: kind, ID: t.ID}] = strings.TrimSpace(colorCode.ReplaceAllString(cmp.Or(t.Title, t.Name), ""))
				if len(t.Files) > 0 {
					d.things[t.Files[0]] = e
				}
			}
		}
	}
	if d.err != nil {
		return []format.InfoField{format.Fact("drops", "drops", d.err.Error())}
	}
	switch v := d.things[file].(type) {
	case *codex.Item:
		list := d.origins("droppedBy", "dropped by", codex.Link{Kind: codex.KindItem, ID: v.ID})
		if v.Created && v.Rarity != nil && *v.Rarity > 0 && v.Type.ID != "" {
			list = append(list, d.origins("droppedAs", "dropped as some "+v.Type.Name+" by", v.Type)...)
		}
		return append(list, d.recipes(v)...)
	case *codex.Unit:
		return append(d.given(v), d.list("foundIn", "found in", v.FoundIn)...)
	}
	return nil
}

// origins returns the units that drop a thing.
func (d *drops) origins(key, label string, what codex.Link) []format.InfoField {
	var lines []string
	for _, o := range d.Origins(what) {
		var units, path []string
		for _, u := range o.Loot.Units {
			units = append(units, d.title(u))
		}
		for _, c := range o.Path {
			path = append(path, c.Name)
		}
		lines = append(lines, fmt.Sprintf("%s: %s (%s)", strings.Join(firstFew(units, 3), ", "), oneIn(o.Chance.Chance),
			strings.Join(path, " > ")))
	}
	return someOf(key, label, lines)
}

// recipes returns the recipes that make an item.
func (d *drops) recipes(v *codex.Item) []format.InfoField {
	var lines []string
	for _, r := range d.Recipes {
		for _, c := range r.Results {
			if c.What.Kind == codex.KindItem && c.What.ID == v.ID {
				lines = append(lines, d.title(codex.Link{Kind: codex.KindRecipe, ID: r.ID})+": "+oneIn(c.Chance))
			}
		}
	}
	return someOf("madeBy", "made by", lines)
}

// given returns what a unit drops, or sells.
func (d *drops) given(u *codex.Unit) []format.InfoField {
	var lines []string
	for _, l := range d.Loots {
		for _, by := range l.Units {
			if by.ID != u.ID {
				continue
			}
			for _, c := range d.Gives(l) {
				title := d.title(c.What)
				if c.What.Kind == codex.KindType {
					title = "some " + title
				}
				lines = append(lines, title+": "+oneIn(c.Chance))
			}
		}
	}
	return someOf("drops", "drops", lines)
}

func (d *drops) list(key, label string, links []codex.Link) []format.InfoField {
	var lines []string
	for _, l := range links {
		lines = append(lines, d.title(l))
	}
	return someOf(key, label, lines)
}

func (d *drops) title(l codex.Link) string {
	return cmp.Or(d.titles[codex.Link{Kind: l.Kind, ID: l.ID}], l.Name)
}

// someOf returns a fact with the first lines of a list, or none.
func someOf(key, label string, lines []string) []format.InfoField {
	if lines == nil {
		return nil
	}
	return []format.InfoField{format.Fact(key, label, firstFew(lines, maxDrops))}
}

// firstFew returns the first lines of a list, and a line with the number of the others.
func firstFew(list []string, most int) []string {
	if more := len(list) - most; more > 0 {
		return append(list[:most:most], fmt.Sprintf("and %s more", words.Thousands(int64(more))))
	}
	return list
}

// oneIn returns a chance in words, as the codex shows it.
func oneIn(q float64) string {
	switch {
	case q >= 0.995:
		return "always"
	case q > 0.1:
		return "1 in " + strings.TrimSuffix(fmt.Sprintf("%.1f", 1/q), ".0")
	}
	return "1 in " + words.Thousands(int64(math.Round(1/q)))
}

package modauthor

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// completer collects completions for a line.
type completer struct {
	*Author
	over  format.Span // what they replace
	typed string      // what the user has typed of it
	list  []format.Completion
	seen  map[string]bool
}

// add adds a completion if it contains what the user has typed.
func (c *completer) add(kind format.CompletionKind, label, detail, write string, rank int) {
	match, ok := contains(label, c.typed)
	if !ok || c.seen[label] {
		return
	}
	c.seen[label] = true
	c.list = append(c.list, format.Completion{Kind: kind, Label: label, Detail: detail, Rank: 2*rank + match,
		Edit: format.Edit{Span: c.over, Text: write}})
}

// Complete returns the types, keys and values that can be written at a place.
func (a *Author) Complete(_ context.Context, at string, spot format.Spot) ([]format.Completion, error) {
	if !isTree(moddir.GamePath(at)) {
		return nil, nil
	}
	content, err := a.content(at)
	if err != nil {
		return nil, err
	}
	row, ok := lineOf(content, spot.Line)
	if !ok || spot.Column > len(row) {
		return nil, nil
	}
	way, props := around(content, spot.Line)
	l := parseLine(row)
	end := len(strings.TrimRight(row, " \t"))
	start := len(row) - len(strings.TrimLeft(row, " \t"))
	c := &completer{Author: a, seen: make(map[string]bool)}
	replace := func(from, to int) {
		to = max(to, spot.Column)
		c.over, c.typed = part{from, to}.span(at, spot.Line), row[from:spot.Column]
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	switch {
	case l.property && l.colon && spot.Column > l.key.to:
		replace(l.value.from, end)
		c.values(at, way, props, l.typ.of(row), l.key.of(row))
	case l.property && l.typed && spot.Column > l.typ.to:
		replace(l.key.from, l.key.to)
		colon := ":"
		if l.colon {
			colon = ""
		}
		c.keys(way, props, func(key string, t text.Type) {
			if own, ok := text.ParseType(l.typ.of(row)); !ok || own == t {
				c.add(format.CompleteKey, key, t.String(), key+colon, 0)
			}
		})
	case l.property && spot.Column > start:
		replace(start+1, l.typ.to)
		c.types(l.typed)
		c.over.From.Column, c.typed = start, row[start+1:spot.Column]
		c.keys(way, props, func(key string, t text.Type) {
			c.add(format.CompleteKey, t.String()+">"+key, t.String(), "<"+t.String()+">"+key+":", 1)
		})
	case spot.Column >= start && !l.close:
		replace(min(start, spot.Column), end)
		c.lines(way, props)
	}
	return c.list, nil
}

// types adds the types of properties.
func (c *completer) types(closed bool) {
	end := ">"
	if closed {
		end = ""
	}
	for t := text.Integer; t <= text.Note; t++ {
		c.add(format.CompleteKeyword, t.String(), "type", t.String()+end, 0)
	}
}

// lines adds whole lines.
func (c *completer) lines(way []string, props []event) {
	if len(way) == 0 {
		return
	}
	c.typed = strings.TrimPrefix(c.typed, "[")
	c.keys(way, props, func(key string, t text.Type) {
		c.add(format.CompleteKey, key, t.String(), "<"+t.String()+">"+key+":", 0)
	})
	for _, x := range []*index{c.mod, c.game} {
		for key := range x.nodes[strings.ToUpper(way[len(way)-1])] {
			if strings.HasPrefix(key, "[") {
				c.add(format.CompleteKeyword, strings.Trim(key, "[]"), "node", key, 1)
			}
		}
	}
	c.add(format.CompleteKeyword, "/"+way[len(way)-1], "end", "[/"+way[len(way)-1]+"]", 2)
}

// keys yields the keys that a node can have: those of its kind of object in a layout, otherwise those that nodes of its
// name have in the mod and in the game's files.
func (c *completer) keys(way []string, props []event, yield func(key string, t text.Type)) {
	if len(way) == 0 {
		return
	}
	has := make(map[string]bool)
	for _, p := range props {
		has[strings.ToUpper(p.key)] = true
	}
	if d := descriptorOf(props); d != nil {
		for _, info := range d.Properties {
			if t, ok := text.ParseType(info.Kind.String()); ok && !has[info.Name] {
				yield(info.Name, t)
			}
			for _, component := range []string{"X", "Y", "Z", "W"} {
				if info.Kind >= layout.Vector2 && d.Has(info.Name+component) && !has[info.Name+component] {
					yield(info.Name+component, text.Float)
				}
			}
		}
	}
	node := strings.ToUpper(way[len(way)-1])
	keys := make(map[string]bool)
	for _, x := range []*index{c.mod, c.game} {
		for key := range x.nodes[node] {
			keys[key] = true
		}
	}
	for key := range keys {
		if !strings.HasPrefix(key, "[") {
			yield(key, c.stat(keyID{node, key}).typ())
		}
	}
}

// descriptorOf returns the kind of the object that has some properties, or nil.
func descriptorOf(props []event) *layout.Descriptor {
	for _, p := range props {
		if strings.EqualFold(p.key, "DESCRIPTOR") {
			return layout.DescriptorNamed(p.value)
		}
	}
	return nil
}

// values adds the values of a key.
func (c *completer) values(at string, way []string, props []event, typ, key string) {
	upper := strings.ToUpper(key)
	t, _ := text.ParseType(typ)
	if t == text.Bool {
		c.add(format.CompleteValue, "true", typ, "true", 0)
		c.add(format.CompleteValue, "false", typ, "false", 0)
		return
	}
	node := ""
	if len(way) > 0 {
		node = strings.ToUpper(way[len(way)-1])
	}
	stat := c.stat(keyID{node, upper})
	switch {
	case upper == "DESCRIPTOR":
		for d := range layout.Descriptors() {
			c.add(format.CompleteValue, d.Name, d.Category, d.Name, 0)
		}
	case slices.Contains(iconKeys, upper):
		c.owners(func(s symbol) bool { return s.kind == kindSprite })
	case (t == text.Integer64 || strings.Contains(upper, "GUID")) && !slices.Contains(guidKeys, upper) && !slices.Contains(objectKeys, upper):
		c.guids()
	case t == text.String:
		if len(way) > 1 || upper != "NAME" {
			if k, ok := mentions(upper, node); ok {
				c.owners(func(s symbol) bool { return s.kind == k || k == kindAny && s.kind >= kindThing })
			}
		}
		c.files(stat, upper)
	}
	for _, v := range stat.frequent(maxValues) {
		if c.plain(v) {
			c.add(format.CompleteValue, v, fmt.Sprintf("%d times", stat.values[v]), v, 1)
		}
	}
}

// plain reports whether a value is worth proposing as it is: paths and numbers of GUIDs have proposals of their own.
func (c *completer) plain(value string) bool {
	id, clean := text.ParseInt64(value)
	return !strings.ContainsAny(value, `/\`) && (!clean || id == int64(int32(id)))
}

// owners adds the names of things.
func (c *completer) owners(is func(symbol) bool) {
	for _, x := range []*index{c.mod, c.game} {
		x.owners(is, func(s symbol, f *file) {
			c.add(format.CompleteThing, s.name, s.kind.String()+", "+path.Base(f.game), s.name, 0)
		})
	}
}

// guids adds the numbers of GUIDs, under the names of their owners.
func (c *completer) guids() {
	typed := c.typed
	for _, x := range []*index{c.mod, c.game} {
		x.owners(func(s symbol) bool { return s.kind == kindGUID }, func(s symbol, f *file) {
			name := x.nameIn(f)
			if name == "" {
				name = path.Base(f.game)
			}
			if strings.HasPrefix(s.name, typed) && typed != "" {
				c.add(format.CompleteValue, s.name, name, s.name, 0)
			} else {
				c.add(format.CompleteThing, name+" "+s.name, "GUID", s.name, 0)
			}
		})
	}
}

// files adds paths of files with the extensions that the key has elsewhere.
func (c *completer) files(stat *keyStat, key string) {
	extensions := make(map[string]bool)
	slash, lower, short := "/", true, false
	for v := range stat.values {
		if strings.ContainsAny(v, `/\`) && path.Ext(v) != "" {
			extensions[strings.ToUpper(path.Ext(v))] = true
			lower = lower && v == strings.ToLower(v)
			short = short || !strings.HasPrefix(strings.ToUpper(v), "MEDIA")
			if strings.Contains(v, `\`) {
				slash = `\`
			}
		}
	}
	switch {
	case len(extensions) > 0:
	case key == "BASEFILE":
		extensions[".DAT"] = true
	case strings.Contains(key, "LAYOUT"):
		extensions[".LAYOUT"] = true
	case !strings.ContainsAny(c.typed, `/\`):
		return
	}
	if strings.Contains(c.typed, "/") {
		slash = "/"
	}
	for _, x := range []*index{c.mod, c.game} {
		for game, number := range x.byGame {
			if len(extensions) > 0 && !extensions[path.Ext(game)] {
				continue
			}
			if short && !strings.HasPrefix(strings.ToUpper(c.typed), "MEDIA") {
				game = strings.TrimPrefix(game, "MEDIA/")
			}
			if lower {
				game = strings.ToLower(game)
			}
			game = strings.ReplaceAll(game, "/", slash)
			c.add(format.CompleteFile, game, words.Count(x.files[number].size, "byte"), game, 0)
		}
	}
}

package mapdiff

import (
	"cmp"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"trowel.example/internal/text/words"
)

// Limits for the output of [Lines], which keep it readable.
const (
	maxPerPart = 24 // lines about the tiles, or about the quads, of a layer
	maxTiles   = 60 // lines about tiles in total; if there are more, each layer gets a share
	maxAlike   = 3  // parts with an identical change that are listed one by one
	maxWhole   = 8  // added or removed parts of a list that are listed one by one
)

// Lines formats changes as lines of text. It keeps few of them in memory, however many there are: the largest areas
// of each layer.
type Lines struct {
	parts []*partLines
	known map[string]*partLines
	whole map[whole][]string // the paths of parts that were added or removed
}

// whole identifies a change of whole parts in a folder.
type whole struct {
	dir  string
	kind Kind
}

type partLines struct {
	path    string
	texts   []string
	resized bool   // the last text reports a new size
	whole   *whole // if the part was added or removed
	items   []*itemLine
	known   map[[2]string]*itemLine // by type and text
	areas   areaList
	empty   areaList // of tiles that are empty in both maps and differ in their flags only
}

// itemLine is a change of several things in a part, such as of quads.
type itemLine struct {
	typ, text string
	names     []string
	numbers   []int
}

// areaList holds the largest areas of a layer, and the totals.
type areaList struct {
	top   []Change // largest first
	count int
	tiles int
	all   Area
}

// Add adds a change.
func (l *Lines) Add(c Change) {
	p := l.known[c.Path]
	if p == nil {
		p = &partLines{path: c.Path}
		if l.known == nil {
			l.known = make(map[string]*partLines)
		}
		l.known[c.Path] = p
		l.parts = append(l.parts, p)
	}
	switch {
	case c.Kind == Tiles && isNothing(c.Old) && isNothing(c.New):
		p.empty.add(c)
	case c.Kind == Tiles:
		p.areas.add(c)
	case c.Part.Type == "quad" || c.Part.Type == "source" || c.Part.Type == "point":
		p.item(c)
	case c.Kind == Resized && p.resized: // in both directions
		p.texts[len(p.texts)-1] += "; " + c.text()
	default:
		p.texts, p.resized = append(p.texts, c.text()), c.Kind == Resized
		if (c.Kind == Added || c.Kind == Removed) && p.path != "settings" && p.path != "map" {
			if l.whole == nil {
				l.whole = make(map[whole][]string)
			}
			w := whole{path.Dir(p.path), c.Kind}
			l.whole[w] = append(l.whole[w], p.path)
			p.whole = &w
		}
	}
}

func (a *areaList) add(c Change) {
	size := c.Area.Width * c.Area.Height
	if a.count == 0 {
		a.all = *c.Area
	}
	right, bottom := max(a.all.X+a.all.Width, c.Area.X+c.Area.Width), max(a.all.Y+a.all.Height, c.Area.Y+c.Area.Height)
	a.all.X, a.all.Y = min(a.all.X, c.Area.X), min(a.all.Y, c.Area.Y)
	a.all.Width, a.all.Height = right-a.all.X, bottom-a.all.Y
	a.count++
	a.tiles += size
	at := len(a.top)
	for at > 0 && a.top[at-1].Area.Width*a.top[at-1].Area.Height < size {
		at--
	}
	if at < maxPerPart {
		a.top = slices.Insert(a.top, at, c)
		a.top = a.top[:min(len(a.top), maxPerPart)]
	}
}

// isNothing reports whether the text of a cell is air or has the number 0. Editors leave flags in such cells, which
// are invisible.
func isNothing(cell any) bool {
	text, _ := cell.(string)
	return text == "air" || strings.HasPrefix(text, "0")
}

// ends returns the first and the last tile.
func (a Area) ends() string {
	return fmt.Sprintf("%d,%d and %d,%d", a.X, a.Y, a.X+a.Width-1, a.Y+a.Height-1)
}

// lines returns at most n lines.
func (a *areaList) lines(n int) []string {
	top, rest := a.top, a.tiles
	if a.count > n {
		top = a.top[:max(n-1, 0)]
	}
	top = slices.Clone(top)
	slices.SortFunc(top, func(p, q Change) int { return cmp.Or(p.Area.Y-q.Area.Y, p.Area.X-q.Area.X) })
	var lines []string
	for _, c := range top {
		lines = append(lines, c.text())
		rest -= c.Area.Width * c.Area.Height
	}
	if rest > 0 {
		more := "more "
		if len(top) == 0 {
			more = ""
		}
		lines = append(lines, fmt.Sprintf("and %s %stiles between %s", thousands(rest), more, a.all.ends()))
		if more == "" {
			lines[0] = strings.TrimPrefix(lines[0], "and ") + " changed"
		}
	}
	return lines
}

func (p *partLines) item(c Change) {
	text := c.text()
	number := c.Part.Is
	if number == nil || c.Kind == Moved {
		number = c.Part.Was
	}
	key := [2]string{c.Part.Type, text}
	if known := p.known[key]; known != nil {
		known.numbers = append(known.numbers, *number)
		known.names = append(known.names, c.Part.Name)
		return
	}
	if p.known == nil {
		p.known = make(map[[2]string]*itemLine)
	}
	p.known[key] = &itemLine{c.Part.Type, text, []string{c.Part.Name}, []int{*number}}
	p.items = append(p.items, p.known[key])
}

func (i *itemLine) String() string {
	var what string
	switch {
	case i.typ == "point" && len(i.names) == 1:
		what = "point at " + i.names[0]
	case i.typ == "point":
		what = "points at " + few(i.names)
	case len(i.numbers) == 1:
		what = fmt.Sprintf("%s %d", i.typ, i.numbers[0])
	default:
		slices.Sort(i.numbers)
		var runs []string
		for from := 0; from < len(i.numbers); {
			to := from
			for to+1 < len(i.numbers) && i.numbers[to+1] == i.numbers[to]+1 {
				to++
			}
			switch to - from {
			case 0:
				runs = append(runs, fmt.Sprint(i.numbers[from]))
			case 1:
				runs = append(runs, fmt.Sprint(i.numbers[from]), fmt.Sprint(i.numbers[to]))
			default:
				runs = append(runs, fmt.Sprintf("%d to %d", i.numbers[from], i.numbers[to]))
			}
			from = to + 1
		}
		what = i.typ + "s " + few(runs)
	}
	return what + ": " + i.text
}

// few lists names, or the first of many.
func few(names []string) string {
	if n := len(names); n > 8 {
		names = append(slices.Clone(names[:7]), fmt.Sprintf("%d more", n-7))
	}
	return strings.Join(names, ", ")
}

// All returns the lines.
func (l *Lines) All() []string {
	perLayer, wanted, layers, empty := maxPerPart, 0, 0, 0
	for _, p := range l.parts {
		wanted += min(p.areas.count, maxPerPart)
		if p.areas.count > 0 {
			layers++
		}
		if p.empty.count > 1 {
			empty++
		}
	}
	if wanted > maxTiles {
		perLayer = max(1, maxTiles/layers)
	}
	alike := make(map[string][]string) // the paths of parts with the same change
	for _, p := range l.parts {
		for _, text := range p.texts {
			alike[text] = append(alike[text], p.path)
		}
		for _, i := range p.items {
			alike[i.String()] = append(alike[i.String()], p.path)
		}
	}
	var lines, emptied []string // emptied are the paths of parts in which empty tiles have other flags
	tiles := 0                  // the number of these tiles
	for _, p := range l.parts {
		report := func(text string) { lines = append(lines, p.path+": "+text) }
		addText := func(text string) { // lists several parts with the same change together
			switch paths := alike[text]; {
			case len(paths) <= maxAlike || p.path == "settings":
				report(text)
			case paths[0] == p.path:
				lines = append(lines, fmt.Sprintf("%s: %s (%s)", words.Count(len(paths), "part"), text, few(slices.Compact(paths))))
				alike[text] = append([]string{""}, paths...) // already printed
			}
		}
		if p.whole != nil {
			paths := l.whole[*p.whole]
			if len(paths) > maxWhole {
				if paths[0] == p.path {
					var names []string
					for _, p := range paths {
						names = append(names, path.Base(p))
					}
					lines = append(lines, fmt.Sprintf("%s: %s %s: %s", p.whole.dir, thousands(len(paths)), p.whole.kind, few(names)))
				}
				continue
			}
		}
		for i, text := range p.texts {
			if i == maxPerPart-1 && len(p.texts) > maxPerPart { // there may be hundreds of settings
				report(fmt.Sprintf("and %s more changes", thousands(len(p.texts)-i)))
				break
			}
			addText(text)
		}
		items := p.items
		if len(items) > maxPerPart {
			items = items[:maxPerPart-1]
		}
		for _, i := range items {
			addText(i.String())
		}
		rest := 0
		for _, i := range p.items[len(items):] {
			rest += len(i.numbers)
		}
		if rest > 0 {
			report(fmt.Sprintf("and %s more changes of %ss", thousands(rest), p.items[0].typ))
		}
		for _, text := range p.areas.lines(perLayer) {
			report(text)
		}
		switch {
		case p.empty.count == 1:
			report(p.empty.top[0].text())
		case p.empty.count > 1 && empty <= maxAlike:
			report(fmt.Sprintf("%s empty tiles between %s: other flags", thousands(p.empty.tiles), p.empty.all.ends()))
		case p.empty.count > 1:
			emptied = append(emptied, p.path)
			tiles += p.empty.tiles
		}
	}
	if tiles > 0 {
		lines = append(lines, fmt.Sprintf("%s: %s empty tiles: other flags (%s)",
			words.Count(len(emptied), "part"), thousands(tiles), few(emptied)))
	}
	return lines
}

// String returns the change as text, as [Lines] formats a single change.
func (c Change) String() string {
	if !c.items() || c.Part.Was == nil && c.Part.Is == nil {
		return c.Path + ": " + c.text()
	}
	var p partLines
	p.item(c)
	return c.Path + ": " + p.items[0].String()
}

// text returns the change without its part.
func (c Change) text() string {
	switch c.Kind {
	case Added:
		switch {
		case c.Part.Type == "setting":
			return fmt.Sprintf("+ %s", c.New)
		case c.Part.Type == "item" || c.Part.Is == nil:
			return fmt.Sprintf("item added: %s", c.New)
		case c.items():
			return fmt.Sprintf("added at %s", show(c.New))
		}
		return fmt.Sprintf("added at %d: %s", *c.Part.Is, c.New)
	case Removed:
		switch {
		case c.Part.Type == "setting":
			return fmt.Sprintf("- %s", c.Old)
		case c.Part.Type == "item" || c.Part.Was == nil:
			return fmt.Sprintf("item removed: %s", c.Old)
		case c.items():
			return fmt.Sprintf("removed, was at %s", show(c.Old))
		}
		return fmt.Sprintf("removed, was at %d: %s", *c.Part.Was, c.Old)
	case Moved:
		if c.Part.Type == "setting" {
			return fmt.Sprintf("moved %v -> %v: %s", c.Old, c.New, c.Part.Name)
		}
		if c.Field == "group" {
			return fmt.Sprintf("moved to %v", c.New)
		}
		return fmt.Sprintf("moved %v -> %v", c.Old, c.New)
	case Renamed:
		return fmt.Sprintf("renamed %q -> %q", c.Old, c.New)
	case Replaced:
		return fmt.Sprintf("replaced: %v -> %v", c.Old, c.New)
	case Resized:
		var cuts []string
		ends := map[string][2]string{"row": {"at the top", "at the bottom"}, "column": {"at the left", "at the right"}}
		for _, cut := range c.At {
			what, where := "removed", fmt.Sprintf("from %s %d on", cut.Unit, cut.From)
			if cut.Added {
				what = "added"
			}
			switch {
			case cut.Last:
				where = ends[cut.Unit][1]
			case cut.First:
				where = ends[cut.Unit][0]
			}
			cuts = append(cuts, fmt.Sprintf("%s %s %s", words.Count(cut.Number, cut.Unit), what, where))
		}
		return fmt.Sprintf("%s %v -> %v: %s", c.Field, c.Old, c.New, strings.Join(cuts, ", "))
	case Shifted:
		return fmt.Sprintf("all tiles moved by %s", show(c.By))
	case Tiles:
		if c.Area.Width == 1 && c.Area.Height == 1 {
			return fmt.Sprintf("tiles %d,%d: %v -> %v", c.Area.X, c.Area.Y, c.Old, c.New)
		}
		return fmt.Sprintf("%d x %d tiles at %d,%d: %v -> %v", c.Area.Width, c.Area.Height, c.Area.X, c.Area.Y, c.Old, c.New)
	}
	if c.By != nil {
		return "moved by " + show(c.By)
	}
	return fmt.Sprintf("%s %s -> %s", c.Field, show(c.Old), show(c.New))
}

// items reports whether the change is about things inside a part.
func (c Change) items() bool {
	return c.Part.Type == "quad" || c.Part.Type == "source" || c.Part.Type == "point"
}

// show formats a value for people.
func show(v any) string {
	if v == nil {
		return "none"
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice {
		var list []string
		for i := range r.Len() {
			list = append(list, fmt.Sprint(r.Index(i).Interface()))
		}
		if len(list) > 12 {
			return words.Count(len(list), "number")
		}
		return strings.Join(list, ", ")
	}
	if s, ok := v.(string); ok && s == "" {
		return "none"
	}
	return fmt.Sprint(v)
}

// thousands writes a number with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

package modauthor

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
	"time"

	"trowel.example/internal/format"
	"trowel.example/torchlight/text"
)

// index is what is known about the files of a mod, or of the game.
type index struct {
	files  []*file // by number; numbers are not used again
	byPath map[string]int32
	byGame map[string]int32
	ids    map[symbol]int32
	places [][]int32 // by symbol: the files that may mention it
	names  []symbol  // by symbol
	keys   map[keyID]*keyStat
	nodes  map[string]map[string]bool // keys by node, both in upper case
}

// file is a file with what it mentions.
type file struct {
	path, game string
	size       int64
	time       time.Time
	uses       []use
	owns       []int32 // the symbols that it defines
}

// use is a mention with the number of its symbol.
type use struct {
	id, line, from, to int32
	own                bool
}

// keyID is a key in a node, both in upper case.
type keyID struct{ node, key string }

// keyStat describes the values of a key.
type keyStat struct {
	types  [text.Note + 1]int32 // number of times
	values map[string]int32     // the first values with their numbers, at most maxValues
}

// maxValues is the number of different values of a key that are kept.
const maxValues = 48

func newIndex() *index {
	return &index{byPath: make(map[string]int32), byGame: make(map[string]int32), ids: make(map[symbol]int32),
		keys: make(map[keyID]*keyStat), nodes: make(map[string]map[string]bool)}
}

// put adds or replaces a file. Strings of facts are copied, because they are parts of whole texts.
func (x *index) put(f *file, facts facts) {
	number, known := x.byPath[f.path]
	if !known {
		number = int32(len(x.files))
		x.files = append(x.files, nil)
		x.byPath[f.path] = number
	}
	x.files[number] = f
	if other, taken := x.byGame[f.game]; !taken || x.files[other] == nil {
		x.byGame[f.game] = number
	}
	f.uses, f.owns = make([]use, 0, len(facts.mentions)), nil
	for _, m := range facts.mentions {
		id, known := x.ids[m.symbol]
		if !known {
			id = int32(len(x.names))
			m.name = strings.Clone(m.name)
			x.ids[m.symbol], x.names, x.places = id, append(x.names, m.symbol), append(x.places, nil)
		}
		if list := x.places[id]; !slices.Contains(list[max(0, len(list)-8):], number) {
			x.places[id] = append(list, number)
		}
		f.uses = append(f.uses, use{id, m.line, m.from, m.to, m.own})
		if m.own {
			f.owns = append(f.owns, id)
		}
	}
	for _, k := range facts.keys {
		x.note(k)
	}
}

func (x *index) note(k keyUse) {
	id := keyID{strings.ToUpper(k.node), strings.ToUpper(k.key)}
	stat := x.keys[id]
	if stat == nil {
		id = keyID{strings.Clone(id.node), strings.Clone(id.key)}
		stat = &keyStat{values: make(map[string]int32)}
		x.keys[id] = stat
		if x.nodes[id.node] == nil {
			x.nodes[id.node] = make(map[string]bool)
		}
		x.nodes[id.node][id.key] = true
	}
	stat.types[k.typ]++
	value := strings.TrimSpace(k.value)
	if _, known := stat.values[value]; known {
		stat.values[value]++
	} else if len(stat.values) < maxValues && value != "" && len(value) <= 80 {
		stat.values[strings.Clone(value)] = 1
	}
}

// typ returns the most frequent type.
func (k *keyStat) typ() text.Type {
	best := text.String
	for t, n := range k.types {
		if n > k.types[best] && text.Type(t).Known() {
			best = text.Type(t)
		}
	}
	return best
}

// count returns how often the key occurs.
func (k *keyStat) count() (n int32) {
	for _, times := range k.types {
		n += times
	}
	return n
}

// remove forgets a file.
func (x *index) remove(path string) {
	number, known := x.byPath[path]
	if !known {
		return
	}
	if game := x.files[number].game; x.byGame[game] == number {
		delete(x.byGame, game)
	}
	x.files[number] = nil
	delete(x.byPath, path)
}

// find returns the places that define a thing, or those that mention it.
func (x *index) find(s symbol, own bool) (spans []format.Span) {
	id, known := x.ids[s]
	if !known {
		return nil
	}
	list := slices.Clone(x.places[id])
	slices.Sort(list)
	for _, number := range slices.Compact(list) {
		f := x.files[number]
		if f == nil {
			continue
		}
		for _, u := range f.uses {
			if u.id == id && u.own == own {
				spans = append(spans, u.span(f.path))
			}
		}
	}
	return spans
}

func (u use) span(path string) format.Span {
	return part{int(u.from), int(u.to)}.span(path, int(u.line))
}

// at returns the mention at a place of a file.
func (x *index) at(path string, at format.Spot) (symbol, use, bool) {
	if number, known := x.byPath[path]; known {
		for _, u := range x.files[number].uses {
			if int(u.line) == at.Line && int(u.from) <= at.Column && at.Column <= int(u.to) {
				return x.names[u.id], u, true
			}
		}
	}
	return symbol{}, use{}, false
}

// owners yields each definition of a kind of things, with its file.
func (x *index) owners(is func(symbol) bool, yield func(symbol, *file)) {
	for _, f := range x.files {
		if f == nil {
			continue
		}
		for _, id := range f.owns {
			if is(x.names[id]) {
				yield(x.names[id], f)
			}
		}
	}
}

// changedFile is a file that the index must read.
type changedFile struct {
	path string
	info fs.FileInfo
}

// compare returns the files of a folder that have changed since they were put, and those that no longer exist.
func (x *index) compare(present []changedFile) (changed []changedFile, gone []string) {
	there := make(map[string]bool, len(present))
	for _, c := range present {
		there[c.path] = true
		if number, known := x.byPath[c.path]; known {
			if f := x.files[number]; f.size == c.info.Size() && f.time.Equal(c.info.ModTime()) {
				continue
			}
		}
		changed = append(changed, c)
	}
	for path := range x.byPath {
		if !there[path] {
			gone = append(gone, path)
		}
	}
	slices.SortFunc(changed, func(a, b changedFile) int { return cmp.Compare(a.path, b.path) })
	return changed, gone
}

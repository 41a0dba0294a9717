package moddir

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/words"
	"trowel.example/torchlight/tables"
	"trowel.example/torchlight/text"
)

// Reference is the place of a finding about a file that is not there: what refers to it,
// and what it refers to.
type Reference struct {
	text.Place
	To string // path of the file, in capitals
}

func (r Reference) String() string { return r.Place.String() + " to " + r.To }

// Whole returns the place that refers.
func (r Reference) Whole() check.Place { return r.Place }

// MarshalJSON writes the place that refers, with the file as "to".
func (r Reference) MarshalJSON() ([]byte, error) {
	place, err := r.Place.MarshalJSON()
	if err != nil {
		return nil, err
	}
	to, err := json.Marshal(r.To)
	return slices.Concat(place[:len(place)-1], []byte(`,"to":`), to, []byte("}")), err
}

// missing is a file that is not there, and the places in a file that refer to it.
type missing struct {
	from, name string
	to         string // as the first place has it
	base       bool   // what it is based on
	at         []check.Place
}

// checkReferences looks up what files refer to: a finding for each pair of a file and a
// missing one. Without the game's files nobody can tell what is missing, only what is
// not in the mod, and what probably should be.
func checkReferences(all []facts, present map[string]bool, base tables.Sources, sink check.Sink) {
	inGame := make(map[string]bool)
	if base != nil {
		for path := range base.Files() {
			inGame[strings.ToUpper(path)] = true
		}
	}
	c := newCompleteness(present)
	var list []*missing
	for _, a := range all {
		pairs := make(map[string]*missing)
		refer := func(to string, at text.Place, isBase bool) {
			name := gameName(to)
			if to == "" {
				return
			}
			there := present[name] || inGame[name]
			c.note(name, there)
			if there {
				return
			}
			m := pairs[name]
			if m == nil {
				m = &missing{from: a.path, name: name, to: to, base: isBase}
				pairs[name] = m
				list = append(list, m)
			}
			m.at = append(m.at, Reference{at, name})
		}
		refer(a.basefile, text.Place{Path: a.path, Node: "BASEFILE"}, true)
		for _, ref := range a.refs {
			refer(ref.to, ref.at, false)
		}
	}
	var outside, outsideBases []*missing
	for _, m := range list {
		times := ""
		if n := len(m.at); n > 1 {
			times = " in " + words.Count(n, "place")
		}
		near := c.near(m.name)
		switch {
		case base != nil && m.base:
			sink.AddAt(kindBaseMissing, m.at, m.from, -1, "refers%s to %s, which is nowhere%s", times, m.to, near)
		case base != nil:
			sink.AddAt(kindFileMissing, m.at, m.from, -1, "refers%s to %s, which is nowhere%s", times, m.to, near)
		case near != "" || c.own(m.name):
			if near == "" {
				near = "; what else is referred to in that folder is there"
			}
			sink.AddAt(kindFileLikely, m.at, m.from, -1, "refers%s to %s, which is not in the mod%s", times, m.to, near)
		case m.base:
			outsideBases = append(outsideBases, m)
		default:
			outside = append(outside, m)
		}
	}
	tellOutside(kindBaseOutside, "files", outsideBases, sink)
	tellOutside(kindFileOutside, "files", outside, sink)
}

// tellOutside makes one finding of all files or the like that are not in the mod, and perhaps
// in the game.
func tellOutside(kind *check.Kind, what string, list []*missing, sink check.Sink) {
	var names []string
	var at []check.Place
	for _, m := range list {
		if !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
		at = append(at, m.at...)
	}
	const few = 3
	switch {
	case len(names) == 0:
	case len(names) <= few:
		sink.AddAt(kind, at, "", -1, "%s that the mod does not have: %s", what, strings.Join(names, ", "))
	default:
		sink.AddAt(kind, at, "", -1, "%d %s that the mod does not have, such as %s", len(names), what, strings.Join(names[:few], ", "))
	}
}

// completeness knows which folders of a mod have what is referred to in them.
type completeness struct {
	files   map[string][]string        // names of the files of the mod by folder
	folders map[string][]string        // folders of the mod that have a file of a name
	there   map[string]map[string]bool // files that are referred to by folder, and whether they are there
}

func newCompleteness(present map[string]bool) *completeness {
	c := &completeness{make(map[string][]string), make(map[string][]string), make(map[string]map[string]bool)}
	for name := range present {
		dir, file := path.Split(name)
		c.files[dir] = append(c.files[dir], file)
		c.folders[file] = append(c.folders[file], dir)
	}
	return c
}

// note notes that a file is referred to.
func (c *completeness) note(name string, there bool) {
	dir, file := path.Split(name)
	if c.there[dir] == nil {
		c.there[dir] = make(map[string]bool)
	}
	c.there[dir][file] = there
}

// own reports whether the folder of a file seems to be the mod's own: it has more of
// what is referred to there than it lacks.
func (c *completeness) own(name string) bool {
	dir, _ := path.Split(name)
	n := 0
	for _, there := range c.there[dir] {
		if there {
			n++
		} else {
			n--
		}
	}
	return n > 0
}

// near returns which file of the mod a missing one was probably meant to be: one of nearly
// its name in its folder, or one of its name in a folder above or below. Names that
// differ in numbers only are those of a series, of which the game may have the other.
func (c *completeness) near(name string) string {
	dir, file := path.Split(name)
	best, least := "", 3
	for _, other := range slices.Sorted(slices.Values(c.files[dir])) {
		if withoutDigits(other) == withoutDigits(file) {
			continue
		}
		if n := distance(file, other, least); n < least && n*4 < len(file)-len(path.Ext(file)) {
			best, least = dir+other, n
		}
	}
	if best != "" {
		return ", but " + best + " is"
	}
	for _, other := range slices.Sorted(slices.Values(c.folders[file])) {
		if upper := min(len(dir), len(other)); dir[:upper] == other[:upper] && strings.Count(dir[:upper], "/") >= 3 {
			return ", but " + other + file + " is"
		}
	}
	return ""
}

func withoutDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, s)
}

// distance returns how many letters have to be put in, taken out or changed to make b of
// a; most or more if it is that many.
func distance(a, b string, most int) int {
	if d := len(a) - len(b); d >= most || -d >= most {
		return most
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last, least := row[0], i+1
		row[0] = i + 1
		for j := range len(b) {
			n := last
			if a[i] != b[j] {
				n = 1 + min(last, row[j], row[j+1])
			}
			last, row[j+1] = row[j+1], n
			least = min(least, n)
		}
		if least >= most {
			return most
		}
	}
	return row[len(b)]
}

package moddir

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/internal/hole"
	"trowel.example/torchlight/internal/tables"
	"trowel.example/torchlight/text"
)

// Reference is the place of a finding about a missing file: the place that refers to the file, and the path of the
// file.
type Reference struct {
	text.Place
	To string // path of the missing file, in upper case
}

func (r Reference) String() string { return r.Place.String() + " to " + r.To }

// Whole returns the place that contains the reference.
func (r Reference) Whole() check.Place { return r.Place }

// MarshalJSON writes the place that contains the reference, with the missing file as "to".
func (r Reference) MarshalJSON() ([]byte, error) {
	place, err := r.Place.MarshalJSON()
	if err != nil {
		return nil, err
	}
	to, err := json.Marshal(r.To)
	return slices.Concat(place[:len(place)-1], []byte(`,"to":`), to, []byte("}")), err
}

// missing is a missing file, and the places in a file that refer to it.
type missing struct {
	from, name string
	to         string // as in the first place
	base       bool   // the file is a BASEFILE
	at         []check.Place
}

// checkReferences looks up the references of files. There is one finding for each pair of a file and a missing file.
// Without the game's files it is unknown whether a file is missing: the check then reports which files are not in the
// mod, and which probably should be.
func checkReferences(all []facts, present map[string]bool, base tables.Sources, sink check.Sink) {
	inGame := make(map[string]bool)
	folders := make(map[string]bool) // parts of MEDIA of which the game's files are known
	if base != nil {
		for path := range base.Files() {
			inGame[strings.ToUpper(path)] = true
			folders[topFolder(path)] = true
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
		known := folders[topFolder(m.name)]
		switch {
		case !strings.HasPrefix(m.name, "MEDIA/"):
			sink.AddAt(foundOutsideMedia, m.at, m.from, -1, "refers%s to %s, which is not in MEDIA/", times, m.to)
		case known && m.base:
			sink.AddAt(foundBaseMissing, m.at, m.from, -1, "%s", hole.BaseFile(m.name, times, near))
		case known:
			sink.AddAt(foundFileMissing, m.at, m.from, -1, "refers%s to %s, which does not exist%s", times, m.to, near)
		case near != "" || c.own(m.name):
			if near == "" {
				near = "; all other referenced files in that folder exist"
			}
			sink.AddAt(foundFileLikely, m.at, m.from, -1, "refers%s to %s, which is not in the mod%s", times, m.to, near)
		case m.base:
			outsideBases = append(outsideBases, m)
		default:
			outside = append(outside, m)
		}
	}
	reportOutside(foundBaseOutside, "files", outsideBases, sink)
	reportOutside(foundFileOutside, "files", outside, sink)
}

// topFolder returns the part of MEDIA that a file is in, such as MEDIA/UNITS/, or MEDIA/ for a file in MEDIA itself. A base that
// has none of it does not show which files the game has there.
func topFolder(file string) string {
	parts := strings.SplitAfterN(gameName(file), "/", 3)
	return strings.Join(parts[:len(parts)-1], "")
}

// reportOutside reports one finding for all files or icons that are not in the mod, but may be in the game.
func reportOutside(kind *check.Kind, what string, list []*missing, sink check.Sink) {
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
		sink.AddAt(kind, at, "", -1, "%s not in the mod: %s", what, strings.Join(names, ", "))
	default:
		sink.AddAt(kind, at, "", -1, "%d %s not in the mod, such as %s", len(names), what, strings.Join(names[:few], ", "))
	}
}

// completeness records for folders of a mod which of the files that are referred to exist.
type completeness struct {
	files   map[string][]string        // names of the files of the mod by folder
	folders map[string][]string        // folders of the mod by the name of a file in them
	there   map[string]map[string]bool // files with references, by folder, and whether they exist
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

// note records a reference to a file.
func (c *completeness) note(name string, there bool) {
	dir, file := path.Split(name)
	if c.there[dir] == nil {
		c.there[dir] = make(map[string]bool)
	}
	c.there[dir][file] = there
}

// own reports whether the folder of a file seems to be the mod's own: most of the files in it that are referred to
// exist.
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

// near describes the file of the mod that a reference to a missing file probably means: one with a similar name in the
// same folder, or one with the same name in a folder above or below. It ignores names that differ only in numbers,
// because they form a series of which the game may have the other.
func (c *completeness) near(name string) string {
	dir, file := path.Split(name)
	others := slices.DeleteFunc(slices.Sorted(slices.Values(c.files[dir])), func(other string) bool {
		return withoutDigits(other) == withoutDigits(file)
	})
	if best := words.Nearest(file, others, min(2, (len(file)-len(path.Ext(file))-1)/4)); best != "" {
		return ", but " + dir + best + " is"
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

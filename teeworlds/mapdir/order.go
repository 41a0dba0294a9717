package mapdir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"trowel.example/fault"
	"trowel.example/internal/text/forms"
	"trowel.example/internal/text/strictjson"
	"trowel.example/internal/text/words"
)

// folder is a folder of parts: the list of their names, and the existing files.
type folder struct {
	r       *reader
	dir     string
	noun    string // the kind of its parts, such as "layer"
	files   map[string]fs.DirEntry
	claimed map[string]bool // by key
	parts   []listed
}

// listed is a name in a list.
type listed struct {
	name string
	line int
}

// folder reads a folder and its list.
func (r *reader) folder(dir, noun string) *folder {
	f := &folder{r: r, dir: dir, noun: noun, files: make(map[string]fs.DirEntry), claimed: make(map[string]bool)}
	entries, err := fs.ReadDir(r.fs, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.errs = append(r.errs, err)
	}
	for _, e := range entries {
		f.files[e.Name()] = e
	}
	if f.has(fileOrder) {
		f.read()
	}
	return f
}

func (f *folder) order() string { return f.dir + "/" + fileOrder }

// read reads the list: a name on each line. It skips empty lines and comments.
func (f *folder) read() {
	data, err := forms.ReadText(f.r.fs, f.order())
	if err != nil {
		f.r.errs = append(f.r.errs, err)
		return
	}
	seen := make(map[string]int)
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		name := strings.Trim(line, " \t\r\n")
		if name == "" || name[0] == '#' {
			continue
		}
		before := seen[key(name)]
		switch {
		case !utf8.ValidString(name):
			f.fail(n, "a name that is not UTF-8")
		case strings.ContainsAny(name, `/\`) || !fs.ValidPath(name) || name == ".":
			f.fail(n, "%q cannot be the name of a file", name)
		case before > 0:
			f.fail(n, "the %s %q is listed twice, first in line %d", f.noun, name, before)
		default:
			seen[key(name)] = n
			f.parts = append(f.parts, listed{name, n})
		}
	}
}

func (f *folder) fail(line int, format string, args ...any) {
	f.r.errs = append(f.r.errs, &fault.TextError{File: f.order(), Line: line, Msg: fmt.Sprintf(format, args...)})
}

// has reports whether a file or folder exists, and claims it.
func (f *folder) has(name string) bool {
	_, ok := f.files[name]
	if !ok { // the system may match names of another case or spelling
		for known := range f.files {
			if key(known) == key(name) {
				_, err := fs.Stat(f.r.fs, f.dir+"/"+name)
				ok = err == nil
			}
		}
	}
	if ok {
		f.claimed[key(name)] = true
	}
	return ok
}

// missing reports that a part of the list does not exist.
func (f *folder) missing(p listed, want string) {
	hint := ""
	for name := range f.files {
		if key(name) == key(path.Base(want)) {
			hint = fmt.Sprintf(" (did you mean %q?)", name)
		}
	}
	if short := strings.TrimSuffix(p.name, path.Ext(p.name)); hint == "" && short != p.name && f.files[p.name] != nil {
		hint = fmt.Sprintf("; a name without its extension is %q", short)
	}
	f.fail(p.line, "no %s %q: expected %s%s", f.noun, p.name, want, hint)
}

// leftovers handles the files that are not in the list: it reports each part that is missing in the list, and treats
// everything else as the user's own files.
func (f *folder) leftovers(isPart func(e fs.DirEntry) bool) (unlisted []string) {
	var rest []fs.DirEntry
	for name, e := range f.files {
		if !f.claimed[key(name)] {
			rest = append(rest, e)
		}
	}
	slices.SortFunc(rest, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	stems := make(map[string]bool)
	first := ""
	var others []fs.DirEntry
	for _, e := range rest {
		if !isPart(e) {
			others = append(others, e)
			continue
		}
		name := e.Name()
		if !e.IsDir() {
			name = strings.TrimSuffix(name, path.Ext(name))
		}
		if !stems[name] {
			stems[name] = true
			first = cmp.Or(first, e.Name())
			unlisted = append(unlisted, name)
		}
	}
	switch n := len(unlisted); {
	case n == 0:
	case n == 1:
		f.r.leaveOut(f.dir+"/"+first,
			fmt.Sprintf("is not listed, and was left out: a line %q in %s makes it part of the map", unlisted[0], f.order()))
	default:
		f.r.leaveOut(f.order(),
			fmt.Sprintf("does not list %s, which were left out: a line with the name of each makes them part of the map",
				few(unlisted)))
	}
	for _, e := range others {
		if stem, tiles := strings.CutSuffix(e.Name(), ".txt"); !tiles || !stems[stem] {
			f.r.foreign(f.dir+"/"+e.Name(), e.IsDir())
		}
	}
	return unlisted
}

// unordered is leftovers for a folder whose parts must all be listed.
func (f *folder) unordered(isPart func(e fs.DirEntry) bool) {
	if unlisted := f.leftovers(isPart); len(unlisted) > 0 && !f.claimed[fileOrder] {
		f.r.fail(f.order(), "the file is missing: expected the names of the %ss in their order, one on each line", f.noun)
	}
}

// withExtension returns a function that reports whether a file has one of the given extensions.
func withExtension(extensions ...string) func(fs.DirEntry) bool {
	return func(e fs.DirEntry) bool { return !e.IsDir() && slices.Contains(extensions, path.Ext(e.Name())) }
}

// isGroup reports whether a folder contains a group.
func (f *folder) isGroup(e fs.DirEntry) bool {
	_, err := fs.Stat(f.r.fs, f.dir+"/"+e.Name()+"/"+fileGroup)
	return e.IsDir() && err == nil
}

// isLayer reports whether a file contains a layer.
func (f *folder) isLayer(e fs.DirEntry) bool {
	if e.IsDir() || path.Ext(e.Name()) != ".json" {
		return false
	}
	data, err := fs.ReadFile(f.r.fs, f.dir+"/"+e.Name())
	return err == nil && strictjson.Type(data, "type") != ""
}

// foreign records a file that is not a part of the map. Files of the system and of version control, which begin with
// a dot, are not recorded.
func (r *reader) foreign(name string, dir bool) {
	if strings.HasPrefix(path.Base(name), ".") {
		return
	}
	if dir {
		name += "/"
	}
	r.own = append(r.own, name)
}

// reportForeign reports all files that are not parts of the map, in one line.
func (r *reader) reportForeign() {
	switch n := len(r.own); {
	case n == 0:
	case n == 1:
		r.leaveOut(r.own[0], "was left out, because it is not part of the map")
	default:
		r.leaveOut("", fmt.Sprintf("left out %s that the map does not use: %s", words.Count(n, "file"), few(r.own)))
	}
}

// few lists names, or the first of many.
func few(names []string) string {
	const most = 4
	if n := len(names); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most-1], ", "), n-most+1)
	}
	return strings.Join(names, ", ")
}

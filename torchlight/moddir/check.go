package moddir

import (
	"maps"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/bin"
	"trowel.example/internal/parallel"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/tables"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

// CheckOptions are how a mod is checked.
type CheckOptions struct {
	Options
	Base       tables.Sources // the game's own files; nil: not known
	Sources    bool           // CheckFolder told what is wrong with each file by itself
	OnProgress func(what string, done, of int)
}

// facts are what a check has to know of a file once it was read.
type facts struct {
	path     string
	guid     string // UNIT_GUID or UNIQUE_GUID
	create   bool   // the game makes things of it: it is no mere base
	basefile string
	refs     []reference
	table    raw.Table
	findings []check.Finding
}

// reference is a place that refers to a file.
type reference struct {
	to string // as it stands
	at text.Place
}

// maxRatio is how many bytes a zlib stream makes at most of one of its own.
const maxRatio = 1032

// Check reports what is wrong with the files of a mod, each by itself and all
// together. What is wrong with the archive itself is found by [pak.Reader.Check].
func Check(r *pak.Reader, o CheckOptions, sink check.Sink) {
	var files []*pak.File
	present := make(map[string]bool)
	removed := make(map[string]bool)
	size := int64(0)
	for _, f := range r.Files() {
		size += int64(f.Record.Size)
		if f.Removed() {
			removed[strings.ToUpper(f.Path)] = true
			continue
		}
		files = append(files, f)
		present[strings.ToUpper(f.Path)] = true
	}
	if size > maxRatio*r.Size() {
		return // blocks that lie over each other: the archive's own check tells
	}
	all := make([]facts, len(files))
	parallel.Each(len(files), func(i int) { all[i] = examine(files[i], &o) })
	told := checkGUIDs(all, sink)
	for i := range all {
		for _, found := range all[i].findings {
			if !all[i].isTold(found, told) {
				sink(found)
			}
		}
		if o.OnProgress != nil {
			o.OnProgress("checked files", i+1, len(all))
		}
		if path := all[i].path; removed[strings.ToUpper(path)] {
			sink.AddAt(kindRemoved, []check.Place{check.File(path)}, path, -1, "is in the mod, which also removes it")
		}
	}
	if r.Salvaged() {
		return // what is missing is missing because it was cut off
	}
	checkReferences(all, present, o.Base, sink)
	checkTables(all, SourcesOfArchive(r, o.Options), o.Base, present, told, sink)
}

// examine reads a file.
func examine(f *pak.File, o *CheckOptions) facts {
	a := facts{path: f.Path}
	form := formOf(f.Path)
	if form == nil {
		return a
	}
	data, err := f.Content()
	if err != nil {
		return a // the archive's own check tells
	}
	sink := text.InFile(f.Path, func(found check.Finding) {
		found.Offset = -1 // it would be one in the inflated file
		a.findings = append(a.findings, found)
	})
	if form.is(data) {
		sink.Add(kindSource, "", -1, "is text, and not compiled")
		return a
	}
	if !o.Sources {
		form.check(data, f.Path, &o.Options, sink)
	}
	switch form {
	case dataForm:
		file, err := dat.Decode(data)
		if err != nil {
			return a // told already
		}
		a.look(file.Text(dat.Options{Names: o.names(), Path: f.Path}))
	case layoutForm:
		file, err := layout.Decode(data)
		if err != nil {
			return a // told already
		}
		for ref := range file.References() {
			if strings.HasSuffix(strings.ToUpper(ref.Path), ".LAYOUT") {
				a.refs = append(a.refs, reference{ref.Path, text.Place{Path: f.Path, Object: ref.Object.ID}})
			}
		}
	case tableForm:
		kind, _ := raw.KindOf(f.Path)
		if table, err := raw.Decode(data, kind); err == nil {
			a.table = table
		}
	}
	return a
}

// look notes what a data file is and what it refers to.
func (a *facts) look(root *text.Node) {
	a.basefile, _ = root.Get("BASEFILE")
	switch path := strings.ToUpper(a.path); {
	case strings.HasPrefix(path, "MEDIA/UNITS/"):
		a.guid, _ = root.Get("UNIT_GUID")
		never, _ := root.Get("DONTCREATE")
		dont, _ := text.ParseBool(never)
		a.create = !dont
	case strings.HasPrefix(path, "MEDIA/SKILLS/"):
		a.guid, _ = root.Get("UNIQUE_GUID")
		a.create = strings.EqualFold(root.Name, "SKILL")
	}
	var walk func(n *text.Node, way string)
	walk = func(n *text.Node, way string) {
		way += n.Name + "."
		for p := range n.Properties() {
			if strings.HasSuffix(strings.ToUpper(p.Value), ".LAYOUT") && strings.HasPrefix(gameName(p.Value), "MEDIA/") {
				a.refs = append(a.refs, reference{p.Value, text.Place{Path: a.path, Node: way + p.Key}})
			}
		}
		for c := range n.Children() {
			walk(c, way)
		}
	}
	walk(root, "")
}

// isTold reports whether a finding is about a record of a table whose file is told of for the
// same reason.
func (a *facts) isTold(f check.Finding, told map[string]bool) bool {
	if a.table == nil || f.ID != "tl-raw-guid" && f.ID != "tl-raw-no-guid" {
		return false
	}
	for place, file := range raw.Records(a.table) {
		if told[gameName(file)] && strings.HasPrefix(strings.TrimPrefix(f.Path, a.path+": "), place) {
			return true
		}
	}
	return false
}

// gameName is a path as the game looks it up.
func gameName(path string) string {
	return strings.ToUpper(strings.ReplaceAll(path, `\`, "/"))
}

// checkGUIDs reports units and skills that have no number of their own, and returns
// which these are.
func checkGUIDs(all []facts, sink check.Sink) (told map[string]bool) {
	told = make(map[string]bool)
	for _, group := range []struct {
		folder string
		kind   *check.Kind
		key    string
	}{{"MEDIA/UNITS/", kindGUID, "UNIT_GUID"}, {"MEDIA/SKILLS/", kindSkillGUID, "UNIQUE_GUID"}} {
		first := make(map[string]string)
		for _, a := range all {
			if !strings.HasPrefix(strings.ToUpper(a.path), group.folder) || !a.create {
				continue
			}
			other, twice := first[a.guid]
			switch {
			case a.guid == "" && a.basefile == "":
				sink.AddAt(kindNoGUID, []check.Place{check.File(a.path)}, a.path, -1, "has no %s", group.key)
			case a.guid == "":
				continue
			case twice:
				sink.AddAt(group.kind, []check.Place{check.File(a.path), check.File(other)}, a.path, -1, "%s %s is also that of %s", group.key, a.guid, other)
			default:
				first[a.guid] = a.path
				continue
			}
			told[gameName(a.path)] = true
		}
	}
	return told
}

// checkTables compares the tables of the mod with those that its sources make. Told are
// the files of whose numbers something was told.
func checkTables(all []facts, sources, base tables.Sources, present, told map[string]bool, sink check.Sink) {
	there := make(map[string]map[string]bool) // files by table
	for _, a := range all {
		if a.table == nil {
			continue
		}
		files := make(map[string]bool)
		for _, file := range raw.Records(a.table) {
			files[gameName(file)] = true
		}
		there[strings.ToUpper(a.path)] = files
		raw.CheckFiles(a.table, func(path string) bool { return present[gameName(path)] }, text.InFile(a.path, sink))
	}
	built, findings := tables.Build(sources, base)
	for _, found := range findings {
		// What cannot be read, and what files are based on, was told already.
		if found.ID != "tl-table-base" && found.ID != "tl-table-source" {
			text.InFile(found.Path, sink)(withoutPath(found))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(built)) {
		table := built[path]
		files, ok := there[path]
		if !ok {
			sink.AddAt(kindTableMissing, []check.Place{check.File(path)}, path, -1, "is not in the mod, which has %d files for it", table.Len())
			continue
		}
		for _, file := range raw.Records(table) {
			if !files[gameName(file)] {
				sink.AddAt(kindNotInTable, []check.Place{check.File(file), check.File(path)}, file, -1, "has no record in %s", path)
			}
		}
	}
}

func withoutPath(f check.Finding) check.Finding {
	f.Path = ""
	return f
}

// DumpFile reports every field of a compiled file of an archive.
func DumpFile(f *pak.File, t trace.Tracer) error {
	data, err := f.Content()
	if err != nil {
		return err
	}
	if form := formOf(f.Path); form != nil {
		return form.dump(data, f.Path, t)
	}
	r := bin.NewReader(data, bin.LittleEndian)
	r.Trace(t)
	r.Span("content", len(data))
	r.Flush()
	return r.Err()
}

package moddir

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"trowel/check"
	"trowel/internal/bin"
	"trowel/internal/parallel"
	"trowel/torchlight/dat"
	"trowel/torchlight/layout"
	"trowel/torchlight/pak"
	"trowel/torchlight/raw"
	"trowel/torchlight/tables"
	"trowel/torchlight/text"
)

// CheckOptions are how a mod is checked.
type CheckOptions struct {
	Options
	Base     tables.Sources // the game's own files; nil: not known
	Progress func(what string, done, of int)
}

// facts are what a check has to know of a file once it was read.
type facts struct {
	path     string
	guid     string // UNIT_GUID or UNIQUE_GUID
	create   bool   // the game makes things of it: it is no mere base
	basefile string
	refs     []string // paths of layouts
	table    raw.Table
	findings []check.Finding
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
	parallel.Each(len(files), func(i int) { all[i] = examine(files[i], &o.Options) })
	for i := range all {
		for _, found := range all[i].findings {
			sink(found)
		}
		if o.Progress != nil {
			o.Progress("checked files", i+1, len(all))
		}
		if path := all[i].path; removed[strings.ToUpper(path)] {
			sink.Add(kindRemoved, path, -1, "is in the mod, which also removes it")
		}
	}
	checkGUIDs(all, sink)
	if r.Salvaged() {
		return // what is missing is missing because it was cut off
	}
	checkReferences(all, present, o.Base, sink)
	checkTables(all, SourcesOfArchive(r, o.Options), o.Base, present, sink)
}

// examine reads a file.
func examine(f *pak.File, o *Options) facts {
	a := facts{path: f.Path}
	form := formOf(f.Path)
	if form == nil {
		return a
	}
	sink := check.Sink(func(found check.Finding) { a.findings = append(a.findings, found) })
	data, err := f.Content()
	if err != nil {
		return a // the archive's own check tells
	}
	if form.is(data) {
		sink.Add(kindSource, f.Path, -1, "is text, and not compiled")
		return a
	}
	form.check(data, f.Path, o, inFile(f.Path, sink))
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
				a.refs = append(a.refs, ref.Path)
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

// inFile returns a sink for findings about a file, whose places are inside it.
func inFile(name string, sink check.Sink) check.Sink {
	return func(found check.Finding) {
		inside := strings.TrimPrefix(strings.TrimPrefix(found.Path, name), ": ")
		found.Path = strings.TrimSuffix(name+": "+inside, ": ")
		found.Offset = -1 // it would be one in the inflated file
		sink(found)
	}
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
	var walk func(n *text.Node)
	walk = func(n *text.Node) {
		for p := range n.Properties() {
			if strings.HasSuffix(strings.ToUpper(p.Value), ".LAYOUT") && strings.HasPrefix(gameName(p.Value), "MEDIA/") {
				a.refs = append(a.refs, p.Value)
			}
		}
		for c := range n.Children() {
			walk(c)
		}
	}
	walk(root)
}

// gameName is a path as the game looks it up.
func gameName(path string) string {
	return strings.ToUpper(strings.ReplaceAll(path, `\`, "/"))
}

func checkGUIDs(all []facts, sink check.Sink) {
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
			if a.guid == "" {
				if a.basefile == "" {
					sink.Add(kindNoGUID, a.path, -1, "has no %s", group.key)
				}
				continue
			}
			if other, ok := first[a.guid]; ok {
				sink.Add(group.kind, a.path, -1, "%s %s is also that of %s", group.key, a.guid, other)
				continue
			}
			first[a.guid] = a.path
		}
	}
}

// checkReferences looks up what files refer to. Without the game's files nobody
// can tell what is missing, only what is not in the mod.
func checkReferences(all []facts, present map[string]bool, base tables.Sources, sink check.Sink) {
	inGame := make(map[string]bool)
	if base != nil {
		for path := range base.Files() {
			inGame[strings.ToUpper(path)] = true
		}
	}
	outside := make(map[*check.Kind][]string)
	told := make(map[string]bool) // those in outside
	refer := func(from, to string, missing, elsewhere *check.Kind) {
		name := gameName(to)
		switch {
		case to == "" || present[name] || inGame[name]:
		case base != nil:
			sink.Add(missing, from, -1, "refers to %s, which is nowhere", to)
		case !told[elsewhere.ID+name]:
			told[elsewhere.ID+name] = true
			outside[elsewhere] = append(outside[elsewhere], name)
		}
	}
	for _, a := range all {
		refer(a.path, a.basefile, kindBaseMissing, kindBaseOutside)
		for _, ref := range a.refs {
			refer(a.path, ref, kindFileMissing, kindFileOutside)
		}
	}
	for _, kind := range []*check.Kind{kindBaseOutside, kindFileOutside} {
		names := outside[kind]
		if len(names) == 0 {
			continue
		}
		const few = 3
		more := ""
		if len(names) > few {
			more = fmt.Sprintf(" and %d more", len(names)-few)
		}
		sink.Add(kind, "", -1, "files that the mod does not have: %s%s", strings.Join(names[:min(few, len(names))], ", "), more)
	}
}

// checkTables compares the tables of the mod with those that its sources make.
func checkTables(all []facts, sources, base tables.Sources, present map[string]bool, sink check.Sink) {
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
		raw.CheckFiles(a.table, func(path string) bool { return present[gameName(path)] }, func(found check.Finding) {
			found.Path = a.path + ": " + found.Path
			sink(found)
		})
	}
	built, findings := tables.Build(sources, base)
	for _, found := range findings {
		if base != nil || found.ID != "tl-table-base" { // without the game's files, that was told already
			sink(found)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(built)) {
		table := built[path]
		files, ok := there[path]
		if !ok {
			sink.Add(kindTableMissing, path, -1, "is not in the mod, which has %d files for it", table.Len())
			continue
		}
		for _, file := range raw.Records(table) {
			if !files[gameName(file)] {
				sink.Add(kindNotInTable, file, -1, "has no record in %s", path)
			}
		}
	}
}

// DumpFile reports every field of a compiled file of an archive.
func DumpFile(f *pak.File, t bin.Tracer) error {
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

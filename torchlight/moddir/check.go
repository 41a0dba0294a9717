package moddir

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"trowel.example/check"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/internal/hole"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/internal/picture"
	"trowel.example/torchlight/internal/tables"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

// CheckOptions control how a mod is checked.
type CheckOptions struct {
	Options
	Base       Files   // the game's files; nil if they are unknown
	With       []Other // mods that the game loads after the checked one, in their order
	Sources    bool    // CheckFolder has already reported the problems of each single file
	OnProgress func(what string, done, of int)
}

// facts are the properties of a file that the checks need after reading it.
type facts struct {
	path     string
	basefile string
	refs     []reference
	icons    []reference // references to sprites by name
	sprites  []string    // the sprites of an image set
	meshes   []reference // meshes of units and objects
	textures []reference // textures of materials and units
	mentions []mention   // names of things that other files define
	definitions
	doubts   []check.Finding // findings about values that only the mod as a whole gives
	table    raw.Table
	tree     *text.Node // the tree, for the tables; nil if it was not kept
	findings []check.Finding
}

// reference is a reference to a file, with its place.
type reference struct {
	to string // as stored
	at text.Place
}

// maxRatio is the greatest number of bytes to which one byte of a zlib stream can be inflated.
const maxRatio = 1032

// Check reports problems of the files of an archive, of each file and of all files together. [pak.Reader.Check] reports
// problems of the archive itself. [CheckMod] and [CheckPak] combine both and inflate no file twice.
func Check(r *pak.Reader, o CheckOptions, sink check.Sink) {
	checkWith(r, func(func(*pak.File, []byte)) {}, o, sink)
}

// CheckMod reports problems of a mod and of its files.
func CheckMod(m *mod.Mod, o CheckOptions, sink check.Sink) {
	checkWith(m.Archive, func(see func(*pak.File, []byte)) { m.CheckSeeing(see, sink) }, o, sink)
}

// CheckPak reports problems of an archive and of its files.
func CheckPak(r *pak.Reader, o CheckOptions, sink check.Sink) {
	checkWith(r, func(see func(*pak.File, []byte)) { r.CheckSeeing(see, sink) }, o, sink)
}

// checkWith checks the files of an archive. It first calls archive, the check of the archive itself, and reads the
// files that this check does not pass to see.
func checkWith(r *pak.Reader, archive func(see func(*pak.File, []byte)), o CheckOptions, sink check.Sink) {
	var files []*pak.File
	present := make(map[string]bool)
	removed := make(map[string]bool)
	place := make(map[*pak.File]int) // index into files
	size := int64(0)
	for _, f := range r.Files() {
		size += int64(f.Record.Size)
		if f.Removed() {
			removed[strings.ToUpper(f.Path)] = true
			continue
		}
		place[f] = len(files)
		files = append(files, f)
		present[strings.ToUpper(f.Path)] = true
	}
	all := make([]facts, len(files))
	e := examination{CheckOptions: &o}
	archive(func(f *pak.File, content []byte) {
		if i, ok := place[f]; ok {
			all[i] = e.examine(f, content)
		}
	})
	if size > maxRatio*r.Size() {
		return // overlapping blocks, which the check of the archive reports
	}
	parallel.Each(len(files), func(i int) {
		if all[i].path == "" {
			all[i] = e.read(files[i])
		}
	})
	game := factsOfGame(all, o.Base, func(file string) bool { return present[file] || removed[file] })
	reported := checkGUIDs(all, game, sink)
	sources := sourcesOfArchive(r, o.Options)
	for i, f := range files {
		if !f.Duplicate && all[i].tree != nil {
			sources.made[f.Path] = all[i].tree
		}
	}
	checkInheritedGUIDs(all, sources, o.Base, reported, sink)
	for i := range all {
		for _, found := range all[i].findings {
			if !all[i].isReported(found, reported) {
				sink(found)
			}
		}
		if o.OnProgress != nil {
			o.OnProgress("checked files", i+1, len(all))
		}
		if path := all[i].path; removed[strings.ToUpper(path)] {
			sink.AddAt(foundRemoved, []check.Place{check.File(path)}, path, -1, "is in the mod, but the mod also removes it")
		}
	}
	if r.Salvaged() {
		return // in an archive that is cut off, missing files are expected
	}
	checkReferences(all, present, o.Base, sink)
	checkIcons(all, o.Base, sink)
	checkMeshes(all, present, o.Base, sink)
	for i := range all {
		for _, found := range all[i].doubts {
			sink(found)
		}
	}
	checkNames(all, game, sink)
	checkSameNames(all, game, sink)
	checkSets(all, game, sink)
	checkLoops(all, game, sink)
	checkGraphs(all, game, sink)
	checkOverrides(r, o.With, &o.Options, sink)
	checkOtherGUIDs(all, present, o.With, sink)
	checkTables(all, sources, o.Base, present, reported, sink)
}

// examination examines the files one by one.
type examination struct {
	*CheckOptions
	held atomic.Int64 // total size of the files whose trees are kept
}

// maxHeld is the greatest total size in bytes of files whose trees are kept for the tables, so that they are not read
// twice. Other files are read again.
const maxHeld = 64 << 20

// read examines a file that has not been inflated yet.
func (e *examination) read(f *pak.File) facts {
	if formOf(f.Path) == nil && !isAsset(f.Path) {
		return facts{path: f.Path}
	}
	data, err := f.Content()
	if err != nil {
		return facts{path: f.Path} // the check of the archive reports it
	}
	return e.examine(f, data)
}

func (e *examination) examine(f *pak.File, data []byte) facts {
	a := facts{path: f.Path}
	form := formOf(f.Path)
	if form == nil && !isAsset(f.Path) {
		return a
	}
	sink := text.InFile(f.Path, func(found check.Finding) {
		found.Offset = -1 // the offset would be one in the inflated file
		a.findings = append(a.findings, found)
	})
	if form == nil {
		a.lookAt(data, sink)
		return a
	}
	if form.isText(data) {
		sink.Add(foundSource, "", -1, "is a text, not compiled")
		return a
	}
	if e.Sources {
		sink = func(check.Finding) {} // the findings are already reported
	}
	switch form {
	case dataForm:
		if root := checkData(data, f.Path, &e.Options, sink); root != nil {
			a.look(root)
			e.hold(&a, root, len(data))
		}
	case layoutForm:
		file := layout.Check(data, sink)
		if file == nil {
			return a
		}
		for ref := range file.References() {
			r := reference{ref.Path, text.Place{Path: f.Path, Object: ref.Object.ID}}
			switch extension(ref.Path) {
			case ".LAYOUT":
				a.refs = append(a.refs, r)
			case ".MESH":
				a.meshes = append(a.meshes, r)
			}
		}
		mentionsInLayout(file, func(kind nameKind, name string, object int64) {
			a.mentions = append(a.mentions, mention{kind, reference{name, text.Place{Path: f.Path, Object: object}}})
		})
		if tables.Uses(f.Path) {
			e.hold(&a, file.Text(layout.Options{Path: f.Path}), len(data))
		}
	default:
		form.check(data, f.Path, &e.Options, sink)
		if kind, ok := raw.KindOf(f.Path); ok && form == tableForm {
			if table, err := raw.Decode(data, kind); err == nil {
				a.table = table
			}
		}
	}
	return a
}

// hold keeps the tree of a file of size bytes for the tables, within the limit maxHeld.
func (e *examination) hold(a *facts, root *text.Node, size int) {
	if tables.Uses(a.path) && e.held.Add(int64(size)) <= maxHeld {
		a.tree = root
	}
}

// look records the properties and the references of a data file.
func (a *facts) look(root *text.Node) {
	a.basefile, _ = root.Get("BASEFILE")
	a.definitions = definitionsOf(a.path, root)
	a.mesh(root)
	var walk func(n *text.Node, parent, way string)
	walk = func(n *text.Node, parent, way string) {
		way += "."
		mentions(gameName(a.path), n, parent, func(kind nameKind, p *text.Property) {
			a.mentions = append(a.mentions, mention{kind, reference{p.Value, text.Place{Path: a.path, Node: way + p.Key}}})
		})
		checkRanges(a.path, n, parent, way, func(found check.Finding) { a.doubts = append(a.doubts, found) })
		for p := range n.Properties() {
			if strings.EqualFold(p.Key, "TEXTURE_OVERRIDE") {
				a.texture(p.Value, text.Place{Path: a.path, Node: way + p.Key})
			}
			switch isIcon := iconKeys[strings.ToUpper(p.Key)]; {
			case isIcon && !isAsset(p.Value):
				a.icons = append(a.icons, reference{p.Value, text.Place{Path: a.path, Node: way + p.Key}})
			case (isIcon || strings.HasSuffix(strings.ToUpper(p.Value), ".LAYOUT")) && strings.HasPrefix(gameName(p.Value), "MEDIA/"):
				a.refs = append(a.refs, reference{p.Value, text.Place{Path: a.path, Node: way + p.Key}})
			}
		}
		times := make(map[string]int)
		for c := range n.Children() {
			name := strings.ToUpper(c.Name)
			times[name]++
			walk(c, strings.ToUpper(n.Name), way+indexed(c.Name, times[name]))
		}
	}
	walk(root, "", root.Name)
}

// guidKey returns the key of the GUID of a unit, skill or recipe, or "" for other files.
func guidKey(path string) string { return hole.GUIDKey(gameName(path)) }

// guidOf returns the GUID of a unit, skill or recipe, and whether the game creates things from the file.
func guidOf(path string, root *text.Node) (guid string, create bool) {
	key := guidKey(path)
	if key == "" {
		return "", false
	}
	guid, _ = root.Get(key)
	return guid, hole.Creates(gameName(path), root)
}

// isReported reports whether a finding is about a record of a table whose file has been reported for the same reason.
func (a *facts) isReported(f check.Finding, reported map[string]bool) bool {
	if a.table == nil || f.ID != "tl-raw-guid" && f.ID != "tl-raw-no-guid" {
		return false
	}
	for place, file := range raw.Records(a.table) {
		if reported[gameName(file)] && strings.HasPrefix(strings.TrimPrefix(f.Path, a.path+": "), place) {
			return true
		}
	}
	return false
}

// gameName returns a path in the form that the game uses for lookups: upper-case, with slashes.
func gameName(path string) string {
	return strings.ToUpper(strings.ReplaceAll(path, `\`, "/"))
}

// checkGUIDs reports units, skills and recipes without a GUID or with the GUID of another, and returns the files that it
// reported.
func checkGUIDs(all []facts, game *gameFacts, sink check.Sink) (reported map[string]bool) {
	reported = make(map[string]bool)
	first := make(map[string]string)
	for _, a := range byPath(all) {
		key := guidKey(a.path)
		if !a.create || key == "" {
			continue
		}
		other, twice := first[key+a.guid]
		theirs, inGame := game.guids[key+a.guid]
		at := []check.Place{text.Place{Path: a.path, Node: key}}
		switch {
		case a.guid == "" && a.basefile == "" && key != "GUID":
			sink.AddAt(foundNoGUID, at, a.path, -1, "has no %s", key)
		case a.guid == "":
			continue
		case inGame:
			sink.AddAt(sameGUIDs[key], at, a.path, -1, "%s", hole.SameGUID(key, a.guid, theirs, hole.Game))
		case twice:
			sink.AddAt(sameGUIDs[key], append(at, text.Place{Path: other, Node: key}), a.path, -1, "%s", hole.SameGUID(key, a.guid, other, ""))
		default:
			first[key+a.guid] = a.path
			continue
		}
		reported[gameName(a.path)] = true
	}
	return reported
}

// sameGUIDs are the findings about equal GUIDs by their keys.
var sameGUIDs = map[string]*check.Kind{"UNIT_GUID": foundGUID, "UNIQUE_GUID": foundSkillGUID, "GUID": foundRecipeGUID}

// checkInheritedGUIDs reports units and skills that have the GUID of one of their base files, and adds them to reported.
func checkInheritedGUIDs(all []facts, sources, base tables.Sources, reported map[string]bool, sink check.Sink) {
	tree := func(path string) (*text.Node, error) {
		root, err := sources.Tree(path)
		if err != nil && base != nil {
			return base.Tree(path)
		}
		return root, err
	}
	for _, a := range all {
		if !a.create || a.guid != "" || a.basefile == "" || guidKey(a.path) == "" {
			continue
		}
		root, err := tree(gameName(a.path))
		if err != nil {
			continue
		}
		chain := inherit.Follow(gameName(a.path), root, tree)
		if v, ok := chain.Find(guidKey(a.path)); ok {
			sink.AddAt(foundGUIDInherited, []check.Place{check.File(a.path)}, a.path, -1, "%s",
				hole.InheritedGUID(guidKey(a.path), chain.Links[v.Link].File))
			reported[gameName(a.path)] = true
		}
	}
}

// checkOtherGUIDs reports units and skills whose GUID another file of a mod has that is loaded later.
func checkOtherGUIDs(all []facts, present map[string]bool, others []Other, sink check.Sink) {
	own := make(map[string]string) // files by key and GUID
	for _, a := range all {
		if a.create && a.guid != "" {
			own[guidKey(a.path)+a.guid] = a.path
		}
	}
	for _, other := range others {
		for file := range other.Files.Files() {
			if guidKey(file) == "" || extension(file) != ".DAT" || present[gameName(file)] {
				continue // a file with the same path replaces that of this mod
			}
			root, err := other.Files.Tree(file)
			if err != nil {
				continue
			}
			guid, create := guidOf(file, root)
			if path, has := own[guidKey(file)+guid]; has && create && guid != "" {
				sink.AddAt(foundGUIDOther, []check.Place{check.File(path)}, path, -1, "%s",
					hole.SameGUID(guidKey(file), guid, gameName(file), hole.OfMod(other.Name)))
			}
		}
	}
}

// checkTables compares the tables of the mod with those that its sources give. Told are the files whose GUIDs have been
// reported.
func checkTables(all []facts, sources, base tables.Sources, present, reported map[string]bool, sink check.Sink) {
	there := make(map[string]map[string]bool) // files by the table that lists them
	var units *raw.UnitData
	for _, a := range all {
		if a.table == nil {
			continue
		}
		files := make(map[string]bool)
		for _, file := range raw.Records(a.table) {
			files[gameName(file)] = true
		}
		there[strings.ToUpper(a.path)] = files
		if t, ok := a.table.(*raw.UnitData); ok {
			units = t
		}
		raw.CheckFiles(a.table, func(path string) bool { return present[gameName(path)] }, text.InFile(a.path, sink))
	}
	built, findings := tables.Build(sources, base)
	complete := base != nil || units != nil && hasMore(units, built[raw.KindUnitData.File()])
	for _, found := range findings {
		// Unreadable sources are already reported, and with the game's files missing base files, too.
		if found.ID != "tl-table-source" && (found.ID != "tl-table-base" || !complete) {
			text.InFile(found.Path, sink)(withoutPath(found))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(built)) {
		table := built[path]
		files, ok := there[path]
		if !ok {
			sink.AddAt(foundTableMissing, []check.Place{check.File(path)}, path, -1,
				"is missing, but the mod has %s for it", words.Count(table.Len(), "file"))
			continue
		}
		for _, file := range raw.Records(table) {
			if !files[gameName(file)] {
				sink.AddAt(foundNotInTable, []check.Place{check.File(file), check.File(path)}, file, -1, "has no record in %s", path)
			}
		}
	}
}

// hasMore reports whether a table of units has other values than one that was built without the game's files: so it was built
// with them.
func hasMore(units *raw.UnitData, built raw.Table) bool {
	without, ok := built.(*raw.UnitData)
	if !ok {
		return false
	}
	known := make(map[string]raw.Unit)
	for _, s := range without.Sections() {
		for _, u := range *s.Units {
			known[u.File] = u
		}
	}
	for _, s := range units.Sections() {
		for _, u := range *s.Units {
			if k, ok := known[u.File]; ok && u != k {
				return true
			}
		}
	}
	return false
}

func withoutPath(f check.Finding) check.Finding {
	f.Path = ""
	return f
}

// DumpFile reports every field of a compiled file or a picture in an archive.
func DumpFile(f *pak.File, t trace.Tracer) error {
	data, err := f.Content()
	if err != nil {
		return err
	}
	if form := formOf(f.Path); form != nil {
		return form.dump(data, f.Path, t)
	}
	return picture.Dump(f.Path, data, t)
}

package modedit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"trowel.example/check"
	"trowel.example/internal/limits/parallel"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

// guidOf returns the key of GUIDs in a file, and the nodes that have this key: "" is the root.
func guidOf(name string) (key, node string) {
	switch name = gameName(name); {
	case strings.HasPrefix(name, "MEDIA/UNITS/"):
		return "UNIT_GUID", ""
	case strings.HasPrefix(name, "MEDIA/SKILLS/"):
		return "UNIQUE_GUID", ""
	case strings.HasPrefix(name, "MEDIA/LEVELSETS/"):
		return "GUID", "PIECE"
	}
	return "", ""
}

// guids calls see for each GUID that a file defines.
func guids(name string, root *text.Node, see func(p *text.Property, at nodePlace)) {
	key, node := guidOf(name)
	if key == "" || !isData(name) {
		return
	}
	isNode := text.Named(node)
	for n, at := range new(chooser).nodes(root) {
		if p := n.Property(key); p != nil && (node == "" && at.depth == 0 || node != "" && isNode(n.Name)) {
			see(p, at)
		}
	}
}

// NewGUIDs gives unused GUIDs to the units, skills and room pieces in the files that match a pattern, and updates
// references to them in the same mod. It reports, but does not change, a reference to a GUID that a file outside the
// pattern defines as well. Saved characters lose items whose GUID changed. NewGUIDs returns the number of changed
// GUIDs.
func (e *Editor) NewGUIDs(files string) (int, error) {
	chosen, err := e.selected(files, func(name string) bool {
		key, _ := guidOf(name)
		return key != "" && isData(name)
	})
	if err != nil {
		return 0, err
	}
	n, _, err := e.newGUIDs(chosen)
	return n, err
}

// NewGUIDsOf is NewGUIDs for a list of paths, and updates the tables, too. Paths of files that cannot define GUIDs are
// ignored. Its time hardly depends on the number of paths.
func (e *Editor) NewGUIDsOf(paths []string) (int, error) {
	var chosen []*file
	for _, name := range paths {
		if key, _ := guidOf(name); key == "" || !isData(name) {
			continue
		}
		if f := e.find(name); f != nil {
			chosen = append(chosen, f)
		}
	}
	if len(chosen) == 0 {
		return 0, nil
	}
	n, became, err := e.newGUIDs(chosen)
	if err != nil {
		return n, err
	}
	return n, e.renumberTables(became)
}

// renumbered maps old GUIDs to new ones: those that files define, and those that files inherit.
type renumbered struct {
	own       map[string]map[int64]int64 // by file; nil for a file that keeps its GUIDs
	inherited map[int64]int64
}

// renumberTables replaces the GUIDs in the tables.
func (e *Editor) renumberTables(became renumbered) error {
	for _, kind := range raw.Kinds() {
		t := e.Records(kind)
		if t == nil {
			continue
		}
		t = raw.Clone(t)
		changed := false
		renumber := func(file string, id *raw.GUID) {
			ids, has := became.own[gameName(file)]
			if !has {
				ids = became.inherited
			}
			if now, ok := ids[int64(*id)]; ok && *id != 0 && *id != -1 {
				*id, changed = raw.GUID(now), true
			}
		}
		switch t := t.(type) {
		case *raw.Skills:
			for i := range t.Skills {
				renumber(t.Skills[i].File, &t.Skills[i].GUID)
			}
		case *raw.RoomPieces:
			for _, set := range t.LevelSets {
				for i := range set.Pieces {
					renumber(set.File, &set.Pieces[i])
				}
			}
		case *raw.UnitData:
			for _, section := range t.Sections() {
				for i := range *section.Units {
					renumber((*section.Units)[i].File, &(*section.Units)[i].GUID)
				}
			}
		}
		if changed {
			if err := e.putTable(kind.File(), t, "records updated"); err != nil {
				return err
			}
		}
	}
	return nil
}

// guidPlan states which GUIDs files get.
type guidPlan struct {
	fresh     map[*file][]int64 // new GUIDs of the chosen files, in the order of each file
	became    map[int64]int64   // the new GUID of each old one
	elsewhere map[int64]string  // old GUIDs that another file has, too, with its path
	touched   []*file           // the chosen files, and those that mention an old GUID
	result    renumbered
}

// planGUIDs chooses new GUIDs for files.
func (e *Editor) planGUIDs(chosen []*file) guidPlan {
	isChosen := make(map[*file]bool)
	for _, f := range chosen {
		isChosen[f] = true
	}
	taken, elsewhere := make(map[int64]bool), make(map[int64]string)
	old := make(map[*file][]int64) // GUIDs of the chosen files, in the order of each file
	result := renumbered{own: make(map[string]map[int64]int64), inherited: make(map[int64]int64)}
	files := e.matching(isTree)
	numbers := e.numbersOf(files)
	for i, f := range files {
		ids := numbers[i].own
		if len(ids) > 0 {
			result.own[gameName(f.path)] = nil
		}
		for _, id := range ids {
			if taken[id] = true; !isChosen[f] {
				elsewhere[id] = f.path
			}
		}
		if isChosen[f] {
			old[f] = ids
		}
	}
	e.takenByGame(taken)
	fresh := make(map[*file][]int64)
	became := make(map[int64]int64)
	for _, f := range chosen {
		of := make(map[int64]int64)
		if len(old[f]) > 0 {
			result.own[gameName(f.path)] = of
		}
		for _, was := range old[f] {
			id := e.fresh(gameName(f.path), was, taken)
			taken[id] = true
			fresh[f], of[was] = append(fresh[f], id), id
			if _, twice := became[was]; twice {
				elsewhere[was] = f.path
			}
			became[was] = id
		}
	}
	for was, now := range became {
		if _, unclear := elsewhere[was]; !unclear {
			result.inherited[was] = now
		}
	}
	i := -1
	touched := slices.DeleteFunc(files, func(f *file) bool {
		i++
		return !isChosen[f] && !slices.ContainsFunc(numbers[i].mentioned, func(id int64) bool { _, has := became[id]; return has })
	})
	return guidPlan{fresh, became, elsewhere, touched, result}
}

func (e *Editor) newGUIDs(chosen []*file) (n int, _ renumbered, _ error) {
	plan := e.planGUIDs(chosen)
	var unclear sync.Mutex
	var stay [][2]string // files, and the references that are unchanged in them
	changed := 0
	_, err := e.each(plan.touched, func(f *file, root *text.Node) ([]check.Change, error) {
		own := make(map[*text.Property]bool)
		t := changeCounts{file: f.path, unit: "GUIDs"}
		ids := plan.fresh[f] // none if the file is not chosen
		guids(f.path, root, func(p *text.Property, at nodePlace) {
			own[p] = true
			if len(ids) > 0 {
				now := fmt.Sprint(ids[0])
				ids = ids[1:]
				t.note(at, p.Key, p.Key+": "+p.Value+" became "+now)
				p.Value = now
			}
		})
		changes := t.changes()
		r := changeCounts{file: f.path, unit: "references"}
		for node, at := range new(chooser).nodes(root) {
			for p := range node.Properties() {
				was, may := reference(p, at)
				now, has := plan.became[was]
				if own[p] || !may || !has {
					continue
				}
				if other, stays := plan.elsewhere[was]; stays {
					unclear.Lock()
					stay = append(stay, [2]string{f.path, fmt.Sprintf("%s.%s keeps the value %d, which is also the "+
						"GUID of %s", at.name, p.Key, was, other)})
					unclear.Unlock()
					continue
				}
				r.note(at, p.Key, fmt.Sprintf("%s: %s became %d", p.Key, p.Value, now))
				p.Value = fmt.Sprint(now)
			}
		}
		unclear.Lock()
		defer unclear.Unlock()
		changed += len(plan.fresh[f])
		return append(changes, r.changes()...), nil
	})
	slices.SortFunc(stay, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for _, s := range stay {
		e.Miss(s[0], s[1])
	}
	return changed, plan.result, err
}

// numbers are the GUIDs in a file.
type numbers struct {
	own       []int64 // GUIDs that the file defines, in their order
	mentioned []int64 // numbers that may be references
}

// numbersOf returns the GUIDs of files. An unreadable file has none; it is reported when it is edited.
func (e *Editor) numbersOf(files []*file) []numbers {
	all := make([]numbers, len(files))
	parallel.Each(len(files), func(i int) {
		root, err := e.Tree(files[i].path)
		if err != nil {
			return
		}
		guids(files[i].path, root, func(p *text.Property, _ nodePlace) {
			id, _ := text.ParseInt64(p.Value)
			all[i].own = append(all[i].own, id)
		})
		for n, at := range new(chooser).nodes(root) {
			for p := range n.Properties() {
				if id, may := reference(p, at); may {
					all[i].mentioned = append(all[i].mentioned, id)
				}
			}
		}
	})
	return all
}

// reference returns the number in a value, and whether it may be a reference to a GUID.
func reference(p *text.Property, at nodePlace) (int64, bool) {
	if p.Type != text.Integer64 && !p.Type.IsString() || at.object != 0 && ofObject[strings.ToUpper(p.Key)] {
		return 0, false
	}
	id, clean := text.ParseInt64(p.Value)
	return id, clean && id != 0 && id != -1
}

// ofObject are the keys of layouts whose values are IDs of objects.
var ofObject = map[string]bool{"ID": true, "PARENTID": true, "OBJECTID": true}

// takenByGame adds the GUIDs of the game's files to taken.
func (e *Editor) takenByGame(taken map[int64]bool) {
	if e.Base == nil {
		return
	}
	var names []string
	for name := range e.Base.Files() {
		if key, _ := guidOf(name); key != "" && isData(name) {
			names = append(names, name)
		}
	}
	var mu sync.Mutex
	parallel.Each(len(names), func(i int) {
		if root, err := e.Base.Tree(names[i]); err == nil {
			guids(names[i], root, func(p *text.Property, _ nodePlace) {
				id, _ := text.ParseInt64(p.Value)
				mu.Lock()
				defer mu.Unlock()
				taken[id] = true
			})
		}
	})
}

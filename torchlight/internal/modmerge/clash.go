package modmerge

import (
	"fmt"
	"iter"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/values/merge3"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/raw"
)

// entry is the identity of a thing according to a table.
type entry struct {
	kind string // kind of the GUID or name: "unit", "skill", ...
	file string
	guid int64
	name string
}

// entries yields the units, skills, affixes and room pieces in the tables of a mod.
func entries(e *modedit.Editor) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for _, kind := range raw.Kinds() {
			switch t := e.Records(kind).(type) {
			case *raw.Skills:
				for _, s := range t.Skills {
					if !yield(entry{"skill", gameName(s.File), int64(s.GUID), s.Name}) {
						return
					}
				}
			case *raw.Affixes:
				for _, a := range t.Affixes {
					if !yield(entry{"affix", gameName(a.File), 0, a.Name}) {
						return
					}
				}
			case *raw.RoomPieces:
				for _, l := range t.LevelSets {
					for _, id := range l.Pieces {
						if !yield(entry{"room piece", gameName(l.File), int64(id), ""}) {
							return
						}
					}
				}
			case *raw.UnitData:
				for _, list := range [][]raw.Unit{t.Items, t.Monsters, t.Players, t.Props} {
					for _, u := range list {
						if !yield(entry{"unit", gameName(u.File), int64(u.GUID), u.Name}) {
							return
						}
					}
				}
			}
		}
	}
}

// clash is a GUID or a name that two different files have.
type clash struct {
	entry
	other  string // the other file
	byGUID bool
}

func (c clash) describe() string {
	if c.byGUID {
		return fmt.Sprintf("has the GUID %d of another %s, %s", c.guid, c.kind, c.other)
	}
	return fmt.Sprintf("has the name %s of another %s, %s", c.name, c.kind, c.other)
}

// allClashes returns the clashes in a mod.
func allClashes(e *modedit.Editor) []clash {
	var list []clash
	guids, names := make(map[string]string), make(map[string]string)
	for x := range entries(e) {
		if k := fmt.Sprint(x.kind, x.guid); x.guid != 0 && x.guid != -1 {
			if other, taken := guids[k]; taken && other != x.file {
				list = append(list, clash{x, other, true})
			} else {
				guids[k] = x.file
			}
		}
		if k := x.kind + strings.ToUpper(x.name); x.name != "" {
			if other, taken := names[k]; taken && other != x.file {
				list = append(list, clash{x, other, false})
			} else {
				names[k] = x.file
			}
		}
	}
	return list
}

// reportClashes reports the clashes in a mod, except the known ones: equal GUIDs as conflicts that must be resolved
// manually, and equal names as warnings.
func (o *Options) reportClashes(log *merge3.Log, e *modedit.Editor, known map[string]bool) {
	for _, c := range allClashes(e) {
		switch {
		case known[c.file+c.describe()]:
		case c.byGUID:
			log.Report(check.Conflict{Path: c.file, What: c.describe()})
		case o.OnWarn != nil:
			o.OnWarn(c.file, c.describe())
		}
	}
}

// clashes returns the clashes within each single mod.
func clashes(editors ...*modedit.Editor) map[string]bool {
	known := make(map[string]bool)
	for _, e := range editors {
		for _, c := range allClashes(e) {
			known[c.file+c.describe()] = true
		}
	}
	return known
}

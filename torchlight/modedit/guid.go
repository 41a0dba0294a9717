package modedit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"trowel.example/check"
	"trowel.example/torchlight/text"
)

// guidOf returns by which key things of a file have their number, and in which nodes: "" is the root.
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

// guids calls see with each number of its own that a file has.
func guids(name string, root *text.Node, see func(p *text.Property, at nodePlace)) {
	key, node := guidOf(name)
	if key == "" || !isData(name) {
		return
	}
	_ = new(chooser).nodes(root, func(n *text.Node, at nodePlace) error {
		if node == "" && at.depth > 0 || node != "" && !strings.EqualFold(n.Name, node) {
			return nil
		}
		for p := range n.Properties() {
			if strings.EqualFold(p.Key, key) {
				see(p, at)
				break
			}
		}
		return nil
	})
}

// NewGUIDs gives the units, skills and room pieces in the files that a pattern names numbers that
// nothing else has, and makes what refers to them by number in the same mod refer to the new ones. A
// reference to a number that a file which is not named has, too, stays, and is told of. Characters
// that were saved with such an item lose it. It returns how many numbers changed.
func (e *Editor) NewGUIDs(files string) (int, error) {
	chosen, err := e.selected(files, func(name string) bool {
		key, _ := guidOf(name)
		return key != "" && isData(name)
	})
	if err != nil {
		return 0, err
	}
	isChosen := make(map[string]bool)
	for _, f := range chosen {
		isChosen[gameName(f.path)] = true
	}
	taken, elsewhere := make(map[int64]bool), make(map[int64]string)
	for _, f := range e.all(isData) {
		if key, _ := guidOf(f.path); key == "" {
			continue
		}
		root, err := e.Tree(f.path)
		if err != nil {
			continue // each tells
		}
		guids(f.path, root, func(p *text.Property, _ nodePlace) {
			id, _ := text.ParseInt64(p.Value)
			if taken[id] = true; !isChosen[gameName(f.path)] {
				elsewhere[id] = f.path
			}
		})
	}
	e.takenByGame(taken)
	fresh := make(map[string][]int64) // by file, in its order
	became := make(map[int64]int64)
	for _, f := range chosen {
		root, err := e.Tree(f.path)
		if err != nil {
			continue
		}
		guids(f.path, root, func(p *text.Property, _ nodePlace) {
			was, _ := text.ParseInt64(p.Value)
			id := e.fresh(gameName(f.path), was, taken)
			taken[id] = true
			fresh[f.path] = append(fresh[f.path], id)
			if _, twice := became[was]; twice {
				elsewhere[was] = f.path
			}
			became[was] = id
		})
	}
	n, err := e.each(chosen, func(f *file, root *text.Node) ([]check.Change, error) {
		t := tally{file: f.path, unit: "GUIDs"}
		ids := fresh[f.path]
		guids(f.path, root, func(p *text.Property, at nodePlace) {
			now := fmt.Sprint(ids[0])
			ids = ids[1:]
			t.note(at, p.Key, p.Key+": "+p.Value+" became "+now)
			p.Value = now
		})
		return t.changes(), nil
	})
	if err != nil {
		return n, err
	}
	var unclear sync.Mutex
	var stay [][2]string // files, and what stays in them
	_, err = e.each(e.all(isTree), func(f *file, root *text.Node) ([]check.Change, error) {
		own := make(map[*text.Property]bool)
		guids(f.path, root, func(p *text.Property, _ nodePlace) { own[p] = true })
		t := tally{file: f.path, unit: "references"}
		err := new(chooser).nodes(root, func(node *text.Node, at nodePlace) error {
			for p := range node.Properties() {
				if own[p] || p.Type != text.Integer64 && !p.Type.IsString() || at.object != 0 && ofObject[strings.ToUpper(p.Key)] {
					continue
				}
				was, clean := text.ParseInt64(p.Value)
				now, changed := became[was]
				if !clean || !changed || was == 0 || was == -1 {
					continue
				}
				if other, stays := elsewhere[was]; stays {
					unclear.Lock()
					stay = append(stay, [2]string{f.path, fmt.Sprintf("%s.%s is %d and stays: that is also the number of %s", at.name, p.Key, was, other)})
					unclear.Unlock()
					continue
				}
				t.note(at, p.Key, fmt.Sprintf("%s: %s became %d", p.Key, p.Value, now))
				p.Value = fmt.Sprint(now)
			}
			return nil
		})
		return t.changes(), err
	})
	slices.SortFunc(stay, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for _, s := range stay {
		e.Miss(s[0], s[1])
	}
	return n, err
}

// ofObject are the keys of layouts that hold numbers of objects.
var ofObject = map[string]bool{"ID": true, "PARENTID": true, "OBJECTID": true}

// takenByGame notes the numbers of the game's own files.
func (e *Editor) takenByGame(taken map[int64]bool) {
	if e.Base == nil {
		return
	}
	for name := range e.Base.Files() {
		if key, _ := guidOf(name); key == "" || !isData(name) {
			continue
		}
		if root, err := e.Base.Tree(name); err == nil {
			guids(name, root, func(p *text.Property, _ nodePlace) {
				id, _ := text.ParseInt64(p.Value)
				taken[id] = true
			})
		}
	}
}

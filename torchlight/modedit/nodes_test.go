package modedit_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/check"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// outline returns a node with all it contains on one line.
func outline(n *text.Node) string {
	var b strings.Builder
	for _, it := range n.Items {
		switch it := it.(type) {
		case *text.Property:
			fmt.Fprintf(&b, " %s:%s", it.Key, it.Value)
		case *text.Node:
			fmt.Fprintf(&b, " [%s%s]", it.Name, outline(it))
		}
	}
	return b.String()
}

func TestNodes(t *testing.T) {
	const source = "<STRING>NAME:Wolf\n[EFFECT]\n<STRING>TYPE:A\n[/EFFECT]\n[LEVEL1]\n[EFFECT]\n<STRING>TYPE:B\n[/EFFECT]\n[/LEVEL1]"
	const other = "[LEVEL1]\n<INTEGER>RANK:1\n[/LEVEL1]\n[EFFECT]\n<STRING>TYPE:C\n[/EFFECT]"
	at := func(node string, where ...string) modedit.Choice { return modedit.Choice{Node: node, Where: where} }
	for name, c := range map[string]struct {
		do   func(e *modedit.Editor) (int, error)
		n    int
		want string // outline, or part of an error after !
	}{
		"add": {func(e *modedit.Editor) (int, error) {
			return e.AddNode("UNITS/A.DAT", "BONUS", []string{"<FLOAT>MIN:2", "<STRING>TYPE:KNOCK BACK"}, modedit.Choice{})
		}, 1, " NAME:Wolf [EFFECT TYPE:A] [LEVEL1 [EFFECT TYPE:B]] [BONUS MIN:2 TYPE:KNOCK BACK]"},
		"add in nodes": {func(e *modedit.Editor) (int, error) {
			return e.AddNode("UNITS/A.DAT", "X", nil, at("EFFECT", "TYPE=B|C"))
		},
			1, " NAME:Wolf [EFFECT TYPE:A] [LEVEL1 [EFFECT TYPE:B [X]]]"},
		"copy": {func(e *modedit.Editor) (int, error) { return e.CopyNodes("UNITS/A.DAT", "", "", "", at("EFFECT")) },
			2, " NAME:Wolf [EFFECT TYPE:A] [EFFECT TYPE:A] [LEVEL1 [EFFECT TYPE:B] [EFFECT TYPE:B]]"},
		"copy as": {func(e *modedit.Editor) (int, error) {
			return e.CopyNodes("UNITS/A.DAT", "LEVEL2", "", "", at("UNIT.LEVEL1"))
		},
			1, " NAME:Wolf [EFFECT TYPE:A] [LEVEL1 [EFFECT TYPE:B]] [LEVEL2 [EFFECT TYPE:B]]"},
		"copy into": {func(e *modedit.Editor) (int, error) {
			return e.CopyNodes("UNITS/A.DAT", "", "", "LEVEL1", at("UNIT.EFFECT"))
		},
			1, " NAME:Wolf [EFFECT TYPE:A] [LEVEL1 [EFFECT TYPE:B] [EFFECT TYPE:A]]"},
		"copy into itself": {func(e *modedit.Editor) (int, error) {
			return e.CopyNodes("UNITS/A.DAT", "", "", "LEVEL1", at("LEVEL1"))
		},
			1, " NAME:Wolf [EFFECT TYPE:A] [LEVEL1 [EFFECT TYPE:B] [LEVEL1 [EFFECT TYPE:B]]]"},
		"copy from": {func(e *modedit.Editor) (int, error) {
			return e.CopyNodes("UNITS/A.DAT", "", "units/b.dat", "", at("EFFECT"))
		}, 1, " NAME:Wolf [EFFECT TYPE:A] [LEVEL1 [EFFECT TYPE:B]] [EFFECT TYPE:C]"},
		"copy from the game": {func(e *modedit.Editor) (int, error) {
			return e.CopyNodes("UNITS/A.DAT", "Y", "MEDIA/UNITS/GAME.DAT", "LEVEL1", at("X"))
		}, 1, " NAME:Wolf [EFFECT TYPE:A] [LEVEL1 [EFFECT TYPE:B] [Y K:1]]"},
		"remove": {func(e *modedit.Editor) (int, error) { return e.RemoveNodes("UNITS/A.DAT", at("EFFECT", "TYPE=B")) },
			1, " NAME:Wolf [EFFECT TYPE:A] [LEVEL1]"},
		"remove nested": {func(e *modedit.Editor) (int, error) { return e.RemoveNodes("UNITS/A.DAT", at("UNIT.**.*")) },
			2, " NAME:Wolf"},
		"remove none": {func(e *modedit.Editor) (int, error) { return e.RemoveNodes("UNITS/A.DAT", at("NONE")) },
			0, " NAME:Wolf [EFFECT TYPE:A] [LEVEL1 [EFFECT TYPE:B]]"},
		"remove the root": {func(e *modedit.Editor) (int, error) { return e.RemoveNodes("**", at("UNIT")) }, 0, "!the root of a file"},
		"copy the root": {func(e *modedit.Editor) (int, error) { return e.CopyNodes("**", "", "", "", at("UNIT")) },
			0, "!the root of a file"},
		"copy the root of another": {func(e *modedit.Editor) (int, error) {
			return e.CopyNodes("UNITS/A.DAT", "", "UNITS/B.DAT", "", at("UNIT"))
		}, 0, "!the root of a file"},
		"no file": {func(e *modedit.Editor) (int, error) { return e.CopyNodes("**", "", "UNITS/X.DAT", "", at("X")) },
			0, `!no file "UNITS/X.DAT"`},
		"no node": {func(e *modedit.Editor) (int, error) { return e.CopyNodes("**", "", "UNITS/B.DAT", "", at("X")) },
			0, "!UNITS/B.DAT: no node X"},
		"a bad key": {func(e *modedit.Editor) (int, error) { return e.AddNode("**", "X", []string{"NAME:x"}, at("")) },
			0, "!expected a key such as"},
		"a bad value": {func(e *modedit.Editor) (int, error) {
			return e.AddNode("**", "X", []string{"<INTEGER>A:x"}, at(""))
		}, 0, "!A: x is not a valid INTEGER"},
		"two lines": {func(e *modedit.Editor) (int, error) {
			return e.AddNode("**", "X", []string{"<STRING>A:x\n[B]\n[/B]"}, at(""))
		}, 0, "!expected a key such as"},
		"a bad name": {func(e *modedit.Editor) (int, error) { return e.AddNode("**", "/X]", nil, at("")) },
			0, "!cannot be the name of a node"},
		"another bad name": {func(e *modedit.Editor) (int, error) { return e.CopyNodes("**", "[", "", "", at("X")) },
			0, "!cannot be the name"},
		"a bad condition": {func(e *modedit.Editor) (int, error) { return e.RemoveNodes("**", at("X", "A<x")) }, 0, "!expected a number"},
	} {
		var changes []check.Change
		e := units(t, modedit.Options{Report: func(c check.Change) { changes = append(changes, c) }},
			map[string]string{"GAME": "[X]\n<INTEGER>K:1\n[/X]"}, map[string]string{"A": source, "B": other})
		n, err := c.do(e)
		if want, fails := strings.CutPrefix(c.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), want) || len(changes) > 0 {
				t.Errorf("%s: %v, want %s; %v", name, err, want, changes)
			}
			continue
		}
		root, _ := e.Tree("MEDIA/UNITS/A.DAT")
		if err != nil || n != c.n || outline(root) != c.want {
			t.Errorf("%s: %d %v\n%s\nwant\n%s", name, n, err, outline(root), c.want)
		}
	}
}

const room = `[Layout]
<INTEGER>VERSION:4
<UNSIGNED INT>COUNT:3
[OBJECTS]
[BASEOBJECT]
[PROPERTIES]
<STRING>DESCRIPTOR:Group
<STRING>NAME:Pack
<INTEGER64>ID:10
<INTEGER64>PARENTID:-1
[/PROPERTIES]
[CHILDREN]
[BASEOBJECT]
[PROPERTIES]
<STRING>DESCRIPTOR:Monster
<STRING>NAME:Wolf
<INTEGER64>ID:11
<INTEGER64>PARENTID:10
[/PROPERTIES]
[/BASEOBJECT]
[BASEOBJECT]
[PROPERTIES]
<STRING>DESCRIPTOR:Logic Group
<STRING>NAME:Logic
<INTEGER64>ID:12
<INTEGER64>PARENTID:10
[LOGICGROUP]
[LOGICOBJECT]
<UNSIGNED INT>ID:0
<INTEGER64>OBJECTID:11
[/LOGICOBJECT]
[/LOGICGROUP]
[/PROPERTIES]
[/BASEOBJECT]
[/CHILDREN]
[/BASEOBJECT]
[/OBJECTS]
[/Layout]
`

// TestObjects tests nodes of layouts, as texts and compiled: new objects get IDs, and no layout loses its form.
func TestObjects(t *testing.T) {
	const path = "MEDIA/LAYOUTS/A.LAYOUT"
	data := made(t, map[string]string{path: room})
	compiled := func() *modedit.Editor { return modedit.OfMod(open(t, data), modedit.Options{}) }
	source := func() *modedit.Editor {
		e, err := modedit.OfFolder(fstest.MapFS{path: {Data: []byte(room)}}, modedit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	at := func(node string, where ...string) modedit.Choice { return modedit.Choice{Node: node, Where: where} }
	for form, make := range map[string]func() *modedit.Editor{"compiled": compiled, "text": source} {
		for name, c := range map[string]struct {
			do      func(e *modedit.Editor) (int, error)
			n       int
			objects int
			want    string // part of an error
		}{
			"copy": {func(e *modedit.Editor) (int, error) {
				return e.CopyNodes("**", "", "", "", at("BASEOBJECT", "DESCRIPTOR=Group"))
			}, 1, 6, ""},
			"copy one": {func(e *modedit.Editor) (int, error) {
				return e.CopyNodes("**", "", "", "", at("BASEOBJECT", "NAME=Wolf"))
			}, 1, 4, ""},
			"copy all": {func(e *modedit.Editor) (int, error) { return e.CopyNodes("**", "", path, "", at("OBJECTS.BASEOBJECT")) }, 1, 6, ""},
			"add": {func(e *modedit.Editor) (int, error) {
				return e.AddNode("**", "BASEOBJECT", []string{"<STRING>DESCRIPTOR:Monster", "<STRING>NAME:New", "<FLOAT>POSITIONX:2"}, at(""))
			}, 1, 4, ""},
			"add to a group": {func(e *modedit.Editor) (int, error) {
				return e.AddNode("**", "BASEOBJECT", []string{"<STRING>DESCRIPTOR:Monster", "<INTEGER64>ID:99"}, at("CHILDREN", "NAME=Pack"))
			}, 1, 4, ""},
			"remove":       {func(e *modedit.Editor) (int, error) { return e.RemoveNodes("**", at("BASEOBJECT", "NAME=Wolf")) }, 1, 2, ""},
			"remove all":   {func(e *modedit.Editor) (int, error) { return e.RemoveNodes("**", at("BASEOBJECT")) }, 1, 0, ""},
			"remove logic": {func(e *modedit.Editor) (int, error) { return e.RemoveNodes("**", at("LOGICOBJECT")) }, 1, 3, ""},
			"remove properties": {func(e *modedit.Editor) (int, error) { return e.RemoveNodes("**", at("PROPERTIES")) },
				0, 3, "remove the BASEOBJECT"},
			"remove the objects": {func(e *modedit.Editor) (int, error) { return e.RemoveNodes("**", at("OBJECTS")) },
				0, 3, "remove the BASEOBJECT"},
			"an unknown kind": {func(e *modedit.Editor) (int, error) {
				return e.AddNode("**", "BASEOBJECT", []string{"<STRING>DESCRIPTOR:Wolf"}, at(""))
			}, 0, 3, "the name of a descriptor"},
			"a misspelled kind": {func(e *modedit.Editor) (int, error) {
				return e.AddNode("**", "BASEOBJECT", []string{"<STRING>DESCRIPTOR:Unit Spwaner"}, at(""))
			}, 0, 3, `such as "Unit Spawner"`},
			"an unknown part": {func(e *modedit.Editor) (int, error) { return e.AddNode("**", "EFFECT", nil, at("")) }, 0, 3, "[EFFECT]"},
			"an unknown property": {func(e *modedit.Editor) (int, error) {
				return e.AddNode("**", "BASEOBJECT", []string{"<STRING>DESCRIPTOR:Monster", "<FLOAT>NONSENSE:1"}, at(""))
			}, 0, 3, "NONSENSE"},
		} {
			e := make()
			n, err := c.do(e)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || n != c.n {
				t.Errorf("%s, %s: %d %v", form, name, n, err)
				continue
			}
			root, err := e.Tree(path)
			if err != nil {
				t.Fatal(err)
			}
			f, err := layout.FromText(root, nil)
			if err != nil {
				t.Errorf("%s, %s: %v", form, name, err)
				continue
			}
			ids := map[int64]bool{0: true}
			count := 0
			for o := range f.All() {
				if count++; ids[o.ID] {
					t.Errorf("%s, %s: two objects %d", form, name, o.ID)
				}
				ids[o.ID] = true
			}
			if stated, _ := root.Get("COUNT"); count != c.objects || stated != fmt.Sprint(count) {
				t.Errorf("%s, %s: %d objects, COUNT %s", form, name, count, stated)
			}
			data, _ := e.Content(path)
			report := func(found check.Finding) {
				if name != "remove" && name != "remove all" { // what the logic group refers to is gone
					t.Errorf("%s, %s: %v", form, name, found)
				}
			}
			if text.Recognize(data) {
				layout.CheckText(data, report)
			} else {
				layout.Check(data, report)
			}
		}
	}
}

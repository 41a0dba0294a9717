package modedit_test

import (
	"fmt"
	"strings"
	"testing"

	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// TestNamesByHash tests that operations compare names that the user gives with keys and nodes by hash, so that names
// missing from the dictionary are found in compiled files.
func TestNamesByHash(t *testing.T) {
	const key, node = "SECRETIVE_LITTLE_KEY", "SECRETIVE_LITTLE_NODE"
	const name = "MEDIA/UNITS/MONSTERS/WOLF.DAT"
	source := fmt.Sprintf("[UNIT]\n<INTEGER>%s:5\n[%s]\n<INTEGER>DEEP:1\n[/%s]\n[/UNIT]\n", key, node, node)
	data, err := dat.Compile([]byte(source), nil, dat.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, given := range []string{key, strings.ToLower(key), hash.Escape(hash.Of(key)), fmt.Sprintf("UNK_%08X", hash.Of(key))} {
		for what, do := range map[string]func(e *modedit.Editor) (int, error){
			"set":    func(e *modedit.Editor) (int, error) { return e.Set(name, given, "7", modedit.Choice{}) },
			"remove": func(e *modedit.Editor) (int, error) { return e.RemoveKey(name, given, modedit.Choice{}) },
			"rename": func(e *modedit.Editor) (int, error) { return e.RenameKey(name, given, "LEVEL", modedit.Choice{}) },
			"where": func(e *modedit.Editor) (int, error) {
				return e.Set(name, "DEEP", "7", modedit.Choice{Where: []string{given + "=5"}, Node: node})
			},
			"expression": func(e *modedit.Editor) (int, error) {
				return e.SetExpression(name, "DEEP", "["+given+"]+1", modedit.Choice{})
			},
		} {
			n, err := do(modedit.OfFile(name, data, modedit.Options{}))
			if n != 1 || err != nil {
				t.Errorf("%s %s: %d changes, %v; want 1", what, given, n, err)
			}
		}
		e := modedit.OfFile(name, data, modedit.Options{})
		if n, err := e.AddKey(name, text.Integer, given, "77", modedit.Choice{}); n != 0 || err != nil {
			t.Errorf("add %s: added %d, %v: the node has the key already", given, n, err)
		}
		if err := e.CheckNames(name, given, modedit.Choice{Node: node}); err != nil {
			t.Error(err)
		}
	}
	child := "[UNIT]\n<STRING>BASEFILE:" + name + "\n<INTEGER>LEVEL:1\n[/UNIT]\n"
	mod := made(t, map[string]string{name: source, "MEDIA/UNITS/MONSTERS/CUB.DAT": child})
	for _, given := range []string{key, hash.Escape(hash.Of(key))} {
		got, _, err := modedit.OfMod(open(t, mod), modedit.Options{}).Table(modedit.Units, []string{given, node + ".DEEP"})
		want := "\ufefffile," + given + "," + node + ".DEEP\nMEDIA/UNITS/MONSTERS/CUB.DAT,5,1\n" + name + ",5,1\n"
		if err != nil || string(got) != want {
			t.Errorf("table of %s: %q, %v; want %q", given, got, err, want)
		}
		table := "file," + given + "\n" + name + ",9\n"
		changed, _, _ := edit(t, mod, func(e *modedit.Editor) error { return second(e.SetTable([]byte(table))) })
		if s := said(t, changed, name); strings.Count(s, ":9") != 1 || strings.Contains(s, ":5") {
			t.Errorf("set by a table of %s: %s", given, s)
		}
	}
	broken := fmt.Sprintf("[UNIT]\n<INTEGER>UNK_%08X:1\n[UNK_00000ABC]\n[/UNK_00000ABC]\n[/UNIT]\n", hash.Of("LEVEL"))
	repaired := modedit.OfFile("WOLF.DAT", []byte(broken), modedit.Options{})
	if n, err := repaired.RepairTags(); n != 2 || err != nil {
		t.Errorf("repaired %d tags, %v", n, err)
	}
	escape := hash.Escape(0xABC)
	if s, _ := repaired.File(); string(s) != "[UNIT]\n<INTEGER>LEVEL:1\n["+escape+"]\n[/"+escape+"]\n[/UNIT]\n" {
		t.Errorf("repaired as %s", s)
	}
	e := modedit.OfFile(name, data, modedit.Options{})
	if _, err := e.AddKey(name, text.Integer, "UNK_1A2B3C4D", "7", modedit.Choice{}); err != nil {
		t.Fatal(err)
	}
	made, err := e.Content(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := dat.Decode(made)
	if err != nil {
		t.Fatal(err)
	}
	if last := f.Root.Properties[len(f.Root.Properties)-1]; last.Key != 0x1A2B3C4D {
		t.Errorf("the added key has the hash %08X", last.Key)
	}
}

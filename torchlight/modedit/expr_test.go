package modedit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/check"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
)

// units returns an editor of a folder of units, with a base of the game.
func units(t testing.TB, o modedit.Options, base map[string]string, files map[string]string) *modedit.Editor {
	t.Helper()
	folder := func(files map[string]string) fstest.MapFS {
		fsys := make(fstest.MapFS)
		for name, content := range files {
			fsys["MEDIA/UNITS/"+name+".DAT"] = &fstest.MapFile{Data: []byte("[UNIT]\n" + content + "\n[/UNIT]\n")}
		}
		return fsys
	}
	if base != nil {
		var err error
		if o.Base, err = moddir.SourcesOf(folder(base), moddir.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	e, err := modedit.OfFolder(folder(files), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestSetExpression(t *testing.T) {
	const own = "<STRING>BASEFILE:media/units/base.dat\n<INTEGER>LEVEL:10\n<INTEGER>MIN_LEVEL:4\n<FLOAT>SPEED:0.5\n" +
		"<UNSIGNED INT>COUNT:3\n<INTEGER64>BIG:9007199254740993\n<DOUBLE>FAR:0.1\n<BOOL>FAST:true\n<STRING>USES:7\n<STRING>NAME:Wolf\n" +
		"<FLOAT>SCALE X:2\n[LEVEL1]\n<FLOAT>MANA:1.5\n<INTEGER>RANK:2\n[/LEVEL1]\n[LEVEL2]\n<FLOAT>MANA:2.5\n[/LEVEL2]"
	base := map[string]string{"BASE": "<INTEGER>RARITY:40\n<INTEGER>LEVEL:99\n[LEVEL1]\n<INTEGER>COST:6\n[/LEVEL1]"}
	for _, c := range []struct{ key, expression, node, want string }{
		{"LEVEL", "round(LEVEL*0.85)", "", "LEVEL:9"},
		{"LEVEL", "LEVEL*0.85", "", "LEVEL:9"}, // rounded for the type
		{"LEVEL", "level + Min_Level", "", "LEVEL:14"},
		{"LEVEL", "RARITY/2", "", "LEVEL:20"},
		{"LEVEL", "LEVEL1.MANA*LEVEL1.COST", "", "LEVEL:9"},
		{"LEVEL", "FAST + (SPEED<1) + USES + [SCALE X]", "", "LEVEL:11"},
		{"LEVEL", "default(NONE, 5) + default(LEVEL, 1/0)", "", "LEVEL:15"},
		{"BIG", "BIG+1", "", "BIG:9007199254740994"},
		{"COUNT", "COUNT*1000000000", "", "COUNT:3000000000"},
		{"SPEED", "SPEED/3", "", "SPEED:0.16666667"},
		{"FAR", "FAR*3", "", "FAR:0.3"},
		{"FAST", "LEVEL>10", "", "FAST:false"},
		{"USES", "USES*2", "", "USES:14"},
		{"USES", "USES/2", "", "USES:3.5"},
		{"MANA", "MANA*LEVEL", "LEVEL2", "MANA:25"},
		{"MANA", "MANA+1", "**", "MANA:2.5 RANK:2 MANA:3.5"},
		{"MANA", "MANA+default(RANK, 10)", "**", "MANA:3.5 RANK:2 MANA:12.5"},
		{"LEVEL", "LEVEL*1e9", "", "!LEVEL: expression, line 1, column 1: 10000000000 does not fit INTEGER (-2147483648 to 2147483647)"},
		{"COUNT", "-1", "", "!-1 does not fit UNSIGNED INT (0 to 4294967295)"},
		{"BIG", "BIG*1e9", "", "!9007199254740993000000000 does not fit INTEGER64"},
		{"SPEED", "1e39", "", "!is too large for FLOAT"},
		{"FAR", "1e309", "", "!is too large for DOUBLE"},
		{"FAST", "2", "", "!a BOOL must be 0 or 1, not 2"},
		{"LEVEL", "1/(LEVEL-10)", "", "!line 1, column 2: division by zero"},
		{"LEVEL", "1+\nNAME", "", "!line 2, column 1: NAME is Wolf, which is not a number"},
		{"LEVEL", "NONE", "", "!line 1, column 1: no key NONE in the file and its base files"},
		{"LEVEL", "DONTCREATE", "", "!no key DONTCREATE"},
		{"LEVEL", "LEVEL +", "", "!line 1, column 8: expected a number"},
		{"NAME", "NAME+1", "", "!NAME is Wolf, which is not a number"},
	} {
		var changes []check.Change
		e := units(t, modedit.Options{Report: func(c check.Change) { changes = append(changes, c) }}, base, map[string]string{"A": own})
		_, err := e.SetExpression("**", c.key, c.expression, modedit.Choice{Node: c.node})
		if want, fails := strings.CutPrefix(c.want, "!"); fails {
			want = strings.TrimPrefix(want, "LEVEL: expression, line 1, column 1: ")
			if err == nil || !strings.Contains(err.Error(), want) || len(changes) > 0 {
				t.Errorf("%s: %v, want %s; %v", c.expression, err, want, changes)
			}
			continue
		}
		root, failed := e.Tree("MEDIA/UNITS/A.DAT")
		if err != nil || failed != nil {
			t.Errorf("%s: %v %v", c.expression, err, failed)
			continue
		}
		var got []string
		for p := range root.Properties() {
			got = append(got, p.Key+":"+p.Value)
		}
		for n := range root.Children() {
			for p := range n.Properties() {
				got = append(got, p.Key+":"+p.Value)
			}
		}
		if all := " " + strings.Join(got, " ") + " "; !strings.Contains(all, " "+c.want+" ") {
			t.Errorf("%s %s: %s, want %s", c.key, c.expression, all, c.want)
		}
	}
	if modedit.CheckExpression("1+1") != nil || modedit.CheckExpression("1+") == nil {
		t.Error("wrong check of an expression")
	}
}

// TestSetExpressionAll tests that one impossible file leaves all files unchanged, that a file whose base is changed by the same
// step is calculated from the old value, and errors about base files.
func TestSetExpressionAll(t *testing.T) {
	files := map[string]string{"A": "<INTEGER>LEVEL:10", "B": "<STRING>BASEFILE:media/units/a.dat\n<INTEGER>RANK:0",
		"LOOP": "<STRING>BASEFILE:media/units/loop.dat\n<INTEGER>RANK:0", "LOST": "<STRING>BASEFILE:media/units/no.dat\n<INTEGER>RANK:0",
		"Z": "<INTEGER>LEVEL:0"}
	n := 0
	e := units(t, modedit.Options{Report: func(check.Change) { n++ }}, nil, files)
	if _, err := e.SetExpression("**", "LEVEL", "100/LEVEL", modedit.Choice{}); err == nil || n > 0 {
		t.Errorf("%v, %d changes", err, n)
	}
	for path, want := range map[string]string{"UNITS/LOOP.DAT": "forms a circle",
		"UNITS/LOST.DAT": "its base file MEDIA/UNITS/NO.DAT is not available"} {
		for _, expression := range []string{"LEVEL", "default(LEVEL, 1)"} {
			if want != "forms a circle" && expression != "LEVEL" {
				continue
			}
			if _, err := e.SetExpression(path, "RANK", expression, modedit.Choice{}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %s: %v", path, expression, err)
			}
		}
	}
	warned := ""
	e.Warn = func(_, message string) { warned += message }
	if n, err := e.SetExpression("UNITS/LOST.DAT", "RANK", "default(LEVEL, 1)", modedit.Choice{}); n != 1 || err != nil ||
		!strings.Contains(warned, "MEDIA/UNITS/NO.DAT") {
		t.Errorf("a default for a missing base file: %d, %v, %s", n, err, warned)
	}
	_, err := e.SetExpression("UNITS/B.DAT", "RANK", "LVL", modedit.Choice{})
	if modedit.MissingKey(err) != "LVL" || modedit.MissingKey(errors.New("x")) != "" {
		t.Error(err)
	}
	if n, err := e.SetExpression("UNITS/B.DAT", "RANK", "LEVEL+1", modedit.Choice{}); n != 1 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	if root, _ := e.Tree("MEDIA/UNITS/B.DAT"); root == nil || fmt.Sprint(root.Get("RANK")) != "11true" {
		t.Error("the value of the base file was not used")
	}
}

// TestHistogram tests the summaries of changes of numbers.
func TestHistogram(t *testing.T) {
	for _, c := range []struct {
		levels []string
		value  string
		want   string
	}{
		{[]string{"10", "20", "20"}, "*0.5", "LEVEL: 3 change, by -10 to -5, median -10 [{-10 -10 2} {-5 -5 1}]"},
		{[]string{"7", "8", "8"}, "7", "LEVEL: 2 change, by -1 to 0, median -1 [{-1 -1 2} {0 0 1}]"},
		{[]string{"7", "8"}, "7", ""},
		{[]string{"7", "8"}, "+1", "LEVEL: 2 change, each by 1 [{1 1 2}]"},
		{[]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "95"}, "0",
			"LEVEL: 11 change, by -95 to 0, median -5 [{-100 -90 1} {-90 -80 0} {-80 -70 0} {-70 -60 0} {-60 -50 0} {-50 -40 0} " +
				"{-40 -30 0} {-30 -20 0} {-20 -10 0} {-10 0 11}]"},
	} {
		var got string
		e := units(t, modedit.Options{Histogram: true, Report: func(c check.Change) {
			if c.Histogram != nil {
				got = c.What + " " + fmt.Sprint(c.Histogram)
			}
		}}, nil, func() map[string]string {
			files := make(map[string]string)
			for i, level := range c.levels {
				files[fmt.Sprint("U", i)] = "<INTEGER>LEVEL:" + level
			}
			return files
		}())
		if _, err := e.Set("**", "LEVEL", c.value, modedit.Choice{}); err != nil || got != c.want {
			t.Errorf("%v %s: %v\n%s\nwant\n%s", c.levels, c.value, err, got, c.want)
		}
	}
}

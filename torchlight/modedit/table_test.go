package modedit_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
)

// Tables of all mods: unchanged they give back the same mod; a changed cell changes its file, and
// the table says so then.
func TestCorpusTables(t *testing.T) {
	rows := 0
	for name, data := range realMods(t) {
		for _, kind := range modedit.Tables {
			table, _, err := modedit.OfMod(open(t, data), modedit.Options{}).Table(kind, nil)
			if err != nil {
				continue // it has none
			}
			got, changes, missed := edit(t, data, func(e *modedit.Editor) error { return second(e.SetTable(table)) })
			if !bytes.Equal(got, data) || len(changes)+len(missed) > 0 {
				t.Errorf("%s: %s: out and back it is another mod: %+v %v", name, kind, changes, missed)
			}
			all, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(table, []byte("\ufeff")))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			rows += len(all) - 1
			for i := range all[1:] {
				for j := range all[i+1] {
					if all[0][j] == "NAME" {
						all[i+1][j] = "trowel" + all[i+1][j]
					}
				}
			}
			var changed bytes.Buffer
			if err := csv.NewWriter(&changed).WriteAll(all); err != nil {
				t.Fatal(err)
			}
			got, changes, _ = edit(t, data, func(e *modedit.Editor) error { return second(e.SetTable(changed.Bytes())) })
			for id, n := range findings(t, got) {
				if before := findings(t, data)[id]; n > before && id != "tl-skill-name" {
					t.Errorf("%s: %s: check finds %d %s, and found %d", name, kind, n, id, before)
				}
			}
			sane(t, name, data, got, changes)
			now, _, err := modedit.OfMod(open(t, got), modedit.Options{}).Table(kind, all[0][1:])
			if err != nil || string(now) != "\ufeff"+changed.String() {
				t.Errorf("%s: %s: %v\n%s\nexpected\n%s", name, kind, err, now, changed.String())
			}
		}
	}
	t.Logf("%d rows", rows)
	if rows == 0 {
		t.Error("no tables")
	}
}

func TestTable(t *testing.T) {
	const a, b = "MEDIA/UNITS/MONSTERS/A.DAT", "MEDIA/UNITS/MONSTERS/B.DAT"
	files := map[string]string{
		a:             "[UNIT]\n<STRING>NAME:A\n<STRING>BASEFILE:media/units/monsters/b.dat\n<INTEGER64>UNIT_GUID:1234567890123456789\n[X]\n<FLOAT>V:1.5\n[/X]\n[/UNIT]",
		b:             "[UNIT]\n<STRING>NAME:B\n<STRING>BASEFILE:UNITS\\MONSTERS\\GAME.DAT\n<INTEGER>LEVEL:7\n<BOOL>DONTCREATE:true\n<BOOL>FAST:false\n[/UNIT]",
		"MEDIA/X.DDS": "x",
	}
	data := made(t, files)
	game := made(t, map[string]string{"MEDIA/UNITS/MONSTERS/GAME.DAT": "[UNIT]\n<FLOAT>SPEED:2.5\n<INTEGER>LEVEL:1\n[/UNIT]"})
	table := func(data []byte, o modedit.Options, columns ...string) string {
		out, missing, err := modedit.OfMod(open(t, data), o).Table(modedit.Units, columns)
		if err != nil || (o.Base == nil) != (len(missing) == 1) {
			t.Errorf("%v %v", err, missing)
		}
		return strings.TrimPrefix(string(out), "\ufeff")
	}
	withBase := modedit.Options{Base: moddir.SourcesOfArchive(open(t, game).Archive, moddir.Options{})}
	if got := table(data, modedit.Options{}); got != `file,NAME,BASEFILE,LEVEL,UNIT_GUID,DONTCREATE,FAST
MEDIA/UNITS/MONSTERS/A.DAT,A,media/units/monsters/b.dat,7,1234567890123456789,,false
MEDIA/UNITS/MONSTERS/B.DAT,B,UNITS\MONSTERS\GAME.DAT,7,,true,false
` {
		t.Error(got)
	}
	if got := table(data, withBase, "SPEED", "X.V"); got != "file,SPEED,X.V\n"+a+",2.5,1.5\n"+b+",2.5,\n" {
		t.Error(got)
	}
	for _, c := range []struct{ table, a, b string }{
		{"file,LEVEL\n" + a + ",9\n", "LEVEL:9", "LEVEL:7"},
		{"LEVEL;FILE;note\n;" + b + ";x\n", "!LEVEL", "!LEVEL"},
		{"file,FAST\n" + a + ",FALSE\n" + b + ",TRUE\n", "!FAST", "FAST:true"},
		{"file,X.V\n" + a + ",2\n", "V:2", ""},
		{"file,UNIT_GUID\n" + a + ",1.23457E+18\n", "1234567890123456789", ""},
		{"file,UNIT_GUID\n" + a + ",1234567890123450000\n", "1234567890123456789", ""},
		{"file,UNIT_GUID\n" + a + ",5\n", "UNIT_GUID:5", ""},
		{"file,<FLOAT>SPEED\n" + a + ",2.50\n", "SPEED:2.5", "!SPEED"},
	} {
		if strings.Contains(c.table, "note") {
			c.table = strings.Replace(strings.Replace(c.table, ";note", "", 1), ";x", "", 1)
		}
		got, _, _ := edit(t, data, func(e *modedit.Editor) error { return second(e.SetTable([]byte(c.table))) })
		for path, want := range map[string]string{a: c.a, b: c.b} {
			s := said(t, got, path)
			if not, no := strings.CutPrefix(want, "!"); no && strings.Contains(s, not+":") || !no && !strings.Contains(s, want) {
				t.Errorf("%q: %s: %s, expected %s", c.table, path, s, want)
			}
		}
	}
	for s, want := range map[string]string{
		"name\nx\n":                              "no column file",
		"file,LEVEL\nMEDIA/NONE.DAT,5\n":         "no data file of the mod",
		"file,LEVEL\n" + a + ",x\n":              "x is no INTEGER",
		"file,LEVEL\n" + a + ",\n":               "comes from the file that this one is based on",
		"file,NEW\n" + a + ",5\n":                "<INTEGER>NEW",
		"file,<WORD>NEW\n" + a + ",5\n":          "expected a type",
		"file,NAME,name\n" + a + ",5,6\n":        "two columns",
		"file,LEVEL\n" + a + ",9\n" + a + ",8\n": "two rows",
		"file,A:B\n" + a + ",9\n":                "cannot be a key",
		"file,<FLOAT>Y.V\n" + a + ",9\n":         "no such node",
	} {
		_, err := modedit.OfMod(open(t, data), modedit.Options{}).SetTable([]byte(s))
		var at *fault.TextError
		if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, &at) && want != "no such node" {
			t.Errorf("%q: %v, expected %s", s, err, want)
		}
	}
}

func FuzzSetTable(f *testing.F) {
	data := made(f, map[string]string{"MEDIA/UNITS/A.DAT": unit, "MEDIA/X.DDS": "x"})
	f.Add("file,NAME,LEVEL,UNIT_GUID,<FLOAT>NEW\nMEDIA/UNITS/A.DAT,B,5,,1.5\n")
	f.Add("FILE;EFFECTS.EFFECT.MIN\nunits/a.dat;\n")
	f.Fuzz(func(t *testing.T, table string) {
		e := modedit.OfMod(open(t, data), modedit.Options{})
		if _, err := e.SetTable([]byte(table)); err != nil {
			return
		}
		if _, err := e.Tree("MEDIA/UNITS/A.DAT"); err != nil {
			t.Error(err)
		}
	})
}

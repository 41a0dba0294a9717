package modedit_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
)

// TestCorpusTables tests the tables of all mods: unchanged tables give the same mod, and a changed cell changes its
// file and then the table.
func TestCorpusTables(t *testing.T) {
	rows := 0
	for name, data := range realMods(t) {
		for _, kind := range modedit.Tables {
			table, _, err := modedit.OfMod(open(t, data), modedit.Options{}).Table(kind, nil)
			if err != nil {
				continue // the mod has no such table
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
		a: "[UNIT]\n<STRING>NAME:A\n<STRING>BASEFILE:media/units/monsters/b.dat\n" +
			"<INTEGER64>UNIT_GUID:1234567890123456789\n[X]\n<FLOAT>V:1.5\n[/X]\n[/UNIT]",
		b: "[UNIT]\n<STRING>NAME:B\n<STRING>BASEFILE:UNITS\\MONSTERS\\GAME.DAT\n<INTEGER>LEVEL:7\n" +
			"<BOOL>DONTCREATE:true\n<BOOL>FAST:false\n[/UNIT]",
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
	if got := table(data, modedit.Options{}); got != `file,NAME,BASEFILE,LEVEL,UNIT_GUID,FAST,DONTCREATE
MEDIA/UNITS/MONSTERS/A.DAT,A,media/units/monsters/b.dat,7,#1234567890123456789,false,
MEDIA/UNITS/MONSTERS/B.DAT,B,UNITS\MONSTERS\GAME.DAT,7,,false,true
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
		{"file,UNIT_GUID\n" + a + ",5\n", "UNIT_GUID:5", ""},
		{"file,UNIT_GUID\n" + a + ",#5\n", "UNIT_GUID:5", ""},
		{"file,UNIT_GUID\n" + a + ",#1234567890123456789\n", "1234567890123456789", ""},
		{"file,NAME\n" + a + ",#007\n" + b + ",#7\n", "NAME:007", "NAME:#7"},
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
		"file,LEVEL\nMEDIA/NONE.DAT,5\n":         "not a data file of the mod",
		"file,LEVEL\n" + a + ",x\n":              "x is not a valid INTEGER",
		"file,LEVEL\n" + a + ",1e3\n":            "is not a valid INTEGER",
		"file,LEVEL\n" + a + ",3000000000\n":     "is not a valid INTEGER",
		"file,LEVEL\n" + a + ",\"1,000\"\n":      "is not a valid INTEGER",
		"file,FAST\n" + a + ",WAHR\n":            "is not a valid BOOL",
		"file,LEVEL\n" + a + ",\n":               "comes from the base file",
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

// TestTableAffixes tests that a table has the affixes that a unit inherits, and that they cannot be changed together.
func TestTableAffixes(t *testing.T) {
	const a = "MEDIA/UNITS/ITEMS/A.DAT"
	data := made(t, map[string]string{
		a:                         "[UNIT]\n<STRING>BASEFILE:UNITS/ITEMS/B.DAT\n[AFFIXES]\n<STRING>AFFIX:RAGE\n[/AFFIXES]\n[/UNIT]",
		"MEDIA/UNITS/ITEMS/B.DAT": "[UNIT]\n[AFFIXES]\n<STRING>AFFIX:GLOW\n[/AFFIXES]\n[/UNIT]",
	})
	table, _, err := modedit.OfMod(open(t, data), modedit.Options{}).Table(modedit.Items, nil)
	const want = "\ufefffile,BASEFILE,AFFIXES.AFFIX\n" + a + ",UNITS/ITEMS/B.DAT,\"RAGE, GLOW\"\nMEDIA/UNITS/ITEMS/B.DAT,,GLOW\n"
	if err != nil || string(table) != want {
		t.Errorf("%v\n%s", err, table)
	}
	for old, now := range map[string]string{"GLOW\n": "SHINE\n", "RAGE, GLOW": "RAGE", "none": ""} {
		got, _, _ := edit(t, data, func(e *modedit.Editor) error {
			n, err := e.SetTable([]byte(strings.Replace(want, old, now, 1)))
			if refused := err != nil && strings.Contains(err.Error(), "add up"); n > 1 || refused != (now == "RAGE") {
				t.Errorf("%s: %d, %v", now, n, err)
			}
			return nil
		})
		if bytes.Equal(got, data) != (now != "SHINE\n") {
			t.Errorf("%q: the mod has changed, or has not", now)
		}
	}
}

// TestRoundedTable tests that GUIDs that a spreadsheet has rounded are rejected, with all cells in the error, and that
// nothing changes. Most mods have these numbers as STRING.
func TestRoundedTable(t *testing.T) {
	files := map[string]string{"MEDIA/X.DDS": "x"}
	var table strings.Builder
	table.WriteString("file,UNIT_GUID,LEVEL,NAME,CODE\n")
	spoiled := []string{"4.03085095858969E+18", "4,03085E+18", "4030850958589690000", "4,030,850,958,589,690,123",
		"4030850958589690123.00", "4030850958589690123 ", "######", "9.22337E+18"}
	for i, guid := range spoiled {
		path := fmt.Sprintf("MEDIA/UNITS/%d.DAT", i)
		files[path] = fmt.Sprintf("[UNIT]\n<STRING>NAME:%d\n<STRING>UNIT_GUID:4030850958589690123\n<INTEGER>LEVEL:1\n"+
			"<STRING>CODE:007\n[/UNIT]", i)
		fmt.Fprintf(&table, "%s,%q,2,N%d,007\n", path, guid, i)
	}
	data := made(t, files)
	whole, _, err := modedit.OfMod(open(t, data), modedit.Options{}).Table(modedit.Units, []string{"UNIT_GUID", "CODE", "LEVEL"})
	if err != nil || !strings.Contains(string(whole), "MEDIA/UNITS/0.DAT,#4030850958589690123,#007,1\n") {
		t.Fatalf("%v: %s", err, whole)
	}
	for _, plain := range []string{string(whole), strings.ReplaceAll(string(whole), "#", "")} { // with and without the mark
		if got, changes, _ := edit(t, data, func(e *modedit.Editor) error { return second(e.SetTable([]byte(plain))) }); !bytes.Equal(got, data) {
			t.Errorf("%+v", changes)
		}
	}
	e := modedit.OfMod(open(t, data), modedit.Options{Report: func(c check.Change) { t.Errorf("%+v", c) }})
	_, err = e.SetTable([]byte(table.String()))
	var cells modedit.CellsError
	if !errors.As(err, &cells) || len(cells) != len(spoiled) {
		t.Fatalf("%v", err)
	}
	for i, cell := range cells {
		if cell.Line != i+2 || !strings.Contains(cell.Msg, "UNIT_GUID: ") {
			t.Errorf("%s: %v", spoiled[i], cell)
		}
	}
	// Excel saves "Unicode text" in UTF-16 with tabs.
	var wide []byte
	for _, u := range utf16.Encode([]rune("\ufefffile\tNAME\r\nUNITS/0.DAT\té\r\n")) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	got, _, _ := edit(t, data, func(e *modedit.Editor) error { return second(e.SetTable(wide)) })
	if s := said(t, got, "MEDIA/UNITS/0.DAT"); !strings.Contains(s, "NAME:é") {
		t.Error(s)
	}
}

// TestSheetTexts tests that every text round-trips through a table, and that texts that spreadsheets would change are
// marked.
func TestSheetTexts(t *testing.T) {
	for s, marked := range map[string]bool{
		"": false, "a": false, "7": false, "-7.5": false, "123456789012345": false, "1234567890123456": true,
		"007": true, "1.50": true, "+5": true,
		"1e5": true, "=A1": true, "-x": true, "@x": true, "true": true, "FALSE": true, "1-2": true, "3/4": true,
		"12:30": true, "1,5": true, "50%": true,
		"3 swords": false, "#": false, "#7": false, "#007": true, "##007": true, "#a": false, "-": true,
	} {
		csv := string(modedit.FormatCSV([]modedit.Text{{Path: "A", Node: "B", Value: "x", Translation: s}}))
		if got := strings.HasSuffix(csv, ",#"+s+"\n") || strings.HasSuffix(csv, ",\"#"+s+"\"\n"); got != marked {
			t.Errorf("%q: %s", s, csv)
		}
		back, err := modedit.ParseCSV([]byte(csv))
		if err != nil || back[0].Translation != s {
			t.Errorf("%q became %q, %v", s, back[0].Translation, err)
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

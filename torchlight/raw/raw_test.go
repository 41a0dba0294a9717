package raw_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

// samples returns a table of each kind with values in every field.
func samples() []raw.Table {
	return []raw.Table{
		&raw.Affixes{Affixes: []raw.Affix{
			{File: "MEDIA/AFFIXES/A.DAT", Name: "A", MaxSpawnRange: 999, Weight: 3, DifficultiesAllowed: -1,
				UnitTypes: []string{"ANY"}, NotUnitTypes: []string{"PET", "GÖTTER"}},
			{File: "MEDIA/AFFIXES/B.DAT", Name: "B", MinSpawnRange: 4, MaxSpawnRange: 5, DifficultiesAllowed: 2},
		}},
		&raw.Missiles{Layouts: []raw.MissileLayout{{File: "MEDIA/MISSILES/X.LAYOUT",
			Missiles: []string{"ARROW", "BOLT"}}, {File: "MEDIA/MISSILES/Y.LAYOUT"}}},
		&raw.RoomPieces{LevelSets: []raw.LevelSet{{File: "MEDIA/LEVELSETS/A.DAT",
			Pieces: []raw.GUID{1, math.MinInt64}}, {File: "MEDIA/LEVELSETS/B.DAT", Pieces: []raw.GUID{3}}}},
		&raw.Skills{Skills: []raw.Skill{{Name: "YEET", File: "MEDIA/SKILLS/YEET.DAT", GUID: 3715097919661813805}}},
		&raw.Triggerables{Triggerables: []raw.Triggerable{{File: "MEDIA/TRIGGERABLES/T.DAT", Name: "T"}}},
		&raw.UI{Menus: []raw.Menu{
			{Name: "BAR", File: "MEDIA/UI/BAR.LAYOUT", Type: 2, GameState: 3, CreateOnLoad: 1, KeyBinding: "K"},
			{Name: "FOO", File: "MEDIA/UI/FOO.LAYOUT", MultiplayerOnly: 1, SingleplayerOnly: 1},
		}},
		&raw.UnitData{
			Items: []raw.Unit{{GUID: -5, Name: "FLASK", File: "MEDIA/UNITS/ITEMS/F.DAT",
				Flags: raw.Equipment | raw.Set, Level: 5, MinLevel: 1, MaxLevel: 9, Rarity: 7, RarityHC: 8,
				UnitType: "POTION"}},
			Monsters: []raw.Unit{{GUID: 6, Name: "RAT", File: "MEDIA/UNITS/MONSTERS/R.DAT"}},
			Players:  []raw.Unit{{GUID: 7, Name: "HERO", File: "MEDIA/UNITS/PLAYERS/H.DAT"}},
			Props:    []raw.Unit{{GUID: 8, Name: "BARREL", File: "MEDIA/UNITS/PROPS/B.DAT"}},
		},
	}
}

func encode(t testing.TB, table raw.Table) []byte {
	t.Helper()
	data, err := raw.Encode(table)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRoundTrip(t *testing.T) {
	if len(samples()) != len(raw.Kinds()) {
		t.Fatal("a kind without a sample")
	}
	for i, k := range raw.Kinds() {
		want := samples()[i]
		data := encode(t, want)
		got, err := raw.Decode(data, k)
		if diff := cmp.Diff(want, got); diff != "" || err != nil || got.Kind() != k {
			t.Errorf("%s: %v %s", k, err, diff)
		}
		if guess, ok := raw.Guess(data); guess != k || !ok || !raw.Recognize(data) {
			t.Errorf("%s is taken for %s", k, guess)
		}
		for n := range len(data) {
			if _, err := raw.Decode(data[:n], k); err == nil {
				t.Errorf("%s: %d of %d bytes decode", k, n, len(data))
			}
		}
		if _, err := raw.Decode(append(data, 0), k); err == nil ||
			!strings.Contains(err.Error(), "expected the end of the table "+k.String()+", found 1 more byte") {
			t.Errorf("%s: a byte too many: %v", k, err)
		}
		empty := encode(t, raw.New(k))
		if got, err := raw.Decode(empty, k); err != nil || got.Len() != 0 || raw.Recognize(empty) != (k == raw.KindUnitData) {
			t.Errorf("%s, empty: %v, %v", k, got, err)
		}
	}
}

// TestBytes tests the bytes of one table for each width of a count.
func TestBytes(t *testing.T) {
	for _, c := range []struct {
		table raw.Table
		want  string
	}{
		{&raw.Triggerables{Triggerables: []raw.Triggerable{{File: "F", Name: "é"}}}, "\x01\x00" + "\x01\x00F\x00" + "\x01\x00\xe9\x00"},
		{&raw.RoomPieces{LevelSets: []raw.LevelSet{{File: "F", Pieces: []raw.GUID{-2}}, {File: ""}}},
			"\x02\x00\x00\x00" + "\x01\x00F\x00" + "\x00\x00" + "\x01\x00\x00\x00\xfe\xff\xff\xff\xff\xff\xff\xff" + "\x00\x00\x00\x00"},
		{&raw.UI{Menus: []raw.Menu{{Name: "N", File: "F", Type: 2, GameState: 1, SingleplayerOnly: 1, KeyBinding: "K"}}},
			"\x01\x00\x00\x00" + "\x01\x00N\x00" + "\x01\x00F\x00" + "\x02\x00\x00\x00" + "\x01\x00\x00\x00" +
				"\x00\x00\x01" + "\x01\x00K\x00"},
		{&raw.Affixes{Affixes: []raw.Affix{{MinSpawnRange: 1, MaxSpawnRange: 2, Weight: 3, DifficultiesAllowed: -1,
			UnitTypes: []string{"U"}}}},
			"\x01\x00" + "\x00\x00" + "\x00\x00" + "\x01\x00\x00\x00" + "\x02\x00\x00\x00" + "\x03\x00\x00\x00" +
				"\xff\xff\xff\xff" + "\x01\x01\x00U\x00" + "\x00"},
		{&raw.UnitData{Props: []raw.Unit{{GUID: 1, Name: "N", File: "F", Flags: 2, Level: 3, MinLevel: 4, MaxLevel: 5,
			Rarity: 6, RarityHC: 7, UnitType: "T"}}},
			strings.Repeat("\x00\x00\x00\x00", 3) + "\x01\x00\x00\x00" + "\x01\x00\x00\x00\x00\x00\x00\x00" +
				"\x01\x00N\x00" + "\x01\x00F\x00" + "\x02" +
				"\x03\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00\x06\x00\x00\x00\x07\x00\x00\x00" + "\x01\x00T\x00"},
	} {
		if got := encode(t, c.table); string(got) != c.want {
			t.Errorf("%s: %q, want %q", c.table.Kind(), got, c.want)
		}
	}
}

func TestKindOf(t *testing.T) {
	for name, want := range map[string]raw.Kind{
		"MEDIA/SKILLS.RAW": raw.KindSkills, "media/unitdata.raw": raw.KindUnitData, `MEDIA\UI.RAW`: raw.KindUI,
		"AFFIXES.RAW.json": raw.KindAffixes, "MEDIA/ROOMPIECES.RAW": raw.KindRoomPieces, "SKILLS/X.RAW": 0, "": 0,
	} {
		if got, ok := raw.KindOf(name); got != want || ok != (want != 0) {
			t.Errorf("KindOf(%q) = %v, %v", name, got, ok)
		}
	}
	if raw.KindUI.File() != "MEDIA/UI.RAW" || raw.New(0) != nil {
		t.Error("names of kinds")
	}
}

func TestForm(t *testing.T) {
	for _, table := range samples() {
		data := encode(t, table)
		o := raw.Options{Path: table.Kind().File()}
		form, residue, err := raw.Decompile(data, o)
		if err != nil || residue != nil {
			t.Fatalf("%s: residue %v, %v", table.Kind(), residue, err)
		}
		if back, err := raw.Compile(form, nil, o); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%s: %v\n%s", table.Kind(), err, form)
		}
		if guessed, _, err := raw.Decompile(data, raw.Options{}); err != nil || !bytes.Equal(guessed, form) {
			t.Errorf("%s without its name: %v", table.Kind(), err)
		}
	}
	got := raw.Format(&raw.UI{Menus: []raw.Menu{{Name: "A<B", File: "F", Type: 2, GameState: 99, CreateOnLoad: 1, MultiplayerOnly: 7}}})
	const want = `{
  "table": "UI",
  "menus": [
    {
      "name": "A<B",
      "file": "F",
      "type": "HUD MENU",
      "gameState": 99,
      "createOnLoad": true,
      "multiplayerOnly": 7,
      "singleplayerOnly": false,
      "keyBinding": ""
    }
  ]
}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// TestParse tests the alternative spellings that Parse accepts.
func TestParse(t *testing.T) {
	got, err := raw.Parse([]byte(`{"table": "unitdata", "props": [{"guid": 12345678901234567, ` +
		`"flags": ["set", 128, "equipment"], "level": 2}]}`))
	want := &raw.UnitData{Props: []raw.Unit{{GUID: 12345678901234567, Flags: 131, Level: 2}}}
	if diff := cmp.Diff(raw.Table(want), got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	got, err = raw.Parse([]byte(`{"table": "UI", "menus": [{"type": "hud menu", "gameState": 3, "createOnLoad": 1}, {"type": 77}]}`))
	menus := &raw.UI{Menus: []raw.Menu{{Type: 2, GameState: 3, CreateOnLoad: 1}, {Type: 77}}}
	if diff := cmp.Diff(raw.Table(menus), got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for _, c := range []struct{ form, want string }{
		{``, "the end of the file"},
		{"{\n\"table\": \"UI\",,}", `line 2, column 15: invalid JSON: ','`},
		{`{"skills": []}`, `"table" is missing`},
		{`{"table": "WARES"}`, `unknown table "WARES"`},
		{`{"table": "UI", "skills": []}`, "records of the table SKILLS in the table UI"},
		{"{\"table\": \"UI\",\n \"menus\": [{\n\"typ\": 1}]}",
			`line 3, column 1: menus[0]: unknown field "typ": expected one of name, file,`},
		{"{\"table\": \"UI\",\n \"menus\": [{\"type\": \"HAD MENU\"}]}",
			`line 2, column 21: menus[0].type: unknown type of menu "HAD MENU"`},
		{`{"table": "UI", "menus": [{"gameState": 1.5}]}`, "a game state is a name or a 32-bit number"},
		{`{"table": "UI", "menus": [{"createOnLoad": 256}]}`, "a flag is false, true or"},
		{`{"table": "SKILLS", "skills": [{"guid": "1x"}]}`, "a GUID is a 64-bit integer"},
		{`{"table": "UNITDATA", "items": [{"flags": ["RED"]}]}`, "unknown flag RED"},
		{`{"table": "UNITDATA", "items": [{"flags": [256]}]}`, "unknown flag 256"},
		{`{"table": "UNITDATA", "items": [{"flags": 1}]}`, "flags are a list"},
		{"{\"table\": \"UNITDATA\",\n \"items\": [{\"level\": \"high\"}]}",
			`line 2, column 22: items[0].level: "high": expected a whole number`},
		{`{"table": "UI"} {}`, "text after the end"},
	} {
		_, err := raw.Parse([]byte(c.form))
		if len(text.AllErrors(err)) == 0 || !errors.Is(err, fault.ErrFormat) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.form, err, c.want)
		}
	}
	if _, err := raw.Compile(raw.Format(&raw.UI{}), nil, raw.Options{Path: "SKILLS.RAW"}); err == nil ||
		err.Error() != "table: expected SKILLS, as in the name of the file, found UI" {
		t.Errorf("a table under the name of another: %v", err)
	}
}

// TestSurrogates tests that the form holds unpaired surrogates of all tables, next to characters for private use and
// to backslashes, and all control characters.
func TestSurrogates(t *testing.T) {
	for _, table := range samples() {
		k := table.Kind()
		strs := []string{"a\xed\xa0\xbd", "\xed\xb8\x80\xed\xa0\xbd", "\ue000\\ufffd\n\xed\xa0\xbd\ufffd\U0001f333", "\x7f\u0085\u2028"}
		for c := range rune(0x20) {
			strs = append(strs, string(c), "a"+string(c), "a"+string(c)+"b")
		}
		for _, odd := range strs {
			wide := func(s string) []byte {
				units := bin.AppendUTF16(nil, s)
				return append([]byte{byte(len(units) / 2), 0}, units...)
			}
			name := map[raw.Kind]string{raw.KindUnitData: "FLASK", raw.KindSkills: "YEET", raw.KindMissiles: "ARROW",
				raw.KindUI: "K", raw.KindAffixes: "PET", raw.KindTriggerables: "T", raw.KindRoomPieces: "MEDIA/LEVELSETS/B.DAT"}[k]
			data := bytes.Replace(encode(t, table), wide(name), wide(odd), 1)
			o := raw.Options{Path: k.File()}
			form, residue, err := raw.Decompile(data, o)
			if err != nil || residue != nil || strings.Contains(odd, "\xed\xa0\xbd") != bytes.Contains(form, []byte(`\ud83d`)) {
				t.Errorf("%v, %q: %s, %v, %v", k, odd, form, residue, err)
			}
			if back, err := raw.Compile(form, nil, o); err != nil || !bytes.Equal(back, data) {
				t.Errorf("%v, %q: %x became %x, %v", k, odd, data, back, err)
			}
		}
	}
}

func TestEncodeLimits(t *testing.T) {
	long := strings.Repeat("x", 1<<16)
	for _, c := range []struct {
		table raw.Table
		want  string
	}{
		{&raw.Skills{Skills: []raw.Skill{{}, {File: long}}}, "skills[1].file: expected at most 65535 UTF-16 units, found 65536"},
		{&raw.Missiles{Layouts: []raw.MissileLayout{{Missiles: make([]string, 256)}}},
			"layouts[0].num_missiles: expected at most 255, found 256"},
		{&raw.Affixes{Affixes: make([]raw.Affix, 1<<16)}, "num_affixes: expected at most 65535, found 65536"},
	} {
		if _, err := raw.Encode(c.table); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if _, err := raw.Encode(&raw.Skills{Skills: []raw.Skill{{File: long[1:]}}}); err != nil {
		t.Error(err)
	}
}

// TestCounts tests that false counts do not allocate memory.
func TestCounts(t *testing.T) {
	for _, k := range raw.Kinds() {
		data := bytes.Repeat([]byte{0xff}, 64)
		allocs := testing.AllocsPerRun(5, func() {
			if _, err := raw.Decode(data, k); !errors.Is(err, fault.ErrShort) {
				t.Errorf("%s: %v", k, err)
			}
		})
		if allocs > 20 {
			t.Errorf("%s: %v allocations", k, allocs)
		}
	}
	_, err := raw.Decode([]byte("\x01\x00\x00\x00\x03\x00"), raw.KindMissiles)
	if err == nil || !strings.HasPrefix(err.Error(), "num_layouts at offset 0") &&
		!strings.HasPrefix(err.Error(), "layouts[0].num_missiles at offset 4: expected at most 0") {
		t.Error(err)
	}
}

func TestDump(t *testing.T) {
	for _, table := range samples() {
		data := encode(t, table)
		end := int64(0)
		err := raw.Dump(data, table.Kind(), func(f trace.Field) {
			if f.Offset != end {
				t.Errorf("%s: %s at %d, want %d", table.Kind(), f.Path, f.Offset, end)
			}
			end = f.Offset + f.Len
		})
		if err != nil || end != int64(len(data)) {
			t.Errorf("%s: dumped %d of %d bytes, %v", table.Kind(), end, len(data), err)
		}
	}
	var last trace.Field
	if err := raw.Dump(encode(t, samples()[5])[:60], raw.KindUI, func(f trace.Field) { last = f }); err == nil ||
		last.Path != "menus[0].game_state" {
		t.Errorf("a broken table: the last field is %q, %v", last.Path, err)
	}
	means := map[string]string{}
	for _, i := range []int{5, 6} {
		if err := raw.Dump(encode(t, samples()[i]), 0, func(f trace.Field) { means[f.Path] = f.Meaning }); err != nil {
			t.Fatal(err)
		}
	}
	if means["menus[0].type"] != "HUD MENU" || means["menus[0].game_state"] != "In Game" || means["items[0].flags"] != "EQUIPMENT, SET" {
		t.Error(means)
	}
}

func TestCheck(t *testing.T) {
	unit := func(guid raw.GUID, file string) raw.Unit { return raw.Unit{GUID: guid, File: file} }
	for _, c := range []struct {
		table raw.Table
		want  string
	}{
		{&raw.Skills{Skills: []raw.Skill{{GUID: 1, File: "A"}, {GUID: 2, File: "B"}, {GUID: 1, File: "C"},
			{GUID: -1, File: "C"}, {GUID: -1, File: "d"}}},
			"tl-raw-file:skills[3] tl-raw-case:skills[4] tl-raw-guid:skills[2] tl-raw-no-guid:skills[3] tl-raw-no-guid:skills[4]"},
		{&raw.UnitData{Items: []raw.Unit{unit(1, "A")}, Props: []raw.Unit{unit(2, "B"), unit(1, "C")}}, "tl-raw-guid:props[1]"},
		{&raw.UnitData{Items: []raw.Unit{{Flags: 4, MinLevel: 2, MaxLevel: 1}, {GUID: 1, File: "X", MinLevel: 2}}},
			"tl-raw-range:items[0] tl-raw-flags:items[0].flags"},
		{&raw.RoomPieces{LevelSets: []raw.LevelSet{{File: "A", Pieces: []raw.GUID{1, 2}},
			{File: "B", Pieces: []raw.GUID{1, 3, 3}}}}, "tl-raw-guid:levelsets[1].pieces[2]"},
		{&raw.UI{Menus: []raw.Menu{{File: "A", Type: 19, GameState: 6}, {File: "B", Type: 20, GameState: -1, MultiplayerOnly: 2}}},
			"tl-raw-enum:menus[1].type tl-raw-enum:menus[1].game_state tl-raw-flags:menus[1]"},
		{&raw.Affixes{Affixes: []raw.Affix{{MinSpawnRange: 5, MaxSpawnRange: 5}, {MinSpawnRange: 6, File: "X"}}},
			"tl-raw-range:affixes[1]"},
	} {
		var got []string
		raw.Check(encode(t, c.table), c.table.Kind().File(), func(f check.Finding) { got = append(got, f.ID+":"+f.Path) })
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: found %q, want %q", c.table.Kind(), got, c.want)
		}
	}
	for _, path := range []string{"SKILLS.RAW", "what.RAW"} {
		found := check.Collect(func(s check.Sink) { raw.Check([]byte{1, 2, 3}, path, s) })
		if len(found) != 1 || found[0].ID != "tl-raw-unreadable" {
			t.Errorf("found %v in garbage", found)
		}
	}
	for _, table := range samples() {
		var files, found []string
		for _, file := range raw.Records(table) {
			files = append(files, file)
		}
		raw.CheckFiles(table, func(path string) bool { return path != files[len(files)-1] },
			func(f check.Finding) { found = append(found, f.ID+" "+f.Message) })
		if want := "tl-raw-missing " + files[len(files)-1] + " is missing"; len(files) != table.Len() ||
			len(found) != 1 || found[0] != want {
			t.Errorf("%s: found %q, want %q", table.Kind(), found, want)
		}
	}
}

// TestCorpus tests that every table of real mods is read to its end, round-trips through the model and through its JSON
// without a residue, and has no findings.
func TestCorpus(t *testing.T) {
	for _, name := range tests.CorpusFiles(t, "torchlight", ".RAW") {
		data := judge.Read(t, name)
		k, ok := raw.KindOf(name)
		if !ok {
			t.Errorf("%s: which table?", name)
			continue
		}
		table, err := raw.Decode(data, k)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if guess, ok := raw.Guess(data); !ok || guess != k {
			t.Errorf("%s: taken for %s", name, guess)
		}
		if back, err := raw.Encode(table); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%s: the model does not give it back: %v", name, err)
		}
		form, residue, err := raw.Decompile(data, raw.Options{Path: name})
		if err != nil || residue != nil {
			t.Errorf("%s: residue %v, %v", name, residue, err)
		}
		if back, err := raw.Compile(form, nil, raw.Options{Path: name}); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%s: the JSON does not give it back: %v", name, err)
		}
		raw.Check(data, name, func(f check.Finding) { t.Errorf("%s: %s", name, f) })
	}
}

// quiet is a test that continues without a corpus.
type quiet struct{ testing.TB }

func (quiet) Skip(...any)          { runtime.Goexit() }
func (quiet) Skipf(string, ...any) { runtime.Goexit() }

// corpusSeeds returns the tables of the corpus, if there is one.
func corpusSeeds(f *testing.F) (names []string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		names = tests.CorpusFiles(quiet{f}, "torchlight", ".RAW")
	}()
	<-done
	return names
}

// FuzzDecode tests that tables of any kind round-trip through the model and the JSON.
func FuzzDecode(f *testing.F) {
	for _, table := range samples() {
		f.Add(encode(f, table), uint8(table.Kind()-1))
	}
	for _, name := range corpusSeeds(f) {
		k, _ := raw.KindOf(name)
		if data, err := os.ReadFile(name); err == nil && len(data) < 2000 {
			f.Add(data, uint8(k-1))
		}
	}
	f.Add(encode(f, &raw.Triggerables{Triggerables: []raw.Triggerable{{Name: "\xed\xa0\xbd"}}}), uint8(raw.KindTriggerables-1))
	f.Fuzz(func(t *testing.T, data []byte, kind uint8) {
		k := raw.Kinds()[int(kind)%len(raw.Kinds())]
		raw.Recognize(data)
		raw.Check(data, k.File(), func(check.Finding) {})
		dumpErr := raw.Dump(data, k, func(trace.Field) {})
		table, err := raw.Decode(data, k)
		if (err == nil) != (dumpErr == nil) {
			t.Fatalf("Decode: %v, Dump: %v", err, dumpErr)
		}
		if err != nil {
			return
		}
		if back, err := raw.Encode(table); err != nil || !bytes.Equal(back, data) {
			t.Fatalf("encoded %x, want %x, %v", back, data, err)
		}
		o := raw.Options{Path: k.File()}
		form, residue, err := raw.Decompile(data, o)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := raw.Compile(form, residue, o); err != nil || !bytes.Equal(back, data) {
			t.Fatalf("compiled %x, want %x, %v", back, data, err)
		}
	})
}

// FuzzParse tests that a form gives an error, or a table that round-trips through its own form.
func FuzzParse(f *testing.F) {
	for _, table := range samples() {
		f.Add(raw.Format(table))
	}
	f.Add([]byte(`{"table":"UI","menus":[{"type":"hud menu","gameState":7,"createOnLoad":3}]}`))
	f.Fuzz(func(t *testing.T, form []byte) {
		data, err := raw.Compile(form, nil, raw.Options{})
		if err != nil {
			return
		}
		table, _ := raw.Parse(form)
		back, err := raw.Compile(raw.Format(table), nil, raw.Options{})
		if err != nil || !bytes.Equal(back, data) {
			t.Fatalf("%q, want %q, %v", back, data, err)
		}
	})
}

func large() *raw.UnitData {
	t := &raw.UnitData{}
	for i := range 2000 {
		name := fmt.Sprintf("AM_MAP_%d", i)
		t.Items = append(t.Items, raw.Unit{GUID: raw.GUID(i) << 50, Name: name, File: "MEDIA/UNITS/ITEMS/MAPS/" +
			name + ".DAT", Flags: 1, Level: 5, UnitType: "MAP"})
	}
	return t
}

func BenchmarkDecode(b *testing.B) {
	data := encode(b, large())
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := raw.Decode(data, raw.KindUnitData); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecompile(b *testing.B) {
	data := encode(b, large())
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, _, err := raw.Decompile(data, raw.Options{Path: "UNITDATA.RAW"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	form := raw.Format(large())
	b.SetBytes(int64(len(form)))
	for b.Loop() {
		if _, err := raw.Compile(form, nil, raw.Options{Path: "UNITDATA.RAW"}); err != nil {
			b.Fatal(err)
		}
	}
}

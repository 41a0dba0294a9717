package modedit_test

import (
	"context"
	"fmt"
	"testing"

	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/pak"
)

// adventure returns a mod like the largest known one, Adventure Mode with 43,908 files: dungeons, and a scroll for each
// of them.
func adventure(b *testing.B, dungeons int) []byte {
	b.Helper()
	var files []pak.NewFile
	add := func(path, source string) {
		data, err := dat.Compile([]byte(source), nil, dat.Options{})
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, pak.NewFile{Path: path, Content: func() ([]byte, error) { return data, nil }})
	}
	add("MEDIA/UNITS/ITEMS/BASE.DAT", "[UNIT]\n<INTEGER>RARITY:10\n<BOOL>SHADOWS:true\n[/UNIT]")
	for i := range dungeons {
		strata := "<STRING>RULESET:media/layouts/caves/rules.template\n<FLOAT>MONSTERS_PER_METER_MIN:0.01\n<FLOAT>MONSTERS_PER_METER_MAX:0.02\n" +
			"<STRING>MONSTERSPAWNCLASS:CAVES\n<STRING>CHAMPIONSPAWNCLASS:CHAMPIONS\n<FLOAT>CHAMPIONS_MIN:2\n<FLOAT>CHAMPIONS_MAX:3\n"
		add(fmt.Sprintf("MEDIA/DUNGEONS/MAP_%d.DAT", i), fmt.Sprintf("[DUNGEON]\n<STRING>NAME:MAP_%d\n<TRANSLATE>DISPLAYNAME:Cave %d\n"+
			"<INTEGER>PLAYER_LVL_MATCH_MIN:%d\n<INTEGER>PLAYER_LVL_MATCH_MAX:%d\n<STRING>PARENT_TOWN:TOWN\n[STRATA0]\n%s[/STRATA0]\n"+
			"[STRATA1]\n%s[/STRATA1]\n[/DUNGEON]", i, i, i%90+1, i%90+10, strata, strata))
		add(fmt.Sprintf("MEDIA/UNITS/ITEMS/MAPS/SCROLL_%d.DAT", i), fmt.Sprintf("[UNIT]\n<STRING>BASEFILE:media/units/items/base.dat\n"+
			"<STRING>NAME:SCROLL_%d\n<STRING>RESOURCEDIRECTORY:media/models/items/scroll\n<STRING>MESHFILE:scroll\n<STRING>UNITTYPE:MAP\n"+
			"<INTEGER>LEVEL:%d\n<INTEGER>LEVEL_REQUIRED:%d\n<TRANSLATE>DISPLAYNAME:Map of cave %d\n<STRING>DUNGEON:MAP_%d\n"+
			"<STRING>UNIT_GUID:%d\n[EFFECT]\n<STRING>NAME:OPEN\n<STRING>TYPE:OPEN PORTAL\n<FLOAT>MIN:0\n<FLOAT>MAX:0\n[/EFFECT]\n[/UNIT]",
			i, i%100+1, i%100+1, i, i, 1000+i))
	}
	target := new(tests.Memory)
	if _, err := mod.Write(context.Background(), target, mod.NewHeader(), files, nil); err != nil {
		b.Fatal(err)
	}
	return target.Data
}

// edits measures opening a mod, an edit, the tables and writing.
func edits(b *testing.B, data []byte, do func(e *modedit.Editor) (int, error)) {
	b.SetBytes(int64(len(data)))
	n := 0
	for b.Loop() {
		e := modedit.OfMod(open(b, data), modedit.Options{})
		var err error
		if n, err = do(e); err != nil {
			b.Fatal(err)
		}
		if err := e.UpdateTables(); err != nil {
			b.Fatal(err)
		}
		if err := e.WriteMod(context.Background(), new(tests.Memory)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n), "changes")
}

// BenchmarkSetExpression calculates a value in each of 21,954 scrolls of a mod with 43,909 files.
func BenchmarkSetExpression(b *testing.B) {
	edits(b, adventure(b, 21954), func(e *modedit.Editor) (int, error) {
		return e.SetExpression("UNITS/ITEMS/MAPS/**", "LEVEL_REQUIRED", "round(LEVEL*0.8)+RARITY", modedit.Choice{})
	})
}

// BenchmarkClone makes a mod with 43,957 files from 1,189 by two steps.
func BenchmarkClone(b *testing.B) {
	edits(b, adventure(b, 594), func(e *modedit.Editor) (int, error) {
		n, err := e.Clone("DUNGEONS/MAP_*.DAT", modedit.Cloning{To: "AM_{file}_{n}.DAT", Numbers: [2]int{1, 36},
			Set:       []string{"DISPLAYNAME={DISPLAYNAME} (Tier {n})", "PARENT_TOWN=ESTHERIANCITY"},
			Calculate: []string{"PLAYER_LVL_MATCH_MIN=max(1, (n-1)*10)", "PLAYER_LVL_MATCH_MAX=n*10"}})
		if err != nil {
			return n, err
		}
		more, err := e.Clone("UNITS/ITEMS/MAPS/*.DAT", modedit.Cloning{To: "AM_{file}_{n}.DAT", Numbers: [2]int{1, 36},
			Set:       []string{"DISPLAYNAME={DISPLAYNAME} ({n})", "DUNGEON=AM_{DUNGEON}_{n}"},
			Calculate: []string{"LEVEL=LEVEL+n", "RARITY=max(1, 40-n)"}})
		return n + more, err
	})
}

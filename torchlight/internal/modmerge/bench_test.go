package modmerge_test

import (
	"context"
	"fmt"
	"testing"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/internal/modmerge"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/raw"
)

// clashing returns two mods of n units each, in which each GUID of the first is that of another unit in the second, and
// half of the files of the second refer to one.
func clashing(t testing.TB, n int) (one, two []byte) {
	t.Helper()
	a, b := make(map[string]string), make(map[string]string)
	for i := range n {
		guid := fmt.Sprint(int64(1)<<60 + int64(i))
		a[fmt.Sprintf("MEDIA/UNITS/MONSTERS/A/WOLF%d.DAT", i)] = unit(fmt.Sprintf("Wolf%d", i), guid,
			"iLEVEL:1 sICON:wolf sMESHFILE:wolf sRESOURCEDIRECTORY:media/models/wolf fSCALE:1.5")
		b[fmt.Sprintf("MEDIA/UNITS/MONSTERS/B/BEAR%d.DAT", i)] = unit(fmt.Sprintf("Bear%d", i), guid,
			"iLEVEL:2 sICON:bear sMESHFILE:bear sRESOURCEDIRECTORY:media/models/bear fSCALE:2.5")
		a[fmt.Sprintf("MEDIA/SPAWNCLASSES/A%d.DAT", i)] = lines("[SPAWN sNAME:A gGUID:" + guid + " ]SPAWN")
	}
	return made(t, "One", a), made(t, "Two", b)
}

// TestNewGUIDsEffort tests that new GUIDs are assigned for all files at once: each file of the changed mod is decoded
// at most twice, however many GUIDs clash, and the tables and references follow.
func TestNewGUIDsEffort(t *testing.T) {
	const n = 50
	one, two := clashing(t, n)
	var e *modedit.Editor
	did := effort.Of(&effort.Decompiled, func() { e, _ = packed(t, modmerge.PackOptions{NewGUIDs: true}, one, two) })
	if did > 2*2*n {
		t.Errorf("%d files were decoded, of %d", did, 3*n)
	}
	for i := range n {
		id := get(t, e, fmt.Sprintf("MEDIA/UNITS/MONSTERS/A/WOLF%d.DAT", i), "UNIT_GUID")
		if id == fmt.Sprint(int64(1)<<60+int64(i)) || id != get(t, e, fmt.Sprintf("MEDIA/SPAWNCLASSES/A%d.DAT", i), "GUID") {
			t.Errorf("unit %d has the number %s, which nothing refers to", i, id)
		}
	}
	for _, u := range e.Records(raw.KindUnitData).(*raw.UnitData).Monsters {
		if id := get(t, e, u.File, "UNIT_GUID"); id != fmt.Sprint(int64(u.GUID)) {
			t.Errorf("%s: the table has %d, the file %s", u.File, u.GUID, id)
		}
	}
}

// BenchmarkPack shows that merging with new GUIDs takes at most three times as long as without.
func BenchmarkPack(b *testing.B) {
	one, two := clashing(b, 2000)
	for _, fresh := range []bool{false, true} {
		b.Run(fmt.Sprintf("new-guids=%v", fresh), func(b *testing.B) {
			for b.Loop() {
				mods := []modmerge.Input{{Name: "A.MOD", Editor: editor(b, one)}, {Name: "B.MOD", Editor: editor(b, two)}}
				e, _, err := modmerge.Pack(mods, modmerge.PackOptions{NewGUIDs: fresh})
				if err == nil {
					err = e.WriteMod(context.Background(), new(tests.Memory))
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLayout measures the merge of layouts of many objects, in proportion to their number.
func BenchmarkLayout(b *testing.B) {
	var versions [3][]byte
	for side := range versions {
		list := make([]string, 5000)
		for i := range list {
			list[i] = object(fmt.Sprint(i+1), "Light", fmt.Sprintf("fPOSITIONX:%d", i*side))
		}
		versions[side] = made(b, "M", map[string]string{"MEDIA/LAYOUTS/X.LAYOUT": level(list...)})
	}
	for b.Loop() {
		merge(b, versions[0], versions[1], versions[2], modmerge.Options{})
	}
}

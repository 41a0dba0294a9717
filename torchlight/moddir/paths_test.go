package moddir

import (
	"strings"
	"testing"

	"trowel.example/internal/files/tree"
)

func TestArchivePath(t *testing.T) {
	for at, want := range map[string]struct {
		path string
		twin bool
	}{
		"MEDIA/A.DAT":                     {"MEDIA/A.DAT", false},
		"media/Units/wolf.dat":            {"MEDIA/UNITS/WOLF.DAT", false},
		"MEDIA/A.DAT.BINDAT":              {"MEDIA/A.DAT", true},
		"media/a.dat.bindat":              {"MEDIA/A.DAT", true},
		"MEDIA/A.TEMPLATE.BINDAT":         {"MEDIA/A.TEMPLATE", true},
		"MEDIA/A.HIE.BINDAT":              {"MEDIA/A.HIE", true},
		"MEDIA/A.ANIMATION.BINDAT":        {"MEDIA/A.ANIMATION", true},
		"MEDIA/A.LAYOUT.BINLAYOUT":        {"MEDIA/A.LAYOUT", true},
		"MEDIA/A.LAYOUT.BINDAT":           {"MEDIA/A.LAYOUT.BINDAT", false},
		"MEDIA/A.DAT.BINLAYOUT":           {"MEDIA/A.DAT.BINLAYOUT", false},
		"MEDIA/SKILLS.RAW":                {"MEDIA/SKILLS.RAW", false},
		"MEDIA/SKILLS.RAW.json":           {"MEDIA/SKILLS.RAW", false},
		"MEDIA/SKILLS.RAW.JSON":           {"MEDIA/SKILLS.RAW", false},
		"MEDIA/OTHER.RAW.json":            {"MEDIA/OTHER.RAW.JSON", false},
		"MEDIA/A.MPP.pgm":                 {"MEDIA/A.MPP", false},
		"MEDIA/A.BINDAT":                  {"MEDIA/A.BINDAT", false},
		"MEDIA/A":                         {"MEDIA/A", false},
		"MEDIA/A.DAT.":                    {"MEDIA/A.DAT.", false},
		"MEDIA/100%25/A%2e":               {"MEDIA/100%/A.", false},
		"%2Etrowel.json":                  {".TROWEL.JSON", false},
		"MEDIA/UNITS/%2E%2E/A.DAT.BINDAT": {"MEDIA/UNITS/../A.DAT", true},
	} {
		if path, twin := archivePath(at); path != want.path || twin != want.twin {
			t.Errorf("%s: %s %v", at, path, twin)
		}
	}
}

// TestTreePath tests that all files of an archive have different paths in the folder, apart from their form, and that
// upper-case paths can be restored from the path in the folder alone.
func TestTreePath(t *testing.T) {
	used := make(map[string]string)
	for _, name := range []string{
		"MEDIA/A.DAT", "MEDIA/A.LAYOUT", "MEDIA/SKILLS.RAW", "MEDIA/OTHER.RAW", "MEDIA/A.MPP", "MEDIA/B", "MOD.DAT",
		"MOD%2EDAT", "MOD.DAT/X",
		strings.ToUpper(tree.Sidecar), "%2ETROWEL.JSON", "MEDIA/../X", "MEDIA/%2E%2E/X", "MEDIA//X", "/MEDIA/X", "MEDIA/%", "MEDIA/%25",
		strings.Repeat("A/", 20000) + "A.DAT", strings.Repeat("A/", 98) + "A%2FA.DAT", strings.Repeat("A/", 99) +
			"A.DAT", strings.Repeat("A/", 98) + "A/A/A.DAT",
	} {
		at := treePath(name, false)
		if back, twin := archivePath(at); back != name || twin {
			t.Errorf("%.60q became %.60q became %.60q", name, at, back)
		}
		if other, ok := used[at]; ok {
			t.Errorf("%.60q: is %.60q, and so is %.60q", name, at, other)
		}
		used[at] = name
		if n := strings.Count(at, "/"); n >= maxDepth {
			t.Errorf("%.60q: is %d folders deep", name, n)
		}
		if up := strings.ToUpper(at); up == modDat || at == tree.Sidecar || strings.HasPrefix(up, modDat+"/") {
			t.Errorf("%.60q: is %.60q, which the folder needs for itself", name, at)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct{ compiled, form string }{
		{"X.DAT.BINDAT", "X.DAT"}, {"x.dat.bindat", "x.dat"}, {"MEDIA/UI/X.LAYOUT.BINLAYOUT", "MEDIA/UI/X.LAYOUT"},
		{"a/X.TEMPLATE.BINDAT", "a/X.TEMPLATE"},
		{"SKILLS.RAW", "SKILLS.RAW.json"}, {"A.MPP", "A.MPP.pgm"},
	} {
		if got := FormName(c.compiled); got != c.form {
			t.Errorf("the form of %s is %s", c.compiled, got)
		}
		if got := CompiledName(c.form); got != c.compiled && !strings.EqualFold(got, c.compiled) {
			t.Errorf("%s is compiled to %s", c.form, got)
		}
	}
	for name, want := range map[string]string{"X.DAT": "X.DAT", "X.PNG": "X.PNG", "OTHER.RAW": "OTHER.RAW", "X": "X"} {
		if got := FormName(name); got != want {
			t.Errorf("the form of %s is %s", name, got)
		}
	}
	if got := CompiledName("unit.txt"); got != "unit.txt.BINDAT" {
		t.Error(got)
	}
}

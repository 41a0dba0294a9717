package modedit_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/check"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/modedit"
)

// TestRepairTexts tests that a repair closes tags in sources and reports each line, and leaves other errors unchanged.
func TestRepairTexts(t *testing.T) {
	fsys := fstest.MapFS{
		"MOD.DAT":              {Data: []byte("[MOD]\n<STRING>NAME:x\n[/MOD]")},
		"media/affixes/a.dat":  {Data: []byte("[AFFIXES]\n<STRING>A:b\nc\n[AFFIXES]\n")},
		"media/affixes/ok.dat": {Data: []byte("[A]\n[/A]")},
		"media/affixes/b.dat":  {Data: []byte("[A]\n<WORD>B:c\n[/A]")},
	}
	var lines []int
	var missed []string
	e, err := modedit.OfFolder(fsys, modedit.Options{
		Report: func(c check.Change) {
			if modedit.RepairKind(c) != modedit.RepairedText || c.Path != "MEDIA/AFFIXES/A.DAT" {
				t.Errorf("%+v", c)
			}
			lines = append(lines, c.At[0].(check.Line).Line)
		},
		Miss: func(path, _ string) { missed = append(missed, path) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := e.RepairTexts(); n != 2 || !slices.Equal(lines, []int{3, 4}) || !slices.Equal(missed, []string{"MEDIA/AFFIXES/B.DAT"}) {
		t.Errorf("%d: lines %v, missed %q", n, lines, missed)
	}
	got, err := e.Content("MEDIA/AFFIXES/A.DAT")
	if err != nil || string(got) != "[AFFIXES]\n<STRING>A:b\\nc\n[/AFFIXES]\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestRepairRemoved tests that a repair converts the paths of removed files to upper case in header and manifest.
func TestRepairRemoved(t *testing.T) {
	h := mod.NewHeader()
	h.Removed = []string{"media/units/Gone.dat", "MEDIA/X.DAT"}
	out := new(tests.Memory)
	if _, err := mod.Write(context.Background(), out, h, nil, nil); err != nil {
		t.Fatal(err)
	}
	got, changes, _ := edit(t, out.Data, func(e *modedit.Editor) error { e.RepairRemoved(); return nil })
	if len(changes) != 1 || modedit.RepairKind(changes[0]) != modedit.RepairedRemoved {
		t.Errorf("%+v", changes)
	}
	m := open(t, got)
	if !slices.Equal(m.Header.Removed, []string{"MEDIA/UNITS/GONE.DAT", "MEDIA/X.DAT"}) {
		t.Errorf("%q", m.Header.Removed)
	}
	for _, f := range check.Collect(m.Check) {
		if strings.HasPrefix(f.ID, "tl-mod-removed") {
			t.Error(f)
		}
	}
}

package text_test

import (
	"strings"
	"testing"

	"trowel.example/torchlight/text"
)

func FuzzIndex(f *testing.F) {
	f.Add([]byte("[A]\n<STRING>B.C:1\n[D.E]\n<STRING>F:1\n[/D.E]\n[D.E]\n<STRING>F:2\n[/D.E]\n[/A]\n"), "A.D.E[2].F", int64(0))
	f.Add([]byte("[Layout]\n[OBJECTS]\n[BASEOBJECT]\n[PROPERTIES]\n<INTEGER64>ID:7\n[/PROPERTIES]\n[/BASEOBJECT]\n"+
		"[/OBJECTS]\n[/Layout]"), "", int64(7))
	f.Add([]byte("[A]\n<STRING>B:1\n[/A]"), "B", int64(0))
	f.Fuzz(func(t *testing.T, data []byte, node string, object int64) {
		x, err := text.NewIndex(data)
		if err != nil {
			return
		}
		if line := x.Line(text.Place{Node: node, Object: object}); line < 0 || line > 1+strings.Count(string(data), "\n") {
			t.Errorf("line %d", line)
		}
	})
}

func TestIndexNames(t *testing.T) {
	long := strings.Repeat("x", 50)
	x, err := text.NewIndex([]byte("[A]\n<STRING>B.C:1\n[D.E]\n<STRING>F:1\n[/D.E]\n[D.E]\n<STRING>F:2\n[/D.E]\n[" +
		long + "]\n[/" + long + "]\n[/A]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for node, want := range map[string]int{
		"A": 1, "a.b.c": 2, "A.D.E": 3, "A.D.E.F": 4, "A.D.E[2].F": 7, "A.D.E[3].F": 1, "A." + long[:40] + "...": 9,
		"A.": 1, "NONE": 0, "B.C": 2, "": 0,
	} {
		if got := x.Line(text.Place{Node: node}); got != want {
			t.Errorf("%q is at line %d, want %d", node, got, want)
		}
	}
}

package review

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/format"
)

// mergedOf returns a report of a merge in which all names of files and mods are text.
func mergedOf(text string) *Merged {
	return &Merged{Inputs: []string{text, "b" + text}, Output: "x" + text,
		Files:     []format.MergedFile{{Path: text, Uses: []format.MergedUse{{File: "a" + text, Use: text}, {File: "b" + text, Use: "used"}}}},
		Conflicts: []check.Conflict{{Path: text, What: text, Took: text, At: []check.Place{check.File(text)}}},
		Changes:   []check.Change{{Path: text, What: text, Count: 3, Unit: text}}}
}

func mergePage(t *testing.T, m *Merged) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.HTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestMergedHostile tests that names have no meaning in the page of a merge, and that long ones are cut.
func TestMergedHostile(t *testing.T) {
	want, _ := elements(t, mergePage(t, mergedOf("harmless")))
	for _, text := range append(slices.Clone(hostile), strings.Repeat("long name ", 1000), "\u05d0\u05d1\u05d2 \u0627\u0644\u0639",
		"\u2067\u202egnp.exe") {
		page := mergePage(t, mergedOf(text))
		got, shown := elements(t, page)
		if got != want {
			t.Errorf("%q: elements\n%s\nwant\n%s", text, got, want)
		}
		if strings.ContainsAny(shown, "\x1b\u202e\u2028\u2067") {
			t.Errorf("%q: control characters are on the page", text)
		}
		if most := 10 * (maxLine + 100) * 5; len(page) > most+5000 {
			t.Errorf("%.20q: the page has %d bytes", text, len(page))
		}
	}
	for _, part := range []string{`content="default-src 'none'; style-src 'unsafe-inline'"`, "<title>Merge</title>"} {
		if !bytes.Contains(mergePage(t, mergedOf("a")), []byte(part)) {
			t.Errorf("no %s", part)
		}
	}
	if strings.Contains(want, "script") {
		t.Error("the page has scripts")
	}
}

// TestMergeTable tests the rows by file and the columns by mod, and that a long table is cut.
func TestMergeTable(t *testing.T) {
	files := []format.MergedFile{{Path: "A", Uses: []format.MergedUse{{File: "x", Use: "overridden"}, {File: "y", Use: "used"}}},
		{Path: "B", Uses: []format.MergedUse{{File: "z", Use: "merged"}, {File: "x", Use: "merged"}}}}
	names, rows := MergeTable(files)
	if !slices.Equal(names, []string{"x", "y", "z"}) || !slices.EqualFunc(rows, [][]string{{"A", "overridden", "used", ""},
		{"B", "merged", "", "merged"}}, slices.Equal) {
		t.Errorf("%q, %q", names, rows)
	}
	for len(files) < htmlLines+7 {
		files = append(files, files[0])
	}
	page := string(mergePage(t, &Merged{Files: files, Conflicts: make([]check.Conflict, htmlLines+2)}))
	for _, want := range []string{"There are 7 more.", "There are 2 more.", "5,002 conflicts, 5,007 files with different versions",
		": nothing was written"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
}

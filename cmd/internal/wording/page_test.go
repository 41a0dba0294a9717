package wording

import "testing"

func TestInPage(t *testing.T) {
	for _, c := range [][2]string{
		{"Pack the mod with --tables.", "Pack the mod with the option “tables”."},
		{"the new value, +N or *N; not with --expr", "the new value, +N or *N; not with the option “expr”"},
		{"choose a mesh of the mod with --unit (`trowel ls` lists the files)", "choose a mesh of the mod with the option “unit”"},
		{"a.map: unknown format: `trowel formats` lists the supported formats", "a.map: unknown format"},
		{"2 files are missing; `trowel check a.MOD` lists them. The rest is drawn.", "2 files are missing. The rest is drawn."},
		{"--at: expected three numbers, from -1 to 1--2", "the option “at”: expected three numbers, from -1 to 1--2"},
		{"a--b.map -- c (d)", "a--b.map -- c (d)"},
	} {
		if got := InPage(c[0]); got != c[1] {
			t.Errorf("%q becomes %q, want %q", c[0], got, c[1])
		}
	}
}

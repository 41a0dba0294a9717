package mapdir

import (
	"strings"
	"testing"

	"trowel.example/internal/files/safename"
	"trowel.example/teeworlds/internal/mapmatch"
)

// parts returns parts with a base name that only their prints distinguish, one print per level; the form of a part is
// "base/print/print".
func parts(specs ...string) []named {
	var all []named
	for _, spec := range specs {
		f := strings.Split(spec, "/")
		p := named{base: f[0], prints: []func() uint64{func() uint64 { return 0 }}}
		if len(f) > 1 {
			p.prints = nil
			for _, print := range f[1:] {
				p.prints = append(p.prints, func() uint64 { return mapmatch.PrintOf(print) })
			}
		}
		all = append(all, p)
	}
	return all
}

// TestFileNames tests that every system accepts the file names unchanged, whatever the names in a map are, and that
// names in the same folder differ in more than case.
func TestFileNames(t *testing.T) {
	evil := []string{"grass_main", "CON", "con.x", "aux.png", "A", "a", "", "..", ".", " x ", "tab\there",
		"evil\u202egnp", "C:\\x", "50%20", "%", "100%",
		".git", "a/b", "a\\b", "line\u2028end", "x.", "\ufffd", strings.Repeat("very long ", 30), strings.Repeat("ü", 80),
		"COM¹", "# remark", "order", "Group", "ORDER",
		"caf\u00e9", "cafe\u0301", "\ufeffbom", "git~1", "STRASSE", "straße", "Straße", "\u212a", "k", "\u3000"}
	var all []named
	for range 2 {
		for _, name := range evil {
			all = append(all, parts(fileName(name))...)
			if last := &all[len(all)-1]; last.base == "" {
				last.base = "unnamed"
			}
		}
	}
	files := giveNames(all, reservedLayers...)
	seen := make(map[string]bool)
	for i, file := range files {
		name := evil[i%len(evil)]
		if file == "" || safename.Escape(file+".png") != file+".png" || safename.Escape(file) != file || file[0] == '#' ||
			strings.TrimSpace(file) != file {
			t.Errorf("%q has the file name %q, which is not safe", name, file)
		}
		if k := key(file); seen[k] || k == "order" || k == "group" {
			t.Errorf("%q is the file name of two", file)
		} else {
			seen[k] = true
		}
	}
	if plain := giveNames(parts("grass_main", "böse Zungen"))[0]; plain != "grass_main" {
		t.Errorf("a plain name became %q", plain)
	}
}

// TestGiveNames tests that names depend on the contents of parts: they stay the same when other parts are added or
// removed, and when the order changes.
func TestGiveNames(t *testing.T) {
	kept := func(name string, p []named) []named {
		p[0].kept = name
		return p
	}
	hash := func(print string) string { return letters(mapmatch.PrintOf(print)) }
	for _, c := range []struct {
		name  string
		parts []named
		want  []string
	}{
		{"alone", parts("Tree", "Sky"), []string{"Tree", "Sky"}},
		{"two of a name", parts("Tree/a", "Tree/b"), []string{"Tree~" + hash("a"), "Tree~" + hash("b")}},
		{"in another order", parts("Tree/b", "Tree/a"), []string{"Tree~" + hash("b"), "Tree~" + hash("a")}},
		{"in another case", parts("tree/a", "Tree/b"), []string{"tree~" + hash("a"), "Tree~" + hash("b")}},
		{"the second print where the first is not enough", parts("Tree/a/x", "Tree/a/y", "Tree/b/z"),
			[]string{"Tree~" + hash("x"), "Tree~" + hash("y"), "Tree~" + hash("b")}},
		{"equal in all", parts("Tree/a", "Tree/a", "Tree/a"), []string{"Tree~" + hash("a"), "Tree~" + hash("a") + "-2",
			"Tree~" + hash("a") + "-3"}},
		{"equal in the last print", parts("Tree/a/x", "Tree/a/x", "Tree/b/x", "Tree/b/x"), []string{"Tree~" + hash("x"),
			"Tree~" + hash("x") + "-2", "Tree~" + hash("x") + "-3", "Tree~" + hash("x") + "-4"}},
		{"reserved", parts("Order/a"), []string{"Order~" + hash("a")}},
		{"what a suffix would be", parts("Tree/a", "Tree/b", "Tree~"+hash("a")+"/c"),
			[]string{"Tree~" + hash("a") + "-2", "Tree~" + hash("b"), "Tree~" + hash("a")}},
		{"kept", append(kept("Tree", parts("Tree/a")), parts("Tree/b")...), []string{"Tree", "Tree~" + hash("b")}},
		{"kept by two", append(kept("Old", parts("A/a")), kept("old", parts("B/b"))...), []string{"Old", "B"}},
	} {
		if got := giveNames(c.parts, "order"); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

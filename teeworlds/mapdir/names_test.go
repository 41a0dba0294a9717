package mapdir

import (
	"strings"
	"testing"

	"trowel/internal/safename"
)

// File names are taken as they are by every system, whatever a map calls its
// parts, and those of one folder differ in more than case.
func TestFileNames(t *testing.T) {
	evil := []string{"grass_main", "CON", "con.x", "aux.png", "A", "a", "", "..", ".", " x ", "tab\there", "evil\u202egnp", "C:\\x", "50%20", "%", "100%",
		".git", "a/b", "a\\b", "line\u2028end", "x.", "\ufffd", strings.Repeat("very long ", 30), strings.Repeat("ü", 80), "COM¹"}
	files := fileNames(append(evil, evil...))
	seen := make(map[string]bool)
	for i, file := range files {
		name := evil[i%len(evil)]
		if file == "" || safename.Escape(file+".png") != file+".png" || safename.Escape(file) != file {
			t.Errorf("%q has the file name %q, which is not safe", name, file)
		}
		if lower := strings.ToLower(file); seen[lower] {
			t.Errorf("%q is the file name of two", file)
		} else {
			seen[lower] = true
		}
		if n := numbered(7, 10, name); safename.Escape(n) != n || !strings.HasPrefix(n, "07") {
			t.Errorf("%q has the numbered file name %q", name, n)
		}
	}
	if files[0] != "grass_main" {
		t.Errorf("a plain name became %q", files[0])
	}
}

func TestSortNumbered(t *testing.T) {
	names := []string{"100-a", "99-b", "0-c", "00-a", "7"}
	if err := sortNumbered(names); err != nil || strings.Join(names, " ") != "0-c 00-a 7 99-b 100-a" {
		t.Errorf("%v, %v", names, err)
	}
	for _, bad := range []string{"x", "-1", "99999999999999999999-a"} {
		if err := sortNumbered([]string{bad}); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

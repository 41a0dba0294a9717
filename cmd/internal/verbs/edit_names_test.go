package verbs

import (
	"strings"
	"testing"

	"trowel.example/fault"
)

// TestNowhere tests that a name is reported if each of several files lacks it, with suggestions from all files.
func TestNowhere(t *testing.T) {
	lacks := func(known string, names ...string) (list []lack) {
		for i, name := range names {
			list = append(list, lack{i, &fault.NameError{Kind: "layer", Name: name, Names: []string{known}}})
		}
		return list
	}
	var none nowhere
	none.add(lacks("a", "x", "y", "z"))
	if len(none.names) != 3 || none.names[0].Where != "" {
		t.Errorf("one file: %v", none.names)
	}
	none.add(lacks("b", "other", "y", "z")) // has x
	none.add(lacks("c", "x", "y"))          // has z
	if len(none.names) != 1 {
		t.Fatalf("three files: %v", none.names)
	}
	if e := none.names[0]; e.step != 1 || strings.Join(e.Names, "") != "abc" || e.Error() != `no layer "y" in any of the files` {
		t.Errorf("step %d, %v of %q", e.step, e.NameError, e.Names)
	}
}

package verbs

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/format"
)

// TestFoldMissing tests that any amount of missing data is summarized in a few lines.
func TestFoldMissing(t *testing.T) {
	var list []format.Missing
	for i := range 1200 {
		list = append(list, format.Missing{Kind: "block", Name: fmt.Sprint(i), What: fmt.Sprintf("reason %d", i), Loss: true})
	}
	for i := range 1006 {
		list = append(list, format.Missing{Kind: "color", Name: fmt.Sprintf("mod:n%d", i), What: "guessed from the name"})
	}
	list = append(list,
		format.Missing{Kind: "color", Name: "a:b", Count: 1, Unit: "pixels", What: "none is known"},
		format.Missing{Kind: "color", Name: "a:c", Count: 2000, Unit: "pixels", What: "none is known"},
		format.Missing{Kind: "hole", Name: "1,2,3", What: "cut off"}, format.Missing{Kind: "hole", Name: "1,2,4", What: "cut off"},
		format.Missing{Kind: "image", Name: "sky", Count: 1, Unit: "layers"})
	var got []string
	for _, line := range foldMissing(list) {
		got = append(got, fmt.Sprint(line.loss, " ", line.text))
	}
	want := []string{
		"true missing block 0: reason 0",
		"true missing block 1: reason 1",
		"true missing block 2: reason 2",
		"true missing block 3: reason 3",
		"true missing block 4: reason 4",
		"true also missing: 1,195 blocks (--json lists all)",
		"false missing colors mod:n0, mod:n1, mod:n2, mod:n3, mod:n4 and 1,001 others (--json lists all): guessed from the name",
		"false missing colors a:b, a:c (2,001 pixels): none is known",
		"false missing holes 1,2,3; 1,2,4: cut off",
		"false missing image sky (1 layer)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

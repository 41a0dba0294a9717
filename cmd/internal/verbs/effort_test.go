package verbs

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/limits/effort"
)

// TestEffort tests that each verb inflates, decodes and walks all data at most once, and that ls inflates
// nothing large. The names of tables and grids of mods depend on whether they can be decoded.
func TestEffort(t *testing.T) {
	dir := filepath.ToSlash(t.TempDir())
	inflated := make(map[string]int64)
	for _, test := range []struct {
		args                   string
		decoded, placed, files int64 // decoded maps, walks over their items, decoded files of mods
	}{
		{"pack SAMPLES/burrow -o DIR/b.map", 1, 2, 0}, // the output is read back
		{"info DIR/b.map", 1, 1, 0},
		{"ls -l DIR/b.map", 1, 1, 0},
		{"search -F x:y DIR/b.map", 1, 1, 0},
		{"check DIR/b.map", 1, 2, 0},
		{"extract DIR/b.map -o DIR/b", 1, 3, 0}, // read, encoded to find the residues, and written with them
		{"pack -f DIR/b -o DIR/b.map", 1, 2, 0},
		{"pack SAMPLES/ember -o DIR/e.MOD", 0, 0, 0},
		{"info DIR/e.MOD", 0, 0, 0},
		{"ls -l DIR/e.MOD", 0, 0, 1},
		{"search x:y DIR/e.MOD", 0, 0, 11},
		{"check DIR/e.MOD", 0, 0, 11}, // with the mesh, which the folder has unchanged
		{"extract DIR/e.MOD -o DIR/e", 0, 0, 11},
	} {
		args := strings.Fields(strings.NewReplacer("SAMPLES", "../../../samples", "DIR", dir).Replace(test.args))
		var out, errs bytes.Buffer
		var streams, decoded, placed int64
		decompiled := effort.Of(&effort.Decompiled, func() {
			streams = effort.Of(&effort.Inflated, func() {
				decoded = effort.Of(&effort.Decoded, func() {
					placed = effort.Of(&effort.Placed, func() {
						if code := Main(games, args, strings.NewReader(""), &out, &errs); code > 1 {
							t.Fatalf("%s: %s", test.args, &errs)
						}
					})
				})
			})
		})
		if decoded != test.decoded || placed != test.placed || decompiled != test.files {
			t.Errorf("%s: decoded %d maps, walked %d times over items, decoded %d files from %d streams", test.args, decoded,
				placed, decompiled, streams)
		}
		verb, _, _ := strings.Cut(test.args, " ")
		inflated[verb+args[len(args)-1][len(dir):]] = streams
	}
	n := func(key string) int64 {
		v, ok := inflated[key]
		if !ok {
			t.Fatalf("nothing is known of %q", key)
		}
		return v
	}
	if all := n("check/b.map"); n("info/b.map") > all/4 || n("ls/b.map") > all/4 || n("search/b.map") > all || n("extract/b") != all {
		t.Errorf("streams of the map: %v", inflated)
	}
	if all := n("check/e.MOD"); all == 0 || n("ls/e.MOD") > 1 || n("info/e.MOD") > 0 ||
		n("search/e.MOD") != all+1 || n("extract/e") != all+1 {
		t.Errorf("streams of the mod: %v", inflated)
	}
}

package verbs

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpenElsewhere tests that a file opened by another program is not changed, and that the error gives this
// reason.
func TestOpenElsewhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.map")
	var out, talk bytes.Buffer
	do := func(args ...string) int {
		out.Reset()
		talk.Reset()
		return run(games, args, strings.NewReader(""), &out, &talk)
	}
	if code := do("pack", filepath.Join("..", "..", "..", "samples", "burrow"), "-o", path); code != 0 {
		t.Fatal(talk.String())
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	code := do("edit", path, "--in-place", "--", "info", "--author", "Ann")
	if said := talk.String(); code != 2 || !strings.Contains(said, "another program may have it open") ||
		strings.Contains(said, "undoes") || strings.Contains(said, ".trowel-") {
		t.Errorf("exit code %d: %s", code, said)
	}
	if list, _ := os.ReadDir(filepath.Dir(path)); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
}

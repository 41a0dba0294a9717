package verbs

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRedirected tests that a verb whose output gets the usual name prints how standard output receives it, if the user redirects
// standard output to a file, and that -o - writes it there.
func TestRedirected(t *testing.T) {
	samples, err := filepath.Abs("../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args   string
		hinted bool
	}{
		{"pack SAMPLES/burrow", true},
		{"pack SAMPLES/burrow -o -", false},
		{"pack SAMPLES/burrow -o other.map", false},
		{"convert burrow.map --to datafile-3 -o older.map", false},
		{"render burrow.map --size 20x20", true},
		{"render burrow.map --size 20x20 -o -", false},
		{"pack SAMPLES/hollow -o world", false},
		{"manifest world", true},
		{"manifest world -o -", false},
	} {
		file, err := os.Create("stdout")
		if err != nil {
			t.Fatal(err)
		}
		var talk bytes.Buffer
		code := Main(games, strings.Fields(strings.ReplaceAll(c.args, "SAMPLES", filepath.ToSlash(samples))), strings.NewReader(""), file, &talk)
		info, err := file.Stat()
		if err != nil || code != exitFine {
			t.Fatalf("%s: exit code %d, %v: %s", c.args, code, err, &talk)
		}
		file.Close()
		if hinted := strings.Contains(talk.String(), "`-o -`"); hinted != c.hinted || strings.HasSuffix(c.args, " -") != (info.Size() > 0) {
			t.Errorf("%s: %d bytes in standard output, and %s", c.args, info.Size(), &talk)
		}
	}
}

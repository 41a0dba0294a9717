package verbs

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/testing/corpus"
	"trowel.example/internal/testing/tests"
)

// TestEffortCorpus tests that no verb comes near a budget of work with any file of the corpus, and logs how near the
// closest comes.
func TestEffortCorpus(t *testing.T) {
	tests.NotRaced(t, "draws many pictures")
	files := map[string]string{"world.mt": ""}
	for _, ext := range []string{".map", ".MOD", ".BINDAT", ".BINLAYOUT", ".RAW", ".mesh", ".mts", ".ADM", ".layout", ".LAYOUT"} {
		files[ext] = ext
	}
	var found []string
	for _, game := range []string{"teeworlds", "torchlight", "minetest"} {
		dir := corpus.Dir(t, game)
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Name() == "world.mt" {
				found = append(found, filepath.Dir(path))
			} else if _, ok := files[filepath.Ext(path)]; ok && err == nil && !d.IsDir() {
				found = append(found, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	closest := make(map[*effort.Kind]float64)
	out := filepath.Join(t.TempDir(), "out")
	for i, path := range found {
		for _, args := range []string{"info", "check", "search -F xyzzy", "extract -f -o " + out, "diff " + found[max(0, i-1)],
			"render -f --size 640x480 -o " + out + ".png"} {
			var stdout, stderr bytes.Buffer
			Main(games, append(strings.Fields(args), path), strings.NewReader(""), &stdout, &stderr)
			if text := stdout.String() + stderr.String(); strings.Contains(text, "--effort") {
				t.Errorf("%s %s: %.300s", args, path, text)
			}
			for _, k := range effort.Kinds() {
				if near := k.Nearest(); near > closest[k] {
					closest[k] = near
					t.Logf("%s: %.2f %% in %s %s", k.Unit, 100*near, args, path)
				}
			}
		}
	}
	for _, k := range effort.Kinds() {
		if closest[k] >= 0.1 {
			t.Errorf("%s: %.1f %% of the budget", k.Unit, 100*closest[k])
		}
	}
	t.Logf("%d files", len(found))
}

package floors

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"trowel.example/internal/testing/judge"
)

// TestWorkflows tests that each action of a workflow is pinned by a commit hash, with its version in a comment, and
// that each script of a workflow exists.
func TestWorkflows(t *testing.T) {
	names, err := filepath.Glob("../../../.github/workflows/*.yml")
	if err != nil || len(names) != 3 {
		t.Fatalf("workflows: %q, %v", names, err)
	}
	uses := regexp.MustCompile(`(?m)^.*\buses:.*$`)
	pinned := regexp.MustCompile(`^ +- uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	script := regexp.MustCompile(`\.ci/[\w-]+`)
	for _, name := range names {
		text := judge.Read(t, name)
		for _, line := range uses.FindAllString(string(text), -1) {
			if !pinned.MatchString(line) {
				t.Errorf("%s: %q: expected OWNER/ACTION@HASH # VERSION", name, line)
			}
		}
		for _, path := range script.FindAllString(string(text), -1) {
			if _, err := os.Stat("../../../" + path); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

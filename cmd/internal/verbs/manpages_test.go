package verbs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestManPages tests that each verb, operation and query has a manual page, and that man reads the pages of operations
// without warnings, if it is installed.
func TestManPages(t *testing.T) {
	dir := t.TempDir()
	helpFor(t, games, "man", "-q", "-o", dir)
	man, noMan := exec.LookPath("man")
	read := 0
	for _, verb := range []string{"edit", "find"} {
		for _, name := range commandNames(games.Formats(), verbCommands[verb]) {
			path := filepath.Join(dir, "trowel-"+verb+"-"+name+".1")
			page, err := os.ReadFile(path)
			if err != nil {
				t.Error(err)
				continue
			}
			if !strings.Contains(string(page), "FILE... \\-\\- "+roffText(name)) || strings.Contains(string(page), "%!") {
				t.Errorf("%s:\n%s", name, page)
			}
			if noMan != nil || read == 5 {
				continue
			}
			read++
			cmd := exec.Command(man, "--warnings", "-l", path)
			cmd.Env = append(os.Environ(), "MANPAGER=cat", "MANWIDTH=80", "LC_ALL=C.UTF-8")
			var out, warnings strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &warnings
			if err := cmd.Run(); err != nil || warnings.Len() > 0 || !strings.Contains(out.String(), "-- "+name) {
				t.Errorf("man %s: %v\n%s%s", name, err, &warnings, &out)
			}
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "trowel-edit.1"))
	if err != nil || !strings.Contains(string(page), "replace-tiles") {
		t.Errorf("the page of edit does not list the operations: %v", err)
	}
}

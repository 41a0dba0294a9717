package verbs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDenied tests that every verb fails if the user may not read the blocks of a world: they may be sound.
func TestDenied(t *testing.T) {
	samples := samplesDir(t)
	t.Chdir(t.TempDir())
	hollow := filepath.Join(samples, "hollow")
	for _, line := range []string{"pack -q " + hollow + " -o w", "pack -q " + hollow + " -o other", "backup -q other backups"} {
		if got := here(games, strings.Fields(line)...); got.code != exitFine {
			t.Fatal(line, got)
		}
	}
	blocks := filepath.Join("w", "map.sqlite")
	if err := os.Chmod(blocks, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(blocks); err == nil {
		t.Skip("this user may read everything")
	}
	for _, line := range []string{
		"info w", "ls w", "cat w blocks/z0/y0/0,0,0.txt", "extract w -o new", "extract -k w -o new", "check w", "check --quick w",
		"find w -- node default:dirt", "search dirt w", "diff w other", "diff other w", "render w -o new.png", "convert w --to leveldb -o new",
		"edit w --in-place -- set default:dirt --area 0,0,0:0,0,0", "edit w -o new -- set default:dirt --area 0,0,0:0,0,0",
		"repair w --dry-run", "repair w --in-place", "repair w -o new", "backup w new", "restore backups --into w",
		"restore backups --into w --missing --plan", "manifest w -o new", "dump w 0,0,0", "merge other w other -o new",
		"convert w --to mts -o new.mts --box 0,0,0:3,3,3",
	} {
		got := here(games, strings.Fields(line)...)
		if got.code != exitFailed || !strings.Contains(got.err, "map.sqlite: permission denied") {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if left, _ := filepath.Glob("new*"); len(left) > 0 {
		t.Errorf("made %v", left)
	}
}

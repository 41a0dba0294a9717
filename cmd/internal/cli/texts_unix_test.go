//go:build unix

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"trowel.example/internal/judge"
)

// In the place of a file that the engine reads as a whole can be a pipe, or a file with a hole
// larger than a disk: every verb tells, none opens or copies it.
func TestUnreadableTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many verbs: not in short mode")
	}
	for _, name := range []string{"map_meta.txt", "env_meta.txt", "ipban.txt"} {
		for kind, make := range map[string]func(path string) error{
			"pipe": func(path string) error { return syscall.Mkfifo(path, 0o644) },
			"hole": func(path string) error {
				judge.Write(t, path, []byte("seed = 1\n"))
				return os.Truncate(path, 100<<30)
			},
		} {
			dir := t.TempDir()
			judge.Write(t, filepath.Join(dir, "world", "world.mt"), []byte("gameid = a\nbackend = dummy\nplayer_backend = files\nauth_backend = files\nmod_storage_backend = files\n"))
			if err := make(filepath.Join(dir, "world", name)); err != nil {
				t.Skip(err)
			}
			for _, verb := range []string{"check", "info", "ls", "extract -k -o OUT", "repair --dry-run", "repair -o OUT", "convert --to sqlite -o OUT"} {
				args := strings.Fields(strings.ReplaceAll(verb, "OUT", filepath.Join(dir, strings.Fields(verb)[0])))
				var out, talk bytes.Buffer
				code := run(games, append(args, filepath.Join(dir, "world")), strings.NewReader(""), &out, &talk)
				if code != 1 || !strings.Contains(out.String()+talk.String(), name) {
					t.Errorf("%s of %s that is a %s: exit code %d\n%s%s", verb, name, kind, code, out.Bytes(), talk.Bytes())
				}
			}
			for _, copied := range []string{"extract", "repair", "convert"} {
				if _, err := os.Lstat(filepath.Join(dir, copied, name)); err == nil {
					t.Errorf("%s copied %s", copied, name)
				}
			}
		}
	}
}

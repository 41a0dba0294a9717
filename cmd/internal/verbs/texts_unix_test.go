//go:build unix

package verbs

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// TestUnreadableTexts tests that every verb reports, and none opens or copies, a pipe or a huge sparse file in
// place of a text that the engine reads as a whole.
func TestUnreadableTexts(t *testing.T) {
	tests.LongOnly(t, "runs many verbs")
	for _, name := range []string{"map_meta.txt", "env_meta.txt", "ipban.txt"} {
		for kind, make := range map[string]func(path string) error{
			"pipe": func(path string) error { return syscall.Mkfifo(path, 0o644) },
			"hole": func(path string) error {
				judge.Write(t, path, []byte("seed = 1\n"))
				return os.Truncate(path, 100<<30)
			},
		} {
			dir := t.TempDir()
			judge.Write(t, filepath.Join(dir, "world", "world.mt"), []byte("gameid = a\nbackend = dummy\nplayer_backend = "+
				"files\nauth_backend = files\nmod_storage_backend = files\n"))
			if err := make(filepath.Join(dir, "world", name)); err != nil {
				t.Skip(err)
			}
			for _, verb := range []string{"check", "info", "ls", "extract -k -o OUT", "repair --dry-run", "repair -o OUT",
				"convert -k --to sqlite -o OUT"} {
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

// TestHoles tests that a sparse file is copied with its holes, unless it replaces a text of the world, where it
// is rejected.
func TestHoles(t *testing.T) {
	dir := t.TempDir()
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	judge.Write(t, at("world", "world.mt"), []byte("gameid = a\nbackend = dummy\nplayer_backend = files\nauth_backend "+
		"= files\nmod_storage_backend = files\n"))
	judge.Write(t, at("world", "old.bin"), []byte("text"))
	if err := os.Truncate(at("world", "old.bin"), 256<<20); err != nil {
		t.Skip(err)
	}
	verb := func(want int, args ...string) string {
		t.Helper()
		var out, talk bytes.Buffer
		if code := run(games, args, strings.NewReader(""), &out, &talk); code != want {
			t.Errorf("%q: exit code %d\n%s%s", args, code, out.Bytes(), talk.Bytes())
		}
		return talk.String()
	}
	verb(0, "convert", at("world"), "--to", "sqlite", "-o", at("converted"))
	verb(0, "repair", at("world"), "-o", at("repaired"))
	verb(0, "extract", at("world"), "-o", at("tree"))
	verb(0, "pack", at("tree"), "-o", at("packed"))
	for _, made := range []string{"converted", "repaired", "tree", "packed"} {
		if st, err := os.Stat(at(made, "old.bin")); err != nil {
			t.Error(err)
		} else if taken := st.Sys().(*syscall.Stat_t).Blocks * 512; st.Size() != 256<<20 || taken > 1<<20 {
			t.Errorf("%s: %d bytes, which take %d", made, st.Size(), taken)
		}
	}
	for _, name := range []string{"world.mt", "env_meta.txt", "players/ann.json", "auth/ann.json", "storage/mod.json",
		"blocks/z0/y0/0,0,0.txt"} {
		judge.Write(t, at("tree", name), nil)
		if err := os.Truncate(at("tree", name), 100<<30); err != nil {
			t.Fatal(err)
		}
		if talk := verb(2, "pack", at("tree"), "-o", at("large")); !strings.Contains(talk, name+": expected at most") {
			t.Errorf("%s: %s", name, talk)
		}
		if err := os.Remove(at("tree", name)); err != nil {
			t.Fatal(err)
		}
		if name == "world.mt" {
			judge.Write(t, at("tree", name), []byte("gameid = a\n"))
		}
	}
}

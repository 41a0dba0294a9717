package verbs

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"

	"trowel.example/internal/testing/judge"
)

// backups makes a world with some backups and returns a function that runs the tool in the folder of both. The
// function returns the exit code and the printed texts.
func backups(t *testing.T, n int) (tool func(args ...string) (code int, out, said string)) {
	t.Helper()
	samples, err := filepath.Abs("../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	tool = func(args ...string) (int, string, string) {
		var out, said bytes.Buffer
		code := run(games, args, strings.NewReader(""), &out, &said)
		return code, out.String(), said.String()
	}
	if code, _, said := tool("pack", filepath.Join(samples, "hollow"), "-o", "world"); code != exitFine {
		t.Fatal(said)
	}
	for range n {
		if code, out, said := tool("backup", "-q", "world", "backups/world"); code != exitFine || out != "" || said != "" {
			t.Fatal(code, out, said)
		}
	}
	return tool
}

// snapshots returns the names of the snapshots in backups/world, the oldest first.
func snapshots(t *testing.T) (ids []string) {
	t.Helper()
	list, err := filepath.Glob("backups/world/snapshots/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range list {
		ids = append(ids, strings.TrimSuffix(filepath.Base(name), ".json"))
	}
	slices.Sort(ids)
	return ids
}

// TestRestoreDamaged tests that restore reports a damaged snapshot by its name and does not use an older one
// instead.
func TestRestoreDamaged(t *testing.T) {
	tool := backups(t, 3)
	ids := snapshots(t)
	path := func(i int) string { return filepath.Join("backups/world/snapshots", ids[i]+".json") }
	newest := judge.Read(t, path(2))
	day := time.Now().Add(48 * time.Hour).Format(time.DateOnly)
	for what, damage := range map[string]func() error{
		"changed": func() error {
			return os.WriteFile(path(2), bytes.Replace(newest, []byte("world"), []byte("World"), 1), 0o600)
		},
		"cut":   func() error { return os.Truncate(path(2), int64(len(newest)/2)) },
		"empty": func() error { return os.Truncate(path(2), 0) },
		"swapped": func() error {
			other, err := os.ReadFile(path(0))
			if err == nil {
				err = os.WriteFile(path(2), other, 0o600)
			}
			return err
		},
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		for _, moment := range []string{"", ids[2], day} {
			args := []string{"restore", "backups/world", "-o", "back"}
			if moment != "" {
				args = append(args, "--moment", moment)
			}
			code, _, said := tool(args...)
			if code != exitFailed || !strings.Contains(said, "--moment "+ids[1]) {
				t.Errorf("%s, --moment %q: exit code %d: %s", what, moment, code, said)
			}
			if left, _ := filepath.Glob("*back*"); !slices.Equal(left, []string{"backups"}) {
				t.Errorf("%s: left: %v", what, left)
			}
		}
		if code, _, said := tool("restore", "backups/world", "--moment", ids[1]+".txt", "-o", "back"); code != exitFine ||
			!strings.Contains(said, "restored backups/world to back") {
			t.Errorf("%s: %d, %s", what, code, said)
		}
		if code, _, said := tool("restore", "backups/world", "--moment", ids[1], "-o", "back"); code != exitFailed ||
			!strings.Contains(said, "hint: name a new folder") {
			t.Errorf("%s: over a world: %d, %s", what, code, said)
		}
		if err := os.RemoveAll("back"); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path(2), newest, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	// A damaged older snapshot is reported and can be forgotten.
	if err := os.Truncate(path(0), 0); err != nil {
		t.Fatal(err)
	}
	if code, _, said := tool("restore", "backups/world", "-o", "back"); code != exitFine || !strings.Contains(said, ids[0]) {
		t.Errorf("%d, %s", code, said)
	}
	if code, _, said := tool("forget", "backups/world", "--keep-last", "1"); code != exitFailed ||
		!strings.Contains(said, "forget backups/world "+ids[0]) {
		t.Errorf("%d, %s", code, said)
	}
	code, out, said := tool("forget", "backups/world", ids[0]+".txt", "--prune", "--json")
	var did struct {
		Removed []string
		Kept    int
		Packs   *int
		DryRun  bool
	}
	if err := json.Unmarshal([]byte(out), &did); err != nil || code != exitFine || !slices.Equal(did.Removed, ids[:1]) ||
		did.Kept != 2 || did.Packs == nil || did.DryRun {
		t.Errorf("%d, %s, %v: %s", code, out, err, said)
	}
	if got := snapshots(t); !slices.Equal(got, ids[1:]) {
		t.Errorf("%v are left of %v", got, ids)
	}
}

// TestBackupPage tests that the commands of the page about backups work in the order of the page.
func TestBackupPage(t *testing.T) {
	page := judge.Read(t, "../../../docs/backup.md")
	tool := backups(t, 0)
	judge.Write(t, "trowel.pub", []byte(newSigningKey(t, "trowel.key")))
	root := regexp.MustCompile(`root: +([0-9a-f]{64})`)
	done := 0
	last := ""
	for line := range strings.Lines(string(page)) {
		words, ok := strings.CutPrefix(line, "    trowel ")
		if !ok || strings.Contains(words, "s3://") {
			continue
		}
		args := strings.Fields(words)
		for i, word := range args {
			if word == "2026-11-20" {
				args[i] = time.Now().Format(time.DateOnly)
			}
			if word == "ROOT" {
				args[i] = last
			}
		}
		code, out, said := tool(args...)
		if code != exitFine {
			t.Errorf("%s: %d, %s%s", args, code, out, said)
		}
		if m := root.FindStringSubmatch(out); m != nil {
			last = m[1]
		}
		done++
	}
	if done < 6 {
		t.Errorf("only %d commands were found", done)
	}
}

// TestForgetSigned tests that the options of signatures and of copying are checked, and that signed snapshots are removed with a key.
func TestForgetSigned(t *testing.T) {
	tool := backups(t, 1)
	public := newSigningKey(t, "k")
	if code, _, said := tool("backup", "-q", "world", "backups/world", "--sign", "k"); code != exitFine || said != "" {
		t.Error(code, said)
	}
	code, _, said := tool("backup", "world", "backups/world")
	if code != exitFine || !strings.Contains(said, "is signed, and the new one is not") {
		t.Error(code, said)
	}
	ids := snapshots(t)
	for _, c := range []struct {
		line string
		code int
		said string
	}{
		{"check backups/world --trust " + public, exitFound, ""},
		{"check backups/world --root " + strings.Repeat("0", 64), exitFound, "--root and --state need --trust"},
		{"check backups/world --root 1", exitFailed, "64 hexadecimal digits"},
		{"check backups/world --trust k", exitFailed, "expected a public key of minisign"},
		{"restore backups/world -o back --trust " + public, exitFailed, "not signed"},
		{"restore backups/world -o back --root " + strings.Repeat("0", 64), exitFailed, "--root and --state need --trust"},
		{"restore backups/world -o back --trust " + public + " --moment " + ids[1] + " --state state", exitFailed, "no such file"},
		{"restore backups/world -o back --trust " + public + " --moment " + ids[1] + " --root " + strings.Repeat("0", 64), exitFailed,
			"no signed snapshot or record has the root"},
		{"view world --trust " + public, exitFailed, "--trust is for a repository of backups"},
		{"view world --no-open --backups backups/world --trust " + public + " --root " + strings.Repeat("0", 64), exitFailed,
			"no signed snapshot or record has the root"},
		{"view world --no-open --backups backups/world --trust k", exitFailed, "expected a public key of minisign"},
		{"backup world backups/world --sign world/world.mt", exitFailed, "expected a secret key of minisign"},
		{"forget backups/world " + ids[1], exitFailed, "--sign KEYFILE"},
		{"forget backups/world " + ids[1] + " --sign world/world.mt", exitFailed, "expected a secret key of minisign"},
		{"forget backups/world --prune --repack 5X", exitFailed, "expected a size"},
		{"forget backups/world " + ids[0] + " " + ids[2] + " --sign k --prune --repack 1M", exitFine, ""},
		{"check backups/world --trust " + public + " --state state", exitFine, ""},
		{"check backups/world --trust " + public + " --state k", exitFound, "expected roots of snapshots"},
		{"check backups/world --trust " + public + " --state state", exitFine, ""},
		{"restore backups/world -o back --trust " + public + " --state state", exitFine, ""},
		{"restore backups/world --into world --box 0,0,0:9,9,9 --dry-run --trust " + public + " --state state", exitFine, ""},
	} {
		if code, out, said := tool(strings.Fields(c.line)...); code != c.code || !strings.Contains(out+said, c.said) {
			t.Errorf("%s: %d, %s%s", c.line, code, out, said)
		}
	}
}

// newSigningKey writes a new secret key of minisign to a file, and returns the public key.
func newSigningKey(t *testing.T, file string) string {
	t.Helper()
	public, secret, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := secret.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	judge.Write(t, file, key)
	return public.String()
}

// TestStateOfCheck tests that a check with a file of the newest snapshots finds that an older state was restored, and keeps the file.
func TestStateOfCheck(t *testing.T) {
	tool := backups(t, 0)
	public := newSigningKey(t, "k")
	check := []string{"check", "backups/world", "--trust", public, "--state", "state"}
	for range 3 {
		if code, _, said := tool("backup", "world", "backups/world", "--sign", "k"); code != exitFine {
			t.Fatal(said)
		}
		if code, out, said := tool(check...); code != exitFine {
			t.Error(out, said)
		}
	}
	before, err := os.ReadFile("state")
	if err != nil || len(before) != 65 {
		t.Errorf("%q, %v", before, err)
	}
	ids := snapshots(t)
	if err := os.Remove(filepath.Join("backups/world/snapshots", ids[2]+".json")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if code, out, _ := tool(check...); code != exitFound || !strings.Contains(out, "mt-backup-rollback") {
			t.Error(code, out)
		}
	}
	if after, _ := os.ReadFile("state"); !bytes.Equal(before, after) {
		t.Errorf("%q has become %q", before, after)
	}
	for _, damaged := range []string{"", "\n", string(before[:64]), string(before[:40]) + "\n", string(before) + "x\n", " " + string(before)} {
		judge.Write(t, "state", []byte(damaged))
		if code, out, said := tool(check...); code == exitFine || !strings.Contains(out+said, "expected roots of snapshots") {
			t.Errorf("%q: %d, %s%s", damaged, code, out, said)
		}
	}
}

// TestBackupModes tests that backups, manifests and restored worlds are readable only by their owner if the
// world is.
func TestBackupModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it has no such modes")
	}
	tool := backups(t, 0)
	err := filepath.WalkDir("world", func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() { // everyone may read the folder
			err = os.Chmod(path, 0o600)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"backup world r", "restore r -o back", "restore r --map leveldb -o other", "manifest world -o m"} {
		if code, _, said := tool(strings.Fields(line)...); code != exitFine {
			t.Fatal(line, code, said)
		}
	}
	for _, name := range []string{"r", "back", "other", "m"} {
		err := filepath.WalkDir(name, func(path string, e os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			switch secret := err == nil && info.Mode().Perm()&0o077 == 0; {
			case err != nil:
			case secret && e.IsDir():
				return fs.SkipDir
			case !secret && !e.IsDir():
				t.Errorf("%s: %v", path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

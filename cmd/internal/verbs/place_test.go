package verbs

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"trowel.example/internal/testing/judge"
)

// TestTogether tests that concurrent in-place changes of a file are done one after another: the file has all
// changes, and each run has a backup. With -f, every replaced file becomes a backup.
func TestTogether(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	do := func(args ...string) (string, error) {
		var out, talk bytes.Buffer
		if code := run(games, args, strings.NewReader(""), &out, &talk); code != 0 {
			return "", fmt.Errorf("%q: exit code %d\n%s%s", args, code, out.Bytes(), talk.Bytes())
		}
		return out.String() + talk.String(), nil
	}
	must := func(args ...string) string {
		t.Helper()
		said, err := do(args...)
		if err != nil {
			t.Fatal(err)
		}
		return said
	}
	sample := func(name string) string { return filepath.Join("..", "..", "..", "samples", name) }
	const runs = 4
	each := func(do func(i int) error) {
		t.Helper()
		var group sync.WaitGroup
		for i := range runs {
			group.Go(func() {
				if err := do(i); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	}
	has := func(name, path string, words ...string) {
		t.Helper()
		text := must("cat", in(name), path)
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%s: %s has no %q:\n%s", name, path, word, text)
			}
		}
	}
	backups := func(name string, want int) []string {
		t.Helper()
		list, _ := filepath.Glob(in(name))
		if len(list) != want {
			t.Errorf("%d backups %s, should be %d: %q", len(list), name, want, list)
		}
		return list
	}
	settings := []string{"sv_deepfly 1", "sv_hit 0", "sv_endless_drag 1", "sv_old_laser 1"}

	must("pack", sample("burrow"), "-o", in("edit.map"))
	each(func(i int) error {
		_, err := do("edit", in("edit.map"), "--in-place", "--", "set-setting", settings[i])
		return err
	})
	has("edit.map", "settings.cfg", settings...)
	old := backups("edit.backup-*.map", runs)

	// The restored content is one of the backups, whichever run is the last.
	each(func(i int) error {
		_, err := do("repair", in("edit.map"), "--restore", old[i])
		return err
	})
	text := judge.Read(t, in("edit.map"))
	found := false
	for _, name := range old {
		one, err := os.ReadFile(name)
		found = found || err == nil && bytes.Equal(one, text)
	}
	if !found {
		t.Error("what was put back is not one of the backups")
	}
	backups("edit.backup-*.map", 2*runs)

	must("pack", sample("ember"), "-o", in("ember.mod"))
	each(func(i int) error {
		_, err := do("edit", in("ember.mod"), "--in-place", "--", "info",
			[]string{"--title", "--author", "--description", "--website"}[i], settings[i])
		return err
	})
	has("ember.mod", "MOD.DAT", settings...)
	backups("ember.backup-*.mod", runs)

	must("pack", sample("burrow"), "-o", in("apply.map"))
	for i := range runs {
		piece := in(fmt.Sprint("piece", i))
		must("extract", in("apply.map"), "-o", piece, "settings.cfg", "map.json", "groups/*")
		switch i {
		case 0:
			replaceIn(t, filepath.Join(piece, "settings.cfg"), "sv_team 1", "sv_team 0")
		case 1:
			replaceIn(t, filepath.Join(piece, "map.json"), "CC0", "MIT")
		default:
			continue
		}
	}
	each(func(i int) error {
		_, err := do("apply", in(fmt.Sprint("piece", i)), in("apply.map"), "--in-place")
		return err
	})
	has("apply.map", "settings.cfg", "sv_team 0")
	has("apply.map", "map.json", "MIT")
	backups("apply.backup-*.map", 2)

	// Concurrent merges for git include each other's changes.
	must("pack", sample("burrow"), "-o", in("ours.map"))
	must("pack", sample("burrow"), "-o", in("base.map"))
	for i, s := range settings {
		must("edit", in("base.map"), "-o", in(fmt.Sprintf("theirs%d.map", i)), "--", "set-setting", s)
	}
	each(func(i int) error {
		var out, talk bytes.Buffer // both append after the last line, which is a conflict
		run(games, []string{"git", "merge", in("base.map"), in("ours.map"), in(fmt.Sprintf("theirs%d.map", i))},
			strings.NewReader(""), &out, &talk)
		return nil
	})
	backups("ours.backup-*.map", 0)
	must("check", in("ours.map"))

	must("pack", sample("hollow"), "-o", in("world"))
	each(func(i int) error {
		_, err := do("edit", in("world"), "--in-place", "--", "ban", fmt.Sprint("192.0.2.", i), "eve")
		return err
	})
	ban, err := os.ReadFile(filepath.Join(in("world"), "ipban.txt"))
	for i := range runs {
		if !strings.Contains(string(ban), fmt.Sprint("192.0.2.", i)) {
			t.Errorf("%d is not banned: %s %v", i, ban, err)
		}
	}
	backups("world.backup-*.zip", runs)
	if left, _ := filepath.Glob(in(".trowel*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func replaceIn(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("%v: no %s in\n%s", err, old, text)
	}
	judge.Write(t, path, []byte(strings.Replace(string(text), old, new, 1)))
}

// TestSecrets tests that users who may not read a file may not read its output either.
func TestSecrets(t *testing.T) {
	if onWindows {
		t.Skip("Windows has no such permissions")
	}
	probe := filepath.Join(t.TempDir(), "probe")
	judge.Write(t, probe, nil)
	usual, err := os.Stat(probe) // the permissions that umask gives
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []fs.FileMode{0o600, 0o640} {
		dir := t.TempDir()
		in := func(name string) string { return filepath.Join(dir, name) }
		do := func(args ...string) {
			t.Helper()
			var out, talk bytes.Buffer
			if code := run(games, args, strings.NewReader(""), &out, &talk); code != 0 {
				t.Fatalf("%q: exit code %d\n%s%s", args, code, out.Bytes(), talk.Bytes())
			}
		}
		do("pack", filepath.Join("..", "..", "..", "samples", "hollow"), "-o", in("world"))
		if err := os.Chmod(filepath.Join(in("world"), "map.sqlite"), mode); err != nil {
			t.Fatal(err)
		}
		colors := in("colors.txt")
		judge.Write(t, colors, []byte("default:stone 100 100 100\n"))
		do("convert", in("world"), "--to", "leveldb", "-o", in("level"))
		if mode == 0o640 { // a new database has the permissions of its folder
			if err := os.Chmod(filepath.Join(in("level"), "map.db"), 0o750); err != nil {
				t.Fatal(err)
			}
		}
		for _, world := range []string{"world", "level"} {
			do("minetestmapper", "-i", in(world), "-o", in(world+".map.png"), "--colors", colors)
			do("manifest", in(world), "-o", in(world+".manifest"))
			do("render", in(world), "-o", in(world+".png"))
			do("render", in(world), "--tiles", in(world+".tiles"))
			do("convert", in(world), "--to", "mts", "--box", "0,0,0:3,3,3", "-o", in(world+".mts"))
			for _, made := range []string{".manifest", ".png", ".map.png", ".tiles/index.html", ".tiles/.trowel-made", ".mts"} {
				info, err := os.Stat(in(world + made))
				if err != nil || info.Mode().Perm()&0o077&^mode != 0 || info.Mode().Perm() != mode&usual.Mode().Perm() {
					t.Errorf("%s of %v: %v, %v", world+made, mode, info.Mode(), err)
				}
			}
		}
		if mode != 0o600 {
			continue
		}
		do("extract", in("world"), "-o", in("tree"))
		do("pack", in("tree"), "-o", in("again"))
		for _, name := range []string{"tree/blocks/z0/y0/0,0,0.txt", "tree/.trowel.json", "again/map.sqlite"} {
			if info, err := os.Stat(in(name)); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
		}
	}
}

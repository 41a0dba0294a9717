package verbs

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/cmd/internal/service"
	"trowel.example/internal/testing/judge"
)

// TestDamagedWorld tests that a manifest and a schematic of a damaged world, and a world restored from a
// damaged backup, are made only with -k.
func TestDamagedWorld(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if code, said := quietly("pack", "../../../samples/hollow", "-o", at("world")); code != exitFine {
		t.Fatal(said)
	}
	content := make([]byte, 4000)
	for i := range content {
		content[i] = byte(rand.IntN(256))
	}
	judge.Write(t, filepath.Join(at("world"), "notes.bin"), content)
	if code, said := quietly("backup", at("world"), at("repo")); code != exitFine {
		t.Fatal(said)
	}
	damaged := 0
	err := filepath.WalkDir(at("repo"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data := judge.Read(t, path)
		if i := bytes.Index(data, content[1000:1100]); i >= 0 {
			damaged++
			data[i] ^= 0x55
			return os.WriteFile(path, data, 0o666)
		}
		return nil
	})
	if err != nil || damaged == 0 {
		t.Fatal(damaged, err)
	}
	blocks := judge.Read(t, filepath.Join(at("world"), "map.sqlite"))
	clear(blocks[len(blocks)/2:])
	judge.Write(t, filepath.Join(at("world"), "map.sqlite"), blocks)
	for _, words := range [][]string{
		{"manifest", at("world"), "-o", at("out.manifest")},
		{"convert", at("world"), "--to", "mts", "--box", "-60,-60,-60:60,60,60", "-o", at("out.mts")},
		{"restore", at("repo"), "-o", at("out")},
	} {
		out := words[len(words)-1]
		made := out // or the last file in it
		if words[0] == "restore" {
			made = filepath.Join(out, "world.mt")
		}
		if code, said := quietly(words...); code != exitFailed || !strings.Contains(said, "-k") || service.Exists(made) {
			t.Errorf("%s: exit code %d: %s", words, code, said)
		}
		if code, said := quietly(append(words, "-k")...); code != exitFound || !service.Exists(made) {
			t.Errorf("%s -k: exit code %d: %s", words, code, said)
		}
	}
}

// TestReadonlyBackendOfVerbs tests that every verb reads a world whose blocks are all in the database that
// readonly_backend names. New output is one database. An edit in place creates the first database, as the
// engine does, and fails without a backup if the second one must change.
func TestReadonlyBackendOfVerbs(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	run := func(want int, words ...string) string {
		t.Helper()
		code, said := quietly(words...)
		if code != want {
			t.Errorf("%s: exit code %d: %s", words, code, said)
		}
		return said
	}
	run(exitFine, "pack", "../../../samples/hollow", "-o", at("one"))
	run(exitFine, "pack", "../../../samples/hollow", "-o", at("two"))
	below := filepath.Join(at("two"), "readonly")
	if err := errors.Join(os.Mkdir(below, 0o777), os.Rename(filepath.Join(at("two"), "map.sqlite"),
		filepath.Join(below, "map.sqlite"))); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(at("two"), "world.mt")
	judge.Write(t, settings, append([]byte("readonly_backend = sqlite3\n"), judge.Read(t, settings)...))

	for _, name := range []string{"one", "two"} {
		run(exitFine, "render", at(name), "-o", at(name+".png"))
		run(exitFine, "manifest", at(name), "-o", at(name+".manifest"))
		run(exitFine, "backup", at(name), at(name+".repo"))
		run(exitFine, "restore", at(name+".repo"), "-o", at(name+".restored"))
		run(exitFine, "convert", at(name), "--to", "leveldb", "-o", at(name+".converted"))
		run(exitFine, "edit", at(name), "-o", at(name+".edited"), "--", "replace", "default:stone", "default:dirt", "--new-name")
		run(exitFine, "repair", at(name), "-o", at(name+".repaired"))
		run(exitFine, "extract", at(name), "-o", at(name+".folder"))
	}
	run(exitFine, "merge", at("two"), at("two.edited"), at("two"), "-o", at("two.merged"))
	for _, ending := range []string{".png", ".manifest"} {
		if !bytes.Equal(judge.Read(t, at("one"+ending)), judge.Read(t, at("two"+ending))) {
			t.Errorf("another %s", ending)
		}
	}
	run(exitFine, "diff", at("one.edited"), at("two.merged"))
	for _, name := range []string{".restored", ".converted", ".edited", ".repaired", ".folder"} {
		if service.Exists(filepath.Join(at("two"+name), "readonly")) {
			t.Errorf("%s has the second database", name)
		}
		if name != ".folder" {
			run(exitFine, "diff", at("one"+name), at("two"+name))
		}
	}

	// A block whose folder is deleted no longer exists.
	if err := os.RemoveAll(filepath.Join(at("two.folder"), "blocks", "z0", "y1")); err != nil {
		t.Fatal(err)
	}
	run(exitFine, "pack", at("two.folder"), "-o", at("packed"))
	run(exitFine, "extract", at("packed"), "-o", at("again"))
	if service.Exists(filepath.Join(at("packed"), "readonly")) || service.Exists(filepath.Join(at("again"), "blocks", "z0", "y1")) {
		t.Error("what was deleted is there again")
	}

	if said := run(exitFailed, "edit", at("two"), "--in-place", "--", "delete-chunks", "--touching",
		"--all"); !strings.Contains(said, "convert") || strings.Contains(said, "--restore") {
		t.Error(said)
	}
	if kept, _ := filepath.Glob(at("two.backup-*")); len(kept) > 0 || service.Exists(filepath.Join(at("two"), "trowel_light.txt")) {
		t.Error("a run that changed nothing leaves files behind")
	}
	run(exitFine, "edit", at("two"), "--in-place", "--", "replace", "default:stone", "default:dirt", "--new-name")
	kept, _ := filepath.Glob(at("two.backup-*"))
	if len(kept) != 1 {
		t.Fatal(kept)
	}
	run(exitFine, "convert", at("two"), "--to", "sqlite-pos", "-o", at("two.whole"))
	run(exitFine, "diff", at("one.edited"), at("two.whole"))
	run(exitFine, "repair", at("two"), "--restore", kept[0])
	run(exitFine, "convert", at("two"), "--to", "sqlite-pos", "-o", at("two.undone"))
	run(exitFine, "diff", at("one"), at("two.undone"))
}

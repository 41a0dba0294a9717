package cli

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/judge"
)

// A manifest and a schematic of a damaged world, and a world of a damaged backup, are made with
// -k only.
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
		made := out // or what comes last in it
		if words[0] == "restore" {
			made = filepath.Join(out, "world.mt")
		}
		if code, said := quietly(words...); code != exitFailed || !strings.Contains(said, "-k") || isThere(made) {
			t.Errorf("%s: exit code %d: %s", words, code, said)
		}
		if code, said := quietly(append(words, "-k")...); code != exitFound || !isThere(made) {
			t.Errorf("%s -k: exit code %d: %s", words, code, said)
		}
	}
}

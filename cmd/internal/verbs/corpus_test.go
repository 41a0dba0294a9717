package verbs

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/tests"
)

// TestLargeMetadata tests that all verbs handle a real world with large metadata without loss.
func TestLargeMetadata(t *testing.T) {
	world := tests.Corpus(t, "minetest/large-metadata")
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	said := func(args ...string) string {
		t.Helper()
		var out, talk bytes.Buffer
		if code := run(games, args, strings.NewReader(""), &out, &talk); code != 0 {
			t.Fatalf("%q: exit code %d\n%s%s", args, code, out.Bytes(), talk.Bytes())
		}
		return out.String() + talk.String()
	}
	// In version 28, metadata is a zlib stream: converted there and back.
	said("convert", world, "--to", "sqlite", "--blocks", "28", "-o", in("v28"))
	said("convert", in("v28"), "--to", "sqlite", "--blocks", "29", "-o", in("v29"))
	said("convert", world, "--to", "leveldb", "-o", in("leveldb"))
	said("repair", world, "-o", in("repaired"))
	said("extract", world, "-o", in("tree"))
	said("pack", in("tree"), "-o", in("packed"))
	for _, name := range []string{world, in("v28"), in("v29"), in("leveldb"), in("repaired"), in("packed")} {
		said("check", name)
		if text := said("info", name); !strings.Contains(text, "833") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	for _, name := range []string{in("repaired"), in("packed")} {
		said("diff", world, name)
	}
	if text := said("repair", world, "--dry-run"); !strings.Contains(text, "0 findings") {
		t.Error(text)
	}
}

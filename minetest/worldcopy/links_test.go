package worldcopy_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
)

// TestLinks tests that files outside of the world to which a link points are not copied, and that the link is
// reported.
func TestLinks(t *testing.T) {
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 3, 28)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"worldmods/one", "outside"} {
		if err := os.MkdirAll(filepath.Join(src, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	judge.Write(t, filepath.Join(src, "worldmods", "one", "init.lua"), []byte("lua"))
	for name, to := range map[string]string{"shadow": secret, "worldmods/two": "one",
		"worldmods/three": filepath.Dir(secret), "dead": "nothing"} {
		judge.Link(t, to, filepath.Join(src, filepath.FromSlash(name)))
	}
	dst := filepath.Join(t.TempDir(), "dst")
	var told []string
	_, err := worldcopy.Copy(context.Background(), src, dst, worldcopy.Options{Map: mapdb.LevelDB, Sink: func(f check.Finding) {
		told = append(told, f.ID+" "+filepath.ToSlash(f.Path))
	}})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(told)
	if want := []string{"mt-copy-link dead", "mt-copy-link shadow", "mt-copy-link worldmods/three"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	for name, want := range map[string]bool{"shadow": false, "worldmods/three": false, "dead": false,
		"worldmods/one/init.lua": true, "worldmods/two/init.lua": true} {
		if _, err := os.Lstat(filepath.Join(dst, filepath.FromSlash(name))); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFirstMoment tests that a run that was killed while it wrote its first journal is continued.
func TestFirstMoment(t *testing.T) {
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 3, 28)
	dst := t.TempDir()
	judge.Write(t, filepath.Join(dst, ".trowel-copy.trowel-part"), []byte(`{"Sour`))
	if _, err := worldcopy.Copy(context.Background(), src, dst, worldcopy.Options{Map: mapdb.LevelDB}); err != nil {
		t.Fatal(err)
	}
	if names, _ := filepath.Glob(filepath.Join(dst, ".trowel*")); len(names) > 0 {
		t.Errorf("left behind: %q", names)
	}
}

package worldrepo_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
)

// TestEncrypted tests that a repository reveals no word of its world, that only its readers restore the world, that readers
// change without the data, and that the temporary files of a run are elsewhere.
func TestEncrypted(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 30, 28)
	judge.Write(t, filepath.Join(dir, "players", "celeron55"), []byte("name = celeron55\nsecretive words of a player\n"))
	judge.Write(t, filepath.Join(dir, "notes", "treasure.txt"), bytes.Repeat([]byte("under the old oak "), 100_000))
	old, first := newIdentity(t)
	new, second := newIdentity(t)
	repo := newObjects(t)
	tests.OnHost(t, nil) // the first backup reads nothing
	report, err := worldrepo.Backup(t.Context(), dir, repo, worldrepo.Options{Readers: sealed.Readers{Recipients: []string{first}}})
	if err != nil {
		t.Fatal(err)
	}
	words := []string{"celeron55", "secretive", "treasure", "under the old oak", "map.sqlite", "world.mt", "players", "default:", "air",
		filepath.Base(dir), "sqlite3", "gameid"}
	hidden := func() {
		t.Helper()
		for name, data := range repo.all(t) {
			for _, word := range words {
				if len(word) > 3 && bytes.Contains(append(data, name...), []byte(word)) {
					t.Errorf("%s contains %q", name, word)
				}
			}
		}
	}
	hidden()
	if _, err := worldrepo.Open(t.Context(), repo); !errors.Is(err, sealed.ErrNoKey) {
		t.Errorf("without a key: %v", err)
	}
	for _, key := range []string{new, old} {
		tests.OnHost(t, map[string]string{"variable TROWEL_KEY_FILE": key})
		if _, err := worldrepo.Open(t.Context(), repo); errors.Is(err, sealed.ErrOtherKey) != (key == new) {
			t.Errorf("%s: %v", key, err)
		}
	}
	want := worldtest.BlocksOf(t, dir)
	if got := worldtest.BlocksOf(t, restore(t, repo, report.Snapshot.ID, worldcopy.Options{})); !maps.Equal(got, want) {
		t.Error("it is another world")
	}
	if report := backup(t, dir, repo); report.Changed != 0 || report.Stored != 0 {
		t.Errorf("the second backup: %+v", report)
	}
	hidden()

	before := repo.all(t)
	if err := worldrepo.Rekey(t.Context(), repo, sealed.Readers{Recipients: []string{second}}); err != nil {
		t.Fatal(err)
	}
	for name, data := range repo.all(t) {
		if key := strings.HasPrefix(name, "keys/"); key == bytes.Equal(before[name], data) {
			t.Errorf("rekeying: %s has changed: %v", name, !key)
		}
	}
	if len(repo.all(t)) != len(before) {
		t.Error("the old keys are still there")
	}
	if _, err := worldrepo.Open(t.Context(), repo); !errors.Is(err, sealed.ErrOtherKey) {
		t.Errorf("the old key: %v", err)
	}
	tests.OnHost(t, map[string]string{"variable TROWEL_KEY_FILE": new})
	if got := worldtest.BlocksOf(t, restore(t, repo, report.Snapshot.ID, worldcopy.Options{})); !maps.Equal(got, want) {
		t.Error("with the new key it is another world")
	}

	o := worldrepo.Options{Readers: sealed.Readers{Recipients: []string{first}}}
	if _, err := worldrepo.Backup(t.Context(), dir, repo, o); !errors.Is(err, worldrepo.ErrReaders) {
		t.Errorf("readers of a repository that exists: %v", err)
	}
	plain := newObjects(t)
	if err := worldrepo.Create(t.Context(), plain, sealed.Readers{}); err != nil {
		t.Fatal(err)
	}
	if err := worldrepo.Rekey(t.Context(), plain, sealed.Readers{Recipients: []string{first}}); err == nil {
		t.Error("a repository that is not encrypted was rekeyed")
	}

	// One of the two copies of the key is enough, and check reports the other one.
	for name, data := range repo.all(t) {
		if strings.HasPrefix(name, "keys/") {
			repo.put(t, name, data[:len(data)-1])
			if found := findings(t, repo); len(found) != 1 || found[0].ID != "mt-backup-key" {
				t.Errorf("a damaged key: %v", found)
			}
			repo.drop(t, name)
			if found := findings(t, repo); len(found) != 1 || found[0].ID != "mt-backup-key" {
				t.Errorf("a missing key: %v", found)
			}
			repo.put(t, name, data)
		}
	}
}

// TestEncryptedScratch tests that no temporary file of a run is in an encrypted repository, and that a run that was killed before
// the mark was written is no obstacle.
func TestEncryptedScratch(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 10, 28)
	repo := newFolder(t).(folder)
	key, recipient := newIdentity(t)
	judge.Write(t, repo.Path("keys/0123456789abcdef.age"), []byte("of a killed run"))
	seen := make(map[string]bool)
	look := func(string, int, int) {
		_ = filepath.WalkDir(repo.Path(""), func(path string, e os.DirEntry, err error) error {
			if err == nil && path != repo.Path("") {
				seen[filepath.Base(path)] = true
			}
			return err
		})
	}
	o := worldrepo.Options{OnProgress: look, Readers: sealed.Readers{Recipients: []string{recipient}}}
	if _, err := worldrepo.Backup(t.Context(), dir, repo, o); err != nil {
		t.Fatal(err)
	}
	for name := range seen {
		if !slices.Contains([]string{"lock", "keys", "packs", "snapshots", "trowel-backup.json"}, name) && !strings.HasSuffix(name, ".age") &&
			!strings.Contains(name, ".pack") && !strings.Contains(name, ".json") {
			t.Errorf("%s was in the repository", name)
		}
	}
	if len(seen) < 3 {
		t.Errorf("saw %v", seen)
	}
	tests.OnHost(t, map[string]string{"variable TROWEL_KEY_FILE": key})
	if found := findings(t, repo); len(found) != 1 || found[0].ID != "mt-backup-key" {
		t.Error(found)
	}
}

// TestCheckParts tests that a damaged pack is found by the check of its part. Others find it only if they need it for other packs.
func TestCheckParts(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 20, 28)
	repo := newObjects(t)
	for i := range 4 {
		judge.Write(t, filepath.Join(dir, "notes.txt"), []byte{byte(i)})
		backup(t, dir, repo)
	}
	const parts = 3
	missed := 0
	for _, name := range packsOf(t, repo) {
		whole := repo.all(t)[name]
		bad := bytes.Clone(whole)
		bad[20] ^= 1 // of the first content
		repo.put(t, name, bad)
		number, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimPrefix(name, "packs/"), ".pack"), 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		r, err := worldrepo.Open(t.Context(), repo)
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= parts; n++ {
			found := check.Collect(func(sink check.Sink) {
				if err := r.Check(t.Context(), worldrepo.CheckOptions{Part: worldrepo.Part{N: n, Of: parts}}, sink); err != nil {
					t.Fatal(err)
				}
			})
			if own := number%parts == uint64(n-1); own && len(found) == 0 {
				t.Errorf("%s: part %d finds nothing", name, n)
			} else if !own && len(found) == 0 {
				missed++
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		repo.put(t, name, whole)
	}
	if missed == 0 {
		t.Error("each part reads everything")
	}
}

// TestEncryptedFolder tests that a folder with files of others, and a run that fails, keep their files.
func TestEncryptedFolder(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 10, 28)
	_, recipient := newIdentity(t)
	for name, fits := range map[string]bool{"keys/mine.age": false, "keys/0123456789abcdef.age": true, "keys/notes.txt": false} {
		repo := newObjects(t)
		repo.put(t, name, []byte("of the user"))
		o := worldrepo.Options{Readers: sealed.Readers{Recipients: []string{recipient}}}
		if _, err := worldrepo.Backup(t.Context(), dir, repo, o); (err == nil) != fits || !fits && len(repo.all(t)) != 1 {
			t.Errorf("%s: %v, %d files", name, err, len(repo.all(t)))
		}
		for _, bad := range []worldrepo.Options{{Readers: sealed.Readers{Recipients: []string{"nobody"}}}, o} {
			repo := newObjects(t)
			if fits {
				repo.put(t, name, []byte("of the user"))
			}
			if _, err := worldrepo.Backup(t.Context(), filepath.Join(dir, "nothing"), repo, bad); err == nil {
				t.Error("a backup of nothing")
			}
			if left := repo.all(t); fits && string(left[name]) != "of the user" || len(left) > 1 {
				t.Errorf("%s: %d files are left", name, len(left))
			}
		}
	}
}

// TestReplacedByPlain tests that nothing of a world is written unencrypted by a user who has a key, although its host has replaced
// an encrypted repository, or removed it.
func TestReplacedByPlain(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 10, 28)
	plain := newObjects(t)
	backup(t, dir, plain)
	identity, _ := newIdentity(t)
	for variable, value := range map[string]string{"TROWEL_KEY_FILE": identity, "TROWEL_PASSPHRASE": "open sesame"} {
		t.Run(variable, func(t *testing.T) {
			tests.OnHost(t, map[string]string{"variable " + variable: value})
			for _, repo := range []kept{plain, newObjects(t)} {
				before := len(repo.all(t))
				if _, err := worldrepo.Backup(t.Context(), dir, repo, worldrepo.Options{}); !errors.Is(err, worldrepo.ErrPlain) ||
					len(repo.all(t)) != before {
					t.Errorf("%v, %d files of %d", err, len(repo.all(t)), before)
				}
			}
		})
	}
}

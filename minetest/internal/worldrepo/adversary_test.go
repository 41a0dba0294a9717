package worldrepo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"trowel.example/check"
	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/stores/storage"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
)

// about describes all files and folders of a world except its databases.
func about(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir || e.Name() == "map.sqlite" {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if !e.IsDir() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(data)
			if e.Name() != "world.mt" {
				text += info.ModTime().UTC().String()
			}
		}
		name, err := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFiles tests that all files and folders are restored, with names, modes and times.
func TestFiles(t *testing.T) { everywhere(t, testFiles) }

func testFiles(t *testing.T, newRepo func(*testing.T) kept) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 5, 28)
	mib := strings.Repeat("0123456789abcdef", 1<<16)
	odd := "ä\nö.txt"
	if runtime.GOOS == "windows" {
		odd = "ä ö.txt" // names on this system cannot contain a line break
	}
	for name, text := range map[string]string{
		"mods/init.lua": "x", "mods.txt": "in a walk it comes behind mods/init.lua", "mods-old/a/b": "y", "map.sqlite.bak": "of the owner",
		".hidden": "z", "empty.txt": "", "one": mib, "more": mib + "!", "twice": mib + mib, odd: "a name",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, path, []byte(text))
		if err := os.Chtimes(path, time.Unix(1e9, 5000), time.Unix(1e9, 5000)); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "nothing", "in it"), 0o755), os.Chmod(filepath.Join(dir, "mods.txt"), 0o777),
		os.Mkdir(filepath.Join(dir, "private"), 0o700), os.Chmod(filepath.Join(dir, ".hidden"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	repo := newRepo(t)
	back := restore(t, repo, backup(t, dir, repo).Snapshot.ID, worldcopy.Options{})
	want, got := about(t, dir), about(t, back)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s was %.80q and is %.80q", name, text, got[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files and folders have become %d", len(want), len(got))
	}
}

// TestEmptyWorld tests a world that nobody has entered yet.
func TestEmptyWorld(t *testing.T) { everywhere(t, testEmptyWorld) }

func testEmptyWorld(t *testing.T, newRepo func(*testing.T) kept) {
	dir := t.TempDir()
	judge.Write(t, filepath.Join(dir, "world.mt"), []byte("backend = sqlite3\ngameid = minetest\n"))
	repo := newRepo(t)
	back := restore(t, repo, backup(t, dir, repo).Snapshot.ID, worldcopy.Options{})
	if n := len(worldtest.BlocksOf(t, back)); n != 0 {
		t.Errorf("%d blocks", n)
	}
}

// TestRestoreGoesOn tests that an interrupted restore is resumed, with the same snapshot only, and leaves nothing
// next to the world.
func TestRestoreGoesOn(t *testing.T) { everywhere(t, testRestoreGoesOn) }

func testRestoreGoesOn(t *testing.T, newRepo func(*testing.T) kept) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 200, 28)
	repo := newRepo(t)
	first, second := backup(t, dir, repo).Snapshot, backup(t, dir, repo).Snapshot
	r, err := worldrepo.Open(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	stopped := 0
	for n := 1; ; n += 1 + n/4 {
		parent := t.TempDir()
		back := filepath.Join(parent, "back")
		_, err := r.Restore(newEnding(t.Context(), n), first, back, worldcopy.Options{})
		if err == nil {
			break
		}
		stopped++
		if _, err := os.Stat(filepath.Join(back, world.CopyJournal)); err == nil {
			if _, err := r.Restore(t.Context(), second, back, worldcopy.Options{}); !errors.Is(err, worldcopy.ErrOther) {
				t.Fatalf("stopped after %d steps, with another snapshot: %v", n, err)
			}
		}
		if _, err := r.Restore(t.Context(), first, back, worldcopy.Options{}); err != nil {
			t.Fatalf("stopped after %d steps: %v", n, err)
		}
		if !maps.Equal(worldtest.BlocksOf(t, dir), worldtest.BlocksOf(t, back)) {
			t.Errorf("stopped after %d steps: it is another world", n)
		}
		if left, _ := os.ReadDir(parent); len(left) != 1 {
			t.Errorf("left: %v", left)
		}
	}
	if stopped < 5 {
		t.Errorf("only %d runs were stopped", stopped)
	}
}

// packsOf returns the names of the packs.
func packsOf(t *testing.T, repo kept) (list []string) {
	t.Helper()
	for name := range repo.all(t) {
		if strings.HasPrefix(name, "packs/") {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		t.Fatal("there are no packs")
	}
	return list
}

// errorsOf returns the findings about a snapshot.
func errorsOf(t *testing.T, repo kept, id string) (list []check.Finding) {
	for _, f := range findings(t, repo) {
		if strings.Contains(f.Path, id) {
			list = append(list, f)
		}
	}
	return list
}

// TestMended tests that damage of a repository is not in later snapshots.
func TestMended(t *testing.T) { everywhere(t, testMended) }

func testMended(t *testing.T, newRepo func(*testing.T) kept) {
	for _, test := range []struct {
		name   string
		verify bool
		damage func(data []byte) []byte // nil: the pack is missing
	}{
		{"gone", false, func([]byte) []byte { return nil }},
		{"cut off", false, func(data []byte) []byte { return data[:len(data)/2] }},
		{"changed", true, func(data []byte) []byte {
			for i := 100; i < len(data)-50*len(data)/100; i += 3000 {
				data[i] ^= 1
			}
			return data
		}},
		{"all changed", true, func(data []byte) []byte {
			for i := 9; i < len(data)*3/4; i += 40 {
				data[i] ^= 1
			}
			return data
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 300, 28)
			repo := newRepo(t)
			first := backup(t, dir, repo).Snapshot.ID
			for _, name := range packsOf(t, repo) {
				if data := test.damage(slices.Clone(repo.all(t)[name])); data != nil {
					repo.put(t, name, data)
				} else {
					repo.drop(t, name)
				}
			}
			if len(errorsOf(t, repo, first)) == 0 {
				t.Fatal("nothing is damaged")
			}
			report, err := worldrepo.Backup(t.Context(), dir, repo, worldrepo.Options{Verify: test.verify})
			if err != nil {
				t.Fatal(err)
			}
			if found := errorsOf(t, repo, report.Snapshot.ID); len(found) > 0 {
				t.Errorf("the new snapshot: %v", found)
			}
			if got := worldtest.BlocksOf(t, restore(t, repo, report.Snapshot.ID, worldcopy.Options{})); !maps.Equal(got,
				worldtest.BlocksOf(t, dir)) {
				t.Error("it is another world")
			}
			again, err := worldrepo.Backup(t.Context(), dir, repo, worldrepo.Options{Verify: true})
			if err != nil || again.Stored > 0 || again.Changed > 0 {
				t.Errorf("the next backup stores again: %+v, %v", again, err)
			}
		})
	}
}

// placesOf returns the places of contents.
func placesOf(t *testing.T, repo kept, refs ...worldrepo.Ref) []worldrepo.Ref {
	t.Helper()
	r, err := worldrepo.Open(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return worldrepo.Places(r, refs...)
}

// TestLostList tests that one of the two copies of a list of regions may be lost, wherever it is.
func TestLostList(t *testing.T) { everywhere(t, testLostList, "encrypted", "version 2") }

func testLostList(t *testing.T, newRepo func(*testing.T) kept) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 300, 28)
	repo := newRepo(t)
	first := backup(t, dir, repo).Snapshot
	again := backup(t, dir, repo).Snapshot
	places := placesOf(t, repo, append(first.Regions, first.Again...)...)
	if !slices.Equal(first.Again, again.Again) || !slices.Equal(first.Regions, again.Regions) || len(places) != 2 ||
		places[0].Pack == places[1].Pack {
		t.Fatalf("%v, %v, %v and %v", first.Regions, first.Again, again.Again, places)
	}
	before := repo.all(t)
	for _, ref := range places {
		name := fmt.Sprintf("packs/%016x.pack", ref.Pack)
		whole := repo.all(t)[name]
		bad := slices.Clone(whole)
		r, err := worldrepo.Open(t.Context(), repo)
		if err != nil {
			t.Fatal(err)
		}
		at, size := worldrepo.Place(r, ref)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		bad[at+size/2] ^= 1
		repo.put(t, name, bad)
		if found := errorsOf(t, repo, first.ID); len(found) != 1 || found[0].ID != "mt-backup-content" {
			t.Errorf("%v", found)
		}
		if got := worldtest.BlocksOf(t, restore(t, repo, first.ID, worldcopy.Options{})); !maps.Equal(got, worldtest.BlocksOf(t, dir)) {
			t.Errorf("without %v it is another world", ref)
		}
		report, err := worldrepo.Backup(t.Context(), dir, repo, worldrepo.Options{Verify: true})
		if err != nil || report.Changed > 0 || len(errorsOf(t, repo, report.Snapshot.ID)) > 0 {
			t.Errorf("the next backup: %+v, %v", report, err)
		}
		repo.put(t, name, whole)
		for name := range repo.all(t) { // what the next backup has stored
			if _, old := before[name]; !old {
				repo.drop(t, name)
			}
		}
	}
}

// TestDamagedFile tests that a damaged file is reported and the rest is restored.
func TestDamagedFile(t *testing.T) { everywhere(t, testDamagedFile, "encrypted", "version 2") }

func testDamagedFile(t *testing.T, newRepo func(*testing.T) kept) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 20, 28)
	mark := "this will be damaged"
	judge.Write(t, filepath.Join(dir, "bad.txt"), []byte(mark))
	judge.Write(t, filepath.Join(dir, "good.txt"), []byte("this will not"))
	repo := newRepo(t)
	id := backup(t, dir, repo).Snapshot.ID
	for _, name := range packsOf(t, repo) {
		repo.put(t, name, bytes.Replace(repo.all(t)[name], []byte(mark), []byte("This will be damaged"), 1))
	}
	var found []check.Finding
	back := restore(t, repo, id, worldcopy.Options{Sink: func(f check.Finding) { found = append(found, f) }})
	if len(found) != 1 || found[0].ID != "mt-backup-piece" || found[0].Path != "bad.txt" {
		t.Errorf("%v", found)
	}
	if data, err := os.ReadFile(filepath.Join(back, "bad.txt")); err != nil || string(data) != string(make([]byte, len(mark))) {
		t.Errorf("bad.txt is %q, %v", data, err)
	}
	if data, err := os.ReadFile(filepath.Join(back, "good.txt")); err != nil || string(data) != "this will not" {
		t.Errorf("good.txt is %q, %v", data, err)
	}
	if !maps.Equal(worldtest.BlocksOf(t, back), worldtest.BlocksOf(t, dir)) {
		t.Error("the blocks are others")
	}
}

// TestClock tests that the snapshot that was made last is the newest, whatever the clock shows.
func TestClock(t *testing.T) { everywhere(t, testClock) }

func testClock(t *testing.T, newRepo func(*testing.T) kept) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 3, 28)
	repo := newRepo(t)
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	told := 0
	var ids []string
	for _, at := range []time.Time{now, now, now.Add(-time.Second), now.Add(-time.Hour), now.Add(time.Hour)} {
		report, err := worldrepo.Backup(t.Context(), dir, repo, worldrepo.Options{Time: at, Sink: func(check.Finding) { told++ }})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, report.Snapshot.ID)
	}
	r, err := worldrepo.Open(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	list, err := r.Snapshots(context.Background(), func(id string, err error) { t.Error(id, err) })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range list {
		got = append(got, s.ID)
	}
	if fmt.Sprint(got) != fmt.Sprint(ids) || told != 1 {
		t.Errorf("made: %v, listed: %v; told %d times", ids, got, told)
	}
}

// TestCreateAgain tests that the next run completes the creation of a repository that was killed.
func TestCreateAgain(t *testing.T) { everywhere(t, testCreateAgain) }

func testCreateAgain(t *testing.T, newRepo func(*testing.T) kept) {
	repo := newRepo(t)
	repo.drop(t, "trowel-backup.json")
	if err := worldrepo.Create(t.Context(), repo, sealed.Readers{}); err != nil {
		t.Error(err)
	}
	repo.drop(t, "trowel-backup.json")
	repo.put(t, "packs/mine", []byte("x"))
	if err := worldrepo.Create(t.Context(), repo, sealed.Readers{}); err == nil {
		t.Error("a folder with a file in it has become a repository")
	}
}

// TestCreateForbidden tests that a repository without read permission gives that error, instead of the error that it
// exists already.
func TestCreateForbidden(t *testing.T) {
	repo := storage.Folder(t.TempDir())
	if err := os.Chmod(string(repo), 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(string(repo), 0o700)
	if _, err := os.ReadDir(string(repo)); err == nil {
		t.Skip("this user may read everything")
	}
	if err := worldrepo.Create(t.Context(), repo, sealed.Readers{}); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
}

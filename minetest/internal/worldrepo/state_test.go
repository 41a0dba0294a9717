package worldrepo_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/check"
	"trowel.example/internal/stores/storage"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
)

// run runs a script in the database of a world.
func run(t *testing.T, dir, script string) {
	t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(dir, "map.sqlite"), sqlite.OpenReadWrite)
	if err == nil {
		err = errors.Join(sqlitex.ExecuteScript(conn, script, nil), conn.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// settle sets the time of the database of a world to a fixed time long ago.
func settle(t *testing.T, dir string) {
	t.Helper()
	at := time.Unix(1e9, 0)
	if err := os.Chtimes(filepath.Join(dir, "map.sqlite"), at, at); err != nil {
		t.Fatal(err)
	}
}

// TestUnchanged tests that an unchanged database is read only with Verify, and that a changed database is read even
// if its size and time are the same.
func TestUnchanged(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 300, 28)
	path := filepath.Join(dir, "map.sqlite")
	settle(t, dir)
	repo := newFolder(t)
	first := backup(t, dir, repo)
	changed := func(what string, want int64, o worldrepo.Options) {
		t.Helper()
		report, err := worldrepo.Backup(t.Context(), dir, repo, o)
		if err != nil || report.Changed != want || report.Snapshot.Blocks != first.Snapshot.Blocks {
			t.Errorf("%s: %+v, %v; %d blocks have changed", what, report, err, want)
		}
	}
	flip := func(k byte) { // changes one block without changing size and time
		data := judge.Read(t, path)
		some := []byte(worldtest.BlocksOf(t, dir)[worldtest.Pos(7)])
		at := bytes.LastIndex(data, some[len(some)-20:]) + 10
		data[at] = k
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flip(1)
	settle(t, dir)
	changed("same size, time and header", 0, worldrepo.Options{})
	changed("verify", 1, worldrepo.Options{Verify: true})
	flip(2)
	changed("changed a moment ago", 1, worldrepo.Options{})
	flip(3)
	changed("changed again", 1, worldrepo.Options{})
	settle(t, dir)
	changed("settled", 0, worldrepo.Options{})
	run(t, dir, fmt.Sprintf("UPDATE blocks SET data = zeroblob(length(data)) WHERE pos = %d", worldtest.Pos(8).Key()))
	settle(t, dir)
	changed("the change counter", 1, worldrepo.Options{})
	if found := findings(t, repo); len(found) > 0 {
		t.Error(found)
	}

	// A write-ahead log shows a change as well, although the database file does not change.
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err == nil {
		err = sqlitex.ExecuteTransient(conn, "PRAGMA journal_mode=WAL", nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	settle(t, dir)
	changed("an empty log", 0, worldrepo.Options{})
	settle(t, dir)
	err = sqlitex.ExecuteScript(conn, fmt.Sprintf("UPDATE blocks SET data = zeroblob(9) WHERE pos = %d", worldtest.Pos(9).Key()), nil)
	if err != nil {
		t.Fatal(err)
	}
	settle(t, dir)
	changed("written to a log", 1, worldrepo.Options{})
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}

	// Damage of the repository that a backup notices is repaired, although the world is unchanged.
	settle(t, dir)
	changed("closed", 0, worldrepo.Options{})
	for _, name := range packsOf(t, repo) {
		repo.drop(t, name)
	}
	changed("no packs", first.Snapshot.Blocks, worldrepo.Options{})
	last := backup(t, dir, repo).Snapshot.ID
	if got := worldtest.BlocksOf(t, restore(t, repo, last, worldcopy.Options{})); !maps.Equal(got, worldtest.BlocksOf(t, dir)) {
		t.Error("it is another world")
	}
}

// TestLossAgain tests that a row that cannot be read is reported by each backup, and when the snapshot is read.
func TestLossAgain(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 30, 28)
	run(t, dir, fmt.Sprintf("UPDATE blocks SET data = 'text' WHERE pos = %d", worldtest.Pos(7).Key()))
	settle(t, dir)
	repo := newFolder(t)
	var id string
	for i := range 3 {
		found := map[string]int{}
		report, err := worldrepo.Backup(t.Context(), dir, repo, worldrepo.Options{Sink: func(f check.Finding) { found[f.ID]++ }})
		if err != nil || found["mt-backup-row"] != 1 || report.Snapshot.Lost != 1 || report.Snapshot.Blocks != 29 {
			t.Fatalf("run %d: %+v, %v, %v", i, report, found, err)
		}
		id = report.Snapshot.ID
	}
	if found := errorsOf(t, repo, id); len(found) != 1 || found[0].ID != "mt-backup-lost" || found[0].Severity != check.Warning {
		t.Error(found)
	}
	lost := 0
	restore(t, repo, id, worldcopy.Options{Sink: func(f check.Finding) {
		if f.ID == "mt-backup-lost" {
			lost++
		}
	}})
	if lost != 1 {
		t.Errorf("restore reported %d times that rows were lost", lost)
	}
}

// TestExchanged tests that two exchanged contents of a pack are reported as damage, although each matches the table
// of its pack.
func TestExchanged(t *testing.T) {
	worldrepo.UseOldVersion(t) // as of version 3, a content that has moved is found
	dir := t.TempDir()
	piece := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	judge.Write(t, filepath.Join(dir, "a.bin"), slices.Concat(piece, piece[1:], []byte("x"), []byte("rest")))
	worldtest.World(t, dir, mapdb.Config{Backend: mapdb.SQLite}, 600, 28)
	want := worldtest.BlocksOf(t, dir)
	repo := newFolder(t)
	s := backup(t, dir, repo).Snapshot
	r, err := worldrepo.Open(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	regions, blocks := worldrepo.Contents(t, r, s)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(s.Files, func(f worldrepo.File) bool { return f.Path == "a.bin" })
	other := slices.IndexFunc(blocks, func(b worldrepo.Ref) bool { return b != blocks[0] && b.Pack == blocks[0].Pack })
	last := len(s.Files) - 1
	for name, pair := range map[string][2]worldrepo.Ref{
		"blocks": {blocks[0], blocks[other]}, "regions": {regions[0], regions[1]},
		"pieces": {s.Files[i].Pieces[0], s.Files[i].Pieces[1]}, "files": {s.Files[0].Pieces[0], s.Files[last].Pieces[0]},
		"a list and a block": {s.Again[0], blocks[0]},
	} {
		if pair[0].Pack != pair[1].Pack {
			t.Fatalf("%s: %v", name, pair)
		}
		pack := fmt.Sprintf("packs/%016x.pack", pair[0].Pack)
		whole := repo.all(t)[pack]
		repo.put(t, pack, worldrepo.Exchange(t, whole, pair[0].N, pair[1].N))
		if found := errorsOf(t, repo, s.ID); len(found) == 0 || found[0].ID != "mt-backup-content" {
			t.Errorf("%s: check: %v", name, found)
		}
		reported := 0
		back := restore(t, repo, s.ID, worldcopy.Options{Sink: func(f check.Finding) { reported++ }})
		for p, data := range worldtest.BlocksOf(t, back) {
			if want[p] != data {
				t.Errorf("%s: block %v is another", name, p)
			}
		}
		if reported == 0 && name != "a list and a block" {
			t.Errorf("%s: restore reports nothing", name)
		}
		report, err := worldrepo.Backup(t.Context(), dir, repo, worldrepo.Options{Verify: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if found := errorsOf(t, repo, report.Snapshot.ID); len(found) > 0 {
			t.Errorf("%s: after --verify: %v", name, found)
		} else if got := worldtest.BlocksOf(t, restore(t, repo, report.Snapshot.ID, worldcopy.Options{})); !maps.Equal(got, want) {
			t.Errorf("%s: after --verify it is another world", name)
		} else if err := worldrepo.Forget(t.Context(), repo, []string{report.Snapshot.ID}, nil); err != nil {
			t.Error(err)
		}
		repo.put(t, pack, whole)
	}
}

// TestHostileSnapshot tests that a forged snapshot is reported by a check, and is not partially restored.
func TestHostileSnapshot(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 5, 28)
	repo := newFolder(t)
	s := backup(t, dir, repo).Snapshot
	name := "snapshots/" + s.ID + ".json"
	whole := repo.all(t)[name]
	deep := string(bytes.Repeat([]byte("a/"), 3000)) + "a"
	some := s.Files[0]
	many := some
	many.Pieces, many.Hashes = slices.Repeat(some.Pieces, 100_000), nil
	large := many
	large.Size = 100_000 << 20
	for what, change := range map[string]func(*worldrepo.Snapshot){
		"a path 3,000 deep":    func(s *worldrepo.Snapshot) { s.Folders = []worldrepo.Folder{{Path: deep}} },
		"a file 3,000 deep":    func(s *worldrepo.Snapshot) { s.Files = []worldrepo.File{{Path: deep, Pieces: []worldrepo.Ref{}}} },
		"100,000 pieces":       func(s *worldrepo.Snapshot) { s.Files = []worldrepo.File{many} },
		"100,000 large pieces": func(s *worldrepo.Snapshot) { s.Files = []worldrepo.File{large} },
		"a negative size":      func(s *worldrepo.Snapshot) { s.Files = []worldrepo.File{{Path: "a", Size: -1}} },
		"a way out":            func(s *worldrepo.Snapshot) { s.Files = []worldrepo.File{{Path: "../a"}} },
		"more blocks":          func(s *worldrepo.Snapshot) { s.Blocks++ },
		"a place":              func(s *worldrepo.Snapshot) { s.Files[0].Pieces = []worldrepo.Ref{{Pack: 1}} },
		"a piece too few":      func(s *worldrepo.Snapshot) { s.Files[0].Pieces, s.Files[0].Hashes = nil, nil },
		"another moment":       func(s *worldrepo.Snapshot) { s.Time = s.Time.Add(time.Hour) },
		"a list that is gone":  func(s *worldrepo.Snapshot) { s.Regions = []worldrepo.Ref{{ID: worldrepo.ID{1}}} },
	} {
		bad := *s
		bad.Files = slices.Clone(s.Files)
		change(&bad)
		repo.put(t, name, worldrepo.Seal(t, &bad))
		if found := errorsOf(t, repo, s.ID); len(found) == 0 {
			t.Errorf("%s: check finds nothing", what)
		}
	}
	repo.put(t, name, whole)
	if found := findings(t, repo); len(found) > 0 {
		t.Error(found)
	}
}

// TestFirstBackups tests that concurrent first backups succeed, or are rejected because another one is running, and
// that a rejected backup leaves nothing.
func TestFirstBackups(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 5, 28)
	top := t.TempDir()
	for i := range 5 {
		repo := folder{storage.Folder(filepath.Join(top, fmt.Sprint("a/b", i)))}
		errs := make(chan error)
		for range 4 {
			go func() {
				_, err := worldrepo.Backup(t.Context(), dir, repo, worldrepo.Options{})
				errs <- err
			}()
		}
		made := 0
		for range 4 {
			err := <-errs
			if err == nil {
				made++
			} else if !errors.Is(err, storage.ErrLocked) {
				t.Error(err)
			}
		}
		if found := findings(t, repo); made == 0 || len(found) > 0 {
			t.Errorf("%d were made: %v", made, found)
		}
	}
	judge.Write(t, filepath.Join(dir, "world.mt"), []byte("backend = nosuch\n"))
	if _, err := worldrepo.Backup(t.Context(), dir, storage.Folder(filepath.Join(top, "c", "d")), worldrepo.Options{}); err == nil {
		t.Error("a world of an unknown backend was kept")
	}
	if _, err := os.Stat(filepath.Join(top, "c")); err == nil {
		t.Error("a backup that was refused has left a folder")
	}
	full := t.TempDir()
	judge.Write(t, filepath.Join(full, "mine"), []byte("x"))
	if _, err := worldrepo.Backup(t.Context(), dir, storage.Folder(full), worldrepo.Options{}); !errors.Is(err, worldrepo.ErrNone) {
		t.Error(err)
	}
	if list, _ := os.ReadDir(full); len(list) != 1 {
		t.Errorf("a refused backup has left %v", list)
	}
}

// TestReadonlyBackend tests that a backup contains the blocks of both databases of a world with readonly_backend,
// also if only the setting is new, and while a program has the world open, so that a copy is read.
func TestReadonlyBackend(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 30, 28)
	settle(t, dir)
	below := filepath.Join(dir, mapdb.UnderFolder)
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(dir, "world.mt")
	second := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 40, 28)
	if err := os.Rename(filepath.Join(second, "map.sqlite"), filepath.Join(below, "map.sqlite")); err != nil {
		t.Fatal(err)
	}
	settle(t, below)
	repo := newFolder(t)
	if report := backup(t, dir, repo); report.Snapshot.Blocks != 30 {
		t.Fatal(report.Snapshot.Blocks)
	}
	judge.Write(t, settings, append([]byte("readonly_backend = sqlite3\n"), judge.Read(t, settings)...))
	want := worldtest.BlocksOf(t, dir)
	for _, open := range []bool{false, true} {
		if open {
			server := exec.Command("sh", "-c", `exec 3<"$0"; echo; read x`, filepath.Join(dir, "map.sqlite"))
			in, err1 := server.StdinPipe()
			out, err2 := server.StdoutPipe()
			if err := errors.Join(err1, err2); err != nil || server.Start() != nil {
				t.Skip("no shell, which opens the database")
			}
			defer func() {
				in.Close()
				_ = server.Wait()
			}()
			if _, err := out.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			repo = newFolder(t)
		}
		report := backup(t, dir, repo)
		if report.Snapshot.Blocks != 40 {
			t.Errorf("open: %v: %d blocks", open, report.Snapshot.Blocks)
		}
		if slices.ContainsFunc(report.Snapshot.Files, func(f worldrepo.File) bool { return f.Path == "readonly/map.sqlite" }) {
			t.Errorf("open: %v: the second database is kept as a file, too", open)
		}
		back := restore(t, repo, report.Snapshot.ID, worldcopy.Options{})
		if !maps.Equal(worldtest.BlocksOf(t, back), want) {
			t.Errorf("open: %v: other blocks", open)
		}
		if _, err := os.Stat(filepath.Join(back, mapdb.UnderFolder)); err == nil ||
			bytes.Contains(judge.Read(t, filepath.Join(back, "world.mt")), []byte("readonly_backend")) {
			t.Errorf("open: %v: the second database is in it", open)
		}
	}
}

package worldrepo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"trowel.example/check"
	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/stores/storage"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
)

// change changes, adds and removes some blocks of a world.
func change(t *testing.T, dir string, r *rand.Rand, n int) {
	t.Helper()
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	config, err := world.MapConfig(dir, settings, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := mapdb.OpenForWriting(t.Context(), dir, config)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var some []mapdb.Block
	for p, data := range worldtest.BlocksOf(t, dir) {
		if len(some) < n {
			some = append(some, mapdb.Block{Pos: p, Data: []byte(data)})
		}
	}
	err = w.Update(t.Context(), func(tx mapdb.Tx) error {
		for i, b := range some {
			var err error
			switch i % 3 {
			case 0:
				err = tx.Put(b.Pos, some[r.IntN(len(some))].Data)
			case 1:
				err = tx.Delete(b.Pos)
			case 2:
				err = tx.Put(mapdb.Pos{X: int16(r.IntN(4096) - 2048), Y: int16(r.IntN(64) - 32), Z: int16(r.IntN(4096) - 2048)}, b.Data)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func backup(t *testing.T, dir string, repo kept) *worldrepo.Report {
	t.Helper()
	report, err := worldrepo.Backup(t.Context(), dir, repo, worldrepo.Options{Sink: func(f check.Finding) { t.Log(f) }})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func findings(t *testing.T, repo kept) []check.Finding {
	t.Helper()
	r, err := worldrepo.Open(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return check.Collect(func(sink check.Sink) {
		if err := r.Check(t.Context(), worldrepo.CheckOptions{}, sink); err != nil {
			t.Fatal(err)
		}
	})
}

// restore restores the world of a snapshot.
func restore(t *testing.T, repo kept, id string, o worldcopy.Options) string {
	t.Helper()
	r, err := worldrepo.Open(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.Snapshot(id)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "restored")
	if _, err := r.Restore(t.Context(), s, dir, o); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestBackup tests that each snapshot restores the world as it was, in each database.
func TestBackup(t *testing.T) { everywhere(t, testBackup) }

func testBackup(t *testing.T, newRepo func(*testing.T) kept) {
	for _, backend := range []string{mapdb.SQLite, mapdb.LevelDB} {
		t.Run(backend, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: backend}, 300, 28)
			repo := newRepo(t)
			type moment struct {
				id     string
				blocks map[mapdb.Pos]string
				files  map[string]string
			}
			var moments []moment
			for i := range 4 {
				if i == 2 { // nothing has changed
					report := backup(t, dir, repo)
					if report.Changed != 0 || report.Removed != 0 || report.Stored > 0 {
						t.Errorf("nothing has changed, and the backup reports %+v", *report)
					}
					moments = append(moments, moment{report.Snapshot.ID, worldtest.BlocksOf(t, dir), worldtest.Snapshot(t, dir)})
				}
				if i > 0 {
					change(t, dir, r, 20)
				}
				before := worldtest.Snapshot(t, dir)
				report := backup(t, dir, repo)
				if after := worldtest.Snapshot(t, dir); !maps.Equal(before, after) {
					t.Error("a backup changed the world")
				}
				blocks := worldtest.BlocksOf(t, dir)
				if report.Snapshot.Blocks != int64(len(blocks)) || i == 0 && report.Changed != int64(len(blocks)) {
					t.Errorf("a world of %d blocks: %+v", len(blocks), *report)
				}
				moments = append(moments, moment{report.Snapshot.ID, blocks, before})
			}
			if found := findings(t, repo); len(found) > 0 {
				t.Errorf("%v", found)
			}
			for i, m := range moments {
				target := []string{"", "leveldb", "sqlite", "sqlite-pos", ""}[i]
				back := restore(t, repo, m.id, worldcopy.Options{Map: target})
				if got := worldtest.BlocksOf(t, back); !maps.Equal(got, m.blocks) {
					t.Errorf("snapshot %d has %d blocks, and not the %d that there were", i, len(got), len(m.blocks))
				}
				files := worldtest.Snapshot(t, back)
				for name, data := range m.files {
					if name != "world.mt" && !isMap(name) && files[name] != data {
						t.Errorf("snapshot %d: %s is not what it was", i, name)
					}
				}
			}
		})
	}
}

func isMap(name string) bool {
	first := name[:len(name)-len(filepath.Ext(name))]
	return first == "map" || bytes.HasPrefix([]byte(name), []byte("map.db"))
}

// TestPrune tests that exactly the packs that no snapshot needs are removed.
func TestPrune(t *testing.T) { everywhere(t, testPrune) }

func testPrune(t *testing.T, newRepo func(*testing.T) kept) {
	r := rand.New(rand.NewPCG(3, 4))
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 100, 28)
	repo := newRepo(t)
	first := backup(t, dir, repo).Snapshot.ID
	kept := worldtest.BlocksOf(t, dir)
	change(t, dir, r, 30)
	second := backup(t, dir, repo).Snapshot.ID
	if p, err := worldrepo.Prune(t.Context(), repo, worldrepo.PruneOptions{}); err != nil || p.Packs != 0 {
		t.Errorf("Prune = %+v, %v, while all is needed", p, err)
	}
	if err := worldrepo.Forget(t.Context(), repo, []string{second}, nil); err != nil {
		t.Fatal(err)
	}
	// One pack of blocks and one of lists.
	if found := findings(t, repo); len(found) != 2 || found[0].ID != "mt-backup-unused" || found[1].ID != "mt-backup-unused" {
		t.Errorf("after a snapshot was forgotten: %v", found)
	}
	if p, err := worldrepo.Prune(t.Context(), repo, worldrepo.PruneOptions{Dry: true}); err != nil || p.Packs != 2 {
		t.Errorf("Prune = %+v, %v", p, err)
	}
	if p, err := worldrepo.Prune(t.Context(), repo, worldrepo.PruneOptions{}); err != nil || p.Packs != 2 || p.Bytes == 0 {
		t.Errorf("Prune = %+v, %v", p, err)
	}
	if found := findings(t, repo); len(found) > 0 {
		t.Error(found)
	}
	if got := worldtest.BlocksOf(t, restore(t, repo, first, worldcopy.Options{})); !maps.Equal(got, kept) {
		t.Error("the first snapshot is not what it was")
	}
}

// TestDamage tests that a check finds every changed byte of a repository, except for a few bits that have no meaning
// in compressed data: then each file and block is restored.
func TestDamage(t *testing.T) { everywhere(t, testDamage) }

func testDamage(t *testing.T, newRepo func(*testing.T) kept) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 12, 28)
	repo := newRepo(t)
	id := backup(t, dir, repo).Snapshot.ID
	whole := worldtest.Snapshot(t, restore(t, repo, id, worldcopy.Options{}))
	r := rand.New(rand.NewPCG(5, 6))
	for name, data := range repo.all(t) {
		idle := 0
		if len(data) == 0 || name == "trowel-backup.json" {
			continue
		}
		for range 150 {
			i := r.IntN(len(data))
			bad := slices.Clone(data)
			bad[i] ^= 1 << r.IntN(8)
			repo.put(t, name, bad)
			if len(findings(t, repo)) > 0 {
				continue
			}
			if idle++; idle > 3 || !maps.Equal(worldtest.Snapshot(t, restore(t, repo, id, worldcopy.Options{})), whole) {
				t.Errorf("%s: a change of byte %d is not found", name, i)
			}
		}
		repo.put(t, name, data)
	}
	if found := findings(t, repo); len(found) > 0 {
		t.Error(found)
	}
}

// TestStopped tests that a run that ends at any point leaves the repository unchanged, and that the next run
// continues.
func TestStopped(t *testing.T) { everywhere(t, testStopped) }

func testStopped(t *testing.T, newRepo func(*testing.T) kept) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 60, 28)
	repo := newRepo(t)
	first := backup(t, dir, repo)
	want := worldtest.BlocksOf(t, dir)
	change(t, dir, rand.New(rand.NewPCG(7, 8)), 30)
	for n := 1; n < 40; n += 3 {
		ctx := newEnding(t.Context(), n)
		_, err := worldrepo.Backup(ctx, dir, repo, worldrepo.Options{})
		if err == nil {
			break
		}
		for _, f := range findings(t, repo) {
			if f.Severity == check.Error {
				t.Errorf("after %d steps: %v", n, f)
			}
		}
	}
	backup(t, dir, repo)
	if got := worldtest.BlocksOf(t, restore(t, repo, first.Snapshot.ID, worldcopy.Options{})); !maps.Equal(got, want) {
		t.Error("the first snapshot is not what it was")
	}
}

// ending is a context that ends after a number of calls, which may come from several goroutines.
type ending struct {
	context.Context
	left atomic.Int64
}

func newEnding(ctx context.Context, calls int) *ending {
	e := &ending{Context: ctx}
	e.left.Store(int64(calls))
	return e
}

func (e *ending) Err() error {
	if e.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func ExampleBackup() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	game, repo := filepath.Join(dir, "world"), storage.Folder(filepath.Join(dir, "backups"))
	err = os.Mkdir(game, 0o777)
	if err == nil {
		err = os.WriteFile(filepath.Join(game, "world.mt"), []byte("backend = sqlite3\ngameid = minetest\n"), 0o666)
	}
	ctx := context.Background()
	if err == nil {
		var db mapdb.Writer
		if db, err = mapdb.Create(ctx, game, mapdb.Config{Backend: mapdb.SQLite}); err == nil {
			err = db.Close()
		}
	}
	if err == nil {
		err = worldrepo.Create(ctx, repo, sealed.Readers{})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := worldrepo.Backup(ctx, game, repo, worldrepo.Options{Time: time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Snapshot.Time.Format(time.DateOnly), report.Snapshot.World, report.Snapshot.Blocks)
	// Output: 2026-11-22 world 0
}

// TestGone tests that reading a snapshot that is removed while it is open ends with one error about the snapshot, not with an
// error for each block.
func TestGone(t *testing.T) {
	dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite}, 40)
	repo := newFolder(t)
	report := backup(t, dir, repo)
	r, err := worldrepo.Open(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.Snapshot(report.Snapshot.ID)
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Blocks(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := worldrepo.Forget(t.Context(), repo, []string{s.ID}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := worldrepo.Prune(t.Context(), repo, worldrepo.PruneOptions{}); err != nil {
		t.Fatal(err)
	}
	var gone *worldrepo.GoneError
	if _, err := b.Get(t.Context(), worldtest.Pos(0)); !errors.As(err, &gone) || gone.ID != s.ID {
		t.Errorf("a block: %v", err)
	}
	n := 0
	for _, err := range b.Blocks(t.Context(), mapdb.All()) {
		if n++; !errors.As(err, &gone) {
			t.Errorf("all blocks: %v", err)
		}
	}
	if n != 1 {
		t.Errorf("%d errors", n)
	}
}

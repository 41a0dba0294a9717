package worldrepo_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/stores/storage"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
)

// TestAway tests that a store that becomes unavailable at any call ends each run with a corresponding error, never
// with a loss or a finding, and that existing data stays.
func TestAway(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 60, 28)
	repo := newObjects(t).(*objects)
	if err := worldrepo.Create(t.Context(), repo, sealed.Readers{}); err != nil {
		t.Fatal(err)
	}
	first := backup(t, dir, repo).Snapshot
	want := worldtest.BlocksOf(t, dir)
	change(t, dir, rand.New(rand.NewPCG(7, 8)), 30)
	none := func(f check.Finding) { t.Errorf("%v", f) }
	for what, run := range map[string]func() error{
		"backup": func() error {
			_, err := worldrepo.Backup(t.Context(), dir, repo, worldrepo.Options{Sink: none})
			return err
		},
		"verify": func() error {
			_, err := worldrepo.Backup(t.Context(), dir, repo, worldrepo.Options{Verify: true, Sink: none})
			return err
		},
		"check": func() error {
			r, err := worldrepo.Open(t.Context(), repo)
			if err != nil {
				return err
			}
			return errors.Join(r.Check(t.Context(), worldrepo.CheckOptions{}, func(f check.Finding) {
				if f.Severity == check.Error {
					none(f)
				}
			}), r.Close())
		},
		"restore": func() error {
			r, err := worldrepo.Open(t.Context(), repo)
			if err != nil {
				return err
			}
			s, err := r.Snapshot(first.ID)
			if err == nil {
				_, err = r.Restore(t.Context(), s, t.TempDir()+"/back", worldcopy.Options{Drop: true, Sink: none})
			}
			return errors.Join(err, r.Close())
		},
		"prune": func() error {
			_, err := worldrepo.Prune(t.Context(), repo, worldrepo.PruneOptions{Dry: true})
			return err
		},
	} {
		for n := 0; ; n += 1 + n/8 {
			repo.left = n
			err := run()
			repo.left = -1
			if err == nil {
				if n < 5 {
					t.Errorf("%s: it needs only %d calls", what, n)
				}
				break
			}
			if !storage.IsUnavailable(err) || !strings.Contains(err.Error(), "connection refused") || strings.Contains(err.Error(), "damaged") {
				t.Errorf("%s, away after %d calls: %v", what, n, err)
			}
			if repo.shared+repo.alone > 0 {
				t.Fatalf("%s, away after %d calls: it is locked", what, n)
			}
		}
		for _, f := range findings(t, repo) {
			if f.Severity == check.Error {
				t.Errorf("%s: %v", what, f)
			}
		}
	}
	if got := worldtest.BlocksOf(t, restore(t, repo, first.ID, worldcopy.Options{})); !maps.Equal(got, want) {
		t.Error("the first snapshot is not what it was")
	}
}

// TestSent tests that a backup writes only new contents and one snapshot, and that it reads the existing lists but
// not the blocks.
func TestSent(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 2000, 28)
	repo := newObjects(t).(*objects)
	if err := worldrepo.Create(t.Context(), repo, sealed.Readers{}); err != nil {
		t.Fatal(err)
	}
	first := backup(t, dir, repo)
	if p := repo.puts; len(p) < 4 || p[0] != "trowel-backup.json" || !strings.HasPrefix(p[len(p)-1], "snapshots/") {
		t.Errorf("the first: %q", p)
	}
	for changed, packs := range []int{0, 2} {
		if changed > 0 {
			change(t, dir, rand.New(rand.NewPCG(1, 2)), 30)
		}
		repo.puts, repo.read = nil, 0
		report := backup(t, dir, repo)
		if len(repo.puts) != packs+1 {
			t.Errorf("it has put %q", repo.puts)
		}
		if report.Bytes > first.Bytes/3 || repo.read > first.Bytes/2 {
			t.Errorf("of %d bytes it has read %d, and put %d", first.Bytes, repo.read, report.Bytes)
		}
	}
}

// TestAskedTwice tests that a file that exists because the answer to the first request was lost is recognized as the
// run's own file.
func TestAskedTwice(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 60, 28)
	repo := newObjects(t).(*objects)
	repo.twice = true
	if err := worldrepo.Create(t.Context(), repo, sealed.Readers{}); err != nil {
		t.Fatal(err)
	}
	id := backup(t, dir, repo).Snapshot.ID
	if got := worldtest.BlocksOf(t, restore(t, repo, id, worldcopy.Options{})); !maps.Equal(got, worldtest.BlocksOf(t, dir)) {
		t.Error("it is another world")
	}
}

// TestScratch tests that a run removes its temporary files, or that the next run does if it was killed.
func TestScratch(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	if os.TempDir() != temp {
		t.Skip("this system has another place for temporary files")
	}
	if err := errors.Join(os.Mkdir(temp+"/trowel-backup-1.tmp", 0o700), os.WriteFile(temp+"/trowel-backup-1.tmp/lock", nil,
		0o600), os.Mkdir(temp+"/other", 0o700)); err != nil {
		t.Fatal(err)
	}
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 10, 28)
	repo := newObjects(t)
	if err := worldrepo.Create(t.Context(), repo, sealed.Readers{}); err != nil {
		t.Fatal(err)
	}
	backup(t, dir, repo)
	if left, err := os.ReadDir(temp); err != nil || len(left) != 1 || left[0].Name() != "other" {
		t.Errorf("%v, %v", left, err)
	}
}

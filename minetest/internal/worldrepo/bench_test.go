package worldrepo_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/stores/storage"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/mapdb"
)

// BenchmarkBackup measures backups of a world of a million blocks of 150 to 250 random bytes: the first one, and one
// without changes.
func BenchmarkBackup(b *testing.B) {
	const n = 1_000_000
	dir := filepath.Join(b.TempDir(), "world")
	if err := os.Mkdir(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	judge.Write(b, filepath.Join(dir, "world.mt"), []byte("gameid = minetest\nbackend = sqlite3\n"))
	w, err := mapdb.Create(b.Context(), dir, mapdb.Config{Backend: mapdb.SQLite, Unseen: true})
	if err != nil {
		b.Fatal(err)
	}
	r := rand.NewChaCha8([32]byte{1})
	_, err = mapdb.Load(b.Context(), w, func(yield func(mapdb.Block, error) bool) {
		for i := range n {
			data := make([]byte, 150+r.Uint64()%101)
			_, _ = r.Read(data) // never fails
			if !yield(mapdb.Block{Pos: mapdb.Pos{X: int16(i%200 - 100), Y: int16(i/200%25 - 8), Z: int16(i/5000 - 100)}, Data: data}, nil) {
				return
			}
		}
	})
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = os.Chtimes(filepath.Join(dir, "map.sqlite"), time.Time{}, time.Unix(1e9, 0))
	}
	if err != nil {
		b.Fatal(err)
	}
	key, recipient := newIdentity(b)
	tests.OnHost(b, map[string]string{"variable TROWEL_KEY_FILE": key})
	repo := storage.Folder(filepath.Join(b.TempDir(), "repo"))
	backup := func(changed int64, readers sealed.Readers) {
		report, err := worldrepo.Backup(b.Context(), dir, repo, worldrepo.Options{Readers: readers})
		if err != nil || report.Changed != changed {
			b.Fatal(report, err)
		}
	}
	for _, c := range []struct {
		name    string
		readers sealed.Readers
	}{{"encrypted ", sealed.Readers{Recipients: []string{recipient}}}, {"", sealed.Readers{}}} {
		b.Run(c.name+"first", func(b *testing.B) {
			for b.Loop() {
				if err := os.RemoveAll(string(repo)); err != nil {
					b.Fatal(err)
				}
				backup(n, c.readers)
			}
		})
		b.Run(c.name+"unchanged", func(b *testing.B) {
			for b.Loop() {
				backup(0, sealed.Readers{})
			}
		})
	}
	b.Run("compared", func(b *testing.B) {
		report, err := worldrepo.Backup(b.Context(), dir, repo, worldrepo.Options{})
		if err != nil {
			b.Fatal(err)
		}
		snapshot := func() *worldrepo.Blocks {
			opened, err := worldrepo.Open(b.Context(), repo)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { opened.Close() })
			s, err := opened.Snapshot(report.Snapshot.ID)
			if err != nil {
				b.Fatal(err)
			}
			blocks, err := opened.Blocks(s)
			if err != nil {
				b.Fatal(err)
			}
			return blocks
		}
		now, err := mapdb.Open(b.Context(), dir, mapdb.Config{Backend: mapdb.SQLite})
		if err != nil {
			b.Fatal(err)
		}
		defer now.Close()
		for name, other := range map[string]mapdb.DB{"snapshot": snapshot(), "world": now} {
			b.Run(name, func(b *testing.B) {
				old := snapshot()
				for b.Loop() {
					for d, err := range mapdb.Differences(b.Context(), old, other, mapdb.All()) {
						b.Fatal(d.Pos, err)
					}
				}
			})
		}
	})
}

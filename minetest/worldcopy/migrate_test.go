//go:build unix

package worldcopy_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
)

// BenchmarkMigrate converts the blocks of a world to another database, alternately with the engine's --migrate, and
// reports the speedup: the median of five pairs. The engine neither verifies what it wrote nor copies the rest of the
// world. The measured work is CPU time, which other programs on the machine affect less, without that of database
// servers. One world has small blocks that games generated, the other blocks with many different nodes and a few
// chests each.
func BenchmarkMigrate(b *testing.B) {
	judge.Find(b, "minetestserver")
	for _, way := range [][2]string{{mapdb.LevelDB, mapdb.SQLite}, {mapdb.SQLite, mapdb.LevelDB}, {mapdb.LevelDB, mapdb.Postgres}} {
		b.Run(way[0]+" to "+way[1], func(b *testing.B) {
			b.Run("real", func(b *testing.B) {
				const n = 100_000
				benchmarkMigrate(b, way[0], way[1], n, worldtest.RealBlocks(b, n, 28))
			})
			b.Run("made", func(b *testing.B) {
				const n = 57_600
				benchmarkMigrate(b, way[0], way[1], n, worldtest.Blocks(n, 28))
			})
		})
	}
}

func benchmarkMigrate(b *testing.B, from, to string, n int64, blocks iter.Seq2[mapdb.Block, error]) {
	const pairs = 5
	ctx := context.Background()
	src := worldtest.WorldOf(b, b.TempDir(), mapdb.Config{Backend: from}, blocks)
	o := worldcopy.Options{Map: to}
	switch to {
	case mapdb.SQLite:
		o.Map = "sqlite-pos"
	case mapdb.Postgres:
		o.Postgres = judge.Postgres(b)
		mt := filepath.Join(src, "world.mt")
		judge.Write(b, mt, append(judge.Read(b, mt), "pgsql_connection = "+o.Postgres+"\n"...))
	}
	forget := func() {
		if to == mapdb.Postgres {
			conn, err := pgx.Connect(ctx, o.Postgres)
			if err == nil {
				_, err = conn.Exec(ctx, "DROP TABLE IF EXISTS blocks")
				err = errors.Join(err, conn.Close(ctx))
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	clone := func() string {
		dir := filepath.Join(b.TempDir(), "clone")
		if err := os.CopyFS(dir, os.DirFS(src)); err != nil {
			b.Fatal(err)
		}
		return dir
	}
	var ratios, ours, theirs, work []float64
	for b.Loop() {
		for range pairs {
			forget()
			dir := clone()
			start, spent := time.Now(), cpu(b, syscall.RUSAGE_CHILDREN)
			engine(b, dir, "--migrate", to)
			e := time.Since(start).Seconds()
			theirWork := cpu(b, syscall.RUSAGE_CHILDREN) - spent
			os.RemoveAll(dir)
			forget()
			dst := filepath.Join(b.TempDir(), "dst")
			start, spent = time.Now(), cpu(b, syscall.RUSAGE_SELF)
			r, err := worldcopy.Copy(ctx, src, dst, o)
			t := time.Since(start).Seconds()
			work = append(work, (cpu(b, syscall.RUSAGE_SELF)-spent)/theirWork)
			if err != nil || r.Blocks != n {
				b.Fatalf("%+v, %v", r, err)
			}
			os.RemoveAll(dst)
			ratios, ours, theirs = append(ratios, e/t), append(ours, float64(n)/t), append(theirs, float64(n)/e)
		}
	}
	b.Logf("%.2f of the engine's speed, %.2f of its work", ratios, work)
	median := func(s []float64) float64 { slices.Sort(s); return s[len(s)/2] }
	b.ReportMetric(median(ratios), "x-engine")
	b.ReportMetric(median(work), "work")
	b.ReportMetric(median(ours), "blocks/s")
	b.ReportMetric(median(theirs), "engine-blocks/s")
}

// cpu returns the CPU time in seconds of the process or of its finished children.
func cpu(b *testing.B, who int) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// BenchmarkUpdate updates a copy of 300,000 blocks of which 1 % changed, and reports the CPU time in seconds of reading and hashing all
// blocks of the source once, how much more the update needs, and its peak heap size.
func BenchmarkUpdate(b *testing.B) {
	const n = 300_000
	src := worldtest.World(b, b.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, n, 28)
	for _, to := range []string{"sqlite", mapdb.LevelDB} {
		b.Run(to, func(b *testing.B) {
			dst := filepath.Join(b.TempDir(), "dst")
			if _, err := worldcopy.Copy(b.Context(), src, dst, worldcopy.Options{Map: to, Log: true}); err != nil {
				b.Fatal(err)
			}
			var peak uint64
			var scan, update float64
			for i := 1; b.Loop(); i++ {
				b.StopTimer()
				changed := make(map[mapdb.Pos][]byte)
				for k := 0; k < n; k += 100 {
					changed[worldtest.Pos(k)] = worldtest.Block(k+i, 28)
				}
				change(b, src, changed)
				began := cpu(b, syscall.RUSAGE_SELF)
				db, err := mapdb.Open(b.Context(), src, mapdb.Config{Backend: mapdb.SQLite})
				if err == nil {
					_, err = manifest.Make(b.Context(), db, io.Discard, manifest.Options{})
				}
				if err != nil {
					b.Fatal(err)
				}
				db.Close()
				b.StartTimer()
				between := cpu(b, syscall.RUSAGE_SELF)
				peak = max(peak, peakDuring(func() {
					if r, err := worldcopy.Copy(b.Context(), src, dst, worldcopy.Options{Update: true}); err != nil || r.Changed != n/100 {
						b.Fatalf("%+v, %v", r, err)
					}
				}))
				scan, update = scan+between-began, update+cpu(b, syscall.RUSAGE_SELF)-between
			}
			b.ReportMetric(scan/float64(b.N), "cpu-s-scan")
			b.ReportMetric((update-scan)/float64(b.N), "cpu-s-more")
			b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
		})
	}
}

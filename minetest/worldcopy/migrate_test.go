package worldcopy_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trowel.example/internal/judge"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
)

// BenchmarkMigrate moves the blocks of a world to another database, in turns with the
// engine's --migrate, and tells how much faster that is: the median of five pairs. The
// engine neither reads again what it wrote nor copies the rest of the world.
func BenchmarkMigrate(b *testing.B) {
	const n, pairs = 57_600, 5
	judge.Find(b, "minetestserver")
	for _, to := range []string{mapdb.SQLite, mapdb.Postgres} {
		b.Run(to, func(b *testing.B) {
			ctx := context.Background()
			src := worldtest.World(b, b.TempDir(), mapdb.Config{Backend: mapdb.LevelDB}, n, 28)
			o := worldcopy.Options{Map: worldcopy.SQLitePos}
			if to == mapdb.Postgres {
				o.Map, o.Postgres = worldcopy.Postgres, judge.Postgres(b)
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
			var ratios, ours, theirs []float64
			for b.Loop() {
				for range pairs {
					forget()
					dir := clone()
					start := time.Now()
					engine(b, dir, "--migrate", to)
					e := time.Since(start).Seconds()
					os.RemoveAll(dir)
					forget()
					dst := filepath.Join(b.TempDir(), "dst")
					start = time.Now()
					r, err := worldcopy.Copy(ctx, src, dst, o)
					t := time.Since(start).Seconds()
					if err != nil || r.Blocks != n {
						b.Fatalf("%+v, %v", r, err)
					}
					os.RemoveAll(dst)
					ratios, ours, theirs = append(ratios, e/t), append(ours, n/t), append(theirs, n/e)
				}
			}
			b.Logf("%s: %.2f", strings.ToUpper(to), ratios)
			median := func(s []float64) float64 { slices.Sort(s); return s[len(s)/2] }
			b.ReportMetric(median(ratios), "x-engine")
			b.ReportMetric(median(ours), "blocks/s")
			b.ReportMetric(median(theirs), "engine-blocks/s")
		})
	}
}

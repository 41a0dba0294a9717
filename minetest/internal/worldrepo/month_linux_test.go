package worldrepo_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/check"
	"trowel.example/internal/stores/storage"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/seedworld"
	"trowel.example/minetest/internal/worldrepo"
)

// cpu returns the processor time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // never fails
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkMonth makes a backup of a world of 500,000 blocks on each of 30 days, on which 1 % of the blocks have changed, keeps the
// last seven and prunes, and lets restic do the same. It fails if that takes more than half of restic's size, or 1.5 times its
// processor time.
func BenchmarkMonth(b *testing.B) {
	restic := judge.Find(b, "restic")
	b.Setenv("RESTIC_PASSWORD", "x")
	for range b.N {
		dir := b.TempDir()
		world, ours, theirs := filepath.Join(dir, "world"), storage.Folder(filepath.Join(dir, "ours")), filepath.Join(dir, "theirs")
		if _, err := seedworld.Make(b.Context(), world, seedworld.Options{Blocks: 500_000, Seed: 1, Versions: []int{29}}); err != nil {
			b.Fatal(err)
		}
		conn, err := sqlite.OpenConn(filepath.Join(world, "map.sqlite"), sqlite.OpenReadWrite)
		if err != nil {
			b.Fatal(err)
		}
		var own, other time.Duration
		run := func(args ...string) {
			cmd := exec.Command(restic, append([]string{"--no-cache", "-q", "-r", theirs}, args...)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			other += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
		run("init")
		var kept []string
		r := rand.New(rand.NewPCG(1, 2))
		share := 1.0 // of the blocks: no two of them are equal
		for day := range 30 {
			script := fmt.Sprintf("UPDATE blocks SET data = randomblob(150 + abs(random()) %% 101) WHERE abs(random() + %d) %% 1000000 < %d",
				r.IntN(1<<30), int(share*1e6))
			if err := sqlitex.ExecuteScript(conn, script, nil); err != nil {
				b.Fatal(err)
			}
			share = 0.01
			now := time.Date(2026, 11, 1+day, 12, 0, 0, 0, time.UTC)
			begin := cpu()
			report, err := worldrepo.Backup(b.Context(), world, ours, worldrepo.Options{Time: now})
			if err != nil {
				b.Fatal(err)
			}
			if kept = append(kept, report.Snapshot.ID); len(kept) > 7 {
				if err := worldrepo.Forget(b.Context(), ours, kept[:1], nil); err != nil {
					b.Fatal(err)
				}
				kept = kept[1:]
			}
			if _, err := worldrepo.Prune(b.Context(), ours, worldrepo.PruneOptions{}); err != nil {
				b.Fatal(err)
			}
			own += cpu() - begin
			run("backup", "--time", now.Format(time.DateTime), world)
			run("forget", "--keep-daily", "7", "--prune")
			b.Logf("day %d: %v and %d bytes, restic %v and %d", day, own, folderSize(b, string(ours)), other, folderSize(b, theirs))
		}
		if err := conn.Close(); err != nil {
			b.Fatal(err)
		}
		opened, err := worldrepo.Open(b.Context(), ours)
		if err != nil {
			b.Fatal(err)
		}
		if err := opened.Check(b.Context(), worldrepo.CheckOptions{}, func(f check.Finding) { b.Error(f) }); err != nil {
			b.Error(err)
		}
		if err := opened.Close(); err != nil {
			b.Error(err)
		}
		size, time := float64(folderSize(b, string(ours)))/float64(folderSize(b, theirs)), own.Seconds()/other.Seconds()
		if size > 0.5 || time > 1.5 {
			b.Errorf("the size is %.2f times that of restic, the processor time %.2f: expected at most 0.5 and 1.5", size, time)
		}
		b.ReportMetric(size, "size/restic")
		b.ReportMetric(time, "cpu/restic")
		b.ReportMetric(own.Seconds(), "cpu-s")
		b.ReportMetric(float64(folderSize(b, string(ours)))/1e6, "MB")
	}
}

// folderSize returns the size of all files in a folder.
func folderSize(b *testing.B, dir string) (n int64) {
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

package worldrepo_test

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/check"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
)

// TestBusyServer tests that a server that writes all the time is blocked by a backup only for a moment. With a
// write-ahead log, the backup is of one moment; without it, the backup reports that it is not.
func TestBusyServer(t *testing.T) {
	if !tests.Long(t) || runtime.GOOS != "linux" {
		t.Skip("it takes seconds, and only Linux reports who has a file open")
	}
	for _, mode := range []string{"DELETE", "WAL"} {
		t.Run(mode, func(t *testing.T) {
			dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 0)
			path := filepath.Join(dir, "map.sqlite")
			conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			do := func(sql string) error { return sqlitex.ExecuteTransient(conn, sql, nil) }
			if err := errors.Join(
				do("PRAGMA journal_mode="+mode), do("PRAGMA synchronous=OFF"),
				do("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3999) INSERT INTO blocks SELECT i "+
					"/ 400 * 4096 + i % 400 - 200, zeroblob(10000) FROM n"),
			); err != nil {
				t.Fatal(err)
			}
			conn.SetBusyTimeout(10 * time.Second)
			server := exec.Command("sh", "-c", `exec 3<"$0"; echo; read x`, path)
			in, err := server.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := server.StdoutPipe()
			if err == nil {
				err = server.Start()
			}
			if err != nil {
				t.Skip(err)
			}
			defer func() {
				in.Close()
				_ = server.Wait()
			}()
			if _, err := out.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			const most = 100 * time.Millisecond
			longest := time.Duration(0)
			for range 4 { // the machine may be busy
				stop, done := make(chan bool), make(chan error, 1)
				go func() {
					longest = 0
					for i := 0; ; i++ {
						select {
						case <-stop:
							done <- nil
							return
						default:
						}
						start := time.Now()
						// All blocks have the same length at any moment, except one.
						if err := do(fmt.Sprintf("UPDATE blocks SET data = zeroblob(%d) WHERE pos IN (0, 4096)", 9000+i%100)); err != nil {
							done <- err
							return
						}
						longest = max(longest, time.Since(start))
						time.Sleep(20 * time.Millisecond)
					}
				}()
				repo := newFolder(t)
				found := map[string]int{}
				report, err := worldrepo.Backup(t.Context(), dir, repo, worldrepo.Options{Sink: func(f check.Finding) { found[f.ID]++ }})
				close(stop)
				if err := errors.Join(err, <-done); err != nil {
					t.Fatal(err)
				}
				if report.Snapshot.Blocks != 4000 || found["mt-backup-moments"] != map[string]int{"DELETE": 1}[mode] {
					t.Errorf("%d blocks, %v", report.Snapshot.Blocks, found)
				}
				back := worldtest.BlocksOf(t, restore(t, repo, report.Snapshot.ID, worldcopy.Options{}))
				if a, b := back[mapdb.Pos{}], back[mapdb.Pos{Y: 1}]; mode == "WAL" && a != b || len(a) < 9000 || len(back) != 4000 {
					t.Errorf("%d blocks, of %d and %d bytes", len(back), len(a), len(b))
				}
				if longest < most {
					break
				}
			}
			if t.Logf("the server waited for %v", longest); longest > most {
				t.Error("that is too long")
			}
		})
	}
}

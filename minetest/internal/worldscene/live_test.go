package worldscene_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/place"
)

// names lists a folder.
func names(t testing.TB, dir string) (list []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		list = append(list, e.Name())
	}
	return list
}

// TestSceneLive tests, for every mode of the database, that an open scene does not block a server: between calls
// nothing is locked, both make progress at the same time, blocks that are removed or changed are not errors, and the
// server leaves the same files as without a scene.
func TestSceneLive(t *testing.T) {
	for _, mode := range []string{"delete", "wal"} {
		t.Run(mode, func(t *testing.T) {
			ctx := context.Background()
			dir := terrain(t)
			alone := fmt.Sprint(names(t, dir))
			conn, err := sqlite.OpenConn(filepath.Join(dir, "map.sqlite"), sqlite.OpenReadWrite)
			if err != nil {
				t.Fatal(err)
			}
			run := func(script string) error {
				for statement := range strings.SplitSeq(script, ";") {
					if err := sqlitex.ExecuteTransient(conn, statement, nil); err != nil {
						return fmt.Errorf("%s: %w", statement, err)
					}
				}
				return nil
			}
			if err := errors.Join(sqlitex.ExecuteTransient(conn, "PRAGMA journal_mode="+mode, nil),
				run("CREATE TABLE other (v); INSERT INTO other VALUES (1)")); err != nil {
				t.Fatal(err)
			}
			s := scene(t, dir, map[string]string{"markers": "usual"})
			free := func(after string) {
				t.Helper()
				conn.SetBusyTimeout(0)
				if err := run("BEGIN EXCLUSIVE; UPDATE other SET v = v + 1; COMMIT"); err != nil {
					t.Errorf("after %s: %v", after, err)
				}
				if mode == "wal" {
					if err := sqlitex.ExecuteTransient(conn, "PRAGMA wal_checkpoint(TRUNCATE)",
						&sqlitex.ExecOptions{ResultFunc: func(r *sqlite.Stmt) error {
							if r.ColumnInt(0) != 0 {
								t.Errorf("after %s somebody reads the log", after)
							}
							return nil
						}}); err != nil {
						t.Errorf("after %s: %v", after, err)
					}
				}
			}
			free("opening")
			v, _ := format.ViewOf(s.Views, "top")
			l := look(v, 1)
			drawPart(t, s, l, image.Rect(0, 0, 20, 20))
			free("drawing")
			ended, cancel := context.WithCancel(ctx)
			cancel()
			if err := viewOf(s, l.View).Render(ended, image.NewRGBA(image.Rectangle{Max: l.Size}), l); err == nil {
				t.Error("a picture is drawn for nobody")
			}
			free("drawing that was given up")
			if len(inspect(t, s, l, [2]float64{5, -5})) == 0 {
				t.Error("nothing is at a place")
			}
			free("looking what is at a point")
			for _, at := range []check.Place{place.Player("nobody"), check.Line{Path: "blocks/z0/y0/0,0,0.txt", Line: 9}} {
				viewOf(s, "top").Where(t.Context(), at)
			}
			free("looking where something is")

			// Both at the same time.
			conn.SetBusyTimeout(time.Minute)
			done := make(chan struct{})
			var group sync.WaitGroup
			for _, view := range []string{"top", "south", "iso"} {
				group.Go(func() {
					for round := 0; ; round++ {
						select {
						case <-done:
							return
						default:
						}
						fresh, err := s.With(ctx, &format.Job{Values: map[string]string{"max-y": fmt.Sprint(20 + round),
							"markers": "usual"}})
						if err != nil {
							t.Error(err)
							return
						}
						v, _ := format.ViewOf(fresh.Views, view)
						l := look(v, v.Scale)
						for x := 0; x < l.Size.X; x += 64 {
							if err := viewOf(fresh, l.View).Render(ctx, image.NewRGBA(image.Rect(x, 0, x+64, 64)), l); err != nil {
								t.Errorf("%s: %v", view, err)
							}
							if _, err := viewOf(fresh, l.View).Inspect(ctx, l, [2]float64{v.Bounds.Min[0] + float64(x)/l.Scale,
								v.Bounds.Min[1] + 20}); err != nil {
								t.Errorf("%s: %v", view, err)
							}
						}
						if err := fresh.Close(); err != nil {
							t.Error(err)
						}
					}
				})
			}
			for round := range 60 {
				key := []int{0, 1, 1 << 24, 1<<24 + 2}[round%4]
				if err := run(fmt.Sprintf("BEGIN IMMEDIATE; CREATE TEMP TABLE IF NOT EXISTS kept AS SELECT * FROM blocks; "+
					"DELETE FROM blocks WHERE pos = %d; COMMIT; BEGIN IMMEDIATE; INSERT OR REPLACE INTO blocks SELECT * FROM kept "+
					"WHERE pos = %d; COMMIT", key, key)); err != nil {
					t.Errorf("round %d: %v", round, err)
					break
				}
			}
			close(done)
			group.Wait()
			free("all of it")
			for _, m := range s.Missing() {
				if m.Loss && m.Name != "3,0,2" { // this block is damaged
					t.Errorf("%+v", m)
				}
			}
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(names(t, dir)); got != alone {
				t.Errorf("the server leaves %s, not %s", got, alone)
			}
			drawPart(t, s, look(v, 0.5), image.Rect(0, 0, 20, 20))
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(names(t, dir)); got != alone {
				t.Errorf("the scene leaves %s, not %s", got, alone)
			}
		})
	}
}

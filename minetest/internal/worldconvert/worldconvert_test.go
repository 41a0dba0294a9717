package worldconvert_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/internal/worldconvert"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
)

// servers are the backends that several programs can change at the same time.
var servers = []string{"miniredis", "redis", "postgresql"}

// blocks yields n blocks of all versions, in several slabs. Some of them cannot be read.
func blocks(n int) func(yield func(mapdb.Block, error) bool) {
	return func(yield func(mapdb.Block, error) bool) {
		i := 0
		for b, err := range worldtest.Blocks(n) {
			b.Pos.Z += int16(i % 5 * 16)
			if i++; i%37 == 5 {
				b.Data = []byte{23, byte(i), 3}
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

func newWorld(t *testing.T, backend string, n int) string {
	t.Helper()
	return worldtest.WorldOf(t, filepath.Join(t.TempDir(), "world"), worldtest.Backends[backend](t), blocks(n))
}

// wanted returns the expected blocks and the expected report.
func wanted(t *testing.T, old map[mapdb.Pos]string, version int, drop bool) (map[mapdb.Pos]string, worldconvert.Report) {
	t.Helper()
	want := make(map[mapdb.Pos]string)
	var r worldconvert.Report
	for p, data := range old {
		want[p] = data
		if int(data[0]) == version {
			continue
		}
		c, err := worldcopy.ConvertBlock(mapdb.Block{Pos: p, Data: []byte(data)}, version, mapblock.ConvertOptions{Drop: drop})
		switch {
		case err != nil:
			r.Kept++
		case c.Data == nil:
			delete(want, p)
			r.Dropped++
		default:
			want[p] = string(c.Data)
			r.Converted++
		}
	}
	return want, r
}

// told is the report and the findings of a run.
type told struct {
	Report   worldconvert.Report
	Findings []string
}

func convert(ctx context.Context, dir string, o worldconvert.Options) (all told, err error) {
	o.Remote = true
	o.Sink = func(f check.Finding) { all.Findings = append(all.Findings, f.String()) }
	w, err := worldconvert.Open(ctx, dir, o)
	if err != nil {
		return all, err
	}
	all.Report, err = w.All(ctx)
	return all, errors.Join(err, w.Close())
}

func restore(t *testing.T, dir, backups string) {
	t.Helper()
	if err := worldbackup.RestoreAll(t.Context(), dir, backups, worldbackup.Options{Remote: true}); err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, got, want map[mapdb.Pos]string) {
	t.Helper()
	for _, p := range slices.SortedFunc(maps.Keys(want), func(a, b mapdb.Pos) int { return cmp.Compare(a.Key(), b.Key()) }) {
		if got[p] != want[p] {
			t.Fatalf("%v: %d bytes of version %d, not %d of version %d", p, len(got[p]), (got[p] + "\x00")[0], len(want[p]), (want[p] + "\x00")[0])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d blocks, not %d", len(got), len(want))
	}
}

// TestConvert tests, for every database, that blocks are converted as in a copy, that a second run has nothing to do,
// and that restoring the backups undoes the conversion.
func TestConvert(t *testing.T) {
	for name := range worldtest.Backends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newWorld(t, name, 160)
			old := worldtest.BlocksOf(t, dir)
			for _, to := range []struct {
				version int
				drop    bool
			}{{29, false}, {25, false}, {24, true}} {
				backups := filepath.Join(t.TempDir(), "backups")
				o := worldconvert.Options{Blocks: to.version, Drop: to.drop, Backups: backups}
				want, counts := wanted(t, old, to.version, to.drop)
				got, err := convert(t.Context(), dir, o)
				if err != nil {
					t.Fatal(err)
				}
				if got.Report != counts || counts.Converted == 0 || to.drop != (counts.Dropped > 0) ||
					to.drop == (counts.Kept > 0) || len(got.Findings) < int(counts.Kept+counts.Dropped) {
					t.Errorf("%+v: %+v and %d findings, not %+v", to, got.Report, len(got.Findings), counts)
				}
				same(t, worldtest.BlocksOf(t, dir), want)
				again, err := convert(t.Context(), dir, o)
				if err != nil {
					t.Fatal(err)
				}
				if d := gocmp.Diff(got, again); d != "" {
					t.Errorf("a second run reports itmething else: %s", d)
				}
				same(t, worldtest.BlocksOf(t, dir), want)
				other, err := convert(t.Context(), dir, worldconvert.Options{Blocks: to.version, Drop: to.drop,
					Backups: filepath.Join(t.TempDir(), "none")})
				if err != nil || other.Report.Converted+other.Report.Dropped > 0 || other.Report.Kept != counts.Kept {
					t.Errorf("nothing was to be done: %+v, %v", other.Report, err)
				}
				if err := worldconvert.Tidy(backups); err != nil {
					t.Fatal(err)
				}
				restore(t, dir, backups)
				same(t, worldtest.BlocksOf(t, dir), old)
			}
		})
	}
}

// TestAtOnce tests that several conversions of the same slabs at the same time give the result of one.
func TestAtOnce(t *testing.T) {
	for _, name := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newWorld(t, name, 160)
			old := worldtest.BlocksOf(t, dir)
			want, counts := wanted(t, old, 29, false)
			backups := filepath.Join(t.TempDir(), "backups")
			var group sync.WaitGroup
			for range 3 {
				group.Go(func() {
					got, err := convert(t.Context(), dir, worldconvert.Options{Blocks: 29, Backups: backups})
					if err != nil || got.Report != counts {
						t.Errorf("%+v, %v; not %+v", got.Report, err, counts)
					}
				})
			}
			group.Wait()
			same(t, worldtest.BlocksOf(t, dir), want)
			restore(t, dir, backups)
			same(t, worldtest.BlocksOf(t, dir), old)
		})
	}
}

// TestServerRuns tests that a world is not changed while a game is connected to its database.
func TestServerRuns(t *testing.T) {
	dir := newWorld(t, "postgresql", 20)
	old := worldtest.BlocksOf(t, dir)
	text := string(judge.Read(t, filepath.Join(dir, "world.mt")))
	_, connection, _ := strings.Cut(text, "pgsql_connection = ")
	connection, _, _ = strings.Cut(connection, "\n")
	game, err := pgx.Connect(t.Context(), connection)
	if err != nil {
		t.Fatal(err)
	}
	o := worldconvert.Options{Blocks: 29, Backups: filepath.Join(t.TempDir(), "backups")}
	if _, err := convert(t.Context(), dir, o); !errors.Is(err, mapdb.ErrInUse) {
		t.Error(err)
	}
	same(t, worldtest.BlocksOf(t, dir), old)
	game.Close(t.Context())
	if _, err := convert(t.Context(), dir, o); err != nil {
		t.Error(err)
	}
}

// TestRefused tests that invalid conversions are rejected and change nothing.
func TestRefused(t *testing.T) {
	dir := newWorld(t, "pos", 50)
	old := worldtest.BlocksOf(t, dir)
	there := t.TempDir()
	judge.Write(t, filepath.Join(there, "mine.txt"), nil)
	other := filepath.Join(t.TempDir(), "other")
	if _, err := convert(t.Context(), newWorld(t, "pos", 5), worldconvert.Options{Blocks: 29, Backups: other}); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]worldconvert.Options{
		"a folder with something else in it": {Blocks: 29, Backups: there},
		"the backups of another world":       {Blocks: 29, Backups: other},
		"a version that nobody reads":        {Blocks: 26000, Backups: filepath.Join(t.TempDir(), "new")},
	} {
		if _, err := convert(t.Context(), dir, o); err == nil {
			t.Error(name)
		}
	}
	if runningIn(t, dir) {
		if _, err := convert(t.Context(), dir, worldconvert.Options{Blocks: 29, Backups: filepath.Join(t.TempDir(),
			"new")}); !errors.Is(err, mapdb.ErrInUse) {
			t.Error(err)
		}
	}
	same(t, worldtest.BlocksOf(t, dir), old)
}

// runningIn starts a program that keeps the database of a world open until the test ends.
func runningIn(t *testing.T, dir string) bool {
	tail := exec.Command("tail", "-f", filepath.Join(dir, "map.sqlite"))
	if err := tail.Start(); err != nil {
		return false
	}
	t.Cleanup(func() { tail.Process.Kill(); tail.Wait() })
	path := filepath.Join("/proc", strconv.Itoa(tail.Process.Pid), "fd", "3")
	for range 200 {
		if to, err := os.Readlink(path); err == nil && strings.HasSuffix(to, "map.sqlite") {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// envConvert contains the world and the backups for TestConvertChild.
const envConvert = "TROWEL_TEST_CONVERT"

// TestConvertChild is the child process of TestKilled.
func TestConvertChild(t *testing.T) {
	dir, backups, ok := strings.Cut(os.Getenv(envConvert), "|")
	if !ok {
		t.Skip("this is run by TestKilled")
	}
	got, err := convert(context.Background(), dir, worldconvert.Options{Blocks: 29, Backups: backups})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(got)
	fmt.Printf("\nTOLD %s\n", text)
}

// TestKilled tests that a conversion that is killed and resumed repeatedly gives the same result and report as an
// uninterrupted one, and that it can be undone.
func TestKilled(t *testing.T) {
	tests.LongOnly(t, "runs many processes")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(dir, backups string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.Command(self, "-test.run=^TestConvertChild$")
		cmd.Env = append(os.Environ(), envConvert+"="+dir+"|"+backups)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		return cmd, &out
	}
	answer := func(out *bytes.Buffer) (said told) {
		_, text, _ := strings.Cut(out.String(), "TOLD ")
		if err := json.NewDecoder(strings.NewReader(text)).Decode(&said); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return said
	}
	for _, name := range []string{"pos", "leveldb", "postgresql"} {
		t.Run(name, func(t *testing.T) {
			const n = 500
			dir := newWorld(t, name, n)
			old := worldtest.BlocksOf(t, dir)
			want, counts := wanted(t, old, 29, false)
			first := filepath.Join(t.TempDir(), "first")
			cmd, out := run(dir, first)
			begun := time.Now()
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			took := time.Since(begun)
			whole := answer(out)
			if whole.Report != counts {
				t.Errorf("%+v, not %+v", whole.Report, counts)
			}
			restore(t, dir, first)
			same(t, worldtest.BlocksOf(t, dir), old)

			backups := filepath.Join(t.TempDir(), "backups")
			killed := 0
			for try := range 12 {
				cmd, out := run(dir, backups)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				if try < 11 { // the last run may complete
					time.Sleep(time.Duration(rand.Float64() * float64(took)))
					cmd.Process.Kill()
				}
				if err := cmd.Wait(); err == nil {
					if d := gocmp.Diff(whole, answer(out)); d != "" {
						t.Error(d)
					}
					break
				} else if try == 11 {
					t.Fatalf("%v\n%s", err, out)
				}
				killed++
			}
			t.Logf("killed %d times", killed)
			same(t, worldtest.BlocksOf(t, dir), want)
			restore(t, dir, backups)
			same(t, worldtest.BlocksOf(t, dir), old)
		})
	}
}

// TestTwice tests that both rows are kept if a table without a key contains a block twice.
func TestTwice(t *testing.T) {
	dir := newWorld(t, "pos", 40)
	sqlite := judge.Find(t, "sqlite3")
	db := filepath.Join(dir, "map.sqlite")
	for _, statement := range []string{
		"CREATE TABLE b2 (pos INT, data BLOB); INSERT INTO b2 SELECT * FROM blocks; DROP TABLE blocks; ALTER TABLE b2 " +
			"RENAME TO blocks; INSERT INTO blocks SELECT * FROM blocks LIMIT 3 OFFSET 2",
	} {
		if out, err := exec.Command(sqlite, db, statement).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	dump := func() string {
		out, err := exec.Command(sqlite, db, "SELECT pos, hex(data) FROM blocks WHERE pos IN (SELECT pos FROM blocks "+
			"GROUP BY pos HAVING count(*) > 1) ORDER BY pos, rowid").CombinedOutput()
		if err != nil || len(out) == 0 {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	before := dump()
	got, err := convert(t.Context(), dir, worldconvert.Options{Blocks: 29, Backups: filepath.Join(t.TempDir(), "backups")})
	if err != nil || got.Report.Rows != 3 || got.Report.Converted == 0 {
		t.Errorf("%+v, %v", got.Report, err)
	}
	if dump() != before {
		t.Error("rows of a block that is there twice have changed")
	}
}

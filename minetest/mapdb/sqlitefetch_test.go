package mapdb

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Fetch gives the blocks that there are, each once, and what is wrong with a row.
func TestSQLiteFetch(t *testing.T) {
	for name, create := range map[string]string{"pos": tablePos, "xyz": tableXYZ, "no key": "CREATE TABLE blocks (pos INT, data BLOB)"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			conn := native(t, dir, create)
			r := rand.New(rand.NewPCG(1, 2))
			want := make(map[Pos]string)
			var ask []Pos
			insert := func(p Pos, data string) {
				if name == "xyz" {
					run(t, conn, fmt.Sprintf("INSERT INTO blocks VALUES (%d, %d, %d, %s)", p.X, p.Y, p.Z, data))
				} else {
					run(t, conn, fmt.Sprintf("INSERT INTO blocks VALUES (%d, %s)", p.Key(), data))
				}
			}
			run(t, conn, "BEGIN")
			for range 3000 {
				p := Pos{int16(r.IntN(40) - 20), int16(r.IntN(6) - 3), int16(r.IntN(40) - 20)}
				if r.IntN(3) == 0 {
					ask = append(ask, p) // perhaps twice, or of a block that does not exist
				}
				if _, ok := want[p]; !ok && r.IntN(4) > 0 {
					want[p] = fmt.Sprintf("%c", 'a'+r.IntN(20))
					insert(p, "CAST('"+want[p]+"' AS BLOB)")
				}
			}
			odd := Pos{100, 100, 100}
			insert(odd, "'text'")
			if name == "no key" {
				insert(ask[0], "x'00'") // a second row
				if _, ok := want[ask[0]]; !ok {
					want[ask[0]] = "\x00"
				}
			}
			run(t, conn, "COMMIT")
			conn.Close()
			for p := range maps.Clone(want) {
				found := false
				for _, q := range ask {
					found = found || p == q
				}
				if !found {
					delete(want, p)
				}
			}
			db := open(t, dir, Config{})
			got, bad := make(map[Pos]string), 0
			for b, err := range Fetch(t.Context(), db, append(ask, odd)) {
				var row *RowError
				if errors.As(err, &row) && row.Pos != nil && *row.Pos == odd {
					bad++
					continue
				}
				if _, twice := got[b.Pos]; err != nil || twice {
					t.Fatal(b.Pos, err)
				}
				got[b.Pos] = string(b.Data)
			}
			if !maps.Equal(got, want) || bad != 1 {
				t.Errorf("%d blocks, should be %d; %d bad rows", len(got), len(want), bad)
			}
		})
	}
}

// A program that writes to a database waits only a moment for one that reads all of it.
func TestSQLiteWriterWaits(t *testing.T) {
	for _, mode := range []string{"DELETE", "WAL"} {
		dir := t.TempDir()
		conn := native(t, dir, tablePos)
		run(t, conn, "BEGIN; WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19999) INSERT INTO blocks SELECT i, zeroblob(1000) FROM n; COMMIT")
		for _, pragma := range []string{"journal_mode=" + mode, "synchronous=OFF"} {
			if err := sqlitex.ExecuteTransient(conn, "PRAGMA "+pragma, nil); err != nil {
				t.Fatal(err)
			}
		}
		conn.SetBusyTimeout(10 * time.Second)
		const most = 100 * time.Millisecond
		longest := time.Duration(0)
		for range 5 { // the machine may have other things to do
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
					if err := sqlitex.ExecuteTransient(conn, fmt.Sprintf("UPDATE blocks SET data = zeroblob(%d) WHERE pos = %d", 900+i%100, i*7%20000), nil); err != nil {
						done <- err
						return
					}
					longest = max(longest, time.Since(start))
					time.Sleep(time.Millisecond)
				}
			}()
			db := open(t, dir, Config{})
			var all []Pos
			for b, err := range InAnyOrder(t.Context(), db) {
				if err != nil {
					t.Error(mode, err)
					break
				}
				all = append(all, b.Pos)
			}
			n := 0
			for _, err := range Fetch(t.Context(), db, all) {
				if err != nil {
					t.Error(mode, err)
					break
				}
				n++
			}
			close(stop)
			if err := <-done; err != nil || n != 20000 {
				t.Fatalf("%s: %d blocks, %v", mode, n, err)
			}
			if longest < most {
				break
			}
		}
		if longest > most {
			t.Errorf("%s: the writer waited for %v", mode, longest)
		}
		t.Logf("%s: the writer waited for %v", mode, longest)
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
}

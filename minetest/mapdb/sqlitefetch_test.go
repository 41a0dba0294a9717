package mapdb

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/testing/tests"
)

// TestSQLiteFetch tests that Fetch yields each existing block once, and the errors of rows.
func TestSQLiteFetch(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
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
					ask = append(ask, p) // possibly twice, or for a block that does not exist
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

// TestSQLiteWriterWaits tests that a program that writes to the database waits only while a page is read, not while
// the caller uses the blocks.
func TestSQLiteWriterWaits(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	for _, mode := range []string{"DELETE", "WAL"} {
		dir := t.TempDir()
		conn := native(t, dir, tablePos)
		run(t, conn, "BEGIN; WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19999) INSERT INTO "+
			"blocks SELECT i, zeroblob(1000) FROM n; COMMIT")
		for _, pragma := range []string{"journal_mode=" + mode, "synchronous=OFF"} {
			if err := sqlitex.ExecuteTransient(conn, "PRAGMA "+pragma, nil); err != nil {
				t.Fatal(err)
			}
		}
		conn.SetBusyTimeout(10 * time.Second)
		db := open(t, dir, Config{})
		var all []Pos
		n := 0
		use := func(b Block, err error) bool {
			if err != nil {
				t.Error(mode, err)
				return false
			}
			if n++; n%3000 == 0 { // while the blocks are being read
				if err := sqlitex.ExecuteTransient(conn, fmt.Sprintf("UPDATE blocks SET data = zeroblob(900) WHERE pos = %d",
					n%20000), nil); err != nil {
					t.Error(mode, n, err)
				}
			}
			return true
		}
		for b, err := range InAnyOrder(t.Context(), db) {
			if !use(b, err) {
				break
			}
			all = append(all, b.Pos)
		}
		for b, err := range Fetch(t.Context(), db, all) {
			if !use(b, err) {
				break
			}
		}
		if n != 40000 {
			t.Errorf("%s: %d blocks", mode, n)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	// A page is full at its limit of rows, bytes or time.
	b := Block{Data: make([]byte, 1000)}
	rows, bytes, slow := new(page), new(page), &page{until: time.Now().Add(-1)}
	for range 99 {
		rows.add(b, nil)
	}
	for range pageBytes/1000 + 1 {
		bytes.add(b, nil)
	}
	if slow.full(10) {
		t.Error("a page without a row is full")
	}
	slow.add(b, nil)
	if rows.full(100) || !rows.full(99) || !bytes.full(pageBytes) || !slow.full(10) {
		t.Errorf("full: %t %t %t %t", rows.full(100), rows.full(99), bytes.full(pageBytes), slow.full(10))
	}
}

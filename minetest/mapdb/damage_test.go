package mapdb

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/files/filelock"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// TestDamagedPages tests that, whichever page of a database is damaged, every way of reading yields the same blocks,
// none of them wrong, and reports missing blocks.
func TestDamagedPages(t *testing.T) {
	tests.NotRaced(t, "reads many damaged files, one after the other")
	for _, schema := range []Schema{SchemaPos, SchemaXYZ} {
		dir := t.TempDir()
		w, err := Create(t.Context(), dir, Config{Backend: SQLite, Schema: schema})
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, uint64(schema)))
		truth := map[Pos][]byte{}
		for len(truth) < 900 {
			// Keep each row in one page: if the end of a row is zeroed, SQLite does not notice, only the decoder of
			// the block does.
			data := make([]byte, 1+r.IntN(600))
			for i := range data {
				data[i] = byte(1 + r.IntN(255))
			}
			truth[Pos{int16(r.IntN(9)), int16(r.IntN(99) - 50), int16(r.IntN(99))}] = data
		}
		err = w.Update(t.Context(), func(tx Tx) error {
			for p, data := range truth {
				if err := tx.Put(p, data); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		sound := judge.Read(t, sqlitePath(dir))
		const size = 4096
		for page := range len(sound) / size {
			if page > 3 && page%tests.Of(t, 10, 1) != 0 {
				continue // the first pages refer to the others
			}
			name := fmt.Sprintf("%v, page %d", schema, page+1)
			data := bytes.Clone(sound)
			clear(data[page*size : (page+1)*size])
			if err := os.WriteFile(sqlitePath(dir), data, 0o600); err != nil {
				t.Fatal(err)
			}
			db, err := Open(t.Context(), dir, Config{})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if page%5 == 0 && filelock.UsedBy(dir) == "" {
				if err := Verify(t.Context(), db); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			got, bad := read(t, db)
			if len(got) < len(truth)/2 || len(got) < len(truth) && len(bad) == 0 {
				t.Errorf("%s: %d blocks, and the errors are %v", name, len(got), bad)
			}
			for p, data := range got {
				if !bytes.Equal(data, truth[p]) {
					t.Errorf("%s: %v is wrong", name, p)
				}
			}
			if len(bad) > 0 {
				n := 0
				for _, err := range db.Positions(t.Context(), Area{Pos{0, -50, 0}, Pos{8, 50, 99}}) {
					if err == nil {
						n++
					}
				}
				if n != len(got) {
					t.Errorf("%s: %d positions of %d blocks", name, n, len(got))
				}
				if n, err := db.Count(t.Context()); err != nil || int(n) != len(got) {
					t.Errorf("%s: the count of %d blocks is %d, %v", name, len(got), n, err)
				}
				if i := slices.IndexFunc(bad, func(e *RowError) bool { return len(e.At) == 0 }); i >= 0 {
					t.Errorf("%s: no place is reported by %v", name, bad[i])
				}
			}
			for p := range truth {
				if _, err := db.Get(t.Context(), p); (err == nil) != (got[p] != nil) {
					t.Errorf("%s: %v: %v", name, p, err)
				}
				break
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestVerify tests that only Verify detects an index that misses rows.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	conn := native(t, dir, tablePos+"; CREATE TABLE other (pos INT PRIMARY KEY);"+
		"WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<2000) INSERT INTO blocks SELECT i, x'01' FROM n;"+
		"WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<1000) INSERT INTO other SELECT i FROM n;"+
		"PRAGMA writable_schema=ON;"+
		// From now on, the table of blocks uses the index of the other table.
		"UPDATE sqlite_master SET rootpage=(SELECT rootpage FROM sqlite_master WHERE name='sqlite_autoindex_other_1') "+
		"WHERE name='sqlite_autoindex_blocks_1'")
	conn.Close()
	db, err := Open(t.Context(), dir, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := Verify(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	if got, bad := read(t, db); len(got) != 2000 || len(bad) > 0 {
		t.Errorf("%d blocks, errors %v", len(got), bad)
	}
}

// TestLostSchema tests that a database that has lost its schema is read with the known tables.
func TestLostSchema(t *testing.T) {
	for _, table := range knownTables {
		dir := t.TempDir()
		values := map[bool]string{true: "i, x'01'", false: "i%9, i/99, i%99, x'01'"}[strings.Contains(table, "`pos`")]
		if strings.Contains(table, "mtime") {
			values += ", i"
		}
		native(t, dir, table+";WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<2000) INSERT OR "+
			"IGNORE INTO blocks SELECT "+values+" FROM n").Close()
		db, err := Open(t.Context(), dir, Config{})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := read(t, db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		data := judge.Read(t, sqlitePath(dir))
		clear(data[:4096])
		if err := os.WriteFile(sqlitePath(dir), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if db, err = Open(t.Context(), dir, Config{}); err != nil {
			t.Fatal(table, err)
		}
		got, bad := read(t, db)
		if len(want) == 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d of %d blocks, %v", table, len(got), len(want), bad)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSharedPages tests that many rows that name the same pages are not all read: SQLite does not notice them.
func TestSharedPages(t *testing.T) {
	dir := t.TempDir()
	const size, rows = 512, 3000
	const large = 39 + 800*(size-4) - 5 // 39 bytes of it are in the page of the row
	native(t, dir, fmt.Sprintf("PRAGMA page_size=%d; CREATE TABLE blocks (pos INTEGER PRIMARY KEY, data BLOB); "+
		"INSERT INTO blocks VALUES (1000, CAST('%s' || hex(zeroblob(%d)) AS BLOB)); WITH RECURSIVE n(i) AS (VALUES(1001) UNION ALL "+
		"SELECT i+1 FROM n WHERE i<%d) INSERT INTO blocks SELECT i, CAST('%s' AS BLOB) FROM n", size, strings.Repeat("L", 33+large%2),
		(large-33)/2, 1000+rows, strings.Repeat("s", 42))).Close()
	data := judge.Read(t, sqlitePath(dir))
	// An entry: size, rowid, types, data. Those of the other rows become that of the first one, but for their rowids.
	at := bytes.Index(data, []byte("LLLLLLLL"))
	first := data[at-10:][:48]
	small, n := append([]byte{45}, 0, 0, 3, 0, 96), 0
	for i := range len(data) - 47 {
		if e := data[i:][:48]; e[0] == small[0] && bytes.Equal(e[3:6], small[3:]) && e[6] == 's' {
			rowid := [2]byte(e[1:3])
			copy(e, first)
			copy(e[3:], rowid[:])
			n++
		}
	}
	if err := os.WriteFile(sqlitePath(dir), data, 0o666); err != nil || n != rows {
		t.Fatalf("%d rows: %v", n, err)
	}
	db, err := Open(t.Context(), dir, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	blocks, bad, err := readAll(t.Context(), db)
	read := 0
	for _, data := range blocks {
		read += len(data)
	}
	if err != nil || len(bad) == 0 || read == 0 || read > 2*len(data)+2*pageBytes {
		t.Errorf("%d of %d bytes in %d blocks, %d errors: %v", read, len(data), len(blocks), len(bad), err)
	}
}

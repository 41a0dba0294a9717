package mapdb

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/testing/judge"
)

// TestPlanes tests that Planes lists the planes of all positions, and that each invalid row is reported by Planes or
// by Positions of a plane.
func TestPlanes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 40 {
		dir := t.TempDir()
		conn := native(t, dir, "PRAGMA synchronous = off; PRAGMA journal_mode = off;"+tablePos)
		for range r.IntN(300) {
			p := Pos{int16(r.IntN(5) - 2), int16(r.IntN(5) - 2), int16(r.IntN(9) - 4)}
			if r.IntN(4) == 0 {
				p = [...]Pos{All().Min, All().Max, {MaxCoord, MaxCoord, p.Z}, {MinCoord, MinCoord, p.Z}}[r.IntN(4)]
			}
			key := any(p.Key())
			if round%2 == 1 && r.IntN(5) == 0 {
				key = [...]any{nil, "text", []byte("blob"), float64(p.Key()) + 0.5, All().Max.Key() + 1 + int64(r.IntN(3)),
					All().Min.Key() - 1, 1e300}[r.IntN(7)]
			}
			if err := sqlitex.Execute(conn, "INSERT OR IGNORE INTO blocks VALUES (?, x'00')", &sqlitex.ExecOptions{Args: []any{key}}); err != nil {
				t.Fatal(err)
			}
		}
		conn.Close()
		db := open(t, dir, Config{}).(Planer)
		for _, a := range []Area{All(), {Pos{-1, -2, -3}, Pos{1, 2, 3}}, {Pos{1, 1, 1}, Pos{0, 0, 0}}} {
			want, wantOdd := listPlanes(t, db, a)
			planes, rows, ok, err := db.Planes(t.Context(), a)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			var got []Pos
			odd := map[string]bool{}
			for _, e := range rows {
				odd[e.Error()] = true
			}
			for _, z := range planes {
				one := a
				one.Min.Z, one.Max.Z = z, z
				at, bad := listPlanes(t, db, one)
				if len(at) == 0 {
					t.Errorf("nothing in plane %d", z)
				}
				got = append(got, at...)
				for e := range bad {
					odd[e] = true
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%v: %v, want %v", a, got, want)
			}
			for e := range wantOdd {
				if !odd[e] {
					t.Errorf("%v: not told: %s", a, e)
				}
			}
			if a == All() && len(odd) != len(wantOdd) {
				t.Errorf("%v, want %v", odd, wantOdd)
			}
		}
	}
}

func listPlanes(t *testing.T, db DB, a Area) (all []Pos, odd map[string]bool) {
	t.Helper()
	odd = map[string]bool{}
	for p, err := range db.Positions(t.Context(), a) {
		var row *RowError
		if errors.As(err, &row) {
			odd[row.Error()] = true
		} else if err != nil {
			t.Fatal(err)
		} else {
			all = append(all, p)
		}
	}
	return all, odd
}

// TestPlanesReadFew tests that Planes reads few rows of a large table.
func TestPlanesReadFew(t *testing.T) {
	dir := t.TempDir()
	conn := native(t, dir, tablePos)
	run(t, conn, fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 49999) INSERT "+
		"INTO blocks SELECT i / 1000 * %d + i %% 1000, x'00' FROM n", 1<<24))
	conn.Close()
	db := open(t, dir, Config{}).(*sqliteDB)
	planes, _, ok, err := db.Planes(t.Context(), All())
	if err != nil || !ok || len(planes) != 50 {
		t.Fatal(planes, ok, err)
	}
	if most := pagePositions + 2*len(planes) + 1; db.stepped > most {
		t.Errorf("%d rows were read, at most %d are needed", db.stepped, most)
	}
}

// TestNoPlanes tests that tables without a suitable key, and damaged ones, are read as a whole.
func TestNoPlanes(t *testing.T) {
	for _, table := range []string{
		tableXYZ, "CREATE TABLE blocks (pos INT, data BLOB)", "CREATE TABLE blocks (pos TEXT PRIMARY KEY, data BLOB)",
		"CREATE TABLE blocks (pos INT, data BLOB, n INT, PRIMARY KEY (n, pos))",
	} {
		dir := t.TempDir()
		native(t, dir, table).Close()
		db := open(t, dir, Config{}).(Planer)
		if _, _, ok, err := db.Planes(t.Context(), All()); ok || err != nil || db.HasPlanes() {
			t.Errorf("%s: %v", table, err)
		}
	}
	dir := t.TempDir()
	conn := native(t, dir, tablePos)
	run(t, conn, "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999) INSERT INTO blocks "+
		"SELECT i, zeroblob(100) FROM n;"+
		"INSERT INTO blocks VALUES ('x', x'00')")
	conn.Close()
	db := open(t, dir, Config{}).(Planer)
	if !db.HasPlanes() {
		t.Fatal("no planes")
	}
	data := judge.Read(t, sqlitePath(dir))
	for i := 4096; i < len(data); i++ {
		data[i] = 0xff
	}
	if err := os.WriteFile(sqlitePath(dir), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, ok, _ := db.Planes(t.Context(), All()); ok {
		t.Error("planes of a damaged file")
	}
}

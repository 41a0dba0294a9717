package leveldb

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// bulk makes a database from a mix of tables, batches and deletions, and returns its contents. With inOrder the tables
// do not overlap.
func bulk(t *testing.T, r *rand.Rand, dir string, late, inOrder bool) map[string]string {
	t.Helper()
	w, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for round := range 12 {
		if late {
			w.SyncLate()
		}
		var records []Record
		for i := range 1 + r.IntN(600) {
			key := fmt.Sprintf("%07d", 1000*round+i)
			if !inOrder {
				key = fmt.Sprint(r.IntN(4000))
			}
			value := strings.Repeat(fmt.Sprint(round, " "), r.IntN(2000))
			records = append(records, Record{[]byte(key), []byte(value)})
			want[key] = value // the last of several
		}
		err := w.WriteTable(records)
		if err == nil && !inOrder {
			key := fmt.Sprint(r.IntN(4000))
			err = w.Delete([]byte(key))
			delete(want, key)
		}
		if err == nil && r.IntN(4) == 0 {
			w.Abandon()
			w, err = Reopen(dir)
		}
		if err != nil {
			t.Fatal(err)
		}
		view, err := w.View()
		if err != nil {
			t.Fatal(err)
		}
		compare(t, view, want)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return want
}

// TestWriteTable tests that records written as a table behave like those of the log: the newest of each key is used.
func TestWriteTable(t *testing.T) {
	for seed := range uint64(4) {
		dir := filepath.Join(t.TempDir(), "db")
		want := bulk(t, rand.New(rand.NewPCG(seed, 1)), dir, seed%2 == 0, seed < 2)
		db := open(t, dir)
		compare(t, db, want)
		last := tableMeta{}
		for _, m := range db.tables {
			if m.level == 0 || last.largest != nil && compareKeys(last.largest, m.smallest) >= 0 {
				t.Errorf("a table of level %d from %q after one to %q", m.level, m.smallest, last.largest)
			}
			last = m
		}
	}
}

// TestJudgeWriteTable tests that the C++ library reads the same records.
func TestJudgeWriteTable(t *testing.T) {
	for seed := range uint64(2) {
		dir := filepath.Join(t.TempDir(), "db")
		bulk(t, rand.New(rand.NewPCG(seed, 2)), dir, true, seed == 0)
		want := digest(t, open(t, dir))
		if got := python(t, "digest", dir); got != want {
			t.Errorf("C++ reads %s, we read %s", got, want)
		}
	}
}

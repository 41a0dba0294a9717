package leveldb

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// TestRange tests that a range equals filtered output of All, in a database of overlapping tables, a log and
// deletions, and that adjacent ranges add up to the whole.
func TestRange(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	for seed := range tests.Of(t, uint64(2), 6) {
		r := rand.New(rand.NewPCG(seed, 5))
		dir := filepath.Join(t.TempDir(), "db")
		bulk(t, r, dir, seed%2 == 0, seed%3 == 0)
		db := open(t, dir)
		var all []Record
		for k, v := range db.All() {
			all = append(all, Record{slices.Clone(k), slices.Clone(v)})
		}
		for range tests.Of(t, 30, 100) {
			bound := func() []byte {
				switch r.IntN(8) {
				case 0:
					return nil
				case 1:
					return []byte("")
				}
				return fmt.Append(nil, r.IntN(12000))
			}
			from, to := bound(), bound()
			var want, got []string
			for _, one := range all {
				if (bounds{from, to}).has(one.Key) {
					want = append(want, string(one.Key), string(one.Value))
				}
			}
			records, problems := db.Range(from, to)
			for k, v := range records {
				got = append(got, string(k), string(v))
			}
			if !slices.Equal(want, got) || len(problems()) > 0 {
				t.Fatalf("%q to %q: %s %v", from, to, cmp.Diff(want, got), problems())
			}
		}
	}
}

// TestSize tests that the sizes of adjacent ranges add up to the total size, and grow with their content.
func TestSize(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	w, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	var records []Record
	for i := range 4000 {
		records = append(records, Record{fmt.Appendf(nil, "%06d", i), bytes.Repeat([]byte{byte(i), byte(i >> 3)}, 100+i/8)})
	}
	for len(records) > 0 { // adjacent tables
		n := min(900, len(records))
		if err := w.WriteTable(records[:n]); err != nil {
			t.Fatal(err)
		}
		records = records[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	db := open(t, dir)
	all := db.Size(nil, nil)
	if files, _ := filepath.Glob(filepath.Join(dir, "*.ldb")); len(files) < 4 || all < 100_000 {
		t.Fatalf("%d bytes in %d tables", all, len(files))
	}
	sum, last := int64(0), []byte(nil)
	var sizes []int64
	for i := 500; i <= 4000; i += 500 {
		next := fmt.Appendf(nil, "%06d", i)
		sizes = append(sizes, db.Size(last, next))
		sum, last = sum+sizes[len(sizes)-1], next
	}
	if !slices.IsSorted(sizes) || sum < all*9/10 || sum > all*11/10 {
		t.Errorf("%v is %d, of %d", sizes, sum, all)
	}
	if n := db.Size([]byte("004000"), nil) + db.Size(nil, []byte("000000")); n != 0 {
		t.Errorf("%d bytes of nothing", n)
	}
}

// TestRangeDamaged tests that a range reports the damage within it and no other.
func TestRangeDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	w, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	var records []Record
	for i := range 1000 {
		records = append(records, Record{fmt.Appendf(nil, "%04d", i), []byte(md5Value(i, 100))})
	}
	if err := w.WriteTable(records); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tables, _ := filepath.Glob(filepath.Join(dir, "*.ldb"))
	data := judge.Read(t, tables[0])
	data[len(data)/2] ^= 1
	if err := os.WriteFile(tables[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	db := open(t, dir)
	count := func(from, to string) (n, problems int) {
		records, met := db.Range([]byte(from), []byte(to))
		for range records {
			n++
		}
		return n, len(met())
	}
	for _, part := range [][2]string{{"0000", "0300"}, {"0700", "1000"}} {
		if n, problems := count(part[0], part[1]); n != 300 || problems != 0 {
			t.Errorf("%v: %d records, %d problems", part, n, problems)
		}
	}
	if n, problems := count("0300", "0700"); n >= 400 || n < 300 || problems != 1 {
		t.Errorf("%d records, %d problems", n, problems)
	}
	if len(db.Problems()) > 0 {
		t.Error(db.Problems())
	}

	// Damage anywhere is reported by exactly one of several adjacent ranges, and together they have all readable
	// records.
	step := tests.Of(t, 1999, 397)
	for at := 100; at < len(data); at += step {
		bad := slices.Clone(data)
		bad[len(data)/2] ^= 1 // restore the original
		bad[at] ^= 0x55
		if at > len(data)-step {
			bad = bad[:at]
		}
		if err := os.WriteFile(tables[0], bad, 0o600); err != nil {
			t.Fatal(err)
		}
		db := open(t, dir)
		n := 0
		for range db.All() {
			n++
		}
		var told []error
		for from := 0; from < 1000; from += 7 {
			records, met := db.Range(fmt.Appendf(nil, "%04d", from), fmt.Appendf(nil, "%04d", from+7))
			for range records {
				n--
			}
			told = append(told, met()...)
		}
		if n != 0 || len(told) != 1 || len(db.Problems()) != 1 || told[0].Error() != db.Problems()[0].Error() {
			t.Errorf("damage at %d: %v, and in ranges %v; %d records are missing", at, db.Problems(), told, n)
		}
	}
}

package leveldb

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/testing/judge"
)

// seeds adds the files of sample databases whose names match a pattern.
func seeds(f *testing.F, pattern string) {
	for _, end := range []func(*Writer) error{(*Writer).Close, abandon} {
		files, _ := filepath.Glob(filepath.Join(makeDB(f, 30, 0, end), pattern))
		for _, path := range files {
			data := judge.Read(f, path)
			f.Add(data)
		}
	}
}

// records returns the records of a log.
func records(data []byte, report func(*fault.Error)) [][]byte {
	var all [][]byte
	for l := newLogReader(bytes.NewReader(data), "log", report); ; {
		record, _, err := l.next()
		if err == io.EOF {
			return all
		}
		all = append(all, record)
	}
}

// FuzzLog tests that the records of any log equal those of a log written from them, and that no record is read twice.
func FuzzLog(f *testing.F) {
	seeds(f, "*.log")
	f.Add(bytes.Repeat([]byte{0}, logBlockSize+10))
	f.Fuzz(func(t *testing.T, data []byte) {
		found := records(data, func(*fault.Error) {})
		var out bytes.Buffer
		w, sum := newLogWriter(&out), 0
		for _, r := range found {
			sum += len(r)
			if err := w.add(r); err != nil {
				t.Fatal(err)
			}
			readBatch(r, 0, func(tag uint64, key, value []byte) {
				if len(key)+len(value) > len(r) {
					t.Error("a record of a batch is larger than the batch")
				}
			})
		}
		if sum > len(data) {
			t.Fatalf("%d bytes of records in %d", sum, len(data))
		}
		again := records(out.Bytes(), func(e *fault.Error) { t.Error(e) })
		if len(again) != len(found) {
			t.Fatalf("%d records, then %d", len(found), len(again))
		}
		for i := range found {
			if !bytes.Equal(found[i], again[i]) {
				t.Fatalf("record %d differs", i)
			}
		}
	})
}

// FuzzManifest tests that a readable manifest is unchanged after being written again.
func FuzzManifest(f *testing.F) {
	seeds(f, "MANIFEST-*")
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, record := range append(records(data, func(*fault.Error) {}), data) {
			e, err := decodeEdit(record, 0)
			if err != nil {
				continue
			}
			once := e.append(nil)
			again, err := decodeEdit(once, 0)
			if err != nil {
				t.Fatal(err)
			}
			if twice := again.append(nil); !bytes.Equal(once, twice) {
				t.Fatalf("%x, then %x", once, twice)
			}
		}
		if v, err := readManifest(bytes.NewReader(data), "manifest", func(*fault.Error) {}); err == nil && v.comparator != comparator {
			t.Error("another comparator")
		}
	})
}

// FuzzTable tests that the records of any table that is read without a problem survive a round trip.
func FuzzTable(f *testing.F) {
	seeds(f, "*.ldb")
	f.Fuzz(func(t *testing.T, data []byte) {
		tab, err := readTable(bytes.NewReader(data), int64(len(data)), "table")
		if err != nil {
			return
		}
		s := tab.source(func(error) {})
		var out bytes.Buffer
		w := newTableWriter(&out)
		var keys, values [][]byte
		for s.next() {
			if n := len(keys); n > 0 && compareKeys(keys[n-1], s.key()) >= 0 {
				continue
			}
			user, _ := splitKey(s.key())
			tab.get(user)
			keys, values = append(keys, s.key()), append(values, s.value())
			w.add(s.key(), s.value())
			if len(keys) == 10_000 {
				break
			}
		}
		if _, err := w.finish(); err != nil {
			t.Fatal(err)
		}
		if tab, err = readTable(bytes.NewReader(out.Bytes()), int64(out.Len()), "table"); err != nil {
			t.Fatal(err)
		}
		i := 0
		for again := tab.source(func(err error) { t.Error(err) }); again.next(); i++ {
			if i == len(keys) || !bytes.Equal(again.key(), keys[i]) || !bytes.Equal(again.value(), values[i]) {
				t.Fatalf("record %d differs", i)
			}
		}
		if i != len(keys) {
			t.Fatalf("%d records, %d written", i, len(keys))
		}
	})
}

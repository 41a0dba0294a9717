package leveldb

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/files/filelock"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// cpp runs the C++ library through Python's plyvel. It writes the records of expected, or prints a digest of all
// records.
const cpp = `
import hashlib, os, struct, sys
import plyvel

def value(i, n):
    return (hashlib.md5(str(i).encode()).digest() * (n // 16 + 1))[:n]

def write(path, n, compact, big, compression, bloom):
    db = plyvel.DB(path, create_if_missing=True, compression=compression or None, bloom_filter_bits=bloom)
    for i in range(n):
        db.put(str(i * 7919 % n - n // 3).encode(), value(i, i % 40))
    for i in range(0, n, 3):
        db.put(str(i - n // 3).encode(), value(i + 1, 20))
    if compact:
        db.compact_range()
    for i in range(0, n, 10):
        db.delete(str(i - n // 3).encode())
    with db.write_batch() as b:
        for i in range(0, n, 100):
            b.put(str(i - n // 3).encode(), b'batch')
    for i in range(big):
        db.put(b'big' + str(i).encode(), value(i, 1000000 + 100000 * i))
    return db

def digest(path):
    db = plyvel.DB(path, paranoid_checks=True)
    h, n = hashlib.sha256(), 0
    for k, v in db.iterator(verify_checksums=True):
        h.update(struct.pack('<II', len(k), len(v)) + k + v)
        n += 1
    print(n, h.hexdigest())
    db.close()

a = sys.argv[1:]
if a[0] == 'hold':
    db = plyvel.DB(a[1])
    print('open', flush=True)
    sys.stdin.read()
elif a[0] == 'digest':
    digest(a[1])
else:
    db = write(a[1], int(a[2]), a[3] == '1', int(a[4]), a[5], int(a[6]))
    if a[0] == 'kill':
        os._exit(0)
    db.close()
`

// expected returns the records that the program above writes.
func expected(n, big int) map[string]string {
	all := map[string]string{}
	key := func(i int) string { return fmt.Sprint(i - n/3) }
	for i := range n {
		all[key(i*7919%n)] = md5Value(i, i%40)
	}
	for i := 0; i < n; i += 3 {
		all[key(i)] = md5Value(i+1, 20)
	}
	for i := 0; i < n; i += 10 {
		delete(all, key(i))
	}
	for i := 0; i < n; i += 100 {
		all[key(i)] = "batch"
	}
	for i := range big {
		all[fmt.Sprintf("big%d", i)] = md5Value(i, 1000000+100000*i)
	}
	return all
}

// command returns a command that runs the C++ library. It skips the test if the library is not installed.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	tests.Judges(t)
	ctx := t.Context()
	for _, path := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(ctx, path, "-c", "import plyvel").Run() != nil {
			continue
		}
		c := exec.CommandContext(ctx, path, append([]string{"-c", cpp}, args...)...)
		c.Stderr = os.Stderr
		return c
	}
	tests.Missing(t, "judges", "no C++ LevelDB here: install the package python3-plyvel")
	return nil
}

// python runs the C++ library.
func python(t *testing.T, args ...string) string {
	t.Helper()
	out, err := command(t, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// clean checks that the C++ library reported no problems when it opened a database.
func clean(t *testing.T, dir string, words ...string) {
	t.Helper()
	for _, name := range []string{"LOG", "LOG.old"} {
		log := judge.Read(t, filepath.Join(dir, name))
		for _, word := range append(words, "gnoring", "rror", "orrupt") {
			if strings.Contains(string(log), word) {
				t.Errorf("C++ says:\n%s", log)
			}
		}
	}
}

// digest returns the digest that the C++ library prints for a database.
func digest(t testing.TB, db *DB) string {
	t.Helper()
	h, n := sha256.New(), 0
	for k, v := range db.All() {
		h.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(len(k))), uint32(len(v))))
		h.Write(k)
		h.Write(v)
		n++
	}
	if err := db.Err(); err != nil {
		t.Error(err)
	}
	return fmt.Sprint(n, " ", hex.EncodeToString(h.Sum(nil)))
}

// TestJudgeWrites tests that all data written by the C++ library is read, however its process ended.
func TestJudgeWrites(t *testing.T) {
	for _, c := range []struct {
		name, end, compact, compression, bloom string
		n, big                                 int
	}{
		{"small, killed", "kill", "0", "snappy", "0", 1000, 0},
		{"killed", "kill", "0", "snappy", "0", 60_000, 3},
		{"closed, compacted", "close", "1", "snappy", "10", 60_000, 3},
		{"plain, compacted, killed", "kill", "1", "", "0", 50_000, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !tests.Long(t) && c.n > 1000 {
				t.Skip("writes many records: not in short mode")
			}
			dir := filepath.Join(t.TempDir(), "db")
			python(t, c.end, dir, fmt.Sprint(c.n), c.compact, fmt.Sprint(c.big), c.compression, c.bloom)
			before := snapshot(t, dir)
			db := open(t, dir)
			want := expected(c.n, c.big)
			compare(t, db, want)
			for i := -10; i < 2000; i++ {
				key := fmt.Sprint(i)
				v, ok, err := db.Get([]byte(key))
				if w, there := want[key]; err != nil || ok != there || string(v) != w {
					t.Fatalf("Get(%s) = %q, %v, %v, want %q, %v", key, v, ok, err, w, there)
				}
			}
			if p := db.Problems(); len(p) > 0 {
				t.Errorf("problems: %v", p)
			}
			unchanged(t, dir, before)
			ours := digest(t, db) // C++ may replace the tables that db reads
			if got := python(t, "digest", dir); got != ours {
				t.Errorf("C++ reads %s, we read %s", got, ours)
			}
			t.Logf("%d records, %d in the log, %d tables", len(want), len(db.mem.entries), len(db.tables))
		})
	}
}

// TestJudgeReads tests that the C++ library reads all data written here, and reports no problems.
func TestJudgeReads(t *testing.T) {
	for _, c := range []struct {
		name   string
		n, big int
		close  bool
	}{
		{"empty", 0, 0, true},
		{"empty, killed", 0, 0, false},
		{"small", 100, 0, true},
		{"small, killed", 100, 0, false},
		{"large", 60_000, 3, true},
		{"large, killed", 60_000, 3, false},
		{"very large", 20_000, 15, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !tests.Long(t) && c.n > 1000 {
				t.Skip("writes many records: not in short mode")
			}
			dir := filepath.Join(t.TempDir(), "db")
			w, err := Create(dir)
			if err != nil {
				t.Fatal(err)
			}
			fill(t, w, c.n, c.big)
			if c.close {
				err = w.Close()
			} else {
				err = w.Sync()
				w.Abandon()
			}
			if err != nil {
				t.Fatal(err)
			}
			db := open(t, dir)
			compare(t, db, expected(c.n, c.big))
			if p := db.Problems(); len(p) > 0 {
				t.Errorf("problems: %v", p)
			}
			want := digest(t, db)
			for range 2 { // the second time after C++ has rewritten it
				if got := python(t, "digest", dir); got != want {
					t.Errorf("C++ reads %s, we read %s", got, want)
				}
			}
			if c.close { // there is nothing to compact
				clean(t, dir, "ompacting")
			} else {
				clean(t, dir)
			}
			if got := digest(t, open(t, dir)); got != want {
				t.Errorf("after C++ opened it, we read %s, before %s", got, want)
			}
		})
	}
}

// TestJudgeEdits tests repeated changes here of a database written by C++: C++ reads all data, however both processes
// ended.
func TestJudgeEdits(t *testing.T) {
	for _, end := range []string{"close", "kill"} {
		t.Run(end, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "db")
			python(t, end, dir, "3000", "1", "2", "snappy", "10")
			want := expected(3000, 2)
			for round := range 4 {
				w, err := Reopen(dir)
				if err != nil {
					t.Fatal(err)
				}
				var b Batch
				for i := range 200 {
					key := fmt.Sprint(i*7 - 900 + round)
					if i%3 == 0 {
						b.Delete([]byte(key))
						delete(want, key)
					} else {
						want[key] = fmt.Sprint("changed", round)
						b.Put([]byte(key), []byte(want[key]))
					}
				}
				if round == 2 { // more than fits in memory
					want["big0"] = strings.Repeat("x", memtableSize+1)
					b.Put([]byte("big0"), []byte(want["big0"]))
				}
				if err = w.Write(&b); err == nil {
					err = w.Sync()
				}
				if err == nil && round%2 == 0 {
					err = w.Close()
				} else {
					w.Abandon()
				}
				if err != nil {
					t.Fatal(err)
				}
				db := open(t, dir)
				compare(t, db, want)
				if round == 1 { // two changes before C++ sees them
					continue
				}
				ours := digest(t, db) // C++ replaces the tables that db reads
				if got := python(t, "digest", dir); got != ours {
					t.Errorf("C++ reads %s, we wrote %s", got, ours)
				}
				clean(t, dir)
			}
		})
	}
}

// TestJudgeLock tests that a database which a program has open is not changed.
func TestJudgeLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	python(t, "close", dir, "10", "0", "0", "", "0")
	c := command(t, "hold", dir)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "open\n" {
		t.Fatal(line, err)
	}
	if _, err := Reopen(dir); !errors.Is(err, filelock.ErrInUse) {
		t.Errorf("while C++ has it open: %v", err)
	}
	in.Close()
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
	w, err := Reopen(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := command(t, "digest", dir).Run(); err == nil {
		t.Error("C++ opens what is being changed")
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

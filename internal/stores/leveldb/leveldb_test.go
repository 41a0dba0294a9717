package leveldb

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

func md5Value(i, n int) string {
	sum := md5.Sum([]byte(fmt.Sprint(i)))
	return strings.Repeat(string(sum[:]), n/16+1)[:n]
}

func open(t testing.TB, dir string) *DB {
	t.Helper()
	db, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// fill writes the records of expected.
func fill(t testing.TB, w *Writer, n, big int) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	key := func(i int) []byte { return fmt.Append(nil, i-n/3) }
	for i := range n {
		must(w.Put(key(i*7919%n), []byte(md5Value(i, i%40))))
	}
	for i := 0; i < n; i += 3 {
		must(w.Put(key(i), []byte(md5Value(i+1, 20))))
	}
	for i := 0; i < n; i += 10 {
		must(w.Delete(key(i)))
	}
	var b Batch
	for i := 0; i < n; i += 100 {
		b.Put(key(i), []byte("batch"))
	}
	must(w.Write(&b))
	for i := range big {
		must(w.Put(fmt.Appendf(nil, "big%d", i), []byte(md5Value(i, 1000000+100000*i))))
	}
}

// compare checks that a database contains exactly the records in want, in order.
func compare(t testing.TB, db *DB, want map[string]string) {
	t.Helper()
	keys := slices.Sorted(maps.Keys(want))
	i := 0
	for k, v := range db.All() {
		if i == len(keys) || string(k) != keys[i] || string(v) != want[keys[i]] {
			t.Fatalf("record %d of %d is %q = %.40q", i, len(keys), k, v)
		}
		i++
	}
	if err := db.Err(); err != nil || i != len(keys) {
		t.Fatalf("%d records, want %d; %v", i, len(keys), err)
	}
}

// snapshot returns the names, times and contents of the files in a folder.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		data := judge.Read(t, filepath.Join(dir, e.Name()))
		info, _ := e.Info()
		all[e.Name()] = fmt.Sprint(info.ModTime(), info.Mode(), md5.Sum(data))
	}
	return all
}

func unchanged(t testing.TB, dir string, before map[string]string) {
	t.Helper()
	if after := snapshot(t, dir); !maps.Equal(before, after) {
		t.Errorf("the folder was changed: %v, before %v", after, before)
	}
}

// make makes a database and returns its folder.
func makeDB(t testing.TB, n, big int, end func(*Writer) error) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "db")
	w, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, w, n, big)
	if err := end(w); err != nil {
		t.Fatal(err)
	}
	return dir
}

func abandon(w *Writer) error {
	w.Abandon()
	return nil
}

func TestWriter(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	for _, end := range []struct {
		name string
		f    func(*Writer) error
	}{{"closed", (*Writer).Close}, {"killed", abandon}} {
		for _, n := range []int{0, 1, 1000, tests.Of(t, 30_000, 60_000)} {
			t.Run(fmt.Sprint(end.name, " ", n), func(t *testing.T) {
				dir := makeDB(t, n, n/30_000, end.f)
				before := snapshot(t, dir)
				db := open(t, dir)
				want := expected(n, n/30_000)
				compare(t, db, want)
				for k, v := range want {
					if got, ok, err := db.Get([]byte(k)); !ok || err != nil || string(got) != v {
						t.Fatalf("Get(%s) = %q, %v, %v", k, got, ok, err)
					}
				}
				if _, ok, err := db.Get([]byte("none")); ok || err != nil {
					t.Errorf("Get of a key that is not there: %v, %v", ok, err)
				}
				unchanged(t, dir, before)
			})
		}
	}
}

// TestReopen tests that a database that was not closed can be continued repeatedly.
func TestReopen(t *testing.T) {
	n := tests.Of(t, 6000, 30_000)
	dir := makeDB(t, n, 2, abandon)
	want := expected(n, 2)
	for i := range 4 {
		w, err := Reopen(dir)
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprint("more", i)
		if err := w.Put([]byte(key), []byte("x")); err != nil {
			t.Fatal(err)
		}
		want[key] = "x"
		if err := w.Delete([]byte("0")); err != nil {
			t.Fatal(err)
		}
		delete(want, "0")
		if v, ok, err := w.Get([]byte("big1")); !ok || err != nil || string(v) != want["big1"] {
			t.Errorf("Get of a writer: %.20q, %v, %v", v, ok, err)
		}
		if _, ok, err := w.Get([]byte("0")); ok || err != nil {
			t.Errorf("Get of what was deleted: %v, %v", ok, err)
		}
		view, err := w.View()
		if err != nil {
			t.Fatal(err)
		}
		compare(t, view, want)
		if i < 3 {
			w.Abandon()
		} else if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := w.Put([]byte("late"), nil); err == nil {
			t.Error("Put after the end")
		}
		compare(t, open(t, dir), want)
	}
	// A database that was closed can also be continued, and its tables stay unchanged.
	before := snapshot(t, dir)
	w, err := Reopen(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put([]byte("after"), []byte("all")); err != nil {
		t.Fatal(err)
	}
	want["after"] = "all"
	compare(t, w.view(), want)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	compare(t, open(t, dir), want)
	after := snapshot(t, dir)
	for name, data := range before {
		if strings.HasSuffix(name, ".ldb") && after[name] != data {
			t.Errorf("the table %s has changed", name)
		}
	}
	if _, err := Create(dir); !errors.Is(err, os.ErrExist) {
		t.Errorf("Create where there is a database: %v", err)
	}
}

// TestBatch tests that Write leaves the batch unchanged and keeps no reference to it.
func TestBatch(t *testing.T) {
	w, err := Create(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	var b Batch
	b.Put([]byte("a"), []byte("1"))
	for range 2 {
		if err := w.Write(&b); err != nil {
			t.Fatal(err)
		}
	}
	b = Batch{}
	b.Delete([]byte("b"))
	b.Put([]byte("c"), []byte("3"))
	if b.count != 2 {
		t.Errorf("%d records", b.count)
	}
	if err := w.Write(&b); err != nil {
		t.Fatal(err)
	}
	compare(t, w.view(), map[string]string{"a": "1", "c": "3"})
}

// Put sets the value of a key.
func (w *Writer) Put(key, value []byte) error {
	var b Batch
	b.Put(key, value)
	return w.Write(&b)
}

// Delete removes a key.
func (w *Writer) Delete(key []byte) error {
	var b Batch
	b.Delete(key)
	return w.Write(&b)
}

// TestTornLog tests that a log cut off anywhere yields the records before the cut, and ErrTorn.
func TestTornLog(t *testing.T) {
	dir := makeDB(t, 0, 0, func(w *Writer) error {
		for i := range 3 {
			if err := w.Put(fmt.Append(nil, i), make([]byte, 20_000)); err != nil {
				return err
			}
		}
		return abandon(w)
	})
	path := filepath.Join(dir, logName(3))
	data := judge.Read(t, path)
	for cut := len(data); cut >= 0; cut -= 97 {
		judge.Write(t, path, data[:cut])
		db := open(t, dir)
		n := 0
		for range db.All() {
			n++
		}
		if db.Err() != nil || n != cut*3/len(data) {
			t.Fatalf("cut at %d of %d: %d records, %v", cut, len(data), n, db.Err())
		}
		for _, p := range db.Problems() {
			if !errors.Is(p, ErrTorn) {
				t.Errorf("cut at %d: %v", cut, p)
			}
		}
		if torn := cut < len(data) && cut > 0; len(db.Problems()) == 0 && torn && cut%20019 > 30 {
			t.Errorf("cut at %d: no problem", cut)
		}
	}
}

// TestDamage tests that damage anywhere is reported or harmless, and never affects records elsewhere.
func TestDamage(t *testing.T) {
	dir := makeDB(t, 3000, 0, (*Writer).Close)
	want := expected(3000, 0)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		good := judge.Read(t, path)
		for at := 0; at < len(good); at += 1 + len(good)/150 {
			bad := bytes.Clone(good)
			bad[at] ^= 0x41
			judge.Write(t, path, bad)
			db, err := Open(dir, nil)
			if err != nil {
				var e *fault.Error
				if !errors.As(err, &e) || e.File == "" {
					t.Errorf("%s at %d: %v", path, at, err)
				}
				continue
			}
			n := 0
			for k, v := range db.All() {
				if want[string(k)] != string(v) {
					t.Errorf("%s at %d: %q = %q", path, at, k, v)
				}
				n++
			}
			switch {
			case db.Err() == nil && n != len(want):
				t.Errorf("%s at %d: %d records, no problem", path, at, n)
			case filepath.Ext(path) == ".ldb" && at < len(good)*9/10 && n < len(want)*9/10:
				t.Errorf("%s at %d: only %d records of %d", path, at, n, len(want))
			}
			db.Close()
		}
		judge.Write(t, path, good)
	}
	for _, name := range []string{"MANIFEST*", "*.ldb", "*.log", "CURRENT"} {
		files, err := filepath.Glob(filepath.Join(dir, name))
		if err != nil || len(files) != 1 || os.Remove(files[0]) != nil {
			t.Fatal(name, files, err)
		}
	}
	judge.Write(t, filepath.Join(dir, "LOCK"), nil)
	if _, err := Open(dir, nil); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("with nothing to rebuild from: %v", err)
	}
}

// TestTableFiles tests that a missing table is a problem, and that a table with the suffix of old versions is not.
func TestTableFiles(t *testing.T) {
	dir := makeDB(t, 1000, 0, (*Writer).Close)
	tables, err := filepath.Glob(filepath.Join(dir, "*.ldb"))
	if err != nil || len(tables) != 1 {
		t.Fatal(tables, err)
	}
	old := strings.TrimSuffix(tables[0], ".ldb") + ".sst"
	if err := os.Rename(tables[0], old); err != nil {
		t.Fatal(err)
	}
	compare(t, open(t, dir), expected(1000, 0))
	if err := os.Remove(old); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir).Err(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the table: %v", err)
	}
}

// TestFolderForLog tests that a folder with the name of a log is reported and ignored.
func TestFolderForLog(t *testing.T) {
	dir := makeDB(t, 1000, 0, (*Writer).Close)
	if err := os.Mkdir(filepath.Join(dir, "999999.log"), 0o777); err != nil {
		t.Fatal(err)
	}
	db := open(t, dir)
	got := map[string]string{}
	for k, v := range db.All() {
		got[string(k)] = string(v)
	}
	if err := db.Err(); err == nil || !strings.Contains(err.Error(), "999999.log") || !maps.Equal(got, expected(1000, 0)) {
		t.Errorf("%d records, told %v", len(got), err)
	}
}

// storedBlock returns a block in the form stored in a table.
func storedBlock(kind byte, data []byte) []byte {
	stored := append(bytes.Clone(data), kind)
	return binary.LittleEndian.AppendUint32(stored, maskedCRC(stored))
}

// TestCompressedBlocks tests that compressed blocks of any size, of equal and of random bytes, are read. Newer
// versions of C++ LevelDB use zstd.
func TestCompressedBlocks(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	largest := tests.Of(t, 128<<10, 8<<20)
	random := make([]byte, largest+1)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(random)
	check := func(kind byte, stream, want []byte) {
		t.Helper()
		if got, err := inflate(storedBlock(kind, stream), "table", 0); err != nil || !bytes.Equal(got, want) {
			t.Errorf("compression %d: %d bytes of %d, %v", kind, len(got), len(want), err)
		}
	}
	for p := 1; p <= largest; p *= 2 {
		for n := p - 1; n <= p+1; n++ {
			mixed := slices.Concat(make([]byte, n/3), random[:n/3], bytes.Repeat([]byte("block"), n)[:n-2*(n/3)])
			for _, content := range [][]byte{make([]byte, n), random[:n], mixed} {
				check(blockSnappy, snappy.Encode(nil, content), content)
				check(blockSnappy, s2.EncodeSnappyBest(nil, content), content)
				if n > 0 {
					check(blockZstd, enc.EncodeAll(content, nil), content)
				}
			}
		}
	}
}

// TestLyingBlocks tests that blocks with a wrong stated size allocate no memory for it.
func TestLyingBlocks(t *testing.T) {
	stated := func(size uint64, elements ...byte) []byte {
		return append(binary.AppendUvarint(nil, size), elements...)
	}
	bomb := bytes.Repeat([]byte{0xfe, 1, 0}, maxContent/64+1) // copies of 64 bytes
	for name, stored := range map[string][]byte{
		"snappy, 4 GiB":          storedBlock(blockSnappy, stated(1<<32-1, 0, 'x')),
		"snappy, 2^60":           storedBlock(blockSnappy, stated(1<<60, 0, 'x')),
		"snappy, a long literal": storedBlock(blockSnappy, stated(1<<30, 0xfc, 0xff, 0xff, 0xff, 0x3f, 'x')),
		"snappy, cut off":        storedBlock(blockSnappy, stated(1<<24, 0xf8, 0xff, 0xff)),
		"snappy, a bomb":         storedBlock(blockSnappy, stated(1+64*uint64(len(bomb)/3), append([]byte{0, 'x'}, bomb...)...)),
		"snappy, nothing":        storedBlock(blockSnappy, nil),
		"zstd, 200 MiB":          storedBlock(blockZstd, []byte("(\xb5/\xfd\xa0\x00\x00\x80\x0c\x23\x03\x00x")),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := inflate(stored, "table", 0)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 2<<20 {
			t.Errorf("%s: %d bytes of memory, %v", name, took, err)
		}
	}
}

// TestCorpus tests the databases of real worlds.
func TestCorpus(t *testing.T) {
	found := 0
	for _, path := range tests.CorpusFiles(t, "minetest", "CURRENT") {
		dir := filepath.Dir(path)
		before := snapshot(t, dir)
		db := open(t, dir)
		n, bytes := 0, 0
		for k, v := range db.All() {
			n++
			bytes += len(k) + len(v)
		}
		if p := db.Problems(); len(p) > 0 {
			t.Errorf("%s: %v", dir, p)
		}
		unchanged(t, dir, before)
		t.Logf("%s: %d records, %d bytes", dir, n, bytes)
		found += n
	}
	if found < 3000 {
		t.Errorf("%d records in all", found)
	}
}

// TestKill tests that a program that is killed while it writes leaves all records that it reported as synced.
func TestKill(t *testing.T) {
	tests.NotRaced(t, "kills and restarts what runs alone")
	if dir := os.Getenv("LEVELDB_KILL"); dir != "" {
		w, err := Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; ; i++ {
			var b Batch
			b.Put(fmt.Append(nil, "a", i), []byte(md5Value(i, 3000)))
			b.Put(fmt.Append(nil, "b", i), []byte(md5Value(i, 3000)))
			if err := w.Write(&b); err != nil {
				t.Fatal(err)
			}
			if i%50 == 0 {
				if err := w.Sync(); err != nil {
					t.Fatal(err)
				}
				fmt.Println("synced", i)
			}
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for round := range 4 {
		dir := filepath.Join(t.TempDir(), "db")
		c := exec.Command(self, "-test.run=^TestKill$")
		c.Env = append(os.Environ(), "LEVELDB_KILL="+dir)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		synced := -1
		lines := bufio.NewScanner(out)
		for range 2 + 12*round {
			if !lines.Scan() {
				t.Fatal("the child ended")
			}
			fmt.Sscanf(lines.Text(), "synced %d", &synced)
		}
		time.Sleep(time.Duration(round) * 7 * time.Millisecond)
		c.Process.Kill()
		c.Wait()

		check := func(db *DB) {
			t.Helper()
			as, bs := 0, 0
			for k, v := range db.All() {
				var i int
				fmt.Sscanf(string(k[1:]), "%d", &i)
				if string(v) != md5Value(i, 3000) {
					t.Fatalf("%s has another value", k)
				}
				if k[0] == 'a' {
					as++
				} else {
					bs++
				}
			}
			if db.Err() != nil || as != bs || as <= synced {
				t.Errorf("%d and %d records, %d were synced; %v", as, bs, synced, db.Err())
			}
		}
		check(open(t, dir))
		w, err := Reopen(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		check(open(t, dir))
	}
}

// TestPointers tests that Git LFS pointer files in a database are reported as such, and that the rest is readable if
// the file is a table or a log.
func TestPointers(t *testing.T) {
	for _, c := range []struct {
		file string
		open bool
		end  func(*Writer) error
	}{{"CURRENT", false, abandon}, {"MANIFEST", false, abandon}, {".log", true, abandon}, {".ldb", true, (*Writer).Close}} {
		dir := makeDB(t, 3000, 0, c.end)
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.Contains(e.Name(), c.file) {
				text := "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
				judge.Write(t, filepath.Join(dir, e.Name()), []byte(text))
			}
		}
		db, err := Open(dir, nil)
		if !c.open {
			if !errors.Is(err, regular.ErrPointer) {
				t.Errorf("%s: %v", c.file, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		for range db.All() {
		}
		problems := db.Problems()
		if len(problems) == 0 {
			t.Errorf("%s: no problem", c.file)
		}
		for _, err := range problems {
			if !errors.Is(err, regular.ErrPointer) {
				t.Errorf("%s: %v", c.file, err)
			}
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

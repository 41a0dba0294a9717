package leveldb

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/internal/text/words"
)

// sealed returns a value from which its key and its completeness can be checked.
func sealed(key string, version, n int) string {
	return fmt.Sprintf("%s/%d/%d/%s", key, version, n, md5Value(version*1000+n, n))
}

func isSealed(key, value []byte) bool {
	parts := strings.SplitN(string(value), "/", 4)
	var version, n int
	if len(parts) < 4 || parts[0] != string(key) {
		return false
	}
	if _, err := fmt.Sscan(parts[1]+" "+parts[2], &version, &n); err != nil || n < 0 || n > 1<<20 {
		return false
	}
	return string(value) == sealed(parts[0], version, n)
}

// makeSealed makes a database of tables and a log, and returns its records. Each version after the first replaces some
// of them.
func makeSealed(t testing.TB, dir string, n, versions int) map[string]string {
	t.Helper()
	truth := map[string]string{}
	for version := range versions {
		w, err := Create(dir)
		if version > 0 {
			w, err = Reopen(dir)
		}
		if err != nil {
			t.Fatal(err)
		}
		w.fresh = false // keeps the tables
		r := rand.New(rand.NewPCG(1, uint64(version)))
		for i := version; i < n; i += version + 1 {
			key := fmt.Sprint(i * 7919 % n)
			truth[key] = sealed(key, version, r.IntN(2)*r.IntN(3000)+r.IntN(80))
			if err := w.Put([]byte(key), []byte(truth[key])); err != nil {
				t.Fatal(err)
			}
		}
		if version == versions-1 {
			w.Abandon()
		} else if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return truth
}

// contents reads a database, and fails the test if a value is wrong.
func contents(t testing.TB, db *DB) map[string]string {
	t.Helper()
	got := map[string]string{}
	for k, v := range db.All() {
		if !isSealed(k, v) {
			t.Errorf("%s has a wrong value of %d bytes", k, len(v))
		}
		got[string(k)] = string(v)
		if again, ok, err := db.Get(k); err == nil && (!ok || !bytes.Equal(again, v)) {
			t.Errorf("Get(%s) is another value", k)
		}
	}
	return got
}

func copyDB(t testing.TB, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "db")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

func theFile(t testing.TB, dir, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatal(pattern, files, err)
	}
	return files[len(files)-1]
}

func change(t testing.TB, path string, do func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, do(data), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestRebuild tests that a database without its list of files has the records of all its tables and logs.
func TestRebuild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	truth := makeSealed(t, dir, 1500, 3)
	remove := func(pattern string) func(string) {
		return func(dir string) {
			if err := os.Remove(theFile(t, dir, pattern)); err != nil {
				t.Fatal(err)
			}
		}
	}
	cases := map[string]func(dir string){
		"no CURRENT":  remove("CURRENT"),
		"no manifest": remove("MANIFEST*"),
		"neither":     func(dir string) { remove("CURRENT")(dir); remove("MANIFEST*")(dir) },
		"CURRENT damaged": func(dir string) {
			change(t, theFile(t, dir, "CURRENT"), func([]byte) []byte { return []byte("\x00\x00") })
		},
		"manifest that lost the record with the order": func(dir string) {
			change(t, theFile(t, dir, "MANIFEST*"), func([]byte) []byte {
				var b bytes.Buffer
				if err := newLogWriter(&b).add(edit{nextFile: new(uint64)}.append(nil)); err != nil {
					t.Fatal(err)
				}
				return b.Bytes()
			})
		},
	}
	manifest := judge.Read(t, theFile(t, dir, "MANIFEST*"))
	for i := 0; i < len(manifest); i += tests.Of(t, 45, 9) {
		cases[fmt.Sprint("manifest cut at ", i)] = func(dir string) {
			change(t, theFile(t, dir, "MANIFEST*"), func(b []byte) []byte { return b[:i] })
		}
		cases[fmt.Sprint("manifest changed at ", i)] = func(dir string) {
			change(t, theFile(t, dir, "MANIFEST*"), func(b []byte) []byte { b[i] ^= 4; return b })
		}
	}
	for name, damage := range cases {
		dir := copyDB(t, dir)
		damage(dir)
		db, err := Open(dir, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := contents(t, db); !maps.Equal(got, truth) {
			t.Errorf("%s: %d of %d records", name, len(got), len(truth))
		}
		if err := db.Err(); err == nil {
			t.Errorf("%s: no problem is reported", name)
		}
		rebuilt := slices.ContainsFunc(db.Opening(), func(err error) bool {
			return errors.Is(err, ErrRebuilt) && strings.Contains(err.Error(), words.Count(len(truth), "record"))
		})
		if rebuilt == strings.Contains(name, "CURRENT") { // the manifest has more information
			t.Errorf("%s: %v", name, db.Opening())
		}
		if _, err := Reopen(dir); err == nil {
			t.Errorf("%s: it can be written", name)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestScan tests that the blocks of a table are found without its index, at any offset.
func TestScan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	truth := makeSealed(t, dir, 1500, 3)
	for name, c := range map[string]struct {
		damage func([]byte) []byte
		lost   int // maximum
	}{
		"cut by 100 bytes":         {func(b []byte) []byte { return b[:len(b)-100] }, 0},
		"512 bytes less":           {func(b []byte) []byte { return slices.Delete(b, len(b)/2, len(b)/2+512) }, 60},
		"three holes":              {func(b []byte) []byte { return slices.Delete(slices.Delete(b, 70, 71), len(b)/2, len(b)/2+1)[1:] }, 180},
		"something before":         {func(b []byte) []byte { return append(make([]byte, 77), b...) }, 0},
		"a page and the index":     {func(b []byte) []byte { clear(b[4096:8192]); return b[:len(b)-48] }, 120},
		"everything but the start": {func(b []byte) []byte { return b[:9000] }, 1000},
	} {
		dir := copyDB(t, dir)
		path := theFile(t, dir, "*.ldb")
		change(t, path, c.damage)
		db := open(t, dir)
		got := contents(t, db)
		if len(got) < len(truth)-c.lost {
			t.Errorf("%s: %d of %d records", name, len(got), len(truth))
		}
		if err := db.Err(); err == nil || !strings.Contains(err.Error(), filepath.Base(path)) ||
			!strings.Contains(err.Error(), "records in intact blocks") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestScanInside tests that a block stored inside a value is not mistaken for a block of the table.
func TestScanInside(t *testing.T) {
	stored := func(key, value string) []byte {
		var b packer
		b.plain = true
		b.add(internalKey([]byte(key), 7<<8|kindPut), []byte(value))
		return b.finish(nil).data
	}
	inner := stored("inner", "value")
	outer := stored("outer", string(inner))
	after := stored("z", "after")
	data := slices.Concat([]byte("damage"), outer, after)
	found := findBlocks(data, "table")
	if len(found) != 2 || found[0].from != 6 || found[0].to != 6+len(outer) || found[1].to != len(data) {
		t.Errorf("found %+v", found)
	}
}

// TestSalvage tests that a complete record in data with a wrong checksum is read and reported as salvaged.
func TestSalvage(t *testing.T) {
	for versions, pattern := range []string{1: "*.log", 2: "*.ldb"} {
		if versions == 0 {
			continue
		}
		source := filepath.Join(t.TempDir(), "db")
		truth := makeSealed(t, source, 300, versions)
		path := theFile(t, source, pattern)
		good := judge.Read(t, path)
		dir := copyDB(t, source)
		path = theFile(t, dir, pattern)
		salvaged, lost := 0, 0
		for at := 3; at < len(good); at += 1 + len(good)/tests.Of(t, 15, 60) {
			change(t, path, func([]byte) []byte { b := bytes.Clone(good); b[at] ^= 0x10; return b })
			db, err := Open(dir, isSealed)
			if err != nil {
				t.Fatal(err)
			}
			got, named := contents(t, db), 0
			for key := range got {
				if db.Salvaged([]byte(key)) {
					named++
				}
			}
			plain := contents(t, open(t, dir))
			if len(got)-len(plain) > named || db.Err() == nil {
				t.Errorf("%s at %d: %d records, %d without salvage, %d named; %v", pattern, at, len(got), len(plain), named, db.Err())
			}
			for key, value := range plain {
				if got[key] != value && !db.Salvaged([]byte(key)) {
					t.Errorf("%s at %d: %s differs with salvage", pattern, at, key)
				}
			}
			salvaged, lost = salvaged+named, lost+len(truth)-len(got)
			db.Close()
		}
		if salvaged == 0 {
			t.Errorf("%s: %d records salvaged, %d lost", pattern, salvaged, lost)
		}
	}
}

// repairs runs LevelDB's own repair, and prints the keys and values of each database.
const repairs = `
import os, sys, plyvel
for dir in sys.stdin.read().split('\n')[:-1]:
    sys.stdout.flush()
    if os.fork(): # it may end by an assertion
        os.wait()
        print('end')
        continue
    try:
        plyvel.repair_db(dir, compression=None)
        db = plyvel.DB(dir)
        for k, v in db:
            print(k.hex(), v.hex())
        db.close()
    except Exception as e:
        print('failed', e)
    sys.stdout.flush()
    os._exit(0)
`

// TestJudgeRepair tests that, whatever is damaged, all records that LevelDB's own repair finds are found.
func TestJudgeRepair(t *testing.T) {
	rounds := 20
	if os.Getenv("TROWEL_MUTATIONS") != "" {
		rounds = 200
	}
	source := filepath.Join(t.TempDir(), "db")
	truth := makeSealed(t, source, 400, 3)
	entries, err := os.ReadDir(source)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(2, 2))
	damage := func(path string) string {
		if r.IntN(8) == 0 {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			return "removed"
		}
		what := ""
		change(t, path, func(b []byte) []byte {
			if len(b) == 0 {
				return b
			}
			at, n := r.IntN(len(b)), r.IntN(1+len(b)/(1+r.IntN(40)))
			end := min(len(b), at+n)
			switch what = []string{"cut", "cleared", "hole", "flipped", "flipped", "flipped"}[r.IntN(6)]; what {
			case "cut":
				b = b[:at]
			case "cleared":
				clear(b[at:end])
			case "hole":
				b = slices.Delete(b, at, end)
			default:
				for range 1 + r.IntN(5) {
					b[r.IntN(len(b))] ^= 1 << r.IntN(8)
				}
			}
			return b
		})
		return what
	}
	var dirs, names []string
	ours := make([]map[string]string, rounds)
	for i := range rounds {
		dir, name := copyDB(t, source), ""
		for range 1 + r.IntN(3) {
			e := entries[r.IntN(len(entries))].Name()
			if path := filepath.Join(dir, e); r.IntN(2) == 0 || e != "CURRENT" {
				if _, err := os.Stat(path); err == nil {
					name += e + " " + damage(path) + "; "
				}
			}
		}
		db, err := Open(dir, isSealed)
		if err != nil {
			t.Fatal(name, err)
		}
		ours[i] = contents(t, db)
		if err := db.Err(); err == nil && !maps.Equal(ours[i], truth) && !strings.Contains(name, "cut") {
			t.Errorf("%s: %d of %d records, and no problem", name, len(ours[i]), len(truth))
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		repaired := copyDB(t, dir)
		if err := Repair(repaired, isSealed); err != nil {
			t.Fatal(name, err)
		}
		compare(t, open(t, repaired), ours[i])
		dirs, names = append(dirs, dir), append(names, name)
	}
	c := command(t)
	c.Args[2] = repairs
	c.Stdin = strings.NewReader(strings.Join(dirs, "\n") + "\n")
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	all, theirs, failed, i := 0, 0, 0, 0
	for lines.Scan() {
		if lines.Text() == "end" {
			all += len(ours[i])
			i++
			continue
		}
		if strings.HasPrefix(lines.Text(), "failed") {
			failed++
			continue
		}
		var k, v []byte
		if _, err := fmt.Sscanf(lines.Text(), "%x %x", &k, &v); err != nil {
			t.Fatal(err)
		}
		if !isSealed(k, v) {
			continue // LevelDB's repair accepts data with wrong checksums
		}
		theirs++
		got, ok := ours[i][string(k)]
		if !ok || string(v) == truth[string(k)] && got != string(v) {
			t.Errorf("%s%s: %.40q, LevelDB's repair finds %.40q", names[i], k, got, v)
		}
	}
	if i != rounds {
		t.Errorf("%d of %d databases were repaired", i, rounds)
	}
	t.Logf("%d records, of which LevelDB's repair finds %d; it fails %d times", all, theirs, failed)
}

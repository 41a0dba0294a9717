package mapdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/stores/leveldb"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// lines describes what a loop over blocks yields; damage of the file is listed once, as for a reader of all blocks.
func lines(rows iter.Seq2[Block, error], told map[string]bool) (all []string) {
	for b, err := range rows {
		var row *RowError
		switch {
		case errors.As(err, &row) && row.OfFile():
			if !told[err.Error()] {
				all = append(all, err.Error())
			}
			told[err.Error()] = true
		case errors.As(err, &row):
			all = append(all, "row "+row.Key+" "+err.Error())
		case err != nil:
			all = append(all, "failed "+err.Error())
		default:
			all = append(all, fmt.Sprintf("%v %x", b.Pos, b.Data))
		}
	}
	return all
}

// checkSlabs checks that reading a store slab by slab yields all its blocks, and that reading each slab after
// reopening the store yields the same in total.
func checkSlabs(t *testing.T, open func() DB, damaged bool) []Slab {
	t.Helper()
	ctx := t.Context()
	db := open()
	var slabs []Slab
	for _, a := range []Area{All(), {Pos{-3, -2, -17}, Pos{40, 1, 2}}, {Pos{-2048, -2048, 5}, Pos{2047, 2047, 900}},
		{Pos{1, 1, 1}, Pos{0, 0, 0}}} {
		whole := lines(InSlabs(ctx, db, a), map[string]bool{})
		list, err := Slabs(ctx, db, a)
		if err != nil {
			t.Fatal(err)
		}
		if a == All() {
			slabs = list
		}
		var joined []string
		told, besides := map[string]bool{}, map[string]bool{}
		for _, s := range list {
			one := open()
			got := lines(InSlab(ctx, one, s, a), told)
			if again := lines(InSlab(ctx, one, s, a), map[string]bool{}); s != SlabRest && len(got) > len(again) {
				t.Errorf("slab %s: %d, and again %d", s, len(got), len(again))
			}
			if len(got) == 0 && a == All() && s != SlabRest && s != SlabAll && !damaged && slabBytes > 1 {
				t.Errorf("slab %s is empty", s)
			}
			joined = append(joined, got...)
			if in, has, err := s.Where(); err != nil {
				t.Error(err)
			} else if a == All() && s != SlabAll {
				for b, err := range db.Blocks(ctx, a) {
					if is := slices.Contains(got, fmt.Sprintf("%v %x", b.Pos, b.Data)); err == nil && !damaged &&
						is != (in.Contains(b.Pos) && has(b.Pos)) {
						t.Errorf("slab %s has %v: %v", s, b.Pos, is)
					}
				}
			}
			for _, text := range damageIn(one) {
				besides[text] = true
			}
			if one != db {
				one.Close()
			}
		}
		if got := damageIn(db); a == All() && len(got) != len(besides) {
			t.Errorf("damage by which no block is lost: %v, and of the slabs %v", got, besides)
		}
		if diff := cmp.Diff(whole, joined); diff != "" {
			t.Fatalf("%v, %v: the whole is not its slabs: %s", a, list, diff)
		}
		if damaged {
			continue // reading everything rescues more than reading one slab
		}
		all := lines(db.Blocks(ctx, a), map[string]bool{})
		slices.Sort(whole)
		slices.Sort(all)
		if a != All() { // rows without a position may be met or not
			odd := func(line string) bool { return strings.HasPrefix(line, "row") }
			whole, all = slices.DeleteFunc(whole, odd), slices.DeleteFunc(all, odd)
		}
		if diff := cmp.Diff(all, whole); diff != "" {
			t.Fatalf("%v, %v: slab after slab is not all: %s", a, list, diff)
		}
	}
	return slabs
}

func damageIn(db DB) (list []string) {
	if v, ok := db.(Verifier); ok {
		for _, row := range v.Damage() {
			list = append(list, row.Error())
		}
	}
	return list
}

// oddRows adds invalid rows to a closed store.
func oddRows(t *testing.T, dir string, c Config) {
	t.Helper()
	switch c.Backend {
	case SQLite:
		conn := native(t, dir, "PRAGMA synchronous = off")
		defer conn.Close()
		rows := []string{
			"INSERT INTO blocks (pos, data) VALUES (NULL, x'00'), (NULL, x'01'), ('text', x'00'), (x'0001', x'00'), " +
				"(16777216.5, x'00'), (1e300, x'00'), (34359738368, x'00'), (-34368129025, x'00'), (16777000, NULL), (16777001, 'text')",
		}
		if c.Schema == SchemaXYZ {
			rows[0] = "INSERT INTO blocks (x, y, z, data) VALUES (NULL, 1, 1, x'00'), (3, NULL, 2, x'00'), (0, NULL, 2, " +
				"x'00'), (15, 1, 99999, x'00'), (0, 1, -99999, x'00'), (15.5, 1, 1, x'00'), (2, 1.5, 1, x'00'), ('text', 1, 1, " +
				"x'00'), (5, 'text', 1, x'00'), (2048, 1, 1, x'00'), (-2049, 1, 1, x'00'), (900, 9, 9, 'text')"
		}
		for _, sql := range rows {
			if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
				t.Fatal(err)
			}
		}
	case LevelDB:
		w, err := leveldb.Reopen(levelPath(dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"", "+5", "text", "-", "-text", "1text", "-1x", "/", ":", "-:", "00", "-0", "01",
			"99999999999", "-99999999999", "0x"} {
			if err := w.Write(record(key, []byte("odd"))); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	case RedisDB:
		w, err := openRedis(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if _, err := w.(*redisDB).do(t.Context(), "HSET", c.Redis.Hash, "text", "1", "", "2", "99999999999", "3", "00", "4"); err != nil {
			t.Fatal(err)
		}
	case Postgres:
		conn, err := pgx.Connect(t.Context(), c.Postgres)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
		if _, err := conn.Exec(t.Context(),
			`INSERT INTO blocks VALUES (2048, 0, 0, '\x01'), (-2049, 0, 0, '\x01'), (15, 2, 5000, '\x01'), (0, -5000, 3, `+
				`'\x01'), (901, 9, 9, NULL)`); err != nil {
			t.Fatal(err)
		}
	case Sectors:
		for _, name := range []string{"sectors/nonsense/0000", "sectors2/00/0/0", "sectors2/000/FFF/0000",
			"sectors2/000/002/9999", "sectors2/0f2", "sectors2/00f/004", "sectors2/000/007/0.bak", "sectors2/7ff/003/0003/x",
			"sectors/00000001/0001", "sectors2/000/001/0002"} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("odd"), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestSlabs tests that reading any store slab by slab yields the same as reading it at once.
func TestSlabs(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			c, dir := k.config(t), t.TempDir()
			w := k.make(t, dir, c)
			opening := func() DB { return open(t, dir, c) }
			if k.name != "memory" && c.Backend != SQLite && c.Backend != LevelDB { // these remember nothing
				opening = sync.OnceValue(opening)
			}
			if !k.lasting {
				opening = func() DB { return w }
			}
			blocks := someBlocks(tests.Of(t, 40, 100))
			for p := range blocks {
				if p.X > 500 && p.Z > 500 {
					delete(blocks, p)
				}
			}
			if _, err := Load(t.Context(), w, seq(blocks)); err != nil {
				t.Fatal(err)
			}
			if k.lasting {
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if list := checkSlabs(t, opening, false); len(list) < 10 || list[0] != SlabRest {
				t.Errorf("slabs %v", list)
			}
			oddRows(t, dir, c)
			checkSlabs(t, opening, false)
			if c.Backend == SQLite {
				checkSlabs(t, func() DB {
					db := must(openPages(t.Context(), sqlitePath(dir)))
					t.Cleanup(func() { db.Close() })
					return db
				}, false)
				comparePages(t, dir)
			}
			if !k.lasting || c.Backend != SQLite && c.Backend != Postgres || c.Unseen {
				return
			}
			// Large stores have thinner slabs.
			defer func(was int64) { slabBytes = was }(slabBytes)
			slabBytes = 1
			list := checkSlabs(t, opening, false)
			if from, to, _ := strings.Cut(string(list[1][2:]), ".."); from != to {
				t.Errorf("slabs %v", list)
			}
		})
	}
}

// TestLargeDigitSlabs tests that LevelDB slabs have more digits where many keys begin with the same digits.
func TestLargeDigitSlabs(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	defer func(was int64) { slabBytes = was }(slabBytes)
	slabBytes = 40_000
	c, dir := Config{Backend: LevelDB}, t.TempDir()
	w, err := Create(t.Context(), dir, c)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	all := []Pos{{}, {X: 1}, {X: 10}, {X: 100}, {X: 1000}, {X: -1}, {X: -10}, {X: 16}, {X: 160}} // keys of a few digits
	for range 1500 {
		all = append(all, Pos{int16(r.IntN(60) - 30), int16(r.IntN(9) - 4), int16(r.IntN(20) - 10)})
	}
	blocks := make(map[Pos]Block)
	for _, p := range all {
		data := make([]byte, 800)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		blocks[p] = Block{p, data}
	}
	if err := errors.Join(w.Store(t.Context(), slices.Collect(maps.Values(blocks))), w.Close()); err != nil {
		t.Fatal(err)
	}
	db, longest := open(t, dir, c), 0
	defer db.Close()
	list, err := Slabs(t.Context(), db, All())
	if err != nil {
		t.Fatal(err)
	}
	var got, want []Pos
	most := 0
	for _, s := range list {
		_, has, err := s.Where()
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for b, err := range InSlab(t.Context(), db, s, All()) {
			if err != nil || !has(b.Pos) {
				t.Fatalf("%s: %v %v", s, b.Pos, err)
			}
			size += len(b.Data)
			got = append(got, b.Pos)
		}
		most, longest = max(most, size), max(longest, len(s))
	}
	for b := range InSlabs(t.Context(), db, All()) {
		want = append(want, b.Pos)
	}
	if !slices.Equal(got, want) || len(got) != len(blocks) || most > 2*int(slabBytes) || longest < len("key=-100") {
		t.Errorf("%d blocks of %d, %d bytes in the largest slab: %v", len(got), len(blocks), most, list)
	}

	// Damage of a table, of all of it or of a block, is reported for one slab only.
	tables, _ := filepath.Glob(filepath.Join(levelPath(dir), "*.ldb"))
	data := judge.Read(t, tables[0])
	for _, at := range []int{50, len(data) / 3, len(data) / 2, len(data) - 3} {
		bad := slices.Clone(data)
		bad[at] ^= 0x55
		if err := os.WriteFile(tables[0], bad, 0o600); err != nil {
			t.Fatal(err)
		}
		db := open(t, dir, c)
		list, err := Slabs(t.Context(), db, All())
		if err != nil {
			t.Fatal(err)
		}
		told := 0
		for _, s := range list {
			for _, err := range InSlab(t.Context(), db, s, All()) {
				if err != nil {
					told++
				}
			}
		}
		if told != 1 {
			t.Errorf("damage at %d is reported %d times", at, told)
		}
		db.Close()
	}
}

// TestOneSlab tests that a table without an index that finds planes, or with too many rows without a position, is one
// slab.
func TestOneSlab(t *testing.T) {
	many := "WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO blocks SELECT 1e12 + i, x'00' FROM n"
	for _, sql := range [][]string{
		{"CREATE TABLE blocks (pos, data)", "INSERT INTO blocks VALUES (1, x'00'), ('2', x'00'), (17000000, x'00')"},
		{"CREATE TABLE blocks (z INT, y INT, x INT, data, PRIMARY KEY (z, y, x))",
			"INSERT INTO blocks VALUES (1, 2, 3, x'00'), (100, 2, 3, x'00')"},
		{tablePos, many, "INSERT INTO blocks VALUES (1, x'00'), (17000000, x'00'), (1700000000, x'00')"},
	} {
		dir := t.TempDir()
		conn := native(t, dir, strings.Join(sql, ";"))
		conn.Close()
		if list := checkSlabs(t, func() DB { return open(t, dir, Config{}) }, false); !slices.Equal(list, []Slab{SlabRest, SlabAll}) {
			t.Errorf("%v", list)
		}
	}
}

// TestDamagedSlabs tests that, whichever page of a database is damaged, reading slab by slab at once equals reading
// each slab separately after reopening the store.
func TestDamagedSlabs(t *testing.T) {
	tests.NotRaced(t, "reads many damaged files, one after the other")
	for _, schema := range []Schema{SchemaPos, SchemaXYZ} {
		dir := t.TempDir()
		w, err := Create(t.Context(), dir, Config{Schema: schema})
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(3, uint64(schema)))
		var blocks []Block
		for range 900 {
			blocks = append(blocks, Block{Pos{int16(r.IntN(99) - 50), int16(r.IntN(9)), int16(r.IntN(99) - 50)},
				bytes.Repeat([]byte{byte(1 + r.IntN(255))}, 1+r.IntN(300))})
		}
		if err := errors.Join(w.Store(t.Context(), blocks), w.Close()); err != nil {
			t.Fatal(err)
		}
		sound := judge.Read(t, sqlitePath(dir))
		const size = 4096
		for page := 0; page < len(sound)/size; page += tests.Of(t, 15, 1) + r.IntN(3) {
			data := bytes.Clone(sound)
			at := data[page*size : (page+1)*size]
			if clear(at[r.IntN(2)*2000:]); r.IntN(2) == 0 {
				copy(at, sound[r.IntN(len(sound)/size)*size:][:size]) // a page that belongs elsewhere
			}
			if err := os.WriteFile(sqlitePath(dir), data, 0o600); err != nil {
				t.Fatal(err)
			}
			checkSlabs(t, func() DB { return open(t, dir, Config{}) }, true)
		}
	}
}

// TestDamagedIndex tests a damaged index page in the middle of a slab: no block is lost, lookups do not detect the
// damage, and it is reported even if slabs without damage are read afterwards.
func TestDamagedIndex(t *testing.T) {
	tests.NotRaced(t, "reads many damaged files, one after the other")
	for _, schema := range []Schema{SchemaPos, SchemaXYZ} {
		dir := t.TempDir()
		w, err := Create(t.Context(), dir, Config{Schema: schema})
		if err != nil {
			t.Fatal(err)
		}
		var blocks []Block
		for i := range tests.Of[int16](t, 2500, 4000) {
			blocks = append(blocks, Block{Pos{i % 16, i / 256, i / 16 % 16}, []byte{1, 2, 3}})
		}
		for i := range int16(20) {
			blocks = append(blocks, Block{Pos{100 + 16*i, 0, 100 + 16*i}, []byte{4}})
		}
		if err := errors.Join(w.Store(t.Context(), blocks), w.Close()); err != nil {
			t.Fatal(err)
		}
		sound := judge.Read(t, sqlitePath(dir))
		told, leaves := 0, 0
		const size, indexLeaf = 4096, 0x0a
		for at := 0; at < len(sound); at += size {
			if sound[at] != indexLeaf {
				continue
			}
			if leaves++; leaves%tests.Of(t, 3, 1) != 0 {
				continue
			}
			data := bytes.Clone(sound)
			clear(data[at : at+size])
			if err := os.WriteFile(sqlitePath(dir), data, 0o600); err != nil {
				t.Fatal(err)
			}
			opening := func() DB { return open(t, dir, Config{}) }
			if list := checkSlabs(t, opening, true); len(list) > 2 {
				db := opening()
				lines(InSlabs(t.Context(), db, All()), map[string]bool{})
				told += len(damageIn(db))
			}
		}
		if told == 0 {
			t.Errorf("%v: no page of the index is reported of", schema)
		}
	}
}

// FuzzSlab tests that an invalid slab name is an error.
func FuzzSlab(f *testing.F) {
	ctx := context.Background()
	dir := f.TempDir()
	var stores []DB
	for _, c := range []Config{{}, {Schema: SchemaXYZ}, {Backend: LevelDB}, {Backend: Dummy}} {
		at := filepath.Join(dir, fmt.Sprint(len(stores)))
		if err := os.Mkdir(at, 0o755); err != nil {
			f.Fatal(err)
		}
		w, err := Create(ctx, at, c)
		if err != nil {
			f.Fatal(err)
		}
		f.Cleanup(func() { w.Close() })
		if err := w.Store(ctx, []Block{{Pos{-3, 4, -5}, []byte("one")}, {Pos{}, []byte("two")},
			{Pos{2047, 0, 2047}, []byte("three")}}); err != nil {
			f.Fatal(err)
		}
		stores = append(stores, w)
		list, err := Slabs(ctx, w, All())
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range list {
			f.Add(string(s))
		}
	}
	for _, s := range []string{"", "z=1..16", "z=0..15 ", "z=00..15", "z=2048..2063", "z=-2064..-2049", "z=0..", "y=0..15",
		"key=9", "key=100", "key=--10", "key=+10", "key=-00", "x=0..15\n", "../x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, db := range stores {
			count := 0
			for _, err := range InSlab(t.Context(), db, Slab(name), All()) {
				if err != nil && !errors.Is(err, ErrSlab) {
					t.Fatal(err)
				}
				if count++; err != nil && count > 1 {
					t.Fatalf("%q: blocks and %v", name, err)
				}
			}
			if count > 3 {
				t.Fatalf("%q: %d blocks of 3", name, count)
			}
		}
	})
}

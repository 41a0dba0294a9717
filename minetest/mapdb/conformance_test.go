package mapdb

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// A kind is a backend in the conformance suite.
type kind struct {
	name    string
	config  func(t *testing.T) Config
	create  func(t *testing.T, dir string, c Config) Writer // nil: Create
	compare func(a, b Pos) int                              // the order of its keys
	lasting bool                                            // the store survives Close
	again   bool                                            // the store can be opened for writing after Close
}

func fixed(c Config) func(*testing.T) Config { return func(*testing.T) Config { return c } }

var kinds = []kind{
	{name: "sqlite pos", config: fixed(Config{Backend: SQLite}), compare: orderZYX.compare, lasting: true, again: true},
	{name: "sqlite xyz", config: fixed(Config{Backend: SQLite, Schema: SchemaXYZ}), compare: orderXZY.compare, lasting: true, again: true},
	{name: "sqlite unseen", config: fixed(Config{Backend: SQLite, Unseen: true}), compare: orderZYX.compare, lasting: true, again: true},
	{name: "sqlite xyz unseen", config: fixed(Config{Backend: SQLite, Schema: SchemaXYZ, Unseen: true}),
		compare: orderXZY.compare, lasting: true, again: true},
	{name: "leveldb", config: fixed(Config{Backend: LevelDB}), compare: compareDecimal, lasting: true, again: true},
	{name: "memory", config: fixed(Config{Backend: Dummy}), compare: orderZYX.compare},
	{name: "miniredis", config: miniRedis, compare: orderZYX.compare, lasting: true, again: true},
	{name: "redis", config: realRedis, compare: orderZYX.compare, lasting: true, again: true},
	{name: "postgresql", config: realPostgres, compare: order{0, 1, 2}.compare, lasting: true, again: true},
	{name: "postgresql unseen", config: unseenPostgres, compare: order{0, 1, 2}.compare, lasting: true, again: true},
	{name: "sectors2", config: fixed(Config{Backend: Sectors}), create: fileWriter("sectors2"), compare: compareNames, lasting: true},
	{name: "sectors", config: fixed(Config{Backend: Sectors}), create: fileWriter("sectors"), compare: compareNames, lasting: true},
}

func compareDecimal(a, b Pos) int {
	return strings.Compare(strconv.FormatInt(a.Key(), 10), strconv.FormatInt(b.Key(), 10))
}

func compareNames(a, b Pos) int {
	return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(uint16(a.Z), uint16(b.Z)), cmp.Compare(uint16(a.Y), uint16(b.Y)))
}

func miniRedis(t *testing.T) Config {
	s := miniredis.RunT(t)
	host, port, _ := net.SplitHostPort(s.Addr())
	n, _ := strconv.Atoi(port)
	return Config{Backend: RedisDB, Redis: Redis{Address: host, Port: n, Hash: "world"}}
}

func realRedis(t *testing.T) Config {
	return Config{Backend: RedisDB, Redis: Redis{Address: judge.Redis(t), Hash: "world"}}
}

func realPostgres(t *testing.T) Config {
	return Config{Backend: Postgres, Postgres: judge.Postgres(t)}
}

func unseenPostgres(t *testing.T) Config {
	c := realPostgres(t)
	c.Unseen = true
	return c
}

// files is a store of files written by the suite, because the package only reads them. It has no transactions.
type files struct {
	DB
	layout string
}

func fileWriter(layout string) func(t *testing.T, dir string, c Config) Writer {
	return func(t *testing.T, dir string, c Config) Writer {
		if err := os.MkdirAll(filepath.Join(dir, layout), 0o755); err != nil {
			t.Fatal(err)
		}
		return &files{open(t, dir, c), layout}
	}
}

func (f *files) path(p Pos) string {
	s := f.DB.(*sectors)
	dir := s.newDir(p.X, p.Z)
	if f.layout == "sectors" {
		dir = s.oldDir(p.X, p.Z)
	}
	return filepath.Join(dir, fmt.Sprintf("%04x", uint16(p.Y)))
}

func (f *files) Update(ctx context.Context, do func(Tx) error) error {
	tx := newChanges(func(p Pos) ([]byte, error) { return f.Get(ctx, p) })
	if err := do(tx); err != nil {
		return err
	}
	for _, c := range tx.list {
		path := f.path(c.pos)
		if c.delete {
			os.Remove(path)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		meta := filepath.Join(filepath.Dir(path), sectorMeta)
		if err := errors.Join(os.WriteFile(path, c.data, 0o644), os.WriteFile(meta, []byte{20}, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

func (f *files) Store(ctx context.Context, blocks []Block) error { return store(ctx, f, blocks) }

func open(t testing.TB, dir string, c Config) DB {
	t.Helper()
	db, err := Open(t.Context(), dir, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func (k kind) make(t *testing.T, dir string, c Config) Writer {
	t.Helper()
	if k.create != nil {
		return k.create(t, dir, c)
	}
	w, err := Create(t.Context(), dir, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// someBlocks returns blocks at many positions: dense around the origin, scattered, and in the corners of the world.
func someBlocks(n int) map[Pos][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	all := map[Pos][]byte{}
	for len(all) < n {
		p := Pos{int16(r.IntN(12) - 6), int16(r.IntN(12) - 6), int16(r.IntN(12) - 6)}
		if r.IntN(3) == 0 {
			p = Pos{int16(r.IntN(4096) - 2048), int16(r.IntN(4096) - 2048), int16(r.IntN(4096) - 2048)}
		}
		data := make([]byte, r.IntN(300))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		all[p] = data
	}
	for i := range 8 {
		c := [2]int16{MinCoord, MaxCoord}
		all[Pos{c[i&1], c[i>>1&1], c[i>>2]}] = []byte("corner")
	}
	return all
}

// seq yields blocks in random order.
func seq(all map[Pos][]byte) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		for p, data := range all {
			if !yield(Block{p, data}, nil) {
				return
			}
		}
	}
}

// same checks that a store yields exactly the blocks of an area, in order.
func same(t *testing.T, db DB, a Area, want map[Pos][]byte, compare func(a, b Pos) int) {
	t.Helper()
	n := 0
	var last Pos
	for b, err := range db.Blocks(t.Context(), a) {
		if err != nil {
			t.Fatalf("area %v: %v", a, err)
		}
		data, ok := want[b.Pos]
		if !ok || !a.Contains(b.Pos) || !bytes.Equal(data, b.Data) {
			t.Fatalf("area %v: block %v = %.20x, want %.20x, %v", a, b.Pos, b.Data, data, ok)
		}
		if n > 0 && compare(last, b.Pos) >= 0 {
			t.Fatalf("area %v: %v after %v", a, b.Pos, last)
		}
		last = b.Pos
		n++
	}
	var wanted, got []Pos
	for p := range want {
		if a.Contains(p) {
			wanted = append(wanted, p)
		}
	}
	if n != len(wanted) {
		t.Fatalf("area %v: %d blocks, want %d", a, n, len(wanted))
	}
	for p, err := range db.Positions(t.Context(), a) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p)
	}
	slices.SortFunc(wanted, compare)
	if !slices.Equal(got, wanted) {
		t.Fatalf("area %v: positions %v, want %v", a, got, wanted)
	}
}

// TestConformance tests that all backends behave the same.
func TestConformance(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			ctx := t.Context()
			c, dir := k.config(t), t.TempDir()
			w := k.make(t, dir, c)
			same(t, w, All(), nil, k.compare)
			if _, err := Create(ctx, dir, c); k.lasting && k.create == nil && k.config(t).Backend != RedisDB && !errors.Is(err, fs.ErrExist) {
				t.Errorf("Create where there is a store: %v", err)
			}
			t.Run("blocks", func(t *testing.T) { conformBlocks(t, k, w) })
			t.Run("store", func(t *testing.T) { conformStore(t, k, w) })
			t.Run("rollback", func(t *testing.T) { conformRollback(t, k, w) })
			t.Run("areas", func(t *testing.T) { conformAreas(t, k, w, dir, c) })
		})
	}
}

func put(t *testing.T, w Writer, p Pos, data []byte) {
	t.Helper()
	if err := w.Update(t.Context(), func(tx Tx) error { return tx.Put(p, data) }); err != nil {
		t.Fatal(err)
	}
}

func conformBlocks(t *testing.T, k kind, w Writer) {
	ctx := t.Context()
	p, q := Pos{1, -2, 3}, Pos{MinCoord, MaxCoord, -1}
	if _, err := w.Get(ctx, p); !errors.Is(err, ErrNotFound) {
		t.Errorf("Get of nothing: %v", err)
	}
	for _, data := range [][]byte{[]byte("one"), []byte("\x00\xff\x1d binary\r\n"), {}, nil, bytes.Repeat([]byte("large "), 200_000)} {
		put(t, w, p, data)
		if got, err := w.Get(ctx, p); err != nil || !bytes.Equal(got, data) {
			t.Errorf("Get = %.20q, %v, want %.20q", got, err, data)
		}
		same(t, w, All(), map[Pos][]byte{p: data}, k.compare)
	}
	put(t, w, p, []byte("one"))
	err := w.Update(ctx, func(tx Tx) error {
		if err := tx.Put(q, []byte("two")); err != nil {
			return err
		}
		if got, err := tx.Get(q); err != nil || string(got) != "two" {
			t.Errorf("Get in the transaction: %q, %v", got, err)
		}
		if err := tx.Delete(p); err != nil {
			return err
		}
		if _, err := tx.Get(p); !errors.Is(err, ErrNotFound) {
			t.Errorf("Get of what the transaction deleted: %v", err)
		}
		return tx.Delete(Pos{7, 7, 7})
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, w, All(), map[Pos][]byte{q: []byte("two")}, k.compare)
	for _, bad := range []Pos{{MaxCoord + 1, 0, 0}, {0, MinCoord - 1, 0}, {0, 0, 32767}} {
		err := w.Update(ctx, func(tx Tx) error { return tx.Put(bad, nil) })
		if err == nil || errors.Is(err, ErrNotFound) {
			t.Errorf("Put at %v: %v", bad, err)
		}
		if _, err := w.Get(ctx, bad); !errors.Is(err, ErrNotFound) {
			t.Errorf("Get at %v: %v", bad, err)
		}
	}
	if err := w.Update(ctx, func(tx Tx) error { return tx.Delete(q) }); err != nil {
		t.Fatal(err)
	}
	same(t, w, All(), nil, k.compare)
}

// conformStore checks that Store adds new blocks and replaces existing ones, or changes nothing if it fails.
func conformStore(t *testing.T, k kind, w Writer) {
	before := make(map[Pos][]byte)
	for b, err := range w.Blocks(t.Context(), All()) {
		if err != nil {
			t.Fatal(err)
		}
		before[b.Pos] = b.Data
	}
	p := func(x int16) Pos { return Pos{x, 1000, -1000} }
	for i, blocks := range [][]Block{
		{{p(1), []byte("a")}, {p(2), nil}, {p(3), bytes.Repeat([]byte("c"), 9000)}},
		{{p(2), []byte("over nothing")}, {p(4), []byte("d")}, {p(1), []byte("over a")}},
		{{p(5), []byte("twice")}, {p(5), []byte("the last one counts")}},
		{},
	} {
		if err := w.Store(t.Context(), blocks); err != nil {
			t.Fatal(i, err)
		}
		for _, b := range blocks {
			before[b.Pos] = append([]byte{}, b.Data...)
		}
		same(t, w, All(), before, k.compare)
	}
	for _, bad := range []Block{{Pos{X: MaxCoord + 1}, nil}, {p(7), make([]byte, effort.BlockData.Least+1)}} {
		if err := w.Store(t.Context(), []Block{{p(6), []byte("x")}, bad}); err == nil {
			t.Errorf("%v with %d bytes is stored", bad.Pos, len(bad.Data))
		}
	}
	same(t, w, All(), before, k.compare)
	got := make(map[Pos][]byte)
	for b, err := range InAnyOrder(t.Context(), w) {
		if _, twice := got[b.Pos]; err != nil || twice {
			t.Fatalf("%v twice %v, %v", b.Pos, twice, err)
		}
		got[b.Pos] = b.Data
	}
	if !maps.EqualFunc(got, before, bytes.Equal) {
		t.Error("other blocks in any order")
	}
	if err := w.Update(t.Context(), func(tx Tx) error {
		for x := range int16(8) {
			if err := tx.Delete(p(x)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func conformRollback(t *testing.T, k kind, w Writer) {
	p, q := Pos{1, 2, 3}, Pos{4, 5, 6}
	put(t, w, p, []byte("before"))
	oops := errors.New("oops")
	err := w.Update(t.Context(), func(tx Tx) error {
		return errors.Join(tx.Put(p, []byte("after")), tx.Put(q, []byte("new")), tx.Delete(p), oops)
	})
	if !errors.Is(err, oops) {
		t.Errorf("Update returns %v", err)
	}
	same(t, w, All(), map[Pos][]byte{p: []byte("before")}, k.compare)
	if err := w.Update(t.Context(), func(tx Tx) error { return tx.Delete(p) }); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Update(ctx, func(tx Tx) error { return errors.Join(tx.Put(p, []byte("late")), ctx.Err()) }); err == nil {
		t.Error("a transaction of a context that has ended")
	}
	same(t, w, All(), nil, k.compare)
}

func conformAreas(t *testing.T, k kind, w Writer, dir string, c Config) {
	ctx := t.Context()
	blocks := tests.Of(t, 1000, 3000)
	if c.Backend == Sectors {
		blocks = 300 // each in a separate folder, which takes minutes under Wine
	}
	want := someBlocks(blocks)
	n, err := Load(ctx, w, seq(want))
	if err != nil || n != int64(len(want)) {
		t.Fatalf("Load = %d, %v, want %d", n, err, len(want))
	}
	broken := errors.New("broken")
	n, err = Load(ctx, w, func(yield func(Block, error) bool) {
		_ = yield(Block{}, &RowError{Err: broken}) && yield(Block{Pos{0, 0, 0}, want[Pos{0, 0, 0}]}, nil) && yield(Block{}, broken)
	})
	if !errors.Is(err, broken) || n != 0 {
		t.Errorf("Load of a sequence that breaks: %d, %v", n, err)
	}
	db := DB(w)
	if k.lasting {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		db = open(t, dir, c)
	}
	areas := []Area{
		All(), {}, {Pos{0, 0, 0}, Pos{0, 0, 0}}, {Pos{1, 0, 0}, Pos{0, 0, 0}},
		{Pos{-3, -2, -1}, Pos{4, 1, 2}}, {Pos{-2048, -2048, 0}, Pos{2047, 2047, 0}},
		{Pos{0, -2048, -2048}, Pos{0, 2047, 2047}}, {Pos{-2048, 0, -2048}, Pos{2047, 0, 2047}},
		{Pos{-32768, -32768, -32768}, Pos{32767, 32767, 32767}}, {Pos{2047, 2047, 2047}, Pos{2047, 2047, 2047}},
		{Pos{2048, 0, 0}, Pos{3000, 0, 0}},
	}
	for _, a := range areas {
		same(t, db, a, want, k.compare)
	}
	if n, err := db.Count(ctx); err != nil || n != int64(len(want)) {
		t.Errorf("Count = %d, %v, want %d", n, err, len(want))
	}
	for p, data := range want {
		if got, err := db.Get(ctx, p); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("Get(%v) = %x, %v", p, got, err)
		}
		if p.X > 1000 {
			break
		}
	}

	// Fetch many positions, including some without a block.
	var all []Pos
	for p := range want {
		all = append(all, p, Pos{p.X ^ 1, 1999, p.Z})
	}
	fetched := make(map[Pos][]byte)
	for b, err := range Fetch(ctx, db, all) {
		if err != nil {
			t.Fatal(err)
		}
		fetched[b.Pos] = b.Data
	}
	if !maps.EqualFunc(fetched, want, bytes.Equal) {
		t.Errorf("Fetch gives %d blocks, not the %d that there are", len(fetched), len(want))
	}
	for range Fetch(ctx, db, all) {
		break
	}

	// Two concurrent readers, and a Get during a loop.
	other := db
	if k.lasting {
		other = open(t, dir, c)
	}
	next, stop := iter.Pull2(other.Blocks(ctx, All()))
	defer stop()
	for b, err := range db.Blocks(ctx, All()) {
		o, otherErr, ok := next()
		if err != nil || otherErr != nil || !ok || o.Pos != b.Pos {
			t.Fatalf("two readers: %v, %v and %v, %v", b.Pos, err, o.Pos, otherErr)
		}
		if b.Pos.X%64 == 0 {
			if got, err := db.Get(ctx, b.Pos); err != nil || !bytes.Equal(got, b.Data) {
				t.Fatalf("Get in a loop: %v", err)
			}
		}
	}
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			n := 0
			for _, err := range db.Blocks(ctx, All()) {
				if err != nil {
					t.Error(err)
				}
				n++
			}
			if n != len(want) {
				t.Errorf("%d blocks for one of several goroutines", n)
			}
		})
	}
	group.Wait()
	for range db.Blocks(ctx, All()) {
		break // stops the loop early
	}

	ended, cancel := context.WithCancel(ctx)
	cancel()
	err = nil
	for _, err = range db.Blocks(ended, All()) {
	}
	if err == nil {
		t.Error("a loop with a context that has ended gives no error")
	}
	if len(db.String()) < 5 {
		t.Errorf("String() = %q", db)
	}
	if k.again {
		db.Close()
		other.Close()
		w, err := OpenForWriting(ctx, dir, c)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		put(t, w, Pos{1, 1, 1}, []byte("again"))
		want[Pos{1, 1, 1}] = []byte("again")
		same(t, w, areas[4], want, k.compare)
	}
}

// killBlocks is the number of blocks that the child of TestKill writes per transaction.
const killBlocks = 60

// TestKillChild is the child process of TestKill.
func TestKillChild(t *testing.T) {
	dir := os.Getenv("MAPDB_KILL")
	if dir == "" {
		t.Skip("the child of another test")
	}
	port, _ := strconv.Atoi(os.Getenv("MAPDB_PORT"))
	c := Config{
		Backend:  os.Getenv("MAPDB_BACKEND"),
		Postgres: os.Getenv("MAPDB_POSTGRES"),
		Unseen:   os.Getenv("MAPDB_UNSEEN") == "true",
		Redis:    Redis{Address: os.Getenv("MAPDB_REDIS"), Port: port, Hash: "world"},
	}
	c.Force = true
	w, err := OpenForWriting(t.Context(), dir, c)
	if c.Backend == LevelDB {
		w, err = Create(t.Context(), dir, c)
	}
	if err != nil {
		t.Fatal(err)
	}
	for round := 0; ; round++ {
		err := w.Update(t.Context(), func(tx Tx) error {
			for i := range killBlocks {
				data := bytes.Repeat(fmt.Append(nil, round, " "), 500)
				if err := tx.Put(Pos{int16(i), 0, int16(i % 7)}, data); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("done", round)
	}
}

// TestKill tests that, whenever a writing process is killed, each transaction is stored completely or not at all, and
// that others can read meanwhile.
func TestKill(t *testing.T) {
	tests.NotRaced(t, "kills and restarts what runs alone")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		if !k.lasting || k.create != nil {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			c, dir := k.config(t), t.TempDir()
			if c.Backend != LevelDB {
				if err := k.make(t, dir, c).Close(); err != nil {
					t.Fatal(err)
				}
			}
			for round := range tests.Of(t, 1, 3) {
				if c.Backend == LevelDB {
					dir = t.TempDir() // the child creates it
				}
				child := exec.Command(self, "-test.run=^TestKillChild$")
				child.Env = append(os.Environ(), "MAPDB_KILL="+dir, "MAPDB_BACKEND="+c.Backend,
					"MAPDB_POSTGRES="+c.Postgres, "MAPDB_REDIS="+c.Redis.Address, "MAPDB_PORT="+strconv.Itoa(c.Redis.Port),
					fmt.Sprint("MAPDB_UNSEEN=", c.Unseen))
				out, err := child.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := child.Start(); err != nil {
					t.Fatal(err)
				}
				done := -1
				lines := bufio.NewScanner(out)
				for range 2 + 3*round {
					if !lines.Scan() {
						t.Fatal("the child ended")
					}
					if _, err := fmt.Sscanf(lines.Text(), "done %d", &done); err != nil {
						t.Fatal(lines.Text())
					}
				}
				if (c.Backend == SQLite || c.Backend == LevelDB) && runtime.GOOS == "linux" { // elsewhere users of a file are unknown
					c.Force = c.Backend == LevelDB
					if _, err := OpenForWriting(t.Context(), dir, c); !errors.Is(err, ErrInUse) {
						t.Errorf("OpenForWriting while another process writes: %v", err)
					}
				}
				if c.Backend != LevelDB { // LevelDB can be opened, but is not designed for that
					for range 5 {
						if got := oneRound(t, dir, c, true); got < done {
							t.Errorf("round %d while the child writes, after %d", got, done)
						}
					}
				}
				time.Sleep(time.Duration(round) * 3 * time.Millisecond)
				child.Process.Kill()
				child.Wait()
				if got := oneRound(t, dir, c, false); got < done {
					t.Errorf("round %d after the end, %d was done", got, done)
				}
			}
		})
	}
}

// oneRound returns the round that all blocks belong to. While another process writes, pages that are read later may belong to
// later rounds: a page ends after some time. It then returns the first round.
func oneRound(t *testing.T, dir string, c Config, written bool) (first int) {
	t.Helper()
	db := open(t, dir, c)
	defer db.Close()
	n, round := 0, 0
	for b, err := range db.Blocks(t.Context(), All()) {
		if err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(string(b.Data), " ")
		got, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			first, round = got, got
		}
		if got < round || got > round && !written {
			t.Fatalf("blocks of rounds %d and %d", round, got)
		}
		round = got
		n++
	}
	if n != killBlocks {
		t.Fatalf("%d blocks of %d", n, killBlocks)
	}
	return first
}

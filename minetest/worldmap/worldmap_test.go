package worldmap_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldmap"
)

var errRow = errors.New("a row")

// rows gives n blocks, with an error in place of each seventh.
func rows(n int, read *atomic.Int64) iter.Seq2[mapdb.Block, error] {
	return func(yield func(mapdb.Block, error) bool) {
		for i := range n {
			read.Add(1)
			b, err := mapdb.Block{Pos: worldtest.Pos(i), Data: []byte{byte(i)}}, error(nil)
			if i%7 == 3 {
				b, err = mapdb.Block{}, errRow
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// Results come in the order of what went in, whichever is ready first.
func TestInOrder(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 5000} {
		var read atomic.Int64
		i := 0
		for p := range worldmap.InOrder(rows(n, &read), func(b mapdb.Block, err error) *mapdb.Pos {
			if b.Pos.X%5 == 0 {
				runtime.Gosched()
			}
			if err != nil {
				return nil
			}
			return &b.Pos
		}) {
			if i%7 == 3 {
				if p != nil {
					t.Fatalf("result %d of %d is %v", i, n, p)
				}
			} else if p == nil || *p != worldtest.Pos(i) {
				t.Fatalf("result %d of %d is %v", i, n, p)
			}
			i++
		}
		if i != n {
			t.Errorf("%d results of %d", i, n)
		}
	}
}

// Whoever stops early has stopped all of it, and little was read in vain.
func TestInOrderEndsEarly(t *testing.T) {
	before := runtime.NumGoroutine()
	const n = 1 << 20
	var read atomic.Int64
	taken := 0
	for range worldmap.InOrder(rows(n, &read), func(mapdb.Block, error) int { return 0 }) {
		if taken++; taken == 100 {
			break
		}
	}
	if got := read.Load(); got > int64(1000*runtime.GOMAXPROCS(0)) {
		t.Errorf("%d rows were read for 100", got)
	}
	for runtime.NumGoroutine() > before { // those that are left behind keep the test from ending
		time.Sleep(time.Millisecond)
	}
}

func TestConfig(t *testing.T) {
	for text, want := range map[string]mapdb.Config{
		"":                  {Backend: mapdb.SQLite},
		"backend = leveldb": {Backend: mapdb.LevelDB},
		"backend = postgresql\npgsql_connection = host=h":                                         {Backend: mapdb.Postgres, Postgres: "host=h", Remote: true},
		"backend = redis\nredis_address = h\nredis_hash = x\nredis_port = 77\nredis_password = p": {Backend: mapdb.RedisDB, Redis: mapdb.Redis{Address: "h", Hash: "x", Port: 77, Password: "p"}, Remote: true},
	} {
		s := world.ParseSettings([]byte(text), "")
		got, err := worldmap.Config(t.TempDir(), s, true)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
		if got, err = worldmap.Config(t.TempDir(), s, false); err != nil || got.Remote {
			t.Errorf("%q without permission: %+v, %v", text, got, err)
		}
	}
	s := world.ParseSettings([]byte("backend = redis\nredis_port = 70000"), "")
	if _, err := worldmap.Config(t.TempDir(), s, true); err == nil {
		t.Error("a port of 70000 is taken")
	}
	old := t.TempDir()
	if err := os.Mkdir(filepath.Join(old, "sectors2"), 0o755); err != nil {
		t.Fatal(err)
	}
	if c, err := worldmap.Config(old, world.ParseSettings(nil, ""), false); err != nil || c.Backend != mapdb.Sectors {
		t.Errorf("a world of 2011: %+v, %v", c, err)
	}
}

// What is opened tells its schema.
func TestOpen(t *testing.T) {
	for _, schema := range []mapdb.Schema{mapdb.SchemaPos, mapdb.SchemaXYZ} {
		dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite, Schema: schema}, 3)
		db, c, err := worldmap.Open(context.Background(), dir, false)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(worldtest.All(t, db)); n != 3 || c.Schema != schema {
			t.Errorf("%d blocks, %+v", n, c)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	if got := worldmap.Place(mapdb.Pos{X: 12, Z: -3}, "timers"); got != "block 12,0,-3: timers" {
		t.Error(got)
	}
}

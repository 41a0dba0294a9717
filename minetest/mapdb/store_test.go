package mapdb

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/jackc/pgx/v5"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/leveldb"
	"trowel.example/internal/testing/judge"
)

// record returns a batch with one record.
func record(key string, value []byte) *leveldb.Batch {
	b := new(leveldb.Batch)
	b.Put([]byte(key), value)
	return b
}

// TestLevelDBHostile tests LevelDB keys that are not positions, and damaged files.
func TestLevelDBHostile(t *testing.T) {
	dir := t.TempDir()
	w, err := leveldb.Create(levelPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"0", "-4096", "+1", "01", "-0", "1.5", "", "x", "34351347712", "99999999999999999999", "\x00\xff"} {
		if err := w.Write(record(key, []byte("v"))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Write(record("1", make([]byte, effort.BlockData.Least+1))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	db := open(t, dir, Config{Backend: LevelDB})
	all, bad := read(t, db)
	if len(all) != 2 || len(bad) != 10 {
		t.Errorf("%d blocks, %d errors: %v", len(all), len(bad), bad)
	}
	var row *RowError
	if _, err := db.Get(t.Context(), Pos{1, 0, 0}); !errors.As(err, &row) || !errors.Is(err, fault.ErrLimit) {
		t.Errorf("Get of what is too large: %v", err)
	}
}

func TestRedisHostile(t *testing.T) {
	c := miniRedis(t)
	s := miniredis.RunT(t)
	c.Redis.Port = s.Server().Addr().Port
	s.HSet("world", "0", "good", "007", "bad", "x", "bad", "1", strings.Repeat("x", int(effort.BlockData.Least)+1))
	db := open(t, "", c)
	all, bad := read(t, db)
	if len(all) != 1 || string(all[Pos{}]) != "good" || len(bad) != 3 {
		t.Errorf("%d blocks, %v", len(all), bad)
	}
	s.Set("text", "no hash")
	for _, r := range []Redis{{Address: c.Redis.Address, Port: c.Redis.Port, Hash: "text"}, {Hash: "world"}, {Address: "localhost"}} {
		var e *fault.Error
		if db, err := Open(t.Context(), "", Config{Backend: RedisDB, Redis: r}); !errors.As(err, &e) || db != nil {
			t.Errorf("%v: %v, %v", r, db, err)
		}
	}
	s.RequireAuth("secret")
	if _, err := Open(t.Context(), "", c); err == nil {
		t.Error("no password is needed")
	}
	c.Redis.Password = "secret"
	open(t, "", c)
}

// TestOpenFails tests that a failed Open returns a nil interface, not a non-nil interface with a nil pointer, which
// would panic on Close.
func TestOpenFails(t *testing.T) {
	c := []Config{
		{}, {Backend: LevelDB}, {Backend: Sectors}, {Backend: "tape"}, {Backend: Postgres}, {Backend: RedisDB},
		{Backend: RedisDB, Redis: Redis{Address: "192.0.2.1", Hash: "a"}},
		{Backend: RedisDB, Redis: Redis{Address: t.TempDir() + "/socket", Hash: "a"}},
		{Backend: Postgres, Postgres: "host=192.0.2.1"},
		{Backend: Postgres, Postgres: "host=" + t.TempDir()},
	}
	for _, c := range c {
		if db, err := Open(t.Context(), t.TempDir(), c); err == nil || db != nil {
			t.Errorf("%+v: %v, %v", c, db, err)
		}
		if db, err := OpenForWriting(t.Context(), t.TempDir(), c); err == nil || db != nil {
			t.Errorf("%+v for writing: %v, %v", c, db, err)
		}
		db, err := Create(t.Context(), t.TempDir()+"/nowhere", c)
		if c.Backend != LevelDB && (err == nil || db != nil) {
			t.Errorf("%+v made: %v, %v", c, db, err)
		}
		if db != nil {
			db.Close()
		}
	}
}

func TestPostgresHostile(t *testing.T) {
	c := Config{Backend: Postgres, Postgres: judge.Postgres(t)}
	if _, err := Open(t.Context(), "", c); err == nil {
		t.Error("a database without the table can be opened")
	}
	conn, err := pgx.Connect(t.Context(), c.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	exec := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	// Other versions of the game use smallint, and other programs may add columns.
	exec("CREATE TABLE blocks (posX smallint NOT NULL, posY smallint NOT NULL, posZ smallint NOT NULL, data BYTEA, " +
		"note text DEFAULT 'x', PRIMARY KEY (posX, posY, posZ))")
	exec(`INSERT INTO blocks VALUES (1, 2, 3, '\x01'), (1, 2, 4, NULL), (1, 2, 5000, '\x01'), (1, 3, 0, ` +
		`convert_to(repeat('x', 67108865), 'UTF8'))`)
	db := open(t, "", c)
	all, bad := read(t, db)
	if len(all) != 1 || len(bad) != 3 {
		t.Errorf("%d blocks, %v", len(all), bad)
	}
	if _, err := OpenForWriting(t.Context(), "", c); !errors.Is(err, ErrInUse) {
		t.Errorf("OpenForWriting while others are connected: %v", err)
	}
	c.Force = true
	w, err := OpenForWriting(t.Context(), "", c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	put(t, w, Pos{1, 2, 4}, []byte("mended"))
	if all, bad := read(t, db); len(all) != 2 || len(bad) != 2 {
		t.Errorf("%d blocks, %v", len(all), bad)
	}
	if err := db.(*postgresDB).Update(t.Context(), func(tx Tx) error { return tx.Put(Pos{}, nil) }); err == nil {
		t.Error("what was opened for reading can be written")
	}
	var notes int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM blocks WHERE note = 'x'").Scan(&notes); err != nil || notes != 4 {
		t.Errorf("%d notes, %v", notes, err)
	}
	exec("ALTER TABLE blocks ALTER COLUMN posx TYPE text")
	exec("UPDATE blocks SET posx = 'a'")
	if _, _, err := readAll(t.Context(), db); err == nil {
		t.Error("coordinates that are text")
	}
}

// TestRedisFull tests that a server without free memory is reported as such, although its reply to the transaction
// only states that an earlier command failed.
func TestRedisFull(t *testing.T) {
	c := realRedis(t)
	w, err := Create(t.Context(), "", c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.(*redisDB).do(t.Context(), "CONFIG", "SET", "maxmemory", "1mb"); err != nil {
		t.Fatal(err)
	}
	err = w.Update(t.Context(), func(tx Tx) error { return tx.Put(Pos{}, make([]byte, 1<<20)) })
	for i := 1; i < 20 && err == nil; i++ {
		err = w.Update(t.Context(), func(tx Tx) error { return tx.Put(Pos{X: int16(i)}, make([]byte, 1<<20)) })
	}
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Error(err)
	}
}

func sqlitePath(dir string) string { return filepath.Join(dir, sqliteName) }
func levelPath(dir string) string  { return filepath.Join(dir, levelName) }

// toy registers a test backend whose blocks are in a Memory for each world folder.
func toy(t *testing.T) {
	all := make(map[string]*Memory)
	find := func(dir string) (*Memory, error) {
		if all[dir] == nil {
			return nil, fs.ErrNotExist
		}
		return all[dir], nil
	}
	was := backends
	t.Cleanup(func() { backends = was })
	backends = append(slices.Clip(backends), Backend{
		Name:     "toy",
		Files:    []string{"map.toy"},
		Settings: []string{"toy_box"},
		Targets:  []Target{{"toy", "a toy", SchemaPos}},
		open: func(_ context.Context, dir string, c Config) (DB, error) {
			return find(dir + c.Postgres)
		},
		create: func(_ context.Context, dir string, c Config) (Writer, error) {
			all[dir+c.Postgres] = NewMemory()
			return all[dir+c.Postgres], nil
		},
		edit: func(_ context.Context, dir string, c Config, _ bool) (Writer, error) {
			return find(dir + c.Postgres)
		},
		complete: func(Config) error { return nil },
		get:      func(c *Config, get func(string) string) error { c.Postgres = get("toy_box"); return nil },
		set:      func(c Config) []string { return []string{c.Postgres} },
	})
}

// TestToy tests that a backend works completely after it is added to the table.
func TestToy(t *testing.T) {
	toy(t)
	ctx := t.Context()
	c, ok := FindTarget("toy")
	if !ok || c.Target() != "toy" {
		t.Fatalf("%+v, %v", c, ok)
	}
	settings := map[string]string{"toy_box": "red", "redis_port": "none"}
	b, _ := BackendOf("toy")
	c, err := Configure("toy", func(name string) string { return settings[name] })
	if err != nil || !b.Remote() {
		t.Fatalf("%+v, %v", c, err)
	}
	if got := maps.Collect(c.Settings()); !maps.Equal(got, map[string]string{"backend": "toy", "toy_box": "red"}) {
		t.Errorf("%v", got)
	}
	p := Pos{1, 2, 3}
	change := func(Pos, []byte) ([]byte, error) { return []byte("x"), nil }
	if err := Edit(ctx, "dir", c, []Pos{p}, change); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Create(ctx, "dir", c); err != nil {
		t.Fatal(err)
	}
	if err := Edit(ctx, "dir", c, []Pos{p}, change); err != nil {
		t.Fatal(err)
	}
	db, err := Open(ctx, "dir", c)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := db.Get(ctx, p); string(data) != "x" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := Open(ctx, "dir", Config{Backend: "cards"}); !errors.Is(err, fault.ErrVersion) || !strings.Contains(err.Error(), "toy") {
		t.Error(err)
	}
}

// TestBackends tests that backend names are unique and that the fields of each backend are consistent.
func TestBackends(t *testing.T) {
	names := make(map[string]bool)
	for _, b := range Backends() {
		if names[b.Name] || b.open == nil || b.ReadOnly() != (b.edit == nil) ||
			b.Remote() != (b.get != nil && b.set != nil) || b.Remote() && len(b.Files) > 0 {
			t.Errorf("%+v", b)
		}
		names[b.Name] = true
		for _, target := range b.Targets {
			c, ok := FindTarget(target.Name)
			if names[target.Name] && target.Name != b.Name || !ok || c.Backend != b.Name || c.Target() != target.Name ||
				target.Title == "" || b.ReadOnly() {
				t.Errorf("%+v: %+v", target, c)
			}
			names[target.Name] = true
		}
	}
	if len(Targets()) != 5 {
		t.Errorf("%v", Targets())
	}
}

// TestPostgresMoment tests that with Moment all reads see the state at the time of opening.
func TestPostgresMoment(t *testing.T) {
	c := Config{Backend: Postgres, Postgres: judge.Postgres(t)}
	w, err := Create(t.Context(), "", c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	put(t, w, Pos{1, 2, 3}, []byte("changed"))
	put(t, w, Pos{1, 2, 4}, []byte("deleted"))
	c.Moment = true
	db := open(t, "", c)
	put(t, w, Pos{1, 2, 3}, []byte("later"))
	put(t, w, Pos{1, 2, 5}, []byte("new"))
	if err := w.Update(t.Context(), func(tx Tx) error { return tx.Delete(Pos{1, 2, 4}) }); err != nil {
		t.Fatal(err)
	}
	want := map[Pos]string{{1, 2, 3}: "changed", {1, 2, 4}: "deleted"}
	for name, blocks := range map[string]iter.Seq2[Block, error]{
		"Blocks": db.Blocks(t.Context(), All()), "InAnyOrder": InAnyOrder(t.Context(), db),
		"Fetch": Fetch(t.Context(), db, []Pos{{1, 2, 3}, {1, 2, 4}, {1, 2, 5}}),
	} {
		got := map[Pos]string{}
		for b, err := range blocks {
			if err != nil {
				t.Fatal(name, err)
			}
			got[b.Pos] = string(b.Data)
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s gives %q", name, got)
		}
	}
	if n, err := db.Count(t.Context()); n != 2 || err != nil {
		t.Errorf("Count = %d, %v", n, err)
	}
	if data, err := db.Get(t.Context(), Pos{1, 2, 3}); string(data) != "changed" {
		t.Errorf("Get = %q, %v", data, err)
	}
	if _, err := db.Get(t.Context(), Pos{1, 2, 5}); !errors.Is(err, ErrNotFound) {
		t.Errorf("a block that came later: %v", err)
	}

	// When the connection ends, the moment ends too: no other state is read.
	conn, err := pgx.Connect(t.Context(), c.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle "+
		"in transaction'"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if data, err := db.Get(t.Context(), Pos{1, 2, 3}); err == nil {
			t.Errorf("after the connection was lost: %q", data)
		}
	}
}

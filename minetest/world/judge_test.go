package world_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// engine runs the engine on the world in dir.
func engine(t *testing.T, dir string, args ...string) {
	t.Helper()
	home := judge.Dir(t)
	judge.Write(t, filepath.Join(home, "minetest.conf"), []byte("bind_address = 127.0.0.1\nport = 30999\nserver_announce = false\n"))
	said, err := judge.Run(t, home, "minetestserver",
		append([]string{"--config", filepath.Join(home, "minetest.conf"), "--world", dir, "--logfile",
			filepath.Join(home, "log"), "--quiet"}, args...)...)
	if err != nil {
		t.Fatalf("minetestserver %v: %v\n%s", args, err, said)
	}
}

// judgedWorld creates a world with all parts in the given backend.
func judgedWorld(t *testing.T, backend string) (dir string, players []*world.Player, accounts []*world.Account, data *world.ModData) {
	t.Helper()
	ctx := context.Background()
	dir = t.TempDir()
	judge.Write(t, filepath.Join(dir, "world.mt"),
		fmt.Appendf(nil, "gameid = devtest\nbackend = dummy\nplayer_backend = %[1]s\nauth_backend = "+
			"%[1]s\nmod_storage_backend = %[2]s\n", backend, strings.Replace(backend, "leveldb", "sqlite3", 1)))
	opts := world.Options{Write: true}
	s, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	players = samplePlayers(t)[:1]
	ps, err := world.OpenPlayers(ctx, dir, s, opts)
	must(err)
	must(ps.Put(ctx, players[0]))
	must(ps.Commit(ctx))
	must(ps.Close())
	accounts = []*world.Account{
		{Name: "bar", Privileges: []string{"shout"}, LastLogin: -1},
		{Name: "Foo", Password: world.NewVerifier("Foo", "bar"), Privileges: []string{"interact", "shout"}, LastLogin: 1489488299},
		{Name: "old", Password: world.LegacyVerifier("old", "pa55"), LastLogin: 5},
	}
	as, err := world.OpenAuth(ctx, dir, s, opts)
	must(err)
	for _, a := range accounts {
		must(as.Put(ctx, a))
	}
	must(as.Commit(ctx))
	must(as.Close())
	data = &world.ModData{Mod: "ltgen", Entries: []world.Entry{{[]byte("n"), []byte("42")},
		{[]byte("text"), []byte("tab\tnew\nline \"é\U0001f528\"")}}}
	ms, err := world.OpenStorage(ctx, dir, s, opts)
	must(err)
	must(ms.Put(ctx, data))
	must(ms.Commit(ctx))
	must(ms.Close())
	return dir, players, accounts, data
}

// TestEngineMigrates tests that the engine reads what this package wrote in each backend and converts it to the next,
// and that this package reads the result.
func TestEngineMigrates(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	ctx := context.Background()
	dir, players, accounts, data := judgedWorld(t, mapdb.SQLite)
	for _, to := range []string{mapdb.LevelDB, world.Files, mapdb.SQLite} {
		if to == mapdb.SQLite {
			for _, old := range []string{"players.sqlite", "auth.sqlite"} {
				if err := os.Remove(filepath.Join(dir, old)); err != nil {
					t.Fatal(err)
				}
			}
		}
		engine(t, dir, "--migrate-players", to)
		engine(t, dir, "--migrate-auth", to)
		s, err := world.ReadWorldMT(dir)
		if err != nil {
			t.Fatal(err)
		}
		if b := world.FindBackends(dir, s); b.Players != to || b.Auth != to {
			t.Fatalf("world.mt has %v", b)
		}
		comparePlayers(t, ctx, dir, s, players)
		compareAccounts(t, ctx, dir, s, accounts)
	}
	engine(t, dir, "--migrate-mod-storage", world.Files)
	s, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	store, err := world.OpenStorage(ctx, dir, s, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	got, err := store.Get(ctx, data.Mod)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(data, got, plain); diff != "" {
		t.Error(diff)
	}
	// The engine writes the same JSON.
	text, err := data.Append(nil)
	if was := judge.Read(t, filepath.Join(dir, "mod_storage", data.Mod)); err != nil || string(was) != string(text) {
		t.Errorf("the engine writes %s, we %s, %v", was, text, err)
	}
}

func comparePlayers(t *testing.T, ctx context.Context, dir string, s *world.Settings, want []*world.Player) {
	t.Helper()
	store, err := world.OpenPlayers(ctx, dir, s, world.Options{Remote: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, p := range want {
		got, err := store.Get(ctx, p.Name)
		if err != nil {
			t.Fatal(err)
		}
		got.Created, got.Modified = p.Created, p.Modified
		// The order is undefined.
		slices.SortFunc(got.Attributes, func(a, b world.Attribute) int { return strings.Compare(a.Key, b.Key) })
		if diff := cmp.Diff(p, got, plain); diff != "" {
			t.Error(diff)
		}
	}
}

func compareAccounts(t *testing.T, ctx context.Context, dir string, s *world.Settings, want []*world.Account) {
	t.Helper()
	store, err := world.OpenAuth(ctx, dir, s, world.Options{Remote: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, a := range want {
		got, err := store.Get(ctx, a.Name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, got, plain); diff != "" {
			t.Error(diff)
		}
	}
}

// TestEngineMigratesPostgres tests that the engine and this package read each other's tables in PostgreSQL.
func TestEngineMigratesPostgres(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	ctx := context.Background()
	conn := judge.Postgres(t)
	dir, players, accounts, _ := judgedWorld(t, mapdb.LevelDB)
	s, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pgsql_player_connection", "pgsql_auth_connection"} {
		if err := s.Set(name, conn); err != nil {
			t.Fatal(err)
		}
	}
	judge.Write(t, filepath.Join(dir, "world.mt"), s.Append(nil))
	engine(t, dir, "--migrate-players", mapdb.Postgres)
	engine(t, dir, "--migrate-auth", mapdb.Postgres)
	if s, err = world.ReadWorldMT(dir); err != nil {
		t.Fatal(err)
	}
	comparePlayers(t, ctx, dir, s, players)
	compareAccounts(t, ctx, dir, s, accounts)

	// Write to the engine's tables, and convert back with the engine.
	more := samplePlayers(t)[1]
	more.Name = "more"
	more.Inventory = players[0].Inventory // the engine adds missing lists
	store, err := world.OpenPlayers(ctx, dir, s, world.Options{Remote: true, Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Put(ctx, more); err != nil {
		t.Fatal(err)
	}
	if err := store.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	store.Close()
	engine(t, dir, "--migrate-players", mapdb.SQLite)
	if s, err = world.ReadWorldMT(dir); err != nil {
		t.Fatal(err)
	}
	comparePlayers(t, ctx, dir, s, append(players, more))
}

// TestEnginePasswords tests that the engine and CheckPassword accept the same passwords, and that CheckPassword
// accepts the verifiers that the engine writes.
func TestEnginePasswords(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	dir, _, _, _ := judgedWorld(t, world.Files)
	judge.Write(t, filepath.Join(dir, "worldmods", "judge", "mod.conf"), []byte("name = judge\n"))
	judge.Write(t, filepath.Join(dir, "worldmods", "judge", "init.lua"), []byte(`
minetest.after(0.1, function()
	local out = {}
	for _, t in ipairs({{"bar", ""}, {"bar", "x"}, {"Foo", "bar"}, {"Foo", "Bar"}, {"Foo", ""}, {"old", "pa55"}, {"old", "no"}}) do
		local entry = minetest.get_auth_handler().get_auth(t[1]).password
		out[#out + 1] = t[1] .. "/" .. t[2] .. "=" .. tostring(minetest.check_password_entry(t[1], entry, t[2]))
	end
	minetest.set_player_password("bar", minetest.get_password_hash("bar", "by the engine"))
	minetest.safe_file_write(minetest.get_worldpath() .. "/verdict", table.concat(out, " "))
	minetest.request_shutdown("done")
end)
`))
	engine(t, dir)
	const want = "bar/=true bar/x=false Foo/bar=true Foo/Bar=false Foo/=false old/pa55=true old/no=false"
	if got := string(judge.Read(t, filepath.Join(dir, "verdict"))); got != want {
		t.Errorf("the engine says %s, want %s", got, want)
	}
	a := world.ParseAuthFile(judge.Read(t, filepath.Join(dir, "auth.txt"))).Get("bar")
	if a == nil || !world.CheckPassword(a, "by the engine") || world.CheckPassword(a, "by us") {
		t.Errorf("the password of the engine does not fit: %v", a)
	}
}

// TestEngineRefuses tests that what the check reports as an error keeps the engine from starting, and that the
// suggested correction lets it start.
func TestEngineRefuses(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	dir, _, _, _ := judgedWorld(t, world.Files)
	judge.Write(t, filepath.Join(dir, "worldmods", "judge", "mod.conf"), []byte("name = judge\n"))
	judge.Write(t, filepath.Join(dir, "worldmods", "judge", "init.lua"),
		[]byte("minetest.after(0.1, function() minetest.request_shutdown('done') end)\n"))
	env := filepath.Join(dir, "env_meta.txt")
	judge.Write(t, env, []byte("game_time = 77\ntime_of_day = 6000\n"))
	home := judge.Dir(t)
	judge.Write(t, filepath.Join(home, "minetest.conf"), []byte("bind_address = 127.0.0.1\nport = 30998\n"))
	if said, err := judge.Run(t, home, "minetestserver", "--config", filepath.Join(home, "minetest.conf"), "--world", dir); err == nil {
		t.Errorf("the engine starts without EnvArgsEnd:\n%s", said)
	}
	s := world.ParseSettings(judge.Read(t, env), world.EnvMetaEnd)
	s.Finish()
	judge.Write(t, env, s.Append(nil))
	engine(t, dir)
	s = world.ParseSettings(judge.Read(t, env), world.EnvMetaEnd)
	if v, _ := s.Get("game_time"); v != "77" && v != "78" && v != "79" {
		t.Errorf("after that, the game_time is %q", v)
	}
}

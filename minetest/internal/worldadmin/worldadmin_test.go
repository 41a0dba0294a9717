package worldadmin_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/rollback"
	"trowel.example/minetest/internal/worldadmin"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

var ctx = context.Background()

// do applies steps to a world in place, and returns the path of the backup, or "" if nothing changed.
func do(t testing.TB, dir string, list ...worldedit.Step) (string, error) {
	t.Helper()
	w, err := worldedit.Open(ctx, dir, worldedit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Do(ctx, list...); err != nil {
		return "", err
	}
	return w.InPlace(ctx, "")
}

func must(t testing.TB, dir string, list ...worldedit.Step) (backup string) {
	t.Helper()
	backup, err := do(t, dir, list...)
	if err != nil {
		t.Fatal(err)
	}
	return backup
}

func restore(t testing.TB, dir, backup string) {
	t.Helper()
	if err := worldbackup.Restore(ctx, dir, backup, worldbackup.Options{}); err != nil {
		t.Fatal(err)
	}
}

// said returns the changes that a step reported, as lines.
func said(counts *worldedit.Counts) (lines []string) {
	for _, c := range counts.Changes() {
		lines = append(lines, fmt.Sprintf("%s: %s: %d %s", c.Path, c.What, c.Count, c.Unit))
	}
	return lines
}

// state describes everything in a world except the blocks.
func state(t testing.TB, dir string) (list []string) {
	t.Helper()
	s, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	players, err1 := world.OpenPlayers(ctx, dir, s, world.Options{})
	auth, err2 := world.OpenAuth(ctx, dir, s, world.Options{})
	storage, err3 := world.OpenStorage(ctx, dir, s, world.Options{})
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	defer players.Close()
	defer auth.Close()
	defer storage.Close()
	for p, err := range worldadmin.People(ctx, players, auth, true) {
		if err != nil {
			t.Fatal(err)
		}
		line := p.Name
		if p.Player != nil {
			line += fmt.Sprint(" ", p.Player.HP, p.Player.Attributes)
		}
		if p.Account != nil {
			slices.Sort(p.Account.Privileges)
			line += fmt.Sprint(" ", p.Account.Privileges, p.Account.LastLogin)
		}
		list = append(list, line)
	}
	for mod := range storage.Names(ctx) {
		m, err := storage.Get(ctx, mod)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range m.Entries {
			list = append(list, fmt.Sprintf("%s %s=%s", mod, e.Key, e.Value))
		}
	}
	slices.Sort(list)
	for _, name := range []string{"ipban.txt", "areas.dat", "env_meta.txt"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			list = append(list, string(text))
		}
	}
	return list
}

var populated = map[string]string{
	"auth.txt": "ann:#1#c2FsdA#dmVyaWZpZXI:interact,shout:1700000000\nbob::shout:1500000000\ncarl::shout:1500000000\n" +
		"root::privs,server:1400000000\nghost::shout:1500000000\nnew::shout:-1\n",
	"players/carl":    "hp = 4\nname = carl\nextended_attributes = {\"xp\":\"99\",\"clan\":\"red\"}\nPlayerArgsEnd\nEndInventory\n",
	"players/bob":     "hp = 3\nname = bob\nextended_attributes = {\"xp\":\"250\"}\nPlayerArgsEnd\nEndInventory\n",
	"players/root":    "hp = 20\nname = root\nPlayerArgsEnd\nEndInventory\n",
	"players/loner":   "hp = 1\nname = loner\nPlayerArgsEnd\nEndInventory\n",
	"mod_storage/pig": `{"count":"7","ann":"3","home:ann":"1,2,3","annabel":"x","list":"[\"ann\",\"bob\"]"}`,
	"ipban.txt":       "192.0.2.7|mallory\n192.0.2.8|ann\n",
	"areas.dat": `[{"name":"A","owner":"ann","pos1":{"x":0,"y":0,"z":0},"pos2":{"x":9,"y":9,"z":9}},null,` +
		`{"name":"B","owner":"bob","pos1":{"x":20,"y":0,"z":0},"pos2":{"x":29,"y":9,"z":9}}]`,
}

// made creates a world with persons in the given backend.
func made(t testing.TB, backend string) string {
	t.Helper()
	return madeIn(t, backend, strings.Replace(backend, "leveldb", "", 1))
}

// madeIn is like made, with a separate backend for mod storage.
func madeIn(t testing.TB, backend, storage string) string {
	t.Helper()
	dir := worldtest.World(t, filepath.Join(t.TempDir(), "plain"), mapdb.Config{Backend: mapdb.SQLite}, 4)
	for name, text := range populated {
		judge.Write(t, filepath.Join(dir, filepath.FromSlash(name)), []byte(text))
	}
	if backend == world.Files {
		return dir
	}
	o := worldcopy.Options{Players: backend, Auth: backend, Storage: storage}
	if backend == mapdb.Postgres {
		o.Postgres = judge.Postgres(t)
	}
	dst := filepath.Join(t.TempDir(), "world")
	if _, err := worldcopy.Copy(ctx, dir, dst, o); err != nil {
		t.Fatal(err)
	}
	return dst
}

var backends = []string{world.Files, mapdb.SQLite, mapdb.LevelDB, mapdb.Postgres}

func TestPurge(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	before := time.Unix(1600000000, 0)
	where := func(texts ...string) (list []worldadmin.Condition) {
		for _, text := range texts {
			c, err := worldadmin.ParseCondition(text)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, c)
		}
		return list
	}
	for _, backend := range backends {
		t.Run(backend, func(t *testing.T) {
			dir := made(t, backend)
			was := state(t, dir)
			for i, c := range []struct {
				purge worldadmin.Purge
				gone  string // names
			}{
				{worldadmin.Purge{Rule: worldadmin.Rule{NotSince: before}}, "bob carl ghost"},
				{worldadmin.Purge{Rule: worldadmin.Rule{NotSince: before, Where: where("xp < 100")}}, "carl"},
				{worldadmin.Purge{Rule: worldadmin.Rule{NotSince: before}, Admins: true}, "bob carl ghost root"},
				{worldadmin.Purge{Rule: worldadmin.Rule{Where: where("xp<100")}}, "ann carl loner"},
				{worldadmin.Purge{Rule: worldadmin.Rule{Where: where("xp >= 99", "clan = red")}}, "carl"},
				{worldadmin.Purge{Rule: worldadmin.Rule{Where: where("clan != red")}, Admins: true}, "ann bob loner root"},
				{worldadmin.Purge{Rule: worldadmin.Rule{Never: true}}, "new"},
				{worldadmin.Purge{Rule: worldadmin.Rule{NoPlayer: true}}, "ghost new"},
				{worldadmin.Purge{Rule: worldadmin.Rule{NoAccount: true}}, "loner"},
				{worldadmin.Purge{Rule: worldadmin.Rule{Has: []string{"shout"}, Not: []string{"interact"},
					Names: []string{"bob", "c*", "gh?st"}}}, "bob carl ghost"},
				{worldadmin.Purge{Rule: worldadmin.Rule{Names: []string{"bob"}, Never: true}}, ""},
			} {
				if i == 3 && backend == mapdb.Postgres {
					break // the rules are the same for all backends, and servers are slow
				}
				c.purge.Counts = new(worldedit.Counts)
				backup := must(t, dir, c.purge.Step())
				want := slices.DeleteFunc(slices.Clone(was), func(line string) bool {
					name, _, ok := strings.Cut(line, " ")
					return ok && slices.Contains(strings.Fields(c.gone), name)
				})
				if got := state(t, dir); !slices.Equal(got, want) {
					t.Errorf("%d: %q, want %q", i, got, want)
				}
				if (backup != "") != (c.gone != "") || backup == "" && len(c.purge.Counts.Changes()) > 0 {
					t.Errorf("%d: the backup is %q, and it said %q", i, backup, said(c.purge.Counts))
				}
				if backup != "" {
					restore(t, dir, backup)
				}
				if got := state(t, dir); !slices.Equal(got, was) {
					t.Fatalf("%d: restored it is %q, want %q", i, got, was)
				}
			}
		})
	}
}

// TestPurgeRefused tests that deleting everything must be requested explicitly, and that a mistyped condition deletes
// nothing.
func TestPurgeRefused(t *testing.T) {
	dir := made(t, world.Files)
	was := state(t, dir)
	slip, _ := worldadmin.ParseCondition("exp < 100")
	for i, p := range []worldadmin.Purge{
		{},
		{Rule: worldadmin.Rule{Names: []string{"*"}}, Admins: true},
		{Rule: worldadmin.Rule{Where: []worldadmin.Condition{slip}}},
	} {
		if _, err := do(t, dir, p.Step()); err == nil || i < 2 && !errors.Is(err, worldadmin.ErrAll) || i == 2 &&
			!errors.Is(err, worldadmin.ErrNoKey) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if got := state(t, dir); !slices.Equal(got, was) {
		t.Errorf("it is %q, want %q", got, was)
	}
	must(t, dir, worldadmin.Purge{Admins: true, All: true, KeepAccounts: true}.Step())
	if got := state(t, dir); !strings.HasPrefix(got[0], "ann [") ||
		slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "loner") }) {
		t.Errorf("with all it is %q", got)
	}
	for _, text := range []string{"", "xp", "xp < many", "= 3", "< 1"} {
		if c, err := worldadmin.ParseCondition(text); err == nil {
			t.Errorf("%q is %+v", text, c)
		}
	}
}

// owned puts a node with metadata into a world.
func owned(t testing.TB, dir string, p mapdb.Pos, version int, vars ...mapblock.Var) {
	t.Helper()
	b := mapblock.New(29)
	if err := b.SetNode(7, "default:chest_locked", 0, 0); err != nil {
		t.Fatal(err)
	}
	b.Metadata = mapblock.Metadata{Version: 2, List: []mapblock.NodeMeta{{Pos: 7, Vars: vars, Inventory: []byte("EndInventory\n")}}}
	b, _, err := b.Convert(version, mapblock.ConvertOptions{Drop: true})
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, p, b)
}

func put(t testing.TB, dir string, p mapdb.Pos, b *mapblock.Block) {
	t.Helper()
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	err = mapdb.Edit(ctx, dir, mapdb.Config{Backend: mapdb.SQLite}, []mapdb.Pos{p},
		func(mapdb.Pos, []byte) ([]byte, error) { return data, nil })
	if err != nil {
		t.Fatal(err)
	}
}

func blocks(t testing.TB, dir string) map[mapdb.Pos]string {
	t.Helper()
	db, err := mapdb.Open(ctx, dir, mapdb.Config{Backend: mapdb.SQLite})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	return worldtest.All(t, db)
}

func TestRename(t *testing.T) {
	for _, backend := range backends {
		t.Run(backend, func(t *testing.T) {
			dir := made(t, backend)
			at := mapdb.Pos{X: 100}
			old := mapdb.Pos{X: 101}
			owned(t, dir, at, 29, mapblock.Var{Key: "owner", Value: "ann"}, mapblock.Var{Key: "members", Value: "bob ann annabel"},
				mapblock.Var{Key: "placer", Value: "ann"}, mapblock.Var{Key: "text", Value: "ann", Private: 1})
			owned(t, dir, old, 24, mapblock.Var{Key: "owner", Value: "ann"})
			dog, err := mapblock.LuaEntity{Version: 1, Name: "mobs:dog", StaticData: `return {owner = "ann"}`}.Encode()
			if err != nil {
				t.Fatal(err)
			}
			kennel := mapblock.New(29)
			kennel.Objects.List = []mapblock.Object{{Type: mapblock.ObjectLuaEntity, Data: dog}}
			put(t, dir, mapdb.Pos{X: 102}, kennel)
			was, wasBlocks := state(t, dir), blocks(t, dir)
			counts := new(worldedit.Counts)
			backup := must(t, dir, worldadmin.Rename{From: "ann", To: "zoe", Keys: []string{"placer"}, Counts: counts}.Step())
			want := slices.Clone(was)
			for i, line := range want {
				switch {
				case strings.HasPrefix(line, "ann "):
					want[i] = "zoe" + line[3:]
				case strings.HasPrefix(line, "pig ann="), strings.HasPrefix(line, "pig home:ann="), strings.HasPrefix(line, "[{"),
					strings.HasPrefix(line, "192"):
					want[i] = strings.Replace(line, "ann", "zoe", 1)
				}
			}
			got := state(t, dir)
			texts := len(want) - 3
			slices.Sort(want[:texts])
			if !slices.Equal(got, want) {
				t.Errorf("it is\n%q, want\n%q", got, want)
			}
			lines := []string{
				"players: ann renamed to zoe: 1 ",
				"auth: the password is invalid for the new name: set a new password for zoe: 1 ", "auth: ann renamed to zoe: 1 ",
				"ipban.txt: bans renamed: 1 bans", "areas.dat: areas with a new owner: 1 areas",
				"mod_storage: keys of pig renamed: 2 keys", "mod_storage: values of pig that contain the name, unchanged: 1 values",
				"map: nodes with a new owner or member: 2 nodes",
				"map: other metadata that contain the name, unchanged: 1 values", "map: objects that contain the name, unchanged: 1 objects",
			}
			if !slices.Equal(said(counts), lines) {
				t.Errorf("it said %q, want %q", said(counts), lines)
			}
			now := blocks(t, dir)
			for p, data := range now {
				if b, err := mapblock.Decode([]byte(data)); err != nil || (p != at && p != old) && data != wasBlocks[p] {
					t.Errorf("the block at %v differs: %v", p, err)
				} else if p == at {
					m := b.Metadata.At(7)
					want := []mapblock.Var{{Key: "owner", Value: "zoe"}, {Key: "members", Value: "bob zoe annabel"},
						{Key: "placer", Value: "zoe"}, {Key: "text", Value: "ann", Private: 1}}
					if !slices.Equal(m.Vars, want) {
						t.Errorf("the metadata are %q", m.Vars)
					}
				} else if p == old && (b.Version != 24 || b.Metadata.At(7).Var("owner") != "zoe") {
					t.Errorf("the old block is of version %d and of %q", b.Version, b.Metadata.At(7).Var("owner"))
				}
			}
			restore(t, dir, backup)
			if !slices.Equal(state(t, dir), was) || !maps.Equal(blocks(t, dir), wasBlocks) {
				t.Error("restored it is not what it was")
			}
		})
	}
}

func TestRenamePassword(t *testing.T) {
	dir := made(t, world.Files)
	must(t, dir, worldadmin.Rename{From: "ann", To: "zoe", Password: "secret"}.Step(), worldadmin.Rename{From: "bob", To: "BOB"}.Step())
	s, _ := world.ReadWorldMT(dir)
	auth, err := world.OpenAuth(ctx, dir, s, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer auth.Close()
	if a, err := auth.Get(ctx, "zoe"); err != nil || !world.CheckPassword(a, "secret") {
		t.Error("the new password does not fit", err)
	}
	for _, r := range []worldadmin.Rename{{From: "nobody", To: "x"}, {From: "zoe", To: "carl"}, {From: "zoe", To: "ghost"},
		{From: "zoe", To: "a b"}, {From: "zoe", To: "zoe"}} {
		if backup, err := do(t, dir, r.Step()); err == nil || backup != "" {
			t.Errorf("%+v is no error", r)
		}
	}
}

func TestBansAndStorage(t *testing.T) {
	dir := made(t, world.Files)
	was := state(t, dir)
	backup := must(t, dir,
		worldadmin.Ban(world.Ban{Address: "192.0.2.9", Name: "eve"}, nil),
		worldadmin.Ban(world.Ban{Address: "192.0.2.9", Name: "eve"}, nil), worldadmin.Unban("mallory", nil),
		worldadmin.SetStorage("pig", "count", []byte("8"), nil), worldadmin.SetStorage("cow", "k", []byte("v"), nil),
		worldadmin.DeleteStorage("pig", "list", false, nil),
	)
	got := state(t, dir)
	for _, line := range []string{"192.0.2.8|ann\n192.0.2.9|eve\n", "pig count=8", "cow k=v"} {
		if !slices.Contains(got, line) {
			t.Errorf("there is no %q: %q", line, got)
		}
	}
	if len(got) != len(was) {
		t.Errorf("%q", got)
	}
	restore(t, dir, backup)
	if got := state(t, dir); !slices.Equal(got, was) {
		t.Errorf("restored it is %q, want %q", got, was)
	}
	for i, step := range []worldedit.Step{
		worldadmin.Unban("nobody", nil), worldadmin.Ban(world.Ban{Address: "a|b"}, nil), worldadmin.DeleteStorage("pig", "", false, nil),
		worldadmin.DeleteStorage("pig", "none", false, nil), worldadmin.DeleteStorage("none", "", true, nil),
	} {
		if _, err := do(t, dir, step); err == nil {
			t.Errorf("%d is no error", i)
		}
	}
	must(t, dir, worldadmin.DeleteStorage("pig", "", true, nil))
	if slices.ContainsFunc(state(t, dir), func(line string) bool { return strings.HasPrefix(line, "pig") }) {
		t.Error("something of the mod is left")
	}
	if backup := must(t, dir, worldadmin.SetStorage("cow", "k", nil, nil), worldadmin.DeleteStorage("cow", "k", false, nil)); backup == "" {
		t.Error("no backup")
	}
}

func TestClearObjects(t *testing.T) {
	dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite}, 30, 29)
	was := blocks(t, dir)
	counts := new(worldedit.Counts)
	backup := must(t, dir, worldadmin.ClearObjects(false, counts))
	for p, data := range blocks(t, dir) {
		b, err := mapblock.Decode([]byte(data))
		if err != nil || len(b.Objects.List) > 0 {
			t.Fatalf("%v: %v, %v", p, b.Objects, err)
		}
	}
	if n := counts.Objects.Load(); n != 5 {
		t.Errorf("%d objects", n)
	}
	restore(t, dir, backup)
	if !maps.Equal(blocks(t, dir), was) {
		t.Error("restored the blocks are others")
	}
	must(t, dir, worldadmin.ClearObjects(true, nil))
	if text := string(judge.Read(t, filepath.Join(dir, "env_meta.txt"))); !strings.Contains(text,
		"last_clear_objects_time = 5001\n") || !strings.HasSuffix(text, "EnvArgsEnd\n") {
		t.Errorf("env_meta.txt is %q", text)
	}
	if !maps.Equal(blocks(t, dir), was) {
		t.Error("a note changed blocks")
	}
}

func TestTrimRollback(t *testing.T) {
	dir := made(t, world.Files)
	conn, err := sqlite.OpenConn(filepath.Join(dir, rollback.File))
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, `CREATE TABLE actor (id, name); CREATE TABLE node (id, name);
		CREATE TABLE action (id INTEGER PRIMARY KEY, actor, timestamp, type, list, "index", "add", stackNode, stackQuantity, x, y, z,
		oldNode, oldParam1, oldParam2, oldMeta, newNode, newParam1, newParam2, newMeta, guessedActor);
		INSERT INTO action (id, timestamp, x) VALUES (1, 10, 0), (2, 20, 0)`, nil)
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	was := judge.Read(t, filepath.Join(dir, rollback.File))
	backup := must(t, dir, worldadmin.TrimRollback(time.Unix(20, 0), nil))
	count := func() int64 {
		db, err := rollback.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		n, err := db.Count(ctx, rollback.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(); n != 1 {
		t.Errorf("%d actions are left", n)
	}
	restore(t, dir, backup)
	if got := judge.Read(t, filepath.Join(dir, rollback.File)); string(got) != string(was) {
		t.Error("restored the file differs")
	}
	if backup := must(t, dir, worldadmin.TrimRollback(time.Unix(5, 0), nil)); backup != "" {
		t.Error("a backup of no change")
	}
	if _, err := do(t, t.TempDir(), worldadmin.TrimRollback(time.Unix(5, 0), nil)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "world")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"world.mt": "gameid = minetest\n", "ipban.txt": "192.0.2.7|mallory\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			fmt.Println(err)
			return
		}
	}
	w, err := worldedit.Open(ctx, dir, worldedit.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	counts := new(worldedit.Counts)
	if err := w.Do(ctx, worldadmin.Unban("mallory", counts)); err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range counts.Changes() {
		fmt.Println(c.Path, c.What)
	}
	// Output: ipban.txt mallory is banned no longer
}

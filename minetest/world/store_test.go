package world_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// backends are the backends that need only a folder. Mod storage does not exist in LevelDB.
var backends = []string{world.Files, mapdb.SQLite, mapdb.LevelDB}

var plain = cmp.Options{
	cmpopts.IgnoreUnexported(world.Player{}, world.ModData{}),
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b float64) bool { return float32(a) == float32(b) }), // the precision of the engine
	cmp.Comparer(func(a, b world.Verifier) bool { return string(a) == string(b) }),
}

func samplePlayers(t testing.TB) []*world.Player {
	t.Helper()
	inv, _, err := item.ParseInventory([]byte("List main 4\nWidth 0\nItem default:dirt 99\nEmpty\nItem a:b 1 5 " +
		"\"\\u0001k\\u0002v\\u0003\"\nEmpty\nEndInventoryList\n" +
		"List craft 2\nWidth 3\nEmpty\nEmpty\nEndInventoryList\nList craftpreview 1\nWidth " +
		"0\nEmpty\nEndInventoryList\nList craftresult 1\nWidth 0\nEmpty\nEndInventoryList\nEndInventory\n"))
	if err != nil {
		t.Fatal(err)
	}
	return []*world.Player{
		{Name: "celeron55", Pos: [3]float64{-5231.97021484375, 15, 1961.4100341796875}, Pitch: 39.77000045776367, Yaw: 101.37000274658203,
			HP: 11, Breath: 10, Attributes: []world.Attribute{{"armor", "7"}, {"home", "{\"x\":1}\né\U0001f528"}}, Inventory: inv},
		{Name: "Celeron55", HP: 20, Breath: 10, Inventory: new(item.Inventory)},
	}
}

// suite puts things into a store and tests when they become visible.
func suite[T any](t *testing.T, open func(write bool) world.Store[T], name func(T) string, things []T, change func(T)) {
	t.Helper()
	ctx := context.Background()
	try := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	all := func(s world.Store[T]) (list []T) {
		t.Helper()
		var found []string
		for name, err := range s.Names(ctx) {
			try(err)
			found = append(found, name)
		}
		slices.Sort(found)
		for _, name := range found {
			thing, err := s.Get(ctx, name)
			try(err)
			list = append(list, thing)
		}
		return list
	}
	want := slices.Clone(things)
	slices.SortFunc(want, func(a, b T) int { return strings.Compare(name(a), name(b)) })
	compare := func(s world.Store[T], want []T) {
		t.Helper()
		ignore := cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Created" || p.String() == "Modified" }, cmp.Ignore())
		if diff := cmp.Diff(want, all(s), plain, ignore); diff != "" {
			t.Fatal(diff)
		}
	}

	empty := open(false)
	compare(empty, nil)
	if err := empty.Put(ctx, things[0]); !errors.Is(err, world.ErrReadOnly) {
		t.Fatalf("a store that is open for reading takes a thing: %v", err)
	}
	if err := empty.Commit(ctx); !errors.Is(err, world.ErrReadOnly) {
		t.Fatalf("a store that is open for reading can be committed: %v", err)
	}
	if _, err := empty.Get(ctx, "nobody"); !errors.Is(err, world.ErrNotFound) || !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("Get of nobody: %v", err)
	}
	try(empty.Close())

	// Without Commit, nothing changes.
	s := open(true)
	try(s.Put(ctx, things[0]))
	compare(s, things[:1])
	try(s.Close())
	s = open(false)
	compare(s, nil)
	try(s.Close())

	s = open(true)
	for _, thing := range things {
		try(s.Put(ctx, thing))
	}
	compare(s, want)
	try(s.Commit(ctx))
	compare(s, want)
	try(s.Close())
	s = open(false)
	compare(s, want)
	try(s.Close())

	// Change one thing and remove another.
	s = open(true)
	change(things[0])
	try(s.Put(ctx, things[0]))
	gone := name(things[1])
	try(s.Delete(ctx, gone))
	if err := s.Delete(ctx, gone); !errors.Is(err, world.ErrNotFound) {
		t.Fatalf("deleted twice: %v", err)
	}
	want = slices.DeleteFunc(want, func(v T) bool { return name(v) == gone })
	compare(s, want)
	try(s.Commit(ctx))
	try(s.Close())
	s = open(false)
	compare(s, want)
	try(s.Close())

	canceled, cancel := context.WithCancel(ctx)
	cancel()
	s = open(false)
	for name, err := range s.Names(canceled) {
		if err == nil {
			t.Errorf("after the end of the context there is %q", name)
		}
	}
	s.Close()
}

func playersSuite(t *testing.T, dir string, opts world.Options) {
	suite(t, func(write bool) world.Players {
		opts.Write = write
		s, err := world.OpenPlayers(context.Background(), dir, world.ParseSettings(nil, ""), opts)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}, func(p *world.Player) string { return p.Name }, samplePlayers(t), func(p *world.Player) {
		p.HP = 3
		p.Attributes = append(p.Attributes[:0:0], world.Attribute{Key: "new"})
		p.Inventory.Lists[0].Items[1].Stack = item.Stack{Name: "default:stick", Count: 2}
	})
}

func authSuite(t *testing.T, dir string, opts world.Options) {
	suite(t, func(write bool) world.Auth {
		opts.Write = write
		s, err := world.OpenAuth(context.Background(), dir, world.ParseSettings(nil, ""), opts)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}, func(a *world.Account) string { return a.Name }, []*world.Account{
		{Name: "celeron55", Privileges: []string{"interact", "shout"}, LastLogin: -1},
		{Name: "Foo", Password: "J19gMvsQaw/vp6q3YYagNBB/X9g", Privileges: []string{"shout"}, LastLogin: 1489488299},
		{Name: "bar", Password: world.NewVerifier("bar", "secret")},
	}, func(a *world.Account) { a.Privileges, a.LastLogin = []string{"fly"}, 7 })
}

func storageSuite(t *testing.T, dir string, opts world.Options) {
	value := "\x00\x01\xff"
	if opts.Backend == world.Files {
		value = "\x00\x01é\U0001f528\\\"\n"
	}
	suite(t, func(write bool) world.Storage {
		opts.Write = write
		s, err := world.OpenStorage(context.Background(), dir, world.ParseSettings(nil, ""), opts)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}, func(m *world.ModData) string { return m.Mod }, []*world.ModData{
		{Mod: "ltgen", Entries: []world.Entry{{[]byte("bin"), []byte(value)}, {[]byte("empty"), nil}, {[]byte("n"), []byte("42")}}},
		{Mod: "areas", Entries: []world.Entry{{[]byte("a"), []byte("b")}}},
	}, func(m *world.ModData) { m.Set("n", []byte("43")) })
}

func TestStores(t *testing.T) {
	for _, name := range backends {
		opts := world.Options{Backend: name}
		t.Run("players/"+name, func(t *testing.T) { playersSuite(t, t.TempDir(), opts) })
		t.Run("auth/"+name, func(t *testing.T) { authSuite(t, t.TempDir(), opts) })
		if name != mapdb.LevelDB {
			t.Run("storage/"+name, func(t *testing.T) { storageSuite(t, t.TempDir(), opts) })
		}
	}
}

func TestPostgres(t *testing.T) {
	opts := world.Options{Backend: mapdb.Postgres, Postgres: judge.Postgres(t)}
	t.Run("players", func(t *testing.T) { playersSuite(t, t.TempDir(), opts) })
	t.Run("auth", func(t *testing.T) { authSuite(t, t.TempDir(), opts) })
	t.Run("storage", func(t *testing.T) { storageSuite(t, t.TempDir(), opts) })
	t.Run("times", func(t *testing.T) { times(t, t.TempDir(), opts) })
}

// TestTimes tests that SQLite stores when a player was created and last saved.
func TestTimes(t *testing.T) { times(t, t.TempDir(), world.Options{Backend: mapdb.SQLite}) }

func times(t *testing.T, dir string, opts world.Options) {
	opts.Write = true
	s, err := world.OpenPlayers(context.Background(), dir, world.ParseSettings(nil, ""), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := samplePlayers(t)[0]
	p.Created, p.Modified = time.Date(2022, 3, 26, 13, 37, 30, 250e6, time.UTC), time.Date(2022, 5, 16, 19, 14, 38, 0, time.UTC)
	for range 2 { // the second Put replaces the first
		if err := s.Put(context.Background(), p); err != nil {
			t.Fatal(err)
		}
		got, err := s.Get(context.Background(), p.Name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, got, plain); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestRemote tests that no server is contacted unless that is allowed, because a world may name any server.
func TestRemote(t *testing.T) {
	s := world.ParseSettings([]byte("player_backend = postgresql\npgsql_player_connection = host=192.0.2.1 password=secret1\n"), "")
	if _, err := world.OpenPlayers(context.Background(), t.TempDir(), s, world.Options{}); !errors.Is(err, world.ErrRemote) {
		t.Error(err)
	}
	s.Set("pgsql_player_connection", "host= password='secret1")
	_, err := world.OpenPlayers(context.Background(), t.TempDir(), s, world.Options{Remote: true})
	if err == nil || strings.Contains(err.Error(), "secret1") {
		t.Errorf("the error reveals the password: %v", err)
	}
	if _, err := world.OpenAuth(context.Background(), t.TempDir(), s, world.Options{Backend: "punch cards"}); err == nil {
		t.Error("a backend that there is not can be opened")
	}
}

// state describes every file below a folder.
func state(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := os.Stat(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v %v", path, st.Mode(), st.ModTime())
		if st.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %x", sha256.Sum256(data))
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPlayerFileNames tests that a file of another player is not overwritten, and that a file of the same player is,
// whatever its name.
func TestPlayerFileNames(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	judge.Write(t, filepath.Join(dir, "players", "a"), []byte("name = b\nPlayerArgsEnd\nEndInventory\n"))
	s, err := world.OpenPlayers(ctx, dir, world.ParseSettings(nil, ""), world.Options{Backend: world.Files, Write: true})
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Get(ctx, "b")
	if err != nil {
		t.Fatal(err)
	}
	b.HP = 5
	if err := errors.Join(s.Put(ctx, &world.Player{Name: "a"}), s.Put(ctx, b), s.Commit(ctx)); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"a": "name = b\n", "a0": "name = a\n"} {
		if text := string(judge.Read(t, filepath.Join(dir, "players", file))); !strings.Contains(text, want) {
			t.Errorf("%s has %q", file, text)
		}
	}
	if err := s.Put(ctx, &world.Player{}); err == nil {
		t.Error("a player needs no name")
	}
	// The name is stored in the file, so it need not be a valid file name.
	odd := []string{"..", "../x", "a/b", "toolongforthename123", "é è", ".hidden", "a\\b"}
	for _, name := range odd {
		if err := s.Put(ctx, &world.Player{Name: name}); err != nil {
			t.Error(err)
		}
	}
	if err := s.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if s, err = world.OpenPlayers(ctx, dir, world.ParseSettings(nil, ""), world.Options{Backend: world.Files}); err != nil {
		t.Fatal(err)
	}
	for _, name := range odd {
		if p, err := s.Get(ctx, name); err != nil || p.Name != name {
			t.Errorf("%q: %v", name, err)
		}
	}
	if list, err := os.ReadDir(filepath.Join(dir, "players")); err != nil || len(list) != 2+len(odd) {
		t.Errorf("%v, %v", list, err)
	}
}

// TestKeyTwice tests that the last value counts if a key occurs more than once in a JSON file, as in the engine, and
// that this is reported.
func TestKeyTwice(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	judge.Write(t, filepath.Join(dir, "world.mt"),
		[]byte("gameid = a\nbackend = dummy\nplayer_backend = files\nauth_backend = files\nmod_storage_backend = files\n"))
	judge.Write(t, filepath.Join(dir, "mod_storage", "m"), []byte(`{"a":"1","b":"x","a":"2"}`))
	judge.Write(t, filepath.Join(dir, "players", "foo"),
		[]byte("name = foo\nextended_attributes = {\"k\":\"1\",\"k\":\"2\"}\nPlayerArgsEnd\nEndInventory\n"))
	s, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	o := world.Options{Lost: func(err error, _ []check.Place) { told = append(told, err.Error()) }}
	mods, err := world.OpenStorage(ctx, dir, s, o)
	if err != nil {
		t.Fatal(err)
	}
	defer mods.Close()
	m, err := mods.Get(ctx, "m")
	if err != nil || len(m.Entries) != 2 || string(m.Entries[0].Value) != "2" || string(m.Entries[1].Value) != "x" {
		t.Errorf("%q, %v", m.Entries, err)
	}
	players, err := world.OpenPlayers(ctx, dir, s, o)
	if err != nil {
		t.Fatal(err)
	}
	defer players.Close()
	if p, err := players.Get(ctx, "foo"); err != nil || !slices.Equal(p.Attributes, []world.Attribute{{"k", "2"}}) {
		t.Errorf("%+v, %v", p, err)
	}
	if len(told) != 2 || !strings.Contains(told[0], "mod_storage/m") || !strings.Contains(told[1], "players/foo") {
		t.Errorf("told %q", told)
	}
	found := 0
	if err := world.CheckRest(ctx, dir, world.CheckOptions{}, func(f check.Finding) {
		if f.ID == "mt-world-row" {
			found++
		}
	}); err != nil || found != 2 {
		t.Errorf("%d findings, %v", found, err)
	}
}

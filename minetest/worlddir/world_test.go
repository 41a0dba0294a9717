package worlddir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/alicebob/miniredis/v2"

	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// TestWorlds tests that a world of every backend round-trips through its folder.
func TestWorlds(t *testing.T) {
	for backend := range backends {
		t.Run(backend, func(t *testing.T) {
			w := makeWorld(t, backend)
			if !RecognizeWorld(w.Dir) || Recognize(os.DirFS(w.Dir)) {
				t.Error("the world is not recognised as one")
			}
			folder := extract(t, Open(t.Context(), w, Options{Exact: true}))
			if RecognizeWorld(folder) || !Recognize(os.DirFS(folder)) {
				t.Error("the folder is not recognised as one")
			}
			again, report := build(t, os.DirFS(folder), BuildOptions{})
			if want := (Report{Files: 6, Blocks: 43, Raw: 3, Players: 2, Accounts: 3, Mods: 2}); *report != want {
				t.Errorf("%+v", *report)
			}
			sameWorld(t, w, again, true)
		})
	}
}

// TestOtherBackend tests that a folder from one backend can be built into a world of another.
func TestOtherBackend(t *testing.T) {
	for _, from := range []string{"sqlite", "leveldb", "files"} {
		for _, to := range []string{"xyz", "leveldb", "files"} {
			if to == "leveldb" && from == "sqlite" || to == "files" && from == "sqlite" {
				continue // files of mods cannot contain bytes that are not valid text
			}
			t.Run(from+" to "+to, func(t *testing.T) {
				w := makeWorld(t, from)
				folder := extract(t, Open(t.Context(), w, Options{Exact: true}))
				judge.Write(t, filepath.Join(folder, "world.mt"), []byte(backends[to]))
				schema := mapdb.SchemaXYZ
				got, _ := build(t, os.DirFS(folder), BuildOptions{Schema: &schema})
				if to == "xyz" && mapdb.SchemaOf(got.Map) != schema {
					t.Errorf("schema %v", mapdb.SchemaOf(got.Map))
				}
				sameAccounts(t, w, got)
				for block, err := range w.Map.Blocks(t.Context(), mapdb.All()) {
					if err != nil {
						t.Fatal(err)
					}
					if data, err := got.Map.Get(t.Context(), block.Pos); err != nil || string(data) != string(block.Data) {
						t.Errorf("%v: %v", block.Pos, err)
					}
				}
				p, err := got.Players.Get(t.Context(), "singleplayer")
				if err != nil {
					t.Fatal(err)
				}
				if want := testPlayers(t)[0]; p.Pos != want.Pos || !p.Inventory.Equal(want.Inventory) || len(p.Attributes) != 2 {
					t.Errorf("another player: %+v", p)
				}
			})
		}
	}
}

func sameAccounts(t testing.TB, want, got *World) {
	t.Helper()
	for name, err := range want.Auth.Names(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		a, err := want.Auth.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := got.Auth.Get(t.Context(), name); err != nil || !a.Equal(b) {
			t.Errorf("account %s: %v", name, err)
		}
	}
}

// TestFS tests that the folder is a valid file system of io/fs.
func TestFS(t *testing.T) {
	w := makeWorld(t, "sqlite")
	fsys := Open(t.Context(), w, Options{})
	err := fstest.TestFS(fsys, "world.mt", "worldmods/a/init.lua", "%62locks", "%2Etrowel.json", "schems/100%2525.mts",
		"blocks/z-15/y-2048/-2047,-2048,-15.txt", "blocks/z0/y1/7,1,0.txt", "players/singleplayer.json", "auth/foo.json",
		"storage/test_mod.json", tree.Sidecar)
	if err != nil {
		t.Error(err)
	}
	for _, name := range []string{
		"map.sqlite", "players.sqlite", "rollback.sqlite-wal", "none", "../world.mt", "schems/100%25.mts", "worldmods%2Fa", "a%2Fb",
		"blocks/z0/y1/07,1,0.txt", "blocks/z0/y1/7,1,0.block", "blocks/z0/y1/7,1,1.txt", "blocks/z00", "blocks/z0/y5",
		"blocks/z0/y1/7,1,0.txt/x", "players/none.json", ".trowel.json/x",
	} {
		if f, err := fsys.Open(name); err == nil {
			f.Close()
			t.Errorf("%s can be opened", name)
		}
	}
	data, err := fs.ReadFile(fsys, "blocks/z0/y1/7,1,0.txt")
	if want := "\nraw\n  0x1c\n"; err != nil || !strings.HasSuffix(string(data), want) ||
		!strings.HasPrefix(string(data), "# Block 7,1,0 cannot be read: ") {
		t.Errorf("%q, %v", data, err)
	}
}

// countingDB counts the blocks that are read.
type countingDB struct {
	mapdb.DB
	gets atomic.Int64
}

func (c *countingDB) Get(ctx context.Context, p mapdb.Pos) ([]byte, error) {
	c.gets.Add(1)
	return c.DB.Get(ctx, p)
}

// TestListing tests that listing the folder reads no blocks, and that large folders are read page by page.
func TestListing(t *testing.T) {
	w := makeWorld(t, "sqlite")
	many := mapdb.NewMemory()
	err := many.Update(t.Context(), func(tx mapdb.Tx) error {
		for x := range 4000 {
			if err := tx.Put(mapdb.Pos{X: int16(x - 2000), Y: -3}, []byte{byte(x)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	db := &countingDB{DB: many}
	w.Map.Close()
	w.Map = db
	fsys := Open(t.Context(), w, Options{Area: &mapdb.Area{Min: mapdb.Pos{X: -1500, Y: -3}, Max: mapdb.Pos{X: 1499, Y: 0}}})
	files := 0
	err = fs.WalkDir(fsys, ".", func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files++
		}
		return err
	})
	if err != nil || files != 3000+6+2+3+2+1 {
		t.Errorf("%d files, %v", files, err)
	}
	f, err := fsys.Open("blocks/z0/y-3")
	if err != nil {
		t.Fatal(err)
	}
	page, err := f.(fs.ReadDirFile).ReadDir(2)
	if err != nil || len(page) != 2 || page[0].Name() != "-1500,-3,0.txt" || page[1].Name() != "-1499,-3,0.txt" {
		t.Errorf("%v, %v", page, err)
	}
	if n := db.gets.Load(); n != 0 {
		t.Errorf("%d blocks were read", n)
	}
}

// TestPasswords tests that passwords round-trip, and that only the sidecar contains the verifiers.
func TestPasswords(t *testing.T) {
	w := makeWorld(t, "sqlite")
	folder := extract(t, Open(t.Context(), w, Options{}))
	for _, name := range []string{"foo", "bar"} {
		data, err := os.ReadFile(filepath.Join(folder, "auth", name+".json"))
		if err != nil || strings.Contains(string(data), "verifier") || strings.Contains(string(data), legacyPassword) {
			t.Errorf("%s: %s, %v", name, data, err)
		}
	}
	with, err := fs.ReadFile(Open(t.Context(), w, Options{Verifiers: true}), "auth/foo.json")
	if err != nil || !strings.Contains(string(with), legacyPassword) {
		t.Errorf("%s, %v", with, err)
	}
	edit := func(name, old, with string) {
		t.Helper()
		file := filepath.Join(folder, "auth", name)
		data, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(data), old) {
			t.Fatalf("%s: %v", data, err)
		}
		judge.Write(t, file, []byte(strings.Replace(string(data), old, with, 1)))
	}
	edit("bar.json", `"server"`, `"server", "fly"`)
	edit("foo.json", `"sha1"`, `"none"`)
	got, _ := build(t, os.DirFS(folder), BuildOptions{})
	bar, err := got.Auth.Get(t.Context(), "bar")
	if err != nil || !world.CheckPassword(bar, "secret") || !slices.Equal(slices.Sorted(slices.Values(bar.Privileges)),
		[]string{"fly", "server"}) {
		t.Errorf("bar: %+v, %v", bar, err)
	}
	if foo, err := got.Auth.Get(t.Context(), "foo"); err != nil || foo.Password != "" {
		t.Errorf("foo: %+v, %v", foo, err)
	}
	edit("foo.json", `"none"`, `"none", "newPassword": "open sesame"`)
	got, _ = build(t, os.DirFS(folder), BuildOptions{})
	if foo, err := got.Auth.Get(t.Context(), "foo"); err != nil || foo.Password.Kind() != "srp" ||
		!world.CheckPassword(foo, "open sesame") || world.CheckPassword(foo, "") {
		t.Errorf("foo with a new password: %v, %v", foo.Password, err)
	}
	edit("open.json", `"none"`, `"srp"`)
	if _, err := Build(t.Context(), t.TempDir(), os.DirFS(folder), BuildOptions{}); err == nil ||
		!strings.Contains(err.Error(), "auth/open.json") {
		t.Errorf("a password that no one knows: %v", err)
	}
}

// TestEdits tests that a residue is ignored after its file was edited.
func TestEdits(t *testing.T) {
	w := makeWorld(t, "files")
	folder := extract(t, Open(t.Context(), w, Options{Exact: true}))
	const block, player, mod = "blocks/z20/y9/20,9,20.txt", "players/singleplayer.json", "storage/other.json"
	edit := func(name, old, with string) {
		t.Helper()
		file := filepath.Join(folder, filepath.FromSlash(name))
		data, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(data), old) {
			t.Fatalf("%s: %s, %v", name, data, err)
		}
		judge.Write(t, file, []byte(strings.Replace(string(data), old, with, 1)))
	}
	edit(block, "timestamp 73471", "timestamp 5")
	edit(player, `"hp": 20`, `"hp": 7`)
	edit(mod, `"v"`, `"w"`)
	if err := os.Remove(filepath.Join(folder, "auth", "foo.json")); err != nil {
		t.Fatal(err)
	}
	got, _ := build(t, os.DirFS(folder), BuildOptions{})
	data, err := got.Map.Get(t.Context(), mapdb.Pos{X: 20, Y: 9, Z: 20})
	if err != nil {
		t.Fatal(err)
	}
	want := everything(t, 28)
	want.Timestamp = 5
	if fresh, err := want.EncodeFresh(); err != nil || string(fresh) != string(data) {
		t.Errorf("another block, %v", err)
	}
	if p, err := got.Players.Get(t.Context(), "singleplayer"); err != nil || p.HP != 7 {
		t.Errorf("%+v, %v", p, err)
	}
	if m, err := got.Storage.Get(t.Context(), "other"); err != nil || string(m.Entries[0].Value) != "w" {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := got.Auth.Get(t.Context(), "foo"); !errors.Is(err, world.ErrNotFound) {
		t.Errorf("the account is there still: %v", err)
	}
}

// TestResidues tests that residues are no larger than necessary.
func TestResidues(t *testing.T) {
	fresh, err := everything(t, 28).EncodeFresh()
	if err != nil {
		t.Fatal(err)
	}
	text := BlockText(everything(t, 28), mapdb.Pos{})
	other, err := deflate.Compress(nil, []byte("other"), 9)
	if err != nil {
		t.Fatal(err)
	}
	changed := append(slices.Clone(fresh), other...)
	changed[1] ^= 0xff
	for name, test := range map[string]struct {
		data []byte
		ok   func(*blockResidue) bool
	}{
		"same": {fresh, func(r *blockResidue) bool { return r == nil }},
		"levels": {atLevel(t, 28, 9), func(r *blockResidue) bool {
			return slices.Equal(r.Levels, []int{9, 9}) && r.Patch == nil && r.Data == nil
		}},
		"tail": {append(slices.Clone(fresh), 1), func(r *blockResidue) bool {
			return r.Levels == nil &&
				len(r.Patch.Insert) == 1 && r.Data == nil
		}},
		"all": {changed, func(r *blockResidue) bool { return r.Patch == nil && r.Data != nil }},
		"both": {append(atLevel(t, 28, 1), 1), func(r *blockResidue) bool {
			return slices.Equal(r.Levels, []int{1, 1}) && len(r.Patch.Insert) == 1 && r.Data == nil
		}},
	} {
		r := newResidue(test.data, text, false)
		if !test.ok(r) {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		if r == nil {
			continue
		}
		back, err := r.apply(fresh)
		if err != nil || string(back) != string(test.data) {
			t.Errorf("%s: other bytes, %v", name, err)
		}
		data, err := json.Marshal(r)
		var again blockResidue
		if err := errors.Join(err, json.Unmarshal(data, &again)); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if back, err = again.apply(fresh); err != nil || string(back) != string(test.data) {
			t.Errorf("%s: other bytes after JSON, %v", name, err)
		}
	}
	for _, r := range []blockResidue{
		{Patch: &patch{At: -1}}, {Patch: &patch{At: math.MaxInt}}, {Patch: &patch{At: 1, Remove: math.MaxInt}}, {Patch: &patch{Remove: -1}},
		{Levels: []int{1}}, {Levels: []int{1, 99}}, {Levels: []int{-5, 1}},
	} {
		if _, err := r.apply(fresh); err == nil {
			t.Errorf("%+v was applied", r)
		}
	}
}

// TestTwice tests that two files for the same player are rejected.
func TestTwice(t *testing.T) {
	fsys := fstest.MapFS{
		"players/a.json": {Data: []byte("{}")}, "players/b.json": {Data: []byte("{}")},
		tree.Sidecar: {Data: []byte(`{"trueNames": {"players/b.json": "a"}}`)},
	}
	if _, err := Build(t.Context(), t.TempDir(), fsys, BuildOptions{}); err == nil || !strings.Contains(err.Error(), "already") {
		t.Error(err)
	}
}

// TestOddNames tests that names that are not valid file names are preserved.
func TestOddNames(t *testing.T) {
	w := makeWorld(t, "sqlite")
	names := []string{"a/b", "..", "", "CON", "ümlaut", "bad\xff", strings.Repeat("x", 300), "%41", "foo"}
	if runtime.GOOS != "windows" { // where foo would be the same file
		names = append(names, "Foo")
	}
	var mods []*world.ModData
	for _, name := range names {
		mods = append(mods, &world.ModData{Mod: name, Entries: []world.Entry{{Key: []byte("name"), Value: []byte(name)}}})
	}
	storage, err := world.OpenStorage(t.Context(), w.Dir, w.Settings, world.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	put(t, storage, mods...)
	w = openWorld(t, w.Dir)
	got, _ := build(t, os.DirFS(extract(t, Open(t.Context(), w, Options{Exact: true}))), BuildOptions{})
	sameWorld(t, w, got, true)
}

// TestBuildLittle tests that a tree needs no more than a block.
func TestBuildLittle(t *testing.T) {
	raw := []byte("anything")
	fsys := fstest.MapFS{
		"blocks/z-1/y0/3,0,-1.txt":   {Data: []byte(air)},
		"blocks/z-1/y0/2,0,-1.block": {Data: raw},
		"players/me.json": {Data: []byte(
			`{"position": [0, 8.5, 0.15], "inventory": [{"name": "main", "size": 2, "items": ["default:dirt"]}]}`)},
		"auth/me.json":   {Data: []byte(`{"password": "none", "privileges": ["fly"]}`)},
		"storage/m.json": {Data: []byte(`[{"key": {"base64": "AA=="}, "value": "v"}]`)},
		"world.mt":       {Data: []byte(backends["sqlite"])},
	}
	if !Recognize(fsys) || Recognize(fstest.MapFS{"world.mt": fsys["world.mt"], "map.sqlite": {}}) {
		t.Error("not recognised")
	}
	w, report := build(t, fsys, BuildOptions{})
	if want := (Report{Files: 1, Blocks: 2, Raw: 1, Players: 1, Accounts: 1, Mods: 1}); *report != want {
		t.Errorf("%+v", *report)
	}
	if data, err := w.Map.Get(t.Context(), mapdb.Pos{X: 2, Z: -1}); err != nil || string(data) != string(raw) {
		t.Errorf("%q, %v", data, err)
	}
	a, err := w.Auth.Get(t.Context(), "me")
	if err != nil || a.LastLogin != -1 {
		t.Errorf("%+v, %v", a, err)
	}
	m, err := w.Storage.Get(t.Context(), "m")
	if err != nil || string(m.Entries[0].Key) != "\x00" {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := Build(t.Context(), w.Dir, fsys, BuildOptions{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("into a folder that is not empty: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Build(ctx, t.TempDir(), fsys, BuildOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// TestFloat tests that numbers that JSON does not have round-trip.
func TestFloat(t *testing.T) {
	for _, v := range []float64{0, -1.5, math.Pi, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64} {
		data, err := json.Marshal(map[string]float{"yaw": float(v)})
		var p playerForm
		err = errors.Join(err, decodeJSON("a", data, &p))
		if again := p.Yaw; err != nil || math.Float64bits(v) != math.Float64bits(float64(again)) &&
			!(math.IsNaN(v) && math.IsNaN(float64(again))) {
			t.Errorf("%v is %s, which is %v, %v", v, data, again, err)
		}
	}
}

// TestOrder tests that many blocks are yielded in the order of their keys, and that progress is reported.
func TestOrder(t *testing.T) {
	fsys := make(fstest.MapFS)
	for i := range 600 {
		x, y, z := i%10-5, i/10%10-5, i/100-3
		fsys[fmt.Sprintf("blocks/z%d/y%d/%d,%d,%d.txt", z, y, x, y, z)] = &fstest.MapFile{Data: []byte(air)}
	}
	told := 0
	b := &builder{ctx: t.Context(), fsys: fsys, side: new(sidecar), report: new(Report), o: BuildOptions{OnProgress: func(n int) { told = n }}}
	last, n := int64(math.MinInt64), 0
	for block, err := range b.encoded() {
		if err != nil {
			t.Fatal(err)
		}
		if key := block.Pos.Key(); key <= last {
			t.Fatalf("%v is too late", block.Pos)
		} else {
			last = key
		}
		n++
	}
	if n != 600 || told != 600 {
		t.Errorf("%d blocks, %d told", n, told)
	}
	for range b.encoded() {
		break // stop early
	}
}

// TestRedis tests that blocks are written to an empty database on a server of this machine, to another machine only
// if allowed, and to no server for a temporary world.
func TestRedis(t *testing.T) {
	server := miniredis.RunT(t)
	w := makeWorld(t, "sqlite")
	folder := extract(t, Open(t.Context(), w, Options{Exact: true}))
	text := fmt.Sprintf("%sredis_address = %s\nredis_port = %s\nredis_hash = blocks\n", strings.Replace(backends["sqlite"],
		"backend = sqlite3", "backend = redis", 1), server.Host(), server.Port())
	far := strings.Replace(text, server.Host(), "192.0.2.1", 1)
	write := func(text string) {
		judge.Write(t, filepath.Join(folder, "world.mt"), []byte(text))
	}
	write(far)
	if _, err := Build(t.Context(), t.TempDir(), os.DirFS(folder), BuildOptions{}); !errors.Is(err, world.ErrRemote) {
		t.Errorf("nobody allowed it: %v", err)
	}
	for _, text := range []string{text, far} {
		write(text)
		dst := t.TempDir()
		if _, err := Build(t.Context(), dst, os.DirFS(folder), BuildOptions{Local: true}); err != nil {
			t.Fatal(err)
		}
		here, err := OpenWorld(t.Context(), dst, Opening{})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := here.Map.Count(t.Context()); n != 43 || err != nil || here.Backends.Map != mapdb.SQLite {
			t.Errorf("%d blocks in %s, %v", n, here.Backends.Map, err)
		}
		here.Close()
	}
	if keys := server.Keys(); len(keys) > 0 {
		t.Errorf("what nobody keeps is on the server: %q", keys)
	}
	write(text)
	dst := t.TempDir()
	if _, err := Build(t.Context(), dst, os.DirFS(folder), BuildOptions{}); err != nil {
		t.Fatal(err)
	}
	got, err := OpenWorld(t.Context(), dst, Opening{})
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	n := 0
	for block, err := range got.Map.Blocks(t.Context(), mapdb.All()) {
		if err != nil {
			t.Fatal(err)
		}
		if data, err := w.Map.Get(t.Context(), block.Pos); err != nil || string(data) != string(block.Data) {
			t.Errorf("%v: %v", block.Pos, err)
		}
		n++
	}
	if n != 43 {
		t.Errorf("%d blocks", n)
	}
	if _, err := Build(t.Context(), t.TempDir(), os.DirFS(folder), BuildOptions{Remote: true}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("into a server with blocks: %v", err)
	}
}

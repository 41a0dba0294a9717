package worlddiff_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/internal/worlddiff"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
)

// made creates a world. The settings come before the parts that they configure.
func made(t testing.TB, schema mapdb.Schema, blocks map[mapdb.Pos]*mapblock.Block, players []*world.Player,
	accounts []*world.Account, files map[string]string) *worlddir.World {
	t.Helper()
	ctx := context.Background()
	dir := t.TempDir()
	write := func(name, text string) {
		judge.Write(t, filepath.Join(dir, name), []byte(text))
	}
	write("world.mt", "gameid = test\nbackend = sqlite3\nplayer_backend = sqlite3\nauth_backend = sqlite3\nmod_storage_backend = sqlite3\n")
	for name, text := range files {
		write(name, text)
	}
	w, err := mapdb.Create(ctx, dir, mapdb.Config{Schema: schema})
	for p, b := range blocks {
		data := []byte("not a block")
		if err == nil && b != nil {
			data, err = b.EncodeFresh()
		}
		if err == nil {
			err = w.Store(ctx, []mapdb.Block{{Pos: p, Data: data}})
		}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, players, func() (world.Players, error) {
		return world.OpenPlayers(ctx, dir, settings, world.Options{Write: true})
	})
	fill(t, accounts, func() (world.Auth, error) {
		return world.OpenAuth(ctx, dir, settings, world.Options{Write: true})
	})
	opened, err := worlddir.OpenWorld(ctx, dir, worlddir.Opening{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	return opened
}

func fill[T any](t testing.TB, things []T, open func() (world.Store[T], error)) {
	t.Helper()
	s, err := open()
	if err != nil {
		t.Fatal(err)
	}
	for _, thing := range things {
		err = errors.Join(err, s.Put(context.Background(), thing))
	}
	if err := errors.Join(err, s.Commit(context.Background()), s.Close()); err != nil {
		t.Fatal(err)
	}
}

func compare(t testing.TB, old, new *worlddir.World, o worlddiff.Options) (all []*worlddiff.Change) {
	t.Helper()
	if err := worlddiff.Compare(context.Background(), old, new, o, func(c *worlddiff.Change) error {
		all = append(all, c)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func plain(version int, f func(i int) uint16) *mapblock.Block {
	b := mapblock.New(version)
	b.Names = []mapblock.NameID{{ID: 0, Name: "air"}, {ID: 1, Name: "a:stone"}, {ID: 2, Name: "a:chest"}}
	for i := range b.Param0 {
		b.Param0[i] = f(i)
	}
	return b
}

const verifier = "#1#c2FsdA#dmVyaWZpZXI"

// TestCompare tests that each difference is reported once, with its place, and that passwords are never reported.
func TestCompare(t *testing.T) {
	full := func(int) uint16 { return 1 }
	inventory := func(text string) *item.Inventory {
		inv, _, err := item.ParseInventory([]byte("List main 2\nWidth 0\nItem " + text + "\nEmpty\nEndInventoryList\nEndInventory\n"))
		if err != nil {
			t.Fatal(err)
		}
		return inv
	}
	meta := func(b *mapblock.Block, value string) *mapblock.Block {
		b.Metadata = mapblock.Metadata{Version: 2,
			List: []mapblock.NodeMeta{{Pos: 5, Vars: []mapblock.Var{{Key: "infotext", Value: value}}, Inventory: []byte("EndInventory\n")}}}
		b.Timers.List = []mapblock.Timer{{Pos: uint16(6 + len(value)), Timeout: 1000}}
		return b
	}
	saved := plain(29, full)
	saved.Timestamp = 77
	turned := plain(29, full)
	turned.Param2[3], turned.Param1[3] = 2, 9
	object := plain(29, full)
	object.Objects.List = []mapblock.Object{{Type: mapblock.ObjectRat, Pos: [3]int32{1, 2, 3}}}
	old := made(t, mapdb.SchemaPos, map[mapdb.Pos]*mapblock.Block{
		{X: 1}: plain(29, full), {X: 2}: plain(29, full), {X: 3}: plain(29, full), {X: 4}: plain(29, full),
		{X: 5}: meta(plain(29, full), "a"), {X: 6}: plain(29, full),
		{X: 7}: nil, {X: 8}: plain(29, full), {X: 9}: object, {X: -1}: plain(29, full),
	}, []*world.Player{{Name: "ann", Pos: [3]float64{10, 20, 30}, HP: 20, Breath: 10, Inventory: inventory("a:dirt 5")},
		{Name: "bob", HP: 20, Breath: 10, Inventory: inventory("a:dirt")}},
		[]*world.Account{{Name: "ann", Password: verifier}, {Name: "bob", Password: "x"}},
		map[string]string{"map_meta.txt": "seed = 1\n[end_of_params]\n", "notes.txt": "a"})
	new := made(t, mapdb.SchemaXYZ, map[mapdb.Pos]*mapblock.Block{
		{X: 1}: plain(25, full), {X: 2}: saved, {X: 3}: turned, {X: 4}: plain(29, func(i int) uint16 {
			x, y, z := mapblock.Coordinates(i)
			if x < 4 && y < 3 && z == 2 {
				return 0
			}
			return 1
		}), {X: 5}: meta(plain(29, full), "bc"), {X: 7}: plain(29, full), {X: 8}: plain(29, full), {X: 9}: plain(29, full),
		{X: 10}: plain(29, full), {X: -1}: nil,
	}, []*world.Player{{Name: "ann", Pos: [3]float64{10, 20, 40}, HP: 11, Breath: 10, Inventory: inventory("a:dirt 6")},
		{Name: "cid", HP: 20, Breath: 10, Inventory: inventory("a:dirt")}},
		[]*world.Account{{Name: "ann", Password: verifier + "2"}, {Name: "bob", Password: "x", Privileges: []string{"fly"}}},
		map[string]string{"map_meta.txt": "seed = 2\nwater_level = 1\n[end_of_params]\n", "more.txt": "b"})
	all := compare(t, old, new, worlddiff.Options{})
	told := make(map[string]*worlddiff.Change)
	for _, c := range all {
		if told[c.Path] != nil {
			t.Errorf("%s is reported twice", c.Path)
		}
		told[c.Path] = c
	}
	for path, want := range map[string]string{
		"blocks/z0/y0/1,0,0.txt": `{"part":"block","path":"blocks/z0/y0/1,0,0.txt","change":"changed","block":[1,0,0],` +
			`"fields":[{"name":"version","old":"29","new":"25"}]}`,
		"blocks/z0/y0/2,0,0.txt": `{"part":"block","path":"blocks/z0/y0/2,0,0.txt","change":"changed","block":[2,0,0],` +
			`"fields":[{"name":"timestamp","old":"none","new":"77"}]}`,
		"blocks/z0/y0/3,0,0.txt": `{"part":"block","path":"blocks/z0/y0/3,0,0.txt","change":"changed","block":[3,0,0],` +
			`"nodes":1,"kinds":[{"old":"a:stone 0","new":"a:stone 2","count":1}],"boxes":[{"min":[51,0,0],"max":[51,0,0]}],"light":1}`,
		"blocks/z0/y0/4,0,0.txt": `{"part":"block","path":"blocks/z0/y0/4,0,0.txt","change":"changed","block":[4,0,0],` +
			`"nodes":12,"kinds":[{"old":"a:stone","new":"air","count":12}],"boxes":[{"min":[64,0,2],"max":[67,2,2]}]}`,
		"blocks/z0/y0/5,0,0.txt": `{"part":"block","path":"blocks/z0/y0/5,0,0.txt","change":"changed","block":[5,0,0],` +
			`"metadata":[[85,0,0]],"timers":[[87,0,0],[88,0,0]]}`,
		"blocks/z0/y0/6,0,0.txt":  `{"part":"block","path":"blocks/z0/y0/6,0,0.txt","change":"removed","block":[6,0,0]}`,
		"blocks/z0/y0/9,0,0.txt":  `{"part":"block","path":"blocks/z0/y0/9,0,0.txt","change":"changed","block":[9,0,0],"objects":1}`,
		"blocks/z0/y0/10,0,0.txt": `{"part":"block","path":"blocks/z0/y0/10,0,0.txt","change":"added","block":[10,0,0]}`,
		"auth/ann.json":           `{"part":"account","path":"auth/ann.json","change":"changed","fields":[{"name":"verifier of the password"}]}`,
		"auth/bob.json":           `{"part":"account","path":"auth/bob.json","change":"changed","fields":[{"name":"privileges[0]","new":"fly"}]}`,
		"players/ann.json": `{"part":"player","path":"players/ann.json","change":"changed","fields":[{"name":"hp",` +
			`"old":"20","new":"11"},{"name":"inventory.main.items[0]","old":"a:dirt 5","new":"a:dirt 6"},` +
			`{"name":"position[2]","old":"3","new":"4"}]}`,
		"players/bob.json": `{"part":"player","path":"players/bob.json","change":"removed"}`,
		"players/cid.json": `{"part":"player","path":"players/cid.json","change":"added"}`,
		"map_meta.txt": `{"part":"settings","path":"map_meta.txt","change":"changed","fields":[{"name":"seed",` +
			`"old":"1","new":"2"},{"name":"water_level","new":"1"}]}`,
		"notes.txt": `{"part":"file","path":"notes.txt","change":"removed"}`,
		"more.txt":  `{"part":"file","path":"more.txt","change":"added"}`,
	} {
		c := told[path]
		if c == nil {
			t.Errorf("%s is not told", path)
			continue
		}
		delete(told, path)
		if got, _ := json.Marshal(c); string(got) != want {
			t.Errorf("%s\nnot\n%s", got, want)
		}
	}
	for _, path := range []string{"blocks/z0/y0/7,0,0.txt", "blocks/z0/y0/-1,0,0.txt"} {
		if c := told[path]; c == nil || !strings.Contains(c.Unread, "cannot be read") {
			t.Errorf("%s: %+v", path, c)
		}
		delete(told, path)
	}
	for path, c := range told {
		t.Errorf("%s: %+v", path, c)
	}
	text, _ := json.Marshal(all)
	var s worlddiff.Summary
	for _, c := range all {
		s.Add(c)
	}
	if lines := strings.Join(s.Lines(), "\n"); strings.Contains(string(text)+lines, verifier[4:]) {
		t.Error("a verifier is reported")
	} else if !strings.Contains(lines, "blocks: 1 added, 1 removed, 6 changed with 13 nodes") ||
		!strings.Contains(lines, "saved again with the same content: 2") || !strings.Contains(lines, "players/ann.json: hp 20 -> 11; ") {
		t.Error(lines)
	}
	if same := compare(t, old, old, worlddiff.Options{}); len(same) != 0 {
		t.Errorf("a world differs from itself: %+v", same[0])
	}
	area := &mapdb.Area{Min: mapdb.Pos{X: 4}, Max: mapdb.Pos{X: 6}}
	blocks := 0
	for _, c := range compare(t, old, new, worlddiff.Options{Area: area}) {
		if c.Part == worlddiff.Block {
			blocks++
		}
	}
	if blocks != 3 {
		t.Errorf("%d blocks of an area differ", blocks)
	}
	enough := errors.New("enough")
	if err := worlddiff.Compare(t.Context(), old, new, worlddiff.Options{},
		func(*worlddiff.Change) error { return enough }); !errors.Is(err, enough) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := worlddiff.Compare(ended, old, new, worlddiff.Options{},
		func(*worlddiff.Change) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestLongPassword tests that a long setting that is shortened does not reveal a part of a password.
func TestLongPassword(t *testing.T) {
	at := func(value string) *worlddir.World {
		return made(t, mapdb.SchemaPos, nil, nil, nil, map[string]string{"map_meta.txt": "remote_connection = " + value + "\n[end_of_params]\n"})
	}
	long := strings.Repeat("x ", 2000) // nearly the maximum length that is shown
	secret, words := strings.Repeat("sekret", 20), strings.Repeat("sekret ", 20)
	for _, value := range []string{
		long + "postgresql://u:" + secret + "@h/d", long + "password='" + words + "'",
		long + "#1#" + secret + "#" + secret, long + `password="` + words + `"`,
	} {
		for _, c := range compare(t, at("none"), at(value), worlddiff.Options{}) {
			if len(c.Fields) != 1 || c.Fields[0].New == nil || strings.Contains(*c.Fields[0].New, "sek") {
				t.Errorf("%q is shown as %v", value, c)
			}
		}
	}
}

// TestNoText tests that a long setting that is not valid text is shortened.
func TestNoText(t *testing.T) {
	seed := func(s string) *worlddir.World {
		return made(t, mapdb.SchemaXYZ, nil, nil, nil, map[string]string{"map_meta.txt": "seed = " + s + "\n[end_of_params]\n"})
	}
	var fields []worlddiff.Field
	for _, c := range compare(t, seed("1"), seed(strings.Repeat("\x80", 5000)), worlddiff.Options{}) {
		fields = append(fields, c.Fields...)
	}
	if len(fields) != 1 || fields[0].Old == nil || *fields[0].Old != "1" || fields[0].New == nil ||
		!strings.HasSuffix(*fields[0].New, "... (5000 bytes)") {
		t.Errorf("%+v", fields)
	}
}

// TestPlaces tests that the places of a change are the nodes that differ, each once.
func TestPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, part := range []float64{0.0005, 0.02, 0.5, 0.98, 1} {
		pos := mapdb.Pos{X: -3, Y: 2, Z: 7}
		want := make(map[string]bool)
		old := made(t, 0, map[mapdb.Pos]*mapblock.Block{pos: plain(29, func(int) uint16 { return 1 })}, nil, nil, nil)
		new := made(t, 0, map[mapdb.Pos]*mapblock.Block{pos: plain(29, func(i int) uint16 {
			if i != 9 && rng.Float64() >= part {
				return 1
			}
			want[place.InBlock(i).In(pos.X, pos.Y, pos.Z).String()] = true
			return uint16(2 * (i % 2))
		})}, nil, nil, nil)
		all := compare(t, old, new, worlddiff.Options{})
		if len(all) != 1 || all[0].Nodes != len(want) {
			t.Fatalf("%+v", all)
		}
		before, after := all[0].Places()
		if fmt.Sprint(before) != fmt.Sprint(after) || len(after) != len(want) {
			t.Errorf("%d places, and %d, of %d", len(before), len(after), len(want))
		}
		for _, p := range after {
			if !want[p.String()] {
				t.Errorf("%v is not a place of it, or told twice", p)
			}
			delete(want, p.String())
		}
	}
	for change, want := range map[string][2]int{worlddiff.Added: {0, 1}, worlddiff.Removed: {1, 0}, worlddiff.Changed: {1, 1}} {
		for path, at := range map[string]check.Place{"players/a.json": place.Player("a"), "auth/a.json": place.Account("a"),
			"storage/a.json": place.Entry{Mod: "a"}, "b.txt": check.File("b.txt")} {
			part := map[string]string{"players": worlddiff.Player, "auth": worlddiff.Account, "storage": worlddiff.Mod}[filepath.Dir(path)]
			c := worlddiff.Change{Part: part, Path: path, Change: change}
			old, new := c.Places()
			if len(old) != want[0] || len(new) != want[1] || len(new) > 0 && new[0] != at {
				t.Errorf("%s %s: %v, %v", path, change, old, new)
			}
		}
	}
}

// Example compares two worlds that differ in one node.
func Example() {
	ctx := context.Background()
	var worlds [2]*worlddir.World
	for i := range worlds {
		db := mapdb.NewMemory()
		b := mapblock.New(29)
		if i == 1 {
			_ = b.SetNode(mapblock.Index(3, 0, 0), "default:dirt", 0, 0)
		}
		data, _ := b.EncodeFresh()
		_ = db.Store(ctx, []mapdb.Block{{Pos: mapdb.Pos{X: 2}, Data: data}})
		dir, _ := os.MkdirTemp("", "world")
		defer os.RemoveAll(dir)
		worlds[i], _ = worlddir.OpenWorld(ctx, dir, worlddir.Opening{})
		worlds[i].Map = db
	}
	var s worlddiff.Summary
	err := worlddiff.Compare(ctx, worlds[0], worlds[1], worlddiff.Options{}, func(c *worlddiff.Change) error {
		fmt.Println(c.Nodes, c.Boxes)
		s.Add(c)
		return nil
	})
	fmt.Println(s.Lines(), err)
	// Output:
	// 1 [{[35 0 0] [35 0 0]}]
	// [blocks/z0/y0/2,0,0.txt: 1 node (air -> default:dirt 1)] <nil>
}

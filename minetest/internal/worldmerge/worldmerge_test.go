package worldmerge_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/internal/values/merge3"
	"trowel.example/minetest/internal/worldmerge"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

// spot is a node of a world, or an object of a block.
type spot struct {
	p mapdb.Pos
	i int
}

// change is a change at a spot.
type change struct {
	spot
	what, n int
}

// do applies the change to the blocks of a world.
func (c change) do(t *testing.T, blocks map[mapdb.Pos]*mapblock.Block) {
	b := blocks[c.p]
	at := slices.IndexFunc(b.Metadata.List, func(m mapblock.NodeMeta) bool { return int(m.Pos) == c.i })
	var err error
	switch c.what {
	case 0, 1:
		err = b.SetNode(c.i, fmt.Sprintf("test:n%d", c.n%40), uint8(c.n), uint8(c.n%24))
	case 2: // a variable
		v := mapblock.Var{Key: "owner", Value: fmt.Sprint("p", c.n)}
		if at < 0 {
			b.Metadata.List = append(b.Metadata.List, mapblock.NodeMeta{Pos: uint16(c.i), Vars: []mapblock.Var{v},
				Inventory: []byte("EndInventory\n")})
		} else {
			b.Metadata.List[at].Vars = append(slices.Clone(b.Metadata.List[at].Vars), mapblock.Var{Key: fmt.Sprint("k", c.n), Value: v.Value})
		}
	case 3: // an inventory
		inv := []byte(fmt.Sprintf("List main 2\nWidth 0\nItem default:dirt %d\nEmpty\nEndInventoryList\nEndInventory\n", c.n%99+1))
		if at < 0 {
			b.Metadata.List = append(b.Metadata.List, mapblock.NodeMeta{Pos: uint16(c.i), Inventory: inv})
		} else {
			b.Metadata.List[at].Inventory = inv
		}
	case 4: // a timer
		b.Timers.List = slices.DeleteFunc(b.Timers.List, func(t mapblock.Timer) bool { return int(t.Pos) == c.i })
		b.Timers.List = append(b.Timers.List, mapblock.Timer{Pos: uint16(c.i), Timeout: int32(1000 + c.n)})
	case 5: // an object
		e := mapblock.LuaEntity{Version: 1, Name: fmt.Sprint("mobs:m", c.n), HP: 5}
		var data []byte
		if data, err = e.Encode(); err == nil {
			b.Objects.List = append(b.Objects.List, mapblock.Object{Type: mapblock.ObjectLuaEntity, Pos: [3]int32{int32(c.n)}, Data: data})
		}
	}
	slices.SortFunc(b.Metadata.List, func(x, y mapblock.NodeMeta) int { return int(x.Pos) - int(y.Pos) })
	slices.SortFunc(b.Timers.List, func(x, y mapblock.Timer) int { return int(x.Pos) - int(y.Pos) })
	if len(b.Metadata.List) > 0 {
		b.Metadata.Version = 2
		if b.Version < 28 {
			b.Metadata.Version = 1
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

var positions = []mapdb.Pos{{X: 0, Y: 0, Z: 0}, {X: -1, Y: 0, Z: 3}, {X: 5, Y: -2, Z: 0}, {X: 0, Y: 1, Z: 0}}

// start returns the blocks of base.
func start(t *testing.T, version int) map[mapdb.Pos]*mapblock.Block {
	r := rand.New(rand.NewPCG(1, uint64(version)))
	blocks := make(map[mapdb.Pos]*mapblock.Block)
	for _, p := range positions {
		b := mapblock.New(version)
		blocks[p] = b
		for n := range 300 {
			change{spot{p, r.IntN(mapblock.NodeCount)}, r.IntN(6), n}.do(t, blocks)
		}
	}
	return blocks
}

// write creates a world with the given blocks.
func write(t *testing.T, c mapdb.Config, blocks map[mapdb.Pos]*mapblock.Block) string {
	t.Helper()
	return worldtest.WorldOf(t, t.TempDir(), c, func(yield func(mapdb.Block, error) bool) {
		for _, p := range positions {
			if b := blocks[p]; b != nil {
				data, err := b.Encode()
				if !yield(mapdb.Block{Pos: p, Data: data}, err) {
					return
				}
			}
		}
	})
}

// merge merges three worlds and returns the blocks of the result.
func merge(t *testing.T, base, ours, theirs string, o merge3.Options) (string, map[mapdb.Pos]*mapblock.Block, []check.Conflict) {
	t.Helper()
	ctx := context.Background()
	w, err := worldedit.Open(ctx, ours, worldedit.Options{Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	conflicts := mergeInto(t, w, base, theirs, o)
	dst := filepath.Join(t.TempDir(), "merged")
	if _, err := w.Copy(ctx, dst, "merge", worldcopy.Options{}); err != nil {
		t.Fatal(err)
	}
	merged := make(map[mapdb.Pos]*mapblock.Block)
	for b, err := range w.Blocks(ctx, mapdb.All()) {
		if err == nil {
			merged[b.Pos], err = mapblock.Decode(b.Data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dst, merged, conflicts
}

// mergeInto merges a world with two that are closed.
func mergeInto(t *testing.T, ours *worldedit.World, base, theirs string, o merge3.Options) []check.Conflict {
	t.Helper()
	var others [2]*worldedit.World
	for i, dir := range []string{base, theirs} {
		w, err := ours.OpenOther(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		others[i] = w
	}
	_, conflicts, err := worldmerge.Merge(t.Context(), others[0], ours, others[1], o)
	if err != nil {
		t.Fatal(err)
	}
	return conflicts
}

// says describes the contents of a block, independent of its ids and the order of its lists.
func says(b *mapblock.Block) string {
	if b == nil {
		return "nothing"
	}
	var s strings.Builder
	n := b.Nodes()
	for i := range mapblock.NodeCount {
		if n.At(i) != mapblock.Air {
			fmt.Fprintln(&s, i, n.At(i), n.Param1[i], n.Param2[i])
		}
	}
	for _, m := range b.Metadata.List {
		slices.SortFunc(m.Vars, func(x, y mapblock.Var) int { return strings.Compare(x.Key, y.Key) })
		fmt.Fprintln(&s, m.Pos, m.Vars, string(m.Inventory))
	}
	fmt.Fprintln(&s, b.Timers.List)
	var objects []string
	for _, o := range b.Objects.List {
		objects = append(objects, fmt.Sprint(o.Type, o.Pos, string(o.Data)))
	}
	slices.Sort(objects)
	fmt.Fprintln(&s, b.Version, objects)
	return s.String()
}

// TestMerge tests that changes at different places are all in the result, and that different changes at the same
// place are conflicts.
func TestMerge(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	r := rand.New(rand.NewPCG(5, 5))
	for round := range 8 {
		version := []int{29, 28, 25, 27}[round%4]
		c := mapdb.Config{Backend: []string{mapdb.SQLite, mapdb.LevelDB}[round/4%2]}
		base, ours, theirs, both := start(t, version), start(t, version), start(t, version), start(t, version)
		taken := make(map[spot]bool)
		for n := range 60 {
			s := spot{positions[r.IntN(len(positions))], r.IntN(mapblock.NodeCount)}
			if taken[s] {
				continue
			}
			taken[s] = true
			one := change{s, r.IntN(6), 1000 + n}
			one.do(t, []map[mapdb.Pos]*mapblock.Block{ours, theirs}[n%2])
			one.do(t, both)
		}
		worlds := [3]string{write(t, c, base), write(t, c, ours), write(t, c, theirs)}
		took := 0
		_, merged, conflicts := merge(t, worlds[0], worlds[1], worlds[2], merge3.Options{OnTook: func(c check.Change) error {
			if strings.HasSuffix(c.What, " nodes changed") {
				took++
			}
			return nil
		}})
		if len(conflicts) > 0 {
			t.Errorf("version %d: %v", version, conflicts)
		}
		if took == 0 {
			t.Errorf("version %d: no change of nodes is reported", version)
		}
		for _, p := range positions {
			if got, want := says(merged[p]), says(both[p]); got != want {
				t.Fatalf("version %d, block %v:\n%s\nwant\n%s", version, p, got, want)
			}
		}

		// Now both sides change the same nodes, differently.
		want := 0
		for n := range 10 {
			s := spot{positions[r.IntN(len(positions))], r.IntN(mapblock.NodeCount)}
			if taken[s] {
				continue
			}
			taken[s] = true
			want++
			change{s, 0, 2000 + n}.do(t, ours)
			change{s, 0, 2011 + n}.do(t, theirs)
		}
		worlds[1], worlds[2] = write(t, c, ours), write(t, c, theirs)
		_, merged, conflicts = merge(t, worlds[0], worlds[1], worlds[2], merge3.Options{Prefer: merge3.Theirs})
		for _, c := range conflicts {
			if len(c.At) != 1 || c.Took != "theirs" || !strings.Contains(c.What, "test:n") {
				t.Errorf("%+v", c)
			}
		}
		if len(conflicts) != want {
			t.Errorf("%d conflicts, want %d", len(conflicts), want)
		}
		for s := range taken {
			if n, m := theirs[s.p].Nodes(), merged[s.p].Nodes(); n.At(s.i) != base[s.p].Nodes().At(s.i) && n.At(s.i) != m.At(s.i) {
				t.Errorf("%v: not what theirs has", s)
			}
		}
	}
}

// TestMergeWidths tests that blocks with ids of one byte are merged like blocks with ids of two bytes.
func TestMergeWidths(t *testing.T) {
	c := mapdb.Config{Backend: mapdb.SQLite}
	for _, version := range []int{24, 28, 29} {
		block := func(width int, change func(b *mapblock.Block)) map[mapdb.Pos]*mapblock.Block {
			b, err := mapblock.Decode(worldtest.BlockOf(24, version, width))
			if err != nil {
				t.Fatal(err)
			}
			change(b)
			return map[mapdb.Pos]*mapblock.Block{{}: b}
		}
		set := func(index int) func(b *mapblock.Block) {
			return func(b *mapblock.Block) { b.Param0[index], b.Param2[index] = 9, 3 } // a sign
		}
		base, ours := write(t, c, block(1, func(*mapblock.Block) {})), write(t, c, block(1, set(3)))
		for _, width := range worldtest.Widths(version) {
			_, merged, conflicts := merge(t, base, ours, write(t, c, block(width, set(4))), merge3.Options{})
			if len(conflicts) > 0 {
				t.Errorf("version %d: %v", version, conflicts)
			}
			want := block(2, func(b *mapblock.Block) { set(3)(b); set(4)(b) })
			if got, want := says(merged[mapdb.Pos{}]), says(want[mapdb.Pos{}]); got != want {
				t.Errorf("version %d, %d bytes:\n%s\nwant\n%s", version, width, got, want)
			}
		}
	}
}

// TestMergeWhole tests blocks that one side deleted or added, and files, players and settings.
func TestMergeWhole(t *testing.T) {
	c := mapdb.Config{Backend: mapdb.SQLite}
	base, ours, theirs := start(t, 28), start(t, 28), start(t, 28)
	delete(theirs, positions[1])
	delete(base, positions[2])
	delete(ours, positions[2])
	delete(theirs, positions[3])
	change{spot{positions[3], 7}, 0, 1}.do(t, ours)
	worlds := [3]string{write(t, c, base), write(t, c, ours), write(t, c, theirs)}
	put := func(world int, name, text string) {
		t.Helper()
		path := filepath.Join(worlds[world], name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, path, []byte(text))
	}
	player := func(x string, dirt int) string {
		return fmt.Sprintf("hp = 20\nname = ann\npitch = 0\nposition = (%s,0,0)\nyaw = 0\nversion = "+
			"1\nPlayerArgsEnd\nList main 2\nWidth 0\nItem default:dirt %d\nEmpty\nEndInventoryList\nEndInventory\n", x, dirt)
	}
	for i := range 3 {
		put(i, "players/ann", player([]string{"10", "10", "90"}[i], []int{1, 7, 1}[i]))
		put(i, "env_meta.txt", fmt.Sprintf("game_time = %d\ntime_of_day = 5\nEnvArgsEnd\n", []int{100, 300, 200}[i]))
		put(i, "areas.dat", []string{"[]", "[]", "[1]"}[i])
		put(i, "auth.txt", []string{"ann::interact:5\n", "ann::interact,fly:5\n", "ann::interact,shout:9\n"}[i])
	}
	put(2, "worldmods/x/init.lua", "-- theirs")
	put(0, "worldmods/y/init.lua", "-- removed")
	put(1, "worldmods/y/init.lua", "-- removed")
	put(1, "worldmods/z/init.lua", "-- ours")
	put(2, "map.sqlite-wal", "") // a part of the database, which is not merged as a file
	worldtest.SetLine(t, filepath.Join(worlds[2], "world.mt"), "load_mod_pig = true", "load_mod_hen = true")
	dst, merged, conflicts := merge(t, worlds[0], worlds[1], worlds[2], merge3.Options{})
	if len(conflicts) != 1 || conflicts[0].Path != "block 0,1,0" || conflicts[0].What != "ours changed it, and theirs deleted it" {
		t.Errorf("conflicts %v, want one of a block that theirs deleted", conflicts)
	}
	if merged[positions[1]] != nil || merged[positions[2]] == nil || merged[positions[3]] == nil {
		t.Error("not the blocks that there should be")
	}
	for name, wants := range map[string][]string{
		"players/ann":          {"position = (90,0,0)", "default:dirt 7"},
		"env_meta.txt":         {"game_time = 300"},
		"areas.dat":            {"[1]"},
		"auth.txt":             {"interact,fly,shout:9"},
		"worldmods/x/init.lua": {"theirs"},
		"worldmods/z/init.lua": {"ours"},
		"world.mt":             {"load_mod_hen = true", "auth_backend = files"},
	} {
		text, err := os.ReadFile(filepath.Join(dst, name))
		for _, want := range wants {
			if err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%s: %q, %v, want %q in it", name, text, err, want)
			}
		}
	}
	if text, err := os.ReadFile(filepath.Join(dst, "world.mt")); strings.Contains(string(text), "load_mod_pig") {
		t.Errorf("%q, %v: theirs removed a setting", text, err)
	}
	if _, err := os.Stat(filepath.Join(dst, "worldmods/y/init.lua")); err == nil {
		t.Error("a file that theirs removed is there")
	}

	// The settings of where a copy keeps its parts stay, whatever else is in world.mt.
	w, err := worldedit.Open(context.Background(), worlds[1], worldedit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	moved := filepath.Join(t.TempDir(), "moved")
	mergeInto(t, w, worlds[0], worlds[2], merge3.Options{})
	if _, err := w.Copy(context.Background(), moved, "merge", worldcopy.Options{Map: "leveldb", Auth: "sqlite3"}); err != nil {
		t.Fatal(err)
	}
	s, err := world.ReadWorldMT(moved)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"backend": "leveldb", "auth_backend": "sqlite3", "player_backend": "files",
		"load_mod_hen": "true"} {
		if got, _ := s.Get(name); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
	if _, err := w.InPlace(context.Background(), ""); err == nil {
		t.Error("files that no backup keeps were changed in place")
	}
}

// TestMergeSameRemovals tests removals that both sides made: of a player, and of equal objects, of which the side that
// removed more counts.
func TestMergeSameRemovals(t *testing.T) {
	c := mapdb.Config{Backend: mapdb.SQLite}
	var worlds [3]string
	for i, n := range []int{3, 2, 1} {
		b := mapblock.New(29)
		for range n {
			b.Objects.List = append(b.Objects.List, mapblock.Object{Type: mapblock.ObjectLuaEntity, Data: []byte("x")})
		}
		worlds[i] = write(t, c, map[mapdb.Pos]*mapblock.Block{{}: b})
		players := filepath.Join(worlds[i], "players")
		text, err := os.ReadFile(filepath.Join(players, "ann"))
		if err == nil {
			err = os.WriteFile(filepath.Join(players, "bob"), []byte(strings.Replace(string(text), "name = ann", "name = bob", 1)), 0o666)
		}
		if err == nil && i > 0 {
			err = os.Remove(filepath.Join(players, "ann"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	dst, merged, conflicts := merge(t, worlds[0], worlds[1], worlds[2], merge3.Options{})
	if len(conflicts) > 0 || len(merged[mapdb.Pos{}].Objects.List) != 1 {
		t.Errorf("conflicts %v, objects %v", conflicts, merged[mapdb.Pos{}].Objects.List)
	}
	if names, err := os.ReadDir(filepath.Join(dst, "players")); err != nil || len(names) != 1 || names[0].Name() != "bob" {
		t.Errorf("players %v, %v", names, err)
	}
}

// TestMergeWithoutPlayers tests that theirs is treated as a copy of the map alone if it has no players, unless theirs
// is preferred.
func TestMergeWithoutPlayers(t *testing.T) {
	c := mapdb.Config{Backend: mapdb.SQLite}
	blocks := start(t, 29)
	worlds := [3]string{write(t, c, blocks), write(t, c, blocks), write(t, c, blocks)}
	for _, name := range []string{"players", "auth.txt", "mod_storage"} {
		if err := os.RemoveAll(filepath.Join(worlds[2], name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, prefer := range []merge3.Side{merge3.Ours, merge3.Theirs} {
		dst, _, conflicts := merge(t, worlds[0], worlds[1], worlds[2], merge3.Options{Prefer: prefer})
		want := []string{"player", "account", "mod storage"}
		if !slices.EqualFunc(conflicts, want, func(c check.Conflict, path string) bool { return c.Path == path }) {
			t.Errorf("conflicts %v, want %q", conflicts, want)
		}
		if _, err := os.Stat(filepath.Join(dst, "players", "ann")); (err == nil) != (prefer == merge3.Ours) {
			t.Errorf("%v: %v", prefer, err)
		}
	}
}

// TestTimesTogether tests that the time of day, the day and the game time are taken from one side.
func TestTimesTogether(t *testing.T) {
	for name, c := range map[string]struct {
		worlds   [3]string // base, ours, theirs: game_time, day_count, time_of_day
		prefer   merge3.Side
		want     string
		conflict int
	}{
		"ours is later":   {worlds: [3]string{"100 1 500", "3000 2 100", "900 1 23500"}, want: "3000 2 100"},
		"theirs is later": {worlds: [3]string{"100 1 500", "900 1 23500", "3000 2 100"}, want: "3000 2 100"},
		"theirs only":     {worlds: [3]string{"900 6 500", "900 6 500", "900 2 100"}, want: "900 2 100"},
		"ours only":       {worlds: [3]string{"900 6 500", "900 2 100", "900 6 500"}, want: "900 2 100"},
		"conflict":        {worlds: [3]string{"900 6 500", "900 2 23500", "900 7 100"}, want: "900 2 23500", conflict: 1},
		"conflict for theirs": {worlds: [3]string{"900 6 500", "900 2 23500", "900 7 100"}, prefer: merge3.Theirs,
			want: "900 7 100", conflict: 1},
	} {
		t.Run(name, func(t *testing.T) {
			var dirs [3]string
			for i, text := range c.worlds {
				dirs[i] = t.TempDir()
				var game, day, hour int
				if _, err := fmt.Sscan(text, &game, &day, &hour); err != nil {
					t.Fatal(err)
				}
				for file, text := range map[string]string{
					"world.mt":     "gameid = devtest\nbackend = dummy\nplayer_backend = files\nauth_backend = files\n",
					"env_meta.txt": fmt.Sprintf("game_time = %d\nday_count = %d\ntime_of_day = %d\nEnvArgsEnd\n", game, day, hour),
				} {
					judge.Write(t, filepath.Join(dirs[i], file), []byte(text))
				}
			}
			w, err := worldedit.Open(t.Context(), dirs[1], worldedit.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			conflicts := len(mergeInto(t, w, dirs[0], dirs[2], merge3.Options{Prefer: c.prefer}))
			text, err := w.ReadFile("env_meta.txt")
			if err != nil {
				t.Fatal(err)
			}
			s := world.ParseSettings(text, world.EnvMetaEnd)
			var got []string
			for _, name := range []string{"game_time", "day_count", "time_of_day"} {
				v, _ := s.Get(name)
				got = append(got, v)
			}
			if strings.Join(got, " ") != c.want || conflicts != c.conflict {
				t.Errorf("%v with %d conflicts, want %s with %d", got, conflicts, c.want, c.conflict)
			}
		})
	}
}

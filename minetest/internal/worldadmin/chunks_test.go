package worldadmin_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/rollback"
	"trowel.example/minetest/internal/worldadmin"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

// plainBlock returns a block with the given nodes that was never active.
func plainBlock(t testing.TB, names ...string) *mapblock.Block {
	t.Helper()
	b := mapblock.New(29)
	for i, name := range names {
		if err := b.SetNode(i, name, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// wild creates a world of 8 x 3 x 8 chunks with one block each, starting at chunk -4,-1,-4. The block of chunk c is
// at 5c.
func wild(t testing.TB, c mapdb.Config) string {
	t.Helper()
	data, err := plainBlock(t, "default:stone", "default:dirt").Encode()
	if err != nil {
		t.Fatal(err)
	}
	return worldtest.WorldOf(t, filepath.Join(t.TempDir(), "world"), c, func(yield func(mapdb.Block, error) bool) {
		for z := int16(-4); z < 4; z++ {
			for y := int16(-1); y < 2; y++ {
				for x := int16(-4); x < 4; x++ {
					if !yield(mapdb.Block{Pos: mapdb.Pos{X: 5 * x, Y: 5 * y, Z: 5 * z}, Data: data}, nil) {
						return
					}
				}
			}
		}
	})
}

// left returns the chunks of the remaining blocks.
func left(all map[mapdb.Pos]string) map[worldadmin.Chunk]bool {
	chunks := make(map[worldadmin.Chunk]bool)
	for p := range all {
		chunks[worldadmin.Grid{5, 5, 5}.Containing(p)] = true
	}
	return chunks
}

func TestChunks(t *testing.T) {
	box := func(a, b worldedit.Vec) worldadmin.Selection { return worldadmin.Selection{Box: worldedit.BoxOf(a, b)} }
	// Chunk 0 contains the nodes -32 to 47, chunk 1 the nodes 48 to 127.
	one := box(worldedit.Vec{-32, -32, -32}, worldedit.Vec{127, 47, 47})
	part := box(worldedit.Vec{-32, -32, -32}, worldedit.Vec{126, 47, 47})
	round := worldadmin.Selection{Box: worldedit.Everywhere, Center: [2]int{8, 8}, Radius: 57}
	is := func(list ...worldadmin.Chunk) func(worldadmin.Chunk) bool {
		return func(c worldadmin.Chunk) bool { return slices.Contains(list, c) }
	}
	not := func(f func(worldadmin.Chunk) bool) func(worldadmin.Chunk) bool {
		return func(c worldadmin.Chunk) bool { return !f(c) }
	}
	for name, c := range map[string]struct {
		chunks worldadmin.Chunks
		gone   func(worldadmin.Chunk) bool
	}{
		"whole":         {worldadmin.Chunks{Selection: one}, is(worldadmin.Chunk{0, 0, 0}, worldadmin.Chunk{1, 0, 0})},
		"part":          {worldadmin.Chunks{Selection: part}, is(worldadmin.Chunk{0, 0, 0})},
		"part touching": {worldadmin.Chunks{Selection: part, Touching: true}, is(worldadmin.Chunk{0, 0, 0}, worldadmin.Chunk{1, 0, 0})},
		"keep":          {worldadmin.Chunks{Selection: part, Outside: true}, not(is(worldadmin.Chunk{0, 0, 0}, worldadmin.Chunk{1, 0, 0}))},
		"not whole":     {worldadmin.Chunks{Selection: part, Outside: true, Touching: true}, not(is(worldadmin.Chunk{0, 0, 0}))},
		"again": {worldadmin.Chunks{Selection: part, Touching: true, Again: true},
			is(worldadmin.Chunk{0, 0, 0}, worldadmin.Chunk{1, 0, 0})},
		"round": {worldadmin.Chunks{Selection: round}, func(c worldadmin.Chunk) bool { return c[0] == 0 && c[2] == 0 }},
		"keep round": {worldadmin.Chunks{Selection: round, Outside: true}, func(c worldadmin.Chunk) bool {
			corner := c[0] != 0 && c[2] != 0 && (c[0] != 1 || c[2] != 1) // whose nearest node is 56.6 nodes away
			return c[0] < -1 || c[0] > 1 || c[2] < -1 || c[2] > 1 || corner
		}},
	} {
		dir := wild(t, mapdb.Config{Backend: mapdb.SQLite})
		was := blocks(t, dir)
		outside := filepath.Join(t.TempDir(), "export")
		c.chunks.Export, c.chunks.Counts = outside, new(worldedit.Counts)

		// Copies and exports give the same result.
		w, err := worldedit.Open(ctx, dir, worldedit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(t.TempDir(), "copied")
		if err := w.Do(ctx, c.chunks.Step()); err != nil {
			t.Fatal(name, err)
		}
		if _, err := os.Stat(outside); err == nil {
			t.Fatalf("%s: an export before anything is written", name)
		}
		if _, err := w.Copy(ctx, copied, name, worldcopy.Options{}); err != nil {
			t.Fatal(err)
		}
		w.Close()
		exported := blocks(t, outside)
		c.chunks.Export = filepath.Join(t.TempDir(), "again")

		backup := must(t, dir, c.chunks.Step())
		now := blocks(t, dir)
		if !maps.Equal(now, blocks(t, copied)) || !maps.Equal(exported, blocks(t, c.chunks.Export)) {
			t.Errorf("%s: a copy is another than what is done in place", name)
		}
		for p, data := range was {
			gone := c.gone(worldadmin.Grid{5, 5, 5}.Containing(p))
			if _, there := now[p]; there == gone {
				t.Errorf("%s: the block at %v is there: %v", name, p, there)
			}
			if got := exported[p]; (got == data) != gone {
				t.Errorf("%s: the block at %v is exported: %v", name, p, got != "")
			}
		}
		restore(t, dir, backup)
		if !maps.Equal(blocks(t, dir), was) {
			t.Errorf("%s: restored it is another world", name)
		}
	}
}

// TestChunksBackends tests that blocks are deleted in every backend, and that a backup restores them.
func TestChunksBackends(t *testing.T) {
	for name, config := range worldtest.Backends {
		t.Run(name, func(t *testing.T) {
			c := config(t)
			dir := wild(t, c)
			all := func() map[mapdb.Pos]string {
				db, err := mapdb.Open(ctx, dir, c)
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				return worldtest.All(t, db)
			}
			was := all()
			box := worldedit.BoxOf(worldedit.Vec{-32, -32, -32}, worldedit.Vec{127, 47, 47})
			backup := must(t, dir, worldadmin.Chunks{Selection: worldadmin.Selection{Box: box}}.Step())
			now := left(all())
			if len(now) != len(was)-2 || now[worldadmin.Chunk{0, 0, 0}] || now[worldadmin.Chunk{1, 0, 0}] {
				t.Errorf("%d chunks are left", len(now))
			}
			restore(t, dir, backup)
			if !maps.Equal(all(), was) {
				t.Error("restored it is another world")
			}
		})
	}
}

func TestChunksRefused(t *testing.T) {
	dir := wild(t, mapdb.Config{Backend: mapdb.SQLite})
	was := blocks(t, dir)
	everywhere := worldadmin.Selection{Box: worldedit.Everywhere}
	nowhere := worldadmin.Selection{Box: worldedit.BoxOf(worldedit.Vec{30000, 0, 0}, worldedit.Vec{30000, 0, 0})}
	for i, c := range []worldadmin.Chunks{{Selection: everywhere}, {Selection: nowhere, Outside: true}} {
		if _, err := do(t, dir, c.Step()); !errors.Is(err, worldadmin.ErrAll) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if _, err := do(t, dir, worldadmin.Chunks{Selection: everywhere, All: true, Export: dir}.Step()); !errors.Is(err, os.ErrExist) {
		t.Error(err)
	}
	meta := filepath.Join(dir, "map_meta.txt")
	for _, text := range []string{"mg_name = singlenode\nseed = 1\n[end_of_params]\n", "mg_name = v7\n[end_of_params]\n",
		"chunksize = none\nseed = 1\n[end_of_params]\n"} {
		judge.Write(t, meta, []byte(text))
		if _, err := do(t, dir, worldadmin.Chunks{Selection: everywhere, All: true, Again: true}.Step()); err == nil {
			t.Errorf("%q is no error", text)
		}
	}
	if !maps.Equal(blocks(t, dir), was) {
		t.Error("something was deleted")
	}
	judge.Write(t, meta, []byte("chunksize = 3\nmg_name = v7\nseed = 1\n[end_of_params]\n"))
	must(t, dir, worldadmin.Chunks{Selection: everywhere, All: true, Again: true}.Step())
	if n := len(blocks(t, dir)); n > 0 {
		t.Errorf("%d blocks are left", n)
	}
}

// TestPrune tests that each reason to keep a chunk keeps exactly that chunk and the chunks around it.
func TestPrune(t *testing.T) {
	at := mapdb.Pos{X: 5, Y: 0, Z: 0} // in chunk 1,0,0
	chunk := worldadmin.Chunk{1, 0, 0}
	block := func(b *mapblock.Block) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { put(t, dir, at, b) }
	}
	file := func(name, text string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { judge.Write(t, filepath.Join(dir, name), []byte(text)) }
	}
	seen := plainBlock(t)
	seen.Timestamp = 12
	timer := plainBlock(t)
	timer.Timers.List = []mapblock.Timer{{Pos: 1, Timeout: 1000}}
	object := plainBlock(t)
	object.Objects.List = []mapblock.Object{{Type: mapblock.ObjectRat}}
	brick := plainBlock(t, "default:brick")
	guard := plainBlock(t, "protector:protect")
	guard.Metadata = mapblock.Metadata{Version: 2,
		List: []mapblock.NodeMeta{{Pos: 0, Vars: []mapblock.Var{{Key: "owner", Value: "ann"}}, Inventory: []byte("EndInventory\n")}}}
	player := func(pos string) string {
		return "name = bob\nposition = " + pos + "\nPlayerArgsEnd\nEndInventory\n"
	}
	for name, c := range map[string]struct {
		make  func(t *testing.T, dir string)
		prune worldadmin.Prune
		keeps []worldadmin.Chunk
		says  string
	}{
		"nothing": {func(*testing.T, string) {}, worldadmin.Prune{All: true}, nil, ""},
		"active":  {block(seen), worldadmin.Prune{}, []worldadmin.Chunk{chunk}, "a player was near"},
		"old": {func(t *testing.T, dir string) {
			old := mapblock.New(16)
			old.Timestamp = mapblock.NoTimestamp
			put(t, dir, at, old)
		}, worldadmin.Prune{}, []worldadmin.Chunk{chunk}, "do not record whether a player was near"},
		"timer":        {block(timer), worldadmin.Prune{}, []worldadmin.Chunk{chunk}, "metadata or timers"},
		"object":       {block(object), worldadmin.Prune{}, []worldadmin.Chunk{chunk}, "objects"},
		"rare":         {block(brick), worldadmin.Prune{}, []worldadmin.Chunk{chunk}, "players place"},
		"natural":      {block(brick), worldadmin.Prune{Natural: []string{"*:brick"}, All: true}, nil, ""},
		"less rare":    {block(brick), worldadmin.Prune{Rare: 1, All: true}, nil, ""},
		"given":        {block(brick), worldadmin.Prune{Placed: []string{"default:b*"}}, []worldadmin.Chunk{chunk}, "players place"},
		"given others": {block(brick), worldadmin.Prune{Placed: []string{"default:steel*"}, All: true}, nil, ""},
		"margin":       {block(seen), worldadmin.Prune{Margin: 1}, chunk.Near(1), "near kept chunks"},
		"damaged": {func(t *testing.T, dir string) {
			put(t, dir, at, seen)
			db, err := mapdb.OpenForWriting(ctx, dir, mapdb.Config{Backend: mapdb.SQLite})
			if err == nil {
				err = errors.Join(db.Store(ctx, []mapdb.Block{{Pos: at, Data: []byte{29, 1, 2, 3}}}), db.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
		}, worldadmin.Prune{}, []worldadmin.Chunk{chunk}, "cannot be read"},
		"area": {file("areas.dat", `[{"owner":"ann","pos1":{"x":47,"y":0,"z":0},"pos2":{"x":48,"y":0,"z":0}}]`),
			worldadmin.Prune{}, []worldadmin.Chunk{{0, 0, 0}, chunk}, "protected"},
		"wide": {file("areas.dat",
			`[{"owner":"ann","pos1":{"x":-31000,"y":-31000,"z":0},"pos2":{"x":31000,"y":31000,"z":0}}]`), worldadmin.Prune{}, nil, "protected"},
		"player":  {file("players/bob", player("(1000,0,0)")), worldadmin.Prune{}, []worldadmin.Chunk{chunk}, "contain a player"},
		"nowhere": {file("players/bob", player("(nan,inf,0)")), worldadmin.Prune{All: true}, nil, ""},
		"loaded":  {file("force_loaded.txt", "return {[140739635871749]=1}"), worldadmin.Prune{}, nil, ""},
		"protector": {func(t *testing.T, dir string) {
			put(t, dir, mapdb.Pos{X: 3, Y: 0, Z: 0}, guard) // the first protected node is the first of chunk 1, at 48
		}, worldadmin.Prune{Radius: 5}, []worldadmin.Chunk{{0, 0, 0}, chunk}, "metadata or timers"},
		"rollback": {func(t *testing.T, dir string) {
			conn, err := sqlite.OpenConn(filepath.Join(dir, rollback.File))
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(sqlitex.ExecuteScript(conn, "CREATE TABLE action (x, y, z); INSERT INTO action VALUES "+
				"(127, 0, 0), (NULL, NULL, NULL)", nil), conn.Close()); err != nil {
				t.Fatal(err)
			}
		}, worldadmin.Prune{}, []worldadmin.Chunk{chunk}, "rollback.sqlite"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := wild(t, mapdb.Config{Backend: mapdb.SQLite})
			for _, name := range []string{"ann", "bob"} { // both would be at 0,0,0
				if err := os.Remove(filepath.Join(dir, "players", name)); err != nil {
					t.Fatal(err)
				}
			}
			c.make(t, dir)
			was := blocks(t, dir)
			c.prune.Counts = new(worldedit.Counts)
			backup := must(t, dir, c.prune.Step())
			now := left(blocks(t, dir))
			switch name {
			case "wide":
				c.keeps = nil
				for c := range left(was) {
					if c[2] == 0 {
						now[c] = false
					}
				}
				maps.DeleteFunc(now, func(_ worldadmin.Chunk, kept bool) bool { return !kept })
			case "loaded":
				if len(now) != 1 {
					t.Errorf("%v are left", now)
				}
				return
			}
			for p := range now {
				if !slices.Contains(c.keeps, p) {
					t.Errorf("%v is left", p)
				}
			}
			for _, k := range c.keeps {
				if !now[k] && left(was)[k] {
					t.Errorf("%v is gone", k)
				}
			}
			if lines := strings.Join(said(c.prune.Counts), "\n"); !strings.Contains(lines, c.says) {
				t.Errorf("it said %s, and not %s", lines, c.says)
			}
			for _, margin := range []int16{0, 1} {
				n := 0
				for k := range left(was) {
					if name == "active" && !slices.Contains(chunk.Near(margin), k) {
						n++
					}
				}
				line := regexp.MustCompile(fmt.Sprintf(`--margin %d: [\d,]+ bytes of blocks can be deleted: %d map chunks`, margin, n))
				if lines := strings.Join(said(c.prune.Counts), "\n"); n > 0 && !line.MatchString(lines) {
					t.Errorf("it said %s, and not %s", lines, line)
				}
			}
			restore(t, dir, backup)
			if !maps.Equal(blocks(t, dir), was) {
				t.Error("restored it is another world")
			}
		})
	}
	dir := wild(t, mapdb.Config{Backend: mapdb.SQLite})
	judge.Write(t, filepath.Join(dir, "players", "ann"), []byte(player("(30000,30000,30000)")))
	judge.Write(t, filepath.Join(dir, "players", "bob"), []byte(player("(30000,30000,30000)")))
	if _, err := do(t, dir, worldadmin.Prune{}.Step()); !errors.Is(err, worldadmin.ErrAll) {
		t.Error(err)
	}
}

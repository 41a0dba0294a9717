package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/testing/seedworld"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// TestSandboxSpill tests that all verbs that write worlds find a place for the temporary files of SQLite in the sandbox, without
// TMPDIR, and that their worlds have the right nodes.
func TestSandboxSpill(t *testing.T) {
	tests.LongOnly(t, "it writes a world of 20 MB many times")
	needsSandbox(t)
	const stone, dirt = "default:stone", "default:dirt"
	const blocks, actions = 1200, 1500 // of 4 kB each; SQLite has memory for 2 MB
	root := t.TempDir()
	large := largeWorld(t, filepath.Join(root, "large"), blocks, actions)
	same := nodesOf(t, large, "", "")
	changed := nodesOf(t, large, stone, dirt)
	near := maps.Collect(func(yield func(mapdb.Pos, [32]byte) bool) {
		for p, sum := range same {
			if (p.X < -2 || p.Z < 3) && !yield(p, sum) {
				return
			}
		}
	})
	type line struct {
		words string
		in    string // the changed or new world
		nodes map[mapdb.Pos][32]byte
	}
	lines := []line{
		{"edit world --in-place -- trim-rollback 2023-11-15", "world", same},
		{"edit world --in-place -- vacuum", "world", same},
		{"edit world -o edited -- vacuum", "edited", same},
		{"edit world --in-place -- replace " + stone + " " + dirt, "world", changed},
		{"edit world --in-place -- prune --margin 0", "world", near},
		{"edit world --in-place -- replace " + stone + " " + dirt + " then vacuum", "world", changed},
		{"repair world --in-place", "world", same},
		{"repair world -o repaired", "repaired", same},
		{"convert world --in-place --blocks 28", "world", same},
		{"convert world -o leveldb --to leveldb", "leveldb", same},
		{"convert leveldb -o back --to sqlite-pos --players sqlite3 --auth sqlite3 --storage sqlite3", "back", same},
		{"backup world backups", "world", same},
		{"restore backups -o restored", "restored", same},
		{"extract world -o folder", "world", same},
		{"pack folder -o packed", "packed", same},
	}
	for _, l := range lines {
		dir := filepath.Join(root, "world")
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(dir, os.DirFS(large)); err != nil {
			t.Fatal(err)
		}
		perform := func(words string) bool {
			cmd := trowel(t, strings.Fields(words)...)
			cmd.Dir, cmd.Stderr = root, nil
			if !filepath.IsAbs(cmd.Path) {
				cmd.Path, _ = filepath.Abs(cmd.Path)
			}
			cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, "TMPDIR=") })
			cmd.Env = append(cmd.Env, "HOME="+filepath.Join(root, "home"))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v\n%s", words, err, out)
			}
			return err == nil
		}
		if perform(l.words) {
			if got := nodesOf(t, filepath.Join(root, l.in), "", ""); !maps.Equal(got, l.nodes) {
				t.Errorf("%s: %d blocks, which are not the %d expected", l.words, len(got), len(l.nodes))
			}
		}
		if strings.Contains(l.words, "trim-rollback") {
			if n := actionsOf(t, dir); n != actions/2 {
				t.Errorf("%s: %d actions are left", l.words, n)
			}
		}
		if leftovers, _ := filepath.Glob(filepath.Join(dir, "etilqs*")); len(leftovers) > 0 {
			t.Errorf("%s: left over: %q", l.words, leftovers)
		}
	}
}

// largeWorld makes a world with blocks of 4 kB that cannot be compressed. Map chunks end at x -3 and z 2: players
// were near those on the left, and changes are recorded in those in front.
func largeWorld(t *testing.T, dir string, blocks, actions int) string {
	t.Helper()
	ctx := context.Background()
	if _, err := seedworld.Make(ctx, dir, seedworld.Options{Backend: mapdb.SQLite}); err != nil {
		t.Fatal(err)
	}
	db, err := mapdb.OpenForWriting(ctx, dir, mapdb.Config{Backend: mapdb.SQLite})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	_, err = mapdb.Load(ctx, db, func(yield func(mapdb.Block, error) bool) {
		for i := range blocks {
			b := mapblock.New(mapblock.Newest)
			for n := range mapblock.NodeCount {
				if err := b.SetNode(n, []string{"default:stone", "default:dirt"}[r.IntN(2)], 0, uint8(r.Uint32())); err != nil {
					t.Fatal(err)
				}
			}
			p := mapdb.Pos{X: int16(i%40 - 20), Z: int16(i / 40)}
			if p.X < -2 {
				b.Timestamp = 1000
			}
			data, err := b.Encode()
			if !yield(mapdb.Block{Pos: p, Data: data}, err) {
				return
			}
		}
	})
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	onRollback(t, dir, fmt.Sprintf("DELETE FROM action; WITH RECURSIVE c (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < %d) "+
		"INSERT INTO action (actor, timestamp, type, x, y, z, oldNode, oldMeta, newNode) SELECT 1, 1600000000 + i %% 2 * 200000000, 1, "+
		"i, 8, 3, 1, hex(randomblob(2000)), 2 FROM c", actions-1), nil)
	return dir
}

func onRollback(t *testing.T, dir, script string, row func(*sqlite.Stmt) error) {
	t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(dir, "rollback.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := sqlitex.ExecuteScript(conn, script, &sqlitex.ExecOptions{ResultFunc: row}); err != nil {
		t.Fatal(err)
	}
}

func actionsOf(t *testing.T, dir string) (n int) {
	onRollback(t, dir, "SELECT count(*) FROM action", func(r *sqlite.Stmt) error {
		n = r.ColumnInt(0)
		return nil
	})
	return n
}

// nodesOf returns a hash of the nodes of each block, in which one name is replaced by another.
func nodesOf(t *testing.T, dir, from, to string) map[mapdb.Pos][32]byte {
	t.Helper()
	ctx := context.Background()
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	db, _, err := world.OpenMap(ctx, dir, settings, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all := make(map[mapdb.Pos][32]byte)
	for b, err := range db.Blocks(ctx, mapdb.All()) {
		if err != nil {
			t.Fatal(err)
		}
		block, err := mapblock.Decode(b.Data)
		if err != nil {
			t.Fatal(b.Pos, err)
		}
		names := make(map[uint16]string)
		for _, n := range block.Names {
			if names[n.ID] = n.Name; n.Name == from {
				names[n.ID] = to
			}
		}
		var text []byte
		for i, id := range block.Param0 {
			text = append(append(text, names[id]...), block.Param2[i])
		}
		all[b.Pos] = sha256.Sum256(text)
	}
	return all
}

package minetest_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	_ "trowel.example/minetest"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// found runs a query of a world, and returns the hits as lines.
func found(t *testing.T, dir string, words ...string) (lines []string) {
	t.Helper()
	var finder *format.Finder
	for _, f := range format.Registered().Formats() {
		if f.Name == "minetest-world" {
			finder = f.Finder
		}
	}
	job := new(format.Job)
	steps, err := format.ParseSteps(job, finder.Commands, words)
	if err != nil {
		t.Fatal(err)
	}
	err = finder.Find(context.Background(), job, &format.Source{Dir: dir, Path: dir}, steps[0], func(h format.Hit) error {
		line := h.Path
		if h.At != nil {
			line += " " + h.At.String()
		}
		for _, f := range h.Fields {
			line += fmt.Sprintf(", %s %v", f.Key, f.Value)
		}
		lines = append(lines, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestOperatorQueries tests that areas, protectors and privileges together show who may build, and that
// rollback.sqlite shows who did.
func TestOperatorQueries(t *testing.T) {
	dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite}, 0)
	b := mapblock.New(29)
	if err := b.SetNode(mapblock.Index(15, 0, 0), "protector:protect", 0, 0); err != nil {
		t.Fatal(err)
	}
	b.Metadata = mapblock.Metadata{Version: 2, List: []mapblock.NodeMeta{{
		Pos: 15, Vars: []mapblock.Var{{Key: "owner", Value: "ann"}, {Key: "members", Value: "bob"}}, Inventory: []byte("EndInventory\n"),
	}}}
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	err = mapdb.Edit(context.Background(), dir, mapdb.Config{Backend: mapdb.SQLite}, []mapdb.Pos{{}},
		func(mapdb.Pos, []byte) ([]byte, error) { return data, nil })
	if err != nil {
		t.Fatal(err)
	}
	judge.Write(t, filepath.Join(dir, "areas.dat"),
		[]byte(`return {{name="Town",owner="bob",pos1={x=18,y=0,z=0},pos2={x=40,y=9,z=9}},{owner="ann",pos1={x=100,y=0,`+
			`z=0},pos2={x=100,y=0,z=0},open=true}}`))
	judge.Write(t, filepath.Join(dir, "auth.txt"),
		[]byte("ann::shout:1\nroot::protection_bypass:1\nmod::areas,delprotect:1\nguard::delprotect:1\n"))
	conn, err := sqlite.OpenConn(filepath.Join(dir, "rollback.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, `CREATE TABLE actor (id, name); INSERT INTO actor VALUES (1, 'player:ann');
		CREATE TABLE node (id, name); INSERT INTO node VALUES (1, 'air'), (2, 'default:dirt');
		CREATE TABLE action (id INTEGER PRIMARY KEY, actor, timestamp, type, list, "index", "add", stackNode, stackQuantity, x, y, z,
		oldNode, oldParam1, oldParam2, oldMeta, newNode, newParam1, newParam2, newMeta, guessedActor);
		INSERT INTO action (actor, timestamp, type, x, y, z, oldNode, newNode) VALUES (1, 1700000000, 1, 18, 0, 0, 1, 2)`, nil)
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ words, want []string }{
		{[]string{"may-build", "20,0,0"}, []string{
			"protection 20,0,0, who bob, why area 1 Town, protector:protect at 15,0,0",
			"protection 20,0,0, who root, why privilege protection_bypass", "protection 20,0,0, who mod, why privileges areas and delprotect",
		}},
		{[]string{"may-build", "10,-5,5"}, []string{
			"protection 10,-5,5, who ann, why protector:protect at 15,0,0", "protection 10,-5,5, who bob, why protector:protect at 15,0,0",
			"protection 10,-5,5, who root, why privilege protection_bypass",
			"protection 10,-5,5, who mod, why privilege delprotect", "protection 10,-5,5, who guard, why privilege delprotect",
		}},
		{[]string{"may-build", "10,-5,5", "--protector-radius", "4"}, []string{"protection 10,-5,5, who everybody, why unprotected"}},
		{[]string{"may-build", "100,0,0"}, []string{"protection 100,0,0, who everybody, why area 2"}},
		{[]string{"areas", "bob"}, []string{"areas.dat 18,0,0, id 1, name Town, owner bob, from 18,0,0, to 40,9,9, nodes " +
			"2300, parent 0, open false"}},
		{[]string{"changed", "0,0,0:30,5,5", "--actor", "ann"},
			[]string{"rollback.sqlite 18,0,0, time 2023-11-14 22:13:20, actor player:ann, what air became default:dirt, kind node, guessed false"}},
		{[]string{"changed", "--before", "2023-11-14"}, nil},
		{[]string{"players", "--privilege", "delprotect", "--without", "areas"},
			[]string{"players guard, name guard, seen 1970-01-01 00:00:01, player false, account true, privileges delprotect"}},
		{[]string{"storage", "pig", "count"}, []string{"mod_storage pig count, mod pig, key count, value 7, base64 , bytes 1"}},
	} {
		if got := found(t, dir, c.words...); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.words, got, c.want)
		}
	}
}

package worldquery

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
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// queried makes a world with everything that queries find. Its first block has a protector, its second the other things.
func queried(t *testing.T) (dir string) {
	var blocks [2]mapdb.Block
	for i, n := range []struct {
		block     mapdb.Pos
		at        int
		name      string
		vars      []mapblock.Var
		inventory string
	}{
		{mapdb.Pos{}, mapblock.Index(15, 1, 2), "protector:protect",
			[]mapblock.Var{{Key: "owner", Value: "ann"}, {Key: "members", Value: "bob"}}, ""},
		{mapdb.Pos{X: 1, Y: 2, Z: -3}, mapblock.Index(1, 2, 3), "default:chest",
			[]mapblock.Var{{Key: "owner", Value: "ann"}, {Key: "text", Value: "To Spawn"}, {Key: "note"}},
			"List main 2\nWidth 0\nEmpty\nItem default:dirt 5\nEndInventoryList\n"},
	} {
		b := mapblock.New(29)
		err := b.SetNode(n.at, n.name, 4, 7)
		b.Metadata = mapblock.Metadata{Version: 2, List: []mapblock.NodeMeta{
			{Pos: uint16(n.at), Vars: n.vars, Inventory: []byte(n.inventory + "EndInventory\n")}}}
		if i > 0 {
			b.Timers.List = []mapblock.Timer{{Pos: uint16(n.at), Timeout: 1500, Elapsed: 250}}
			pig, _ := mapblock.LuaEntity{Version: 1, Name: "mod:pig", StaticData: "return {tame}", HP: 5, Version2: 1}.Encode()
			b.Objects.List = []mapblock.Object{{Type: mapblock.ObjectLuaEntity, Pos: [3]int32{170000, 342345, -450000}, Data: pig}}
		}
		data, err2 := b.Encode()
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		blocks[i] = mapdb.Block{Pos: n.block, Data: data}
	}
	dir = worldtest.WorldOf(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite},
		func(yield func(mapdb.Block, error) bool) { _ = yield(blocks[0], nil) && yield(blocks[1], nil) })
	for name, text := range map[string]string{
		"trowel_nodes.json":  `{"format":"trowel-nodes","version":1,"nodes":[{"name":"default:chest"}]}`,
		"mod_storage/pig":    `{"count":"7","pig":"8"}`,
		"mod_storage/broken": `{`,
		"auth.txt":           "ann::shout,fly:1\nroot::protection_bypass:1\nmod::areas,delprotect:1\nguard::delprotect:1\nsurveyor::areas:1\n",
		"areas.dat": `return {{name="Town",owner="bob",pos1={x=18,y=0,z=0},pos2={x=40,y=9,z=9}},` +
			`{owner="ann",pos1={x=100,y=0,z=0},pos2={x=100,y=0,z=0},open=true},{owner="ann",pos1={x=200,y=0,z=0},pos2={x=200,y=0,z=0}}}`,
	} {
		judge.Write(t, filepath.Join(dir, filepath.FromSlash(name)), []byte(text))
	}
	conn, err := sqlite.OpenConn(filepath.Join(dir, "rollback.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, `CREATE TABLE actor (id, name); INSERT INTO actor VALUES (1, 'player:ann'), (2, 'liquid');
		CREATE TABLE node (id, name); INSERT INTO node VALUES (1, 'air'), (2, 'default:dirt');
		CREATE TABLE action (id INTEGER PRIMARY KEY, actor, timestamp, type, list, "index", "add", stackNode, stackQuantity, x, y, z,
		oldNode, oldParam1, oldParam2, oldMeta, newNode, newParam1, newParam2, newMeta, guessedActor);
		INSERT INTO action (actor, timestamp, type, x, y, z, oldNode, newNode) VALUES (1, 1700000000, 1, 18, 0, 0, 1, 2),
		(1, 1700000001, 1, 50, 0, 0, 2, 1), (2, 1700000002, 1, 18, 0, 0, 2, 1)`, nil)
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// asked is a query with its options.
type asked struct {
	run  func(*Search) error
	name string
}

func ask[T any](find func(context.Context, *Search, T) error, o T) asked {
	return asked{func(s *Search) error { return find(context.Background(), s, o) }, fmt.Sprintf("%#v", o)}
}

// TestQueries tests what each query finds, and that it ends at the first hit when no more are wanted.
func TestQueries(t *testing.T) {
	dir := queried(t)
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	box := func(box string) worldjob.Places { return worldjob.Places{Bounds: worldjob.Bounds{Box: box}} }
	names := func(names ...string) NameOptions { return NameOptions{Names: names} }
	mayBuild := func(at string, radius int) MayBuildOptions {
		return MayBuildOptions{at, worldjob.Protectors{Radius: radius}}
	}
	const (
		chest    = "block 1,2,-3 17,34,-45, "
		inPlayer = "players ann main 0, item default:dirt, count 99, wear 0, in player, owner ann"
		inChest  = "block 1,2,-3 17,34,-45 main 1, item default:dirt, count 5, wear 0, in default:chest, owner ann"
		meta     = chest + "node default:chest, key %s, value %s, owner ann, private false"
		unknown  = "block 0,0,0 15,1,2, node protector:protect, param1 4, param2 7"
		pig      = "block 1,2,-3 17,34,-45, object mod:pig, hp 5, item , x 17, y 34.235, z -45"
		ann      = "players ann, hp 20, breath 11, lastLogin 1970-01-01 00:00:01, privileges shout fly, x 1, y 2.05, z -3"
		dug      = "rollback.sqlite %s, time 2023-11-14 22:13:2%d, actor %s, what %s became %s, kind node, guessed false"
		stored   = "mod_storage pig %[1]s, mod pig, key %[1]s, value %d, base64 , bytes 1"
		builds   = "protection %s, who %s, why %s"
	)
	say := fmt.Sprintf
	for _, c := range []struct {
		asked
		want []string
	}{
		{ask(Nodes, NodeOptions{names("default:*")}), []string{chest + "node default:chest, param1 4, param2 7"}},
		{ask(Unknown, UnknownOptions{}), []string{unknown}},
		{ask(Metadata, MetadataOptions{Key: "owner", Places: box("16,32,-48:20,40,-40")}), []string{say(meta, "owner", "ann")}},
		{ask(Metadata, MetadataOptions{Key: "*=to*"}), nil},
		{ask(Metadata, MetadataOptions{Key: "*=To*"}), []string{say(meta, "text", "To Spawn")}},
		{ask(Metadata, MetadataOptions{Key: "*="}), []string{say(meta, "note", "")}},
		{ask(Signs, SignOptions{Text: []string{"to", "SPAWN"}}), []string{chest + "node default:chest, text To Spawn, owner ann"}},
		{ask(Signs, SignOptions{Text: []string{"mine"}}), nil},
		{ask(Timers, TimerOptions{names()}), []string{chest + "node default:chest, timeout 1.5, elapsed 0.25"}},
		{ask(Objects, ObjectOptions{Data: "tame"}), []string{pig}},
		{ask(Objects, ObjectOptions{Data: "wild"}), nil},
		{ask(Items, ItemOptions{NameOptions: names("default:dirt")}), []string{inPlayer, inChest}},
		{ask(Items, ItemOptions{Items: worldjob.Items{In: "nodes"}, NameOptions: names("default:dirt")}), []string{inChest}},
		{ask(Items, ItemOptions{Items: worldjob.Items{In: "players"}, NameOptions: names("default:dirt")}), []string{inPlayer}},
		{ask(Items, ItemOptions{NameOptions: NameOptions{[]string{"default:dirt"}, box("1,2,-3:17,34,-45")}}), []string{inChest}},
		{ask(Players, PlayerOptions{NameOptions{Places: box("1,2,-3:1,2,-3")}}), []string{ann}},
		{ask(Players, PlayerOptions{NameOptions{Places: box("2,2,-3:9,9,9")}}), nil},
		{ask(MayBuild, mayBuild("20,1,2", 5)), []string{
			say(builds, "20,1,2", "bob", "area 1 Town, protector:protect at 15,1,2"),
			say(builds, "20,1,2", "root", "privilege protection_bypass"), say(builds, "20,1,2", "mod", "privileges areas and delprotect"),
		}},
		{ask(MayBuild, mayBuild("10,-4,5", 5)), []string{
			say(builds, "10,-4,5", "ann", "protector:protect at 15,1,2"), say(builds, "10,-4,5", "bob", "protector:protect at 15,1,2"),
			say(builds, "10,-4,5", "root", "privilege protection_bypass"),
			say(builds, "10,-4,5", "mod", "privilege delprotect"), say(builds, "10,-4,5", "guard", "privilege delprotect"),
		}},
		{ask(MayBuild, mayBuild("10,-4,5", 4)), []string{say(builds, "10,-4,5", "everybody", "unprotected")}},
		{ask(MayBuild, mayBuild("100,0,0", 5)), []string{say(builds, "100,0,0", "everybody", "area 2")}},
		{ask(MayBuild, mayBuild("200,0,0", 5)), []string{
			say(builds, "200,0,0", "ann", "area 3"), say(builds, "200,0,0", "root", "privilege protection_bypass"),
			say(builds, "200,0,0", "mod", "privilege areas"), say(builds, "200,0,0", "surveyor", "privilege areas"),
		}},
		{ask(MayBuild, mayBuild("3000,0,0", 1000)), []string{say(builds, "3000,0,0", "everybody", "unprotected")}},
		{ask(MayBuild, mayBuild("0,0,0", 1001)), []string{"--protector-radius: expected 0 to 1000"}},
		{ask(MayBuild, mayBuild("here", 5)), []string{`"here": expected the position of a node, such as 100,12,-40`}},
		{ask(Areas, AreaOptions{[]string{"bob"}}), []string{
			"areas.dat 18,0,0, id 1, name Town, owner bob, from 18,0,0, to 40,9,9, nodes 2300, parent 0, open false"}},
		{ask(Changed, ChangedOptions{}), []string{say(dug, "18,0,0", 2, "liquid", "default:dirt", "air"),
			say(dug, "50,0,0", 1, "player:ann", "default:dirt", "air"), say(dug, "18,0,0", 0, "player:ann", "air", "default:dirt")}},
		{ask(Changed, ChangedOptions{Place: []string{"30,5,5:0,0,0"}, Actor: "ann"}),
			[]string{say(dug, "18,0,0", 0, "player:ann", "air", "default:dirt")}},
		{ask(Changed, ChangedOptions{Place: []string{"50,0,0"}}), []string{say(dug, "50,0,0", 1, "player:ann", "default:dirt", "air")}},
		{ask(Changed, ChangedOptions{Place: []string{"50,0,0", "1,1,1"}}), []string{"expected one place"}},
		{ask(Changed, ChangedOptions{Period: worldjob.Period{Before: "2023-11-14"}}), nil},
		{ask(Bans, BanOptions{[]string{"mallory"}}), []string{"ipban.txt, address 192.0.2.7, name mallory"}},
		{ask(Bans, BanOptions{[]string{"eve"}}), nil},
		{ask(Storage, StorageOptions{}), []string{"missing", say(stored, "count", 7), say(stored, "pig", 8)}},
		{ask(Storage, StorageOptions{[]string{"pig"}}), []string{say(stored, "count", 7), say(stored, "pig", 8)}},
		{ask(Storage, StorageOptions{[]string{"pig", "count"}}), []string{say(stored, "count", 7)}},
		{ask(Persons, worldjob.Persons{Privileges: []string{"delprotect"}, Without: []string{"areas"}}),
			[]string{"players guard, name guard, seen 1970-01-01 00:00:01, player false, account true, privileges delprotect"}},
	} {
		var got []string
		hits, enough := 0, error(nil)
		job := &format.Job{Reports: format.Reports{OnMiss: func(string, string) { got = append(got, "missing") }}}
		s := &Search{job: job, dir: dir, settings: settings,
			hit: func(h format.Hit) error {
				line := h.Path
				if h.At != nil {
					line += " " + h.At.String()
				}
				for _, f := range h.Fields {
					line += fmt.Sprintf(", %s %v", f.Key, f.Value)
				}
				got, hits = append(got, line), hits+1
				return enough
			}}
		if err := c.run(s); err != nil {
			got = append(got, err.Error())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
		if hits > 0 {
			hits, enough = 0, errors.New("enough")
			if err := c.run(s); err != enough || hits != 1 {
				t.Errorf("%s: after the first hit: %v, %d hits", c.name, err, hits)
			}
		}
	}
}

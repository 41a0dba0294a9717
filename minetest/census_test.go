package minetest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/seedworld"
	"trowel.example/internal/testing/tests"
	_ "trowel.example/minetest"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// record is a row of a table, by column name.
type record map[string]format.Cell

// in formats some cells of a record; null is empty.
func (r record) in(columns ...string) string {
	var words []string
	for _, c := range columns {
		v, ok := r[c]
		switch {
		case !ok:
			panic("no column " + c)
		case v.Null():
			words = append(words, "")
		default:
			words = append(words, v.String())
		}
	}
	return strings.Join(words, "|")
}

func worldFormat(t testing.TB) *format.Format {
	t.Helper()
	f := format.Registered().Formats().ByName("minetest-world")
	if f.Census == nil {
		t.Fatal("there are no tables of worlds")
	}
	return f
}

// census returns the rows of a world or of a shard, by table. Each must match the declaration of its table.
func census(t testing.TB, dir string, shard format.Shard, miss func(string)) map[string][]record {
	t.Helper()
	all := make(map[string][]record)
	job := &format.Job{Shard: shard, Reports: format.Reports{OnMiss: func(_, message string) { miss(message) }}}
	err := worldFormat(t).Census.Rows(context.Background(), job, &format.Source{Dir: dir, Path: dir},
		func(table *format.Table, values []format.Cell) error {
			if err := table.CheckRow(values); err != nil {
				return err
			}
			r := make(record)
			for i, c := range table.Columns {
				if r[c.Name] = values[i]; c.Type == format.ColumnFloat { // rounded to a thousandth, as in hits of find
					r[c.Name] = format.FloatCell(math.Round(values[i].Float()*1000) / 1000)
				}
			}
			all[table.Name] = append(all[table.Name], r)
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func noMiss(t testing.TB) func(string) {
	return func(message string) { t.Errorf("missed: %s", message) }
}

// show formats some cells of all rows of a table for which keep reports true, in order.
func show(list []record, keep func(record) bool, columns ...string) (lines []string) {
	for _, r := range list {
		if keep == nil || keep(r) {
			lines = append(lines, r.in(columns...))
		}
	}
	slices.Sort(lines)
	return lines
}

// hits formats the hits of a query as show does: the place and some fields.
func hits(t testing.TB, dir string, words []string, fields ...string) (lines []string) {
	t.Helper()
	finder := worldFormat(t).Finder
	job := new(format.Job)
	steps, err := format.ParseSteps(job, finder.Commands, words)
	if err != nil {
		t.Fatal(err)
	}
	err = finder.Find(context.Background(), job, &format.Source{Dir: dir, Path: dir}, steps[0], func(h format.Hit) error {
		var values []string
		for _, name := range fields {
			value := ""
			if name == "@" {
				value = fmt.Sprint(h.At)
			} else {
				i := slices.IndexFunc(h.Fields, func(f format.InfoField) bool { return f.Key == name })
				value = format.TextCell(fmt.Sprint(h.Fields[i].Value)).Text()
			}
			values = append(values, value)
		}
		lines = append(lines, strings.Join(values, "|"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}

// places joins the coordinates at the beginning of lines with commas, as places are formatted.
func places(lines []string) []string {
	for i, line := range lines {
		lines[i] = strings.Replace(strings.Replace(line, "|", ",", 1), "|", ",", 1)
	}
	slices.Sort(lines)
	return lines
}

func sum(list []record, key, count string, keep func(record) bool) map[string]int {
	all := make(map[string]int)
	for _, r := range list {
		if keep == nil || keep(r) {
			all[r[key].Text()] += int(r[count].Int())
		}
	}
	return all
}

func same[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("%s: %d rows, want %d; from %d on %v, want %v", what, len(got), len(want), i,
				got[min(i, len(got)):min(i+1, len(got))], want[min(i, len(want)):min(i+1, len(want))])
			return
		}
	}
}

func sameMap(t *testing.T, what string, got, want map[string]int) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestCensus tests that the rows of a world contain its data, whatever the backend, and agree with find.
func TestCensus(t *testing.T) {
	for name, people := range map[string]string{"pos": "files", "xyz": "sqlite3", "leveldb": "", "postgresql": "sqlite3", "redis": "files"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "world")
			config := worldtest.Backends[name](t)
			truth, err := seedworld.Make(t.Context(), dir, seedworld.Options{Map: config, Backend: people, Blocks: 300, Seed: uint64(len(name))})
			if err != nil {
				t.Fatal(err)
			}
			all := census(t, dir, "", noMiss(t))
			testTruth(t, all, truth)
			testFind(t, dir, all)
			damage(t, dir, config, truth.Blocks)
			testShards(t, dir, 3)
		})
	}
}

// damage makes some blocks unreadable.
func damage(t *testing.T, dir string, c mapdb.Config, blocks int) {
	t.Helper()
	var at []mapdb.Pos
	for _, i := range []int{0, 50, blocks - 1} {
		at = append(at, seedworld.Pos(i, blocks))
	}
	if err := mapdb.Edit(t.Context(), dir, c, at, func(_ mapdb.Pos, data []byte) ([]byte,
		error) {
		return data[:len(data)/2], nil
	}); err != nil {
		t.Fatal(err)
	}
}

// testShards tests that the rows of all shards of a world, one after the other, are the rows of the world, that the
// rows of findings are the findings of checks of the shards, and that each loss is reported once.
func testShards(t *testing.T, dir string, losses int) {
	t.Helper()
	var missed, parts []string
	whole := census(t, dir, "", func(message string) { missed = append(missed, message) })
	f, src := worldFormat(t), &format.Source{Dir: dir, Path: dir}
	together, shards := make(map[string][]record), 0
	var found []string
	if err := f.Sharding.Split(t.Context(), new(format.Job), src, func(s format.Shard) error {
		shards++
		for table, rows := range census(t, dir, s, func(message string) { parts = append(parts, message) }) {
			together[table] = append(together[table], rows...)
		}
		file, err := f.Open(t.Context(), new(format.Job), src)
		if err != nil {
			return err
		}
		defer file.Close()
		return file.Check(t.Context(), &format.Job{Shard: s}, func(f check.Finding) {
			found = append(found, strings.Join([]string{f.ID, f.Severity.String(), f.Path, f.Message, fmt.Sprint(len(f.At))}, "|"))
		})
	}); err != nil {
		t.Fatal(err)
	}
	for table, rows := range whole {
		inOrder := func(list []record) (lines []string) {
			for _, r := range list {
				lines = append(lines, fmt.Sprint(r))
			}
			return lines
		}
		same(t, fmt.Sprintf("%s in %d shards", table, shards), inOrder(together[table]), inOrder(rows))
	}
	if !slices.Equal(missed, parts) || len(missed) != losses || shards < 2 {
		t.Errorf("%d shards; missed %q, and in parts %q", shards, missed, parts)
	}
	slices.Sort(found)
	same(t, "findings", show(whole["minetest_findings"], nil, "id", "severity", "path", "message", "places"), found)
}

// testTruth compares rows with the known contents of a world.
func testTruth(t *testing.T, all map[string][]record, truth *seedworld.Truth) {
	versions := make(map[int]int)
	for _, b := range all["minetest_blocks"] {
		versions[int(b["version"].Int())]++
		if !b["readable"].Bool() || !b["error"].Null() || b["stored_bytes"].Int() < 100 || b["inflated_bytes"].Int() < 4*4096 {
			t.Errorf("block %v", b)
		}
	}
	if !maps.Equal(versions, truth.Versions) {
		t.Errorf("versions %v, want %v", versions, truth.Versions)
	}
	sameMap(t, "nodes", sum(all["minetest_nodes"], "node", "count", nil), truth.Nodes)
	diamonds := func(r record) bool { return r["item"].Text() == "default:diamond" }
	sameMap(t, "diamonds", sum(all["minetest_inventories"], "owner", "count", func(r record) bool {
		return diamonds(r) &&
			r["kind"].Text() != "object"
	}), truth.Diamonds())
	lying := sum(all["minetest_inventories"], "holder", "count", func(r record) bool { return diamonds(r) && r["kind"].Text() == "object" })
	sameMap(t, "lying", lying, map[string]int{"__builtin:item": truth.Lying})
	var chests, signs []string
	for _, c := range truth.Chests {
		chests = append(chests, fmt.Sprintf("%d|%d|%d|%s|main|2|%d", c.At[0], c.At[1], c.At[2], c.Owner, c.Dirt))
	}
	for _, s := range truth.Signs {
		signs = append(signs, fmt.Sprintf("%d|%d|%d|%s", s.At[0], s.At[1], s.At[2], s.Text))
	}
	slices.Sort(chests)
	slices.Sort(signs)
	same(t, "chests", show(all["minetest_inventories"], func(r record) bool { return r["item"].Text() == "default:dirt" },
		"x", "y", "z", "owner", "list", "slot", "count"), chests)
	same(t, "signs", show(all["minetest_metadata"], func(r record) bool { return r["key"].Text() == "text" }, "x", "y", "z", "value"), signs)
	tools := func(r record) bool { return r["item"].Text() == "default:pick_steel" }
	if got := slices.Compact(show(all["minetest_inventories"], tools, "count", "wear", "metadata")); !slices.Equal(got,
		[]string{`1|1200|{"name":"Old"}`}) {
		t.Errorf("tools: %q", got)
	}
	for _, r := range all["minetest_metadata"] {
		if r["private"].Bool() != (r["key"].Text() == "code") {
			t.Errorf("private: %v", r)
		}
	}
	count := func(table, column string) map[string]int {
		all := all[table]
		n := make(map[string]int)
		for _, r := range all {
			n[r[column].Text()]++
		}
		return n
	}
	sameMap(t, "timers", count("minetest_timers", "node"), truth.Timers)
	sameMap(t, "objects", count("minetest_objects", "object"), truth.Objects)
	var players, forced []string
	for _, p := range truth.Players {
		login := ""
		if p.LastLogin > 0 {
			login = time.Unix(p.LastLogin, 0).UTC().Format(time.RFC3339)
		}
		players = append(players, fmt.Sprintf("%s|%v|%v|%v|%d|11|%s|%s", p.Name, p.Pos[0], p.Pos[1], p.Pos[2], p.HP,
			strings.Join(p.Privileges, " "), login))
	}
	same(t, "players", show(all["minetest_players"], nil, "player", "x", "y", "z", "hp", "breath", "privileges", "last_login"), players)
	if n := len(all["minetest_accounts"]); n != truth.Accounts {
		t.Errorf("%d accounts, want %d", n, truth.Accounts)
	}
	storage := make(map[string]int)
	for _, r := range all["minetest_mod_storage"] {
		storage[r["mod"].Text()+" "+r["key"].Text()] = int(r["value_bytes"].Int())
	}
	sameMap(t, "mod storage", storage, truth.Storage)
	for i, p := range truth.Forced {
		forced = append(forced, fmt.Sprintf("%d|%d|%d|%d", p[0], p[1], p[2], i+1))
	}
	slices.Sort(forced)
	same(t, "forced blocks", show(all["minetest_forceloaded"], nil, "block_x", "block_y", "block_z", "count"), forced)
	same(t, "bans", show(all["minetest_bans"], nil, "player"), truth.Banned)
	same(t, "worlds", show(all["minetest_worlds"], nil, "name", "game", "seed", "mapgen", "game_time", "time_of_day",
		"day_count"), []string{"Seeded|minetest|13835058055282163712|v7|86400|6000|3"})
	for _, r := range all["minetest_settings"] {
		if v := r["value"].Text(); strings.Contains(v, "hidden") {
			t.Errorf("a password: %v", r)
		}
	}
	same(t, "findings", show(all["minetest_findings"], nil, "id", "path", "message"), nil)
}

// testFind compares rows with the results of find.
func testFind(t *testing.T, dir string, all map[string][]record) {
	for _, name := range []string{"default:chest*", "default:stone_with_coal", "default:sign_wall_wood"} {
		n := 0
		for node, count := range sum(all["minetest_nodes"], "node", "count", nil) {
			if node == name || strings.HasPrefix(node, strings.TrimSuffix(name, "*")) && strings.HasSuffix(name, "*") {
				n += count
			}
		}
		if got := len(hits(t, dir, []string{"node", name}, "@")); got != n || n == 0 {
			t.Errorf("%s: %d nodes, found %d", name, n, got)
		}
	}
	testThings(t, dir, all)
}

// testThings compares the rows of everything except nodes with the results of find.
func testThings(t *testing.T, dir string, all map[string][]record) {
	t.Helper()
	same(t, "metadata", places(show(all["minetest_metadata"], nil, "x", "y", "z", "node", "key", "value", "owner", "private")),
		hits(t, dir, []string{"metadata", "*"}, "@", "node", "key", "value", "owner", "private"))
	same(t, "timer", places(show(all["minetest_timers"], nil, "x", "y", "z", "node", "timeout", "elapsed")),
		hits(t, dir, []string{"timer"}, "@", "node", "timeout", "elapsed"))
	same(t, "object", show(all["minetest_objects"], nil, "object", "hp", "item", "x", "y", "z"),
		hits(t, dir, []string{"object"}, "object", "hp", "item", "x", "y", "z"))
	var items []string
	for _, r := range all["minetest_inventories"] {
		at := r["owner"].Text()
		if !r["x"].Null() {
			at = strings.ReplaceAll(r.in("x", "y", "z"), "|", ",")
		}
		if !r["list"].Null() {
			at += " " + r["list"].Text() + " " + r["slot"].String()
		}
		items = append(items, at+"|"+r.in("item", "count", "wear", "holder", "owner"))
	}
	slices.Sort(items)
	same(t, "item", items, hits(t, dir, []string{"item", "*"}, "@", "item", "count", "wear", "in", "owner"))
	same(t, "player", show(all["minetest_players"], nil, "player", "hp", "breath", "privileges", "x", "y", "z"),
		hits(t, dir, []string{"player"}, "@", "hp", "breath", "privileges", "x", "y", "z"))
	same(t, "accounts", show(all["minetest_accounts"], nil, "account", "privileges"), hits(t, dir, []string{"players"}, "name", "privileges"))
	same(t, "storage", show(all["minetest_mod_storage"], nil, "mod", "key", "value_bytes"),
		hits(t, dir, []string{"storage"}, "mod", "key", "bytes"))
	same(t, "bans", show(all["minetest_bans"], nil, "player"), hits(t, dir, []string{"bans"}, "name"))
}

// TestCensusCorpus tests that the rows of worlds that games generated agree with find and with the rows of their
// shards.
func TestCensusCorpus(t *testing.T) {
	root := filepath.Join(tests.Corpus(t, "minetest"), "generated")
	for _, name := range []string{"v17-sectors2", "v22-sqlite", "v29-leveldb"} {
		dir := filepath.Join(root, name)
		all := census(t, dir, "", noMiss(t))
		nodes := sum(all["minetest_nodes"], "node", "count", nil)
		total := 0
		for _, n := range nodes {
			total += n
		}
		if blocks := len(all["minetest_blocks"]); blocks == 0 || total != blocks*mapblock.NodeCount {
			t.Errorf("%s: %d blocks, %d nodes", name, blocks, total)
		}
		if got := len(hits(t, dir, []string{"node", "default:tree"}, "@")); got != nodes["default:tree"] {
			t.Errorf("%s: %d trees, found %d", name, nodes["default:tree"], got)
		}
		testThings(t, dir, all)
		testShards(t, dir, 0)
	}
}

// TestCensusNoMap tests that a world without blocks has all other rows, and that it is a loss if its database cannot
// be opened or if a server has run the world.
func TestCensusNoMap(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "world")
	if _, err := seedworld.Make(t.Context(), dir, seedworld.Options{}); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		spoil         func(path string) error
		finding, miss string
	}{
		"no database": {os.RemoveAll, "mt-map-unreadable", "blocks: "},
		"a folder": {func(path string) error { return errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o755)) },
			"mt-map-unreadable", "blocks: "},
	} {
		if err := c.spoil(filepath.Join(dir, "map.sqlite")); err != nil {
			t.Fatal(err)
		}
		var missed []string
		all := census(t, dir, "", func(message string) { missed = append(missed, message) })
		if len(missed) != 1 || !strings.HasPrefix(missed[0], c.miss) || len(all["minetest_players"]) != 4 || len(all["minetest_blocks"]) != 0 {
			t.Errorf("%s: missed %q, rows %v", what, missed, all)
		}
		same(t, what, show(all["minetest_findings"], nil, "id"), []string{c.finding})
	}
}

// TestCensusTables tests that the declarations of the tables are valid.
func TestCensusTables(t *testing.T) {
	if err := worldFormat(t).Census.Check(); err != nil {
		t.Error(err)
	}
}

// TestSmallWorld tests that a world is small if it is stored completely in its folder and is small enough.
func TestSmallWorld(t *testing.T) {
	for name, want := range map[string]bool{"backend = sqlite3\n": true, "": true, "backend = postgresql\n": false,
		"backend = sqlite3\nplayer_backend = postgresql\n": false, "backend = sqlite3\nreadonly_backend = sqlite3\n": false} {
		dir := t.TempDir()
		judge.Write(t, filepath.Join(dir, "world.mt"), []byte(name))
		src := &format.Source{Dir: dir}
		if got := worldFormat(t).Census.Small(src); got != want {
			t.Errorf("%q: %v", name, got)
		}
		large := filepath.Join(dir, "map.sqlite")
		if err := errors.Join(os.WriteFile(large, nil, 0o666), os.Truncate(large, 16<<20+1)); err != nil {
			t.Fatal(err)
		}
		if worldFormat(t).Census.Small(src) {
			t.Errorf("%q: a large one", name)
		}
	}
}

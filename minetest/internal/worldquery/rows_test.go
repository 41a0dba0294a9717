package worldquery_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldquery"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// seen are rows by table, formatted as texts.
type seen map[string][]string

// take adds a row, which must match the declaration of its table.
func (s seen) take(t *format.Table, values []format.Cell) error {
	if err := t.CheckRow(values); err != nil {
		return err
	}
	s[t.Name] = append(s[t.Name], fmt.Sprintf("%q", values))
	return nil
}

// store is a database that yields the given rows.
type store struct {
	*mapdb.Memory
	rows iter.Seq2[mapdb.Block, error]
}

func (s store) Blocks(context.Context, mapdb.Area) iter.Seq2[mapdb.Block, error] { return s.rows }

func storeOf(rows iter.Seq2[mapdb.Block, error]) mapdb.DB { return store{mapdb.NewMemory(), rows} }

// rowsOf returns the rows of a database, and the errors passed to OnMiss.
func rowsOf(t testing.TB, db mapdb.DB) (all seen, missed []string) {
	t.Helper()
	all = make(seen)
	o := worldquery.RowOptions{OnMiss: func(err error) { missed = append(missed, err.Error()) }}
	if err := worldquery.Blocks(t.Context(), db, o, all.take); err != nil {
		t.Fatal(err)
	}
	return all, missed
}

// TestVersions tests, for blocks of every version, that the rows contain what the queries find.
func TestVersions(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	for version := range mapblock.Newest + 1 {
		m := mapdb.NewMemory()
		if _, err := mapdb.Load(t.Context(), m, worldtest.Blocks(30, version)); err != nil {
			t.Fatal(err)
		}
		all, missed := rowsOf(t, m)
		if len(missed) > 0 || len(all["minetest_blocks"]) != 30 {
			t.Errorf("version %d: %d blocks, missed %q", version, len(all["minetest_blocks"]), missed)
		}
		count := func(find func(yield func()) error) (n int) {
			t.Helper()
			if err := find(func() { n++ }); err != nil {
				t.Fatal(err)
			}
			return n
		}
		var everywhere worldquery.Where
		var any worldquery.Names
		for table, want := range map[string]int{
			"minetest_metadata": count(func(yield func()) error {
				return worldquery.FindMetadata(t.Context(), m, everywhere, func(string, string) bool { return true },
					func(worldquery.Meta) error { yield(); return nil })
			}),
			"minetest_inventories": count(func(yield func()) error {
				return worldquery.FindItems(t.Context(), m, everywhere, any, func(worldquery.Item) error { yield(); return nil })
			}),
			"minetest_objects": count(func(yield func()) error {
				return worldquery.FindObjects(t.Context(), m, everywhere, any, func(worldquery.Object) error { yield(); return nil })
			}),
			"minetest_timers": count(func(yield func()) error {
				return worldquery.FindTimers(t.Context(), m, everywhere, any, func(worldquery.Timer) error { yield(); return nil })
			}),
		} {
			if len(all[table]) != want {
				t.Errorf("version %d: %d rows in %s, want %d", version, len(all[table]), table, want)
			}
		}
		nodes := all.nodes(t)
		total := 0
		for name, n := range nodes {
			total += n
			names, err := worldquery.ParseNames(name)
			if err != nil {
				t.Fatal(err)
			}
			if got := count(func(yield func()) error {
				return worldquery.FindNodes(t.Context(), m, everywhere, names, func(worldquery.Node) error { yield(); return nil })
			}); got != n {
				t.Errorf("version %d: %d nodes %s, found %d", version, n, name, got)
			}
		}
		if total != 30*mapblock.NodeCount {
			t.Errorf("version %d: %d nodes", version, total)
		}
	}
}

// nodes returns the number of nodes of each name; "null" means no name.
func (s seen) nodes(t testing.TB) map[string]int {
	t.Helper()
	nodes := make(map[string]int)
	for _, row := range s["minetest_nodes"] {
		var x, y, z, n int
		var name string
		if _, err := fmt.Sscanf(row, `["%d" "%d" "%d" %q "%d"]`, &x, &y, &z, &name, &n); err != nil {
			t.Fatal(row, err)
		}
		nodes[name] += n
	}
	return nodes
}

// TestWidths tests that rows, queries, the check and the block itself agree about named and unnamed nodes, in all
// versions with names, and for ids of one byte and of two bytes.
func TestWidths(t *testing.T) {
	for version := 21; version <= mapblock.Newest; version++ {
		for _, width := range worldtest.Widths(version) {
			data := worldtest.BlockOf(24, version, width)
			b, err := mapblock.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			nodes, want := b.Nodes(), make(map[string]int)
			for i, n := range nodes.Counts() {
				want[cmp.Or(nodes.Names[i], "null")] = n
			}
			m := mapdb.NewMemory()
			if err := m.Store(t.Context(), []mapdb.Block{{Data: data}}); err != nil {
				t.Fatal(err)
			}
			all, missed := rowsOf(t, m)
			if got := all.nodes(t); len(missed) > 0 || !maps.Equal(got, want) || want["null"] == 0 || want["default:stone"] == 0 {
				t.Errorf("version %d, %d bytes: rows of %v, want %v, missed %q", version, width, got, want, missed)
			}
			found := make(map[string]int)
			count := func(n worldquery.Node) error {
				found[cmp.Or(n.Name, "null")]++
				if p, _ := n.At.Pos(); n.Param2 != nodes.Param2[mapblock.Index(p[0], p[1], p[2])] {
					t.Fatalf("version %d, %d bytes: %v has param2 %d", version, width, n.At, n.Param2)
				}
				return nil
			}
			if err := errors.Join(worldquery.FindNodes(t.Context(), m, worldquery.Where{}, worldquery.Names{}, count),
				worldquery.FindUnknown(t.Context(), m, worldquery.Where{}, nil, count)); err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(found, want) {
				t.Errorf("version %d, %d bytes: found %v, want %v", version, width, found, want)
			}
			nameless := 0
			b.Check(func(f check.Finding) {
				if f.ID == "mt-block-id-unmapped" {
					nameless += len(f.At)
				}
			})
			if nameless != want["null"] {
				t.Errorf("version %d, %d bytes: %d nodes without a name in findings, want %d", version, width, nameless, want["null"])
			}
		}
	}
}

// TestDamage tests that a block that cannot be read is reported in its row, as a finding and as an error, and that
// the other rows are unaffected.
func TestDamage(t *testing.T) {
	whole, _ := rowsOf(t, storeOf(worldtest.Blocks(20, 28)))
	broken := slices.Clone(worldtest.Block(3, 28))
	broken[8] ^= 0xff
	at := worldtest.Pos(5)
	all, missed := rowsOf(t, storeOf(func(yield func(mapdb.Block, error) bool) {
		for b, err := range worldtest.Blocks(20, 28) {
			switch b.Pos {
			case worldtest.Pos(3):
				b.Data = broken
			case worldtest.Pos(4):
				b.Data = nil
			case at:
				b, err = mapdb.Block{}, &mapdb.RowError{Key: "5", Pos: &at, Err: errors.New("row 5 has no data")}
			case worldtest.Pos(6):
				b, err = mapdb.Block{}, &mapdb.RowError{Key: "x", Err: errors.New("row x stands nowhere")}
			}
			if !yield(b, err) {
				return
			}
		}
	}))
	if len(missed) != 4 || missed[1] != "block -12,-8,-100: no bytes" || missed[3] != "row x stands nowhere" {
		t.Errorf("missed: %q", missed)
	}
	blocks := all["minetest_blocks"]
	if len(blocks) != 19 || slices.Contains(blocks, whole["minetest_blocks"][3]) || blocks[18] != whole["minetest_blocks"][19] {
		t.Errorf("%d rows of blocks: %q", len(blocks), blocks)
	}
	for i, want := range []string{
		fmt.Sprintf(`["-13" "-8" "-100" "28" "null" "null" "null" "null" "null" "null" "%d" "null" "false"`, len(broken)),
		`["-12" "-8" "-100" "null" "null" "null" "null" "null" "null" "null" "0" "null" "false" "no bytes"]`,
		`["-11" "-8" "-100" "null" "null" "null" "null" "null" "null" "null" "null" "null" "false" "row 5 has no data"]`,
	} {
		if got := blocks[3+i]; len(got) < len(want) || got[:len(want)] != want {
			t.Errorf("row %s, want %s", got, want)
		}
	}
	if len(all["minetest_nodes"]) >= len(whole["minetest_nodes"]) || len(all["minetest_findings"]) != len(whole["minetest_findings"])+4 {
		t.Errorf("%d rows of nodes, %d findings", len(all["minetest_nodes"]), len(all["minetest_findings"]))
	}
}

// TestFindings tests that errors of blocks are the findings of a check, each with its block.
func TestFindings(t *testing.T) {
	m := mapdb.NewMemory()
	if _, err := mapdb.Load(t.Context(), m, worldtest.Blocks(60)); err != nil {
		t.Fatal(err)
	}
	if err := m.Store(t.Context(), []mapdb.Block{{Pos: worldtest.Pos(7), Data: []byte{99}},
		{Pos: worldtest.Pos(9), Data: worldtest.Block(9, 28)[:50]}}); err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := world.CheckBlocks(t.Context(), m, world.CheckOptions{}, func(f check.Finding) {
		if f.Severity == check.Error {
			want = append(want, f.ID+" "+f.Path)
		}
	}); err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := worldquery.Blocks(t.Context(), m, worldquery.RowOptions{}, func(table *format.Table, values []format.Cell) error {
		if table.Name == "minetest_findings" && values[1].Text() == "error" {
			got = append(got, values[0].Text()+" "+values[2].Text())
			if values[6].Null() || values[7].Null() || values[8].Null() {
				t.Errorf("a finding of no block: %v", values)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(want) < 2 || !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestEnds tests that an error of the callback, an invalid slab and the end of the context each end the pass.
func TestEnds(t *testing.T) {
	enough := errors.New("enough")
	fail := func(*format.Table, []format.Cell) error { return enough }
	synctest.Test(t, func(t *testing.T) { // all goroutines have ended
		if err := worldquery.Blocks(t.Context(), storeOf(worldtest.Blocks(1000, 28)), worldquery.RowOptions{}, fail); !errors.Is(err, enough) {
			t.Errorf("%v", err)
		}
		if err := worldquery.Blocks(t.Context(), mapdb.NewMemory(), worldquery.RowOptions{Slab: "z=1..2"}, fail); !errors.Is(err, mapdb.ErrSlab) {
			t.Errorf("%v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := worldquery.Blocks(ctx, mapdb.NewMemory(), worldquery.RowOptions{}, fail); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}

// TestRest tests that damage in everything except the blocks is reported, and that the rest has rows.
func TestRest(t *testing.T) {
	rest := func(dir string) (all seen, missed []string) {
		settings, err := world.ReadWorldMT(dir)
		if err != nil {
			t.Fatal(err)
		}
		all = make(seen)
		o := worldquery.RowOptions{OnMiss: func(err error) { missed = append(missed, err.Error()) }}
		if err := worldquery.Rest(t.Context(), dir, settings, o, all.take); err != nil {
			t.Fatal(err)
		}
		return all, missed
	}
	dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite}, 0)
	whole, missed := rest(dir)
	if len(missed) > 0 || len(whole["minetest_players"]) != 2 || len(whole["minetest_accounts"]) != 2 {
		t.Errorf("%v, missed %q", whole, missed)
	}
	if want := []string{
		`["player" "null" "null" "null" "player" "ann" "main" "0" "default:dirt" "99" "0" "null"]`,
	}; !slices.Equal(whole["minetest_inventories"], want) {
		t.Errorf("%q, want %q", whole["minetest_inventories"], want)
	}
	judge.Write(t, filepath.Join(dir, "force_loaded.txt"), []byte("return {["))
	judge.Write(t, filepath.Join(dir, "players", "bob"), []byte("name = bob\nPlayerArgsEnd\nList main 1\nWidth 0\nItem default:sand 3\n"))
	judge.Write(t, filepath.Join(dir, "players", "carl"), []byte("hp = 3\n"))
	judge.Write(t, filepath.Join(dir, "mod_storage", "cow"), []byte("{"))
	judge.Write(t, filepath.Join(dir, "auth.txt"), []byte("ann:#1#c2FsdA#dmVyaWZpZXI:interact:9223372036854775807\n"))
	all, missed := rest(dir)
	if len(missed) != 4 {
		t.Errorf("missed %q", missed)
	}
	if len(all["minetest_players"]) != 2 || len(all["minetest_inventories"]) != 2 ||
		len(all["minetest_mod_storage"]) != 1 || len(all["minetest_findings"]) < 4 {
		t.Errorf("%v", all)
	}
	if want := []string{`["ann" "interact" "null"]`}; !slices.Equal(all["minetest_accounts"], want) {
		t.Errorf("%q, want %q", all["minetest_accounts"], want)
	}
}

func FuzzBlocks(f *testing.F) {
	db := mapdb.NewMemory()
	for version := range mapblock.Newest + 1 {
		f.Add(worldtest.Block(24, version))
	}
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		blocks, nodes := 0, int64(0)
		readable := false
		missed := 0
		o := worldquery.RowOptions{OnMiss: func(error) { missed++ }}
		if err := db.Store(t.Context(), []mapdb.Block{{Data: data}}); err != nil {
			t.Fatal(err)
		}
		err := worldquery.Blocks(t.Context(), db, o, func(table *format.Table, values []format.Cell) error {
			switch table.Name {
			case "minetest_blocks":
				blocks++
				readable = values[11].Bool()
			case "minetest_nodes":
				nodes += values[4].Int()
			}
			return table.CheckRow(values)
		})
		if err != nil || blocks != 1 {
			t.Fatalf("%d blocks, %v", blocks, err)
		}
		if readable && missed == 0 && nodes != mapblock.NodeCount || !readable && (missed != 1 || nodes != 0) {
			t.Errorf("readable: %v, missed: %d, nodes: %d", readable, missed, nodes)
		}
	})
}

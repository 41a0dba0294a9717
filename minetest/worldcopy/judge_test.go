package worldcopy_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"image/png"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldrepair"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
)

// engine runs the engine on a world until it exits.
func engine(t testing.TB, dir string, args ...string) {
	t.Helper()
	listener, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.LocalAddr().(*net.UDPAddr).Port
	listener.Close()
	home := judge.Dir(t)
	config := filepath.Join(home, "minetest.conf")
	judge.Write(t, config, fmt.Appendf(nil, "bind_address = 127.0.0.1\nport = %d\nserver_announce = false\n", port))
	args = append([]string{"--config", config, "--world", dir, "--gameid", "minetest_game", "--logfile",
		filepath.Join(home, "log"), "--quiet"}, args...)
	if said, err := judge.Run(t, home, "minetestserver", args...); err != nil {
		log, _ := os.ReadFile(filepath.Join(home, "log"))
		t.Fatalf("minetestserver %v: %v\n%s\n%s", args, err, said, log)
	}
}

// seen is a block as the engine reads it.
type seen struct {
	Nodes  []string       // name, param1, param2
	Fields map[int]string // of each node with metadata
	Items  map[int]string
	Timers []string
}

// dump runs the engine and returns some blocks of a world as the engine reads them.
func dump(t *testing.T, dir string, list []mapdb.Pos) map[mapdb.Pos]*seen {
	t.Helper()
	for _, name := range []string{"init.lua", "mod.conf"} {
		judge.Write(t, filepath.Join(dir, "worldmods", "trowel_dump", name), judge.Read(t, filepath.Join("testdata", "dump", name)))
	}
	var lines strings.Builder
	for _, p := range list {
		fmt.Fprintf(&lines, "%d %d %d\n", p.X, p.Y, p.Z)
	}
	judge.Write(t, filepath.Join(dir, "blocks.txt"), []byte(lines.String()))
	engine(t, dir)
	f, err := os.Open(filepath.Join(dir, "dump.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := make(map[mapdb.Pos]*seen)
	var s *seen
	var at int
	var fields, items []string
	finish := func() {
		if s != nil && at >= 0 {
			slices.Sort(fields)
			slices.Sort(items)
			s.Fields[at], s.Items[at] = strings.Join(fields, "\n"), strings.Join(items, "\n")
		}
		fields, items, at = nil, nil, -1
	}
	ended := false
	for in := bufio.NewScanner(f); in.Scan(); {
		what, rest, _ := strings.Cut(in.Text(), " ")
		switch what {
		case "block":
			finish()
			var p mapdb.Pos
			fmt.Sscan(rest, &p.X, &p.Y, &p.Z)
			s = &seen{Fields: map[int]string{}, Items: map[int]string{}}
			all[p] = s
		case "node":
			// Some games use another name for it now.
			s.Nodes = append(s.Nodes, strings.Replace(rest, "default:sign_wall_wood ", "default:sign_wall ", 1))
		case "meta":
			finish()
			fmt.Sscan(rest, &at)
		case "field":
			fields = append(fields, rest)
		case "item":
			items = append(items, rest)
		case "timer":
			s.Timers = append(s.Timers, rest)
		case "end":
			finish()
			ended = true
		}
	}
	if !ended {
		t.Fatal("the dump has no end")
	}
	return all
}

// expected returns a block as this package reads it.
func expected(t *testing.T, data []byte) *seen {
	t.Helper()
	b, err := mapblock.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	generic := make(map[uint16]bool)
	for _, m := range b.Metadata.List {
		generic[m.Pos] = m.Legacy != nil && m.Legacy.ID == mapblock.LegacyGeneric
	}
	if b.Version < 23 { // the engine converts the metadata that it loads to the current form
		if b, _, err = b.Convert(mapblock.Newest, mapblock.ConvertOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	s := &seen{Fields: map[int]string{}, Items: map[int]string{}}
	n := b.Nodes()
	for i := range mapblock.NodeCount {
		s.Nodes = append(s.Nodes, fmt.Sprintf("%s %d %d", n.At(i), n.Param1[i], n.Param2[i]))
	}
	for _, m := range b.Metadata.List {
		var fields, items []string
		for _, v := range m.Vars {
			if generic[m.Pos] && (v.Key == "text" || v.Key == "owner") {
				continue // the engine drops it
			}
			fields = append(fields, hex.EncodeToString([]byte(v.Key))+"="+hex.EncodeToString([]byte(v.Value)))
		}
		inv, _, err := item.ParseInventory(m.Inventory)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range inv.Lists {
			for i, slot := range l.Items {
				stack, err := slot.Stack.MigrateLegacy(nil)
				if err != nil {
					t.Fatal(err)
				}
				if stack.Empty() {
					continue
				}
				var meta []string
				for _, f := range stack.Meta {
					meta = append(meta, fmt.Sprintf("%x=%x", f.Key, f.Value))
				}
				slices.Sort(meta)
				items = append(items, fmt.Sprintf("%x %d %d %s %d %d %s", l.Name, l.Size, i+1, stack.Name, stack.Count, stack.Wear,
					strings.Join(meta, ",")))
			}
		}
		slices.Sort(fields)
		slices.Sort(items)
		if len(fields)+len(items) > 0 {
			s.Fields[int(m.Pos)], s.Items[int(m.Pos)] = strings.Join(fields, "\n"), strings.Join(items, "\n")
		}
	}
	for _, timer := range b.Timers.List {
		if timer.Timeout > 0 {
			s.Timers = append(s.Timers, fmt.Sprintf("%d %d %d", timer.Pos, timer.Timeout, timer.Elapsed))
		}
	}
	slices.SortFunc(s.Timers, func(a, b string) int {
		var i, j int
		fmt.Sscan(a, &i)
		fmt.Sscan(b, &j)
		return i - j
	})
	return s
}

// sample returns up to n blocks of a world: those with metadata or timers, and others from the whole world.
func sample(t *testing.T, blocks map[mapdb.Pos]string, n int) []mapdb.Pos {
	t.Helper()
	var rich, plain []mapdb.Pos
	for p, data := range blocks {
		b, err := mapblock.Decode([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Metadata.List)+len(b.Timers.List) > 0 {
			rich = append(rich, p)
		} else {
			plain = append(plain, p)
		}
	}
	byKey := func(a, b mapdb.Pos) int { return int(a.Key() - b.Key()) }
	slices.SortFunc(rich, byKey)
	slices.SortFunc(plain, byKey)
	list := rich[:min(n/2, len(rich))]
	for i := 0; len(list) < n && i < len(plain); i += max(1, len(plain)/n) {
		list = append(list, plain[i])
	}
	return list
}

// compare runs the engine on blocks of a world and compares them with what this package reads.
func compare(t *testing.T, dir string, n int) {
	t.Helper()
	blocks := worldtest.BlocksOf(t, dir)
	list := sample(t, blocks, n)
	got := dump(t, dir, list)
	metas, timers := 0, 0
	for _, p := range list {
		want := expected(t, []byte(blocks[p]))
		metas, timers = metas+len(want.Fields), timers+len(want.Timers)
		if diff := cmp.Diff(want, got[p]); diff != "" {
			t.Fatalf("block %v: %.2000s", p, diff)
		}
	}
	t.Logf("%d of %d blocks, %d nodes with metadata, %d timers", len(list), len(blocks), metas, timers)
}

// TestEngineReadsOldWorlds tests that the engine loads worlds converted from 2011 and 2012 and reads the same nodes.
func TestEngineReadsOldWorlds(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	root := tests.Corpus(t, "minetest")
	for _, c := range []struct {
		world, target string
		version       int
	}{
		{"v20-sectors2", "sqlite-pos", 28},
		{"v20-sectors2", mapdb.LevelDB, 29},
		{"v22-sqlite", mapdb.LevelDB, 25},
		{"v22-sqlite", "sqlite-pos", 29},
		{"v24-sqlite", mapdb.LevelDB, 28},
		{"v24-sqlite", "sqlite-pos", 25},
		{"v22-sqlite", mapdb.Postgres, 29},
		{"v24-sqlite", mapdb.Postgres, 28},
	} {
		t.Run(fmt.Sprintf("%s/%d/%s", c.world, c.version, c.target), func(t *testing.T) {
			dst := filepath.Join(t.TempDir(), "dst")
			o := target(t, c.target)
			o.Blocks = c.version
			r, err := worldcopy.Copy(context.Background(), filepath.Join(root, "generated", c.world), dst, o)
			if err != nil {
				t.Fatal(err)
			}
			if r.Kept+r.Dropped+r.Rows > 0 {
				t.Errorf("%+v", r)
			}
			compare(t, dst, 60)
		})
	}
}

// TestEngineReadsOurWorlds tests that the engine reads written blocks correctly, in every version and database that
// it supports.
func TestEngineReadsOurWorlds(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	start := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 64, 29)
	for _, version := range []int{20, 22, 24, 25, 27, 28} {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			dst := filepath.Join(t.TempDir(), "dst")
			target := []string{"sqlite-pos", mapdb.LevelDB}[version%2]
			if _, err := worldcopy.Copy(context.Background(), start, dst, worldcopy.Options{Map: target, Blocks: version, Drop: true}); err != nil {
				t.Fatal(err)
			}
			compare(t, dst, 30)
		})
	}
}

// TestEngineReadsEdits tests that the engine reads changes in a LevelDB database that it wrote itself, and continues
// to use the database.
func TestEngineReadsEdits(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 200, 28, 29)
	engine(t, dir, "--migrate", mapdb.LevelDB)
	c := mapdb.Config{Backend: mapdb.LevelDB}
	for round := range 2 {
		list := sample(t, worldtest.BlocksOf(t, dir), 20)
		list = append(list, mapdb.Pos{X: 500, Z: int16(round)})
		err := mapdb.Edit(t.Context(), dir, c, list, func(p mapdb.Pos, data []byte) ([]byte, error) {
			if data == nil {
				return mapblock.New(29).Encode()
			}
			if p.X%5 == 0 {
				return nil, nil
			}
			b, err := mapblock.Decode(data)
			if err == nil {
				err = b.SetNode(mapblock.Index(1, 2, 3), "default:cobble", 15, uint8(round))
			}
			if err != nil {
				return nil, err
			}
			return b.Encode()
		})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, dir, 40)
	}
}

// TestEngineReadsRebuilt tests that the engine reads and writes a LevelDB database that was rebuilt from its tables
// and logs, in place or as a copy.
func TestEngineReadsRebuilt(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	start := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 200, 28, 29)
	engine(t, start, "--migrate", mapdb.LevelDB)
	want := worldtest.BlocksOf(t, start)
	lists, err := filepath.Glob(filepath.Join(start, "map.db", "MANIFEST-*"))
	if err != nil || len(lists) != 1 {
		t.Fatal(lists, err)
	}
	if err := errors.Join(os.Remove(lists[0]), os.Remove(filepath.Join(start, "map.db", "CURRENT"))); err != nil {
		t.Fatal(err)
	}
	rebuilt := filepath.Join(t.TempDir(), "copy")
	if r, err := worldcopy.Copy(t.Context(), start, rebuilt, worldcopy.Options{Map: mapdb.LevelDB}); err != nil ||
		r.Blocks != int64(len(want)) {
		t.Fatal(r, err)
	}
	if r, err := worldrepair.InPlace(t.Context(), start, "", worldrepair.Options{}); err != nil || len(r.Databases) != 1 {
		t.Fatal(r, err)
	}
	for _, dir := range []string{rebuilt, start} {
		if diff := cmp.Diff(want, worldtest.BlocksOf(t, dir)); diff != "" {
			t.Errorf("%s: %.2000s", dir, diff)
		}
		compare(t, dir, 30)
		engine(t, dir, "--recompress")
		compare(t, dir, 10)
	}
}

// TestEngineReadsTwoDatabases tests that the engine reads the same blocks from two databases (readonly_backend), also
// after an edit in place has written to the first database.
func TestEngineReadsTwoDatabases(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.LevelDB}, 60, 28)
	under := filepath.Join(dir, mapdb.UnderFolder)
	if err := errors.Join(os.Mkdir(under, 0o755), os.Rename(filepath.Join(dir, "map.db"), filepath.Join(under, "map.db"))); err != nil {
		t.Fatal(err)
	}
	worldtest.SetLine(t, filepath.Join(dir, "world.mt"), "backend = leveldb", "backend = sqlite3\nreadonly_backend = leveldb")
	c := mapdb.Config{Backend: mapdb.SQLite, Under: &mapdb.Config{Backend: mapdb.LevelDB}}
	err := mapdb.Edit(t.Context(), dir, c, sample(t, worldtest.BlocksOf(t, dir), 10), func(_ mapdb.Pos, data []byte) ([]byte, error) {
		b, err := mapblock.Decode(data)
		if err == nil {
			err = b.SetNode(mapblock.Index(1, 2, 3), "default:cobble", 15, 3)
		}
		if err != nil {
			return nil, err
		}
		return b.Encode()
	})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, dir, 30)
}

// TestEngineMigrates tests that the engine converts a written world from database to database with identical blocks.
func TestEngineMigrates(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	start := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 500, 28, 29)
	dst := filepath.Join(t.TempDir(), "dst")
	if _, err := worldcopy.Copy(context.Background(), start, dst, worldcopy.Options{Map: mapdb.LevelDB}); err != nil {
		t.Fatal(err)
	}
	want := worldtest.BlocksOf(t, start)
	for _, to := range []string{"sqlite3", "leveldb"} {
		engine(t, dst, "--migrate", to)
		if diff := cmp.Diff(want, worldtest.BlocksOf(t, dst)); diff != "" {
			t.Errorf("to %s: %s", to, diff)
		}
		if to == "sqlite3" {
			if err := os.RemoveAll(filepath.Join(dst, "map.db")); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestEngineRecompresses tests that the engine's --recompress accepts every written block.
func TestEngineRecompresses(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	start := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 200, 20, 21, 22, 23, 24, 25, 27, 28)
	dst := filepath.Join(t.TempDir(), "dst")
	if _, err := worldcopy.Copy(context.Background(), start, dst, worldcopy.Options{Map: "sqlite-pos", Blocks: 28}); err != nil {
		t.Fatal(err)
	}
	engine(t, dst, "--recompress")
	ours := filepath.Join(t.TempDir(), "ours")
	if _, err := worldcopy.Copy(context.Background(), start, ours, worldcopy.Options{Blocks: 29}); err != nil {
		t.Fatal(err)
	}
	theirs := worldtest.BlocksOf(t, dst)
	for p, data := range worldtest.BlocksOf(t, ours) {
		if diff := cmp.Diff(expected(t, []byte(data)), expected(t, []byte(theirs[p]))); diff != "" {
			t.Fatalf("block %v: %.2000s", p, diff)
		}
	}
}

// TestMapperDraws tests that minetestmapper draws a written world.
func TestMapperDraws(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestmapper")
	for _, version := range []int{25, 28, 29} {
		start := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 512)
		home := judge.Dir(t)
		dst := filepath.Join(home, "dst")
		if _, err := worldcopy.Copy(context.Background(), start, dst, worldcopy.Options{Map: "sqlite-pos", Blocks: version}); err != nil {
			t.Fatal(err)
		}
		colors, out := filepath.Join(home, "colors.txt"), filepath.Join(home, "map.png")
		judge.Write(t, colors, []byte("default:stone 97 94 93\ndefault:dirt 96 64 40\n"))
		if said, err := judge.Run(t, home, "minetestmapper", "-i", dst, "-o", out, "--colors", colors, "--backend", "sqlite3"); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		picture, err := png.Decode(bytes.NewReader(judge.Read(t, out)))
		if err != nil {
			t.Fatal(err)
		}
		stone := 0
		for y := range picture.Bounds().Dy() {
			for x := range picture.Bounds().Dx() {
				if r, g, b, _ := picture.At(x, y).RGBA(); r|g|b != 0 && r != 0xffff {
					stone++
				}
			}
		}
		if area := 32 * 16 * 16; stone < area/2 {
			t.Errorf("version %d: %d pixels with something, want %d and more", version, stone, area/2)
		}
	}
}

// readLevelDB is a program that prints all blocks of a LevelDB database as the C++ library reads them.
const readLevelDB = `
import sys
import plyvel
for k, v in plyvel.DB(sys.argv[1], paranoid_checks=True).iterator(verify_checksums=True):
    print(k.decode(), v.hex())
`

// TestPlyvelReads tests that the C++ library reads the written LevelDB databases.
func TestPlyvelReads(t *testing.T) {
	tests.Judges(t)
	const python = "/usr/bin/python3" // Debian's, which has the library
	if err := exec.Command(python, "-c", "import plyvel").Run(); err != nil {
		tests.Missing(t, "judges", "no plyvel here: install the package python3-plyvel")
	}
	start := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 3000)
	dst := filepath.Join(t.TempDir(), "dst")
	if _, err := worldcopy.Copy(context.Background(), start, dst, worldcopy.Options{Map: mapdb.LevelDB}); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-c", readLevelDB, filepath.Join(dst, "map.db")).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[mapdb.Pos]string)
	for line := range strings.Lines(string(out)) {
		var key int64
		var text string
		if _, err := fmt.Sscan(line, &key, &text); err != nil {
			t.Fatal(err)
		}
		p, ok := mapdb.PosOfKey(key)
		data, err := hex.DecodeString(text)
		if !ok || err != nil {
			t.Fatalf("%d: %v", key, err)
		}
		got[p] = string(data)
	}
	if diff := cmp.Diff(worldtest.BlocksOf(t, start), got); diff != "" {
		t.Error(diff)
	}
}

// BenchmarkRecompress converts the blocks of a world from version 28 to 29, alternately with Trowel and with the
// engine, so that other load on the machine affects both. The result is the median of five pairs.
func BenchmarkRecompress(b *testing.B) {
	judge.Find(b, "minetestserver")
	const n, pairs = 20_000, 5
	src := worldtest.World(b, b.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, n, 28)
	seconds := func(do func(dst string)) float64 {
		dst := filepath.Join(b.TempDir(), "dst")
		defer os.RemoveAll(dst)
		start := time.Now()
		do(dst)
		return time.Since(start).Seconds()
	}
	for b.Loop() {
		var ours, theirs, ratios []float64
		for range pairs {
			t := seconds(func(dst string) { copyTo(b, src, dst, worldcopy.Options{Map: "sqlite-pos", Blocks: 29}) })
			prepared := filepath.Join(b.TempDir(), "world")
			copyTo(b, src, prepared, worldcopy.Options{})
			e := seconds(func(string) { engine(b, prepared, "--recompress") })
			os.RemoveAll(prepared)
			ours, theirs, ratios = append(ours, n/t), append(theirs, n/e), append(ratios, e/t)
		}
		for _, list := range [][]float64{ours, theirs, ratios} {
			slices.Sort(list)
		}
		b.ReportMetric(ours[pairs/2], "blocks/s")
		b.ReportMetric(theirs[pairs/2], "engine-blocks/s")
		b.ReportMetric(ratios[pairs/2], "ratio")
		b.ReportMetric(ratios[0], "least")
		b.ReportMetric(ratios[pairs-1], "most")
	}
}

func copyTo(b *testing.B, src, dst string, o worldcopy.Options) {
	b.Helper()
	if _, err := worldcopy.Copy(context.Background(), src, dst, o); err != nil {
		b.Fatal(err)
	}
}

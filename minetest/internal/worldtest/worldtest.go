// Package worldtest creates worlds for tests.
package worldtest

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// Versions are the versions of blocks that a world contains by default.
var Versions = []int{17, 18, 19, 20, 21, 22, 23, 24, 25, 27, 28, 29}

// Backends are the databases of blocks that can be changed in place, each with a new database on a server if needed.
var Backends = map[string]func(t *testing.T) mapdb.Config{
	"pos":     func(*testing.T) mapdb.Config { return mapdb.Config{Backend: mapdb.SQLite} },
	"xyz":     func(*testing.T) mapdb.Config { return mapdb.Config{Backend: mapdb.SQLite, Schema: mapdb.SchemaXYZ} },
	"leveldb": func(*testing.T) mapdb.Config { return mapdb.Config{Backend: mapdb.LevelDB} },
	"miniredis": func(t *testing.T) mapdb.Config {
		host, port, _ := net.SplitHostPort(miniredis.RunT(t).Addr())
		n, _ := strconv.Atoi(port)
		return mapdb.Config{Backend: mapdb.RedisDB, Redis: mapdb.Redis{Address: host, Port: n, Hash: "world"}}
	},
	"redis": func(t *testing.T) mapdb.Config {
		return mapdb.Config{Backend: mapdb.RedisDB, Redis: mapdb.Redis{Address: judge.Redis(t), Hash: "world"}}
	},
	"postgresql": func(t *testing.T) mapdb.Config {
		return mapdb.Config{Backend: mapdb.Postgres, Postgres: judge.Postgres(t)}
	},
}

// Pos returns the position of block i: rows of 32 along x, planes of 16 rows along y.
func Pos(i int) mapdb.Pos {
	return mapdb.Pos{X: int16(i%32 - 16), Y: int16(i/32%16 - 8), Z: int16(i/512 - 100)}
}

// kinds is the number of different blocks of a version.
const kinds = 48

var (
	made   = make(map[[2]int][]byte)
	making sync.Mutex
)

// Block returns the bytes of block i of a version: ground, and in some blocks chests, signs, timers and objects, if
// the version has them.
func Block(i, version int) []byte {
	key := [2]int{i % kinds, version}
	making.Lock()
	defer making.Unlock()
	if made[key] == nil {
		made[key] = encode(i%kinds, version)
	}
	return made[key]
}

func encode(i, version int) []byte {
	must := func(err error) {
		if err != nil {
			panic(fmt.Sprintf("block %d of version %d: %v", i, version, err))
		}
	}
	var b *mapblock.Block
	var err error
	if mapblock.Writable(version) {
		b, _, err = newest(i).Convert(version, mapblock.ConvertOptions{Drop: true})
		must(err)
	} else {
		b = mapblock.New(version)
		b.Timestamp = uint32(i)
	}
	data, err := b.Encode()
	must(err)
	return data
}

// Widths returns the possible widths of ids, in bytes, in blocks of a version of 21 or later, which have names.
func Widths(version int) []int {
	if version < 22 {
		return []int{1}
	}
	return []int{1, 2}
}

// BlockOf is like Block, with ids of the given width, for versions of 21 or later. If ids have one byte, the id of
// stone uses a part of param2. The id of dirt has no name.
func BlockOf(i, version, width int) []byte {
	b, err := mapblock.Decode(Block(i, version))
	if err != nil {
		panic(err)
	}
	const stone, nameless = 0x805, 0x809
	ids := make(map[uint16]uint16)
	var names []mapblock.NameID
	for _, e := range b.Names {
		switch e.Name {
		case "default:stone":
			ids[e.ID], e.ID = stone, stone
		case "default:dirt":
			ids[e.ID] = nameless
			continue
		}
		names = append(names, e)
	}
	b.Names = names
	for at := range mapblock.NodeCount {
		id, param2 := b.ID(at)
		if other, ok := ids[id]; ok {
			id = other
		}
		if width == 1 && id >= 0x800 {
			id, param2 = id>>4, uint8(id&0xf)<<4|param2&0xf
		}
		b.Param0[at], b.Param2[at] = id, param2
	}
	b.ContentWidth = uint8(width)
	data, err := b.Encode()
	if err != nil {
		panic(err)
	}
	return data
}

// nodes are the nodes of the blocks, with names that versions up to 20 have as well.
var nodes = []string{"air", "default:stone", "default:dirt", "default:water_source", "default:sand", "default:cobble",
	"default:tree", "default:leaves", "default:chest", "default:sign_wall", "default:furnace"}

// newest returns block i in the newest version.
func newest(i int) *mapblock.Block {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	b := mapblock.New(mapblock.Newest)
	b.Flags, b.Timestamp = mapblock.NotAllAir, uint32(1000+i)
	b.Names = nil
	for id, name := range nodes {
		b.Names = append(b.Names, mapblock.NameID{ID: uint16(id), Name: name})
	}
	ground := i % 17
	for n := range mapblock.NodeCount {
		_, y, _ := mapblock.Coordinates(n)
		b.Param0[n] = 0
		b.Param1[n] = 15
		if y < ground {
			b.Param0[n] = 1
			b.Param1[n] = 0
			if r.IntN(12) == 0 {
				b.Param0[n] = uint16(1 + r.IntN(7))
			}
		}
	}
	const inventory = "List main 4\nWidth 0\nItem default:dirt 5\nEmpty\nItem default:pick_stone 1 " +
		"1200\nEmpty\nEndInventoryList\nEndInventory\n"
	for k := range i % 5 {
		at := uint16(mapblock.Index(3*k, 15, k))
		b.Metadata.Version = 2
		b.Param0[at] = uint16(8 + k%2)
		m := mapblock.NodeMeta{Pos: at, Vars: []mapblock.Var{{Key: "infotext", Value: `"hello"`},
			{Key: "text", Value: "hello"}}, Inventory: []byte("EndInventory\n")}
		if k%2 == 0 {
			m.Vars, m.Inventory = []mapblock.Var{{Key: "infotext", Value: fmt.Sprintf("Chest %d", i)}}, []byte(inventory)
		}
		b.Metadata.List = append(b.Metadata.List, m)
	}
	// Nodes that each block needs so that all names are used.
	for id := range nodes {
		b.Param0[mapblock.Index(id, 14, 15)] = uint16(id)
	}
	if i%4 == 0 {
		b.Timers.List = []mapblock.Timer{{Pos: uint16(mapblock.Index(3, 1, 4)), Timeout: 1500, Elapsed: 250 * int32(i)}}
	}
	if i%6 == 0 {
		data, err := mapblock.LuaEntity{Version: 1, Name: "mod:pig", StaticData: "return {}", HP: 5, Version2: 1}.Encode()
		if err != nil {
			panic(err)
		}
		b.Objects.List = []mapblock.Object{{Type: mapblock.ObjectLuaEntity, Pos: [3]int32{10000, 20000, 30000}, Data: data}}
	}
	return b
}

// Blocks yields n blocks, with the versions in turn.
func Blocks(n int, versions ...int) iter.Seq2[mapdb.Block, error] {
	if len(versions) == 0 {
		versions = Versions
	}
	return func(yield func(mapdb.Block, error) bool) {
		for i := range n {
			if !yield(mapdb.Block{Pos: Pos(i), Data: Block(i, versions[i%len(versions)])}, nil) {
				return
			}
		}
	}
}

// RealBlocks yields n adjacent blocks that games generated, from the corpus, converted to a version and repeated. It
// skips the test if there is no corpus.
func RealBlocks(t testing.TB, n, version int) iter.Seq2[mapdb.Block, error] {
	t.Helper()
	dir := filepath.Join(tests.Corpus(t, "minetest"), "generated")
	var blocks [][]byte
	for _, name := range []string{"v22-sqlite", "v24-sqlite", "v29-sqlite", "v29-517-sqlite"} {
		db, err := mapdb.Open(context.Background(), filepath.Join(dir, name), mapdb.Config{Backend: mapdb.SQLite})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for row, err := range db.Blocks(context.Background(), mapdb.All()) {
			if err != nil {
				t.Fatal(err)
			}
			block, err := mapblock.Decode(row.Data)
			if err != nil {
				t.Fatal(err)
			}
			if block, _, err = block.Convert(version, mapblock.ConvertOptions{Drop: true}); err != nil {
				t.Fatal(err)
			}
			data, err := block.Encode()
			if err != nil {
				t.Fatal(err)
			}
			blocks = append(blocks, data)
		}
	}
	return func(yield func(mapdb.Block, error) bool) {
		for i := range n {
			if !yield(mapdb.Block{Pos: Pos(i), Data: blocks[i%len(blocks)]}, nil) {
				return
			}
		}
	}
}

// Files are the files of a world that stores everything except its blocks in files.
var Files = map[string]string{
	"world.mt": "# made for a test\ngameid = minetest\nbackend = sqlite3\nplayer_backend = " +
		"files\nauth_backend = files\nmod_storage_backend = files\nload_mod_pig = true\n",
	"map_meta.txt": "seed = 12345\nmg_name = v7\n[end_of_params]\n",
	"env_meta.txt": "game_time = 5000\ntime_of_day = 6000\nEnvArgsEnd\n",
	"ipban.txt":    "192.0.2.7|mallory\n",
	"auth.txt":     "ann:#1#c2FsdA#dmVyaWZpZXI:interact,shout:1489488299\nbob::shout:-1\n",
	"players/ann": "breath = 11\nextended_attributes = {\"k\":\"v\"}\nhp = 20\nname = ann\npitch = " +
		"1.5\nposition = (10,20.5,-30)\nversion = 1\nyaw = 90\nPlayerArgsEnd\nList main 1\nWidth 0\nItem default:dirt " +
		"99\nEndInventoryList\nEndInventory\n",
	"players/bob":            "hp = 3\nname = bob\nPlayerArgsEnd\nEndInventory\n",
	"mod_storage/pig":        `{"count":"7"}`,
	"worldmods/pig/init.lua": "minetest.get_mod_storage()\n",
}

// World creates a world in dir with n blocks and all other parts, and returns dir.
func World(t testing.TB, dir string, c mapdb.Config, n int, versions ...int) string {
	t.Helper()
	return WorldOf(t, dir, c, Blocks(n, versions...))
}

// WorldOf is like World, with the given blocks. Its settings name their database.
func WorldOf(t testing.TB, dir string, c mapdb.Config, blocks iter.Seq2[mapdb.Block, error]) string {
	t.Helper()
	for name, text := range Files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if c.Backend != mapdb.SQLite {
		lines := ""
		for name, value := range c.Settings() {
			lines += "\n" + name + " = " + value
		}
		SetLine(t, filepath.Join(dir, "world.mt"), "backend = sqlite3", lines[1:])
	}
	ctx := context.Background()
	w, err := mapdb.Create(ctx, dir, c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mapdb.Load(ctx, w, blocks); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// SetLine replaces a line of a file.
func SetLine(t testing.TB, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	i := slices.Index(lines, old+"\n")
	if i < 0 {
		t.Fatalf("%s has no line %q", path, old)
	}
	lines[i] = new + "\n"
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// BlocksOf returns all blocks of the world in dir.
func BlocksOf(t testing.TB, dir string) map[mapdb.Pos]string {
	t.Helper()
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	db, _, err := world.OpenMap(context.Background(), dir, settings, world.Options{Remote: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	return All(t, db)
}

// All returns all blocks of a database.
func All(t testing.TB, db mapdb.DB) map[mapdb.Pos]string {
	t.Helper()
	all := make(map[mapdb.Pos]string)
	for b, err := range db.Blocks(context.Background(), mapdb.All()) {
		if err != nil {
			t.Fatal(err)
		}
		all[b.Pos] = string(b.Data)
	}
	return all
}

// Snapshot returns the content of all files below dir except the databases of blocks.
func Snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if rel, _ := filepath.Rel(dir, path); !strings.HasPrefix(rel, "map.") {
			all[filepath.ToSlash(rel)] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

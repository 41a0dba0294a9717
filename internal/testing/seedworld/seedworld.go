// Package seedworld makes worlds with known contents for tests and measurements: the diamonds of each owner, the
// number of nodes of each name, and so on.
package seedworld

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// Options describe the world to make. All fields except Blocks have a useful zero value.
type Options struct {
	Map     mapdb.Config // where the blocks are stored; default sqlite3
	Backend string       // of players, accounts and mod storage: files (default), sqlite3, or leveldb (files for mods)
	Blocks  int          // number of blocks
	Seed    uint64
	// Versions are the versions of the blocks, used in turn; default 29, 28 and 25. They must be at least 24, the
	// first version that can store all contents.
	Versions []int
}

// Chest is a chest with items.
type Chest struct {
	At       [3]int // in nodes
	Owner    string
	Diamonds int // number in one slot
	Dirt     int // number in another slot
}

// Sign is a sign with a text.
type Sign struct {
	At   [3]int
	Text string
}

// Player is a player with an account.
type Player struct {
	Name       string
	Pos        [3]float64 // in nodes
	HP         int
	Privileges []string
	LastLogin  int64 // seconds since 1970; -1 for never
	Diamonds   int
}

// Truth describes the contents of a world.
type Truth struct {
	Blocks   int
	Versions map[int]int    // number of blocks by version
	Nodes    map[string]int // number of nodes by name
	Chests   []Chest        // in the order of their blocks
	Signs    []Sign
	Timers   map[string]int // number of node timers by node name
	Objects  map[string]int // number of objects by name
	Lying    int            // number of diamonds lying on the ground
	Players  []Player       // sorted by name
	Accounts int            // including those without a player
	Storage  map[string]int // size of each value, by mod and key with a space between them
	Forced   [][3]int       // blocks that stay loaded
	Banned   []string
	Taken    map[string]int // number of diamonds that each player took out of chests, as recorded for the rollback
}

// Diamonds returns the number of diamonds of each owner, in chests and in the inventory.
func (t *Truth) Diamonds() map[string]int {
	all := make(map[string]int)
	for _, c := range t.Chests {
		all[c.Owner] += c.Diamonds
	}
	for _, p := range t.Players {
		all[p.Name] += p.Diamonds
	}
	maps.DeleteFunc(all, func(_ string, n int) bool { return n == 0 })
	return all
}

// Pos returns the position of block i of n: blocks fill planes in the order of z, and are on both sides of x = 0, so
// that a world has several slabs. A large world is square from above, and 8 blocks high.
func Pos(i, n int) mapdb.Pos {
	wide, perPlane := 32, min(max(n/64, 1), 512)
	if n > 64*512 {
		wide = 32 * int(math.Ceil(math.Sqrt(float64(n)/8)/32))
		perPlane = 8 * wide
	}
	planes := (n + perPlane - 1) / perPlane
	in := i % perPlane
	x := in/wide*wide + in*7%32 + in%wide/32*32 // each row of 32 in another order
	return mapdb.Pos{X: int16(x%wide - wide/2), Y: int16(in/wide - 8), Z: int16(i/perPlane - planes/2)}
}

// kinds is the number of different blocks of ground; one block in special has chests and other contents, and one block in
// rare, about 1 %, also has default:mese.
const kinds, special, rare = 32, 7, 14 * 7

// ground lists the nodes of ordinary blocks.
var ground = []string{"default:stone", "default:dirt", "default:sand", "default:water_source", "default:tree", "default:stone_with_coal"}

// Make makes a world in a folder, which must be empty or missing.
func Make(ctx context.Context, dir string, o Options) (*Truth, error) {
	if len(o.Versions) == 0 {
		o.Versions = []int{29, 28, 25}
	}
	if o.Backend == "" {
		o.Backend = world.Files
	}
	if o.Map.Backend == "" {
		o.Map.Backend = mapdb.SQLite
	}
	m := &maker{ctx: ctx, dir: dir, o: o, r: rand.New(rand.NewPCG(o.Seed, 14)), truth: &Truth{
		Blocks: o.Blocks, Versions: make(map[int]int), Nodes: make(map[string]int), Timers: make(map[string]int),
		Objects: make(map[string]int), Storage: make(map[string]int), Taken: make(map[string]int),
	}}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for _, step := range []func() error{m.files, m.blocks, m.people, m.mods, m.changes} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return m.truth, nil
}

// maker is the state of Make.
type maker struct {
	ctx      context.Context
	dir      string
	o        Options
	r        *rand.Rand
	truth    *Truth
	settings *world.Settings
	plain    [kinds][]ready // blocks of ground in each version
}

// ready is an encoded block.
type ready struct {
	data  []byte
	nodes []mapblock.NameCount
}

func (m *maker) files() error {
	text := "world_name = Seeded\ngameid = minetest\nload_mod_pig = true\npassword_of_nothing = hidden\n"
	for setting, value := range m.o.Map.Settings() {
		text += setting + " = " + value + "\n"
	}
	storage := m.o.Backend
	if storage == mapdb.LevelDB {
		storage = world.Files // there is no other backend for mod storage
	}
	text += fmt.Sprintf("player_backend = %[1]s\nauth_backend = %[1]s\nmod_storage_backend = %[2]s\n", m.o.Backend, storage)
	m.settings = world.ParseSettings([]byte(text), "")
	var forced []string
	for i := range 3 {
		p := [3]int{i - 1, 2 * i, -i}
		m.truth.Forced = append(m.truth.Forced, p)
		forced = append(forced, fmt.Sprintf("[%d]=%d", (int64(p[2])+32768)<<32|(int64(p[1])+32768)<<16|(int64(p[0])+32768), i+1))
	}
	m.truth.Banned = []string{"mallory", "trudy"}
	for name, text := range map[string]string{
		"world.mt": text, "map_meta.txt": "seed = 13835058055282163712\nmg_name = v7\n[end_of_params]\n",
		"env_meta.txt": "game_time = 86400\ntime_of_day = 6000\nday_count = 3\nEnvArgsEnd\n",
		"ipban.txt":    "192.0.2.7|mallory\n192.0.2.8|trudy\n", "force_loaded.txt": "return {" + strings.Join(forced, ",") + "}",
	} {
		if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (m *maker) blocks() error {
	db, err := mapdb.Create(m.ctx, m.dir, m.o.Map)
	if err != nil {
		return err
	}
	var failed error
	_, err = mapdb.Load(m.ctx, db, iter.Seq2[mapdb.Block, error](func(yield func(mapdb.Block, error) bool) {
		for i := range m.o.Blocks {
			data, err := m.block(i)
			if err != nil {
				failed = err
				return
			}
			if !yield(mapdb.Block{Pos: Pos(i, m.o.Blocks), Data: data}, nil) {
				return
			}
		}
	}))
	return errors.Join(err, failed, db.Close())
}

// block makes block i.
func (m *maker) block(i int) ([]byte, error) {
	v := i % len(m.o.Versions)
	m.truth.Versions[m.o.Versions[v]]++
	if i%special == special-1 {
		return m.special(i, m.o.Versions[v])
	}
	kind := &m.plain[i%kinds]
	if *kind == nil {
		*kind = make([]ready, len(m.o.Versions))
	}
	b := &(*kind)[v]
	if b.data == nil {
		block := m.ground()
		data, err := encode(block, m.o.Versions[v])
		if err != nil {
			return nil, err
		}
		*b = ready{data, count(block)}
	}
	m.count(b.nodes)
	return slices.Clone(b.data), nil
}

// ground makes a block of several kinds of nodes, with air in the upper half.
func (m *maker) ground() *mapblock.Block {
	b := mapblock.New(mapblock.Newest)
	b.Flags, b.Timestamp = mapblock.NotAllAir, uint32(m.r.IntN(1e6))
	for i, name := range ground {
		b.Names = append(b.Names, mapblock.NameID{ID: uint16(1 + i), Name: name})
	}
	for i := range mapblock.NodeCount {
		if _, y, _ := mapblock.Coordinates(i); y < 8 {
			b.Param0[i] = uint16(1 + m.r.IntN(3)*m.r.IntN(3)*m.r.IntN(2))
		} else {
			b.Param1[i] = 15
		}
	}
	for i := range ground { // each kind occurs
		b.Param0[i] = uint16(1 + i)
	}
	return b
}

// owners lists the owners of chests.
var owners = []string{"ann", "bob", "carl", ""}

// special makes a block with a chest, a sign, a furnace with a timer, and objects.
func (m *maker) special(i, version int) ([]byte, error) {
	b, p := m.ground(), Pos(i, m.o.Blocks)
	at := func(x, y, z int) (uint16, [3]int) {
		return uint16(mapblock.Index(x, y, z)), [3]int{int(p.X)*16 + x, int(p.Y)*16 + y, int(p.Z)*16 + z}
	}
	set := func(index uint16, name string) error { return b.SetNode(int(index), name, 15, 0) }
	chest := Chest{Owner: owners[m.r.IntN(len(owners))], Diamonds: m.r.IntN(3) * m.r.IntN(99), Dirt: 1 + m.r.IntN(99)}
	var index [3]uint16
	index[0], chest.At = at(m.r.IntN(16), 9, m.r.IntN(16))
	m.truth.Chests = append(m.truth.Chests, chest)
	name, vars := "default:chest", []mapblock.Var{{Key: "infotext", Value: "Chest"}}
	if chest.Owner != "" {
		name = "default:chest_locked"
		vars = append(vars, mapblock.Var{Key: "owner", Value: chest.Owner})
		if version >= 28 {
			vars = append(vars, mapblock.Var{Key: "code", Value: "1234", Private: 1})
		}
	}
	inventory := mainList(chest.Diamonds, item.Stack{Name: "default:dirt", Count: chest.Dirt},
		item.Stack{Name: "default:pick_steel", Count: 1, Wear: 1200, Meta: []item.MetaField{{Key: "name", Value: "Old"}}})
	sign := Sign{Text: fmt.Sprintf("sign %d of %s", i, chest.Owner)}
	index[1], sign.At = at(m.r.IntN(16), 10, m.r.IntN(16))
	m.truth.Signs = append(m.truth.Signs, sign)
	index[2], _ = at(m.r.IntN(16), 11, m.r.IntN(16))
	const nothing = "EndInventory\n"
	b.Metadata.Version = 2
	b.Metadata.List = []mapblock.NodeMeta{
		{Pos: index[0], Vars: vars, Inventory: inventory.Append(nil)},
		{Pos: index[1], Vars: []mapblock.Var{{Key: "text", Value: sign.Text}}, Inventory: []byte(nothing)},
	}
	b.Timers.List = []mapblock.Timer{{Pos: index[2], Timeout: 1500, Elapsed: int32(i % 1000)}}
	m.truth.Timers["default:furnace_active"]++
	if err := errors.Join(set(index[0], name), set(index[1], "default:sign_wall_wood"), set(index[2], "default:furnace_active")); err != nil {
		return nil, err
	}
	if i%rare == special-1 {
		index, _ := at(8, 12, 8)
		if err := set(index, "default:mese"); err != nil {
			return nil, err
		}
	}
	add := func(name, data string, hp int16) error {
		e, err := mapblock.LuaEntity{Version: 1, Name: name, StaticData: data, HP: hp, Version2: 1}.Encode()
		pos := [3]int32{}
		for axis, v := range []int16{p.X, p.Y, p.Z} {
			pos[axis] = (int32(v)*16 + 3) * 10000
		}
		b.Objects.List = append(b.Objects.List, mapblock.Object{Type: mapblock.ObjectLuaEntity, Pos: pos, Data: e})
		m.truth.Objects[name]++
		return err
	}
	if m.r.IntN(2) == 0 {
		if err := add("mobs:pig", "return {}", 5); err != nil {
			return nil, err
		}
	}
	if n := m.r.IntN(4); n > 0 {
		m.truth.Lying += n
		if err := add("__builtin:item", fmt.Sprintf(`return {["itemstring"] = "default:diamond %d"}`, n), 1); err != nil {
			return nil, err
		}
	}
	m.count(count(b))
	return encode(b, version)
}

// mainList returns an inventory with diamonds in the first slot, an empty second slot, and the given items.
func mainList(diamonds int, more ...item.Stack) *item.Inventory {
	list := item.List{Name: "main", Size: 4, Items: []item.Slot{{Stack: item.Stack{Name: "default:diamond", Count: diamonds}}, {}}}
	for _, s := range more {
		list.Items = append(list.Items, item.Slot{Stack: s})
	}
	return &item.Inventory{Lists: []item.List{list}}
}

func encode(b *mapblock.Block, version int) ([]byte, error) {
	to, _, err := b.Convert(version, mapblock.ConvertOptions{Drop: version < 28}) // old versions have less room for objects and lists
	if err != nil {
		return nil, err
	}
	return to.Encode()
}

// count counts the nodes one by one.
func count(b *mapblock.Block) (list []mapblock.NameCount) {
	n := b.Nodes()
	for i, count := range n.Counts() {
		list = append(list, mapblock.NameCount{Name: n.Names[i], Count: count})
	}
	return list
}

func (m *maker) count(list []mapblock.NameCount) {
	for _, n := range list {
		m.truth.Nodes[n.Name] += n.Count
	}
}

// people adds players with accounts, and an account without a player.
func (m *maker) people() error {
	players, err := world.OpenPlayers(m.ctx, m.dir, m.settings, world.Options{Write: true})
	if err != nil {
		return err
	}
	accounts, err := world.OpenAuth(m.ctx, m.dir, m.settings, world.Options{Write: true})
	if err != nil {
		return errors.Join(err, players.Close())
	}
	for i, name := range []string{"ann", "bob", "carl", "dora"} {
		p := Player{Name: name, Pos: [3]float64{float64(10 * i), 8.5, float64(-i)}, HP: 20 - i,
			Privileges: []string{"interact", "shout"}, LastLogin: 1700000000 + int64(i), Diamonds: i * i}
		if i == 3 {
			p.Privileges, p.LastLogin = []string{"shout"}, -1
		}
		m.truth.Players = append(m.truth.Players, p)
		inv := mainList(p.Diamonds, item.Stack{Name: "default:torch", Count: 7}, item.Stack{})
		err := errors.Join(players.Put(m.ctx, &world.Player{Name: name,
			Pos: [3]float64{p.Pos[0] * 10, p.Pos[1] * 10, p.Pos[2] * 10}, HP: p.HP, Breath: 11, Inventory: inv}),
			accounts.Put(m.ctx, &world.Account{Name: name, Password: "#1#c2FsdA#dmVyaWZpZXI", Privileges: p.Privileges, LastLogin: p.LastLogin}))
		if err != nil {
			return errors.Join(err, players.Close(), accounts.Close())
		}
	}
	m.truth.Accounts = len(m.truth.Players) + 1
	return errors.Join(accounts.Put(m.ctx, &world.Account{Name: "root", Privileges: []string{"server"}, LastLogin: -1}),
		players.Commit(m.ctx), accounts.Commit(m.ctx), players.Close(), accounts.Close())
}

func (m *maker) mods() error {
	mods, err := world.OpenStorage(m.ctx, m.dir, m.settings, world.Options{Write: true})
	if err != nil {
		return err
	}
	for i, mod := range []string{"beds", "pig"} {
		data := &world.ModData{Mod: mod}
		for k := range 2 + i {
			key, value := fmt.Sprintf("spawn:%d", k), strings.Repeat("v", 5*k+i)
			data.Set(key, []byte(value))
			m.truth.Storage[mod+" "+key] = len(value)
		}
		if err := mods.Put(m.ctx, data); err != nil {
			return errors.Join(err, mods.Close())
		}
	}
	return errors.Join(mods.Commit(m.ctx), mods.Close())
}

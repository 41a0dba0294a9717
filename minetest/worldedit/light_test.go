package worldedit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/worldedit"
)

const mod = "trowel_script:"

// definitions returns nodes of every kind that matters for light.
func definitions() (nodedef.List, []string) {
	list := nodedef.List{"air": {Name: "air", ParamType: "light", SunlightPropagates: true}}
	names := []string{"air", "ignore", "nobody:knows"}
	for _, paramType := range []string{"none", "light"} {
		for _, sunlight := range []bool{false, true} {
			for _, source := range []int{0, 1, 2, 7, 14} {
				name := fmt.Sprintf("%s%s_%v_%d", mod, paramType, sunlight, source)
				list[name] = &nodedef.Node{Name: name, ParamType: paramType, SunlightPropagates: sunlight, LightSource: source}
				names = append(names, name)
			}
		}
	}
	return list, names
}

// blockSet is a set of blocks in memory.
type blockSet map[mapdb.Pos]*mapblock.Block

func (w blockSet) source(p mapdb.Pos) (*mapblock.Block, error) { return w[p], nil }

const reach = 2 // blocks around the middle of a scene

// scene creates blocks of sunlit air, changes the middle ones and returns their positions. If odd is set, it also
// uses nodes that pass sunlight but store none, such as ignore.
func scene(r *rand.Rand, w blockSet, middle mapdb.Pos, odd bool) []mapdb.Pos {
	for z := -reach; z <= reach; z++ {
		for y := -reach; y <= reach; y++ {
			for x := -reach; x <= reach; x++ {
				b := mapblock.New(mapblock.Newest)
				for i := range b.Param1 {
					b.Param1[i] = 15
				}
				w[mapdb.Pos{X: middle.X + int16(x), Y: middle.Y + int16(y), Z: middle.Z + int16(z)}] = b
			}
		}
	}
	_, names := definitions()
	if !odd {
		names = slices.DeleteFunc(names, func(name string) bool { return name == "ignore" || strings.HasPrefix(name, mod+"none_true") })
	}
	dense := r.IntN(3)
	var changed []mapdb.Pos
	for z := range 2 {
		for y := range 2 {
			for x := range 2 {
				p := mapdb.Pos{X: middle.X - int16(x), Y: middle.Y - int16(y), Z: middle.Z - int16(z)}
				if r.IntN(5) == 0 {
					continue
				}
				changed = append(changed, p)
				for i := range mapblock.NodeCount {
					name := "air"
					_, ny, _ := mapblock.Coordinates(i)
					switch {
					case dense == 0 && ny == 11 && r.IntN(40) > 0:
						name = mod + "none_false_0" // a roof with holes
					case dense == 1 && r.IntN(30) > 0:
						name = names[r.IntN(len(names))]
						if r.IntN(2) == 0 {
							name = mod + "light_false_0"
						}
					case r.IntN(12) == 0:
						name = names[r.IntN(len(names))]
					}
					if err := w[p].SetNode(i, name, uint8(r.IntN(256)), 0); err != nil {
						panic(err)
					}
				}
			}
		}
	}
	// In some places, remove the block above or mark it as underground.
	for _, p := range changed {
		if r.IntN(6) == 0 {
			above := mapdb.Pos{X: p.X, Y: p.Y + 1, Z: p.Z}
			delete(w, above)
			if r.IntN(2) == 0 {
				w[p].Flags |= mapblock.Underground
			}
		}
	}
	var left []mapdb.Pos
	for _, p := range changed {
		if w[p] != nil {
			left = append(left, p)
		}
	}
	return left
}

// TestEngineLight compares Fix with fix_light of the engine.
func TestEngineLight(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	list, _ := definitions()
	w := make(blockSet)
	dir := t.TempDir()
	var script strings.Builder
	script.WriteString("local core = minetest\n")
	for name, n := range list {
		if name != "air" {
			fmt.Fprintf(&script, "core.register_node(%q, {drawtype = \"nodebox\", paramtype = %q, sunlight_propagates = %v, "+
				"light_source = %d})\n", name, n.ParamType, n.SunlightPropagates, n.LightSource)
		}
	}
	script.WriteString("core.after(0, function()\nlocal function look(n, fix, a, b)\nlocal vm = " +
		"core.get_voxel_manip(a, b)\nfor _, p in ipairs(fix) do core.fix_light(p, p) end\nvm = core.get_voxel_manip(a, b)\n" +
		"local light, out = vm:get_light_data(), {}\nfor i = 1, #light do out[i] = string.char(light[i]) end\nlocal f = " +
		"io.open(core.get_worldpath() .. \"/light\" .. n, \"wb\")\nf:write(table.concat(out))\nf:close()\nend\n")
	var middles []mapdb.Pos
	var all [][]mapdb.Pos
	for n := range 12 {
		middle := mapdb.Pos{X: int16(12 * (n % 4)), Y: int16(9 * (n / 4)), Z: -5}
		odd := n%2 == 0
		changed := scene(r, w, middle, odd)
		middles, all = append(middles, middle), append(all, changed)
		corner := func(by int) string {
			inner := 0
			if by > 0 {
				inner = 15
			}
			return fmt.Sprintf("{x = %d, y = %d, z = %d}", (int(middle.X)+by)*16+inner, (int(middle.Y)+by)*16+inner, (int(middle.Z)+by)*16+inner)
		}
		fmt.Fprintf(&script, "look(%d, {", n)
		// From the lowest to the highest, as fix_light walks through an area. In this order the engine leaves
		// sunlight below nodes that pass it but store none; if there are such nodes, use the reverse order.
		slices.SortFunc(changed, func(p, q mapdb.Pos) int {
			if odd {
				return int(q.Y) - int(p.Y)
			}
			return int(p.Y) - int(q.Y)
		})
		for _, p := range changed {
			fmt.Fprintf(&script, "{x = %d, y = %d, z = %d},", int(p.X)*16, int(p.Y)*16, int(p.Z)*16)
		}
		fmt.Fprintf(&script, "}, %s, %s)\n", corner(-reach), corner(reach))
	}
	script.WriteString("io.open(core.get_worldpath() .. \"/done\", \"w\"):close()\ncore.request_shutdown()\nend)\n")

	judge.Write(t, filepath.Join(dir, "world.mt"),
		[]byte("gameid = minetest\nbackend = sqlite3\nplayer_backend = dummy\nauth_backend = files\n"))
	judge.Write(t, filepath.Join(dir, "map_meta.txt"), []byte("mg_name = singlenode\nseed = 1\n[end_of_params]\n"))
	ctx := context.Background()
	store, err := mapdb.Create(ctx, dir, mapdb.Config{Backend: mapdb.SQLite})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mapdb.Load(ctx, store, func(yield func(mapdb.Block, error) bool) {
		for p, b := range w {
			data, err := b.Encode()
			if !yield(mapdb.Block{Pos: p, Data: data}, err) {
				return
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	worldtest.Script(t, dir, script.String())

	for n, middle := range middles {
		fixed, err := worldedit.SpreadLight(w.source, list, all[n])
		if err != nil {
			t.Fatal(err)
		}
		got := judge.Read(t, filepath.Join(dir, fmt.Sprintf("light%d", n)))
		const length = (2*reach + 1) * 16
		if len(got) != length*length*length {
			t.Fatalf("scene %d: the engine has %d nodes", n, len(got))
		}
		bad := 0
		for i, theirs := range got {
			x, y, z := i%length, i/length%length, i/length/length
			p := mapdb.Pos{X: middle.X + int16(x/16-reach), Y: middle.Y + int16(y/16-reach), Z: middle.Z + int16(z/16-reach)}
			if w[p] == nil {
				continue
			}
			at := mapblock.Index(x%16, y%16, z%16)
			ours := w[p].Param1[at]
			if f := fixed[p]; f != nil {
				ours = f.Param1[at]
			}
			if ours != theirs {
				if bad++; bad < 6 {
					t.Errorf("scene %d, %v node %d %s: the engine has %#02x, we %#02x", n, p, at, w[p].Nodes().At(at), theirs, ours)
				}
			}
		}
		if bad > 0 {
			t.Errorf("scene %d: %d nodes of %d differ", n, bad, len(got))
		}
	}
}

func (w blockSet) clone() blockSet {
	c := make(blockSet)
	for p, b := range w {
		c[p] = b.Clone()
	}
	return c
}

func (w blockSet) apply(fixed map[mapdb.Pos]*worldedit.BlockLight) {
	for p, l := range fixed {
		w[p].Param1, w[p].LightingComplete = l.Param1, l.Complete
	}
}

// TestParts tests that fixing block by block, from the highest to the lowest, gives the same light as fixing all at
// once, and that fixing again changes nothing.
func TestParts(t *testing.T) {
	list, _ := definitions()
	for seed := range tests.Of(t, 2, 6) {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		once := make(blockSet)
		changed := scene(r, once, mapdb.Pos{}, false)
		slices.SortFunc(changed, func(p, q mapdb.Pos) int { return int(q.Y) - int(p.Y) })
		parts := once.clone()
		fix := func(w blockSet, changed ...mapdb.Pos) {
			fixed, err := worldedit.SpreadLight(w.source, list, changed)
			if err != nil {
				t.Fatal(err)
			}
			w.apply(fixed)
		}
		fix(once, changed...)
		for _, p := range changed {
			fix(parts, p)
		}
		again := once.clone()
		fix(again, changed...)
		for p, b := range once {
			if b.Param1 != parts[p].Param1 || b.Param1 != again[p].Param1 {
				t.Errorf("seed %d: %v differs", seed, p)
			}
		}
	}
}

func TestFix(t *testing.T) {
	const lamp, stone, glass = mod + "none_false_14", mod + "none_false_0", mod + "light_true_0"
	list, _ := definitions()
	w := blockSet{{}: mapblock.New(mapblock.Newest), {X: 1}: mapblock.New(mapblock.Newest), {Y: -1}: mapblock.New(mapblock.Newest)}
	b := w[mapdb.Pos{}]
	for x := range 16 {
		for z := range 16 {
			name := stone
			if x == 3 && z == 3 {
				name = glass
			}
			if err := b.SetNode(mapblock.Index(x, 15, z), name, 0xab, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := b.SetNode(mapblock.Index(15, 4, 8), lamp, 0xcd, 0); err != nil {
		t.Fatal(err)
	}
	fixed, err := worldedit.SpreadLight(w.source, list, []mapdb.Pos{{}})
	if err != nil || len(fixed) != 3 {
		t.Fatalf("%d blocks, %v", len(fixed), err)
	}
	for _, c := range []struct {
		p       mapdb.Pos
		x, y, z int
		want    uint8
	}{
		{mapdb.Pos{}, 0, 15, 0, 0xab}, // stone stores no light
		{mapdb.Pos{}, 3, 15, 3, 15},   // sunlight passes straight down through the glass
		{mapdb.Pos{}, 3, 0, 3, 0x0f},
		{mapdb.Pos{Y: -1}, 3, 0, 3, 0x0f},
		{mapdb.Pos{Y: -1}, 5, 0, 3, 13},
		{mapdb.Pos{}, 15, 4, 8, 0xcd},
		{mapdb.Pos{}, 14, 4, 8, 0xdd}, // the lamp shines by day and at night
		{mapdb.Pos{X: 1}, 0, 4, 8, 0xdd},
		{mapdb.Pos{X: 1}, 12, 4, 8, 0x11},
		{mapdb.Pos{X: 1}, 13, 4, 8, 0x00},
	} {
		if got := fixed[c.p].Param1[mapblock.Index(c.x, c.y, c.z)]; got != c.want {
			t.Errorf("%v %d,%d,%d: %#02x, want %#02x", c.p, c.x, c.y, c.z, got, c.want)
		}
	}
	// There is a block at X+ and Y- only.
	if got := fixed[mapdb.Pos{}].Complete; got != mapblock.AllLit&^(0x41<<1|0x41<<2|0x41<<3|0x41<<5) {
		t.Errorf("complete in %#04x", got)
	}
}

func ExampleSpreadLight() {
	b := mapblock.New(mapblock.Newest)
	if err := b.SetNode(mapblock.Index(8, 8, 8), "default:lamp", 0, 0); err != nil {
		fmt.Println(err)
		return
	}
	nodes := nodedef.List{"air": {ParamType: "light"}, "default:lamp": {LightSource: 14}}
	source := func(p mapdb.Pos) (*mapblock.Block, error) {
		if p == (mapdb.Pos{}) {
			return b, nil
		}
		return nil, nil
	}
	fixed, err := worldedit.SpreadLight(source, nodes, []mapdb.Pos{{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%#x\n", fixed[mapdb.Pos{}].Param1[mapblock.Index(8, 9, 8)])
	// Output: 0xdd
}

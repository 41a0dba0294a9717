package minecraft

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/schematic"
	"trowel.example/minetest/turn"
)

// The writer of these tests is independent of the reader: it only knows how a tag is written.

func tag(kind Kind, name string, parts ...any) []byte {
	b := append([]byte{byte(kind), 0, byte(len(name))}, name...)
	for _, p := range parts {
		switch p := p.(type) {
		case []byte:
			b = append(b, p...)
		case string:
			b = append(append(b, 0, byte(len(p))), p...)
		default:
			b, _ = binary.Append(b, binary.BigEndian, p)
		}
	}
	return b
}

func array(name string, data []byte) []byte {
	return tag(ByteArray, name, int32(len(data)), data)
}

func size(w, h, l int) []byte {
	return slices.Concat(tag(Short, "Width", int16(w)), tag(Short, "Height", int16(h)), tag(Short, "Length", int16(l)))
}

func zipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

// sponge writes blocks, by y, then z, then x, in a version of Sponge's format. Palette numbers have gaps.
func sponge(version, w, h, l int, blocks []string) []byte {
	ids := make(map[string]int)
	var palette, data []byte
	for _, b := range blocks {
		id, ok := ids[b]
		if !ok {
			id = 100 * len(ids)
			ids[b] = id
			palette = append(palette, tag(Int, b, int32(id))...)
		}
		data = binary.AppendUvarint(data, uint64(id))
	}
	chest := append(tag(String, "Id", "minecraft:chest"), 0)
	name := "BlockEntities"
	if version == 1 {
		name = "TileEntities"
	}
	entities := tag(List, name, byte(Compound), int32(2), chest, chest)
	compound := tag(Compound, "Palette", palette, byte(0))
	content := slices.Concat(tag(Int, "Version", int32(version)), tag(Int, "DataVersion", int32(2584)), size(w, h, l),
		tag(List, "Entities", byte(Compound), int32(1), byte(0)))
	if version == 3 {
		content = append(content, tag(Compound, "Blocks", compound, array("Data", data), entities, byte(0))...)
		return zipped(tag(Compound, "", tag(Compound, "Schematic", content, byte(0)), byte(0)))
	}
	return zipped(tag(Compound, "Schematic", content, compound, array("BlockData", data), entities, byte(0)))
}

// mcedit writes blocks as numbers times 16 plus data.
func mcedit(w, h, l int, blocks []int, more ...[]byte) []byte {
	ids, data, high := make([]byte, len(blocks)), make([]byte, len(blocks)), make([]byte, (len(blocks)+1)/2)
	for i, b := range blocks {
		ids[i], data[i] = byte(b>>4), byte(b&15)
		high[i/2] |= byte(b>>12) << (4 * (i & 1))
	}
	return zipped(tag(Compound, "Schematic", size(w, h, l), tag(String, "Materials", "Alpha"), array("Blocks", ids),
		array("Data", data), array("AddBlocks", high), slices.Concat(more...), byte(0)))
}

func TestSponge(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	kinds := []string{"minecraft:air", "minecraft:stone", "minecraft:oak_stairs[facing=east,half=top]", "mod:thing[a=b]"}
	for version := 1; version <= 3; version++ {
		w, h, l := 1+r.IntN(9), 1+r.IntN(9), 1+r.IntN(9)
		blocks := make([]string, w*h*l)
		for i := range blocks {
			blocks[i] = kinds[r.IntN(len(kinds))]
		}
		data := sponge(version, w, h, l, blocks)
		s, err := Decode(data)
		if err != nil {
			t.Fatal(version, err)
		}
		if s.Form != Sponge || s.Version != version || s.Size != [3]int{w, h, l} || s.BlockEntities != 2 || s.Entities != 1 ||
			s.DataVersion != 2584 {
			t.Errorf("version %d: %+v", version, s)
		}
		for i, b := range blocks {
			if got := s.States[s.State[i]].String(); got != b {
				t.Fatalf("version %d: block %d is %s, expected %s", version, i, got, b)
			}
		}
		if !Recognize(data[:min(len(data), HeadSize)]) {
			t.Errorf("version %d is not recognized", version)
		}
	}
}

func TestMCEdit(t *testing.T) {
	// An oak door with its hinge on the right, open to the east; an unknown number; a number of a mod; wool.
	blocks := []int{64<<4 | 4, 300 << 4, 64<<4 | 8 | 1, 35<<4 | 14, 301<<4 | 3, 95<<4 | 4}
	s, err := Decode(mcedit(1, 3, 2, []int{blocks[0], blocks[1], blocks[2], blocks[3], blocks[4], blocks[5]},
		tag(Compound, "SchematicaMapping", tag(Short, "mod:ore", int16(301)), tag(Short, "minecraft:wool", int16(35)), byte(0))))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"minecraft:oak_door[facing=east,half=lower,hinge=right,open=true]", "legacy:300[data=0]",
		"minecraft:oak_door[facing=east,half=upper,hinge=right,open=true]", "minecraft:red_wool", "mod:ore[data=3]",
		"minecraft:yellow_stained_glass"} {
		if got := s.States[s.State[i]].String(); got != want {
			t.Errorf("block %d is %s, expected %s", i, got, want)
		}
	}
}

// TestLegacy tests data of numbers, as the game's own table of 1.13 has them.
func TestLegacy(t *testing.T) {
	for block, want := range map[int]string{
		1<<4 | 3: "minecraft:diorite", 17<<4 | 5: "minecraft:spruce_log[axis=x]", 17<<4 | 14: "minecraft:birch_wood[axis=y]",
		44<<4 | 11: "minecraft:cobblestone_slab[type=top]", 43<<4 | 4: "minecraft:brick_slab[type=double]",
		53<<4 | 6: "minecraft:oak_stairs[facing=south,half=top,shape=straight]", 50<<4 | 3: "minecraft:wall_torch[facing=south]",
		50<<4 | 5: "minecraft:torch", 54<<4 | 5: "minecraft:chest[facing=east]", 26<<4 | 11: "minecraft:red_bed[facing=east,part=head]",
		96<<4 | 13: "minecraft:oak_trapdoor[facing=south,half=top,open=true]", 107<<4 | 6: "minecraft:oak_fence_gate[facing=north,open=true]",
		77<<4 | 4: "minecraft:stone_button[face=wall,facing=north]", 9<<4 | 3: "minecraft:water[level=3]", 78<<4 | 2: "minecraft:snow[layers=3]",
		106<<4 | 9: "minecraft:vine[east=true,north=false,south=true,west=false]", 155<<4 | 3: "minecraft:quartz_pillar[axis=x]",
		175<<4 | 10: "minecraft:tall_grass[half=upper]", 170<<4 | 8: "minecraft:hay_block[axis=z]",
		144<<4 | 4: "minecraft:skeleton_wall_skull[facing=west]",
		99<<4 | 10: "minecraft:mushroom_stem", 63<<4 | 7: "minecraft:oak_sign[rotation=7]", 145<<4 | 9: "minecraft:damaged_anvil[facing=west]",
	} {
		if got := legacyState(block>>4, block&15, -1, nil).String(); got != want {
			t.Errorf("%d:%d is %s, expected %s", block>>4, block&15, got, want)
		}
	}
	for id := range 256 {
		for data := range 16 {
			if s := legacyState(id, data, -1, nil); strings.HasSuffix(s.Name, ":") || strings.Contains(s.Name, "COLOR") {
				t.Errorf("%d:%d is %q", id, data, s.Name)
			}
		}
	}
}

// TestCorners tests the shapes of stairs around a square, with the high side inside and outside.
func TestCorners(t *testing.T) {
	const north, east, south, west = 53<<4 | 3, 53 << 4, 53<<4 | 2, 53<<4 | 1
	for name, c := range map[string]struct {
		blocks []int
		shapes string
	}{
		"roof": {[]int{south, south, south, east, 0, west, north, north, north}, "? straight ? straight . straight ? straight ?"},
		"hip": {[]int{east, south, west, east, 0, west, east, north, west},
			"outer_right straight outer_left straight . straight outer_left straight outer_right"},
		"valley": {[]int{north, north, east, west, 0, east, west, south, south}, "? straight ? straight . straight ? straight ?"},
	} {
		s, err := Decode(mcedit(3, 1, 3, c.blocks))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range strings.Fields(c.shapes) {
			got := s.States[s.State[i]].Properties["shape"]
			switch {
			case want == "?" && strings.HasPrefix(got, "outer") == (name == "valley"), want == "?" && got == "straight":
				t.Errorf("%s: block %d is %s", name, i, got)
			case want != "?" && want != "." && got != want:
				t.Errorf("%s: block %d is %s, expected %s", name, i, got, want)
			}
		}
	}
}

func TestConvert(t *testing.T) {
	table, err := ParseTable("my.txt", "stone[none=] = my:stone 7 # seven\n# a comment\nstone = my:rock\nstructure_void = -\n"+
		"air = air\n*_stairs = my:stairs stairs")
	if err != nil {
		t.Fatal(err)
	}
	blocks := []string{"minecraft:stone", "minecraft:air", "minecraft:structure_void", "minecraft:odd[x=y]",
		"minecraft:oak_stairs[facing=east]", "minecraft:odd", "minecraft:rare", "minecraft:stone"}
	s, err := Decode(sponge(2, 2, 2, 2, blocks))
	if err != nil {
		t.Fatal(err)
	}
	c, unknown, err := s.Convert(table, "my:unknown")
	if err != nil {
		t.Fatal(err)
	}
	if want := []Unknown{{"minecraft:odd", 2}, {"minecraft:rare", 1}}; !slices.Equal(unknown, want) {
		t.Errorf("unknown %v", unknown)
	}
	const text = `schematic mts 4
size 2,2,2
nodes
  z 0
    y 0 air@0 my:unknown
    y 1 my:unknown my:stone/7
  z 1
    y 0 my:stone/7 air
    y 1 my:stairs/1 my:unknown
`
	if got := string(c.Text()); got != text {
		t.Errorf("the schematic is\n%s", got)
	}
	names := s.Names(table, "my:unknown")
	for _, want := range []string{"minecraft:odd[x=y] = my:unknown # 1, unknown\n", "minecraft:stone = my:stone 7 # 2\n",
		"minecraft:structure_void = - # 1\n"} {
		if !strings.Contains(names, want) {
			t.Errorf("no %q in\n%s", want, names)
		}
	}
	again, err := ParseTable("names.txt", names)
	if err != nil {
		t.Fatal(err)
	}
	if d, left, err := s.Convert(again, "air"); err != nil || len(left) > 0 || !d.Equal(c) {
		t.Errorf("by its own names it is another schematic: %v, %v", left, err)
	}
}

func TestTableErrors(t *testing.T) {
	for text, want := range map[string]string{
		"\nstone":                    "my.txt:2: ",
		"stone=default:stone":        "expected BLOCK = NODE",
		"stone = default:stone 256":  "0 to 255",
		"stone = default:stone 1 2":  "expected BLOCK = NODE",
		"stone[a = default:stone":    "expected a block",
		"stone[a] = default:stone":   "expected a block",
		"stone = default:*":          "not a valid name",
		"stone = default:stone turn": "axis, door, facing",
		" = default:stone":           "expected",
	} {
		if _, err := ParseTable("my.txt", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestTables tests that the nodes of minetest_game exist, and that no row is hidden by an earlier one.
func TestTables(t *testing.T) {
	nodes := nodedef.MinetestGame()
	for _, game := range Games {
		table := TableOf(game)
		for i, r := range table {
			if game == "minetest_game" && r.node != "" && !nodes.Defines(r.node) {
				t.Errorf("minetest_game has no node %s", r.node)
			}
			if game == "minetest_game" && r.rule != nil {
				kind := nodes[r.node].ParamType2
				if want := map[string]string{"flowingliquid": "level", "wallmounted": "wall"}[kind]; kind == "" || kind == "none" ||
					want != "" && fmt.Sprintf("%p", r.rule) != fmt.Sprintf("%p", rules[want]) {
					t.Errorf("the rule of %s does not fit %s", r.node, kind)
				}
			}
			for _, earlier := range table[:i] {
				if same := earlier.name == r.name || earlier.match != nil && earlier.match(r.name); same && len(earlier.conditions) == 0 {
					t.Errorf("%s: the row for %s is hidden by %s", game, r.name, earlier.name)
				}
			}
		}
	}
	slab, _ := parseState("oak_slab[type=top]")
	name, param2, placed, known := TableOf("mineclone").Node(slab)
	if name != "mcl_stairs:slab_wood_top" || param2 != 0 || !placed || !known {
		t.Error(name, param2, placed, known)
	}
}

// TestRules tests that a block turned by 90 degrees becomes the node turned by 90 degrees, as the engine turns param2.
func TestRules(t *testing.T) {
	next := map[string]string{"north": "east", "east": "south", "south": "west", "west": "north", "up": "up", "down": "down"}
	quarter := turn.Turn(turn.Y, 1)
	for name, c := range map[string]struct {
		kind, first string // the paramtype2, and properties of a block to the north
		north       uint8
	}{
		"stairs":             {"facedir", "half=bottom,shape=straight", 0},
		"stairs top":         {"facedir", "half=top,shape=straight", 20},
		"stairs inner left":  {"facedir", "half=bottom,shape=inner_left", 0},
		"stairs outer right": {"facedir", "half=bottom,shape=outer_right", 1},
		"stairs top right":   {"facedir", "half=top,shape=inner_right", 20},
		"stairs top left":    {"facedir", "half=top,shape=outer_left", 21},
		"facing":             {"facedir", "", 2}, "away": {"facedir", "", 0}, "wall": {"wallmounted", "", 5},
		"door": {"facedir", "open=false,hinge=left", 0}, "door open": {"facedir", "open=true,hinge=left", 1},
		"door right": {"facedir", "open=true,hinge=right", 3}, "hidden": {"facedir", "hinge=right", 3},
	} {
		word, _, _ := strings.Cut(name, " ")
		facing := "north"
		want := c.north
		for range 4 {
			s, _ := parseState("x[" + c.first + ",facing=" + facing + "]")
			if got := rules[word](s.Properties); got != want {
				t.Errorf("%s to the %s: param2 %d, expected %d", name, facing, got, want)
			}
			facing = next[facing]
			want, _ = quarter.Param2(c.kind, want)
		}
	}
	for text, want := range map[string]uint8{"axis=y": 0, "axis=x": 12, "axis=z": 4} {
		s, _ := parseState("x[" + text + "]")
		if got := axis(s.Properties); got != want {
			t.Errorf("%s: %d", text, got)
		}
	}
	for rotation16, want := range map[string]uint8{"0": 0, "5": 1, "8": 2, "15": 3} {
		if got := rotation(map[string]string{"rotation": rotation16}); got != want {
			t.Errorf("rotation %s: %d", rotation16, got)
		}
	}
	for text, want := range map[string]uint8{"1": 7, "7": 1, "8": 15, "15": 15} {
		if got := level(map[string]string{"level": text}); got != want {
			t.Errorf("level %s: %d", text, got)
		}
	}
}

func TestErrors(t *testing.T) {
	good := sponge(2, 2, 1, 1, []string{"air", "stone"})
	var bad *fault.Error
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"version 4":   {sponge(4, 1, 1, 1, []string{"air"}), "expected 1 to 3"},
		"short":       {good[:len(good)-12], "gzip"},
		"no size":     {zipped(tag(Compound, "Schematic", tag(Int, "Version", int32(2)), byte(0))), "Width"},
		"few blocks":  {sponge(2, 3, 1, 1, []string{"air", "stone"}), "at least 3 bytes"},
		"many blocks": {sponge(2, 1, 1, 1, []string{"air", "stone"}), "1 blocks, found more"},
		"palette": {zipped(tag(Compound, "Schematic", tag(Int, "Version", int32(2)), size(1, 1, 1),
			tag(Compound, "Palette", byte(0)), array("BlockData", []byte{0}), byte(0))), "BlockData[0]"},
		"no data": {zipped(tag(Compound, "Schematic", tag(Int, "Version", int32(3)), size(1, 1, 1), byte(0))), "Blocks."},
		"huge":    {zipped(tag(Compound, "Schematic", tag(Int, "Version", int32(2)), size(-1, -1, -1), byte(0))), "at most"},
		"mcedit":  {mcedit(2, 2, 2, []int{1}), "array of 8 bytes"},
		"text":    {[]byte("return {}"), "expected"},
	} {
		if _, err := Decode(c.data); !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{"", "\x1f\x8b", "MTSM", "return {}", string(zipped([]byte("something else")))} {
		if Recognize([]byte(text)) {
			t.Errorf("%q is recognized", text)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for version := 1; version <= 3; version++ {
		data, _ := Decompress(sponge(version, 2, 1, 2, []string{"air", "stone", "oak_stairs[facing=east]", "air"}))
		f.Add(data)
	}
	data, _ := Decompress(mcedit(2, 2, 1, []int{64 << 4, 53<<4 | 3, 64<<4 | 8, 300 << 4}))
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
			return // the fuzzer would only test the decompression
		}
		s, err := Decode(data)
		if err != nil {
			return
		}
		if len(s.State) != s.Size[0]*s.Size[1]*s.Size[2] {
			t.Fatalf("%v has %d blocks", s.Size, len(s.State))
		}
		if len(s.State) > 1<<16 {
			return
		}
		for _, game := range Games {
			c, _, err := s.Convert(TableOf(game), "air")
			if err != nil {
				t.Fatal(err)
			}
			data, err := c.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if again, err := schematic.Decode(data); err != nil || !again.Equal(c) {
				t.Fatalf("the result differs: %v", err)
			}
		}
		if _, err := ParseTable("names", s.Names(TableOf(Games[0]), "air")); err != nil {
			t.Fatal(err)
		}
	})
}

package worlddir

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/fault"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

var update = flag.Bool("update", false, "write the golden files again")

// everything returns a block of a version with content in each section.
func everything(t testing.TB, version int) *mapblock.Block {
	t.Helper()
	b := mapblock.New(version)
	b.Flags = mapblock.Underground
	b.LightingComplete, b.Timestamp = 0xf0fe, 73471
	ids := []uint16{b.Param0[0], 0, 9, 15, 7}
	if version >= 20 && version <= 23 {
		ids = append(ids, 0x801, 0x80f)
	}
	if version >= 21 {
		names := []string{"air", "default:stone", "default:water source", "id:15", "möd:λ", "default:tree", "default:sandstone"}
		b.Names = nil
		for i := range ids[:len(ids)-1] {
			if version >= 24 {
				ids[i] = uint16(i)
			}
			b.Names = append(b.Names, mapblock.NameID{ID: ids[i], Name: names[i]})
		}
	}
	for i := range mapblock.NodeCount {
		x, y, z := mapblock.Coordinates(i)
		k := 0
		switch {
		case y < 3:
			k = 1
		case y == 3 && z < 5:
			k = x % len(ids)
		}
		if version >= 1 {
			b.Param1[i] = uint8(y / 4 * 5)
		}
		param2 := uint8(0)
		if version >= 10 && k == 2 {
			param2 = uint8(x % 7)
		}
		putID(b, i, ids[k], param2)
	}
	metadataOf(t, b)
	if version >= 15 {
		it, err := mapblock.Item{Stack: "default:cobble 5"}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		b.Objects.List = []mapblock.Object{
			{Type: mapblock.ObjectItem, Pos: [3]int32{-15000, 25000, 1}, Data: it},
			{Type: mapblock.ObjectItem, Data: []byte{9}},
			{Type: mapblock.ObjectRat, Pos: [3]int32{10000, 20000, 30000}, Data: []byte{0}},
			{Type: 99, Data: []byte{}},
		}
		for version2 := range uint8(4) {
			e, err := mapblock.LuaEntity{Version: 1, Name: "mobs:sheep", StaticData: "return {\n\thp = 8,\n}", HP: 8,
				Velocity: [3]int32{-5, 0, 12500}, Yaw: 1570, Version2: version2, Rest: []byte("rest")[:version2]}.Encode()
			if err != nil {
				t.Fatal(err)
			}
			b.Objects.List = append(b.Objects.List, mapblock.Object{Type: mapblock.ObjectLuaEntity, Data: e})
		}
		old, err := mapblock.LuaEntity{Name: "old", StaticData: "\x00\xed\xa0\x80"}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		b.Objects.List = append(b.Objects.List, mapblock.Object{Type: mapblock.ObjectLuaEntity, Data: old})
	}
	if version >= 24 {
		b.Timers.List = []mapblock.Timer{{Pos: 7, Timeout: 1000, Elapsed: 250}, {Pos: 4095, Timeout: -5, Elapsed: 1}, {Pos: 5000, Timeout: 1}}
		b.Timers.Version = timersVersion(version, 3)
	}
	if version == 23 {
		b.Unused = 3
	}
	b.Trailing = []byte("behind")
	return b
}

// metadataOf adds metadata to a block.
func metadataOf(t testing.TB, b *mapblock.Block) {
	const chest = "List main 4\nWidth 8\nItem default:dirt 5\nEmpty\nEmpty\nItem \"odd name\" " +
		"1\nEndInventoryList\nList craft 0\nEndInventoryList\nEndInventory\n"
	m := &b.Metadata
	m.Version = metaVersion(b.Version, 1)
	if b.Version >= 23 {
		private := uint8(0)
		if m.Version == 2 {
			private = 1
		}
		m.List = []mapblock.NodeMeta{
			{Pos: 0x312, Vars: []mapblock.Var{{Key: "infotext", Value: `"hello"`}, {Key: "text", Value: "two\nlines"},
				{Key: "private", Value: "key"}, {Key: "list", Value: "\xff"}, {Key: "", Value: ""},
				{Key: "secret", Value: "s", Private: private}, {Key: "odd", Value: "s", Private: 7 * private}}, Inventory: []byte("EndInventory\n")},
			{Pos: 0x313, Inventory: []byte(chest)},
			{Pos: 0x314, Inventory: []byte("List main  2\nKeep\nEndInventoryList\nend\n")},
			{Pos: 0xffff, Inventory: []byte("EndInventory\n")},
		}
		if b.Version < 29 {
			m.Missing, m.Rest = 2, []byte{1, 2}
		}
		return
	}
	if b.Version < 14 {
		return
	}
	inv := []byte(strings.ReplaceAll(chest, "Width 8\n", ""))
	add := func(id mapblock.LegacyID, l mapblock.LegacyContent) *mapblock.LegacyMeta {
		meta, err := l.Meta(id)
		if err != nil {
			t.Fatal(err)
		}
		m.List = append(m.List, mapblock.NodeMeta{Pos: uint16(len(m.List)), Legacy: meta})
		return meta
	}
	add(mapblock.LegacySign, mapblock.LegacyContent{Text: "a sign\nwith lines\n"})
	add(mapblock.LegacyChest, mapblock.LegacyContent{Inventory: inv})
	add(mapblock.LegacyChestLocked, mapblock.LegacyContent{Inventory: inv, Owner: "celeron55"})
	add(mapblock.LegacyFurnace, mapblock.LegacyContent{Inventory: inv, FuelTotal: 400, Fuel: 15, Src: 3, Rest: []byte("{}")})
	old := add(mapblock.LegacyFurnace, mapblock.LegacyContent{Inventory: inv, FuelTotal: 400})
	old.Body = bytes.TrimSuffix(old.Body, []byte("0 0 "))
	add(mapblock.LegacyGeneric, mapblock.LegacyContent{Inventory: inv, Text: "t", Owner: "o", InfoText: "i", DrawSpec: "d",
		AllowTextInput: 1, EnforceOwner: 2, Vars: []mapblock.Var{{Key: "var", Value: "="}, {Key: "list", Value: "x"}}})
	m.List = append(m.List, mapblock.NodeMeta{Pos: 9, Legacy: &mapblock.LegacyMeta{ID: -4, Body: []byte{1}}})
}

// roundTrip tests that a block round-trips through its text, and returns the text.
func roundTrip(t testing.TB, b *mapblock.Block) []byte {
	t.Helper()
	want, err := b.EncodeFresh()
	if err != nil {
		t.Fatal(err)
	}
	text := BlockText(b, mapdb.Pos{X: 12, Y: 0, Z: -3})
	again, err := ParseBlock(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	got, err := again.EncodeFresh()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the text gives another block:\n%s", text)
	}
	if second := BlockText(again, mapdb.Pos{X: 12, Y: 0, Z: -3}); !bytes.Equal(second, text) {
		t.Errorf("the text of the block of a text differs: %s", cmp.Diff(string(text), string(second)))
	}
	return text
}

// TestVersions tests that blocks of all versions round-trip through their text, decoded or not.
func TestVersions(t *testing.T) {
	for version := range mapblock.Newest + 1 {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			roundTrip(t, mapblock.New(version))
			b := everything(t, version)
			text := roundTrip(t, b)
			data, err := b.EncodeFresh()
			if err != nil {
				t.Fatal(err)
			}
			if b, err = mapblock.Decode(data); err != nil {
				t.Fatal(err)
			}
			if again := roundTrip(t, b); !bytes.Equal(again, text) {
				t.Errorf("decoded, it has another text: %s", cmp.Diff(string(text), string(again)))
			}
		})
	}
}

func TestGolden(t *testing.T) {
	for _, version := range []int{19, 21, 28} {
		text := BlockText(everything(t, version), mapdb.Pos{X: 12, Y: 0, Z: -3})
		name := filepath.Join("testdata", fmt.Sprintf("everything-%d.txt", version))
		if *update {
			judge.Write(t, name, text)
		}
		want := judge.Read(t, name)
		if diff := cmp.Diff(string(want), string(text)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestOdd tests that unusual blocks round-trip through their text.
func TestOdd(t *testing.T) {
	change := func(version int, f func(b *mapblock.Block)) {
		t.Helper()
		b := everything(t, version)
		b.Trailing = nil
		f(b)
		roundTrip(t, b)
	}
	change(28, func(b *mapblock.Block) { b.Flags = 0xf5 })
	change(9, func(b *mapblock.Block) { b.Flags = 0x17 })
	change(29, func(b *mapblock.Block) { b.Names = append(b.Names, mapblock.NameID{ID: 999, Name: "unused"}) })
	change(29, func(b *mapblock.Block) { b.Names = append(b.Names, b.Names[1]) })
	change(29, func(b *mapblock.Block) { b.Names = append(b.Names, mapblock.NameID{ID: 900, Name: b.Names[1].Name}) })
	change(29, func(b *mapblock.Block) { b.Names[1].Name, b.Names[0].ID = "", 77 })
	change(29, func(b *mapblock.Block) { b.Names = nil })
	change(29, func(b *mapblock.Block) { b.Inner = []byte{0} })
	change(29, func(b *mapblock.Block) { b.Metadata = mapblock.Metadata{Version: 1} })
	change(29, func(b *mapblock.Block) { b.ContentWidth = 1 })
	change(23, func(b *mapblock.Block) { b.ContentWidth = 2 })
	change(25, func(b *mapblock.Block) { b.Metadata = mapblock.Metadata{Raw: []byte{}} })
	change(16, func(b *mapblock.Block) { b.Metadata = mapblock.Metadata{Raw: []byte{7, 7}} })
	change(22, func(b *mapblock.Block) { b.Metadata.Version = 0 })
	change(24, func(b *mapblock.Block) { b.Timers = mapblock.Timers{Version: 1} })
	change(24, func(b *mapblock.Block) { b.Timers = mapblock.Timers{} })
	change(28, func(b *mapblock.Block) { b.Objects.Version = 4; b.Timestamp = mapblock.NoTimestamp })
	change(19, func(b *mapblock.Block) { b.Param0[0], b.Param0[1], b.Param0[2], b.Param0[3] = 126, 127, 254, 255 })
	change(18, func(b *mapblock.Block) { b.Param0[0], b.Param0[1], b.Param0[2], b.Param0[3] = 126, 127, 254, 255 })
	change(20, func(b *mapblock.Block) { b.Param0[0], b.Param0[1], b.Param0[2], b.Param0[3] = 126, 127, 254, 255 })
	for _, version := range []int{9, 17, 21} {
		change(version, func(b *mapblock.Block) { b.MapBlockObjects, b.Trailing = 2, []byte("objects") })
	}
	// More empty slots than are written as lists.
	many := []byte("List main 9\n" + strings.Repeat("Empty\n", maxEmpties) + "EndInventoryList\nEndInventory\n")
	change(28, func(b *mapblock.Block) { b.Metadata.List[0].Inventory = many })
}

// air is the beginning of the text of a block of air.
const air = "version 28\nflags none\nnodes\n  z 0-15\n    y 0-15 air*16\n"

func TestByHand(t *testing.T) {
	b, err := ParseBlock([]byte("# a comment\nversion 28\n\nnodes # none here\n"))
	if b != nil || err == nil {
		t.Error("a comment after a word was taken")
	}
	text := "# hand-made\r\nversion 28\r\nnodes\r\n  z 1-15\r\n    y 0-15 default:stone*16\r\n\r\n  z 0\r\n  # the " +
		"first plane\r\n    y 1-15 air*15 mod:thing\r\n    y 0 air*16\r\nobjects\r\n  LuaEntity 1.5,0,-0.0001 mod:pig\r\n"
	b, err = ParseBlock([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []mapblock.NameID{{ID: 0, Name: "air"}, {ID: 1, Name: "mod:thing"}, {ID: 2, Name: "default:stone"}}
	if diff := cmp.Diff(want, b.Names); diff != "" {
		t.Errorf("names: %s", diff)
	}
	if b.Param0[mapblock.Index(15, 1, 0)] != 1 || b.Param0[mapblock.Index(0, 0, 1)] != 2 {
		t.Error("the nodes are elsewhere")
	}
	if b.Timestamp != mapblock.NoTimestamp || b.LightingComplete != mapblock.AllLit || b.Flags != 0 {
		t.Errorf("defaults: %v, %#x, %v", b.Timestamp, b.LightingComplete, b.Flags)
	}
	if o := b.Objects.List[0]; o.Pos != [3]int32{15000, 0, -1} {
		t.Errorf("object at %v", o.Pos)
	}
}

// TestNewName tests that a name that is not in the list of ids gets a free id.
func TestNewName(t *testing.T) {
	b, err := ParseBlock([]byte(strings.Replace(air, "nodes", "ids 0=air 1=default:stone\nnodes", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Names) != 2 {
		t.Errorf("names %v", b.Names)
	}
	text := strings.Replace(string(BlockText(b, mapdb.Pos{})), "air*16", "air*15 mod:new", 1)
	if b, err = ParseBlock([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if want := (mapblock.NameID{ID: 2, Name: "mod:new"}); len(b.Names) != 3 || b.Names[2] != want {
		t.Errorf("names %v", b.Names)
	}
}

// TestErrors tests that errors of a text have a line and a column.
func TestErrors(t *testing.T) {
	row := "    y 0-15 air*16\n"
	swap := func(old, with string) string { return strings.Replace(air, old, with, 1) }
	for _, test := range []struct {
		text         string
		line, column int
		msg          string
	}{
		{"", 0, 1, "expected a line with the version"},
		{"flags none\n", 1, 1, "expected a line with the version first"},
		{"version 30\n", 1, 9, "from 0 to 29, not \"30\""},
		{"version x\n", 1, 9, "expected a version"},
		{"version 28 1\n", 1, 12, "expected the end of the line"},
		{"version 28\n", 1, 11, "expected a section nodes"},
		{"\tversion 28\n", 1, 1, "expected"},
		{" version 28\n", 1, 2, "two spaces for each level"},
		{"  version 28\n", 1, 3, "at most 0 spaces"},
		{swap("flags none", "flags"), 2, 6, "expected flags, or none"},
		{swap("flags none", "flags underground underground"), 2, 19, "each once"},
		{swap("flags none", "flags bright"), 2, 7, "expected a flag"},
		{swap("flags none", "flags none none"), 2, 12, "expected the end"},
		{swap("flags none", "flags none\nflags none"), 3, 1, "duplicate"},
		{swap("flags none", "nonsense"), 2, 1, "unknown section"},
		{swap("flags none", "unused 1"), 2, 1, "version 28 has no unused"},
		{swap("flags none", "timestamp 4294967296"), 2, 11, "4294967295"},
		{swap("flags none", "trailing 0x0"), 2, 10, "expected bytes such as"},
		{swap("flags none", "ids 1:air"), 2, 5, "expected an id"},
		{swap("flags none", "ids 1"), 2, 6, "expected an id, =, and a name"},
		{swap(row, ""), 3, 0, "the row at y 0, z 0 is missing"},
		{swap("0-15 air", "0-14 air"), 3, 0, "the row at y 15, z 0 is missing"},
		{swap("z 0-15", "z 0-16"), 4, 5, "from 0 to 15"},
		{swap("z 0-15", "z 5-4"), 4, 5, "from 0 to 15"},
		{swap("z 0-15", "x 0-15"), 4, 3, "expected z"},
		{swap(row, row+row), 6, 5, "duplicate row at y 0, z 0"},
		{swap("air*16", "air*15"), 5, 18, "expected 16 nodes in the row, not 15"},
		{swap("air*16", "air*16 air"), 5, 19, "expected 16 nodes in the row, not 17"},
		{swap("air*16", "air*4097"), 5, 16, "from 1 to 16"},
		{swap("air*16", "air*99999999999999999999"), 5, 16, "from 1 to 16"},
		{swap("air*16", "air*16*16"), 5, 18, "expected the name of a node"},
		{swap("air*16", "\"air*16"), 5, 12, "quoted string as in Go"},
		{swap("air*16", "id:65536*16"), 5, 12, "an id from 0 to 65535"},
		{swap("air*16", "ä*16"), 5, 12, "or quotes around it"},
		{strings.Replace(swap("air", "mod:new"), "28", "20", 1), 5, 12, "has no node \"mod:new\""},
		{strings.Replace(swap("air*16", "id:256*16"), "28", "19", 1), 5, 12, "does not have this id"},
		{strings.Replace(swap("air*16", "id:128*16"), "28", "22", 1), 5, 12, "does not have this id"},
		{strings.Replace(air, "28", "20", 1) + "param2\n  z 0\n    y 0 16*16\n", 0, 0, ""},
		{strings.Replace(swap("air", "default:tree"), "28", "20", 1) + "param2\n  z 0\n    y 0 16*16\n", 6, 0, "needs param2 0 to 15"},
		{air + "param1\n  z 0\n    y 0 256*16\n", 8, 9, "from 0 to 255"},
		{air + "param1\n  z 0\n    y 0 air*16\n", 8, 9, "expected a number"},
		{air + "meta\n  1,2,16\n", 7, 3, "each from 0 to 15"},
		{air + "meta\n  1,2,3\n    text\n", 8, 9, "expected ="},
		{air + "meta\n  1,2,3\n    text =\n  2,2,2\n", 9, 3, "expected a string"},
		{air + "meta\n  1,2,3\n    text = \n      word\n", 9, 7, "a string in quotes"},
		{air + "meta version 1\n  1,2,3\n    private text = x\n", 8, 0, "private variables"},
		{air + "meta version 0\n  1,2,3\n", 7, 8, "a list of version 0 has no entries"},
		{air + "meta version 3\n", 6, 14, "from 0 to 2"},
		{air + "meta\n  raw 0x\n  1,2,3\n", 8, 8, "raw contains all"},
		{strings.Replace(air, "28", "29", 1) + "meta\n  rest 0x00\n", 7, 3, "cannot contain unreadable metadata"},
		{air + "meta\n  1,2,3\n    list \"a b\" 4\n", 8, 10, "without spaces"},
		{air + "meta\n  1,2,3\n    list main -1\n", 8, 15, "from 0 to 4294967295"},
		{air + "meta\n  1,2,3\n    list main 1\n      empty*4294967295\n", 9, 13, "from 1 to"},
		{air + "meta\n  1,2,3\n    list main 999999\n      empty*262144\n      empty\n", 10, 7, "empty slots in a block"},
		{air + "meta\n  1,2,3\n    list main 1\n      (odd)\n", 9, 7, "expected an item, quoted"},
		{air + "meta\n  1,2,3\n    list main 1\n      empty\n      a:b\n", 10, 7, "more items than its 1 slots"},
		{air + "meta\n  1,2,3\n    list main 1\n      \"a\\nb\"\n", 9, 7, "an item on one line"},
		{air + "meta\n  1,2,3\n    inventory \"List\"\n", 8, 21, "ends in EndInventory"},
		{air + "timers\n  1,2,3 timeout 1.0005 elapsed 0\n", 7, 17, "at most 3 digits"},
		{air + "timers\n  1,2,3 timeout 9999999 elapsed 0\n", 7, 17, "expected seconds"},
		{air + "timers\n  1,2,3 elapsed 0\n", 7, 9, "expected timeout"},
		{air + "objects\n  Cow 1,2,3\n", 7, 3, "expected the type of an object"},
		{air + "objects\n  Rat 1,2\n", 7, 7, "the position x,y,z"},
		{air + "objects\n  Rat 1,2,3 rat\n", 7, 13, "has only data"},
		{air + "objects\n  LuaEntity 1,2,3 a\n    mood = good\n", 8, 5, "unknown field"},
		{air + "objects\n  LuaEntity 1,2,3 a\n    hp = 1\n    hp = 1\n", 9, 5, "duplicate"},
		{air + "objects\n  LuaEntity 1,2,3 a\n    hp = 1 1\n", 8, 12, "expected the end of the line"},
		{air + "objects\n  LuaEntity 1,2,3 a\n    guid = 0x00\n", 8, 16, "16 bytes"},
	} {
		_, err := ParseBlock([]byte(test.text))
		if test.msg == "" {
			if err != nil {
				t.Errorf("%q: %v", test.text, err)
			}
			continue
		}
		var e *fault.TextError
		if !errors.As(err, &e) || e.Line != test.line || e.Column != test.column || !strings.Contains(e.Msg, test.msg) {
			t.Errorf("%q:\n%v\nwant line %d, column %d, %q", test.text, err, test.line, test.column, test.msg)
		}
	}
}

// TestLongLists tests that lists with more entries than the format can count are rejected.
func TestLongLists(t *testing.T) {
	for _, text := range []string{
		air + "timers\n" + strings.Repeat("  1,2,3 timeout 1 elapsed 0\n", 65536),
		air + "objects\n" + strings.Repeat("  Rat 0,0,0\n", 65536),
		air + "meta\n" + strings.Repeat("  0,0,0\n", 65536),
		strings.Replace(air, "flags none", "ids"+strings.Repeat(" 0=a", 65536), 1),
	} {
		var e *fault.TextError
		if _, err := ParseBlock([]byte(text)); !errors.As(err, &e) || !strings.Contains(e.Msg, "at most 65535") {
			t.Errorf("%.100q: %v", text, err)
		}
	}
}

func TestFixed(t *testing.T) {
	for _, v := range []int32{0, 1, -1, 10, -10, 9999, 10000, -10001, 1<<31 - 1, -1 << 31} {
		for _, digits := range []int{0, 3, 4} {
			text := string(appendFixed(nil, v, digits))
			if got, ok := fixed(text, digits); !ok || got != v {
				t.Errorf("%d with %d digits is %q, which is %d, %v", v, digits, text, got, ok)
			}
		}
	}
	for _, text := range []string{"", "-", ".", ".5", "1.", "+1", "1.2.3", "1.-2", "1e3", "0x1", "1.00000", "214748.3648", " 1"} {
		if v, ok := fixed(text, 4); ok {
			t.Errorf("%q is %d", text, v)
		}
	}
}

// TestPage tests that the example in the documentation of the format is a text that BlockText writes.
func TestPage(t *testing.T) {
	page := judge.Read(t, "../../docs/formats/minetest-folder.md")
	_, rest, _ := strings.Cut(string(page), "```\n")
	example, _, _ := strings.Cut(rest, "```")
	b, err := ParseBlock([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(example, string(BlockText(b, mapdb.Pos{}))); diff != "" {
		t.Error(diff)
	}
}

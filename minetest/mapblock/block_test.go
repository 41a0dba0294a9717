package mapblock

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trowel.example/fault"
	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/testing/tests"
)

// hand builds a block from its parts as the description of the format defines them, without the code of the package.
type hand []byte

func (h hand) u8(v ...byte) hand    { return append(h, v...) }
func (h hand) u16(v int) hand       { return binary.BigEndian.AppendUint16(h, uint16(v)) }
func (h hand) u32(v int64) hand     { return binary.BigEndian.AppendUint32(h, uint32(v)) }
func (h hand) text(s string) hand   { return append(h, s...) }
func (h hand) text16(s string) hand { return h.u16(len(s)).text(s) }
func (h hand) text32(s string) hand { return h.u32(int64(len(s))).text(s) }
func (h hand) zlib(content []byte) hand {
	out, err := deflate.Compress(h, content, 6)
	if err != nil {
		panic(err)
	}
	return out
}

// nodes appends node arrays in which the second node has the given numbers and all other nodes are 0.
func (h hand) nodes(width, id, param1, param2 int) hand {
	at := len(h)
	h = append(h, make([]byte, (width+2)*NodeCount)...)
	h[at+2*width-1] = byte(id)
	h[at+width*NodeCount+1] = byte(param1)
	h[at+(width+1)*NodeCount+1] = byte(param2)
	return h
}

func (h hand) runs(second byte) hand {
	h = h.u32(NodeCount).u8(0, 0, 0, second)
	for left := NodeCount - 2; left > 0; left -= 256 {
		h = h.u8(byte(min(left, 256)-1), 0)
	}
	return h
}

func handMeta(version byte) hand {
	h := hand{}.u8(version).u16(1).u16(0x123).u32(1).text16("key").text32("value")
	if version == 2 {
		h = h.u8(1)
	}
	return h.text("List main 1\nEmpty\nEndInventoryList\nEndInventory\n")
}

var (
	handLegacy  = hand{}.u16(1).u16(1).u16(0x123).u16(14).u16(4).text16("hi")
	handObjects = hand{}.u8(0).u16(1).u8(2).u32(10000).u32(-10000).u32(5).u16(3).text("abc")
	handNames   = hand{}.u8(0).u16(2).u16(0).text16("air").u16(7).text16("mod:x")
	handTimers  = hand{}.u8(10).u16(1).u16(0x123).u32(1500).u32(-1)
)

// handmade are blocks of all forms and their expected content.
var handmade = []struct {
	version int
	data    []byte
}{
	{0, append(hand{0, 1, 0, 7}, make([]byte, NodeCount-2)...)},
	{3, append(hand{3, 1, 0, 0, 7, 5}, make([]byte, 2*NodeCount-4)...)},
	{4, hand{4, 1}.runs(7).runs(5)},
	{9, hand{9, 1}.runs(7).runs(5).u16(0)},
	{10, hand{10, 1}.runs(7).runs(5).runs(9).u16(0)},
	{13, hand{13, 2}.zlib(hand{}.nodes(1, 7, 5, 9)).u16(0)},
	{15, append(append(hand{15, 2}.zlib(hand{}.nodes(1, 7, 5, 9)).u16(len(handLegacy)), handLegacy...).u16(0), handObjects...)},
	{17, append(hand{17, 2}.zlib(hand{}.nodes(1, 7, 5, 9)).zlib(handLegacy).u16(0), handObjects...).u32(77)},
	{21, append(append(hand{21, 2}.zlib(hand{}.nodes(1, 7, 5, 9)).zlib(handLegacy).u16(0), handObjects...).u32(77), handNames...)},
	{22, append(append(hand{22, 2, 1, 2}.zlib(hand{}.nodes(1, 7, 5, 9)).zlib(handLegacy), handObjects...).u32(77), handNames...)},
	{23, append(append(hand{23, 2, 1, 2}.zlib(hand{}.nodes(1, 7, 5, 9)).zlib(handMeta(1)).u8(0), handObjects...).u32(77), handNames...)},
	{24, append(append(append(hand{24, 2, 2, 2}.zlib(hand{}.nodes(2, 7, 5, 9)).zlib(handMeta(1)).u8(1), handTimers[1:]...),
		handObjects...).u32(77), handNames...)},
	{25, append(append(append(hand{25, 2, 2, 2}.zlib(hand{}.nodes(2, 7, 5, 9)).zlib(handMeta(1)), handObjects...).u32(77),
		handNames...), handTimers...)},
	{27, append(append(append(hand{27, 2, 0xf1, 0x23, 2, 2}.zlib(hand{}.nodes(2, 7, 5, 9)).zlib(handMeta(1)),
		handObjects...).u32(77), handNames...), handTimers...)},
	{28, append(append(append(hand{28, 2, 0xf1, 0x23, 2, 2}.zlib(hand{}.nodes(2, 7, 5, 9)).zlib(handMeta(2)),
		handObjects...).u32(77), handNames...), handTimers...)},
	{29, append([]byte{29}, packZstd(slices.Concat(hand{2, 0xf1, 0x23}.u32(77), handNames, hand{2, 2}.nodes(2, 7, 5, 9),
		handMeta(2), handObjects, handTimers))...)},
}

// TestHandmade tests that the layout of each version matches the description of the format.
func TestHandmade(t *testing.T) {
	for _, h := range handmade {
		t.Run(versionName(h.version), func(t *testing.T) {
			b, err := Decode(h.data)
			if err != nil {
				t.Fatal(err)
			}
			want := &Block{Version: h.version, Flags: NotAllAir, LightingComplete: AllLit, Timestamp: 77,
				ContentWidth: contentWidth(h.version), ParamsWidth: 2}
			want.Param0[1] = 7
			v := h.version
			if v >= 1 {
				want.Param1[1] = 5
			}
			if v >= 10 {
				want.Param2[1] = 9
			}
			if v <= 10 {
				want.Flags = Underground
			}
			if v < 17 {
				want.Timestamp = NoTimestamp
			}
			if v >= 27 {
				want.LightingComplete = 0xf123
			}
			if v >= 21 {
				want.Names = []NameID{{0, "air"}, {7, "mod:x"}}
			}
			if v <= 22 {
				want.Metadata.Version = 1
			}
			switch {
			case v >= 23:
				want.Metadata = Metadata{Version: 1, List: []NodeMeta{{Pos: 0x123, Vars: []Var{{Key: "key", Value: "value"}},
					Inventory: []byte("List main 1\nEmpty\nEndInventoryList\nEndInventory\n")}}}
				if v >= 28 {
					want.Metadata.Version, want.Metadata.List[0].Vars[0].Private = 2, 1
				}
			case v >= 14:
				want.Metadata.List = []NodeMeta{{Pos: 0x123, Legacy: &LegacyMeta{ID: LegacySign, Body: []byte("\x00\x02hi")}}}
			}
			if v >= 15 {
				want.Objects.List = []Object{{Type: ObjectItem, Pos: [3]int32{10000, -10000, 5}, Data: []byte("abc")}}
			}
			if v >= 24 {
				want.Timers.List = []Timer{{Pos: 0x123, Timeout: 1500, Elapsed: -1}}
				if v == 24 {
					want.Timers.Version = 1
				}
			}
			if diff := cmp.Diff(want, b, cmpopts.IgnoreUnexported(Block{})); diff != "" {
				t.Error(diff)
			}
			for name, encode := range map[string]func() ([]byte, error){"Encode": b.Encode, "EncodeFresh": b.EncodeFresh} {
				if out, err := encode(); err != nil || !bytes.Equal(out, h.data) {
					t.Errorf("%s gives other bytes, %v", name, err)
				}
			}
		})
	}
}

// TestSamples tests that blocks of all versions with data in every section round-trip, also with trailing bytes, and
// that a block cut at any byte gives a clear error.
func TestSamples(t *testing.T) {
	for version := range Newest + 1 {
		t.Run(versionName(version), func(t *testing.T) {
			b := sample(version)
			data, err := b.EncodeFresh()
			if err != nil {
				t.Fatal(err)
			}
			for _, data := range [][]byte{data, append(slices.Clip(data), "odd"...)} {
				again, err := Decode(data)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(content(again), content(b)) {
					t.Error("another content")
				}
				if out, err := again.Encode(); err != nil || !bytes.Equal(out, data) {
					t.Errorf("Encode gives other bytes, %v", err)
				}
			}
			step := 1 + len(data)/tests.Of(t, 100, 400)
			for n := 0; n < len(data); n += step {
				_, err := Decode(data[:n:n])
				var e *fault.Error
				if !errors.As(err, &e) || e.Path == "" || e.Offset < 0 || e.Want == "" {
					t.Fatalf("cut to %d of %d bytes: %v", n, len(data), err)
				}
				Salvage(data[:n:n])
			}
		})
	}
}

// TestUntouchedSections tests that changing one section keeps the bytes of the others.
func TestUntouchedSections(t *testing.T) {
	b := sample(25)
	// Level 9 differs from what EncodeFresh would make.
	var nodes codec
	nodes.arrays(b)
	stream, err := deflate.Compress(nil, nodes.w, 9)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := b.EncodeFresh()
	if err != nil {
		t.Fatal(err)
	}
	data := slices.Concat(fresh[:4], stream, fresh[4+streamLength(fresh[4:], 4*NodeCount):])
	if b, err = Decode(data); err != nil {
		t.Fatal(err)
	}
	b.Metadata.List[0].Vars[0].Value = "changed"
	out, err := b.Encode()
	if err != nil || !bytes.HasPrefix(out, data[:4+len(stream)]) || bytes.Equal(out, data) {
		t.Errorf("the nodes were compressed again, %v", err)
	}
	b.Param0[5] = 77
	if out, err = b.Encode(); err != nil || bytes.HasPrefix(out, data[:4+len(stream)]) {
		t.Errorf("the old nodes were written, %v", err)
	}
	content, used, err := deflate.Decompress(out[4:], 4*NodeCount)
	if level, _ := deflate.LevelOf(out[4:4+used], content); err != nil || level != 9 {
		t.Errorf("the new nodes are compressed at level %d, the old ones were at 9, %v", level, err)
	}
	again, err := Decode(out)
	if err != nil || again.Param0[5] != 77 || again.Metadata.List[0].Vars[0].Value != "changed" {
		t.Errorf("the changes are lost, %v", err)
	}
}

func streamLength(data []byte, size int) int {
	_, used, err := deflate.Decompress(data, size)
	if err != nil {
		panic(err)
	}
	return used
}

// TestEncodeErrors tests that Encode fails for values that a version cannot store.
func TestEncodeErrors(t *testing.T) {
	for name, c := range map[string]struct {
		version int
		change  func(*Block)
	}{
		"version":          {30, func(*Block) {}},
		"id of two bytes":  {22, func(b *Block) { b.Param0[9] = 256 }},
		"id of two bytes ": {3, func(b *Block) { b.Param0[9] = 256 }},
		"long name":        {28, func(b *Block) { b.Names[0].Name = string(make([]byte, 70000)) }},
		"many objects":     {29, func(b *Block) { b.Objects.List = make([]Object, 70000) }},
		"many timers":      {29, func(b *Block) { b.Timers.List = make([]Timer, 70000) }},
		"private":          {25, func(b *Block) { b.Metadata.List[0].Vars[0].Private = 1 }},
		"inventory":        {28, func(b *Block) { b.Metadata.List[0].Inventory = []byte("List main 1\n") }},
		"old and new":      {22, func(b *Block) { b.Metadata.List[0].Legacy = nil }},
		"width":            {25, func(b *Block) { b.ContentWidth = 3 }},
	} {
		b := sample(min(c.version, Newest))
		b.Version = c.version
		c.change(b)
		for what, encode := range map[string]func() ([]byte, error){"Encode": b.Encode, "EncodeFresh": b.EncodeFresh} {
			_, err := encode()
			var e *fault.Error
			if !errors.As(err, &e) || e.Want == "" {
				t.Errorf("%s: %s gives %v", name, what, err)
			}
		}
	}
}

func TestNodes(t *testing.T) {
	type node struct{ param0, param1, param2 int }
	type want struct {
		name           string
		param1, param2 uint8
	}
	for _, c := range []struct {
		version int
		node    node
		want    want
	}{
		{17, node{254, 13, 0}, want{"air", 13, 0}},
		{17, node{255, 0, 0}, want{"ignore", 0, 0}},
		{19, node{126, 0, 0}, want{"air", 0, 0}},
		{19, node{127, 0, 0}, want{"ignore", 0, 0}},
		{17, node{8, 0, 0xf0}, want{"default:dirt", 0, 0xf0}},
		{17, node{29, 0, 0}, want{"default:bookshelf", 0, 0}},
		{17, node{0x80, 0, 0x50}, want{"", 0, 0x50}},
		{20, node{0x80, 0, 0x5a}, want{"default:dirt", 0, 0xa}},
		{20, node{0x82, 0, 0x03}, want{"default:sapling", 0, 3}},
		{20, node{126, 0, 0xff}, want{"air", 0, 0xff}},
		{20, node{254, 0, 0}, want{"", 0, 0}},
		{20, node{0, 1, 0}, want{"default:stone_with_coal", 0, 0}},
		{20, node{0, 2, 0}, want{"default:stone_with_iron", 0, 0}},
		{20, node{0, 3, 0}, want{"default:stone", 3, 0}},
		{20, node{15, 3, 9}, want{"default:chest", 0, 3}},
		{20, node{3, 14, 0x04}, want{"default:torch", 14, 0}},
		{20, node{3, 14, 0x20}, want{"default:torch", 14, 5}},
		{20, node{14, 0, 0x03}, want{"default:sign_wall", 0, 2}},
		{20, node{14, 0, 0xc0}, want{"default:sign_wall", 0, 0}},
		{23, node{0x80, 7, 0x5a}, want{"mod:x", 7, 0xa}},
		{22, node{9, 7, 0xf3}, want{"mod:low", 7, 0xf3}},
		{29, node{0x805, 7, 0x5a}, want{"mod:x", 7, 0x5a}},
		{29, node{4, 7, 0}, want{"", 7, 0}},
		{29, node{9, 7, 0}, want{"mod:low", 7, 0}},
	} {
		b := empty(c.version)
		b.Names = []NameID{{9, "mod:first"}, {0x805, "mod:x"}, {9, "mod:low"}}
		b.Param0[100], b.Param1[100], b.Param2[100] = uint16(c.node.param0), uint8(c.node.param1), uint8(c.node.param2)
		n := b.Nodes()
		if got := (want{n.At(100), n.Param1[100], n.Param2[100]}); got != c.want {
			t.Errorf("version %d: %v is %v, want %v", c.version, c.node, got, c.want)
		}
	}
	n := sample(29).Nodes()
	sum := 0
	for _, count := range n.Counts() {
		sum += count
	}
	if sum != NodeCount || n.At(Index(5, 0, 0)) != "default:stone" || len(n.Names) < 8 {
		t.Errorf("%d nodes of %q", sum, n.Names)
	}
	for i := range NodeCount {
		if x, y, z := Coordinates(i); Index(x, y, z) != i {
			t.Fatal(i, x, y, z)
		}
	}
}

// TestInventoryEnd tests that the text of an inventory ends where the games end it.
func TestInventoryEnd(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		ok   bool
	}{
		{"EndInventory\nmore", 13, true},
		{"EndInventory", 12, true},
		{"end\n", 4, true},
		{"List main 1\nEmpty\nEndInventoryList\nEndInventory\n..", 48, true},
		{"List main 1\nEndInventory\nend\nend\n.", 33, true},
		{"List main 1\nItem a\n", 19, false},
		{"  EndInventory x\n.", 17, true},
		{"Listing\nEndInventory\n", 21, true},
		{"", 0, false},
	} {
		if n, ok := InventoryEnd([]byte(c.text)); n != c.n || ok != c.ok {
			t.Errorf("%q: %d, %v, want %d, %v", c.text, n, ok, c.n, c.ok)
		}
	}
}

// TestObjectData tests that the data of entities of all versions round-trips.
func TestObjectData(t *testing.T) {
	base := hand{}.u8(1).text16("mod:pig").text32("s").u16(7).u32(10000).u32(0).u32(-1).u32(90000)
	nine := append(slices.Clip(base), hand{}.u8(1).u32(5).u32(-6)...)
	guid := append(append(slices.Clip(base), hand{}.u8(2).u32(5).u32(-6)...), "0123456789abcdef"...)
	for name, data := range map[string]hand{
		"version 0": hand{}.u8(0).text16("mod:pig").text32("s"),
		"no tail":   base, "pitch and roll": nine, "guid": guid,
		"more": append(slices.Clip(guid), "xyz"...), "tail of version 0": append(slices.Clip(base), 0),
	} {
		o := Object{Type: ObjectLuaEntity, Data: data}
		e, err := o.LuaEntity()
		if err != nil || e.Name != "mod:pig" || e.StaticData != "s" {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
		if out, err := e.Encode(); err != nil || !bytes.Equal(out, data) {
			t.Errorf("%s: %x, %v", name, out, err)
		}
	}
	o := Object{Type: ObjectLuaEntity, Data: guid}
	e, _ := o.LuaEntity()
	want := LuaEntity{Version: 1, Name: "mod:pig", StaticData: "s", HP: 7, Velocity: [3]int32{10000, 0, -1}, Yaw: 90000,
		Version2: 2, Pitch: 5, Roll: -6, GUID: [16]byte([]byte("0123456789abcdef"))}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
	for n := 1; n < len(guid); n++ {
		cut := Object{Type: ObjectLuaEntity, Data: guid[:n]}
		if _, err := cut.LuaEntity(); (err == nil) != (n == len(base)) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
	item := Object{Type: ObjectItem, Data: hand{}.u8(0).text16("default:dirt 5")}
	if it, err := item.Item(); err != nil || it.Stack != "default:dirt 5" {
		t.Errorf("%+v, %v", it, err)
	}
	if s := fmt.Sprint(ObjectLuaEntity, ObjectType(9)); s != "LuaEntity type 9" {
		t.Error(s)
	}
}

// TestConcurrent tests that many goroutines can decode and encode blocks at the same time, and that several can
// encode the same block.
func TestConcurrent(t *testing.T) {
	var shared []*Block
	for _, h := range handmade {
		b, err := Decode(h.data)
		if err != nil {
			t.Fatal(err)
		}
		shared = append(shared, b)
	}
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for i, b := range shared {
				for _, encode := range []func() ([]byte, error){b.Encode, b.EncodeFresh} {
					if out, err := encode(); err != nil || !bytes.Equal(out, handmade[i].data) {
						t.Errorf("version %d: other bytes, %v", b.Version, err)
					}
				}
				b.Nodes()
				if _, err := Decode(handmade[i].data); err != nil {
					t.Error(err)
				}
				if _, _, err := b.Convert(29, ConvertOptions{Drop: true}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
}

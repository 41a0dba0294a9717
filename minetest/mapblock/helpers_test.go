package mapblock

import (
	"bytes"
	"fmt"

	"github.com/google/go-cmp/cmp"
)

// equal reports whether two blocks have the same content, ignoring their compressed source.
func equal(a, b *Block) bool {
	return bytes.Equal(content(a), content(b)) && cmp.Equal(a.Names, b.Names) && cmp.Equal(a.Trailing, b.Trailing)
}

// content returns all sections of a block, uncompressed.
func content(b *Block) []byte {
	c := codec{level: Level}
	for _, s := range layouts[b.Version] {
		switch s.name {
		case "nodes":
			if b.Version >= 11 {
				c.arrays(b)
				continue
			}
		case "metadata":
			if b.Version < 29 {
				c.metaSection(b)
				continue
			}
		}
		if s.run(&c, b); c.stopped {
			break
		}
	}
	if c.err != nil {
		panic(c.err)
	}
	return append(c.w, b.Inner...)
}

func versionName(version int) string { return fmt.Sprintf("v%02d", version) }

// sample returns a block of a version with data in each section.
func sample(version int) *Block {
	b := New(version)
	b.Flags = NotAllAir
	b.Timestamp = 73471
	ids := []uint16{0, 9, 30, 0x805, 0x809, contentAir, 14, 15, 16, 17, 3}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = legacyNames[id]
	}
	if version >= 24 {
		names = append(names, "mod:thing", nameCoal)
		for i := range names {
			if i >= len(ids) {
				ids = append(ids, 0)
			}
			ids[i] = uint16(i)
		}
	}
	b.Names = nil
	for i := range names {
		if version >= 21 {
			b.Names = append(b.Names, NameID{ids[i], names[i]})
		}
	}
	for i := range NodeCount {
		x, y, z := Coordinates(i)
		k := 5 // air
		switch {
		case y < 4:
			k = 0
		case y < 6+(x*z)%3:
			k = 3
		case y == 12 && x < 8:
			k = 6 + x%5
		case y == 13 && x < 4:
			k = []int{4, 1, 2, len(ids) - 2}[x]
			if k == len(ids)-2 && version < 24 {
				k = 5
			}
		}
		if version >= 24 && y == 3 && x == z {
			k = 12
		}
		b.Param1[i] = uint8(y)
		if k == 0 {
			b.Param1[i] = uint8(x % 3 * (z % 2))
		}
		if version == 0 {
			b.Param1[i] = 0
		}
		if version >= 10 && (k == 6 || k == 10) {
			b.Param2[i] = 1 << (x % 6)
			if version >= 22 {
				b.Param2[i] = uint8(x % 6)
			}
		}
		b.setID(i, ids[k])
	}
	if version == 28 || version == 29 {
		b.LightingComplete = 0xf0ff
	}
	sampleMetadata(b)
	if version >= 15 {
		item, _ := Item{Stack: "default:cobble 5"}.Encode()
		entity, _ := LuaEntity{Version: 1, Name: "mod:pig", StaticData: "s\x00t", HP: 7, Yaw: 1500, Version2: uint8(max(version-27, 0))}.Encode()
		b.Objects.List = []Object{
			{Type: ObjectItem, Pos: [3]int32{10000, -5000, 123}, Data: item},
			{Type: ObjectRat, Pos: [3]int32{1, 2, 3}, Data: []byte{0}},
		}
		if version >= 21 {
			b.Objects.List = append(b.Objects.List, Object{Type: ObjectLuaEntity, Data: entity})
		}
	}
	if version >= 24 {
		b.Timers.List = []Timer{{Pos: 7, Timeout: 1000500, Elapsed: 250}, {Pos: 4095, Timeout: 1000}}
		if version == 24 {
			b.Timers.Version = 1
		}
	}
	if version < 17 {
		b.Timestamp = NoTimestamp
	}
	return b
}

// sampleMetadata adds metadata in the form of the block's version.
func sampleMetadata(b *Block) {
	pos := func(x int) uint16 { return uint16(Index(x, 12, 3)) }
	chest := "List %s 2\nItem default:dirt 5\nEmpty\nEndInventoryList\nEndInventory\n"
	if b.Version >= 23 {
		if b.Version >= 25 {
			chest = "List %s 2\nWidth 0\nItem default:dirt 5\nEmpty\nEndInventoryList\nEndInventory\n"
		}
		private := uint8(0)
		b.Metadata.Version = 1
		if b.Version >= 28 {
			private, b.Metadata.Version = 1, 2
		}
		b.Metadata.List = []NodeMeta{
			{Pos: pos(0), Vars: []Var{{Key: "infotext", Value: `"hello"`}, {Key: "text", Value: "hello"},
				{Key: "secret", Value: "\x00\xff", Private: private}}, Inventory: emptyInventory},
			{Pos: pos(1), Vars: []Var{{Key: "formspec", Value: formsOf(b.Version).chest}}, Inventory: fmt.Appendf(nil, chest, "main")},
		}
		return
	}
	if b.Version < 14 {
		return
	}
	inv := fmt.Appendf(nil, chest, "0")
	for i, l := range []struct {
		id LegacyID
		LegacyContent
	}{
		{LegacySign, LegacyContent{Text: "hello"}},
		{LegacyChest, LegacyContent{Inventory: inv}},
		{LegacyFurnace, LegacyContent{Inventory: fmt.Appendf(nil, chest, "fuel"), FuelTotal: 400, Fuel: 15, Src: 3}},
		{LegacyChestLocked, LegacyContent{Inventory: inv, Owner: "celeron55"}},
	} {
		m, err := l.Meta(l.id)
		if err != nil {
			panic(err)
		}
		b.Metadata.List = append(b.Metadata.List, NodeMeta{Pos: pos(i), Legacy: m})
	}
	if b.Version >= 21 {
		m, err := LegacyContent{Inventory: emptyInventory, Text: "t", Owner: "o", InfoText: "i", DrawSpec: "d",
			Vars: []Var{{Key: "k", Value: "v"}}}.Meta(LegacyGeneric)
		if err != nil {
			panic(err)
		}
		b.Metadata.List = append(b.Metadata.List, NodeMeta{Pos: 0, Legacy: m})
	}
}

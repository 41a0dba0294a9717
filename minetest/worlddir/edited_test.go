package worlddir_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/tests"
	"trowel.example/internal/values/deep"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddir"
	"trowel.example/minetest/worldedit"
)

// oddBlock makes a block of a version with as much unusual data as the version can hold.
func oddBlock(r *rand.Rand, version int) *mapblock.Block {
	b := mapblock.New(version)
	chance := func(n int) bool { return r.IntN(n) == 0 }
	b.Flags = mapblock.Flags(r.IntN(16))
	if b.Timestamp = uint32(r.IntN(1000)); version < 17 {
		b.Timestamp = mapblock.NoTimestamp
	}
	if version >= 27 {
		b.LightingComplete = uint16(r.IntN(1 << 16))
	}
	ids := []uint16{0, 2, 3, 9, 14, 15, 16, 17, 31}
	switch {
	case version >= 21:
		if version >= 24 && chance(4) {
			b.ContentWidth = 1
		}
		ids, b.Names = nil, nil
		for i, name := range []string{"air", "default:stone", "default:chest", "default:furnace", "default:torch",
			"default:sign_wall", "default:unused", "default:chest_locked", "", "default:dirt"} {
			id := uint16(i)
			if b.ContentWidth == 1 && i == 1 {
				id = 0x80 // the upper byte of an id that takes a part of param2
			}
			if name != "default:unused" {
				ids = append(ids, id)
			}
			if id == 0x80 {
				for low := range uint16(16) {
					b.Names = append(b.Names, mapblock.NameID{ID: id<<4 | low, Name: fmt.Sprint("default:stone", low)})
				}
			} else if name != "" {
				b.Names = append(b.Names, mapblock.NameID{ID: id, Name: name})
			}
		}
		if chance(3) {
			b.Names = append(b.Names, mapblock.NameID{ID: 9, Name: "default:sand"})
		}
	case version == 20:
		ids = append(ids, 0x80, 126, 127)
	case version == 19:
		ids = append(ids, 1, 8, 126, 127, 254, 255)
	default:
		ids = append(ids, 1, 8, 254, 255)
	}
	for i := range mapblock.NodeCount {
		b.Param0[i] = ids[r.IntN(len(ids))]
		if version >= 1 {
			b.Param1[i] = uint8(r.IntN(256))
		}
		if version >= 10 {
			b.Param2[i] = uint8(r.IntN(256))
		}
	}
	if version >= 14 {
		oddMetadata(r, b)
	}
	if version >= 9 && version <= 21 && chance(6) {
		b.MapBlockObjects, b.Trailing = 2, []byte("unreadable")
		b.Timestamp, b.Names = mapblock.NoTimestamp, nil
		return b
	}
	if version >= 15 {
		for i := range r.IntN(4) {
			o := mapblock.Object{Type: mapblock.ObjectType(1 + r.IntN(6)), Pos: [3]int32{int32(i), -5, 7},
				Data: []byte("\x00\x00\x03odd" + fmt.Sprint(i))}
			if version >= 21 && chance(2) {
				o.Type = mapblock.ObjectLuaEntity
				o.Data, _ = mapblock.LuaEntity{Version: 1, Name: "a:b", HP: -16, Version2: uint8(r.IntN(3)), Rest: []byte("x")}.Encode()
			}
			b.Objects.List = append(b.Objects.List, o)
		}
		b.Objects.Version = uint8(r.IntN(2))
	}
	if version >= 24 {
		for range r.IntN(3) {
			b.Timers.List = append(b.Timers.List, mapblock.Timer{Pos: uint16(100 + r.IntN(9)), Timeout: int32(r.IntN(3000) - 5), Elapsed: 7})
		}
		if version == 24 {
			b.Timers.Version = 1
		}
	}
	if version == 23 {
		b.Unused = uint8(r.IntN(2))
	}
	if chance(3) {
		b.Trailing = []byte("after")
	}
	if version >= 29 && chance(3) {
		b.Inner = []byte("inside")
	}
	return b
}

func oddMetadata(r *rand.Rand, b *mapblock.Block) {
	const inventory = "List 0 2\nItem NodeItem default:cobble 10\nEmpty\nEndInventoryList\nEndInventory\n"
	for i := range uint16(r.IntN(6)) {
		e := mapblock.NodeMeta{Pos: 200 + i}
		if b.Version >= 23 {
			e.Inventory = []byte(inventory)
			e.Vars = []mapblock.Var{{Key: "a", Value: ""}, {Key: "text", Value: "x\x00y"}, {Key: "a", Value: "2"}}
			if b.Version >= 28 {
				e.Vars[1].Private = uint8(r.IntN(3))
			}
		} else {
			c := mapblock.LegacyContent{Inventory: []byte(inventory), Text: "hello", Owner: "me", Rest: []byte("rest"),
				SourceTotal: 20, Src: 3, Fuel: 4, AllowTextInput: 1, RemovalDisabled: 1, EnforceOwner: 1,
				Vars: []mapblock.Var{{Key: "empty"}, {Key: "text", Value: "other"}}}
			kinds := []mapblock.LegacyID{mapblock.LegacyGeneric, mapblock.LegacySign, mapblock.LegacyChest, mapblock.LegacyFurnace,
				mapblock.LegacyChestLocked}
			if e.Legacy = (&mapblock.LegacyMeta{ID: 99, Body: []byte("unknown")}); r.IntN(6) > 0 {
				e.Legacy, _ = c.Meta(kinds[r.IntN(len(kinds))])
			}
		}
		b.Metadata.List = append(b.Metadata.List, e)
	}
	b.Metadata.Version = 1
	if b.Version >= 28 {
		b.Metadata.Version = 2
	}
	if b.Version <= 28 && r.IntN(3) == 0 {
		b.Metadata.Rest = []byte("\x00surplus") // unreadable entries
		b.Metadata.Missing = 1 + r.IntN(2)
	}
}

// TestEditKeeps edits a node of blocks of all versions, and compares everything else with what the text of the block
// gives: an edit changes nothing else.
func TestEditKeeps(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 2))
	n := 3
	if tests.Long(t) {
		n = 60
	}
	const index = 4000
	stored := make(map[mapdb.Pos]*mapblock.Block)
	var list []mapdb.Block
	for i := range n * (mapblock.Newest + 1) {
		p := mapdb.Pos{X: int16(i)}
		b := oddBlock(r, i%(mapblock.Newest+1))
		data, err := b.Encode()
		if err != nil {
			t.Fatal(b.Version, err)
		}
		if b, err = mapblock.Decode(data); err != nil {
			t.Fatal(b.Version, err)
		}
		stored[p] = b
		list = append(list, mapdb.Block{Pos: p, Data: data})
	}
	dir := worldtest.WorldOf(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite},
		func(yield func(mapdb.Block, error) bool) {
			for _, b := range list {
				if !yield(b, nil) {
					return
				}
			}
		})
	w, err := worldedit.Open(ctx, dir, worldedit.Options{Sink: func(f check.Finding) { t.Error(f) }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	const name = "default:rail" // which all versions have
	if err := w.Do(ctx, worldedit.Each{Area: mapdb.All(), Edit: func(b *worldedit.Block) error {
		if old := stored[b.Pos]; old.Version == 21 && old.MapBlockObjects != 0 {
			return nil // has no names
		}
		_, err := b.SetNode(index, name, 0)
		return err
	}}); err != nil {
		t.Fatal(err)
	}
	if r := w.Report(); r.Kept+r.Damaged+r.Converted > 0 {
		t.Errorf("%+v", r)
	}
	for p, old := range stored {
		data, err := w.Get(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := mapblock.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		text := worlddir.BlockText(old, p)
		want, err := worlddir.ParseBlock(text)
		if err != nil {
			t.Fatalf("version %d: %v", old.Version, err)
		}
		if x := got.Nodes(); old.MapBlockObjects == 0 && x.At(index) != name {
			t.Errorf("version %d: the node is %q", old.Version, x.At(index))
		}
		for _, want := range []*mapblock.Block{old, want} {
			if what := differs(got, want, index); what != "" {
				t.Errorf("%v, version %d: another %s", p, old.Version, what)
			}
		}
	}
}

// differs returns what differs between two blocks except for one node and its light.
func differs(got, want *mapblock.Block, index int) string {
	a, b := got.Clone(), want.Clone()
	light := mapblock.LightingExpired | mapblock.NotAllAir
	if a.Version <= 10 {
		light = 0
	}
	na, nb := a.Nodes(), b.Nodes()
	for i := range mapblock.NodeCount {
		ia, pa := a.ID(i)
		ib, pb := b.ID(i)
		if i != index && (na.At(i) != nb.At(i) || na.At(i) == "" && ia != ib || pa != pb || a.Param1[i] != b.Param1[i]) {
			return fmt.Sprintf("node %d: %q %d %d, not %q %d %d", i, na.At(i), a.Param1[i], a.Param2[i], nb.At(i), b.Param1[i], b.Param2[i])
		}
	}
	for _, x := range []*mapblock.Block{a, b} {
		x.Param0, x.Param1, x.Param2, x.Names = b.Param0, b.Param1, b.Param2, nil
		x.Flags &^= light
		x.LightingComplete &^= 0x0fff
	}
	switch {
	case !deep.Equal(a.Metadata, b.Metadata):
		return fmt.Sprintf("metadata: %+v, not %+v", a.Metadata, b.Metadata)
	case !deep.Equal(a.Objects, b.Objects), !deep.Equal(a.Timers, b.Timers):
		return "object or timer"
	case a.Flags != b.Flags, a.Timestamp != b.Timestamp, a.LightingComplete != b.LightingComplete:
		return "head"
	case !deep.Equal(a, b):
		return fmt.Sprintf("block: %+v, not %+v", a.Version, b.Version)
	}
	return ""
}

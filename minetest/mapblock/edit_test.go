package mapblock_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/minetest/mapblock"
)

// TestSetNode tests that changed nodes survive encoding and decoding and that nothing else changes.
func TestSetNode(t *testing.T) {
	for _, version := range []int{24, 25, 28, 29} {
		b := mapblock.New(version)
		b.Names = append(b.Names, mapblock.NameID{ID: 7, Name: "default:dirt"}, mapblock.NameID{ID: 7, Name: "default:sand"})
		b.Param0[9] = 1 // an id without a name
		for i, name := range map[int]string{0: "default:stone", 1: "default:sand", 2: "default:dirt", 3: mapblock.Air, 4095: "default:stone"} {
			if err := b.SetNode(i, name, 15, 3); err != nil {
				t.Fatal(err)
			}
		}
		data, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := mapblock.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		n := again.Nodes()
		for i, want := range map[int]string{0: "default:stone", 1: "default:sand", 2: "default:dirt", 3: mapblock.Air,
			4: mapblock.Air, 9: "", 4095: "default:stone"} {
			if got := n.At(i); got != want {
				t.Errorf("version %d: node %d is %q, not %q", version, i, got, want)
			}
		}
		if n.Param1[0] != 15 || n.Param2[0] != 3 || n.Param1[4] != 0 || again.Flags&mapblock.NotAllAir == 0 {
			t.Errorf("version %d: %d, %d, %v", version, n.Param1[0], n.Param2[0], again.Flags)
		}
	}
	air := mapblock.New(29)
	if err := air.SetNode(5, mapblock.Air, 0, 0); err != nil || air.Flags != mapblock.New(29).Flags {
		t.Errorf("%v, %v", air.Flags, err)
	}
	if err := mapblock.New(20).SetNode(0, "a", 0, 0); !errors.Is(err, fault.ErrVersion) {
		t.Error(err)
	}
	for _, name := range []string{"", strings.Repeat("x", 1<<16)} {
		if err := air.SetNode(0, name, 0, 0); !errors.Is(err, fault.ErrFormat) {
			t.Error(err)
		}
	}
	full := mapblock.New(29)
	for id := range 1 << 16 {
		full.Names = append(full.Names, mapblock.NameID{ID: uint16(id), Name: "x:" + strings.Repeat("y", id%7)})
	}
	if err := full.SetNode(0, "one:more", 0, 0); !errors.Is(err, fault.ErrFormat) {
		t.Error(err)
	}
}

// TestClone tests that a clone equals the block and does not share memory with it.
func TestClone(t *testing.T) {
	b := mapblock.New(25)
	b.Metadata = mapblock.Metadata{Version: 1,
		List: []mapblock.NodeMeta{{Pos: 1, Vars: []mapblock.Var{{Key: "k", Value: "v"}}, Inventory: []byte("EndInventory\n")}}}
	b.Objects.List = []mapblock.Object{{Type: mapblock.ObjectItem, Data: []byte("data")}}
	b.Timers.List = []mapblock.Timer{{Pos: 1, Timeout: 5}}
	b.Trailing = []byte("behind")
	want, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if b, err = mapblock.Decode(want); err != nil {
		t.Fatal(err)
	}
	c := b.Clone()
	if got, err := c.Encode(); err != nil || string(got) != string(want) || !b.Equal(c) {
		t.Errorf("%q, %v", got, err)
	}
	if err := c.SetNode(0, "default:stone", 0, 0); err != nil {
		t.Fatal(err)
	}
	c.Names[0].Name, c.Metadata.List[0].Vars[0].Value, c.Metadata.List[0].Inventory[0] = "x", "y", 'z'
	c.Objects.List[0].Data[0], c.Timers.List[0].Pos, c.Trailing[0] = 'x', 2, 'y'
	if got, err := b.Encode(); err != nil || string(got) != string(want) || b.Equal(c) {
		t.Errorf("the block has changed with its clone: %q, %v", got, err)
	}
}

// TestEncodeWith changes metadata of old blocks: the other parts of the same metadata stay, and only a change that the old
// form cannot store gives the block a newer version.
func TestEncodeWith(t *testing.T) {
	const inventory = "List 0 2\nItem NodeItem default:cobble 10\nItem ToolItem STPick 3\nEndInventoryList\nEndInventory\n"
	content := mapblock.LegacyContent{Inventory: []byte(inventory), Text: "hello", Owner: "me", Rest: []byte("{}"),
		SourceTotal: 20, Src: 3, Fuel: 4, RemovalDisabled: 1, Vars: []mapblock.Var{{Key: "empty"}, {Key: "a", Value: "b"}}}
	kinds := []mapblock.LegacyID{mapblock.LegacyGeneric, mapblock.LegacySign, mapblock.LegacyChest, mapblock.LegacyFurnace}
	b := mapblock.New(22)
	for i, id := range kinds {
		m, err := content.Meta(id)
		if err != nil {
			t.Fatal(err)
		}
		b.Metadata.List = append(b.Metadata.List, mapblock.NodeMeta{Pos: uint16(i), Legacy: m})
	}
	set := func(e *mapblock.NodeMeta, key, value string) {
		e.Vars = slices.DeleteFunc(slices.Clone(e.Vars), func(v mapblock.Var) bool { return v.Key == key })
		if value != "" {
			e.Vars = append(e.Vars, mapblock.Var{Key: key, Value: value})
		}
	}
	for _, test := range []struct {
		entry   int
		change  func(e *mapblock.NodeMeta)
		want    func(l *mapblock.LegacyContent)
		version int
	}{
		{0, func(e *mapblock.NodeMeta) { set(e, "text", "new") }, func(l *mapblock.LegacyContent) { l.Text = "new" }, 22},
		{0, func(e *mapblock.NodeMeta) { set(e, "a", "c") }, func(l *mapblock.LegacyContent) { l.Vars[1].Value = "c" }, 22},
		{0, func(e *mapblock.NodeMeta) { set(e, "owner", "") }, func(l *mapblock.LegacyContent) { l.Owner = "" }, 22},
		{1, func(e *mapblock.NodeMeta) { set(e, "text", "new"); set(e, "infotext", `"new"`) },
			func(l *mapblock.LegacyContent) { l.Text = "new" }, 22},
		{1, func(e *mapblock.NodeMeta) { set(e, "text", "new") }, nil, 23},
		{2, func(e *mapblock.NodeMeta) {
			e.Inventory = bytes.Replace(e.Inventory, []byte("default:cobble 10"), []byte("default:dirt 7"), 1)
		}, func(l *mapblock.LegacyContent) {
			l.Inventory = bytes.Replace([]byte(inventory), []byte("NodeItem default:cobble 10"), []byte("default:dirt 7"), 1)
		}, 22},
		{3, func(e *mapblock.NodeMeta) { set(e, "fuel_time", "0.9") }, func(l *mapblock.LegacyContent) { l.Fuel = 9 }, 22},
		{3, func(e *mapblock.NodeMeta) { set(e, "secret", "x") }, nil, 23},
	} {
		was := b.Today()
		now := *was
		now.Metadata.List = slices.Clone(was.Metadata.List)
		test.change(&now.Metadata.List[test.entry])
		var lifted []check.Finding
		data, version, err := b.EncodeWith(was, &now, func(f check.Finding) { lifted = append(lifted, f) })
		if err != nil || (version == 22) != (test.version == 22) || (version == 22) != (len(lifted) == 0) {
			t.Fatal(test.entry, version, err, lifted)
		}
		got, err := mapblock.Decode(data)
		if err != nil || version != 22 {
			continue
		}
		for i, e := range got.Metadata.List {
			want := b.Metadata.List[i].Legacy
			if i == test.entry {
				l, _ := want.Content()
				test.want(&l)
				want, _ = l.Meta(want.ID)
			}
			if !bytes.Equal(e.Legacy.Body, want.Body) {
				t.Errorf("entry %d became\n%q, want\n%q", i, e.Legacy.Body, want.Body)
			}
		}
	}
}

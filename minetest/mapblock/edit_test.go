package mapblock_test

import (
	"errors"
	"strings"
	"testing"

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
	if err := full.SetNode(0, "one:more", 0, 0); !errors.Is(err, fault.ErrLimit) {
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

package worldmerge

import (
	"testing"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// FuzzBlock tests that merging any three blocks gives a valid block or an error.
func FuzzBlock(f *testing.F) {
	var seeds [][]byte
	for version := range mapblock.Newest + 1 {
		if !mapblock.Writable(version) {
			continue
		}
		b := mapblock.New(version)
		if version >= 25 {
			b.Metadata.List = []mapblock.NodeMeta{{Pos: 3, Vars: []mapblock.Var{{Key: "owner", Value: "ann"}},
				Inventory: []byte("List main 1\nWidth 0\nItem default:dirt 3\nEndInventoryList\nEndInventory\n")}}
			b.Metadata.Version = 1
			b.Timers.List = []mapblock.Timer{{Pos: 9, Timeout: 100}}
			b.Objects.List = []mapblock.Object{{Type: mapblock.ObjectLuaEntity, Data: []byte("x")}}
		}
		data, err := b.Encode()
		if err != nil {
			f.Fatal(version, err)
		}
		seeds = append(seeds, data)
	}
	for i := range seeds {
		f.Add(seeds[i], seeds[(i+1)%len(seeds)], seeds[(i+2)%len(seeds)])
		f.Add(seeds[i], seeds[i], seeds[(i+2)%len(seeds)])
	}
	f.Fuzz(func(t *testing.T, base, ours, theirs []byte) {
		b, err1 := mapblock.Decode(base)
		o, err2 := mapblock.Decode(ours)
		u, err3 := mapblock.Decode(theirs)
		if err1 != nil || err2 != nil || err3 != nil {
			return
		}
		merged, err := new(merger).mergeBlock(mapdb.Pos{X: 1}, b, o, u)
		if err != nil {
			return
		}
		if _, err := mapblock.Decode(merged); err != nil {
			t.Errorf("the merged block cannot be read: %v", err)
		}
	})
}

package mapblock_test

import (
	"errors"
	"fmt"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/minetest/mapblock"
)

func ExampleBlock_Check() {
	b := mapblock.New(29)
	b.Timers.List = []mapblock.Timer{{Pos: 5}}
	for _, f := range check.Collect(b.Check) {
		fmt.Println(f.Path, f.ID)
	}
	// Output: timers.entries[0] mt-block-timer-timeout
}

func ExampleDecode() {
	_, err := mapblock.Decode([]byte{99})
	fmt.Println(errors.Is(err, fault.ErrVersion))
	// Output: true
}

// ExampleBlock_Decode decodes many blocks into the memory of one.
func ExampleBlock_Decode() {
	data, err := mapblock.New(29).Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	b := new(mapblock.Block)
	for range 3 {
		if err := b.Decode(data); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(b.Version, b.Names)
	// Output: 29 [{0 air}]
}

// ExampleBlock_Encode places a node and encodes the block.
func ExampleBlock_Encode() {
	b := mapblock.New(29)
	if err := b.SetNode(mapblock.Index(1, 2, 3), "default:chest", 0, 0); err != nil {
		fmt.Println(err)
		return
	}
	data, err := b.Encode()
	fmt.Println(data[0], err)
	// Output: 29 <nil>
}

func ExampleItem_Encode() {
	data, err := mapblock.Item{Stack: "default:dirt 5"}.Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	o := mapblock.Object{Type: mapblock.ObjectItem, Data: data}
	it, err := o.Item()
	fmt.Println(it.Stack, err)
	// Output: default:dirt 5 <nil>
}

func ExampleLuaEntity_Encode() {
	data, err := mapblock.LuaEntity{Version: 1, Name: "mobs:dog", HP: 5}.Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	o := mapblock.Object{Type: mapblock.ObjectLuaEntity, Data: data}
	e, err := o.LuaEntity()
	fmt.Println(e.Name, e.HP, err)
	// Output: mobs:dog 5 <nil>
}

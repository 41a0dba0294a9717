package minetest_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/testing/mutate"
	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/internal/protect"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/schematic"
	"trowel.example/minetest/world"
)

// TestDecoders tests, for every decoder, that a nil error means that everything was read, whatever part of the file is
// missing.
func TestDecoders(t *testing.T) {
	for _, w := range minetestFiles(t) {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			w.Prefixes = 400
			w.Test(t)
		})
	}
}

func minetestFiles(t *testing.T) (list []mutate.Whole) {
	for _, version := range []int{17, 20, 24, 25, 28, 29} {
		b := mapblock.New(version)
		if version >= 24 {
			if err := b.SetNode(5, "default:dirt", 7, 3); err != nil {
				t.Fatal(err)
			}
		}
		data := mutate.Must[[]byte](t)(b.Encode())
		list = append(list, mutate.Whole{Name: fmt.Sprintf("block of version %d", version), Data: data, Read: mutate.Reads(mapblock.Decode)})
	}
	s := mutate.Must[*schematic.Schematic](t)(
		schematic.Decode([]byte(`5:return {{x=0,y=0,z=0,name="default:dirt"},{x=0,y=1,z=0,name="default:torch",param2=1}}`)))
	for _, form := range []schematic.Form{schematic.MTS, schematic.WorldEdit} {
		c, _ := s.Convert(form)
		list = append(list, mutate.Whole{Name: "schematic " + string(form), Data: mutate.Must[[]byte](t)(c.Encode()),
			Read: mutate.Reads(schematic.Decode), Text: form != schematic.MTS})
	}
	db := mapdb.NewMemory()
	for i := range 5000 {
		if err := db.Store(context.Background(), []mapdb.Block{{Pos: mapdb.Pos{X: int16(i % 100), Z: int16(i / 100)},
			Data: []byte{byte(i)}}}); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if _, err := manifest.Make(context.Background(), db, &b, manifest.Options{}); err != nil {
		t.Fatal(err)
	}
	list = append(list, mutate.Whole{Name: "manifest", Data: b.Bytes(), Blocks: [][]byte{b.Bytes()[20:9000]},
		Read: func(data []byte) error {
			m, err := manifest.Open(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				return err
			}
			return m.Verify(context.Background())
		}})
	inventory := "List main 2\nWidth 0\nItem default:dirt 5\nEmpty\nEndInventoryList\nEndInventory\n"
	list = append(list, mutate.Whole{Name: "inventory", Text: true, Data: []byte(strings.TrimSpace(inventory)), Read: func(data []byte) error {
		_, _, err := item.ParseInventory(data)
		return err
	}})
	for _, text := range []string{
		`[{"name":"Home","owner":"ann","pos1":{"x":-10,"y":0.0,"z":5},"pos2":{"x":10,"y":20,"z":9}}]`,
		`return {{["name"]="Home",["owner"]="ann",["pos1"]={["x"]=-10,["y"]=0,["z"]=5},["pos2"]={["x"]=1,["y"]=20,["z"]=9}}}`,
	} {
		list = append(list, mutate.Whole{Name: "areas", Data: []byte(text), Text: true, Read: func(data []byte) error {
			if len(data) == 0 {
				return fault.ErrShort // a list of zero areas
			}
			return mutate.Reads(protect.ParseAreas)(data)
		}})
	}
	player := "name = ann\nposition = (1,2,3)\nPlayerArgsEnd\n" + strings.TrimSpace(inventory)
	record := mutate.Must[*world.Player](t)(world.ParsePlayer([]byte(player)))
	return append(list,
		mutate.Whole{Name: "player", Data: []byte(player), Text: true, Read: mutate.Reads(world.ParsePlayer)},
		mutate.Whole{Name: "record of a player", Data: bytes.TrimSpace(mutate.Must[[]byte](t)(record.AppendRecord(nil))),
			Read: mutate.Reads(func(data []byte) (*world.Player, error) { return world.ParsePlayerRecord("ann", data) })},
		mutate.Whole{Name: "mod storage", Data: []byte(`{"a":"1","b":"2"}`), Text: true,
			Read: mutate.Reads(func(data []byte) (*world.ModData, error) { return world.ParseModFile("m", data) })},
		mutate.Whole{Name: "chunk_meta", Data: world.AppendChunkMeta(nil, []world.Chunk{{X: 1, Z: 2, Flags: 3}, {X: 4}}),
			Read: mutate.Reads(world.ParseChunkMeta)},
		nodeDefinitions,
	)
}

var nodeDefinitions = func() mutate.Whole {
	defs := `{"format":"trowel-nodes","version":2,"engine":"5.6.1","mods":[{"name":"m","path":"/m"}],"aliases":{"d":"default:dirt"},` +
		`"nodes":[{"name":"default:dirt","tiles":["a.png",{"name":"b.png"}],"node_box":{"type":"fixed","fixed":[0,0,0,1,1,1]}}]}`
	return mutate.Whole{Name: "node definitions", Data: []byte(defs), Read: func(data []byte) error {
		_, err := nodedef.Parse(bytes.NewReader(data))
		return err
	}}
}()

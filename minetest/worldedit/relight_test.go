package worldedit_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/worldedit"
)

// TestRelight compares light that is computed part by part with light that is computed for all blocks at once.
func TestRelight(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	ctx := context.Background()
	w, err := worldedit.Open(ctx, emptyWorld(t), worldedit.Options{Nodes: nodedef.MinetestGame()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	area := mapdb.Area{Min: mapdb.Pos{X: -6, Y: -2, Z: -3}, Max: mapdb.Pos{X: 10, Y: 1, Z: 1}}
	if !tests.Long(t) {
		area.Min.Y, area.Max.Y, area.Min.Z, area.Max.Z = -1, 0, -1, 0
	}
	names := []string{"default:stone", "default:glass", "default:leaves", "default:mese_post_light", "default:torch_wall",
		"default:lava_source", "nobody:knows"}
	fill := worldedit.Each{Area: area, Create: true, Edit: func(b *worldedit.Block) error {
		r := rand.New(rand.NewPCG(uint64(b.Pos.X+50), uint64(b.Pos.Y+9*b.Pos.Z+200)))
		for i := range mapblock.NodeCount {
			b.Param1[i] = uint8(r.IntN(256))
			_, y, _ := mapblock.Coordinates(i)
			name := "air"
			if y == 9 && r.IntN(20) > 0 {
				name = "default:stone"
			} else if r.IntN(60) == 0 {
				name = names[r.IntN(len(names))]
			}
			if _, err := b.SetNode(i, name, 0); err != nil {
				return err
			}
		}
		b.MarkNodes()
		return nil
	}}
	if err := w.Do(ctx, fill); err != nil {
		t.Fatal(err)
	}
	blocks := make(map[mapdb.Pos]*mapblock.Block)
	var list []mapdb.Pos
	for p, data := range worldtest.All(t, w) {
		b, err := mapblock.Decode([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		blocks[p] = b
		list = append(list, p)
	}
	want, err := worldedit.SpreadLight(func(p mapdb.Pos) (*mapblock.Block, error) { return blocks[p], nil }, nodedef.MinetestGame(), list)
	if err != nil {
		t.Fatal(err)
	}
	counts := new(worldedit.Counts)
	if err := w.Do(ctx, worldedit.Relight(counts)); err != nil {
		t.Fatal(err)
	}
	if n := counts.Blocks.Load(); n < int64(len(list)) {
		t.Errorf("%d of %d blocks have another light", n, len(list))
	}
	if notes := counts.Notes(); len(notes) != 1 {
		t.Errorf("%q", notes)
	}
	for p, data := range worldtest.All(t, w) {
		b, err := mapblock.Decode([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		if b.Param1 != want[p].Param1 || b.LightingComplete != want[p].Complete {
			t.Errorf("%v differs", p)
		}
	}
	before := worldtest.All(t, w)
	if err := w.Do(ctx, worldedit.FixLight(mapdb.All(), nil)); err != nil {
		t.Fatal(err)
	}
	for p, data := range worldtest.All(t, w) {
		if before[p] != data {
			t.Errorf("%v has another light when it is computed again", p)
		}
	}
	without := open(t, emptyWorld(t))
	if err := without.Do(ctx, worldedit.FixLight(mapdb.All(), nil)); err == nil {
		t.Error("there is light without definitions")
	}
}

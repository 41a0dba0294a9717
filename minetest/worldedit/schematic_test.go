package worldedit_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/schematic"
	"trowel.example/minetest/worldedit"
)

// made returns a small world with chests and other contents.
func made(t *testing.T, r *rand.Rand) *worldedit.World {
	t.Helper()
	w := open(t, emptyWorld(t))
	box := worldedit.Box{Min: worldedit.Vec{-16, -16, -16}, Max: worldedit.Vec{15, 15, 15}}
	names := []string{"air", "air", "default:stone", "default:chest"}
	if err := w.Do(context.Background(), worldedit.Each{Area: box.Area(), Create: true, Edit: func(b *worldedit.Block) error {
		r := rand.New(rand.NewPCG(uint64(b.Pos.X+5), uint64(b.Pos.Y+9*b.Pos.Z+20)))
		for i := range mapblock.NodeCount {
			name := names[r.IntN(len(names))]
			if _, err := b.SetNode(i, name, uint8(r.IntN(24))); err != nil {
				return err
			}
			if name == "default:chest" && r.IntN(3) == 0 {
				b.Metadata.List = append(b.Metadata.List, mapblock.NodeMeta{
					Pos: uint16(i), Vars: []mapblock.Var{{Key: "infotext", Value: "Chest"}},
					Inventory: []byte("List main 2\nWidth 0\nItem default:dirt 5\nEmpty\nEndInventoryList\nEndInventory\n"),
				})
			}
		}
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	return w
}

func emptyWorld(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	judge.Write(t, dir+"/world.mt", []byte("gameid = minetest\nbackend = sqlite3\n"))
	return dir
}

func takeAll(t *testing.T, db mapdb.DB, box worldedit.Box, form schematic.Form) *schematic.Schematic {
	t.Helper()
	s, left, err := worldedit.Take(context.Background(), db, box, form)
	if err != nil || left.Absent > 0 {
		t.Fatalf("%+v, %v", left, err)
	}
	return s
}

// TestPlace tests that a schematic changes a world exactly where its contents say so.
func TestPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	whole := worldedit.Box{Min: worldedit.Vec{-16, -16, -16}, Max: worldedit.Vec{15, 15, 15}}
	for _, form := range []schematic.Form{schematic.MTS, schematic.WorldEdit} {
		for round := range tests.Of(t, 4, 12) {
			w := made(t, r)
			from := worldedit.BoxOf(worldedit.Vec{r.IntN(32) - 16, r.IntN(32) - 16, r.IntN(32) - 16},
				worldedit.Vec{r.IntN(32) - 16, r.IntN(32) - 16, r.IntN(32) - 16})
			s := takeAll(t, w, from, form)
			if form == schematic.MTS {
				for i := range s.Prob {
					s.Prob[i] = uint8(r.IntN(2)) * schematic.Always
					s.SetForce(i, r.IntN(2) == 0)
				}
			}
			before := takeAll(t, w, whole, schematic.WorldEdit)
			at := worldedit.Vec{r.IntN(40) - 20, r.IntN(40) - 20, r.IntN(40) - 20}
			p := schematic.Placing{Quarters: round % 4, Force: round%2 == 0}
			if err := w.Do(context.Background(), worldedit.Place(s, at, p, worldedit.Setting{})); err != nil {
				t.Fatal(err)
			}
			after := takeAll(t, w, whole, schematic.WorldEdit)
			p.ParamType2 = func(name string) string {
				if n := nodedef.MinetestGame()[name]; n != nil {
					return n.ParamType2
				}
				return ""
			}
			type node struct {
				name   string
				param2 uint8
				meta   string
			}
			look := func(s *schematic.Schematic, i int) node {
				n := node{name: s.At(i), param2: s.Param2[i]}
				if m := s.MetaOf(i); m != nil {
					n.meta = m.Fields[0].Value + m.Lists[0].Items[0]
				}
				return n
			}
			want := make(map[int]node)
			for i := range before.Name {
				want[i] = look(before, i)
			}
			l := s.Place(p)
			for rel, n := range l.All {
				v := at.Add(l.Origin).Add(rel).Sub(whole.Min)
				if v[0] < 0 || v[1] < 0 || v[2] < 0 || v[0] > 31 || v[1] > 31 || v[2] > 31 {
					continue
				}
				i := before.Index(v[0], v[1], v[2])
				is := want[i]
				if !n.Force && is.name != "air" {
					continue
				}
				if is.name != n.Name || form == schematic.WorldEdit {
					is.meta = ""
				}
				is.name, is.param2 = n.Name, n.Param2
				if is.name == "air" {
					is.param2 = 0
				}
				if m := s.MetaOf(n.Index); m != nil {
					is.meta = m.Fields[0].Value + m.Lists[0].Items[0]
				}
				want[i] = is
			}
			for i, n := range want {
				if got := look(after, i); got != n {
					x, y, z := after.Coordinates(i)
					t.Fatalf("%s round %d: at %d,%d,%d there is %+v, want %+v", form, round, x, y, z, got, n)
				}
			}
		}
	}
}

// TestTakeAbsent tests that missing nodes are not taken.
func TestTakeAbsent(t *testing.T) {
	w := made(t, nil)
	box := worldedit.Box{Min: worldedit.Vec{0, 0, 0}, Max: worldedit.Vec{16, 0, 0}}
	s, left, err := worldedit.Take(context.Background(), w, box, schematic.MTS)
	if err != nil || left.Absent != 1 || s.Prob[16] != schematic.Never || s.Prob[0] != schematic.Always {
		t.Errorf("%+v, %v", left, err)
	}
}

package worldquery

import (
	"context"

	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// Kind is a kind of named things.
type Kind string

// The kinds of names in blocks.
const (
	KindNode     Kind = "node"
	KindItem     Kind = "item"
	KindObject   Kind = "object"
	KindVariable Kind = "variable" // of metadata
)

// Called is a name of a kind.
type Called struct {
	Kind Kind
	Name string
}

// AllCalled calls yield with the names of all nodes, items, objects and variables in blocks. A name may occur several
// times. Blocks that cannot be read are skipped.
func AllCalled(ctx context.Context, db mapdb.DB, yield func(Called) error) error {
	return query[Called]{look: func(p mapdb.Pos, b *mapblock.Block) (found []Called) {
		add := func(kind Kind, name string) { found = append(found, Called{kind, name}) }
		for _, n := range b.Names {
			add(KindNode, n.Name)
		}
		for i := range b.Metadata.List {
			m := &b.Metadata.List[i]
			for _, v := range m.Vars {
				add(KindVariable, v.Key)
			}
			inv, _ := item.SalvageInventory(m.Inventory)
			stacks(inv, Names{}, func(_ string, _ int, s item.Stack) { add(KindItem, s.Name) })
		}
		for i := range b.Objects.List {
			o := ObjectOf(p, &b.Objects.List[i])
			add(KindObject, o.Name)
			if stack, ok := o.item(); ok && !stack.Empty() {
				add(KindItem, stack.Name)
			}
		}
		return found
	}}.run(ctx, db, Where{}, yield)
}

// PlayersCalled calls yield with the names of the items of all players of the world in the folder dir. A name may occur several times.
func PlayersCalled(ctx context.Context, dir string, o world.Options, yield func(Called) error) error {
	settings, err := world.ReadWorldMT(dir)
	if err != nil {
		return err
	}
	players, err := world.OpenPlayers(ctx, dir, settings, o)
	if err != nil {
		return err
	}
	defer players.Close()
	return playerItems(ctx, players, Names{}, func(error) {}, func(it Item) error { return yield(Called{KindItem, it.Stack.Name}) })
}

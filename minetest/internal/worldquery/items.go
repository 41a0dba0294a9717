package worldquery

import (
	"bytes"
	"context"
	"fmt"
	"regexp"

	"trowel.example/check"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// Item is a stack of items: in the inventory of a node or player, or dropped in the world.
type Item struct {
	At     check.Place // a [place.Slot], or the [place.Node] where it was dropped
	Stack  item.Stack
	Holder string // the owner of the inventory: the name of a node or an object, or "player"
	Owner  string // the player, or the variable owner of the node; "" for nobody
}

// FindItems finds items by name, in the inventories of nodes and dropped in the world.
func FindItems(ctx context.Context, db mapdb.DB, where Where, names Names, yield func(Item) error) error {
	return query[Item]{look: func(p mapdb.Pos, b *mapblock.Block) []Item { return itemsIn(p, b, where, names) }}.run(ctx, db, where, yield)
}

// itemsIn is [Items] for the block at a position, as returned by [mapblock.Block.Today].
func itemsIn(p mapdb.Pos, b *mapblock.Block, where Where, names Names) (found []Item) {
	for i := range b.Metadata.List {
		m := &b.Metadata.List[i]
		if len(m.Inventory) == 0 || int(m.Pos) >= mapblock.NodeCount || !where.contains(p, int(m.Pos)) {
			continue
		}
		if names.literal != "" && !bytes.Contains(m.Inventory, []byte(names.literal)) && !legacyItems.Match(m.Inventory) {
			continue
		}
		inv, _ := item.SalvageInventory(m.Inventory) // a check reports the damage
		at := nodeAt(p, int(m.Pos))
		holder, owner := nameAt(b, int(m.Pos)), m.Var("owner")
		stacks(inv, names, func(list string, slot int, s item.Stack) {
			found = append(found, Item{place.Slot{Node: &at, List: list, Slot: slot}, s, holder, owner})
		})
	}
	for i := range b.Objects.List {
		o := ObjectOf(p, &b.Objects.List[i])
		if stack, ok := o.item(); ok && !stack.Empty() && names.Match(stack.Name) && where.Contains(NodeOf(o.Pos)) {
			found = append(found, Item{o.At, stack, o.Name, ""})
		}
	}
	return found
}

// legacyItems matches the beginning of itemstrings from before 0.4, whose items have other names.
var legacyItems = regexp.MustCompile(`(?m)^Item "?(?:NodeItem|MaterialItem[23]?|ToolItem|CraftItem|MBOItem|craft|tool|node) `)

// stacks calls do for the items of an inventory that have one of the names.
func stacks(inv *item.Inventory, names Names, do func(list string, slot int, s item.Stack)) {
	for _, list := range inv.Lists {
		for i, slot := range list.Items {
			s := slot.Stack
			if s.Legacy != "" {
				if current, err := s.MigrateLegacy(mapblock.LegacyName); err == nil {
					s = current
				}
			}
			if !s.Empty() && names.Match(s.Name) {
				do(list.Name, i, s)
			}
		}
	}
}

// playerItems finds items in the inventories of players.
func playerItems(ctx context.Context, players world.Players, names Names, onMiss func(error), yield func(Item) error) error {
	return findPlayers(ctx, players, Names{}, onMiss, func(p *world.Player) error {
		items, err := ItemsOf(p, names)
		if err != nil {
			onMiss(err)
		}
		for _, it := range items {
			if err := yield(it); err != nil {
				return err
			}
		}
		return nil
	})
}

// ItemsOf is playerItems for one player. If a part of the inventory cannot be read, it returns an error and the
// items that can be read.
func ItemsOf(p *world.Player, names Names) (found []Item, err error) {
	inv := p.Inventory
	if inv == nil {
		err = fmt.Errorf("player %s: the inventory cannot be read as a whole", p.Name)
		inv, _ = item.SalvageInventory(p.Broken)
	}
	stacks(inv, names, func(list string, slot int, s item.Stack) {
		found = append(found, Item{place.Slot{Player: p.Name, List: list, Slot: slot}, s, "player", p.Name})
	})
	return found, err
}

// findPlayers finds players by name. It calls onMiss with errors about players that cannot be read.
func findPlayers(ctx context.Context, players world.Players, names Names, onMiss func(error), yield func(*world.Player) error) error {
	return Each(ctx, players, names.Match, func(name string, err error) {
		if name != "" {
			err = fmt.Errorf("player %s: %w", name, err)
		}
		onMiss(err)
	}, yield)
}

// Each calls yield with the things of a store whose names match accepts. It calls onMiss with errors about things that
// cannot be read; name is "" if the name cannot be read. An error of a server, of ctx or of yield ends the search.
func Each[T any](ctx context.Context, s world.Store[T], match func(name string) bool, onMiss func(name string, err error),
	yield func(T) error) error {
	for name, err := range s.Names(ctx) {
		if err == nil && !match(name) {
			continue
		}
		var thing T
		if err != nil {
			name = ""
		} else {
			thing, err = s.Get(ctx, name)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case world.Failed(err):
			return err
		case err != nil:
			onMiss(name, err)
			continue
		}
		if err := yield(thing); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Object is a movable thing, at the time when its block was saved: a mob, a dropped item, a cart.
type Object struct {
	At   place.Node // its node; the block if the position is outside of the world
	Name string     // name of the entity, or the engine's name for another type of object
	Pos  [3]float64 // x, y and z in nodes
	HP   int        // 0 for objects other than entities
	Data string     // static data of the entity
	Item string     // the dropped item, as an itemstring; "" for other objects
}

// FindObjects finds objects by name.
func FindObjects(ctx context.Context, db mapdb.DB, where Where, names Names, yield func(Object) error) error {
	return query[Object]{look: func(p mapdb.Pos, b *mapblock.Block) []Object { return objectsIn(p, b, where, names) }}.run(
		ctx, db, where, yield)
}

// objectsIn is [Objects] for the block at a position, as returned by [mapblock.Block.Today].
func objectsIn(p mapdb.Pos, b *mapblock.Block, where Where, names Names) (found []Object) {
	for i := range b.Objects.List {
		if o := ObjectOf(p, &b.Objects.List[i]); names.Match(o.Name) && where.Contains(NodeOf(o.Pos)) {
			found = append(found, o)
		}
	}
	return found
}

// ObjectOf decodes an object of a block.
func ObjectOf(p mapdb.Pos, o *mapblock.Object) Object {
	found := Object{At: blockAt(p), Name: o.Type.String()}
	for i, v := range o.Pos {
		found.Pos[i] = float64(v) / 10000
	}
	if in, index := NodeOf(found.Pos).Block(); in.Valid() {
		found.At = nodeAt(in, index)
	}
	if o.Type == mapblock.ObjectLuaEntity {
		if e, err := o.LuaEntity(); err == nil {
			found.Name, found.HP, found.Data = e.Name, int(e.HP), e.StaticData
		}
	}
	found.Item, _ = o.Dropped()
	return found
}

// item returns the dropped stack.
func (o *Object) item() (item.Stack, bool) {
	if o.Item == "" {
		return item.Stack{}, false
	}
	s, err := item.ParseStack(o.Item)
	if err == nil && s.Legacy != "" {
		s, err = s.MigrateLegacy(mapblock.LegacyName)
	}
	return s, err == nil
}

package worldedit

import (
	"cmp"
	"context"

	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/world"
)

// AliasOptions are the options of [ResolveAliases].
type AliasOptions struct {
	// Players also renames items in the inventories of all players.
	Players bool
}

// ResolveAliases is a step that replaces aliases by the names that they mean, as the engine does when it loads a world: in the nodes
// of a region and in the inventories of these nodes. Param2, metadata and timers stay. The aliases are those of [Options.Nodes] and
// [Options.Aliases] or, without nodes, those of minetest_game.
func ResolveAliases(r Region, o AliasOptions, t *Counts) Step {
	return StepFunc(func(ctx context.Context, w *World) error {
		aliases := w.opts.Aliases
		if w.opts.Nodes == nil {
			aliases = nodedef.MinetestGameAliases()
		}
		nodes := w.definitions()
		ofItem := func(name string) (string, bool) {
			to, ok := aliases[name]
			return to, ok && !nodes.Defines(name) // a node hides an alias of the same name
		}
		if err := w.Do(ctx, r.rename(func(name string) (string, bool) {
			to, ok := ofItem(name)
			return to, ok && nodes.Defines(to)
		}, ofItem, t)); err != nil || !o.Players {
			return err
		}
		return w.renamePlayersItems(ctx, ofItem, false, t)
	})
}

// rename is a step that renames nodes of the region, and the items in their inventories.
func (r Region) rename(node, item func(name string) (string, bool), t *Counts) Step {
	selected := r.Selector()
	s := Setting{KeepParam2: true, KeepMetadata: true, Counts: t}
	return Each{Area: r.Area(), Edit: func(b *Block) error {
		m, any := selected(b)
		if !any {
			return nil
		}
		if b.changeItems(func(i uint16) bool { return i < mapblock.NodeCount && m.Has(int(i)) }, item, false, t) > 0 {
			b.Mark()
		}
		table := b.Table()
		for id, name := range table {
			to, ok := node(name)
			if !ok {
				continue
			}
			ids := make([]bool, len(table))
			ids[id] = true
			of := m
			b.keep(&of, ids)
			if _, unused := b.renamable(ids, to); unused && m == all {
				s.rename(b, &of, uint16(id), to)
			} else if err := s.set(b, &of, func(int) string { return to }); err != nil {
				return err
			}
		}
		return nil
	}}
}

// renamePlayersItems renames items in the inventories of all players.
func (w *World) renamePlayersItems(ctx context.Context, to func(name string) (string, bool), plain bool, t *Counts) error {
	players, err := w.Players(ctx)
	if err != nil {
		return err
	}
	var changed []*world.Player
	for name, err := range players.Names(ctx) {
		if err != nil {
			return err
		}
		p, err := players.Get(ctx, name)
		if world.Failed(err) || ctx.Err() != nil {
			return cmp.Or(ctx.Err(), err)
		}
		if err != nil || p.Inventory == nil {
			t.Note("players that cannot be read, unchanged", 1)
		} else if n := renameItems(p.Inventory, to, plain); n > 0 {
			changed = append(changed, p)
			if t != nil {
				t.Items.Add(int64(n))
			}
		}
	}
	for _, p := range changed {
		if err := players.Put(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// renameItems renames items of an inventory, and returns the number of changed slots. The counts stay; if the new name is "", the
// items are removed. With plain, new items have no wear and no metadata.
func renameItems(inv *item.Inventory, to func(name string) (string, bool), plain bool) (n int) {
	for _, l := range inv.Lists {
		for i := range l.Items {
			if rename(&l.Items[i], to, plain) {
				n++
			}
		}
	}
	return n
}

// rename is renameItems for one slot.
func rename(s *item.Slot, to func(name string) (string, bool), plain bool) bool {
	now := named(s.Stack)
	if now.Legacy != "" || now.Empty() {
		return false
	}
	name, ok := to(now.Name)
	if !ok {
		return false
	}
	if s.Stack = now; name == "" {
		*s = item.Slot{}
	} else if s.Name = name; plain {
		s.Wear, s.Meta = 0, nil
	}
	return true
}

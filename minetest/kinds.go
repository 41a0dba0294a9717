package minetest

import (
	"context"
	"iter"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldfind"
	"trowel.example/minetest/internal/worldsteps"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
)

// Kinds of things that options name, in addition to those of [worldfind.Kind] and package worldsteps. They are not in
// blocks.
const (
	namesPlayer = "player"
	namesMod    = "mod"
)

// namesInWorld is [format.Format.Names] for worlds. It does not connect to other machines.
func namesInWorld(ctx context.Context, job *format.Job, src *format.Source, kind string, add func(name string)) error {
	settings, err := world.ReadWorldMT(src.Dir)
	if err != nil {
		return err
	}
	addAll := func(names iter.Seq2[string, error]) error {
		for name, err := range names {
			if err != nil {
				return err
			}
			add(name)
		}
		return nil
	}
	switch kind {
	case namesPlayer:
		players, err := world.OpenPlayers(ctx, src.Dir, settings, world.Options{})
		if err != nil {
			return err
		}
		defer players.Close()
		return addAll(players.Names(ctx))
	case namesMod:
		store, err := world.OpenStorage(ctx, src.Dir, settings, world.Options{})
		if err != nil {
			return err
		}
		defer store.Close()
		return addAll(store.Names(ctx))
	}
	kinds := map[string][]worldfind.Kind{
		worldsteps.NamesNewNode: {worldfind.KindNode}, worldsteps.NamesRule: {worldfind.KindNode},
		worldsteps.NamesNewItem: {worldfind.KindNode, worldfind.KindItem}, string(worldfind.KindItem): {worldfind.KindItem},
		worldsteps.NamesCondition: {worldfind.KindNode, worldfind.KindVariable},
	}[kind]
	if kinds == nil {
		kinds = []worldfind.Kind{worldfind.Kind(kind)}
	}
	if kind == worldsteps.NamesNewNode || kind == worldsteps.NamesNewItem {
		for name := range nodedef.MinetestGame() {
			add(name)
		}
	}
	db, err := worlddir.OpenMap(ctx, src.Dir, settings, world.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	return worldfind.AllCalled(ctx, db, func(c worldfind.Called) error {
		for _, k := range kinds {
			switch {
			case k != c.Kind:
			case kind != worldsteps.NamesCondition:
				add(c.Name)
			case k == worldfind.KindNode:
				add("node=" + c.Name)
			default:
				add("meta:" + c.Name + "=")
			}
		}
		return ctx.Err()
	})
}

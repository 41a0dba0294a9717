package worldsteps

import (
	"context"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldquery"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
)

// NamesInWorld calls add with the names of a kind in a world. It does not connect to other machines.
func NamesInWorld(ctx context.Context, job *format.Job, src *format.Source, kind string, add func(name string)) error {
	if kind == NamesSchematic {
		return addSchematics(src.Dir, add)
	}
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
	case NamesPlayer:
		players, err := world.OpenPlayers(ctx, src.Dir, settings, world.Options{})
		if err != nil {
			return err
		}
		defer players.Close()
		return addAll(players.Names(ctx))
	case NamesNewItem, string(worldquery.KindItem):
		err := worldquery.PlayersCalled(ctx, src.Dir, world.Options{}, func(c worldquery.Called) error { add(c.Name); return ctx.Err() })
		if err != nil {
			return err
		}
	case NamesMod:
		store, err := world.OpenStorage(ctx, src.Dir, settings, world.Options{})
		if err != nil {
			return err
		}
		defer store.Close()
		return addAll(store.Names(ctx))
	}
	kinds := map[string][]worldquery.Kind{
		NamesNewNode: {worldquery.KindNode}, NamesRule: {worldquery.KindNode},
		NamesNewItem: {worldquery.KindNode, worldquery.KindItem}, string(worldquery.KindItem): {worldquery.KindItem},
		NamesCondition: {worldquery.KindNode, worldquery.KindVariable},
	}[kind]
	if kinds == nil {
		kinds = []worldquery.Kind{worldquery.Kind(kind)}
	}
	if kind == NamesNewNode || kind == NamesNewItem {
		for _, name := range nodedef.MinetestGame().Names() {
			add(name)
		}
	}
	db, err := worlddir.OpenMap(ctx, src.Dir, settings, world.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	return worldquery.AllCalled(ctx, db, func(c worldquery.Called) error {
		for _, k := range kinds {
			switch {
			case k != c.Kind:
			case kind != NamesCondition:
				add(c.Name)
			case k == worldquery.KindNode:
				add("node=" + c.Name)
			default:
				add("meta:" + c.Name + "=")
			}
		}
		return ctx.Err()
	})
}

// addSchematics calls add with the paths of the schematics of a world: WorldEdit saves them in schems, and mods of the world
// have them in folders of these names.
func addSchematics(dir string, add func(name string)) error {
	for _, folder := range []string{"schems", "worldmods/*/schems", "worldmods/*/schematics"} {
		for _, ext := range []string{"mts", "we"} {
			names, err := fs.Glob(os.DirFS(dir), folder+"/*."+ext)
			if err != nil {
				return err
			}
			for _, name := range names {
				path := filepath.Join(dir, filepath.FromSlash(name))
				if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
					add(path)
				}
			}
		}
	}
	return nil
}

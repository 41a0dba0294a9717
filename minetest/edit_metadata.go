package minetest

import (
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldfind"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldsteps"
)

var metaCommands = []worldsteps.Command{
	worldsteps.Bind(format.Command{
		Name: "set-metadata", Title: "Set an existing variable of the metadata of nodes", Heading: "Metadata and objects",
		Args: []format.Option{
			{Name: "key", Names: string(worldfind.KindVariable), Help: "the name of the variable"},
			{Name: "value", Help: "the new value"},
		},
		Options: with(regionOptions, format.Option{Name: "all", Bool: true,
			Help: "add the variable to metadata that lack it, and to the nodes of --where node=NAME that have no metadata"}),
		Example: "set-metadata owner ann --where owner=bob",
	}, worldsteps.SetMetadata),
	worldsteps.Bind(format.Command{
		Name: "delete-metadata", Title: "Delete the metadata of nodes: variables and inventory", Heading: "Metadata and objects",
		Options: with(regionOptions, format.Option{Name: "key", Names: string(worldfind.KindVariable),
			Help: "only the variable with this `name`"}),
		Example: "delete-metadata --where node=default:stone",
	}, worldsteps.DeleteMetadata),
	worldsteps.Bind(format.Command{
		Name: "delete-timers", Title: "Delete the timers of nodes", Heading: "Metadata and objects",
		Options: regionOptions,
		Example: "delete-timers --where node=default:furnace_active",
	}, worldsteps.DeleteTimers),
	worldsteps.Bind(format.Command{
		Name: "delete-objects", Title: "Delete mobs, dropped items and other objects", Heading: "Metadata and objects",
		Long:    "NAME may contain the wildcards * and ?; * selects all objects. The name of a dropped item is __builtin:item.",
		Args:    []format.Option{{Name: "name", List: true, Some: true, Names: string(worldfind.KindObject), Help: "names of objects"}},
		Options: with(regionOptions, worldsteps.OptionItems),
		Example: "delete-objects default:cobble default:dirt --items",
	}, worldsteps.DeleteObjects),
	worldsteps.Bind(format.Command{
		Name: "replace-items", Title: "Replace items in the inventories of nodes", Heading: "Metadata and objects",
		Long: "Items of players and dropped items are kept. Definitions of nodes do not list tools and other items: --new-name " +
			"confirms a name that no inventory in the world contains.",
		Args: []format.Option{
			{Name: "item", Names: string(worldfind.KindItem), Help: "the name of the existing items, with wildcards * and ?"},
			{Name: "new", Names: worldsteps.NamesNewItem, Help: "the new name"},
		},
		Options: with(regionOptions, worldsteps.OptionNewItemName,
			format.Option{Name: "plain", Bool: true, Help: "new items have no wear and no metadata"}),
		Example: "replace-items default:diamond default:coal_lump --new-name --where node=default:chest*",
	}, worldsteps.ReplaceItems),
	worldsteps.Bind(format.Command{
		Name: "delete-items", Title: "Delete items in the inventories of nodes", Heading: "Metadata and objects",
		Args:    []format.Option{argumentItem},
		Options: regionOptions,
		Example: "delete-items tnt:tnt --box 0,0,0:200,50,200",
	}, worldsteps.DeleteItems),
	worldsteps.Bind(format.Command{
		Name: "overlay", Title: "Copy a region of another world into this one", Heading: "Pieces",
		Long: "Blocks that lie in the region completely are copied with everything in them, others with nodes, metadata and timers.",
		Args: []format.Option{{Name: "world", Input: true, Help: "the folder of the other world"}},
		Options: with(regionOptions,
			format.Option{Name: "offset", Help: "the distance between the region there and here, as `dx,dy,dz`"}, optionCreate),
		Example: "overlay ../old-world --box 0,0,0:100,50,100 --create",
	}, worldsteps.Overlay),
	worldsteps.PutBack(format.Command{
		Name: "put-back", Title: "Put a region of a backup back into the world", Heading: "Pieces",
		Long: "Nodes become what they were in the snapshot, with their light, metadata, inventories and timers. Objects stay. " +
			"Blocks that the snapshot lacks stay, and are counted. A block that the world lacks is put back as a whole.",
		Args:    []format.Option{{Name: "repository", Input: true, Help: "the repository of backups"}},
		Options: with(placeOptions, append([]format.Option{argumentMoment}, worldjob.TrustArguments()...)...),
		Example: "put-back ../backups --moment 2026-11-20 --box 0,0,0:100,50,100",
	}),
}

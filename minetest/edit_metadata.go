package minetest

import (
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldsteps"
)

var metaCommands = []*format.Command{
	worldsteps.Bind(format.Command{
		Name: "set-metadata", Title: "Set an existing variable of the metadata of nodes", Heading: "Metadata and objects",
		Example: "set-metadata owner ann --where owner=bob",
	}, worldsteps.SetMetadata),
	worldsteps.Bind(format.Command{
		Name: "delete-metadata", Title: "Delete the metadata of nodes: variables and inventory", Heading: "Metadata and objects",
		Example: "delete-metadata --where node=default:stone",
	}, worldsteps.DeleteMetadata),
	worldsteps.Bind(format.Command{
		Name: "delete-timers", Title: "Delete the timers of nodes", Heading: "Metadata and objects",
		Example: "delete-timers --where node=default:furnace_active",
	}, worldsteps.DeleteTimers),
	worldsteps.Bind(format.Command{
		Name: "delete-objects", Title: "Delete mobs, dropped items and other objects", Heading: "Metadata and objects",
		Long:    "NAME may contain the wildcards * and ?; * selects all objects. The name of a dropped item is __builtin:item.",
		Example: "delete-objects default:cobble default:dirt --items",
	}, worldsteps.DeleteObjects),
	worldsteps.Bind(format.Command{
		Name: "replace-items", Title: "Replace items in inventories of nodes and players, and dropped items", Heading: "Metadata and objects",
		Long: "With a region or --where, players are unchanged, with --where also dropped items. Definitions of nodes do not list " +
			"tools and other items: --new-name confirms a name that no inventory in the world contains.",
		Example: "replace-items default:diamond default:coal_lump --new-name --where node=default:chest*",
	}, worldsteps.ReplaceItems),
	worldsteps.Bind(format.Command{
		Name: "delete-items", Title: "Delete items in inventories of nodes and players, and dropped items", Heading: "Metadata and objects",
		Long:    "With a region or --where, players are unchanged, with --where also dropped items.",
		Example: "delete-items tnt:tnt --box 0,0,0:200,50,200",
	}, worldsteps.DeleteItems),
	worldsteps.Bind(format.Command{
		Name: "overlay", Title: "Copy a region of another world into this one", Heading: "Pieces",
		Long:    "Blocks that lie in the region completely are copied with everything in them, others with nodes, metadata and timers.",
		Example: "overlay ../old-world --box 0,0,0:100,50,100 --create",
	}, worldsteps.Overlay),
	worldsteps.PutBack(format.Command{
		Name: "put-back", Title: "Put a region of a backup, or all of it, back into the world", Heading: "Pieces",
		Long: "Nodes become what they were in the snapshot, with their light, metadata, inventories and timers. Objects stay. " +
			"Blocks that the snapshot lacks stay, and are counted. A block that the world lacks is put back as a whole; with --missing " +
			"only such blocks are. Without a region, all nodes of the snapshot are put back.",
		Example: "put-back ../backups --moment 2026-11-20 --box 0,0,0:100,50,100",
	}),
}

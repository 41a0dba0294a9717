package minetest

import (
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldsteps"
)

var operatorCommands = []*format.Command{
	worldsteps.Bind(format.Command{
		Name: "delete-chunks", Title: "Delete whole map chunks", Heading: "Map chunks",
		Long: "A map chunk is the unit of the map generator, mostly 5 x 5 x 5 blocks: it generates a deleted chunk again, without " +
			"seams, when a player comes near. Only parts of the chunk that belong to a remaining neighbour, such as leaves of a " +
			"tree, may be cut off. Only chunks that lie in the region completely are deleted; with --invert, only chunks without " +
			"any node in the region.",
		Example: "delete-chunks --radius 2000 --invert --export outskirts",
	}, worldsteps.DeleteChunks),
	worldsteps.Bind(format.Command{
		Name: "delete-blocks", Title: "Delete single blocks of 16 x 16 x 16 nodes", Heading: "Map chunks",
		Long: "Only blocks that lie in the region completely are deleted; with --invert, only blocks without any node in the region. " +
			"The map generator generates a deleted block again, but what extends over its border, such as trees and caves, may be " +
			"cut off there: delete-chunks has no such seams.",
		Example: "delete-blocks --area 2,0,-3:4,1,-1",
	}, worldsteps.DeleteBlocks),
	worldsteps.Bind(format.Command{
		Name: "keep-chunks", Title: "Delete all map chunks except some", Heading: "Map chunks",
		Long:    "Map chunks that lie in the region only partly are kept.",
		Example: "keep-chunks --box -500,-100,-500:500,200,500",
	}, worldsteps.KeepChunks),
	worldsteps.Bind(format.Command{
		Name: "regenerate", Title: "Make the map generator regenerate all map chunks of an area", Heading: "Map chunks",
		Long: "The chunks are deleted, also those that lie in the area only partly. The land is the same again only with " +
			"the same map generator and mods. It is an error if the map generator generates nothing, or if the seed is missing.",
		Example: "regenerate --box 100,-20,100:300,80,300",
	}, worldsteps.Regenerate),
	worldsteps.Bind(format.Command{
		Name: "prune", Title: "Delete map chunks in which no player has done anything", Heading: "Map chunks",
		Long: "Prune keeps chunks that a player was near to; with metadata, timers or objects; that areas.dat or protectors " +
			"protect; with a change in rollback.sqlite; that are kept loaded or contain a player; with nodes that players place; " +
			"and chunks near all these. Node names that hardly occur in chunks without players are regarded as placed by " +
			"players, unless --placed lists them. A world does not contain every trace of players: use --dry-run first, and --export.",
		Example: "prune --margin 2 --export pruned",
	}, worldsteps.Prune),
	worldsteps.Bind(format.Command{
		Name: "vacuum", Title: "Pack SQLite databases, so that unused space is free again", Heading: "Operators",
		Long: "Deleted blocks leave unused pages in a database, which the game uses for new blocks. Vacuum writes all SQLite databases " +
			"of the world without them, after all other operations. It takes time, and up to twice the size of the database on the disk.",
		Example: "vacuum",
	}, worldsteps.Vacuum),
	worldsteps.Bind(format.Command{
		Name: "clear-objects", Title: "Remove all objects, like /clearobjects", Heading: "Operators",
		Long: "full removes them from all blocks. quick only writes the time to env_meta.txt: the engine drops " +
			"the objects of older blocks when it loads them.",
		Example: "clear-objects quick",
	}, worldsteps.ClearObjects),
	worldsteps.Bind(format.Command{
		Name: "purge-players", Title: "Delete players and their accounts by a rule", Heading: "Operators",
		Long: "All conditions must hold. --not-seen does not select players who were never seen, or whose last time is unknown. " +
			"Players with the privilege server or privs are kept unless --admins is given.",
		Example: `purge-players --not-seen 30d --where "xp < 100"`,
	}, worldsteps.PurgePlayers),
	worldsteps.Bind(format.Command{
		Name: "rename-player", Title: "Rename a player everywhere", Heading: "Operators",
		Long: "Renames the player, the account, bans, the owner and the members in the metadata of nodes, the owner in areas.dat, " +
			"and keys of mod storage that are the name or contain it as a word, such as home:NAME. The password becomes invalid " +
			"unless the names differ only in case: --password-file sets a new one.",
		Example: "rename-player celeron55 perttu --key placer",
	}, worldsteps.RenamePlayer),
	worldsteps.Bind(format.Command{
		Name: "ban", Title: "Ban an address", Heading: "Operators",
		Example: "ban 192.0.2.7 mallory",
	}, worldsteps.Ban),
	worldsteps.Bind(format.Command{
		Name: "unban", Title: "Remove the bans of an address or a name", Heading: "Operators",
		Example: "unban mallory",
	}, worldsteps.Unban),
	worldsteps.Bind(format.Command{
		Name: "set-storage", Title: "Set a value in the storage of a mod", Heading: "Operators",
		Example: "set-storage spawn position 10,5,-30",
	}, worldsteps.SetStorage),
	worldsteps.Bind(format.Command{
		Name: "delete-storage", Title: "Delete keys from the storage of a mod, or all of it", Heading: "Operators",
		Example: "delete-storage beds spawn:mallory",
	}, worldsteps.DeleteStorage),
	worldsteps.Bind(format.Command{
		Name: "trim-rollback", Title: "Delete old changes from rollback.sqlite", Heading: "Operators",
		Example: "trim-rollback 90d",
	}, worldsteps.TrimRollback),
}

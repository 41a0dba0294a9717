package minetest

import (
	"strconv"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldadmin"
	"trowel.example/minetest/internal/worldsteps"
)

// Options of the commands for operators.
var (
	optionExport = format.Option{Name: "export", Output: true, Help: "write the deleted blocks to a new world in a `folder`"}
	optionTouch  = format.Option{Name: "touching", Bool: true, Help: "also map chunks of which only a part exists"}

	optionProtectorRadius = format.Option{Name: "protector-radius", Type: format.Integer, Default: "5",
		Help: "the radius of protectors in nodes: the setting protector_radius"}

	chunkOptions = []format.Option{
		optionExport, worldsteps.OptionAll, optionBox, optionArea,
		{Name: "radius", Type: format.Integer, Help: "only what is at most this number of `nodes` away from --center, at any height"},
		{Name: "center", Default: "0,0", Help: "the center for --radius, `x,z` in nodes"},
	}

	personOptions = []format.Option{
		{Name: "name", Names: worldsteps.NamesPlayer, List: true, Help: "only those with this `name`, in which * and ? are wildcards"},
		{Name: "not-seen", Help: "only those last seen before a `time`: an age such as 30d, 6mo or 2y, or a date such as 2024-01-31"},
		{Name: "never", Bool: true, Help: "only accounts that were never used"},
		{Name: "privilege", List: true, Help: "only those with this `privilege`"},
		{Name: "without", List: true, Help: "only those without this `privilege`"},
		{Name: "where", List: true,
			Help: "only players whose attributes, which mods attach to players, meet a `condition` such as \"xp < 100\"; = != < <= > >="},
		{Name: "no-player", Bool: true, Help: "only accounts without a player"},
		{Name: "no-account", Bool: true, Help: "only players without an account"},
	}
)

var operatorCommands = []worldsteps.Command{
	worldsteps.Bind(format.Command{
		Name: "delete-chunks", Title: "Delete whole map chunks", Heading: "Map chunks",
		Long: "A map chunk is the unit of the map generator, mostly 5 x 5 x 5 blocks: it generates a deleted chunk again, without " +
			"seams, when a player comes near. Only parts of the chunk that belong to a remaining neighbour, such as leaves of a " +
			"tree, may be cut off. Only chunks that lie in the region completely are deleted; with --invert, only chunks without " +
			"any node in the region.",
		Options: with(chunkOptions, optionInvert, optionTouch),
		Example: "delete-chunks --radius 2000 --invert --export outskirts",
	}, worldsteps.DeleteChunks),
	worldsteps.Bind(format.Command{
		Name: "delete-blocks", Title: "Delete single blocks of 16 x 16 x 16 nodes", Heading: "Map chunks",
		Long: "Only blocks that lie in the region completely are deleted; with --invert, only blocks without any node in the region. " +
			"The map generator generates a deleted block again, but what extends over its border, such as trees and caves, may be " +
			"cut off there: delete-chunks has no such seams.",
		Options: with(chunkOptions, optionInvert, format.Option{Name: optionTouch.Name, Bool: true,
			Help: "also blocks that lie in the region only partly"}),
		Example: "delete-blocks --area 2,0,-3:4,1,-1",
	}, worldsteps.DeleteBlocks),
	worldsteps.Bind(format.Command{
		Name: "keep-chunks", Title: "Delete all map chunks except some", Heading: "Map chunks",
		Long:    "Map chunks that lie in the region only partly are kept.",
		Options: chunkOptions,
		Example: "keep-chunks --box -500,-100,-500:500,200,500",
	}, worldsteps.KeepChunks),
	worldsteps.Bind(format.Command{
		Name: "regenerate", Title: "Make the map generator regenerate all map chunks of an area", Heading: "Map chunks",
		Long: "The chunks are deleted, also those that lie in the area only partly. The land is the same again only with " +
			"the same map generator and mods. It is an error if the map generator generates nothing, or if the seed is missing.",
		Options: chunkOptions,
		Example: "regenerate --box 100,-20,100:300,80,300",
	}, worldsteps.Regenerate),
	worldsteps.Bind(format.Command{
		Name: "prune", Title: "Delete map chunks in which no player has done anything", Heading: "Map chunks",
		Long: "Prune keeps chunks that a player was near to; with metadata, timers or objects; that areas.dat or protectors " +
			"protect; with a change in rollback.sqlite; that are kept loaded or contain a player; with nodes that players place; " +
			"and chunks near all these. Node names that hardly occur in chunks without players are regarded as placed by " +
			"players, unless --placed lists them. A world does not contain every trace of players: use --dry-run first, and --export.",
		Options: []format.Option{
			{Name: "placed", List: true, Names: worldsteps.NamesRule,
				Help: "a `name` of nodes that players place, with wildcards * and ?; then no other name is regarded as placed"},
			{Name: "placed-file", Input: true, Help: "a `file` of such names, one on each line"},
			{Name: "natural", List: true, Names: worldsteps.NamesRule, Help: "a `name` of nodes that the map generator places"},
			{Name: "rare", Type: format.Integer, Default: strconv.Itoa(worldadmin.DefaultRare),
				Help: "names in fewer chunks than this are not placed by the map generator"},
			{Name: "margin", Type: format.Integer, Default: "1", Help: "the number of chunks to keep around each kept chunk"},
			optionProtectorRadius, optionExport, worldsteps.OptionAll,
		},
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
		Args:    []format.Option{{Name: "mode", Choices: []string{"full", "quick"}, Default: "full", Help: "the method"}},
		Example: "clear-objects quick",
	}, worldsteps.ClearObjects),
	worldsteps.Bind(format.Command{
		Name: "purge-players", Title: "Delete players and their accounts by a rule", Heading: "Operators",
		Long: "All conditions must hold. --not-seen does not select players who were never seen, or whose last time is unknown. " +
			"Players with the privilege server or privs are kept unless --admins is given.",
		Options: with(personOptions,
			format.Option{Name: "players-only", Bool: true, Help: "keep the accounts"},
			format.Option{Name: "admins", Bool: true, Help: "also delete those with the privilege server or privs"},
			worldsteps.OptionAll),
		Example: `purge-players --not-seen 30d --where "xp < 100"`,
	}, worldsteps.PurgePlayers),
	worldsteps.Bind(format.Command{
		Name: "rename-player", Title: "Rename a player everywhere", Heading: "Operators",
		Long: "Renames the player, the account, bans, the owner and the members in the metadata of nodes, the owner in areas.dat, " +
			"and keys of mod storage that are the name or contain it as a word, such as home:NAME. The password becomes invalid " +
			"unless the names differ only in case: --password-file sets a new one.",
		Args: []format.Option{{Name: "old", Names: worldsteps.NamesPlayer, Help: "the current name"}, {Name: "new", Help: "the new name"}},
		Options: []format.Option{
			{Name: "key", List: true, Help: "another `key` of the metadata of nodes whose value is a name, in addition to owner"},
			{Name: "keep-storage", Bool: true, Help: "do not change mod storage"},
			{Name: "password-file", Input: true, Help: "a `file` whose first line is the new password"},
		},
		Example: "rename-player celeron55 perttu --key placer",
	}, worldsteps.RenamePlayer),
	worldsteps.Bind(format.Command{
		Name: "ban", Title: "Ban an address", Heading: "Operators",
		Args: []format.Option{
			{Name: "address", Help: "such as 192.0.2.7"}, {Name: "name", List: true, Help: "the player who used the address"},
		},
		Example: "ban 192.0.2.7 mallory",
	}, worldsteps.Ban),
	worldsteps.Bind(format.Command{
		Name: "unban", Title: "Remove the bans of an address or a name", Heading: "Operators",
		Args:    []format.Option{{Name: "who", Help: "the address or the name"}},
		Example: "unban mallory",
	}, worldsteps.Unban),
	worldsteps.Bind(format.Command{
		Name: "set-storage", Title: "Set a value in the storage of a mod", Heading: "Operators",
		Args: []format.Option{
			{Name: "mod", Names: worldsteps.NamesMod, Help: "the name of the mod"}, {Name: "key", Help: "the key"},
			{Name: "value", List: true, Help: "the value"},
		},
		Options: []format.Option{{Name: "from-file", Input: true, Help: "a `file` that contains the value"}},
		Example: "set-storage spawn position 10,5,-30",
	}, worldsteps.SetStorage),
	worldsteps.Bind(format.Command{
		Name: "delete-storage", Title: "Delete keys from the storage of a mod, or all of it", Heading: "Operators",
		Args: []format.Option{
			{Name: "mod", Names: worldsteps.NamesMod, Help: "the name of the mod"},
			{Name: "key", List: true, Help: "the keys; without any, everything that the mod stores, which requires --all"},
		},
		Options: []format.Option{worldsteps.OptionAll},
		Example: "delete-storage beds spawn:mallory",
	}, worldsteps.DeleteStorage),
	worldsteps.Bind(format.Command{
		Name: "trim-rollback", Title: "Delete old changes from rollback.sqlite", Heading: "Operators",
		Args:    []format.Option{{Name: "before", Help: "a date such as 2024-01-31, or an age such as 90d"}},
		Example: "trim-rollback 90d",
	}, worldsteps.TrimRollback),
}

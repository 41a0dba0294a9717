package minetest

import (
	"slices"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldfind"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldquery"
	"trowel.example/minetest/internal/worldsteps"
	"trowel.example/minetest/nodedef"
)

// worldFinder has all queries of worlds, in the order of the help.
var worldFinder = worldquery.Finder(slices.Concat(nodeQueries, itemQueries, operatorQueries))

const helpNames = "a name, in which * matches any characters and ? one; of several names, one must match"

// namesOf is the argument for one or several names of a kind.
func namesOf(kind worldfind.Kind) format.Option {
	return format.Option{Name: "name", List: true, Some: true, Names: string(kind), Help: helpNames}
}

// anyNamesOf is the argument for any number of names of a kind.
func anyNamesOf(kind worldfind.Kind) format.Option {
	return format.Option{Name: "name", List: true, Names: string(kind), Help: helpNames + "; without a name, all match"}
}

var nodeQueries = []worldquery.Query{
	worldquery.Bind(format.Command{
		Name: "node", Heading: "Nodes", Title: "Nodes by their names",
		Args: []format.Option{namesOf(worldfind.KindNode)}, Options: placeOptions,
		Example: "node default:chest 'default:chest_*'",
	}, worldquery.Nodes),
	worldquery.Bind(format.Command{
		Name: "unknown-nodes", Heading: "Nodes", Title: "Nodes that the game does not define",
		Long: "Without --nodes, " + nodedef.FileName + " in the folder of the world defines the nodes. Without that file, these are " +
			"the nodes whose id has no name in their block, and those that a repair named unknown:id_7 and others.",
		Options: with(placeOptions, worldjob.OfCommand(worldjob.OptionNodes)),
		Example: "unknown-nodes --nodes nodes.json --by node",
	}, worldquery.Unknown),
	worldquery.Bind(format.Command{
		Name: "metadata", Heading: "Nodes", Title: "Variables of the metadata of nodes",
		Args: []format.Option{
			{Name: "key", Names: string(worldfind.KindVariable), Help: "KEY, or KEY=VALUE; both may contain the wildcards * and ?"},
		},
		Options: placeOptions,
		Example: "metadata owner=ann --by node",
	}, worldquery.Metadata),
	worldquery.Bind(format.Command{
		Name: "sign", Heading: "Nodes", Title: "Signs and other nodes with a text",
		Args:    []format.Option{{Name: "text", List: true, Help: "words of the text, ignoring case; without words, any text matches"}},
		Options: placeOptions,
		Example: "sign spawn",
	}, worldquery.Signs),
	worldquery.Bind(format.Command{
		Name: "timer", Heading: "Nodes", Title: "Nodes with a timer",
		Args: []format.Option{anyNamesOf(worldfind.KindNode)}, Options: placeOptions,
		Example: "timer 'default:furnace*'",
	}, worldquery.Timers),
	worldquery.Bind(format.Command{
		Name: "object", Heading: "Objects", Title: "Mobs, carts, dropped items and other objects",
		Args:    []format.Option{anyNamesOf(worldfind.KindObject)},
		Options: with(placeOptions, format.Option{Name: "data", Help: "only objects whose data contain this `text`"}),
		Example: "object 'mobs_animal:*' --by object",
	}, worldquery.Objects),
}

var itemQueries = []worldquery.Query{
	worldquery.Bind(format.Command{
		Name: "item", Heading: "Items and players", Title: "Items in inventories of nodes and players, and dropped items",
		Long: "The owner is the player, or the owner that the metadata of the node names, as for a locked chest. With a region, " +
			"players are not searched.",
		Args:    []format.Option{namesOf(worldfind.KindItem)},
		Options: with(placeOptions, format.Option{Name: "in", Help: "only items there", Choices: []string{"nodes", "players"}}),
		Example: "item default:diamond --by owner",
	}, worldquery.Items),
	worldquery.BindRest(format.Command{
		Name: "player", Heading: "Items and players", Title: "Players: positions and privileges",
		Args: []format.Option{{Name: "name", Names: worldsteps.NamesPlayer, List: true, Help: anyNamesOf("").Help}}, Options: placeOptions,
		Example: "player 'a*'",
	}, worldquery.Players),
}

var operatorQueries = []worldquery.Query{
	worldquery.BindRest(format.Command{
		Name: "may-build", Heading: "Operators", Title: "Players that may build at a node",
		Long: "Reads areas.dat of the mod areas and the protectors near the node. Players with a privilege to " +
			"build everywhere (areas, protection_bypass, delprotect) are listed, too.",
		Args:    []format.Option{{Name: "place", Help: "x,y,z in nodes"}},
		Options: []format.Option{optionProtectorRadius},
		Example: "may-build 100,12,-40",
	}, worldquery.MayBuild),
	worldquery.BindRest(format.Command{
		Name: "areas", Heading: "Operators", Title: "Areas of the mod areas, of an owner or all",
		Args:    []format.Option{{Name: "owner", Names: worldsteps.NamesPlayer, List: true, Help: "the names of owners; without names, all"}},
		Example: "areas ann",
	}, worldquery.Areas),
	worldquery.BindRest(format.Command{
		Name: "changed", Heading: "Operators", Title: "Changes of a node or an area with their actors, the newest first",
		Long: "Reads rollback.sqlite, which servers with enable_rollback_recording write.",
		Args: []format.Option{{Name: "place", List: true, Help: "x,y,z in nodes, or two corners x1,y1,z1:x2,y2,z2; without it, everywhere"}},
		Options: []format.Option{
			{Name: "actor", Names: worldsteps.NamesPlayer, Help: "only changes of this `actor`: a player, or for example liquid"},
			{Name: "since", Help: "only since a `time`: a date such as 2024-01-31, or an age such as 2w"},
			{Name: "before", Help: "only before a `time`"},
			{Name: "limit", Type: format.Integer, Default: "0", Help: "only this number of changes, the newest; 0 is all"},
		},
		Example: "changed 100,12,-40 --since 2w",
	}, worldquery.Changed),
	worldquery.BindRest(format.Command{
		Name: "bans", Heading: "Operators", Title: "Banned addresses",
		Args:    []format.Option{{Name: "who", List: true, Help: "only these addresses and names"}},
		Example: "bans mallory",
	}, worldquery.Bans),
	worldquery.BindRest(format.Command{
		Name: "storage", Heading: "Operators", Title: "Values that mods store",
		Long:    "A value that is not valid text is printed as base64.",
		Args:    []format.Option{{Name: "mod", Names: worldsteps.NamesMod, List: true, Help: "a mod, followed by keys; without it, all mods"}},
		Example: "storage beds spawn:ann",
	}, worldquery.Storage),
	worldquery.BindRest(format.Command{
		Name: "players", Heading: "Operators", Title: "Players and accounts that match a rule",
		Long:    "The rules are those of edit purge-players.",
		Options: personOptions,
		Example: `players --not-seen 30d --where "xp < 100"`,
	}, worldquery.Persons),
}

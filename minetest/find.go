package minetest

import (
	"slices"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldquery"
	"trowel.example/minetest/nodedef"
)

// worldFinder has all queries of worlds, in the order of the help.
var worldFinder = worldquery.Finder(slices.Concat(nodeQueries, itemQueries, operatorQueries))

var nodeQueries = []*format.Command{
	worldquery.Bind(format.Command{
		Name: "node", Heading: "Nodes", Title: "Nodes by their names",
		Example: "node default:chest 'default:chest_*'",
	}, worldquery.Nodes),
	worldquery.Bind(format.Command{
		Name: "unknown-nodes", Heading: "Nodes", Title: "Nodes that the game does not define",
		Long: "Without --nodes, " + nodedef.FileName + " in the folder of the world defines the nodes. Without that file, these are " +
			"the nodes whose id has no name in their block, and those that a repair named unknown:id_7 and others.",
		Example: "unknown-nodes --nodes nodes.json --by node",
	}, worldquery.Unknown),
	worldquery.Bind(format.Command{
		Name: "metadata", Heading: "Nodes", Title: "Variables of the metadata of nodes",
		Example: "metadata owner=ann --by node",
	}, worldquery.Metadata),
	worldquery.Bind(format.Command{
		Name: "sign", Heading: "Nodes", Title: "Signs and other nodes with a text",
		Example: "sign spawn",
	}, worldquery.Signs),
	worldquery.Bind(format.Command{
		Name: "timer", Heading: "Nodes", Title: "Nodes with a timer",
		Example: "timer 'default:furnace*'",
	}, worldquery.Timers),
	worldquery.Bind(format.Command{
		Name: "object", Heading: "Objects", Title: "Mobs, carts, dropped items and other objects",
		Example: "object 'mobs_animal:*' --by object",
	}, worldquery.Objects),
}

var itemQueries = []*format.Command{
	worldquery.Bind(format.Command{
		Name: "item", Heading: "Items and players", Title: "Items in inventories of nodes and players, and dropped items",
		Long: "The owner is the player, or the owner that the metadata of the node names, as for a locked chest. With a region, " +
			"players are not searched.",
		Example: "item default:diamond --by owner",
	}, worldquery.Items),
	worldquery.BindRest(format.Command{
		Name: "player", Heading: "Items and players", Title: "Players: positions and privileges",
		Example: "player 'a*'",
	}, worldquery.Players),
}

var operatorQueries = []*format.Command{
	worldquery.BindRest(format.Command{
		Name: "may-build", Heading: "Operators", Title: "Players that may build at a node",
		Long: "Reads areas.dat of the mod areas and the protectors near the node. Players with a privilege to " +
			"build everywhere (areas, protection_bypass, delprotect) are listed, too.",
		Example: "may-build 100,12,-40",
	}, worldquery.MayBuild),
	worldquery.BindRest(format.Command{
		Name: "areas", Heading: "Operators", Title: "Areas of the mod areas, of an owner or all",
		Example: "areas ann",
	}, worldquery.Areas),
	worldquery.BindRest(format.Command{
		Name: "changed", Heading: "Operators", Title: "Changes of a node or an area with their actors, the newest first",
		Long:    "Reads rollback.sqlite, which servers with enable_rollback_recording write.",
		Example: "changed 100,12,-40 --since 2w",
	}, worldquery.Changed),
	worldquery.BindRest(format.Command{
		Name: "bans", Heading: "Operators", Title: "Banned addresses",
		Example: "bans mallory",
	}, worldquery.Bans),
	worldquery.BindRest(format.Command{
		Name: "storage", Heading: "Operators", Title: "Values that mods store",
		Long:    "A value that is not valid text is printed as base64.",
		Example: "storage beds spawn:ann",
	}, worldquery.Storage),
	worldquery.BindRest(format.Command{
		Name: "players", Heading: "Operators", Title: "Players and accounts that match a rule",
		Long:    "The rules are those of edit purge-players.",
		Example: `players --not-seen 30d --where "xp < 100"`,
	}, worldquery.Persons),
}

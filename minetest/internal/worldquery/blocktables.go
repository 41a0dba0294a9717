//go:build !js

package worldquery

import (
	"cmp"
	"encoding/json"
	"errors"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// text returns a text cell, which is null for "".
func text(s string) format.Cell { return format.TextCell(s).If(s != "") }

// blockPos adds the position of a block.
func blockPos(r *format.Rows, p mapdb.Pos) {
	r.Col("block_x", format.IntCell(p.X), "x of the block, in blocks of 16 nodes: -2048 to 2047.")
	r.Col("block_y", format.IntCell(p.Y), "y of the block, in blocks of 16 nodes: -2048 to 2047.")
	r.Col("block_z", format.IntCell(p.Z), "z of the block, in blocks of 16 nodes: -2048 to 2047.")
}

// nodePos adds the position of a node.
func nodePos(r *format.Rows, n place.Node) {
	p, _ := n.Pos()
	r.Col("x", format.IntCell(p[0]), "x of the node: -32768 to 32767.")
	r.Col("y", format.IntCell(p[1]), "y of the node: -32768 to 32767.")
	r.Col("z", format.IntCell(p[2]), "z of the node: -32768 to 32767.")
}

// nodePosIf is nodePos for columns that are null unless ok is set.
func nodePosIf(r *format.Rows, p [3]int, ok bool) {
	r.Col("x", format.IntCell(p[0]).If(ok), "x of the node: -32768 to 32767.")
	r.Col("y", format.IntCell(p[1]).If(ok), "y of the node: -32768 to 32767.")
	r.Col("z", format.IntCell(p[2]).If(ok), "z of the node: -32768 to 32767.")
}

// exactPos adds a position between nodes.
func exactPos(r *format.Rows, p [3]float64) {
	r.Col("x", format.FloatCell(p[0]), "x, in nodes; the middle of a node is a whole number.")
	r.Col("y", format.FloatCell(p[1]), "y, in nodes; the middle of a node is a whole number.")
	r.Col("z", format.FloatCell(p[2]), "z, in nodes; the middle of a node is a whole number.")
}

// nameOf adds the name of a node.
func nameOf(r *format.Rows, name string) {
	r.Col("node", text(name), "The name of the node; null if its id has no name.")
}

// noBlock is in rows about blocks that cannot be read.
var noBlock = new(mapblock.Block)

var tableBlocks = format.NewTable("minetest_blocks", "A block of a world, as stored in its database.", func(r *format.Rows, v world.Row) {
	b, readable := cmp.Or(v.Block, noBlock), v.Block != nil
	since := func(version int) bool { return readable && b.Version >= version }
	_, isNoBlock := errors.AsType[*mapdb.RowError](v.Err)
	version, failure := byte(0), ""
	if len(v.Data) > 0 {
		version = v.Data[0]
	}
	if v.Err != nil {
		failure = v.Err.Error()
	}
	blockPos(r, *cmp.Or(v.Pos, new(mapdb.Pos)))
	r.Col("version", format.IntCell(version).If(len(v.Data) > 0), "The version of the block's form, 0 to 29; null if there are no bytes.")
	r.Col("underground", format.BoolCell(b.IsUnderground()).If(readable), "No sunlight comes from above where there is no block.")
	r.Col("not_all_air", format.BoolCell(b.Flags&mapblock.NotAllAir != 0).If(since(11)), "The block contains more than air; up to "+
		"version 28 also: light differs between day and night. Null up to version 10.")
	r.Col("lighting_expired", format.BoolCell(b.Flags&mapblock.LightingExpired != 0).If(since(11) && b.Version <= 26),
		"Light must be recomputed; in versions 11 to 26.")
	r.Col("generated", format.BoolCell(b.IsGenerated()).If(readable), "The map generator has generated the block.")
	r.Col("lighting_complete", format.IntCell(b.LightingComplete).If(since(27)),
		"A bit for each direction in which light is complete, 0 to 65535 (all); since version 27.")
	r.Col("timestamp", format.IntCell(b.Timestamp).If(readable && b.Timestamp != mapblock.NoTimestamp),
		"When it was saved, in seconds of game time; null if unknown, as for most blocks.")
	r.Col("stored_bytes", format.IntCell(len(v.Data)).If(!isNoBlock), "Its size in the database.")
	r.Col("inflated_bytes", format.IntCell(b.Inflated()).If(readable), "Its size if nothing in it were compressed.")
	r.Col("readable", format.BoolCell(readable), "The block can be read. Unreadable blocks have findings, and no rows in other tables.")
	r.Col("error", format.TextCell(failure).If(v.Err != nil), "Why it cannot be read.")
})

type nodeCount struct {
	pos mapdb.Pos
	mapblock.NameCount
}

var tableNodes = format.NewTable("minetest_nodes", "The number of nodes of a block with a name; the numbers of a block add up to 4096.",
	func(r *format.Rows, v nodeCount) {
		blockPos(r, v.pos)
		r.Col("node", text(v.Name), "The name, such as default:stone; null for nodes whose id has no name.")
		r.Col("count", format.IntCell(v.Count), "The number of nodes: 1 to 4096.")
	})

var tableMetadata = format.NewTable("minetest_metadata", "A variable of the metadata of a node.", func(r *format.Rows, v Meta) {
	nodePos(r, v.At)
	nameOf(r, v.Node)
	r.Col("key", format.TextCell(v.Key), "The name of the variable.")
	r.Col("value", format.TextCell(v.Value), "Its value.")
	r.Col("private", format.BoolCell(v.Private), "The server does not send it to players.")
	r.Col("owner", text(v.Owner), "The variable owner of the same node; null if there is none.")
})

var tableInventories = format.NewTable("minetest_inventories", "A stack of items: in the inventory of a node or player, or dropped.",
	func(r *format.Rows, v Item) {
		kind, node := "player", (*place.Node)(nil)
		slot, inList := v.At.(place.Slot)
		if at, dropped := v.At.(place.Node); dropped {
			kind, node = "object", &at
		} else if slot.Node != nil {
			kind, node = "node", slot.Node
		}
		r.Col("kind", format.TextCell(kind), "The kind of holder: node, player or object.")
		pos, inWorld := cmp.Or(node, new(place.Node)).Pos()
		nodePosIf(r, pos, inWorld && node != nil)
		r.Col("holder", format.TextCell(v.Holder), "The name of the node or object that holds it; player for a player.")
		r.Col("owner", text(v.Owner), "The player, or the variable owner of the node; null if there is none.")
		r.Col("list", format.TextCell(slot.List).If(inList), "The list of the inventory, such as main; null for dropped items.")
		r.Col("slot", format.IntCell(slot.Slot).If(inList), "The slot of the list, from 0.")
		r.Col("item", format.TextCell(v.Stack.Name), "The name of the item, such as default:diamond.")
		r.Col("count", format.IntCell(v.Stack.Count), "The number of items: 1 to 65535.")
		r.Col("wear", format.IntCell(v.Stack.Wear), "The wear of a tool: 0 (new) to 65535.")
		r.Col("metadata", text(stackMeta(v)), "The metadata of the stack, as a JSON object.")
	})

// stackMeta returns the metadata of a stack; "" for none. Of fields with the same key, the last one is valid.
func stackMeta(it Item) string {
	if len(it.Stack.Meta) == 0 {
		return ""
	}
	object := make(map[string]string, len(it.Stack.Meta))
	for _, f := range it.Stack.Meta {
		object[f.Key] = f.Value
	}
	data, _ := json.Marshal(object) // never fails
	return string(data)
}

type object struct {
	Object
	pos mapdb.Pos
}

var tableObjects = format.NewTable("minetest_objects", "An object, as it was when its block was saved: a mob, a dropped item, a cart.",
	func(r *format.Rows, v object) {
		exactPos(r, v.Pos)
		blockPos(r, v.pos)
		r.Col("object", format.TextCell(v.Name), "The name of the entity, or the engine's name for an object of another type.")
		r.Col("hp", format.IntCell(v.HP), "Its health, -32768 to 32767; 0 for objects that are not entities.")
		r.Col("item", text(v.Item), "The dropped item, as an itemstring.")
		r.Col("data_bytes", format.IntCell(len(v.Data)), "The size of the data of the entity.")
	})

var tableTimers = format.NewTable("minetest_timers", "The timer of a node.", func(r *format.Rows, v Timer) {
	nodePos(r, v.At)
	nameOf(r, v.Node)
	r.Col("timeout", format.FloatCell(v.Timeout), "Its timeout, in seconds from its start.")
	r.Col("elapsed", format.FloatCell(v.Elapsed), "The time since its start, in seconds.")
})

var tableFindings = format.NewTable("minetest_findings", "A finding of check, separate for each block and place. Damage of "+
	"rollback.sqlite, which check does not read, is one, too.", func(r *format.Rows, f check.Finding) {
	r.Col("id", format.TextCell(f.ID), "The kind of finding, such as mt-block-unreadable.")
	r.Col("severity", format.TextCell(f.Severity.String()), "error, warning or info.")
	r.Col("path", format.TextCell(f.Path), "The path inside the world: a file, or block x,y,z: and the path in the block.")
	r.Col("byte_offset", format.IntCell(f.Offset).If(f.Offset >= 0), "The offset in the file or block, in bytes; null if there is none.")
	r.Col("message", format.TextCell(f.Message), "The message, in English.")
	r.Col("places", format.IntCell(len(f.At)), "The number of places of the finding.")
	block, inBlock := blockOf(f)
	r.Col("block_x", format.IntCell(block[0]).If(inBlock), "x of the block of the finding, in blocks; null if it belongs to no block.")
	r.Col("block_y", format.IntCell(block[1]).If(inBlock), "y of the block.")
	r.Col("block_z", format.IntCell(block[2]).If(inBlock), "z of the block.")
})

// blockOf returns the position of the block that a finding is about.
func blockOf(f check.Finding) ([3]int, bool) {
	if len(f.At) == 0 {
		return [3]int{}, false
	}
	at := f.At[0]
	if slot, ok := at.(place.Slot); ok && slot.Node != nil {
		at = *slot.Node
	}
	n, ok := at.(place.Node)
	p, inWorld := n.BlockPos()
	return p, ok && inWorld
}

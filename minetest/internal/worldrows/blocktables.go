package worldrows

import (
	"encoding/json"
	"errors"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/internal/worldfind"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// blockPos returns the columns with the position of a block.
func blockPos[T any](pos func(v *T) mapdb.Pos) []column[T] {
	at := func(name, axis string, of func(mapdb.Pos) int16) column[T] {
		return col(name, format.ColumnInt, axis+" of the block, in blocks of 16 nodes: -2048 to 2047.",
			func(v *T) format.Cell { return format.IntCell(of(pos(v))) })
	}
	return []column[T]{
		at("block_x", "x", func(p mapdb.Pos) int16 { return p.X }),
		at("block_y", "y", func(p mapdb.Pos) int16 { return p.Y }),
		at("block_z", "z", func(p mapdb.Pos) int16 { return p.Z }),
	}
}

// nodePos returns the columns with the position of a node. They may be null if optional is set.
func nodePos[T any](optional bool, pos func(v *T) ([3]int, bool)) (list []column[T]) {
	for i, axis := range []string{"x", "y", "z"} {
		c := col(axis, format.ColumnInt, axis+" of the node: -32768 to 32767.", func(v *T) format.Cell {
			p, ok := pos(v)
			if !ok {
				return format.Cell{}
			}
			return format.IntCell(p[i])
		})
		c.Optional = optional
		list = append(list, c)
	}
	return list
}

// exactPos returns the columns with a position between nodes.
func exactPos[T any](pos func(v *T) [3]float64) (list []column[T]) {
	for i, axis := range []string{"x", "y", "z"} {
		list = append(list, col(axis, format.ColumnFloat, axis+", in nodes; the middle of a node is a whole number.",
			func(v *T) format.Cell { return format.FloatCell(pos(v)[i]) }))
	}
	return list
}

func with[T any](first []column[T], more ...column[T]) []column[T] { return append(first, more...) }

// ofBlock returns a cell that is null if the block cannot be read, or if applies reports false.
func ofBlock(applies func(b *mapblock.Block) bool, cell func(b *mapblock.Block) format.Cell) func(*world.Row) format.Cell {
	return func(v *world.Row) format.Cell {
		if v.Block == nil || !applies(v.Block) {
			return format.Cell{}
		}
		return cell(v.Block)
	}
}

// since reports whether a block has at least the given version.
func since(version int) func(b *mapblock.Block) bool {
	return func(b *mapblock.Block) bool { return b.Version >= version }
}

var tableBlocks = tableOf("minetest_blocks", "A block of a world, as stored in its database.", with(
	blockPos(func(v *world.Row) mapdb.Pos { return *v.Pos }),
	opt("version", format.ColumnInt, "The version of the block's form, 0 to 29; null if there are no bytes.", func(v *world.Row) format.Cell {
		if len(v.Data) == 0 {
			return format.Cell{}
		}
		return format.IntCell(v.Data[0])
	}),
	opt("underground", format.ColumnBool, "No sunlight comes from above where there is no block.",
		ofBlock(since(0), func(b *mapblock.Block) format.Cell { return format.BoolCell(b.IsUnderground()) })),
	opt("not_all_air", format.ColumnBool, "The block contains more than air; up to version 28 also: light differs "+
		"between day and night. Null up to version 10.",
		ofBlock(since(11), func(b *mapblock.Block) format.Cell { return format.BoolCell(b.Flags&mapblock.NotAllAir != 0) })),
	opt("lighting_expired", format.ColumnBool, "Light must be recomputed; in versions 11 to 26.",
		ofBlock(func(b *mapblock.Block) bool { return 11 <= b.Version && b.Version <= 26 }, func(b *mapblock.Block) format.Cell {
			return format.BoolCell(b.Flags&mapblock.LightingExpired != 0)
		})),
	opt("generated", format.ColumnBool, "The map generator has generated the block.",
		ofBlock(since(0), func(b *mapblock.Block) format.Cell { return format.BoolCell(b.IsGenerated()) })),
	opt("lighting_complete", format.ColumnInt, "A bit for each direction in which light is complete, 0 to 65535 (all); since version 27.",
		ofBlock(since(27), func(b *mapblock.Block) format.Cell { return format.IntCell(b.LightingComplete) })),
	opt("timestamp", format.ColumnInt, "When it was saved, in seconds of game time; null if unknown, as for most blocks.",
		ofBlock(func(b *mapblock.Block) bool { return b.Timestamp != mapblock.NoTimestamp },
			func(b *mapblock.Block) format.Cell { return format.IntCell(b.Timestamp) })),
	opt("stored_bytes", format.ColumnInt, "Its size in the database.", func(v *world.Row) format.Cell {
		if _, ok := errors.AsType[*mapdb.RowError](v.Err); ok {
			return format.Cell{}
		}
		return format.IntCell(len(v.Data))
	}),
	opt("inflated_bytes", format.ColumnInt, "Its size if nothing in it were compressed.",
		ofBlock(since(0), func(b *mapblock.Block) format.Cell { return format.IntCell(b.Inflated()) })),
	col("readable", format.ColumnBool, "The block can be read. Unreadable blocks have findings, and no rows in "+
		"other tables.", func(v *world.Row) format.Cell { return format.BoolCell(v.Block != nil) }),
	opt("error", format.ColumnText, "Why it cannot be read.", func(v *world.Row) format.Cell {
		if v.Err == nil {
			return format.Cell{}
		}
		return format.TextCell(v.Err.Error())
	}),
)...)

type nodeCount struct {
	pos mapdb.Pos
	mapblock.NameCount
}

var tableNodes = tableOf("minetest_nodes", "The number of nodes of a block with a name; the numbers of a block add up to 4096.", with(
	blockPos(func(v *nodeCount) mapdb.Pos { return v.pos }),
	opt("node", format.ColumnText, "The name, such as default:stone; null for nodes whose id has no name.",
		func(v *nodeCount) format.Cell { return text(v.Name) }),
	col("count", format.ColumnInt, "The number of nodes: 1 to 4096.", func(v *nodeCount) format.Cell { return format.IntCell(v.Count) }),
)...)

var tableMetadata = tableOf("minetest_metadata", "A variable of the metadata of a node.", with(
	nodePos(false, func(v *worldfind.Meta) ([3]int, bool) { return v.At.Pos() }),
	opt("node", format.ColumnText, "The name of the node; null if its id has no name.",
		func(v *worldfind.Meta) format.Cell { return text(v.Node) }),
	col("key", format.ColumnText, "The name of the variable.", func(v *worldfind.Meta) format.Cell { return format.TextCell(v.Key) }),
	col("value", format.ColumnText, "Its value.", func(v *worldfind.Meta) format.Cell { return format.TextCell(v.Value) }),
	col("private", format.ColumnBool, "The server does not send it to players.",
		func(v *worldfind.Meta) format.Cell { return format.BoolCell(v.Private) }),
	opt("owner", format.ColumnText, "The variable owner of the same node; null if there is none.",
		func(v *worldfind.Meta) format.Cell { return text(v.Owner) }),
)...)

// nodeOf returns the node that holds an item, or where it was dropped.
func nodeOf(it *worldfind.Item) ([3]int, bool) {
	switch at := it.At.(type) {
	case place.Node:
		return at.Pos()
	case place.Slot:
		if at.Node != nil {
			return at.Node.Pos()
		}
	}
	return [3]int{}, false
}

var tableInventories = tableOf("minetest_inventories", "A stack of items: in the inventory of a node or player, or dropped.", with(
	[]column[worldfind.Item]{col("kind", format.ColumnText, "The kind of holder: node, player or object.",
		func(v *worldfind.Item) format.Cell {
			switch at := v.At.(type) {
			case place.Node:
				return format.TextCell("object")
			case place.Slot:
				if at.Node != nil {
					return format.TextCell("node")
				}
			}
			return format.TextCell("player")
		})}, with(
		nodePos(true, nodeOf),
		col("holder", format.ColumnText, "The name of the node or object that holds it; player for a player.",
			func(v *worldfind.Item) format.Cell { return format.TextCell(v.Holder) }),
		opt("owner", format.ColumnText, "The player, or the variable owner of the node; null if there is none.",
			func(v *worldfind.Item) format.Cell { return text(v.Owner) }),
		opt("list", format.ColumnText, "The list of the inventory, such as main; null for dropped items.", func(v *worldfind.Item) format.Cell {
			if at, ok := v.At.(place.Slot); ok {
				return format.TextCell(at.List)
			}
			return format.Cell{}
		}),
		opt("slot", format.ColumnInt, "The slot of the list, from 0.", func(v *worldfind.Item) format.Cell {
			if at, ok := v.At.(place.Slot); ok {
				return format.IntCell(at.Slot)
			}
			return format.Cell{}
		}),
		col("item", format.ColumnText, "The name of the item, such as default:diamond.",
			func(v *worldfind.Item) format.Cell { return format.TextCell(v.Stack.Name) }),
		col("count", format.ColumnInt, "The number of items: 1 to 65535.",
			func(v *worldfind.Item) format.Cell { return format.IntCell(v.Stack.Count) }),
		col("wear", format.ColumnInt, "The wear of a tool: 0 (new) to 65535.",
			func(v *worldfind.Item) format.Cell { return format.IntCell(v.Stack.Wear) }),
		opt("metadata", format.ColumnText, "The metadata of the stack, as a JSON object.",
			func(v *worldfind.Item) format.Cell { return stackMeta(v) }),
	)...)...)

// stackMeta returns the metadata of a stack. Of fields with the same key, the last one is valid.
func stackMeta(it *worldfind.Item) format.Cell {
	if len(it.Stack.Meta) == 0 {
		return format.Cell{}
	}
	object := make(map[string]string, len(it.Stack.Meta))
	for _, f := range it.Stack.Meta {
		object[f.Key] = f.Value
	}
	data, _ := json.Marshal(object) // never fails
	return format.TextCell(string(data))
}

type object struct {
	worldfind.Object
	pos mapdb.Pos
}

var tableObjects = tableOf("minetest_objects", "An object, as it was when its block was saved: a mob, a dropped item, a cart.", with(
	exactPos(func(v *object) [3]float64 { return v.Pos }), with(
		blockPos(func(v *object) mapdb.Pos { return v.pos }),
		col("object", format.ColumnText, "The name of the entity, or the engine's name for an object of another type.",
			func(v *object) format.Cell { return format.TextCell(v.Name) }),
		col("hp", format.ColumnInt, "Its health, 0 to 65535; 0 for objects that are not entities.",
			func(v *object) format.Cell { return format.IntCell(v.HP) }),
		opt("item", format.ColumnText, "The dropped item, as an itemstring.", func(v *object) format.Cell { return text(v.Item) }),
		col("data_bytes", format.ColumnInt, "The size of the data of the entity.",
			func(v *object) format.Cell { return format.IntCell(len(v.Data)) }),
	)...)...)

var tableTimers = tableOf("minetest_timers", "The timer of a node.", with(
	nodePos(false, func(v *worldfind.Timer) ([3]int, bool) { return v.At.Pos() }),
	opt("node", format.ColumnText, "The name of the node; null if its id has no name.",
		func(v *worldfind.Timer) format.Cell { return text(v.Node) }),
	col("timeout", format.ColumnFloat, "Its timeout, in seconds from its start.",
		func(v *worldfind.Timer) format.Cell { return format.FloatCell(v.Timeout) }),
	col("elapsed", format.ColumnFloat, "The time since its start, in seconds.",
		func(v *worldfind.Timer) format.Cell { return format.FloatCell(v.Elapsed) }),
)...)

var tableFindings = tableOf("minetest_findings", "A finding of check, separate for each block and place. Damage of "+
	"rollback.sqlite, which check does not read, is one, too.",
	col("id", format.ColumnText, "The kind of finding, such as mt-block-unreadable.",
		func(f *check.Finding) format.Cell { return format.TextCell(f.ID) }),
	col("severity", format.ColumnText, "error, warning or info.",
		func(f *check.Finding) format.Cell { return format.TextCell(f.Severity.String()) }),
	col("path", format.ColumnText, "The path inside the world: a file, or block x,y,z: and the path in the block.",
		func(f *check.Finding) format.Cell { return format.TextCell(f.Path) }),
	opt("byte_offset", format.ColumnInt, "The offset in the file or block, in bytes; null if there is none.",
		func(f *check.Finding) format.Cell {
			if f.Offset < 0 {
				return format.Cell{}
			}
			return format.IntCell(f.Offset)
		}),
	col("message", format.ColumnText, "The message, in English.", func(f *check.Finding) format.Cell { return format.TextCell(f.Message) }),
	col("places", format.ColumnInt, "The number of places of the finding.",
		func(f *check.Finding) format.Cell { return format.IntCell(len(f.At)) }),
	opt("block_x", format.ColumnInt, "x of the block of the finding, in blocks; null if it belongs to no block.", findingBlock(0)),
	opt("block_y", format.ColumnInt, "y of the block.", findingBlock(1)),
	opt("block_z", format.ColumnInt, "z of the block.", findingBlock(2)),
)

// findingBlock returns a coordinate of the block that a finding is about.
func findingBlock(axis int) func(*check.Finding) format.Cell {
	return func(f *check.Finding) format.Cell {
		if len(f.At) == 0 {
			return format.Cell{}
		}
		at := f.At[0]
		if slot, ok := at.(place.Slot); ok && slot.Node != nil {
			at = *slot.Node
		}
		if n, ok := at.(place.Node); ok {
			if p, ok := n.BlockPos(); ok {
				return format.IntCell(p[axis])
			}
		}
		return format.Cell{}
	}
}

package worldfind

import (
	"context"
	"slices"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/place"
)

// Node is a node of a world.
type Node struct {
	At             place.Node
	Name           string // "" if its id has none
	Param1, Param2 uint8
}

// Nodes finds nodes by their names.
func Nodes(ctx context.Context, db mapdb.DB, where Where, names Names, yield func(Node) error) error {
	q := nodes(where, func(name string) bool { return name != "" && names.Match(name) })
	q.may = func(data []byte) bool { return holds(data, names.literal) }
	return q.run(ctx, db, where, yield)
}

// Unknown finds the nodes that a game does not know: those whose id has no name, and those
// of which known reports false. With a nil known it finds the former, and those to which
// a tool gave a name because of that, such as "unknown:id_7".
func Unknown(ctx context.Context, db mapdb.DB, where Where, known func(name string) bool, yield func(Node) error) error {
	named, _ := ParseNames("unknown:id_*")
	return nodes(where, func(name string) bool {
		switch {
		case name == "":
			return true
		case known == nil:
			return named.Match(name)
		}
		return name != mapblock.Air && name != mapblock.Ignore && !known(name)
	}).run(ctx, db, where, yield)
}

// nodes asks for nodes whose name is wanted.
func nodes(where Where, wanted func(name string) bool) query[Node] {
	return query[Node]{nodesOnly: true, look: func(p mapdb.Pos, b *mapblock.Block) (found []Node) {
		if !wanted("") && !slices.ContainsFunc(b.Names, func(n mapblock.NameID) bool { return wanted(n.Name) }) {
			return nil
		}
		// An id is looked up once, not for each node.
		const unseen, no, yes = 0, 1, 2
		var state [1 << 16]uint8
		for i, id := range &b.Param0 {
			if state[id] == unseen {
				if state[id] = no; wanted(nameOf(b, i)) {
					state[id] = yes
				}
			}
			if state[id] == yes && where.contains(p, i) {
				found = append(found, Node{nodeAt(p, i), nameOf(b, i), b.Param1[i], b.Param2[i]})
			}
		}
		return found
	}}
}

// Meta is a variable that a node keeps.
type Meta struct {
	At         place.Node
	Node       string // the name of the node
	Owner      string // the variable owner of the same node
	Key, Value string
	Private    bool // not told to players
}

// Metadata finds the variables of nodes for which wanted reports true.
func Metadata(ctx context.Context, db mapdb.DB, where Where, wanted func(key, value string) bool, yield func(Meta) error) error {
	return query[Meta]{look: func(p mapdb.Pos, b *mapblock.Block) []Meta {
		return MetadataIn(p, b, where, wanted)
	}}.run(ctx, db, where, yield)
}

// MetadataIn is [Metadata] of the block at a position, as [mapblock.Block.Today] returns it.
func MetadataIn(p mapdb.Pos, b *mapblock.Block, where Where, wanted func(key, value string) bool) (found []Meta) {
	for i := range b.Metadata.List {
		m := &b.Metadata.List[i]
		if int(m.Pos) >= mapblock.NodeCount || !where.contains(p, int(m.Pos)) {
			continue
		}
		for _, v := range m.Vars {
			if wanted(v.Key, v.Value) {
				found = append(found, Meta{nodeAt(p, int(m.Pos)), nameOf(b, int(m.Pos)), m.Var("owner"), v.Key, v.Value, v.IsPrivate()})
			}
		}
	}
	return found
}

// Timer is the timer of a node.
type Timer struct {
	At               place.Node
	Node             string  // the name of the node
	Timeout, Elapsed float64 // seconds
}

// Timers finds the timers of nodes of some names.
func Timers(ctx context.Context, db mapdb.DB, where Where, names Names, yield func(Timer) error) error {
	return query[Timer]{look: func(p mapdb.Pos, b *mapblock.Block) []Timer { return TimersIn(p, b, where, names) }}.run(ctx, db, where, yield)
}

// TimersIn is [Timers] of the block at a position, as [mapblock.Block.Today] returns it.
func TimersIn(p mapdb.Pos, b *mapblock.Block, where Where, names Names) (found []Timer) {
	for _, t := range b.Timers.List {
		if int(t.Pos) >= mapblock.NodeCount || !where.contains(p, int(t.Pos)) {
			continue
		}
		if name := nameOf(b, int(t.Pos)); names.Match(name) {
			found = append(found, Timer{nodeAt(p, int(t.Pos)), name, float64(t.Timeout) / 1000, float64(t.Elapsed) / 1000})
		}
	}
	return found
}

package worldquery

import (
	"context"
	"slices"

	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// Node is a node of a world.
type Node struct {
	At             place.Node
	Name           string // "" if its id has no name
	Param1, Param2 uint8
}

// FindNodes finds nodes by name.
func FindNodes(ctx context.Context, db mapdb.DB, where Where, names Names, yield func(Node) error) error {
	q := nodes(where, func(name string) bool { return name != "" && names.Match(name) })
	q.may = func(data []byte) bool { return holds(data, names.literal) }
	return q.run(ctx, db, where, yield)
}

// FindUnknown finds the nodes that a game does not define: nodes whose id has no name, and nodes for whose name known
// returns false. If known is nil, it finds nodes whose id has no name, and nodes with a name that a tool has made
// from the id, such as "unknown:id_7".
func FindUnknown(ctx context.Context, db mapdb.DB, where Where, known func(name string) bool, yield func(Node) error) error {
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

// nodes returns a query for nodes with names that wanted accepts.
func nodes(where Where, wanted func(name string) bool) query[Node] {
	return query[Node]{nodesOnly: true, look: func(p mapdb.Pos, b *mapblock.Block) []Node {
		return nodesIn(p, b, where, wanted)
	}}
}

// NodesIn is [Nodes] for the block at a position, as returned by [mapblock.Block.Today].
func NodesIn(p mapdb.Pos, b *mapblock.Block, where Where, names Names) []Node {
	return nodesIn(p, b, where, func(name string) bool { return name != "" && names.Match(name) })
}

// nodesIn finds the nodes of a block whose names wanted accepts.
func nodesIn(p mapdb.Pos, b *mapblock.Block, where Where, wanted func(name string) bool) (found []Node) {
	if !wanted("") && !slices.ContainsFunc(b.Names, func(n mapblock.NameID) bool { return wanted(n.Name) }) {
		return nil
	}
	// Each id is looked up only once.
	const unseen, no, yes = 0, 1, 2
	var state [1 << 16]uint8
	for i, id := range &b.Param0 {
		if state[id] == unseen {
			if state[id] = no; wanted(nameAt(b, i)) {
				state[id] = yes
			}
		}
		if state[id] == yes && where.contains(p, i) {
			found = append(found, Node{nodeAt(p, i), nameAt(b, i), b.Param1[i], b.Param2[i]})
		}
	}
	return found
}

// Meta is a metadata variable of a node.
type Meta struct {
	At         place.Node
	Node       string // name of the node
	Owner      string // the variable owner of the same node
	Key, Value string
	Private    bool // not sent to players
}

// FindMetadata finds the variables of nodes for which wanted reports true.
func FindMetadata(ctx context.Context, db mapdb.DB, where Where, wanted func(key, value string) bool, yield func(Meta) error) error {
	return query[Meta]{look: func(p mapdb.Pos, b *mapblock.Block) []Meta {
		return metadataIn(p, b, where, wanted)
	}}.run(ctx, db, where, yield)
}

// metadataIn is [Metadata] for the block at a position, as returned by [mapblock.Block.Today].
func metadataIn(p mapdb.Pos, b *mapblock.Block, where Where, wanted func(key, value string) bool) (found []Meta) {
	for i := range b.Metadata.List {
		m := &b.Metadata.List[i]
		if int(m.Pos) >= mapblock.NodeCount || !where.contains(p, int(m.Pos)) {
			continue
		}
		for _, v := range m.Vars {
			if wanted(v.Key, v.Value) {
				found = append(found, Meta{nodeAt(p, int(m.Pos)), nameAt(b, int(m.Pos)), m.Var("owner"), v.Key, v.Value, v.IsPrivate()})
			}
		}
	}
	return found
}

// Timer is the timer of a node.
type Timer struct {
	At               place.Node
	Node             string  // name of the node
	Timeout, Elapsed float64 // seconds
}

// FindTimers finds the timers of nodes by the names of the nodes.
func FindTimers(ctx context.Context, db mapdb.DB, where Where, names Names, yield func(Timer) error) error {
	return query[Timer]{look: func(p mapdb.Pos, b *mapblock.Block) []Timer { return timersIn(p, b, where, names) }}.run(ctx, db, where, yield)
}

// timersIn is [Timers] for the block at a position, as returned by [mapblock.Block.Today].
func timersIn(p mapdb.Pos, b *mapblock.Block, where Where, names Names) (found []Timer) {
	for _, t := range b.Timers.List {
		if int(t.Pos) >= mapblock.NodeCount || !where.contains(p, int(t.Pos)) {
			continue
		}
		if name := nameAt(b, int(t.Pos)); names.Match(name) {
			found = append(found, Timer{nodeAt(p, int(t.Pos)), name, float64(t.Timeout) / 1000, float64(t.Elapsed) / 1000})
		}
	}
	return found
}

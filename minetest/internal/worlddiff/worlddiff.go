// Package worlddiff compares two worlds. It reports the nodes and the other contents of each block that changed, the
// changed values of players, accounts, mod storage and settings, and all other files that changed.
//
// Blocks are first compared by their bytes. Blocks that differ are decoded on all cores. Neither world is held in
// memory, so worlds of any size can be compared.
package worlddiff

import (
	"cmp"
	"context"
	"errors"

	"trowel.example/check"
	"trowel.example/internal/limits/parallel"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddir"
)

// The part that a [Change] is about, and the kind of change.
const (
	Block    = "block"
	Player   = "player"
	Account  = "account"
	Mod      = "mod" // the storage of a mod
	Settings = "settings"
	File     = "file" // any other file

	Added   = "added"
	Removed = "removed"
	Changed = "changed"
)

// Change is a difference between two worlds.
type Change struct {
	Part   string `json:"part"`
	Path   string `json:"path"` // path of the file in the folder form of a world
	Change string `json:"change"`

	// The position of a block, counted in blocks, and its differences if both worlds have the block.
	Block    *[3]int  `json:"block,omitempty"`
	Nodes    int      `json:"nodes,omitempty"`    // number of nodes with another name or param2
	Kinds    []Kind   `json:"kinds,omitempty"`    // number of nodes by old and new name, the most frequent first
	Boxes    []Box    `json:"boxes,omitempty"`    // the nodes that differ; the boxes do not overlap
	Metadata [][3]int `json:"metadata,omitempty"` // nodes whose metadata differs
	Timers   [][3]int `json:"timers,omitempty"`   // nodes whose timers differ
	Objects  int      `json:"objects,omitempty"`  // number of objects added or removed
	Light    int      `json:"light,omitempty"`    // number of nodes with another param1
	Unread   string   `json:"unread,omitempty"`   // why a block could only be compared by its bytes

	Fields []Field `json:"fields,omitempty"` // values that differ

	set *nodeSet // instead of Boxes, see Compact
}

// Kind is the number of nodes that changed from one name to another. If the names are equal, each is followed by a
// space and its param2.
type Kind struct {
	Old   string `json:"old"`
	New   string `json:"new"`
	Count int    `json:"count"`
}

// Box is the box of nodes from Min to Max, both inclusive, as x, y and z in the world.
type Box struct {
	Min [3]int `json:"min"`
	Max [3]int `json:"max"`
}

// Field is a named value. Old or New is nil if the value is only in one world.
type Field struct {
	Name string  `json:"name"`
	Old  *string `json:"old,omitempty"`
	New  *string `json:"new,omitempty"`
}

// Places returns the places of the change in the old and in the new world: each node; the whole block if it was added
// or removed, or if no node is affected; or the player, the account, the mod or the file.
func (c *Change) Places() (old, new []check.Place) {
	at := c.places()
	if c.Change != Added {
		old = at
	}
	if c.Change != Removed {
		new = at
	}
	return old, new
}

func (c *Change) places() (at []check.Place) {
	if c.Block == nil {
		return []check.Place{placeOf(c.Part, c.Path)}
	}
	pos := mapdb.Pos{X: int16(c.Block[0]), Y: int16(c.Block[1]), Z: int16(c.Block[2])}
	node := func(i int) { at = append(at, place.InBlock(i).In(pos.X, pos.Y, pos.Z)) }
	c.eachNode(node)
	for _, list := range [][][3]int{c.Metadata, c.Timers} {
		for _, p := range list {
			if !c.inBoxes(p) {
				node(indexOf(p))
			}
		}
	}
	if len(at) == 0 {
		at = append(at, place.Block(pos.X, pos.Y, pos.Z))
	}
	return at
}

// eachNode calls do with the index in its block of each node in the boxes.
func (c *Change) eachNode(do func(i int)) {
	for _, b := range c.Boxes {
		for z := b.Min[2]; z <= b.Max[2]; z++ {
			for y := b.Min[1]; y <= b.Max[1]; y++ {
				for x := b.Min[0]; x <= b.Max[0]; x++ {
					do(indexOf([3]int{x, y, z}))
				}
			}
		}
	}
}

// indexOf returns the index of a node, given in the world, in its block.
func indexOf(node [3]int) int {
	const low = mapblock.Side - 1
	return mapblock.Index(node[0]&low, node[1]&low, node[2]&low)
}

func (c *Change) inBoxes(p [3]int) bool {
	for _, b := range c.Boxes {
		in := true
		for i, v := range p {
			in = in && b.Min[i] <= v && v <= b.Max[i]
		}
		if in {
			return true
		}
	}
	return false
}

// Options control a comparison.
type Options struct {
	Area *mapdb.Area // the blocks to compare; nil means all
	// OnMiss receives errors about the world in a folder that cannot be read; may be nil.
	OnMiss func(dir string, err error)
}

// miss reports an error to OnMiss with the folder of the world it is about. A joined error is reported part by part.
func (o *Options) miss(dirs [2]string, err error) {
	if both, are := err.(interface{ Unwrap() []error }); are {
		for _, err := range both.Unwrap() {
			o.miss(dirs, err)
		}
		return
	}
	of, ok := errors.AsType[*mapdb.SideError](err)
	if ok && of.New {
		o.OnMiss(dirs[1], err)
		return
	}
	o.OnMiss(dirs[0], err)
}

// Compare calls change with each difference: first those of blocks in the order of the databases, then the others in
// the order of their paths. It stops at the first error that change returns.
func Compare(ctx context.Context, old, new *worlddir.World, o Options, change func(*Change) error) error {
	if o.OnMiss == nil {
		o.OnMiss = func(string, error) {}
	}
	area := mapdb.All()
	if o.Area != nil {
		area = *o.Area
	}
	type found struct {
		d   mapdb.Difference
		err error
	}
	var before, now mapdb.Bound
	err := parallel.Ordered(ctx, func(send func(found) error) error {
		for d, err := range mapdb.Differences(ctx, old.Map, new.Map, area) {
			var row *mapdb.RowError
			if err != nil && !errors.As(err, &row) {
				return err
			}
			if err := cmp.Or(before.Spend(d.Pos, d.Old), now.Spend(d.Pos, d.New)); err != nil {
				return err
			}
			if err := send(found{d, err}); err != nil {
				return err
			}
		}
		return ctx.Err()
	}, func(f found) any {
		if f.err != nil {
			return f.err
		}
		return compareBlocks(f.d)
	}, func(result any) error {
		switch r := result.(type) {
		case error:
			o.miss([2]string{old.Dir, new.Dir}, r)
		case *Change:
			if r != nil {
				return change(r)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return compareTrees(ctx, old, new, o, change)
}

// Package worlddiff says in what two worlds differ: block by block which nodes became which
// others, and what has changed of what they keep; of players, accounts, what mods keep and
// settings which values; of all else which files.
//
// Blocks are compared by their bytes first, and those that differ are looked into on all
// cores. Neither world is in memory: two of any size can be compared.
package worlddiff

import (
	"context"
	"errors"

	"trowel.example/check"
	"trowel.example/internal/parallel"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/place"
	"trowel.example/minetest/worlddir"
)

// What a [Change] is about, and what happened to it.
const (
	Block    = "block"
	Player   = "player"
	Account  = "account"
	Mod      = "mod" // what a mod keeps
	Settings = "settings"
	File     = "file" // any other

	Added   = "added"
	Removed = "removed"
	Changed = "changed"
)

// Change is one part in which two worlds differ.
type Change struct {
	Part   string `json:"part"`
	Path   string `json:"path"` // of its file in the folder form of a world
	Change string `json:"change"`

	// Of a block: where it is, counted in blocks, and what differs if both worlds have it.
	Block    *[3]int  `json:"block,omitempty"`
	Nodes    int      `json:"nodes,omitempty"`    // how many are others, or have another param2
	Kinds    []Kind   `json:"kinds,omitempty"`    // which became which, the most frequent first
	Boxes    []Box    `json:"boxes,omitempty"`    // where they are; no node is in two of them
	Metadata [][3]int `json:"metadata,omitempty"` // nodes that keep something else
	Timers   [][3]int `json:"timers,omitempty"`   // nodes whose timers differ
	Objects  int      `json:"objects,omitempty"`  // how many came or went
	Light    int      `json:"light,omitempty"`    // how many nodes have another param1
	Unread   string   `json:"unread,omitempty"`   // why nobody knows more than that its bytes differ

	Fields []Field `json:"fields,omitempty"` // values that differ
}

// Kind says how many nodes of one kind became another. If the names are the same, each has its
// param2 after a space.
type Kind struct {
	Old   string `json:"old"`
	New   string `json:"new"`
	Count int    `json:"count"`
}

// Box is the nodes from one to another, both of them in it, x, y and z in the world.
type Box struct {
	Min [3]int `json:"min"`
	Max [3]int `json:"max"`
}

// Field is a value with a name. One that is only in one world is nil in the other.
type Field struct {
	Name string  `json:"name"`
	Old  *string `json:"old,omitempty"`
	New  *string `json:"new,omitempty"`
}

// Places returns where the change is in the old world and in the new one: each node, or the
// whole block if it was added or removed or none of its nodes is concerned; or the player, the
// account, the mod or the file.
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
	node := func(x, y, z int) {
		const low = mapblock.Side - 1
		at = append(at, place.InBlock(mapblock.Index(x&low, y&low, z&low)).In(pos.X, pos.Y, pos.Z))
	}
	for _, b := range c.Boxes {
		for z := b.Min[2]; z <= b.Max[2]; z++ {
			for y := b.Min[1]; y <= b.Max[1]; y++ {
				for x := b.Min[0]; x <= b.Max[0]; x++ {
					node(x, y, z)
				}
			}
		}
	}
	for _, list := range [][][3]int{c.Metadata, c.Timers} {
		for _, p := range list {
			if !c.inBoxes(p) {
				node(p[0], p[1], p[2])
			}
		}
	}
	if len(at) == 0 {
		at = append(at, place.Block(pos.X, pos.Y, pos.Z))
	}
	return at
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

// Options say what is compared, and who hears of what cannot be.
type Options struct {
	Area *mapdb.Area // of the blocks; nil: all
	// OnMiss hears of what cannot be read of the world in a folder; nil: nobody.
	OnMiss func(dir string, err error)
}

// miss tells of an error about one of the worlds in two folders, or of one about each.
func (o *Options) miss(dirs [2]string, err error) {
	if both, are := err.(interface{ Unwrap() []error }); are {
		for _, err := range both.Unwrap() {
			o.miss(dirs, err)
		}
		return
	}
	of, is := errors.AsType[*mapdb.SideError](err)
	if is && of.New {
		o.OnMiss(dirs[1], err)
		return
	}
	o.OnMiss(dirs[0], err)
}

// Compare calls change with each difference: those of blocks in the order of the stores, then
// the others by their paths. The first error that change returns ends it.
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
	err := parallel.Ordered(ctx, func(send func(found) error) error {
		for d, err := range mapdb.Differences(ctx, old.Map, new.Map, area) {
			var row *mapdb.RowError
			if err != nil && !errors.As(err, &row) {
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

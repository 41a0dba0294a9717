// Package place represents places of a world as data, for findings: a viewer or an editor can go to the place of a
// finding.
package place

import (
	"encoding/json"
	"fmt"

	"trowel.example/check"
)

// side is the number of nodes along the edge of a block.
const side = 16

// Node is a node of a world, or a whole block. The position of a separate block is unknown; the positions of its
// nodes are relative to the block until [Node.In] is called.
type Node struct {
	block   [3]int16
	index   int16 // of the node in the block; -1 for the whole block
	inWorld bool
}

// Block returns the block at a position, in blocks.
func Block(x, y, z int16) Node { return Node{[3]int16{x, y, z}, -1, true} }

// InBlock returns the node with an index in a block: z*256 + y*16 + x. An invalid index means the whole block.
func InBlock(index int) Node {
	if index < 0 || index >= side*side*side {
		index = -1
	}
	return Node{index: int16(index)}
}

// At returns the node at a position of the world, in nodes.
func At(p [3]int) Node {
	index := p[2]&(side-1)*side*side + p[1]&(side-1)*side + p[0]&(side-1)
	return InBlock(index).In(int16(p[0]>>4), int16(p[1]>>4), int16(p[2]>>4))
}

// In returns the same node in the block at a position.
func (n Node) In(x, y, z int16) Node { return Node{[3]int16{x, y, z}, n.index, true} }

// BlockPos returns the position of the block, in blocks, and whether it is known; for a separate block it is not.
func (n Node) BlockPos() ([3]int, bool) {
	return [3]int{int(n.block[0]), int(n.block[1]), int(n.block[2])}, n.inWorld
}

// Pos returns the position of the node, in the world if the block's position is known. It returns false for a whole
// block.
func (n Node) Pos() ([3]int, bool) {
	if n.index < 0 {
		return [3]int{}, false
	}
	i := int(n.index)
	return [3]int{
		int(n.block[0])*side + i%side, int(n.block[1])*side + i/side%side, int(n.block[2])*side + i/(side*side),
	}, true
}

func (n Node) String() string {
	if p, ok := n.Pos(); ok {
		return fmt.Sprintf("%d,%d,%d", p[0], p[1], p[2])
	}
	return fmt.Sprintf("block %d,%d,%d", n.block[0], n.block[1], n.block[2])
}

type nodeJSON struct {
	Block *[3]int `json:"block,omitempty"`
	Node  *[3]int `json:"node,omitempty"`
}

func (n Node) json() (j nodeJSON) {
	if p, ok := n.BlockPos(); ok {
		j.Block = &p
	}
	if p, ok := n.Pos(); ok {
		j.Node = &p
	}
	return j
}

// MarshalJSON returns {block: [x,y,z], node: [x,y,z]}: the position of the block in blocks, and that of the node in
// nodes. A whole block has no node.
func (n Node) MarshalJSON() ([]byte, error) { return json.Marshal(n.json()) }

// Slot is a slot or a list of an inventory, a whole inventory, or a player.
type Slot struct {
	Player string // the owner of the inventory; "" if it belongs to a node
	Node   *Node  // the owner of the inventory
	List   string // "" for the whole inventory, or the player
	Slot   int    // from 0; -1 for the whole list
}

// Player returns a player as a whole.
func Player(name string) Slot { return Slot{Player: name, Slot: -1} }

func (s Slot) String() string {
	text := s.Player
	if s.Node != nil {
		text = s.Node.String()
	}
	if s.List != "" {
		text += " " + s.List
	}
	if s.Slot >= 0 {
		text += fmt.Sprintf(" %d", s.Slot)
	}
	return text
}

// MarshalJSON returns {player, list, slot}, or {block, node, list, slot}; slots count from 0.
func (s Slot) MarshalJSON() ([]byte, error) {
	var j struct {
		nodeJSON
		Player string `json:"player,omitempty"`
		List   string `json:"list,omitempty"`
		Slot   *int   `json:"slot,omitempty"`
	}
	j.Player, j.List = s.Player, s.List
	if s.Node != nil {
		j.nodeJSON = s.Node.json()
	}
	if s.Slot >= 0 {
		j.Slot = &s.Slot
	}
	return json.Marshal(j)
}

// Account is an account.
type Account string

func (a Account) String() string { return string(a) }

// MarshalJSON returns {account}.
func (a Account) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Account string `json:"account"`
	}{string(a)})
}

// Entry is the data that a mod stores under a key, or all its data.
type Entry struct {
	Mod string
	Key string // "" for all
}

func (e Entry) String() string {
	if e.Key == "" {
		return e.Mod
	}
	return e.Mod + " " + e.Key
}

// MarshalJSON returns {mod, key}.
func (e Entry) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Mod string `json:"mod"`
		Key string `json:"key,omitempty"`
	}{e.Mod, e.Key})
}

// Inside returns a sink for findings about the inventory of holder, which is a player or a node.
func Inside(sink check.Sink, holder Slot) check.Sink {
	return func(f check.Finding) {
		at := make([]check.Place, 0, max(1, len(f.At)))
		for _, p := range f.At {
			if s, ok := p.(Slot); ok {
				s.Player, s.Node = holder.Player, holder.Node
				p = s
			}
			at = append(at, p)
		}
		if len(at) == 0 {
			at = append(at, holder)
		}
		f.At = at
		sink(f)
	}
}

// OfBlock returns a sink for findings about a separate block, which become findings about the block at a position of a
// world: with a path such as "block 12,0,-3: timers.entries[0]", and with positions in the world. A finding without
// places gets the block as its place.
func OfBlock(sink check.Sink, x, y, z int16) check.Sink {
	return func(f check.Finding) {
		at := make([]check.Place, 0, max(1, len(f.At)))
		for _, p := range f.At {
			switch n := p.(type) {
			case Node:
				p = n.In(x, y, z)
			case Slot:
				if n.Node != nil {
					in := n.Node.In(x, y, z)
					n.Node = &in
				}
				p = n
			}
			at = append(at, p)
		}
		if len(at) == 0 {
			at = append(at, Block(x, y, z))
		}
		f.At = at
		block := Block(x, y, z).String()
		if f.Path != "" {
			block += ": " + f.Path
		}
		f.Path = block
		sink.Report(f)
	}
}

package mapblock

import (
	"fmt"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/deep"
)

// Clone returns a copy of the block that shares nothing with it that anybody may change.
func (b *Block) Clone() *Block { return deep.Clone(b) }

// Equal reports whether two blocks say the same in all fields, those among them that their
// version lacks. The bytes that they were read from may differ.
func (b *Block) Equal(other *Block) bool { return deep.Equal(b, other) }

// SetNode makes the node at an index, see [Index], one of a name. What else belongs to the
// place stays: metadata, timers, and the light of the nodes around. An index that is none of
// a block is a panic, as that of a slice is.
//
// It fails, and changes nothing, for a block of a version up to 23, where an id is no more
// than a byte: [Block.Convert] makes it a newer one first; and for a name that is empty, too
// long for the file, or of more kinds of nodes than there are ids.
func (b *Block) SetNode(index int, name string, param1, param2 uint8) error {
	if b.ContentWidth == 1 || b.Version <= 23 {
		return &fault.Error{Path: "version", Offset: -1, Want: "version 24 or later", Got: fmt.Sprint(b.Version), Err: fault.ErrVersion}
	}
	if name == "" || len(name) > 0xffff {
		return &fault.Error{Path: "names", Offset: -1, Want: "a name of 1 to 65535 bytes", Got: fmt.Sprintf("%d bytes", len(name)), Err: fault.ErrFormat}
	}
	id, ok := b.idOf(name)
	if !ok {
		return &fault.Error{Path: "names", Offset: -1, Want: "at most 65536 kinds of nodes", Got: "more", Err: fault.ErrLimit}
	}
	b.Param0[index], b.Param1[index], b.Param2[index] = id, param1, param2
	if name != Air {
		b.Flags |= NotAllAir
	}
	return nil
}

// idOf returns the id of a name, and gives it one that neither names nor nodes have if it
// has none.
func (b *Block) idOf(name string) (uint16, bool) {
	used := make(map[uint16]bool)
	for _, e := range slices.Backward(b.Names) {
		if e.Name == name && !used[e.ID] {
			return e.ID, true // of two entries of an id the last counts
		}
		used[e.ID] = true
	}
	for _, id := range &b.Param0 {
		used[id] = true
	}
	for id := range 1 << 16 {
		if !used[uint16(id)] {
			b.Names = append(b.Names, NameID{uint16(id), name})
			return uint16(id), true
		}
	}
	return 0, false
}

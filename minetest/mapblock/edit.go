package mapblock

import (
	"fmt"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/internal/values/deep"
)

// Clone returns a deep copy of the block: changing the copy does not change the block.
func (b *Block) Clone() *Block { return deep.Clone(b) }

// Equal reports whether all fields of two blocks are equal, including fields that their version lacks. The encoded
// bytes may differ.
func (b *Block) Equal(other *Block) bool { return deep.Equal(b, other) }

// SetNode sets the name, param1 and param2 of the node at an index, see [Index]. It does not change metadata, timers,
// or the light of neighbouring nodes. It panics if the index is out of range.
//
// SetNode fails and changes nothing if the block has a version up to 23, whose ids are bytes (convert it with
// [Block.Convert] first), if the name is empty or longer than 65535 bytes, or if all 65536 ids are in use.
func (b *Block) SetNode(index int, name string, param1, param2 uint8) error {
	if b.ContentWidth == 1 || b.Version <= 23 {
		return &fault.Error{Path: "version", Offset: -1, Want: "version 24 or later", Got: fmt.Sprint(b.Version), Err: fault.ErrVersion}
	}
	if name == "" || len(name) > 0xffff {
		return &fault.Error{Path: "names", Offset: -1, Want: "a name of 1 to 65535 bytes",
			Got: words.Count(len(name), "byte"), Err: fault.ErrFormat}
	}
	id, ok := b.idOf(name)
	if !ok {
		return &fault.Error{Path: "names", Offset: -1, Want: "at most 65536 kinds of nodes", Got: "more", Err: fault.ErrFormat}
	}
	b.Param0[index], b.Param1[index], b.Param2[index] = id, param1, param2
	if name != Air {
		b.Flags |= NotAllAir
	}
	return nil
}

// idOf returns the id of a name. If the name has none, idOf assigns an id that neither Names nor a node uses, in versions
// that store names. It reports whether there is an id.
func (b *Block) idOf(name string) (uint16, bool) {
	if b.Version <= 20 {
		id, ok := legacyIDs[name]
		if _, old := toOld[id]; b.Version <= 19 {
			ok = ok && old
		}
		return id, ok
	}
	if b.MapBlockObjects != 0 && b.Version == 21 {
		return 0, false // nothing follows them
	}
	used := new(idBits)
	for _, e := range slices.Backward(b.Names) {
		if e.Name == name && !used.has(e.ID) {
			return e.ID, true // of two entries with one id, the last counts
		}
		used.add(e.ID)
	}
	for i := range NodeCount {
		id, _ := b.ID(i)
		used.add(id)
	}
	for id := range 1 << 16 {
		if b.ContentWidth == 1 && (0x80 <= id && id < extendedID || id > 0xfff) {
			continue
		}
		if !used.has(uint16(id)) {
			b.Names = append(slices.Clip(b.Names), NameID{uint16(id), name})
			return uint16(id), true
		}
	}
	return 0, false
}

package worlddir

import (
	"slices"
	"strconv"
	"sync"

	"trowel.example/fault"
	"trowel.example/minetest/mapblock"
)

// The id of a node in the text is that of the block: a byte up to version 19, then [mapblock.Block.ID]. It is written
// as a name, if it has one and no other id has the same name.

// idOf returns the id of a node, and the part of its param2 that is not used by the id.
func idOf(b *mapblock.Block, index int) (id uint16, param2 uint8) {
	if b.Version <= 19 {
		return b.Param0[index], b.Param2[index]
	}
	return b.ID(index)
}

// putID is the inverse of idOf.
func putID(b *mapblock.Block, index int, id uint16, param2 uint8) {
	b.Param0[index], b.Param2[index] = id, param2
	if b.Version >= 20 && b.ContentWidth == 1 && id >= extended {
		b.Param0[index], b.Param2[index] = id>>4, uint8(id<<4)|param2
	}
}

// extended is the first id that uses half of param2, in blocks of version 20 or later with ids of one byte.
const extended = 0x800

// validID reports whether a node of a block can have an id.
func validID(version int, contentWidth uint8, id uint16) bool {
	switch {
	case version <= 19:
		return id <= 0xff
	case contentWidth == 1:
		return id < 0x80 || extended <= id && id <= 0xfff
	}
	return true
}

// ids maps ids to names and names to ids.
type ids struct {
	names map[uint16]string
	ids   map[string]uint16
	words []string // the names as words, for old versions
}

func newIDs(list []mapblock.NameID) *ids {
	t := &ids{make(map[uint16]string, len(list)), make(map[string]uint16, len(list)), nil}
	for _, e := range list {
		t.names[e.ID] = e.Name // of duplicates, the last one counts, as in the games
		t.ids[e.Name] = e.ID
	}
	return t
}

// name returns the name of an id, if no other id has that name.
func (t *ids) name(id uint16) (string, bool) {
	name, ok := t.names[id]
	return name, ok && t.ids[name] == id
}

// legacyIDs returns the names of a version whose blocks do not contain names.
func legacyIDs(version int) *ids {
	switch {
	case version <= 18:
		return legacy18()
	case version == 19:
		return legacy19()
	}
	return legacy20()
}

var (
	legacy18 = sync.OnceValue(func() *ids { return makeLegacyIDs(18) })
	legacy19 = sync.OnceValue(func() *ids { return makeLegacyIDs(19) })
	legacy20 = sync.OnceValue(func() *ids { return makeLegacyIDs(20) })
)

// makeLegacyIDs takes the names from a block that contains every id once.
func makeLegacyIDs(version int) *ids {
	b := mapblock.New(version)
	air := b.Param0[0] // the usual byte if two have the same meaning, likewise for ignore
	var all []uint16
	for id := range uint16(0x1000) {
		if validID(version, b.ContentWidth, id) {
			putID(b, len(all), id, 0)
			all = append(all, id)
		}
	}
	nodes := b.Nodes()
	var list []mapblock.NameID
	for i, id := range all {
		name := nodes.At(i)
		if engine := name == mapblock.Air || name == mapblock.Ignore; name != "" && (!engine || id == air || id == air+1) {
			list = append(list, mapblock.NameID{ID: id, Name: name})
		}
	}
	t := newIDs(list)
	t.words = wordsOf(list)
	return t
}

// wordsOf returns names as they are written in the text.
func wordsOf(list []mapblock.NameID) []string {
	words := make([]string, len(list))
	for i, e := range list {
		words[i] = string(appendName(nil, e.Name))
	}
	return words
}

// stopped reports whether a block contains nothing after its map block objects.
func stopped(b *mapblock.Block) bool {
	return b.MapBlockObjects != 0 && has(b.Version, 9, 21)
}

// has reports whether a version is in the range from first to last.
func has(version, first, last int) bool { return first <= version && version <= last }

// ownNames reports whether a block contains names for its ids.
func ownNames(b *mapblock.Block) bool { return b.Version >= 21 && !stopped(b) }

// idsOf returns the names of the ids of a block.
func idsOf(b *mapblock.Block) *ids {
	switch {
	case b.Version <= 20:
		return legacyIDs(b.Version)
	case ownNames(b):
		return newIDs(b.Names)
	}
	return newIDs(nil)
}

// numericID marks an id that has no name.
const numericID = "id:"

// appendNode writes a node: its name or, without a name, its id.
func (t *ids) appendNode(dst []byte, id uint16) []byte {
	name, ok := t.name(id)
	if !ok {
		return strconv.AppendUint(append(dst, numericID...), uint64(id), 10)
	}
	return appendName(dst, name)
}

// appendName writes the name of a node.
func appendName(dst []byte, name string) []byte {
	if isNumericID(name) {
		return strconv.AppendQuote(dst, name)
	}
	return appendWord(dst, name)
}

func isNumericID(name string) bool {
	return len(name) >= len(numericID) && name[:len(numericID)] == numericID
}

// nodeRef is a node in the text, at its first occurrence.
type nodeRef struct {
	name    string
	id      uint16
	numeric bool // whether the node is written as an id

	line, column int
}

// usualNames assigns ids to the names of nodes in a text, and returns the list of names as games write it: ids in the
// order of first occurrence. Since version 29, games write the list in reverse order.
func usualNames(b *mapblock.Block, nodes []nodeRef) ([]mapblock.NameID, *fault.TextError) {
	list, err := assign(b, nil, nodes)
	if b.Version >= 29 {
		slices.Reverse(list)
	}
	return list, err
}

// assign assigns ids to the names of nodes in a text. Names that are not in list get the lowest free ids, in the
// order of the nodes, and are added to list.
func assign(b *mapblock.Block, list []mapblock.NameID, nodes []nodeRef) ([]mapblock.NameID, *fault.TextError) {
	t := newIDs(list)
	if b.Version <= 20 {
		t = legacyIDs(b.Version)
	}
	taken := make(map[uint16]bool, len(list)+len(nodes))
	for _, e := range list {
		taken[e.ID] = true
	}
	for _, n := range nodes {
		if n.numeric {
			taken[n.id] = true
		}
	}
	free := uint16(0)
	for i := range nodes {
		n := &nodes[i]
		if n.numeric {
			if !validID(b.Version, b.ContentWidth, n.id) {
				return nil, &fault.TextError{Line: n.line, Column: n.column, Msg: "the version does not have this id"}
			}
			continue
		}
		id, ok := t.ids[n.name]
		switch {
		case ok && !validID(b.Version, b.ContentWidth, id):
			return nil, &fault.TextError{Line: n.line, Column: n.column, Msg: "the version has no node with the id of this name"}
		case !ok && !ownNames(b):
			return nil, &fault.TextError{Line: n.line, Column: n.column, Msg: "the version has no node " +
				strconv.Quote(n.name) + " and no place for names"}
		case !ok:
			for taken[free] || !validID(b.Version, b.ContentWidth, free) {
				if free++; free == 0xffff {
					return nil, &fault.TextError{Line: n.line, Column: n.column, Msg: "no id is left for this name"}
				}
			}
			id, taken[free], t.ids[n.name] = free, true, free
			list = append(list, mapblock.NameID{ID: id, Name: n.name})
		}
		n.id = id
	}
	return list, nil
}

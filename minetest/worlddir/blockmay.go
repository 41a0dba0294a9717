package worlddir

import (
	"sync"

	"trowel.example/internal/text/pattern"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// gridCharacters are the characters of lines of nodes and ids, other than the words of nodes: runs, ranges, ids, and
// the beginnings of lines.
const gridCharacters = " *-=0123456789" + "yz" + numericID + "ids"

// gridHeads are the lines above the sections of numbers.
const gridHeads = "nodes\nparam1\nparam2\n"

// Blocks and texts are reused for the next block.
var sketches = sync.Pool{New: func() any { return &blockText{Block: new(mapblock.Block)} }}

// mayBeBlock reports whether a line of the text of a block may match the pattern, without formatting the lines of
// nodes.
func mayBeBlock(data []byte, pos mapdb.Pos, p *pattern.Pattern) bool {
	t := sketches.Get().(*blockText)
	defer sketches.Put(t)
	if t.Decode(data) != nil {
		return true // its text is a raw text
	}
	if p.Possible(pattern.Words{Characters: gridCharacters, Words: t.nodeWords()}) {
		return true
	}
	t.dst, t.empties = append(t.dst[:0], gridHeads...), 0
	t.head(pos)
	t.things()
	return p.In(t.dst)
}

// nodeWords returns the words that the nodes of the block can have in the text.
func (t *blockText) nodeWords() []string {
	if ownNames(t.Block) {
		return wordsOf(t.Names)
	}
	return idsOf(t.Block).words
}

package worlddir

import (
	"slices"
	"sync"

	"trowel.example/internal/text/pattern"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// gridCharacters are the characters of lines of nodes and ids, other than words: runs, ranges and ids.
const gridCharacters = " *-=0123456789" + numericID

// gridWords are the words of lines of nodes and ids that are not those of nodes.
var gridWords = []string{"ids", "y", "z"}

// gridHeads are the lines above the sections of numbers.
const gridHeads = "nodes\nparam1\nparam2\n"

// Blocks and texts are reused for the next block.
var sketches = sync.Pool{New: func() any { return &codec{b: new(mapblock.Block)} }}

// mayBeBlock reports whether a line of the text of a block may match the pattern, without formatting the lines of
// nodes.
func mayBeBlock(data []byte, pos mapdb.Pos, p *pattern.Pattern) bool {
	c := sketches.Get().(*codec)
	defer sketches.Put(c)
	if c.b.Decode(data) != nil {
		return true // its text is a raw text
	}
	if p.Possible(pattern.Words{Characters: gridCharacters, Words: slices.Concat(gridWords, c.nodeWords())}) {
		return true
	}
	c.dst, c.empties = append(c.dst[:0], gridHeads...), 0
	c.writeHead(pos)
	c.write(listSections)
	return p.In(c.dst)
}

// nodeWords returns the words that the nodes of the block can have in the text.
func (c *codec) nodeWords() []string {
	if ownNames(c.b) {
		return wordsOf(c.b.Names)
	}
	return idsOf(c.b).words
}

package worldadmin

import (
	"fmt"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// usualSize is the default number of blocks along the edge of a chunk.
const usualSize = 5

// maxSize is far more than any engine accepts.
const maxSize = 128

// Grid is the division of a world into map chunks, the boxes of blocks that the map generator makes at once: the number of
// blocks of a chunk along x, y and z, usually 5. Regenerating single deleted blocks leaves seams, because caves, trees and
// structures extend over several blocks; deleted whole chunks are regenerated as they were.
type Grid [3]int16

// Chunk is the position of a chunk, counted in chunks. The chunk that contains the block 0,0,0 is 0,0,0.
type Chunk [3]int16

// GridOf returns the grid of a world whose map_meta.txt has the settings s. The size is the setting chunksize: one
// number, or three such as (5,5,5).
func GridOf(s *world.Settings) (Grid, error) {
	text, _ := s.Get("chunksize")
	if text == "" {
		return Grid{usualSize, usualSize, usualSize}, nil
	}
	words := strings.Split(strings.Trim(text, "() "), ",")
	if len(words) == 1 {
		words = []string{words[0], words[0], words[0]}
	}
	var g Grid
	for i := range words {
		n, err := strconv.ParseInt(strings.TrimSpace(words[i]), 10, 16)
		if err != nil || n < 1 || n > maxSize || len(words) != len(g) {
			return Grid{}, &fault.Error{File: "map_meta.txt", Path: "chunksize", Offset: -1,
				Want: fmt.Sprintf("one or three numbers from 1 to %d", maxSize), Got: fmt.Sprintf("%.40q", text), Err: fault.ErrFormat}
		}
		g[i] = int16(n)
	}
	return g, nil
}

// first returns the first block of chunk 0: the engine rounds half a chunk towards zero, so that the default chunk
// has the blocks -2 to 2.
func (g Grid) first(axis int) int { return -(int(g[axis]) / 2) }

// Containing returns the chunk that contains a block.
func (g Grid) Containing(p mapdb.Pos) Chunk {
	var c Chunk
	for i, v := range [3]int16{p.X, p.Y, p.Z} {
		n, size := int(v)-g.first(i), int(g[i])
		if n < 0 {
			n -= size - 1
		}
		c[i] = int16(n / size)
	}
	return c
}

// Blocks returns the blocks of a chunk, limited to positions that can be stored.
func (g Grid) Blocks(c Chunk) mapdb.Area {
	var low, high [3]int16
	for i := range c {
		from := int(c[i])*int(g[i]) + g.first(i)
		low[i] = int16(max(from, mapdb.MinCoord))
		high[i] = int16(min(from+int(g[i])-1, mapdb.MaxCoord))
	}
	return mapdb.Area{Min: mapdb.Pos{X: low[0], Y: low[1], Z: low[2]}, Max: mapdb.Pos{X: high[0], Y: high[1], Z: high[2]}}
}

// Node returns the chunk that contains a node, by its position in nodes.
func (g Grid) Node(pos [3]int) Chunk {
	var b [3]int16
	for i, v := range pos {
		b[i] = int16(min(max(v>>4, mapdb.MinCoord), mapdb.MaxCoord))
	}
	return g.Containing(mapdb.Pos{X: b[0], Y: b[1], Z: b[2]})
}

// Nodes returns the lowest and the highest node of a chunk, both inside the chunk.
func (g Grid) Nodes(c Chunk) (low, high [3]int) {
	for i := range c {
		low[i] = (int(c[i])*int(g[i]) + g.first(i)) * side
		high[i] = low[i] + int(g[i])*side - 1
	}
	return low, high
}

// side is the number of nodes along the edge of a block.
const side = 16

// Near returns the chunks at a distance of at most n chunks in any direction, including c.
func (c Chunk) Near(n int16) []Chunk {
	var list []Chunk
	for z := -n; z <= n; z++ {
		for y := -n; y <= n; y++ {
			for x := -n; x <= n; x++ {
				list = append(list, Chunk{c[0] + x, c[1] + y, c[2] + z})
			}
		}
	}
	return list
}

func (c Chunk) String() string { return fmt.Sprintf("%d,%d,%d", c[0], c[1], c[2]) }

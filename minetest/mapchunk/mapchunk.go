// Package mapchunk knows the map chunks of a world: the boxes of blocks, usually 5 × 5 × 5,
// that the map generator makes at once. Who deletes single blocks gets seams, since caves,
// trees and structures do not stop at blocks; who deletes whole chunks has them made again as
// they were.
package mapchunk

import (
	"fmt"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// DefaultSize is the number of blocks along the edge of a chunk where nothing else is said.
const DefaultSize = 5

// maxSize is far more than any engine takes.
const maxSize = 128

// Grid is how a world is divided into chunks: how many blocks a chunk has along x, y and z.
type Grid [3]int16

// Chunk is the place of a chunk, counted in chunks. The one in which the block 0,0,0 is has
// 0,0,0.
type Chunk [3]int16

// Of returns the chunks of a world whose map_meta.txt has the settings s: the size is that of
// chunksize, a number or three of them, such as (5,5,5).
func Of(s *world.Settings) (Grid, error) {
	text, _ := s.Get("chunksize")
	if text == "" {
		return Grid{DefaultSize, DefaultSize, DefaultSize}, nil
	}
	words := strings.Split(strings.Trim(text, "() "), ",")
	if len(words) == 1 {
		words = []string{words[0], words[0], words[0]}
	}
	var g Grid
	for i := range words {
		n, err := strconv.ParseInt(strings.TrimSpace(words[i]), 10, 16)
		if err != nil || n < 1 || n > maxSize || len(words) != len(g) {
			return Grid{}, &fault.Error{File: "map_meta.txt", Path: "chunksize", Offset: -1, Want: fmt.Sprintf("one or three numbers from 1 to %d", maxSize), Got: fmt.Sprintf("%.40q", text), Err: fault.ErrFormat}
		}
		g[i] = int16(n)
	}
	return g, nil
}

// first returns where chunk 0 begins, in blocks: the engine rounds half a chunk to zero, so
// that the usual one has the blocks -2 to 2.
func (g Grid) first(axis int) int { return -(int(g[axis]) / 2) }

// Containing returns the chunk that a block is in.
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

// Blocks returns the blocks of a chunk. At the edge of what can be stored it ends there.
func (g Grid) Blocks(c Chunk) mapdb.Area {
	var low, high [3]int16
	for i := range c {
		from := int(c[i])*int(g[i]) + g.first(i)
		low[i] = int16(max(from, mapdb.MinCoord))
		high[i] = int16(min(from+int(g[i])-1, mapdb.MaxCoord))
	}
	return mapdb.Area{Min: mapdb.Pos{X: low[0], Y: low[1], Z: low[2]}, Max: mapdb.Pos{X: high[0], Y: high[1], Z: high[2]}}
}

// Node returns the chunk that a node is in, by its position in nodes.
func (g Grid) Node(pos [3]int) Chunk {
	var b [3]int16
	for i, v := range pos {
		b[i] = int16(min(max(v>>4, mapdb.MinCoord), mapdb.MaxCoord))
	}
	return g.Containing(mapdb.Pos{X: b[0], Y: b[1], Z: b[2]})
}

// Nodes returns the corners of a chunk in nodes, both of them in it.
func (g Grid) Nodes(c Chunk) (low, high [3]int) {
	for i := range c {
		low[i] = (int(c[i])*int(g[i]) + g.first(i)) * side
		high[i] = low[i] + int(g[i])*side - 1
	}
	return low, high
}

// side is the number of nodes along the edge of a block.
const side = 16

// Near returns the chunks that are at most n chunks away from one, in any direction, that one
// among them.
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

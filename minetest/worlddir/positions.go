package worlddir

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"trowel.example/internal/files/safename"
	"trowel.example/minetest/mapdb"
)

// positions are the positions of the blocks in the folder, loaded when they are first needed: 8 bytes for each block.
type positions struct {
	once   sync.Once
	loaded atomic.Bool
	keys   []int64 // sorted: by z, then y, then x
	err    error

	made []atomic.Uint32 // one bit for each block: its residue is computed
}

func (p *positions) load(ctx context.Context, w *World, area mapdb.Area, miss func(error)) error {
	p.once.Do(func() {
		if p.err = p.read(ctx, w.Map, area, miss); p.err == nil {
			p.made = make([]atomic.Uint32, (len(p.keys)+31)/32)
			p.loaded.Store(true)
		}
	})
	return p.err
}

// read loads the positions of an area, and reports rows that no file can represent.
func (p *positions) read(ctx context.Context, db mapdb.DB, area mapdb.Area, miss func(error)) error {
	for pos, err := range db.Positions(ctx, area) {
		if row, ok := errors.AsType[*mapdb.RowError](err); ok {
			miss(row)
			continue
		}
		if err != nil {
			return err
		}
		p.keys = append(p.keys, pos.Key())
	}
	slices.Sort(p.keys)
	rows := len(p.keys)
	if p.keys = slices.Compact(p.keys); len(p.keys) < rows {
		miss(fmt.Errorf("duplicate rows of blocks: %d; only one of each block is shown", rows-len(p.keys)))
	}
	return nil
}

// find returns the index of a block and reports whether it exists.
func (p *positions) find(pos mapdb.Pos) (int, bool) { return slices.BinarySearch(p.keys, pos.Key()) }

func (p *positions) isMade(i int) bool { return p.made[i/32].Load()&(1<<(i%32)) != 0 }
func (p *positions) setMade(i int)     { p.made[i/32].Or(1 << (i % 32)) }

// at returns the position of a block.
func (p *positions) at(i int) mapdb.Pos {
	pos, _ := mapdb.PosOfKey(p.keys[i])
	return pos
}

// between returns the indexes of the first block that is not before from, and of the first block that is not before
// to.
func (p *positions) between(from, to mapdb.Pos) (lo, hi int) {
	lo, _ = p.find(from)
	hi, _ = p.find(to)
	return lo, hi
}

// plane returns the range of indexes of the blocks of a plane.
func (p *positions) plane(z int16) (lo, hi int) {
	return p.between(mapdb.Pos{X: mapdb.MinCoord, Y: mapdb.MinCoord, Z: z}, mapdb.Pos{X: mapdb.MinCoord, Y: mapdb.MinCoord, Z: z + 1})
}

// planes returns the planes that have blocks, in order.
func (p *positions) planes() (all []int16) {
	for i := 0; i < len(p.keys); {
		z := p.at(i).Z
		all = append(all, z)
		_, i = p.plane(z)
	}
	return all
}

// rows returns the rows of a plane that have blocks, in order.
func (p *positions) rows(z int16) (all []int16) {
	for i, end := p.plane(z); i < end; {
		y := p.at(i).Y
		all = append(all, y)
		_, i = p.row(z, y)
	}
	return all
}

// row returns the range of indexes of the blocks of a row of a plane.
func (p *positions) row(z, y int16) (lo, hi int) {
	return p.between(mapdb.Pos{X: mapdb.MinCoord, Y: y, Z: z}, mapdb.Pos{X: mapdb.MinCoord, Y: y + 1, Z: z})
}

// blockPath returns the path of a block in the folder.
func blockPath(pos mapdb.Pos) string {
	return blocksDir + "/z" + strconv.Itoa(int(pos.Z)) + "/y" + strconv.Itoa(int(pos.Y)) + "/" + blockName(pos)
}

// The extensions of files of blocks.
const (
	textEnding = ".txt"
	rawEnding  = ".block" // raw bytes; never written, only read
)

func blockName(pos mapdb.Pos) string {
	return strconv.Itoa(int(pos.X)) + "," + strconv.Itoa(int(pos.Y)) + "," + strconv.Itoa(int(pos.Z)) + textEnding
}

// parseBlockName parses the name of a file of a block.
func parseBlockName(name string) (pos mapdb.Pos, raw, ok bool) {
	stem, isText := strings.CutSuffix(name, textEnding)
	if !isText {
		if stem, raw = strings.CutSuffix(name, rawEnding); !raw {
			return pos, false, false
		}
	}
	v, ok := vector(stem, 0)
	for _, c := range v {
		ok = ok && mapdb.MinCoord <= c && c <= mapdb.MaxCoord
	}
	pos = mapdb.Pos{X: int16(v[0]), Y: int16(v[1]), Z: int16(v[2])}
	return pos, raw, ok && blockName(pos) == stem+textEnding
}

// BlockPath returns the path of the text of a block in the folder of a world.
func BlockPath(pos mapdb.Pos) string { return blockPath(pos) }

// BlockOf is the inverse of [BlockPath]. It returns false for other paths.
func BlockOf(name string) (pos mapdb.Pos, ok bool) {
	pos, raw, ok := parseBlockName(path.Base(name))
	return pos, ok && !raw && blockPath(pos) == name
}

// PlayerPath returns the path of the file of a player, unless two names differ only in ways that a file system
// ignores.
func PlayerPath(name string) string { return playersDir + "/" + safename.Escape(name) + thingEnding }

// AccountPath is [PlayerPath] for accounts.
func AccountPath(name string) string { return authDir + "/" + safename.Escape(name) + thingEnding }

// ThingName returns the name of the player, the account or the mod of a file in the folder of a world, unless two
// names differ only in ways that a file system ignores.
func ThingName(name string) string {
	return safename.Unescape(strings.TrimSuffix(path.Base(name), thingEnding))
}
